//! What the files say of the last days: the queue, the logs, the memory, what was missed.

use super::{Finding, Subject};
use crate::agent::{layout, transcript};
use crate::base::config::Scope;
use crate::base::file::{Root, modified};
use crate::base::record::Record;
use crate::base::{clock, file, text};
use crate::model;
use crate::queue::{self, SessionState};
use crate::record::outcome::Ending;
use crate::record::session;
use crate::record::task::Status;
use crate::store::{self, ledger};
use crate::tool::{dequeue, export, find_session, health, setup};
use jiff::Timestamp;
use std::path::PathBuf;

const HOUR: i64 = 3600;
const DAY: i64 = 86_400;
/// Sessions that are looked into, at most.
const SESSIONS: usize = 20;
/// Bytes that must be free.
const FREE: u64 = 100 << 20;

pub(super) fn age(time: Timestamp) -> i64 {
    clock::seconds_between(time, clock::now())
}

/// Seconds in words.
pub(super) fn ago(seconds: i64) -> String {
    match seconds {
        ..60 => "just now".to_owned(),
        60..HOUR => format!("{} minutes ago", seconds / 60),
        HOUR..DAY => format!("{} hours ago", seconds / HOUR),
        _ => format!("{} days ago", seconds / DAY),
    }
}

/// A call may be made today.
pub fn budget(subject: &Subject) -> Finding {
    let path = ledger::path(&subject.home);
    let config = &subject.settings.compound_loop;
    let engine = model::resolve(config.engine, config).unwrap_or(config.engine);
    match ledger::refusal(&path, engine, config, clock::now()) {
        Err(failure) => Finding::bad(failure.message, "mend its rights"),
        Ok(Some((until, why))) => {
            let todo = if why.starts_with("breaker") {
                "see logs/llm.jsonl, try lh-doctor --live"
            } else {
                "raise the limit in [compound_loop], or wait"
            };
            Finding::bad(format!("{why}; no call before {}", clock::local(until)), todo)
        }
        Ok(None) => {
            if let Some(what) = health::calls(config, &subject.home) {
                return Finding::bad(what, "see logs/llm.jsonl, try lh-doctor --live");
            }
            let (calls, spent) = ledger::today(&path, config).unwrap_or_default();
            let limits = format!("of {} and {:.2} USD", config.max_calls_per_day, config.max_usd_per_day);
            Finding::good(format!("today {calls} calls, {spent:.2} USD, {limits}"))
        }
    }
}

/// The tasks of a status.
pub fn with_status(records: &[Record], status: Status) -> impl Iterator<Item = &Record> {
    records.iter().filter(move |record| Status::read(record) == Some(status))
}

/// What waits, and that the folder can be locked.
pub fn queue(subject: &Subject) -> Finding {
    if let Err(failure) = health::queue(&subject.home) {
        return Finding::bad(failure.message, "mend its rights, or move it away");
    }
    if !subject.home.join("queue").exists() {
        return Finding::note("nothing was queued yet");
    }
    let records = match queue::list(&subject.queue, &dequeue::session_of) {
        Ok(records) => records,
        Err(failure) => return Finding::bad(failure.message, "mend its rights"),
    };
    if let Err(failure) = health::locks(&subject.home) {
        return Finding::bad(failure.message, "until then no session is remembered");
    }
    let names: Vec<String> = with_status(&records, Status::Damaged).filter_map(|record| record.text("task")).collect();
    if !names.is_empty() {
        return Finding::bad(format!("no task: {}", names.join(", ")), "look at it, and remove it");
    }
    let oldest = records
        .iter()
        .filter(|record| Status::read(record) != Some(Status::Failed))
        .filter_map(|record| clock::parse(&record.text("queued_at")?))
        .min();
    let oldest = oldest.map(|time| format!(", the oldest of {}", ago(age(time)))).unwrap_or_default();
    let [due, waiting] = [Status::Due, Status::Waiting].map(|status| with_status(&records, status).count());
    Finding::good(format!("{due} due, {waiting} waiting{oldest}"))
}

/// Nothing was given up.
pub fn failed(subject: &Subject) -> Finding {
    let records = queue::list(&subject.queue, &dequeue::session_of).unwrap_or_default();
    let failed: Vec<_> = with_status(&records, Status::Failed).collect();
    let Some(last) = failed.last() else { return Finding::good("nothing was given up") };
    let why = last.text("last_error").unwrap_or_default();
    let id = session::short_id(&last.text("session_id").unwrap_or_default());
    Finding::bad(
        format!("{} given up, the last {id}: {why}", failed.len()),
        "mend that, then put them back: lh-dequeue --retry --all-failed",
    )
}

/// The states of the last sessions, the newest first.
fn states(subject: &Subject) -> Vec<(String, SessionState)> {
    let folder = subject.home.join("queue/state");
    let mut names: Vec<(Timestamp, PathBuf)> = file::names(&folder)
        .unwrap_or_default()
        .into_iter()
        .filter(|name| !name.to_string_lossy().starts_with('.'))
        .filter_map(|name| Some((modified(&folder.join(&name))?, folder.join(name))))
        .collect();
    names.sort();
    let last = names.iter().rev().take(20);
    last.filter_map(|(_, path)| {
        Some((path.file_name()?.to_string_lossy().into_owned(), SessionState::read(path).ok()?))
    })
    .collect()
}

/// Which gate refused the last sessions, and why.
pub fn gates(subject: &Subject) -> Finding {
    let states = states(subject);
    let refused: Vec<String> = states
        .iter()
        .filter(|(_, state)| state.outcome == Some(Ending::Refused))
        .map(|(id, state)| {
            format!("{} {}", session::short_id(id), state.reason.as_deref().unwrap_or(Ending::Refused.word()))
        })
        .collect();
    match (states.len(), refused.len()) {
        (0, _) => Finding::note("no session was judged yet"),
        (all, 0) => Finding::good(format!("none of the last {all} sessions was refused")),
        (all, count) => {
            let last = refused.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
            Finding::good(format!("{count} of the last {all} sessions refused: {last}"))
        }
    }
}

/// When the newest session of the agent's home that a person held, and that has been quiet for an hour,
/// was last written to.
fn newest_session(subject: &Subject) -> Option<Timestamp> {
    let sessions = layout::sessions(&subject.home).ok()?;
    let mut found: Vec<(Timestamp, PathBuf)> = sessions
        .into_iter()
        .filter_map(|(time, path)| Some((clock::from_system(time)?, path)))
        .filter(|(time, _)| age(*time) >= HOUR)
        .collect();
    found.sort();
    found.into_iter().rev().take(SESSIONS).find(|(_, path)| transcript::is_interactive(path)).map(|(time, _)| time)
}

/// Hooks fire: one ran when the newest session went on.
pub fn hooks(subject: &Subject) -> Finding {
    let session = newest_session(subject);
    let todo = "run lh-setup; look whether the client says why at its start, and at logs/hooks.log";
    let Some(last) = modified(&subject.home.join("logs/hooks.log")) else {
        // The client writes its settings, too: whatever is older than they are began before us.
        let settings = modified(&layout::settings(&subject.home));
        return match session.zip(settings) {
            Some((session, settings)) if clock::seconds_between(settings, session) > HOUR => {
                Finding::bad(format!("none ever ran, and a session went on {}", ago(age(session))), todo)
            }
            _ => Finding::note("none ran yet"),
        };
    };
    match session {
        Some(session) if clock::seconds_between(last, session) > HOUR => {
            let what = format!("the last hook ran {}, a session went on {}", ago(age(last)), ago(age(session)));
            Finding::bad(what, todo)
        }
        _ => Finding::good(format!("the last one ran {}", ago(age(last)))),
    }
}

/// The worker takes up what is due. One that was not started yet, since no hook ran, is not a worker that fails.
pub fn worker(subject: &Subject) -> Finding {
    let records = queue::list(&subject.queue, &dequeue::session_of).unwrap_or_default();
    let due = with_status(&records, Status::Due);
    let since = |record: &Record| {
        let time = |name: &str| clock::parse(&record.text(name)?);
        time("queued_at").max(time("not_before"))
    };
    let oldest = due.filter_map(since).min();
    let lock = subject.home.join("queue/.worker.lock");
    let held = || file::try_lock(&Root::new(&subject.home).file("queue/.worker.lock")?);
    let works = lock.exists() && held().is_ok_and(|lock| lock.is_none());
    let log = subject.home.join("logs/compound-loop.log");
    let hook = modified(&subject.home.join("logs/hooks.log"));
    match oldest {
        Some(time)
            if !works && age(time) > HOUR && hook.is_some_and(|hook| clock::seconds_between(time, hook) > 60) =>
        {
            let what = format!("a task is due since {}, a hook ran since, and no worker runs", ago(age(time)));
            Finding::bad(what, format!("run lh-worker, and see {}", log.display()))
        }
        Some(time) if works && age(time) > DAY => {
            let todo = "end it: it is the process that holds queue/.worker.lock";
            Finding::bad("a worker runs, and has not come on for a day", todo)
        }
        _ if works => Finding::good("at work"),
        _ => match modified(&log) {
            Some(time) => Finding::good(format!("last said something {}", ago(age(time)))),
            None => Finding::note("did not run yet"),
        },
    }
}

/// Every project's memory is where the scope says.
pub fn places(subject: &Subject) -> Finding {
    let (config, scope) = (subject.settings, subject.settings.memory.scope);
    let area = config.memory_area().unwrap_or_default();
    let moves = match setup::moves(None, config) {
        Ok(moves) => moves.len(),
        // The check of the knowledge folder says what to do.
        Err(failure) => return Finding::note(format!("not known: {}", failure.message)),
    };
    let there = store::all(&subject.home, config).iter().filter(|folder| folder.starts_with(&area)).count();
    // Another machine can use the same folder.
    let strange = match setup::without_checkout(config) {
        Ok(strange) => strange,
        Err(failure) => return Finding::note(format!("not known: {}", failure.message)),
    };
    if let Some(first) = strange.first().filter(|_| moves == 0) {
        let rest = if strange.len() > 1 { format!(" and {} more", strange.len() - 1) } else { String::new() };
        let todo = "if its repository is here under another name, run there";
        return Finding::note(format!(
            "no checkout that is known leads to the memory of '{first}'{rest}; {todo}: lh-setup --renamed-from '{first}'"
        ));
    }
    match (moves, scope) {
        (0, Scope::Store) => Finding::good(format!("in {}", area.display())),
        (0, _) if there == 0 => Finding::good("in the agent's home"),
        (0, _) => Finding::note(format!("that of {there} projects is in {} and is read there", area.display())),
        (count, _) => Finding::bad(
            format!("{count} folders have memory that belongs elsewhere; it is read where it is"),
            format!("move it: lh-setup --scope {}", scope.word()),
        ),
    }
}

/// Sessions that were never captured: begun since the first hook ran, quiet for a day.
pub fn missed(subject: &Subject) -> Finding {
    let Ok(Some(since)) = subject.queue.since() else { return Finding::note("not known: no hook ran yet") };
    let missing = match find_session::missing(Some(since), subject.settings) {
        Err(failure) => return Finding::bad(failure.message, "mend its rights"),
        Ok(missing) => missing,
    };
    let never = missing.iter().filter(|((session, _), lacks)| {
        let quiet = session.source_modified_at.is_some_and(|time| age(time) > DAY);
        let began = transcript::first_time(&session.transcript);
        let seen = subject.queue.state(&session.session_id).unwrap_or_default() != SessionState::default();
        let pages = export::is_done(session, subject.settings).unwrap_or_default();
        quiet
            && began >= Some(since)
            && lacks.contains(&"distill")
            && !seen
            && !pages
            && transcript::is_interactive(&session.transcript)
    });
    match never.count() {
        0 => Finding::good("none since the first hook ran"),
        count => Finding::bad(
            format!("{count} sessions since the first hook ran got none"),
            "run lh-weekly, which takes them up",
        ),
    }
}

/// There is room.
pub fn disk(subject: &Subject) -> Finding {
    let folders = [Some(subject.home.clone()), subject.settings.knowledge_folder().ok()];
    let mut says = Vec::new();
    for folder in folders.into_iter().flatten() {
        match health::room(&folder, FREE) {
            Err(what) => return Finding::bad(what, "until then nothing can be kept"),
            Ok(None) => {}
            Ok(Some(free)) => {
                says.push(format!("{} GB free at {}", free >> 30, text::cut(&folder.display().to_string(), 60)));
            }
        }
    }
    Finding::good(says.join(", "))
}

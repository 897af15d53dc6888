//! What the files say: the queue, the logs and the memory of the last days, what was missed; and what the files of a home and
//! of the memory are: readable, writable, where they belong, and closed to other users.

use super::{Checked, Subject, bad, failed, good, note};
use crate::agent::{layout, memory_dirs, transcript};
use crate::base::config::Scope;
use crate::base::exit::Failure;
use crate::base::file::{Root, modified};
use crate::base::record::Record;
use crate::base::{clock, file, text};
use crate::model;
use crate::queue::{self, SessionState};
use crate::record::item::ItemKind;
use crate::record::outcome::Ending;
use crate::record::session;
use crate::record::task::Status;
use crate::store::{self, archive, journal, ledger, memories};
use crate::tool::{dequeue, export, find_session, health, setup};
use jiff::Timestamp;
use std::path::{Path, PathBuf};

const HOUR: i64 = 3600;
const DAY: i64 = 86_400;
/// Sessions that are looked into, at most.
const SESSIONS: usize = 20;
/// Sessions of which it is told what a gate said of them, and how many of those refused are named.
const JUDGED: usize = 20;
const NAMED: usize = 5;
/// Bytes that must be free.
const FREE: u64 = 100 << 20;

fn age(time: Timestamp) -> i64 {
    clock::seconds_between(time, clock::now())
}

/// How long ago a time was, in words.
fn ago(time: Timestamp) -> String {
    match age(time) {
        ..60 => "just now".to_owned(),
        seconds @ 60..HOUR => format!("{} minutes ago", seconds / 60),
        seconds @ HOUR..DAY => format!("{} hours ago", seconds / HOUR),
        seconds => format!("{} days ago", seconds / DAY),
    }
}

/// A call may be made today.
pub fn budget(subject: &Subject) -> Checked {
    let (path, config) = (ledger::path(&subject.home), &subject.settings.compound_loop);
    let engine = model::resolve(config.engine, config).unwrap_or(config.engine);
    let (rights, look) = ("mend its rights", "see logs/llm.jsonl, try lh-doctor --live");
    if let Some((until, why)) = ledger::refusal(&path, engine, config, clock::now()).map_err(failed(rights))? {
        let todo = if why.starts_with("breaker") { look } else { "raise the limit in [compound_loop], or wait" };
        return bad(format!("{why}; no call before {}", clock::local(until)), todo);
    }
    health::calls(config, &subject.home).map_err(failed(look))?;
    let (calls, spent) = ledger::today(&path, config).map_err(failed(rights))?;
    let limits = format!("of {} and {:.2} USD", config.max_calls_per_day, config.max_usd_per_day);
    good(format!("today {calls} calls, {spent:.2} USD, {limits}"))
}

/// The tasks of a status.
pub fn with_status(records: &[Record], status: Status) -> impl Iterator<Item = &Record> {
    records.iter().filter(move |record| Status::read(record) == Some(status))
}

/// The tasks of a home; none where they cannot be read, which the check of the queue says.
fn tasks(subject: &Subject) -> Vec<Record> {
    queue::list(&subject.queue, &dequeue::session_of).unwrap_or_else(|_| Vec::new())
}

/// What waits, and that the folder can be locked.
pub fn queue(subject: &Subject) -> Checked {
    health::queue(&subject.home).map_err(failed("mend its rights, or move it away"))?;
    if !subject.home.join("queue").exists() {
        return note("nothing was queued yet");
    }
    let records = queue::list(&subject.queue, &dequeue::session_of).map_err(failed("mend its rights"))?;
    health::locks(&subject.home).map_err(failed("until then no session is remembered"))?;
    let names: Vec<String> = with_status(&records, Status::Damaged).filter_map(|record| record.text("task")).collect();
    if !names.is_empty() {
        return bad(format!("no task: {}", names.join(", ")), "look at it, and remove it");
    }
    let pending = records.iter().filter(|record| Status::read(record) != Some(Status::Failed));
    let oldest = pending.filter_map(|record| clock::parse(&record.text("queued_at")?)).min();
    let oldest = oldest.map_or_else(String::new, |time| format!(", the oldest of {}", ago(time)));
    let [due, waiting] = [Status::Due, Status::Waiting].map(|status| with_status(&records, status).count());
    good(format!("{due} due, {waiting} waiting{oldest}"))
}

/// Nothing was given up.
pub fn given_up(subject: &Subject) -> Checked {
    let records = tasks(subject);
    let all: Vec<_> = with_status(&records, Status::Failed).collect();
    let Some(last) = all.last() else { return good("nothing was given up") };
    let [why, id] = ["last_error", "session_id"].map(|name| last.text(name).unwrap_or_default());
    let what = format!("{} given up, the last {}: {why}", all.len(), session::short_id(&id));
    bad(what, "mend that, then put them back: lh-dequeue --retry --all-failed")
}

/// Which gate refused the last sessions, and why.
pub fn gates(subject: &Subject) -> Checked {
    let folder = subject.home.join("queue/state");
    let names = file::names(&folder).into_iter().flatten().map(|name| name.to_string_lossy().into_owned());
    let names = names.filter(|name| !name.starts_with('.'));
    let mut states: Vec<_> = names.filter_map(|id| Some((modified(&folder.join(&id))?, id))).collect();
    states.sort();
    let (mut all, mut refused) = (0, Vec::new());
    for (_, id) in states.iter().rev().take(JUDGED) {
        let Ok(state) = SessionState::read(&folder.join(id)) else { continue };
        all += 1;
        if state.outcome == Some(Ending::Refused) {
            let why = state.reason.unwrap_or_else(|| Ending::Refused.word().to_owned());
            refused.push(format!("{} {why}", session::short_id(id)));
        }
    }
    let count = refused.len();
    refused.truncate(NAMED);
    match (all, count) {
        (0, _) => note("no session was judged yet"),
        (_, 0) => good(format!("none of the last {all} sessions was refused")),
        _ => good(format!("{count} of the last {all} sessions refused: {}", refused.join(", "))),
    }
}

/// When the newest session of the agent's home that a person held, and that has been quiet for an hour,
/// was last written to.
fn newest_session(subject: &Subject) -> Option<Timestamp> {
    let sessions = layout::sessions(&subject.home).ok()?.into_iter();
    let mut found: Vec<_> = sessions.filter_map(|(time, path)| Some((clock::from_system(time)?, path))).collect();
    found.retain(|(time, _)| age(*time) >= HOUR);
    found.sort();
    found.into_iter().rev().take(SESSIONS).find(|(_, path)| transcript::is_interactive(path)).map(|(time, _)| time)
}

/// Hooks fire: one ran when the newest session went on.
pub fn hooks(subject: &Subject) -> Checked {
    let session = newest_session(subject);
    let todo = "run lh-setup; look whether the client says why at its start, and at logs/hooks.log";
    let hook = modified(&subject.home.join("logs/hooks.log"));
    // The client writes its settings, too: whatever is older than they are began before us.
    let since = hook.or_else(|| modified(&layout::settings(&subject.home)));
    let late = session.zip(since).filter(|(session, since)| clock::seconds_between(*since, *session) > HOUR);
    match (hook, late) {
        (None, Some((session, _))) => bad(format!("none ever ran, and a session went on {}", ago(session)), todo),
        (None, None) => note("none ran yet"),
        (Some(last), Some((session, _))) => {
            bad(format!("the last hook ran {}, a session went on {}", ago(last), ago(session)), todo)
        }
        (Some(last), None) => good(format!("the last one ran {}", ago(last))),
    }
}

/// The worker takes up what is due. One that was not started yet, since no hook ran, is not a worker that fails.
pub fn worker(subject: &Subject) -> Checked {
    let records = tasks(subject);
    let since = |record: &Record| {
        let time = |name: &str| clock::parse(&record.text(name)?);
        time("queued_at").max(time("not_before"))
    };
    let oldest = with_status(&records, Status::Due).filter_map(since).min();
    let lock = subject.home.join("queue/.worker.lock");
    let held = || file::try_lock(&Root::new(&subject.home).file("queue/.worker.lock")?);
    let works = lock.exists() && held().is_ok_and(|lock| lock.is_none());
    let log = subject.home.join("logs/compound-loop.log");
    let hook = modified(&subject.home.join("logs/hooks.log"));
    if works && oldest.is_some_and(|time| age(time) > DAY) {
        let todo = "end it: it is the process that holds queue/.worker.lock";
        return bad("a worker runs, and has not come on for a day", todo);
    }
    if works {
        return good("at work");
    }
    let ran_since = |time: Timestamp| hook.is_some_and(|hook| clock::seconds_between(time, hook) > 60);
    if let Some(time) = oldest.filter(|time| age(*time) > HOUR && ran_since(*time)) {
        let what = format!("a task is due since {}, a hook ran since, and no worker runs", ago(time));
        return bad(what, format!("run lh-worker, and see {}", log.display()));
    }
    modified(&log).map_or_else(|| note("did not run yet"), |time| good(format!("last said something {}", ago(time))))
}

/// Every project's memory is where the scope says.
pub fn places(subject: &Subject) -> Checked {
    let (config, scope) = (subject.settings, subject.settings.memory.scope);
    // The check of the knowledge folder says what to do.
    let unknown = |failure: Failure| note(format!("not known: {}", failure.message));
    let (area, moves, strange) =
        match (config.memory_area(), setup::moves(None, config), setup::without_checkout(config)) {
            (Ok(area), Ok(moves), Ok(strange)) => (area, moves.len(), strange),
            (Err(failure), ..) | (_, Err(failure), _) | (.., Err(failure)) => return unknown(failure),
        };
    if moves > 0 {
        let what = format!("{moves} folders have memory that belongs elsewhere; it is read where it is");
        return bad(what, format!("move it: lh-setup --scope {}", scope.word()));
    }
    // Another machine can use the same folder.
    if let Some(first) = strange.first() {
        let rest = if strange.len() > 1 { format!(" and {} more", strange.len() - 1) } else { String::new() };
        let todo = "if its repository is here under another name, run there";
        return note(format!(
            "no checkout that is known leads to the memory of '{first}'{rest}; {todo}: lh-setup --renamed-from '{first}'"
        ));
    }
    let there = store::all(&subject.home, config).iter().filter(|folder| folder.starts_with(&area)).count();
    match there {
        _ if scope == Scope::Store => good(format!("in {}", area.display())),
        0 => good("in the agent's home"),
        _ => note(format!("that of {there} projects is in {} and is read there", area.display())),
    }
}

/// Sessions that were never captured: begun since the first hook ran, quiet for a day.
pub fn missed(subject: &Subject) -> Checked {
    let Ok(Some(since)) = subject.queue.since() else { return note("not known: no hook ran yet") };
    let missing = find_session::missing(Some(since), subject.settings).map_err(failed("mend its rights"))?;
    let never = missing.iter().filter(|((session, _), lacks)| {
        let began = transcript::first_time(&session.transcript);
        let is_seen = subject.queue.state(&session.session_id).is_ok_and(|state| state != SessionState::default());
        session.source_modified_at.is_some_and(|time| age(time) > DAY)
            && began >= Some(since)
            && lacks.contains(&"distill")
            && !is_seen
            && !matches!(export::is_done(session, subject.settings), Ok(true))
            && transcript::is_interactive(&session.transcript)
    });
    match never.count() {
        0 => good("none since the first hook ran"),
        count => {
            bad(format!("{count} sessions since the first hook ran got none"), "run lh-weekly, which takes them up")
        }
    }
}

/// There is room.
pub fn disk(subject: &Subject) -> Checked {
    let mut says = Vec::new();
    for folder in std::iter::once(subject.home.clone()).chain(subject.settings.knowledge_folder()) {
        if let Some(free) = health::room(&folder, FREE).map_err(failed("until then nothing can be kept"))? {
            says.push(format!("{} GB free at {}", free >> 30, text::cut(&folder.display().to_string(), 60)));
        }
    }
    good(says.join(", "))
}

/// What lh-persist opens can be opened, each line of the journals' ends can be read, and when the last item was written.
pub fn memory(subject: &Subject) -> Checked {
    let (mut newest, mut bad_files, mut torn) = (None, Vec::new(), Vec::new());
    let is_torn = |line: &&str| serde_json::from_str::<serde::de::IgnoredAny>(line).is_err();
    for folder in store::all(&subject.home, subject.settings) {
        let opened = health::memory(&folder).and_then(|()| memories::index::bytes(&folder).map(drop));
        bad_files.extend(opened.err().map(|failure| failure.message));
        let kinds = ItemKind::ALL.into_iter().filter(|kind| *kind != ItemKind::Learning);
        for path in kinds.flat_map(|kind| journal::files(&[&folder], kind, true)) {
            newest = newest.max(modified(&path));
            match file::read_tail(&path, 64 << 10).map(|text| text.lines().filter(is_torn).count()) {
                Ok(0) => {}
                Ok(count) => torn.push(format!("{}: {count} lines cannot be read", path.display())),
                Err(failure) if bad_files.contains(&failure.message) => {}
                Err(failure) => bad_files.push(failure.message),
            }
        }
    }
    if !bad_files.is_empty() {
        let todo = "until then its project's sessions are not remembered: mend its rights, or move it away";
        return bad(bad_files.join("; "), todo);
    }
    if !torn.is_empty() {
        return bad(torn.join("; "), "they are skipped: mend them");
    }
    let Some(time) = newest else { return note("nothing is remembered yet") };
    good(format!("last written {}", ago(time)))
}

/// A top folder may be a link of its user's, and leads where that says; a link below it that leads out is
/// refused by every tool.
pub fn links(subject: &Subject) -> Checked {
    let (home, knowledge) = (&subject.home, subject.settings.knowledge_folder().map_err(failed("mend that"))?);
    let todo = "put the file or the folder itself there: what is behind such a link is not written";
    // What is in the folder of memory is looked at by project.
    let memory = Some(home.join("memory")).filter(|memory| memory.is_symlink());
    let tops = ["queue", "logs"].map(|name| home.join(name)).into_iter().chain(memory);
    led_away(home, tops.collect()).map_err(failed(todo))?;
    // A learnings folder elsewhere is where its user wants it.
    let pages = [subject.settings.sessions_folder(), subject.settings.learnings_folder()];
    let pages = pages.into_iter().flatten().filter(|folder| folder.starts_with(&knowledge)).collect();
    led_away(&knowledge, pages).map_err(failed(todo))?;
    for folder in memory_dirs::all(home, subject.settings) {
        in_memory(&folder, subject).map_err(failed(todo))?;
    }
    let mut linked = Vec::new();
    for top in [home, &layout::projects(home), &knowledge].into_iter().map(PathBuf::as_path).chain(knowledge.parent()) {
        if top.is_symlink() {
            linked.push(format!("{} leads to {}", top.display(), file::real_path(top).display()));
        }
    }
    if linked.is_empty() { good("no top folder is a link") } else { note(linked.join("; ")) }
}

/// The links of a memory folder: itself, and in it what is ours.
fn in_memory(folder: &Path, subject: &Subject) -> Result<(), Failure> {
    store::inside(folder, &subject.home, subject.settings)?;
    if let Some(above) = folder.parent().filter(|_| !folder.exists()) {
        led_away(above, vec![folder.to_path_buf()])?;
    }
    let is_ours = |name: &str| {
        name == ".state" || name == archive::FOLDER || [".md", ".jsonl"].iter().any(|end| name.ends_with(end))
    };
    let names = file::names(folder).unwrap_or_else(|_| Vec::new()).into_iter();
    let ours = names.filter(|name| is_ours(&name.to_string_lossy())).map(|name| folder.join(name));
    led_away(folder, ours.collect())
}

/// Why a link in these places or below them is refused by every tool that writes below `top`.
fn led_away(top: &Path, places: Vec<PathBuf>) -> Result<(), Failure> {
    let root = Root::new(top);
    for (path, _) in setup::all_below(places).filter(|(_, data)| data.is_symlink()) {
        match path.metadata() {
            Err(_) => return Err(Failure::data(format!("{} leads nowhere", path.display()))),
            Ok(data) if data.is_dir() => _ = root.inside(&path)?,
            Ok(_) => _ = root.file(&path)?,
        }
    }
    Ok(())
}

/// No other user can read what is ours.
pub fn rights(subject: &Subject) -> Checked {
    match setup::open_to_others(&subject.home).as_slice() {
        [] => good("no other user can read queue, logs and memory"),
        [one] => bad(format!("others can read {}", one.display()), format!("chmod go= '{}'", one.display())),
        [one, rest @ ..] => bad(
            format!("others can read {} and {} more", one.display(), rest.len()),
            "take the rights of others away: chmod -R go= queue, logs and memory",
        ),
    }
}

//! How things are, on one screen, the last lines of the logs, and what the model calls cost, by day, project and model, as
//! the ledger has it. Only files are read; no check runs.

use super::{install, state};
use crate::agent::{checkout, injected, layout, transcript};
use crate::base::config::{Config, Loop, Privacy};
use crate::base::exit::Failure;
use crate::base::stream::Output;
use crate::base::{clock, env, file, text};
use crate::queue::{self, Queue};
use crate::record::item::ItemKind;
use crate::record::task::Status;
use crate::redact::Redactor;
use crate::store::ledger::{self, Spent};
use crate::store::{self, journal, plan};
use crate::tool::{context, dequeue};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// What the hooks say, and what the worker says.
const LOGS: [&str; 2] = ["hooks.log", "compound-loop.log"];
/// The end of a log that is read; a log begins anew when it is larger than a quarter of this.
const LOG_BYTES: u64 = 4 << 20;
/// Lines of each log on the screen.
const LINES: usize = 3;
/// How long to wait before the logs are looked at again.
const PAUSE: Duration = Duration::from_millis(300);

/// The loop, the queue, today's model calls, the last lines of the logs, and what is open in the current
/// folder's project.
pub fn brief() -> Result<String, Failure> {
    let home = env::agent_home()?;
    let (config, defaults) = (Config::load(), Config::default());
    let switch = match &config {
        Err(failure) => unknown(failure),
        Ok(config) if config.compound_loop.enabled => install::unhooked(config).unwrap_or_else(|| "on".to_owned()),
        Ok(_) => "off: run lh-setup, or set enabled = true in [compound_loop] of config.toml".to_owned(),
    };
    let mut out = String::new();
    let settings = config.as_ref().unwrap_or(&defaults);
    let today = today(&home, &settings.compound_loop);
    for (name, is) in
        [("loop", Ok(switch)), ("queue", queue(&home)), ("today", today), ("memory", memory(settings, &home))]
    {
        let is = is.unwrap_or_else(|failure| unknown(&failure));
        let _ = writeln!(out, "{name:10}{}", injected::line(&is));
    }
    for log in LOGS {
        let lines = last_lines(&home, &[log], LINES).unwrap_or_else(|failure| vec![unknown(&failure)]);
        let lines = if lines.is_empty() { vec!["nothing yet".to_owned()] } else { lines };
        let _ = writeln!(out, "logs/{log}\n  {}", lines.join("\n  "));
    }
    match context::still_open(settings) {
        Ok((_, lines)) if lines.is_empty() => out.push_str("open here: nothing\n"),
        Ok((time, lines)) => {
            let day = time.map(|time| format!(" {}", clock::local_day(time))).unwrap_or_default();
            let _ = writeln!(out, "open here{day}\n  {}", lines.join("\n  "));
        }
        Err(failure) => _ = writeln!(out, "open here: {}", unknown(&failure)),
    }
    Ok(text::harmless(&out).into_owned())
}

fn unknown(failure: &Failure) -> String {
    format!("not known: {}", failure.message)
}

/// What is remembered of the current folder's project, and of how many projects there is something.
fn memory(config: &Config, home: &Path) -> Result<String, Failure> {
    let memory = context::memory_here(config)?;
    let mut counts = Vec::new();
    for kind in [ItemKind::Decision, ItemKind::Failure, ItemKind::Memory] {
        let count = journal::read(&memory.journal(kind, true), kind)?.iter().filter(|known| known.holds()).count();
        counts.push(format!("{count} {}", if count == 1 { kind.word() } else { kind.list() }));
    }
    let all = store::all(home, config).len();
    let plan = plan::waiting(memory.notes()).map(|what| format!("; {what}")).unwrap_or_default();
    Ok(format!("{} here; projects with memory: {all}{plan}", counts.join(", ")))
}

/// How many tasks there are of each status.
fn queue(home: &Path) -> Result<String, Failure> {
    let records = queue::list(&Queue::in_home(home), &dequeue::session_of)?;
    let [due, waiting, failed, damaged] = [Status::Due, Status::Waiting, Status::Failed, Status::Damaged]
        .map(|status| state::with_status(&records, status).count());
    let damaged = if damaged > 0 { format!(", {damaged} damaged") } else { String::new() };
    let todo = if failed > 0 { " (lh-dequeue --list says why, --retry --all-failed puts them back)" } else { "" };
    Ok(format!("{due} due, {waiting} waiting, {failed} failed{damaged}{todo}"))
}

/// Writes the last `count` lines of both logs, in the order of time; whether there are any.
pub fn log(count: usize, out: &mut Output) -> Result<bool, Failure> {
    let lines = last_lines(&env::agent_home()?, &LOGS, count)?;
    for line in &lines {
        out.bytes(format!("{line}\n").as_bytes())?;
    }
    out.flush().map(|()| !lines.is_empty() || count == 0)
}

/// The last lines of logs, in the order of time. A line without a time belongs to the line above it; a log
/// that was large goes on in a new file.
fn last_lines(home: &Path, logs: &[&str], count: usize) -> Result<Vec<String>, Failure> {
    let mut lines = Vec::new();
    for name in logs.iter().flat_map(|log| [format!("{log}.1"), (*log).to_owned()]) {
        let text = file::read_tail(&home.join("logs").join(name), LOG_BYTES)?;
        let mut time = None;
        lines.extend(text.lines().map(|line| {
            time = line.split(' ').next().and_then(clock::parse).or(time);
            (time, line.to_owned())
        }));
    }
    lines.sort_by_key(|(time, _)| *time);
    let last = lines.split_off(lines.len().saturating_sub(count));
    Ok(last.into_iter().map(|(_, line)| text::harmless(&line).into_owned()).collect())
}

/// Writes what comes into the logs from now on; ends when it cannot be written. A log that is not there yet,
/// or begins anew, is read from its beginning.
pub fn follow(out: &mut Output) -> Result<(), Failure> {
    let size = |path: &Path| path.metadata().ok().and_then(|data| usize::try_from(data.len()).ok()).unwrap_or(0);
    let folder = env::agent_home()?.join("logs");
    let mut logs = LOGS.map(|log| (size(&folder.join(log)), folder.join(log)));
    loop {
        out.pause(PAUSE)?;
        for (seen, path) in &mut logs {
            if size(path) == *seen {
                continue;
            }
            let bytes = file::read(path)?.unwrap_or_default();
            out.bytes(text::harmless(&String::from_utf8_lossy(bytes.get(*seen..).unwrap_or(&bytes))).as_bytes())?;
            *seen = bytes.len();
        }
        out.flush()?;
    }
}

/// Today's calls that count and what they cost, in a few words.
pub fn today(home: &Path, config: &Loop) -> Result<String, Failure> {
    let calls = ledger::calls(&ledger::path(home))?;
    let (today, mut sum) = (clock::local_day(clock::now()), Spent::default());
    for (_, line) in calls.iter().filter(|(day, line)| *day == today && !ledger::is_free(&line.engine, config)) {
        sum.add(line);
    }
    let plural = if sum.calls == 1 { "" } else { "s" };
    let failed = if sum.failed == 0 { String::new() } else { format!(" ({} failed)", sum.failed) };
    Ok(format!("{} model call{plural}{failed}, {:.2} USD", sum.calls, sum.usd))
}

/// A table, the newest day first.
pub fn costs() -> Result<String, Failure> {
    // A configuration that cannot be read is another finding's affair.
    let privacy = Config::load().map_or_else(|_| Privacy::default(), |config| config.privacy);
    let redactor = Redactor::new(&privacy).or_else(|_| Redactor::new(&Privacy::default()))?;
    let home = env::agent_home()?;
    let mut sums: BTreeMap<(String, String, String), Spent> = BTreeMap::new();
    let mut projects: BTreeMap<String, String> = BTreeMap::new();
    let mut all = Spent::default();
    for (day, line) in ledger::calls(&ledger::path(&home))? {
        let project = projects.entry(line.session_id.clone());
        let project = project.or_insert_with_key(|session| project_of(&home, session, &redactor)).clone();
        let model = injected::line(if line.model.is_empty() { &line.engine } else { &line.model });
        sums.entry((day, project, model)).or_default().add(&line);
        all.add(&line);
    }
    let wide = |name: &String, before: usize| name.chars().count().max(before);
    let (of, by) = sums.keys().fold((7, 7), |(of, by), (_, project, model)| (wide(project, of), wide(model, by)));
    let mut out = format!("{:10} {:of$} {:by$} CALLS FAILED    TOKENS       USD\n", "DAY", "PROJECT", "MODEL");
    let mut row = |day: &str, project: &str, model: &str, sum: &Spent| {
        let Spent { calls, failed, usd, tokens } = sum;
        let _ = writeln!(out, "{day:10} {project:of$} {model:by$} {calls:>5} {failed:>6} {tokens:>9} {usd:>9.4}");
    };
    for ((day, project, model), sum) in sums.iter().rev() {
        row(day, project, model, sum);
    }
    row("all", "", "", &all);
    Ok(out)
}

/// The project of a session that still has its transcript.
fn project_of(home: &Path, id: &str, redactor: &Redactor) -> String {
    let cwd = layout::locate(home, id, Path::new("/")).and_then(|path| transcript::first_cwd(&path));
    let Some(cwd) = cwd else { return "?".to_owned() };
    injected::line(&redactor.shown(&checkout::identify(Path::new(&cwd)).name))
}

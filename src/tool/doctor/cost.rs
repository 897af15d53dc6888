//! What the model calls cost, by day, project and model, as the ledger has it.

use crate::agent::{checkout, injected, layout, transcript};
use crate::base::config::{Config, Loop, Privacy};
use crate::base::exit::Failure;
use crate::base::{clock, env};
use crate::redact::Redactor;
use crate::store::ledger::{self, Spent};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

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

/// The project of a session whose transcript is still there.
fn project_of(home: &Path, id: &str, redactor: &Redactor) -> String {
    let cwd = layout::locate(home, id, Path::new("/")).and_then(|path| transcript::first_cwd(&path));
    let Some(cwd) = cwd else { return "?".to_owned() };
    injected::line(&redactor.shown(&checkout::identify(Path::new(&cwd)).name))
}

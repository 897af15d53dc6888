//! What the model calls cost, by day, project and model, as the ledger has it.

use crate::agent::checkout;
use crate::agent::injected;
use crate::agent::layout;
use crate::base::config::{Config, Loop, Privacy};
use crate::base::exit::Failure;
use crate::base::{clock, env};
use crate::redact::Redactor;
use crate::store::ledger;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

#[derive(Default)]
struct Sum {
    calls: u64,
    failed: u64,
    usd: f64,
    tokens: u64,
}

impl Sum {
    fn add(&mut self, line: &ledger::Booking) {
        self.calls += 1;
        self.failed += u64::from(line.result != "ok");
        self.usd += line.cost_usd.unwrap_or_default();
        let tokens = [line.input_tokens, line.output_tokens].into_iter().flatten();
        self.tokens = tokens.fold(self.tokens, u64::saturating_add);
    }
}

/// Today's calls that count and what they cost, in a few words.
pub fn today(home: &Path, config: &Loop) -> String {
    let calls = match ledger::calls(&ledger::path(home)) {
        Ok(calls) => calls,
        Err(failure) => return format!("not known: {}", failure.message),
    };
    let (today, mut sum) = (clock::local_day(clock::now()), Sum::default());
    let counts = |line: &ledger::Booking| !ledger::is_free(&line.engine, config);
    calls.iter().filter(|(day, line)| *day == today && counts(line)).for_each(|(_, line)| sum.add(line));
    let plural = if sum.calls == 1 { "" } else { "s" };
    let failed = if sum.failed == 0 { String::new() } else { format!(" ({} failed)", sum.failed) };
    format!("{} model call{plural}{failed}, {:.2} USD", sum.calls, sum.usd)
}

/// A table, the newest day first.
pub fn costs() -> Result<String, Failure> {
    // A configuration that cannot be read is another finding's affair.
    let privacy = Config::load().map(|config| config.privacy).unwrap_or_default();
    let redactor = Redactor::new(&privacy).or_else(|_| Redactor::new(&Privacy::default()))?;
    let home = env::agent_home()?;
    let mut sums: BTreeMap<(String, String, String), Sum> = BTreeMap::new();
    let mut projects: BTreeMap<String, String> = BTreeMap::new();
    let mut all = Sum::default();
    for (day, line) in ledger::calls(&ledger::path(&home))? {
        let project = projects
            .entry(line.session_id.clone())
            .or_insert_with(|| project_of(&home, &line.session_id, &redactor))
            .clone();
        let model = injected::line(if line.model.is_empty() { &line.engine } else { &line.model });
        sums.entry((day, project, model)).or_default().add(&line);
        all.add(&line);
    }
    let wide =
        |names: &mut dyn Iterator<Item = &String>| names.map(|name| name.chars().count()).max().unwrap_or(0).max(7);
    let (of, by) = (wide(&mut sums.keys().map(|(_, of, _)| of)), wide(&mut sums.keys().map(|(.., by)| by)));
    let name = |(day, project, model): (&str, &str, &str)| format!("{day:10} {project:of$} {model:by$}");
    let mut out =
        format!("{} {:>5} {:>6} {:>9} {:>9}\n", name(("DAY", "PROJECT", "MODEL")), "CALLS", "FAILED", "TOKENS", "USD");
    let rows = sums.iter().rev().map(|((day, project, model), sum)| (name((day, project, model)), sum));
    for (name, sum) in rows.chain([(name(("all", "", "")), &all)]) {
        let Sum { calls, failed, usd, tokens } = sum;
        let _ = writeln!(out, "{name} {calls:>5} {failed:>6} {tokens:>9} {usd:>9.4}");
    }
    Ok(out)
}

/// The project of a session whose transcript is still there.
fn project_of(home: &Path, id: &str, redactor: &Redactor) -> String {
    let transcript = layout::locate(home, id, Path::new("/"));
    let cwd = transcript.and_then(|path| crate::agent::transcript::first_cwd(&path));
    cwd.map_or_else(|| "?".to_owned(), |cwd| injected::line(&redactor.shown(&checkout::identify(Path::new(&cwd)).name)))
}

//! What the model calls cost, by day, project and model, as the ledger has it.

use crate::agent::injected;
use crate::agent::layout;
use crate::agent::project;
use crate::base::config::{Config, Privacy};
use crate::base::exit::Failure;
use crate::base::{clock, env, file};
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

/// A table, the newest day first.
pub fn costs() -> Result<String, Failure> {
    // A configuration that cannot be read is another finding's affair.
    let privacy = Config::load().map(|config| config.privacy).unwrap_or_default();
    let redactor = Redactor::new(&privacy).or_else(|_| Redactor::new(&Privacy::default()))?;
    let home = env::agent_home()?;
    let mut sums: BTreeMap<(String, String, String), Sum> = BTreeMap::new();
    let mut projects: BTreeMap<String, String> = BTreeMap::new();
    let text = file::read_text(&ledger::path(&home))?.unwrap_or_default();
    for line in text.lines().filter_map(|line| serde_json::from_str::<ledger::Booking>(line).ok()) {
        let day = clock::parse(&line.ts).map(clock::local_day).unwrap_or_default();
        let project = projects
            .entry(line.session_id.clone())
            .or_insert_with(|| project_of(&home, &line.session_id, &redactor))
            .clone();
        let model = injected::line(if line.model.is_empty() { &line.engine } else { &line.model });
        let sum = sums.entry((day, project, model)).or_default();
        sum.calls = sum.calls.saturating_add(1);
        sum.failed = sum.failed.saturating_add(u64::from(line.result != "ok"));
        sum.usd += line.cost_usd.unwrap_or_default();
        sum.tokens = sum
            .tokens
            .saturating_add(line.input_tokens.unwrap_or_default())
            .saturating_add(line.output_tokens.unwrap_or_default());
    }
    let mut out = format!(
        "{:10} {:20} {:28} {:>5} {:>6} {:>9} {:>9}\n",
        "DAY", "PROJECT", "MODEL", "CALLS", "FAILED", "TOKENS", "USD"
    );
    let mut all = Sum::default();
    for ((day, project, model), sum) in sums.iter().rev() {
        let _ = writeln!(
            out,
            "{day:10} {project:20} {model:28} {:>5} {:>6} {:>9} {:>9.4}",
            sum.calls, sum.failed, sum.tokens, sum.usd
        );
        all.calls = all.calls.saturating_add(sum.calls);
        all.failed = all.failed.saturating_add(sum.failed);
        all.tokens = all.tokens.saturating_add(sum.tokens);
        all.usd += sum.usd;
    }
    let _ = writeln!(out, "{:60} {:>5} {:>6} {:>9} {:>9.4}", "all", all.calls, all.failed, all.tokens, all.usd);
    Ok(out)
}

/// The project of a session whose transcript is still there.
fn project_of(home: &Path, id: &str, redactor: &Redactor) -> String {
    let transcript = layout::locate(home, id, Path::new("/"));
    let cwd = transcript.and_then(|path| crate::agent::transcript::first_cwd(&path));
    cwd.map_or_else(|| "?".to_owned(), |cwd| injected::line(&redactor.shown(&project::identify(Path::new(&cwd)).name)))
}

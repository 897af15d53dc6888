//! What a model may be asked, and what that may cost: said before anything is, and asked.

use super::{BackfillOptions, Job};
use crate::base::config::{Config, Engine, Loop, Verify};
use crate::base::exit::Failure;
use crate::base::{env, log};
use crate::model;
use crate::store::ledger;
use crate::tool::gate::{self, Gates};
use crate::tool::setup;
use std::io::IsTerminal;
use std::path::Path;

/// Characters of a token, as a rule of thumb.
const TOKEN_CHARS: u64 = 4;

/// Says how many of the sessions a model call may be spent on, and what it may cost; whether the user agrees.
pub fn agreed(tool: &str, jobs: &[Job], wish: BackfillOptions, home: &Path, config: &Config) -> Result<bool, Failure> {
    if config.compound_loop.engine == Engine::Extract {
        return Ok(true);
    }
    if env::inside_model() {
        return Err(Failure::later("LH_DEPTH is set: a model's own session calls no model"));
    }
    let each = if config.compound_loop.verify == Verify::Off { 1 } else { 2 };
    let most = u64::try_from(config.compound_loop.max_prompt_chars).unwrap_or(u64::MAX);
    let (mut calls, mut chars) = (0, 0);
    for job in jobs.iter().filter(|job| job.distill) {
        let gates = Gates { task: true, ..Gates::default() };
        if gate::judge(&job.session, gates, config.compound_loop.engine, config)?.is_none() {
            calls += each;
            chars += job.bytes().min(most) * each;
        }
    }
    for line in lines(calls, each, chars, home, &config.compound_loop)? {
        log::say(tool, &line);
    }
    if calls == 0 || wish.yes || wish.dry_run {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() {
        let what = "a model may be called, and there is no terminal to ask: give --yes to agree, or --engine extract";
        return Err(Failure::usage(what));
    }
    if setup::yes(&format!("spend up to {calls} model call{}? [y/N]", s(calls))) {
        return Ok(true);
    }
    log::say(tool, "nothing was done; --engine extract distils without a model, and without --distill it only exports");
    Ok(false)
}

/// What is said of so many calls, `each` for a session, with prompts of so many characters at most.
fn lines(calls: u64, each: u64, chars: u64, home: &Path, config: &Loop) -> Result<Vec<String>, Failure> {
    let is_claude = config.engine == Engine::Claude;
    let name = if is_claude { &config.model } else { &config.command };
    let each = if each == 1 { "one" } else { "two" };
    let mut lines = vec![format!("{calls} model call{} at most ({name}), {each} for each session", s(calls))];
    if calls == 0 {
        return Ok(lines);
    }
    let count = f64::from(u32::try_from(calls).unwrap_or(u32::MAX));
    let path = ledger::path(home);
    lines.push(if let Some((known, each)) = ledger::usual(&path, config.engine)? {
        let usd = count * each;
        format!("about {usd:.2} USD, if a call costs what it did so far ({each:.4} USD, {known} calls)")
    } else {
        let tokens = chars / TOKEN_CHARS;
        let most = if is_claude { format!(", {:.2} USD at most", count * model::CALL_USD) } else { String::new() };
        format!("what a call costs is not known yet: up to {chars} characters, about {tokens} tokens{most}")
    });
    let (today, spent) = ledger::today(&path, config)?;
    let (per_day, usd_per_day) = (config.max_calls_per_day, config.max_usd_per_day);
    lines.push(format!(
        "a day has {per_day} calls (max_calls_per_day) and {usd_per_day:.2} USD (max_usd_per_day); today {today} calls \
         and {spent:.2} USD are spent"
    ));
    Ok(lines)
}

/// The ending of a plural.
pub fn s(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

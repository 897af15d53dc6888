//! What a model may be asked, and what that may cost: said before anything is, and asked.

use super::{Job, Wish};
use crate::base::config::{Config, Engine, Verify};
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
pub fn agreed(tool: &str, jobs: &[Job], wish: Wish, home: &Path, config: &Config) -> Result<bool, Failure> {
    if config.compound_loop.engine == Engine::Extract {
        return Ok(true);
    }
    if env::inside_model() {
        return Err(Failure::later("LH_DEPTH is set: a model's own session calls no model"));
    }
    let (calls, chars) = most(jobs, config)?;
    for line in lines(calls, chars, home, config)? {
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

/// The calls that the sessions can take, and the most characters that the prompts can have.
fn most(jobs: &[Job], config: &Config) -> Result<(u64, u64), Failure> {
    let (mut sessions, mut chars) = (0, 0);
    let most = u64::try_from(config.compound_loop.max_prompt_chars).unwrap_or(u64::MAX);
    for job in jobs.iter().filter(|job| job.distill) {
        let gates = Gates { task: true, ..Gates::default() };
        if gate::judge(&job.session, gates, config.compound_loop.engine, config)?.is_none() {
            sessions += 1;
            chars += job.bytes().min(most);
        }
    }
    Ok((sessions * each(config), chars * each(config)))
}

/// What the calls may come to.
fn lines(calls: u64, chars: u64, home: &Path, config: &Config) -> Result<Vec<String>, Failure> {
    let loop_config = &config.compound_loop;
    let is_claude = loop_config.engine == Engine::Claude;
    let name = if is_claude { &loop_config.model } else { &loop_config.command };
    let each = if each(config) == 1 { "one" } else { "two" };
    let mut lines = vec![format!("{calls} model call{} at most ({name}), {each} for each session", s(calls))];
    if calls == 0 {
        return Ok(lines);
    }
    let count = f64::from(u32::try_from(calls).unwrap_or(u32::MAX));
    let path = ledger::path(home);
    lines.push(if let Some((known, each)) = ledger::usual(&path, loop_config.engine)? {
        let usd = count * each;
        format!("about {usd:.2} USD, if a call costs what it did so far ({each:.4} USD, {known} calls)")
    } else {
        let tokens = chars / TOKEN_CHARS;
        let most = if is_claude { format!(", {:.2} USD at most", count * model::CALL_USD) } else { String::new() };
        format!("what a call costs is not known yet: up to {chars} characters, about {tokens} tokens{most}")
    });
    let (today, spent) = ledger::today(&path, loop_config)?;
    let (per_day, usd_per_day) = (loop_config.max_calls_per_day, loop_config.max_usd_per_day);
    lines.push(format!(
        "a day has {per_day} calls (max_calls_per_day) and {usd_per_day:.2} USD (max_usd_per_day); today {today} calls \
         and {spent:.2} USD are spent"
    ));
    Ok(lines)
}

/// The calls that a session can take.
fn each(config: &Config) -> u64 {
    if config.compound_loop.verify == Verify::Off { 1 } else { 2 }
}

/// The ending of a plural.
pub fn s(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

//! Finds the session that a hook means, or lists all.

use super::usual::{Config, Exit, Failure, Given, Operands, Opt, Tool, cli, log, records};
use crate::base::stream;
use crate::tool::find_session::{self, FoundSession};

const OPTIONS: &[Opt] = &[
    Opt::flag('a', "all", "every session of every project and profile, oldest first").apart(&["due", "missing"]),
    cli::JSON,
    cli::TEXT,
    Opt::flag('d', "due", "what the sweep is to queue today, newest first").apart(&["missing", "since"]),
    Opt::flag(' ', "lost", "those without a transcript, of which only the prompts are left")
        .apart(&["all", "due", "missing", "since", "verbose"]),
    Opt::flag('m', "missing", "as --all, but only those never exported or never distilled"),
    Opt::value('s', "since", "TIME", "as --all, but only those that changed since TIME"),
    Opt::flag('v', "verbose", "say which project was decided on, and why"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-find-session",
    operands: Operands::Any("[transcript | id ...]"),
    about: "find the session that a hook means, or list all",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let lists = ["all", "due", "lost", "missing", "since"].into_iter().any(|long| given.has(long));
    if let (true, [operand, ..]) = (lists, given.operands.as_slice()) {
        return Err(Given::unexpected(operand));
    }
    let since = given.text("since").map(|time| find_session::since(&time)).transpose()?;
    let config = Config::load()?;
    let mut out = records(given);
    if given.has("lost") {
        let mut any = false;
        let failed = find_session::lost(TOOL.name, &config, &mut |lost| {
            any = true;
            out.record(&lost.record())
        })?;
        out.flush()?;
        return Ok(failed.map_or(if any { Exit::Done } else { Exit::No }, |failure| failure.exit));
    }
    let (mut any, mut failed) = (false, None);
    let mut write = |(session, why): FoundSession, lacks: &[&str]| {
        any = true;
        if given.has("verbose") {
            let root = session.project_root.display();
            log::say(TOOL.name, &format!("{}: project '{}' at {root}: {why}", session.session_id, session.project));
        }
        let mut record = session.record("session");
        if !lacks.is_empty() {
            record.set("missing", lacks);
        }
        out.record(&record)
    };
    if given.has("due") {
        find_session::due(&config)?.into_iter().try_for_each(|found| write(found, &[]))?;
    } else if given.has("missing") {
        find_session::missing(since, &config)?.into_iter().try_for_each(|(found, lacks)| write(found, &lacks))?;
    } else if lists {
        let mut listed = |path| find_session::listed(path, &config)?.map_or(Ok(()), |found| write(found, &[]));
        find_session::all(since, &config)?.iter().try_for_each(|path| listed(path))?;
    } else if given.operands.is_empty() {
        find_session::from_payload(&stream::payload()?, &config)?.map_or(Ok(()), |found| write(found, &[]))?;
    } else {
        for operand in &given.operands {
            match find_session::named(operand, &config) {
                Ok((session, why)) => {
                    if session.source_size_bytes.is_none() {
                        let what = "its record has no source_size_bytes";
                        log::say(TOOL.name, &format!("no such transcript '{}': {what}", operand.to_string_lossy()));
                    }
                    write((session, why), &[])?;
                }
                Err(failure) => {
                    log::say(TOOL.name, &failure.message);
                    failed = failed.or(Some(failure.exit));
                }
            }
        }
    }
    out.flush()?;
    if given.has("verbose") && !any && failed.is_none() {
        log::say(TOOL.name, "no session found");
    }
    Ok(failed.unwrap_or(if any { Exit::Done } else { Exit::No }))
}

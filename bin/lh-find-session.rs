//! Finds the session that a hook means, or lists all.

use lh::base::cli::{self, Given, Operands, Opt, Tool};
use lh::base::config::Config;
use lh::base::exit::{Exit, Failure};
use lh::base::log;
use lh::base::stream::{self, Output};
use lh::tool::find_session::{self, Found};
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt::flag('a', "all", "every session of every project and profile, oldest first").apart(&["due", "missing"]),
    Opt::flag('d', "due", "what the sweep is to queue today, newest first").apart(&["missing", "since"]),
    Opt::flag(' ', "lost", "those whose transcript is gone, of which only the prompts are left")
        .apart(&["all", "due", "missing", "since", "verbose"]),
    Opt::flag('m', "missing", "as --all, but only those never exported or never distilled"),
    Opt::flag(
        ' ',
        "move-memory",
        "move the project's memory to where the scope that is named, or configured, keeps it",
    )
    .apart(&["all", "due", "lost", "missing", "since", "verbose"]),
    Opt::flag('n', "dry-run", "with --move-memory: say what would be moved").needs("move-memory"),
    Opt::value('s', "since", "TIME", "as --all, but only those that changed since TIME"),
    Opt::flag('v', "verbose", "say which project was decided on, and why"),
];
const TOOL: Tool = Tool {
    name: "lh-find-session",
    operands: Operands::Any("[scope] [transcript | id ...]"),
    about: "find the session that a hook means, or list all",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(given: &Given) -> Result<Exit, Failure> {
    let lists = ["all", "due", "lost", "missing", "since"].into_iter().any(|long| given.has(long));
    if let (true, [operand, ..]) = (lists, given.operands.as_slice()) {
        return Err(Given::unexpected(operand));
    }
    let since = given.text("since").map(|time| find_session::since(&time)).transpose()?;
    let config = Config::load()?;
    if given.has("move-memory") {
        return Err(find_session::move_memory(&given.operands, given.has("dry-run")));
    }
    let mut out = Output::filter();
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
    let mut write = |(session, why): Found, lacks: &[&str]| {
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

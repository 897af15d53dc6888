//! Finds the session that a hook means, or lists all.

use lh::base::cli::{self, Arg, Args, Opt, Tool};
use lh::base::config::Config;
use lh::base::exit::{Exit, Failure};
use lh::base::log;
use lh::base::stream::{self, Output};
use lh::tool::find_session::{self, Found};
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt { short: 'a', long: "all", value: "", help: "every session of every project and profile, oldest first" },
    Opt { short: 'd', long: "due", value: "", help: "what the sweep is to queue today, newest first" },
    Opt { short: 'm', long: "missing", value: "", help: "as --all, but only those never exported or never distilled" },
    Opt { short: 's', long: "since", value: "TIME", help: "as --all, but only those that changed since TIME" },
    Opt { short: 'v', long: "verbose", value: "", help: "say which project was decided on, and why" },
];
const TOOL: Tool = Tool {
    name: "lh-find-session",
    operands: "[transcript | id ...]",
    about: "find the session that a hook means, or list all",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(mut args: Args) -> Result<Exit, Failure> {
    let (mut all, mut due, mut missing, mut since, mut verbose, mut operands) =
        (false, false, false, None, false, Vec::new());
    while let Some(arg) = args.take()? {
        match arg {
            Arg::Flag("all") => all = true,
            Arg::Flag("due") => due = true,
            Arg::Flag("missing") => missing = true,
            Arg::Value(_, time) => since = Some(find_session::since(&time.to_string_lossy())?),
            Arg::Flag(_) => verbose = true,
            Arg::Operand(operand) => operands.push(operand),
        }
    }
    cli::exclusive(&[("all", all), ("due", due), ("missing", missing)])?;
    cli::exclusive(&[("due", due), ("since", since.is_some())])?;
    if let Some(operand) = operands.first().filter(|_| all || due || missing || since.is_some()) {
        return Err(Args::unexpected(operand));
    }
    let config = Config::load()?;
    let mut out = Output::filter();
    let (mut any, mut failed) = (false, None);
    let mut write = |(session, why): Found, lacks: &[&str]| {
        any = true;
        if verbose {
            let root = session.project_root.display();
            log::say(TOOL.name, &format!("{}: project '{}' at {root}: {why}", session.session_id, session.project));
        }
        let mut record = session.record("session");
        if !lacks.is_empty() {
            record.set("missing", lacks);
        }
        out.record(&record)
    };
    if due {
        find_session::due(&config)?.into_iter().try_for_each(|found| write(found, &[]))?;
    } else if missing {
        find_session::missing(since, &config)?.into_iter().try_for_each(|(found, lacks)| write(found, &lacks))?;
    } else if all || since.is_some() {
        let mut listed = |path| find_session::listed(path, &config)?.map_or(Ok(()), |found| write(found, &[]));
        find_session::all(since, &config)?.iter().try_for_each(|path| listed(path))?;
    } else if operands.is_empty() {
        find_session::from_payload(&stream::payload()?, &config)?.map_or(Ok(()), |found| write(found, &[]))?;
    } else {
        for operand in &operands {
            match find_session::named(operand, &config) {
                Ok((session, why)) => {
                    if session.source_size_bytes.is_none() {
                        let what = "no such transcript: the record says where it would be";
                        log::say(TOOL.name, &format!("{}: {what}", operand.to_string_lossy()));
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
    if verbose && !any && failed.is_none() {
        log::say(TOOL.name, "no session found");
    }
    Ok(failed.unwrap_or(if any { Exit::Done } else { Exit::No }))
}

//! Passes on the sessions that are worth it.

use super::usual::{Config, Exit, Failure, Given, Operands, Opt, Tool, cli, log, records};
use crate::agent::named;
use crate::record::session::Session;
use crate::record::task;
use crate::tool::gate::{self, Gates};

const OPTIONS: &[Opt] = &[
    Opt::flag(' ', "queue", "the producer's gates, which never read the transcript"),
    Opt::flag('f', "force", "with --queue: without debounce and growth").needs("queue"),
    cli::JSON,
    cli::TEXT,
    Opt::flag(' ', "refused", "print a refusal record of each session that does not pass"),
    Opt::flag('v', "verbose", "say why a session does not pass"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-gate",
    operands: Operands::None("< session records"),
    about: "pass on the sessions that are worth distilling",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let gates = Gates { queue: given.has("queue"), force: given.has("force"), ..Gates::default() };
    given.needs_input()?;
    let config = Config::load()?;
    if given.has("verbose") {
        config.tell_unknown_keys(TOOL.name);
    }
    let mut out = records(given);
    let mut passed = 0_usize;
    let exit = named::each(TOOL.name, std::io::stdin().lock(), &["session", "task"], &mut out, |record, line, out| {
        let session = Session::from_record(record)?;
        let gates = Gates { task: record.kind() == "task", ..gates };
        let engine = task::engine_of(record).unwrap_or(config.compound_loop.engine);
        match gate::judge(&session, gates, engine, &config)? {
            None => {
                passed += 1;
                out.bytes(line)
            }
            Some(refusal) => {
                if given.has("verbose") {
                    let reason = refusal.reason.word();
                    log::say(TOOL.name, &format!("{}: {reason}: {}", session.session_id, refusal.sentence));
                }
                if refusal.is_thin {
                    passed += 1;
                    return out.record(&task::without_model(record));
                }
                if given.has("refused") { out.record(&refusal.reason.refuse(record)) } else { Ok(()) }
            }
        }
    })?;
    Ok(if exit == Exit::Done && passed == 0 { Exit::No } else { exit })
}

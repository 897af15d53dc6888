//! Makes the episodes of sessions: what each did and how it ended.

use super::usual::{Config, Exit, Failure, Given, Operands, Opt, Output, Redactor, Tool, cli, log, masking, receipts};
use crate::base::record::Record;
use crate::base::stream;
use crate::tool::episode::{self, EpisodeMaker};

const OPTIONS: &[Opt] = &[
    Opt::flag('n', "dry-run", "change nothing; say what would be written"),
    Opt::flag(' ', "enabled", "do nothing unless the loop is enabled"),
    cli::JSON,
    cli::TEXT,
    Opt::flag('m', "missing", "those of this folder's project that have none, at most 20"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-episode",
    operands: Operands::None("[< session records, or a completion checkpoint]"),
    about: "keep what each session did and how it ended",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    if !given.has("missing") {
        given.needs_input()?;
    }
    let config = Config::load()?;
    if given.has("enabled") && !config.compound_loop.enabled {
        return Ok(Exit::Done);
    }
    masking::mask_log(&config.privacy)?;
    let redactor = &Redactor::new(&config.privacy)?;
    let maker = EpisodeMaker { dry: given.has("dry-run"), config: &config, redactor };
    let mut out = receipts(given);
    let (mut any, mut asked) = (false, false);
    let mut tell = |receipt: &Record, out: &mut Output| {
        any = true;
        out.masked(&redactor.masked_record(receipt))
    };
    let exit = if given.has("missing") {
        asked = true;
        maker.missing()?.iter().try_for_each(|receipt| tell(receipt, &mut out))?;
        Exit::Done
    } else {
        let input = episode::lines(stream::whole()?);
        stream::each_of(TOOL.name, &*input, &episode::KINDS, &mut out, |record, _, out| {
            asked = true;
            maker.of_record(record)?.map_or(Ok(()), |receipt| tell(&receipt, out))
        })?
    };
    out.flush()?;
    if exit == Exit::Done && asked && !any {
        log::say_on_terminal(TOOL.name, "no session was found that gets an episode");
        return Ok(Exit::No);
    }
    Ok(exit)
}

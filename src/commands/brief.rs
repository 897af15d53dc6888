//! Makes the briefing of a project, and the profiles of its skills.

use super::usual::{Config, Exit, Failure, Given, Masked, Operands, Opt, Redactor, Tool, cli, log, masking, receipts};
use crate::base::config::BriefSchedule;
use crate::tool::brief::BriefedProject;

const OPTIONS: &[Opt] = &[
    Opt::flag('a', "all", "every project in which a session ended since its briefing").apart(&["rollback"]),
    Opt::flag('n', "dry-run", "change nothing, call no model; print the briefing").apart(&["rollback"]),
    Opt::flag(' ', "enabled", "do nothing unless [memory] brief is \"weekly\""),
    cli::JSON,
    cli::TEXT,
    Opt::flag(' ', "rollback", "bring the older briefing back"),
];
/// Why there was nothing to do.
const NOTHING: &str = "nothing is remembered of this project, so no briefing was made";
const NO_OLDER: &str = "no older briefing is there to bring back";
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-brief",
    operands: Operands::None(""),
    about: "make the briefing of a project and the profiles of its skills",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let config = Config::load()?;
    if given.has("enabled") && config.memory.brief != BriefSchedule::Weekly {
        return Ok(Exit::Done);
    }
    masking::mask_log(&config.privacy)?;
    let redactor = &Redactor::new(&config.privacy)?;
    let mut out = receipts(given);
    let (mut any, mut failed) = (false, None);
    let projects = if given.has("all") {
        BriefedProject::all(&config, redactor)?
    } else {
        vec![BriefedProject::here(&config, redactor)?]
    };
    if projects.is_empty() {
        log::say(TOOL.name, "no session ended in any project since its briefing was made, so none is made");
    }
    for project in &projects {
        let none = |why: &str| log::say(TOOL.name, &format!("{}: {why}", project.memory.display()));
        match one(given, project, redactor) {
            Ok(said) if said.is_empty() => none(if given.has("rollback") { NO_OLDER } else { NOTHING }),
            Ok(said) => {
                any = true;
                out.masked(&said)?;
            }
            // One that fails costs itself alone.
            Err(failure) => {
                log::say(TOOL.name, &failure.message);
                failed = failed.or(Some(failure.exit));
            }
        }
    }
    out.flush()?;
    Ok(failed.unwrap_or(if any { Exit::Done } else { Exit::No }))
}

/// What came of one project; nothing where there was nothing to do.
fn one(given: &Given, project: &BriefedProject, redactor: &Redactor) -> Result<Masked, Failure> {
    if given.has("dry-run") {
        return Ok(project.dry()?.unwrap_or_default());
    }
    let receipts = if given.has("rollback") { project.roll_back()? } else { project.make()? };
    let mut said = Masked::default();
    for receipt in &receipts {
        said.push(&redactor.masked_record(receipt));
    }
    Ok(said)
}

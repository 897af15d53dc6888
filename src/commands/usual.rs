//! What most commands use, and what they do in the same way.

pub use crate::base::cli::{self, Given, Operands, Opt, Tool};
pub use crate::base::config::Config;
pub use crate::base::exit::{Exit, Failure};
pub use crate::base::log;
pub use crate::base::masked::Masked;
pub use crate::base::stream::Output;
pub use crate::record::line;
pub use crate::redact::{self as masking, Redactor};

/// The configuration; from here on secrets are masked in what is said, too.
pub fn configured() -> Result<Config, Failure> {
    let config = Config::load()?;
    masking::mask_log(&config.privacy)?;
    Ok(config)
}

/// Where a filter writes its records, for people as lines.
pub fn records(given: &Given) -> Output {
    Output::filter().lines(line::of, given.for_people())
}

/// Where a tool writes the records of what it did, for people as lines.
pub fn receipts(given: &Given) -> Output {
    Output::receipts().lines(line::of, given.for_people())
}

/// Writes what was found or done. Nothing at all is status 1, and a person is told so with `none`.
pub fn told(tool: &Tool, said: &[Masked], none: &str, mut out: Output) -> Result<Exit, Failure> {
    said.iter().try_for_each(|said| out.masked(said))?;
    out.flush()?;
    if said.iter().any(|said| !said.is_empty()) {
        return Ok(Exit::Done);
    }
    if !none.is_empty() {
        log::say_on_terminal(tool.name, none);
    }
    Ok(Exit::No)
}

/// The operands as text.
pub fn words(given: &Given) -> Vec<String> {
    given.operands.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Status 64 for more operands than these.
pub fn at_most(given: &Given, most: usize) -> Result<(), Failure> {
    given.operands.get(most).map_or(Ok(()), |operand| Err(Given::unexpected(operand)))
}

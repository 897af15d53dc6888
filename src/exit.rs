//! What a tool's status tells its caller. It is never 2, which Claude Code takes for "block".

use std::io;

/// How a tool ended; the number is its exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done; for a predicate, yes.
    Done = 0,
    /// An honest no: nothing found, nothing passed. Never an error.
    No = 1,
    /// Called wrongly.
    Usage = 64,
    /// The data is not what it should be; trying again won't help.
    Data = 65,
    /// A needed program is missing.
    Missing = 69,
    /// Reading or writing failed.
    Io = 74,
    /// Try again later: a lock is held, the model timed out, the budget is spent.
    Later = 75,
    /// The configuration is wrong.
    Config = 78,
}

/// Why a tool could not do its work: the status, and one line that says what, where, and what to do.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The status that the tool ends with.
    pub exit: Exit,
    /// Lower case, no full stop; empty when the tool ends without a word.
    pub message: String,
}

impl Failure {
    /// A failure of the kind `exit`.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into() }
    }

    /// Status 64.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Status 65.
    pub fn data(message: impl Into<String>) -> Self {
        Self::new(Exit::Data, message)
    }

    /// Status 75.
    pub fn later(message: impl Into<String>) -> Self {
        Self::new(Exit::Later, message)
    }

    /// Status 78.
    pub fn config(message: impl Into<String>) -> Self {
        Self::new(Exit::Config, message)
    }

    /// Status 74, with the subject (a path, or "standard output") before the system's own words.
    pub fn io(subject: impl std::fmt::Display, error: &io::Error) -> Self {
        Self::new(Exit::Io, format!("{subject}: {}", reason(error)))
    }

    /// The reader of standard output has gone: stop without a word, status 0.
    pub fn reader_gone() -> Self {
        Self::new(Exit::Done, "")
    }
}

/// The system's words for `error`, lower case, without the number.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

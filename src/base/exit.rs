//! What a tool's status tells its caller. It is never 2, which Claude Code takes for "block".

use std::io;
use std::path::Path;

/// How a tool ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done; for a predicate, yes.
    Done,
    /// An honest no: nothing found, nothing passed. Never an error.
    No,
    /// Called wrongly.
    Usage,
    /// The data is not what it should be; trying again won't help.
    Data,
    /// A needed program is missing.
    Missing,
    /// Reading or writing failed.
    Io,
    /// Try again later: a lock is held, the model timed out, the budget is spent.
    Later,
    /// The configuration is wrong.
    Config,
    /// What a command that the tool ran for its caller ended with.
    Command(u8),
}

impl Exit {
    /// The exit status.
    pub fn status(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::No => 1,
            Self::Usage => 64,
            Self::Data => 65,
            Self::Missing => 69,
            Self::Io => 74,
            Self::Later => 75,
            Self::Config => 78,
            Self::Command(status) => status,
        }
    }
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

    /// The same as a function of the error, with a path as the subject.
    pub fn at<E: Into<io::Error>>(path: &Path) -> impl Fn(E) -> Self {
        move |error| Self::io(path.display(), &error.into())
    }

    /// The reader of standard output has gone: stop without a word, status 0.
    pub fn reader_gone() -> Self {
        Self::new(Exit::Done, "")
    }
}

/// The system's words for `error`, lower case, without the number.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_s_words_are_lower_case_and_without_a_number() {
        let failure = Failure::io("'x'", &io::Error::from_raw_os_error(2));
        assert_eq!((failure.exit, failure.message.as_str()), (Exit::Io, "'x': no such file or directory"));
    }
}

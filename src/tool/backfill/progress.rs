//! How far a long run is: one line on a terminal, replaced all the time; nothing elsewhere.

use std::io::{IsTerminal, Write};

/// A run of so many sessions.
pub struct ProgressLine {
    verb: &'static str,
    terminal: bool,
    done: usize,
    all: usize,
}

impl ProgressLine {
    /// Nothing is done yet.
    pub fn new(verb: &'static str, all: usize) -> Self {
        Self { verb, terminal: std::io::stderr().is_terminal(), done: 0, all }
    }

    /// One more is done.
    pub fn add(&mut self) {
        self.done += 1;
        if self.terminal {
            // What is said meanwhile is written over it.
            let _ = write!(std::io::stderr(), "\u{1b}[K{} {} of {}\r", self.verb, self.done, self.all);
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.terminal {
            let _ = write!(std::io::stderr(), "\u{1b}[K");
        }
    }
}

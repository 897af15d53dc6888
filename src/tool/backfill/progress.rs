//! How far a long run is: one line on a terminal, replaced all the time; nothing elsewhere.

use crate::base::clock;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often the line is written anew.
const PAUSE: Duration = Duration::from_millis(200);

/// A run of so many sessions.
pub struct ProgressLine {
    verb: &'static str,
    terminal: bool,
    begun: Instant,
    shown: Option<Instant>,
    done: u64,
    all: u64,
}

impl ProgressLine {
    /// Nothing is done yet.
    pub fn new(verb: &'static str, all: usize) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self { verb, terminal, begun: clock::monotonic(), shown: None, done: 0, all: all as u64 }
    }

    /// One more is done.
    pub fn add(&mut self) {
        self.done += 1;
        let now = clock::monotonic();
        if self.terminal && self.shown.is_none_or(|shown| now.duration_since(shown) >= PAUSE) {
            self.shown = Some(now);
            let (verb, done, all) = (self.verb, self.done, self.all);
            let left = now.duration_since(self.begun).as_secs() * (all - done) / done;
            let (hours, minutes, seconds) = (left / 3600, left / 60 % 60, left % 60);
            let left = match hours {
                0 if left == 0 => String::new(),
                0 => format!(", {minutes}:{seconds:02} left"),
                _ => format!(", {hours}:{minutes:02}:{seconds:02} left"),
            };
            // What is said meanwhile is written over it.
            let _ = write!(std::io::stderr(), "\u{1b}[K{verb} {done} of {all}{left}\r");
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = write!(std::io::stderr(), "\u{1b}[K");
        }
    }
}

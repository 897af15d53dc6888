//! How far a long run is: one line on a terminal, replaced all the time; nothing elsewhere.

use crate::base::clock;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often the line is written anew.
const PAUSE: Duration = Duration::from_millis(200);
/// So much must be done before the time that is left is told.
const LEAST: Duration = Duration::from_secs(1);

/// A run of so many sessions.
pub struct Progress {
    verb: &'static str,
    terminal: bool,
    begun: Instant,
    shown: Option<Instant>,
    sessions: (usize, usize),
    weight: (u64, u64),
}

impl Progress {
    /// Nothing is done yet. The time that is left is told by the weights.
    pub fn new(verb: &'static str, sessions: usize, weight: u64) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self { verb, terminal, begun: clock::monotonic(), shown: None, sessions: (0, sessions), weight: (0, weight) }
    }

    /// One more is done.
    pub fn add(&mut self, weight: u64) {
        self.sessions.0 = self.sessions.0.saturating_add(1);
        self.weight.0 = self.weight.0.saturating_add(weight);
        let now = clock::monotonic();
        if self.terminal && self.shown.is_none_or(|shown| now.duration_since(shown) >= PAUSE) {
            self.shown = Some(now);
            let line = line(self.verb, self.sessions, self.weight, now.duration_since(self.begun));
            // What is said meanwhile is written over it.
            let _ = write!(std::io::stderr(), "\u{1b}[K{line}\r");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = write!(std::io::stderr(), "\u{1b}[K");
        }
    }
}

fn line(verb: &str, (done, all): (usize, usize), weight: (u64, u64), time: Duration) -> String {
    let mut line = format!("{verb} {done} of {all}");
    if time >= LEAST {
        let seconds = time.as_secs_f64();
        let float = |number: u64| f64::from(u32::try_from(number >> 10).unwrap_or(u32::MAX));
        let count = f64::from(u32::try_from(done).unwrap_or(u32::MAX));
        let _ = write!(line, ", {:.1} a second", count / seconds);
        if float(weight.0) > 0.0 {
            let left =
                Duration::try_from_secs_f64(seconds * float(weight.1.saturating_sub(weight.0)) / float(weight.0));
            let _ = write!(line, ", {} left", left.map_or_else(|_| "long".to_owned(), in_words));
        }
    }
    line
}

/// A time as `1:02:03` or `2:03`.
fn in_words(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_told_by_the_weight() {
        let of = |done, weight, seconds| line("exported", (done, 10), (weight, 10 << 20), Duration::from_secs(seconds));
        assert_eq!(of(1, 1 << 20, 0), "exported 1 of 10");
        assert_eq!(of(5, 1 << 20, 10), "exported 5 of 10, 0.5 a second, 1:30 left");
        assert_eq!(of(1, 1 << 20, 3600), "exported 1 of 10, 0.0 a second, 9:00:00 left");
        assert_eq!(of(0, 0, 10), "exported 0 of 10, 0.0 a second");
    }
}

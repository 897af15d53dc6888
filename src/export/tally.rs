//! How an export of many sessions goes: a line on the terminal while it runs, a summary at its end,
//! and, for a user who asks, why a session got no page.

use super::Exported;
use crate::exit::Failure;
use crate::log;
use crate::record::Record;
use std::io::{IsTerminal, Write};

/// Sessions so far.
pub struct Tally {
    tool: &'static str,
    verbose: bool,
    terminal: bool,
    /// Pages that were written.
    pub written: u64,
    unchanged: u64,
    refused: u64,
    failed: u64,
}

impl Tally {
    /// None yet.
    pub fn new(tool: &'static str, verbose: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self { tool, verbose, terminal, written: 0, unchanged: 0, refused: 0, failed: 0 }
    }

    fn all(&self) -> u64 {
        [self.written, self.unchanged, self.refused, self.failed].into_iter().fold(0, u64::saturating_add)
    }

    /// Counts one session.
    pub fn count(&mut self, record: &Record, done: Result<Exported, Failure>) -> Result<Exported, Failure> {
        let slot = match &done {
            Ok(Exported::Written { .. }) => &mut self.written,
            Ok(Exported::Unchanged(_)) => &mut self.unchanged,
            Ok(Exported::Refused(_)) => &mut self.refused,
            Err(_) => &mut self.failed,
        };
        *slot = slot.saturating_add(1);
        if let Ok(Exported::Refused(reason)) = &done
            && self.verbose
        {
            let id = record.text("session_id").unwrap_or_default();
            log::say(self.tool, &format!("{id}: {reason}"));
        }
        if self.terminal && self.all() > 1 {
            Self::line(&format!("{} sessions, {} written", self.all(), self.written));
        }
        done
    }

    /// The summary, when there was more than one.
    pub fn end(&self) {
        if self.terminal && self.all() > 1 {
            Self::line("");
        }
        if self.all() > 1 {
            let Self { written, unchanged, refused, failed, .. } = self;
            let all = self.all();
            let said = format!(
                "{all} sessions: {written} written, {unchanged} unchanged, {refused} without a page, {failed} failed"
            );
            log::say(self.tool, &said);
        }
    }

    /// Replaces the terminal's last line.
    fn line(text: &str) {
        let _ = write!(std::io::stderr(), "\r\u{1b}[K{text}");
    }
}

//! How an export of many sessions goes: a line on the terminal while it runs, a summary at its end,
//! and, for a user who asks, why a session got no page.

use super::Exported;
use crate::base::exit::{Exit, Failure};
use crate::base::record::Record;
use crate::base::{env, log};
use crate::record::session;
use crate::record::written::Became;
use std::io::{IsTerminal, Write};

/// Sessions so far.
pub struct Tally {
    tool: &'static str,
    verbose: bool,
    /// Sessions are printed, or saved where their user wants them; no page is written.
    prints: bool,
    terminal: bool,
    /// Run by a hook: the log gets a line for each page that was written, and for each session that gets none.
    pub logs: bool,
    /// Pages that were written.
    pub written: u64,
    printed: u64,
    unchanged: u64,
    refused: u64,
    failed: u64,
}

impl Tally {
    /// None yet.
    pub fn new(tool: &'static str, verbose: bool, prints: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self {
            tool,
            verbose,
            prints,
            terminal,
            logs: false,
            written: 0,
            printed: 0,
            unchanged: 0,
            refused: 0,
            failed: 0,
        }
    }

    /// How many there were.
    pub fn all(&self) -> u64 {
        self.written + self.printed + self.unchanged + self.refused + self.failed
    }

    /// Counts one session.
    pub fn count(&mut self, record: &Record, done: Result<Exported, Failure>) -> Result<Exported, Failure> {
        let slot = match &done {
            Ok(Exported::Written { .. }) => &mut self.written,
            Ok(Exported::Printed) => &mut self.printed,
            Ok(Exported::Unchanged(_)) => &mut self.unchanged,
            Ok(Exported::Refused(_)) => &mut self.refused,
            Err(_) => &mut self.failed,
        };
        *slot += 1;
        // What was to be printed and is not there is said: a receipt says it otherwise.
        if let Ok(Exported::Refused(reason)) = &done
            && (self.verbose || self.prints)
        {
            let id = record.text("session_id").unwrap_or_default();
            log::say(self.tool, &format!("{id}: {}: {}", reason.word(), super::in_words(*reason)));
        }
        if self.logs && env::log_file().is_ok_and(|path| path.is_some()) {
            self.log(record, &done);
        }
        if self.terminal && self.all() > 1 {
            Self::line(&format!("{} sessions, {} {}", self.all(), self.done().0, self.done().1));
        }
        done
    }

    /// Says in the log what became of a session. A page that was there already has its line since it was written.
    fn log(&self, record: &Record, done: &Result<Exported, Failure>) {
        let line = match done {
            Ok(Exported::Written { path, .. }) => {
                format!("exported {}", path.file_name().unwrap_or_default().to_string_lossy())
            }
            Ok(Exported::Refused(reason)) if !self.verbose => {
                let id = record.text("session_id").unwrap_or_default();
                format!("skipped {} ({})", session::short_id(&id), reason.word())
            }
            _ => return,
        };
        log::say(self.tool, &line);
    }

    /// How many pages there are by now, and what was done with them.
    fn done(&self) -> (u64, &'static str) {
        if self.prints { (self.printed, Became::Printed.word()) } else { (self.written, Became::Written.word()) }
    }

    /// The summary, when there was more than one, and the status when all went well: an honest no when there
    /// was nothing to print.
    pub fn end(&self) -> Exit {
        if self.terminal && self.all() > 1 {
            Self::line("");
        }
        if self.all() > 1 {
            let Self { unchanged, refused, failed, .. } = self;
            let ((count, done), all) = (self.done(), self.all());
            let unchanged = if self.prints { String::new() } else { format!(" {unchanged} unchanged,") };
            let said = format!("{all} sessions: {count} {done},{unchanged} {refused} without a page, {failed} failed");
            log::say(self.tool, &said);
        }
        if self.prints && self.all() == 0 {
            log::say(self.tool, "no session on standard input: nothing to print");
        }
        if self.prints && self.printed == 0 { Exit::No } else { Exit::Done }
    }

    /// Replaces the terminal's last line.
    fn line(text: &str) {
        let _ = write!(std::io::stderr(), "\r\u{1b}[K{text}");
    }
}

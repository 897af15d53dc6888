//! How an export of many sessions goes: a line on the terminal while it runs, a summary at its end,
//! and, for a user who asks, why a session got no page.

use super::Exported;
use crate::base::exit::{Exit, Failure};
use crate::base::record::Record;
use crate::base::{env, log};
use crate::record::session;
use crate::record::written::Became;
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};

/// What sessions count as that failed.
const FAILED: &str = "failed";

/// Sessions so far.
pub struct Tally {
    tool: &'static str,
    verbose: bool,
    /// Sessions are printed, or saved where their user wants them; no page is written.
    prints: bool,
    terminal: bool,
    /// Run by a hook: the log gets a line for each page that was written, and for each session that gets none.
    pub logs: bool,
    /// How many there were, by what became of them.
    counts: BTreeMap<&'static str, u64>,
}

impl Tally {
    /// None yet.
    pub fn new(tool: &'static str, verbose: bool, prints: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self { tool, verbose, prints, terminal, logs: false, counts: BTreeMap::new() }
    }

    /// How many there were.
    pub fn all(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Pages that were written.
    pub fn written(&self) -> u64 {
        self.of(Became::Written.word())
    }

    fn of(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or(0)
    }

    /// Counts one session.
    pub fn count(&mut self, record: &Record, done: Result<Exported, Failure>) -> Result<Exported, Failure> {
        let what = done.as_ref().map_or(FAILED, |done| done.became.word());
        *self.counts.entry(what).or_default() += 1;
        if let Ok(done) = &done {
            self.tell(record, done);
        }
        if self.terminal && self.all() > 1 {
            let done = self.done();
            Self::line(&format!("{} sessions, {} {done}", self.all(), self.of(done)));
        }
        done
    }

    /// Says why what was to be printed is not there, which a receipt says otherwise; and in the log what became of a
    /// session. A page that was there already has its line since it was written.
    fn tell(&self, record: &Record, done: &Exported) {
        let logs = self.logs && env::log_file().is_ok_and(|path| path.is_some());
        let id = record.text("session_id");
        let id = id.as_deref().unwrap_or("");
        let line = match (done.became, done.reason, &done.path) {
            (_, Some(reason), _) if self.verbose || self.prints => {
                format!("{id}: {}: {}", reason.word(), super::in_words(reason))
            }
            (_, Some(reason), _) if logs => format!("skipped {} ({})", session::short_id(id), reason.word()),
            (Became::Written, _, Some(path)) if logs => {
                format!("exported {}", path.file_name().unwrap_or_default().to_string_lossy())
            }
            _ => return,
        };
        log::say(self.tool, &line);
    }

    /// What was done with those that went well, in a word.
    fn done(&self) -> &'static str {
        if self.prints { Became::Printed.word() } else { Became::Written.word() }
    }

    /// The summary, when there was more than one, and the status when all went well: an honest no when there
    /// was nothing to print.
    pub fn end(&self) -> Exit {
        let (all, done) = (self.all(), self.done());
        if all > 1 {
            if self.terminal {
                Self::line("");
            }
            let [count, unchanged, refused, failed] =
                [done, Became::Unchanged.word(), Became::Refused.word(), FAILED].map(|what| self.of(what));
            let unchanged = if self.prints { String::new() } else { format!(" {unchanged} unchanged,") };
            let said = format!("{all} sessions: {count} {done},{unchanged} {refused} without a page, {failed} failed");
            log::say(self.tool, &said);
        }
        if self.prints && all == 0 {
            log::say(self.tool, "no session on standard input: nothing to print");
        }
        if self.prints && self.of(done) == 0 { Exit::No } else { Exit::Done }
    }

    /// Replaces the terminal's last line.
    fn line(text: &str) {
        let _ = write!(std::io::stderr(), "\r\u{1b}[K{text}");
    }
}

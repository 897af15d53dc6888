//! What tells a person's session from a program's and from a subagent's (lh-format(7)), the strongest
//! sign first.

use super::members::Members;
use crate::json::scan::Line;
use serde::{Deserialize, Serialize};

/// What tells a person's session from a program's, strongest first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Origin {
    entry_person: bool,
    entry_program: bool,
    /// An entrypoint that persons use as well as programs.
    entry_either: bool,
    source_person: bool,
    source_program: bool,
    permission_mode: bool,
    queue_at_head: bool,
    main_records: bool,
    side_records: bool,
}

impl Origin {
    /// Takes what a record of a `kind` tells; the `first` of a file tells more.
    pub fn see(&mut self, line: Line<'_>, raw: &Members, kind: &[u8], first: bool) {
        match &*line.word(&raw.entrypoint) {
            b"" => {}
            b"local-agent" => self.entry_either = true,
            program if program.starts_with(b"sdk") => self.entry_program = true,
            _ => self.entry_person = true,
        }
        match &*line.word(&raw.prompt_source) {
            b"typed" | b"queued" => self.source_person = true,
            b"sdk" => self.source_program = true,
            _ => {}
        }
        match kind {
            b"permission-mode" => self.permission_mode = true,
            b"queue-operation" if first => self.queue_at_head = true,
            b"user" | b"assistant" if line.is_true(&raw.sidechain) => self.side_records = true,
            b"user" | b"assistant" => self.main_records = true,
            _ => {}
        }
    }

    /// Whether everything was said by or to a subagent.
    pub fn is_subagent(&self) -> bool {
        self.side_records && !self.main_records
    }

    /// Whether a person held the conversation, in which so many prompts were typed.
    pub fn interactive(&self, prompts: u64) -> bool {
        if self.is_subagent() {
            return false;
        }
        if self.entry_person || self.entry_program {
            return self.entry_person;
        }
        // Where it can be either, a person's prompts are marked as a program's, too, so they are counted.
        if self.source_person || self.source_program && !self.entry_either {
            return self.source_person;
        }
        if self.entry_either && prompts == 0 {
            return false;
        }
        self.permission_mode || !(self.queue_at_head && prompts <= 1)
    }
}

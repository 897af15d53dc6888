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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_it_can_be_either_what_was_typed_is_counted() {
        let either = Origin { entry_either: true, main_records: true, ..Origin::default() };
        let marked = Origin { source_program: true, ..either.clone() };
        let piped = Origin { queue_at_head: true, ..marked.clone() };
        let program = Origin { entry_program: true, ..marked.clone() };
        for (origin, prompts, interactive) in [
            (&either, 0, false),
            (&either, 1, true),
            (&marked, 1, true),
            (&marked, 37, true),
            // A program pipes one prompt; a person goes on.
            (&piped, 0, false),
            (&piped, 1, false),
            (&piped, 2, true),
            (&piped, 37, true),
            (&Origin { source_person: true, ..piped.clone() }, 1, true),
            // Next to what only programs use, it is a program's.
            (&program, 37, false),
            (&Origin { entry_either: false, ..program.clone() }, 37, false),
            (&Origin { entry_either: false, ..marked.clone() }, 37, false),
            (&Origin { main_records: false, side_records: true, ..either.clone() }, 37, false),
        ] {
            assert_eq!(origin.interactive(prompts), interactive, "{origin:?}: {prompts}");
        }
    }
}

//! The uses of tools in a session, each with what became of it: the one table that commits, plans, boxes, checks and files
//! are read from.

use crate::agent::wrappers::is_not_run;
use crate::record::message::{Message, Role, ToolUse};
use std::collections::{HashMap, HashSet};

/// A use of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Use<'m> {
    /// The message that has it.
    pub message: &'m Message,
    /// The tool, and what it was given.
    pub tool: &'m ToolUse,
    /// What it printed, where it failed.
    pub error: Option<&'m str>,
    /// Whether the user refused it.
    pub refused: bool,
}

impl<'m> Use<'m> {
    /// Whether it did what it should.
    pub fn is_done(&self) -> bool {
        self.error.is_none() && !self.refused
    }

    /// Whether it ran at all, well or not: a hook, the client or the user can keep a tool from that.
    pub fn did_run(&self) -> bool {
        !self.refused && !self.error.is_some_and(is_not_run)
    }

    /// The command line that it ran.
    pub fn command(&self) -> Option<&'m str> {
        self.tool.command()
    }

    /// Whether its command line makes a commit.
    pub fn commits(&self) -> bool {
        self.command().is_some_and(|line| line.contains("git commit"))
    }

    /// The file that it names.
    pub fn file(&self) -> Option<&'m str> {
        self.tool.file.as_deref()
    }
}

/// Those of the live conversation, in their order.
pub fn of<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Vec<Use<'m>> {
    let (mut errors, mut refused, mut all) = (HashMap::new(), HashSet::new(), Vec::new());
    for message in messages {
        if let Some(id) = message.tool_use_id.as_deref().filter(|id| !id.is_empty()) {
            if message.role == Role::Tool && message.is_error {
                errors.insert(id, message.text.as_str());
            }
            refused.extend(message.refused());
        }
        if !message.marks.abandoned && !message.marks.sidechain {
            all.extend(message.tools.iter().map(|tool| (message, tool)));
        }
    }
    let of = |(message, tool): (&'m Message, &'m ToolUse)| {
        let id = tool.id.as_str();
        Use { message, tool, error: errors.get(id).copied(), refused: refused.contains(id) }
    };
    all.into_iter().map(of).collect()
}

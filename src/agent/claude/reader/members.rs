//! One record of a Claude Code transcript, as spans into its line: only the members that a reader
//! asks for, whatever their order. lh-format(7) says what they mean.

#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use crate::agent::claude::wrappers;
use crate::json::scan::{Line, Span};

/// Declares an object by the members that are read of it: a span for each one, which is empty if it is absent, and what is
/// made of others.
macro_rules! members {
    ($(#[$about:meta])* $name:ident {
        $($(#[$doc:meta])* $field:ident: $key:literal,)*
    } and {
        $($(#[$more_doc:meta])* $more:ident: $type:ty,)*
    }) => {
        $(#[$about])*
        #[derive(Default)]
        pub struct $name {
            $($(#[$doc])* pub $field: Span,)*
            $($(#[$more_doc])* pub $more: $type,)*
        }

        impl $name {
            /// Keeps the member with the value at `at`, if it is read; gives where the value ends.
            fn keep(&mut self, line: Line<'_>, key: &[u8], at: usize) -> Option<usize> {
                let end = line.skip(at)?;
                match key {
                    $($key => self.$field = at..end,)*
                    _ => {}
                }
                Some(end)
            }
        }
    };
}

members! {
    /// A record.
    Members {
        kind: b"type",
        uuid: b"uuid",
        parent: b"parentUuid",
        /// After a compaction, where `parentUuid` is null.
        logical_parent: b"logicalParentUuid",
        timestamp: b"timestamp",
        cwd: b"cwd",
        branch: b"gitBranch",
        entrypoint: b"entrypoint",
        prompt_source: b"promptSource",
        /// Who wrote the row.
        row_source: b"rowSource",
        /// What a person typed when they refused a tool.
        feedback: b"userFeedback",
        denial: b"toolDenialKind",
        /// What a tool gave back, in fields.
        tool_result: b"toolUseResult",
        /// The agent's plan, of which the prompt is made.
        plan: b"planContent",
        api_error: b"isApiErrorMessage",
        sidechain: b"isSidechain",
        meta: b"isMeta",
        /// The model did not see it, and no person typed it.
        shown_only: b"isVisibleInTranscriptOnly",
        compact_summary: b"isCompactSummary",
        subtype: b"subtype",
        version: b"version",
        summary: b"summary",
        /// The record that a summary ends with.
        leaf: b"leafUuid",
        custom_title: b"customTitle",
        ai_title: b"aiTitle",
        /// Of one message.
        cost: b"costUSD",
        /// Of the session so far.
        total_cost: b"totalCostUSD",
        /// What the client wrote.
        own_content: b"content",
        pull_request: b"prUrl",
    } and {
        message: SaidMembers,
        attachment: Attachment,
        /// `origin.kind`
        origin: Span,
    }
}

members! {
    /// The `message` of a record.
    SaidMembers {
        id: b"id",
        usage: b"usage",
        model: b"model",
        stop_reason: b"stop_reason",
    } and {
        content: Content,
    }
}

/// A content: a string, or blocks.
#[derive(Default)]
pub struct Content {
    pub text: Span,
    pub blocks: Vec<Block>,
}

impl Content {
    /// Its text, or that of each block.
    pub fn texts(&self) -> impl DoubleEndedIterator<Item = &Span> {
        let text = Some(&self.text).filter(|text| !text.is_empty());
        text.into_iter().chain(self.blocks.iter().map(|block| &block.text))
    }
}

members! {
    /// One block of a content.
    Block {
        kind: b"type",
        text: b"text",
        name: b"name",
        id: b"id",
        /// Of a tool's use, whole.
        input: b"input",
        tool_use_id: b"tool_use_id",
        is_error: b"is_error",
    } and {
        /// `input.file_path` or `input.notebook_path`
        file: Span,
        /// What a tool gave back. Its blocks have none.
        content: Content,
    }
}

members! {
    /// An attachment; only of queued commands the members are read.
    Attachment {
        kind: b"type",
        meta: b"isMeta",
        mode: b"commandMode",
    } and {
        /// All of it.
        whole: Span,
        prompt: Content,
        /// `origin.kind`
        origin: Span,
        /// Whether a member's name says that another author's words are in it.
        shows: bool,
    }
}

/// Reads the record that begins at `at` over another one; gives where it ends, or none when it is not
/// whole.
pub fn read(line: Line<'_>, at: usize, raw: &mut Members) -> Option<usize> {
    let blocks = std::mem::take(&mut raw.message.content.blocks);
    *raw = Members::default();
    raw.message.content.blocks = blocks;
    raw.message.content.blocks.clear();
    line.object(at, |key, at| match key {
        b"message" => message(line, at, &mut raw.message),
        b"attachment" => attachment(line, at, &mut raw.attachment),
        b"origin" => one_of(line, at, &[b"kind"], &mut raw.origin),
        _ => raw.keep(line, key, at),
    })
}

/// Walks an object; any other value is skipped.
fn inside(line: Line<'_>, at: usize, member: impl FnMut(&[u8], usize) -> Option<usize>) -> Option<usize> {
    if line.byte(at) == Some(b'{') { line.object(at, member) } else { line.skip(at) }
}

/// Of a key that comes twice the last value stands, here and below, so what an earlier one gave is forgotten.
fn message(line: Line<'_>, at: usize, found: &mut SaidMembers) -> Option<usize> {
    (found.id, found.usage, found.model, found.stop_reason) = Default::default();
    found.content.text = 0..0;
    found.content.blocks.clear();
    inside(line, at, |key, at| match key {
        b"content" => content(line, at, &mut found.content, false),
        _ => found.keep(line, key, at),
    })
}

fn content(line: Line<'_>, at: usize, found: &mut Content, is_inner: bool) -> Option<usize> {
    found.text = 0..0;
    found.blocks.clear();
    if line.byte(at)? != b'[' {
        let end = line.skip(at)?;
        if line.byte(at)? == b'"' {
            found.text = at..end;
        }
        return Some(end);
    }
    line.array(at, |at| {
        if line.byte(at) != Some(b'{') {
            return line.skip(at);
        }
        let mut block = Block::default();
        let end = line.object(at, |key, at| match key {
            b"content" if !is_inner => content(line, at, &mut block.content, true),
            b"input" => one_of(line, at, &[b"file_path", b"notebook_path"], &mut block.file)
                .inspect(|end| block.input = at..*end),
            _ => block.keep(line, key, at),
        })?;
        found.blocks.push(block);
        Some(end)
    })
}

fn attachment(line: Line<'_>, at: usize, found: &mut Attachment) -> Option<usize> {
    *found = Attachment::default();
    if line.byte(at) != Some(b'{') {
        return line.skip(at);
    }
    let end = line.object(at, |key, at| match key {
        b"prompt" => content(line, at, &mut found.prompt, false),
        b"origin" => one_of(line, at, &[b"kind"], &mut found.origin),
        b"type" | b"isMeta" | b"commandMode" => found.keep(line, key, at),
        other => {
            found.shows |= wrappers::is_of_others(other);
            line.skip(at)
        }
    })?;
    found.whole = at..end;
    Some(end)
}

/// Keeps the last member of an object that has one of these names.
fn one_of(line: Line<'_>, at: usize, names: &[&[u8]], found: &mut Span) -> Option<usize> {
    *found = 0..0;
    inside(line, at, |key, at| {
        let end = line.skip(at)?;
        if names.contains(&key) {
            *found = at..end;
        }
        Some(end)
    })
}

//! One record of a Claude Code transcript, as spans into its line: only the members that a reader
//! asks for, whatever their order. lh-format(7) says what they mean.

#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use crate::agent::claude::wrappers;
use crate::json::scan::{Line, Span};

/// The members of a record that we read. An absent one is an empty span.
#[derive(Default)]
pub struct Members {
    /// `type`
    pub kind: Span,
    /// `uuid`
    pub uuid: Span,
    /// `parentUuid`
    pub parent: Span,
    /// `logicalParentUuid`: comes after a compaction, where `parentUuid` is null.
    pub logical_parent: Span,
    /// `timestamp`
    pub timestamp: Span,
    /// `cwd`
    pub cwd: Span,
    /// `gitBranch`
    pub branch: Span,
    /// `entrypoint`
    pub entrypoint: Span,
    /// `promptSource`
    pub prompt_source: Span,
    /// `rowSource`: who wrote the row.
    pub row_source: Span,
    /// `origin.kind`
    pub origin: Span,
    /// `userFeedback`: what a person typed when they refused a tool.
    pub feedback: Span,
    /// `toolDenialKind`
    pub denial: Span,
    /// `toolUseResult`: what a tool gave back, in fields.
    pub tool_result: Span,
    /// `planContent`: the agent's plan, of which the prompt is made.
    pub plan: Span,
    /// `isApiErrorMessage`
    pub api_error: Span,
    /// `isSidechain`
    pub sidechain: Span,
    /// `isMeta`
    pub meta: Span,
    /// `isVisibleInTranscriptOnly`: the model did not see it, and no person typed it.
    pub shown_only: Span,
    /// `isCompactSummary`
    pub compact_summary: Span,
    /// `subtype`
    pub subtype: Span,
    /// `version`
    pub version: Span,
    /// `summary` as a string, and the `leafUuid` of the record that it ends with.
    pub summary: Span,
    /// See `summary`.
    pub leaf: Span,
    /// `customTitle`
    pub custom_title: Span,
    /// `aiTitle`
    pub ai_title: Span,
    /// `costUSD` of one message.
    pub cost: Span,
    /// `totalCostUSD` of the session so far.
    pub total_cost: Span,
    /// `content` of what the client wrote.
    pub own_content: Span,
    /// `prUrl`
    pub pull_request: Span,
    /// `message.id`
    pub message_id: Span,
    /// `message.usage`
    pub usage: Span,
    /// `message.model`
    pub model: Span,
    /// `message.content` as a string.
    pub content: Span,
    /// `message.content` as blocks.
    pub blocks: Vec<Block>,
    /// `attachment`
    pub attachment: Attachment,
}

/// One block of a message's content.
#[derive(Default)]
pub struct Block {
    /// `type`
    pub kind: Span,
    /// `text`
    pub text: Span,
    /// `name` of a tool use.
    pub name: Span,
    /// `id` of a tool use.
    pub id: Span,
    /// `input.file_path` or `input.notebook_path` of a tool use.
    pub file: Span,
    /// `input` of a tool use, whole.
    pub input: Span,
    /// `tool_use_id` of a tool's result.
    pub tool_use_id: Span,
    /// `is_error` of a tool's result.
    pub is_error: Span,
    /// The text of a tool's result: the content itself or that of its text blocks.
    pub result: Vec<Span>,
}

/// An attachment; only of queued commands the members are read.
#[derive(Default)]
pub struct Attachment {
    /// All of it.
    pub whole: Span,
    /// `type`
    pub kind: Span,
    /// `prompt` as a string.
    pub prompt: Span,
    /// `prompt` as blocks.
    pub blocks: Vec<Block>,
    /// `isMeta`
    pub meta: Span,
    /// `commandMode`
    pub mode: Span,
    /// `origin.kind`
    pub origin: Span,
    /// Whether a member's name says that another author's words are in it.
    pub shows: bool,
}

/// Reads the record that begins at `at` over another one; gives where it ends, or none when it is not
/// whole.
pub fn read(line: Line<'_>, at: usize, raw: &mut Members) -> Option<usize> {
    let blocks = std::mem::take(&mut raw.blocks);
    *raw = Members { blocks, ..Members::default() };
    raw.blocks.clear();
    line.object(at, |key, at| {
        let slot = match key {
            b"message" => return message(line, at, raw),
            b"attachment" => return attachment(line, at, &mut raw.attachment),
            b"origin" => return origin(line, at, &mut raw.origin),
            b"type" => &mut raw.kind,
            b"uuid" => &mut raw.uuid,
            b"parentUuid" => &mut raw.parent,
            b"logicalParentUuid" => &mut raw.logical_parent,
            b"timestamp" => &mut raw.timestamp,
            b"cwd" => &mut raw.cwd,
            b"gitBranch" => &mut raw.branch,
            b"entrypoint" => &mut raw.entrypoint,
            b"promptSource" => &mut raw.prompt_source,
            b"rowSource" => &mut raw.row_source,
            b"userFeedback" => &mut raw.feedback,
            b"toolDenialKind" => &mut raw.denial,
            b"toolUseResult" => &mut raw.tool_result,
            b"planContent" => &mut raw.plan,
            b"isApiErrorMessage" => &mut raw.api_error,
            b"isSidechain" => &mut raw.sidechain,
            b"isMeta" => &mut raw.meta,
            b"isVisibleInTranscriptOnly" => &mut raw.shown_only,
            b"isCompactSummary" => &mut raw.compact_summary,
            b"subtype" => &mut raw.subtype,
            b"version" => &mut raw.version,
            b"summary" => &mut raw.summary,
            b"leafUuid" => &mut raw.leaf,
            b"customTitle" => &mut raw.custom_title,
            b"aiTitle" => &mut raw.ai_title,
            b"costUSD" => &mut raw.cost,
            b"totalCostUSD" => &mut raw.total_cost,
            b"content" => &mut raw.own_content,
            b"prUrl" => &mut raw.pull_request,
            _ => return line.skip(at),
        };
        keep(line, at, slot)
    })
}

fn keep(line: Line<'_>, at: usize, slot: &mut Span) -> Option<usize> {
    let end = line.skip(at)?;
    *slot = at..end;
    Some(end)
}

/// Of a key that comes twice the last value stands, so what an earlier one gave is forgotten.
fn message(line: Line<'_>, at: usize, raw: &mut Members) -> Option<usize> {
    raw.message_id = 0..0;
    raw.usage = 0..0;
    raw.model = 0..0;
    raw.content = 0..0;
    raw.blocks.clear();
    inside(line, at, |key, at| match key {
        b"id" => keep(line, at, &mut raw.message_id),
        b"usage" => keep(line, at, &mut raw.usage),
        b"model" => keep(line, at, &mut raw.model),
        b"content" => content(line, at, &mut raw.content, &mut raw.blocks),
        _ => line.skip(at),
    })
}

/// Walks an object; any other value is skipped.
fn inside(line: Line<'_>, at: usize, member: impl FnMut(&[u8], usize) -> Option<usize>) -> Option<usize> {
    if line.byte(at) == Some(b'{') { line.object(at, member) } else { line.skip(at) }
}

/// A content is a string or an array of blocks; the last one stands where the key comes twice.
fn content(line: Line<'_>, at: usize, text: &mut Span, blocks: &mut Vec<Block>) -> Option<usize> {
    *text = 0..0;
    blocks.clear();
    match line.byte(at)? {
        b'"' => keep(line, at, text),
        b'[' => line.array(at, |at| {
            if line.byte(at) != Some(b'{') {
                return line.skip(at);
            }
            let mut found = Block::default();
            let end = block(line, at, &mut found)?;
            blocks.push(found);
            Some(end)
        }),
        _ => line.skip(at),
    }
}

fn block(line: Line<'_>, at: usize, found: &mut Block) -> Option<usize> {
    line.object(at, |key, at| match key {
        b"type" => keep(line, at, &mut found.kind),
        b"text" => keep(line, at, &mut found.text),
        b"name" => keep(line, at, &mut found.name),
        b"id" => keep(line, at, &mut found.id),
        b"tool_use_id" => keep(line, at, &mut found.tool_use_id),
        b"is_error" => keep(line, at, &mut found.is_error),
        b"content" => result(line, at, &mut found.result),
        b"input" => {
            let end = input(line, at, &mut found.file)?;
            found.input = at..end;
            Some(end)
        }
        _ => line.skip(at),
    })
}

fn input(line: Line<'_>, at: usize, file: &mut Span) -> Option<usize> {
    *file = 0..0;
    inside(line, at, |key, at| match key {
        b"file_path" | b"notebook_path" => keep(line, at, file),
        _ => line.skip(at),
    })
}

fn result(line: Line<'_>, at: usize, texts: &mut Vec<Span>) -> Option<usize> {
    texts.clear();
    match line.byte(at)? {
        b'"' => {
            let end = line.skip(at)?;
            texts.push(at..end);
            Some(end)
        }
        b'[' => line.array(at, |at| {
            if line.byte(at) != Some(b'{') {
                return line.skip(at);
            }
            let mut text = 0..0;
            let end = line.object(at, |key, at| match key {
                b"text" => keep(line, at, &mut text),
                _ => line.skip(at),
            })?;
            texts.push(text);
            Some(end)
        }),
        _ => line.skip(at),
    }
}

fn attachment(line: Line<'_>, at: usize, found: &mut Attachment) -> Option<usize> {
    *found = Attachment::default();
    if line.byte(at) != Some(b'{') {
        return line.skip(at);
    }
    let end = line.object(at, |key, at| match key {
        b"type" => keep(line, at, &mut found.kind),
        b"prompt" => content(line, at, &mut found.prompt, &mut found.blocks),
        b"isMeta" => keep(line, at, &mut found.meta),
        b"commandMode" => keep(line, at, &mut found.mode),
        b"origin" => origin(line, at, &mut found.origin),
        other => {
            found.shows |= wrappers::is_of_others(other);
            line.skip(at)
        }
    })?;
    found.whole = at..end;
    Some(end)
}

fn origin(line: Line<'_>, at: usize, kind: &mut Span) -> Option<usize> {
    *kind = 0..0;
    inside(line, at, |key, at| match key {
        b"kind" => keep(line, at, kind),
        _ => line.skip(at),
    })
}

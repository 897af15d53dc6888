//! The reader of Claude Code's transcripts, clients 1.0 to 2.1. Records come in file order; the tree
//! that `parentUuid` makes of them is needed only to know what was rewound, so of each record only
//! its parent is remembered. It can stand before its parent, so the tree is walked at the end.

use super::members::{self, Block, Raw};
use super::scan::{Line, Span};
use super::signs::Signs;
use super::tree::{Place, Tree};
use super::{Conversation, Keep};
use crate::lesson;
use crate::message::{self, Marks, Message, Role, ToolUse};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A tool's error is kept to this many characters, unless everything is kept.
const ERROR_CHARS: usize = 2000;

/// The tools that keep a list of what is to do: their input is kept.
const TODO_TOOLS: &[&str] = &["TodoWrite", "TaskCreate", "TaskUpdate"];

/// A message with what the reader knows about it.
struct Entry {
    message: Message,
    /// The message.id of an assistant's, unless it has none.
    id: Option<String>,
    /// The record's place in the tree.
    place: Place,
    /// A user record that follows says the same.
    dropped: bool,
    digest: String,
    chars: u64,
}

/// A streaming reader: [`Reader::line`] for each line, then [`Reader::finish`].
pub struct Reader {
    keep: Keep,
    entries: Vec<Entry>,
    /// Assistant messages since the last prompt, by id.
    turn: HashMap<String, usize>,
    /// The first entry that can still grow.
    open: usize,
    tree: Tree,
    /// Prompts queued in mid-turn that a user record may still repeat.
    queued: Vec<(usize, String)>,
    signs: Signs,
    found: Conversation,
}

impl Reader {
    /// A reader that keeps what `keep` says.
    pub fn new(keep: Keep) -> Self {
        Self {
            keep,
            entries: Vec::new(),
            turn: HashMap::new(),
            open: 0,
            tree: Tree::default(),
            queued: Vec::new(),
            signs: Signs::default(),
            found: Conversation::default(),
        }
    }

    /// The first cwd so far.
    pub fn cwd(&self) -> Option<&str> {
        self.found.cwd.as_deref()
    }

    /// Takes a line, which can hold several records; the `last` one may be still being written.
    pub fn line(&mut self, number: u64, bytes: &[u8], last: bool) {
        let line = Line::new(bytes);
        let mut at = line.blank(0);
        while line.byte(at).is_some() {
            let Some((raw, end)) = members::read(line, at) else {
                if !last {
                    self.found.totals.bad_lines = self.found.totals.bad_lines.saturating_add(1);
                }
                return;
            };
            self.record(number, line, &raw);
            at = line.blank(end);
        }
    }

    fn record(&mut self, number: u64, line: Line<'_>, raw: &Raw) {
        self.found.totals.records = self.found.totals.records.saturating_add(1);
        self.envelope(line, raw);
        let place = Tree::place(key(line, &raw.parent).or_else(|| key(line, &raw.logical_parent)));
        let place = match &*line.word(&raw.kind) {
            b"user" => self.user(number, line, raw, place),
            b"assistant" => {
                self.assistant(number, line, raw, place);
                place
            }
            b"attachment" => self.attachment(number, line, raw, place),
            _ => place,
        };
        if let Some(uuid) = key(line, &raw.uuid) {
            self.tree.insert(uuid, place);
        }
    }

    /// What every record can tell about the session.
    fn envelope(&mut self, line: Line<'_>, raw: &Raw) {
        if self.found.cwd.is_none() && !raw.cwd.is_empty() {
            self.found.cwd = some(line.text(&raw.cwd));
        }
        if !raw.branch.is_empty() {
            self.found.branch = some(line.text(&raw.branch)).or(self.found.branch.take());
        }
        if !raw.timestamp.is_empty() {
            self.found.last_time = some(line.text(&raw.timestamp)).or(self.found.last_time.take());
        }
        self.signs.see(line, raw, self.found.totals.records == 1);
    }

    /// A user record: what was typed, what tools gave back, what the client wrote. Returns the
    /// record's place.
    fn user(&mut self, number: u64, line: Line<'_>, raw: &Raw, place: Place) -> Place {
        let marks = marks(line, raw);
        let mut said = Vec::new();
        for block in raw.blocks.iter().filter(|block| *line.word(&block.kind) == *b"tool_result") {
            said.extend(self.tool_result(number, line, raw, block, place));
        }
        let refused_with = !said.is_empty();
        let texts = texts(line, &raw.content, &raw.blocks);
        let machine = marks != Marks::default()
            || !matches!(&*line.word(&raw.origin), b"" | b"human")
            || *line.word(&raw.prompt_source) == *b"system";
        if machine {
            self.set_aside(number, line, raw, place, &texts);
            return place;
        }
        said.extend(texts.iter().filter_map(|text| message::typed(text)).map(str::to_owned));
        if said.is_empty() {
            self.set_aside(number, line, raw, place, &texts);
            return place;
        }
        let message = Self::message(Role::User, said.join("\n\n"), number, line, raw);
        let place = self.tree.prompt(place, key(line, &raw.parent).filter(|_| !refused_with));
        self.drop_queued(&message.text);
        self.seal();
        self.push(message, None, place);
        self.seal();
        place
    }

    /// A prompt typed in mid-turn stands in an attachment, unless a user record repeats it. Which of
    /// the two is known later, so it parts the turn but does not end it.
    fn attachment(&mut self, number: u64, line: Line<'_>, raw: &Raw, place: Place) -> Place {
        let found = &raw.attachment;
        let typed = *line.word(&found.kind) == *b"queued_command"
            && *line.word(&found.mode) == *b"prompt"
            && matches!(&*line.word(&found.origin), b"" | b"human")
            && marks(line, raw) == Marks::default();
        if !typed {
            return place;
        }
        let texts = texts(line, &found.prompt, &found.blocks);
        let said: Vec<&str> = texts.iter().filter_map(|text| message::typed(text)).collect();
        if said.is_empty() {
            return place;
        }
        self.turn.clear();
        self.queued.push((self.entries.len(), digest(&said.join("\n\n"))));
        let message = Self::message(Role::User, said.join("\n\n"), number, line, raw);
        self.push(message, None, place);
        place
    }

    /// A user record that says what a queued prompt said stands for it; any other ends the waiting.
    fn drop_queued(&mut self, text: &str) {
        let wanted = digest(text);
        let Some(position) = self.queued.iter().position(|(_, digest)| *digest == wanted) else {
            return self.queued.clear();
        };
        let (at, _) = self.queued.remove(position);
        if let Some(entry) = self.entries.get_mut(at) {
            entry.dropped = true;
        }
        self.join_over(at);
    }

    /// Joins the messages of this turn that a dropped prompt parted.
    fn join_over(&mut self, at: usize) {
        let (before, behind) = self.entries.split_at_mut(at);
        let parts = before.iter().enumerate().skip(self.open).rev();
        let turn: HashMap<String, usize> = parts
            .take_while(|(_, entry)| {
                entry.dropped || entry.message.role != Role::User || !entry.message.is_conversation()
            })
            .filter_map(|(place, entry)| Some((entry.id.clone()?, place)))
            .collect();
        for part in behind.iter_mut().skip(1) {
            if part.message.role == Role::User && part.message.is_conversation() && !part.dropped {
                break;
            }
            let whole = part.id.as_ref().and_then(|id| before.get_mut(*turn.get(id)?));
            if let Some(whole) = whole {
                append(&mut whole.message.text, &part.message.text);
                whole.message.tools.append(&mut part.message.tools);
                part.dropped = true;
            }
        }
    }

    /// An assistant record is a part of a message: those of one id are one message until the next
    /// prompt, whatever stands between them.
    fn assistant(&mut self, number: u64, line: Line<'_>, raw: &Raw, place: Place) {
        let marks = marks(line, raw);
        let uses = || raw.blocks.iter().filter(|block| *line.word(&block.kind) == *b"tool_use");
        if !marks.sidechain {
            let count = u64::try_from(uses().count()).unwrap_or(u64::MAX);
            self.found.totals.tool_uses = self.found.totals.tool_uses.saturating_add(count);
        }
        if marks != Marks::default() && self.keep != Keep::Everything {
            return;
        }
        let id = String::from_utf8_lossy(&line.word(&raw.message_id)).into_owned();
        // What is set aside is never a part of what is said.
        let id = (!id.is_empty()).then(|| format!("{id} {marks:?}"));
        let at = if let Some(at) = id.as_ref().and_then(|id| self.turn.get(id)) {
            *at
        } else {
            let at = self.entries.len();
            let message = Message { marks, ..Self::message(Role::Assistant, String::new(), number, line, raw) };
            self.turn.extend(id.clone().map(|id| (id, at)));
            self.push(message, id, place);
            at
        };
        let texts = texts(line, &raw.content, &raw.blocks);
        let Some(entry) = self.entries.get_mut(at) else { return };
        for text in &texts {
            append(&mut entry.message.text, text);
        }
        for block in uses() {
            let file = (!block.file.is_empty()).then(|| line.text(&block.file));
            let name = line.text(&block.name);
            let keeps = self.keep != Keep::Counts && TODO_TOOLS.contains(&name.as_str());
            let input = keeps.then(|| line.json(&block.input));
            entry.message.tools.push(ToolUse { name, id: line.text(&block.id), file, input });
        }
    }

    /// A tool's result. What the user said at a refusal is given back.
    fn tool_result(&mut self, number: u64, line: Line<'_>, raw: &Raw, block: &Block, place: Place) -> Option<String> {
        let marks = marks(line, raw);
        let is_error = line.is_true(&block.is_error);
        if !is_error && self.keep != Keep::Everything {
            return None;
        }
        let parts: Vec<String> = block.result.iter().map(|span| line.text(span)).collect();
        let text = parts.join("\n");
        let refused = is_error && message::is_refusal(&text);
        if is_error && !refused && !marks.sidechain {
            self.found.totals.tool_errors = self.found.totals.tool_errors.saturating_add(1);
        }
        let said = if refused && !marks.sidechain { message::said_at_refusal(&text).map(str::to_owned) } else { None };
        let wanted = match self.keep {
            Keep::Counts => false,
            Keep::Conversation => !refused && marks == Marks::default(),
            Keep::Everything => true,
        };
        if wanted {
            let kept =
                if self.keep == Keep::Everything { text } else { crate::text::ends(&text, ERROR_CHARS).into_owned() };
            let message = Self::message(Role::Tool, kept, number, line, raw);
            let tool_use_id = Some(line.text(&block.tool_use_id));
            self.push(Message { is_error, tool_use_id, marks, ..message }, None, place);
        }
        said
    }

    /// Keeps what a user record says that no person typed, when everything is wanted.
    fn set_aside(&mut self, number: u64, line: Line<'_>, raw: &Raw, place: Place, texts: &[String]) {
        let text = texts.join("\n\n");
        if self.keep == Keep::Everything && !text.trim().is_empty() {
            let marks = match marks(line, raw) {
                plain if plain == Marks::default() => Marks { meta: true, ..plain },
                marks => marks,
            };
            let message = Self::message(Role::User, text, number, line, raw);
            self.push(Message { marks, ..message }, None, place);
        }
    }

    fn message(role: Role, text: String, number: u64, line: Line<'_>, raw: &Raw) -> Message {
        let given = |span: &Span| (!span.is_empty()).then(|| line.text(span)).and_then(some);
        Message {
            role,
            text,
            time: given(&raw.timestamp),
            line: number,
            uuid: given(&raw.uuid),
            tools: Vec::new(),
            is_error: false,
            tool_use_id: None,
            marks: Marks::default(),
        }
    }

    fn push(&mut self, message: Message, id: Option<String>, place: Place) {
        self.entries.push(Entry { message, id, place, dropped: false, digest: String::new(), chars: 0 });
    }

    /// Ends the turn: its messages are whole, so they are counted and, if only totals are wanted,
    /// forgotten; but not while a queued prompt may still turn out to part nothing.
    fn seal(&mut self) {
        self.turn.clear();
        if !self.queued.is_empty() {
            return;
        }
        let totals = &mut self.found.totals;
        for entry in
            self.entries.iter_mut().skip(self.open).filter(|entry| !entry.dropped && entry.message.is_conversation())
        {
            entry.digest = digest(&entry.message.text);
            entry.id = None;
            entry.chars = u64::try_from(entry.message.text.chars().count()).unwrap_or(u64::MAX);
            totals.messages = totals.messages.saturating_add(1);
            if entry.message.role == Role::User {
                totals.user_messages = totals.user_messages.saturating_add(1);
                totals.user_chars = totals.user_chars.saturating_add(entry.chars);
            }
            if self.keep == Keep::Counts {
                // One letter tells a message from an empty one.
                "m".clone_into(&mut entry.message.text);
                entry.message.tools = Vec::new();
            }
        }
        self.open = self.entries.len();
    }

    /// Ends the reading: takes out what a record repeated and marks what was rewound.
    pub fn finish(mut self) -> Conversation {
        self.queued.clear();
        self.seal();
        let mut digests = String::new();
        for mut entry in std::mem::take(&mut self.entries).into_iter().filter(|entry| !entry.dropped) {
            let counts = entry.message.is_conversation();
            let totals = &mut self.found.totals;
            entry.message.marks.abandoned = self.tree.is_abandoned(entry.place);
            if counts && entry.message.marks.abandoned {
                totals.abandoned = totals.abandoned.saturating_add(1);
            } else if counts {
                digests.push_str(entry.message.role.word());
                digests.push_str(&entry.digest);
            }
            let wanted = match self.keep {
                Keep::Counts => false,
                Keep::Conversation => counts || entry.message.role == Role::Tool || !entry.message.tools.is_empty(),
                Keep::Everything => true,
            };
            if wanted {
                self.found.messages.push(entry.message);
            }
        }
        self.found.hash = lesson::hash(digests.as_bytes());
        self.found.subagent = self.signs.is_subagent();
        self.found.interactive = self.signs.interactive(self.found.totals.user_messages);
        self.found
    }
}

fn marks(line: Line<'_>, raw: &Raw) -> Marks {
    Marks {
        sidechain: line.is_true(&raw.sidechain),
        meta: line.is_true(&raw.meta),
        compact_summary: line.is_true(&raw.compact_summary),
        abandoned: false,
    }
}

/// A content's texts: the string, or those of its text blocks.
fn texts(line: Line<'_>, content: &Span, blocks: &[Block]) -> Vec<String> {
    if !content.is_empty() {
        return vec![line.text(content)];
    }
    blocks.iter().filter(|block| *line.word(&block.kind) == *b"text").map(|block| line.text(&block.text)).collect()
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// A hash of a uuid; none where there is none.
fn key(line: Line<'_>, uuid: &Span) -> Option<u64> {
    let uuid = line.word(uuid);
    let mut hasher = DefaultHasher::new();
    uuid.hash(&mut hasher);
    (!uuid.is_empty()).then(|| hasher.finish())
}

/// What tells one text from another.
fn digest(text: &str) -> String {
    lesson::hash(text.trim().as_bytes())
}

/// Adds a block's text to a message's, a blank line between them.
fn append(whole: &mut String, text: &str) {
    if !whole.is_empty() && !text.trim().is_empty() {
        whole.push_str("\n\n");
    }
    if !text.trim().is_empty() {
        whole.push_str(text);
    }
}

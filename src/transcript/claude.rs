//! The reader of Claude Code's transcripts, clients 1.0 to 2.1. Records come in file order; the tree
//! that `parentUuid` makes of them is needed only to know what was rewound, so of each record only
//! the typed prompt that it hangs below is remembered.

use super::members::{self, Block, Raw};
use super::scan::{Line, Span};
use super::{Conversation, Keep};
use crate::lesson;
use crate::message::{self, Marks, Message, Role, ToolUse};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A tool's error is kept to this many characters, unless everything is kept.
const ERROR_CHARS: usize = 2000;

/// A message with what the reader knows about it.
struct Entry {
    message: Message,
    prompt: Node,
    /// A user record that follows says the same.
    dropped: bool,
    digest: String,
    chars: u64,
}

/// The number of a typed prompt, from 1; 0 is what hangs below none.
type Node = usize;

/// A streaming reader: [`Reader::line`] for each line, then [`Reader::finish`].
pub struct Reader {
    keep: Keep,
    entries: Vec<Entry>,
    /// Assistant messages since the last prompt, by id.
    turn: HashMap<String, usize>,
    /// The first entry that can still grow.
    open: usize,
    /// For each prompt: the one that it hangs below, and whether a later one took its place.
    prompts: Vec<(Node, bool)>,
    /// The prompt that each record hangs below, by its uuid.
    below: HashMap<u64, Node>,
    /// The last typed prompt of each parent.
    children: HashMap<u64, Node>,
    /// Prompts queued in mid-turn that a user record may still repeat.
    queued: Vec<usize>,
    signs: Signs,
    found: Conversation,
}

/// What tells a person's session from a program's, strongest first.
#[derive(Default)]
struct Signs {
    entry_person: bool,
    entry_program: bool,
    source_person: bool,
    source_program: bool,
    permission_mode: bool,
    queue_at_head: bool,
    main_records: bool,
    side_records: bool,
}

impl Reader {
    /// A reader that keeps what `keep` says.
    pub fn new(keep: Keep) -> Self {
        Self {
            keep,
            entries: Vec::new(),
            turn: HashMap::new(),
            open: 0,
            prompts: vec![(0, false)],
            below: HashMap::new(),
            children: HashMap::new(),
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
        let prompt = Self::parent(line, raw).and_then(|parent| self.below.get(&parent)).copied().unwrap_or(0);
        let prompt = match line.inner(&raw.kind) {
            b"user" => self.user(number, line, raw, prompt),
            b"assistant" => {
                self.assistant(number, line, raw, prompt);
                prompt
            }
            b"attachment" => self.attachment(number, line, raw, prompt),
            _ => prompt,
        };
        if !raw.uuid.is_empty() {
            self.below.insert(key(line.inner(&raw.uuid)), prompt);
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
        let signs = &mut self.signs;
        match line.inner(&raw.entrypoint) {
            b"" => {}
            program if program.starts_with(b"sdk") || program == b"local-agent" => signs.entry_program = true,
            _ => signs.entry_person = true,
        }
        match line.inner(&raw.prompt_source) {
            b"typed" | b"queued" => signs.source_person = true,
            b"sdk" => signs.source_program = true,
            _ => {}
        }
        match line.inner(&raw.kind) {
            b"permission-mode" => signs.permission_mode = true,
            b"queue-operation" if self.found.totals.records == 1 => signs.queue_at_head = true,
            b"user" | b"assistant" if line.is_true(&raw.sidechain) => signs.side_records = true,
            b"user" | b"assistant" => signs.main_records = true,
            _ => {}
        }
    }

    fn parent(line: Line<'_>, raw: &Raw) -> Option<u64> {
        let parent = line.inner(&raw.parent);
        (line.byte(raw.parent.start) == Some(b'"') && !parent.is_empty()).then(|| key(parent))
    }

    /// A user record: what was typed, what tools gave back, what the client wrote. Returns the prompt
    /// that the record's children hang below.
    fn user(&mut self, number: u64, line: Line<'_>, raw: &Raw, below: Node) -> Node {
        let marks = marks(line, raw);
        let mut said = Vec::new();
        for block in raw.blocks.iter().filter(|block| line.inner(&block.kind) == b"tool_result") {
            said.extend(self.tool_result(number, line, raw, block, marks));
        }
        let refused_with = !said.is_empty();
        let texts = texts(line, &raw.content, &raw.blocks);
        let machine = marks != Marks::default()
            || !matches!(line.inner(&raw.origin), b"" | b"human")
            || line.inner(&raw.prompt_source) == b"system";
        if machine {
            self.set_aside(number, line, raw, marks, &texts);
            return below;
        }
        said.extend(texts.iter().filter_map(|text| message::typed(text)).map(str::to_owned));
        if said.is_empty() {
            self.set_aside(number, line, raw, Marks { meta: true, ..marks }, &texts);
            return below;
        }
        let message = Self::message(Role::User, said.join("\n\n"), number, line, raw);
        let parent = Self::parent(line, raw).filter(|_| !refused_with);
        self.drop_queued(&message.text);
        self.prompt(message, below, parent)
    }

    /// Adds a typed prompt: it ends the turn, and takes the place of an earlier one of its parent.
    fn prompt(&mut self, message: Message, below: Node, parent: Option<u64>) -> Node {
        self.seal();
        let node = self.prompts.len();
        self.prompts.push((below, false));
        if let Some(rewound) = parent.and_then(|parent| self.children.insert(parent, node))
            && let Some(prompt) = self.prompts.get_mut(rewound)
        {
            prompt.1 = true;
        }
        self.push(message, node);
        self.seal();
        node
    }

    /// A prompt typed in mid-turn stands in an attachment, unless a user record repeats it.
    fn attachment(&mut self, number: u64, line: Line<'_>, raw: &Raw, below: Node) -> Node {
        let found = &raw.attachment;
        let typed = line.inner(&found.kind) == b"queued_command"
            && line.inner(&found.mode) == b"prompt"
            && matches!(line.inner(&found.origin), b"" | b"human")
            && marks(line, raw) == Marks::default();
        if !typed {
            return below;
        }
        let texts = texts(line, &found.prompt, &found.blocks);
        let said: Vec<&str> = texts.iter().filter_map(|text| message::typed(text)).collect();
        if said.is_empty() {
            return below;
        }
        let message = Self::message(Role::User, said.join("\n\n"), number, line, raw);
        self.queued.push(self.entries.len());
        self.prompt(message, below, None)
    }

    /// A user record that says what a queued prompt said stands for it; any other ends the waiting.
    fn drop_queued(&mut self, text: &str) {
        let digest = lesson::hash(text.trim().as_bytes());
        let entries = &mut self.entries;
        let repeated = self.queued.iter().position(|at| entries.get(*at).is_some_and(|entry| entry.digest == digest));
        match repeated {
            Some(position) => {
                let at = self.queued.remove(position);
                if let Some(entry) = entries.get_mut(at) {
                    entry.dropped = true;
                }
            }
            None => self.queued.clear(),
        }
    }

    /// An assistant record is a part of a message: those of one id are one message until the next
    /// prompt, whatever stands between them.
    fn assistant(&mut self, number: u64, line: Line<'_>, raw: &Raw, below: Node) {
        let marks = marks(line, raw);
        if marks != Marks::default() && self.keep != Keep::Everything {
            return;
        }
        let id = if raw.message_id.is_empty() { format!("line {number}") } else { line.text(&raw.message_id) };
        let id = if marks.sidechain { format!("{id} aside") } else { id };
        let at = if let Some(at) = self.turn.get(&id) {
            *at
        } else {
            let message = Message { marks, ..Self::message(Role::Assistant, String::new(), number, line, raw) };
            self.turn.insert(id, self.entries.len());
            self.push(message, below);
            self.entries.len().saturating_sub(1)
        };
        let texts = texts(line, &raw.content, &raw.blocks);
        let Some(entry) = self.entries.get_mut(at) else { return };
        for text in texts.iter().filter(|text| !text.trim().is_empty()) {
            if !entry.message.text.is_empty() {
                entry.message.text.push_str("\n\n");
            }
            entry.message.text.push_str(text);
        }
        for block in raw.blocks.iter().filter(|block| line.inner(&block.kind) == b"tool_use") {
            if !marks.sidechain {
                self.found.totals.tool_uses = self.found.totals.tool_uses.saturating_add(1);
            }
            let file = (!block.file.is_empty()).then(|| line.text(&block.file));
            entry.message.tools.push(ToolUse { name: line.text(&block.name), id: line.text(&block.id), file });
        }
    }

    /// A tool's result. What the user said at a refusal is given back.
    fn tool_result(&mut self, number: u64, line: Line<'_>, raw: &Raw, block: &Block, marks: Marks) -> Option<String> {
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
            let below = Self::parent(line, raw).and_then(|parent| self.below.get(&parent)).copied().unwrap_or(0);
            self.push(Message { is_error, tool_use_id, marks, ..message }, below);
        }
        said
    }

    /// Keeps what a user record says that no person typed, when everything is wanted.
    fn set_aside(&mut self, number: u64, line: Line<'_>, raw: &Raw, marks: Marks, texts: &[String]) {
        let text = texts.join("\n\n");
        if self.keep == Keep::Everything && !text.trim().is_empty() {
            let marks = if marks == Marks::default() { Marks { meta: true, ..marks } } else { marks };
            let message = Self::message(Role::User, text, number, line, raw);
            self.push(Message { marks, ..message }, 0);
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

    fn push(&mut self, message: Message, prompt: Node) {
        self.entries.push(Entry { message, prompt, dropped: false, digest: String::new(), chars: 0 });
    }

    /// Ends the turn: its messages are whole, so they are counted and, if only totals are wanted,
    /// forgotten.
    fn seal(&mut self) {
        let totals = &mut self.found.totals;
        for entry in self.entries.iter_mut().skip(self.open).filter(|entry| entry.message.is_conversation()) {
            entry.digest = lesson::hash(entry.message.text.trim().as_bytes());
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
        self.turn.clear();
    }

    /// Ends the reading: takes out what a record repeated and marks what was rewound.
    pub fn finish(mut self) -> Conversation {
        self.seal();
        let mut abandoned: Vec<bool> = Vec::with_capacity(self.prompts.len());
        for (above, rewound) in &self.prompts {
            // A prompt hangs below an earlier one, whose fate is known by now.
            abandoned.push(*rewound || abandoned.get(*above).copied().unwrap_or(false));
        }
        let mut digests = String::new();
        for mut entry in std::mem::take(&mut self.entries) {
            let counts = entry.message.is_conversation();
            let totals = &mut self.found.totals;
            if entry.dropped {
                totals.messages = totals.messages.saturating_sub(1);
                totals.user_messages = totals.user_messages.saturating_sub(1);
                totals.user_chars = totals.user_chars.saturating_sub(entry.chars);
                continue;
            }
            entry.message.marks.abandoned = abandoned.get(entry.prompt).copied().unwrap_or(false);
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
        self.found.subagent = self.signs.side_records && !self.signs.main_records;
        self.found.interactive = self.signs.interactive(self.found.totals.user_messages);
        self.found
    }
}

impl Signs {
    fn interactive(&self, prompts: u64) -> bool {
        if self.side_records && !self.main_records {
            return false;
        }
        if self.entry_person || self.entry_program {
            return self.entry_person;
        }
        if self.source_person || self.source_program {
            return self.source_person;
        }
        self.permission_mode || !(self.queue_at_head && prompts <= 1)
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
    blocks.iter().filter(|block| line.inner(&block.kind) == b"text").map(|block| line.text(&block.text)).collect()
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn key(uuid: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    uuid.hash(&mut hasher);
    hasher.finish()
}

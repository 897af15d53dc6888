//! The reader of Claude Code's transcripts, clients 1.0 to 2.1: what each record says, and whether that
//! is conversation. Records come in file order; `turns` puts their messages together, `tree` knows what
//! was rewound.

mod answers;
mod facts;
pub mod head;
mod members;
mod origin;
mod state;
mod text;
mod tree;
mod turns;

pub use state::FORMAT;

use crate::agent::claude::{tools, wrappers};
use crate::agent::conversation::{Conversation, Keep};
use crate::agent::test_output;
use crate::json::scan::{Line, Span};
use crate::record::message::{Action, Marks, Message, Role, ToolUse};
use answers::Questions;
use members::{Block, Content, Members};
use origin::Origin;
use serde_json::value::RawValue;
use state::ReaderState;
use std::borrow::Cow;
use text::MessageText;
use tree::{Position, Tree, hash, key};
use turns::{NewMessage, ReadTurns, Turns};

/// A record where it stands.
#[derive(Clone, Copy)]
struct PlacedRecord<'a> {
    number: u64,
    line: Line<'a>,
    raw: &'a Members,
    marks: Marks,
    position: Position,
}

/// A streaming reader: [`Reader::line`] for each line, then [`Reader::finish`].
#[derive(Default)]
pub struct Reader {
    keep: Keep,
    turns: Turns,
    tree: Tree,
    held_by: Origin,
    found: Conversation,
    /// The uses of the client's own tool that asks the user, by their ids.
    asks: Questions,
    /// What was read before does not hold: a summary whose leaf may be there.
    unsure: bool,
    /// The record that is read, kept for its memory.
    raw: Option<Box<Members>>,
}

impl Reader {
    /// A reader that keeps what `keep` says.
    pub fn new(keep: Keep) -> Self {
        Self { keep, turns: Turns::new(keep), ..Self::default() }
    }

    /// A reader that goes on where another one ended; None when it cannot read what that one knew.
    pub fn resumed(state: &RawValue) -> Option<Self> {
        let ReaderState { totals, held_by, facts, tree, last_ids, asks, cwd, branch, last_time } =
            serde_json::from_str(state.get()).ok()?;
        Some(Self {
            turns: Turns::resumed(totals, last_ids),
            tree: Tree::resumed(tree),
            held_by,
            found: Conversation { cwd, branch, last_time, facts, ..Conversation::default() },
            asks: Questions::resumed(asks),
            ..Self::new(Keep::Pages)
        })
    }

    /// The messages that can no longer grow, handed out.
    pub fn take(&mut self) -> Vec<Message> {
        self.turns.take()
    }

    /// The first cwd so far.
    pub fn cwd(&self) -> Option<&str> {
        self.found.cwd.as_deref()
    }

    /// The last timestamp so far.
    pub fn last_time(&self) -> Option<&str> {
        self.found.last_time.as_deref()
    }

    /// Takes a line, which can hold several records; the `last` one may be still being written.
    pub fn line(&mut self, number: u64, bytes: &[u8], last: bool) {
        let line = Line::new(bytes);
        let mut at = line.blank(0);
        self.turns.line(bytes.len());
        let mut raw = self.raw.take().unwrap_or_default();
        while line.byte(at).is_some() {
            let Some(end) = members::read(line, at, &mut raw) else {
                if !last {
                    self.turns.totals.bad_lines += 1;
                }
                break;
            };
            self.record(number, line, &raw);
            at = line.blank(end);
        }
        self.raw = Some(raw);
    }

    fn record(&mut self, number: u64, line: Line<'_>, raw: &Members) {
        self.turns.totals.records += 1;
        self.turns.record();
        let kind = line.word(&raw.kind);
        self.envelope(line, raw, &kind);
        let mut position = Position::below(key(line, &raw.parent).or_else(|| key(line, &raw.logical_parent)));
        let here = PlacedRecord { number, line, raw, marks: marks(line, raw), position };
        match &*kind {
            b"user" => position = self.user(here),
            b"assistant" => self.assistant(here),
            b"attachment" => self.attachment(here),
            b"system" if *line.word(&raw.subtype) == *b"away_summary" => {
                if let Some(said) = some(line.text(&raw.own_content)) {
                    self.found.end.recap = Some(wrappers::recap(&said).to_owned());
                }
            }
            // Other texts are not told as an address.
            b"pr-link" if is_address(&line.text(&raw.pull_request)) => {
                note(&mut self.found.end.pull_request, line, &raw.pull_request);
            }
            b"system" => self.given(here),
            _ => {}
        }
        if let Some(uuid) = key(line, &raw.uuid) {
            self.tree.insert(uuid, position);
        }
    }

    /// Something is said: what was noted about the end is not the end.
    fn goes_on(&mut self) {
        self.found.end.recap = None;
        self.found.end.ran = None;
        self.found.end.calls_tool = false;
        self.found.end.interrupted = false;
        self.found.end.failed = false;
    }

    /// What every record can tell about the session.
    fn envelope(&mut self, line: Line<'_>, raw: &Members, kind: &[u8]) {
        if self.found.cwd.is_none() {
            note(&mut self.found.cwd, line, &raw.cwd);
        }
        note(&mut self.found.branch, line, &raw.branch);
        note(&mut self.found.last_time, line, &raw.timestamp);
        self.held_by.see(line, raw, kind, self.turns.totals.records == 1);
        if self.keep == Keep::Pages {
            let (tree, unsure) = (&self.tree, &mut self.unsure);
            facts::see(&mut self.found.facts, line, raw, |leaf| {
                let is_here = key(line, leaf).is_some_and(|leaf| tree.has(leaf));
                *unsure |= !is_here && tree.is_resumed();
                is_here
            });
        }
    }

    /// A user record: what was typed, what tools gave back, what the client wrote. Returns the
    /// record's position.
    fn user(&mut self, here: PlacedRecord<'_>) -> Position {
        let PlacedRecord { line, raw, marks, position, .. } = here;
        for block in results(line, raw) {
            self.tool_result(here, block);
        }
        let mut said: Vec<String> = self.feedback(here).into_iter().collect();
        let refused_with = !said.is_empty();
        let texts = texts(line, &raw.message.content);
        let command = texts.iter().find_map(|text| wrappers::skill(text)).filter(|_| marks == Marks::default());
        if self.found.skill.is_none() {
            self.found.skill = command.map(str::to_owned);
        }
        let machine = marks != Marks::default()
            || !matches!(&*line.word(&raw.origin), b"" | b"human")
            || matches!(&*line.word(&raw.prompt_source), b"system" | b"hook" | b"cron")
            || line.is_true(&raw.shown_only)
            || matches!(&*line.word(&raw.row_source), b"hook" | b"harness");
        // Beside a tool's result the client, or a program, writes; a person's words are a record of their own.
        if !machine && results(line, raw).next().is_none() {
            said.extend(texts.iter().filter_map(|text| wrappers::typed(text)).map(Cow::into_owned));
        }
        if machine || said.is_empty() {
            self.found.end.interrupted |= texts.iter().any(|text| wrappers::is_interruption(text));
            if !machine {
                for text in &texts {
                    self.found.end.note_ran(text);
                }
                let called = command.map(|name| (here.number, name.to_owned()));
                self.found.end.command = called.or(self.found.end.command.take());
            }
            self.set_aside(here, &texts);
            return position;
        }
        let position = self.tree.prompt(position, key(line, &raw.parent).filter(|_| !refused_with));
        let text = said.join("\n\n");
        let is_plan = !raw.plan.is_empty() || wrappers::is_plan(&text);
        let text = if is_plan { wrappers::plan(&text).to_owned() } else { text };
        self.goes_on();
        if self.keep == Keep::Pages {
            self.found.facts.prompt(&wrappers::without_pastes(&text));
        }
        let mut new = self.new_message(Role::User, text, PlacedRecord { position, ..here });
        if let Some(message) = &mut new.rest {
            message.plan = is_plan;
            message.command = command.map(str::to_owned);
        }
        self.turns.typed(new);
        position
    }

    /// A prompt typed in mid-turn is in an attachment, unless a user record repeats it.
    fn attachment(&mut self, here: PlacedRecord<'_>) {
        let PlacedRecord { line, raw, marks, .. } = here;
        let found = &raw.attachment;
        let typed = *line.word(&found.kind) == *b"queued_command"
            && *line.word(&found.mode) == *b"prompt"
            && matches!(&*line.word(&found.origin), b"" | b"human")
            && matches!(&*line.word(&raw.origin), b"" | b"human")
            && !line.is_true(&found.meta)
            && marks == Marks::default();
        if !typed {
            return self.given(here);
        }
        let texts = texts(line, &found.prompt);
        let said: Vec<Cow<'_, str>> = texts.iter().filter_map(|text| wrappers::typed(text)).collect();
        if !said.is_empty() {
            let new = self.new_message(Role::User, said.join("\n\n"), here);
            self.turns.queue(new);
        }
    }

    /// What the client gave the agent to read: what a hook printed, a list, a file.
    fn given(&mut self, here: PlacedRecord<'_>) {
        let PlacedRecord { line, raw, .. } = here;
        let is_clients = || wrappers::is_clients(&line.word(&raw.attachment.kind), raw.attachment.shows);
        if self.keep == Keep::Words && !is_clients() {
            let text = format!("{}\n{}", line.text(&raw.own_content), tools::words(&line.json(&raw.attachment.whole)));
            let new = self.new_message(Role::Tool, text, here);
            self.turns.aside(new);
        }
    }

    /// An assistant record is a part of a message: those of one id are one message until the next
    /// prompt, whatever stands between them.
    fn assistant(&mut self, here: PlacedRecord<'_>) {
        let PlacedRecord { line, raw, marks, .. } = here;
        let uses = || raw.message.content.blocks.iter().filter(|block| *line.word(&block.kind) == *b"tool_use");
        uses().for_each(|block| self.asks.see(line, block));
        if self.found.skill.is_none() && marks == Marks::default() {
            let mut skills = uses().filter(|block| *line.word(&block.name) == *tools::SKILL.as_bytes());
            self.found.skill = skills.find_map(|block| tools::skill(&line.json(&block.input)));
        }
        self.found.end.failed |= line.is_true(&raw.api_error) && !marks.sidechain;
        if !marks.sidechain {
            self.turns.totals.tool_uses += uses().count() as u64;
        }
        if marks != Marks::default() && !self.keep.is_all() {
            return;
        }
        if marks == Marks::default() {
            self.goes_on();
            self.found.end.calls_tool = *line.word(&raw.message.stop_reason) == *b"tool_use";
        }
        let id = line.word(&raw.message.id);
        // What is set aside is never a part of what is said.
        let id = (!id.is_empty()).then(|| hash(&[&id, &marks.bytes()]));
        let keep = self.keep;
        let uses = uses().filter(|_| keep != Keep::Counts);
        let tools = uses.map(|block| ToolUse { line: here.number, ..tool(line, block, keep) }).collect();
        let texts = texts(line, &raw.message.content);
        let new = || new(keep, Role::Assistant, MessageText::empty(keep), here);
        self.turns.part(id, &texts, tools, new);
    }

    /// What a person typed when they refused a tool. Only the client's own mark proves that a person
    /// spoke: a tool, a hook or an MCP server can print the client's sentence, but not write this member.
    /// To a question of the client's own tool the client writes a text of its own into it.
    fn feedback(&self, here: PlacedRecord<'_>) -> Option<String> {
        let PlacedRecord { line, raw, marks, .. } = here;
        let mut results = results(line, raw);
        let block = results.next().filter(|block| line.is_true(&block.is_error))?;
        let alone = results.next().is_none();
        let asked = self.asks.has(line, block);
        let refused = *line.word(&raw.denial) == *b"user-rejected";
        if !alone || !refused || asked || marks.sidechain {
            return None;
        }
        let said = line.text(&raw.feedback).trim().to_owned();
        (!said.is_empty()).then_some(said)
    }

    /// A tool's result. Whatever it says, it is the tool that says it.
    fn tool_result(&mut self, here: PlacedRecord<'_>, block: &Block) {
        let PlacedRecord { line, raw, marks, .. } = here;
        let is_error = line.is_true(&block.is_error);
        let counts = !is_error && marks == Marks::default();
        let answers = if counts { self.asks.answers(line, raw, block) } else { Some(Vec::new()) };
        self.unsure |= answers.is_none() && self.tree.is_resumed();
        let answers = answers.unwrap_or_else(Vec::new);
        // An answer is typed as a prompt is.
        self.turns.totals.user_chars += answers.iter().map(|answer| answer.said.chars().count() as u64).sum::<u64>();
        if counts && self.keep == Keep::Conversation {
            let last = block.content.texts().next_back();
            let tail = last.map_or(&[][..], |span| line.tail(span, test_output::TAIL_BYTES));
            self.found.end.note_result(line.text(&block.tool_use_id).into_owned(), tail);
        }
        let told = is_error || !answers.is_empty();
        if !told && !self.keep.is_all() {
            return;
        }
        let parts: Vec<Cow<str>> = block.content.texts().map(|span| line.text(span)).collect();
        let text = parts.join("\n");
        let refused = is_error && wrappers::is_refusal(&text);
        if is_error && !refused && !marks.sidechain {
            self.turns.totals.tool_errors += 1;
        }
        let wanted = match self.keep {
            Keep::Counts | Keep::Pages | Keep::Messages => false,
            Keep::Conversation => marks == Marks::default(),
            Keep::Everything | Keep::Words | Keep::Edits => true,
        };
        if wanted {
            // A refusal does not count as a failure, and the words in it are the client's.
            let set_aside = refused && matches!(self.keep, Keep::Conversation | Keep::Words);
            let text = if set_aside { String::new() } else { text };
            let mut new = self.new_message(Role::Tool, text, here);
            if let Some(message) = &mut new.rest {
                message.is_error = is_error && !set_aside;
                message.answers = answers;
                message.tool_use_id = Some(line.text(&block.tool_use_id).into_owned());
            }
            self.turns.aside(new);
        }
    }

    /// Keeps what a user record says that no person typed, when everything is wanted.
    fn set_aside(&mut self, here: PlacedRecord<'_>, texts: &[Cow<'_, str>]) {
        let text = texts.join("\n\n");
        if self.keep.is_all() && !text.trim().is_empty() {
            let meta = here.marks.meta || here.marks == Marks::default();
            let new = self.new_message(Role::User, text, PlacedRecord { marks: Marks { meta, ..here.marks }, ..here });
            self.turns.aside(new);
        }
    }

    fn new_message(&self, role: Role, text: String, here: PlacedRecord<'_>) -> NewMessage {
        new(self.keep, role, MessageText::Kept(text), here)
    }

    /// Ends the reading where messages were handed out: the last of them, what is told, and what it takes
    /// to go on; none when what was read before does not hold any more.
    pub fn finish_told(self) -> Option<(Vec<Message>, Conversation, Option<Box<RawValue>>)> {
        if self.unsure || self.tree.is_changed() {
            return None;
        }
        let last_ids = self.turns.last_ids();
        let mut walk = self.tree.whole();
        let ended = self.turns.finish(&mut walk)?;
        let asks = self.asks.keys();
        let Conversation { cwd, branch, last_time, facts, .. } = self.found.clone();
        let state = walk.kept().zip(last_ids).map(|(tree, last_ids)| {
            let (totals, held_by) = (ended.totals.clone(), self.held_by.clone());
            ReaderState { totals, held_by, facts, tree, last_ids, asks, cwd, branch, last_time }
        });
        let (rest, told) = found(ended, &self.held_by, self.found);
        Some((rest, told, state.and_then(|state| serde_json::value::to_raw_value(&state).ok())))
    }

    /// Ends the reading of a whole file: the last messages, and all the rest.
    pub fn finish(self) -> (Vec<Message>, Conversation) {
        let mut walk = self.tree.whole();
        let Some(mut ended) = self.turns.finish(&mut walk) else { return Default::default() };
        ended.totals.abandoned = ended.abandoned_said;
        found(ended, &self.held_by, self.found)
    }
}

/// The last messages, and what was found.
fn found(ended: ReadTurns, held_by: &Origin, found: Conversation) -> (Vec<Message>, Conversation) {
    let ReadTurns { rest, totals, abandoned, hash, .. } = ended;
    let (subagent, interactive) = (held_by.is_subagent(), held_by.interactive(totals.user_messages));
    (rest, Conversation { totals, interactive, subagent, hash, abandoned, ..found })
}

/// The blocks of a record that are results of tools.
fn results<'a>(line: Line<'a>, raw: &'a Members) -> impl Iterator<Item = &'a Block> {
    raw.message.content.blocks.iter().filter(move |block| *line.word(&block.kind) == *b"tool_result")
}

fn new(keep: Keep, role: Role, text: MessageText, here: PlacedRecord<'_>) -> NewMessage {
    let PlacedRecord { number, line, raw, marks, position } = here;
    let given = |span: &Span| some(line.text(span)).map(Cow::into_owned);
    let rest = (keep != Keep::Counts).then(|| {
        let (time, uuid) = (given(&raw.timestamp), given(&raw.uuid));
        Box::new(Message { role, time, line: number, uuid, marks, ..Message::default() })
    });
    NewMessage { role, counts: role != Role::Tool && marks == Marks::default(), text, position, rest }
}

fn tool(line: Line<'_>, block: &Block, keep: Keep) -> ToolUse {
    let file = (!block.file.is_empty()).then(|| line.text(&block.file).into_owned());
    let name = line.text(&block.name).into_owned();
    let given = matches!(keep, Keep::Messages | Keep::Everything) && !block.input.is_empty();
    let (input, input_cut) = if given { tools::input(line, &block.input) } else { (None, false) };
    // Who prints the messages does not ask what a tool does.
    let action = match keep {
        Keep::Conversation => tools::action(&name, block.input.len(), || line.json(&block.input)),
        Keep::Words => Action::Words(tools::words(&line.json(&block.input))),
        Keep::Edits => tools::change(&name, || line.json(&block.input)),
        Keep::Counts | Keep::Pages | Keep::Messages | Keep::Everything => Action::Other,
    };
    ToolUse { name, id: line.text(&block.id).into_owned(), file, input, input_cut, action, line: 0 }
}

fn marks(line: Line<'_>, raw: &Members) -> Marks {
    Marks {
        sidechain: line.is_true(&raw.sidechain),
        // A provider's error in the agent's name is not the agent's, nor is what the client says in it: "No response
        // requested."
        meta: line.is_true(&raw.meta)
            || line.is_true(&raw.api_error)
            || *line.word(&raw.message.model) == *b"<synthetic>",
        compact_summary: line.is_true(&raw.compact_summary),
        abandoned: false,
    }
}

/// A content's texts: the string, or those of its text blocks.
fn texts<'a>(line: Line<'a>, content: &Content) -> Vec<Cow<'a, str>> {
    if !content.text.is_empty() {
        return vec![line.text(&content.text)];
    }
    let blocks = content.blocks.iter().filter(|block| *line.word(&block.kind) == *b"text");
    blocks.map(|block| line.text(&block.text)).collect()
}

/// Writes a string over what an earlier record said, unless it is empty.
fn note(to: &mut Option<String>, line: Line<'_>, span: &Span) {
    if let Some(text) = some(line.text(span)) {
        text.as_ref().clone_into(to.get_or_insert_default());
    }
}

fn is_address(text: &str) -> bool {
    text.starts_with("https://") && !text.contains(char::is_whitespace)
}

fn some(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    (!text.is_empty()).then_some(text)
}

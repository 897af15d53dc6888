//! The messages while the file is read: parts are put together, a queued prompt that is said again is
//! taken out, and what can no longer grow is counted and handed out. Where totals alone are wanted, a text
//! is forgotten as soon as it is hashed. What stays of a message is 32 bytes, so that a gigabyte needs a
//! few megabytes. A turn can be as long as its file, so a message that began long ago grows no more.
//!
//! The invariant: `entries` are the messages that can still grow, the first being number `base` of all;
//! `queued` and `turn` name only these.

use super::text::{MessageText, number};
use super::tree::{Key, Position, Walk};
use crate::agent::conversation::{Keep, Totals};
use crate::record::message::{Message, Role, ToolUse};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, VecDeque};

/// How far behind its beginning a message can grow, in records and in bytes of the transcript; and a
/// queued prompt can be said again.
const OPEN_RECORDS: u64 = 4096;
const OPEN_BYTES: u64 = 32 << 20;

/// A message that was found.
pub struct NewMessage {
    pub role: Role,
    /// It may count as conversation: it is neither a tool's result nor marked.
    pub counts: bool,
    pub text: MessageText,
    pub position: Position,
    /// The rest of it; none when totals alone are wanted.
    pub rest: Option<Box<Message>>,
}

/// A message with what the reader knows about it.
struct TurnEntry {
    role: Role,
    counts: bool,
    /// Said by a message that follows, or a part of one before.
    dropped: bool,
    position: Position,
    /// Stands for the message.id of an assistant's, unless it has none.
    id: Option<Key>,
    text: MessageText,
    /// How much was read before it.
    born: ReadCount,
    rest: Option<Box<Message>>,
}

/// How much of a transcript was read.
#[derive(Clone, Copy, Default)]
struct ReadCount {
    records: u64,
    bytes: u64,
}

/// A message that can no longer grow.
struct Sealed {
    position: Position,
    digest: u64,
    /// Who said it; none for what is not conversation.
    said_by: Option<Role>,
}

impl TurnEntry {
    fn is_conversation(&self) -> bool {
        self.counts && !self.dropped && !self.text.is_blank()
    }
}

/// Where an assistant's message stands, and how many queued prompts come before it.
#[derive(Clone, Copy)]
struct AssistantPart {
    at: usize,
    parted: usize,
}

/// All messages so far.
#[derive(Default)]
pub struct Turns {
    keep: Keep,
    entries: VecDeque<TurnEntry>,
    /// The number of the first entry.
    base: usize,
    sealed: Vec<Sealed>,
    /// Sealed messages that were not handed out yet.
    ready: Vec<Message>,
    read: ReadCount,
    /// Assistant messages among the entries, by id.
    turn: HashMap<Key, AssistantPart>,
    /// How often something parted the messages of an id.
    parted: usize,
    /// Prompts queued in mid-turn that a user record may still repeat, in order.
    queued: VecDeque<(usize, u64)>,
    /// Messages of the last turn that was read before, sorted: they must not grow.
    closed: Vec<Key>,
    /// One of these grew.
    grew: bool,
    /// The totals so far; those of messages lack what is not sealed.
    pub totals: Totals,
}

/// What is known of the messages when all is read.
pub struct ReadTurns {
    /// The last messages.
    pub rest: Vec<Message>,
    /// The totals, but for what was abandoned.
    pub totals: Totals,
    /// The numbers (from 0) of the messages handed out that were abandoned, ascending.
    pub abandoned: Vec<usize>,
    /// How many of these are of the conversation.
    pub abandoned_said: u64,
    /// A hash of the conversation that is not abandoned.
    pub hash: String,
}

impl Turns {
    pub fn new(keep: Keep) -> Self {
        Self { keep, ..Self::default() }
    }

    /// Turns of which the first were read before: their totals, and the messages of the last one.
    pub fn resumed(totals: Totals, mut closed: Vec<Key>) -> Self {
        closed.sort_unstable();
        Self { closed, totals, ..Self::new(Keep::Pages) }
    }

    /// Hands out what can no longer grow.
    pub fn take(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.ready)
    }

    /// A line of so many bytes comes.
    pub fn line(&mut self, bytes: usize) {
        self.read.bytes += bytes as u64;
    }

    /// A record comes: what began long before it is whole.
    pub fn record(&mut self) {
        self.read.records += 1;
        let ReadCount { records, bytes } = self.read;
        let is_old = |born: ReadCount| records - born.records > OPEN_RECORDS || bytes - born.bytes > OPEN_BYTES;
        while self.entries.front().is_some_and(|entry| is_old(entry.born)) {
            let id = self.entries.front().and_then(|entry| entry.id);
            if let Some(id) = id.filter(|id| self.turn.get(id).is_some_and(|part| part.at == self.base)) {
                self.turn.remove(&id);
            }
            if self.queued.front().is_some_and(|(at, _)| *at == self.base) {
                self.queued.pop_front();
            }
            self.settle();
        }
    }

    /// The ids of the messages that may still grow; none while a queued prompt may be said again.
    pub fn last_ids(&self) -> Option<Vec<Key>> {
        let ids = self.queued.is_empty().then(|| self.turn.keys().chain(&self.closed).copied());
        let mut ids: Vec<Key> = ids?.collect();
        ids.sort_unstable();
        ids.dedup();
        Some(ids)
    }

    /// Takes a prompt that was typed: it ends the turn before it.
    pub fn typed(&mut self, new: NewMessage) {
        if !self.queued.is_empty() {
            self.drop_queued(new.text.digest());
        }
        self.seal();
        // A prompt parts what was said before from what comes.
        self.closed.clear();
        self.push(new, None);
        self.seal();
    }

    /// Takes a prompt that was queued. Whether a user record repeats it is known later, so it parts the
    /// turn but does not end it.
    pub fn queue(&mut self, new: NewMessage) {
        self.parted += 1;
        self.queued.push_back((self.next(), new.text.digest()));
        self.push(new, None);
    }

    /// Takes what is not conversation.
    pub fn aside(&mut self, new: NewMessage) {
        self.push(new, None);
    }

    /// Takes a part of an assistant's message: its texts and tools. `new` makes a message of this part.
    pub fn part(
        &mut self,
        id: Option<Key>,
        texts: &[impl AsRef<str>],
        tools: Vec<ToolUse>,
        new: impl Fn() -> NewMessage,
    ) {
        self.grew |= id.is_some_and(|id| self.closed.binary_search(&id).is_ok());
        let earlier = id.and_then(|id| self.turn.get(&id)).copied();
        let at = match earlier {
            Some(part) if part.parted == self.parted => part.at,
            _ => {
                let at = self.next();
                self.push(new(), id);
                self.turn.extend(id.map(|id| (id, AssistantPart { at, parted: self.parted })));
                at
            }
        };
        let Some(entry) = self.entry(at) else { return };
        if earlier.is_some_and(|part| part.at != at) && entry.text.is_blank() {
            // It may be joined to the part before the queued prompt, so its text is needed.
            entry.text = MessageText::Kept(String::new());
        }
        if let Some(message) = &mut entry.rest {
            // What is quoted is looked up where it stands, not where the thinking before it does.
            let says = texts.iter().any(|text| !text.as_ref().trim().is_empty());
            let is_first = entry.text.is_blank() && (says || message.tools.is_empty() && !tools.is_empty());
            if is_first && let Some(part) = new().rest {
                (message.line, message.uuid) = (part.line, part.uuid);
            }
            message.tools.extend(tools);
        }
        for text in texts {
            entry.text.add(text.as_ref());
        }
    }

    fn push(&mut self, NewMessage { role, counts, text, position, rest }: NewMessage, id: Option<Key>) {
        self.entries.push_back(TurnEntry { role, counts, dropped: false, position, id, text, born: self.read, rest });
    }

    /// The number of the next entry.
    fn next(&self) -> usize {
        self.base + self.entries.len()
    }

    /// The entry of a number.
    fn entry(&mut self, at: usize) -> Option<&mut TurnEntry> {
        self.entries.get_mut(at.checked_sub(self.base)?)
    }

    /// A user record that says what a queued prompt said stands for it; any other ends the waiting.
    fn drop_queued(&mut self, wanted: u64) {
        let Some(position) = self.queued.iter().position(|(_, digest)| *digest == wanted) else {
            return self.queued.clear();
        };
        let Some((at, _)) = self.queued.remove(position) else { return };
        if let Some(entry) = self.entry(at) {
            entry.dropped = true;
            self.join_over(at - self.base);
        }
    }

    /// Joins the messages of this turn that a dropped prompt, the entry at `at`, parted.
    fn join_over(&mut self, at: usize) {
        let is_prompt = |entry: &TurnEntry| entry.role == Role::User && entry.is_conversation();
        let (before, behind) = self.entries.make_contiguous().split_at_mut(at);
        let parts = before.iter().enumerate().rev();
        let turn: HashMap<Key, usize> = parts
            .take_while(|(_, entry)| !is_prompt(entry))
            .filter_map(|(position, entry)| Some((entry.id?, position)))
            .collect();
        for part in behind.iter_mut().skip(1).take_while(|part| !is_prompt(part)) {
            let Some(whole) = part.id.and_then(|id| before.get_mut(*turn.get(&id)?)) else { continue };
            part.dropped = true;
            let is_first = whole.text.is_blank() && !part.text.is_blank();
            if let (Some(whole), Some(part)) = (&mut whole.rest, &mut part.rest) {
                if is_first {
                    (whole.line, whole.uuid) = (part.line, part.uuid.take());
                }
                whole.tools.append(&mut part.tools);
            }
            if let MessageText::Kept(text) = std::mem::take(&mut part.text) {
                whole.text.add(&text);
            }
        }
    }

    /// Ends the turn: its messages are whole, but not while a queued prompt may still turn out to part
    /// nothing.
    fn seal(&mut self) {
        self.parted += 1;
        if !self.queued.is_empty() {
            return;
        }
        self.turn.clear();
        while !self.entries.is_empty() {
            self.settle();
        }
    }

    /// Seals the first entry: it is counted and, if it is wanted, handed out.
    fn settle(&mut self) {
        let Some(entry) = self.entries.pop_front() else { return };
        self.base += 1;
        let said_by = entry.is_conversation().then_some(entry.role);
        let used = || entry.role == Role::Tool || entry.rest.as_ref().is_some_and(|rest| !rest.tools.is_empty());
        let wanted = match self.keep {
            Keep::Counts | Keep::Pages | Keep::Messages => said_by.is_some(),
            Keep::Conversation => said_by.is_some() || used(),
            Keep::Everything | Keep::Words | Keep::Edits => true,
        };
        if entry.dropped || !wanted {
            return;
        }
        if said_by.is_some() {
            self.totals.messages += 1;
        }
        if said_by == Some(Role::User) {
            self.totals.user_messages += 1;
            self.totals.user_chars += entry.text.chars();
        }
        let digest = if said_by.is_some() { entry.text.digest() } else { 0 };
        self.sealed.push(Sealed { position: entry.position, digest, said_by });
        if let Some(rest) = entry.rest {
            self.ready.push(Message { text: entry.text.kept(), ..*rest });
        }
    }

    /// Ends the reading; none when what was read before does not hold any more.
    pub fn finish(mut self, walk: &mut Walk) -> Option<ReadTurns> {
        self.queued.clear();
        self.seal();
        let lost =
            |walk: &mut Walk| walk.is_resumed() && self.sealed.iter().any(|sealed| walk.is_lost(sealed.position));
        if self.grew || lost(walk) {
            return None;
        }
        let (mut abandoned, mut abandoned_said) = (Vec::new(), 0_u64);
        let mut hash = Sha256::new();
        for (number, Sealed { position, digest, said_by }) in self.sealed.iter().enumerate() {
            if walk.is_abandoned(*position) {
                abandoned.push(number);
                abandoned_said += u64::from(said_by.is_some());
            } else if let Some(role) = said_by {
                hash.update(format!("{}{digest:016x}", role.word()));
            }
        }
        let hash = format!("{:016x}", number(hash));
        Some(ReadTurns { rest: self.ready, totals: self.totals, abandoned, abandoned_said, hash })
    }
}

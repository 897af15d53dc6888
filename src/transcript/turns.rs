//! The messages while the file is read: parts are put together, a queued prompt that is said again is
//! taken out, and what can no longer grow is counted. Where totals alone are wanted, a text is forgotten
//! as soon as it is hashed, so that a gigabyte needs a few megabytes.
//!
//! The invariant: entries before `open` are sealed; `queued` and `turn` name none of them.

use super::tree::{Key, Place, Tree};
use super::{Keep, Totals};
use crate::lesson;
use crate::message::{Message, Role, ToolUse};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt::Write;

/// A message that was found.
pub struct New {
    pub role: Role,
    /// It may count as conversation: it is neither a tool's result nor marked.
    pub counts: bool,
    pub text: Text,
    pub place: Place,
    /// The rest of it; none when totals alone are wanted.
    pub rest: Option<Box<Message>>,
}

/// A message with what the reader knows about it.
struct Entry {
    role: Role,
    counts: bool,
    /// Said by a message that follows, or a part of one before.
    dropped: bool,
    place: Place,
    /// Stands for the message.id of an assistant's, unless it has none.
    id: Option<Key>,
    text: Text,
    /// Of a message of the conversation, once it is sealed.
    digest: Option<u64>,
    rest: Option<Box<Message>>,
}

impl Entry {
    fn is_conversation(&self) -> bool {
        self.counts && !self.dropped && !self.text.is_blank()
    }
}

/// Where an assistant's message stands, and how many queued prompts stand before it.
#[derive(Clone, Copy)]
struct Part {
    at: usize,
    parted: usize,
}

/// All messages so far.
pub struct Turns {
    keep: Keep,
    entries: Vec<Entry>,
    /// The first entry that can still grow.
    open: usize,
    /// Assistant messages among the open entries, by id.
    turn: HashMap<Key, Part>,
    /// How often something parted the messages of an id.
    parted: usize,
    /// Prompts queued in mid-turn that a user record may still repeat.
    queued: Vec<(usize, u64)>,
    /// Messages that were handed out: where they stand in the tree.
    told: Vec<Place>,
    /// Messages of the last turn that was read before: they must not grow.
    closed: Vec<Key>,
    /// One of these grew.
    grew: bool,
    /// The totals so far; those of messages lack what is not sealed.
    pub totals: Totals,
}

impl Turns {
    pub fn new(keep: Keep) -> Self {
        Self {
            keep,
            entries: Vec::new(),
            open: 0,
            turn: HashMap::new(),
            parted: 0,
            queued: Vec::new(),
            told: Vec::new(),
            closed: Vec::new(),
            grew: false,
            totals: Totals::default(),
        }
    }

    /// Turns of which the first were read before: their totals, and the messages of the last one.
    pub fn resumed(totals: Totals, closed: Vec<Key>) -> Self {
        Self { closed, totals, ..Self::new(Keep::Pages) }
    }

    /// Hands out what can no longer grow.
    pub fn take(&mut self) -> Vec<Message> {
        if self.open == 0 || self.open < self.entries.len() {
            return Vec::new();
        }
        self.open = 0;
        let entries = std::mem::take(&mut self.entries);
        let told = entries.into_iter().filter_map(|entry| {
            self.told.push(entry.place);
            entry.rest.map(|rest| Message { text: entry.text.kept(), ..*rest })
        });
        told.collect()
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
    pub fn typed(&mut self, new: New) {
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
    pub fn queue(&mut self, new: New) {
        self.parted = self.parted.saturating_add(1);
        self.queued.push((self.entries.len(), new.text.digest()));
        self.push(new, None);
    }

    /// Takes what is no conversation.
    pub fn aside(&mut self, new: New) {
        self.push(new, None);
    }

    /// Takes a part of an assistant's message: its texts and tools. `new` makes the message when this is
    /// its first part.
    pub fn part(&mut self, id: Option<Key>, texts: &[impl AsRef<str>], tools: Vec<ToolUse>, new: impl FnOnce() -> New) {
        self.grew |= id.is_some_and(|id| self.closed.contains(&id));
        let earlier = id.and_then(|id| self.turn.get(&id)).copied();
        let at = match earlier {
            Some(part) if part.parted == self.parted => part.at,
            _ => {
                let at = self.entries.len();
                self.push(new(), id);
                self.turn.extend(id.map(|id| (id, Part { at, parted: self.parted })));
                at
            }
        };
        let Some(entry) = self.entries.get_mut(at) else { return };
        if earlier.is_some_and(|part| part.at != at) && entry.text.is_blank() {
            // It may be joined to the part before the queued prompt, so its text is needed.
            entry.text = Text::Kept(String::new());
        }
        for text in texts {
            entry.text.add(text.as_ref());
        }
        if let Some(message) = &mut entry.rest {
            message.tools.extend(tools);
        }
    }

    /// Ends the reading where messages were handed out: gives the last ones, the totals, and the
    /// numbers of those that were abandoned; none when what was read before does not hold any more.
    pub fn finish_told(mut self, tree: Tree) -> Option<(Vec<Message>, Totals, Vec<usize>)> {
        if self.grew || tree.is_changed() {
            return None;
        }
        self.queued.clear();
        self.seal();
        let rest = self.take();
        let resumed = tree.is_resumed();
        let mut walk = tree.whole();
        if resumed && self.told.iter().any(|place| walk.is_lost(*place)) {
            return None;
        }
        let numbered = self.told.iter().enumerate();
        let abandoned: Vec<usize> =
            numbered.filter(|(_, place)| walk.is_abandoned(**place)).map(|(number, _)| number).collect();
        Some((rest, self.totals, abandoned))
    }

    fn push(&mut self, New { role, counts, text, place, rest }: New, id: Option<Key>) {
        self.entries.push(Entry { role, counts, dropped: false, place, id, text, digest: None, rest });
    }

    /// A user record that says what a queued prompt said stands for it; any other ends the waiting.
    fn drop_queued(&mut self, wanted: u64) {
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
        let is_prompt = |entry: &Entry| entry.role == Role::User && entry.is_conversation();
        let (before, behind) = self.entries.split_at_mut(at);
        let parts = before.iter().enumerate().skip(self.open).rev();
        let turn: HashMap<Key, usize> = parts
            .take_while(|(_, entry)| !is_prompt(entry))
            .filter_map(|(place, entry)| Some((entry.id?, place)))
            .collect();
        for part in behind.iter_mut().skip(1).take_while(|part| !is_prompt(part)) {
            let Some(whole) = part.id.and_then(|id| before.get_mut(*turn.get(&id)?)) else { continue };
            part.dropped = true;
            if let Text::Kept(text) = std::mem::take(&mut part.text) {
                whole.text.add(&text);
            }
            if let (Some(whole), Some(part)) = (&mut whole.rest, &mut part.rest) {
                whole.tools.append(&mut part.tools);
            }
        }
    }

    /// Ends the turn: its messages are whole, so they are counted and, if only totals are wanted,
    /// forgotten; but not while a queued prompt may still turn out to part nothing.
    fn seal(&mut self) {
        self.parted = self.parted.saturating_add(1);
        if !self.queued.is_empty() {
            return;
        }
        self.turn.clear();
        let mut sealed = self.entries.split_off(self.open);
        for entry in sealed.iter_mut().filter(|entry| entry.is_conversation()) {
            entry.digest = Some(entry.text.digest());
            self.totals.messages = self.totals.messages.saturating_add(1);
            if entry.role == Role::User {
                self.totals.user_messages = self.totals.user_messages.saturating_add(1);
                self.totals.user_chars = self.totals.user_chars.saturating_add(entry.text.chars());
            }
            if self.keep == Keep::Counts {
                entry.text = Text::default();
            }
        }
        let all = !matches!(self.keep, Keep::Counts | Keep::Pages);
        sealed.retain(|entry| !entry.dropped && (all || entry.digest.is_some()));
        self.entries.append(&mut sealed);
        self.open = self.entries.len();
    }

    /// Ends the reading: takes out what a record repeated and marks what was rewound. Gives the messages
    /// that are wanted, the totals, and the hash of the conversation.
    pub fn finish(mut self, tree: Tree) -> (Vec<Message>, Totals, String) {
        self.queued.clear();
        self.seal();
        let mut tree = tree.whole();
        let mut digests = String::new();
        let mut messages = Vec::new();
        for entry in self.entries.into_iter().filter(|entry| !entry.dropped) {
            let abandoned = tree.is_abandoned(entry.place);
            match entry.digest {
                Some(_) if abandoned => self.totals.abandoned = self.totals.abandoned.saturating_add(1),
                Some(digest) => {
                    let _ = write!(digests, "{}{digest:016x}", entry.role.word());
                }
                None => {}
            }
            let Some(mut message) = entry.rest else { continue };
            message.text = entry.text.kept();
            message.marks.abandoned = abandoned;
            let counts = entry.digest.is_some() || entry.role == Role::Tool || !message.tools.is_empty();
            if counts || self.keep == Keep::Everything {
                messages.push(*message);
            }
        }
        (messages, self.totals, lesson::hash(digests.as_bytes()))
    }
}

/// What a message says, or only what tells it from others.
#[derive(Default)]
pub enum Text {
    /// Nothing so far; what comes is hashed.
    #[default]
    Blank,
    Summed(Box<Sum>),
    Kept(String),
}

/// A text that was hashed as far as it is known that no white space ends it.
#[derive(Default)]
pub struct Sum {
    hash: Sha256,
    space: String,
}

impl Text {
    /// A text to which blocks are added.
    pub fn empty(keep: Keep) -> Self {
        if keep == Keep::Counts { Self::Blank } else { Self::Kept(String::new()) }
    }

    /// Adds a block's text, a blank line before it.
    fn add(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        match self {
            Self::Kept(whole) => {
                if !whole.is_empty() {
                    whole.push_str("\n\n");
                }
                whole.push_str(text);
            }
            Self::Summed(sum) => {
                sum.space.push_str("\n\n");
                sum.add(text);
            }
            Self::Blank => {
                let mut sum = Box::<Sum>::default();
                sum.add(text.trim_start());
                *self = Self::Summed(sum);
            }
        }
    }

    fn is_blank(&self) -> bool {
        match self {
            Self::Kept(text) => text.trim().is_empty(),
            Self::Summed(_) => false,
            Self::Blank => true,
        }
    }

    /// How many characters are kept.
    fn chars(&self) -> u64 {
        match self {
            Self::Kept(text) => u64::try_from(text.chars().count()).unwrap_or(u64::MAX),
            Self::Summed(_) | Self::Blank => 0,
        }
    }

    fn kept(self) -> String {
        match self {
            Self::Kept(text) => text,
            Self::Summed(_) | Self::Blank => String::new(),
        }
    }

    /// What tells it from another text.
    fn digest(&self) -> u64 {
        match self {
            Self::Kept(text) => digest(text),
            Self::Summed(sum) => number(sum.hash.clone()),
            Self::Blank => digest(""),
        }
    }
}

impl Sum {
    /// Adds a text, which is not blank.
    fn add(&mut self, text: &str) {
        let body = text.trim_end();
        self.hash.update(&self.space);
        self.hash.update(body);
        self.space.clear();
        self.space.push_str(text.strip_prefix(body).unwrap_or_default());
    }
}

/// What tells one text from another, white space around it aside.
fn digest(text: &str) -> u64 {
    number(Sha256::new_with_prefix(text.trim()))
}

fn number(hash: Sha256) -> u64 {
    hash.finalize().iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

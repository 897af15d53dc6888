//! The tree that `parentUuid` makes of a transcript's records, as far as it tells what was rewound:
//! a typed prompt is abandoned, with what hangs below it, when a later typed prompt has the same
//! parent. A record can come before its parent, so the tree is walked only when it is whole.
//!
//! A parent nearly always stands just before its child. So a record is remembered as its key and how
//! far above its parent stands, twelve bytes, and looked up by key only where that says nothing.

use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::num::{NonZeroU32, NonZeroU64};

/// A hash that stands for a uuid.
pub type Key = NonZeroU64;

/// A record's position in the tree: its parent, and its number among the typed prompts if it is one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Position {
    /// The parent's key; none for a root.
    pub parent: Option<Key>,
    prompt: Option<NonZeroU32>,
}

/// How many records above are looked at for the parent.
const NEAR: usize = 4;

/// For a record without a parent, and for one whose parent is not near.
const ROOT: u32 = 0;
const FAR: u32 = u32::MAX;

/// Records of a last turn that are kept to read on, at most.
const TURN_RECORDS: usize = 4096;

/// In a tree that is read on: stands for whatever is abandoned of what was read before.
const BEFORE: NonZeroU32 = NonZeroU32::MIN;

/// What is kept of a tree to read on: the records of the last turn, each with whether it is abandoned.
/// What hangs below any other record, a prompt that replaces an old one above all, is lost in
/// the new part alone.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TreeState {
    last_turn: Vec<(Key, bool)>,
    /// What would change the part that was read: records that it hangs below and that were not read, and
    /// those of the last turn, if a prompt hangs there, as parents of another one.
    awaited: Vec<Key>,
}

/// All places while the file is read.
#[derive(Clone, Default)]
pub struct Tree {
    keys: Vec<Key>,
    /// For each key how many records above its parent stands.
    up: Vec<u32>,
    /// The parents that are not near, by record, in file order.
    far: Vec<(usize, Key)>,
    /// The records that are typed prompts.
    prompts: Vec<(usize, NonZeroU32)>,
    /// The last typed prompt of each parent.
    children: HashMap<Key, NonZeroU32>,
    /// For each typed prompt whether a later one replaced it.
    rewound: Vec<bool>,
    /// How many records came before the last typed prompt.
    last_prompt: usize,
    resumed: bool,
    /// Parents other than the record before: they can come after their children.
    parents: Vec<Key>,
    /// See [`TreeState`].
    awaited: HashSet<Key>,
    /// One of these came.
    changed: bool,
}

impl Tree {
    /// A tree whose first part was read before.
    pub fn resumed(kept: &TreeState) -> Self {
        let position = |abandoned: bool| Position { parent: None, prompt: abandoned.then_some(BEFORE) };
        let mut tree = Self { rewound: vec![true], resumed: true, ..Self::default() };
        kept.last_turn.iter().for_each(|(key, abandoned)| tree.insert(*key, position(*abandoned)));
        tree.awaited.extend(&kept.awaited);
        tree
    }

    /// Whether its first part was read before.
    pub fn is_resumed(&self) -> bool {
        self.resumed
    }

    /// Whether the part that was read before is not what it was.
    pub fn is_changed(&self) -> bool {
        self.changed
    }

    /// Whether a record of that key was read.
    pub fn has(&self, key: Key) -> bool {
        self.keys.contains(&key)
    }

    /// The position of a record that is not a prompt.
    pub fn position(&mut self, parent: Option<Key>) -> Position {
        if parent != self.keys.last().copied() {
            self.parents.extend(parent);
        }
        Position { parent, prompt: None }
    }

    /// Makes a position that of a typed prompt. With `sibling_of` it replaces an earlier prompt of
    /// that parent.
    pub fn prompt(&mut self, position: Position, sibling_of: Option<Key>) -> Position {
        self.changed |= sibling_of.is_some_and(|parent| self.awaited.contains(&parent));
        self.rewound.push(false);
        self.last_prompt = self.keys.len();
        let prompt = u32::try_from(self.rewound.len()).ok().and_then(NonZeroU32::new);
        let earlier = sibling_of.and_then(|parent| self.children.insert(parent, prompt?));
        if let Some(rewound) = earlier.and_then(|earlier| self.rewound.get_mut(index(earlier))) {
            *rewound = true;
        }
        Position { prompt, ..position }
    }

    /// Remembers where a record stands. When a key comes twice the last position counts.
    pub fn insert(&mut self, key: Key, position: Position) {
        self.changed |= self.awaited.contains(&key);
        let at = self.keys.len();
        let near = |parent: &Key| self.keys.iter().rev().take(NEAR).position(|key| key == parent);
        let up = match position.parent {
            None => ROOT,
            Some(parent) => near(&parent).and_then(|above| u32::try_from(above + 1).ok()).unwrap_or(FAR),
        };
        self.far.extend(position.parent.filter(|_| up == FAR).map(|parent| (at, parent)));
        self.prompts.extend(position.prompt.map(|prompt| (at, prompt)));
        self.keys.push(key);
        self.up.push(up);
    }

    /// The position that was remembered for a record.
    fn position_of(&self, at: usize) -> Position {
        let prompt = self.prompts.binary_search_by_key(&at, |(at, _)| *at).ok();
        let prompt = prompt.and_then(|prompt| self.prompts.get(prompt)).map(|(_, prompt)| *prompt);
        Position { parent: self.parent(at), prompt }
    }

    fn parent(&self, at: usize) -> Option<Key> {
        match *self.up.get(at)? {
            ROOT => None,
            FAR => {
                let far = self.far.binary_search_by_key(&at, |(at, _)| *at).ok()?;
                Some(self.far.get(far)?.1)
            }
            above => self.keys.get(at.checked_sub(above as usize)?).copied(),
        }
    }

    /// The tree when all of it is there.
    pub fn whole(self) -> Walk {
        let mut walk = Walk { tree: self, ..Walk::default() };
        let Tree { rewound, prompts, keys, resumed, .. } = &walk.tree;
        if *resumed || rewound.contains(&true) {
            walk.known.resize(keys.len(), None);
            for (at, _) in prompts.iter().filter(|(_, prompt)| is_rewound(rewound, Some(*prompt))) {
                if let Some(known) = walk.known.get_mut(*at) {
                    *known = Some(Fate::Abandoned);
                }
            }
            walk.fill_slots();
        }
        walk
    }
}

/// What becomes of a record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    /// It, or a record above it, was rewound.
    Abandoned,
    /// The way up from it ends at a record that was never read.
    Lost,
}

/// The whole tree, in which keys can be looked up.
#[derive(Default)]
pub struct Walk {
    tree: Tree,
    /// For each record what becomes of it, as far as that is known.
    known: Vec<Option<Fate>>,
    /// A hash table of places in `keys`, each plus one: a key is in the first free slot from that of its hash on,
    /// which cannot be foreseen by one who writes a transcript. Empty if nothing was rewound and nothing can be lost.
    slots: Vec<u32>,
    hashes: RandomState,
    /// Whether a key came twice.
    twice: bool,
    way: Vec<usize>,
}

impl Walk {
    fn fill_slots(&mut self) {
        if !self.slots.is_empty() {
            return;
        }
        let size = (self.tree.keys.len() + self.tree.keys.len() / 4 + 1).next_power_of_two();
        self.slots.resize(size, 0);
        for (number, key) in (1..).zip(&self.tree.keys) {
            let slot = self.slot(*key);
            if let Some(taken) = self.slots.get_mut(slot) {
                self.twice |= *taken != 0;
                *taken = number;
            }
        }
    }

    /// The slot that a key has, or would have.
    fn slot(&self, key: Key) -> usize {
        let mask = self.slots.len().saturating_sub(1);
        let mut slot = usize::try_from(self.hashes.hash_one(key) & mask as u64).unwrap_or(0);
        loop {
            match self.slots.get(slot) {
                Some(taken) if *taken != 0 && self.tree.keys.get(*taken as usize - 1) != Some(&key) => {
                    slot = (slot + 1) & mask;
                }
                _ => return slot,
            }
        }
    }

    fn find(&self, key: Key) -> Option<usize> {
        (*self.slots.get(self.slot(key))? as usize).checked_sub(1)
    }

    /// Whether its first part was read before.
    pub fn is_resumed(&self) -> bool {
        self.tree.resumed
    }

    /// What it takes to read on; none when that is too much, or when the last turn hangs below what was
    /// forgotten.
    pub fn kept(&mut self) -> Option<TreeState> {
        let from = self.tree.last_prompt;
        let turn = self.tree.keys.get(from..).filter(|turn| turn.len() <= TURN_RECORDS)?.to_vec();
        let positions: Vec<Position> = (from..self.tree.keys.len()).map(|at| self.tree.position_of(at)).collect();
        if self.tree.resumed && positions.iter().any(|position| self.is_lost(*position)) {
            return None;
        }
        let abandoned = positions.into_iter().map(|position| self.is_abandoned(position)).collect::<Vec<_>>();
        let last_turn = turn.iter().copied().zip(abandoned).collect();
        let closed = turn.iter().filter(|key| self.tree.children.contains_key(key));
        let mut awaited: Vec<Key> = closed.chain(&self.tree.awaited).copied().collect();
        self.fill_slots();
        for parent in &self.tree.parents {
            if self.find(*parent).is_none() {
                awaited.push(*parent);
            }
        }
        awaited.sort_unstable();
        awaited.dedup();
        (awaited.len() <= TURN_RECORDS).then_some(TreeState { last_turn, awaited })
    }

    /// Whether a position, or one above it, was rewound.
    pub fn is_abandoned(&mut self, position: Position) -> bool {
        self.fate(position) == Fate::Abandoned
    }

    /// Whether the way up from a position ends at a record that was never read.
    pub fn is_lost(&mut self, position: Position) -> bool {
        self.fate(position) == Fate::Lost
    }

    /// Goes up to a record of which it is known what becomes of it: so it is with the whole way.
    fn fate(&mut self, position: Position) -> Fate {
        if self.slots.is_empty() {
            return Fate::Kept;
        }
        if is_rewound(&self.tree.rewound, position.prompt) {
            return Fate::Abandoned;
        }
        let mut next = position.parent.and_then(|parent| self.find(parent));
        let mut fate = if position.parent.is_some() && next.is_none() { Fate::Lost } else { Fate::Kept };
        while let Some((at, known)) = next.and_then(|at| Some((at, self.known.get_mut(at)?))) {
            if let Some(known) = known {
                fate = *known;
                break;
            }
            // So that a circle is not walked twice.
            *known = Some(Fate::Kept);
            self.way.push(at);
            next = self.parent(at);
            fate = if next.is_none() && self.tree.parent(at).is_some() { Fate::Lost } else { Fate::Kept };
        }
        while let Some(at) = self.way.pop() {
            if let Some(known) = self.known.get_mut(at) {
                *known = Some(fate);
            }
        }
        fate
    }

    fn parent(&self, at: usize) -> Option<usize> {
        match *self.tree.up.get(at)? {
            above if above != ROOT && above != FAR && !self.twice => at.checked_sub(above as usize),
            _ => self.find(self.tree.parent(at)?),
        }
    }
}

fn is_rewound(rewound: &[bool], prompt: Option<NonZeroU32>) -> bool {
    prompt.and_then(|prompt| rewound.get(index(prompt))).copied().unwrap_or(false)
}

fn index(prompt: NonZeroU32) -> usize {
    prompt.get() as usize - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_abandoned_stays_so_however_often_a_tree_is_read_on() {
        let key = |number| Key::new(number).unwrap();
        let mut tree = Tree::default();
        // The prompt 3 replaces 2; the prompt 4 hangs below 2, and 9 below nothing that was read.
        for (own, parent, is_prompt) in [
            (1, 1, false),
            (2, 1, true),
            (3, 1, true),
            (4, 2, true),
            (5, 4, false),
            (6, 3, false),
            (7, 6, false),
            (8, 5, false),
        ] {
            let position = tree.position(Some(key(parent)));
            let position = if is_prompt { tree.prompt(position, position.parent) } else { position };
            tree.insert(key(own), position);
        }
        for _ in 0..3 {
            let mut walk = tree.clone().whole();
            let below = |number| Tree::default().position(Some(key(number)));
            assert_eq!(
                [4, 5, 6, 7, 8, 9].map(|parent| walk.is_abandoned(below(parent))),
                [true, true, false, false, true, false]
            );
            assert_eq!([4, 8, 9].map(|parent| walk.is_lost(below(parent))), [false, false, true]);
            tree = Tree::resumed(&tree.whole().kept().unwrap());
        }
    }
}

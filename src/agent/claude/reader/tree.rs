//! The tree that `parentUuid` makes of a transcript's records, as far as it tells what was rewound:
//! a typed prompt is abandoned, with what hangs below it, when a later typed prompt has the same
//! parent. A record can come before its parent, so the tree is walked only when it is whole.
//!
//! A parent nearly always stands just before its child. So a record is remembered as its key, eight bytes, and its parent only
//! where that is another one.

use crate::base::hash::Sum;
use crate::json::scan::{Line, Span};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::num::NonZeroU64;

/// A hash that stands for a uuid.
pub type Key = NonZeroU64;

/// A hash of a uuid; none where there is none.
pub fn key(line: Line<'_>, uuid: &Span) -> Option<Key> {
    let uuid = line.word(uuid);
    (!uuid.is_empty()).then(|| hash(&[&uuid]))
}

/// A hash that is kept on disk: a change of it is a change of [`super::state::FORMAT`].
pub fn hash(parts: &[&[u8]]) -> Key {
    let mut sum = Sum::default();
    for part in parts {
        sum.add(part);
    }
    Key::new(sum.number()).unwrap_or(Key::MIN)
}

/// A record's position in the tree: its parent, and its number among the typed prompts if it is one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Position {
    /// The parent's key; none for a root.
    pub parent: Option<Key>,
    prompt: Option<u32>,
}

impl Position {
    /// The position of a record that is not a prompt.
    pub fn below(parent: Option<Key>) -> Self {
        Self { parent, prompt: None }
    }
}

/// Records that are waited for, at most.
const AWAITED: usize = 4096;

/// What is kept of a tree to read on. The next record nearly always hangs below the last one. What hangs below any other
/// one, a prompt that replaces an old one above all, is lost in the new part alone.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TreeState {
    last: Key,
    /// Records that the part that was read hangs below and that were not read: one of them would change it.
    awaited: Vec<Key>,
}

/// All places while the file is read.
#[derive(Clone, Default)]
pub struct Tree {
    keys: Vec<Key>,
    /// The records with another parent than the record before, in file order.
    far: Vec<(usize, Option<Key>)>,
    /// The records that are typed prompts.
    prompts: Vec<(usize, u32)>,
    /// The last typed prompt of each parent.
    children: HashMap<Key, u32>,
    /// For each typed prompt whether a later one replaced it.
    rewound: Vec<bool>,
    resumed: bool,
    /// See [`TreeState`].
    awaited: HashSet<Key>,
    /// One of these came.
    changed: bool,
}

impl Tree {
    /// A tree whose first part was read before.
    pub fn resumed(kept: TreeState) -> Self {
        let mut tree = Self { resumed: true, awaited: kept.awaited.into_iter().collect(), ..Self::default() };
        tree.insert(kept.last, Position::default());
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

    /// Makes a position that of a typed prompt. With `sibling_of` it replaces an earlier prompt of
    /// that parent.
    pub fn prompt(&mut self, position: Position, sibling_of: Option<Key>) -> Position {
        let prompt = u32::try_from(self.rewound.len()).ok();
        self.rewound.push(false);
        let earlier = sibling_of.and_then(|parent| self.children.insert(parent, prompt?));
        if let Some(rewound) = earlier.and_then(|earlier| self.rewound.get_mut(earlier as usize)) {
            *rewound = true;
        }
        Position { prompt, ..position }
    }

    /// Remembers where a record stands. When a key comes twice the last position counts.
    pub fn insert(&mut self, key: Key, position: Position) {
        self.changed |= self.awaited.contains(&key);
        let at = self.keys.len();
        if position.parent != self.keys.last().copied() {
            self.far.push((at, position.parent));
        }
        self.prompts.extend(position.prompt.map(|prompt| (at, prompt)));
        self.keys.push(key);
    }

    /// The position that was remembered for a record.
    fn position(&self, at: usize) -> Position {
        let prompt = self.prompts.binary_search_by_key(&at, |(at, _)| *at).ok();
        let parent = match self.far.binary_search_by_key(&at, |(at, _)| *at) {
            Ok(far) => self.far.get(far).and_then(|(_, parent)| *parent),
            Err(_) => at.checked_sub(1).and_then(|before| self.keys.get(before)).copied(),
        };
        Position { parent, prompt: prompt.and_then(|prompt| self.prompts.get(prompt)).map(|(_, prompt)| *prompt) }
    }

    fn is_rewound(&self, prompt: Option<u32>) -> bool {
        prompt.and_then(|prompt| self.rewound.get(prompt as usize)).copied().unwrap_or(false)
    }

    /// The tree when all of it is there.
    pub fn whole(self) -> Walk {
        let is_plain = !self.resumed && !self.rewound.contains(&true);
        let mut walk = Walk { tree: self, ..Walk::default() };
        if !is_plain {
            walk.sort();
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
    /// The places in `keys`, sorted by them. Empty if nothing was rewound and it does not matter what is lost.
    sorted: Vec<usize>,
    /// For each record what becomes of it, as far as that is known.
    known: Vec<Option<Fate>>,
}

impl Walk {
    fn sort(&mut self) {
        let keys = &self.tree.keys;
        self.sorted = (0..keys.len()).collect();
        self.sorted.sort_unstable_by_key(|at| (keys.get(*at), *at));
        self.known = vec![None; keys.len()];
    }

    /// The last place of a key.
    fn find(&self, key: Key) -> Option<usize> {
        let keys = &self.tree.keys;
        let behind = self.sorted.partition_point(|at| keys.get(*at).is_some_and(|known| *known <= key));
        let last = *self.sorted.get(behind.checked_sub(1)?)?;
        (keys.get(last) == Some(&key)).then_some(last)
    }

    /// Whether its first part was read before.
    pub fn is_resumed(&self) -> bool {
        self.tree.resumed
    }

    /// What it takes to read on; none when that is too much, or when something else than the next turn hangs below the last
    /// record.
    pub fn kept(&mut self) -> Option<TreeState> {
        self.sort();
        let last = *self.tree.keys.last()?;
        let position = self.tree.position(self.tree.keys.len() - 1);
        let is_lost = self.is_resumed() && self.is_lost(position);
        if is_lost || self.is_abandoned(position) || self.tree.children.contains_key(&last) {
            return None;
        }
        let parents = self.tree.far.iter().filter_map(|(_, parent)| *parent);
        let unread = parents.filter(|parent| self.find(*parent).is_none());
        let mut awaited: Vec<Key> = unread.chain(self.tree.awaited.iter().copied()).collect();
        awaited.sort_unstable();
        awaited.dedup();
        (awaited.len() <= AWAITED).then_some(TreeState { last, awaited })
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
        let (mut way, mut fate, mut next) = (Vec::new(), Fate::Kept, position);
        loop {
            if self.tree.is_rewound(next.prompt) {
                fate = Fate::Abandoned;
                break;
            }
            let Some(parent) = next.parent else { break };
            let Some(at) = self.find(parent) else {
                fate = Fate::Lost;
                break;
            };
            let Some(known) = self.known.get_mut(at) else { break };
            if let Some(known) = known {
                fate = *known;
                break;
            }
            // So that a circle is not walked twice.
            *known = Some(Fate::Kept);
            way.push(at);
            next = self.tree.position(at);
        }
        for at in way {
            if let Some(known) = self.known.get_mut(at) {
                *known = Some(fate);
            }
        }
        fate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn what_hangs_below_a_rewound_prompt_is_abandoned_and_what_was_not_read_is_lost() {
        let key = |number| Key::new(number).unwrap();
        let below = |number| Position::below(Some(key(number)));
        let mut tree = Tree::default();
        // The prompt 3 replaces 2; the prompt 4 hangs below 2, and 9 below nothing that was read.
        for [own, parent, kind] in rows(include_str!("tree.tsv")) {
            let [own, parent]: [u64; 2] = [own, parent].map(|number| number.parse().unwrap());
            let is_prompt = kind == "prompt";
            let position = if is_prompt { tree.prompt(below(parent), Some(key(parent))) } else { below(parent) };
            tree.insert(key(own), position);
        }
        let mut walk = tree.whole();
        let abandoned = [4, 5, 6, 7, 8, 9].map(|parent| walk.is_abandoned(below(parent)));
        assert_eq!(abandoned, [true, true, false, false, true, false]);
        assert_eq!([4, 8, 9].map(|parent| walk.is_lost(below(parent))), [false, false, true]);
        let mut walk = Tree::resumed(walk.kept().unwrap()).whole();
        assert_eq!([7, 6, 3].map(|parent| walk.is_lost(below(parent))), [false, true, true]);
    }
}

//! The tree that `parentUuid` makes of a transcript's records, as far as it tells what was rewound:
//! a typed prompt is abandoned, with what hangs below it, when a later typed prompt has the same
//! parent. A record can stand before its parent, so the tree is walked only when it is whole. Until
//! then a record costs 24 bytes.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::num::{NonZeroU32, NonZeroU64};

/// A hash that stands for a uuid.
pub type Key = NonZeroU64;

/// A record's place in the tree: its parent, and its number among the typed prompts if it is one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// The parent's key; none for a root.
    pub parent: Option<Key>,
    prompt: Option<NonZeroU32>,
}

/// A record that others can hang below.
#[derive(Clone)]
struct Node {
    key: Key,
    parent: Option<Key>,
    prompt: Option<NonZeroU32>,
    /// Its place in the file, and later what is known of the way up from it.
    mark: u32,
}

/// Records of a last turn that are kept to read on, at most.
const TURN_RECORDS: usize = 4096;

const UNKNOWN: u32 = 0;
const KEPT: u32 = 1;
const ABANDONED: u32 = 2;

/// All places while the file is read.
#[derive(Clone, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    /// The last typed prompt of each parent.
    children: HashMap<Key, NonZeroU32>,
    /// For each typed prompt whether a later one took its place.
    rewound: Vec<bool>,
    /// How many records came before the last typed prompt.
    last_prompt: usize,
    resumed: bool,
}

/// In a tree that is read on: stands for whatever is abandoned of what was read before.
const BEFORE: NonZeroU32 = NonZeroU32::MIN;

/// What is kept of a tree to read on: the records of the last turn, each with whether it is abandoned.
/// What hangs below any other record, a prompt that takes the place of an old one above all, is lost in
/// the new part alone.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Kept {
    last_turn: Vec<(Key, bool)>,
}

impl Tree {
    /// A tree whose first part was read before.
    pub fn resumed(kept: &Kept) -> Self {
        let place = |abandoned: bool| Place { parent: None, prompt: abandoned.then_some(BEFORE) };
        let mut tree = Self { rewound: vec![true], resumed: true, ..Self::default() };
        kept.last_turn.iter().for_each(|(key, abandoned)| tree.insert(*key, place(*abandoned)));
        tree
    }

    /// Whether its first part was read before.
    pub fn is_resumed(&self) -> bool {
        self.resumed
    }

    /// Whether a record of that key was read.
    pub fn has(&self, key: Key) -> bool {
        self.nodes.iter().any(|node| node.key == key)
    }

    /// What it takes to read on; none when the last turn is too long for that.
    pub fn kept(&self) -> Option<Kept> {
        let turn = self.nodes.get(self.last_prompt..).filter(|turn| turn.len() <= TURN_RECORDS)?;
        let places = turn.iter().map(|node| (node.key, Place { parent: node.parent, prompt: node.prompt }));
        let mut walk = self.clone().whole();
        Some(Kept { last_turn: places.map(|(key, place)| (key, walk.is_abandoned(place))).collect() })
    }

    /// The place of a record that is no prompt.
    pub fn place(parent: Option<Key>) -> Place {
        Place { parent, prompt: None }
    }

    /// Makes a place a typed prompt's. With `sibling_of` it takes the place of an earlier prompt of
    /// that parent.
    pub fn prompt(&mut self, place: Place, sibling_of: Option<Key>) -> Place {
        self.rewound.push(false);
        self.last_prompt = self.nodes.len();
        let prompt = u32::try_from(self.rewound.len()).ok().and_then(NonZeroU32::new);
        let earlier = sibling_of.and_then(|parent| self.children.insert(parent, prompt?));
        if let Some(rewound) = earlier.and_then(|earlier| self.rewound.get_mut(index(earlier))) {
            *rewound = true;
        }
        Place { prompt, ..place }
    }

    /// Remembers where a record stands. When a key comes twice the last place counts.
    pub fn insert(&mut self, key: Key, Place { parent, prompt }: Place) {
        let mark = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push(Node { key, parent, prompt, mark });
    }

    /// The tree when all of it is there.
    pub fn whole(mut self) -> Walk {
        if self.rewound.contains(&true) {
            self.nodes.sort_unstable_by_key(|node| (node.key, u32::MAX.saturating_sub(node.mark)));
            self.nodes.dedup_by_key(|node| node.key);
            self.nodes.iter_mut().for_each(|node| node.mark = UNKNOWN);
        } else {
            self.nodes = Vec::new();
        }
        Walk { nodes: self.nodes, rewound: self.rewound, way: Vec::new() }
    }
}

/// The whole tree: sorted by key, each key once.
pub struct Walk {
    nodes: Vec<Node>,
    rewound: Vec<bool>,
    way: Vec<usize>,
}

impl Walk {
    /// Whether a place, or one above it, was rewound. A circle ends the way up.
    pub fn is_abandoned(&mut self, place: Place) -> bool {
        let mut above = KEPT;
        let mut next = place.parent;
        while let Some((at, node)) = next.and_then(|key| self.node(key)) {
            if node.mark != UNKNOWN {
                above = node.mark;
                break;
            }
            // Walked on the way up already, so that a circle is not walked twice.
            node.mark = KEPT;
            next = node.parent;
            self.way.push(at);
        }
        while let Some(at) = self.way.pop() {
            let Some(node) = self.nodes.get_mut(at) else { continue };
            if is_rewound(&self.rewound, node.prompt) {
                above = ABANDONED;
            }
            node.mark = above;
        }
        above == ABANDONED || is_rewound(&self.rewound, place.prompt)
    }

    /// Whether the way up from a place ends at a record that was never read.
    pub fn is_lost(&self, place: Place) -> bool {
        let mut next = place.parent;
        for _ in 0..=self.nodes.len() {
            let Some(key) = next else { return false };
            let Ok(at) = self.nodes.binary_search_by_key(&key, |node| node.key) else { return true };
            next = self.nodes.get(at).and_then(|node| node.parent);
        }
        false
    }

    fn node(&mut self, key: Key) -> Option<(usize, &mut Node)> {
        let at = self.nodes.binary_search_by_key(&key, |node| node.key).ok()?;
        Some((at, self.nodes.get_mut(at)?))
    }
}

fn is_rewound(rewound: &[bool], prompt: Option<NonZeroU32>) -> bool {
    prompt.and_then(|prompt| rewound.get(index(prompt))).copied().unwrap_or(false)
}

fn index(prompt: NonZeroU32) -> usize {
    usize::try_from(prompt.get().saturating_sub(1)).unwrap_or(usize::MAX)
}

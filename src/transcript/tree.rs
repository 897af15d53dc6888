//! The tree that `parentUuid` makes of a transcript's records, as far as it tells what was rewound:
//! a typed prompt is abandoned, with what hangs below it, when a later typed prompt has the same
//! parent. A record can stand before its parent, so the tree is walked only when it is whole.

use std::collections::HashMap;

/// A record's place in the tree: its parent, and its number among the typed prompts if it is one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// The parent's key; none for a root.
    pub parent: Option<u64>,
    prompt: Option<usize>,
}

/// All places.
#[derive(Default)]
pub struct Tree {
    places: HashMap<u64, Place>,
    /// The last typed prompt of each parent.
    children: HashMap<u64, usize>,
    /// For each typed prompt whether a later one took its place.
    rewound: Vec<bool>,
    /// What is known of the way up from a record.
    walked: HashMap<u64, bool>,
}

impl Tree {
    /// The place of a record that is no prompt.
    pub fn place(parent: Option<u64>) -> Place {
        Place { parent, prompt: None }
    }

    /// Makes a place a typed prompt's. With `sibling_of` it takes the place of an earlier prompt of
    /// that parent.
    pub fn prompt(&mut self, place: Place, sibling_of: Option<u64>) -> Place {
        let prompt = self.rewound.len();
        self.rewound.push(false);
        let earlier = sibling_of.and_then(|parent| self.children.insert(parent, prompt));
        if let Some(rewound) = earlier.and_then(|earlier| self.rewound.get_mut(earlier)) {
            *rewound = true;
        }
        Place { prompt: Some(prompt), ..place }
    }

    /// Remembers where a record stands.
    pub fn insert(&mut self, key: u64, place: Place) {
        self.places.insert(key, place);
    }

    /// Whether a place, or one above it, was rewound. A circle ends the way up.
    pub fn is_abandoned(&mut self, place: Place) -> bool {
        let mut way = Vec::new();
        let mut next = place.parent;
        let mut above = false;
        while let Some(key) = next {
            if let Some(known) = self.walked.get(&key) {
                above = *known;
                break;
            }
            // Walked on the way up already, so that a circle is not walked twice.
            self.walked.insert(key, false);
            let Some(place) = self.places.get(&key).copied() else { break };
            way.push((key, place));
            next = place.parent;
        }
        for (key, place) in way.into_iter().rev() {
            above |= self.is_rewound(place);
            self.walked.insert(key, above);
        }
        above || self.is_rewound(place)
    }

    fn is_rewound(&self, place: Place) -> bool {
        place.prompt.and_then(|prompt| self.rewound.get(prompt)).copied().unwrap_or(false)
    }
}

//! What came of many things, and what was left out and why, in numbers.

use crate::base::{log, text};
use std::collections::BTreeMap;

/// Counts, each by what it counts.
#[derive(Default)]
pub struct Counted {
    /// What came.
    pub came: BTreeMap<String, usize>,
    /// What was left out.
    pub left: BTreeMap<String, usize>,
}

impl Counted {
    /// One more came.
    pub fn came(&mut self, what: &str) {
        *self.came.entry(what.to_owned()).or_default() += 1;
    }

    /// So many more were left out, for this reason.
    pub fn leave(&mut self, why: &str, count: usize) {
        if count > 0 {
            *self.left.entry(why.to_owned()).or_default() += count;
        }
    }

    /// Says both on standard error.
    pub fn say(&self, tool: &str, origin: &str) {
        let list = |all: &BTreeMap<String, usize>| {
            let each: Vec<String> = all.iter().map(|(what, count)| format!("{what} {count}")).collect();
            if each.is_empty() { "nothing".to_owned() } else { each.join(", ") }
        };
        log::say(tool, &text::one_line(&format!("{origin}: {}", list(&self.came))));
        log::say(tool, &text::one_line(&format!("left out: {}", list(&self.left))));
    }
}

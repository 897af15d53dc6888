//! Sentences, found by what they claim: a handoff can have thousands, and each is compared with those alone that have
//! its words.

use super::item::Gist;
use std::collections::HashMap;

/// Sentences in an order.
#[derive(Clone, Debug, Default)]
pub struct Gists {
    alike: HashMap<Vec<String>, Vec<(usize, Gist)>>,
    count: usize,
}

impl Gists {
    /// Adds one behind the others.
    pub fn push(&mut self, text: &str) {
        let gist = Gist::of_text(text);
        self.alike.entry(gist.words()).or_default().push((self.count, gist));
        self.count += 1;
    }

    /// The places of those that say the same, the first one first.
    pub fn all(&self, text: &str) -> impl Iterator<Item = usize> {
        let gist = Gist::of_text(text);
        let alike = self.alike.get(&gist.words()).map_or(&[][..], Vec::as_slice);
        alike.iter().filter(move |(_, known)| known.is_near(&gist, false)).map(|(at, _)| *at)
    }

    /// The first of them.
    pub fn find(&self, text: &str) -> Option<usize> {
        // Reading a sentence costs more than all the rest.
        if self.alike.is_empty() { None } else { self.all(text).next() }
    }

    /// Adds one if none says the same.
    pub fn is_new(&mut self, text: &str) -> bool {
        let is_new = self.find(text).is_none();
        if is_new {
            self.push(text);
        }
        is_new
    }
}

impl<T: AsRef<str>> FromIterator<T> for Gists {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        let mut all = Self::default();
        texts.into_iter().for_each(|text| all.push(text.as_ref()));
        all
    }
}

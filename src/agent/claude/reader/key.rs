//! Ids as hashes. They are kept on disk, see [`super::state::ReaderState`].

use super::tree::Key;
use crate::base::hash::Sum;
use crate::json::scan::{Line, Span};

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

//! What may leave a tool for a file, a model or a reader. The writers of files and streams take nothing
//! else, and only the redactor makes it of text.

use std::borrow::Cow;

/// What may be written, sent or stored for reading. The functions that do so take nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Masked(Vec<u8>);

impl Masked {
    /// What the redactor has masked; no other code may say so (tests/house.rs).
    pub fn sealed(content: impl Into<Vec<u8>>) -> Self {
        Self(content.into())
    }

    /// Content that holds only paths, ids, numbers and times, and must stay as it is: task files, the state
    /// of the queue, pointers. Also what is a person's own file already. tests/house.rs lists who may do
    /// this.
    pub fn exact(content: impl Into<Vec<u8>>) -> Self {
        Self(content.into())
    }

    /// The content.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The content as text.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds what may be written, too.
    pub fn push(&mut self, more: &Self) {
        self.0.extend_from_slice(&more.0);
    }
}

//! The one place where what others wrote becomes HTML. It is masked first, then what a reader would obey or not see is
//! taken out, and what is left is escaped for texts and for attributes in double quotes. A link leads to a file of ours.

use crate::base::text;
use crate::redact::Redactor;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Makes HTML of what others wrote.
pub struct Html<'r>(pub &'r Redactor);

impl Html<'_> {
    /// A text of at most so many characters.
    pub fn text(&self, said: &str, chars: usize) -> String {
        let shown = self.0.shown(said).replace("\r\n", "\n");
        let mut out = String::with_capacity(shown.len() + 8);
        for letter in text::harmless(&text::cut(shown.trim(), chars)).chars() {
            match letter {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' => out.push_str("&quot;"),
                '\'' => out.push_str("&#39;"),
                _ => out.push(letter),
            }
        }
        out
    }

    /// A link to a file with a text of at most so many characters; the text alone where the path may not be shown.
    pub fn link(&self, path: &Path, said: &str, chars: usize) -> String {
        let text = self.text(said, chars);
        if self.0.is_shown([&*path.to_string_lossy()]) { format!("<a href=\"{}\">{text}</a>", url(path)) } else { text }
    }
}

/// The address of a file: every byte of its path that is not a letter, a digit or one of `/-._~` as `%2F`.
fn url(path: &Path) -> String {
    let mut out = "file://".to_owned();
    for byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(byte) {
            out.push(char::from(*byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

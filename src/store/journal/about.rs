//! What of a journal can matter to new items. A journal grows for years, so its newest lines alone are looked at, in a
//! time that does not grow with it. Nearly all of them are about other matters: they are looked at as bytes, and only
//! those are read that can be the same claim as a new item, have its id, are of its session, or say something of other
//! lines. What is left out of them can be none of these; tests/pairs.tsv checks it.

use super::{Entry, LINE_BYTES, of_texts};
use crate::base::exit::Failure;
use crate::base::{file, text};
use crate::record::claim::Claim;
use crate::record::item::{Item, ItemKind};
use crate::store::receipts::Receipts;
use memchr::memmem::Finder;
use std::path::PathBuf;

/// Lines that say something of others: marks, and items that take the place of others.
pub const OF_OTHERS: [&str; 4] =
    ["\"type\":\"forgotten\"", "\"type\":\"restored\"", "\"type\":\"released\"", "\"replaces\""];

/// What is looked at of each file, in bytes: some 15,000 items. A claim that is further back is new when it is made
/// again.
pub const RECENT_BYTES: u64 = 8 << 20;

/// How a line is known that can matter.
pub struct About {
    /// Ids, sessions, and what [`OF_OTHERS`] has.
    texts: Vec<Finder<'static>>,
    /// How words begin that all of an item's claims have; of an item without such words each line has all.
    claims: Vec<Vec<Finder<'static>>>,
}

impl About {
    pub fn new(items: &[Item], from: &Receipts<'_>) -> Self {
        let finder = |text: &str| Finder::new(text).into_owned();
        let mut texts: Vec<Finder<'static>> = OF_OTHERS.iter().map(|text| finder(text)).collect();
        texts.push(finder(from.session_id));
        for item in items {
            texts.push(finder(&item.id));
            texts.push(finder(&item.own_id(from.project)));
        }
        let heads = |item: &Item| Claim::read(item.sentence()).heads().iter().map(|head| finder(head)).collect();
        Self { texts, claims: items.iter().map(heads).collect() }
    }

    /// All items that can matter; see [`super::read`].
    pub fn read(&self, files: &[PathBuf], kind: ItemKind) -> Result<Vec<Entry>, Failure> {
        let wanted = |line: &&str| line.len() <= LINE_BYTES && self.wants(line.as_bytes());
        let read = |path: &PathBuf| -> Result<String, Failure> {
            Ok(file::read_tail(path, RECENT_BYTES)?.split_inclusive('\n').filter(wanted).collect())
        };
        Ok(of_texts(&files.iter().map(read).collect::<Result<Vec<_>, _>>()?, kind))
    }

    fn wants(&self, line: &[u8]) -> bool {
        if self.texts.iter().any(|text| text.find(line).is_some()) || memchr::memmem::find(line, b"\\u").is_some() {
            return true;
        }
        let folded = folded(line);
        self.claims.iter().any(|heads| heads.iter().all(|head| head.find(&folded).is_some()))
    }
}

/// A line in lower case and without the marks on its letters, as stems are.
fn folded(line: &[u8]) -> Vec<u8> {
    if line.is_ascii() {
        return line.to_ascii_lowercase();
    }
    text::without_marks(&String::from_utf8_lossy(line).to_lowercase()).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::config::Privacy;
    use crate::record::item::Gist;
    use crate::redact::Redactor;
    use crate::store::journal;
    use std::path::Path;

    /// What says the same as a new item is among what is read, in both orders; most of the rest is not.
    #[test]
    fn whatever_says_the_same_is_read() {
        let redactor = Redactor::new(&Privacy::default()).unwrap();
        let from = |session_id| Receipts::new(Path::new("/m"), session_id, "lh", &redactor);
        let item = |summary: &str| Item { id: "0".repeat(16), ..Item::new(ItemKind::Decision, summary) };
        let (mut same, mut read, mut all) = (0, 0, 0);
        let told = |said: &str| journal::line(&item(said), "lh", "2026-04-13T12:00:00Z", "bbbbbbbb-2").line();
        for line in include_str!("../../../tests/pairs.tsv").lines() {
            let [_, _, _, _, one, two] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
            for (new, old) in [(one, two), (two, one)] {
                let about = About::new(&[Item { id: "1".repeat(16), ..item(new) }], &from("aaaaaaaa-1"));
                let line = told(old);
                if Gist::of_text(new).is_near(&Gist::of_text(old), false) {
                    same += 1;
                    assert!(about.wants(line.as_bytes()), "{new} | {old}");
                }
                let other = told("An altogether different matter of the weekly report");
                all += 1;
                read += usize::from(about.wants(other.as_bytes()));
            }
        }
        assert!(same > 50 && read * 20 < all, "{same} {read} {all}");
    }

    #[test]
    fn ids_sessions_marks_and_escapes_are_read() {
        let redactor = Redactor::new(&Privacy::default()).unwrap();
        let from = Receipts::new(Path::new("/m"), "5e0c1a7e", "lh", &redactor);
        let item = Item { id: "ab".repeat(8), ..Item::new(ItemKind::Decision, "Keep the database in Postgres") };
        let about = About::new(&[item], &from);
        for (line, wanted) in [
            (r#"{"type":"decision","summary":"Ship on Friday"}"#, false),
            (r#"{"type":"decision","summary":"Ship on Friday","id":"abababababababab"}"#, true),
            (r#"{"type":"decision","summary":"Ship on Friday","session_id":"5e0c1a7e"}"#, true),
            (r#"{"type":"forgotten","id":"1"}"#, true),
            (r#"{"type":"decision","summary":"Ship on Friday","replaces":["1"]}"#, true),
            (r#"{"type":"decision","summary":"Ship \u00e9"}"#, true),
            (r#"{"type":"decision","summary":"Postgres keeps the DATABASE"}"#, true),
            (r#"{"type":"decision","summary":"Databases in Postgres, kept"}"#, true),
        ] {
            assert_eq!(about.wants(line.as_bytes()), wanted, "{line}");
        }
    }
}

//! The `pruned` record: a file that is to go, went, or came back.

use crate::base::record::Record;
use crate::base::text;
use crate::base::word_enum::words;
use std::path::Path;

words! {
    /// What became of a file.
    Pruned {
        /// It is in the archive.
        Removed = "removed",
        /// Its older part is gone from it.
        Shortened = "shortened",
        /// It was changed meanwhile, or there is one of its name.
        Left = "left",
        /// It can be given back.
        Kept = "kept",
        /// It is where it was.
        Restored = "restored",
        WouldRemove = "would_remove",
        WouldShorten = "would_shorten",
        WouldRestore = "would_restore",
    }
}

/// What a record says, as a line for people.
pub fn line(record: &Record) -> String {
    let field = |name: &str| record.text(name).into_iter().collect::<String>();
    let (result, path) = (field("result").replace('_', " "), record.path("path").unwrap_or_default());
    text::harmless(&text::one_line(&format!("{result}: {} ({})", path.display(), field("why")))).into_owned() + "\n"
}

/// A record of a file, why it goes, and what became of it.
pub fn pruned(path: &Path, why: &str, became: Pruned) -> Record {
    let mut record = Record::new("pruned");
    record.set_path("path", path);
    record.set("why", why);
    record.set("result", became.word());
    record
}

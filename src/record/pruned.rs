//! The `pruned` record: a file that is to go, went, or came back.

use crate::base::record::Record;
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

/// A record of a file, why it goes, and what became of it.
pub fn pruned(path: &Path, why: &str, became: Pruned) -> Record {
    let mut record = Record::new("pruned");
    record.set_path("path", path);
    record.set("why", why);
    record.set("result", became.word());
    record
}

//! Looking for secrets in what is stored, and masking them there.

use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Target};
use crate::base::record::Record;
use crate::base::{log, stream};
use crate::redact::Redactor;
use std::path::{Path, PathBuf};

/// The largest file that is looked into: pages of long sessions are large.
const FILE_BYTES: u64 = 64 << 20;

/// Every regular file below a folder, in order; links are not followed.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for name in file::names(&folder)? {
            let path = folder.join(name);
            match path.symlink_metadata() {
                Ok(data) if data.is_dir() => folders.push(path),
                Ok(data) if data.is_file() => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Looks through a folder; with `fix` each file that holds secrets is replaced by one that does not.
/// Gives a `secret` record a secret to `report`; no record holds the secret itself. Returns how many
/// there are still. Status 65 where no secret was found and a file could not be looked into.
pub fn check(
    folder: &Path,
    fix: bool,
    redactor: &Redactor,
    mut report: impl FnMut(&Record) -> Result<(), Failure>,
) -> Result<usize, Failure> {
    if !folder.exists() {
        return Err(Failure::data(format!("{}: no such folder", folder.display())));
    }
    let (mut left, mut unseen) = (0_usize, Vec::new());
    let paths = if folder.is_dir() { files(folder)? } else { vec![folder.to_path_buf()] };
    for path in paths {
        let Some(bytes) = file::read_at_most(&path, FILE_BYTES)? else { continue };
        if let Some(what) = stream::packed(&bytes) {
            // It must not seem to have been looked into.
            unseen.push(format!("{}: {what}", path.display()));
            continue;
        }
        redactor.begin();
        let secrets = redactor.find(&bytes);
        if fix && !secrets.is_empty() {
            file::replace(&Target::named(&path)?, &redactor.masked_file(&bytes), Durable::Yes)?;
        } else {
            left += secrets.len();
        }
        for secret in secrets {
            let before = &bytes[..secret.start];
            let mut record = Record::new("secret");
            record.set_path("path", &path);
            record.set("line", &(memchr::memchr_iter(b'\n', before).count() + 1));
            record.set("kind", &secret.kind);
            record.set("result", if fix { "masked" } else { "found" });
            report(&record)?;
        }
    }
    let last = if left == 0 { unseen.pop() } else { None };
    for what in &unseen {
        log::say("lh-redact", what);
    }
    last.map_or(Ok(left), |what| Err(Failure::data(what)))
}

//! Deprecating a learning: four keys of its front matter are set, and every other byte of the file stays, also what a
//! person wrote. The file is replaced whole; one that was changed meanwhile is left as it is.

use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::file::{self, Root};
use crate::base::front_matter::{self, FrontMatter};
use crate::base::masked::Masked;
use crate::redact::Redactor;
use std::path::Path;

/// What a killed writer left aside is removed after so many seconds.
const DEAD_SECONDS: i64 = 3600;

/// Deprecates the learning in a file that says what `seen` says; status 75 if it says something else by now. `by` is the
/// path, in the learnings folder, of the learning that takes its place.
pub fn deprecate(
    top: &Path,
    path: &Path,
    seen: &[u8],
    by: &str,
    reason: &str,
    redactor: &Redactor,
) -> Result<(), Failure> {
    let quoted = |text: &str| front_matter::quoted(&redactor.shown(text));
    let new = with_status(path, seen, "deprecated", [quoted(by), clock::local_day(clock::now()), quoted(reason)])?;
    let target = Root::new(top).file(path)?;
    if let Some(month) = target.parent() {
        file::remove_leftovers(month, Some(DEAD_SECONDS));
    }
    file::rewrite(&target, |there| (there == Some(seen)).then(|| Masked::exact(new.clone())))?;
    if file::read(&target)?.as_ref() != Some(&new) {
        return Err(Failure::later(format!("{}: it was changed meanwhile; look at it and try again", path.display())));
    }
    Ok(())
}

/// A page of a learning that a person says is wrong for this reason, or that is active again for none.
pub fn by_hand(path: &Path, page: &[u8], reason: Option<&str>) -> Result<Masked, Failure> {
    let day = || clock::local_day(clock::now());
    let new = match reason {
        Some(reason) => with_status(path, page, "deprecated", ["null".to_owned(), day(), front_matter::quoted(reason)]),
        None => with_status(path, page, "active", ["null"; 3].map(str::to_owned)),
    };
    new.map(Masked::exact)
}

/// A page with the status of a learning set, with by what, when and why it was deprecated.
fn with_status(path: &Path, page: &[u8], status: &str, [by, day, reason]: [String; 3]) -> Result<Vec<u8>, Failure> {
    let keys =
        [("status", status.to_owned()), ("deprecated_by", by), ("deprecated_on", day), ("deprecated_reason", reason)];
    with_keys(page, &keys).ok_or_else(|| {
        let what = "no front matter that could be changed: expected '---' lines";
        Failure::data(format!("{}: {what}", path.display()))
    })
}

/// A page with keys of its front matter set; none where it has no front matter.
fn with_keys(page: &[u8], keys: &[(&str, String)]) -> Option<Vec<u8>> {
    let new = keys.iter().try_fold(page.to_vec(), |page, (key, value)| with_key(&page, key, value))?;
    let front = FrontMatter::parse(&String::from_utf8_lossy(&new));
    let status = keys.first().map(|(_, status)| status.as_str());
    (front.get("status") == status).then_some(new)
}

/// The same of one key: in its place, or as the last one.
fn with_key(page: &[u8], key: &str, value: &str) -> Option<Vec<u8>> {
    let lines: Vec<&[u8]> = page.split_inclusive(|byte| *byte == b'\n').collect();
    let is_rule = |line: &&[u8]| line.trim_ascii_end() == b"---";
    let first = lines.first()?;
    if !is_rule(&first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first)) {
        return None;
    }
    let end = 1 + lines.iter().skip(1).position(is_rule)?;
    let is_key = |line: &&[u8]| line.strip_prefix(key.as_bytes()).is_some_and(|rest| rest.starts_with(b":"));
    let at = lines[..end].iter().position(is_key);
    // The rest of a value that goes over several lines goes with it.
    let is_rest = |line: &&&[u8]| line.starts_with(b" ") || line.starts_with(b"\t");
    let behind = at.map_or(end, |at| at + 1 + lines[at + 1..end].iter().take_while(is_rest).count());
    let ending = if at.map_or(first, |at| &lines[at]).ends_with(b"\r\n") { "\r\n" } else { "\n" };
    let line = format!("{key}: {value}{ending}");
    Some([&lines[..at.unwrap_or(end)].concat(), line.as_bytes(), &lines[behind..].concat()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    fn set(page: &str) -> Option<String> {
        let keys = [("status", "deprecated".to_owned()), ("deprecated_by", "\"b\"".to_owned())];
        with_keys(page.as_bytes(), &keys).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn only_the_keys_change() {
        for [page, wanted] in rows(include_str!("deprecate.tsv")) {
            assert_eq!(set(&page), Some(wanted));
        }
        for page in ["", "status: active\n", "---\nstatus: active\n", "# x\n---\nstatus: active\n---\n"] {
            assert_eq!(set(page), None, "{page:?}");
        }
    }
}

//! Deprecating a learning: four keys of its front matter are set, and every other byte of the file stays, also what a
//! person wrote. The file is replaced whole; one that was changed meanwhile is left as it is.

use crate::base::exit::Failure;
use crate::base::file::{self, Root};
use crate::base::front_matter::{self, FrontMatter};
use crate::base::masked::Masked;
use crate::redact::Redactor;
use std::cell::Cell;
use std::path::Path;

/// What a killed writer left aside is removed after so many seconds.
const DEAD_SECONDS: i64 = 3600;

/// Why, and for which other learning.
pub struct Deprecation<'a> {
    /// The other one's path in the learnings folder.
    pub by: &'a str,
    /// The local day.
    pub day: &'a str,
    /// Why, in a few words.
    pub reason: &'a str,
}

/// Deprecates the learning in a file that says what `seen` says; status 75 if it says something else by now.
pub fn deprecate(top: &Path, path: &Path, seen: &[u8], why: &Deprecation, redactor: &Redactor) -> Result<(), Failure> {
    let quoted = |text: &str| front_matter::quoted(&redactor.shown(text));
    let by = if why.by.is_empty() { "null".to_owned() } else { quoted(why.by) };
    set(top, path, seen, "deprecated", [by, why.day.to_owned(), quoted(why.reason)])
}

/// Makes a deprecated learning active again, as [`deprecate`] deprecates one.
pub fn reactivate(top: &Path, path: &Path, seen: &[u8]) -> Result<(), Failure> {
    set(top, path, seen, "active", ["null"; 3].map(str::to_owned))
}

/// Sets the status of a learning, with by what, when and why it was deprecated.
fn set(top: &Path, path: &Path, seen: &[u8], status: &str, [by, day, reason]: [String; 3]) -> Result<(), Failure> {
    let target = Root::new(top).file(path)?;
    if let Some(month) = target.parent() {
        file::remove_leftovers(month, Some(DEAD_SECONDS));
    }
    let keys =
        [("status", status.to_owned()), ("deprecated_by", by), ("deprecated_on", day), ("deprecated_reason", reason)];
    let Some(new) = with_keys(seen, &keys) else {
        return Err(Failure::data(format!(
            "{}: no front matter that could be changed: expected '---' lines",
            path.display()
        )));
    };
    let (is_first, changed) = (Cell::new(true), Cell::new(false));
    file::rewrite(&target, |there| {
        let first = is_first.replace(false);
        match there {
            Some(bytes) if bytes == seen => Some(Masked::exact(new.clone())),
            there => {
                changed.set(true);
                // What took the place of ours is put back.
                there.filter(|_| !first).map(Masked::exact)
            }
        }
    })?;
    if changed.get() {
        return Err(Failure::later(format!("{}: it was changed meanwhile; look at it and try again", path.display())));
    }
    Ok(())
}

/// A page with keys of its front matter set; none where it has no front matter.
fn with_keys(page: &[u8], keys: &[(&str, String)]) -> Option<Vec<u8>> {
    let lines: Vec<&[u8]> = page.split_inclusive(|byte| *byte == b'\n').collect();
    let first = lines.first()?;
    let is_rule = |line: &[u8]| line.trim_ascii_end() == b"---";
    if !is_rule(first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first)) {
        return None;
    }
    let end = lines.iter().skip(1).position(|line| is_rule(line))?.checked_add(1)?;
    let ending: &[u8] = if first.ends_with(b"\r\n") { b"\r\n" } else { b"\n" };
    let mut out: Vec<u8> = first.to_vec();
    let mut set = vec![false; keys.len()];
    let mut within = false;
    for line in lines.get(1..end)? {
        // The rest of a value that goes over several lines goes with it.
        if within && line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
            continue;
        }
        let at = keys
            .iter()
            .position(|(key, _)| line.strip_prefix(key.as_bytes()).is_some_and(|rest| rest.starts_with(b":")));
        let at = at.filter(|at| set.get(*at) == Some(&false));
        within = at.is_some();
        match at.and_then(|at| Some((keys.get(at)?, set.get_mut(at)?))) {
            Some(((key, value), done)) => {
                *done = true;
                push(&mut out, key, value, if line.ends_with(b"\r\n") { b"\r\n" } else { b"\n" });
            }
            None => out.extend_from_slice(line),
        }
    }
    for ((key, value), _) in keys.iter().zip(&set).filter(|(_, done)| !**done) {
        push(&mut out, key, value, ending);
    }
    lines.get(end..)?.iter().for_each(|line| out.extend_from_slice(line));
    let front = FrontMatter::parse(&String::from_utf8_lossy(&out));
    let status = keys.first().map(|(_, status)| status.as_str());
    (front.get("status") == status).then_some(out)
}

fn push(out: &mut Vec<u8>, key: &str, value: &str, ending: &[u8]) {
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b": ");
    out.extend_from_slice(value.as_bytes());
    out.extend_from_slice(ending);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(page: &str) -> Option<String> {
        let keys = [("status", "deprecated".to_owned()), ("deprecated_by", "\"b\"".to_owned())];
        with_keys(page.as_bytes(), &keys).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn only_the_keys_change() {
        for (page, wanted) in [
            (
                "---\ntitle: x\nstatus: active\ndeprecated_by: null\n---\nb\n",
                "---\ntitle: x\nstatus: deprecated\ndeprecated_by: \"b\"\n---\nb\n",
            ),
            (
                "---\r\nstatus: active\r\nmine: 1  \r\n---\r\nstatus: x\r\n",
                "---\r\nstatus: deprecated\r\nmine: 1  \r\ndeprecated_by: \"b\"\r\n---\r\nstatus: x\r\n",
            ),
            (
                "\u{feff}---\nstatus: >-\n  a\n\tb\nx: y\n---",
                "\u{feff}---\nstatus: deprecated\nx: y\ndeprecated_by: \"b\"\n---",
            ),
            (
                "---\nmeta:\n  status: a\nstatuses: 1\n---\n",
                "---\nmeta:\n  status: a\nstatuses: 1\nstatus: deprecated\ndeprecated_by: \"b\"\n---\n",
            ),
        ] {
            assert_eq!(set(page).as_deref(), Some(wanted));
        }
        for page in ["", "status: active\n", "---\nstatus: active\n", "# x\n---\nstatus: active\n---\n"] {
            assert_eq!(set(page), None, "{page:?}");
        }
    }
}

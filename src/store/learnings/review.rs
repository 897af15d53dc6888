//! What a review writes. `_review-YYYY-MM-DD.md` among the learnings has the pairs that wait for a person. Its last line
//! has the hash of all above: a page that was changed by hand is left alone, and another one is written beside it.
//!
//! `review/apart.jsonl` in the state folder, for the knowledge folder holds no state, has the pairs of which a person said
//! that they are different, a line each. It is only appended to. A line that cannot be read says nothing.

use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Lock, Root};
use crate::base::masked::Masked;
use crate::base::{clock, env, record};
use crate::record::item;
use crate::redact::Redactor;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

const FOLDER: &str = "review";
const FILE: &str = "review/apart.jsonl";
const LOCK: &str = "review/lock";

/// Two ids, the smaller one first.
pub type Ids = (String, String);

#[derive(Serialize, Deserialize)]
struct ApartLine {
    ts: String,
    ids: Ids,
}

/// The two ids in their order.
pub fn ids(one: &str, other: &str) -> Ids {
    (one.min(other).to_owned(), one.max(other).to_owned())
}

/// Takes the lock under which learnings are deprecated and pairs are refused on this machine.
pub fn lock() -> Result<Lock, Failure> {
    let root = Root::new(&env::state_folder()?);
    root.folder(FOLDER)?;
    file::lock(&root.file(LOCK)?, file::PATIENCE)
}

/// All pairs of which a person said that they are different.
pub fn apart() -> Result<HashSet<Ids>, Failure> {
    let text = file::read_text(&env::state_folder()?.join(FILE))?.unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<ApartLine>(line).ok());
    Ok(lines.map(|line| ids(&line.ids.0, &line.ids.1)).collect())
}

/// Notes such a pair. The caller holds the lock.
pub fn set_apart(pair: Ids, redactor: &Redactor) -> Result<(), Failure> {
    let line = ApartLine { ts: clock::local(clock::now()), ids: pair };
    let file = Root::new(&env::state_folder()?).file(FILE)?;
    file::append_lines(&file, &redactor.masked_json(&record::json_line(&line)?), Durable::Yes)
}

/// Writes the page of a local day, and says where it is. A `dry` run only says it.
pub fn write(
    top: &Path,
    folder: &Path,
    day: &str,
    page: &str,
    redactor: &Redactor,
    dry: bool,
) -> Result<PathBuf, Failure> {
    let mut page = redactor.masked_parts(page);
    let mark = mark(page.bytes());
    page.push(&redactor.masked_parts(&mark));
    let root = Root::new(top);
    let mut number = 1_u32;
    loop {
        let ending = if number == 1 { String::new() } else { format!("-{number}") };
        let path = folder.join(format!("_review-{day}{ending}.md"));
        let target = root.file(&path)?;
        let there = file::read(&target)?;
        match there {
            Some(there) if there == page.bytes() => return Ok(path),
            Some(there) if !is_ours(&there) => {}
            _ if dry => return Ok(path),
            Some(_) => return file::replace(&target, &page, Durable::Yes).map(|()| path),
            None if create(&root, folder, &path, &page)? => return Ok(path),
            // Another one was first.
            None => continue,
        }
        number += 1;
    }
}

fn create(root: &Root, folder: &Path, path: &Path, page: &Masked) -> Result<bool, Failure> {
    root.folder(folder)?;
    file::create(&root.file(path)?, page, Durable::Yes)
}

fn mark(page: &[u8]) -> String {
    format!("\n<!-- lh-review {} -->\n", item::hash(page))
}

/// Whether a page is as it was written.
fn is_ours(page: &[u8]) -> bool {
    let length = mark(b"").len();
    let (above, end) = page.split_at(page.len().saturating_sub(length));
    end == mark(above).as_bytes()
}

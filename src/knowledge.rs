//! The learnings in the knowledge folder: one markdown file each, write-once, for people and for
//! indexers. No lock and no state stands in that folder: a name is taken by creating it.

use crate::exit::Failure;
use crate::file::{self, Durable};
use crate::front::{self, Front};
use crate::lesson::{self, Gist, Item, Kind};
use crate::text;
use std::path::{Path, PathBuf};

/// Learnings that a new one is compared with, newest first.
const COMPARED: usize = 200;

/// A learning as it stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learning {
    /// Its title.
    pub title: String,
    /// Its file.
    pub path: PathBuf,
    /// Not deprecated.
    pub active: bool,
}

/// What became of a learning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It has a file now.
    Written(PathBuf),
    /// That file holds it already.
    Unchanged(PathBuf),
    /// That file says the same in other words.
    DuplicateOf(PathBuf, String),
}

/// The newest learnings by file name, deprecated ones too; without reviews.
pub fn newest(folder: &Path) -> Result<Vec<Learning>, Failure> {
    let mut found = Vec::new();
    for month in file::names(folder)?.into_iter().rev() {
        let month = folder.join(month);
        for name in file::names(&month).unwrap_or_default().into_iter().rev() {
            if found.len() >= COMPARED {
                return Ok(found);
            }
            let path = month.join(&name);
            let name = name.to_string_lossy();
            if name.strip_suffix(".md").is_some_and(|stem| !stem.starts_with('.') && !stem.ends_with("-review")) {
                found.extend(read(&path));
            }
        }
    }
    Ok(found)
}

fn read(path: &Path) -> Option<Learning> {
    let front = Front::parse(&file::read_text(path).ok()??);
    let title = front.get("title").filter(|title| !title.is_empty())?.to_owned();
    let active = front.get("status").is_none_or(|status| status == "active");
    Some(Learning { title, path: path.to_path_buf(), active })
}

/// Writes a learning of the local day `day` unless it stands there already.
pub fn keep(folder: &Path, item: &Item, project: &str, day: &str) -> Result<Kept, Failure> {
    // Signs count where they are all that tells two titles apart: C++ and C#, two emoji.
    let same = |title: &str| {
        let canonical = text::canonical(title);
        let fixed = || text::meaning(title).fixed == text::meaning(&item.summary).fixed;
        !canonical.is_empty() && canonical == text::canonical(&item.summary) && fixed()
    };
    let gist = Gist::of_text(&item.summary);
    for known in newest(folder)? {
        if known.title == item.summary || same(&known.title) {
            return Ok(Kept::Unchanged(known.path));
        }
        if gist.is_near(&Gist::of_text(&known.title), false) {
            return Ok(Kept::DuplicateOf(known.path, lesson::id(Kind::Learning, project, &known.title)));
        }
    }
    let month = folder.join(day.get(..7).unwrap_or(day));
    file::create_folder(&month)?;
    if !file::real_path(&month).starts_with(file::real_path(folder)) {
        return Err(Failure::data(format!("{} is a link that leads out of the learnings folder", month.display())));
    }
    let slug = match text::slug(&item.summary) {
        slug if slug.is_empty() => lesson::hash(item.summary.as_bytes()),
        slug => slug,
    };
    let page = page(item, project, day);
    let mut number = 1_u32;
    loop {
        let ending = if number == 1 { String::new() } else { format!("-{number}") };
        let path = month.join(format!("{day}-{slug}{ending}.md"));
        if file::create(&path, page.as_bytes(), Durable::Yes)? {
            return Ok(Kept::Written(path));
        }
        // Deprecated or not: the same title on the same day is the same learning.
        let front = file::read_text(&path)?.map(|text| Front::parse(&text)).unwrap_or_default();
        if front.get("title") == Some(item.summary.as_str()) {
            return Ok(Kept::Unchanged(path));
        }
        number = number.saturating_add(1);
    }
}

fn page(item: &Item, project: &str, day: &str) -> String {
    let scope = match item.scope.as_str() {
        known @ ("universal" | "backend" | "infra" | "consulting") => known,
        _ => "universal",
    };
    format!(
        "---\ntitle: {}\norigin: {}\norigin_session: {day}\ntags: {}\nscope: {scope}\nstatus: active\n\
         deprecated_by: null\ndeprecated_on: null\ndeprecated_reason: null\n---\n\n## Learning\n\n{}\n\n## Context\n\n{}\n",
        front::quoted(&item.summary),
        front::plain(project),
        front::quoted_list(&item.tags),
        item.learning.trim(),
        item.context.trim(),
    )
}

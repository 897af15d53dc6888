//! `MEMORY.md`: the index of a folder of typed memories, a line each. The client, its agent and people write it, too, and
//! take no lock: a change puts a new file in its place and takes over what was written meanwhile. Lines that we did not
//! write stay as they are, to the byte.

use crate::base::exit::Failure;
use crate::base::file;
use crate::base::masked::Masked;
use crate::base::text;
use crate::store;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// An index that is larger is not read.
const MOST_BYTES: u64 = 16 << 20;
/// What is in an index with no line.
pub const HEADING: &[u8] = b"# Memory\n";
/// Its name.
pub const NAME: &str = "MEMORY.md";
/// The client reads so many lines of it, and so many bytes.
pub const LINES: usize = 200;
/// See [`LINES`].
pub const BYTES: usize = 25_000;
/// Characters of what is said of a memory.
const CHARS: usize = 150;

/// Lines of an index, each with its file.
pub type Lines = Vec<(String, String)>;

/// The line of a memory.
pub fn line(file: &str, name: &str, description: &str) -> String {
    let title = text::one_line(name).replace(['-', '_'], " ").replace(['[', ']'], "");
    let mut letters = title.chars();
    let title: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    let file = if file.contains([' ', '(', ')']) { format!("<{file}>") } else { file.to_owned() };
    let description = text::one_line(description);
    format!("- [{}]({file}) — {}", title.trim(), text::cut(description.trim(), CHARS))
}

/// The files of the folder that a line links to.
pub fn links(line: &str, folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices("](") {
        let rest = &line[at + 2..];
        let inside = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')).map(|(inside, _)| inside);
        let target = inside.unwrap_or_else(|| rest.split([')', ' ']).next().unwrap_or_default());
        let target = target.split('#').next().unwrap_or_default().replace("%20", " ");
        if target.contains("://") {
            continue;
        }
        let below = Path::new(&target).strip_prefix(folder).ok().and_then(Path::to_str).unwrap_or(&target);
        let name = below.trim_start_matches("./");
        if !name.is_empty() && !name.starts_with('/') && !name.contains("..") {
            found.push(name.to_owned());
        }
    }
    found
}

/// An index as it is; status 65 for one that is far larger than what its client reads.
pub fn bytes(folder: &Path) -> Result<Vec<u8>, Failure> {
    Ok(file::read_at_most(&folder.join(NAME), MOST_BYTES)?.unwrap_or_default())
}

/// The lines of an index.
pub fn read(folder: &Path) -> Result<Vec<String>, Failure> {
    Ok(String::from_utf8_lossy(&bytes(folder)?).lines().map(str::to_owned).collect())
}

/// An index with other lines of ours: one of `ours` becomes what is wanted for its file, or goes, and what is
/// wanted and not there comes at the end. All other lines stay, to the byte, but for those that link to nothing but pages
/// of ours: a client that finds no index makes one of every page in the folder. For the same reason the index is not
/// empty where such pages are.
pub fn listed(index: &[u8], folder: &Path, ours: &Lines, wanted: &Lines) -> Vec<u8> {
    let ours: HashMap<&str, &str> = ours.iter().map(|(file, line)| (line.as_str(), file.as_str())).collect();
    let lines: Vec<&[u8]> = index.split_inclusive(|byte| *byte == b'\n').collect();
    let there: HashSet<&[u8]> = lines.iter().map(|line| bare(line)).collect();
    let (kept, mut missing): (Vec<_>, Vec<_>) = wanted.iter().partition(|(_, line)| there.contains(line.as_bytes()));
    let mut new = Vec::new();
    for line in &lines {
        let text = String::from_utf8_lossy(bare(line));
        let file = ours.get(&*text).filter(|_| !kept.iter().any(|(_, kept)| *kept == text));
        match file.map(|file| missing.iter().position(|(of, _)| of == file)) {
            None if is_of_pages(&text, folder) => {}
            None => new.extend_from_slice(line),
            Some(None) => {}
            Some(Some(at)) => {
                new.extend_from_slice(missing.remove(at).1.as_bytes());
                new.extend_from_slice(&line[bare(line).len()..]);
            }
        }
    }
    let ending: &[u8] = if lines.first().is_some_and(|line| line.ends_with(b"\r\n")) { b"\r\n" } else { b"\n" };
    for (_, line) in missing {
        if !new.is_empty() && !new.ends_with(b"\n") {
            new.push(b'\n');
        }
        new.extend([line.as_bytes(), ending].concat());
    }
    if new.is_empty() && super::has_pages(folder) { HEADING.to_vec() } else { new }
}

/// Whether a line links only to pages of ours, and to no memory.
fn is_of_pages(line: &str, folder: &Path) -> bool {
    let named = links(line, folder);
    !named.is_empty() && named.iter().all(|file| super::PAGES.contains(&file.as_str()))
}

/// An index as it is to be, of lines that are there already or were masked.
pub fn kept(index: Vec<u8>) -> Masked {
    Masked::exact(index)
}

/// A line without its end.
fn bare(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Changes the index of a folder, see [`listed`]; the caller holds the folder's lock, and has masked what is wanted.
pub fn change(folder: &Path, ours: &Lines, wanted: &Lines) -> Result<(), Failure> {
    file::rewrite(&store::own_file(folder, NAME)?, |index| {
        let index = index.unwrap_or_default();
        let new = listed(index, folder, ours, wanted);
        (new != index).then(|| kept(new))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(lines: &[&str]) -> Lines {
        lines.iter().map(|line| (line.trim_start_matches(['-', ' ']).to_owned(), (*line).to_owned())).collect()
    }

    #[test]
    fn lines_of_others_stay_to_the_byte() {
        let index = b"# Mine\r\n\r\n- [A](a.md) \xff x  \r\n- ours\r\nlast";
        let of = |ours: &[(&str, &str)], wanted: &[(&str, &str)]| {
            let lines = |all: &[(&str, &str)]| all.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
            listed(index, Path::new("/m"), &lines(ours), &lines(wanted))
        };
        let ours = ("f", "- ours");
        assert_eq!(of(&[], &[("f", "- new")]), b"# Mine\r\n\r\n- [A](a.md) \xff x  \r\n- ours\r\nlast\n- new\r\n");
        assert_eq!(of(&[ours], &[("f", "- new")]), b"# Mine\r\n\r\n- [A](a.md) \xff x  \r\n- new\r\nlast");
        assert_eq!(of(&[ours], &[]), b"# Mine\r\n\r\n- [A](a.md) \xff x  \r\nlast");
        assert_eq!(of(&[("f", "- not there")], &[]), index);
        assert_eq!(of(&[ours], &[ours]), index);
        assert_eq!(of(&[], &[ours]), index);
        assert_eq!(listed(b"", Path::new("/m"), &Lines::new(), &lines(&["- a", "- b"])), b"- a\n- b\n");
    }

    #[test]
    fn a_line_is_short_and_links_are_found_in_any_form() {
        assert_eq!(line("a-b.md", "likes-tabs", "Tabs,\nalways"), "- [Likes tabs](a-b.md) — Tabs, always");
        let folder = Path::new("/m");
        let of = |line: &str| links(line, folder);
        assert_eq!(of(&line("a b.md", "x", "y")), ["a b.md"]);
        assert_eq!(of("- [A](./a.md#top) and [B](<b c.md>), [C](d%20e.md)"), ["a.md", "b c.md", "d e.md"]);
        assert_eq!(of("- [A](/m/a.md \"title\")"), ["a.md"]);
        assert!(of("see [x](https://x.example/a.md), [y](../y.md), [z](/etc/z.md), [n]()").is_empty());
    }
}

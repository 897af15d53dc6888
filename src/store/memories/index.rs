//! `MEMORY.md`: the index of a folder of typed memories, a line each. The client, its agent and people write it, too, and
//! take no lock: a change puts a new file in its place and takes over what was written meanwhile. Lines that we did not
//! write stay as they are, to the byte.

use crate::base::exit::Failure;
use crate::base::file;
use crate::base::masked::Masked;
use crate::base::text;
use crate::redact::Redactor;
use crate::store;
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

/// A change of one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// The line that goes; none for one that is added at the end.
    pub old: Option<String>,
    /// The line that comes, in its place.
    pub new: Option<String>,
}

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

/// The edits that take out lines that link to nothing but files of ours that are no memories: a client that finds no
/// index makes one of every page in the folder.
pub fn without_ours(lines: &[String], folder: &Path) -> Vec<Edit> {
    let is_ours = |line: &&String| {
        let named = links(line, folder);
        !named.is_empty() && named.iter().all(|file| super::PAGES.contains(&file.as_str()))
    };
    lines.iter().filter(is_ours).map(|line| Edit { old: Some(line.clone()), ..Edit::default() }).collect()
}

/// An index that is not empty where pages of ours are: an empty one is removed, and the client would make its own.
pub fn whole(index: Vec<u8>, folder: &Path) -> Vec<u8> {
    if index.is_empty() && super::has_pages(folder) { HEADING.to_vec() } else { index }
}

/// An index as it is; status 65 for one that is far larger than what its client reads.
pub fn bytes(folder: &Path) -> Result<Vec<u8>, Failure> {
    Ok(file::read_at_most(&folder.join(NAME), MOST_BYTES)?.unwrap_or_default())
}

/// The lines of an index.
pub fn read(folder: &Path) -> Result<Vec<String>, Failure> {
    Ok(String::from_utf8_lossy(&bytes(folder)?).lines().map(str::to_owned).collect())
}

/// Whether an index has more than its reader reads.
pub fn is_too_long(folder: &Path) -> Result<bool, Failure> {
    let bytes = self::bytes(folder)?;
    Ok(bytes.len() > BYTES || bytes.split(|byte| *byte == b'\n').count() > LINES + 1)
}

/// An index with its lines changed; all else stays. A line that is there already does not come again.
pub fn edited(index: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = index.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let ending: &[u8] = if lines.first().is_some_and(|line| line.ends_with(b"\r\n")) { b"\r\n" } else { b"\n" };
    for Edit { old, new } in edits {
        let place = |wanted: &String| lines.iter().position(|line| bare(line) == wanted.as_bytes());
        let at = old.as_ref().filter(|_| old != new).and_then(place);
        let new = new.as_ref().filter(|new| place(new).is_none());
        match (at, new) {
            (Some(at), Some(new)) => {
                let end = &lines[at][bare(&lines[at]).len()..];
                lines[at] = [new.as_bytes(), end].concat();
            }
            (Some(at), None) => _ = lines.remove(at),
            (None, Some(new)) => {
                if let Some(last) = lines.last_mut().filter(|last| !last.ends_with(b"\n")) {
                    last.push(b'\n');
                }
                lines.push([new.as_bytes(), ending].concat());
            }
            (None, None) => {}
        }
    }
    lines.concat()
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

/// Changes the index of a folder, and makes one where pages of ours are and none is; the caller holds the folder's lock.
pub fn change(folder: &Path, edits: &[Edit], redactor: &Redactor) -> Result<(), Failure> {
    let masked = |line: &String| redactor.shown(line).into_owned();
    let masked = |edit: &Edit| Edit { old: edit.old.clone(), new: edit.new.as_ref().map(masked) };
    let edits: Vec<Edit> = edits.iter().map(masked).collect();
    file::rewrite(&store::own_file(folder, NAME)?, |index| {
        let index = index.unwrap_or_default();
        let new = whole(edited(index, &edits), folder);
        (new != index).then(|| Masked::exact(new))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(old: &str, new: &str) -> Edit {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Edit { old: some(old), new: some(new) }
    }

    #[test]
    fn lines_of_others_stay_to_the_byte() {
        let index = b"# Mine\r\n\r\n- [A](a.md) \xff x  \r\n- ours\r\nlast";
        let text = |edits: &[Edit]| edited(index, edits);
        assert_eq!(text(&[edit("", "- new")]), b"# Mine\r\n\r\n- [A](a.md) \xff x  \r\n- ours\r\nlast\n- new\r\n");
        assert_eq!(text(&[edit("- ours", "- new")]), b"# Mine\r\n\r\n- [A](a.md) \xff x  \r\n- new\r\nlast");
        assert_eq!(text(&[edit("- ours", "")]), b"# Mine\r\n\r\n- [A](a.md) \xff x  \r\nlast");
        assert_eq!(text(&[edit("- not there", "")]), index);
        assert_eq!(text(&[edit("", "- ours")]), index);
        assert_eq!(edited(b"", &[edit("", "- a"), edit("", "- b")]), b"- a\n- b\n");
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

    #[test]
    fn what_is_added_is_at_the_end_of_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let redactor = Redactor::new(&crate::base::config::Privacy::default()).unwrap();
        let there = || std::fs::read_to_string(folder.path().join(NAME)).unwrap();
        for (before, after) in [("", "- a\n"), ("x", "x\n- a\n"), ("x\r\n", "x\r\n- a\r\n"), ("- a", "- a")] {
            std::fs::write(folder.path().join(NAME), before).unwrap();
            change(folder.path(), &[edit("", "- a")], &redactor).unwrap();
            assert_eq!(there(), after, "{before:?}");
        }
        change(folder.path(), &[edit("- a", "- b"), edit("", "- c")], &redactor).unwrap();
        assert_eq!(there(), "- b\n- c\n");
        change(folder.path(), &[edit("- b", ""), edit("- c", "")], &redactor).unwrap();
        assert!(!folder.path().join(NAME).exists());
    }
}

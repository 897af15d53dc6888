//! Reading a transcript message by message, and on from where an earlier reading ended: of a file that
//! only grew nothing is read twice. What cannot be told from the new part alone (a prompt that takes
//! the place of an old one, a message that goes on) is found out, and then the file is to be read whole.

use super::super::claude::reader;
use super::{Conversation, Keep, Reader, ResumePoint, hand_out, open};
use crate::base::exit::Failure;
use crate::record::item;
use crate::record::message::Message;
use serde_json::value::RawValue;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The head of a file, and the bytes before the place where a reading ended, that must be the same.
const HEAD_BYTES: u64 = 4 << 10;
const TAIL_BYTES: u64 = 64 << 10;

/// Hands out the messages of the conversation in file order, those behind `mark` when there is one;
/// none when what was read before does not hold any more.
pub fn read_on(
    path: &Path,
    mark: Option<ResumePoint>,
    act: &mut dyn FnMut(&Message) -> Result<(), Failure>,
) -> Result<Option<Conversation>, Failure> {
    let (mut file, (size, _)) = open(path)?;
    let (start, before, reader) = match mark {
        None => (0, 0, Some(Reader::new(Keep::Pages))),
        Some(mark) if mark.holds(&mut file, size).map_err(Failure::at(path))? => {
            (mark.offset, mark.lines, Reader::resumed(&mark.state))
        }
        Some(_) => return Ok(None),
    };
    let Some(mut reader) = reader else { return Ok(None) };
    file.seek(SeekFrom::Start(start)).map_err(Failure::at(path))?;
    let new = (&file).take(size - start);
    let (lines, is_torn) =
        hand_out(&path.display().to_string(), &mut reader, new, before, &mut |message| act(&message))?;
    let Some((rest, mut told, state)) = reader.finish_told() else { return Ok(None) };
    rest.iter().try_for_each(act)?;
    told.size_bytes = size;
    // A last line without its newline can still grow.
    if let Some(state) = state.filter(|_| !is_torn) {
        told.mark = Some(ResumePoint::at(&mut file, (size, lines), state).map_err(Failure::at(path))?);
    }
    Ok(Some(told))
}

impl ResumePoint {
    fn at(file: &mut File, (offset, lines): (u64, u64), state: Box<RawValue>) -> io::Result<Self> {
        let inode = file.metadata()?.ino();
        let (head, tail) = fingerprints(file, offset)?;
        Ok(Self { format: reader::FORMAT, offset, lines, inode, head, tail, state })
    }

    /// Whether a file of this size begins with what was read.
    fn holds(&self, file: &mut File, size: u64) -> io::Result<bool> {
        if self.format != reader::FORMAT || size < self.offset || file.metadata()?.ino() != self.inode {
            return Ok(false);
        }
        let (head, tail) = fingerprints(file, self.offset)?;
        Ok(head == self.head && tail == self.tail)
    }
}

/// Hashes of the head of a file and of what comes before `offset`.
fn fingerprints(file: &mut File, offset: u64) -> io::Result<(String, String)> {
    let mut hash = |from: u64, bytes: u64| {
        let mut part = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        file.take(bytes).read_to_end(&mut part)?;
        io::Result::Ok(item::hash(&part))
    };
    let head = hash(0, HEAD_BYTES.min(offset))?;
    let start = offset.saturating_sub(TAIL_BYTES);
    Ok((head, hash(start, offset - start)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is in a mark, and every hash in it. A mark on disk can be of another build, so if this fails:
    /// raise FORMAT, and put it here and the mark in resume.json.
    #[test]
    fn a_mark_of_this_format_is_known() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), include_str!("resume.jsonl")).unwrap();
        let mark = read_on(file.path(), None, &mut |_| Ok(())).unwrap().unwrap().mark.unwrap();
        let known = serde_json::to_string(&ResumePoint { inode: 0, ..mark }).unwrap();
        assert_eq!((reader::FORMAT, known.as_str()), (6, include_str!("resume.json").trim_end()));
    }

    /// The totals of a file that grew are those of the whole file, answers that stand on both sides included.
    #[test]
    fn what_was_answered_later_counts_once() {
        // Its last line is the answer.
        let whole = include_str!("answered.jsonl");
        let (begun, _) = whole.split_at(whole.trim_end().rfind('\n').unwrap() + 1);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), begun).unwrap();
        let told = read_on(file.path(), None, &mut |_| Ok(())).unwrap().unwrap();
        assert_eq!(told.totals.user_chars, 7);
        std::fs::write(file.path(), whole).unwrap();
        let grown = read_on(file.path(), told.mark, &mut |_| Ok(())).unwrap().unwrap();
        let whole = read_on(file.path(), None, &mut |_| Ok(())).unwrap().unwrap();
        assert_eq!((whole.totals.user_chars, &grown.totals), (7 + 9, &whole.totals));
        for keep in [Keep::Counts, Keep::Conversation, Keep::Everything] {
            assert_eq!(super::super::read(file.path(), None, keep).unwrap().totals, whole.totals, "{keep:?}");
        }
    }
}

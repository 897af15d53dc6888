//! The lines of a file through one buffer that is reused. It grows for a long line, but only up to a
//! limit: of a line that is longer still each long string is cut to its head while the line is read, and
//! what is over the limit even then is left out. So memory is bounded whatever is in the file.
//!
//! The invariant: `bytes[start..end]` is read and not yet given out; behind `end` is room to read to.

#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::kernel;
use memchr::memchr;
use std::io::{ErrorKind, Read, Result};

/// How long things may be, in bytes.
#[derive(Clone, Copy, Default)]
pub struct Limits {
    /// The buffer at first.
    pub buffer: usize,
    /// The buffer at most. A line that does not fit, its newline included, is cut.
    pub line: usize,
    /// What is kept of a string in a line that is cut.
    pub string: usize,
}

/// lh-messages(1) names the last two. A larger buffer falls out of the cache, with a smaller one the
/// kernel takes longer to give out the same file.
pub const LIMITS: Limits = Limits { buffer: 1 << 20, line: 4 << 20, string: 64 << 10 };

/// Gives each line to `act`, with or without its newline, for as long as that says so: its number from 1, its bytes, and
/// whether it ends the file without a newline.
pub fn each_while(input: impl Read, limits: Limits, mut act: impl FnMut(u64, &[u8], bool) -> bool) -> Result<()> {
    let mut lines = Lines { input, limits, bytes: vec![0; limits.buffer], size: limits.buffer, start: 0, end: 0 };
    let mut number = 0_u64;
    while let Some((line, last)) = lines.next()? {
        number = number.saturating_add(1);
        if !act(number, line, last) {
            break;
        }
    }
    Ok(())
}

struct Lines<R> {
    input: R,
    limits: Limits,
    bytes: Vec<u8>,
    /// How much of `bytes` is used now.
    size: usize,
    start: usize,
    end: usize,
}

impl<R: Read> Lines<R> {
    fn next(&mut self) -> Result<Option<(&[u8], bool)>> {
        let mut seen = self.start;
        loop {
            let start = self.start;
            if let Some(newline) = self.newline(seen) {
                self.start = newline.saturating_add(1);
                return Ok(Some((slice(&self.bytes, start, self.start), false)));
            }
            if !self.make_room() {
                return self.cut_line().map(Some);
            }
            seen = self.end;
            if !self.fill(self.size)? {
                let (start, end) = (self.start, self.end);
                self.start = end;
                return Ok((start < end).then(|| (slice(&self.bytes, start, end), true)));
            }
        }
    }

    fn newline(&self, from: usize) -> Option<usize> {
        from.checked_add(memchr(b'\n', slice(&self.bytes, from, self.end))?)
    }

    /// Makes room behind `end`; false when the buffer is full with one line and may not grow.
    fn make_room(&mut self) -> bool {
        if self.end < self.size {
            return true;
        }
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end = self.end.saturating_sub(self.start);
            self.start = 0;
            if self.end < self.limits.buffer {
                // Behind a long line: what is small stays in the cache.
                self.size = self.limits.buffer;
            }
            return true;
        }
        let size = self.size.saturating_mul(2).min(self.limits.line);
        let grows = size > self.size;
        if grows {
            self.size = size;
            // Of a line at its limit there is room to read on, without another copy of it.
            let room = if size == self.limits.line { self.limits.buffer } else { 0 };
            self.bytes.resize(self.bytes.len().max(size.saturating_add(room)), 0);
        }
        grows
    }

    /// Reads what fits between `end` and `to`; false at the end of the file.
    fn fill(&mut self, to: usize) -> Result<bool> {
        let room = self.bytes.get_mut(self.end..to).unwrap_or_default();
        loop {
            match self.input.read(room) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(length) => {
                    self.end = self.end.saturating_add(length);
                    return Ok(length > 0);
                }
            }
        }
    }

    /// Reads on in the line that fills the buffer, and cuts it.
    fn cut_line(&mut self) -> Result<(&[u8], bool)> {
        let mut cut = Cut { limits: self.limits, ..Cut::default() };
        // A line at its limit leaves room to read to.
        self.bytes.resize(self.limits.line.saturating_add(self.limits.buffer), 0);
        let mut from = self.start;
        loop {
            let newline = self.newline(from);
            cut.take(&mut self.bytes, from, newline.unwrap_or(self.end));
            if let Some(newline) = newline {
                self.start = newline.saturating_add(1);
                return Ok((cut.line(&mut self.bytes), false));
            }
            from = cut.length;
            self.end = from;
            if !self.fill(from.saturating_add(self.limits.buffer))? {
                self.start = self.end;
                return Ok((cut.line(&mut self.bytes), true));
            }
        }
    }
}

/// A line in parts, moved together at the head of the buffer that holds them.
#[derive(Default)]
struct Cut {
    limits: Limits,
    /// How much is kept so far.
    length: usize,
    /// More than a line may have was left out.
    over: bool,
    /// Whether the next byte is in a string, and whether it is escaped.
    inside: bool,
    escape: bool,
    /// Where in what is kept the last string begins, and whether it is at its limit.
    begin: usize,
    full: bool,
}

impl Cut {
    /// Takes the next part, which has no newline.
    fn take(&mut self, bytes: &mut [u8], mut from: usize, to: usize) {
        while from < to && !self.over {
            if self.full && !self.escape {
                // Of the rest of a long string only its end is looked for.
                let end = kernel::string(slice(bytes, 0, to), from);
                self.escape = end.is_none() && kernel::escapes(slice(bytes, from, to));
                from = end.map_or(to, |end| end.saturating_sub(1));
            }
            let Some(byte) = slice(bytes, from, to).first().copied() else { return };
            from = from.saturating_add(1);
            let is_mark = byte == b'"' && !self.escape;
            self.escape = self.inside && byte == b'\\' && !self.escape;
            let is_text = self.inside && !is_mark;
            if is_text && !self.full && self.length.saturating_sub(self.begin) >= self.limits.string {
                self.full = true;
                self.length = self.begin.saturating_add(whole(slice(bytes, self.begin, self.length)));
            }
            if !(is_text && self.full) {
                self.over = self.length >= self.limits.line;
                if let Some(kept) = bytes.get_mut(self.length).filter(|_| !self.over) {
                    *kept = byte;
                    self.length = self.length.saturating_add(1);
                }
            }
            if is_mark {
                *self = Self { inside: !self.inside, begin: self.length, full: false, ..*self };
            }
        }
    }

    /// What is kept of the line. Where something is missing stands a NUL, which no record can have.
    fn line<'a>(&self, bytes: &'a mut [u8]) -> &'a [u8] {
        if self.over
            && let Some(byte) = bytes.get_mut(self.length)
        {
            *byte = 0;
        }
        slice(bytes, 0, self.length.saturating_add(usize::from(self.over)))
    }
}

/// How much of the beginning of a string can stand for it, no escape and no letter cut in two.
pub fn whole(head: &[u8]) -> usize {
    let mut end = 0_usize;
    while let Some(slash) = memchr(b'\\', slice(head, end, head.len())) {
        let start = end.saturating_add(slash);
        let length = match slice(head, start, head.len()) {
            [_, b'u', rest @ ..] => {
                let digits = rest.iter().take(4).take_while(|digit| digit.is_ascii_hexdigit()).count();
                if digits == rest.len() { 6 } else { digits.saturating_add(2) }
            }
            _ => 2,
        };
        end = start.saturating_add(length);
        if end > head.len() {
            return start;
        }
    }
    let torn = head.utf8_chunks().last().map_or(0, |chunk| chunk.invalid().len());
    head.len().saturating_sub(torn)
}

fn slice(bytes: &[u8], from: usize, to: usize) -> &[u8] {
    bytes.get(from..to).unwrap_or_default()
}

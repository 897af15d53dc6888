//! A sum over bytes whose definition never changes, because it is kept on disk: of a page, to see whether
//! it was changed, and of the ids in a transcript, to read on. It need not be hard to make two
//! texts with one sum, and there are many megabytes of them: so it is a quick one, not SHA-256. (std's
//! `DefaultHasher` may be another one with each Rust release.)

use std::io::{self, Write};

/// An odd number whose bits are well mixed: 2^64 divided by the golden ratio.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// The sum of the bytes that were added.
#[derive(Default)]
pub struct Sum {
    state: u64,
    length: u64,
    /// Bytes that are not yet eight, and how many.
    rest: [u8; 8],
    held: usize,
}

impl Sum {
    /// Adds bytes; however they are split, the sum is the same.
    pub fn add(&mut self, mut bytes: &[u8]) {
        self.length = self.length.wrapping_add(bytes.len() as u64);
        if self.held > 0 {
            let (head, behind) = bytes.split_at(bytes.len().min(8 - self.held));
            self.hold(head);
            bytes = behind;
            if self.held < 8 {
                return;
            }
            self.mix(u64::from_le_bytes(self.rest));
            self.held = 0;
        }
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        self.hold(rest);
    }

    fn hold(&mut self, bytes: &[u8]) {
        self.rest[self.held..][..bytes.len()].copy_from_slice(bytes);
        self.held += bytes.len();
    }

    fn mix(&mut self, word: u64) {
        let mixed = (self.state ^ word).wrapping_mul(MIX);
        self.state = mixed ^ (mixed >> 29);
    }

    /// The sum in hex digits.
    pub fn hex(self) -> String {
        format!("{:016x}", self.number())
    }

    /// The sum as a number.
    pub fn number(mut self) -> u64 {
        self.rest[self.held..].fill(0);
        self.mix(u64::from_le_bytes(self.rest));
        self.mix(self.length);
        self.state
    }
}

/// The sum of some bytes as a number.
pub fn of(bytes: &[u8]) -> u64 {
    let mut sum = Sum::default();
    sum.add(bytes);
    sum.number()
}

/// Writes on, and adds up what is written.
pub struct Summed<'a, W> {
    /// Where it goes.
    pub out: W,
    /// The sum of it.
    pub sum: &'a mut Sum,
}

impl<W: Write> Write for Summed<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.sum.add(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    fn sum(parts: &[&[u8]]) -> String {
        let mut sum = Sum::default();
        for part in parts {
            sum.add(part);
        }
        sum.hex()
    }

    /// On disk there are sums of earlier builds: these never change.
    #[test]
    fn known_texts_have_known_sums() {
        for [text, known] in rows(include_str!("hash.tsv")) {
            assert_eq!(sum(&[text.as_bytes()]), known, "{text}");
        }
    }

    #[test]
    fn every_byte_and_its_place_count_and_the_splits_do_not() {
        let text = b"a page of a session, with 42 bytes in all.";
        let whole = sum(&[text]);
        for at in 0..text.len() {
            let (a, b) = text.split_at(at);
            let (b, c) = b.split_at(b.len() / 2);
            assert_eq!(sum(&[a, b, c]), whole);
            let mut other = text.to_vec();
            other[at] ^= 1;
            assert_ne!(sum(&[&other]), whole);
            assert_ne!(sum(&[a]), whole);
            other[at] ^= 1;
            other.rotate_left(at);
            assert_eq!(sum(&[&other]) == whole, at == 0);
        }
        assert_ne!(sum(&[b""]), sum(&[b"\0"]));
    }
}

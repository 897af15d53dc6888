//! A sum over a page, to see whether somebody changed it. Nobody has to be kept from making two pages
//! with one sum, and pages grow to many megabytes: so it is a quick one, not SHA-256.

use std::io::{self, Write};

/// An odd number whose bits are well mixed: 2^64 divided by the golden ratio.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// The sum of the bytes that were added.
#[derive(Default)]
pub struct Sum {
    state: u64,
    length: u64,
    /// Bytes that are not yet eight.
    rest: Vec<u8>,
}

impl Sum {
    /// Adds bytes; however they are split, the sum is the same.
    pub fn add(&mut self, mut bytes: &[u8]) {
        self.length = self.length.wrapping_add(u64::try_from(bytes.len()).unwrap_or_default());
        if !self.rest.is_empty() {
            let (head, behind) = bytes.split_at(bytes.len().min(8_usize.saturating_sub(self.rest.len())));
            self.rest.extend_from_slice(head);
            bytes = behind;
            if let Ok(word) = <[u8; 8]>::try_from(self.rest.as_slice()) {
                self.mix(u64::from_le_bytes(word));
                self.rest.clear();
            }
        }
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        self.rest.extend_from_slice(rest);
    }

    fn mix(&mut self, word: u64) {
        let mixed = (self.state ^ word).wrapping_mul(MIX);
        self.state = mixed ^ (mixed >> 29);
    }

    /// The sum in hex digits.
    pub fn hex(mut self) -> String {
        self.rest.resize(8, 0);
        let rest = <[u8; 8]>::try_from(self.rest.as_slice()).unwrap_or_default();
        self.mix(u64::from_le_bytes(rest));
        self.mix(self.length);
        format!("{:016x}", self.state)
    }
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
        self.sum.add(bytes.get(..count).unwrap_or_default());
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(parts: &[&[u8]]) -> String {
        let mut sum = Sum::default();
        for part in parts {
            sum.add(part);
        }
        sum.hex()
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

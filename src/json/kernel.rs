//! Where a string, an object or an array ends: the hot loop of the reader, 64 bytes a step. The bytes
//! of a step become bits of a `u64`, one mask for each letter that matters, and what a byte loop
//! would decide one by one is arithmetic on the masks (the method is simdjson's). The SIMD
//! instructions are those that every machine of the architecture has, through the safe crate `wide`.
//! Taking a mask out of the vectors is what costs, so within a string, where nearly all bytes are, a
//! step without an end takes none.
//!
//! The invariant: a step of a container begins outside of strings, and a step of a string behind its
//! first looks back on bytes of the same string only. So where the steps begin changes nothing, and
//! `tests` holds each function against a byte loop.

#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use wide::{u8x32, u8x64};

/// The bytes of a step.
const STEP: usize = 64;

/// The bytes that a short string fits in.
pub const SHORT: usize = 32;

/// Every second bit.
const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;

/// Where the string ends whose first byte behind the quotation mark is at `at`: behind its closing
/// mark. What comes before `at` does not count.
pub fn string(bytes: &[u8], at: usize) -> Option<usize> {
    let text = bytes.get(at..)?;
    let end = match text.first_chunk::<STEP>() {
        Some(block) => first_end(&u8x64::new(*block), 0).or_else(|| long_string(text)),
        None => first_end(&u8x64::new(padded(text)), 0),
    };
    end?.checked_add(at)
}

/// The same when the first step has no end.
fn long_string(text: &[u8]) -> Option<usize> {
    let mut start = STEP;
    // The last two bytes of the step before are looked at, too.
    while let Some(window) = text.get(start.wrapping_sub(2)..).and_then(<[u8]>::first_chunk::<{ STEP + 2 }>) {
        let ends = possible_ends(window);
        if ends.any()
            && let Some(end) = true_end(text, start, ends.to_bitmask())
        {
            return Some(end);
        }
        start = start.wrapping_add(STEP);
    }
    let tail = u8x64::new(padded(text.get(start..)?));
    first_end(&tail, u64::from(escapes(text.get(..start)?)))?.checked_add(start)
}

/// The same as [`string`] for keys, ids and words, which are short; none for a string that is longer or
/// has a backslash.
#[inline]
pub fn short_string(bytes: &[u8], at: usize) -> Option<usize> {
    let text = bytes.get(at..)?;
    // At the end of the bytes the step begins earlier, and what is too much falls out of the masks.
    let (head, early) = match text.first_chunk::<SHORT>() {
        Some(head) => (head, 0),
        None => (bytes.last_chunk::<SHORT>()?, SHORT.wrapping_sub(text.len())),
    };
    let head = u8x32::new(*head);
    let quotes = u64::from(head.simd_eq(u8x32::splat(b'"')).to_bitmask()) >> early;
    let slashes = u64::from(head.simd_eq(u8x32::splat(b'\\')).to_bitmask()) >> early;
    let ends = quotes != 0 && slashes & below(quotes) == 0;
    ends.then(|| at.wrapping_add(first_bit(quotes)).wrapping_add(1))
}

/// The quotation marks behind the first two bytes that no single backslash escapes.
#[inline]
fn possible_ends(window: &[u8; STEP + 2]) -> u8x64 {
    let behind = |at: usize| {
        window.get(at..).and_then(<[u8]>::first_chunk::<STEP>).map_or(u8x64::ZERO, |block| u8x64::new(*block))
    };
    let slash = u8x64::splat(b'\\');
    let (once, twice) = (behind(1).simd_eq(slash), behind(0).simd_eq(slash));
    behind(2).simd_eq(u8x64::splat(b'"')) & (!once | twice)
}

/// The first of these quotation marks before which the number of backslashes is even: behind it.
fn true_end(text: &[u8], start: usize, mut ends: u64) -> Option<usize> {
    while ends != 0 {
        let end = start.checked_add(first_bit(ends))?;
        if !escapes(text.get(..end)?) {
            return end.checked_add(1);
        }
        ends &= ends.wrapping_sub(1);
    }
    None
}

/// Whether the bytes end with a backslash that escapes what follows: with an odd number of them.
pub fn escapes(bytes: &[u8]) -> bool {
    !bytes.iter().rev().take_while(|byte| **byte == b'\\').count().is_multiple_of(2)
}

/// The first quotation mark of a block of a string that is not escaped: behind it. `escape` is 1 when
/// the block's first byte is escaped.
#[inline]
fn first_end(block: &u8x64, mut escape: u64) -> Option<usize> {
    let quotes = equal(block, b'"') & !escaped(equal(block, b'\\'), &mut escape);
    (quotes != 0).then(|| first_bit(quotes).wrapping_add(1))
}

/// Where the object or array ends that begins at `at`: behind its last bracket. Which bracket closes
/// which is remembered in a bit each for 64 levels; below that only their number counts. With a
/// backslash outside of strings it has no end.
pub fn container(bytes: &[u8], at: usize) -> Option<usize> {
    let mut depth = Depth::default();
    let mut start = at;
    while start < bytes.len() {
        let rest = bytes.get(start..)?;
        let block = u8x64::new(rest.first_chunk::<STEP>().copied().unwrap_or_else(|| padded(rest)));
        let mut escape = 0;
        let slashes = equal(&block, b'\\');
        let quotes = equal(&block, b'"') & !escaped(slashes, &mut escape);
        let inside = parity(quotes);
        // In ASCII a bracket and the brace of its side differ in this bit alone.
        let folded = block | u8x64::splat(0x20);
        let (opens, closes) = (equal(&folded, b'{') & !inside, equal(&folded, b'}') & !inside);
        let stray = slashes & !inside;
        if opens | closes | stray != 0 {
            let braces = equal(&block, b'{') | equal(&block, b'}');
            match depth.brackets(opens & below(stray), closes & below(stray), braces) {
                Ok(()) if stray == 0 => {}
                Err(Some(bit)) => return start.checked_add(first_bit(bit))?.checked_add(1),
                _ => return None,
            }
        }
        start = start.checked_add(STEP)?;
        if inside >> 63 == 1 {
            start = string(bytes, start.checked_add(usize::from(escape != 0))?)?;
        }
    }
    None
}

/// The brackets that are open.
#[derive(Default)]
struct Depth {
    count: u32,
    /// A bit for each, the last one lowest: whether it is a brace.
    braces: u64,
}

impl Depth {
    /// Takes the brackets of a step. An error is the bracket that closes the outermost one, or none when
    /// one closes what it did not open.
    fn brackets(&mut self, opens: u64, closes: u64, braces: u64) -> Result<(), Option<u64>> {
        let mut rest = opens | closes;
        while rest != 0 {
            let bit = rest & rest.wrapping_neg();
            rest ^= bit;
            let brace = braces & bit != 0;
            if opens & bit != 0 {
                if self.count < 64 {
                    self.braces = (self.braces << 1) | u64::from(brace);
                }
                self.count = self.count.saturating_add(1);
                continue;
            }
            if self.count <= 64 {
                if (self.braces & 1 == 1) != brace {
                    return Err(None);
                }
                self.braces >>= 1;
            }
            self.count = self.count.saturating_sub(1);
            if self.count == 0 {
                return Err(Some(bit));
            }
        }
        Ok(())
    }
}

/// The bytes behind the last whole step, filled up with what means nothing.
fn padded(tail: &[u8]) -> [u8; STEP] {
    let mut block = [0; STEP];
    if let Some(head) = block.get_mut(..tail.len()) {
        head.copy_from_slice(tail);
    }
    block
}

#[inline]
fn equal(block: &u8x64, letter: u8) -> u64 {
    block.simd_eq(u8x64::splat(letter)).to_bitmask()
}

/// The bytes that a backslash before them escapes. `escape` is 1 when that backslash is in the
/// step before. Of a run of backslashes every second one is escaped, and what follows an odd run.
#[inline]
fn escaped(slashes: u64, escape: &mut u64) -> u64 {
    if slashes == 0 {
        return std::mem::take(escape);
    }
    let fresh = slashes & !*escape;
    // Subtracting lets each run carry up to its end; whether it began at an odd bit says which.
    let codes = ((fresh << 1) | ODD).wrapping_sub(fresh) ^ ODD;
    let escaped = codes ^ (slashes | *escape);
    *escape = (codes & slashes) >> 63;
    escaped
}

/// For each bit whether the number of bits up to it is odd.
#[inline]
fn parity(bits: u64) -> u64 {
    let bits = bits ^ (bits << 1);
    let bits = bits ^ (bits << 2);
    let bits = bits ^ (bits << 4);
    let bits = bits ^ (bits << 8);
    let bits = bits ^ (bits << 16);
    bits ^ (bits << 32)
}

/// The bits below the lowest of `bits`; all where there is none.
#[inline]
fn below(bits: u64) -> u64 {
    bits.wrapping_sub(1) & !bits
}

/// The place of the lowest bit.
#[inline]
fn first_bit(bits: u64) -> usize {
    usize::try_from(bits.trailing_zeros()).unwrap_or(STEP)
}

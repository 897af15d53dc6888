//! Where a string, an object or an array ends: the hot loop of the reader. Nearly all bytes are within strings, so these
//! are read 64 bytes a step: the bytes of a step become bits of a `u64`. The SIMD instructions are those that every machine of
//! the architecture has, through the safe crate `wide`. Taking a mask out of the vectors is what costs, so a step without an
//! end takes none.
//!
//! The invariant: a step of a string behind its first looks back on bytes of the same string only. So where the steps begin
//! changes nothing, and `tests` holds the strings against a byte loop.

#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use wide::{u8x32, u8x64};

/// The bytes of a step.
const STEP: usize = 64;

/// The bytes that a short string fits in.
pub const SHORT: usize = 32;

/// Levels of which the kind of bracket is remembered.
const LEVELS: u32 = 64;

/// Where the string ends whose first byte behind the quotation mark is at `at`: behind its closing
/// mark. What comes before `at` does not count.
pub fn string(bytes: &[u8], at: usize) -> Option<usize> {
    let text = bytes.get(at..)?;
    let mut start = 0_usize;
    while let Some(block) = text.get(start..).and_then(<[u8]>::first_chunk::<STEP>) {
        // The last two bytes of the step before are looked at, too; the first step has none.
        let window = text.get(start.wrapping_sub(2)..).and_then(<[u8]>::first_chunk::<{ STEP + 2 }>);
        let ends = window.map_or_else(|| u8x64::new(*block).simd_eq(u8x64::splat(b'"')), possible_ends);
        if ends.any()
            && let Some(end) = true_end(text, start, ends.to_bitmask())
        {
            return end.checked_add(at);
        }
        start = start.wrapping_add(STEP);
    }
    let is_end = |end: &usize| text.get(*end) == Some(&b'"') && !escapes(text.get(..*end).unwrap_or_default());
    (start..text.len()).find(is_end)?.checked_add(1)?.checked_add(at)
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

/// Where the object or array ends that begins at `at`: behind its last bracket. Which bracket closes
/// which is remembered for [`LEVELS`]; below that only their number counts. With a backslash outside of strings it has no
/// end.
pub fn container(bytes: &[u8], mut at: usize) -> Option<usize> {
    // Of the brackets that are open a bit each, the last one lowest: whether it is a brace.
    let (mut depth, mut braces) = (0_u32, 0_u64);
    loop {
        let byte = *bytes.get(at)?;
        at = at.checked_add(1)?;
        match byte {
            b'"' => at = short_string(bytes, at).or_else(|| string(bytes, at))?,
            b'{' | b'[' => {
                if depth < LEVELS {
                    braces = (braces << 1) | u64::from(byte == b'{');
                }
                depth = depth.checked_add(1)?;
            }
            b'}' | b']' => {
                if depth <= LEVELS {
                    if (braces & 1 == 1) != (byte == b'}') {
                        return None;
                    }
                    braces >>= 1;
                }
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            b'\\' => return None,
            _ => {}
        }
    }
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

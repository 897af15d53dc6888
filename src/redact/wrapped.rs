//! Tokens that a terminal, or who pasted one, broke over lines: the rest of the token is the first word of
//! the next line.

use super::rule::Secret;
use super::word;

/// The longest token that is put together, the most lines it is on, and the deepest next line.
const TOKEN_BYTES: usize = 1000;
const LINES: usize = 4;
const INDENT: usize = 8;
/// The longest text between two halves of a string.
const JOINT_BYTES: usize = 40;
/// What is shorter is not a token's first line.
const FIRST_BYTES: usize = 8;

/// The tokens in a part of a text that line breaks are in. `whole` finds the secret of a token that has
/// been put together.
pub fn find(
    text: &[u8],
    (start, end): (usize, usize),
    keywords: &[&str],
    whole: impl Fn(&[u8]) -> Option<Secret>,
) -> Vec<Secret> {
    let part = text.get(start..end.min(text.len())).unwrap_or_default();
    let strings = [b"\" ", b"' "].into_iter().flat_map(|end| memchr::memmem::find_iter(part, end));
    let breaks = memchr::memchr3_iter(b'\n', b'\\', b'+', part).chain(strings);
    breaks.filter_map(|at| token(text, start, start + at, keywords, &whole)).collect()
}

/// The token that the line break here is in.
fn token(
    text: &[u8],
    start: usize,
    line_break: usize,
    keywords: &[&str],
    whole: &impl Fn(&[u8]) -> Option<Secret>,
) -> Option<Secret> {
    let before = text.get(start..line_break)?;
    let before = before.strip_suffix(b"\r").unwrap_or(before);
    // As mails are broken.
    let before = before.strip_suffix(b"=").unwrap_or(before);
    // A half of a string ends before its quotation mark.
    let before = match before.trim_ascii_end() {
        [half @ .., b'"' | b'\''] => half,
        _ => before,
    };
    let run = before.iter().rev().take(TOKEN_BYTES).take_while(|byte| is_token(**byte)).count();
    let from = (start + before.len()).saturating_sub(run);
    let first = text.get(from..start + before.len())?;
    let lower = first.to_ascii_lowercase();
    let keyword = || keywords.iter().any(|word| memchr::memmem::find(&lower, word.as_bytes()).is_some());
    if run < FIRST_BYTES || !keyword() {
        return None;
    }
    let alone = whole(first).is_some();
    let mut joined = first.to_vec();
    let mut at = start + before.len();
    let at_break = |at: usize| at + usize::from(text.get(at) == Some(&b'='));
    let mut found = None;
    for _ in 1..LINES {
        let stop = at_break(at);
        let Some(length) = break_length(text.get(stop..)?, alone) else { break };
        let next = stop + length;
        let run = text.get(next..)?.iter().take(TOKEN_BYTES).take_while(|byte| is_token(**byte)).count();
        let rest = text.get(next..next + run)?;
        // `NAME=value` and `name: value` on the next line are not the rest of a token.
        let behind = text.get(next + run..).unwrap_or_default();
        let names = matches!(behind, [b':', ..])
            || matches!(behind, [b'=', value, ..] if value.is_ascii_graphic() && *value != b'=');
        if names || !(if alone { word::looks_random(rest) } else { is_rest(rest) }) {
            break;
        }
        joined.extend_from_slice(rest);
        at = next + rest.len();
        let before = joined.len().saturating_sub(rest.len());
        if let Some(secret) = whole(&joined).filter(|secret| secret.end > before) {
            let end = at.saturating_sub(joined.len().saturating_sub(secret.end));
            found = Some(Secret { start: from + secret.start, end, kind: secret.kind });
        }
    }
    found
}

/// Are there `least` bytes without a blank around a place? A token that is broken over lines is one.
pub fn is_long(text: &[u8], at: usize, least: usize) -> bool {
    let (before, behind) = text.split_at_checked(at).unwrap_or((text, &[]));
    let ahead = count(behind.iter(), least);
    if ahead >= least {
        return true;
    }
    // An indent comes after its line break, so from the end it is seen before it.
    let back = before.get(before.len().saturating_sub(least.saturating_mul(2))..).unwrap_or_default();
    let back = back.rsplit(|byte| matches!(byte, b' ' | b'\t')).next().unwrap_or_default();
    ahead + count(back.iter().rev(), least) >= least
}

/// How many bytes come before a blank, line breaks with their indent aside; `least` are enough.
fn count<'t>(bytes: impl Iterator<Item = &'t u8>, least: usize) -> usize {
    let (mut breaks, mut indent) = (0_usize, 0_usize);
    let run = bytes.take_while(|byte| match byte {
        b'\n' | b'\r' => {
            breaks += 1;
            indent = 0;
            breaks <= 2 * LINES
        }
        b' ' | b'\t' => {
            indent += 1;
            breaks > 0 && indent <= INDENT
        }
        _ => true,
    });
    run.filter(|byte| !byte.is_ascii_whitespace()).take(least).count()
}

pub fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)
}

/// The length of what joins two halves of a string in code: a sign, or, if the first half is not a token alone, blanks.
pub fn joint(rest: &[u8], alone: bool) -> Option<usize> {
    let (quote, behind) = rest.split_first().filter(|(quote, _)| b"\"'".contains(quote))?;
    let length = behind.iter().take(JOINT_BYTES).take_while(|byte| b" \t\r\n+.".contains(byte)).count();
    let joins = |byte: &u8| b"+.".contains(byte) || !alone;
    let is_joint = behind.get(length) == Some(quote) && behind.get(..length)?.iter().any(joins);
    is_joint.then_some(length + 2)
}

/// The length of a line break and the blanks behind it; it can be written as `\n`, or have a backslash
/// before it, as in a shell.
fn break_length(rest: &[u8], alone: bool) -> Option<usize> {
    if let Some(length) = joint(rest, alone) {
        return Some(length);
    }
    let slashes = rest.iter().take(8).take_while(|byte| **byte == b'\\' || **byte == b'\r').count();
    let length = match rest.get(slashes)? {
        b'\n' => slashes + 1,
        b'n' if slashes > 0 => slashes + 1,
        _ => return None,
    };
    let blanks = rest.get(length..)?.iter().take(INDENT).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    Some(length + blanks)
}

/// Can this be the rest of a token, and no word?
fn is_rest(rest: &[u8]) -> bool {
    let inner = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    rest.len() >= 2 && (rest.len() >= 20 || rest.iter().skip(1).any(inner))
}

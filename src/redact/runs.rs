//! Tokens of no known issuer: a long run of chance that stands alone, between blanks or quotes. What has only small
//! letters and digits can be a commit, and a part of a path, a URL or a checksum is left alone.

use super::rule::Secret;
use super::word;

/// The shortest token behind a prefix, and the longest prefix and token.
const TAIL: usize = 28;
const PREFIX: usize = 16;
const MOST: usize = 120;
/// The shortest one with signs in it, the longest one with signs and without a prefix, and the longest of letters and
/// digits.
const WITH_SIGNS: usize = 38;
const ALONE: usize = 42;
const PLAIN: usize = 63;
/// The least entropy: a number in hexadecimal digits has less.
const ENTROPY: f64 = 4.1;
/// The beginnings of what is public: an address of a file, an id of an answer, a place in a list, a page's session.
const PUBLIC: &[&[u8]] = &[b"Qm", b"0x", b"chatcmpl-", b"eyJ", b"Y3Vyc29y", b"SFMyNTY."];
/// The names of what is public, too.
const SUMS: &[&[u8]] = &[b"signature", b"digest", b"hash", b"checksum", b"integrity", b"challenge"];

/// The tokens of a text. Most words are shorter than a token: they are stepped over.
pub fn find(text: &[u8], secrets: &mut Vec<Secret>) {
    let (mut start, mut probe) = (0_usize, TAIL);
    while let Some(part) = text.get(start..probe) {
        if let Some(at) = part.iter().rposition(|byte| !is_run(*byte)) {
            start = start + at + 1;
        } else {
            let more = text.get(probe..).unwrap_or_default().iter().take_while(|byte| is_run(**byte)).count();
            let end = probe + more;
            if stands_alone(text, start, end) {
                let run = text.get(start..end).unwrap_or_default();
                let stops = run.iter().rev().take_while(|byte| **byte == b'.').count();
                let run = run.get(..run.len().saturating_sub(stops)).unwrap_or_default();
                // A line that was added begins with a plus.
                let run = run.strip_prefix(b"+").unwrap_or(run);
                // `NAME=token`
                let name = memchr::memchr(b'=', run).filter(|_| !run.ends_with(b"="));
                let token = run.get(name.map_or(0, |length| length + 1)..).unwrap_or_default();
                if is_token(token) && !is_sum(text, start) {
                    let end = end.saturating_sub(stops);
                    secrets.push(Secret { start: end.saturating_sub(token.len()), end, kind: "token".to_owned() });
                }
            }
            start = end;
        }
        probe = start + TAIL;
    }
}

fn is_run(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'-'..=b'9' | b'_' | b'+' | b'=')
}

fn stands_alone(text: &[u8], start: usize, end: usize) -> bool {
    let open = |byte: u8| byte.is_ascii_whitespace() || b"\"'`([{<>*,|&\\$".contains(&byte) || !byte.is_ascii();
    let (before, behind) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let mut behind = behind.iter().skip_while(|byte| b":;!?)]}*".contains(byte));
    // The last of many lines in base64 is not a token.
    let above = before.trim_ascii_end();
    let line = above.get(above.len().saturating_sub(PREFIX)..).unwrap_or_default();
    let goes_on = before.get(above.len()..).is_some_and(|blank| blank.contains(&b'\n'))
        && line.len() == PREFIX
        && line.iter().all(|byte| is_run(*byte));
    let is_begin = |byte: &u8| open(*byte) || *byte == b':' && is_place(before);
    !goes_on && before.last().is_none_or(is_begin) && behind.next().is_none_or(|byte| open(*byte))
}

/// A file and the number of a line, as of grep: `config/prod.env:14:`
fn is_place(before: &[u8]) -> bool {
    let mut parts = before.rsplit(|byte| *byte == b':').skip(1);
    let is_number = |part: &[u8]| (1..=7).contains(&part.len()) && part.iter().all(u8::is_ascii_digit);
    parts.next().is_some_and(is_number) && parts.next().and_then(<[u8]>::last).is_some_and(u8::is_ascii_alphanumeric)
}

/// Does its name say that it is public?
fn is_sum(text: &[u8], start: usize) -> bool {
    let before = text.get(start.saturating_sub(2 * PREFIX)..start).unwrap_or_default();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let end = before.iter().rposition(is_name).map_or(0, |at| at + 1);
    let name = before.get(..end).unwrap_or_default().rsplit(|byte| !is_name(byte)).next().unwrap_or_default();
    let name = name.to_ascii_lowercase();
    SUMS.iter().any(|sum| memchr::memmem::find(&name, sum).is_some())
}

/// The key of a cache, with its version and a hash: `v1-Linux-cargo-…`.
fn is_cache_key(run: &[u8]) -> bool {
    let is_hash = |part: &[u8]| {
        matches!(part.len(), 40 | 64) && part.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let has_version = run.first() == Some(&b'v') && run.get(1).is_some_and(u8::is_ascii_digit);
    has_version && run.rsplit(|byte| *byte == b'-').next().is_some_and(is_hash)
}

/// `prefix-…`, `prefix_…`, `acme_pat_…`, letters and digits alone, parts between full stops, or 64 bytes in base64.
fn is_token(run: &[u8]) -> bool {
    let Some(token) = part(run).filter(|token| is_mixed(token)) else { return false };
    let is_public = run.len() > MOST
        || PUBLIC.iter().any(|begin| run.starts_with(begin))
        || is_cache_key(run)
        || run.split(|byte| *byte == b'.').any(|part| part == b"public");
    !is_public && word::changes_often(token) && word::entropy(token) >= ENTROPY
}

/// The part of a run that must be chance, if the run is as long as a token.
fn part(run: &[u8]) -> Option<&[u8]> {
    if let Some(key) = run.strip_suffix(b"==") {
        return (key.len() == 86).then_some(run);
    }
    if !run.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte)) {
        return None;
    }
    let is_sign = |byte: &u8| matches!(byte, b'-' | b'_');
    let is_prefix =
        |at: &usize| *at <= PREFIX && run.get(..*at).unwrap_or_default().split(|byte| is_sign(byte)).all(is_name);
    let tail = |at: usize| run.get(at + 1..);
    let last = run.iter().rposition(is_sign).filter(is_prefix).and_then(tail);
    if let Some(token) = last.filter(|tail| tail.len() >= TAIL) {
        return Some(token);
    }
    if let Some(token) = run.iter().position(is_sign).filter(is_prefix).and_then(tail) {
        return (run.len() >= WITH_SIGNS).then_some(token);
    }
    let is_long = if run.contains(&b'.') {
        let mut parts = run.split(|byte| *byte == b'.');
        run.len() >= WITH_SIGNS && parts.any(|part| part.len() >= ALONE / 2 && is_mixed(part))
    } else {
        // A sum of 32 bytes has 43 or 44 signs.
        let most = if run.iter().any(is_sign) { ALONE } else { PLAIN };
        (WITH_SIGNS..=most).contains(&run.len()) && !matches!(run.len(), 43 | 44)
    };
    is_long.then_some(run)
}

fn is_mixed(part: &[u8]) -> bool {
    let has = |of: fn(&u8) -> bool| part.iter().any(of);
    has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit)
}

/// Can it be a part of a prefix: of capitals or of small letters, with a digit or two?
fn is_name(part: &[u8]) -> bool {
    let count = |of: fn(&u8) -> bool| part.iter().filter(|byte| of(byte)).count();
    let (upper, lower) = (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    let digits = count(u8::is_ascii_digit);
    part.len() >= 2 && upper.min(lower) == 0 && digits <= 2 && upper.max(lower) + digits == part.len()
}

//! Tokens of no known issuer: a long run of chance that stands alone, between blanks or quotes. What has only small
//! letters and digits can be a commit, and a part of a path, a URL or a checksum is left alone.

use super::rule::Secret;
use super::word;

/// The shortest token behind a prefix, and the longest prefix and token.
const TAIL: usize = 28;
const PREFIX: usize = 16;
const MOST: usize = 120;
/// The length of one without a prefix: in base58, 43 and 44 signs are an address as often as a key.
const ALONE: [std::ops::RangeInclusive<usize>; 2] = [38..=42, 45..=59];
/// The least entropy: a number in hexadecimal digits has less.
const ENTROPY: f64 = 4.1;

/// The tokens of a text. Most words are shorter than a token: they are stepped over.
pub fn find(text: &[u8], secrets: &mut Vec<Secret>) {
    let (mut start, mut probe) = (0_usize, TAIL);
    while let Some(part) = text.get(start..probe) {
        if let Some(at) = part.iter().rposition(|byte| !is_run(*byte)) {
            start = start.saturating_add(at).saturating_add(1);
        } else {
            let more = text.get(probe..).unwrap_or_default().iter().take_while(|byte| is_run(**byte)).count();
            let end = probe.saturating_add(more);
            if stands_alone(text, start, end) {
                let run = text.get(start..end).unwrap_or_default();
                // `NAME=token`
                let name = memchr::memchr(b'=', run).filter(|_| !run.ends_with(b"="));
                let start = start.saturating_add(name.map_or(0, |length| length.saturating_add(1)));
                if is_token(text.get(start..end).unwrap_or_default()) {
                    secrets.push(Secret { start, end, kind: "token".to_owned() });
                }
            }
            start = end;
        }
        probe = start.saturating_add(TAIL);
    }
}

fn is_run(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'/'..=b'9' | b'_' | b'-' | b'+' | b'=')
}

fn stands_alone(text: &[u8], start: usize, end: usize) -> bool {
    let open = |byte: u8| byte.is_ascii_whitespace() || b"\"'`([{<>*,".contains(&byte);
    let (before, behind) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let mut behind = behind.iter().skip_while(|byte| b".:;!?)]}*".contains(byte));
    // The last of many lines in base64 is not a token.
    let goes_on = matches!(before, [.., byte, b'\n'] if is_run(*byte));
    !goes_on && before.last().is_none_or(|byte| open(*byte)) && behind.next().is_none_or(|byte| open(*byte))
}

/// `prefix-…`, `prefix_…`, `acme_pat_…`, letters and digits alone, or 64 bytes in base64.
fn is_token(run: &[u8]) -> bool {
    let sign = run.iter().rposition(|byte| matches!(byte, b'-' | b'_'));
    let (prefix, tail) = run.split_at(sign.unwrap_or_default());
    let is_prefix = (2..=PREFIX).contains(&prefix.len())
        && prefix
            .split(|byte| matches!(byte, b'-' | b'_'))
            .all(|part| part.len() >= 2 && part.iter().all(u8::is_ascii_lowercase));
    let is_plain = |run: &[u8]| run.iter().all(u8::is_ascii_alphanumeric);
    let is_long = match (tail, run.strip_suffix(b"==")) {
        (_, Some(key)) => key.len() == 86,
        ([b'-' | b'_', tail @ ..], _) => is_prefix && (TAIL..=MOST).contains(&tail.len()) && is_plain(tail),
        _ => is_plain(run) && ALONE.iter().any(|length| length.contains(&run.len())) && !run.starts_with(b"Qm"),
    };
    let has = |of: fn(&u8) -> bool| run.iter().any(of);
    let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    is_long && mixed && word::changes_often(run) && word::entropy(run) >= ENTROPY
}

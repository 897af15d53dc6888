//! The kernels and the cutting of long lines against byte loops that say the same.

use crate::base::cases::{dice, rows};
use crate::json::kernel::{SHORT, container, short_string, string};
use crate::json::lines::{Limits, each_while, whole};
use std::io::{Read, Result};

fn byte_string(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn same(bytes: &[u8], at: usize) {
    let shown = || (at, String::from_utf8_lossy(bytes).into_owned());
    let end = byte_string(bytes, at);
    assert_eq!(string(bytes, at), end, "{:?}", shown());
    let plain = |end: &usize| bytes.len() >= SHORT && *end <= at + SHORT && !bytes[at..*end].contains(&b'\\');
    assert_eq!(short_string(bytes, at), end.filter(plain), "{:?}", shown());
}

#[test]
fn all_lengths_and_offsets_of_random_bytes() {
    let mut roll = dice(1);
    let alphabets: [&[u8]; 3] = [b"a\\\"", b"aaaaaaaaaaaaaaa\\\\\"", b"aaaaaaaaaaaaaaaaaaaaaaaaaa\\\""];
    for letters in alphabets {
        for length in 0..200 {
            let bytes: Vec<u8> = (0..length).map(|_| letters[roll(letters.len())]).collect();
            for at in 0..=length.min(70) {
                same(&bytes, at);
            }
        }
    }
}

#[test]
fn quotes_and_backslashes_across_the_edges() {
    for before in 0..140 {
        for run in (0..12).chain([63, 64, 65, 127, 128, 129]) {
            let text = [&vec![b'a'; before][..], &vec![b'\\'; run], b"\"bc\"]}"].concat();
            for at in [0, 1, before] {
                same(&text, at.min(before));
            }
        }
    }
}

#[test]
fn kinds_of_brackets_are_told_apart_for_64_levels() {
    for depth in [62, 63, 64, 65, 100_000] {
        let (opens, closes) = ("[".repeat(depth), "]".repeat(depth));
        assert_eq!(container(format!("{opens}{closes},[").as_bytes(), 0), Some(2 * depth));
        let other = format!("{opens}{{]{closes}");
        assert_eq!(container(other.as_bytes(), 0), (depth >= 64).then_some(other.len()), "{depth}");
        assert_eq!(container(format!("{{{opens}{closes}]").as_bytes(), 0), None);
    }
    for torn in ["{", "[{]}", "[\"]", "{\\}"] {
        assert_eq!(container(torn.as_bytes(), 0), None, "{torn}");
    }
}

const SMALL: Limits = Limits { buffer: 8, line: 64, string: 16 };

/// Reads as a pipe does: as much as there happens to be.
struct Piecewise<'a, D>(&'a [u8], D);

impl<D: FnMut(usize) -> usize> Read for Piecewise<'_, D> {
    fn read(&mut self, room: &mut [u8]) -> Result<usize> {
        let length = (1 + (self.1)(40)).min(room.len()).min(self.0.len());
        room[..length].copy_from_slice(&self.0[..length]);
        self.0 = &self.0[length..];
        Ok(length)
    }
}

fn lines(bytes: &[u8], limits: Limits, seed: u64) -> Vec<(u64, Vec<u8>, bool)> {
    let mut found = Vec::new();
    let act = |number, line: &[u8], last| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        found.push((number, line.to_vec(), last));
        true
    };
    each_while(Piecewise(bytes, dice(seed)), limits, act).unwrap();
    found
}

fn cut(line: &[u8], limits: Limits) -> Vec<u8> {
    if line.len() < limits.line {
        return line.to_vec();
    }
    let mut out = Vec::new();
    let mut at = 0;
    while at < line.len() {
        let begin = at + 1;
        out.push(line[at]);
        at = begin;
        if line[begin - 1] != b'"' {
            continue;
        }
        while at < line.len() && line[at] != b'"' {
            at += 1 + usize::from(line[at] == b'\\');
        }
        at = at.min(line.len());
        let text = &line[begin..at];
        let head = &text[..text.len().min(limits.string)];
        let fits = out.len() + head.len() <= limits.line;
        out.extend(if text.len() > head.len() && fits { &head[..whole(head)] } else { head });
        out.extend(line.get(at));
        at += 1;
    }
    if out.len() > limits.line {
        out.truncate(limits.line);
        out.push(0);
    }
    out
}

#[test]
fn lines_are_what_a_byte_loop_finds_and_cuts() {
    let pieces: [&str; 12] =
        ["\n", "\n", "\"", "\"", "\\\\", "\\\"", "\\u00e9", "a", "{\"k\":[", "ñ🎉", "aaaaaaaaaaaaaaaaaaaaa", " "];
    let mut seen = [0; 3];
    for seed in 0..6000 {
        let mut roll = dice(seed);
        let (count, from) = (roll(120), roll(3));
        let text: String = (0..count).map(|_| pieces[from + roll(pieces.len() - from)]).collect();
        let mut text = text.into_bytes();
        if roll(4) == 0 && !text.is_empty() {
            let at = roll(text.len());
            text[at] = [0xff, 0, b'\\'][roll(3)];
        }
        let wanted: Vec<_> = (1..)
            .zip(text.split_inclusive(|byte| *byte == b'\n'))
            .map(|(number, line)| {
                let whole = line.strip_suffix(b"\n");
                (number, cut(whole.unwrap_or(line), SMALL), whole.is_none())
            })
            .collect();
        assert_eq!(lines(&text, SMALL, seed), wanted, "seed {seed}");
        for (_, line, _) in wanted {
            seen[usize::from(line.len() >= SMALL.line) + usize::from(line.len() > SMALL.line)] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > 10), "the generator has become tame: {seen:?}");
}

#[test]
fn a_long_string_keeps_its_head_and_its_line_stays_json() {
    let limits = Limits { buffer: 64, line: 1000, string: 100 };
    for piece in ["a", "ñ", "🎉", "\\n", "\\\\", "\\\"", "\\u00e9", "\\ud83d\\udf89", "x\\\\\\\"", "\\u00e"] {
        for before in 0..12 {
            let text = "-".repeat(before) + &piece.repeat(1000);
            let line = format!("{{\"a\":\"{text}\",\"b\":[1,\"{text}\"]}}");
            let found = lines(format!("{line}\n{{}}").as_bytes(), limits, 1);
            assert_eq!((found.len(), &found[1].1[..]), (2, &b"{}"[..]));
            let found = std::str::from_utf8(&found[0].1).unwrap();
            assert!(found.len() <= 2 * limits.string + 20 && found.len() > 2 * limits.string, "{found}");
            if piece != "\\u00e" && !piece.starts_with("\\ud") {
                let json: serde_json::Value = serde_json::from_str(found).unwrap();
                let whole: serde_json::Value = serde_json::from_str(&line).unwrap();
                let head = json["a"].as_str().unwrap();
                assert!(!head.is_empty() && whole["a"].as_str().unwrap().starts_with(head), "{found}");
                assert_eq!(json["b"][1], json["a"]);
            }
        }
    }
}

#[test]
fn whole_units_stay_whole() {
    for [head, wanted] in rows(include_str!("whole.tsv")) {
        assert_eq!(whole(head.as_bytes()).to_string(), wanted, "{head}");
    }
    assert_eq!(whole(b"a\xc3"), 1);
    assert_eq!(whole(b"\xf0\x9f\x8e"), 0);
}

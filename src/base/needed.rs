//! What a text must have for a pattern to be in it: of most patterns a few words, one of which is in each match. They are
//! looked for before the pattern is compiled.

use crate::base::keywords::Keywords;
use std::iter::Peekable;

/// The shortest word, in bytes, that is worth to be looked for.
const LEAST: usize = 3;

/// What counts what is before it, and all signs of a pattern.
const COUNTS: [char; 4] = ['?', '*', '+', '{'];
const SIGNS: [char; 12] = ['?', '*', '+', '{', '[', '(', ')', '|', '.', '^', '$', '\\'];

/// The words that each of some patterns needs.
pub struct Needed {
    words: Keywords<usize>,
    /// Whether the pattern can be in a text without any word.
    always: Vec<bool>,
}

impl Needed {
    /// By these patterns.
    pub fn by(patterns: &[String]) -> Self {
        let (mut words, mut always) = (Vec::new(), Vec::new());
        for (at, pattern) in patterns.iter().enumerate() {
            let needed = one_of(&mut tokens(pattern).into_iter().peekable());
            always.push(needed.is_empty());
            // They are kept as long as the patterns, which is until the end.
            words.extend(needed.into_iter().map(|word| (&*word.leak(), at)));
        }
        Self { words: Keywords::new(words), always }
    }

    /// Of each pattern whether it may be in a text.
    pub fn in_text(&self, text: &str) -> Vec<bool> {
        let mut may_be = self.always.clone();
        self.words.each_in(text.as_bytes(), |uses, _, _| uses.iter().for_each(|at| may_be[*at] = true));
        may_be
    }
}

/// The parts of a pattern: classes, escapes, beginnings of groups, counts, other signs, and runs of letters. What is counted is
/// a part of its own.
pub fn tokens(pattern: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let ends = |sign: char| rest.find(sign).map_or(rest.len(), |at| at + 1);
        let length = match first {
            '[' => class_length(rest),
            '{' => ends('}'),
            '(' if rest.starts_with("(?") => ends(':'),
            '\\' => rest.chars().take(2).map(char::len_utf8).sum(),
            sign if SIGNS.contains(&sign) => sign.len_utf8(),
            _ => {
                let (run, behind) = rest.split_at(rest.find(SIGNS).unwrap_or(rest.len()));
                let last = run.char_indices().next_back().map_or(0, |(at, _)| at);
                if last > 0 && behind.starts_with(COUNTS) { last } else { run.len() }
            }
        };
        let (token, behind) = rest.split_at(length);
        found.push(token);
        rest = behind;
    }
    found
}

/// The length of the class with which a text begins.
fn class_length(text: &str) -> usize {
    let mut is_escaped = false;
    let ends = |letter: u8| {
        let ends = letter == b']' && !is_escaped;
        is_escaped = letter == b'\\' && !is_escaped;
        ends
    };
    text.bytes().position(ends).map_or(text.len(), |at| at + 1)
}

/// Texts one of which is in all that is matched up to the end of a group; none where that is not known. Of what follows
/// each other the longest is taken.
fn one_of<'p>(tokens: &mut Peekable<impl Iterator<Item = &'p str>>) -> Vec<String> {
    let (mut all, mut is_known) = (Vec::new(), true);
    let (mut best, mut run): (Vec<String>, String) = (Vec::new(), String::new());
    let shortest = |words: &[String]| words.iter().map(String::len).min().unwrap_or(0);
    let take = |best: &mut Vec<String>, words: Vec<String>| {
        if shortest(&words) >= LEAST && shortest(&words) > shortest(best) {
            *best = words;
        }
    };
    loop {
        let token = tokens.next();
        let inner = token.filter(|token| token.starts_with('(')).map(|_| one_of(tokens));
        let is_letter = token.is_some_and(|token| !token.starts_with(SIGNS));
        let (mut is_optional, mut is_counted) = (false, false);
        let ends = token.is_none_or(|token| matches!(token, ")" | "|"));
        // What is behind the end of a group counts the group.
        while let Some(count) = tokens.next_if(|next| !ends && next.starts_with(COUNTS)) {
            is_optional |= !is_counted && (["?", "*", "{0", "{,"].iter().any(|none| count.starts_with(none)));
            is_counted = true;
        }
        run.extend(token.filter(|_| is_letter && !is_optional));
        if !is_letter || is_counted {
            take(&mut best, vec![std::mem::take(&mut run)]);
        }
        take(&mut best, inner.filter(|_| !is_optional).unwrap_or_default());
        if ends {
            is_known &= !best.is_empty();
            all.append(&mut best);
            if token != Some("|") {
                return if is_known { all } else { Vec::new() };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn what_a_pattern_needs_is_in_each_of_its_matches() {
        for [pattern, wanted] in rows(include_str!("needed.tsv")) {
            assert_eq!(one_of(&mut tokens(&pattern).into_iter().peekable()).join("|"), wanted, "{pattern}");
        }
    }
}

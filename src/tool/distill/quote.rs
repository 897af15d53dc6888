//! Where a quote is in what was said. A quote must be there word by word; what is forgiven does not
//! change the words: the case of its first letter, marks of Markdown, quotation marks, dashes and how
//! letters are composed, a speaker before it, and words left out between three dots.

use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// The shortest quote, and the shortest part of one beside three dots.
const QUOTE_WORDS: usize = 3;
const QUOTE_CHARS: usize = 12;
const PART_WORDS: usize = 2;
/// Three dots as they are looked up.
const DOTS: &str = "...";
/// Who can be named before a quote.
const SPEAKERS: &[&str] = &["user", "assistant", "agent", "human", "usuario", "asistente", "agente"];

/// A quote that is looked for.
pub struct Quote {
    whole: String,
    /// The parts between three dots, or nothing where it has only one.
    parts: Vec<String>,
}

impl Quote {
    /// A quote; none when it is too short to prove anything.
    pub fn parse(quote: &str) -> Option<Self> {
        let whole = plain(quote);
        let part = |part: &str| part.trim_matches([' ', '[', ']', '(', ')']).to_owned();
        let parts: Vec<String> = whole.split(DOTS).map(part).filter(|part| !part.is_empty()).collect();
        let words = |text: &str| text.split_whitespace().count();
        let all: usize = parts.iter().map(|part| words(part)).sum();
        if all < QUOTE_WORDS || whole.chars().count() < QUOTE_CHARS {
            return None;
        }
        let apart = whole.contains(DOTS) && parts.iter().all(|part| words(part) >= PART_WORDS);
        Some(Self { parts: if apart { parts } else { Vec::new() }, whole })
    }

    /// Where it is in a text that [`plain`] gave: from its first word to its last.
    pub fn within(&self, text: &str) -> Option<Range<usize>> {
        let found = find(text, &self.whole).or_else(|| find(text, without_speaker(&self.whole)?));
        found.or_else(|| self.in_parts(text))
    }

    fn in_parts(&self, text: &str) -> Option<Range<usize>> {
        let (first, others) = self.parts.split_first()?;
        let first = find(text, first).or_else(|| find(text, without_speaker(first)?))?;
        others.iter().try_fold(first, |before, part| {
            let next = find(text.get(before.end..)?, part)?;
            Some(before.start..before.end.checked_add(next.end)?)
        })
    }
}

/// Whether a text is long enough to be evidence.
pub fn says_enough(text: &str) -> bool {
    text.split_whitespace().count() >= QUOTE_WORDS && text.trim().chars().count() >= QUOTE_CHARS
}

/// Finds a text whose first letter can be large or small.
fn find(text: &str, wanted: &str) -> Option<Range<usize>> {
    let at = |wanted: &str| text.find(wanted).map(|at| at..at.saturating_add(wanted.len()));
    at(wanted).or_else(|| {
        let mut letters = wanted.chars();
        let first = letters.next()?;
        let other: String =
            if first.is_uppercase() { first.to_lowercase().collect() } else { first.to_uppercase().collect() };
        at(&format!("{other}{}", letters.as_str()))
    })
}

/// A quote behind `User:` or `[user]`.
fn without_speaker(quote: &str) -> Option<&str> {
    let bare = quote.trim_start_matches('[');
    let end = bare.find(|c: char| !c.is_alphabetic())?;
    let (name, rest) = bare.split_at_checked(end)?;
    let rest = rest.trim_start_matches(']');
    let marked = rest.len() < bare.len().saturating_sub(end) || rest.starts_with(':');
    let known = SPEAKERS.iter().any(|speaker| name.eq_ignore_ascii_case(speaker));
    (marked && known).then(|| rest.trim_start_matches(':').trim_start())
}

/// A text as quotes are looked up in it.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.nfc().collect::<String>().lines() {
        let bare = line.trim();
        let marks = bare.trim_start_matches(['#', '>', '-', '*', '+', '•']);
        // A mark of a list, a heading or a quotation has a blank behind it.
        let is_marked = marks.len() < bare.len() && marks.starts_with(' ');
        add(&mut out, if is_marked { marks } else { bare });
        blank(&mut out);
    }
    out.truncate(out.trim_end().len());
    out
}

fn add(out: &mut String, line: &str) {
    let mut letters = line.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied().unwrap_or(' ');
        let inside = before.is_alphanumeric() && next.is_alphanumeric();
        match letter {
            '\\' if matches!(next, '"' | '\'' | '`' | '*' | '_') => {}
            '\'' | '‘' | '’' | '‚' if inside => out.push('\''),
            '"' | '“' | '”' | '„' | '«' | '»' | '`' | '*' | '\'' | '‘' | '’' | '‚' => {}
            '_' if !(before == '_' || before.is_alphanumeric()) || !(next == '_' || next.is_alphanumeric()) => {}
            '…' => out.push_str(DOTS),
            '‐' | '‑' | '‒' | '−' => out.push('-'),
            '–' if inside => out.push('-'),
            '–' | '—' | '―' => {
                blank(out);
                out.push_str("- ");
            }
            '-' if next == '-' && before.is_whitespace() => {}
            '-' if before == '-' && next.is_whitespace() => {
                blank(out);
                out.push('-');
            }
            c if c.is_whitespace() => blank(out),
            c => out.push(c),
        }
        before = letter;
    }
}

fn blank(out: &mut String) {
    if !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_change_the_words_is_forgiven() {
        let said = "Let’s keep **the queue** in `plain` files — one per _host_.\n\n- The lock isn’t \"held\" by anybody…\n\
            - It was moved to the *target* folder.\n> 3–5 hosts, set max_hosts=4\n\nla caf\u{e9} cola queda en archivos, \
            y “el índice” – por ahora – en memoria. # no heading -- as it is";
        for quote in [
            "Let's keep the queue in plain files",
            "let’s keep **the queue** in `plain` files",
            "plain files - one per host",
            "plain files — one per host.",
            "The lock isn't held by anybody...",
            "the lock isn’t \"held\" by anybody…",
            "The lock isn't \\\"held\\\" by anybody",
            "held by anybody... It was moved to the target folder.",
            "- It was moved to the *target* folder.",
            "3-5 hosts, set max_hosts=4",
            "la cafe\u{301} cola queda en archivos",
            "La café cola queda en archivos, y el índice - por ahora",
            "\"no heading — as it is\"",
            "Let's keep the queue ... one per host",
            "keep the queue … moved to the […] target folder",
            "la café cola [...] en memoria.",
            "User: Let's keep the queue in plain files",
            "ASSISTANT: It was moved to the target folder",
            "[user] the queue in plain files",
            "Usuario: la café cola queda ... por ahora",
        ] {
            let found = Quote::parse(quote).and_then(|sought| sought.within(&plain(said)));
            assert!(found.is_some(), "{quote}: {}", plain(said));
        }
        for quote in [
            // Other words, another order, too few of them.
            "Let's keep the queue in files",
            "one per host ... keep the queue",
            "keep the queue ... files ... target",
            "keep the queue ... drop the index",
            "the lock is held by anybody",
            "Mallory: Let's keep the queue in plain files",
            "in Plain files - one per host",
            "the ca\u{f1}e cola queda",
            "set maxhosts=4 and more",
            "... the queue ...",
            "lock ... held",
            "",
        ] {
            let found = Quote::parse(quote).and_then(|sought| sought.within(&plain(said)));
            assert_eq!(found, None, "{quote}");
        }
    }

    #[test]
    fn what_was_left_out_is_in_what_is_found() {
        let text = plain("We push. We never, ever push to main with force.");
        let found = Quote::parse("push to main … with force").and_then(|sought| sought.within(&text));
        assert_eq!(found.and_then(|found| text.get(found)), Some("push to main with force"));
        let found = Quote::parse("We never ... push to main").and_then(|sought| sought.within(&text));
        assert_eq!(found.and_then(|found| text.get(found)), Some("We never, ever push to main"));
    }
}

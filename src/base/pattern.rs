//! Patterns that are compiled at run time for little to read. The engine looks for no literals that every match has:
//! finding these takes three quarters of the time of compiling, and a pattern of ours reads a sentence or the surroundings
//! of a word.

use regex_automata::meta::Regex;
use regex_automata::util::{captures::Captures, syntax};
use regex_automata::{Input, Span};

/// The largest pattern that is compiled, in bytes of automaton.
const SIZE_LIMIT: usize = 20 << 20;

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern(Regex);

/// What a pattern reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Characters: a class has those of all alphabets.
    Text,
    /// Bytes of any kind: a class has those of ASCII.
    Bytes,
}

impl Pattern {
    /// Compiles a pattern in the syntax of the crate `regex`; None where it is none.
    pub fn new(pattern: &str, reads: Reads) -> Option<Self> {
        let is_text = reads == Reads::Text;
        let config = Regex::config()
            .auto_prefilter(false)
            .utf8_empty(is_text)
            .nfa_size_limit(Some(SIZE_LIMIT))
            .hybrid_cache_capacity(SIZE_LIMIT);
        let syntax = syntax::Config::new().unicode(is_text).utf8(is_text);
        Regex::builder().configure(config).syntax(syntax).build(pattern).ok().map(Self)
    }

    /// Whether it is in a text.
    pub fn is_in(&self, text: &[u8]) -> bool {
        self.0.is_match(text)
    }

    /// Where its first match is.
    pub fn find(&self, text: &[u8]) -> Option<Span> {
        Some(self.0.find(text)?.span())
    }

    /// The parts of a text between its matches.
    pub fn split<'t>(&self, text: &'t str) -> Vec<&'t str> {
        self.0.split(text).filter_map(|span| text.get(span.range())).collect()
    }

    /// Where its first match from a place on is, and the groups of that.
    pub fn groups(&self, text: &[u8], from: usize) -> Option<(Span, Captures)> {
        let mut captures = self.0.create_captures();
        self.0.search_captures(&Input::new(text).range(from..), &mut captures);
        Some((captures.get_match()?.span(), captures))
    }
}

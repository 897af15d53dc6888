//! Patterns that are compiled at run time for little to read. The engine looks for no literals that every match has:
//! finding these takes three quarters of the time of compiling, and a pattern of ours reads a sentence or the surroundings
//! of a word.

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::{captures::Captures, syntax};
use regex_automata::{Input, Span};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The largest pattern that is compiled, in bytes of automaton.
const SIZE_LIMIT: usize = 20 << 20;

/// A pattern in the syntax of the crate `regex`; one that is not valid is in no text. Whether it is in a text is asked
/// most and needs but a small automaton; each of the two is compiled when it is asked for.
#[derive(Debug)]
pub struct Pattern {
    syntax: String,
    reads: Reads,
    is_in: OnceLock<Option<Automaton>>,
    places: OnceLock<Option<Regex>>,
}

/// Boxed, since most patterns are never looked for.
type Automaton = Box<(DFA, Mutex<Cache>)>;

/// What a pattern reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Characters: a class has those of all alphabets.
    Text,
    /// Bytes of any kind: a class has those of ASCII.
    Bytes,
}

impl Pattern {
    /// A pattern.
    pub fn new(pattern: &str, reads: Reads) -> Self {
        Self { syntax: pattern.to_owned(), reads, is_in: OnceLock::new(), places: OnceLock::new() }
    }

    /// Whether its syntax is valid.
    #[cfg(test)]
    pub fn is_valid(&self) -> bool {
        self.places().is_some() && self.automaton().is_some()
    }

    /// What says whether it is in a text.
    fn automaton(&self) -> Option<&(DFA, Mutex<Cache>)> {
        let compile = || {
            let nfa = thompson::Config::new()
                .nfa_size_limit(Some(SIZE_LIMIT))
                .utf8(self.reads == Reads::Text)
                .which_captures(WhichCaptures::None);
            let config = DFA::config().cache_capacity(SIZE_LIMIT).skip_cache_capacity_check(true);
            let dfa = DFA::builder().configure(config).thompson(nfa).syntax(syntax_of(self.reads)).build(&self.syntax);
            let dfa = dfa.ok()?;
            let cache = Mutex::new(dfa.create_cache());
            Some(Box::new((dfa, cache)))
        };
        self.is_in.get_or_init(compile).as_deref()
    }

    /// What finds its places.
    fn places(&self) -> Option<&Regex> {
        let compile = || {
            let config = Regex::config()
                .auto_prefilter(false)
                .utf8_empty(self.reads == Reads::Text)
                .nfa_size_limit(Some(SIZE_LIMIT))
                .hybrid_cache_capacity(SIZE_LIMIT);
            Regex::builder().configure(config).syntax(syntax_of(self.reads)).build(&self.syntax).ok()
        };
        self.places.get_or_init(compile).as_ref()
    }

    /// Whether it is in a text.
    pub fn is_in(&self, text: &[u8]) -> bool {
        self.is_behind(text, 0)
    }

    /// Whether it is in a text from a place on.
    fn is_behind(&self, text: &[u8], from: usize) -> bool {
        let input = Input::new(text).range(from..).earliest(true);
        let search = |(dfa, cache): &(DFA, Mutex<Cache>)| {
            let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
            Some(dfa.try_search_fwd(&mut cache, &input).ok()?.is_some())
        };
        // A few forms have no such automaton.
        let found = self.automaton().and_then(search);
        found.unwrap_or_else(|| self.places().is_some_and(|places| places.is_match(input.clone())))
    }

    /// Where its first match is.
    pub fn find(&self, text: &[u8]) -> Option<Span> {
        Some(self.places()?.find(text)?.span())
    }

    /// The parts of a text between its matches.
    pub fn split<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let Some(places) = self.places() else { return vec![text] };
        places.split(text).filter_map(|span| text.get(span.range())).collect()
    }

    /// Where its first match from a place on is, and the groups of that.
    pub fn groups(&self, text: &[u8], from: usize) -> Option<(Span, Captures)> {
        // Most patterns are looked for once, and are in nothing.
        if self.places.get().is_none() && !self.is_behind(text, from) {
            return None;
        }
        let places = self.places()?;
        let mut captures = places.create_captures();
        places.search_captures(&Input::new(text).range(from..), &mut captures);
        Some((captures.get_match()?.span(), captures))
    }
}

fn syntax_of(reads: Reads) -> syntax::Config {
    let is_text = reads == Reads::Text;
    syntax::Config::new().unicode(is_text).utf8(is_text)
}

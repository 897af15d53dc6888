//! Search over everything that is remembered. The files are read for each question: no index is kept that could be
//! stale.

mod hit;
mod places;
mod print;
mod qmd;
mod search;
mod show;

pub use crate::tool::find_session::since;
pub use hit::Hit;
pub(in crate::tool) use places::project_of;
pub use places::unknown;
pub use print::Screen;
pub use show::{list, show, to_show};

use crate::agent::project;
use crate::base::cli::Given;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::stale_names::NameState;
use crate::base::word_enum::words;
use crate::rank::Query;
use crate::redact::Redactor;
use crate::store::{Memory, memories};
use crate::tool::context::Start;
use jiff::Timestamp;
use search::Skipped;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;

words! {
    /// What a hit is.
    HitKind {
        Session = "session",
        /// A session whose transcript the client deleted before there was a page: prompts only.
        Lost = "lost",
        Learning = "learning",
        Decision = "decision",
        Failure = "failure",
        Memory = "memory",
        /// What was left open.
        Open = "open",
        /// Where a session stood.
        Progress = "progress",
        /// What was summarised before a compaction.
        Summary = "summary",
        Episode = "episode",
        Briefing = "briefing",
        /// A file of the user's own in the knowledge folder.
        Note = "note",
    }
}

words! {
    /// What searches.
    SearchEngine {
        /// We ourselves, in the files.
        Words = "words",
        /// The index of a user who has QMD.
        Qmd = "qmd",
    }
}

/// Hits that are given unless another number is asked for.
pub const HITS: usize = 5;
/// The most of a search.
pub const MOST: usize = 1000;
/// The most of anything else.
pub const ANY: usize = 1_000_000;

/// What is looked for, and among what.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// The question; "" for a list.
    pub question: String,
    /// Words that its answer may have.
    pub also: String,
    /// Only these kinds; all where none is named.
    pub kinds: Vec<HitKind>,
    /// Only these projects.
    pub projects: Vec<String>,
    /// Only what is in these folders of memory; all where none is named.
    pub folders: Vec<PathBuf>,
    /// Only learnings with one of these scopes.
    pub scopes: Vec<String>,
    /// Only what is not older.
    pub since: Option<Timestamp>,
    /// Only what is older.
    pub until: Option<Timestamp>,
    /// As things stood then: what took the place of an item later does not count, nor what the checkout has now.
    pub as_of: Option<Timestamp>,
    /// The most hits.
    pub most: usize,
    /// Lines around a passage.
    pub context: usize,
    /// What searches; `Words` where none is named.
    pub engine: Option<SearchEngine>,
}

impl Wish {
    /// Whether a kind is wanted.
    pub fn wants(&self, kind: HitKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    /// Whether a project is wanted.
    pub fn is_of(&self, project: &str) -> bool {
        self.projects.is_empty() || self.projects.iter().any(|wanted| wanted == project)
    }

    /// Asks for the current folder's project alone.
    pub fn only_here(self, config: &Config) -> Result<Self, Failure> {
        let session = project::here(config)?;
        let memory = Memory::of(&session, config)?;
        let folders = memory.folders().chain([memory.notes()]).map(PathBuf::from).collect();
        Ok(Self { projects: vec![session.project], folders, ..self })
    }

    /// Whether only a span of time is wanted.
    pub fn has_span(&self) -> bool {
        self.since.is_some() || self.until.is_some()
    }

    /// Whether a time is in the span that is wanted; of what has none only where every time is.
    pub fn is_in_span(&self, time: Option<Timestamp>) -> bool {
        let is_in = |time| self.since.is_none_or(|since| time >= since) && self.until.is_none_or(|until| time < until);
        time.map_or(!self.has_span(), is_in)
    }
}

/// A number that an option says; status 64 for what is none of the range.
pub fn number(given: &Given, name: &str, range: RangeInclusive<usize>) -> Result<Option<usize>, Failure> {
    let Some(text) = given.text(name) else { return Ok(None) };
    let number = text.parse().ok().filter(|number| range.contains(number));
    let (least, most) = range.into_inner();
    let wrong = || Failure::usage(format!("--{name} '{text}': expected a number from {least} to {most}"));
    number.map(Some).ok_or_else(wrong)
}

/// What was found, the best first, and what is to be said besides, each on a line.
pub type Recalled = (Vec<Hit>, Vec<String>);

/// What could not be searched, in words.
fn not_searched(skipped: &Skipped) -> Option<String> {
    let counts: Vec<String> = skipped.iter().map(|(why, count)| format!("{count} {why}")).collect();
    (!counts.is_empty()).then(|| format!("files that were not searched: {}", counts.join(", ")))
}

/// Searches.
pub fn recall(wish: &Wish, config: &Config) -> Result<Recalled, Failure> {
    if wish.question.trim().is_empty() {
        return Err(Failure::usage("no query: give words of what you look for"));
    }
    let query = Query::new(&wish.question, &wish.also);
    if query.terms.is_empty() {
        return Err(Failure::usage("the query has no word of two or more letters: give words of what you look for"));
    }
    let redactor = Redactor::new(&config.privacy)?;
    let sources = places::sources(wish, config)?;
    let (mut best, mut skipped, mut said) = (Vec::new(), Skipped::new(), Vec::new());
    if wish.engine == Some(SearchEngine::Qmd) {
        match qmd::best(&sources, &query, wish, config) {
            Ok(found) => best = found,
            Err(why) => said.push(format!("{}: searched without it", qmd::instead(&why, &redactor))),
        }
    }
    if best.is_empty() {
        (best, skipped) = search::best(&sources, &query, wish);
        if best.iter().any(|best| !best.has_phrases) {
            said.push("nothing has what is between the quotation marks: searched for its words".to_owned());
        }
    }
    let mut hits: Vec<Hit> = best.iter().filter_map(|best| Hit::read(best, &query, wish, &redactor)).collect();
    if wish.as_of.is_none() {
        judge(&mut hits, config, &redactor);
    }
    // What no longer holds comes last.
    hits.sort_by_key(|hit| hit.state.is_some() || !hit.judged.names(NameState::Gone).is_empty());
    hits.truncate(wish.most);
    parents_first(&mut hits);
    said.extend(not_searched(&skipped));
    Ok((hits, said))
}

/// Puts each session before its subagents.
fn parents_first(hits: &mut [Hit]) {
    for at in 0..hits.len() {
        let (child, behind) = (&hits[at], &hits[at + 1..]);
        let is_parent = |hit: &Hit| hit.kind == HitKind::Session && hit.session_id == child.parent;
        let far = if child.parent.is_empty() { None } else { behind.iter().position(is_parent) };
        if let Some(far) = far {
            hits[at..=at + 1 + far].rotate_right(1);
        }
    }
}

/// Says of items of the current folder's project what became of the things that they name in its checkout.
fn judge(hits: &mut [Hit], config: &Config, redactor: &Redactor) {
    let is_item = |hit: &&mut Hit| {
        matches!(hit.kind, HitKind::Decision | HitKind::Failure | HitKind::Memory | HitKind::Open | HitKind::Learning)
    };
    let mut items = hits.iter_mut().filter(is_item).peekable();
    let Some(start) = items.peek().and_then(|_| Start::read(b"", config).ok()) else { return };
    let mut items: Vec<&mut Hit> = items.filter(|hit| redactor.same(&hit.project, &start.session.project)).collect();
    // The file of a memory does not say it; without its journal it is judged as one of an earlier version.
    let ids: Vec<&str> = items.iter().filter(|hit| hit.kind == HitKind::Memory).map(|hit| hit.id.as_str()).collect();
    let of_journal = Memory::of(&start.session, config).and_then(|memory| memories::seen(&memory, &ids));
    let of_journal = of_journal.unwrap_or_else(|_| HashMap::new());
    for hit in &mut items {
        let seen = hit.seen.as_ref().or_else(|| of_journal.get(&hit.id));
        hit.judged = start.judge(&format!("{}\n{}", hit.title, hit.text), seen);
    }
}

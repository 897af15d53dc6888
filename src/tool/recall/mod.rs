//! Search over everything that is remembered. The files are read for each question: no index is kept that could be
//! stale.

mod answer;
mod hit;
mod lost;
mod places;
mod print;
mod qmd;
mod search;
mod show;
mod source;
mod text;
mod wish;

pub use answer::{Form, each_query, to_show};
pub use hit::Hit;
pub use print::{Screen, record, records};
pub use show::{Shown, list, show};
pub use wish::{Wish, context, kinds, most, question, time};

use crate::agent::project;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::file;
use crate::base::word_enum::words;
use crate::rank::Query;
use crate::redact::Redactor;
use crate::tool::context::Start;
use search::Best;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::PathBuf;

words! {
    /// What a hit is.
    Kind {
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
    Engine {
        /// We ourselves, in the files.
        Words = "words",
        /// The index of a user who has QMD.
        Qmd = "qmd",
    }
}

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// The best first.
    pub hits: Vec<Hit>,
    /// What could not be searched, in words; "" when everything could.
    pub skipped: String,
    /// Why the engine that was wished did not search; "" where it did.
    pub instead: String,
    /// Nothing has what is between quotation marks: these are hits of the words.
    pub without_phrases: bool,
    /// Which wished project has no memory, with the nearest name; "" where all have.
    pub unknown: String,
}

/// Searches.
pub fn recall(wish: &Wish, config: &Config) -> Result<Found, Failure> {
    let query = Query::new(&wish.question, &wish.also);
    if query.terms.is_empty() {
        return Err(Failure::usage("the query has no word of two or more letters: give words of what you look for"));
    }
    let redactor = Redactor::new(&config.privacy)?;
    let here = if wish.here { Some(Here::find(config)?) } else { None };
    let sources = places::sources(wish, here.as_ref(), config)?;
    let tree = Tree::new(config, &redactor);
    let read = |best: &[Best<'_>]| {
        let hits = best.iter().filter_map(|best| Hit::read(best, &query, wish, &redactor));
        let mut hits: Vec<Hit> = hits.map(|hit| tree.check(hit)).collect();
        // What no longer holds comes last.
        hits.sort_by_key(|hit| hit.state.is_some() || !hit.gone.is_empty());
        hits
    };
    let mut instead = String::new();
    if wish.engine == Some(Engine::Qmd) {
        match qmd::best(&sources, &query, wish, here.as_ref(), config) {
            Ok(best) => return Ok(Found { hits: read(&best), ..Found::default() }),
            Err(why) => instead = qmd::instead(&why, &redactor),
        }
    }
    let answer = search::best(&sources, &query, wish, here.as_ref());
    let hits = read(&answer.best);
    let unknown = if hits.is_empty() { places::unknown(wish, config)? } else { String::new() };
    Ok(Found { hits, skipped: answer.skipped.in_words(), instead, without_phrases: answer.without_phrases, unknown })
}

/// Says of items what of the things that they name is gone from the current folder's checkout, where they are of its
/// project.
struct Tree<'a> {
    config: &'a Config,
    redactor: &'a Redactor,
    /// None where there is no folder to compare with.
    start: OnceCell<Option<Start>>,
}

impl<'a> Tree<'a> {
    fn new(config: &'a Config, redactor: &'a Redactor) -> Self {
        Self { config, redactor, start: OnceCell::new() }
    }

    fn check(&self, mut hit: Hit) -> Hit {
        let is_item = matches!(hit.kind, Kind::Decision | Kind::Failure | Kind::Memory | Kind::Open | Kind::Learning);
        if is_item && let Some(start) = self.start.get_or_init(|| Start::read(b"", self.config).ok()) {
            let is_here = self.redactor.same(&hit.project, &start.session.project);
            let text = format!("{}\n{}", hit.title, hit.text);
            hit.gone = if is_here { start.gone_names(&text, self.redactor) } else { String::new() };
        }
        hit
    }
}

/// The current folder's project.
pub struct Here {
    project: String,
    folders: Vec<PathBuf>,
}

impl Here {
    fn find(config: &Config) -> Result<Self, Failure> {
        let session = project::here(config)?;
        let memory = crate::store::Memory::of(&session, config)?;
        // Its typed memories are mostly in the folder that the rest is in.
        let mut known = HashSet::new();
        let all = memory.folders().chain([memory.notes()]);
        let folders = all.filter(|folder| known.insert(file::real_path(folder))).map(PathBuf::from).collect();
        Ok(Self { project: session.project, folders })
    }
}

//! What the tools changed in the current folder's project, and taking one of these changes back. Each tool takes back its
//! own; here is only found out which tool that is.

use super::by_id::{self, ByHand, Thing};
use super::here::Here;
use super::history::{self, Told};
use super::persist::{self, BY_HAND, Done};
use super::{brief, done, dream, forget, prune};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::{clock, env, text};
use crate::record::item::{self, ItemKind};
use crate::record::pruned;
use crate::store::change::{self, State};
use crate::store::handoff;
use crate::store::receipts::{self, Receipt, Said};
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The fewest characters of an id that mean one, and the most of what is told of a change.
const LEAST: usize = 4;
const CHARS: usize = 100;
/// The names of plans that can be taken back, as [`change`] has them.
const PLANS: [&str; 5] = ["dream", "brief", PRUNE, prune::REMOVE, persist::EDIT];
/// What is pruned goes unasked and is not in use, so that it is never the last change that a person means.
const PRUNE: &str = "prune";

/// A change that can be taken back.
struct Made {
    time: Option<Timestamp>,
    /// The tool, without `lh-`.
    by: &'static str,
    thing: Thing,
}

/// The changes, the newest first, a line each; "" when there is none.
pub fn list(config: &Config) -> Result<Masked, Failure> {
    let here = Here::find(config)?;
    let lines: Vec<String> = all(&here)?.iter().map(Made::line).collect();
    Ok(here.redactor.masked_parts(&by_id::text(&lines)))
}

/// Takes back the change of this id, or the last one, and says what was done.
pub fn undo(id: Option<&str>, dry_run: bool, config: &Config) -> Result<Done, Failure> {
    by_id::no_empty(&id.map(str::to_owned).into_iter().collect::<Vec<_>>())?;
    let here = Here::find(config)?;
    let all = all(&here)?;
    let exact = all.iter().find(|made| id.map_or(made.by != PRUNE, |id| made.thing.id == id));
    let begins = |made: &&Made| id.is_some_and(|id| id.len() >= LEAST && made.thing.id.starts_with(id));
    let mut meant: Vec<&Made> = exact.map_or_else(|| all.iter().filter(begins).collect(), |exact| vec![exact]);
    // Of several changes of one item the last, which is the first here.
    let mut known = BTreeSet::new();
    meant.retain(|made| known.insert(&made.thing.id));
    match (meant.as_slice(), id) {
        ([one], _) => one.take_back(dry_run, &here),
        // One item of a session.
        ([], Some(id)) => {
            persist::undo(&ByHand { words: vec![id.to_owned()], undo: true, dry_run, by_words: true }, config)
        }
        (_, None) => Err(Failure::data("nothing was changed here that can be taken back")),
        (several, Some(id)) => Err(by_id::ambiguous(id, &several.iter().map(|made| &made.thing).collect::<Vec<_>>())),
    }
}

fn all(here: &Here<'_>) -> Result<Vec<Made>, Failure> {
    let Here { memory, project, redactor, .. } = here;
    let mut all = Vec::new();
    for receipt in receipts::all(memory)? {
        all.extend(of_runs(&receipt));
    }
    let home = env::agent_home()?;
    let learnings = here.config.learnings_top()?;
    let own = [memory.notes().to_path_buf(), learnings, home.join("queue"), home.join("logs")];
    let own = own.iter().map(PathBuf::as_path).filter(|own| memory.folders().all(|folder| folder != *own));
    for folder in memory.folders().chain(own) {
        // What was taken out of other projects is in the queue, too.
        let is_here = folder == memory.notes() || memory.folders().any(|own| own == folder);
        all.extend(of_plans(folder)?.into_iter().filter(|made| is_here || made.by != prune::REMOVE));
    }
    for folder in memory.folders() {
        all.extend(handoff::closed(folder)?.into_iter().map(|(time, text)| {
            let id = item::id(ItemKind::Handoff, project, &text);
            Made { time, by: "done", thing: Thing { id, text } }
        }));
    }
    let wrong = history::read(here)?.into_iter().filter(Told::is_wrong);
    all.extend(wrong.map(|told| Made { time: told.last_marked(), by: "forget", thing: told.thing }));
    for made in &mut all {
        let shown = redactor.shown(&made.thing.text).into_owned();
        made.thing.text = text::cut(&text::one_line(&shown), CHARS).into_owned();
    }
    all.sort_by_key(|made| std::cmp::Reverse(made.time));
    Ok(all)
}

/// What a session wrote that was not taken back; what a person wrote by hand is an item each.
fn of_runs(receipt: &Receipt) -> Vec<Made> {
    let mut made: Vec<Made> = Vec::new();
    for entry in receipt.entries.iter().rev().filter(|entry| !entry.undone) {
        let new = entry.said().iter().filter(|new| !new.undone && !new.text.is_empty());
        let thing = |said: &Said| Thing { id: said.id.clone(), text: said.text.clone() };
        made.extend(new.map(|new| Made { time: clock::parse(&entry.run), by: "persist", thing: thing(new) }));
    }
    let (Some(last), Some(first)) = (made.first(), made.last()) else { return made };
    if receipt.session_id == BY_HAND {
        return made;
    }
    let text = &first.thing.text;
    let text = if made.len() == 1 { text.clone() } else { format!("{} items: {text}", made.len()) };
    vec![Made { time: last.time, by: last.by, thing: Thing { id: receipt.session_id.clone(), text } }]
}

/// The plans that were carried out in a folder.
fn of_plans(folder: &Path) -> Result<Vec<Made>, Failure> {
    let made = |change: change::Change| {
        let by = PLANS.into_iter().find(|by| change.by.split('-').next() == Some(by))?;
        let done = || change.entries.iter().filter(|file| file.state == State::Done);
        let names: Vec<&str> = done().map(|file| file.name.as_str()).collect();
        let text = format!("{} files: {}", names.len(), names.join(", "));
        let id = if by == prune::REMOVE { prune::run_of(&change.id) } else { &change.id };
        let (time, id) = (clock::parse(&change.ts), id.to_owned());
        (!names.is_empty()).then_some(Made { time, by, thing: Thing { id, text } })
    };
    Ok(change::receipts(folder)?.into_iter().filter_map(made).collect())
}

impl Made {
    fn line(&self) -> String {
        let Self { time, by, thing } = self;
        let time = time.map_or_else(|| "an unknown time".to_owned(), clock::local_minute);
        let id = if by_id::is_id(&thing.id) { item::short_id(&thing.id) } else { &thing.id };
        text::harmless(&format!("{time} {by} {id} {}", thing.text)).into_owned()
    }

    fn take_back(&self, dry_run: bool, Here { config, redactor, .. }: &Here<'_>) -> Result<Done, Failure> {
        let id = self.thing.id.as_str();
        let wanted = ByHand { words: vec![id.to_owned()], undo: true, dry_run, by_words: true };
        let said = match self.by {
            "persist" => return persist::undo(&wanted, config),
            "done" => done::done(&wanted, config)?,
            "forget" => forget::forget(&wanted, config)?,
            _ if dry_run => redactor.masked_parts(&format!("would take back: {}\n", self.line())),
            "dream" => dream::undo(&dream::Place::here(config)?, Some(id), clock::now(), redactor)?,
            "brief" => brief::undo(&brief::here(config)?, id, redactor)?,
            by => {
                let mut lines = String::new();
                let mut told = |record: &Record| {
                    lines.push_str(&pruned::line(record));
                    Ok(())
                };
                if by == prune::REMOVE {
                    prune::undo("lh", &wanted.words, false, config, &mut told)?;
                } else {
                    prune::restore("lh", &wanted.words, prune::Wanted::default(), config, &mut told)?;
                }
                redactor.masked_parts(&lines)
            }
        };
        Ok(Done { any: !said.is_empty(), said, failure: None })
    }
}

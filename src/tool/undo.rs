//! Finds what the tools changed in the current folder's project, and a person in others, and takes one of these changes
//! back. Each tool takes back its own.

use super::by_id::{self, ByHand, Thing};
use super::here::Here;
use super::history;
use super::persist::{self, HandReceipt};
use super::{brief, done, dream, forget, moves, prune, review, setup};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::{clock, env, log, text};
use crate::record::item;
use crate::record::speaker::imported_from;
use crate::store::change::{self, ChangeState};
use crate::store::handoff;
use crate::store::receipts::{self, BY_HAND, Receipt, WrittenItem};
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::Path;

/// The fewest characters of an id that mean one, and the most of what is told of a change.
const LEAST: usize = 4;
const CHARS: usize = 100;
/// The names of plans that can be taken back, as [`change`] has them.
const PLANS: [&str; 6] = ["dream", "brief", prune::BY, prune::REMOVE, persist::EDIT, review::FORGET];

/// A change that can be taken back.
struct Undoable {
    time: Option<Timestamp>,
    /// The tool, without `lh-`.
    by: &'static str,
    thing: Thing,
    /// The place of its project; what belongs to all projects is here.
    at: usize,
    /// A person did it.
    is_own: bool,
    /// How many items a session gave; none of another change.
    items: Option<usize>,
}

/// What is taken back, and how.
#[derive(Clone, Copy)]
pub struct UndoOptions<'a> {
    /// The id of a change, or its beginning; none for the last one.
    pub id: Option<&'a str>,
    /// Only say what would be done.
    pub dry_run: bool,
    /// Ask nothing.
    pub yes: bool,
}

/// The changes here and a person's own in other projects, the newest first, a line each; "" when there is none.
pub fn list(config: &Config) -> Result<Masked, Failure> {
    let (all, projects) = all(config)?;
    let line = |made: &Undoable| match made.at {
        0 => made.line(),
        at => format!("{} (project {})", made.line(), text::one_line(&projects[at].project)),
    };
    let lines = all.iter().filter(|made| made.is_near()).map(|made| line(made) + "\n");
    Ok(projects[0].redactor.masked_parts(&lines.collect::<String>()))
}

/// Takes back the change of an id, or the last one, and says what was done, and where if it was not here.
pub fn undo(wanted: UndoOptions, config: &Config) -> Result<HandReceipt, Failure> {
    let id = wanted.id;
    by_id::no_empty(&id.map(str::to_owned).into_iter().collect::<Vec<_>>())?;
    let (all, projects) = all(config)?;
    // What is pruned goes unasked and is not in use: it is never the last change that a person means.
    let is_last = |made: &&Undoable| made.by != prune::BY && made.is_near();
    let meant: Vec<&Undoable> = match id {
        None => all.iter().find(is_last).into_iter().collect(),
        Some(id) => {
            let is_here = items(&projects[0])?.iter().any(|known| id.len() >= LEAST && known.id.starts_with(id));
            meant(id, &all, is_here)?
        }
    };
    let (head, done) = match (meant.as_slice(), id) {
        ([one], _) => {
            // A person closes or forgets several things at once, and takes them back at once.
            let together = id.is_none() && ["done", review::FORGET].contains(&one.by) && by_id::is_id(&one.thing.id);
            let ids = if together { Vec::new() } else { vec![one.thing.id.clone()] };
            let here = &projects[one.at];
            if id.is_none() && one.at > 0 && !wanted.dry_run {
                let what = format!("this is a change of the project {}: {}", text::harmless(&here.project), one.line());
                agreed(&what, wanted.yes)?;
            }
            (here.head(&projects[0]), one.take_back(ids, wanted, here)?)
        }
        ([], Some(id)) => {
            // One item of a session, of any project.
            let (here, words) = Here::of_words(&[id.to_owned()], items, config)?.remove(0);
            let wanted = ByHand { words, folders: Vec::new(), undo: true, dry_run: wanted.dry_run, by_words: true };
            (here.head(&projects[0]), persist::undo_in(&here, &wanted)?)
        }
        (_, None) => return Err(Failure::new(Exit::No, "nothing was changed that can be taken back")),
        (several, Some(id)) => {
            return Err(by_id::ambiguous(id, &several.iter().map(|made| &made.thing).collect::<Vec<_>>()));
        }
    };
    let mut said = head;
    said.push(&done.said);
    Ok(HandReceipt { said, ..done })
}

/// The changes that an id means, those here before those of other projects; of several of one item the last. With
/// `is_here` an item here has the id: what another project says in the same words has it, too, and is not meant.
fn meant<'m>(id: &str, all: &'m [Undoable], is_here: bool) -> Result<Vec<&'m Undoable>, Failure> {
    let mut meant: Vec<&Undoable> = all.iter().filter(|made| made.thing.id == id).collect();
    if meant.is_empty() && id.len() >= LEAST {
        meant.extend(all.iter().filter(|made| made.thing.id.starts_with(id)));
    }
    if is_here || meant.iter().any(|made| made.at == 0) {
        meant.retain(|made| made.at == 0);
    }
    // What a prune or a removal did in several projects comes back in all of them at once.
    let at = |made: &Undoable| if [prune::BY, prune::REMOVE].contains(&made.by) { 0 } else { made.at };
    let mut known = BTreeSet::new();
    meant.retain(|made| known.insert((&made.thing.id, at(made))));
    let mut ids = BTreeSet::new();
    // An open item has the same id in each project.
    if known.iter().all(|(id, _)| ids.insert(*id)) { Ok(meant) } else { Err(by_id::of_several(id)) }
}

/// The items that sessions gave in a project, by their ids; those that were taken back, too.
fn items(here: &Here<'_>) -> Result<Vec<Thing>, Failure> {
    let all = receipts::all(&here.memory)?;
    let ids: BTreeSet<&String> = all.iter().flat_map(Receipt::said).map(|said| &said.id).collect();
    Ok(ids.into_iter().map(|id| Thing { id: id.clone(), text: String::new() }).collect())
}

/// All changes, the newest first, and the projects that they are of: that of the current folder, and then the others.
fn all(config: &Config) -> Result<(Vec<Undoable>, Vec<Here<'_>>), Failure> {
    let here = Here::find(config)?;
    let (mut all, others) = (of_project(&here)?, here.others(of_project)?);
    let mut projects = vec![here];
    for (other, its) in others {
        let at = projects.len();
        all.extend(its.into_iter().map(|made| Undoable { at, ..made }));
        projects.push(other);
    }
    let home = env::agent_home()?;
    let shared = [config.learnings_top()?, config.knowledge_folder()?, home.join("queue"), home.join("logs")];
    for folder in BTreeSet::from(shared) {
        let is_known =
            |made: &Undoable| all.iter().any(|known| (known.by, &known.thing.id) == (made.by, &made.thing.id));
        let new: Vec<Undoable> = of_plans(&folder)?.into_iter().filter(|made| !is_known(made)).collect();
        all.extend(new);
    }
    for made in &mut all {
        let shown = projects[0].redactor.shown(&made.thing.text).into_owned();
        made.thing.text = text::cut(&text::one_line(&shown), CHARS).into_owned();
    }
    // What a person says of an item has no parts of a second: it is behind what a tool did in that second.
    let second = |made: &Undoable| made.time.map(Timestamp::as_second);
    all.sort_by_key(|made| std::cmp::Reverse((second(made), made.is_own, made.time)));
    Ok((all, projects))
}

fn of_project(here: &Here<'_>) -> Result<Vec<Undoable>, Failure> {
    let memory = &here.memory;
    let mut all = Vec::new();
    receipts::all(memory)?.iter().for_each(|receipt| all.extend(of_runs(receipt)));
    // What an edit took the place of was not done.
    let edited = receipts::edited(memory)?;
    let notes = Some(memory.notes()).filter(|notes| memory.folders().all(|folder| folder != *notes));
    for folder in memory.folders().chain(notes) {
        all.extend(of_plans(folder)?);
    }
    for folder in memory.folders() {
        let closed = handoff::closed(folder)?.into_iter().filter(|(_, text)| !edited.contains(text));
        all.extend(closed.map(|(time, text)| Undoable::own(time, "done", Thing { id: item::open_id(&text), text })));
    }
    let wrong = history::read(here)?.into_iter().filter(|told| told.entry.is_forgotten());
    all.extend(wrong.map(|told| Undoable::own(told.last_marked(), review::FORGET, told.thing)));
    all.extend(moves::made(memory)?.into_iter().map(|(time, thing)| Undoable::own(time, "move", thing)));
    Ok(all)
}

/// What a session wrote that was not taken back; what a person wrote by hand is an item each.
fn of_runs(receipt: &Receipt) -> Vec<Undoable> {
    let mut made: Vec<Undoable> = Vec::new();
    for entry in receipt.entries.iter().rev() {
        let new = entry.said().iter().filter(|new| !new.undone && !new.text.is_empty());
        let thing = |new: &WrittenItem| Thing { id: new.id.clone(), text: new.text.clone() };
        made.extend(new.map(|new| Undoable::own(clock::parse(&entry.run), "persist", thing(new))));
    }
    let (Some(last), Some(first)) = (made.first(), made.last()) else { return made };
    if receipt.session_id == BY_HAND {
        return made;
    }
    let (time, text) = (last.time, &first.thing.text);
    let text = if made.len() == 1 { text.clone() } else { format!("{}: {text}", text::counted(made.len(), "item")) };
    let thing = Thing { id: receipt.session_id.clone(), text };
    vec![Undoable { is_own: false, items: Some(made.len()), ..Undoable::own(time, "persist", thing) }]
}

/// The plans that were carried out in a folder.
fn of_plans(folder: &Path) -> Result<Vec<Undoable>, Failure> {
    let made = |change: change::Change| {
        let by = PLANS.into_iter().find(|by| change.by.split('-').next() == Some(by))?;
        let done = || change.entries.iter().filter(|file| file.state == ChangeState::Done);
        let names: Vec<&str> = done().map(|file| file.name.as_str()).collect();
        let text = format!("{}: {}", text::counted(names.len(), "file"), names.join(", "));
        let id = if by == prune::REMOVE { prune::run_of(&change.id) } else { &change.id };
        let (time, id) = (clock::parse(&change.ts), id.to_owned());
        let is_own = [prune::REMOVE, persist::EDIT, review::FORGET].contains(&by);
        (!names.is_empty()).then(|| Undoable { is_own, ..Undoable::own(time, by, Thing { id, text }) })
    };
    let mut all = Vec::new();
    for change in change::receipts(folder)? {
        // What was changed since cannot be taken back, and is not in the way of what was before it.
        if change::can_return(folder, &change)? {
            all.extend(made(change));
        }
    }
    Ok(all)
}

/// Asks a person at a terminal, and says whether one agreed; status 1 where not.
fn agreed(what: &str, yes: bool) -> Result<bool, Failure> {
    if yes || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(false);
    }
    let is_wanted = setup::yes(&format!("{what}. Go on? [y/N]"));
    if is_wanted { Ok(true) } else { Err(Failure::new(Exit::No, "nothing was taken back")) }
}

impl Undoable {
    /// What a person did here.
    fn own(time: Option<Timestamp>, by: &'static str, thing: Thing) -> Self {
        Self { time, by, thing, at: 0, is_own: true, items: None }
    }

    fn line(&self) -> String {
        let Self { time, by, thing, .. } = self;
        let time = time.map_or_else(|| "an unknown time".to_owned(), clock::local_minute);
        let id = if by_id::is_id(&thing.id) { item::short_id(&thing.id) } else { &thing.id };
        text::harmless(&format!("{time} {by} {id} {}", thing.text)).into_owned()
    }

    /// Whether it can be the last change of a person who is here.
    fn is_near(&self) -> bool {
        self.at == 0 || self.is_own
    }

    fn take_back(
        &self,
        ids: Vec<String>,
        UndoOptions { dry_run, yes, .. }: UndoOptions,
        here: &Here<'_>,
    ) -> Result<HandReceipt, Failure> {
        let Here { config, redactor, memory, .. } = here;
        let id = self.thing.id.as_str();
        let wanted = ByHand { words: ids, folders: Vec::new(), undo: true, dry_run, by_words: true };
        let said = match self.by {
            "persist" => {
                self.ask(dry_run, yes)?;
                return persist::undo_in(here, &wanted);
            }
            "done" => here.masked(&done::done_in(here, &wanted)?),
            review::FORGET if by_id::is_id(id) => here.masked(&forget::forget_in(here, &wanted)?),
            _ if dry_run => redactor.masked_parts(&format!("would take back: {}\n", self.line())),
            "dream" => here.masked(&dream::undo(memory, Some(id), redactor)?),
            "brief" => here.masked(&brief::undo(memory, id)?),
            "move" => {
                moves::take_back(id, config)?;
                redactor.masked_parts(&format!("taken back: {}\n", self.line()))
            }
            by => {
                let mut records = Vec::new();
                let mut told = |record: &Record| {
                    records.push(record.clone());
                    Ok(())
                };
                let all =
                    prune::PruneOptions { all: by == prune::REMOVE || self.at > 0, ..prune::PruneOptions::default() };
                prune::restore("lh", &wanted.words, all, config, &mut told)?;
                here.masked(&records)
            }
        };
        Ok(HandReceipt { any: !said.is_empty(), said, failure: None })
    }

    /// Says before all that a session gave is taken back what goes, and how it comes again. A person at a terminal is asked.
    fn ask(&self, dry_run: bool, yes: bool) -> Result<(), Failure> {
        let (Some(count), false) = (self.items, dry_run) else { return Ok(()) };
        let (id, items) = (text::harmless(&self.thing.id), text::counted(count, "item"));
        let what = match imported_from(&self.thing.id) {
            Some(program) => format!("this takes back all that was imported from {program}: {items}"),
            None => format!("this takes back all that the session {id} gave: {items}"),
        };
        if agreed(&what, yes)? {
            return Ok(());
        }
        let again = match imported_from(&self.thing.id) {
            Some(program) => format!("'lh import --from {program} FILE' brings it again"),
            None => format!("'lh-find-session {id} | lh-distill | lh-persist' distils it again"),
        };
        log::say("lh undo", &format!("{what}; {again}"));
        Ok(())
    }
}

//! Consolidation of typed memories: a plan that merges, rewrites and retires some, which waits until a person wants it,
//! and can be taken back when it was applied. `.consolidate-lock` and the lock of `.state/dream/` keep two from working at
//! once; no lock keeps people, the client and its agent from writing, so each file is changed only as it was read.

mod apply;
mod ask;
mod find;

pub use apply::{Who, apply, refuse, undo};

use crate::agent::project::{self, SessionHint};
use crate::agent::{checkout, layout};
use crate::base::config::{Config, Dream, Engine, Scope};
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::record::{self, Record};
use crate::base::{clock, diff, env, file, log, text};
use crate::record::line;
use crate::record::session::Session;
use crate::redact::Redactor;
use crate::store::plan::{self, PlanState, PlannedChange};
use crate::store::{Memory, memories};
use find::DreamFolder;
use jiff::Timestamp;
use std::fmt::Write as _;
use std::path::Path;

const TOOL: &str = "lh-dream";
/// Between two plans that start by themselves, and between two looks at a folder, in seconds.
const BETWEEN: i64 = 86_400;
const LOOKS: i64 = 600;
/// Sessions since the last plan, and memories, that are worth one.
const SESSIONS: usize = 5;
const MEMORIES: usize = 10;

/// A project, and where its memories are.
pub struct DreamProject<'a> {
    config: &'a Config,
    session: Session,
    /// Its memory.
    pub memory: Memory,
}

impl<'a> DreamProject<'a> {
    /// That of the current folder.
    pub fn here(config: &'a Config) -> Result<Self, Failure> {
        Self::of(project::here(config)?, config)
    }

    fn of(session: Session, config: &'a Config) -> Result<Self, Failure> {
        Ok(Self { memory: Memory::of(&session, config)?, session, config })
    }

    /// Whether it has any memories; says it where it has none.
    pub fn is_there(&self) -> bool {
        let folder = self.memory.notes();
        if !folder.is_dir() {
            log::say(TOOL, &format!("no typed memories are here: '{}' is not there", folder.display()));
        }
        folder.is_dir()
    }
}

/// Makes a plan; an earlier one that waits goes. Gives how many changes it has, and how many memories are there.
pub fn make(place: &DreamProject, engine: Option<Engine>, redactor: &Redactor) -> Result<(usize, usize), Failure> {
    let folder = place.memory.notes();
    // The folder's own lock is not held while a model thinks.
    let [_lock, memory_lock] = apply::locked(folder, redactor)?;
    drop(memory_lock);
    let mut state = PlanState::read(folder)?;
    let facts = DreamFolder::read(&place.memory, &state, redactor)?;
    let seen = memories::seen(&place.memory, &facts.facts.iter().map(|fact| &*fact.note.id).collect::<Vec<_>>())?;
    let mut changes = find::duplicates(&facts);
    changes.extend(find::contradicted(&facts));
    changes.extend(find::gone(&facts, &seen, &checkout::around(&place.session.project_root)));
    changes.extend(find::unused(&facts));
    if let Some(engine) = engine {
        match ask::changes(&facts, place, engine) {
            Ok(found) => changes.extend(found),
            Err(failure) => log::say(TOOL, &format!("{}: planned without a model", failure.message)),
        }
    }
    let changes = find::together(changes, facts.count, &state);
    plan::keep(folder, &changes, redactor)?;
    state.planned_at = clock::now().to_string();
    state.keep(folder, redactor)?;
    Ok((changes.len(), facts.count))
}

/// Makes a plan for each project of the home whose gates are open, and applies what of it the configuration wants. A
/// project is known by the newest transcript in its folder: one of which the client removed all has no new sessions.
pub fn due(config: &Config, redactor: &Redactor) -> Result<(), Failure> {
    if !config.compound_loop.enabled || config.memory.dream == Dream::Off || env::inside_model() {
        return Ok(());
    }
    // Another worker's queue is not empty, or its model thinks.
    let home = env::agent_home()?;
    let lock = file::Root::new(&home).file("queue/.worker.lock")?;
    if lock.exists() && file::try_lock(&lock)?.is_none() {
        return Ok(());
    }
    for beside in layout::memory_folders(&home) {
        if let Err(failure) = due_beside(&beside, config, redactor) {
            log::say(TOOL, &format!("{}: {}", beside.display(), failure.message));
        }
    }
    Ok(())
}

/// The same for the project with this folder beside its transcripts.
fn due_beside(beside: &Path, config: &Config, redactor: &Redactor) -> Result<(), Failure> {
    // With one folder for all checkouts, git says which that is.
    let is_shared = config.memory.scope == Scope::Shared;
    let Some(project) = beside.parent() else { return Ok(()) };
    if !is_shared && memories::names(beside)?.len() < MEMORIES {
        return Ok(());
    }
    let Some((_, newest)) = layout::transcripts(project).into_iter().max() else { return Ok(()) };
    let hint = SessionHint { found_by: "transcript_path", ..SessionHint::default() };
    let place = DreamProject::of(project::describe(&newest, hint, config)?.0, config)?;
    let folder = place.memory.notes();
    // That of a linked worktree is the folder of the main one, which has its own turn.
    let is_meant = is_shared || folder == file::real_path(beside);
    if !is_meant || !is_open(folder, project, redactor)? {
        return Ok(());
    }
    let (changes, _) = make(&place, config.memory.dream_engine, redactor)?;
    log::say(TOOL, &format!("{}: a plan of {changes} changes", place.session.project));
    if changes > 0 && config.memory.dream == Dream::Apply {
        let said = apply(&place.memory, Who::Configuration, redactor)?;
        said.iter().filter_map(line::of).for_each(|line| log::say(TOOL, line.trim_end()));
    }
    Ok(())
}

/// Whether a plan may start by itself: rarely. `project` has the folder's transcripts. That the folder was looked at is
/// noted only where there are memories enough, so that folders without any stay as they are.
fn is_open(folder: &Path, project: &Path, redactor: &Redactor) -> Result<bool, Failure> {
    if memories::names(folder)?.len() < MEMORIES {
        return Ok(false);
    }
    let Ok(_lock) = plan::lock(folder) else { return Ok(false) };
    let (mut state, now) = (PlanState::read(folder)?, clock::now());
    let last = state.last(folder);
    let is_within =
        |time: Option<Timestamp>, seconds| time.is_some_and(|time| clock::seconds_between(time, now) < seconds);
    if is_within(last, BETWEEN) || is_within(clock::parse(&state.looked_at), LOOKS) {
        return Ok(false);
    }
    state.looked_at = now.to_string();
    state.keep(folder, redactor)?;
    let times = layout::transcripts(project).into_iter().filter_map(|(time, _)| clock::from_system(time));
    let sessions = times.filter(|time| last.is_none_or(|last| *time > last)).count();
    Ok(sessions >= SESSIONS && !plan::is_held(folder, now))
}

/// The changes that wait: for a terminal a readable diff, else a record each; "" where none does.
pub fn show(place: &DreamProject, terminal: bool, redactor: &Redactor) -> Result<Masked, Failure> {
    let folder = place.memory.notes();
    if apply::is_unfinished(folder)? {
        drop(apply::locked(folder, redactor));
    }
    let plan = plan::read(folder)?;
    let mut shown = Masked::default();
    for change in &plan {
        let said = if terminal {
            redactor.masked_parts(&text::harmless(&page(change, folder)?))
        } else {
            redactor.masked_record(&record_of(change, folder)?)
        };
        shown.push(&said);
    }
    if terminal && !plan.is_empty() {
        shown.push(&redactor.masked_parts(&closing(&plan)));
    }
    Ok(shown)
}

/// A change for a person: what it does and why, and what becomes of the files.
fn page(change: &PlannedChange, folder: &Path) -> Result<String, Failure> {
    let marks = [(change.offered, "only offered: facts may be lost"), (change.of_others, "not written by lh alone")];
    let marks: Vec<&str> = marks.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect();
    let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join("; ")) };
    let mut page = format!("{}. {}{marks}\n   {}\n", change.number, change.line(), text::one_line(&change.why));
    for quote in &change.quotes {
        let _ = writeln!(page, "   > {}", text::one_line(quote));
    }
    let now = |name: &str| Ok::<_, Failure>(file::read_text(&folder.join(name))?.unwrap_or_default());
    if let (Some(keeps), Some(text)) = (&change.keeps, &change.text) {
        page += &diff::unified(&now(&keeps.file)?, text, &keeps.file, &keeps.file);
    }
    for seen in &change.retires {
        page += &diff::unified(&now(&seen.file)?, "", &seen.file, "/dev/null");
    }
    page.push('\n');
    Ok(page)
}

/// What to do with them.
fn closing(plan: &[PlannedChange]) -> String {
    let offered = plan.iter().filter(|change| change.offered).count();
    let but = match offered {
        0 => String::new(),
        count => format!(" but the {count} that are only offered"),
    };
    format!(
        "lh-dream --apply applies all{but}, --apply --only N one, --refuse N drops one for good, --undo takes back\n"
    )
}

/// Says why nothing was printed: of a plan that was made just now of so many memories, or of none that waits.
pub fn say_nothing_waits(made: Option<(usize, usize)>) {
    let of_plan = |(_, memories)| format!("no plan: {memories} memories looked at, and nothing to change");
    log::say(TOOL, &made.map_or_else(|| "no plan waits: lh-dream --force makes one".to_owned(), of_plan));
}

/// A change as a record.
fn record_of(change: &PlannedChange, folder: &Path) -> Result<Record, Failure> {
    let mut record = Record::parse(&record::json_line(change)?).map_err(Failure::data)?;
    record.set_path("folder", folder);
    Ok(record)
}

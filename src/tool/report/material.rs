//! What a report is made of, read through the owners of the files alone. A file that cannot be read costs itself alone,
//! and the page says so.

use crate::agent::memory_dirs;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::{clock, file};
use crate::record::episode::Ended;
use crate::record::item::ItemKind;
use crate::store::journal::{self, Entry};
use crate::store::learnings::{self, Learning};
use crate::store::ledger::{self, Booking, Spent};
use crate::store::memories::{self, told};
use crate::store::page::{self, Page};
use crate::store::{self, episodes, handoff};
use crate::tool::recall;
use jiff::Timestamp;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The most pages of sessions that are read.
const PAGES: usize = 50_000;
/// The name under which what cannot be read is said.
pub const TOOL: &str = "lh-report";

/// A session, as its page and its episode tell.
#[derive(Default)]
pub struct ReportedSession {
    pub id: String,
    pub time: Option<Timestamp>,
    pub project: String,
    pub about: String,
    /// How it ended; "" where nothing says it.
    pub ended: &'static str,
    pub messages: u64,
    pub usd: Option<f64>,
    /// Its page; none where there is only an episode.
    pub path: Option<PathBuf>,
}

/// An item of a journal.
pub struct JournalPoint {
    pub project: String,
    pub entry: Entry,
}

/// An open item.
pub struct HandoffPoint {
    pub time: Option<Timestamp>,
    pub project: String,
    pub text: String,
    /// The handoff that it is in.
    pub path: PathBuf,
}

/// A typed memory that was told to sessions.
pub struct ToldMemory {
    pub last: Option<Timestamp>,
    pub project: String,
    /// Its name, as what is noted of sessions has it.
    pub file: String,
    /// Where it is; none where that is not the name of a typed memory.
    pub path: Option<PathBuf>,
    pub times: u64,
}

/// All of it, the newest first.
#[derive(Default)]
pub struct Material {
    pub since: Option<Timestamp>,
    pub sessions: Vec<ReportedSession>,
    /// Files of sessions that are older than those that were read.
    pub older: usize,
    pub open: Vec<HandoffPoint>,
    pub decisions: Vec<JournalPoint>,
    pub failures: Vec<JournalPoint>,
    pub learnings: Vec<(Option<Timestamp>, Learning)>,
    /// The model calls by their local days.
    pub days: BTreeMap<String, Spent>,
    /// What the calls of a day may cost, in US dollars.
    pub budget: f64,
    pub told: Vec<ToldMemory>,
    /// What could not be read.
    pub unread: Vec<Failure>,
}

impl Material {
    /// Reads what is not older than `since`; what is open is told whole.
    pub fn read(since: Option<Timestamp>, config: &Config) -> Result<Self, Failure> {
        let mut all = Self { since, budget: config.compound_loop.max_usd_per_day, ..Self::default() };
        let mut sessions = all.pages(&config.sessions_folder()?);
        let homes = config.agent_homes()?;
        let ledgers: Vec<_> = homes.iter().map(|home| all.or_unread(ledger::calls(&ledger::path(home)))).collect();
        let used = ledgers.iter().filter(|calls| !calls.is_empty()).count();
        // Each home has a budget of its own.
        all.budget *= f64::from(u32::try_from(used.max(1)).unwrap_or(1));
        for (day, call) in ledgers.into_iter().flatten() {
            let cost_usd = call.cost_usd.filter(|usd| is_cost(*usd));
            all.days.entry(day).or_default().add(&Booking { cost_usd, ..call });
        }
        for (project, folders) in projects(&homes, config) {
            let folders: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
            all.episodes(&project, &folders, &mut sessions);
            for kind in [ItemKind::Decision, ItemKind::Failure] {
                let entries = all.or_unread(journal::read(&journal::files(&folders, kind, true), kind));
                let points = if kind == ItemKind::Decision { &mut all.decisions } else { &mut all.failures };
                points.extend(entries.into_iter().map(|entry| JournalPoint { project: project.clone(), entry }));
            }
            for folder in &folders {
                all.open(&project, folder);
                all.told(&project, folder);
            }
        }
        let learned = all.or_unread(learnings::newest(&config.learnings_folder()?));
        // A learning's name begins with its day.
        let day = |one: &Learning| clock::start_of_day(one.path.file_name()?.to_string_lossy().get(..10)?);
        all.learnings = learned.into_iter().map(|one| (day(&one), one)).collect();
        all.sessions = sessions.into_values().collect();
        all.sort();
        Ok(all)
    }

    /// What was read; nothing where that failed.
    fn or_unread<T: Default>(&mut self, read: Result<T, Failure>) -> T {
        read.unwrap_or_else(|failure| {
            self.unread.push(failure);
            T::default()
        })
    }

    fn pages(&mut self, folder: &Path) -> HashMap<String, ReportedSession> {
        let mut files = self.or_unread(page::files(folder));
        self.older = files.split_off(files.len().min(PAGES)).len();
        let mut sessions = HashMap::with_capacity(files.len());
        for path in files {
            let Some(page) = self.or_unread(Page::read(&path)) else { continue };
            // What a subagent did is told with its session.
            if page.parent.is_some() {
                continue;
            }
            // A copy that a synchroniser made of a page has its id, too.
            sessions.entry(page.session_id.clone()).or_insert_with(|| of_page(path, page));
        }
        sessions
    }

    fn episodes(&mut self, project: &str, folders: &[&Path], sessions: &mut HashMap<String, ReportedSession>) {
        let (episodes, bad) = self.or_unread(episodes::list(folders.iter().copied()));
        if bad > 0 {
            self.unread.push(Failure::data(format!("{project}: {bad} files that are not episodes")));
        }
        for one in episodes {
            let session = sessions.entry(one.session_id.clone()).or_insert_with(|| {
                let (id, time, project) = (one.session_id.clone(), one.time(), project.to_owned());
                ReportedSession { id, time, project, ..ReportedSession::default() }
            });
            session.ended = if one.outcome == Ended::Unknown { "" } else { one.outcome.word() };
            if session.about.is_empty() {
                session.about = one.what_was_done;
            }
        }
    }

    fn open(&mut self, project: &str, folder: &Path) {
        let page = self.or_unread(handoff::read(folder));
        let lines = self.or_unread(handoff::lines(folder));
        let time = page.ended_at.or(page.source_latest()).or(page.written_at);
        let open = |line: handoff::OpenItem| {
            let (time, path) = (line.time().or(time), handoff::path(folder));
            HandoffPoint { time, project: project.to_owned(), text: line.text, path }
        };
        self.open.extend(lines.into_iter().map(open));
    }

    fn told(&mut self, project: &str, folder: &Path) {
        let wanted = |(telling, _): &(told::ToldOnce, String)| is_in(self.since, clock::parse(&telling.ts));
        let told: Vec<_> = told::all(folder, TOOL).into_iter().filter(wanted).collect();
        for (file, (last, times)) in told::by_file(&told) {
            let last = last.and_then(|second| Timestamp::from_second(second).ok());
            let path = memories::is_note(&file).then(|| folder.join(&file));
            self.told.push(ToldMemory { last, project: project.to_owned(), file, path, times });
        }
    }

    /// Leaves out what is too old, and puts the newest first.
    fn sort(&mut self) {
        let since = self.since;
        self.sessions.retain(|one| is_in(since, one.time));
        self.sessions.sort_by(|one, other| (other.time, &other.id).cmp(&(one.time, &one.id)));
        for points in [&mut self.decisions, &mut self.failures] {
            points.retain(|one| is_in(since, one.entry.time));
            points.sort_by_key(|one| Reverse(one.entry.time));
        }
        self.open.sort_by_key(|one| Reverse(one.time));
        self.learnings.retain(|(time, _)| is_in(since, *time));
        self.learnings.sort_by_key(|(time, _)| Reverse(*time));
        self.told.sort_by_key(|one| Reverse(one.last));
        let first = since.map(clock::local_day);
        self.days.retain(|day, _| first.as_ref().is_none_or(|first| day >= first));
    }
}

/// Whether a number can be what something cost: "NaN" and "inf" are numbers, too.
fn is_cost(usd: f64) -> bool {
    (0.0..1e6).contains(&usd)
}

fn is_in(since: Option<Timestamp>, time: Option<Timestamp>) -> bool {
    since.is_none_or(|since| time >= Some(since))
}

fn of_page(path: PathBuf, page: Page) -> ReportedSession {
    ReportedSession {
        time: page.time(),
        id: page.session_id,
        project: page.project,
        about: page.topic.map_or(String::new(), |topic| topic),
        ended: "",
        messages: page.messages,
        usd: page.cost_usd.filter(|usd| is_cost(*usd)),
        path: Some(path),
    }
}

/// The memory folders of all homes by their projects, each once.
fn projects(homes: &[PathBuf], config: &Config) -> BTreeMap<String, Vec<PathBuf>> {
    let (mut found, mut known) = (BTreeMap::<String, Vec<PathBuf>>::new(), HashSet::new());
    for folder in homes.iter().flat_map(|home| memory_dirs::all(home, config)) {
        if known.insert(file::real_path(&folder)) {
            let project = recall::project_of(&folder).unwrap_or_else(|| store::folder_name(&folder));
            found.entry(project).or_default().push(folder);
        }
    }
    found
}

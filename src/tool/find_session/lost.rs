//! Sessions whose transcript is gone (`--lost`): what the client's history still names, put together by session.
//! Prompts that do not name their session are one if they are of one folder and no long pause parts them.

use crate::agent::lost::{self, KeptSessions, TypedPrompt};
use crate::agent::{Agent, checkout, layout};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::{clock, log, text};
use crate::record::lost::Lost;
use crate::record::session;
use crate::store::page::{self, Page};
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// A longer pause, in seconds, parts prompts that do not name their session. lh-find-session(1) names it.
const PAUSE_SECONDS: i64 = 2 * 3600;
/// Sessions that are open at one time: of more the first is taken as ended, so that memory is bounded.
const OPEN: usize = 10_000;

/// Gives each lost session to `act`, home by home, in the order in which the history begins to name them. One home whose
/// history cannot be read does not hide the others; the first such failure is given, and was said.
pub fn lost(
    tool: &str,
    config: &Config,
    act: &mut dyn FnMut(&Lost) -> Result<(), Failure>,
) -> Result<Option<Failure>, Failure> {
    let homes = config.agent_homes()?;
    let mut kept = KeptSessions::in_homes(&homes)?;
    let pages = Pages::of(config)?;
    let mut failed = None;
    for home in &homes {
        let mut groups = Groups::default();
        let mut told = Ok(());
        let read = lost::each_prompt(home, &mut kept, &mut |prompt| {
            told = groups.add(prompt).map_or(Ok(()), |group| act(&group.lost(home, &pages)));
            told.clone()
        });
        // What failed is the output, and not this history.
        told?;
        groups.open.values().try_for_each(|group| act(&group.lost(home, &pages)))?;
        match read {
            Ok(0) => {}
            Ok(lines) => {
                let (path, lines) = (layout::history(home), text::counted(lines, "line"));
                log::say(tool, &format!("{}: {lines} could not be read", path.display()));
            }
            Err(failure) => {
                log::say(tool, &failure.message);
                failed = failed.or(Some(failure));
            }
        }
    }
    Ok(failed)
}

/// A session by its id, or one that no id names by its folder.
#[derive(Clone, PartialEq, Eq, Hash)]
enum SessionKey {
    Id(String),
    Folder(PathBuf),
}

/// The prompts of a session.
struct Group {
    key: SessionKey,
    cwd: PathBuf,
    prompts: u64,
    times: Option<(Timestamp, Timestamp)>,
}

impl Group {
    fn lost(&self, home: &Path, pages: &Pages) -> Lost {
        let project = checkout::identify(&self.cwd);
        let session_id = if let SessionKey::Id(id) = &self.key { Some(id.clone()) } else { None };
        Lost {
            page: session_id.as_deref().and_then(|id| pages.of_session(id)),
            session_id,
            cwd: self.cwd.clone(),
            project: project.name,
            project_root: project.root,
            agent: Agent::ClaudeCode.name().to_owned(),
            agent_home: home.to_path_buf(),
            prompts: self.prompts,
            times: self.times,
        }
    }
}

/// The sessions so far, by their numbers.
#[derive(Default)]
struct Groups {
    open: BTreeMap<u64, Group>,
    numbers: HashMap<SessionKey, u64>,
    count: u64,
}

impl Groups {
    /// Adds a prompt to its session; gives the session that had to end for it.
    fn add(&mut self, prompt: TypedPrompt) -> Option<Group> {
        let TypedPrompt { time, cwd, session_id, .. } = prompt;
        let key = session_id.map_or_else(|| SessionKey::Folder(cwd.clone()), SessionKey::Id);
        // Whether a prompt comes long after the others, or long before them.
        let is_far = |group: &Group| {
            let pause = |from, to| clock::seconds_between(from, to) > PAUSE_SECONDS;
            let times = group.times.zip(time);
            times.is_some_and(|((first, last), time)| pause(last, time) || pause(time, first))
        };
        let known = self.numbers.get(&key).and_then(|number| self.open.get_mut(number));
        if let Some(group) = known.filter(|group| matches!(key, SessionKey::Id(_)) || !is_far(group)) {
            group.prompts += 1;
            let (first, last) = group.times.unzip();
            group.times = time
                .map(|time| (first.unwrap_or(time).min(time), last.max(Some(time)).unwrap_or(time)))
                .or(group.times);
            return None;
        }
        self.count += 1;
        self.numbers.insert(key.clone(), self.count);
        self.open.insert(self.count, Group { key, cwd, prompts: 1, times: time.map(|time| (time, time)) });
        if self.open.len() <= OPEN {
            return None;
        }
        let (number, ended) = self.open.pop_first()?;
        if self.numbers.get(&ended.key) == Some(&number) {
            self.numbers.remove(&ended.key);
        }
        Some(ended)
    }
}

/// The pages of the knowledge folder, by the end of their names.
struct Pages(HashMap<String, Vec<PathBuf>>);

impl Pages {
    fn of(config: &Config) -> Result<Self, Failure> {
        let mut pages = Self(HashMap::new());
        for path in page::files(&config.sessions_folder()?)? {
            // 2026-04-13-5e0c1a7e.md
            if let Some(id) = path.file_stem().and_then(|name| name.to_str()?.get(11..)) {
                pages.0.entry(id.to_owned()).or_default().push(path);
            }
        }
        Ok(pages)
    }

    /// The page of a session, its whole id in its front matter.
    fn of_session(&self, id: &str) -> Option<PathBuf> {
        let ends = [session::short_id(id), session::safe_id(id)];
        let mut paths = ends.iter().filter_map(|end| self.0.get(end)).flatten();
        paths.find(|path| Page::read(path).ok().flatten().is_some_and(|page| page.session_id == id)).cloned()
    }
}

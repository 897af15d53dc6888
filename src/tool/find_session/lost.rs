//! Sessions whose transcript is gone (`--lost`): what the client's history still names, put together by session.
//! Prompts that do not name their session are one if they are of one folder and no long pause parts them.

use crate::agent::lost::{self, KeptSessions, TypedPrompt};
use crate::agent::{Agent, checkout, layout};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::{clock, log};
use crate::record::lost::Lost;
use crate::record::session;
use crate::store::page::{self, Page};
use jiff::Timestamp;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A longer pause, in seconds, parts prompts that do not name their session. lh-find-session(1) names it.
const PAUSE_SECONDS: i64 = 2 * 3600;

/// The lost sessions, home by home, in the order in which the history begins to name them. One home whose history cannot
/// be read does not hide the others; the first such failure is given, and was said.
pub fn lost(tool: &str, config: &Config) -> Result<(Vec<Lost>, Option<Failure>), Failure> {
    let homes = config.agent_homes()?;
    let mut kept = KeptSessions::in_homes(&homes)?;
    let pages = Pages::of(config)?;
    let (mut all, mut failed) = (Vec::new(), None);
    for home in &homes {
        let mut groups = Groups::default();
        let read = lost::each_prompt(home, &mut kept, &mut |prompt| {
            groups.add(prompt);
            Ok(())
        });
        all.extend(groups.all.iter().map(|group| group.lost(home, &pages)));
        match read {
            Ok(0) => {}
            Ok(lines) => {
                log::say(tool, &format!("{}: {lines} lines could not be read", layout::history(home).display()));
            }
            Err(failure) => {
                log::say(tool, &failure.message);
                failed = failed.or(Some(failure));
            }
        }
    }
    Ok((all, failed))
}

/// The prompts of a session.
struct Group {
    session_id: Option<String>,
    cwd: PathBuf,
    prompts: u64,
    times: Option<(Timestamp, Timestamp)>,
}

impl Group {
    fn lost(&self, home: &Path, pages: &Pages) -> Lost {
        let project = checkout::identify(&self.cwd);
        Lost {
            page: self.session_id.as_deref().and_then(|id| pages.of_session(id)),
            session_id: self.session_id.clone(),
            cwd: self.cwd.clone(),
            project: project.name,
            project_root: project.root,
            agent: Agent::ClaudeCode.name().to_owned(),
            agent_home: home.to_path_buf(),
            prompts: self.prompts,
            times: self.times,
        }
    }

    /// Whether a prompt without a session's id is of this one: no long pause is before or after it.
    fn is_near(&self, time: Option<Timestamp>) -> bool {
        let is_short = |from, to| clock::seconds_between(from, to) <= PAUSE_SECONDS;
        self.times.zip(time).is_none_or(|((first, last), time)| is_short(last, time) && is_short(time, first))
    }
}

/// The sessions so far, in the order in which they begin, and the place of the last one of each id, or of each folder.
#[derive(Default)]
struct Groups {
    all: Vec<Group>,
    places: HashMap<(Option<String>, PathBuf), usize>,
}

impl Groups {
    fn add(&mut self, prompt: TypedPrompt) {
        let TypedPrompt { time, cwd, session_id, .. } = prompt;
        let key = (session_id.clone(), if session_id.is_some() { PathBuf::new() } else { cwd.clone() });
        let known = self.places.get(&key).and_then(|place| self.all.get_mut(*place));
        if let Some(group) = known.filter(|group| session_id.is_some() || group.is_near(time)) {
            group.prompts += 1;
            let times = group.times.into_iter().flat_map(|(first, last)| [first, last]).chain(time);
            group.times = times.clone().min().zip(times.max());
        } else {
            self.places.insert(key, self.all.len());
            self.all.push(Group { session_id, cwd, prompts: 1, times: time.zip(time) });
        }
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

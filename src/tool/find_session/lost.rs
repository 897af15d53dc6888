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
/// Sessions that are open at one time: where there are more, all are taken as ended, so that memory is bounded.
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
    let pages = pages(config)?;
    let mut failed = None;
    for home in &homes {
        let mut open = OpenSessions::default();
        let mut told = Ok(());
        let mut tell = |ended: Vec<Lost>| ended.into_iter().try_for_each(|lost| act(&whole(lost, home, &pages)));
        let read = lost::each_prompt(home, &mut kept, &mut |prompt| {
            told = tell(open.add(prompt));
            told.clone()
        });
        // What failed is the output, and not this history.
        told?;
        tell(open.all)?;
        match read {
            Ok(0) => {}
            Ok(lines) => {
                let path = layout::history(home);
                log::say(tool, &format!("{}: lines that could not be read: {lines}", path.display()));
            }
            Err(failure) => {
                log::say(tool, &failure.message);
                failed = failed.or(Some(failure));
            }
        }
    }
    Ok(failed)
}

/// The sessions so far, and where among them each is, by its id, or where no id names it by its folder.
#[derive(Default)]
struct OpenSessions {
    all: Vec<Lost>,
    numbers: HashMap<Result<String, PathBuf>, usize>,
}

impl OpenSessions {
    /// Adds a prompt to its session; gives the sessions that had to end for it.
    fn add(&mut self, TypedPrompt { time, cwd, session_id, .. }: TypedPrompt) -> Vec<Lost> {
        let key = session_id.clone().ok_or_else(|| cwd.clone());
        let known = self.numbers.get(&key).map(|at| &mut self.all[*at]);
        if let Some(lost) = known.filter(|lost| session_id.is_some() || !is_far(lost, time)) {
            lost.prompts += 1;
            let span =
                |time: Timestamp| lost.times.map_or((time, time), |(first, last)| (first.min(time), last.max(time)));
            lost.times = time.map(span).or(lost.times);
            return Vec::new();
        }
        let mut ended = Vec::new();
        if self.all.len() == OPEN {
            self.numbers.clear();
            ended = std::mem::take(&mut self.all);
        }
        self.numbers.insert(key, self.all.len());
        let times = time.map(|time| (time, time));
        self.all.push(Lost { session_id, cwd, times, prompts: 1, ..Lost::default() });
        ended
    }
}

/// Whether a prompt comes long after the others of a session, or long before them.
fn is_far(lost: &Lost, time: Option<Timestamp>) -> bool {
    let pause = |from, to| clock::seconds_between(from, to) > PAUSE_SECONDS;
    lost.times.zip(time).is_some_and(|((first, last), time)| pause(last, time) || pause(time, first))
}

/// With what its folder and the pages say of it.
fn whole(lost: Lost, home: &Path, pages: &HashMap<String, Vec<PathBuf>>) -> Lost {
    let project = checkout::identify(&lost.cwd);
    let page = lost.session_id.as_ref().and_then(|id| {
        let ends = [session::short_id(id), session::safe_id(id)];
        let mut paths = ends.iter().filter_map(|end| pages.get(end)).flatten();
        paths.find(|path| Page::read(path).ok().flatten().is_some_and(|page| page.session_id == *id)).cloned()
    });
    Lost {
        project: project.name,
        project_root: project.root,
        agent: Agent::ClaudeCode.name().to_owned(),
        agent_home: home.to_path_buf(),
        page,
        ..lost
    }
}

/// The pages of the knowledge folder, by the end of their names.
fn pages(config: &Config) -> Result<HashMap<String, Vec<PathBuf>>, Failure> {
    let mut pages: HashMap<String, Vec<PathBuf>> = HashMap::new();
    for path in page::files(&config.sessions_folder()?)? {
        // 2026-04-13-5e0c1a7e.md
        if let Some(id) = path.file_stem().and_then(|name| name.to_str()?.get(11..)) {
            pages.entry(id.to_owned()).or_default().push(path);
        }
    }
    Ok(pages)
}

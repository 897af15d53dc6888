//! The last session of a project, as its page tells. The pointer that the export leaves is read and
//! checked; without a good one the newest pages are looked through, so many and no more, and the answer
//! is remembered, "none" for a day. A pointer whose page is there but cannot be read is kept.

use crate::agent::checkout;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::{clock, file, log};
use crate::record::session::Session;
use crate::redact::Redactor;
use crate::store::page::{EDITED, Page};
use crate::store::{self, Newest};
use jiff::Timestamp;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Pages that are looked at when there is no pointer.
const PAGES: usize = 1000;
/// How long a start waits for another process to remember the answer.
const PATIENCE: Duration = Duration::from_secs(1);

/// The last session.
#[derive(Clone, Debug, Default)]
pub struct LastSession {
    /// What its page says.
    pub page: Page,
    /// Where the page is.
    pub path: PathBuf,
    /// Its last timestamp, or its date.
    pub time: Option<Timestamp>,
}

/// The last session of a session's project.
pub fn find(
    session: &Session,
    memory: &Path,
    config: &Config,
    redactor: &Redactor,
) -> Result<Option<LastSession>, Failure> {
    let today = clock::local_day(clock::now());
    let known = Newest::read(memory).unwrap_or_default();
    // The process that pointed at it knew the project; a worktree of it can be gone since.
    match read(&known.path) {
        Ok(Some(last)) if redactor.same(&last.page.project, &session.project) => {
            return Ok(Some(LastSession { time: clock::parse(&known.last_time).or(last.time), ..last }));
        }
        Ok(_) => {}
        Err(failure) => log::say("lh-context", &failure.message),
    }
    if known.looked_on == today {
        return Ok(None);
    }
    let found = look(&config.sessions_folder()?, session, redactor);
    // What is not remembered is looked for again. Where the client has no folder yet we make none.
    if store::may_cache(memory) {
        let _ = match &found {
            // A page that is there and newer stays pointed at: it may be readable tomorrow.
            Some(last) => Newest {
                path: last.path.clone(),
                last_time: last.time.map(|time| time.to_string()).unwrap_or_default(),
                looked_on: String::new(),
            }
            .write(memory, PATIENCE),
            // What is pointed at stays: its drive may be back before the day is over.
            None => Newest { looked_on: today, ..known }.put(memory, PATIENCE),
        };
    }
    Ok(found)
}

/// The newest page of the project among the newest pages.
fn look(folder: &Path, session: &Session, redactor: &Redactor) -> Option<LastSession> {
    let newest_first = |folder: &Path| {
        let names = file::names(folder).unwrap_or_else(|_| Vec::new()).into_iter().rev();
        names.map(|name| folder.join(name)).collect::<Vec<_>>()
    };
    let months = newest_first(folder).into_iter();
    // A page as a person left it is kept beside the session's.
    let pages = months.flat_map(|month| newest_first(&month)).filter(|path| !store::folder_name(path).contains(EDITED));
    let day = |path: &Path| store::folder_name(path).chars().take(10).collect::<String>();
    let mut best: Option<LastSession> = None;
    for path in pages.take(PAGES) {
        // Names order by day alone: of a day all pages are read.
        if best.as_ref().is_some_and(|best| day(&best.path) != day(&path)) {
            break;
        }
        // What cannot be read is not ours to mend: the page before it is told.
        let found =
            read(&path).ok().flatten().filter(|last| last.page.parent.is_none() && is_of(last, session, redactor));
        let newer = |last: &LastSession| best.as_ref().is_none_or(|known| last.page.date > known.page.date);
        best = found.filter(newer).or(best);
    }
    best
}

/// Whether a page is one of a session's project: of its name, and from its folder or a checkout of it. What
/// a page says is masked.
fn is_of(last: &LastSession, session: &Session, redactor: &Redactor) -> bool {
    let root = &session.project_root;
    let cwd = Path::new(&last.page.cwd);
    let shown = |path: &Path| PathBuf::from(redactor.shown(&path.to_string_lossy()).into_owned());
    redactor.same(&last.page.project, &session.project)
        && (shown(cwd).starts_with(shown(root))
            || file::real_path(cwd).starts_with(root)
            || checkout::identify(cwd).root == *root)
}

/// The session of a page; None when it is not a page, or not there.
fn read(path: &Path) -> Result<Option<LastSession>, Failure> {
    Ok(Page::read(path)?.map(|page| LastSession { time: page.time(), path: path.to_path_buf(), page }))
}

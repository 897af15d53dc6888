//! When a plan starts by itself: rarely. The gates are asked in an order in which the cheap ones come first.

use crate::agent::layout;
use crate::base::clock;
use crate::base::exit::Failure;
use crate::redact::Redactor;
use crate::store::memories;
use crate::store::plan::{self, State};
use jiff::Timestamp;
use std::path::Path;

/// Between two plans, and between two looks at a folder, in seconds.
const BETWEEN: i64 = 86_400;
const LOOKS: i64 = 600;
/// Sessions since the last plan, and memories, that are worth one.
const SESSIONS: usize = 5;
const MEMORIES: usize = 10;

/// Why no plan is made for a folder now; none where nothing hinders it. `project` has its transcripts. That the folder
/// was looked at is noted only where there are memories enough, so that folders without any stay as they are.
pub fn refusal(folder: &Path, project: &Path, now: Timestamp, redactor: &Redactor) -> Result<Option<String>, Failure> {
    if let Some(why) = too_early(&State::read(folder)?, folder, now) {
        return Ok(Some(why));
    }
    let memories = memories::names(folder)?.len();
    if memories < MEMORIES {
        return Ok(Some(format!("{memories} memories: {MEMORIES} are needed")));
    }
    let Ok(_lock) = plan::lock(folder) else { return Ok(Some("another lh-dream is at work".to_owned())) };
    // Another run may have made or refused a plan before the lock was ours.
    let mut state = State::read(folder)?;
    if let Some(why) = too_early(&state, folder, now) {
        return Ok(Some(why));
    }
    let last = state.last(folder);
    state.looked_at = now.to_string();
    state.keep(folder, redactor)?;
    let times = layout::transcripts(project).into_iter().filter_map(|(time, _)| clock::from_system(time));
    let sessions = times.filter(|time| last.is_none_or(|last| *time > last)).count();
    if sessions < SESSIONS {
        return Ok(Some(format!("{sessions} sessions since the last plan: {SESSIONS} are needed")));
    }
    Ok(plan::is_held(folder, now).then(|| "the client is consolidating".to_owned()))
}

/// Why it is too early for another plan, or another look.
fn too_early(state: &State, folder: &Path, now: Timestamp) -> Option<String> {
    let last = state.last(folder);
    if let Some(last) = last.filter(|last| clock::seconds_between(*last, now) < BETWEEN) {
        return Some(format!("the last plan or consolidation was at {}", clock::local(last)));
    }
    let looked = clock::parse(&state.looked_at).filter(|looked| clock::seconds_between(*looked, now) < LOOKS);
    looked.map(|_| format!("the folder was looked at less than {LOOKS} seconds ago"))
}

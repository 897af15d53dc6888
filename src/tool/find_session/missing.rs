//! What was not dealt with yet: sessions without a page or not distilled (`--missing`), and sessions that
//! the daily sweep is to queue (`--due`). It is a module of its own because it asks the queue and the export,
//! of which the search for sessions knows nothing.

use super::FoundSession;
use crate::agent::project::{self, SessionHint};
use crate::agent::{layout, transcript};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::{clock, env};
use crate::queue::{self, Queue};
use crate::tool::export;
use jiff::Timestamp;
use std::time::SystemTime;

/// Seconds for which a transcript that the sweep takes up has been quiet.
const QUIET_SECONDS: i64 = 3600;

/// Every session that was never exported or never distilled as far as it goes now, oldest first, with
/// the words `export` and `distill` for what is missing.
pub fn missing(since: Option<Timestamp>, config: &Config) -> Result<Vec<(FoundSession, Vec<&'static str>)>, Failure> {
    let mut found = Vec::new();
    for path in super::all(since, config)? {
        let Some((mut session, why)) = super::listed(&path, config)? else { continue };
        "missing".clone_into(&mut session.found_by);
        let distilled = Queue::in_home(&session.agent_home).state(&session.session_id)?.outcome.is_some();
        let exported = export::is_done(&session, config).unwrap_or_default();
        let mut lacks = vec!["export", "distill"];
        lacks.retain(|what| if *what == "export" { !exported } else { !distilled });
        if !lacks.is_empty() {
            found.push(((session, why), lacks));
        }
    }
    Ok(found)
}

/// What the sweep is to queue in the current agent's home: sessions that no hook queued or that grew
/// since they were processed, quiet for an hour, begun after the first hook ran, the newest first, as
/// many as are left of the day's.
pub fn due(config: &Config) -> Result<Vec<FoundSession>, Failure> {
    let home = env::agent_home()?;
    let (queue, now) = (Queue::in_home(&home), clock::now());
    let since = if config.compound_loop.enabled { queue.since()? } else { None };
    let Some(since) = since else { return Ok(Vec::new()) };
    let per_day = usize::try_from(config.compound_loop.sweep_per_day).unwrap_or(usize::MAX);
    let left = per_day.saturating_sub(queue.sweep_queued_on(&clock::local_day(now))?);
    let mut all = layout::sessions(&home)?;
    all.sort_by(|a, b| b.cmp(a));
    // A time far ahead is that of a clock that was set back since: nothing is written there now.
    let quiet = |time: SystemTime| {
        clock::from_system(time).is_some_and(|time| clock::seconds_between(time, now).abs() >= QUIET_SECONDS)
    };
    // The client deletes what is old: whatever changed before the first hook ran began before it too.
    let newer = |time: SystemTime| clock::from_system(time).is_some_and(|time| time >= since);
    let mut found = Vec::new();
    for (_, path) in all.into_iter().filter(|(time, _)| quiet(*time) && newer(*time)) {
        if found.len() >= left {
            break;
        }
        let known = SessionHint { event: Some(queue::SWEEP.to_owned()), found_by: "due", ..SessionHint::default() };
        let (session, why) = project::describe(&path, known, config)?;
        let began = transcript::first_time(&path);
        if session.source_size_bytes.is_some() && queue.lacks(&session)? && began >= Some(since) {
            found.push((session, why));
        }
    }
    Ok(found)
}

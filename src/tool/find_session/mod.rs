//! Finding sessions: the session that a hook's payload means, the newest of a folder's project, or all
//! of every project and profile; of these what was not dealt with yet; or those that have no transcript any more.

mod lost;

pub use crate::agent::named::{all, is_id, named};
pub use lost::lost;

use crate::agent::payload::Payload;
use crate::agent::project::{self, SessionHint};
use crate::agent::{checkout, hooks, layout, removed, transcript};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::{clock, env, file};
use crate::queue::{self, Queue};
use crate::record::session::{self, Session};
use crate::tool::export;
use jiff::Timestamp;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Seconds for which a transcript that the sweep takes up has been quiet.
const QUIET_SECONDS: i64 = 3600;

/// A session and a word on how its project was decided.
pub type FoundSession = (Session, &'static str);

/// The session that a hook's payload means; an empty one means the current folder. None when there
/// is none; status 65 when the payload is not a JSON object.
pub fn from_payload(payload: &[u8], config: &Config) -> Result<Option<FoundSession>, Failure> {
    let Payload { session_id, transcript, cwd, event, .. } = hooks::payload(payload)?;
    let known = |found_by| SessionHint {
        // What the transcript says of the cwd comes after what the payload says, before where we run.
        cwd: cwd.clone(),
        event: event.clone(),
        found_by,
    };
    let describe = |path: &Path, found_by| {
        let found = project::describe(path, known(found_by), config)?;
        Ok(Some(found).filter(|(session, _)| !removed::has(&session.agent_home, &session.session_id)))
    };
    if let Some(path) = transcript {
        return describe(&env::named(&path)?, "transcript_path");
    }
    let cwd = cwd.clone().map_or_else(env::current_folder, Ok)?;
    let homes = config.agent_homes()?;
    if let Some(id) = session_id.filter(|id| session::safe_id(id) == *id) {
        let file = homes.iter().find_map(|home| layout::locate(home, &id, &cwd));
        return file.map_or(Ok(None), |path| describe(&path, "session_id"));
    }
    let (real, root) = (file::real_path(&cwd), checkout::identify(&cwd).root);
    let of_project = |home: &PathBuf| layout::sessions_of(home, &[&cwd, &real, &root]);
    let newest = homes.iter().flat_map(of_project).max_by_key(|(time, _)| *time);
    newest.map_or(Ok(None), |(_, path)| describe(&path, "newest"))
}

/// Describes one of [`all`]; none when it is gone by now.
pub fn listed(transcript: &Path, config: &Config) -> Result<Option<FoundSession>, Failure> {
    let known = SessionHint { found_by: "all", ..SessionHint::default() };
    let found = project::describe(transcript, known, config)?;
    Ok(Some(found).filter(|(session, _)| session.source_size_bytes.is_some()))
}

/// Every session that was never exported or never distilled as far as it goes now, oldest first, with
/// the words `export` and `distill` for what is missing.
pub fn missing(since: Option<Timestamp>, config: &Config) -> Result<Vec<(FoundSession, Vec<&'static str>)>, Failure> {
    let mut found = Vec::new();
    for path in all(since, config)? {
        let Some((mut session, why)) = listed(&path, config)? else { continue };
        "missing".clone_into(&mut session.found_by);
        let distilled = Queue::in_home(&session.agent_home).state(&session.session_id)?.outcome.is_some();
        // What cannot be told is taken up: an export changes nothing that is there already.
        let exported = export::is_done(&session, config).is_ok_and(|done| done);
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

/// A point in time, see [`clock::point`]; status 64 for what is not one.
pub fn since(text: &str) -> Result<Timestamp, Failure> {
    let forms = "2026-04-13, 2026-04-13T18:32, 2026-04-13T18:32:45-03:00, today, yesterday, 7d or 12h";
    clock::point(text).ok_or_else(|| Failure::usage(format!("invalid time '{text}': expected {forms}")))
}

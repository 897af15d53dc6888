//! Finding sessions: the session that a hook's payload means, the newest of a folder's project, or all
//! of every project and profile.

use crate::agent::claude::transcript;
use crate::agent::project::{self, Known};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::{clock, env, file};
use crate::queue::{self, Queue};
use crate::record::session;
use crate::record::session::Session;
use crate::tool::export;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Seconds for which a transcript that the sweep takes up has been quiet.
const QUIET_SECONDS: i64 = 3600;
/// Characters of a short id.
const SHORT_ID: usize = 8;
/// Transcripts that are named when an id is that of several.
const NAMED: usize = 5;

/// A session and a word on how its project was decided.
pub type Found = (Session, &'static str);

/// The session of an operand: of a transcript that was named outright, which need not exist, or of an id or
/// the beginning of one. Status 65 for what is not a regular file, 1 when no session has that id, 64 when
/// several have it.
pub fn named(operand: &OsStr, config: &Config) -> Result<Found, Failure> {
    let path = Path::new(operand);
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut transcript = file::real_path(&absolute);
    let is_path = path.components().count() > 1 || path.extension() == Some(OsStr::new("jsonl"));
    if transcript::stat(&transcript)?.is_none() && !is_path {
        transcript = of_id(&operand.to_string_lossy(), config)?;
    }
    project::describe(&transcript, Known { found_by: "operand", ..Known::default() }, config.memory.scope)
}

/// The transcript whose id begins so, in any project of any agent home.
fn of_id(id: &str, config: &Config) -> Result<PathBuf, Failure> {
    let paths = all(None, config)?;
    let (whole, begun): (Vec<_>, Vec<_>) = paths
        .into_iter()
        .filter(|path| session::id_of(path).starts_with(id))
        .partition(|path| session::id_of(path) == id);
    // A beginning that a person types is as long as the short ids that the tools show.
    let found = if whole.is_empty() && id.len() >= SHORT_ID { begun } else { whole };
    match found.as_slice() {
        [path] => Ok(path.clone()),
        [] => {
            let what = "not a transcript, and not a session's id or its first 8 characters";
            Err(Failure::new(Exit::No, format!("'{id}': {what}: lh-find-session --all lists all")))
        }
        several => {
            let paths: Vec<_> = several.iter().take(NAMED).map(|path| path.display().to_string()).collect();
            let count = several.len();
            let what = format!("'{id}': the id, or its beginning, of {count} sessions: name one");
            Err(Failure::usage(format!("{what}: {}", paths.join(", "))))
        }
    }
}

/// The session that a hook's payload means; an empty one means the current folder. None when there
/// is none; status 65 when the payload is not a JSON object.
pub fn from_payload(payload: &[u8], config: &Config) -> Result<Option<Found>, Failure> {
    let payload = self::payload(payload)?;
    let text = |name: &str| payload.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let known = |found_by| Known {
        // What the transcript says of the cwd comes after what the payload says, before where we run.
        cwd: text("cwd").map(PathBuf::from),
        event: text("hook_event_name").map(str::to_owned),
        found_by,
    };
    let describe = |path: &Path, found_by| project::describe(path, known(found_by), config.memory.scope).map(Some);
    if let Some(path) = text("transcript_path") {
        return describe(&env::named(path)?, "transcript_path");
    }
    let cwd = match text("cwd") {
        Some(cwd) => PathBuf::from(cwd),
        None => env::current_folder()?,
    };
    let homes = config.agent_homes()?;
    if let Some(id) = text("session_id").filter(|id| session::safe_id(id) == *id) {
        let file = homes.iter().find_map(|home| by_id(home, id, &cwd));
        return file.map_or(Ok(None), |path| describe(&path, "session_id"));
    }
    let newest = homes.iter().flat_map(|home| of_project(home, &cwd)).max_by_key(|(time, _)| *time);
    newest.map_or(Ok(None), |(_, path)| describe(&path, "newest"))
}

/// A hook's payload; an empty one has no field. Status 65 when it is not a JSON object.
pub fn payload(payload: &[u8]) -> Result<Map<String, Value>, Failure> {
    if payload.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    match serde_json::from_slice(payload) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(Failure::data("stdin: the payload is not an object: expected a JSON object")),
        Err(error) => {
            Err(Failure::data(format!("stdin: the payload is not JSON: {}", crate::base::record::fault(&error))))
        }
    }
}

/// The transcript of an id: in the folder of the cwd, else in any project folder.
pub fn by_id(home: &Path, id: &str, cwd: &Path) -> Option<PathBuf> {
    let name = format!("{id}.jsonl");
    let near = project::folder_of(home, cwd).map(|folder| folder.join(&name)).filter(|path| path.exists());
    near.or_else(|| {
        let folders = file::names(&home.join("projects")).ok()?;
        folders.iter().map(|folder| home.join("projects").join(folder).join(&name)).find(|path| path.exists())
    })
}

/// The transcripts of the project that a folder belongs to, with their times.
fn of_project(home: &Path, cwd: &Path) -> Vec<(SystemTime, PathBuf)> {
    let root = project::identify(cwd).root;
    let real = file::real_path(cwd);
    let mut folders: Vec<PathBuf> =
        [cwd, &real, &root].into_iter().filter_map(|path| project::folder_of(home, path)).collect();
    folders.dedup();
    folders.iter().flat_map(|folder| transcripts(folder)).collect()
}

fn transcripts(folder: &Path) -> Vec<(SystemTime, PathBuf)> {
    let names = file::names(folder).unwrap_or_default();
    let paths = names.iter().map(|name| folder.join(name)).filter(|path| project::is_session_file(path));
    let timed = |path: PathBuf| {
        let data = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some((data.modified().ok()?, path))
    };
    paths.filter_map(timed).collect()
}

/// Every session of every project and profile, oldest first; only those that changed at or after
/// `since` when there is one.
pub fn all(since: Option<Timestamp>, config: &Config) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for home in config.agent_homes()? {
        let projects = home.join("projects");
        for folder in file::names(&projects)? {
            found.extend(transcripts(&projects.join(folder)));
        }
    }
    let recent = |time: SystemTime| since.is_none_or(|since| clock::from_system(time).is_none_or(|time| time >= since));
    found.retain(|(time, _)| recent(*time));
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Describes one of [`all`]; none when it is gone by now.
pub fn listed(transcript: &Path, config: &Config) -> Result<Option<Found>, Failure> {
    let known = Known { found_by: "all", ..Known::default() };
    let found = project::describe(transcript, known, config.memory.scope)?;
    Ok(Some(found).filter(|(session, _)| session.source_size_bytes.is_some()))
}

/// Every session that was never exported or never distilled as far as it goes now, oldest first, with
/// the words `export` and `distill` for what is missing.
pub fn missing(since: Option<Timestamp>, config: &Config) -> Result<Vec<(Found, Vec<&'static str>)>, Failure> {
    let mut found = Vec::new();
    for path in all(since, config)? {
        let Some((mut session, why)) = listed(&path, config)? else { continue };
        "missing".clone_into(&mut session.found_by);
        let distilled = Queue::of(&session.agent_home).state(&session.session_id)?.outcome.is_some();
        let exported = export::is_done(&session, config).unwrap_or_default();
        let lacks = [("export", exported), ("distill", distilled)].into_iter().filter(|(_, done)| !done);
        let lacks: Vec<&str> = lacks.map(|(what, _)| what).collect();
        if !lacks.is_empty() {
            found.push(((session, why), lacks));
        }
    }
    Ok(found)
}

/// What the sweep is to queue in the current agent's home: sessions that no hook queued or that grew
/// since they were processed, quiet for an hour, begun after the first hook ran, the newest first, as
/// many as are left of the day's.
pub fn due(config: &Config) -> Result<Vec<Found>, Failure> {
    let home = env::agent_home()?;
    let queue = Queue::of(&home);
    let now = clock::now();
    let Some(since) = queue.since()?.filter(|_| config.compound_loop.enabled) else { return Ok(Vec::new()) };
    let per_day = usize::try_from(config.compound_loop.sweep_per_day).unwrap_or(usize::MAX);
    let left = per_day.saturating_sub(queue.swept_on(&clock::local_day(now))?);
    let projects = home.join("projects");
    let mut all: Vec<(SystemTime, PathBuf)> =
        file::names(&projects)?.iter().flat_map(|folder| transcripts(&projects.join(folder))).collect();
    all.sort_by(|a, b| b.cmp(a));
    // A time far ahead is that of a clock that was set back since: nobody writes there now.
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
        let known = Known { event: Some(queue::SWEEP.to_owned()), found_by: "due", ..Known::default() };
        let (session, why) = project::describe(&path, known, config.memory.scope)?;
        let began = transcript::first_time(&path).and_then(|time| clock::parse(&time));
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

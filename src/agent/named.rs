//! Sessions that a person names by an id or a transcript, and those that records name.

use crate::agent::project::{self, SessionHint};
use crate::agent::{layout, removed, transcript};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::front_matter::FrontMatter;
use crate::base::record::Record;
use crate::base::stream::{self, Output};
use crate::base::{clock, file};
use crate::record::session::{self, Session};
use jiff::Timestamp;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Characters of a short id.
const SHORT_ID: usize = 8;
/// Transcripts that are named when an id is that of several.
const NAMED: usize = 5;

/// The session of an operand: of a transcript that was named outright, which need not exist, or of an id or
/// the beginning of one. Status 65 for what is not a regular file, 1 when no session has that id, 64 when
/// several have it.
pub fn named(operand: &OsStr, config: &Config) -> Result<(Session, &'static str), Failure> {
    let path = Path::new(operand);
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut transcript = file::real_path(&absolute);
    if transcript::stat(&transcript)?.is_none() && is_id(path) {
        transcript = of_id(&operand.to_string_lossy(), &all(None, config)?, config)?;
    }
    project::describe(&transcript, SessionHint { found_by: "operand", ..SessionHint::default() }, config)
}

/// Other records that name a session: by an id, or by a page that tells it.
const NAMING: [&str; 3] = ["hit", "told", "written"];

/// Gives each record that is of one of these kinds to `act`, and of each other record that names a session the record of
/// that one, each session once. All others are passed on, see [`stream::each_of`].
pub fn each(
    tool: &str,
    input: impl Read,
    kinds: &[&str],
    out: &mut Output,
    mut act: impl FnMut(&Record, &[u8], &mut Output) -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    let mut listed: Option<(Config, Vec<PathBuf>)> = None;
    let mut known = HashSet::new();
    stream::each_of(tool, input, &[kinds, &NAMING].concat(), out, |record, line, out| {
        if kinds.contains(&record.kind().as_str()) {
            known.extend(record.text("session_id"));
            return act(record, line, out);
        }
        let of_page = || FrontMatter::read(&record.path("path")?).ok()?.get("session_id").map(str::to_owned);
        let Some(id) = record.text("session_id").or_else(of_page) else { return out.bytes(line) };
        if !known.insert(id.clone()) {
            return Ok(());
        }
        let (config, paths) = match &mut listed {
            Some(listed) => listed,
            none => {
                let config = Config::load()?;
                let paths = all(None, &config)?;
                none.insert((config, paths))
            }
        };
        let hint = SessionHint { found_by: "operand", ..SessionHint::default() };
        let record = project::describe(&of_id(&id, paths, config)?, hint, config)?.0.record("session");
        act(&record, record.line().as_bytes(), out)
    })
}

/// Whether an operand can only be the id of a session: one word that does not end as a transcript, and no file.
pub fn is_id(operand: &Path) -> bool {
    let is_path = operand.components().count() > 1 || operand.extension() == Some(OsStr::new("jsonl"));
    !is_path && !operand.exists()
}

/// The transcript with an id that begins so, in any project of any agent home.
fn of_id(id: &str, paths: &[PathBuf], config: &Config) -> Result<PathBuf, Failure> {
    let (whole, begun): (Vec<&PathBuf>, Vec<&PathBuf>) =
        paths.iter().filter(|path| session::id_of(path).starts_with(id)).partition(|path| session::id_of(path) == id);
    // A beginning that a person types is as long as the short ids that the tools show.
    let found = if whole.is_empty() && id.len() >= SHORT_ID { begun } else { whole };
    match found.as_slice() {
        [path] => Ok((*path).clone()),
        [] => {
            let is_removed = |home: &PathBuf| removed::all(home).iter().any(|known| known.starts_with(id));
            let what = if id.len() >= SHORT_ID && config.agent_homes()?.iter().any(is_removed) {
                format!("it was taken out of what is remembered: 'lh rm --undo {id}' brings it back")
            } else {
                let what = "not a transcript, and not a session's id or its first 8 characters";
                format!("{what}: lh-find-session --all lists all")
            };
            Err(Failure::new(Exit::No, format!("'{id}': {what}")))
        }
        several => {
            let paths: Vec<_> = several.iter().take(NAMED).map(|path| path.display().to_string()).collect();
            let count = several.len();
            let what = format!("'{id}': the id, or its beginning, of {count} sessions: name one");
            Err(Failure::usage(format!("{what}: {}", paths.join(", "))))
        }
    }
}

/// Every session of every project and profile, oldest first; only those that changed at or after
/// `since` when there is one.
pub fn all(since: Option<Timestamp>, config: &Config) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for home in config.agent_homes()? {
        found.extend(layout::sessions(&home)?);
    }
    let recent = |time: SystemTime| since.is_none_or(|since| clock::from_system(time).is_none_or(|time| time >= since));
    found.retain(|(time, _)| recent(*time));
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

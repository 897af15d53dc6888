//! The sessions of a project that have no episode, or went on since it was made: at a start a few of them get one.

use crate::agent::project::{self, SessionHint};
use crate::agent::{layout, transcript};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::{clock, file, log};
use crate::record::session;
use crate::redact::Redactor;
use crate::store::{self, Memory, episodes};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// How many get one at once, and how long that may take.
const MOST: usize = 20;
const PATIENCE: Duration = Duration::from_secs(5);
/// Which transcripts, at which size, gave none: they are not read again while they stay like that.
const NONE: &str = "no-episode";

/// Makes the episodes that are missing in the current folder's project, the newest first, and hands each receipt out.
pub fn missing(
    dry: bool,
    config: &Config,
    redactor: &Redactor,
    act: &mut dyn FnMut(&Record) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let start = project::here(config)?;
    let memory = Memory::of(&start, config)?;
    let (begun, now) = (clock::monotonic(), clock::now());
    let mut sessions = layout::sessions_of(&start.agent_home, &[&start.cwd, &start.project_root]);
    sessions.sort_by(|one, other| other.cmp(one));
    let recent = |time| clock::from_system(time).is_none_or(|time| clock::after(time, episodes::KEPT_SECONDS) >= now);
    let before = gave_none(&memory);
    let key = |path: &Path| session::safe_id(&session::id_of(path));
    let mut none = before.clone();
    none.retain(|id, _| sessions.iter().any(|(_, path)| key(path) == *id));
    let mut made = 0;
    for (_, path) in sessions.into_iter().take_while(|(time, _)| recent(*time)) {
        if made >= MOST || clock::monotonic().duration_since(begun) >= PATIENCE {
            break;
        }
        let (id, Ok(Some((size, time)))) = (session::id_of(&path), transcript::stat(&path)) else { continue };
        if before.get(&key(&path)) == Some(&size) {
            continue;
        }
        let ended = episodes::of_session(&memory, &id).ok().flatten().map(|one| one.time());
        // The client writes bookkeeping behind the last words.
        if ended.is_some_and(|ended| time <= ended || transcript::last_said(&path) <= ended) {
            continue;
        }
        let hint = SessionHint { found_by: "missing", ..SessionHint::default() };
        let kept = project::describe(&path, hint, config)
            .and_then(|(session, _)| super::keep(&session, dry, config, redactor));
        match kept {
            Ok(Some(receipt)) => {
                made += 1;
                act(&receipt)?;
            }
            Ok(None) => _ = none.insert(key(&path), size),
            // What cannot be read costs itself alone.
            Err(failure) => log::say("lh-episode", &failure.message),
        }
    }
    if dry || none == before { Ok(()) } else { note(&memory, &none) }
}

fn gave_none(memory: &Path) -> BTreeMap<String, u64> {
    let text = store::cache(memory, NONE).and_then(|target| file::read_text(&target)).ok().flatten();
    let of = |line: &str| line.split_once(' ').and_then(|(id, size)| Some((id.to_owned(), size.parse().ok()?)));
    text.iter().flat_map(|text| text.lines()).filter_map(of).collect()
}

/// It is a cache: losing it costs time.
fn note(memory: &Path, none: &BTreeMap<String, u64>) -> Result<(), Failure> {
    if !store::may_cache(memory) {
        return Ok(());
    }
    let lines: Vec<String> = none.iter().map(|(id, size)| format!("{id} {size}\n")).collect();
    let _lock = store::lock(memory)?;
    file::replace(&store::cache(memory, NONE)?, &Masked::exact(lines.concat()), file::Durable::No)
}

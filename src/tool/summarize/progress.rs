//! Where a session stands, read from the end of its transcript: kept at each Stop, and read anew at a start
//! when a transcript went on after that.

use crate::agent::project::{self, SessionHint};
use crate::agent::{layout, transcript};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::{clock, env};
use crate::extract::first_source::Listener;
use crate::extract::own_words;
use crate::extract::progress::{self as progress_of, Standing};
use crate::extract::reported_speech::short_name;
use crate::record::message::Message;
use crate::record::session::{self, Session};
use crate::redact::Redactor;
use crate::store::progress::Progress;
use crate::store::{self, Memory};
use std::path::Path;
use std::time::Duration;

/// How much of a transcript's end is read, more and more until a request is in it.
const ENDS: [u64; 4] = [1 << 20, 4 << 20, 32 << 20, 256 << 20];
/// How much of it is looked through for what a tool said before the agent did, and how much where a session waits for it,
/// at a start as before a compaction.
const HEARD: u64 = 4 << 20;
const HEARD_QUICK: u64 = 1 << 20;
/// Twice as much of the agent's last answers as is kept of them, in characters.
const TOLD: usize = 8000;
/// As many of these are read where a session waits for it.
pub const QUICK: usize = 2;

/// Where a session stands, with at most so many of [`ENDS`] read; None where no person said anything.
pub fn read(
    transcript: &Path,
    session_id: &str,
    ends: usize,
    redactor: &Redactor,
) -> Result<Option<Progress>, Failure> {
    // What came before the end that is listened to would be taken for an echo of what is in it.
    let mut heard_bytes = if ends == QUICK { HEARD_QUICK } else { HEARD };
    let mut end = None;
    for bytes in ENDS.into_iter().take(ends) {
        let found = transcript::read_end(transcript, bytes)?;
        // An end without a request may not tell whose the session is.
        let is_enough = progress_of::has_request(&found.messages) || found.size_bytes <= bytes;
        if found.subagent || !found.interactive && is_enough {
            return Ok(None);
        }
        heard_bytes = heard_bytes.max(bytes);
        end = Some(found).filter(|found| found.interactive).or(end);
        if is_enough {
            break;
        }
    }
    let Some(found) = end else { return Ok(None) };
    let cwd = found.cwd.as_deref().unwrap_or_default();
    let mut listener = Listener::new(&found.messages);
    found.end.recap.iter().for_each(|recap| listener.expect(recap));
    let heard = listener.read(transcript, None, Some(heard_bytes))?;
    redactor.begin();
    Message::tell_all(&found.messages, redactor);
    let Standing { points, said } = redactor.settled(|| {
        let messages = own_words::last_own_messages(&found.messages, &heard, TOLD, redactor);
        progress_of::standing(&messages, &found.end, &heard, Path::new(cwd), redactor)
    });
    let shown = |text: &str| redactor.shown(text).into_owned();
    let (cwd, branch) = (shown(cwd), shown(found.branch.as_deref().unwrap_or_default()));
    let (source_mtime, session_id) = (found.modified_at, session_id.to_owned());
    let ended_at = found.messages.iter().filter_map(|message| clock::parse(message.time.as_deref()?)).max();
    // What can be a sentence that a stranger wrote is not kept.
    let branch = if short_name(&branch) == branch { branch } else { String::new() };
    let progress = Progress { session_id, source_mtime, ended_at, cwd, branch, points, said };
    Ok(Some(progress).filter(|progress| !progress.points.is_empty()))
}

/// How many sessions are looked at to find those of which a page tells, and how long that may take.
const MOST: usize = 20;
const PATIENCE: Duration = Duration::from_secs(5);

/// Keeps where the sessions of the current folder's project stand that went on since that was kept, or of which nothing
/// was: of one that was killed no hook did. Whether there was something to keep.
pub fn keep_missing(config: &Config, redactor: &Redactor) -> Result<bool, Failure> {
    let (cwd, home) = (env::current_folder()?, env::agent_home()?);
    let hint = |cwd| SessionHint { cwd, found_by: "missing", ..SessionHint::default() };
    let (here, _) = project::describe(&layout::transcript(&home, &cwd, "none"), hint(Some(cwd.clone())), config)?;
    let known = store::progress::read_all(&Memory::of(&here, config)?)?;
    let since = store::progress::since(&known);
    let begun = clock::monotonic();
    let mut found = Vec::new();
    for (_, path) in project::transcripts(&home, &cwd, since).iter().rev().take(MOST) {
        let id = session::id_of(path);
        let kept = known.iter().find(|known| known.session_id == id).and_then(|known| known.source_mtime);
        // The client writes bookkeeping behind the last words.
        if clock::monotonic().duration_since(begun) < PATIENCE && transcript::last_said(path) > kept.or(since) {
            found.push(path.clone());
        }
    }
    let mut any = false;
    // The oldest first: a session that was told to go on has the goal of the one before it.
    for path in found.iter().rev() {
        any |= keep(&project::describe(path, hint(None), config)?.0, config, redactor)?;
    }
    Ok(any)
}

/// Keeps where a session stands in its project's memory; whether there was something to keep.
pub fn keep(session: &Session, config: &Config, redactor: &Redactor) -> Result<bool, Failure> {
    if transcript::stat(&session.transcript)?.is_none() {
        return Ok(false);
    }
    let Some(progress) = read(&session.transcript, &session.session_id, ENDS.len(), redactor)? else {
        return Ok(false);
    };
    store::progress::put(&Memory::of(session, config)?, &progress, redactor)?;
    Ok(true)
}

//! Where a session stands, read from the end of its transcript: kept at each Stop, and read anew at a start
//! when a transcript went on after that.

use crate::agent::transcript;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::extract::heard::Listener;
use crate::extract::progress::{self, Standing};
use crate::extract::voice;
use crate::record::session::Session;
use crate::redact::Redactor;
use crate::store::progress::Progress;
use crate::store::{self, Memory};
use std::path::Path;

/// How much of a transcript's end is read, more and more until a request is in it.
const ENDS: [u64; 4] = [1 << 20, 4 << 20, 32 << 20, 256 << 20];
/// How much of it is looked through for what a tool said before the agent did.
const HEARD: u64 = 4 << 20;
/// As many of these are read where a session waits for it.
pub const QUICK: usize = 2;

/// Where a session stands, with at most so many of [`ENDS`] read; None where no person said anything.
pub fn read(
    transcript: &Path,
    session_id: &str,
    ends: usize,
    redactor: &Redactor,
) -> Result<Option<Progress>, Failure> {
    let mut stood = Standing::default();
    let mut time = None;
    for bytes in ENDS.into_iter().take(ends) {
        let found = transcript::read_end(transcript, bytes)?;
        if found.subagent {
            return Ok(None);
        }
        // An end without a request may not tell whose the session is.
        if !found.interactive {
            if progress::has_request(&found.messages) || found.size_bytes <= bytes {
                return Ok(None);
            }
            continue;
        }
        let cwd = found.cwd.as_deref().unwrap_or_default();
        let mut listener = Listener::new(&found.messages);
        found.end.recap.iter().for_each(|recap| listener.expect(recap));
        let heard = listener.read(transcript, None, Some(HEARD))?;
        let messages = voice::own_messages(&found.messages, &heard);
        stood = progress::standing(&messages, &found.end, &heard, Path::new(cwd), redactor);
        time = found.modified_at;
        if progress::has_request(&found.messages) || found.size_bytes <= bytes {
            break;
        }
    }
    let Standing { points, said } = stood;
    let progress = Progress { session_id: session_id.to_owned(), source_mtime: time, points, said };
    Ok(Some(progress).filter(|progress| !progress.points.is_empty()))
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

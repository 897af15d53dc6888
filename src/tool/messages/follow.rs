//! The messages of a transcript that grows. It is read again as a whole when it has changed, for what belongs to a message
//! can come late; a message is printed once, and not while its agent may still be in the middle of it.

use super::{known, open};
use crate::agent::transcript::{self, Keep};
use crate::base::exit::Failure;
use crate::base::log;
use crate::base::stream::Output;
use crate::record::message::Message;
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Between two looks at the file.
const PAUSE: Duration = Duration::from_millis(300);

/// What tells that a file changed: which one it is, its size, its time.
type Look = (u64, u64, Option<SystemTime>);

/// Prints what the transcript of an operand says, and goes on as it grows, until it is ended.
pub fn follow(operand: &Path, keep: Keep, out: &mut Output) -> Result<(), Failure> {
    let (path, project) = known(operand)?;
    transcript::open(&path)?;
    let mut printed: BTreeSet<u64> = BTreeSet::new();
    let mut last: Option<Look> = None;
    let mut waits = true;
    loop {
        // A file that is replaced is not there for a moment.
        let data = path.metadata().ok().filter(std::fs::Metadata::is_file);
        let Some(now) = data.map(|data| (data.ino(), data.len(), data.modified().ok())) else {
            out.pause(PAUSE)?;
            continue;
        };
        if last.is_some_and(|last| last.0 != now.0 || last.1 > now.1) {
            log::say("lh-messages", &format!("{}: it begins anew", path.display()));
            printed.clear();
        }
        let is_quiet = last == Some(now);
        if waits || !is_quiet {
            let mut all = messages(&path, project.as_deref(), keep)?;
            // The agent may still be in the middle of the last one.
            waits = !is_quiet && all.pop().is_some();
            for (_, text) in all.iter().filter(|(line, _)| printed.insert(*line)) {
                out.bytes(text.as_bytes())?;
                out.flush()?;
            }
        }
        last = Some(now);
        out.pause(PAUSE)?;
    }
}

/// The records of what is there by now, each with its line.
fn messages(path: &Path, project: Option<&str>, keep: Keep) -> Result<Vec<(u64, String)>, Failure> {
    let (mut input, id, project) = open(path, project, keep)?;
    let name = input.name().to_owned();
    let mut all = Vec::new();
    let found = transcript::each(&name, &mut input, keep, &mut |message: &Message| {
        all.push((message.line, message.record(&id, &project).line()));
        Ok(())
    })?;
    for at in found.abandoned {
        if let Some((_, text)) = all.get_mut(at) {
            *text = Message::abandon(text);
        }
    }
    Ok(all)
}

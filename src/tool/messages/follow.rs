//! The messages of a transcript that grows. It is read again as a whole when it has changed, for what belongs to a message
//! can come late; a message is printed once, and not while its agent may still be in the middle of it.

use super::{known, open};
use crate::agent::transcript::{self, Keep};
use crate::base::exit::{Exit, Failure};
use crate::base::stream::Output;
use crate::base::{clock, log};
use crate::record::message::Message;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// Between two looks at the file.
const PAUSE: Duration = Duration::from_millis(300);
/// How many times as long as a reading took is waited after it, so that a large file does not keep a processor busy.
const REST: u32 = 10;
/// A file that is away for so long does not come again.
const PATIENCE: Duration = Duration::from_secs(10);

/// What tells that a file changed: which one it is, its size, its time.
type Look = (u64, u64, Option<SystemTime>);

/// How many messages of each line were printed: a record can give several.
type Printed = BTreeMap<u64, usize>;

/// Prints what the transcript of an operand says, and goes on as it grows, until it is ended.
pub fn follow(operand: &Path, keep: Keep, out: &mut Output) -> Result<(), Failure> {
    let (path, project) = known(operand)?;
    transcript::open(&path)?;
    let mut printed = Printed::new();
    let (mut last, mut gone): (Option<Look>, Option<Instant>) = (None, None);
    let mut waits = true;
    loop {
        // A file that is replaced is not there for a moment.
        let data = path.metadata().ok().filter(std::fs::Metadata::is_file);
        let Some(now) = data.map(|data| (data.ino(), data.len(), data.modified().ok())) else {
            if gone.get_or_insert_with(clock::monotonic).elapsed() >= PATIENCE {
                let what = "the transcript is not there any more: lh-find-session has those that are";
                return Err(Failure::new(Exit::Io, format!("{}: {what}", path.display())));
            }
            out.pause(PAUSE)?;
            continue;
        };
        gone = None;
        if last.is_some_and(|last| last.0 != now.0 || last.1 > now.1) {
            log::say("lh-messages", &format!("{}: it begins anew", path.display()));
            printed.clear();
        }
        let (is_quiet, mut pause) = (last == Some(now), PAUSE);
        if waits || !is_quiet {
            let begun = clock::monotonic();
            let mut all = messages(&path, project.as_deref(), keep)?;
            pause = PAUSE.max(begun.elapsed() * REST);
            // The agent may still be in the middle of the last one.
            waits = !is_quiet && all.pop().is_some();
            print_new(all, &mut printed, out)?;
        }
        last = Some(now);
        out.pause(pause)?;
    }
}

fn print_new(all: Vec<(u64, String)>, printed: &mut Printed, out: &mut Output) -> Result<(), Failure> {
    let mut seen = Printed::new();
    for (line, text) in all {
        let (at, before) = (seen.entry(line).or_default(), printed.entry(line).or_default());
        *at += 1;
        if at > before {
            *before = *at;
            out.bytes(text.as_bytes())?;
            out.flush()?;
        }
    }
    Ok(())
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

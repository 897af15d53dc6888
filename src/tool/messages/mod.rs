//! What lh-messages prints: of a transcript that is a file, a pipe that an operand names, or standard input, which
//! can be compressed by zstd.

mod input;

use crate::agent::named;
use crate::agent::project;
use crate::agent::transcript::{self, Conversation, Keep, Totals};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::record::Record;
use crate::base::stream::{Output, Spool};
use crate::base::{clock, log};
use crate::record::message::Message;
use crate::record::session::{self, Session};
use crate::tool::find_session;
use input::Input;
use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// What is asked of standard input that is neither a transcript nor records.
const EXPECTED: &str = "expected a transcript, or session or task records";
/// The ending of compressed files.
const PACKED: &str = "zst";
/// Between two looks at the file.
const PAUSE: Duration = Duration::from_millis(300);
/// How many times as long as a reading took is waited after it, so that a large file does not keep a processor busy.
const REST: u32 = 10;

/// What tells that a file changed: which one it is, its size, its time.
type Look = (u64, u64, Option<SystemTime>);

/// How many messages of each line were printed: a record can give several.
type Printed = BTreeMap<u64, usize>;

/// Prints a record for each message of the transcript that an operand names, or with [`Keep::Counts`] one of their
/// totals. The path may name a pipe; what is no path is the id of a session, or the beginning of one.
pub fn of_path(path: &Path, keep: Keep, out: &mut Output) -> Result<(), Failure> {
    if !path.metadata().is_ok_and(|data| data.file_type().is_fifo()) {
        let (path, project) = known(path)?;
        return of_file(&path, project.as_deref(), keep, out);
    }
    let pipe = input::open_pipe(path)?;
    of_pipe(Input::begin(&path.display().to_string(), Box::new(pipe))?, keep, out)
}

/// The transcript that an operand names, with its project if that is known.
fn known(operand: &Path) -> Result<(PathBuf, Option<String>), Failure> {
    if !find_session::is_id(operand) {
        return Ok((operand.to_path_buf(), None));
    }
    let unknown = |failure: Failure| match failure.exit {
        Exit::No => Failure::data(format!("{}: no such transcript, and not a session's id", operand.display())),
        _ => failure,
    };
    let (session, _) = find_session::named(operand.as_os_str(), &Config::load()?).map_err(unknown)?;
    Ok((session.transcript, Some(session.project)))
}

/// The same of standard input: of a transcript, or of those that records name.
pub fn of_stdin(tool: &str, keep: Keep, out: &mut Output) -> Result<Exit, Failure> {
    let mut input = Input::begin("stdin", Box::new(std::io::stdin().lock()))?;
    let first = String::from_utf8_lossy(input.first_line()?).into_owned();
    if input.is_transcript() {
        return of_pipe(input, keep, out).map(|()| Exit::Done);
    }
    if Record::parse(&first).is_ok_and(|record| record.kind().is_empty()) {
        return Err(Failure::data(format!("stdin:1: a JSON object without a type: {EXPECTED}")));
    }
    let exit = named::each(tool, &mut input, &["session", "task"], out, |record, _, out| {
        let session = Session::from_record(record)?;
        of_file(&session.transcript, Some(&session.project), keep, out)
    })?;
    input.damage().map(|()| exit)
}

/// The same of a regular file; `project` is empty or none where the caller does not know it.
fn of_file(path: &Path, project: Option<&str>, keep: Keep, out: &mut Output) -> Result<(), Failure> {
    let (input, id, project) = open(path, project, keep)?;
    print(input, &id, &project, keep, out)
}

/// A regular file as an input, with the session's id and its project.
fn open(path: &Path, project: Option<&str>, keep: Keep) -> Result<(Input<'static>, String, String), Failure> {
    let (file, (size, _)) = transcript::open(path)?;
    let mut input = Input::begin(&path.display().to_string(), Box::new(file.take(size)))?;
    let known = project.filter(|project| !project.is_empty());
    let mut project = known.unwrap_or("").to_owned();
    if known.is_none() && keep != Keep::Counts {
        let cwd = transcript::cwd_in(input.head()?);
        project = project::name(path, cwd.map(PathBuf::from));
    }
    // The ending of compressed files does not belong to an id.
    let is_named_so = path.extension().is_some_and(|ending| ending == PACKED);
    let id = session::id_of(&if is_named_so { path.with_extension("") } else { path.to_path_buf() });
    Ok((input, id, project))
}

/// The same of a pipe. Its name is not a session's: the first record that has an id tells it.
fn of_pipe(mut input: Input<'_>, keep: Keep, out: &mut Output) -> Result<(), Failure> {
    let head = input.head()?;
    let (id, cwd) = (transcript::session_id(head), transcript::cwd_in(head));
    let id = id.unwrap_or_else(|| session::id_of(Path::new(input.name())));
    let project = cwd.map_or_else(String::new, |cwd| project::name(Path::new("/"), Some(PathBuf::from(cwd))));
    print(input, &id, &project, keep, out)
}

fn print(mut input: Input<'_>, id: &str, project: &str, keep: Keep, out: &mut Output) -> Result<(), Failure> {
    let name = input.name().to_owned();
    let known = input.has_records()?;
    // What was abandoned is known only at the end.
    let mut pieces = Spool::default();
    let mut counted = ByteCounter { input: &mut input, bytes: 0 };
    let found = transcript::each(&name, &mut counted, keep, &mut |message: &Message| {
        pieces.add(message.record(id, project).line().as_bytes())
    })?;
    let size_bytes = counted.bytes;
    let damage = input.damage();
    unread(&name, &found.totals, known, damage.is_err())?;
    if keep == Keep::Counts {
        out.record(&Conversation { size_bytes, ..found }.count(id))?;
    } else {
        out.spool(&mut pieces, &found.abandoned, Message::abandon)?;
    }
    damage
}

/// Says how much of a transcript was not read; status 65 when there is no transcript.
fn unread(name: &str, totals: &Totals, known: bool, damaged: bool) -> Result<(), Failure> {
    let lines = totals.bad_lines;
    let wrong = match () {
        () if totals.is_unreadable() => Some(format!("none of its {lines} lines is a record")),
        () if totals.messages == 0 && totals.tool_uses == 0 && !known => Some("not a transcript".to_owned()),
        () => None,
    };
    if let Some(wrong) = wrong.filter(|_| !damaged) {
        let what = "expected a transcript of the client, with a JSON object in each line";
        return Err(Failure::data(format!("{name}: {wrong}: {what}")));
    }
    if lines > 0 {
        log::say("lh-messages", &format!("{name}: {lines} lines could not be read"));
    }
    Ok(())
}

/// Prints what the transcript of an operand says, and goes on as it grows, until it is ended. The transcript is read again
/// as a whole when it has changed, for what belongs to a message can come late; a message is printed once, and not while
/// its agent may still be in the middle of it.
pub fn follow(operand: &Path, keep: Keep, out: &mut Output) -> Result<(), Failure> {
    let (path, project) = known(operand)?;
    transcript::open(&path)?;
    let mut printed = Printed::new();
    let (mut last, mut waits): (Option<Look>, bool) = (None, true);
    loop {
        let data = path.metadata().ok().filter(std::fs::Metadata::is_file);
        let now = data.map(|data| (data.ino(), data.len(), data.modified().ok())).ok_or_else(|| {
            let what = "the transcript is not there any more: lh-find-session has those that are";
            Failure::new(Exit::Io, format!("{}: {what}", path.display()))
        })?;
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

/// Counts what is read.
struct ByteCounter<R> {
    input: R,
    bytes: u64,
}

impl<R: Read> Read for ByteCounter<R> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let count = self.input.read(to)?;
        self.bytes += count as u64;
        Ok(count)
    }
}

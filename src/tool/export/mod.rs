//! Exporting: a session in, its page in the knowledge folder. The present page says how
//! many messages it has and how far the transcript was read. What is needed to read on from there is
//! kept with the project's memory (`.state/exports/`); without it the transcript is read whole, with
//! the same result.

mod body;
mod index;
mod memo;
mod page;
mod place;
mod tally;

pub use index::refresh as refresh_index;
pub use tally::Tally;

use crate::agent::claude::transcript::{self, Told};
use crate::agent::project;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Lock, Root, Target};
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::stream::Spool;
use crate::record::session::Session;
use crate::redact::Redactor;
use crate::store::{self, Newest};
use body::Body;
use memo::Memo;
use page::About;
use place::Place;
use serde_json::json;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::SpooledTempFile;

/// How long to wait for another export of the same project, which can be one of a large session.
const PATIENCE: Duration = Duration::from_secs(60);

/// A page up to this many bytes is in memory before it is written to a file of its own.
const SAVED_BYTES: usize = 4 << 20;

/// What became of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exported {
    /// Its page is there now.
    Written {
        /// The page.
        path: PathBuf,
        /// What it is about.
        topic: String,
        /// The copy of the page that was there, where a person had edited it.
        kept: Option<PathBuf>,
    },
    /// Its page was printed, or saved where its user wants it.
    Printed,
    /// Its page was there already.
    Unchanged(PathBuf),
    /// It gets none, for that reason.
    Refused(String),
}

/// How a session is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The page.
    Markdown,
    /// One JSON object: what the front matter says, and the messages.
    Json,
}

/// Exports sessions.
pub struct Exporter<'a> {
    config: &'a Config,
    redactor: Redactor,
    /// Whatever the session is, and whatever is there.
    force: bool,
}

impl Format {
    /// The format of a word; status 64 for any other.
    pub fn of(word: &str) -> Result<Self, Failure> {
        match word {
            "markdown" => Ok(Self::Markdown),
            "json" => Ok(Self::Json),
            other => Err(Failure::usage(format!("unknown format '{other}': expected markdown or json"))),
        }
    }
}

/// Whether a session has its page, or gets none, as far as its transcript goes now.
pub fn is_done(session: &Session, config: &Config) -> Result<bool, Failure> {
    let Some((size, modified)) = transcript::stat(&session.transcript)? else { return Ok(true) };
    let folder = config.sessions_folder()?;
    let memory = store::inside(session.memory()?, session.home()?)?;
    let memo = Memo::read(&memory, &session.session_id)?;
    Ok(memo.answer(&folder, size).is_some()
        || Place::of(session, &folder, memo.page.as_deref())?.is_current(size, modified))
}

/// The `written` record of a session.
fn receipt(record: &Record, done: &Exported) -> Record {
    let mut receipt = Record::new("written");
    let (path, summary, result) = match done {
        Exported::Written { path, topic, .. } => (Some(path), topic.as_str(), "written"),
        Exported::Printed => (None, "", "printed"),
        Exported::Unchanged(path) => (Some(path), "", "unchanged"),
        Exported::Refused(_) => (None, "", "refused"),
    };
    if let Some(path) = path {
        receipt.set_path("path", path);
    }
    receipt.set("what", "export");
    receipt.set_some("id", record.text("session_id").as_ref());
    receipt.set("summary", summary);
    receipt.set("result", result);
    match done {
        Exported::Refused(reason) => receipt.set("reason", reason),
        Exported::Written { kept: Some(copy), .. } => receipt.set_path("kept", copy),
        _ => {}
    }
    receipt
}

impl<'a> Exporter<'a> {
    /// An exporter; with `force` of sessions that are short or no person's, too.
    pub fn new(config: &'a Config, force: bool) -> Result<Self, Failure> {
        Ok(Self { config, redactor: Redactor::new(&config.privacy)?, force })
    }

    /// The `written` record of a session, as it is printed.
    pub fn receipt(&self, record: &Record, done: &Exported) -> Masked {
        self.redactor.masked_record(&receipt(record, done))
    }

    /// Exports one session into the knowledge folder.
    pub fn export(&self, record: &Record) -> Result<Exported, Failure> {
        let session = Session::from_record(record)?;
        let Some((size, modified)) = transcript::stat(&session.transcript)? else {
            return Err(Failure::data(format!("{}: no such transcript", session.transcript.display())));
        };
        let folder = self.config.sessions_folder()?;
        let memory = store::inside(session.memory()?, session.home()?)?;
        let known = |memo: &Memo| if self.force { None } else { memo.answer(&folder, size) };
        if let Some(done) = known(&Memo::read(&memory, &session.session_id)?) {
            return Ok(done);
        }
        let own = Root::new(&memory);
        let state = own.folder(".state/exports")?;
        let target = own.file(".state/exports/lock")?;
        let lock = file::lock(&target, PATIENCE)?;
        file::remove_leftovers(&state, None);
        // Another export may just have ended.
        let memo = Memo::read(&memory, &session.session_id)?;
        if let Some(done) = known(&memo) {
            return Ok(done);
        }
        let place = Place::of(&session, &folder, memo.page.as_deref())?;
        // A page of ours whose writer was killed before it remembered it is read once more.
        if place.is_current(size, modified) && !place.is_ours() && !self.force {
            return Ok(Exported::Unchanged(place.path(&folder)));
        }
        let lock = (&lock, &target);
        let edited = memo.is_edited(&place.path(&folder))?;
        let mut job = Job { exporter: self, session: &session, memory: &memory, folder: &folder, place, lock, edited };
        let mark = memo.mark(&folder).filter(|_| !self.force && !edited);
        if let Some(done) = mark.map(|mark| job.run(Some(mark), &memo)).transpose()?.flatten() {
            return Ok(done);
        }
        let done = job.run(None, &memo)?;
        done.ok_or_else(|| Failure::data(format!("{}: cannot be read", session.transcript.display())))
    }

    /// Prints one session; nothing is written anywhere.
    pub fn print(&self, record: &Record, format: Format, out: &mut impl Write) -> Result<Exported, Failure> {
        let session = Session::from_record(record)?;
        let mut body = Body::new();
        let mut said = Spool::default();
        let told = transcript::tell(&session.transcript, None, &mut |message| {
            let text = self.redactor.masked(&message.text);
            if format == Format::Json {
                let value = json!({"role": message.role.word(), "text": text.text(), "time": message.time});
                let comma = if said.is_empty() { "" } else { "," };
                return said.add(format!("{comma}{value}").as_bytes());
            }
            body.add(message.role, &text)
        })?;
        let Some(told) = told else { return Err(Failure::data("the transcript cannot be read")) };
        if let Some(reason) = self.refusal(&told) {
            return Ok(Exported::Refused(reason.to_owned()));
        }
        let place = Place::of(&session, Path::new(""), None)?;
        let facts = self.shown_facts(&told);
        let about = self.about(&session, &told, &facts);
        let fail = |error: io::Error| match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::reader_gone(),
            _ => Failure::io("standard output", &error),
        };
        if format == Format::Json {
            let whole = self.redactor.shown_json(&page::json(&about, &place.date).to_string()).into_owned();
            let (before, behind) = whole.split_once(page::NO_MESSAGES).unwrap_or((&whole, ""));
            write!(out, "{before}\"messages\":[").map_err(fail)?;
            said.copy(&told.abandoned, page::abandoned, out).map_err(fail)?;
            writeln!(out, "]{behind}").map_err(fail)?;
        } else {
            out.write_all(self.redactor.masked(&page::head(&about, &place.date)).bytes()).map_err(fail)?;
            body.copy(&told.abandoned, out).map_err(fail)?;
        }
        Ok(Exported::Printed)
    }

    /// The same into a file.
    pub fn save(&self, record: &Record, format: Format, path: &Path) -> Result<Exported, Failure> {
        let target = Target::named(path)?;
        let mut text = SpooledTempFile::new(SAVED_BYTES);
        let done = self.print(record, format, &mut text)?;
        if done == Exported::Printed {
            // Printed text is masked.
            file::replace_with(&target, Durable::No, |out| {
                text.rewind()?;
                io::copy(&mut text, out).map(drop)
            })?;
        }
        Ok(done)
    }

    fn shown_facts(&self, told: &Told) -> transcript::Facts {
        let mut facts = told.facts.clone();
        facts.for_each_text(|text| self.redactor.show(text));
        facts
    }

    fn refusal(&self, told: &Told) -> Option<&'static str> {
        match () {
            () if told.totals.is_unreadable() => Some("unreadable"),
            () if told.totals.messages == 0 => Some("empty"),
            () if self.force => None,
            () if told.subagent || !told.interactive => Some("not_interactive"),
            () if told.totals.messages < self.config.compound_loop.min_messages => Some("too_few_messages"),
            () => None,
        }
    }

    fn about<'t>(&self, session: &'t Session, told: &'t Told, facts: &'t transcript::Facts) -> About<'t> {
        let shown = |text: &str| self.redactor.shown(text).into_owned();
        // What is read on from holds it masked, so that all is judged by the masked one.
        let cwd = shown(&told.cwd.clone().unwrap_or_else(|| session.cwd.to_string_lossy().into_owned()));
        let (profile, session_type) = self.config.classify(&cwd);
        let (profile, session_type) = (shown(&profile), shown(&session_type));
        // A record that was made while there was no transcript, which was renamed just then or not yet
        // written, has its project from nothing but the folder's name.
        let late = told.cwd.as_ref().filter(|_| session.source_size_bytes.is_none());
        let project = late.map(|cwd| project::identify(Path::new(cwd)).name);
        let project = shown(project.as_ref().unwrap_or(&session.project));
        let branch = shown(told.branch.as_deref().or(session.branch.as_deref()).unwrap_or_default());
        let summary = shown(&summary(session));
        About { session, told, facts, cwd, project, branch, profile, session_type, summary }
    }
}

/// Why a session gets no page, and what to do.
fn in_words(reason: &str) -> &'static str {
    match reason {
        "unreadable" => "none of its lines is a JSON object: unpack it if it is packed",
        "empty" => "nothing was said in it",
        "not_interactive" => "no person held this conversation; --force takes it all the same",
        _ => "it has fewer messages than min_messages; --force takes it all the same",
    }
}

/// The summary of a session before its last compaction; "" when there is none.
fn summary(session: &Session) -> String {
    let memory = session.memory().and_then(|memory| store::inside(memory, session.home()?));
    let kept = memory.and_then(|memory| store::summary::of(&memory, &session.session_id)).ok().flatten();
    kept.map(|kept| kept.body).unwrap_or_default()
}

/// A page as the newest of its project.
fn newest(path: &Path, told: &Told) -> Newest {
    Newest { path: path.to_path_buf(), last_time: told.last_time.clone().unwrap_or_default(), looked_on: String::new() }
}

/// One session on its way into the knowledge folder.
struct Job<'a> {
    exporter: &'a Exporter<'a>,
    session: &'a Session,
    memory: &'a Path,
    folder: &'a Path,
    place: Place,
    /// The lock of the project's exports, and its file.
    lock: (&'a Lock, &'a Target),
    /// The page that is there is not as we wrote it.
    edited: bool,
}

impl Job<'_> {
    /// Reads, from `mark` on when there is one, and writes; none when it cannot be read on from there.
    fn run(&mut self, mark: Option<transcript::Mark>, memo: &Memo) -> Result<Option<Exported>, Failure> {
        let base = mark.as_ref().map(|_| memo.body_bytes);
        let mut body = Body::new();
        let told = transcript::tell(&self.session.transcript, mark, &mut |message| {
            body.add(message.role, &self.exporter.redactor.masked(&message.text))
        })?;
        let Some(told) = told else { return Ok(None) };
        if let Some(reason) = self.exporter.refusal(&told) {
            self.remember(&Memo::refused(reason, told.size_bytes))?;
            return Ok(Some(Exported::Refused(reason.to_owned())));
        }
        let path = self.place.path(self.folder);
        let facts = self.exporter.shown_facts(&told);
        let topic = facts.topic().unwrap_or_default().into_owned();
        let head = page::head(&self.exporter.about(self.session, &told, &facts), &self.place.date);
        let head = self.exporter.redactor.masked(&head);
        if self.place.holds(told.totals.messages) && !self.exporter.force {
            newest(&path, &told).write(self.memory)?;
            // A page that is as we would write it is ours: the process that wrote it was killed before this.
            let ours = base.is_none() && body::sum(&path)? == body::sum_of(&head, &mut body, &told.abandoned)?;
            let memo = if ours {
                Memo::written(&path, &self.place.name, &told, body.length(&told.abandoned), body::sum(&path)?)
            } else {
                memo.kept(&self.place.name, &told, base.is_some())
            };
            self.remember(&memo)?;
            return Ok(Some(Exported::Unchanged(path)));
        }
        let (lock, lock_file) = self.lock;
        if !lock.is_of(lock_file) {
            let what = "removed while it was held, so another export can be at work: remove no lock";
            return Err(Failure::later(format!("{}: {what}", lock_file.display())));
        }
        let root = Root::new(&self.exporter.config.knowledge_folder()?);
        root.folder(path.parent().unwrap_or(self.folder))?;
        let target = root.file(&path)?;
        let kept = self.edited.then(|| body::keep_copy(&root, &path)).transpose()?;
        let announce = |sum: &str| self.remember(&memo.before(sum));
        let sum = body::write(&target, &head, base, &mut body, &told.abandoned, &announce)?;
        let body_bytes = base.unwrap_or_default().saturating_add(body.length(&told.abandoned));
        // The memo last: it ends the work, so a process that is killed before it does all of this again.
        newest(&path, &told).write(self.memory)?;
        self.remember(&Memo::written(&path, &self.place.name, &told, body_bytes, sum))?;
        Ok(Some(Exported::Written { path, topic, kept }))
    }

    fn remember(&self, memo: &Memo) -> Result<(), Failure> {
        memo.write(self.memory, &self.session.session_id, &self.exporter.redactor)
    }
}

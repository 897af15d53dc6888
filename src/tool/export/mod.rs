//! Exporting: a session in, its page in the knowledge folder. The present page says how
//! many messages it has and how far the transcript was read. What is needed to read on from there is
//! kept with the project's memory (`.state/exports/`); without it the transcript is read whole, with
//! the same result.

mod index;
mod memo;
pub mod memory;
mod page_file;
mod tally;

pub use index::refresh as refresh_index;
pub use tally::Tally;

use crate::agent::project::{self, SessionHint};
use crate::agent::transcript::{self, Conversation, Keep, ResumePoint};
use crate::agent::{checkout, layout, wrappers};
use crate::base::clock;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root, Target};
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::stream::Spool;
use crate::base::word_enum::words;
use crate::record::message::{Message, Role};
use crate::record::refusal::Reason;
use crate::record::session::Session;
use crate::record::written::{self, Became};
use crate::redact::Redactor;
use crate::store::page::{self, Page};
use crate::store::{self, Memory, Newest};
use memo::Memo;
use page_file::{NewPage, PageFile};
use serde_json::json;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::SpooledTempFile;

/// How long to wait for another export of the same project, which can be one of a large session.
const PATIENCE: Duration = Duration::from_secs(60);

/// A page that was written aside for so long will never be put in place: its writer was killed.
const DEAD_SECONDS: i64 = 3600;

/// A page up to this many bytes is in memory before it is written to a file of its own.
const SAVED_BYTES: usize = 4 << 20;

/// What became of a session.
#[derive(Clone, Debug)]
pub struct Exported {
    /// In a word.
    pub became: Became,
    /// Its page, where that is in its place.
    path: Option<PathBuf>,
    /// What it is about, where it was written.
    topic: String,
    /// The copy of the page that was there, where a person had edited it.
    kept: Option<PathBuf>,
    /// Why it gets no page.
    reason: Option<Reason>,
}

words! {
    /// How a session is printed.
    PageFormat {
        /// The page.
        Markdown = "markdown",
        /// One JSON object: what the front matter says, and the messages.
        Json = "json",
    }
}

/// Exports sessions.
pub struct Exporter<'a> {
    config: &'a Config,
    redactor: Redactor,
    /// Whatever the session is, and whatever is there.
    force: bool,
    /// Subagents' transcripts, too.
    subagents: bool,
    /// The folders in which what killed writers left was looked for: a folder can have a name for each session.
    tidied: RefCell<HashSet<PathBuf>>,
}

/// Whether a session has its page, or gets none, as far as its transcript goes now.
pub fn is_done(session: &Session, config: &Config) -> Result<bool, Failure> {
    let Some((size, modified)) = transcript::stat(&session.transcript)? else { return Ok(true) };
    let folder = config.sessions_folder()?;
    let memory = Memory::of(session, config)?;
    let memo = Memo::read(&memory, &session.session_id)?;
    Ok(memo.answer(&folder, size).is_some()
        || PageFile::find(session, &folder, memo.page.as_deref())?.is_current(size, modified))
}

impl Exported {
    fn new(became: Became, path: Option<PathBuf>) -> Self {
        Self { became, path, topic: String::new(), kept: None, reason: None }
    }

    fn refused(reason: Reason) -> Self {
        Self { reason: Some(reason), ..Self::new(Became::Refused, None) }
    }
}

impl<'a> Exporter<'a> {
    /// An exporter; with `force` of sessions that are short or no person's, too.
    pub fn new(config: &'a Config, force: bool) -> Result<Self, Failure> {
        let subagents = force || config.knowledge.sessions.subagents;
        Ok(Self { config, redactor: Redactor::new(&config.privacy)?, force, subagents, tidied: RefCell::default() })
    }

    /// The `written` record of a session, as it is printed.
    pub fn receipt(&self, record: &Record, done: &Exported) -> Masked {
        let Exported { became, path, topic, kept, reason } = done;
        let id = record.text("session_id");
        let mut receipt = written::written(path.as_deref(), written::EXPORT, id.as_deref(), topic, *became);
        receipt.set_some("reason", reason.map(Reason::word).as_ref());
        if let Some(copy) = kept {
            receipt.set_path("kept", copy);
        }
        self.redactor.masked_record(&receipt)
    }

    /// Exports one session into the knowledge folder.
    pub fn export(&self, record: &Record) -> Result<Exported, Failure> {
        let session = Session::from_record(record)?;
        let (size, modified) = transcript::existing(&session.transcript)?;
        let folder = self.config.sessions_folder()?;
        let memory = Memory::of(&session, self.config)?;
        let known = || {
            let memo = Memo::read(&memory, &session.session_id)?;
            let done = if self.force { None } else { memo.answer(&folder, size) };
            Ok::<_, Failure>((memo, done))
        };
        if let (_, Some(done)) = known()? {
            return Ok(done);
        }
        let state = store::cache_folder(&memory, memo::FOLDER)?;
        let _lock = file::lock(&store::cache(&memory, memo::LOCK)?, PATIENCE)?;
        self.tidy(&state, None);
        // Another export may just have ended.
        let (memo, done) = known()?;
        if let Some(done) = done {
            return Ok(done);
        }
        let page_file = PageFile::find(&session, &folder, memo.page.as_deref())?;
        let path = page_file.path(&folder);
        // A page of ours whose writer was killed before it remembered it is read once more.
        if page_file.is_current(size, modified) && !page_file.is_ours() && !self.force {
            return Ok(Exported::new(Became::Unchanged, Some(path)));
        }
        let present = page_file::sum(&path)?;
        let mark = memo.mark.clone().filter(|_| !self.force && present.as_ref() == Some(&memo.page_sum));
        let job = PageExport { exporter: self, session: &session, memory: &memory, page_file, path, memo, present };
        let read_on = mark.map(|mark| job.run(Some(&mark))).transpose()?.flatten();
        let done = read_on.map_or_else(|| job.run(None), |done| Ok(Some(done)))?;
        done.ok_or_else(|| Failure::data(format!("{}: cannot be read", session.transcript.display())))
    }

    /// What a message says, as a page shows it: what the user pasted is a quotation, for the page is read as a text and
    /// the client's marks are not what was said.
    fn said(&self, message: &Message) -> Masked {
        message.tell(&self.redactor);
        self.redactor.masked(&wrappers::with_quoted_pastes(&message.text))
    }

    /// Prints one session; nothing is written anywhere.
    pub fn print(&self, record: &Record, format: PageFormat, out: &mut impl Write) -> Result<Exported, Failure> {
        let session = Session::from_record(record)?;
        self.redactor.begin();
        let (told, mut said) = self.redactor.settled(|| {
            let mut said = Spool::default();
            let told = self.read(&session, None, &mut |message| {
                let text = self.said(message);
                if format == PageFormat::Markdown {
                    return said.add(block(message, &text).as_bytes());
                }
                let value = json!({"role": message.role.word(), "text": text.text(), "time": message.time});
                let comma = if said.bytes() == 0 { "" } else { "," };
                said.add(format!("{comma}{value}").as_bytes())
            })?;
            Ok((told, said))
        })?;
        let Some(told) = told else { return Err(Failure::data("the transcript cannot be read")) };
        if let Some(reason) = self.refusal(&told) {
            return Ok(Exported::refused(reason));
        }
        let page_file = PageFile::find(&session, Path::new(""), None)?;
        let page = self.page(&session, &told, &page_file.date);
        let fail = |error: io::Error| match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::reader_gone(),
            _ => Failure::io("standard output", &error),
        };
        if format == PageFormat::Json {
            let whole = self.redactor.shown_json(&page.json()?.to_string()).into_owned();
            let (before, behind) = whole.split_once(page::NO_MESSAGES).unwrap_or((&whole, ""));
            write!(out, "{before}\"messages\":[").map_err(fail)?;
            said.copy(&told.abandoned, page::abandoned, out).map_err(fail)?;
            writeln!(out, "]{behind}").map_err(fail)?;
        } else {
            out.write_all(self.head(&session, &page).bytes()).map_err(fail)?;
            said.copy(&told.abandoned, page::abandoned_block, out).map_err(fail)?;
        }
        Ok(Exported::new(Became::Printed, None))
    }

    /// Removes what killed writers left in a folder, once a run.
    fn tidy(&self, folder: &Path, older_than: Option<i64>) {
        if self.tidied.borrow_mut().insert(folder.to_path_buf()) {
            file::remove_leftovers(folder, older_than);
        }
    }

    /// The same into a file.
    pub fn save(&self, record: &Record, format: PageFormat, path: &Path) -> Result<Exported, Failure> {
        let target = Target::named(path)?;
        let mut text = SpooledTempFile::new(SAVED_BYTES);
        let done = self.print(record, format, &mut text)?;
        if done.became == Became::Printed {
            // Printed text is masked.
            file::replace_with(&target, Durable::No, |out| {
                text.rewind()?;
                io::copy(&mut text, out).map(drop)
            })?;
        }
        Ok(done)
    }

    /// The sessions of a session's subagents, where these get pages.
    pub fn subagents(&self, record: &Record) -> Result<Vec<Record>, Failure> {
        if !self.config.knowledge.sessions.subagents {
            return Ok(Vec::new());
        }
        let describe = |path: PathBuf| {
            let hint = SessionHint { found_by: "subagents", ..SessionHint::default() };
            Ok(project::describe(&path, hint, self.config)?.0.record("session"))
        };
        layout::subagents(&Session::from_record(record)?.transcript)?.into_iter().map(describe).collect()
    }

    /// Reads a session's messages, from `mark` on when there is one. Where the page of a subagent is wanted, what that
    /// was told and said is the conversation.
    fn read(
        &self,
        session: &Session,
        mark: Option<ResumePoint>,
        act: &mut dyn FnMut(&Message) -> Result<(), Failure>,
    ) -> Result<Option<Conversation>, Failure> {
        let path = &session.transcript;
        let Some(mut told) = transcript::read_on(path, mark, act)? else { return Ok(None) };
        if !self.subagents || !told.subagent || told.totals.messages > 0 {
            return Ok(Some(told));
        }
        // Its messages are counted here, so that it is read whole the next time.
        told.mark = None;
        let (file, (size, _)) = transcript::open(path)?;
        transcript::each(&path.display().to_string(), file.take(size), Keep::Everything, &mut |message| {
            if message.role == Role::Tool || message.marks.meta || message.text.trim().is_empty() {
                return Ok(());
            }
            if message.role == Role::User {
                told.facts.prompt(&message.text);
            }
            told.totals.messages += 1;
            act(message)
        })?;
        Ok(Some(told))
    }

    fn refusal(&self, told: &Conversation) -> Option<Reason> {
        let is_of_person = if told.subagent { self.subagents } else { told.interactive };
        match told.totals.messages {
            _ if told.totals.is_unreadable() => Some(Reason::Unreadable),
            0 => Some(Reason::Empty),
            _ if self.force => None,
            _ if !is_of_person => Some(Reason::NotInteractive),
            messages => (messages < self.config.compound_loop.min_messages).then_some(Reason::TooFewMessages),
        }
    }

    /// What the page of a session says of it, masked.
    fn page(&self, session: &Session, told: &Conversation, date: &str) -> Page {
        let mut facts = told.facts.clone();
        facts.for_each_text(|text| self.redactor.show(text));
        let shown = |text: &str| self.redactor.shown(text).into_owned();
        // What is read on from holds it masked, so that all is judged by the masked one.
        let cwd = shown(&told.cwd.clone().unwrap_or_else(|| session.cwd.to_string_lossy().into_owned()));
        let (profile, session_type) = self.config.classify(&cwd);
        // A record that was made while there was no transcript, which was renamed just then or not yet
        // written, has its project from nothing but the folder's name.
        let project = match &told.cwd {
            Some(cwd) if session.source_size_bytes.is_none() => checkout::identify(Path::new(cwd)).name,
            _ => session.project.clone(),
        };
        Page {
            session_id: session.session_id.clone(),
            date: date.to_owned(),
            project: shown(&project),
            profile: shown(&profile),
            session_type: shown(&session_type),
            branch: shown(told.branch.as_deref().or(session.branch.as_deref()).unwrap_or("")),
            cwd,
            messages: told.totals.messages,
            topic: facts.topic().map(Cow::into_owned),
            duration_minutes: minutes(told),
            source_size: Some(told.size_bytes),
            parent: layout::parent_of(&session.transcript),
            client_version: facts.version,
            tools: facts.tools,
            tokens: facts.tokens,
            cost_usd: facts.cost_usd,
            compactions: facts.compactions,
        }
    }

    /// What comes before the messages of a page.
    fn head(&self, session: &Session, page: &Page) -> Masked {
        let memory = Memory::of(session, self.config);
        let kept = memory.and_then(|memory| store::summary::of_session(&memory, &session.session_id)).ok().flatten();
        let summary = kept.map_or_else(String::new, |kept| self.redactor.shown(&kept.body).into_owned());
        self.redactor.masked(&page.head(&summary))
    }
}

/// A message on a page.
fn block(message: &Message, text: &Masked) -> String {
    page::block(message.role, (message.line, message.time.as_deref()), &text.text())
}

/// The session's length; None where it has no timestamps.
fn minutes(told: &Conversation) -> Option<i64> {
    let first = clock::parse(told.facts.first_time.as_deref()?)?;
    let last = clock::parse(told.last_time.as_deref()?)?;
    Some((clock::seconds_between(first, last).max(0) + 30) / 60)
}

/// Why a session gets no page, and what to do.
fn in_words(reason: Reason) -> &'static str {
    match reason {
        Reason::Unreadable => "none of its lines is a JSON object: unpack it if it is packed",
        Reason::Empty => "nothing was said in it",
        Reason::NotInteractive => "no person held this conversation: give --force to export it",
        _ => "it has fewer messages than min_messages: give --force to export it",
    }
}

/// One session on its way into the knowledge folder.
struct PageExport<'a> {
    exporter: &'a Exporter<'a>,
    session: &'a Session,
    memory: &'a Path,
    page_file: PageFile,
    path: PathBuf,
    /// What is remembered of the page.
    memo: Memo,
    /// The sum of the page that is there.
    present: Option<String>,
}

impl PageExport<'_> {
    /// Reads, from `mark` on when there is one, and writes; none when it cannot be read on from there.
    fn run(&self, mark: Option<&ResumePoint>) -> Result<Option<Exported>, Failure> {
        let Self { exporter, page_file, path, memo, present, .. } = self;
        let base = mark.map(|_| memo.body_bytes);
        let redactor = &exporter.redactor;
        redactor.begin();
        let (told, mut body) = redactor.settled(|| {
            let mut body = Spool::default();
            let mut add = |message: &Message| body.add(block(message, &exporter.said(message)).as_bytes());
            Ok((exporter.read(self.session, mark.cloned(), &mut add)?, body))
        })?;
        let Some(mut told) = told else { return Ok(None) };
        if redactor.is_open() {
            // What is on the page can hold the secret, and what comes can be one.
            if base.is_some() && redactor.learned() > 0 {
                return Ok(None);
            }
            told.mark = None;
        }
        let remember = |memo: &Memo| memo.write(self.memory, &self.session.session_id, redactor);
        if let Some(reason) = exporter.refusal(&told) {
            let refused = Some(reason.word().to_owned());
            remember(&Memo { size: told.size_bytes, refused, ..Memo::default() })?;
            return Ok(Some(Exported::refused(reason)));
        }
        let page = exporter.page(self.session, &told, &page_file.date);
        let head = exporter.head(self.session, &page);
        let body_bytes = base.unwrap_or(0) + body.bytes() + (told.abandoned.len() * page::ABANDONED.len()) as u64;
        let mut new =
            NewPage { head, old: base.map(|bytes| (path, bytes)), body: &mut body, abandoned: &told.abandoned };
        let (size, name, page_sum) = (told.size_bytes, Some(page_file.name.clone()), new.sum()?);
        let mut next = Memo { size, page: name, body_bytes, page_sum, mark: told.mark.clone(), ..Memo::default() };
        if page_file.holds(told.totals.messages) && !exporter.force {
            self.point_to(&told)?;
            // A page that is as we would write it is ours: the process that wrote it was killed before this. What it takes
            // to read on from another one is kept only if its bytes are known.
            if present.as_ref() != Some(&next.page_sum) {
                let mark = next.mark.filter(|_| base.is_some());
                next = Memo { size, page: next.page, refused: None, mark, ..memo.clone() };
            }
            remember(&next)?;
            return Ok(Some(Exported::new(Became::Unchanged, Some(path.clone()))));
        }
        let root = Root::new(&exporter.config.knowledge_folder()?);
        let folder = root.folder(path.parent().unwrap_or(path))?;
        let target = root.file(path)?;
        exporter.tidy(&folder, Some(DEAD_SECONDS));
        let edited = present.as_ref().filter(|sum| ![&memo.page_sum, &memo.next_sum].contains(sum));
        let kept = edited.map(|sum| page_file::keep_copy(&root, path, sum)).transpose()?;
        remember(&Memo { next_sum: next.page_sum.clone(), ..memo.clone() })?;
        file::replace_with(&target, Durable::No, |out| new.write(out))?;
        // The memo last: it ends the work, so a process that is killed before it does all of this again.
        self.point_to(&told)?;
        remember(&next)?;
        let topic = page.topic.map_or(String::new(), |topic| topic);
        Ok(Some(Exported { topic, kept, ..Exported::new(Became::Written, Some(path.clone())) }))
    }

    /// Remembers the page as the newest of its project, unless it is a subagent's.
    fn point_to(&self, told: &Conversation) -> Result<(), Failure> {
        if told.subagent {
            return Ok(());
        }
        let last_time = told.last_time.as_deref().unwrap_or("").to_owned();
        Newest { path: self.path.clone(), last_time, ..Newest::default() }.write(self.memory, file::PATIENCE)
    }
}

//! Which session wrote a line, or changed a file, and what was said then: from the edits in the transcripts of the
//! project of the current folder, which have each line as it was put in; where they have none, from the pages; then by
//! the commit, which a session made.

use super::here::Here;
use crate::agent::{checkout, layout, project, transcript};
use crate::base::clock;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::git::{self, Commit};
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::{env, file, log, text};
use crate::record::injected;
use crate::record::item::ItemKind;
use crate::record::message::{Action, FileEdit, Message, Role};
use crate::record::session;
use crate::redact::Redactor;
use crate::store::journal::{self, Entry};
use crate::store::page::{self, Page};
use jiff::Timestamp;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Characters of what was said that are told.
const SAID_CHARS: usize = 300;
/// A shorter part of a line is in too many lines.
const PART_CHARS: usize = 8;
/// The fewest digits of a commit that git prints.
const HASH_CHARS: usize = 7;

/// A file of a checkout, and a line of it.
struct WantedLine {
    /// The top of the checkout.
    top: PathBuf,
    /// The other checkouts of the repository.
    others: Vec<PathBuf>,
    /// The file as seen from the top.
    file: String,
    /// The line, from 1, and what it says.
    line: Option<(usize, String)>,
}

/// What a session did to the file.
#[derive(Clone, Default)]
struct Deed {
    /// As in a hit: edit, commit, session.
    what: &'static str,
    /// The transcript or the page, and the line of it.
    path: PathBuf,
    line: u64,
    session_id: String,
    time: Option<Timestamp>,
    /// The last prompt before it, and what the agent said last before it.
    asked: Rc<str>,
    said: Rc<str>,
    /// Whether the line that is looked for was in the file before, and is in it then; and whether all of it was written.
    old: bool,
    new: bool,
    whole: bool,
}

/// The record of who wrote the line; of a file a record for each session that changed it, the newest first.
pub fn blame(operand: &str, config: &Config) -> Result<Masked, Failure> {
    let wanted = WantedLine::read(operand)?;
    let here = Here::find(config)?;
    let commit = git::last_commit(&wanted.top, &wanted.file, wanted.number());
    let (mut edits, made) = wanted.deeds(commit.as_ref(), &here)?;
    // What git has of a commit before a file was written anew was in it already.
    if let Some(at) = commit.as_ref().filter(|_| wanted.line.is_some()).and_then(|commit| clock::parse(&commit.time)) {
        edits.retain(|edit| !edit.whole || edit.time.is_none_or(|time| time <= at));
    }
    let mut deeds = if wanted.line.is_some() { last_writer(edits) } else { last_of_each(edits) };
    if deeds.is_empty() {
        deeds.extend(wanted.on_pages(config)?);
    }
    if deeds.is_empty() {
        let Some(commit) = &commit else {
            let what = format!("{operand}: no session of this project and no commit is known that wrote it");
            return Err(Failure::data(what));
        };
        deeds.push(made.unwrap_or_else(|| Deed {
            what: "commit",
            time: clock::parse(&commit.time),
            ..Deed::default()
        }));
    }
    let mut items = Vec::new();
    for kind in [ItemKind::Decision, ItemKind::Failure] {
        items.extend(journal::read(&here.memory.journal(kind, true), kind)?);
    }
    let records = deeds.iter().map(|deed| wanted.record(deed, commit.as_ref(), &items, &here));
    Ok(here.masked(&records.collect::<Vec<_>>()))
}

impl WantedLine {
    fn read(operand: &str) -> Result<Self, Failure> {
        let (name, number) = match operand.rsplit_once(':') {
            Some((name, line)) if !Path::new(operand).exists() => {
                let number = line.parse().ok().filter(|line| *line > 0);
                let none = || Failure::data(format!("{operand}: no such file; give FILE or FILE:LINE"));
                (name, Some(number.ok_or_else(none)?))
            }
            _ => (operand, None),
        };
        let here = env::current_folder()?;
        let path = here.join(name);
        let none = || Failure::data(format!("{name}: no such file; give FILE or FILE:LINE"));
        let said = file::read_text(&path)?.ok_or_else(none)?;
        let path = file::real_path(&path);
        // Outside git the project is the folder where the agent ran, which can be above that of the file.
        let around = checkout::around(path.parent().unwrap_or(&path));
        let above = Some(file::real_path(&here)).filter(|here| path.starts_with(here) && !around.is_of_git());
        let top = above.unwrap_or_else(|| around.root().to_owned());
        let file = path.strip_prefix(&top).unwrap_or(&path).to_string_lossy().into_owned();
        let project = checkout::identify(&top);
        let others = project.git_dir.map(|dir| checkout::worktrees(&dir)).into_iter().flatten();
        let others = others.chain([project.root]).collect();
        let line = |number: usize| {
            let none = || Failure::data(format!("{name}: it has no line {number}, only {}", said.lines().count()));
            Ok((number, said.lines().nth(number - 1).ok_or_else(none)?.trim().to_owned()))
        };
        Ok(Self { top, others, file, line: number.map(line).transpose()? })
    }

    /// The last part of the file's path.
    fn name(&self) -> &str {
        self.file.rsplit_once('/').map_or(&self.file, |(_, name)| name)
    }

    fn number(&self) -> Option<usize> {
        self.line.as_ref().map(|(number, _)| *number)
    }

    /// Whether a path in a transcript is of the file, in any checkout of the repository.
    fn is(&self, path: &str, cwd: &Path) -> bool {
        let path = cwd.join(path);
        let top = path.ancestors().nth(Path::new(&self.file).components().count());
        let Some(top) = top.filter(|_| path.is_absolute()) else { return false };
        let is_known = |top: &Path| top == self.top || self.others.iter().any(|other| other == top);
        // Of a checkout that is gone the session knew where it was.
        path.ends_with(&self.file)
            && (is_known(top) || is_known(&file::real_path(top)) || !top.exists() && cwd.starts_with(top))
    }

    /// The transcripts of the project, those of subagents behind their session's.
    fn transcripts(&self, config: &Config) -> Result<Vec<PathBuf>, Failure> {
        let mut all = Vec::new();
        for home in config.agent_homes()? {
            for (_, path) in project::transcripts(&home, &self.top, None) {
                let subagents = or_said(layout::subagents(&path));
                all.push(path);
                all.extend(subagents);
            }
        }
        Ok(all)
    }

    /// What the sessions did to the file, the oldest first, only what is known to have been done; and which made a commit.
    fn deeds(&self, commit: Option<&Commit>, here: &Here) -> Result<(Vec<Deed>, Option<Deed>), Failure> {
        let (mut edits, mut made) = (Vec::new(), None);
        // A letter that JSON can write in another way is not looked for.
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let part = self.name().split(|letter| !is_plain(letter)).max_by_key(|part| part.len()).unwrap_or("");
        let part = Some(part).filter(|_| self.line.as_ref().is_none_or(|(_, line)| is_telling(line)));
        let hash = commit.and_then(|commit| commit.hash.get(..HASH_CHARS));
        for path in self.transcripts(here.config)? {
            // What is asked for in one session is an answer in that one alone.
            here.redactor.begin();
            if [part, hash].into_iter().flatten().any(|said| or_said(file::has(&path, said.as_bytes()))) {
                or_said(self.each_deed(&path, commit, &here.redactor, &mut edits, &mut made));
            }
        }
        if part.is_none() {
            edits.clear();
        }
        edits.sort_by_key(|deed| deed.time);
        Ok((edits, made))
    }

    /// The same of one transcript.
    fn each_deed(
        &self,
        path: &Path,
        commit: Option<&Commit>,
        redactor: &Redactor,
        edits: &mut Vec<Deed>,
        made: &mut Option<Deed>,
    ) -> Result<(), Failure> {
        let cwd = transcript::glance(path)?.and_then(|(_, cwd)| cwd).map_or_else(PathBuf::new, PathBuf::from);
        let session_id = layout::parent_of(path).unwrap_or_else(|| session::id_of(path));
        let (mut last, mut open) = (Deed { path: path.into(), session_id, ..Deed::default() }, HashMap::new());
        transcript::each_edit(path, |message| {
            last.hear(message, redactor);
            for used in &message.tools {
                let (Some(file), Action::Change(change)) = (&used.file, &used.action) else { continue };
                if self.is(file, &cwd) {
                    let line = self.line.as_ref().map(|(_, line)| line.as_str());
                    open.insert(
                        used.id.clone(),
                        Deed { what: "edit", line: used.line, ..last.clone() }.with(change, line),
                    );
                }
            }
            let done = message.tool_use_id.as_ref().and_then(|id| open.remove(id));
            edits.extend(done.filter(|_| !message.is_error));
            if message.role == Role::Tool && commit.is_some_and(|commit| is_made(commit, &message.text)) {
                made.get_or_insert_with(|| Deed { what: "commit", line: message.line, ..last.clone() });
            }
        })
    }

    /// The oldest page that has the line, as a line of its own, and names the file.
    fn on_pages(&self, config: &Config) -> Result<Option<Deed>, Failure> {
        let Some((_, line)) = self.line.as_ref().filter(|(_, line)| is_telling(line)) else { return Ok(None) };
        let name = self.name();
        let root = checkout::identify(&self.top).root;
        let read = |path: &Path| Ok(file::read_text(path)?.zip(Page::read(path)?));
        for path in page::files(&config.sessions_folder()?)?.into_iter().rev() {
            let Some((said, page)) = or_said(read(&path)) else { continue };
            let is_of_project = || checkout::identify(Path::new(&page.cwd)).root == root;
            if !(said.contains(line) && said.contains(name) && is_of_project()) {
                continue;
            }
            let Some(at) = said.lines().position(|one| one.trim() == line) else { continue };
            let end = said.split_inclusive('\n').take(at + 1).map(str::len).sum();
            let blocks = page::messages(said.as_bytes()).into_iter().map(|(begin, _)| begin);
            let before: Vec<&str> = blocks.take_while(|begin| *begin < end).map(|begin| &said[begin..end]).collect();
            let block = |role| before.iter().rev().find_map(|block| page::said(block, role));
            return Ok(Some(Deed {
                what: "session",
                path,
                line: at as u64 + 1,
                session_id: page.session_id.clone(),
                time: page.time(),
                asked: block(Role::User).unwrap_or_default().into(),
                said: block(Role::Assistant).unwrap_or_default().into(),
                ..Deed::default()
            }));
        }
        Ok(None)
    }

    fn record(&self, deed: &Deed, commit: Option<&Commit>, items: &[Entry], here: &Here) -> Record {
        let mut record = Record::new("hit");
        let by_session = !deed.session_id.is_empty();
        record.set("what", deed.what);
        record.set_path("path", if by_session { &deed.path } else { Path::new(&self.file) });
        record.set_some("ts", deed.time.map(clock::local).as_ref());
        record.set("project", &here.project);
        record.set_some("session_id", by_session.then_some(&deed.session_id));
        record.set_some("line", by_session.then_some(&deed.line));
        record.set("file", &self.file);
        record.set_some("file_line", self.number().as_ref());
        record.set_some("commit", commit.map(|commit| &commit.hash));
        let short = |said: &str| text::cut(&text::one_line(said), SAID_CHARS).into_owned();
        let said = |said: &str| Some(short(&here.redactor.shown(said))).filter(|said| !said.is_empty());
        record.set_some("said", said(&deed.said).as_ref());
        let subject = commit.map(|commit| commit.subject.as_str()).filter(|_| deed.what == "commit");
        let asked = if deed.asked.is_empty() { subject.unwrap_or("") } else { &deed.asked };
        record.set("text", &said(asked).unwrap_or_default());
        record.set_some("id", deed.item(items).as_ref());
        record
    }
}

impl Deed {
    /// The id of a decision or failure of the session of which a quote is in what the user said there.
    fn item(&self, items: &[Entry]) -> Option<String> {
        let is_quoted = |quote: &str| !quote.is_empty() && self.asked.contains(quote);
        let is_of = |entry: &&Entry| {
            entry.session_id == self.session_id
                && entry.holds()
                && entry.item.evidence.iter().any(|one| is_quoted(&one.quote))
        };
        items.iter().find(is_of).map(|entry| entry.id().into_owned())
    }

    /// Keeps what was said last, masked: what answers a question for a secret is known only here.
    fn hear(&mut self, message: &Message, redactor: &Redactor) {
        message.tell(redactor);
        self.time = message.time.as_deref().and_then(clock::parse);
        let shown = |text: &str| redactor.shown(text).trim().into();
        if message.is_prompt() {
            self.asked = shown(&injected::without(&message.text));
            self.said = Rc::default();
        } else if message.role != Role::Tool && !message.marks.meta && !message.text.trim().is_empty() {
            self.said = shown(&message.text);
        }
    }

    /// With whether the line was in the file before the change, and is in it then.
    fn with(self, change: &FileEdit, line: Option<&str>) -> Self {
        let has = |parts: &[String]| line.is_some_and(|line| parts.iter().any(|part| puts(part, line)));
        Self { old: has(&change.old), new: has(&change.new), whole: change.whole, ..self }
    }
}

/// What was read; what cannot be read is told, and is as good as nothing.
fn or_said<T: Default>(read: Result<T, Failure>) -> T {
    read.unwrap_or_else(|failure| {
        log::say("lh-blame", &failure.message);
        T::default()
    })
}

/// Whether a part of a file has the line, or is a part of that line.
fn puts(part: &str, line: &str) -> bool {
    let is_part = |one: &str| one.chars().count() >= PART_CHARS && line.contains(one);
    let ends = [part.lines().next(), part.lines().last()].into_iter().flatten();
    part.lines().any(|one| one.trim() == line) || ends.map(str::trim).any(is_part)
}

/// Whether git said that it made a commit: `[main 1a2b3c4] subject`.
fn is_made(commit: &Commit, said: &str) -> bool {
    let mut heads = said.lines().filter_map(|line| line.strip_prefix('[')?.split_once("] "));
    heads.any(|(head, _)| {
        let hash = head.rsplit_once(' ').map(|(_, hash)| hash);
        hash.is_some_and(|hash| hash.len() >= HASH_CHARS && commit.hash.starts_with(hash))
    })
}

/// Whether a line says enough to be looked for: a bracket is in every file.
fn is_telling(line: &str) -> bool {
    line.chars().filter(|letter| letter.is_alphanumeric()).count() >= 3
}

/// The edit that put the line in that is there now.
fn last_writer(edits: Vec<Deed>) -> Vec<Deed> {
    let mut writer: Option<Deed> = None;
    for edit in edits {
        match (edit.old, edit.new) {
            (false, true) if !(edit.whole && writer.is_some()) => writer = Some(edit),
            (true, false) => writer = None,
            (false, false) if edit.whole => writer = None,
            _ => {}
        }
    }
    writer.into_iter().collect()
}

/// The last edit of each session, the newest first.
fn last_of_each(edits: Vec<Deed>) -> Vec<Deed> {
    let mut known = HashSet::new();
    edits.into_iter().rev().filter(|edit| known.insert(edit.session_id.clone())).collect()
}

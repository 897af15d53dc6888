//! `.state/handoff`: the newest transcript's time, the lines of handoff.md as we wrote them, and what was
//! closed. While the page is written the version before is there too: after a kill the one counts whose
//! lines are in the page, so that a kill is not taken for a person's hand. Page and state are changed together, in one way.

use super::GivenHandoff;
use super::page::{self, Handoff};
use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable};
use crate::base::masked::Masked;
use crate::base::stale_names::Seen;
use crate::redact::Redactor;
use crate::store;
use crate::store::receipts::{Receipts, Rewritten, WrittenItem, Wrote};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::Path;

/// The file, below the memory folder.
pub const STATE: &str = ".state/handoff";
/// Closed items that are remembered.
const CLOSED: usize = 500;
/// Sessions that did not speak of an item, after which it is an old one, and how long that takes at least.
const OLD: usize = 3;
const OLD_SECONDS: i64 = 24 * 3600;

/// A line of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OpenItem {
    /// Its words.
    pub text: String,
    /// The session that said it last; "" for a person.
    pub session_id: String,
    /// The time of that session's transcript.
    pub source_mtime: String,
    /// The session that said it first, where that is another one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub first: String,
    /// A person wrote it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub person: bool,
    /// The sessions since then that did not speak of it, as many as make it an old one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<String>,
    /// Where there are such: the time when it was spoken of last, and the time of the last of them.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub spoken: String,
    /// See `spoken`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub passed: String,
    /// What it names, as it was when it was said last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<Seen>,
}

/// An item that is open no more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Closed {
    /// The line as it was.
    #[serde(flatten)]
    pub line: OpenItem,
    /// The session that closed it; "" for a person.
    pub by: String,
    /// The time of the transcript that closed it; of a person's change the file's.
    at: String,
    /// A person said that it is done: no session opens it again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ticked: bool,
}

/// What is remembered of a page, a line of JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Version {
    /// The time of the newest transcript that had a say; "" when there is none.
    pub newest: String,
    /// The lines of the page.
    pub lines: Vec<OpenItem>,
    /// What was closed, the oldest first.
    pub closed: Vec<Closed>,
}

impl OpenItem {
    /// A line that a session says.
    pub fn new(given: &GivenHandoff<'_>, text: String) -> Self {
        let (session_id, source_mtime) = (given.notes.session_id.to_owned(), given.source_mtime.to_string());
        Self { text, session_id, source_mtime, ..Self::default() }
    }

    /// Whether a session was the first to give it.
    pub fn is_of(&self, session_id: &str) -> bool {
        !self.person && (if self.first.is_empty() { &self.session_id } else { &self.first }) == session_id
    }

    /// Whether the session that is given was the first to give it, and has not become shorter since.
    pub fn is_before(&self, given: &GivenHandoff<'_>) -> bool {
        self.is_of(given.notes.session_id) && clock::parse(&self.source_mtime) <= Some(given.source_mtime)
    }

    /// The same line, said again by another session.
    #[must_use]
    pub fn said_again(self, known: &Self) -> Self {
        let first = if known.first.is_empty() { &known.session_id } else { &known.first };
        Self { first: if *first == self.session_id { String::new() } else { first.clone() }, ..self }
    }

    /// The line, closed by a session.
    pub fn closed(&self, by: &str, at: Timestamp) -> Closed {
        Closed { line: self.clone(), by: by.to_owned(), at: at.to_string(), ..Closed::default() }
    }

    /// The same line after a session that did something and did not speak of it.
    #[must_use]
    pub fn passed(&self, given: &GivenHandoff<'_>) -> Self {
        let mut line = self.clone();
        if line.session_id == given.notes.session_id || !given.worked {
            return line;
        }
        line.passed = given.source_mtime.to_string();
        if line.spoken.is_empty() {
            let of_person = line.source_mtime.is_empty();
            line.spoken.clone_from(if of_person { &line.passed } else { &line.source_mtime });
        }
        if line.later.len() < OLD && !line.later.iter().any(|known| known == given.notes.session_id) {
            line.later.push(given.notes.session_id.to_owned());
        }
        line
    }

    /// When it was spoken of last, as far as is known.
    pub fn time(&self) -> Option<Timestamp> {
        clock::parse(&self.spoken).or_else(|| clock::parse(&self.source_mtime))
    }

    /// Whether so many sessions did not speak of it, for so long, that a start tells it last.
    pub fn is_old(&self) -> bool {
        let times = clock::parse(&self.spoken).zip(clock::parse(&self.passed));
        self.later.len() >= OLD && times.is_some_and(|(from, to)| clock::seconds_between(from, to) >= OLD_SECONDS)
    }
}

impl Closed {
    /// When it was closed.
    pub fn time(&self) -> Option<Timestamp> {
        clock::parse(&self.at)
    }

    /// Whether it was closed after a line that says the same was said. What a person wrote only a person closes.
    pub fn closes(&self, line: &OpenItem) -> bool {
        (self.ticked || !line.person) && self.time() > clock::parse(&line.source_mtime)
    }

    /// Whether it stays closed when a session says it. What the session only carried over from the
    /// handoff that it saw is nothing new.
    pub fn holds(&self, given: &GivenHandoff<'_>, carried: bool) -> bool {
        let at = clock::parse(&self.at);
        if self.by.is_empty() {
            self.ticked || carried || self.line.session_id == given.notes.session_id || at >= Some(given.source_mtime)
        } else {
            self.by != given.notes.session_id && at > Some(given.source_mtime)
        }
    }
}

impl Version {
    /// What the text of the file remembers of the page that is there, a person's changes to it included; `at` is when the
    /// page was last written to.
    pub fn of(text: &str, present: &Handoff, at: Option<Timestamp>) -> Self {
        let mut lines = text.lines();
        let newest = written(lines.next().and_then(clock::parse));
        let mut versions = lines.filter_map(|line| serde_json::from_str::<Self>(line).ok());
        let is_there =
            |version: &Self| present.is_slim || version.lines.iter().map(|line| &line.text).eq(&present.items);
        let mut version = match versions.next() {
            None => Self::first(newest, present),
            Some(now) if is_there(&now) => now,
            Some(now) => versions.next().filter(is_there).unwrap_or_else(|| now.changed(present, at)),
        };
        // A tick is a person's, also where nothing was remembered of its line. What is open in another line is not done.
        for text in present.ticked.iter().filter(|text| !present.items.contains(text)) {
            if let Some(closed) = version.closed.iter_mut().rfind(|closed| closed.line.text == *text) {
                (closed.ticked, closed.by) = (true, String::new());
            } else {
                let session_id = present.session_id.clone().unwrap_or_default();
                let line = OpenItem { text: text.clone(), session_id, person: !present.ours, ..OpenItem::default() };
                version.closed.push(Closed { line, at: written(at), ticked: true, ..Closed::default() });
            }
        }
        version
    }

    /// Nothing is remembered: what a page of ours says is ours.
    fn first(newest: String, present: &Handoff) -> Self {
        let line = |text: &String| OpenItem {
            text: text.clone(),
            session_id: present.session_id.clone().unwrap_or_default(),
            source_mtime: written(present.source_mtime),
            person: !present.ours,
            ..OpenItem::default()
        };
        Self { newest, lines: present.items.iter().map(line).collect(), closed: Vec::new() }
    }

    /// With what a person did to the page since: lines that we did not write are theirs, lines that are
    /// gone were closed.
    fn changed(mut self, present: &Handoff, at: Option<Timestamp>) -> Self {
        let at = written(at.or_else(|| clock::parse(&self.newest)));
        let open: HashSet<&String> = present.items.iter().collect();
        // What was ticked and is open again is the line that it was.
        let again = self.closed.iter().filter(|closed| closed.ticked).map(|closed| &closed.line);
        let known: Vec<OpenItem> = self.lines.iter().chain(again).cloned().collect();
        let line = |text: &String| known.iter().find(|line| line.text == *text).cloned();
        let theirs = |text: &String| OpenItem { text: text.clone(), person: true, ..OpenItem::default() };
        let gone = self.lines.into_iter().filter(|line| !open.contains(&line.text));
        self.closed.retain(|closed| !open.contains(&closed.line.text));
        self.closed.extend(gone.map(|line| Closed { line, at: at.clone(), ..Closed::default() }));
        self.lines = present.items.iter().map(|text| line(text).unwrap_or_else(|| theirs(text))).collect();
        self
    }

    /// The file's text.
    pub fn text(&self, redactor: &Redactor) -> Masked {
        let mut version = self.clone();
        version.closed.drain(..version.closed.len() - version.closed.len().min(CLOSED));
        let json = serde_json::to_string(&version).unwrap_or_default();
        redactor.masked_json(&format!("{}\n{json}\n", self.newest))
    }
}

/// A time as it is written; "" for none.
pub fn written(time: Option<Timestamp>) -> String {
    time.map_or_else(String::new, |time| time.to_string())
}

/// The name of the page.
pub const PAGE: &str = "handoff.md";

/// A file of the memory folder, by its name, and what it will hold; none for one that goes.
pub type Step = (&'static str, Option<Masked>);

/// Both files, none where one is not there, and what they say.
#[derive(Clone)]
pub struct Stored {
    /// The page; none also where the predecessor put a slim handoff in its place.
    pub page: Option<String>,
    /// What is remembered of it.
    pub state: Option<String>,
    /// When the page was last written to.
    at: Option<Timestamp>,
    /// What the page says.
    pub present: Handoff,
    /// What is remembered of it, with what a person did to the page since.
    pub known: Version,
}

impl Stored {
    /// Those of a memory folder.
    pub fn read(memory: &Path) -> Result<Self, Failure> {
        Self::read_page(memory, file::read_text(&memory.join(STATE))?)
    }

    /// The page of a memory folder, and what is remembered of it.
    pub fn read_page(memory: &Path, state: Option<String>) -> Result<Self, Failure> {
        let path = page::path(memory);
        Ok(Self::of(file::read_at_most(&path, file::PAGE_BYTES)?, state, file::modified(&path)))
    }

    /// Those with these texts.
    fn of(page: Option<Vec<u8>>, state: Option<String>, at: Option<Timestamp>) -> Self {
        let present = Handoff::of(page.as_deref());
        let known = Version::of(state.as_deref().unwrap_or(""), &present, at);
        let page = page.filter(|_| !present.is_slim).map(|page| file::text_of(&page).into_owned());
        Self { page, state, at, present, known }
    }

    /// The same with other texts.
    #[must_use]
    pub fn with(&self, page: Option<String>, state: Option<String>) -> Self {
        Self::of(page.map(String::into_bytes), state, self.at)
    }

    /// The time of the newest transcript that had a say; from the page itself where we kept none. One from the future, of a
    /// clock that was wrong, has none.
    pub fn newest(&self) -> Option<Timestamp> {
        let tomorrow = clock::after(clock::now(), 86_400);
        let times = [clock::parse(&self.known.newest), self.present.source_mtime];
        times.into_iter().flatten().filter(|time| *time < tomorrow).max()
    }

    /// Whether both files are the same.
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.page, &self.state) == (&other.page, &other.state)
    }

    /// What is to be written so that the files are these. While the page that is there can still be that, both are
    /// remembered: if we are killed before the page is written, the page tells which of the two it is.
    pub fn steps(&self, page: Option<Masked>, state: Option<Masked>, redactor: &Redactor) -> Vec<Step> {
        // Without what is remembered of it a page counts as it is.
        let Some(state) = state else { return vec![(STATE, None), (PAGE, page)] };
        if page.as_ref().map(Masked::text).as_deref() == self.page.as_deref() {
            return vec![(STATE, Some(state))];
        }
        let (new, known) = (state.text(), self.known.text(redactor));
        let known = known.text();
        let both: Vec<&str> = new.lines().take(2).chain(known.lines().skip(1)).collect();
        let both = redactor.masked_json(&format!("{}\n", both.join("\n")));
        vec![(STATE, Some(both)), (PAGE, page), (STATE, Some(state))]
    }
}

/// Status 65 where a file of the handoff is a link that leads out of the folder.
pub fn is_own(memory: &Path) -> Result<(), Failure> {
    [PAGE, STATE].iter().try_for_each(|name| store::own_file(memory, name).map(drop))
}

/// Writes files of a handoff, the receipt first. `items` are new. The caller holds the folder's lock.
pub fn apply(
    memory: &Path,
    steps: Vec<Step>,
    notes: &Receipts<'_>,
    items: impl IntoIterator<Item = String>,
) -> Result<(), Failure> {
    is_own(memory)?;
    let change = |name: &str| -> Result<Rewritten, Failure> {
        let before = file::read(&memory.join(name))?;
        let after = steps.iter().filter(|(of, _)| *of == name);
        Ok(notes.change(before.as_deref(), after.map(|(_, content)| content.as_ref().map(Masked::bytes))))
    };
    let (page, state) = (change(PAGE)?, change(STATE)?);
    if page.is_one() || state.is_one() {
        let items = items.into_iter().map(|text| WrittenItem::open(&text)).collect();
        notes.add([Wrote::Handoff { items, page, state, before: None }])?;
    }
    write(memory, steps)
}

/// Writes files of a handoff without a receipt.
pub fn write(memory: &Path, steps: Vec<Step>) -> Result<(), Failure> {
    for (name, content) in steps {
        let target = store::own_file(memory, name)?;
        match content {
            None => file::remove(&target)?,
            Some(content) if file::read(&target)?.as_deref() == Some(content.bytes()) => {}
            Some(content) => file::replace(&target, &content, Durable::Yes)?,
        }
    }
    Ok(())
}

//! The typed memories of a folder, as a plan sees them.

use crate::base::exit::Failure;
use crate::base::file;
use crate::base::front_matter::{self, FrontMatter};
use crate::base::text;
use crate::record::gists::Gists;
use crate::record::item;
use crate::record::speaker::imported_from;
use crate::redact::Redactor;
use crate::store::memories::{self, Note};
use crate::store::plan::{PlanState, SeenFile};
use crate::store::{Memory, change};
use jiff::Timestamp;
use std::collections::{BTreeSet, HashSet};

/// A longer file has more than one memory in it, and is left alone.
const BYTES: usize = 16 << 10;

/// One memory.
pub struct Fact {
    /// What its file says.
    pub note: Note,
    /// The whole file.
    pub text: String,
    /// The file as it is now.
    pub seen: SeenFile,
    /// When it was last written to.
    pub modified: Option<Timestamp>,
    /// A person or the agent wrote it, or changed what we wrote.
    pub of_others: bool,
}

/// The memories that a plan may be about.
pub struct DreamFolder {
    /// They, by their names.
    pub facts: Vec<Fact>,
    /// How many there are, with those that no plan may be about.
    pub count: usize,
}

impl DreamFolder {
    /// Reads one. What a plan may not be about: a link, a long file, what is not text, what has something in it that is
    /// masked or private, for it would be lost in what is written anew; and what was retired or taken back before.
    pub fn read(memory: &Memory, state: &PlanState, now: Timestamp, redactor: &Redactor) -> Result<Self, Failure> {
        let folder = memory.notes();
        let others: BTreeSet<String> = memories::of_others(memory)?.into_iter().map(|note| note.file).collect();
        let returned = change::returned(folder, now)?;
        let names = memories::names(folder)?;
        let mut found = Self { facts: Vec::new(), count: names.len() };
        for name in names {
            let path = folder.join(&name);
            let bytes = if path.is_symlink() { None } else { file::read(&path)? };
            let Some(text) = bytes.filter(|bytes| bytes.len() <= BYTES).and_then(|bytes| String::from_utf8(bytes).ok())
            else {
                continue;
            };
            let seen = SeenFile { file: name.clone(), hash: item::hash(text.as_bytes()) };
            let was_retired = state.retired.iter().any(|retired| retired.seen == seen) || returned.contains(&name);
            // What was imported is not to become what was said here.
            let is_imported = FrontMatter::parse(&text).get("session_id").and_then(imported_from).is_some();
            if was_retired || is_imported || redactor.shown(&text) != text {
                continue;
            }
            let note = Note::parse(&name, &text);
            let modified = file::modified(&path);
            found.facts.push(Fact { note, text, seen, modified, of_others: others.contains(&name) });
        }
        Ok(found)
    }

    /// The memory in a file.
    pub fn of(&self, file: &str) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.note.file == file)
    }
}

impl Fact {
    /// The file with another text, and another description if there is one; none where its front matter cannot be
    /// changed so.
    pub fn with(&self, description: Option<&str>, body: &str) -> Option<String> {
        let head =
            self.text.strip_suffix(&FrontMatter::parse(&self.text).body).filter(|_| !self.text.contains('\r'))?;
        let line = |line: &str| match description.filter(|_| line.starts_with("description:")) {
            Some(new) => format!("description: {}\n", front_matter::quoted(&text::one_line(new))),
            None => line.to_owned(),
        };
        let head: String = head.split_inclusive('\n').map(line).collect();
        let gap = if head.is_empty() { "" } else { "\n" };
        let new = format!("{head}{gap}{}\n", body.trim());
        let read = Note::parse(&self.note.file, &new);
        let same = [(&read.name, &self.note.name), (&read.kind, &self.note.kind), (&read.id, &self.note.id)];
        let is_told = description.is_none_or(|wanted| read.description == text::one_line(wanted));
        (same.iter().all(|(a, b)| a == b) && is_told && read.body == body.trim()).then_some(new)
    }
}

/// All that a memory says, a sentence each: its description, and then its text.
pub fn sentences(note: &Note) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in [&note.description, &note.body].into_iter().flat_map(|text| text.lines()) {
        let line = line.trim().trim_start_matches(['#', '>', '*', '-', '+', ' ']);
        let ends = line.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
        let ends = ends.filter(|at| line.get(*at..).is_some_and(|rest| rest.starts_with(' '))).chain([line.len()]);
        let mut start = 0;
        for end in ends {
            let said = line[start..end].trim();
            start = end;
            if said.chars().any(char::is_alphanumeric) && !found.iter().any(|known| known == said) {
                found.push(said.to_owned());
            }
        }
    }
    found
}

/// What sentences say, to be compared with others.
pub struct SaidSentences(HashSet<String>, Gists);

impl SaidSentences {
    /// Of some sentences.
    pub fn new(sentences: &[String]) -> Self {
        Self(sentences.iter().map(|said| bare(said)).collect(), sentences.iter().collect())
    }

    /// Whether a sentence is one of these, but for case, white space and the stop at its end, or says the same in other
    /// words. What is known of the user must be there as it is.
    pub fn keeps(&self, said: &str, kind: &str) -> bool {
        self.0.contains(&bare(said)) || kind != "user" && self.1.find(said).is_some()
    }
}

/// A sentence as it is compared.
fn bare(said: &str) -> String {
    text::folded(said).trim_end_matches(['.', '!', ' ']).to_lowercase()
}

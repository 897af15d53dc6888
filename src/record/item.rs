//! What a session leaves behind: decisions, failures, learnings, memories, and what is still open,
//! each with its evidence; and when two of them are the same.

use crate::base::record::Record;
use crate::base::text;
use crate::record::claim::Claim;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What was decided, and why.
    Decision,
    /// What broke, and how to prevent it.
    Failure,
    /// What holds beyond this project.
    Learning,
    /// What the user or the project is like.
    Memory,
    /// What is still to do.
    Handoff,
}

impl Kind {
    /// All kinds, in the order of a `distilled` record.
    pub const ALL: [Self; 5] = [Self::Decision, Self::Failure, Self::Learning, Self::Memory, Self::Handoff];

    /// The name of its list in an answer and in a `distilled` record.
    pub fn list(self) -> &'static str {
        match self {
            Self::Decision => "decisions",
            Self::Failure => "failures",
            Self::Learning => "learnings",
            Self::Memory => "memories",
            Self::Handoff => "handoff",
        }
    }

    /// The word in records and files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Failure => "failure",
            Self::Learning => "learning",
            Self::Memory => "memory",
            Self::Handoff => "handoff",
        }
    }
}

/// A verbatim quote and where it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The words as they are in the transcript.
    pub quote: String,
    /// The transcript's line, from 1; none when the quote was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The record's uuid, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// `user`, `assistant`, `tool` or `handoff`; none when the quote was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said_by: Option<String>,
}

/// A distilled item. One shape for all kinds: a field that a kind does not have is empty and absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// The one sentence: a decision's, a failure's or an open item's summary, a learning's title, a
    /// memory's name.
    pub summary: String,
    /// A decision's situation, or where a learning applies.
    pub context: String,
    /// What was not chosen.
    pub alternatives: Vec<String>,
    /// Why it was chosen.
    pub rationale: String,
    /// Why it broke.
    pub root_cause: String,
    /// What mended it.
    pub resolution: String,
    /// How not to meet it again.
    pub prevention: String,
    /// A learning's one or two sentences.
    pub learning: String,
    /// A learning's `universal`, `backend`, `infra` or `consulting`.
    pub scope: String,
    /// A memory's `user`, `feedback`, `project` or `reference`.
    pub memory_type: String,
    /// A memory's one line for the index.
    pub description: String,
    /// A memory's text.
    pub body: String,
    /// Free words.
    pub tags: Vec<String>,
    /// See [`id`].
    pub id: String,
    /// What in the transcript says so.
    pub evidence: Vec<Evidence>,
    /// Whether what was said in the session carries it.
    pub grounded: bool,
    /// Why it is not trusted; "" when it is, or nobody looked.
    pub reason: String,
}

impl Item {
    /// Reads an item: a model's, a record's, a line's of a journal. A field of a wrong type counts as
    /// absent; none without the one sentence. Only what is still open can be a bare string, since the
    /// other kinds have more to say than one sentence.
    pub fn from_value(value: &Value, kind: Kind) -> Option<Self> {
        if let Value::String(text) = value {
            let plain = kind == Kind::Handoff && !text.trim().is_empty();
            return plain.then(|| Self { summary: text.trim().to_owned(), ..Self::default() });
        }
        let fields = value.as_object()?;
        let text = |name: &str| string(fields.get(name));
        let summary =
            ["summary", "title", "name", "item"].iter().map(|name| text(name)).find(|text| !text.is_empty())?;
        let memory_type = [text("memory_type"), text("type")].into_iter().find(|text| is_memory_type(text));
        Some(Self {
            summary,
            context: text("context"),
            alternatives: strings(fields.get("alternatives")),
            rationale: text("rationale"),
            root_cause: text("root_cause"),
            resolution: text("resolution"),
            prevention: text("prevention"),
            learning: text("learning"),
            scope: text("scope"),
            memory_type: memory_type.unwrap_or_else(|| "project".to_owned()),
            description: text("description"),
            body: text("body"),
            tags: strings(fields.get("tags")),
            id: text("id"),
            evidence: evidence(fields.get("evidence")),
            grounded: fields.get("grounded").and_then(Value::as_bool).unwrap_or_default(),
            reason: text("reason"),
        })
    }

    /// Changes every text of the item.
    pub fn for_each_text(&mut self, mut change: impl FnMut(&mut String)) {
        let one = [
            &mut self.summary,
            &mut self.context,
            &mut self.rationale,
            &mut self.root_cause,
            &mut self.resolution,
            &mut self.prevention,
            &mut self.learning,
            &mut self.scope,
            &mut self.description,
            &mut self.body,
            &mut self.reason,
        ];
        let quotes = self.evidence.iter_mut().map(|evidence| &mut evidence.quote);
        one.into_iter().chain(&mut self.alternatives).chain(&mut self.tags).chain(quotes).for_each(&mut change);
    }

    /// Who said the first quote that was found.
    pub fn said_by(&self) -> Option<&str> {
        self.evidence.iter().find_map(|evidence| evidence.said_by.as_deref())
    }

    /// The one sentence that it is told by: a memory's name is only made of words of it.
    pub fn told(&self, kind: Kind) -> &str {
        let fact = [&self.description, &self.body].into_iter().find(|text| !text.is_empty());
        fact.filter(|_| kind == Kind::Memory).unwrap_or(&self.summary)
    }

    /// What it says besides that makes it another one: two failures of one summary can have two causes.
    fn besides(&self, kind: Kind) -> &str {
        match kind {
            Kind::Failure => &self.root_cause,
            Kind::Learning => &self.learning,
            Kind::Memory if !self.description.is_empty() => &self.body,
            _ => "",
        }
    }

    /// An id for an item whose [`id`] is that of another claim already: everything that it says is in it.
    pub fn own_id(&self, kind: Kind, project: &str) -> String {
        let (canonical, told) = (text::canonical(&self.summary), self.told(kind));
        hash(format!("{}\n{project}\n{canonical}\n{told}\n{}", kind.word(), self.besides(kind)).as_bytes())
    }

    /// Sets the fields that its kind has, empty ones too, in the order of the files.
    pub fn content(&self, kind: Kind, record: &mut Record) {
        match kind {
            Kind::Decision => {
                record.set("summary", &self.summary);
                record.set("context", &self.context);
                record.set("alternatives", &self.alternatives);
                record.set("rationale", &self.rationale);
            }
            Kind::Failure => {
                record.set("summary", &self.summary);
                record.set("root_cause", &self.root_cause);
                record.set("resolution", &self.resolution);
                record.set("prevention", &self.prevention);
            }
            Kind::Learning => {
                record.set("title", &self.summary);
                record.set("learning", &self.learning);
                record.set("context", &self.context);
                record.set("scope", &self.scope);
            }
            Kind::Memory => {
                record.set("name", &self.summary);
                record.set("memory_type", &self.memory_type);
                record.set("description", &self.description);
                record.set("body", &self.body);
            }
            Kind::Handoff => record.set("summary", &self.summary),
        }
    }

    /// The item as it is in a `distilled` record.
    pub fn record(&self, kind: Kind) -> Record {
        let mut record = Record::default();
        self.content(kind, &mut record);
        if kind != Kind::Handoff {
            record.set("tags", &self.tags);
        }
        record.set("id", &self.id);
        record.set("evidence", &self.evidence);
        record.set("grounded", &self.grounded);
        if !self.reason.is_empty() {
            record.set("reason", &self.reason);
        }
        record
    }
}

fn string(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().trim().to_owned()
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let texts = value.and_then(Value::as_array).into_iter().flatten().map(|text| string(Some(text)));
    texts.filter(|text| !text.is_empty()).collect()
}

fn is_memory_type(text: &str) -> bool {
    matches!(text, "user" | "feedback" | "project" | "reference")
}

/// Quotes come as plain strings or as objects; one alone need not be in a list.
fn evidence(value: Option<&Value>) -> Vec<Evidence> {
    let one = |value: &Value| {
        let quote = value.as_str().or_else(|| value.get("quote").and_then(Value::as_str))?.to_owned();
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Evidence {
            quote,
            line: value.get("line").and_then(Value::as_u64),
            uuid: text("uuid"),
            said_by: text("said_by"),
        })
    };
    match value {
        Some(Value::Array(values)) => values.iter().take(QUOTES).filter_map(one).collect(),
        Some(value) => one(value).into_iter().collect(),
        None => Vec::new(),
    }
}

/// The first 16 hex digits of SHA-256.
pub fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().take(8).fold(String::with_capacity(16), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// An item's id: a hash over its kind, the project's name and its summary in canonical form.
pub fn id(kind: Kind, project: &str, summary: &str) -> String {
    hash(format!("{}\n{project}\n{}", kind.word(), text::canonical(summary)).as_bytes())
}

/// Quotes of an item that are looked at.
const QUOTES: usize = 8;
/// Words in common, as a share of all, from which on the later of two items perhaps replaces the other.
const SIMILAR_FROM: f64 = 0.5;

/// What of an item tells whether another says the same.
#[derive(Clone, Debug)]
pub struct Gist {
    claim: Claim,
    /// What it says besides; none where that is nothing.
    more: Option<Claim>,
    first_quote: Option<String>,
}

impl Gist {
    /// The gist of an item.
    pub fn of(item: &Item, kind: Kind) -> Self {
        let quote = item.evidence.first().map(|evidence| text::folded(&evidence.quote));
        let first_quote = quote.filter(|quote| !quote.is_empty());
        let besides = item.besides(kind);
        // A failure is told as it happens, or after it.
        let claim = |text| if kind == Kind::Failure { Claim::read(text).timeless() } else { Claim::read(text) };
        let more = (!besides.is_empty()).then(|| claim(besides));
        Self { claim: claim(item.told(kind)), more, first_quote }
    }

    /// The gist of one sentence.
    pub fn of_text(summary: &str) -> Self {
        Self { claim: Claim::read(summary), more: None, first_quote: None }
    }

    /// Whether an item says nothing that another one of its kind does not say; [`Claim`] has the rule. In
    /// one session the same first quote leaves a little more freedom, but never makes two items the same
    /// alone.
    pub fn is_near(&self, other: &Self, same_session: bool) -> bool {
        let same_quote = same_session && self.first_quote.is_some() && self.first_quote == other.first_quote;
        let same = |a: &Claim, b: &Claim| a.is_equal(b) || a.is_same(b);
        if same_quote && self.claim.is_same_with_quote(&other.claim) {
            return true;
        }
        let known = |more: &Claim| other.more.as_ref().is_some_and(|other| same(more, other));
        same(&self.claim, &other.claim) && self.more.as_ref().is_none_or(known)
    }

    /// Whether another sentence is a part of this one, or says the same.
    pub fn covers(&self, other: &Self) -> bool {
        self.claim.covers(&other.claim) || self.is_near(other, false)
    }

    /// Whether two sentences are the same but for case, width and punctuation.
    pub fn is_equal(&self, other: &Self) -> bool {
        self.claim.is_equal(&other.claim)
    }

    /// Whether a sentence is about the same without saying the same, so that the later of the two
    /// perhaps replaces the other.
    pub fn is_similar(&self, summary: &str) -> bool {
        if !self.claim.can_be_similar(summary, SIMILAR_FROM) {
            return false;
        }
        let other = Claim::read(summary);
        self.claim.similarity(&other) >= SIMILAR_FROM && !self.claim.is_same(&other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(summary: &str, quote: &str) -> Item {
        let evidence = vec![Evidence { quote: quote.to_owned(), ..Evidence::default() }];
        Item { summary: summary.to_owned(), evidence, ..Item::default() }
    }

    #[test]
    fn an_id_can_be_checked_with_sha256sum() {
        // printf 'decision\nlh\nuse symlinks' | sha256sum
        assert_eq!(id(Kind::Decision, "lh", "Use  symlinks!"), "89d3b893ad0a66ed");
        assert_ne!(id(Kind::Failure, "lh", "Use symlinks"), id(Kind::Decision, "lh", "Use symlinks"));
    }

    #[test]
    fn rewordings_are_near_and_changed_facts_are_not() {
        let near_summaries = |a, b| Gist::of(&item(a, ""), Kind::Decision).is_near(&Gist::of_text(b), true);
        assert!(near_summaries("Profile deploy uses symlinks", "The profile deploy will use a symlink"));
        assert!(!near_summaries("Keep port 80 open", "Keep port 81 open"));
        assert!(!near_summaries("Cache the index in src/a.rs", "Cache the index in src/b.rs"));
        assert!(!near_summaries("Squash commits before merge", "Do not squash commits before merge"));
        assert!(!near_summaries("Use symlinks", "Drop the weekly report"));
    }

    #[test]
    fn the_same_first_quote_helps_only_within_a_session_and_never_alone() {
        let gist = |summary| Gist::of(&item(summary, "ok go  with both"), Kind::Decision);
        let (a, b) = (gist("Use Postgres for the main database"), gist("We picked Postgres for the main database"));
        assert!(a.is_near(&b, true));
        assert!(!a.is_near(&b, false));
        assert!(!gist("Ship on Friday").is_near(&gist("Use uv for the tests"), true));
    }
}

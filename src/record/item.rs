//! What a session leaves behind: decisions, failures, learnings, memories, and what is still open,
//! each with its evidence; and when two of them are the same.

use crate::base::record::Record;
use crate::base::stale_names::Seen;
use crate::base::text;
use crate::base::word_enum::words;
use crate::record::claim::Claim;
use crate::record::replaces;
use crate::record::restated::Telling;
use crate::record::speaker::Voice;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::sync::OnceLock;

words! {
    /// What an item is.
    #[derive(Default)]
    ItemKind {
        /// What was decided, and why.
        #[default]
        Decision = "decision",
        /// What broke, and how to prevent it.
        Failure = "failure",
        /// What holds beyond this project.
        Learning = "learning",
        /// What the user or the project is like.
        Memory = "memory",
        /// What is still to do.
        Handoff = "handoff",
    }
}

impl ItemKind {
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

    /// Whether an item of this kind can take the place of an earlier one: those that have a journal.
    pub fn is_corrected(self) -> bool {
        matches!(self, Self::Decision | Self::Failure | Self::Memory)
    }

    /// The name of the one sentence.
    fn sentence(self) -> &'static str {
        match self {
            Self::Decision | Self::Failure | Self::Handoff => "summary",
            Self::Learning => "title",
            Self::Memory => "name",
        }
    }
}

/// A field: one text, or a list of texts.
trait Texts {
    /// Reads it; a value of a wrong type is empty.
    fn read(value: Option<&Value>) -> Self;
    /// Its texts.
    fn texts(&self) -> &[String];
    /// Its texts, to be changed.
    fn texts_mut(&mut self) -> &mut [String];
}

impl Texts for String {
    fn read(value: Option<&Value>) -> Self {
        value.and_then(Value::as_str).unwrap_or_default().trim().to_owned()
    }

    fn texts(&self) -> &[String] {
        std::slice::from_ref(self)
    }

    fn texts_mut(&mut self) -> &mut [String] {
        std::slice::from_mut(self)
    }
}

impl Texts for Vec<String> {
    fn read(value: Option<&Value>) -> Self {
        let texts = value.and_then(Value::as_array).into_iter().flatten().map(|text| String::read(Some(text)));
        texts.filter(|text| !text.is_empty()).collect()
    }

    fn texts(&self) -> &[String] {
        self
    }

    fn texts_mut(&mut self) -> &mut [String] {
        self
    }
}

/// A verbatim quote and where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
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

impl Evidence {
    /// Whose words it is; none when it was not found.
    pub fn voice(&self) -> Option<Voice> {
        self.said_by.as_deref().and_then(Voice::from_word)
    }
}

/// A text that was taken out of an item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dropped {
    /// The field that it was in.
    pub field: String,
    /// What it said.
    pub text: String,
    /// Why it was taken out.
    pub reason: String,
}

/// Declares [`Item`] with the fields of a table.
macro_rules! item {
    ($($(#[$doc:meta])* $field:ident: $type:ty { $($kind:ident),+ })*) => {
        /// A distilled item. A field that its kind does not have is empty, and absent in records.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Item {
            /// What it is.
            pub kind: ItemKind,
            /// The one sentence: a decision's, a failure's or an open item's summary, a learning's title, a
            /// memory's name.
            pub summary: String,
            $($(#[$doc])* pub $field: $type,)*
            /// Free words.
            pub tags: Vec<String>,
            /// See [`id`].
            pub id: String,
            /// The ids of earlier items of its kind whose place it takes.
            pub replaces: Vec<String>,
            /// What in the transcript says so.
            pub evidence: Vec<Evidence>,
            /// Whether what was said in the session carries it.
            pub grounded: bool,
            /// Why it is not trusted; "" when it is, or it was not looked at.
            pub reason: String,
            /// Who says it: the weakest voice that it takes to carry it, see [`Voice`]; "" when it was not looked at.
            pub said_by: String,
            /// What was taken out of it, because nothing in the session carries it.
            pub dropped: Vec<Dropped>,
            /// What it names, as it was in the checkout when it was kept; none where it names nothing.
            pub seen: Option<Seen>,
        }

        impl Item {
            /// One that says only its sentence.
            pub fn new(kind: ItemKind, summary: impl Into<String>) -> Self {
                Self { kind, summary: summary.into(), ..Self::default() }
            }

            /// Reads the fields of all kinds.
            fn read_fields(&mut self, object: &Map<String, Value>) {
                $(self.$field = <$type>::read(object.get(stringify!($field)));)*
            }

            /// Sets the fields that its kind has, empty ones too, in the order of the files.
            pub fn content(&self, record: &mut Record) {
                record.set(self.kind.sentence(), &self.summary);
                $(if [$(ItemKind::$kind),+].contains(&self.kind) {
                    record.set(stringify!($field), &self.$field);
                })*
            }

            /// What it says in fields that only some kinds have. A field that is a choice between given words says
            /// nothing.
            pub fn details(&self) -> Vec<&str> {
                let mut texts = Vec::new();
                $(if !CHOICES.contains(&stringify!($field)) {
                    texts.extend(self.$field.texts().iter().map(String::as_str));
                })*
                texts
            }

            /// Keeps of the texts that [`Self::details`] gives those that are wanted; each is given with its field's name.
            pub fn retain_details(&mut self, mut is_wanted: impl FnMut(&str, &str) -> bool) {
                $(if !CHOICES.contains(&stringify!($field)) {
                    let unwanted = |text: &&mut String| !text.is_empty() && !is_wanted(stringify!($field), text);
                    self.$field.texts_mut().iter_mut().filter(unwanted).for_each(|text| text.clear());
                })*
                self.alternatives.retain(|text| !text.is_empty());
            }

            /// Changes every text of the item.
            pub fn for_each_text(&mut self, mut change: impl FnMut(&mut String)) {
                [&mut self.summary, &mut self.reason].into_iter().for_each(&mut change);
                $(self.$field.texts_mut().iter_mut().for_each(&mut change);)*
                self.tags.iter_mut().for_each(&mut change);
                self.evidence.iter_mut().for_each(|evidence| change(&mut evidence.quote));
                self.dropped.iter_mut().flat_map(|dropped| [&mut dropped.text, &mut dropped.reason]).for_each(change);
            }
        }
    };
}

/// The fields that are a choice between given words.
const CHOICES: [&str; 2] = ["scope", "memory_type"];

// The fields that only some kinds have: name, type, and the kinds that have it. A field that is added here is read, written
// and masked; CONTRIBUTING.md says what else knows the fields. The order is that of the files.
item! {
    /// A learning's one or two sentences.
    learning: String { Learning }
    /// A decision's situation, or where a learning applies.
    context: String { Decision, Learning }
    /// What was not chosen.
    alternatives: Vec<String> { Decision }
    /// Why it was chosen.
    rationale: String { Decision }
    /// Why it broke.
    root_cause: String { Failure }
    /// What mended it.
    resolution: String { Failure }
    /// How not to meet it again.
    prevention: String { Failure }
    /// Where a learning holds.
    scope: String { Learning }
    /// A memory's type; a model calls it `type`.
    memory_type: String { Memory }
    /// A memory's one line for the index.
    description: String { Memory }
    /// A memory's text.
    body: String { Memory }
}

/// The items that a session gives, and the kinds of which it says something: "nothing is open" is not the same as no word
/// about what is open.
#[derive(Debug, Default)]
pub struct Lists {
    /// The kinds that have a list, which can be empty.
    pub kinds: Vec<ItemKind>,
    /// The items of all lists, in the order of their kinds.
    pub items: Vec<Item>,
}

impl Lists {
    /// Those of a kind.
    pub fn of(&self, kind: ItemKind) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| item.kind == kind)
    }
}

impl Item {
    /// Reads an item: a model's, a record's, a line's of a journal. A field of a wrong type counts as
    /// absent; None without the one sentence. Only what is still open can be a bare string, since the
    /// other kinds have more to say than one sentence.
    pub fn from_value(value: &Value, kind: ItemKind) -> Option<Self> {
        if let Value::String(text) = value {
            let plain = kind == ItemKind::Handoff && !text.trim().is_empty();
            return plain.then(|| Self::new(kind, text.trim()));
        }
        let fields = value.as_object()?;
        let text = |name: &str| String::read(fields.get(name));
        let summary =
            ["summary", "title", "name", "item"].iter().map(|name| text(name)).find(|text| !text.is_empty())?;
        let mut item = Self {
            tags: Vec::read(fields.get("tags")),
            id: text("id"),
            replaces: if kind.is_corrected() { replaces::read(fields.get("replaces")) } else { Vec::new() },
            evidence: evidence(fields.get("evidence")),
            grounded: fields.get("grounded").and_then(Value::as_bool).unwrap_or_default(),
            reason: text("reason"),
            said_by: text("said_by"),
            dropped: fields.get("dropped").and_then(|value| Vec::deserialize(value).ok()).unwrap_or_default(),
            seen: fields.get("seen").and_then(|value| Seen::deserialize(value).ok()),
            ..Self::new(kind, summary)
        };
        item.read_fields(fields);
        let memory_type = [text("memory_type"), text("type")].into_iter().find(|text| is_memory_type(text));
        item.memory_type = memory_type.unwrap_or_else(|| "project".to_owned());
        Some(item)
    }

    /// Its sentence and what else it says, a line each.
    pub fn whole(&self) -> String {
        let details = self.details();
        [self.summary.as_str()].into_iter().chain(details).collect::<Vec<_>>().join("\n")
    }

    /// What it says besides its sentence, each part with its name on a page; "" for what it does not say.
    pub fn parts(&self) -> [(&'static str, Cow<'_, str>); 6] {
        [
            ("because", (&self.rationale).into()),
            ("context", (&self.context).into()),
            ("not chosen", self.alternatives.join("; ").into()),
            ("cause", (&self.root_cause).into()),
            ("done about it", (&self.resolution).into()),
            ("prevention", (&self.prevention).into()),
        ]
    }

    /// Who says it: the weakest voice that it takes to carry it; where it was not looked at, the weakest of its quotes.
    pub fn voice(&self) -> Option<Voice> {
        let weakest = || self.evidence.iter().filter_map(Evidence::voice).max_by_key(|voice| voice.weakness());
        Voice::from_word(&self.said_by).or_else(weakest)
    }

    /// The one sentence that it is told by: a memory's name is only made of words of it.
    pub fn sentence(&self) -> &str {
        match [&self.description, &self.body].into_iter().find(|text| !text.is_empty()) {
            Some(fact) if self.kind == ItemKind::Memory => fact,
            _ => &self.summary,
        }
    }

    /// What it says besides that makes it another one: two failures of one summary can have two causes.
    fn besides(&self) -> &str {
        match self.kind {
            ItemKind::Failure => &self.root_cause,
            ItemKind::Learning => &self.learning,
            ItemKind::Memory if !self.description.is_empty() => &self.body,
            _ => "",
        }
    }

    /// The question that a decision answers: one answer to two questions is two decisions.
    fn question(&self) -> &str {
        if self.kind == ItemKind::Decision && self.context.ends_with('?') { &self.context } else { "" }
    }

    /// An id for an item whose [`id`] is that of another claim already: everything that it says is in it.
    pub fn own_id(&self, project: &str) -> String {
        let (canonical, told) = (text::canonical(&self.summary), self.sentence());
        let besides = [self.besides(), self.question()].concat();
        hash(format!("{}\n{project}\n{canonical}\n{told}\n{besides}", self.kind.word()).as_bytes())
    }

    /// The item as it is in a `distilled` record.
    pub fn record(&self) -> Record {
        let mut record = Record::default();
        self.content(&mut record);
        if self.kind != ItemKind::Handoff {
            record.set("tags", &self.tags);
        }
        record.set("id", &self.id);
        record.set_some("replaces", Some(&self.replaces).filter(|ids| !ids.is_empty()));
        record.set("evidence", &self.evidence);
        record.set("grounded", &self.grounded);
        record.set_some("said_by", self.voice().map(Voice::word).as_ref());
        record.set_text("reason", &self.reason);
        record.set_some("dropped", Some(&self.dropped).filter(|dropped| !dropped.is_empty()));
        record
    }
}

fn is_memory_type(text: &str) -> bool {
    matches!(text, "user" | "feedback" | "project" | "reference")
}

/// Quotes come as plain strings or as objects, of which the quote counts even if the rest is not what it should be; one
/// alone need not be in a list.
fn evidence(value: Option<&Value>) -> Vec<Evidence> {
    let one = |value: &Value| {
        let quote = value.as_str().or_else(|| value.get("quote").and_then(Value::as_str))?.to_owned();
        Some(Evidence::deserialize(value).unwrap_or_else(|_| Evidence { quote, ..Evidence::default() }))
    };
    let all = value.map_or(&[][..], |value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
    all.iter().take(QUOTES).filter_map(one).collect()
}

/// The first 16 hex digits of SHA-256.
pub fn hash(bytes: &[u8]) -> String {
    let number = Sha256::digest(bytes).iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    format!("{number:016x}")
}

/// An item's id: a hash over its kind, the project's name and its summary in canonical form. An open item has the same
/// id whatever its project is called: a line of handoff.md does not say it, and the folder of a checkout is not its name.
pub fn id(kind: ItemKind, project: &str, summary: &str) -> String {
    let project = if kind == ItemKind::Handoff { "" } else { project };
    hash(format!("{}\n{project}\n{}", kind.word(), text::canonical(summary)).as_bytes())
}

/// The id of an open item.
pub fn open_id(summary: &str) -> String {
    id(ItemKind::Handoff, "", summary)
}

/// A sentence as the name of a file; of one without a word its hash.
pub fn slug(sentence: &str) -> String {
    let slug = text::slug(sentence);
    if slug.is_empty() { hash(sentence.as_bytes()) } else { slug }
}

/// Hex digits of an id that lists show.
pub const SHORT_ID: usize = 6;

/// The head of an id, as lists show it.
pub fn short_id(id: &str) -> &str {
    id.get(..SHORT_ID).unwrap_or(id)
}

/// Quotes of an item that are looked at.
const QUOTES: usize = 8;
/// Words in common, as a share of all, from which on two items are about the same.
const SIMILAR_FROM: f64 = 0.5;

/// What of an item tells whether another says the same.
#[derive(Clone, Debug, Default)]
pub struct Gist {
    claim: Claim,
    /// What it says besides; none where that is nothing.
    more: Option<Claim>,
    /// The question that it answers.
    question: Option<Claim>,
    first_quote: Option<String>,
    /// The line of the transcript in which its first quote is.
    line: Option<u64>,
    /// Its sentence; empty where other tellings do not count.
    sentence: String,
    /// Made at the first comparison that needs it.
    telling: OnceLock<Telling>,
}

impl Gist {
    /// The gist of an item.
    pub fn of_item(item: &Item) -> Self {
        let claim = |text: &str| (!text.is_empty()).then(|| Claim::read(text));
        let first_quote = item.evidence.first().map(|evidence| text::folded(&evidence.quote));
        let sentence = item.sentence().to_owned();
        Self {
            claim: Claim::read(&sentence),
            more: claim(item.besides()),
            question: claim(item.question()),
            first_quote: first_quote.filter(|quote| !quote.is_empty()),
            line: item.evidence.iter().find_map(|evidence| evidence.line),
            sentence,
            telling: OnceLock::new(),
        }
    }

    /// The gist of one sentence.
    pub fn of_text(summary: &str) -> Self {
        Self { claim: Claim::read(summary), ..Self::default() }
    }

    /// Whether an item says nothing that another one of its kind does not say; [`Claim`] has the rule. In one session two
    /// items with quotes in one message can be the same in other words, too: [`Telling`] has that rule.
    pub fn is_near(&self, other: &Self, same_session: bool) -> bool {
        let quoted = self.first_quote.is_some() && self.first_quote == other.first_quote;
        let same_message = same_session && (quoted || self.line.is_some() && self.line == other.line);
        let is_same = self.claim.is_same(&other.claim);
        let is_told = |more: &Claim| other.more.as_ref().is_some_and(|other| more.is_same(other));
        !self.answers_other(other)
            && (is_same && (same_message || self.more.as_ref().is_none_or(is_told))
                || same_message && self.telling().is_same(other.telling(), quoted))
    }

    fn telling(&self) -> &Telling {
        self.telling.get_or_init(|| Telling::read(&self.sentence))
    }

    /// The words of its claim; see [`Claim::alike`].
    pub fn words(&self) -> Vec<String> {
        self.claim.alike()
    }

    /// Whether two items answer different questions.
    pub fn answers_other(&self, other: &Self) -> bool {
        self.question.as_ref().zip(other.question.as_ref()).is_some_and(|(a, b)| !a.is_same(b))
    }

    /// Whether two sentences are the same but for case, width and punctuation.
    pub fn is_equal(&self, other: &Self) -> bool {
        self.claim.is_equal(&other.claim)
    }

    /// Whether another item tells the same in other words, as far as the words show it: enough to tell it once, not to
    /// keep it once.
    pub fn tells_same(&self, other: &Self) -> bool {
        self.is_near(other, false) || !self.answers_other(other) && self.telling().is_same(other.telling(), false)
    }

    /// Whether a later sentence perhaps takes the place of this one; [`Telling::gives_way`] has the rule.
    pub fn gives_way(&self, summary: &str) -> bool {
        self.is_similar(summary) && self.telling().gives_way(&Telling::read(summary))
    }

    /// Whether a sentence is about the same without saying the same. Of two prohibitions each holds beside the other.
    pub fn is_similar(&self, summary: &str) -> bool {
        if !self.telling().can_be_similar(summary, SIMILAR_FROM) {
            return false;
        }
        let claim = Claim::read(summary);
        let forbid = self.claim.forbids() && claim.forbids();
        let similar = || self.telling().similarity(&Telling::read(summary)) >= SIMILAR_FROM;
        !forbid && !self.claim.is_same(&claim) && similar()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    fn item(summary: &str, quote: &str) -> Item {
        let evidence = vec![Evidence { quote: quote.to_owned(), ..Evidence::default() }];
        Item { evidence, ..Item::new(ItemKind::Decision, summary) }
    }

    #[test]
    fn an_id_can_be_checked_with_sha256sum() {
        // printf 'decision\nlh\nuse symlinks' | sha256sum
        assert_eq!(id(ItemKind::Decision, "lh", "Use  symlinks!"), "89d3b893ad0a66ed");
        assert_ne!(id(ItemKind::Failure, "lh", "Use symlinks"), id(ItemKind::Decision, "lh", "Use symlinks"));
    }

    /// An item with something in every field.
    fn full() -> Item {
        let mut item = item("S", "q");
        item.read_fields(
            Value::Object(Map::from_iter(FIELDS.map(|name| {
                let text = Value::from(name.to_uppercase());
                (name.to_owned(), if name == "alternatives" { Value::Array(vec![text]) } else { text })
            })))
            .as_object()
            .unwrap(),
        );
        item.tags = vec!["t".to_owned()];
        item.memory_type = "user".to_owned();
        item
    }

    const FIELDS: [&str; 11] = [
        "learning", "context", "alternatives", "rationale", "root_cause", "resolution", "prevention", "scope",
        "memory_type", "description", "body",
    ];

    #[test]
    fn each_kind_has_one_spelling_and_comes_back() {
        for [kind, content] in rows(include_str!("item.tsv")) {
            let kind = ItemKind::from_word(&kind).unwrap();
            let line = Item { kind, ..full() }.record().line();
            assert_eq!(
                line,
                format!("{{{content},\"id\":\"\",\"evidence\":[{{\"quote\":\"q\"}}],\"grounded\":false}}\n")
            );
            let read = Item::from_value(&serde_json::from_str(&line).unwrap(), kind).unwrap();
            assert_eq!(read.record().line(), line);
        }
        let words: Vec<String> = ItemKind::ALL.iter().map(|kind| format!("{} {}", kind.word(), kind.list())).collect();
        assert_eq!(
            words.join(", "),
            "decision decisions, failure failures, learning learnings, memory memories, handoff handoff"
        );
    }

    #[test]
    fn every_text_is_masked() {
        let mut item = full();
        item.reason = "R".to_owned();
        item.for_each_text(|text| *text = "masked".to_owned());
        assert_eq!(format!("{item:?}").matches("\"masked\"").count(), FIELDS.len() + 4, "{item:?}");
    }

    #[test]
    fn other_words_are_the_same_only_within_a_session_and_a_message() {
        let gist = |summary: &str, line: &str| {
            let evidence = Evidence { quote: format!("ok go {line}"), line: line.parse().ok(), ..Evidence::default() };
            Gist::of_item(&Item { evidence: vec![evidence], ..item(summary, "") })
        };
        for [one, at, other, there, session, wanted] in rows(include_str!("gists.tsv")) {
            let is_near = gist(&one, &at).is_near(&gist(&other, &there), session == "session");
            assert_eq!(is_near, wanted == "near", "{one} / {other}");
        }
    }
}

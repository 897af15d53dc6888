//! Lists of what is remembered, and an item with its quotes where they were said: in the transcript, and where the
//! client deleted that, on the session's page.

use super::hit::Hit;
use super::places;
use super::search::Skipped;
use super::source::{self, Source};
use super::text::Text;
use super::{Found, Kind, Wish, judge};
use crate::agent::{transcript, wrappers};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::{file, text};
use crate::record::item::{Evidence, Item, ItemKind};
use crate::record::message::{Message, Role};
use crate::record::session;
use crate::redact::Redactor;
use crate::store::{journal, page};
use crate::tool::by_id::{self, Thing};
use crate::tool::find_session;
use serde::Serialize;
use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::slice;

/// The bytes of what was said around a quote, on each side.
const AROUND: usize = 300;
/// The most bytes of a text that are shown in a record.
const TEXT: usize = 64 << 10;

/// An item, and what it rests on.
#[derive(Clone, Debug)]
pub struct Shown {
    /// It.
    pub hit: Hit,
    /// The quotes, each where it was said.
    pub quotes: Vec<Quote>,
}

/// A quote where it was said.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Quote {
    /// Its words.
    #[serde(rename = "quote")]
    pub words: String,
    /// `user`, `assistant`, `tool` or `handoff`; "" where it is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub said_by: String,
    /// The transcript, or the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The line in it, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What was said around it; "" where that is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub context: String,
}

/// Everything that is wanted, the oldest first; the newest where there is more than `most`.
pub fn list(wish: &Wish, config: &Config) -> Result<Found, Failure> {
    let redactor = Redactor::new(&config.privacy)?;
    let sources = places::sources(wish, config)?;
    let (mut hits, mut skipped) = (Vec::new(), Skipped::new());
    for source in sources.iter().filter(|source| !super::text::is_too_old(source, wish)) {
        // What was said last is at the end of a page.
        let whole = wish.has_span() && source.kind == Kind::Session;
        match if whole { Text::read(source) } else { Text::head(source) } {
            Ok(Some(mut head)) => hits.extend(head.is_wanted(wish).then(|| Hit::in_list(source, &head, &redactor))),
            Ok(None) => {}
            Err(why) => *skipped.entry(why).or_default() += 1,
        }
    }
    hits.sort_by_key(|hit: &Hit| hit.time);
    hits.drain(..hits.len().saturating_sub(wish.most));
    Found::new(hits, &skipped, wish, config)
}

/// What has this id or name: the head of an item's or a session's id, the name of a memory, a path. Status 1 where
/// nothing has it, 65 where several do.
pub fn show(word: &str, config: &Config) -> Result<Shown, Failure> {
    let redactor = Redactor::new(&config.privacy)?;
    let sources = places::sources(&Wish::default(), config)?;
    let named = std::path::absolute(word).unwrap_or_default();
    let mut meant: Vec<(Thing, &Source)> = Vec::new();
    for source in sources.iter().filter(|source| may_be(source, word, &named)) {
        let Ok(Some(head)) = Text::head(source) else { continue };
        let hit = Hit::in_list(source, &head, &redactor);
        let id = if hit.id.is_empty() { &hit.session_id } else { &hit.id };
        // The same in two folders is one.
        let is_known = !id.is_empty() && meant.iter().any(|(known, _)| known.id == *id);
        if is_named(&hit, word, &named) && !is_known {
            let text = format!("{}: {}", hit.kind.word(), text::one_line(&hit.text));
            meant.push((Thing { id: id.clone(), text }, source));
        }
    }
    match meant.as_slice() {
        [] => of_session(word, config, &redactor).or_else(|failure| {
            // Of a session without a page and a transcript, its episode is left.
            let of_it = |source: &&Source| {
                let item = source.item.as_ref().filter(|_| source.kind == Kind::Episode);
                item.is_some_and(|item| is_session(&item.session_id, word))
            };
            let found = sources.iter().find(of_it).filter(|_| failure.exit == Exit::No);
            found.map_or(Err(failure), |source| of_source(source, &sources, config, &redactor))
        }),
        [(_, source)] => of_source(source, &sources, config, &redactor),
        several => Err(by_id::ambiguous(word, &several.iter().map(|(thing, _)| thing).collect::<Vec<_>>())),
    }
}

/// Whether it is worth reading: pages are many, and their names say whose they are.
fn may_be(source: &Source, word: &str, named: &Path) -> bool {
    match (&source.item, source.kind) {
        (_, Kind::Episode) => source.path == named,
        (Some(item), _) => item.id.starts_with(word) || item.session_id.starts_with(word),
        (None, Kind::Session) => {
            source.path == named || by_id::is_long(word) && source.name().contains(&session::short_id(word))
        }
        (None, Kind::Learning | Kind::Memory) => true,
        (None, _) => source.path == named,
    }
}

/// Whether a word is the head of a session's id.
fn is_session(id: &str, word: &str) -> bool {
    by_id::is_long(word) && id.starts_with(word)
}

fn is_named(hit: &Hit, word: &str, named: &Path) -> bool {
    let digits = word.to_ascii_lowercase();
    let name = hit.path.file_stem().unwrap_or_default().to_string_lossy();
    match () {
        () if hit.id.is_empty() && hit.path == named => true,
        () if hit.kind == Kind::Episode => false,
        () if matches!(hit.kind, Kind::Session | Kind::Lost) => is_session(&hit.session_id, word),
        () if hit.kind == Kind::Memory && name == word.trim_end_matches(".md") => true,
        () => by_id::is_id(&digits) && hit.id.starts_with(&digits),
    }
}

fn of_source(source: &Source, all: &[Source], config: &Config, redactor: &Redactor) -> Result<Shown, Failure> {
    let gone = || Failure::data(format!("{}: it cannot be read any more", source.path.display()));
    let whole = Text::read(source).ok().flatten().ok_or_else(gone)?;
    let said = String::from_utf8_lossy(whole.bytes().get(whole.body()..).unwrap_or_default());
    let item = match source.kind {
        Kind::Decision => item(source, ItemKind::Decision)?,
        Kind::Failure => item(source, ItemKind::Failure)?,
        _ => None,
    };
    let said = item.as_ref().map_or(said, |item| told(item, source.kind).into());
    let mut hit = Hit::new(source, &whole, text::first_bytes(said.trim(), TEXT), redactor);
    let evidence = item.map(|item| item.evidence).unwrap_or_default();
    let quotes = quotes(&evidence, &hit.session_id, all, config, redactor);
    judge(slice::from_mut(&mut hit), config, redactor);
    Ok(Shown { hit, quotes })
}

/// An item of a journal, whole.
fn item(source: &Source, kind: ItemKind) -> Result<Option<Item>, Failure> {
    let (Some(item), Some(folder)) = (&source.item, source.path.parent()) else { return Ok(None) };
    let entries = journal::read(&journal::files(&[folder], kind, true), kind)?;
    Ok(entries.into_iter().find(|entry| *entry.id(kind) == item.id).map(|entry| entry.item))
}

/// What an item says, a line each.
fn told(item: &Item, kind: Kind) -> String {
    let sentence = item.sentence(if kind == Kind::Failure { ItemKind::Failure } else { ItemKind::Decision });
    let alternatives = item.alternatives.join("; ");
    let fields = [
        ("context", &item.context),
        ("rationale", &item.rationale),
        ("alternatives", &alternatives),
        ("root cause", &item.root_cause),
        ("resolution", &item.resolution),
        ("prevention", &item.prevention),
    ];
    let lines = fields.into_iter().filter(|(_, said)| !said.is_empty());
    let lines = lines.map(|(name, said)| format!("{name}: {}", text::one_line(said)));
    [sentence.to_owned()].into_iter().chain(lines).collect::<Vec<_>>().join("\n")
}

/// The quotes where they were said.
fn quotes(evidence: &[Evidence], session_id: &str, all: &[Source], config: &Config, redactor: &Redactor) -> Vec<Quote> {
    let mut quotes: Vec<Quote> = evidence
        .iter()
        .map(|of| Quote {
            words: redactor.shown(&of.quote).into_owned(),
            said_by: of.said_by.clone().unwrap_or_default(),
            ..Quote::default()
        })
        .collect();
    if session_id.is_empty() || quotes.is_empty() {
        return quotes;
    }
    let session = find_session::named(OsStr::new(session_id), config).ok();
    let transcript = session.map(|(session, _)| session.transcript).filter(|path| path.is_file());
    match transcript {
        Some(path) => in_transcript(&mut quotes, evidence, &path, redactor),
        None => on_page(&mut quotes, session_id, all, redactor),
    }
    quotes
}

fn in_transcript(quotes: &mut [Quote], evidence: &[Evidence], path: &Path, redactor: &Redactor) {
    for (quote, of) in quotes.iter_mut().zip(evidence) {
        quote.path = Some(path.to_path_buf());
        quote.line = of.line;
    }
    learn(path, redactor);
    // A transcript that cannot be read leaves the quotes as they are.
    let _ = transcript::each_word(path, None, None, |message: &Message| {
        let is_here =
            |of: &Evidence| of.line.is_none_or(|line| line >= message.line) && message.text.contains(&of.quote);
        if !evidence.iter().any(is_here) {
            return;
        }
        let mut shown = message.clone();
        shown.show(redactor);
        for (quote, _) in quotes.iter_mut().zip(evidence).filter(|(_, of)| is_here(of)) {
            quote.context = around(&wrappers::with_quoted_pastes(&shown.text), &quote.words);
            quote.line = quote.line.or(Some(message.line));
        }
    });
}

/// Learns what a transcript says of its secrets. One that cannot be read says nothing of them.
fn learn(path: &Path, redactor: &Redactor) {
    redactor.begin();
    let _ = transcript::each_word(path, None, None, |message| {
        message.tell(redactor);
        if message.role != Role::Tool {
            let _ = redactor.shown(&message.text);
        }
    });
}

fn on_page(quotes: &mut [Quote], session_id: &str, all: &[Source], redactor: &Redactor) {
    let short = session::short_id(session_id);
    for source in all.iter().filter(|source| source.kind == Kind::Session && source.name().contains(&short)) {
        let Ok(Some(page)) = Text::read(source) else { continue };
        if page.front().get("session_id") != Some(session_id) {
            continue;
        }
        let said = String::from_utf8_lossy(page.bytes());
        for quote in quotes.iter_mut() {
            quote.path = Some(source.path.clone());
            let Some(at) = said.find(&quote.words) else { continue };
            let lines = said.get(..at).unwrap_or_default().matches('\n').count() + 1;
            quote.line = lines.try_into().ok();
            let block = block_of(&said, at);
            quote.context = redactor.shown(&around(block, &quote.words)).into_owned();
        }
    }
}

/// What was said in the message of a page that a place is in.
fn block_of(page: &str, at: usize) -> &str {
    let (before, behind) = page.split_at_checked(at).unwrap_or_default();
    let start = before.rfind("\n## ").map_or(0, |heading| heading + 1);
    let start = page.get(start..at).and_then(|head| head.find("\n\n")).map_or(start, |blank| start + blank + 2);
    let end = behind.find("\n## ").map_or(page.len(), |next| at + next);
    page.get(start..end).unwrap_or_default()
}

/// The quote with what was said before and behind it, in whole lines where they are short.
fn around(said: &str, quote: &str) -> String {
    let Some(at) = said.find(quote) else { return text::first_bytes(said, AROUND).to_owned() };
    let end = at + quote.len();
    let Range { start: from, end: to } = text::widened(said, &(at..end), AROUND);
    let before = said.get(from..at).unwrap_or_default();
    let from = if from == 0 { 0 } else { before.find('\n').map_or(from, |line| from + line + 1) };
    let behind = said.get(end..to).unwrap_or_default();
    let to = if to == said.len() { to } else { behind.rfind('\n').map_or(to, |line| end + line) };
    said.get(from..to).unwrap_or_default().trim().to_owned()
}

/// A session without a page, by what its transcript says.
fn of_session(word: &str, config: &Config, redactor: &Redactor) -> Result<Shown, Failure> {
    let unknown = || {
        // So much of an id is compared.
        let more =
            if by_id::is_long(word) { "" } else { " (4 digits or more of an item's id mean it, 8 of a session's)" };
        let what = format!("nothing that is remembered has this id or name{more}; lh-recall --list lists all");
        Failure::new(Exit::No, format!("'{word}': {what}"))
    };
    let session = match find_session::named(OsStr::new(word), config) {
        Ok((session, _)) if session.transcript.is_file() => session,
        Err(failure) if failure.exit == Exit::Usage => return Err(failure),
        _ => return Err(unknown()),
    };
    let mut said = String::new();
    learn(&session.transcript, redactor);
    transcript::each_word(&session.transcript, None, None, |message| {
        if message.is_conversation() && said.len() < TEXT {
            let mut shown = message.clone();
            shown.show(redactor);
            let text = wrappers::with_quoted_pastes(&shown.text);
            said.push_str(&page::block(shown.role, (shown.line, None), &text));
        }
    })?;
    let path = session.transcript;
    let time = file::modified(&path);
    let item = source::Found { text: said, session_id: session.session_id, time, ..source::Found::default() };
    let source = Source { kind: Kind::Session, path, item: Some(item), project: Some(session.project) };
    of_source(&source, &[], config, redactor)
}

//! Lists of what is remembered, and an item with its quotes where they were said: in the transcript, and where the
//! client deleted that, on the session's page.

use super::hit::{Hit, ShownQuote};
use super::places::{self, Source};
use super::search::{Skipped, Text, is_too_old};
use super::{HitKind, Recalled, Wish, judge, not_searched};
use crate::agent::{transcript, wrappers};
use crate::base::cli::Given;
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::{file, text};
use crate::record::item::{Evidence, Item};
use crate::record::message::{Message, Role};
use crate::record::session::short_id;
use crate::redact::Redactor;
use crate::store::page;
use crate::tool::by_id::{self, Thing};
use crate::tool::find_session;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::slice;

/// The bytes of what was said around a quote, on each side.
const AROUND: usize = 300;
/// The most bytes of a text that are shown in a record.
const TEXT: usize = 64 << 10;

/// Everything that is wanted, the oldest first; the newest where there is more than `most`.
pub fn list(wish: &Wish, config: &Config) -> Result<Recalled, Failure> {
    let redactor = Redactor::new(&config.privacy)?;
    let sources = places::sources(wish, config)?;
    let (mut hits, mut skipped) = (Vec::new(), Skipped::new());
    for source in sources.iter().filter(|source| !is_too_old(source, wish)) {
        // What was said last is at the end of a page.
        let whole = wish.has_span() && source.kind == HitKind::Session;
        match Text::read(source, whole) {
            Ok(Some(mut text)) => hits.extend(text.is_wanted(wish).then(|| Hit::in_list(source, &text, &redactor))),
            Ok(None) => {}
            Err(why) => *skipped.entry(why).or_default() += 1,
        }
    }
    hits.sort_by_key(|hit: &Hit| hit.time);
    hits.drain(..hits.len() - wish.most.min(hits.len()));
    Ok((hits, not_searched(&skipped).into_iter().collect()))
}

/// The ids and names that are to be shown.
pub fn to_show(given: &Given) -> Result<Vec<String>, Failure> {
    let words = by_id::wanted(given, &[], "")?;
    if words.is_empty() || words.iter().any(String::is_empty) {
        return Err(Failure::usage("--show needs an id or a name; see --help"));
    }
    Ok(words)
}

/// What has this id or name: the head of an item's or a session's id, the name of a memory, a path. Status 1 where
/// nothing has it, 65 where several do.
pub fn show(word: &str, config: &Config) -> Result<Hit, Failure> {
    let redactor = Redactor::new(&config.privacy)?;
    let sources = places::sources(&Wish::default(), config)?;
    let named = std::path::absolute(word).unwrap_or_else(|_| PathBuf::new());
    let short = short_id(word);
    // Pages and notes are many, and the names of pages say of which sessions they are.
    let is_read = |source: &&Source| match (&source.item, source.kind) {
        _ if source.path == named => true,
        (Some(item), _) => item.id.starts_with(word) || item.session_id.starts_with(word),
        (None, HitKind::Learning | HitKind::Memory) => true,
        (None, _) => by_id::is_long(word) && source.name().contains(&short),
    };
    let mut meant: Vec<(Thing, &Source)> = Vec::new();
    for source in sources.iter().filter(is_read) {
        let Ok(Some(head)) = Text::read(source, false) else { continue };
        let hit = Hit::in_list(source, &head, &redactor);
        let id = if hit.id.is_empty() { &hit.session_id } else { &hit.id };
        // The same in two folders is one, and an episode is told by its session's page.
        let is_known = !id.is_empty() && meant.iter().any(|(known, _)| known.id == *id);
        if is_named(&hit, word, &named) && !is_known {
            let text = format!("{}: {}", hit.kind.word(), text::one_line(&hit.text));
            meant.push((Thing { id: id.clone(), text }, source));
        }
    }
    let of_source = |source| of_source(source, &sources, config, &redactor);
    match meant.as_slice() {
        [] => of_session(word, config, &redactor),
        // A transcript says more.
        [(_, source)] if source.kind == HitKind::Episode && source.path != named => {
            of_session(word, config, &redactor).or_else(|_| of_source(source))
        }
        [(_, source)] => of_source(source),
        several => Err(by_id::ambiguous(word, &several.iter().map(|(thing, _)| thing).collect::<Vec<_>>())),
    }
}

fn is_named(hit: &Hit, word: &str, named: &Path) -> bool {
    let digits = word.to_ascii_lowercase();
    match hit.kind {
        _ if hit.id.is_empty() && hit.path == named => true,
        HitKind::Session | HitKind::Lost | HitKind::Episode => by_id::is_long(word) && hit.session_id.starts_with(word),
        HitKind::Memory if hit.path.file_stem().is_some_and(|name| *name == *word.trim_end_matches(".md")) => true,
        _ => by_id::is_id(&digits) && hit.id.starts_with(&digits),
    }
}

fn of_source(source: &Source, all: &[Source], config: &Config, redactor: &Redactor) -> Result<Hit, Failure> {
    let gone = || Failure::data(format!("{}: it cannot be read any more", source.path.display()));
    let whole = Text::read(source, true).ok().flatten().ok_or_else(gone)?;
    let mut said = String::from_utf8_lossy(&whole.bytes()[whole.body()..]);
    let whole_item = source.item.as_ref().and_then(|item| item.whole.as_deref());
    if let Some(item) = whole_item {
        said = told(item).into();
    }
    let mut hit = Hit::new(source, &whole, text::first_bytes(said.trim(), TEXT), redactor);
    let evidence = whole_item.map_or(&[][..], |item| &item.evidence);
    hit.quotes = quotes(evidence, &hit.session_id, all, config, redactor);
    judge(slice::from_mut(&mut hit), config, redactor);
    Ok(hit)
}

/// What an item says, a line each.
fn told(item: &Item) -> String {
    let alternatives = item.alternatives.join("; ");
    let fields = [
        ("context", &item.context),
        ("rationale", &item.rationale),
        ("alternatives", &alternatives),
        ("root cause", &item.root_cause),
        ("resolution", &item.resolution),
        ("prevention", &item.prevention),
    ];
    let mut told = item.sentence().to_owned();
    for (name, said) in fields.into_iter().filter(|(_, said)| !said.is_empty()) {
        let _ = write!(told, "\n{name}: {}", text::one_line(said));
    }
    told
}

/// The quotes where they were said: in the transcript, else on the session's page.
fn quotes(
    evidence: &[Evidence],
    session_id: &str,
    all: &[Source],
    config: &Config,
    redactor: &Redactor,
) -> Vec<ShownQuote> {
    let quote = |of: &Evidence| ShownQuote {
        words: redactor.shown(&of.quote).into_owned(),
        said_by: of.said_by.as_deref().unwrap_or("").to_owned(),
        ..ShownQuote::default()
    };
    let mut quotes: Vec<ShownQuote> = evidence.iter().map(quote).collect();
    if session_id.is_empty() || quotes.is_empty() {
        return quotes;
    }
    match find_session::named(OsStr::new(session_id), config) {
        Ok((session, _)) if session.transcript.is_file() => {
            in_transcript(&mut quotes, evidence, &session.transcript, redactor);
        }
        _ => {
            let is_page =
                |source: &&Source| source.kind == HitKind::Session && source.name().contains(&short_id(session_id));
            all.iter().filter(is_page).for_each(|page| on_page(&mut quotes, session_id, page, redactor));
        }
    }
    quotes
}

fn in_transcript(quotes: &mut [ShownQuote], evidence: &[Evidence], path: &Path, redactor: &Redactor) {
    for (quote, of) in quotes.iter_mut().zip(evidence) {
        (quote.path, quote.line) = (Some(path.to_path_buf()), of.line);
    }
    learn(path, redactor);
    // A transcript that cannot be read leaves the quotes as they are.
    let _ = transcript::each_word(path, None, None, |message: &Message| {
        let is_here =
            |of: &Evidence| of.line.is_none_or(|line| line >= message.line) && message.text.contains(&of.quote);
        for (quote, _) in quotes.iter_mut().zip(evidence).filter(|(_, of)| is_here(of)) {
            quote.context = around(&said(message, redactor), &quote.words);
            quote.line = quote.line.or(Some(message.line));
        }
    });
}

/// What a message says, masked, as a page has it.
fn said(message: &Message, redactor: &Redactor) -> String {
    let mut shown = message.clone();
    shown.show(redactor);
    wrappers::with_quoted_pastes(&shown.text).into_owned()
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

fn on_page(quotes: &mut [ShownQuote], session_id: &str, source: &Source, redactor: &Redactor) {
    let Ok(Some(page)) = Text::read(source, true) else { return };
    if page.front().get("session_id") != Some(session_id) {
        return;
    }
    let said = String::from_utf8_lossy(page.bytes());
    for quote in quotes {
        quote.path = Some(source.path.clone());
        let Some(at) = said.find(&quote.words) else { continue };
        quote.line = (said[..at].matches('\n').count() + 1).try_into().ok();
        let (heading, end) = (said[..at].rfind("\n## ").map_or(0, |heading| heading + 1), said[at..].find("\n## "));
        // A heading and a line with the message's place are before what it says.
        let start = said[heading..at].find("\n\n").map_or(heading, |blank| heading + blank + 2);
        let block = &said[start..end.map_or(said.len(), |end| at + end)];
        quote.context = redactor.shown(&around(block, &quote.words)).into_owned();
    }
}

/// The quote with what was said before and behind it, in whole lines where they are short.
fn around(said: &str, quote: &str) -> String {
    let Some(at) = said.find(quote) else { return text::first_bytes(said, AROUND).to_owned() };
    let end = at + quote.len();
    let Range { start: from, end: to } = text::widened(said, &(at..end), AROUND);
    let from = if from == 0 { 0 } else { said[from..at].find('\n').map_or(from, |line| from + line + 1) };
    let to = if to == said.len() { to } else { said[end..to].rfind('\n').map_or(to, |line| end + line) };
    said[from..to].trim().to_owned()
}

/// A session without a page, by what its transcript says.
fn of_session(word: &str, config: &Config, redactor: &Redactor) -> Result<Hit, Failure> {
    let session = match find_session::named(OsStr::new(word), config) {
        Ok((session, _)) if session.transcript.is_file() => session,
        Err(failure) if failure.exit == Exit::Usage => return Err(failure),
        _ => {
            // So much of an id is compared.
            let more = " (4 digits or more of an item's id mean it, 8 of a session's)";
            let more = if by_id::is_long(word) { "" } else { more };
            let what = format!("nothing that is remembered has this id or name{more}; lh-recall --list lists all");
            return Err(Failure::new(Exit::No, format!("'{word}': {what}")));
        }
    };
    let mut text = String::new();
    learn(&session.transcript, redactor);
    transcript::each_word(&session.transcript, None, None, |message| {
        if message.is_conversation() && text.len() < TEXT {
            text.push_str(&page::block(message.role, (message.line, None), &said(message, redactor)));
        }
    })?;
    let path = session.transcript;
    let time = file::modified(&path);
    let item = places::SearchedItem { text, session_id: session.session_id, time, ..places::SearchedItem::default() };
    let source = Source { kind: HitKind::Session, path, item: Some(item), project: Some(session.project) };
    of_source(&source, &[], config, redactor)
}

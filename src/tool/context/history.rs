//! Recent history: of the last decisions and failures those that matter for what goes on in this
//! checkout now, failures with their prevention.

use super::section::{Part, Section};
use super::{Start, quiet};
use crate::agent::injected::line;
use crate::agent::payload::Moment;
use crate::base::clock;
use crate::base::exit::Failure;
use crate::base::git::{Commit, Git};
use crate::base::text::{self, terms};
use crate::extract;
use crate::rank::Focus;
use crate::record::gists::Gists;
use crate::record::item::{self, Gist, Item, ItemKind};
use crate::record::speaker::Voice;
use crate::redact::Redactor;
use crate::store::Memory;
use crate::store::journal::{self, Entry};
use jiff::Timestamp;
use std::cell::{LazyCell, OnceCell};
use std::collections::{BTreeSet, HashMap, HashSet};

/// How much of each journal is looked at, in bytes.
const TAIL_BYTES: usize = 64 << 10;
/// So long after a commit was taken back the session that made it can end.
const LATE_SECONDS: i64 = 86_400;
/// How many of each are chosen at most.
const SHOWN: usize = 12;
/// Characters of an item's one sentence, and of what is said behind it.
const SUMMARY_CHARS: usize = 170;
const REASON_CHARS: usize = 120;
/// So many words of a quote say more than "yes, option 2".
const QUOTE_WORDS: usize = 5;
/// So many words say what was mended: "it is removed" does not.
const SAYS_WHAT: usize = 3;
/// The share of its words that another text has of what is told already.
const TOLD: f64 = 0.7;

/// What stands behind an item if a later one takes its place, as far as the words show it.
pub const PERHAPS_REPLACED: &str = " (perhaps replaced)";

/// An item of a journal, and what it claims.
struct KnownItem {
    entry: Entry,
    gist: OnceCell<Gist>,
    /// Its line, once it was chosen: what is before the mark of one that is replaced, and what is behind it.
    line: OnceCell<[String; 2]>,
}

impl KnownItem {
    fn gist(&self) -> &Gist {
        self.gist.get_or_init(|| Gist::of_item(&self.entry.item))
    }
}

/// An item that is chosen.
struct ChosenItem<'e> {
    known: &'e KnownItem,
    /// A later one is about the same.
    behind: bool,
    /// A later one perhaps takes its place.
    replaced: bool,
}

/// The last decisions and failures of the journals, as far as they may be told at all.
pub struct History {
    decisions: Vec<KnownItem>,
    failures: Vec<KnownItem>,
}

impl History {
    /// Reads the ends of the journals. One that cannot be read is left out alone.
    pub fn read(memory: &Memory, start: &Start) -> Self {
        let of = |kind| quiet(last(memory, kind, start).map(Some)).unwrap_or_default();
        Self { decisions: of(ItemKind::Decision), failures: of(ItemKind::Failure) }
    }
}

/// What is told of the history, but for what commits took back: which item, whether a later one is about the same, and its
/// line.
pub struct ToldHistory<'h>(Vec<(&'h Entry, bool, String)>);

impl History {
    /// The decisions and failures that matter for what is at hand, but for what is `known` as another kind of item, and for
    /// the title of one of these `commits`, which are told, unless there is a reason besides.
    pub fn choose<'h>(
        &'h self,
        focus: &Focus,
        start: &Start,
        known: &Gists,
        commits: &Gists,
        redactor: &Redactor,
    ) -> ToldHistory<'h> {
        // What this very session did comes first when it was just compacted.
        let first = Some(start.session.session_id.as_str()).filter(|_| start.moment == Moment::Compact);
        let chosen = |all| choose(all, focus, first, known);
        let is_new = |item: &Item| !item.rationale.is_empty() || commits.find(&item.summary).is_none();
        let mut decisions = chosen(&self.decisions);
        decisions.retain(|chosen| is_new(&chosen.known.entry.item));
        decisions.extend(chosen(&self.failures));
        let new = decisions.iter().map(|chosen| chosen.known).filter(|known| known.line.get().is_none());
        let is_shown = redactor.is_shown(new.flat_map(|known| texts(&known.entry.item)));
        let shown = |text: &'_ str| if is_shown { text.to_owned() } else { redactor.shown(text).into_owned() };
        let told = |chosen: ChosenItem<'h>| {
            let ChosenItem { known, behind, replaced } = chosen;
            let [before, after] = known.line.get_or_init(|| line_of(&known.entry, start, redactor, &shown));
            (&known.entry, behind, format!("{before}{}{after}", if replaced { PERHAPS_REPLACED } else { "" }))
        };
        ToldHistory(decisions.into_iter().map(told).collect())
    }
}

/// The section of what was chosen. What a commit took back is not told as decided.
pub fn section(told: ToldHistory<'_>, git: &Git) -> Option<Section> {
    let reverted = reverted(git);
    let is_failure = |known: &Entry| known.item.kind == ItemKind::Failure;
    let stays = |known: &Entry| is_failure(known) || !reverted.iter().any(|commit| commit.takes_back(known));
    let told = told.0.into_iter().filter(|(known, ..)| stays(known));
    let (failed, decided): (Vec<_>, Vec<_>) = told.partition(|(known, ..)| is_failure(known));
    let counts = [(decided.len(), "decision"), (failed.len(), "failure")].into_iter().filter(|(count, _)| *count > 0);
    let banner = counts.map(|(count, what)| text::counted(count, what)).collect::<Vec<_>>().join(", ");
    // By turns, for the last ones have no room; the earlier of two about the same takes the place of nothing else.
    let mut failed = failed.into_iter();
    let mut lines: Vec<_> = decided.into_iter().flat_map(|line| [Some(line), failed.next()]).flatten().collect();
    lines.extend(failed);
    lines.sort_by_key(|(_, behind, _)| *behind);
    let lines: Vec<String> = lines.into_iter().map(|(.., line)| line).collect();
    (!lines.is_empty()).then(|| Section {
        part: Part::History,
        title: "Recent history".to_owned(),
        lines,
        source: "decisions.jsonl, failures.jsonl".to_owned(),
        banner,
        left: 0,
    })
}

/// A commit that takes another one back: its time, the other one's title, and the words of that.
struct Reverted {
    time: Option<Timestamp>,
    title: String,
    words: BTreeSet<String>,
}

impl Reverted {
    /// Whether a decision is older and about the same. The session that made the very commit can end after it was taken
    /// back.
    fn takes_back(&self, known: &Entry) -> bool {
        let Item { summary, context, rationale, .. } = &*known.item;
        let said = terms(&format!("{summary} {context} {rationale}"));
        let about = text::share(self.words.intersection(&said).count(), self.words.len()) >= TOLD;
        let late = if *summary == self.title { LATE_SECONDS } else { 0 };
        let is_older = known.time.zip(self.time).is_some_and(|(of, back)| of < clock::after(back, late));
        about && self.words.len() > 1 && is_older
    }
}

/// What the user's last commits took back. Of each title the newest counts: it can be made again.
fn reverted(git: &Git) -> Vec<Reverted> {
    let mut seen = HashSet::new();
    let of = |commit: &Commit| {
        let (mut title, mut is_back) = (commit.subject.as_str(), false);
        loop {
            if let Some(inner) = extract::taken_back(title) {
                (title, is_back) = (inner, !is_back);
            } else if let Some(inner) = title.strip_prefix("Reapply \"").and_then(|rest| rest.strip_suffix('"')) {
                title = inner;
            } else {
                break;
            }
        }
        let time = clock::parse(&commit.time);
        (seen.insert(title.to_owned()) && is_back).then(|| Reverted {
            time,
            title: title.to_owned(),
            words: terms(title),
        })
    };
    git.commits.iter().filter(|commit| commit.own).filter_map(of).collect()
}

/// The last items of a kind that may be told.
fn last(memory: &Memory, kind: ItemKind, start: &Start) -> Result<Vec<KnownItem>, Failure> {
    let mut all = journal::tail(&memory.journal(kind, true), kind, TAIL_BYTES)?;
    // An old entry has no evidence to be judged by; ours without a foot in the transcript are not chosen.
    all.retain(|known| known.item.grounded || known.item.id.is_empty());
    // What was mended by something of which it is not clear that it is about the same is neither open nor explained.
    let is_unclear = |item: &Item| !item.resolution.is_empty() && item.prevention.is_empty() && mend(item).is_empty();
    all.retain(|known| !is_unclear(&known.item));
    let is_own = |known: &Entry| known.session_id == start.session.session_id;
    all.retain(|known| start.since.is_none_or(|since| !is_own(known) && known.time > Some(since)));
    Ok(all.into_iter().map(|entry| KnownItem { entry, gist: OnceCell::new(), line: OnceCell::new() }).collect())
}

fn choose<'e>(all: &'e [KnownItem], focus: &Focus, first: Option<&str>, told_as: &Gists) -> Vec<ChosenItem<'e>> {
    // Why a failure was, and how to prevent it, is told with it alone.
    let tells_more = |item: &Item| !item.root_cause.is_empty() || !item.prevention.is_empty();
    let is_new =
        |known: &&KnownItem| tells_more(&known.entry.item) || told_as.find(&known.entry.item.summary).is_none();
    let all: Vec<&KnownItem> = all.iter().filter(is_new).collect();
    let items: Vec<(&Item, _)> = all.iter().map(|known| (&*known.entry.item, known.entry.time)).collect();
    let mut order = focus.order(&items);
    // The distiller names the most important of a session first.
    let (mut of_session, mut ranks) = (HashMap::new(), Vec::new());
    for known in &all {
        let count = of_session.entry(&known.entry.session_id).or_insert(0);
        *count += 1;
        ranks.push(*count);
    }
    // A failure that says how to prevent it comes before one that does not.
    order.sort_by_cached_key(|(at, fits)| {
        let entry = &all[*at].entry;
        let is_first = first == Some(&entry.session_id);
        let is_bare = entry.item.kind == ItemKind::Failure && entry.item.prevention.is_empty();
        // What is near counts as the most important of its session.
        (!is_first, entry.imported_from().is_some(), is_bare, if *fits { 1 } else { ranks[*at] })
    });
    let mut told: Vec<&Gist> = Vec::new();
    let (mut found, mut behind) = (Vec::new(), Vec::new());
    for known in order.into_iter().map(|(at, _)| all[at]) {
        let is_told = |told: &[&Gist], known: &KnownItem| told.iter().any(|other| known.gist().tells_same(other));
        if is_told(&told, known) {
            continue;
        }
        // The last one about it is told before it, whatever else it would count.
        let later = std::iter::successors(later(&all, known), |known| self::later(&all, known)).last();
        if let Some(later) = later {
            if !is_told(&told, later) {
                found.push(ChosenItem { known: later, behind: false, replaced: false });
                told.push(later.gist());
            }
            if known.gist().tells_same(later.gist()) {
                continue;
            }
        }
        let gives_way = |other: &KnownItem| {
            known.gist().gives_way(&other.entry.item.summary) && !known.gist().answers_other(other.gist())
        };
        let chosen = ChosenItem { known, behind: later.is_some(), replaced: newer(&all, known).any(gives_way) };
        if chosen.behind { &mut behind } else { &mut found }.push(chosen);
        told.push(known.gist());
        if found.len() >= SHOWN {
            break;
        }
    }
    behind.truncate(SHOWN);
    found.extend(behind);
    found
}

/// The latest of those that are newer than an item and say something else about the same.
fn later<'e>(all: &[&'e KnownItem], known: &KnownItem) -> Option<&'e KnownItem> {
    let gist = known.gist();
    let is_similar =
        |other: &&KnownItem| gist.is_similar(&other.entry.item.summary) && !gist.answers_other(other.gist());
    newer(all, known).filter(is_similar).max_by_key(|other| other.entry.time)
}

/// Those that are newer than an item. What was imported takes the place of nothing that was said here.
fn newer<'e>(all: &[&'e KnownItem], known: &KnownItem) -> impl Iterator<Item = &'e KnownItem> {
    let (time, is_imported) = (known.entry.time, known.entry.imported_from().is_some());
    let may_replace = move |other: &Entry| other.imported_from().is_none() || is_imported;
    all.iter().copied().filter(move |other| time.is_some() && other.entry.time > time && may_replace(&other.entry))
}

/// The last sentence of a decision's context where it asks something.
fn question(item: &Item) -> &str {
    item.context.rsplit(". ").next().filter(|asked| asked.ends_with('?')).unwrap_or("")
}

/// An item as one line, with what says something else: a decision's reason, its situation or its quote; a failure's cause
/// and how to prevent it, else what mended it. Masked before it is cut.
fn line_of(known: &Entry, start: &Start, redactor: &Redactor, shown: &impl Fn(&str) -> String) -> [String; 2] {
    let item = &known.item;
    let quote = item.evidence.first().map(|of| of.quote.as_str()).filter(|quote| terms(quote).len() >= QUOTE_WORDS);
    let quote = quote.unwrap_or_default();
    let (verb, most, reasons) = if item.kind == ItemKind::Failure {
        let reasons =
            [("because: ", &*item.root_cause), ("prevention: ", &item.prevention), ("done about it: ", mend(item))];
        ("failed", 2, reasons)
    } else {
        // Of an option that the user took from a list it is what the agent wrote there. What was so when it was decided may
        // not be so any more: of the context only the question is told.
        // A reason that begins as one is the user's.
        let own = ["because ", "since ", "porque ", "ya que "].iter().find_map(|why| {
            let (lead, rest) = item.rationale.split_at_checked(why.len())?;
            lead.eq_ignore_ascii_case(why).then_some(rest)
        });
        let is_offer = !question(item).is_empty() || !item.alternatives.is_empty();
        let lead = if own.is_some() || !is_offer { "because: " } else { "offered as: " };
        // An answer that is told with its question says what the quote does.
        let is_answer = !item.context.is_empty() && item.summary.starts_with(&item.context);
        let quote = if is_answer { "" } else { quote };
        ("decided", 1, [(lead, own.unwrap_or(&item.rationale)), ("question: ", question(item)), ("said: ", quote)])
    };
    let summary = LazyCell::new(|| terms(&item.summary));
    let is_told = |text: &str| {
        let said = terms(text);
        text::share(said.intersection(&summary).count(), said.len()) >= TOLD
    };
    let more: Vec<_> = reasons.iter().filter(|(_, text)| !text.is_empty() && !is_told(text)).take(most).collect();
    let besides: Vec<&str> = more.iter().map(|(_, text)| *text).collect();
    let marks = start.marks(&format!("{}\n{}", item.summary, besides.join("\n")), item.seen.as_ref(), redactor);
    let shown = |text: &str, chars| text::cut(&line(&shown(text)), chars).into_owned();
    let more: Vec<String> = more.iter().map(|(lead, text)| format!(" — {lead}{}", shown(text, REASON_CHARS))).collect();
    let more = more.concat();
    let day = known.time.map(|time| format!(" {}", clock::local_day(time))).unwrap_or_default();
    let by = match known.imported_from() {
        Some(program) => format!(" (imported from {program})"),
        None => if item.said_by == Voice::Tool.word() { " (from a tool's output)" } else { "" }.to_owned(),
    };
    let id = known.id();
    let id = item::short_id(&id);
    [format!("- {verb}{day} ({id}): {}{marks}", shown(&item.summary, SUMMARY_CHARS)), format!("{by}{more}")]
}

/// What can be told of an item.
fn texts(item: &Item) -> impl Iterator<Item = &str> {
    let fields = [&item.summary, &item.root_cause, &item.prevention, &item.resolution, &item.rationale, &item.context];
    fields.into_iter().chain(item.evidence.first().map(|of| &of.quote)).map(String::as_str)
}

/// What mended a failure; "" where it speaks of another matter.
fn mend(item: &Item) -> &str {
    let mend = terms(&item.resolution);
    let is_of_another =
        mend.len() >= SAYS_WHAT && mend.is_disjoint(&terms(&format!("{} {}", item.summary, item.root_cause)));
    if is_of_another { "" } else { &item.resolution }
}

//! What a commit closes: an item whose work its title names. A title says it in few words and in other verbs, so the
//! words of the work must agree, and the verbs must not say something else.

use super::commits::commit_title;
use super::sentences::{Signal, Turn};
use crate::base::text::{self, Meaning};
use crate::record::message::Role;
use std::collections::HashSet;

/// The share of an item's words that a title has: all of a few, most of more.
const FEW_WORDS: usize = 4;
const LARGE_SHARE: f64 = 0.75;

/// Verbs of work by what they do: two of one kind are the same here, two of two kinds are not.
const DEEDS: [&[&str]; 4] = [
    &[
        "add", "write", "implement", "finish", "complet", "make", "creat", "build", "support", "cover", "introduc",
        "do", "feat", "document", "agreg", "añad", "escrib", "termin", "implement", "cre", "hac", "cubr", "document",
    ],
    &["fix", "mend", "repair", "correct", "resolv", "handl", "arregl", "correg", "repar"],
    &["remov", "delet", "drop", "quit", "elimin", "borr"],
    &["updat", "chang", "bump", "upgrad", "actualiz", "cambi"],
];
/// Words of an item that says what is not there, and those that go with them.
const LACKS: &[&str] = &["noth", "miss", "lack", "undocu", "untest", "falt", "nada"];
const STATES: &[&str] = &["say", "about", "yet", "still", "mention", "has", "have", "dice", "aún", "todavía"];
/// Words of an item that only asks for a commit.
const COMMIT_WORDS: &[&str] =
    &["commit", "chang", "work", "file", "rest", "result", "branch", "stage", "it", "everyth", "cambi", "commite"];
/// A title of work that goes on, or that was taken back.
static IN_PART: Signal = Signal::any(&[
    r"\b(?:wip|start(?:s|ed|ing)?|begins?|first (?:part|half|step|draft)|part (?:[0-9]|one|two)|partial(?:ly)?|prepare[sd]?|prep|draft|skeleton|scaffold(?:ing)?|stub|todo|half|reverts?|plan|not yet|still|towards?|failing|empieza|inicio|borrador|parcial|revierte)\b",
]);

/// The commits of a session.
pub struct Commits(Vec<(u64, Meaning)>);

impl Commits {
    /// Those that did not fail, whose titles say that something is done.
    pub fn of(turns: &[Turn<'_>]) -> Self {
        let said = || turns.iter().flat_map(|turn| &turn.answers).map(|said| said.message);
        let failed: HashSet<&str> = said()
            .filter(|message| message.role == Role::Tool && message.is_error)
            .filter_map(|message| message.tool_use_id.as_deref())
            .collect();
        let tools = said().flat_map(|message| message.tools.iter().map(|tool| (message.line, tool)));
        let made = tools.filter(|(_, tool)| tool.id.is_empty() || !failed.contains(tool.id.as_str()));
        let titles = made.filter_map(|(line, tool)| Some((line, commit_title(tool.command()?)?)));
        let titles = titles.filter(|(_, title)| !IN_PART.is_in(&title.to_lowercase()));
        // "fix(parser):" is two words.
        Self(titles.map(|(line, title)| (line, text::meaning(&title.replace(['(', ')', ':'], " ")))).collect())
    }

    /// Whether one of them behind a line says that an item is done.
    pub fn close(&self, item: &str, line: u64) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let wanted = text::meaning(&item.replace(['(', ')', ':'], " "));
        let later = || self.0.iter().filter(|(at, _)| *at > line);
        let is_commit = wanted.stems.contains("commit") && wanted.fixed.is_empty();
        if is_commit && wanted.stems.iter().all(|stem| COMMIT_WORDS.contains(&stem.as_str())) {
            return later().next().is_some();
        }
        later().any(|(_, title)| is_done_by(&wanted, title))
    }
}

fn deed(meaning: &Meaning) -> Option<usize> {
    DEEDS.iter().position(|verbs| verbs.iter().any(|verb| meaning.stems.contains(*verb)))
}

fn is_done_by(wanted: &Meaning, title: &Meaning) -> bool {
    if deed(wanted).zip(deed(title)).is_some_and(|(asked, done)| asked != done) {
        return false;
    }
    let says = |words: &[&str]| words.iter().any(|word| wanted.stems.contains(*word));
    // "Do not delete it yet" is an order, and says nothing of what is not there.
    let lacks = (says(LACKS) || says(STATES) && wanted.fixed.contains("¬")) && deed(wanted).is_none();
    let is_verb = |stem: &&String| {
        let stem = stem.as_str();
        DEEDS.iter().any(|verbs| verbs.contains(&stem)) || LACKS.contains(&stem) || lacks && STATES.contains(&stem)
    };
    let words = wanted
        .stems
        .iter()
        .filter(|stem| !is_verb(stem))
        .chain(wanted.fixed.iter().filter(|word| !lacks || word.as_str() != "¬"))
        .collect::<Vec<_>>();
    let has = |word: &&&String| title.stems.contains(**word) || title.fixed.contains(**word);
    let common = words.iter().filter(has).count();
    let least = if words.len() <= FEW_WORDS { 1.0 } else { LARGE_SHARE };
    // A word alone names too much.
    words.len() > 1
        && text::share(common, words.len()) >= least
        // "The README says nothing about it": the title says it without the negation.
        && !(lacks && LACKS.iter().any(|word| title.stems.contains(*word)))
        && (lacks && !title.fixed.contains("¬") || wanted.fixed.contains("¬") == title.fixed.contains("¬"))
}

//! What makes a change of a plan one that may be shown: it is about files that are there, and loses no sentence of them
//! that the plan does not say to be lost. What fails is dropped, and said.

use super::folder::{Fact, SaidSentences, sentences};
use crate::base::text;
use crate::redact::Redactor;
use crate::store::memories::Note;
use crate::store::plan::{PlanAction, PlanState, PlannedChange, SeenFile};
use std::collections::BTreeSet;

/// The longest text of a memory, in bytes, and the longest description, in characters.
const BYTES: usize = 4096;
const CHARS: usize = 300;
/// Words of a new sentence that must be in what it is made of, as a share of all.
const CARRIED: f64 = 0.8;
/// A plan changes at most this part of a folder.
const PART: usize = 4;
/// Words and characters of a quote.
const QUOTE_WORDS: usize = 3;
const QUOTE_CHARS: usize = 12;

/// A change before it is checked.
#[derive(Clone, Default)]
pub struct Draft<'f> {
    /// See [`PlannedChange`].
    pub action: PlanAction,
    /// See [`PlannedChange`].
    pub keeps: Option<&'f Fact>,
    /// See [`PlannedChange`].
    pub text: Option<String>,
    /// See [`PlannedChange`].
    pub retires: Vec<&'f Fact>,
    /// See [`PlannedChange`].
    pub why: String,
    /// See [`PlannedChange`].
    pub quotes: Vec<String>,
    /// See [`PlannedChange`].
    pub offered: bool,
    /// We saw ourselves that what goes is not so any more.
    pub is_proven: bool,
    /// What else may be quoted; for what a model says.
    pub signals: Option<String>,
}

/// The changes that pass, of a folder with so many memories, numbered, and why each of the others does not.
pub fn checked(
    drafts: Vec<Draft<'_>>,
    count: usize,
    state: &PlanState,
    redactor: &Redactor,
) -> (Vec<PlannedChange>, Vec<String>) {
    let (mut passed, mut dropped): (Vec<PlannedChange>, Vec<String>) = (Vec::new(), Vec::new());
    let judged = drafts.into_iter().map(|draft| (draft.line(), draft.signals.is_some(), judge(draft, redactor)));
    let mut judged: Vec<(String, bool, Result<PlannedChange, String>)> = judged.collect();
    // What loses nothing comes first, and of that what we saw ourselves.
    judged.sort_by_key(|(_, by_model, judged)| (judged.as_ref().is_ok_and(|change| change.offered), *by_model));
    for (said, _, judged) in judged {
        match judged.and_then(|change| fits_beside(&change, &passed, count / PART, state).map(|()| change)) {
            Ok(change) => passed.push(PlannedChange { number: passed.len() + 1, ..change }),
            Err(why) => dropped.push(format!("dropped: {said}: {why}")),
        }
    }
    (passed, dropped)
}

/// That a change can be made beside the others of a plan, which changes `most` files at most.
fn fits_beside(change: &PlannedChange, others: &[PlannedChange], most: usize, state: &PlanState) -> Result<(), String> {
    let touched: BTreeSet<&SeenFile> = others.iter().flat_map(PlannedChange::touches).collect();
    let kept = others.iter().filter_map(|other| other.keeps.as_ref());
    let taken: BTreeSet<&SeenFile> = touched.iter().copied().chain(kept).collect();
    let keeps = change.keeps.iter().find(|seen| touched.contains(seen));
    if let Some(seen) = keeps.or_else(|| change.touches().find(|seen| taken.contains(seen))) {
        return Err(format!("another change of the plan is about '{}'", seen.file));
    }
    if state.refused.contains(&change.about()) {
        return Err("a person refused it".to_owned());
    }
    let count = change.touches().count();
    if touched.len() + count <= most {
        return Ok(());
    }
    let what_to_do = if count > most {
        format!("here {most}, and this changes {count}: change them by hand")
    } else {
        "apply this plan, then run lh-dream --force again".to_owned()
    };
    Err(format!("a plan changes at most 1/{PART} of the memories: {what_to_do}"))
}

impl<'f> Draft<'f> {
    fn line(&self) -> String {
        let files: Vec<&str> = self.facts().iter().map(|fact| fact.note.file.as_str()).collect();
        text::cut(&text::one_line(&format!("{} {}", self.action.word(), files.join(", "))), CHARS).into_owned()
    }

    /// All memories that it is about.
    fn facts(&self) -> Vec<&'f Fact> {
        self.retires.iter().copied().chain(self.keeps).collect()
    }

    /// That it is about the memories that its action needs.
    fn is_whole(&self) -> Result<(), &'static str> {
        let files: BTreeSet<&String> = self.facts().into_iter().map(|fact| &fact.note.file).collect();
        let differs = |fact: &&Fact| self.keeps.is_some_and(|keeps| keeps.note.kind != fact.note.kind);
        match (self.action, self.keeps, self.retires.len()) {
            _ if files.len() < self.facts().len() => Err("it names a file twice"),
            (PlanAction::Merge, Some(_), 1..) if self.retires.iter().any(differs) => Err("they are of two types"),
            (PlanAction::Merge, Some(_), 1..) | (PlanAction::Retire, _, 1) | (PlanAction::Rewrite, Some(_), 0) => {
                Ok(())
            }
            _ => Err("it does not name the files that it needs"),
        }
    }

    /// The first sentence that is not in what stays, with its memory: of the user's each must be there as it is, of the
    /// others as the same claim.
    fn lost(&self, after: Option<&Note>, is_new: bool) -> Option<(&'f Fact, String)> {
        let said = SaidSentences::new(&after.map_or_else(Vec::new, sentences));
        let must_stay = self.retires.iter().copied().chain(self.keeps.filter(|_| is_new));
        let mut all = must_stay.flat_map(|fact| sentences(&fact.note).into_iter().map(move |said| (fact, said)));
        all.find(|(fact, one)| if fact.note.kind == "user" { !said.quotes(one) } else { !said.has(one) })
    }
}

fn judge(draft: Draft<'_>, redactor: &Redactor) -> Result<PlannedChange, String> {
    draft.is_whole()?;
    if let Some(signals) = &draft.signals {
        quoted(&draft.quotes, &draft.facts(), if draft.action == PlanAction::Retire { signals } else { "" })?;
    }
    let keeps = draft.keeps;
    let text = draft.text.clone().filter(|text| keeps.is_some_and(|keeps| keeps.text != *text));
    let after = keeps.map(|keeps| Note::parse(&keeps.note.file, text.as_deref().unwrap_or(&keeps.text)));
    if let (Some(text), Some(after), Some(keeps)) = (&text, &after, keeps) {
        fits(text, after, keeps, redactor)?;
        invented(after, &draft.facts())?;
    }
    let lost = draft.lost(after.as_ref(), text.is_some()).filter(|_| !draft.is_proven);
    if let Some((fact, said)) = &lost {
        if draft.action != PlanAction::Retire {
            return Err(format!("it loses \"{said}\""));
        }
        if fact.note.kind == "user" {
            return Err("what is known of the user goes only if what stays quotes it".to_owned());
        }
    }
    let mut changed = draft.retires.iter().copied().chain(keeps.filter(|_| text.is_some()));
    Ok(PlannedChange {
        kind: "change".to_owned(),
        number: 0,
        action: draft.action,
        of_others: changed.any(|fact| fact.of_others),
        offered: draft.offered || lost.is_some(),
        keeps: keeps.map(|fact| fact.seen.clone()),
        retires: draft.retires.iter().map(|fact| fact.seen.clone()).collect(),
        text,
        why: text::cut(&text::one_line(&draft.why), CHARS).into_owned(),
        quotes: draft.quotes,
    })
}

/// That a model's quotes are in what they are taken from.
fn quoted(quotes: &[String], sources: &[&Fact], signals: &str) -> Result<(), String> {
    let said = |text: &str| text::folded(text).to_lowercase();
    let texts: Vec<String> = sources.iter().map(|fact| said(&fact.text)).chain([said(signals)]).collect();
    let is_quote = |quote: &&String| {
        let quote = said(quote);
        let quote = quote.trim_end_matches(['.', '!']);
        quote.split(' ').count() >= QUOTE_WORDS
            && quote.chars().count() >= QUOTE_CHARS
            && texts.iter().any(|text| text.contains(quote))
    };
    match quotes.iter().find(|quote| !is_quote(quote)) {
        Some(quote) => Err(format!("nobody said \"{}\"", text::cut(quote, CHARS))),
        None if quotes.is_empty() => Err("no sentence justifies it".to_owned()),
        None => Ok(()),
    }
}

/// That a new text is not too long, and can be written as it is.
fn fits(text: &str, after: &Note, keeps: &Fact, redactor: &Redactor) -> Result<(), String> {
    let chars = |note: &Note| note.description.chars().count();
    if text.len() > BYTES.max(keeps.text.len()) || chars(after) > CHARS.max(chars(&keeps.note)) {
        return Err(format!("it is longer than {BYTES} bytes, or its description than {CHARS} characters"));
    }
    if redactor.shown(text) != text {
        return Err("something in it is masked".to_owned());
    }
    Ok(())
}

/// That a new text says nothing that what it is made of does not say: each sentence is one of theirs, or is made of their
/// words, and of no other number, path or name; one that denies something must be one of theirs.
fn invented(after: &Note, sources: &[&Fact]) -> Result<(), String> {
    let all: Vec<String> = sources.iter().flat_map(|fact| sentences(&fact.note)).collect();
    let (known, whole) = (SaidSentences::new(&all), all.join("\n"));
    let (meaning, words): (text::Meaning, BTreeSet<&str>) = (text::meaning(&whole), text::words(&whole).collect());
    for said in sentences(after).iter().filter(|said| !known.has(said)) {
        let own = text::meaning(said);
        if own.fixed.contains("¬") {
            return Err(format!("they do not deny it so: \"{said}\""));
        }
        let others = own.fixed.iter().find(|fixed| !meaning.fixed.contains(*fixed)).map(String::as_str);
        let is_name = |word: &&str| word.starts_with(char::is_uppercase) && !words.contains(word);
        if let Some(what) = others.or_else(|| text::words(said).skip(1).find(is_name)) {
            return Err(format!("\"{what}\" in \"{said}\" is not what they say"));
        }
        let carried = own.stems.intersection(&meaning.stems).count();
        if text::share(carried, own.stems.len()) < CARRIED {
            return Err(format!("they do not say \"{said}\""));
        }
    }
    Ok(())
}

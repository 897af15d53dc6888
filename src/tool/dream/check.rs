//! What makes a change that a model proposes one that may be shown: it is about files that are there, and loses no sentence
//! of them that the plan does not say to be lost. What fails is dropped, and said.

use super::TOOL;
use super::folder::{Fact, SaidSentences, sentences};
use crate::base::{log, text};
use crate::redact::Redactor;
use crate::store::memories::Note;
use crate::store::plan::{PlanAction, PlanState, PlannedChange, SeenFile};
use std::collections::BTreeSet;

/// The longest text of a memory, in bytes, and the longest description, in characters.
const BYTES: usize = 4096;
const CHARS: usize = 300;
/// A plan changes at most this part of a folder.
const PART: usize = 4;
/// Words of a quote: fewer are in any text.
const QUOTE_WORDS: usize = 3;

/// A change that retires these memories, with what stays of them.
pub fn change(retires: &[&Fact], keeps: Option<&Fact>, why: &str, quotes: Vec<String>) -> PlannedChange {
    PlannedChange {
        kind: "change".to_owned(),
        of_others: retires.iter().any(|fact| fact.of_others),
        keeps: keeps.map(|fact| fact.seen.clone()),
        retires: retires.iter().map(|fact| fact.seen.clone()).collect(),
        why: text::cut(&text::one_line(why), CHARS).into_owned(),
        quotes,
        ..PlannedChange::default()
    }
}

/// Of changes of a folder with so many memories those that can be made together, numbered. What loses nothing comes
/// first.
pub fn together(mut changes: Vec<PlannedChange>, count: usize, state: &PlanState) -> Vec<PlannedChange> {
    let mut plan: Vec<PlannedChange> = Vec::new();
    changes.sort_by_key(|change| change.offered);
    for change in changes {
        match fits_beside(&change, &plan, count / PART, state) {
            Ok(()) => plan.push(PlannedChange { number: plan.len() + 1, ..change }),
            Err(why) => {
                let about = about(change.action, change.retires.iter().chain(&change.keeps));
                say_dropped(&format!("{about}: {why}"));
            }
        }
    }
    plan
}

/// A change in a few words.
fn about<'s>(action: PlanAction, files: impl Iterator<Item = &'s SeenFile>) -> String {
    let files: Vec<&str> = files.map(|seen| seen.file.as_str()).collect();
    text::cut(&format!("{} {}", action.word(), files.join(", ")), CHARS).into_owned()
}

/// Says which change is dropped, and why.
pub fn say_dropped(why: &str) {
    log::say(TOOL, &text::one_line(&format!("dropped: {why}")));
}

/// That a change can be made beside the others of a plan, which changes `most` files at most.
fn fits_beside(change: &PlannedChange, others: &[PlannedChange], most: usize, state: &PlanState) -> Result<(), String> {
    let touched: BTreeSet<&SeenFile> = others.iter().flat_map(PlannedChange::touches).collect();
    let kept = |seen: &SeenFile| others.iter().any(|other| other.keeps.as_ref() == Some(seen));
    let clash = change.keeps.iter().find(|seen| touched.contains(seen));
    if let Some(seen) = clash.or_else(|| change.touches().find(|seen| touched.contains(seen) || kept(seen))) {
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

/// What a model proposes, about memories that are there.
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
}

impl<'f> Draft<'f> {
    /// All memories that it is about.
    fn facts(&self) -> impl Iterator<Item = &'f Fact> {
        self.retires.iter().copied().chain(self.keeps)
    }

    /// What it does, in a few words.
    pub fn about(&self) -> String {
        about(self.action, self.facts().map(|fact| &fact.seen))
    }

    /// The change, if it may be shown. A retirement may quote `signals`, too.
    pub fn judge(&self, signals: &str, redactor: &Redactor) -> Result<PlannedChange, String> {
        self.is_whole()?;
        self.is_quoted(if self.action == PlanAction::Retire { signals } else { "" })?;
        let text = self.text.clone().filter(|text| self.keeps.is_some_and(|keeps| keeps.text != *text));
        let stays = self.keeps.map(|keeps| Note::parse(&keeps.note.file, text.as_deref().unwrap_or(&keeps.text)));
        if let (Some(text), Some(stays), Some(keeps)) = (&text, &stays, self.keeps) {
            fits(text, stays, keeps, redactor)?;
            self.adds_nothing(stays)?;
        }
        let lost = self.lost(stays.as_ref(), text.is_some());
        if let Some((fact, said)) = &lost {
            if self.action != PlanAction::Retire {
                return Err(format!("it loses \"{said}\""));
            }
            if fact.note.kind == "user" {
                return Err("what is known of the user goes only if what stays quotes it".to_owned());
            }
        }
        let rewrites_others = text.is_some() && self.keeps.is_some_and(|keeps| keeps.of_others);
        let change = change(&self.retires, self.keeps, &self.why, self.quotes.clone());
        let (of_others, offered) = (change.of_others || rewrites_others, lost.is_some());
        Ok(PlannedChange { action: self.action, text, of_others, offered, ..change })
    }

    /// That it is about the memories that its action needs.
    fn is_whole(&self) -> Result<(), &'static str> {
        let files: BTreeSet<&str> = self.facts().map(|fact| fact.note.file.as_str()).collect();
        let kinds: BTreeSet<&str> = self.facts().map(|fact| fact.note.kind.as_str()).collect();
        match (self.action, self.keeps, self.retires.len()) {
            _ if files.len() < self.facts().count() => Err("it names a file twice"),
            (PlanAction::Merge, Some(_), 1..) if kinds.len() > 1 => Err("they are of two types"),
            (PlanAction::Merge, Some(_), 1..) | (PlanAction::Retire, _, 1) | (PlanAction::Rewrite, Some(_), 0) => {
                Ok(())
            }
            _ => Err("it does not name the files that it needs"),
        }
    }

    /// That its quotes are in what they are taken from.
    fn is_quoted(&self, signals: &str) -> Result<(), String> {
        let said = |text: &str| text::folded(text).to_lowercase();
        let texts: Vec<String> = self.facts().map(|fact| fact.text.as_str()).chain([signals]).map(said).collect();
        let is_quote = |quote: &&String| {
            let quote = said(quote);
            let quote = quote.trim_end_matches(['.', '!']);
            quote.split(' ').count() >= QUOTE_WORDS && texts.iter().any(|text| text.contains(quote))
        };
        match self.quotes.iter().find(|quote| !is_quote(quote)) {
            Some(quote) => Err(format!("not said: \"{}\"", text::cut(quote, CHARS))),
            None if self.quotes.is_empty() => Err("no sentence justifies it".to_owned()),
            None => Ok(()),
        }
    }

    /// That each sentence of a new text is one of the memories that it is made of, or says the same.
    fn adds_nothing(&self, stays: &Note) -> Result<(), String> {
        let known = SaidSentences::new(&self.facts().flat_map(|fact| sentences(&fact.note)).collect::<Vec<_>>());
        let new = sentences(stays).into_iter().find(|said| !known.keeps(said, ""));
        new.map_or(Ok(()), |said| Err(format!("they do not say \"{said}\"")))
    }

    /// The first sentence that is not in what stays, with its memory.
    fn lost(&self, stays: Option<&Note>, is_new: bool) -> Option<(&'f Fact, String)> {
        let said = SaidSentences::new(&stays.map_or_else(Vec::new, sentences));
        let must_stay = self.retires.iter().copied().chain(self.keeps.filter(|_| is_new));
        let mut all = must_stay.flat_map(|fact| sentences(&fact.note).into_iter().map(move |said| (fact, said)));
        all.find(|(fact, one)| !said.keeps(one, &fact.note.kind))
    }
}

/// That a new text is not too long, and can be written as it is.
fn fits(text: &str, stays: &Note, keeps: &Fact, redactor: &Redactor) -> Result<(), String> {
    let chars = |note: &Note| note.description.chars().count();
    if text.len() > BYTES.max(keeps.text.len()) || chars(stays) > CHARS.max(chars(&keeps.note)) {
        return Err(format!("it is longer than {BYTES} bytes, or its description than {CHARS} characters"));
    }
    let is_masked = redactor.shown(text) != text;
    if is_masked { Err("something in it is masked".to_owned()) } else { Ok(()) }
}

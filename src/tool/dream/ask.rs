//! What a model proposes: it reads the memories and what was decided and broke of late, and answers with changes in
//! JSON. Each is checked by itself, so an answer that is cut off costs the change in which it ends.

use super::find::{self, DreamFolder, Fact, SaidSentences, sentences};
use super::{DreamProject, TOOL};
use crate::agent::injected::line;
use crate::base::config::Engine;
use crate::base::exit::Failure;
use crate::base::{clock, log, text};
use crate::json::flawed;
use crate::model;
use crate::record::item::ItemKind;
use crate::redact::Redactor;
use crate::store::journal;
use crate::store::memories::Note;
use crate::store::plan::{PlanAction, PlannedChange};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;

const PROMPT: &str = include_str!("prompt.md");
/// What was decided and broke last, so many of each, is read beside the memories.
const SIGNALS: usize = 20;
/// Characters that are left for the words between the parts.
const FRAME_CHARS: usize = 200;
/// Changes of an answer that are looked at.
const MOST: usize = 200;
/// The longest text of a memory, in bytes.
const BYTES: usize = 4096;
/// Words of a quote: fewer are in any text.
const QUOTE_WORDS: usize = 3;

/// What a model proposes for a folder and may be shown; why the rest may not is said.
pub fn changes(folder: &DreamFolder, place: &DreamProject, engine: Engine) -> Result<Vec<PlannedChange>, Failure> {
    let config = &place.config.compound_loop;
    let engine = model::resolve(engine, config)?;
    if engine == Engine::Extract {
        return Ok(Vec::new());
    }
    let signals = signals(folder)?;
    let (prompt, shown) = prompt(folder, &signals, config.max_prompt_chars);
    if shown == 0 {
        return Err(Failure::config("[compound_loop] max_prompt_chars leaves no room for a memory"));
    }
    let (of, wrong) = ((place.session.home()?, TOOL), "the answer holds no list of changes");
    let changes = model::answer(engine, config, folder.redactor, of, &prompt, wrong, listed)?;
    let judged = |change| judged(change, folder, &signals).map_err(|why| find::say_dropped(&why)).ok();
    Ok(changes.iter().take(MOST).filter_map(judged).collect())
}

/// What was decided and broke last, a line each.
fn signals(folder: &DreamFolder) -> Result<String, Failure> {
    let mut lines = String::new();
    for kind in [ItemKind::Decision, ItemKind::Failure] {
        let all = journal::read(&folder.memory.journal(kind, true), kind)?;
        let held = all.iter().rev().filter(|entry| entry.holds() && entry.item.grounded).take(SIGNALS);
        for entry in held {
            let day = entry.time.map_or_else(String::new, clock::local_day);
            let _ = writeln!(lines, "- {day} {}: {}", kind.word(), line(&folder.redactor.shown(entry.item.sentence())));
        }
    }
    Ok(lines)
}

/// What the model reads, at most so many characters, and how many memories, the newest, it has. What was decided and
/// broke gets a quarter of the room at most.
fn prompt(folder: &DreamFolder, signals: &str, most: usize) -> (String, usize) {
    let signals = text::cut(signals, most / 4);
    let mut used = PROMPT.chars().count() + signals.chars().count() + FRAME_CHARS;
    let mut facts: Vec<&Fact> = folder.facts.iter().collect();
    facts.sort_by_key(|fact| std::cmp::Reverse((fact.modified, &fact.seen.file)));
    let (mut shown, mut count, all) = (String::new(), 0, facts.len());
    for Fact { note, .. } in facts {
        let block = format!("=== {} (type {})\n{}\n\n{}\n", note.file, note.kind, note.description, note.body.trim());
        used += block.chars().count();
        if used > most {
            break;
        }
        shown.push_str(&block);
        count += 1;
    }
    if count < all {
        let what = format!("the model sees the newest {count} of {all} memories: [compound_loop] max_prompt_chars");
        log::say(TOOL, &what);
    }
    (format!("{PROMPT}\nMemories:\n{shown}\nDecided and failed of late:\n{signals}"), count)
}

/// The changes of an answer; none where it has no list of them.
fn listed(said: &str) -> Option<Vec<Value>> {
    let mut starts = said.match_indices('{').map(|(at, _)| at).take(64);
    let read = |at: usize| flawed::read(said.get(at..)?)?.value.get("changes")?.as_array().cloned();
    starts.find_map(read)
}

/// What a model proposes, about memories that are there.
struct Proposal<'f> {
    action: PlanAction,
    keeps: Option<&'f Fact>,
    retires: Vec<&'f Fact>,
    description: String,
    body: String,
    quotes: Vec<String>,
}

/// A change of an answer as one that may be shown, else what it is and why it may not.
fn judged(said: &Value, folder: &DreamFolder, signals: &str) -> Result<PlannedChange, String> {
    let text = |name: &str| said[name].as_str().unwrap_or("").trim().to_owned();
    let texts = |name: &str| -> Vec<String> {
        let list = said[name].as_array().into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let word = text("action");
    let action = PlanAction::from_word(&word).ok_or_else(|| format!("unknown action '{}'", line(&word)))?;
    let (keeps, mut retires) = match action {
        PlanAction::Merge => (text("into"), texts("files")),
        PlanAction::Rewrite => (text("file"), Vec::new()),
        PlanAction::Retire => (text("successor"), vec![text("file")]),
    };
    let mut once = BTreeSet::new();
    retires.retain(|file| !file.is_empty() && *file != keeps && once.insert(file.clone()));
    let fact = |of: &str, file: &str| {
        let what = || format!("{}: no memory '{}' that may be changed is here", line(of), line(file));
        folder.of(file).ok_or_else(what)
    };
    let keeps = if keeps.is_empty() && action == PlanAction::Retire { None } else { Some(fact(&word, &keeps)?) };
    let retires = retires.iter().map(|file| fact(&format!("{word} {file}"), file)).collect::<Result<Vec<_>, _>>()?;
    let (description, body, quotes) = (text("description"), text("body"), texts("quotes"));
    let proposal = Proposal { action, keeps, retires, description, body, quotes };
    let about = find::about(action, proposal.facts().map(|fact| &fact.seen));
    proposal.judge(&text("why"), signals, folder.redactor).map_err(|why| format!("{about}: {why}"))
}

impl<'f> Proposal<'f> {
    /// All memories that it is about.
    fn facts(&self) -> impl Iterator<Item = &'f Fact> {
        self.retires.iter().copied().chain(self.keeps)
    }

    /// The change: its quotes are said, and no sentence of its memories is lost that it does not say to be lost, nor one
    /// added. A retirement may quote `signals`, too.
    fn judge(self, why: &str, signals: &str, redactor: &Redactor) -> Result<PlannedChange, String> {
        let is_retirement = self.action == PlanAction::Retire;
        if self.action != PlanAction::Rewrite && self.retires.is_empty() {
            return Err("it does not name the files that it needs".to_owned());
        }
        if !is_retirement && self.facts().any(|fact| self.keeps.is_some_and(|of| of.note.kind != fact.note.kind)) {
            return Err("they are of two types".to_owned());
        }
        self.is_quoted(if is_retirement { signals } else { "" })?;
        let rewritten = self.keeps.filter(|_| !is_retirement);
        let new = rewritten.map(|keeps| self.new_text(keeps, redactor)).transpose()?;
        let new = new.filter(|text| rewritten.is_some_and(|keeps| keeps.text != *text));
        let rewritten = rewritten.filter(|_| new.is_some());
        let stays = new.as_ref().or(self.keeps.map(|keeps| &keeps.text));
        let stays = stays.map_or_else(Vec::new, |text| sentences(&Note::parse("", text)));
        let known = SaidSentences::new(&self.facts().flat_map(|fact| sentences(&fact.note)).collect::<Vec<_>>());
        if let Some(said) = stays.iter().find(|said| new.is_some() && !known.keeps(said, "")) {
            return Err(format!("they do not say \"{said}\""));
        }
        // The first sentence that is not in what stays, with the type of its memory.
        let said = SaidSentences::new(&stays);
        let lost = self.retires.iter().copied().chain(rewritten).find_map(|fact| {
            let lost = sentences(&fact.note).into_iter().find(|one| !said.keeps(one, &fact.note.kind))?;
            Some((lost, &*fact.note.kind))
        });
        match &lost {
            Some((said, _)) if !is_retirement => return Err(format!("it loses \"{said}\"")),
            Some((_, "user")) => return Err("what is known of the user goes only if what stays quotes it".to_owned()),
            _ => {}
        }
        let change = find::change(&self.retires, self.keeps, why, self.quotes.clone());
        let of_others = change.of_others || rewritten.is_some_and(|keeps| keeps.of_others);
        Ok(PlannedChange { action: self.action, text: new, of_others, offered: lost.is_some(), ..change })
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
            Some(quote) => Err(format!("not said: \"{}\"", text::cut(quote, find::CHARS))),
            None if self.quotes.is_empty() => Err("no sentence justifies it".to_owned()),
            None => Ok(()),
        }
    }

    /// The new text of the memory that stays, if it is not too long, and can be written as it is.
    fn new_text(&self, keeps: &Fact, redactor: &Redactor) -> Result<String, String> {
        if self.body.is_empty() {
            return Err("it has no text".to_owned());
        }
        let description = Some(&*self.description).filter(|said| !said.is_empty());
        let new = keeps.with(description, &self.body).ok_or("its front matter cannot be changed")?;
        let most = find::CHARS.max(keeps.note.description.chars().count());
        if new.len() > BYTES.max(keeps.text.len()) || self.description.chars().count() > most {
            let chars = find::CHARS;
            return Err(format!("it is longer than {BYTES} bytes, or its description than {chars} characters"));
        }
        if redactor.shown(&new) == new { Ok(new) } else { Err("something in it is masked".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_cut_off_gives_what_is_whole() {
        let whole = r#"Here: {"changes":[{"action":"retire","file":"a.md"},{"action":"retire","file":"b.md"}]}"#;
        assert_eq!(listed(whole).map(|all| all.len()), Some(2));
        assert_eq!(listed(&whole[..whole.len() - 4]).map(|all| all.len()), Some(1));
        assert_eq!(listed("I would rather not. {}"), None);
        assert_eq!(listed("{\"changes\":[]}"), Some(Vec::new()));
    }
}

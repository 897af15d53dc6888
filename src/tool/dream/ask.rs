//! What a model proposes: it reads the memories and what was decided and broke of late, and answers with changes in
//! JSON. Each is checked by itself, so an answer that is cut off costs the change in which it ends.

use super::TOOL;
use super::check::{Draft, say_dropped};
use super::folder::{DreamFolder, Fact};
use crate::agent::injected::line;
use crate::base::config::{Config, Engine};
use crate::base::exit::Failure;
use crate::base::{clock, log, text};
use crate::json::flawed;
use crate::model;
use crate::record::item::ItemKind;
use crate::record::session::Session;
use crate::redact::Redactor;
use crate::store::plan::{PlanAction, PlannedChange};
use crate::store::{Memory, journal};
use serde_json::Value;
use std::fmt::Write as _;

const PROMPT: &str = include_str!("prompt.md");
/// What was decided and broke last, so many of each, is read beside the memories.
const SIGNALS: usize = 20;
/// Characters that are left for the words between the parts.
const FRAME_CHARS: usize = 200;
/// Changes of an answer that are looked at.
const MOST: usize = 200;

/// What a model proposes for a folder and may be shown; why the rest may not is said.
pub fn changes(
    folder: &DreamFolder,
    (session, memory): (&Session, &Memory),
    engine: Engine,
    config: &Config,
    redactor: &Redactor,
) -> Result<Vec<PlannedChange>, Failure> {
    let engine = model::resolve(engine, &config.compound_loop)?;
    if engine == Engine::Extract {
        return Ok(Vec::new());
    }
    let signals = signals(memory, redactor)?;
    let (prompt, shown) = prompt(folder, &signals, config.compound_loop.max_prompt_chars);
    if shown == 0 {
        return Err(Failure::config("[compound_loop] max_prompt_chars leaves no room for a memory"));
    }
    let (of, wrong) = ((session.home()?, "lh-dream"), "the answer holds no list of changes");
    let changes = model::answer(engine, &config.compound_loop, redactor, of, &prompt, wrong, listed)?;
    let mut found = Vec::new();
    for change in changes.iter().take(MOST) {
        let judged = draft(change, folder)
            .and_then(|draft| draft.judge(&signals, redactor).map_err(|why| format!("{}: {why}", draft.about())));
        match judged {
            Ok(change) => found.push(change),
            Err(why) => say_dropped(&why),
        }
    }
    Ok(found)
}

/// What was decided and broke last, a line each.
fn signals(memory: &Memory, redactor: &Redactor) -> Result<String, Failure> {
    let mut lines = String::new();
    for kind in [ItemKind::Decision, ItemKind::Failure] {
        let all = journal::read(&memory.journal(kind, true), kind)?;
        let held = all.iter().rev().filter(|entry| entry.holds() && entry.item.grounded).take(SIGNALS);
        for entry in held {
            let day = entry.time.map_or_else(String::new, clock::local_day);
            let _ = writeln!(lines, "- {day} {}: {}", kind.word(), line(&redactor.shown(entry.item.sentence())));
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

/// A change as a draft.
fn draft<'f>(change: &Value, folder: &'f DreamFolder) -> Result<Draft<'f>, String> {
    let text = |name: &str| change.get(name).and_then(Value::as_str).unwrap_or("").trim().to_owned();
    let texts = |name: &str| -> Vec<String> {
        let list = change.get(name).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let word = text("action");
    let action = PlanAction::from_word(&word).ok_or_else(|| format!("unknown action '{}'", line(&word)))?;
    let (keeps, retires) = match action {
        PlanAction::Merge => (text("into"), texts("files")),
        PlanAction::Rewrite => (text("file"), Vec::new()),
        PlanAction::Retire => (text("successor"), vec![text("file")]),
    };
    let retires: Vec<String> = retires.into_iter().filter(|file| !file.is_empty() && *file != keeps).collect();
    let known = |of: &str, file: &str| {
        let what = || format!("{of}: no memory '{}' that may be changed is here", line(file));
        folder.of(file).ok_or_else(what)
    };
    let keeps = if keeps.is_empty() && action == PlanAction::Retire { None } else { Some(known(&word, &keeps)?) };
    let of = format!("{word} {}", line(&retires.join(", ")));
    let retires = retires.iter().map(|file| known(&of, file)).collect::<Result<Vec<_>, _>>()?;
    let (description, body) = (Some(text("description")).filter(|said| !said.is_empty()), text("body"));
    let new = match keeps.filter(|_| action != PlanAction::Retire) {
        None => None,
        Some(fact) if body.is_empty() => return Err(format!("{word} {}: it has no text", fact.note.file)),
        Some(fact) => {
            let wrong = || format!("{word} {}: its front matter cannot be changed", fact.note.file);
            Some(fact.with(description.as_deref(), &body).ok_or_else(wrong)?)
        }
    };
    Ok(Draft { action, keeps, text: new, retires, why: text("why"), quotes: texts("quotes") })
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

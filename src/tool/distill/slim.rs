//! The slim handoff of a session that is too thin for a model: the branch, the last prompt, the
//! files that were touched. Nothing is invented, no model is called.

use super::{Case, put_lists, with_ids};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::text;
use crate::record::item::{Evidence, Item, ItemKind};
use crate::record::message::{Message, Role};
use crate::record::refusal::{self, Reason};
use crate::redact::Redactor;
use crate::store::handoff::SLIM;

/// Characters of the last prompt, and files, that are named.
const PROMPT_CHARS: usize = 200;
const FILES: usize = 10;

/// The `distilled` record with the slim handoff of a session. A refusal of a session that is not thin stays what
/// it is: nothing of the session is to be remembered.
pub fn slim(record: &Record, config: &Config) -> Result<Masked, Failure> {
    if record.kind() == refusal::TYPE && !Reason::read(record).is_some_and(Reason::is_thin) {
        return Ok(Redactor::new(&config.privacy)?.masked_record(record));
    }
    let case = Case::open(record, None, config)?;
    let live: Vec<&Message> = case.conversation.messages.iter().filter(|message| !message.marks.abandoned).collect();
    let last = live.iter().rev().find(|message| message.role == Role::User && message.is_conversation());
    let mut items = Vec::new();
    if let Some(prompt) = last {
        let branch = case.branch();
        items.extend(branch.map(|branch| item(&format!("{}{branch}", SLIM[0]), prompt)));
        let words = text::folded(&prompt.text);
        items.push(item(&format!("{}{}", SLIM[1], text::cut(&words, PROMPT_CHARS)), prompt));
        let files = touched(&live);
        if !files.is_empty() {
            items.push(item(&format!("{}{}", SLIM[2], files.join(", ")), prompt));
        }
    }
    let mut distilled = case.head("slim");
    distilled.set("handoff_base", &case.handoff_base);
    put_lists(
        &mut distilled,
        vec![(ItemKind::Handoff, with_ids(items, ItemKind::Handoff, &case.session.project, &case.redactor))],
    );
    Ok(case.redactor.masked_record(&distilled))
}

fn item(summary: &str, prompt: &Message) -> Item {
    let evidence = Evidence {
        quote: text::cut(&prompt.text, PROMPT_CHARS).into_owned(),
        line: Some(prompt.line),
        uuid: prompt.uuid.clone(),
        said_by: Some(Role::User.word().to_owned()),
    };
    Item { summary: summary.to_owned(), evidence: vec![evidence], grounded: true, ..Item::default() }
}

/// The files that were changed, each once, in the order of their first change.
fn touched(messages: &[&Message]) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let uses = messages.iter().flat_map(|message| &message.tools).filter(|tool| tool.edits());
    for file in uses.filter_map(|tool| tool.file.as_ref()) {
        if !files.contains(file) {
            files.push(file.clone());
        }
    }
    if files.len() > FILES {
        let more = files.len().saturating_sub(FILES);
        files.truncate(FILES);
        files.push(format!("and {more} more"));
    }
    files
}

//! What is open at the end: the last state of the agent's own list; boxes that edits wrote and did not tick; boxes and
//! lists of what is left in the last answer; issues that were created. An offer ("want me to …?") is nothing open. What was open before stays open until the
//! session says that it was done.

use super::commits::{Titled, TitledKind};
use super::continue_prompt::goes_on;
use super::first_source::Heard;
use super::patterns::{says, signal};
use super::sentences::{self, Turn, Utterance};
use super::settled::{Commits, SaidWork};
use super::uses::{self, Use};
use super::{capital, headed, quote};
use crate::base::text;
use crate::record::gists::Gists;
use crate::record::item::{Evidence, Item, ItemKind};
use crate::record::message::{Action, Message, Role, TodoChange, ToolUse};
use std::collections::{BTreeMap, HashSet};

/// Prompts after which the agent's list is stale.
const FRESH_PROMPTS: usize = 2;
/// The most open items that a session adds to those that were open before: the first ones. Their page has room for them.
const ITEMS: usize = 2000;
/// The most boxes of a file that are told: the first that are not ticked.
const BOXES: usize = 5;
/// The longest open item, in characters, and the fewest words that name a thing.
const ITEM_CHARS: usize = 240;
const LEAST_WORDS: usize = 2;

/// What was open before the session.
#[derive(Debug, Default)]
pub struct Earlier<'a> {
    /// The items of other sessions: what this one gave before it grew it gives again.
    pub items: &'a [String],
    /// The decisions that hold, with their ids.
    pub decisions: &'a [&'a Item],
    /// What tools said first; nothing where that was not looked for.
    pub heard: Option<&'a Heard>,
}

/// A point of the agent's own list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    /// What is to be done.
    pub text: String,
    /// Whether it was.
    pub done: bool,
    /// The line of the record that says what.
    pub line: u64,
}

/// The agent's own list as the tools left it, with the prompt's number (from 0) of its last change;
/// none when it was never kept or cannot be followed.
pub fn todos(messages: &[Message]) -> Option<(Vec<Todo>, usize)> {
    let mut list: Vec<Todo> = Vec::new();
    let (mut prompts, mut changed) = (0_usize, None);
    for message in messages.iter().filter(|message| !message.marks.sidechain) {
        prompts = prompts.saturating_add(usize::from(message.is_prompt()));
        for tool in &message.tools {
            let Action::Todos(change) = &tool.action else { continue };
            let todo = |text: &String, done: bool| Todo { text: text.clone(), done, line: message.line };
            match change {
                TodoChange::All(points) => list = points.iter().map(|(text, done)| todo(text, *done)).collect(),
                TodoChange::Add(text) => list.push(todo(text, false)),
                TodoChange::Update { number, done, .. } => {
                    list.get_mut((*number)?.checked_sub(1)?)?.done |= done;
                }
            }
            changed = Some(prompts);
        }
    }
    changed.map(|changed| (list, changed))
}

/// The boxes of the files that the session wrote, as it left them. Told are those of a file of which it ticked some, or
/// that it wrote at its end: what is written once and never looked at again is done without being ticked. Nothing of a
/// file of which a command ticked some, too: what it did cannot be followed.
fn boxes(messages: &[Message]) -> Vec<Todo> {
    #[derive(Default)]
    struct File {
        list: Vec<Todo>,
        ticks: bool,
        changed: usize,
    }
    let prompts: Vec<u64> = messages.iter().filter(|one| one.is_prompt()).map(|prompt| prompt.line).collect();
    let mut files: BTreeMap<&str, File> = BTreeMap::new();
    for used in uses::of(messages).into_iter().filter(Use::is_done) {
        if let Some(line) = used.command().filter(|line| line.contains("[x") || line.contains("[X")) {
            files.retain(|name, _| !line.contains(name.rsplit('/').next().unwrap_or(name)));
        }
        let Some((name, change)) = used.tool.boxes() else { continue };
        let (file, line) = (files.entry(name).or_default(), used.message.line);
        let was_open = |text: &str| {
            file.list.iter().any(|todo| !todo.done && todo.text == text)
                || change.from.iter().any(|(was, done)| !done && was == text)
        };
        file.ticks |= change.to.iter().any(|(text, done)| *done && was_open(text));
        // A change can begin and end within a line.
        let is_gone = |todo: &Todo| change.from.iter().any(|(text, _)| todo.text.starts_with(text));
        file.list.retain(|todo| !matches!(used.tool.action, Action::Write(_)) && !is_gone(todo));
        file.list.extend(change.to.iter().map(|(text, done)| Todo { text: text.clone(), done: *done, line }));
        file.changed = prompts.partition_point(|prompt| *prompt < line);
    }
    let told = files.into_values().filter(|file| file.ticks || prompts.len() - file.changed < FRESH_PROMPTS);
    let few = |file: File| {
        let (done, open): (Vec<Todo>, Vec<Todo>) = file.list.into_iter().partition(|todo| todo.done);
        done.into_iter().chain(open.into_iter().take(BOXES))
    };
    told.flat_map(few).collect()
}

/// What a message's changes of the list say, a line each; none when it changes nothing.
pub fn todo_texts(message: &Message) -> Option<String> {
    let texts: Vec<&str> = message.tools.iter().flat_map(ToolUse::todo_texts).filter(|text| !text.is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// What is open at the end; none when the session says nothing about it.
pub fn find(turns: &[Turn<'_>], messages: &[Message], earlier: &Earlier<'_>, told: &[Titled<'_>]) -> Option<Vec<Item>> {
    let prompts = messages.iter().filter(|message| message.is_prompt()).count();
    let fresh = todos(messages).filter(|(_, changed)| prompts.saturating_sub(*changed) <= FRESH_PROMPTS);
    let mut own_list = fresh.map(|(list, _)| list).unwrap_or_default();
    own_list.extend(boxes(messages));
    let last = last_answer(turns);
    let says_nothing = last.is_some_and(says_nothing_is_left);
    let undone = own_list.iter().filter(|todo| !todo.done && !todo.text.is_empty() && !says_nothing);
    let listed = |todo: &Todo| {
        let said_by = Some(Role::Assistant.word().to_owned());
        let evidence = Evidence { quote: todo.text.clone(), line: Some(todo.line), said_by, ..Evidence::default() };
        open(todo.text.clone(), evidence)
    };
    let mut items: Vec<Item> = undone.map(listed).chain(last.into_iter().flat_map(left)).collect();
    let mut summaries = HashSet::new();
    items.retain(|item| summaries.insert(text::canonical(&item.summary)));
    items.truncate(ITEMS);
    let issues = told.iter().filter(|told| told.kind == TitledKind::Issue);
    items.extend(issues.map(|issue| open(issue.title.clone(), issue.quote(&issue.title))));
    let commits = Commits::of(told);
    let line = |item: &Item| item.evidence.first().and_then(|evidence| evidence.line).unwrap_or_default();
    items.retain(|item| !commits.close(&item.summary, line(item)));
    let nothing = says_nothing || !own_list.is_empty() && own_list.iter().all(|todo| todo.done);
    if items.is_empty() && !nothing {
        return None;
    }
    // "Continue." is about what was open, and so is the answer that nothing is left of it, or one thing only.
    let goes_on = |turn: &Turn<'_>| turn.prompt.as_ref().is_none_or(|prompt| goes_on(&prompt.message.text));
    let is_last = last.is_some_and(|answer| answer.sentences.iter().any(|sentence| says("left-only", &sentence.lower)));
    let all_done = (says_nothing || is_last && !items.is_empty()) && turns.iter().all(goes_on);
    let mut all = if all_done { Vec::new() } else { carried(turns, earlier, &own_list, told) };
    let mut said: Gists = all.iter().map(|known| &known.summary).collect();
    items.retain(|item| said.is_new(&item.summary));
    all.extend(items);
    Some(all)
}

/// What was open before and is not said to be done.
pub fn carried(turns: &[Turn<'_>], earlier: &Earlier<'_>, todos: &[Todo], told: &[Titled<'_>]) -> Vec<Item> {
    if earlier.items.is_empty() {
        return Vec::new();
    }
    // A finished point of a list closes what says the same: a word more or less is another point.
    let finished: Gists = todos.iter().filter(|todo| todo.done).map(|todo| &todo.text).collect();
    let (said, commits) = (SaidWork::of(turns), Commits::of(told));
    let is_done = |known: &str| finished.find(known).is_some() || said.settles(known) || commits.close(known, 0);
    let carried = |known: &String| {
        let evidence = Evidence { quote: known.clone(), said_by: Some("handoff".to_owned()), ..Evidence::default() };
        open(known.clone(), evidence)
    };
    earlier.items.iter().filter(|known| !is_done(known)).map(carried).collect()
}

fn open(summary: String, evidence: Evidence) -> Item {
    Item { evidence: vec![evidence], ..Item::new(ItemKind::Handoff, summary) }
}

/// The agent's last words, but not those behind a good-bye.
fn last_answer<'t, 'a>(turns: &'t [Turn<'a>]) -> Option<&'t Utterance<'a>> {
    let is_asked = |turn: &&Turn<'_>| !turn.prompt.as_ref().is_some_and(is_closing);
    let answers = || turns.iter().rev().filter(|turn| turn.said().any(|answer| answer.message.is_conversation()));
    let last = answers().find(is_asked).or_else(|| answers().next())?;
    last.said().rfind(|answer| answer.message.is_conversation())
}

/// Whether an answer says that everything is done.
fn says_nothing_is_left(answer: &Utterance<'_>) -> bool {
    answer.sentences.iter().any(|sentence| says("left-nothing", &sentence.lower))
}

/// What an answer says is left: boxes that are not ticked, and what is below a heading that says so.
fn left(answer: &Utterance<'_>) -> Vec<Item> {
    let text = &answer.message.text;
    let mut found: Vec<headed::ListPoint<'_>> = Vec::new();
    // Below "the agent needs to:" boxes say what the product must do.
    let mut is_demand = false;
    for line in sentences::own_lines(text).map(str::trim).filter(|line| !line.is_empty()) {
        match text::ticked(line) {
            Some((point, false)) if !is_demand => found.push((point.to_owned(), line)),
            Some(_) => {}
            None => is_demand = says("left-demands", &line.to_lowercase()),
        }
    }
    found.extend(headed::open(text, !says_nothing_is_left(answer)));
    found.into_iter().filter_map(|(text, raw)| item(&text, raw, answer)).collect()
}

fn item(text: &str, raw: &str, answer: &Utterance<'_>) -> Option<Item> {
    let plain = sentences::plain(text);
    let lower = plain.to_lowercase();
    let short = plain.split_whitespace().count() < LEAST_WORDS || plain.chars().nth(ITEM_CHARS).is_some();
    let settled = says("left-settled", &lower) || says("left-settled", &raw.to_lowercase());
    if short || settled || says("left-offer", &lower) || says("left-count", &lower) {
        return None;
    }
    Some(open(capital(&plain), quote(raw, answer)))
}

/// Whether a prompt asks for nothing, as one that says good-bye.
pub fn closes(prompt: &Message) -> bool {
    let turns = sentences::turns(std::slice::from_ref(prompt));
    turns.last().and_then(|turn| turn.prompt.as_ref()).is_some_and(is_closing)
}

/// A prompt that asks for nothing: good-byes, and what the user will do.
fn is_closing(prompt: &Utterance<'_>) -> bool {
    let closes = |lower: &str| says("open-closing", lower);
    let own = |lower: &str| says("open-own", signal("open-lead").behind(lower).unwrap_or(lower));
    let all = &prompt.sentences;
    closes(&sentences::plain(&prompt.message.text).to_lowercase())
        || !all.is_empty() && all.iter().all(|one| closes(&one.lower) || own(&one.lower))
}

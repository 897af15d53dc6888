//! The prompt: what is asked for (prompt.md), what is known already, and as much of the
//! conversation as fits: every user message, then the end, errors, and the rest from the end back.

use crate::base::text;
use crate::record::item::{self, Item};
use crate::record::message::{Answer, Message, Role};
use std::fmt::Write as _;

/// The text around the parts.
const TEMPLATE: &str = include_str!("prompt.md");
/// A known item is shown with this many characters.
const KNOWN_CHARS: usize = 200;
/// An assistant's message and a tool's error are shown with at most this many characters.
const SAID_CHARS: usize = 3000;
const ERROR_CHARS: usize = 600;
/// A user's message is never cut below this.
const USER_CHARS_LEAST: usize = 80;
/// The last pieces of a session count as its end.
const END_PIECES: usize = 12;
/// The line that says what was left out before a piece, at its longest.
const GAP_CHARS: usize = 30;
/// The least room for the conversation, whatever else the prompt holds.
const LEAST_ROOM: usize = 2000;

/// What the project's memory holds that the model is not to repeat.
#[derive(Debug, Default)]
pub struct EarlierItems {
    /// The last decisions, oldest first.
    pub decisions: Vec<String>,
    /// The last failures, oldest first.
    pub failures: Vec<String>,
    /// Titles of learnings, newest first.
    pub learnings: Vec<String>,
    /// What this very session gave before.
    pub earlier: Vec<String>,
    /// The open items of the current handoff.
    pub handoff: Vec<String>,
}

impl EarlierItems {
    /// Changes every text.
    pub fn for_each_text(&mut self, change: impl FnMut(&mut String)) {
        let lists =
            [&mut self.decisions, &mut self.failures, &mut self.learnings, &mut self.earlier, &mut self.handoff];
        lists.into_iter().flatten().for_each(change);
    }
}

/// Where and when.
#[derive(Debug, Default)]
pub struct Setting<'a> {
    /// The project's name.
    pub project: &'a str,
    /// The session's folder.
    pub cwd: &'a str,
    /// The branch, or "".
    pub branch: &'a str,
    /// The session's time.
    pub time: &'a str,
    /// What the lines around the conversation say; nothing in it can foresee that.
    pub fence: &'a str,
    /// Characters of the whole prompt.
    pub max_chars: usize,
}

/// A message or an error as it is in the prompt: quotes are looked up in these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The transcript's line.
    pub line: u64,
    /// The record's uuid.
    pub uuid: Option<String>,
    /// Who speaks.
    pub role: Role,
    /// What is in the prompt.
    pub text: String,
    /// What the user answered to the agent's questions, which it holds too: only these are the user's.
    pub answers: Vec<String>,
}

impl Piece {
    /// What a message says, as `text` has it.
    pub fn new(message: &Message, text: String) -> Self {
        let answers = message.answers.iter().map(|answer| answer.said.clone()).collect();
        Self { line: message.line, uuid: message.uuid.clone(), role: speaker(message), text, answers }
    }
}

impl Piece {
    /// What the agent wrote elsewhere than in a message.
    pub fn said_by_agent(line: u64, uuid: Option<&String>, text: String) -> Self {
        Self { line, uuid: uuid.cloned(), role: Role::Assistant, text, answers: Vec::new() }
    }
}

/// A prompt and what is in it.
pub struct Prompt {
    /// What the model reads.
    pub text: String,
    /// The pieces of the conversation that are in it.
    pub pieces: Vec<Piece>,
    /// Whether all of the handoff is in it: what the model did not see it cannot settle.
    pub whole_handoff: bool,
}

/// Builds the prompt.
pub fn build(setting: &Setting<'_>, known: &EarlierItems, messages: &[Message]) -> Prompt {
    let (known, whole_handoff) = known_text(known, setting.max_chars / 3);
    let frame = fill(setting, &known, "");
    let room = setting.max_chars.saturating_sub(frame.chars().count()).max(LEAST_ROOM);
    let (pieces, total) = choose(messages, room);
    let text = fill(setting, &known, &conversation(&pieces, total));
    Prompt { text, pieces: pieces.into_iter().map(|(_, piece)| piece).collect(), whole_handoff }
}

/// Fills the template in one pass, so that no part can bring a placeholder of its own.
fn fill(setting: &Setting<'_>, known: &str, conversation: &str) -> String {
    let mut out = String::with_capacity(TEMPLATE.len().saturating_add(known.len()).saturating_add(conversation.len()));
    let template = TEMPLATE.replace("{form}", &item::form());
    let mut rest = template.as_str();
    while let Some((before, behind)) = rest.split_once('{') {
        out.push_str(before);
        let part =
            behind.split_once('}').and_then(|(name, after)| Some((part(name, setting, known, conversation)?, after)));
        let (text, after) = part.unwrap_or(("{", behind));
        out.push_str(text);
        rest = after;
    }
    out.push_str(rest);
    out
}

fn part<'a>(name: &str, setting: &Setting<'a>, known: &'a str, conversation: &'a str) -> Option<&'a str> {
    match name {
        "project" => Some(setting.project),
        "cwd" => Some(setting.cwd),
        "branch" => Some(setting.branch),
        "time" => Some(setting.time),
        "fence" => Some(setting.fence),
        "known" => Some(known),
        "conversation" => Some(conversation),
        _ => None,
    }
}

/// The known items in at most `room` characters; whether all of the handoff is among them.
fn known_text(known: &EarlierItems, room: usize) -> (String, bool) {
    let mut out = String::new();
    let mut left = room;
    // What matters most first; of each list the newest.
    let mut list = |title: &str, items: &[String], cut: usize| {
        let mut lines: Vec<String> = Vec::new();
        for item in items.iter().rev() {
            let line = format!("- {}\n", text::cut(&text::one_line(item), cut));
            let Some(rest) = left.checked_sub(line.chars().count()) else { break };
            left = rest;
            lines.push(line);
        }
        if !items.is_empty() {
            let _ = writeln!(out, "{title}");
            let hidden = items.len().saturating_sub(lines.len());
            if hidden > 0 {
                let _ = writeln!(out, "- [… {hidden} more …]");
            }
            out.extend(lines.into_iter().rev());
        }
    };
    list(
        "The current handoff. Carry over word by word what this session left open; leave out what it settled:",
        &known.handoff,
        usize::MAX,
    );
    list(
        "This session gave these before it grew. Don't repeat them; add only what is new:",
        &known.earlier,
        KNOWN_CHARS,
    );
    list("Decisions of earlier sessions. Don't repeat them, in other words neither:", &known.decisions, KNOWN_CHARS);
    list("Failures of earlier sessions. Don't repeat them, in other words neither:", &known.failures, KNOWN_CHARS);
    let newest_last: Vec<String> = known.learnings.iter().rev().cloned().collect();
    list("Titles of earlier learnings. Don't repeat them, in other words neither:", &newest_last, KNOWN_CHARS);
    let handoff_chars: usize =
        known.handoff.iter().map(|item| text::one_line(item).chars().count().saturating_add(3)).sum();
    let text = if out.is_empty() { "Nothing yet.\n".to_owned() } else { out };
    (text, handoff_chars <= room)
}

/// The pieces that fit into `room` characters, in file order with their places, and how many there
/// were. User messages come first, cut in the middle when all of them do not fit.
fn choose(messages: &[Message], room: usize) -> (Vec<(usize, Piece)>, usize) {
    let wanted: Vec<&Message> = messages.iter().filter(|message| is_wanted(message)).collect();
    let limit = user_limit(&wanted, room);
    let mut all: Vec<Option<Piece>> = wanted.iter().map(|message| Some(piece(message, limit))).collect();
    let total = all.len();
    let end = total.saturating_sub(END_PIECES);
    let rank = |at: usize| match wanted.get(at).map(|message| speaker(message)) {
        Some(Role::User) => 0,
        _ if at >= end => 1,
        Some(Role::Tool) => 2,
        _ => 3,
    };
    let mut order: Vec<usize> = (0..total).collect();
    order.sort_by_key(|at| (rank(*at), std::cmp::Reverse(*at)));
    let mut left = room;
    let mut chosen = Vec::new();
    for at in order {
        let Some(piece) = all.get_mut(at).and_then(Option::take) else { continue };
        let length = rendered(&piece).chars().count().saturating_add(GAP_CHARS);
        if length <= left {
            left = left.saturating_sub(length);
            chosen.push((at, piece));
        }
    }
    chosen.sort_by_key(|(at, _)| *at);
    (chosen, total)
}

/// What a model reads: the live conversation and the errors of tools in it.
fn is_wanted(message: &Message) -> bool {
    let said =
        message.is_conversation() || message.role == Role::Tool && message.is_error || answered(message).is_some();
    said && !message.marks.abandoned && !message.text.trim().is_empty()
}

/// What the user answered to the agent's questions, which is in a tool's result.
pub fn answered(message: &Message) -> Option<String> {
    let pairs: Vec<String> = message.answers.iter().map(Answer::pair).collect();
    (!pairs.is_empty()).then(|| pairs.join("\n"))
}

/// The length to which user messages are cut so that they take at most three quarters of the room.
fn user_limit(wanted: &[&Message], room: usize) -> usize {
    let share = room.saturating_mul(3) / 4;
    let lengths: Vec<usize> = wanted
        .iter()
        .filter(|message| speaker(message) == Role::User)
        .map(|message| message.text.chars().count().saturating_add(24))
        .collect();
    let mut limit = room;
    while limit > USER_CHARS_LEAST && lengths.iter().map(|length| (*length).min(limit)).sum::<usize>() > share {
        limit = limit.saturating_mul(3) / 4;
    }
    limit.max(USER_CHARS_LEAST)
}

fn piece(message: &Message, user_limit: usize) -> Piece {
    let limit = match speaker(message) {
        Role::User => user_limit,
        Role::Assistant => SAID_CHARS,
        Role::Tool => ERROR_CHARS,
    };
    let answered = answered(message);
    let said = answered.as_deref().unwrap_or(&message.text);
    Piece::new(message, text::ends(said.trim(), limit).into_owned())
}

/// Who speaks: the user's answers are in a tool's result, and a plan that the user approved is the agent's.
fn speaker(message: &Message) -> Role {
    match (message.plan, message.answers.is_empty()) {
        (true, _) => Role::Assistant,
        (_, true) => message.role,
        _ => Role::User,
    }
}

fn rendered(piece: &Piece) -> String {
    let who = if piece.role == Role::Tool { "tool error" } else { piece.role.word() };
    // Nothing in a message looks like the head of another one.
    let text = piece.text.replace("\n[line ", "\n [line ");
    format!("[line {} {who}]\n{text}\n\n", piece.line)
}

fn conversation(pieces: &[(usize, Piece)], total: usize) -> String {
    let mut out = String::new();
    let mut next = 0_usize;
    let gap = |out: &mut String, count: usize| {
        if count > 0 {
            let _ = writeln!(out, "[… {count} left out …]\n");
        }
    };
    for (at, piece) in pieces {
        gap(&mut out, at.saturating_sub(next));
        out.push_str(&rendered(piece));
        next = at.saturating_add(1);
    }
    gap(&mut out, total.saturating_sub(next));
    out.truncate(out.trim_end().len());
    out
}

/// The summaries of the last `count` items, oldest first.
pub fn last_summaries(items: &[Item], count: usize) -> Vec<String> {
    items.iter().skip(items.len().saturating_sub(count)).map(|item| item.summary.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::message::Marks;

    fn said(role: Role, line: u64, text: &str) -> Message {
        let is_error = role == Role::Tool;
        let marks = Marks::default();
        Message {
            role,
            text: text.to_owned(),
            time: None,
            line,
            uuid: None,
            tools: Vec::new(),
            is_error,
            answers: Vec::new(),
            plan: false,
            tool_use_id: None,
            marks,
        }
    }

    fn prompt(known: &EarlierItems, messages: &[Message], max_chars: usize) -> String {
        let setting =
            Setting { project: "lh", cwd: "/src/lh", branch: "main", time: "2026-04-13", fence: "ffff", max_chars };
        build(&setting, known, messages).text
    }

    #[test]
    fn it_says_where_and_when_and_what_form() {
        let text = prompt(&EarlierItems::default(), &[said(Role::User, 3, "hello there")], 60_000);
        for part in [
            "Project: lh\n",
            "Folder: /src/lh\n",
            "Branch: main\n",
            "Time: 2026-04-13\n",
            "ONLY",
            "\"decisions\"",
            "\"handoff\"",
            "verbatim",
            "in the language that the user wrote in",
            "Nothing yet.",
        ] {
            assert!(text.contains(part), "{part}");
        }
        assert!(text.contains("\nffff\n[line 3 user]\nhello there\nffff\n"), "{text}");
    }

    #[test]
    fn each_known_list_has_its_section() {
        let one = |text: &str| vec![text.to_owned()];
        let known = EarlierItems {
            decisions: one("D1"),
            failures: one("F1"),
            learnings: one("L1"),
            earlier: one("E1"),
            handoff: one("H1"),
        };
        let text = prompt(&known, &[], 60_000);
        for (title, item) in [
            ("Decisions of earlier", "D1"),
            ("Failures of earlier", "F1"),
            ("Titles of earlier", "L1"),
            ("This session gave", "E1"),
            ("Carry over", "H1"),
        ] {
            let (_, behind) = text.split_once(title).unwrap_or_else(|| panic!("{title}"));
            assert_eq!(behind.lines().nth(1), Some(format!("- {item}").as_str()));
        }
    }

    #[test]
    fn users_errors_and_the_end_outlive_the_middle() {
        let mut messages = Vec::new();
        for turn in 0..200_u64 {
            messages.push(said(Role::User, turn * 10, &format!("user says {turn}")));
            messages.push(said(Role::Assistant, turn * 10 + 1, &format!("assistant {turn} {}", "x".repeat(900))));
            if turn == 50 {
                messages.push(said(Role::Tool, turn * 10 + 2, "error number fifty"));
            }
        }
        let text = prompt(&EarlierItems::default(), &messages, 40_000);
        assert!(text.chars().count() <= 40_000, "{}", text.chars().count());
        assert!((0..200).all(|turn| text.contains(&format!("user says {turn}\n"))));
        assert!(text.contains("error number fifty"));
        assert!(text.contains("assistant 199 ") && !text.contains("assistant 100 "));
        assert!(text.contains("left out …]"));
    }

    #[test]
    fn a_huge_memory_leaves_room_and_says_what_it_hides() {
        let many = |word: &str| (0..20_000).map(|number| format!("{word} {number}")).collect::<Vec<_>>();
        let known = EarlierItems {
            decisions: many("d"),
            failures: many("f"),
            learnings: many("l"),
            earlier: many("e"),
            handoff: many("h"),
        };
        let setting = Setting { max_chars: 30_000, ..Setting::default() };
        let prompt = build(&setting, &known, &[said(Role::User, 1, "the question")]);
        assert!(prompt.text.chars().count() <= 30_000 && prompt.text.contains("the question"));
        assert!(prompt.text.contains("h 19999\n") && prompt.text.contains(" more …]") && !prompt.whole_handoff);
        let small = EarlierItems { handoff: vec!["one".to_owned()], ..EarlierItems::default() };
        assert!(build(&setting, &small, &[]).whole_handoff);
    }

    #[test]
    fn one_huge_paste_leaves_room_for_the_rest() {
        let messages = [
            said(Role::User, 1, &"p".repeat(500_000)),
            said(Role::User, 2, "the question"),
            said(Role::Assistant, 3, "the answer"),
        ];
        let text = prompt(&EarlierItems::default(), &messages, 20_000);
        assert!(text.chars().count() <= 20_000);
        assert!(text.contains("the question") && text.contains("the answer") && text.contains("characters left out"));
    }

    #[test]
    fn abandoned_messages_and_placeholders_in_them_stay_out() {
        let mut gone = said(Role::User, 1, "take the other road");
        gone.marks.abandoned = true;
        let text = prompt(&EarlierItems::default(), &[gone, said(Role::User, 2, "print {known} and {fence}")], 60_000);
        assert!(!text.contains("other road"));
        assert!(text.contains("print {known} and {fence}"));
    }
}

//! As many pieces of a conversation as fit into the prompt.

use super::piece::{Piece, answered, is_break, quoted};
use super::written;
use crate::agent::wrappers;
use crate::base::text;
use crate::record::message::{Message, Role};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// In the first round of an assistant's message, of what it wrote with its tools, of the changes of its list and of a tool's
/// error so many characters are taken at most.
const SAID_CHARS: usize = 3000;
const WRITTEN_CHARS: usize = 4000;
const SHORT_CHARS: usize = 600;
/// Before that so many of the beginning of each.
const BRIEF_CHARS: usize = 240;
/// A user's message is never cut below this.
const USER_CHARS_LEAST: usize = 80;
/// The last messages and errors of a session count as its end.
const END_PIECES: usize = 12;
/// The line that says what was left out before a piece, at its longest.
const GAP_CHARS: usize = 30;

/// The pieces that fit into `room` characters, in file order with their places, and how many there
/// were: all of them, whole, if they fit. Else user messages come first, cut in the middle when all of
/// them do not fit. In each turn the last pieces come first. The caps of single pieces are a first round;
/// a second one shows in the room that is left what they cut.
pub fn choose(messages: &[Message], recap: Option<&str>, room: usize) -> (Vec<(usize, Piece)>, usize) {
    let all = pieces(messages, recap);
    let total = all.len();
    // A blank line divides two, and the last one has none behind it.
    let length: usize = all.iter().map(|piece| rendered(piece).chars().count()).sum();
    if length <= room + 2 {
        return (all.into_iter().enumerate().collect(), total);
    }
    let order = order(&all, user_limit(&all, room));
    let whole = order.iter().filter(|(_, limit)| limit.is_some()).map(|(at, _)| (*at, Some(usize::MAX)));
    let mut left = room;
    let mut chosen: BTreeMap<usize, Piece> = BTreeMap::new();
    for (at, limit) in order.iter().copied().chain(whole) {
        let text = &all[at].text;
        let text = limit.map_or_else(|| text::cut(text, BRIEF_CHARS), |limit| text::ends(text, limit)).into_owned();
        let piece = Piece { text, ..all[at].clone() };
        let length = |piece: &Piece| rendered(piece).chars().count() + GAP_CHARS;
        let has = chosen.get(&at).map_or(0, length);
        if let Some(rest) = (left + has).checked_sub(length(&piece)) {
            left = rest;
            chosen.insert(at, piece);
        }
    }
    (chosen.into_iter().collect(), total)
}

/// In which order the pieces are taken, by their places, and how many characters of each, None in brief; `user` is the
/// limit of the user's messages. What the agent said or wrote before the end comes twice, in brief first.
fn order(all: &[Piece], user: usize) -> Vec<(usize, Option<usize>)> {
    let mut said = (0..all.len()).rev().filter(|at| all[*at].label.is_empty());
    let end = said.nth(END_PIECES - 1).unwrap_or(0);
    let mut order = Vec::new();
    for (at, piece) in all.iter().enumerate() {
        // The turns of a piece, in brief and then up to its limit.
        let (brief, turn, limit) = match (piece.role, piece.label) {
            (Role::User, _) => (None, 0, user),
            (Role::Tool, _) => (None, 5, SHORT_CHARS),
            (_, written::TODOS) => (None, 6, SHORT_CHARS),
            (_, "") => (Some(3), 6, SAID_CHARS),
            _ => (Some(2), 4, WRITTEN_CHARS),
        };
        let is_end = at >= end && piece.role != Role::User;
        let (brief, turn) = if is_end { (None, 1) } else { (brief, turn) };
        order.extend(brief.map(|turn| (turn, at, None)));
        order.push((turn, at, Some(limit)));
    }
    order.sort_by_key(|(turn, at, _)| (*turn, Reverse(*at)));
    order.into_iter().map(|(_, at, limit)| (at, limit)).collect()
}

/// All pieces of a session, whole, in file order: what was said in a message, then what was written in it.
fn pieces(messages: &[Message], recap: Option<&str>) -> Vec<Piece> {
    let mut all = Vec::new();
    for (message, written) in messages.iter().zip(written::pieces(messages)) {
        if is_wanted(message) {
            let said = answered(message);
            // What is pasted can be what the work is about, so the model reads it, as a quotation.
            let said = said.map_or_else(|| wrappers::with_quoted_pastes(&message.text), Cow::Owned);
            all.push(Piece::new(message, said.trim().to_owned()));
        }
        all.extend(written);
    }
    all.extend(written::recap(messages, recap));
    all
}

/// What a model reads: the live conversation and the errors of tools in it.
fn is_wanted(message: &Message) -> bool {
    let said =
        message.is_conversation() || message.role == Role::Tool && message.is_error || answered(message).is_some();
    said && !message.marks.abandoned && !message.text.trim().is_empty()
}

/// The length to which user messages are cut so that they take at most three quarters of the room.
fn user_limit(pieces: &[Piece], room: usize) -> usize {
    let share = room * 3 / 4;
    let users = pieces.iter().filter(|piece| piece.role == Role::User);
    let lengths: Vec<usize> = users.map(|piece| piece.text.chars().count() + 24).collect();
    let mut limit = room;
    while limit > USER_CHARS_LEAST && lengths.iter().map(|length| limit.min(*length)).sum::<usize>() > share {
        limit = limit * 3 / 4;
    }
    limit.max(USER_CHARS_LEAST)
}

/// A piece as the model reads it. Nothing in it looks like the head of another one, and each line that was
/// written with a tool has a mark of a quotation, which [`super::quote`] forgives.
fn rendered(piece: &Piece) -> String {
    if !piece.label.is_empty() {
        return format!("{}{}\n", piece.head(), quoted(&piece.text));
    }
    let text = format!("\n{}", piece.text.replace(is_break, "\n")).replace("\n[line ", "\n [line ");
    format!("{}{}\n\n", piece.head(), &text[1..])
}

/// The pieces as text, with marks where something was left out.
pub fn conversation(pieces: &[(usize, Piece)], total: usize) -> String {
    let (mut out, mut next) = (String::new(), 0);
    let pieces = pieces.iter().map(|(at, piece)| (*at, rendered(piece)));
    for (at, text) in pieces.chain([(total, String::new())]) {
        if at > next {
            let _ = writeln!(out, "[… {} left out …]\n", at - next);
        }
        out += &text;
        next = at + 1;
    }
    out.truncate(out.trim_end().len());
    out
}

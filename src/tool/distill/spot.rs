//! A piece of the prompt as quotes are looked up in it, with what in it is not its speaker's.

use super::piece::Piece;
use super::quote::{self, Quote};
use super::words::{self, Words};
use super::written;
use crate::extract::heard::Heard;
use crate::extract::voice::{self, Foreign};
use crate::record::message::Role;
use crate::record::voice::Voice;
use std::cell::OnceCell;
use std::ops::Range;

/// They stand around what is not the speaker's while a text is folded; nothing that is shown has them.
const BEGINS: char = '\u{f8fe}';
const ENDS: char = '\u{f8ff}';

/// A piece and how it is looked at.
pub struct Spot {
    /// The piece.
    pub piece: Piece,
    /// As quotes are looked up.
    pub folded: String,
    /// What its speaker says.
    pub own: String,
    /// Where in `folded` somebody else speaks.
    foreign: Vec<(Range<usize>, Voice)>,
    /// The words of each part that is looked at in one piece.
    windows: OnceCell<Vec<Words>>,
}

impl Spot {
    fn new(piece: Piece, foreign: Vec<Foreign>) -> Self {
        let own = voice::without(&piece.text, &foreign).into_owned();
        let (folded, places) = folded(&piece.text, &foreign);
        let foreign = places.into_iter().zip(foreign).map(|(range, foreign)| (range, foreign.whose)).collect();
        Self { folded, own, foreign, piece, windows: OnceCell::new() }
    }

    /// Of questions with their answers only these are the user's.
    pub fn all(piece: &Piece, heard: &Heard) -> Vec<Self> {
        if piece.answers.is_empty() {
            return vec![Self::new(piece.clone(), voice::foreign(&piece.text, piece.role.voice(), heard))];
        }
        let user = Piece { text: piece.answers.join(".\n"), ..piece.clone() };
        // The question comes before its answer.
        let asked = Piece { role: Role::Assistant, ..piece.clone() };
        // The marks around a question are the client's.
        let foreign = voice::foreign(&asked.text.replace('"', " "), Voice::Assistant, heard);
        vec![Self::new(asked, foreign), Self::new(user, Vec::new())]
    }

    /// Whether the user or the agent speaks.
    pub fn is_spoken(&self) -> bool {
        self.piece.role != Role::Tool
    }

    /// Who speaks.
    pub fn voice(&self) -> Voice {
        self.piece.role.voice()
    }

    /// Whether it is a plan that the user rejected.
    pub fn is_rejected(&self) -> bool {
        self.piece.label == written::REJECTED
    }

    /// The words of what its speaker says, part by part.
    pub fn windows(&self) -> &[Words] {
        self.windows.get_or_init(|| words::windows(&self.own).map(Words::new).collect())
    }

    /// Whose words a quote is here, and what of it is theirs; none where it is not in this piece. Where the speaker
    /// says too little of it to carry anything, it is somebody else's.
    pub fn said(&self, quote: &Quote) -> Option<(Voice, String)> {
        let found = quote.within(&self.folded)?;
        let (mut own, mut from) = (String::new(), found.start);
        let inside = self.foreign.iter().filter(|(range, _)| range.start < found.end && range.end > found.start);
        let mut weakest = self.voice();
        for (range, whose) in inside {
            own.push_str(self.folded.get(from..range.start.max(from)).unwrap_or_default());
            own.push(' ');
            from = range.end.min(found.end);
            if whose.weakness() > weakest.weakness() {
                weakest = *whose;
            }
        }
        own.push_str(self.folded.get(from..found.end).unwrap_or_default());
        let voice = if quote::says_enough(&own) { self.voice() } else { weakest };
        Some((voice, own))
    }
}

/// A text as quotes are looked up in it, and where in it some parts of it are.
fn folded(text: &str, parts: &[Foreign]) -> (String, Vec<Range<usize>>) {
    if parts.is_empty() {
        return (quote::plain(text), Vec::new());
    }
    let mut marked = String::with_capacity(text.len());
    let mut from = 0;
    let mut add = |to: usize, sign: Option<char>| {
        marked.extend(text.get(from..to).unwrap_or_default().chars().filter(|c| !matches!(*c, BEGINS | ENDS)));
        if sign == Some(BEGINS) && marked.ends_with('\n') {
            // The mark of a list or a quotation begins its line.
            marked.pop();
            marked.push(BEGINS);
            marked.push('\n');
        } else {
            marked.extend(sign);
            marked.extend((sign == Some(BEGINS) && to == 0).then_some('\n'));
        }
        from = to;
    };
    for Foreign { range, .. } in parts {
        add(range.start, Some(BEGINS));
        add(range.end, Some(ENDS));
    }
    add(text.len(), None);
    let (mut plain, mut places, mut begin) = (String::with_capacity(marked.len()), Vec::new(), 0);
    for letter in quote::plain(&marked).chars() {
        match letter {
            BEGINS => begin = plain.len(),
            ENDS => places.push(begin..plain.len()),
            letter if letter == ' ' && (plain.is_empty() || plain.ends_with(' ')) => {}
            letter => plain.push(letter),
        }
    }
    (plain, places)
}

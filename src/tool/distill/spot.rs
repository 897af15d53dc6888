//! A piece of the prompt as quotes are looked up in it, with what in it is not its speaker's. And what words cannot show, but
//! the form of what was said can: a question of the agent's decides nothing before the user's answer, and what was done is
//! not open.

use super::piece::Piece;
use super::quote::{FoundQuote, Quote, WordRow};
use super::words::{self, ContentWords};
use super::written;
use crate::base::text;
use crate::extract;
use crate::extract::first_source::Heard;
use crate::extract::own_words::{self, Foreign};
use crate::record::item::Evidence;
use crate::record::message::Role;
use crate::record::speaker::Voice;
use std::cell::OnceCell;
use std::ops::Range;

/// What stands between two parts of a quote that are far apart.
const GAP: &str = " … ";

/// What is further away in a long message is not near.
const NEAR_BYTES: usize = 2000;

/// A piece and how it is looked at.
pub struct Spot {
    /// The piece.
    pub piece: Piece,
    /// What its speaker says.
    pub own: String,
    /// Its own number, from 0.
    number: usize,
    /// The number of its turn: what the user, or the agent, says until the other one speaks.
    pub turn: usize,
    /// The number of its message: what was written with a message has its number.
    pub message: usize,
    /// The words of the whole piece, when they were asked for: of a long session most never are.
    row: OnceCell<WordRow>,
    /// What in the piece another speaker said.
    foreign: Vec<Foreign>,
    /// The content words of the beginning and the end of what its speaker says.
    words: OnceCell<ContentWords>,
}

/// A quote as it was found in a piece.
#[derive(Clone)]
pub struct Spotted {
    /// The number of its spot.
    pub at: usize,
    /// Who says it. If the speaker says too little of it to carry anything, it is another's.
    pub voice: Voice,
    /// The words of the text.
    pub text: String,
    /// What of it is the speaker's.
    pub own: String,
    /// Where it is in the piece, in bytes.
    pub place: Range<usize>,
    /// No word of the quote is missing.
    pub is_exact: bool,
}

/// A piece as its speakers say it, each with what another one wrote in it: of questions with their answers only these are
/// the user's.
fn spoken(piece: &Piece, heard: &Heard) -> Vec<(Piece, Vec<Foreign>)> {
    if piece.answers.is_empty() {
        let foreign = match piece.role {
            Role::User => own_words::doubtful(&piece.text, heard),
            role => own_words::foreign(&piece.text, role.voice(), heard),
        };
        return vec![(piece.clone(), foreign)];
    }
    // The marks around a question are the client's.
    let foreign = own_words::foreign(&piece.text.replace('"', " "), Voice::Assistant, heard);
    let (asks, text) = (Piece { role: Role::Assistant, ..piece.clone() }, piece.answers.join(".\n"));
    vec![(asks, foreign), (Piece { text, ..piece.clone() }, Vec::new())]
}

impl Spot {
    /// Those of some pieces, in their order.
    pub fn all(pieces: &[Piece], heard: &Heard) -> Vec<Self> {
        let (mut turn, mut message, mut last) = (0_usize, 0_usize, None);
        let mut spots: Vec<Self> = Vec::new();
        for (piece, foreign) in pieces.iter().flat_map(|piece| spoken(piece, heard)) {
            if piece.role != Role::Tool {
                let (line, role) = (piece.line, piece.role);
                message += usize::from(last != Some((line, role)));
                // What the agent says in one turn is many short messages.
                turn += usize::from(last.is_none_or(|(_, before)| before != role));
                last = Some((line, role));
            }
            let own = own_words::without(&piece.text, &foreign).into_owned();
            let (number, row, words) = (spots.len(), OnceCell::new(), OnceCell::new());
            spots.push(Self { piece, own, number, turn, message, row, foreign, words });
        }
        spots
    }

    /// Whether the user or the agent speaks.
    pub fn is_spoken(&self) -> bool {
        self.piece.role != Role::Tool
    }

    /// Who speaks.
    pub fn voice(&self) -> Voice {
        self.piece.role.voice()
    }

    /// The content words of the beginning and the end of what its speaker says, which are near to other messages.
    pub fn words(&self) -> &ContentWords {
        let [head, tail] = [text::first_bytes(&self.own, NEAR_BYTES), text::last_bytes(&self.own, NEAR_BYTES)];
        self.words.get_or_init(|| ContentWords::new(&format!("{head}\n{tail}")))
    }

    /// The content words of what its speaker says around a place in the piece.
    pub fn around(&self, place: &Range<usize>) -> ContentWords {
        ContentWords::new(&self.own_in(&text::widened(&self.piece.text, place, NEAR_BYTES)))
    }

    /// What in a part of the piece another speaker said.
    fn foreign_in(&self, part: &Range<usize>) -> impl Iterator<Item = &Foreign> {
        let part = part.clone();
        self.foreign.iter().filter(move |foreign| foreign.range.start < part.end && foreign.range.end > part.start)
    }

    /// What of a part of the piece its speaker says.
    fn own_in(&self, part: &Range<usize>) -> String {
        let (mut own, mut from) = (String::new(), part.start);
        for Foreign { range, .. } in self.foreign_in(part) {
            own += &self.piece.text[from..range.start.max(from)];
            own.push(' ');
            from = range.end.clamp(from, part.end);
        }
        own + &self.piece.text[from..part.end]
    }

    /// A quote as this piece has it; None if it is not here. A quote of a word or two must be all that the user says
    /// here, or in a line.
    pub fn said(&self, quote: &Quote) -> Option<Spotted> {
        let row = self.row.get_or_init(|| WordRow::new(&self.piece.text));
        let FoundQuote { places, is_exact } = quote.within(&self.piece.text, row)?;
        // Or all that was answered to one of several questions.
        let whole = || self.piece.answers.iter().chain([&self.piece.text]).map(String::as_str);
        let is_all = || whole().chain(self.piece.text.lines()).any(|said| quote.is_all(said));
        let proves = quote.is_long() || self.voice() == Voice::User && is_all();
        if !proves {
            return None;
        }
        let place = places.first()?.start..places.last()?.end;
        let authors = places.iter().flat_map(|place| self.foreign_in(place)).map(|foreign| foreign.author);
        let weakest = authors.chain([self.voice()]).max_by_key(|voice| voice.weakness())?;
        let own = places.iter().map(|place| self.own_in(place)).collect::<Vec<_>>().join(GAP);
        let shown = |place: Range<usize>| self.piece.text[place].split_whitespace().collect::<Vec<_>>().join(" ");
        let text = places.into_iter().map(shown).collect::<Vec<_>>().join(GAP);
        let says_enough = weakest == self.voice() || WordRow::new(&own).count() > 2;
        let voice = if says_enough { self.voice() } else { weakest };
        Some(Spotted { at: self.number, voice, text, own, place, is_exact })
    }

    /// It as the evidence of what a voice says in it.
    pub fn evidence(&self, quote: String, voice: Voice) -> Evidence {
        let (line, uuid) = (Some(self.piece.line), self.piece.uuid.clone());
        Evidence { quote, line, uuid, said_by: Some(voice.word().to_owned()) }
    }
}

/// Whether a quote at this position is of a message in which the agent asks the user something. What was committed, sent
/// or approved is more than an offer; and a bare yes to a message without alternatives says which one is meant.
pub fn is_only_offered(spots: &[Spot], at: usize) -> bool {
    let spot = &spots[at];
    if spot.voice() != Voice::Assistant {
        return false;
    }
    if !spot.piece.label.is_empty() {
        return [written::PLAN, written::REVISED].contains(&spot.piece.label);
    }
    // A question of a tool's, with its answer beside it.
    if !spot.piece.answers.is_empty() {
        return true;
    }
    let next = spots[at + 1..].iter().find(|spot| spot.is_spoken() && spot.piece.label.is_empty());
    let is_taken = next.is_some_and(|next| next.voice() == Voice::User && words::is_yes(&next.own));
    question(&spot.own).is_some_and(|question| !is_taken || has_alternatives(&spot.own, question))
}

/// Whether a line or sentence asks, whatever marks are behind it.
pub fn asks(line: &str) -> bool {
    line.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？')).ends_with(['?', '？'])
}

/// The last line of a message that asks something: it ends with a question mark, or it is the last of all and has one.
fn question(text: &str) -> Option<&str> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines.last().filter(|line| line.contains("? ") || line.contains('？'));
    lines.iter().rev().find(|line| asks(line)).or(last).copied()
}

/// Whether a message lays out several ways: numbered points, options, or an "or" in its question.
fn has_alternatives(text: &str, question: &str) -> bool {
    let lower = question.to_lowercase();
    text.lines().filter_map(extract::option).count() > 1 || [" or ", " o "].iter().any(|or| lower.contains(or))
}

/// Whether a line that speaks of an open item does not say that it is open: it says that it is done ("fix the parser",
/// "Fixed the parser"), or the agent only asks. A commit, a plan or a point of the list says so by what it is.
pub fn is_not_open(item: &str, line: &str, spot: &Spot) -> bool {
    match spot.piece.label {
        "" | written::RECAP => {}
        written::TODOS => return !line.starts_with(written::TO_DO),
        _ => return true,
    }
    spot.voice() == Voice::Assistant && asks(line) || is_done(item, line)
}

/// Whether a line says that an item is done: a part of it that has half of the item's words begins with what was done, or has
/// the item's verb in the past.
fn is_done(item: &str, line: &str) -> bool {
    let wanted = ContentWords::new(item);
    let verb = text::words(item).next().map(|word| text::stem(&word.to_lowercase()));
    let is_past = |word: &str| word.ends_with("ed") && word.len() > 4;
    line.split(['.', ';', '!']).any(|part| {
        let lower = part.to_lowercase();
        let begins = text::words(&lower).next().unwrap_or("");
        let is_own_verb = |word: &str| is_past(word) && verb.as_ref() == Some(&text::stem(word));
        wanted.shared(&ContentWords::new(part)) * 2 >= wanted.count()
            && (is_past(begins) || begins == "done" || text::words(&lower).any(is_own_verb))
    })
}

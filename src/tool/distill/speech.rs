//! What was said, as quotes are looked up in it: each piece of the prompt by its speakers. And what words cannot show, but
//! the form of what was said can: a question of the agent's decides nothing before the user's answer, and what was done is
//! not open.

use super::piece::{self, Piece};
use super::quote::{Quote, WordRow};
use super::words::{self, ContentWords};
use crate::base::text;
use crate::extract;
use crate::extract::first_source::Heard;
use crate::extract::own_words;
use crate::record::item::Evidence;
use crate::record::message::Role;
use crate::record::speaker::Voice;
use std::cell::OnceCell;
use std::ops::Range;

/// What stands between two parts of a quote that are far apart.
const GAP: &str = " … ";
/// What is further away in a long message is not near.
const NEAR_BYTES: usize = 2000;

/// What one speaker says in a piece.
pub struct Said {
    /// The piece, with no more than that in its text.
    pub piece: Piece,
    /// Who says it.
    pub voice: Voice,
    /// The number of its turn: what the user, or the agent, says until the other one speaks.
    pub turn: usize,
    /// The number of its message: what was written with a message has its number.
    pub message: usize,
    /// All its words, when they were asked for: of a long session most never are.
    row: OnceCell<WordRow>,
    /// The content words of its beginning and its end.
    words: OnceCell<ContentWords>,
}

/// A quote as it was found.
#[derive(Clone)]
pub struct FoundText {
    /// The number of what has it, from 0.
    pub at: usize,
    /// Who says it.
    pub voice: Voice,
    /// The text that was found.
    pub text: String,
    /// Where it is, in bytes.
    pub place: Range<usize>,
    /// No word of the quote is missing.
    pub is_exact: bool,
}

/// What each speaker says in a piece. Of questions with their answers only these are the user's. Where another author wrote
/// a part of it, the whole piece is that one's, too: what its speaker does not say alone carries nothing.
fn speakers(piece: &Piece, heard: &Heard) -> Vec<(Voice, String)> {
    let is_asked = !piece.answers.is_empty();
    let (speaker, foreign) = match piece.role {
        // The marks around a question are the client's.
        _ if is_asked => (Voice::Assistant, own_words::foreign(&piece.text.replace('"', " "), Voice::Assistant, heard)),
        Role::User => (Voice::User, own_words::doubtful(&piece.text, heard)),
        role => (role.voice(), own_words::foreign(&piece.text, role.voice(), heard)),
    };
    let mut all = vec![(speaker, own_words::without(&piece.text, &foreign).into_owned())];
    all.extend(is_asked.then(|| (Voice::User, piece.answers.join(".\n"))));
    let author = foreign.iter().map(|foreign| foreign.author).max_by_key(|author| author.weakness());
    all.extend(author.map(|author| (author, piece.text.clone())));
    all
}

impl Said {
    /// What is said in some pieces, in their order.
    pub fn all(pieces: &[Piece], heard: &Heard) -> Vec<Self> {
        let (mut turn, mut message, mut last) = (0_usize, 0_usize, None);
        let mut all = Vec::new();
        for piece in pieces {
            for (voice, text) in speakers(piece, heard) {
                if voice.carries() {
                    message += usize::from(last != Some((piece.line, voice)));
                    // What the agent says in one turn is many short messages.
                    turn += usize::from(last.is_none_or(|(_, before)| before != voice));
                    last = Some((piece.line, voice));
                }
                let piece = Piece { text, ..piece.clone() };
                all.push(Self { piece, voice, turn, message, row: OnceCell::new(), words: OnceCell::new() });
            }
        }
        all
    }

    /// Whether both are of one piece.
    pub fn is_of(&self, other: &Self) -> bool {
        (self.piece.line, self.piece.role, self.piece.label) == (other.piece.line, other.piece.role, other.piece.label)
    }

    /// The content words of its beginning and its end, which are near to other messages.
    pub fn words(&self) -> &ContentWords {
        let text = &self.piece.text;
        let ends = || [text::first_bytes(text, NEAR_BYTES), text::last_bytes(text, NEAR_BYTES)].join("\n");
        self.words.get_or_init(|| ContentWords::new(&ends()))
    }

    /// The content words around a place in it.
    pub fn around(&self, place: &Range<usize>) -> ContentWords {
        let text = &self.piece.text;
        ContentWords::new(&text[text::widened(text, place, NEAR_BYTES)])
    }

    /// A quote as it is here, the number of which is `at`; None if it is not. A quote of a word or two must be all that the
    /// user says here, in a line, or to one of several questions.
    pub fn find(&self, at: usize, quote: &Quote) -> Option<FoundText> {
        let Piece { text, answers, .. } = &self.piece;
        let found = quote.within(text, self.row.get_or_init(|| WordRow::new(text)))?;
        let mut whole = answers.iter().chain([text]).map(String::as_str).chain(text.lines());
        if !quote.is_long() && (self.voice != Voice::User || !whole.any(|said| quote.is_all(said))) {
            return None;
        }
        let place = found.places.first()?.start..found.places.last()?.end;
        let shown = |place: Range<usize>| text[place].split_whitespace().collect::<Vec<_>>().join(" ");
        let text = found.places.into_iter().map(shown).collect::<Vec<_>>().join(GAP);
        Some(FoundText { at, voice: self.voice, text, place, is_exact: found.is_exact })
    }

    /// A quote of it as evidence.
    pub fn evidence(&self, quote: String) -> Evidence {
        let (line, uuid) = (Some(self.piece.line), self.piece.uuid.clone());
        Evidence { quote, line, uuid, said_by: Some(self.voice.word().to_owned()) }
    }
}

/// Whether what has this number is of a message in which the agent asks the user something. What was committed, sent
/// or approved is more than an offer; and a bare yes to a message without alternatives says which one is meant.
pub fn is_only_offered(all: &[Said], at: usize) -> bool {
    let Said { piece, voice, .. } = &all[at];
    if *voice != Voice::Assistant {
        return false;
    }
    if !piece.label.is_empty() {
        return [piece::PLAN, piece::REVISED].contains(&piece.label);
    }
    // A question of a tool's, with its answer beside it.
    if !piece.answers.is_empty() {
        return true;
    }
    let next = all[at + 1..].iter().find(|next| next.voice.carries() && next.piece.label.is_empty());
    let is_taken = next.is_some_and(|next| next.voice == Voice::User && words::is_yes(&next.piece.text));
    question(&piece.text).is_some_and(|question| !is_taken || has_alternatives(&piece.text, question))
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
pub fn is_not_open(item: &str, line: &str, said: &Said) -> bool {
    match said.piece.label {
        "" | piece::RECAP => said.voice == Voice::Assistant && asks(line) || is_done(item, line),
        piece::TODOS => !line.starts_with(piece::TO_DO),
        _ => true,
    }
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

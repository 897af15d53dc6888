//! Whether two claims of the same words have them in an order that says the same. Of two orders only
//! these are equal: one phrase moved as a whole; or the two sides changed places because the verb
//! turned from active to passive. All other orders can be another claim: A before B, B before A.

use super::{Claim, Form, Token};

/// The tokens of a claim, of which some are left out for a comparison.
#[derive(Clone)]
pub struct Order<'a> {
    tokens: Vec<(&'a Token, Form)>,
    agent: bool,
}

/// What differs is compared up to so many words.
const LONGEST: usize = 100;

/// Words that turn what follows them, and cannot move.
const TURNS: &[&str] = &["not", "only", "or", "then", "solamente", "solo", "sólo", "o", "u", "luego"];

type Tokens<'t, 'a> = &'t [(&'a Token, Form)];

impl<'a> Order<'a> {
    /// The order of a claim's words.
    pub fn new(claim: &'a Claim) -> Self {
        Self { tokens: claim.tokens.iter().map(|(token, form)| (token, *form)).collect(), agent: claim.agent }
    }

    /// Whether the two say the same, their words being the same.
    pub fn is_same(&self, other: &Self) -> bool {
        let (mut one, mut two) = (self.clone(), other.clone());
        if !one.leave_out_roles(&mut two) {
            return false;
        }
        if one.count(&Token::Break) != two.count(&Token::Break) {
            one.leave_out(&Token::Break);
            two.leave_out(&Token::Break);
        }
        let (a, b) = (&one.tokens, &two.tokens);
        let head = a.iter().zip(b).take_while(|(a, b)| a.0 == b.0).count();
        let (rest, others) = (a.get(head..).unwrap_or_default(), b.get(head..).unwrap_or_default());
        let end = rest.iter().rev().zip(others.iter().rev()).take_while(|(a, b)| a.0 == b.0).count();
        let length = rest.len().saturating_sub(end);
        if a.len() != b.len() || length > LONGEST || !is_steady(a, b, head, end) {
            return false;
        }
        let (rest, others) = (rest.get(..length).unwrap_or_default(), others.get(..length).unwrap_or_default());
        let same_agent = self.agent == other.agent;
        if rest.is_empty() || is_moved(rest, others, end == 0) { same_agent } else { is_turned(rest, others) }
    }

    /// Leaves out the soft roles that only one of them has; false when that makes another claim: the
    /// other has another one there, or it says where to, or by whom.
    fn leave_out_roles(&mut self, other: &mut Self) -> bool {
        let mut more = [false, false];
        let roles: Vec<&Token> = self.tokens.iter().chain(&other.tokens).map(|(token, _)| *token).collect();
        for role in roles.into_iter().filter(|token| matches!(token, Token::Soft(_))) {
            let (mine, theirs) = (self.count(role), other.count(role));
            if mine == theirs {
                continue;
            }
            if *role == Token::Soft("to") || *role == Token::Soft("by") && self.agent == other.agent {
                return false;
            }
            if *role != Token::Soft("a") {
                more[usize::from(mine < theirs)] = true;
            }
            self.leave_out(role);
            other.leave_out(role);
        }
        more != [true, true]
    }

    /// Whether each of them has a soft role that the other lacks.
    pub fn swaps_roles(&self, other: &Self) -> bool {
        let lacks = |a: &Self, b: &Self| {
            let mut roles = a.tokens.iter().map(|(token, _)| *token).filter(|token| matches!(token, Token::Soft(_)));
            roles.any(|role| *role != Token::Soft("a") && a.count(role) > b.count(role))
        };
        lacks(self, other) && lacks(other, self)
    }

    fn count(&self, wanted: &Token) -> usize {
        self.tokens.iter().filter(|(token, _)| *token == wanted).count()
    }

    fn leave_out(&mut self, unwanted: &Token) {
        self.tokens.retain(|(token, _)| *token != unwanted);
    }
}

/// Whether the words outside what differs are used in the same way. A preposition that only one of the two
/// has is no difference where a phrase moved or at the head; else "search for the logs" is not "search the
/// logs". A passive that only one has is none where the other has a noun.
fn is_steady(a: Tokens<'_, '_>, b: Tokens<'_, '_>, head: usize, end: usize) -> bool {
    let last = a.len().saturating_sub(end);
    let noun = |form: Form, all: Tokens<'_, '_>, at: usize| {
        form.bare && at > 0 && matches!(all.get(at.saturating_add(1)), Some((Token::Word(_), next)) if !next.led)
    };
    let mut outside = pairs(a, b).enumerate().filter(|(at, _)| *at < head || *at >= last);
    outside.all(|(at, (one, two))| {
        // "Uses" is "with the use of".
        let led = one.led == two.led || at == 0 || matches!(a.get(at), Some((Token::Word(word), _)) if word == "use");
        let passive = match (one.passive && one.participle, two.passive && two.participle) {
            (true, false) => noun(two, b, at),
            (false, true) => noun(one, a, at),
            _ => true,
        };
        led && passive
    })
}

fn equal(a: Tokens<'_, '_>, b: Tokens<'_, '_>) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0)
}

/// Whether one block moved behind the next, and grammar says that it is the same: a preposition leads the
/// block; or it is an adverb; or the verb became a noun or passive.
fn is_moved(a: Tokens<'_, '_>, b: Tokens<'_, '_>, at_end: bool) -> bool {
    let moved = |at: usize| {
        let (first, second) = a.split_at_checked(at)?;
        let (head, tail) = b.split_at_checked(second.len())?;
        let blocks = [first, second, head, tail];
        // What these turn is what follows them: with them nothing moves.
        let free = !blocks
            .iter()
            .any(|block| begins(block, |token| matches!(token, Token::Hard(role) if TURNS.contains(role))));
        let same = equal(second, head) && equal(first, tail) && free;
        let led = |block: Tokens<'_, '_>, other: Tokens<'_, '_>| {
            block.first().zip(other.first()).is_some_and(|(a, b)| a.1.led != b.1.led || a.1.of != b.1.of)
        };
        // "Deploying a profile" and "profile deploy": the noun is joined to what is before it.
        let noun = tail.first().is_some_and(|(_, form)| form.joined)
            != second.first().is_some_and(|(_, form)| form.joined)
            || second.first().is_some_and(|(_, form)| form.joined);
        let verb =
            |get: fn(&Form) -> bool| pairs(first, tail).chain(pairs(second, head)).any(|(a, b)| get(&a) != get(&b));
        let turned = verb(|form| form.passive && form.participle)
            || at_end && verb(|form| form.participle)
            || noun && (verb(|form| form.gerund) || verb(|form| form.subject));
        Some(same && (is_free(first) || is_free(second) || led(first, tail) || led(second, head) || turned))
    };
    (1..a.len()).any(|at| moved(at) == Some(true))
}

fn pairs<'t>(a: Tokens<'t, '_>, b: Tokens<'t, '_>) -> impl Iterator<Item = (Form, Form)> {
    a.iter().zip(b).map(|(a, b)| (a.1, b.1))
}

fn begins(block: Tokens<'_, '_>, with: impl Fn(&Token) -> bool) -> bool {
    block.first().is_some_and(|(token, _)| with(token))
}

/// Whether a block can be anywhere: a preposition leads it, or it is an adverb.
fn is_free(block: Tokens<'_, '_>) -> bool {
    let adverb =
        |token: &Token| matches!(token, Token::Word(word) if word.ends_with("+ly") || word.ends_with("+mente"));
    begins(block, |token| matches!(token, Token::Soft(_) | Token::Hard(_)) || block.len() == 1 && adverb(token))
}

/// Whether the two sides of a verb changed places and the verb turned.
fn is_turned(a: Tokens<'_, '_>, b: Tokens<'_, '_>) -> bool {
    let turned = |left: usize, right: usize| {
        let (first, rest) = a.split_at_checked(left)?;
        let (verb, last) = rest.split_at_checked(rest.len().checked_sub(right)?)?;
        let (head, rest) = b.split_at_checked(right)?;
        let (middle, tail) = rest.split_at_checked(verb.len())?;
        let same = equal(last, head) && equal(verb, middle) && equal(first, tail);
        let words = verb.iter().all(|(token, _)| matches!(token, Token::Word(_)));
        let turns = verb.iter().zip(middle).any(|(a, b)| a.1.passive != b.1.passive);
        Some(same && words && turns)
    };
    let count = a.len();
    (1..count).any(|left| (1..count.saturating_sub(left)).any(|right| turned(left, right) == Some(true)))
}

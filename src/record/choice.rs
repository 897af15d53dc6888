//! A choice in one spelling: "adopt X", "let's go with X", "we picked X" and "X is used for Y" say no more than "use X".
//! A word that denies, doubts or tells of a past is none of these, so it stays where it is and makes another claim.

use super::small_words::{DENIALS, PREPOSITIONS, singular};
use crate::base::text::Words;

/// Who chooses: words that can stand before the verb.
const CHOOSERS: &str = "are decidido decidimos have hemos i'd i'll let us we we'd we'll we're we've would";
/// Verbs that only say that it was chosen, a line each, behind the spelling that it has here.
const CHOOSE: &str = include_str!("words/choose.txt");
/// The same of what was chosen, behind who chose it: without them it can be work that is done.
const CHOSE: &str = "adopted|chose|chosen|decided on|gone with|opted for|picked|settled on|went with";
/// What makes another verb of one of these: "pick up".
static PARTICLES: Words = Words::of("off out up");
/// What is behind "is used" where it tells a choice, not how a thing works: "the key is used to sign".
static BEHIND_USED: Words = Words::of("as como en for instead para");

/// Puts a claim's words in this spelling. `phrase` is the length of a phrase at their head that a comma ends, `led` says
/// that a lead was before them: "we".
pub fn spell(words: &mut Vec<String>, phrase: usize, led: bool) {
    if !choose(words, phrase, led) {
        is_used(words);
    }
}

fn choose(words: &mut Vec<String>, at: usize, led: bool) -> bool {
    // Most words begin with another letter, and the singular of each costs more than that look.
    let is_form = |form: &str, word: &str| form.as_bytes().first() == word.as_bytes().first() && singular(form) == word;
    let is_chooser = |word: &&String| CHOOSERS.split(' ').any(|chooser| is_form(chooser, word));
    let choosers = words[at..].iter().take_while(is_chooser).count();
    let (who, behind) = words[at..].split_at(choosers);
    let length = |verb: &str| verb.split(' ').count();
    let begins = |verb: &&str| {
        verb.split(' ').zip(behind).all(|(form, word)| is_form(form, word)) && length(verb) <= behind.len()
    };
    let present = CHOOSE.lines().filter_map(|line| line.split_once(' ')).find(|(_, verb)| begins(verb));
    let past = || CHOSE.split('|').find(begins).filter(|_| led || choosers > 0).map(|verb| ("use", verb));
    let Some((spelled, verb)) = present.or_else(past) else { return false };
    let Some(next) = behind.get(length(verb)) else { return false };
    // "We would use X" doubts, "I'd go with X" does not.
    let doubts = who.iter().any(|word| word == "would" || word.ends_with("'d")) && !verb.starts_with("go");
    if PARTICLES.has(next) || DENIALS.contains(&next.as_str()) || doubts {
        return false;
    }
    words.splice(at..at + choosers + length(verb), [spelled.to_owned()]);
    true
}

/// "X is used for Y" is "use X for Y".
fn is_used(words: &mut Vec<String>) {
    let verb = |three: &[String]| {
        let verb = match (three[0].as_str(), three[1].as_str()) {
            ("is" | "are" | "be", "used") => "use",
            ("se", "usa" | "usan" | "usará" | "usarán") => "usar",
            _ => return None,
        };
        BEHIND_USED.has(&three[2]).then(|| verb.to_owned())
    };
    let found = words.windows(3).enumerate().skip(1).find_map(|(at, three)| Some((at, verb(three)?)));
    if let Some((at, verb)) = found.filter(|(at, _)| !words[..*at].iter().any(|word| PREPOSITIONS.has(word))) {
        words.drain(at..at + 2);
        words.insert(0, verb);
    }
}

//! A choice in one spelling: "adopt X", "let's go with X", "we picked X" and "X is used for Y" say no more than "use X".
//! A word that denies, doubts or tells of a past is none of these, so it stays where it is and makes another claim.

use super::small_words::{DENIALS, PREPOSITIONS, singular};

/// Who chooses: words that can stand before the verb.
const CHOOSERS: &str = "are decidido decidimos have hemos i'd i'll let us we we'd we'll we're we've would";
/// Verbs that only say that it was chosen, and how each is spelled here.
const CHOOSE: [(&str, &str); 2] = [
    (
        "use",
        "use|using|adopt|adopting|choose|choosing|go with|going with|keep to|opt for|opting for|pick|picking|\
        settle on|settling on|stick to|sticking to|stick with|sticking with",
    ),
    (
        "usar",
        "usar|usamos|usaremos|usemos|adoptar|adoptamos|adoptaremos|adoptemos|elegir|elegimos|elegiremos|escoger|\
        escogemos|ir con|vamos con|nos quedamos con|optamos por|optar por|quedarnos con",
    ),
];
/// The same of what was chosen, behind who chose it: without them it can be work that is done.
const CHOSE: &str = "adopted|chose|chosen|decided on|gone with|opted for|picked|settled on|went with";
/// What makes another verb of one of these: "pick up".
const PARTICLES: &[&str] = &["off", "out", "up"];
/// "X is used for Y".
const USED: [(&str, &str); 2] = [("is used|are used|be used", "use"), ("se usa|se usan|se usará|se usarán", "usar")];
/// What is behind it where it tells a choice, not how a thing works: "the key is used to sign".
const BEHIND_USED: &[&str] = &["as", "como", "en", "for", "instead", "para"];

/// Puts a claim's words in this spelling. `phrase` is the length of a phrase at their head that a comma ends, `led` says
/// that a lead was before them: "we".
pub fn spell(words: &mut Vec<String>, phrase: usize, led: bool) {
    if !choose(words, phrase, led) {
        is_used(words);
    }
}

fn choose(words: &mut Vec<String>, at: usize, led: bool) -> bool {
    // Most words begin with another letter, and the singular of each costs more than that look.
    let begins_so = |word: &str, other: &str| word.as_bytes().first() == other.as_bytes().first();
    let is_chooser =
        |word: &&String| CHOOSERS.split(' ').any(|chooser| begins_so(chooser, word) && singular(chooser) == **word);
    let choosers = words[at..].iter().take_while(is_chooser).count();
    let behind = &words[at + choosers..];
    let begins = |verb: &&str| {
        behind.first().is_some_and(|first| begins_so(verb, first))
            && verb.split(' ').map(singular).eq(behind.iter().take(verb.split(' ').count()).cloned())
    };
    let present = CHOOSE.iter().find_map(|(spelled, verbs)| Some((*spelled, verbs.split('|').find(begins)?)));
    let past = || CHOSE.split('|').find(begins).filter(|_| led || choosers > 0).map(|verb| ("use", verb));
    let Some((spelled, verb)) = present.or_else(past) else { return false };
    let count = verb.split(' ').count();
    let Some(next) = behind.get(count).filter(|next| !PARTICLES.contains(&next.as_str())) else { return false };
    // "We would use X" doubts, "I'd go with X" does not.
    let doubts = words[at..at + choosers].iter().any(|word| word == "would" || word.ends_with("'d"));
    if DENIALS.contains(&next.as_str()) || doubts && !verb.starts_with("go") {
        return false;
    }
    words.splice(at..at + choosers + count, [spelled.to_owned()]);
    true
}

fn is_used(words: &mut Vec<String>) {
    let is_here = |at: usize| {
        let [one, two, behind, ..] = &words[at..] else { return None };
        let is_it = |used: &str| used.split_once(' ') == Some((one, two));
        let used = USED.iter().find(|(used, _)| used.split('|').any(is_it));
        used.filter(|_| BEHIND_USED.contains(&behind.as_str())).map(|(_, verb)| *verb)
    };
    let Some((at, verb)) = (1..words.len()).find_map(|at| Some((at, is_here(at)?))) else { return };
    if words[..at].iter().any(|word| PREPOSITIONS.has(word)) {
        return;
    }
    words.drain(at..at + 2);
    words.insert(0, verb.to_owned());
}

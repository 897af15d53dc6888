//! Whether a sentence says the opposite of its quote: nearly the same words, but one of the two is
//! negated. A quote carries words, not their meaning, so this is looked at by itself.

use super::words::Words;
use std::ops::Range;

/// Words that turn a sentence to its opposite, English and Spanish.
const NEGATIVE: &[&str] = &[
    "against",
    "avoid",
    "avoided",
    "ban",
    "banned",
    "cannot",
    "can't",
    "delete",
    "deny",
    "denied",
    "disable",
    "disabled",
    "disables",
    "disabling",
    "disallow",
    "doesn't",
    "don't",
    "drop",
    "dropped",
    "dropping",
    "exclude",
    "excluded",
    "forbid",
    "forbidden",
    "isn't",
    "mustn't",
    "never",
    "no",
    "nor",
    "not",
    "off",
    "omit",
    "prohibit",
    "refuse",
    "reject",
    "rejected",
    "remove",
    "removed",
    "removing",
    "shouldn't",
    "skip",
    "skipped",
    "skipping",
    "stop",
    "stopped",
    "without",
    "won't",
    "wouldn't",
    "aren't",
    "wasn't",
    "dont",
    "nobody",
    "sin",
    "contra",
];
/// Spanish words that turn a sentence, of which several beside a "no" turn it once.
const SPANISH: &[&str] =
    &["jamás", "nada", "nadie", "ni", "ningún", "ninguna", "ningunas", "ninguno", "ningunos", "nunca", "tampoco"];
/// Spanish verbs that turn a sentence, and how their forms end.
const VERBS: &[&str] =
    &["borr", "descart", "desactiv", "deshabilit", "elimin", "evit", "omit", "prohib", "quit", "rechac", "rechaz"];
const ENDINGS: &[&str] = &[
    "a", "ada", "adas", "ado", "ados", "amos", "an", "ando", "ar", "as", "e", "emos", "en", "es", "ida", "idas",
    "idido", "ido", "idos", "iendo", "imos", "ir", "o", "ó", "é", "í",
];
/// English words that look like such a form.
const ENGLISH: &[&str] = &["omit", "quite", "quits"];
/// What is negated before these is said all the same: "don't forget to", "it can't hurt to".
const SAID: &[&str] = &[
    "dejes",
    "dejéis",
    "dudes",
    "duden",
    "forget",
    "hesitate",
    "hurt",
    "olvidar",
    "olvide",
    "olviden",
    "olvides",
    "olvidemos",
    "olvidéis",
];
/// A bound: with a "not" before it an upper one, and the sentence is not negated by that.
const LARGER: &[&str] = &[
    "above", "bigger", "exceda", "excedan", "exceder", "exceed", "exceeds", "greater", "higher", "larger", "longer",
    "mayor", "mayores", "more", "más", "supera", "superar", "supere", "superen",
];
const THAN: &[&str] = &["de", "que", "than"];
/// Of these a bound is made without a "than".
const ALONE: &[&str] =
    &["above", "exceda", "excedan", "exceder", "exceed", "exceeds", "supera", "superar", "supere", "superen"];
/// What comes after these was not chosen, and says nothing about the first part.
pub(super) const OTHER_SIDE: &[&str] = &[
    ", not ",
    " instead of ",
    " rather than ",
    " and not ",
    ", y no ",
    " y no ",
    " en vez de ",
    " en lugar de ",
    " antes que ",
    ", no ",
    " no en ",
    " no con ",
    " no para ",
    " over ",
];
/// The share of a sentence's words that a part of the quote must have to be about the same.
const SAME_FROM: (usize, usize) = (3, 4);

/// The sentences of a text that hold a quote: a quote can begin behind a "never".
pub fn around(text: &str, quote: Range<usize>) -> Option<&str> {
    let ends = ['.', '!', '?', ';'];
    let (before, behind) = (text.get(..quote.start)?, text.get(quote.end..)?);
    let start = before.rfind(ends).map_or(0, |at| at.saturating_add(1));
    // With its mark: a question says nothing.
    let end = behind.find(ends).map_or(behind.len(), |at| at.saturating_add(1));
    let end = if before.len() < quote.end && text.get(..quote.end)?.ends_with(ends) { 0 } else { end };
    text.get(start..quote.end.saturating_add(end))
}

/// The part of a quote of which a sentence says the opposite. Clause is held against clause; a question
/// says nothing.
pub fn of_quote<'a>(sentence: &str, quote: &'a str) -> Option<&'a str> {
    let said: Vec<&str> =
        quote.split_inclusive(['.', '!', '?', ';', '\n']).filter(|said| !said.ends_with('?')).collect();
    clauses(sentence).find_map(|told| {
        let told = first_side(told);
        let words = content(&told);
        let about = said.iter().flat_map(|said| clauses(said)).filter(|clause| {
            let (shared, all) = words.shared(&[&content(&first_side(clause))]);
            all > 0 && shared.saturating_mul(SAME_FROM.1) >= all.saturating_mul(SAME_FROM.0)
        });
        let mut about = about.peekable();
        let first = *about.peek()?;
        let turned = |clause: &str| {
            let clause = first_side(clause);
            let bounds = (bound(&clause), bound(&told));
            let bounded = matches!(bounds, (Some(said), Some(told)) if said != told);
            bounded || is_negative(&clause) != is_negative(&told)
        };
        about.all(turned).then_some(first.trim())
    })
}

pub(super) fn clauses(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', '!', '?', ';', ':', ',', '—', '\n']).filter(|clause| !clause.trim().is_empty())
}

/// A sentence without what it was chosen over, in lower case.
fn first_side(text: &str) -> String {
    let lower = text.to_lowercase().replace('’', "'");
    let end = OTHER_SIDE.iter().filter_map(|mark| lower.find(mark)).min().unwrap_or(lower.len());
    lower.get(..end).unwrap_or(&lower).to_owned()
}

pub(super) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty())
}

/// The content words without those that only turn the sentence.
pub(super) fn content(text: &str) -> Words {
    let kept: Vec<String> = tokens(text).filter(|word| !is_turn(word)).map(infinitive).collect();
    Words::new(&kept.join(" "))
}

/// A Spanish verb without what hangs on its infinitive, and its subjunctive as it sounds: `publicarlo` is
/// `publicar`, `publiques` is `publicas`. Other words can change too, on both sides alike.
fn infinitive(word: &str) -> String {
    let hanging = ["melo", "mela", "selo", "sela", "los", "las", "les", "nos", "lo", "la", "le", "me", "te", "se"];
    let bare = hanging.iter().filter_map(|end| word.strip_suffix(end));
    let bare = bare.into_iter().find(|bare| bare.ends_with(['r']) && bare.chars().nth(3).is_some());
    let word = bare.unwrap_or(word);
    for (end, plain) in [("que", "ca"), ("gue", "ga"), ("ce", "za")] {
        for rest in ["s", "mos", "n", ""] {
            let stem = word.strip_suffix(rest).and_then(|word| word.strip_suffix(end));
            if let Some(stem) = stem.filter(|stem| stem.chars().nth(1).is_some()) {
                return format!("{stem}{plain}{rest}");
            }
        }
    }
    word.to_owned()
}

fn is_turn(word: &str) -> bool {
    NEGATIVE.contains(&word) || SPANISH.contains(&word) || is_verb(word)
}

fn is_verb(word: &str) -> bool {
    let word = infinitive(word);
    let ends = |stem: &str| word.strip_prefix(stem).is_some_and(|end| ENDINGS.contains(&end));
    !ENGLISH.contains(&word.as_str()) && VERBS.iter().any(|stem| ends(stem))
}

/// Whether a sentence has a bound that must not be passed, or one that is; none where it has none.
fn bound(text: &str) -> Option<bool> {
    let words: Vec<&str> = tokens(text).collect();
    let at = words.iter().enumerate().position(|(at, word)| {
        let next = words.get(at.saturating_add(1)).is_some_and(|next| THAN.contains(next));
        LARGER.contains(word) && (next || ALONE.contains(word))
    })?;
    let before = words.get(at.saturating_sub(3)..at)?;
    Some(before.iter().any(|word| {
        ["not", "no", "never", "nunca", "mustn't", "shouldn't", "can't", "cannot", "doesn't", "don't"].contains(word)
    }))
}

/// Whether an odd number of words turns it. "It has no index" only says what is missing.
pub(super) fn is_negative(text: &str) -> bool {
    let words: Vec<&str> = tokens(text).collect();
    let missing = |pair: &[&str]| matches!(pair, ["has" | "have" | "had" | "is" | "are" | "hay" | "tiene", "no"]);
    let missing = words.windows(2).filter(|pair| missing(pair)).count();
    let turns = words.iter().filter(|word| NEGATIVE.contains(word) || is_verb(word)).count();
    // Of "no ... nunca ... ninguna" each is the same negation, and so are "ni" and "ni".
    let spanish = words.iter().any(|word| SPANISH.contains(word)) && !words.contains(&"no");
    let ends = |pair: &[&str]| matches!(pair, [stop, "de"] if stop.starts_with("dej") && *stop != "dejes");
    let ends = words.windows(2).filter(|pair| ends(pair)).count();
    // "Don't forget", "no te olvides": what is negated is not the sentence.
    let negation = |word: &&str| NEGATIVE.contains(word) || SPANISH.contains(word);
    let said = words.windows(3).filter(|three| {
        let [first, second, third] = three else { return false };
        negation(first) && (SAID.contains(second) || SAID.contains(third) && !negation(second))
    });
    let said = said.count().max(usize::from(
        words.len() == 2 && words.first().is_some_and(negation) && words.last().is_some_and(|word| SAID.contains(word)),
    ));
    let least = usize::from(bound(text) == Some(true));
    let all = turns.saturating_add(usize::from(spanish)).saturating_add(ends);
    all.saturating_sub(missing).saturating_sub(said).saturating_sub(least) % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_turned_round_are_the_opposite() {
        let mut wrong = Vec::new();
        for (told, quote) in [
            ("Push to main without tests", "never push to main without tests"),
            ("Use the cache in production", "don't use the cache in production"),
            ("Do not use the cache in production", "Let's use the cache in production."),
            ("Remove the old parser", "ok, so the old parser stays. do not remove the old parser"),
            ("Borrar la base antes de cada prueba", "no hay que borrar la base antes de cada prueba"),
            ("Publicarlo en el registro", "no lo publiques en el registro"),
            ("Publicarla en el espejo", "Que nadie la publique en el espejo"),
            ("Reiniciar el servicio de noche", "Nunca reinicies el servicio de noche"),
            ("Borrar las capturas viejas", "Jamás borres las capturas viejas"),
            ("Tocar los permisos del bucket", "No toques los permisos del bucket"),
            ("Agregar una capa a la imagen", "No agregues ninguna capa a la imagen"),
            ("Usar moment en el panel", "Deja de usar moment en el panel"),
            ("Actualizar el esquema ahora", "Mejor no actualicemos el esquema ahora"),
            ("Yarn o bun en los scripts", "Ni yarn ni bun en los scripts"),
            ("Restart the database at noon", "Nobody may restart the database at noon"),
            ("Don't rotate the backup keys", "Don't forget to rotate the backup keys"),
            ("The upload may be larger than 5 MB", "The upload must not be larger than 5 MB"),
            ("Más de tres copias por cliente", "No más de tres copias por cliente"),
        ] {
            if of_quote(told, quote).is_none() {
                wrong.push((told, quote));
            }
        }
        for (told, quote) in [
            ("Use symlinks, not copies", "let's use symlinks"),
            ("Never push to main", "please don't push to main"),
            ("Stop using the cache", "we no longer use the cache"),
            ("Use sqlite rather than files", "use sqlite rather than files, not the other way round"),
            ("Keep the queue as files", "OK go with the second option please"),
            ("Don't disable the tests", "the tests stay"),
            ("Empty cells stay null, never zero", "Empty cells must stay null, never zero"),
            ("Drop the old format", "Should I drop the old format, or not drop the old format?"),
            ("Add an index on the orders table", "the orders table has no index"),
            ("Rotate the backup keys", "Don't forget to rotate the backup keys"),
            ("Firmar los paquetes", "No te olvides de firmar los paquetes"),
            ("Probar la migración", "No olvides probar la migración"),
            ("Warm the cache at night", "It can't hurt to warm the cache at night"),
            ("The upload is at most 5 MB", "The upload must not be larger than 5 MB"),
            ("Tres copias por cliente como máximo", "No más de tres copias por cliente"),
            ("No agregar capas a la imagen", "No agregues ninguna capa a la imagen"),
            ("No publicar el paquete en el registro", "no publiques el paquete en el registro"),
            ("No borrar las capturas viejas", "Nunca borres las capturas viejas"),
            ("Dejar de usar moment en el panel", "Deja de usar moment en el panel"),
            ("The build is quite slow on arm", "The build is quite slow on arm"),
        ] {
            if of_quote(told, quote).is_some() {
                wrong.push((told, quote));
            }
        }
        assert_eq!(wrong, []);
    }
}

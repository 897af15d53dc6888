//! Whether a sentence chooses the other way round than its quote: what the one has before "instead of" the
//! other has behind it, or what was not chosen is told alone. Both have the same words and none is negated,
//! so this is looked at by itself.

use super::opposite::{OTHER_SIDE, clauses, content, is_negative, tokens};
use super::words::Words;

/// Words of which one says that "over" is a choice.
const PREFERS: &[&str] =
    &["better", "choose", "chose", "favor", "prefer", "preferred", "prefers", "rather", "take", "use"];
/// Verbs that say that something is chosen, and not what.
const CHOOSE: &[&str] =
    &["prefer", "prefers", "take", "usa", "usar", "use", "usemos", "using", "prefiere", "prefiero", "quiero", "want"];

/// A choice: the content words of what is chosen, and of what it is chosen over.
struct Sides {
    chosen: Vec<Words>,
    rejected: Vec<Words>,
    /// Only the word before the mark is chosen: "en mayo no en junio".
    is_of_one: bool,
}

/// The sentence of a quote that chooses the other way round.
pub fn turned_round<'a>(told: &str, quote: &'a str) -> Option<&'a str> {
    let lower = told.to_lowercase();
    let sides = Sides::parse(told);
    let turned = |said: &&str| {
        let said = Sides::parse(said);
        said.is_some_and(|said| match &sides {
            Some(told) => said.is_crossed(told),
            None => !is_negative(&lower) && said.is_rejected_alone(&contents(&lower)),
        })
    };
    let sentences = quote.split_inclusive(['.', '!', '?', ';', '\n']).filter(|said| !said.ends_with('?'));
    sentences.map(str::trim).find(turned)
}

impl Sides {
    /// The clauses on both sides of a sentence's mark.
    fn parse(text: &str) -> Option<Self> {
        let lower = text.to_lowercase().replace('’', "'");
        let is_choice = |mark: &str| mark != " over " || tokens(&lower).any(|word| PREFERS.contains(&word));
        let marks = OTHER_SIDE.iter().filter(|mark| is_choice(mark));
        let (at, mark) = marks.filter_map(|mark| Some((lower.find(mark)?, *mark))).min()?;
        let (first, last) = (lower.get(..at)?, lower.get(at.saturating_add(mark.len())..)?);
        let is_of_one = mark.starts_with(" no ");
        Some(Self { chosen: contents(clauses(first).last()?), rejected: contents(clauses(last).next()?), is_of_one })
    }

    /// Whether a word of each side is on the other one.
    fn is_crossed(&self, told: &Self) -> bool {
        let only = |word: &Words, there: &[Words], not: [&[Words]; 2]| {
            is_in(word, there) && !not.iter().any(|words| is_in(word, words))
        };
        self.chosen.iter().any(|word| only(word, &told.rejected, [&told.chosen, &self.rejected]))
            && self.rejected.iter().any(|word| only(word, &told.chosen, [&told.rejected, &self.chosen]))
    }

    /// Whether a text has what was not chosen and nothing of what was.
    fn is_rejected_alone(&self, told: &[Words]) -> bool {
        let verbs = contents(&CHOOSE.join(" "));
        self.rejected.first().is_some_and(|head| is_in(head, told))
            && !self.chosen.is_empty()
            && !self
                .chosen
                .iter()
                .skip(if self.is_of_one { self.chosen.len().saturating_sub(1) } else { 0 })
                .any(|word| is_in(word, told) && !is_in(word, &verbs) && !is_in(word, &self.rejected))
    }
}

/// The content words of a text, each by itself.
fn contents(text: &str) -> Vec<Words> {
    tokens(text).map(content).filter(|word| !word.is_empty()).collect()
}

fn is_in(word: &Words, words: &[Words]) -> bool {
    words.iter().any(|other| word.shared(&[other]).0 > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_the_other_way_round_is_the_opposite() {
        for (told, quote) in [
            ("Prefers make over just in this repo", "I prefer just over make in this repo, it is everywhere."),
            ("Use yarn instead of bun for the docs", "Use bun instead of yarn for the docs."),
            ("Squash rather than rebase", "let's rebase rather than squash"),
            ("Use blanks, not tabs, in the tables", "Use tabs, not blanks, in the tables"),
            ("Prefiere mariadb antes que mongo", "y prefiero mongo antes que mariadb aquí"),
            ("Usa fish en vez de zsh en la guía", "Usa zsh en vez de fish en la guía"),
            ("Cerrar el trimestre en junio, no en mayo", "que el trimestre cierre en mayo, no en junio"),
            // What was not chosen, alone.
            ("Use yarn for the docs", "Use bun instead of yarn for the docs"),
            ("Usar fish en la guía", "Usa zsh en vez de fish en la guía"),
            ("El trimestre cierra en junio", "que el trimestre cierre en mayo no en junio"),
            ("Move to make", "I prefer just over make in this repo"),
        ] {
            assert!(turned_round(told, quote).is_some(), "{told} | {quote}");
        }
        for (told, quote) in [
            ("Prefers just over make", "I prefer just over make in this repo, it is everywhere."),
            ("In the docs bun is used, not yarn", "Use bun instead of yarn for the docs."),
            ("Use bun in the docs instead of yarn", "Use bun instead of yarn in the docs."),
            ("Use bun for the docs", "Use bun instead of yarn for the docs"),
            ("No yarn in the docs", "Use bun instead of yarn for the docs"),
            ("Replace yarn with bun", "Use bun instead of yarn for the docs"),
            ("TLS for the logs", "Send the logs over TLS"),
            ("Prefiere mongo antes que mariadb", "y prefiero mongo antes que mariadb aquí"),
            ("El trimestre cierra en mayo", "que el trimestre cierre en mayo, no en junio"),
            ("Rebase, not squash", "let's rebase rather than squash"),
            ("Ask before the release", "use tabs, not blanks. ask me before the release"),
        ] {
            assert_eq!(turned_round(told, quote), None, "{told} | {quote}");
        }
    }
}

//! What a session takes back: a choice of its own, or a decision that was known before. By the words as they were
//! written, for half a sentence does not tell its language, and stems differ between languages.

use super::sentences::{Signal, Utterance};
use super::{capital, quote};
use crate::base::text;
use crate::record::item::Item;

/// What was not chosen, in the same sentence.
static OVER: Signal = Signal::named("decision-over");
/// Why, in the same sentence.
static BECAUSE: Signal = Signal::named("decision-because");
/// What is not to be used any more comes after it.
static DROPS: Signal = Signal::named("decision-drops");
/// The same with what comes in its place.
static FROM_TO: Signal = Signal::named("decision-from-to");
/// What comes in its place, in the same sentence.
static BUT_USE: Signal = Signal::named("decision-but-use");
/// A sentence that takes back what it names.
static TAKEN_BACK: Signal = Signal::named("decision-taken-back");
/// The same before what is chosen in its place.
static BAD: Signal = Signal::named("decision-bad");

/// Words that say that something is chosen, and nothing of what.
static CHOOSING: Signal = Signal::named("decision-choosing-word");
/// The share of a title's words that a decision has which the commit made.
const SHARE: f64 = 0.7;

/// What a decision chose, and what it did not, as words in their order.
pub struct Sides {
    chosen: Vec<String>,
    over: Vec<Vec<String>>,
}

impl Sides {
    /// Those of a decision.
    pub fn of(item: &Item) -> Self {
        // Of a question and its answer the answer.
        let said = item.summary.rsplit_once("? ").map_or(item.summary.as_str(), |(_, answer)| answer);
        let lower = said.to_lowercase().replace('’', "'");
        let mut over: Vec<Vec<String>> = item.alternatives.iter().map(|text| words(&first_part(text))).collect();
        let chosen = if let Some((dropped, chosen)) = dropped(&lower) {
            over.push(words(&first_part(dropped)));
            words(chosen)
        } else {
            words(OVER.before(&lower).unwrap_or(&lower))
        };
        for over in &mut over {
            over.retain(|word| !chosen.contains(word));
        }
        over.retain(|over| !over.is_empty());
        Self { chosen, over }
    }

    /// Whether the later decision is against what this one chose, or for what it did not choose; where that is one
    /// word, for nothing else.
    pub fn give_way_to(&self, later: &Self) -> bool {
        let known = |word: &String, over: &[String]| over.contains(word) || self.chosen.contains(word);
        let takes = |over: &Vec<String>| {
            over.iter().all(|word| later.chosen.contains(word))
                && (over.len() > 1 || later.chosen.iter().all(|word| known(word, over)))
        };
        later.over.iter().any(|named| self.is_about(named)) || self.over.iter().any(takes)
    }

    /// Whether these words name what was chosen: one word alone has to be the first, or one of two.
    pub fn is_about(&self, named: &[String]) -> bool {
        let all = !named.is_empty() && named.iter().all(|word| self.chosen.contains(word));
        all && (named.len() > 1 || self.chosen.len() <= 2 || self.chosen.first() == named.first())
    }
}

/// The known decision whose place a new one takes; none where it can be one of several.
pub fn replaced(new: &Item, known: &[&Item]) -> Option<String> {
    let sides = Sides::of(new);
    only(known, |old| Sides::of(old).give_way_to(&sides))
}

/// What the user takes back by its name, and takes nothing else for it: the sentence is the decision.
pub fn by_user(prompt: &Utterance<'_>, known: &[&Item]) -> Vec<Item> {
    let mut found = Vec::new();
    for sentence in prompt.sentences.iter().filter(|_| !known.is_empty()) {
        let Some(id) = taken_back(&sentence.lower).and_then(|named| only(known, |old| Sides::of(old).is_about(&named)))
        else {
            continue;
        };
        let evidence = vec![quote(sentence.raw, prompt)];
        let item = Item { summary: capital(&sentence.plain), evidence, replaces: vec![id], ..Item::default() };
        found.push(item);
    }
    found
}

/// What a sentence takes back by its name.
pub fn taken_back(lower: &str) -> Option<Vec<String>> {
    let named = TAKEN_BACK.group(lower).or_else(|| BAD.group(lower))?;
    Some(words(named)).filter(|words| !words.is_empty())
}

/// Of "redis was a bad idea, let's use files" what was bad, and the place in the text where the rest begins.
pub fn bad_before(lower: &str) -> Option<(&str, usize)> {
    let rest = BAD.behind(lower)?.trim_start_matches([',', ';', ' ', '—', '–', '-', ':']);
    Some((BAD.group(lower)?, lower.len().saturating_sub(rest.len()))).filter(|_| !rest.is_empty())
}

/// Of "let's not use X, use Y" both, and of "let's drop X" the one.
pub fn dropped(lower: &str) -> Option<(&str, &str)> {
    let end = |text: &str| text.trim_end_matches([',', ';', ' ', '—', '–', '-', ':']).len();
    if let (Some(dropped), Some(chosen)) = (FROM_TO.group(lower), FROM_TO.behind(lower)) {
        return Some((dropped, chosen));
    }
    let dropped = DROPS.behind(lower)?;
    let before = BUT_USE.before(dropped).unwrap_or(dropped);
    Some((before.get(..end(before)).unwrap_or(before), BUT_USE.behind(dropped).unwrap_or_default()))
}

/// The title of the commit that a commit of this title takes back.
pub fn reverted(title: &str) -> Option<&str> {
    title.strip_prefix("Revert \"")?.strip_suffix('"')
}

/// The known decisions that a commit made, by its title.
pub fn of_commit(title: &str, known: &[&Item]) -> Vec<String> {
    let title = words(title);
    let made = |old: &&&Item| {
        let said = words(&format!("{} {} {}", old.summary, old.context, old.rationale));
        let common = title.iter().filter(|word| said.contains(word)).count();
        title.len() > 1 && text::share(common, title.len()) >= SHARE
    };
    known.iter().filter(made).map(|old| old.id.clone()).collect()
}

fn only(known: &[&Item], is_meant: impl Fn(&Item) -> bool) -> Option<String> {
    let mut meant = known.iter().filter(|old| is_meant(old));
    let first = meant.next()?;
    meant.next().is_none().then(|| first.id.clone())
}

/// What is named first: neither why nor what comes next.
fn first_part(text: &str) -> String {
    let lower = text.to_lowercase();
    let named = BECAUSE.before(&lower).unwrap_or(&lower);
    let named = OVER.before(named).unwrap_or(named);
    named.split([',', ';', '(']).next().unwrap_or(named).to_owned()
}

/// The words that name something, in lower case and without the sign of a plural.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let all = lower.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '"' | '`'));
    let all = all.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).trim_end_matches("'s"));
    let all = all.filter(|word| !word.is_empty() && !text::is_stop_word(word) && !CHOOSING.is_in(word));
    all.map(|word| text::without_marks(word.strip_suffix('s').filter(|word| word.len() > 2).unwrap_or(word))).collect()
}

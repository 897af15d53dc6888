//! Memories: what the user asked to be remembered, wants always or never, and prefers. Nothing that only reports what a
//! program does is one.

use super::continue_prompt::goes_on;
use super::patterns::{says, signal};
use super::sentences::{self, CUT, PASTE, Sentence, Turn, Utterance};
use super::{capital, is_sentence, quote};
use crate::base::text;
use crate::record::gists::Gists;
use crate::record::item::{Item, ItemKind};

/// Words of a name.
const NAME_WORDS: usize = 6;

/// A sentence behind a wish of no more words can be about it.
const SHORT_WORDS: usize = 5;
/// The most words of an aside between commas, and how one begins that is the user's.
const ASIDE_WORDS: usize = 6;
/// The most words of "from this point on".
const LEAD_WORDS: usize = 4;
/// What joins the last two of a list.
const JOINED: [&str; 5] = [" and ", " or ", " y ", " o ", "and "];

/// Each memory once; said again in other words, the last wording stands.
pub fn find(turns: &[Turn<'_>]) -> Vec<Item> {
    let (mut found, mut said): (Vec<Option<Item>>, _) = (Vec::new(), Gists::default());
    for prompt in turns.iter().filter_map(|turn| turn.prompt.as_ref()) {
        if is_doubtful(&prompt.message.text, &prompt.sentences) {
            continue;
        }
        let mut led: Option<Led<'_>> = None;
        for sentence in &prompt.sentences {
            if let Some(memory_type) = lead(&sentence.lower) {
                led = Some(Led { memory_type, raw: sentence.raw, is_list: None });
                continue;
            }
            led = led.and_then(|led| led.with(sentence, &prompt.message.text));
            let Some(item) = memory(sentence, prompt, led.as_ref()) else { continue };
            said.all(&item.body).for_each(|at| found[at] = None);
            said.push(&item.body);
            found.push(Some(item));
        }
    }
    found.into_iter().flatten().collect()
}

/// What kind of memory a wish is that is only said to come: "From now on:".
pub fn lead(lower: &str) -> Option<&'static str> {
    let lead = lower.trim_end_matches([':', ' ']);
    wish(lead).filter(|_| lead.split(' ').count() <= LEAD_WORDS && says("own-lead", lead))
}

/// What stands below "From now on:": the points of a list, or one line.
struct Led<'a> {
    memory_type: &'static str,
    /// The line above.
    raw: &'a str,
    /// Whether its lines are points of a list; None before the first one.
    is_list: Option<bool>,
}

impl Led<'_> {
    /// With one more line; None where that does not belong to it.
    fn with(mut self, sentence: &Sentence<'_>, text: &str) -> Option<Self> {
        let is_point = sentences::is_point(sentence.raw);
        let before = text.find(sentence.raw).and_then(|at| text.get(..at)).unwrap_or("").trim_end_matches([' ', '\t']);
        let is_below = before.ends_with('\n') && !before.ends_with("\n\n");
        let asks = says("own-asks", &sentence.lower) || wish(&sentence.lower).is_some();
        let goes_on = self.is_list.is_none_or(|is_list| is_list && is_point);
        self.is_list = Some(is_point);
        (is_below && asks && goes_on).then_some(self)
    }
}

fn memory(sentence: &Sentence<'_>, prompt: &Utterance<'_>, led: Option<&Led<'_>>) -> Option<Item> {
    let lower = &sentence.lower;
    // "Remember: tabs" says it in two words.
    let short = lower.split_whitespace().count() < 3 && !lower.contains(": ");
    if !is_sentence(&sentence.plain) || short && led.is_none() {
        return None;
    }
    let memory_type = wish(lower).or(led.map(|led| led.memory_type))?;
    let tag = signal("own-tag").before(lower).and_then(|before| lower.get(before.len()..)).unwrap_or("");
    let body = sentence.plain.get(..sentence.plain.len() - tag.len()).unwrap_or(&sentence.plain);
    let body = body.trim_start_matches("and ").trim_start_matches("And ");
    let evidence = led.map(|led| led.raw).into_iter().chain([sentence.raw]).map(|raw| quote(raw, prompt)).collect();
    Some(Item { evidence, ..named(capital(body), memory_type) })
}

/// Whether what a prompt wishes may be another person's. Text that a person copies looks as if it were typed, and the ways
/// to say so have no end ("Bob answered me. Always …", "… That is from the wiki."). So wishes count only in a
/// prompt in which each sentence is a wish or asks the agent for something, and nothing but a paste of the client's is
/// introduced by a colon. Without what others say in it, see [`super::own_words::own`].
pub fn is_doubtful(own: &str, sentences: &[Sentence<'_>]) -> bool {
    let is_wish = |one: &Sentence<'_>| wish(&one.lower).is_some();
    let Some(first) = sentences.iter().position(is_wish) else { return false };
    let has_paste = own.contains(PASTE);
    let is_own = |(at, one): (usize, &Sentence<'_>)| {
        if at == first || at > first && is_wish(one) {
            return true;
        }
        // "Thoughts?", "Make it shorter.", and before it "Is it true?"
        let is_short = one.plain.split_whitespace().count() <= SHORT_WORDS;
        let is_question = one.raw.ends_with('?') && (at > first || says("own-is-true", &one.lower));
        if is_short && (is_question || at > first && one.lower.split(' ').any(|word| word == "it")) {
            return false;
        }
        let asks = || says("own-asks", &one.lower) || one.raw.ends_with('?');
        let introduces = one.raw.contains(": ") || one.raw.ends_with(':');
        let points = || says("own-points", signal("own-mends").behind(&one.lower).unwrap_or(&one.lower));
        let is_plain = || (has_paste || !introduces) && !points();
        let says_go = || goes_on(&one.plain) && one.raw.starts_with(char::is_alphabetic);
        one.raw.starts_with(PASTE) || says_go() || says("own-ack", &one.lower) || is_plain() && asks()
    };
    own.contains(CUT) || !sentences.iter().enumerate().all(is_own)
}

/// What kind of memory a sentence of the user's is, in lower case; None where it does not begin as a wish of one's own.
/// Verbs of saying are not looked for: there are too many for a list.
pub fn wish(lower: &str) -> Option<&'static str> {
    let lower = without_end(lower.trim_start_matches('¡'));
    // Most sentences have no words for a wish, and these patterns are the largest: they are asked last.
    let is_other = || says("memory-not", lower) || says("memory-of-another", lower);
    if says("memory-better", lower) {
        return (!is_other()).then_some("user");
    }
    let said = signal("memory-label").behind(lower).unwrap_or(lower);
    let (memory_type, heading) = kind(said).filter(|_| !is_other())?;
    // Few words behind a comma can name another person: "…, the vendor replied". One word, or what "and" joins, is of a list.
    let is_odd = |part: &str| {
        let count = part.split_whitespace().count();
        (2..=ASIDE_WORDS).contains(&count)
            && !JOINED.iter().any(|word| part.contains(word))
            && !says("own-aside", part.trim())
    };
    let lead = usize::from(says("own-lead", said.split(',').next().unwrap_or(said)));
    if said.split(", ").skip(1 + lead).any(is_odd) {
        return None;
    }
    let before = signal(heading).before(said)?;
    (says("memory-own", said) && !before.contains(": ") && !says("memory-told", before)).then_some(memory_type)
}

/// A wish without what may stand behind it: a word to the agent, its reason in brackets, a folder.
fn without_end(lower: &str) -> &str {
    let said = signal("own-tag").before(lower).unwrap_or(lower);
    let aside = said.strip_suffix(')').and_then(|said| said.rsplit_once(" ("));
    let said = aside.filter(|(_, aside)| says("own-reason", aside)).map_or(said, |(before, _)| before);
    signal("own-folder").before(said).unwrap_or(said)
}

/// Whether words for a wish are in a sentence, even if it is not the user's own.
pub fn may_be_wish(lower: &str) -> bool {
    kind(lower).is_some() && !says("memory-not", lower)
}

/// The first kind of memory that words are of, and the words that say so.
fn kind(lower: &str) -> Option<(&'static str, &'static str)> {
    let types = [("feedback", "memory-feedback"), ("user", "memory-preference"), ("project", "memory-project")];
    types.into_iter().find(|(_, heading)| says(heading, lower))
}

/// A memory with a name of its own first words.
fn named(body: String, memory_type: &str) -> Item {
    let words: Vec<String> = text::canonical(&body).split(' ').take(NAME_WORDS).map(str::to_owned).collect();
    Item {
        memory_type: memory_type.to_owned(),
        description: text::cut(&body, 150).into_owned(),
        body,
        ..Item::new(ItemKind::Memory, text::slug(&words.join(" ")))
    }
}

/// A text that a person wants to be remembered, as a memory, letter by letter as they wrote it ("npm", "src/x.rs"): of the type that its words are of, else of the project.
pub fn of_text(text: &str) -> Item {
    named(text.trim().to_owned(), kind(&text.to_lowercase()).map_or("project", |(memory_type, _)| memory_type))
}

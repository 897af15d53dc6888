//! Decisions: a choice of the user, in a sentence ("let's go with symlinks") or in a word ("option
//! 2", which the agent's list explains), or one that the agent calls a decision and the user did not
//! reject. The later one wins; what was reverted is gone; a recommendation is none.

use super::choice::{Choice, NEAR_TURNS, without_fillers, words};
use super::sentences::{Sentence, Signal, Turn, Utterance, plain};
use super::{capital, is_sentence, quote, short_answers};
use crate::base::text;
use crate::record::item::Item;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The most decisions that one session gives: the last ones.
const DECISIONS: usize = 12;
/// The share of what was chosen that a sentence about it has.
const SHARE: f64 = 0.5;
/// The longest alternative, in characters.
const ALTERNATIVE_CHARS: usize = 160;

/// A choice.
static CHOICE: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"^let'?s (?:just |rather |instead |also |now |all )?(?:go (?:ahead )?with|use|switch (?:back )?(?:to|from)|stick (?:with|to)|keep|drop|adopt|rename|replace|default to|standardi[sz]e on|settle on|not (?:use|add|do|support|include))\b",
        r"^(?:i|we)(?:'d| would|'ll| will) (?:rather |just |definitely |probably not )?(?:go with|stick (?:with|to)|use|keep|drop|rename|replace|remove|switch to|choose|pick|not (?:use|do|add|support|include))\b",
        r"^(?:i|we) (?:choose|pick|decided (?:to|on|that|against)|have decided|settled on|(?:should|can) (?:just )?(?:use|go with|switch to|stick (?:with|to)|keep|drop|rename|replace|move to|default to)|wouldn't (?:do|use|add))\b",
        r"^we(?:'re| are) (?:going with|sticking with|switching to|moving to|dropping|keeping)\b",
        r"^(?:going|go) (?:ahead )?with\b",
        r"^we (?:do|go) [\w-]+(?:-first\b| first\b|-only\b)",
        r"^we (?:really |explicitly |definitely )?(?:don't|do not) want\b",
        r"^i (?:want|wanted) .{3,80}\bby default\b",
        r"^(?:use|keep|drop|rename|replace|switch to|prefer) .{2,120}\b(?:instead of|rather than|over|and not)\b",
        r"^(?:keep|leave) .{3,80}\bbut (?:remove|drop|delete|rename)\b",
        r"(?:\bis |\bthat'?s )(?:already )?settled\b",
        r"^let'?s (?:(?:stay|remain) (?:in|on|with|at)|go (?:for|back to)|skip)\b",
        r"^skip (?:the )?[\w/.-]+(?: [\w/.-]+)?(?:,| because| altogether| entirely| completely)",
        r"^keep .{3,80}\b(?:exactly )?as (?:is|it is|they are)\b",
        r"^(?:keep|leave|put) .{2,60}, (?:the )?rest\b",
        r"^(?:use|usa|usemos) .{3,60} (?:instead|only|y ya|nada más|y listo)\b",
        r"\b(?:lo|la|los|las) (?:quitamos|sacamos|dejamos) (?:fuera|del alcance)\b",
        r"\b(?:is|are|leave .{2,40}) out of scope\b",
        r", nos quedamos con\b",
        r"^(?:venga,? )?(?:cámbialo|cambialo) (?:por|a)\b",
        r"^(?:final )?decision:",
        r"^(?:usemos|usaremos|vamos (?:con|a usar)|nos quedamos con|quedémonos con|cambiemos (?:a|de)|pasemos a|mantengamos|mantenemos|descartemos|descartamos|decidimos|decidí|hemos decidido|optamos por|elegimos|elijo|me quedo con|mejor (?:usamos|usemos|usa|con)|no usemos|hagámoslo con|renombremos|reemplacemos|adoptemos)\b",
        r"^(?:prefiero|quiero) (?:usar|que usemos|que sea)\b",
        r"^(?:usa|usar|dejemos|deja|cambia) .{2,120}\ben (?:vez|lugar) de\b",
        r"^(?:queda )?decidido:?",
        r"^decisión:",
    ])
});
/// What turns a choice into something else.
static NO_CHOICE: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"\?$",
        r"^\S+ (?:use|keep|drop|go with|switch to) (?:it|this|that|these|those|them|what\b.*)$",
        r"^(?:let'?s )?(?:keep|go) (?:going|on|it up|in mind|an eye|working|ahead)\b",
        r"\bto (?:see|check|reproduce|find out|debug|confirm|verify|figure)\b|\bpara (?:ver|comprobar|confirmar|reproducir|depurar)\w*\b",
        r"\band (?:profile|re-?run|retry|try again|see|check|push)\b",
        r"^(?:i|we)(?:'ll| will) (?:keep|drop) (?:you|u|him|her|them)\b",
        r"\bkeep an open\b|\b(?:today|right now)$",
        r"^we(?:'re| are) (?:moving|switching) to (?:the next|another|a different)\b",
        r"^vamos con (?:el|la|lo|los|las) (?:siguiente|próxim|otr|demás|primer|segund|últim)",
        r"\b(?:up to you|your call|tú decides|como prefieras|lo que prefieras)\b",
        r"\b(?:last (?:year|month|time)|(?:years?|months?) ago|back then|was a mistake|fue un error|hace (?:años|meses|un año))\b",
        r"^(?:once|until|till|when|if|after|cuando|hasta que|si) ",
        r"\bkeep (?:in mind|going|working|on|an eye|me|trying|digging)\b",
        r"\b(?:for now|por ahora)$",
        r"\b(?:use|keep|usa|usemos) (?:it|this|that|these|those|them|eso|esto)$",
        r"\bwhat we (?:learned|have|found)\b",
        r"\b(?:something|anything|algo|cualquier cosa)\b",
        r"\b(?:what if|why|how about|wondering)\b",
    ])
});
/// The later choice takes the place of the one before.
static OR_NO: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"^(?:(?:hm+|m{2,}|oh|ugh|ok|so|yeah)[,.]* )*(?:or no\b|no,|no wait|wait\b|espera\b|lo pensé mejor|actually,? |on second thou?ght|scratch that|never ?mind|i changed my mind|changed my mind|forget (?:it|that)|mejor no\b|en realidad|no, mejor|olvida)",
    ])
});
/// What was done is to be undone.
static REVERT: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"^(?:can you |could you |please |let'?s |no,? |ok,? |actually,? )*(?:revert|undo|roll back|rollback|back out|backout)\b",
        r"\b(?:revert|undo|roll back) (?:this|that|it|the (?:last )?(?:change|commit))\b",
        r"^(?:por favor,? |puedes |no,? |mejor )*(?:revierte|revertir|revertí|deshaz|deshacer|deshacé)\b",
    ])
});
/// The agent's word for a decision.
static CALLED: LazyLock<Signal> =
    LazyLock::new(|| Signal::any(&[r"^(?:final |the )?(?:decision|decisión)(?: made| final| tomada)?:\s*"]));
/// A word that takes the place of what was chosen before.
static AFTER_ALL: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"^(?:(?:ugh|ok|hm+|no|too \w+)[,.]* )*(?:then|entonces|mejor) [\w.-]+(?: [\w.-]+)?$",
        r"^(?:(?:ugh|ok|hm+|no)[,.]* )*[\w.-]+(?: [\w.-]+)? (?:then|after all|entonces)$",
        r"\b(?:go(?:ing)?|switch|change|vuelve|volvemos|volvamos) back to\b",
        r"\bback (?:to|on) [\w.-]+(?: then)?$",
    ])
});
/// What is undecided.
static UNDECIDED: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"\b(?:to be (?:filled|decided|made|discussed|confirmed|determined)|tbd|whether|is yours|pending|por decidir|pendiente)\b",
    ])
});
/// What the agent leaves as it is, and why.
static LEAVES: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"\bso i(?:'m| am) (?:leaving|skipping|keeping) (?:it|that|this|them|those|these|both)\b",
        r"^(?:i(?:'ve|'m)? )?(?:deliberately |intentionally )?(?:left|leaving|skipped|skipping|kept|keeping) .{3,120}\b(?:because|since)\b",
        r"^i (?:deliberately |intentionally )?(?:didn't|did not) (?:add|change|touch|script|include|convert|migrate|remove|rename|port|bump|merge) .{3,120}\b(?:because|since|as)\b",
        r"\b(?:lo|la|los|las) (?:dejo|dejé|mantengo) (?:como está|como están|igual|así)\b.*\b(?:porque|ya que|pues)\b",
    ])
});
/// The user does not take it.
static REJECTS: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"^(?:no\b|nope|nah|not\b|don't|do not|wait|hm+|i don't|i'd rather|rather|instead|actually|stop|why|mejor|espera|pero)",
        r"\binstead\b",
    ])
});
/// What was not chosen, in the same sentence.
static OVER: LazyLock<Signal> =
    LazyLock::new(|| Signal::any(&[r"\b(?:instead of|rather than|and not|,? not|en vez de|en lugar de|y no|over)\b "]));
/// Why, in the same sentence.
static BECAUSE: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[r"\b(?:because|since|so that|so we|porque|para que|ya que|as it|as they|as we)\b "])
});
/// A sentence that gives a reason.
static REASON: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"\b(?:because|since|so that|avoids?|costs?|keeps?|simpler|simplest|safer|faster|cheaper|cleaner|means|reduces|without|only one that|porque|ya que|evita|cuesta|más (?:simple|seguro|rápido|barato))\b",
    ])
});
/// What the agent says it does next gives no reason.
static DOING: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[r"^(?:let me|i'll|i will|now\b|first\b|risk\b|ok\b|option\b|déjame|voy a|ahora)", r"\?$"])
});
/// What was to be chosen from.
static OPTIONS: LazyLock<Signal> =
    LazyLock::new(|| Signal::any(&[r"\b(?:options|alternatives|choices|opciones|alternativas) (?:are|son|were):? "]));

/// The decisions that stand at the end, in order.
pub fn find(turns: &[Turn<'_>]) -> Vec<Item> {
    let mut made: Vec<Choice> = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| turns.get(at));
        if let Some(prompt) = &turn.prompt {
            withdraw(&mut made, prompt, at);
            let terse = short_answers::of_list(prompt, turns.get(..at).unwrap_or_default());
            let terse = terse.or_else(|| short_answers::of_two(prompt, before?, at));
            match terse {
                Some(decision) => put(&mut made, decision),
                None => by_user(prompt, before, at).into_iter().for_each(|decision| put(&mut made, decision)),
            }
        }
        let next = at.checked_add(1).and_then(|at| turns.get(at));
        for decision in by_agent(turn, next, at).into_iter().chain(short_answers::of_answers(turn, at)) {
            put(&mut made, decision);
        }
    }
    let first = made.len().saturating_sub(DECISIONS);
    made.into_iter().skip(first).map(|made| made.item).collect()
}

/// Takes out what the user takes back.
fn withdraw(made: &mut Vec<Choice>, prompt: &Utterance<'_>, at: usize) {
    let Some(first) = prompt.sentences.first() else { return };
    let near = |made: &Choice| at.saturating_sub(made.turn) <= NEAR_TURNS;
    if OR_NO.is_in(&first.lower) && made.last().is_some_and(near) {
        made.pop();
    }
    if prompt.sentences.iter().any(|sentence| AFTER_ALL.is_in(&sentence.lower)) && made.last().is_some_and(near) {
        made.pop();
    }
    if let Some(undo) = prompt.sentences.iter().find(|sentence| REVERT.is_in(&sentence.lower)) {
        let meant = text::meaning(&undo.plain);
        let named =
            |made: &Choice| made.chosen.iter().any(|word| meant.stems.contains(word) || meant.fixed.contains(word));
        if made.iter().any(named) {
            made.retain(|made| !named(made));
        } else if made.last().is_some_and(near) {
            made.pop();
        }
    }
}

/// Adds a decision; what it takes the place of goes.
fn put(made: &mut Vec<Choice>, new: Choice) {
    let over: BTreeSet<String> = new.item.alternatives.iter().flat_map(|text| words(text)).collect();
    made.retain(|old| {
        let same_list = new.list.is_some() && old.list == new.list;
        let reversed =
            !over.is_empty() && old.chosen.iter().any(|word| over.contains(word) && !new.chosen.contains(word));
        let same = text::jaccard(&old.chosen, &new.chosen) >= 0.5;
        !(same_list || same || reversed && new.list.is_none())
    });
    made.push(new);
}

/// The choices that a prompt says in sentences.
fn by_user(prompt: &Utterance<'_>, before: Option<&Turn<'_>>, turn: usize) -> Vec<Choice> {
    let mut found = Vec::new();
    for sentence in &prompt.sentences {
        let (plain, lower) = said_for_sure(without_fillers(sentence));
        if !CHOICE.is_in(&lower) || NO_CHOICE.is_in(&lower) || !is_sentence(&plain) {
            continue;
        }
        let mut item = item_of(&plain, &lower);
        item.evidence.push(quote(sentence.raw, prompt));
        let chosen = words(OVER.before(&plain).unwrap_or(&plain));
        if chosen.is_empty() {
            continue;
        }
        if let Some(before) = before {
            explain(&mut item, &chosen, before);
        }
        found.push(Choice { item, turn, chosen, list: None });
    }
    found
}

/// Of "I wouldn't do a, but should we do b?" the part that is not a question.
fn said_for_sure((plain, lower): (String, String)) -> (String, String) {
    static BUT_ASKS: LazyLock<Signal> = LazyLock::new(|| {
        Signal::any(&[r",? (?:but|pero) (?:should|can|could|do|does|what|how|is|would|shall|maybe|qué|cómo|podemos)\b"])
    });
    let Some(sure) = lower.ends_with('?').then(|| BUT_ASKS.before(&lower)).flatten() else { return (plain, lower) };
    (plain.chars().take(sure.chars().count()).collect(), sure.to_owned())
}

fn item_of(plain: &str, lower: &str) -> Item {
    let tail = |signal: &Signal| {
        let behind = signal.behind(lower)?;
        let skip = plain.chars().count().saturating_sub(behind.chars().count());
        Some(plain.chars().skip(skip).collect::<String>())
    };
    let over = tail(&OVER).map(|over| text::cut(&over, ALTERNATIVE_CHARS).into_owned());
    Item {
        summary: capital(plain),
        alternatives: over.into_iter().collect(),
        rationale: tail(&BECAUSE).unwrap_or_default(),
        ..Item::default()
    }
}

/// What the agent said about the chosen: its own statement of the decision, its reasons, the options.
fn explain(item: &mut Item, chosen: &BTreeSet<String>, before: &Turn<'_>) {
    let common = |sentence: &Sentence<'_>| words(&sentence.plain).intersection(chosen).count();
    let about = |sentence: &&Sentence<'_>| text::share(common(sentence), chosen.len()) >= SHARE;
    for answer in before.said() {
        let called = answer.sentences.iter().filter(|sentence| CALLED.is_in(&sentence.lower));
        let called = called.into_iter().find(|sentence| common(sentence) > 0);
        if let Some(sentence) = called {
            item.summary = capital(&statement(sentence));
            item.evidence.insert(0, quote(sentence.raw, answer));
        }
        let reasons = |sentence: &&Sentence<'_>| {
            REASON.is_in(&sentence.lower) && !DOING.is_in(&sentence.lower) && !CALLED.is_in(&sentence.lower)
        };
        let reason = answer.sentences.iter().filter(reasons).rev().find(about);
        if let Some(reason) = reason.filter(|reason| is_sentence(&reason.plain)) {
            item.rationale.is_empty().then(|| item.rationale.clone_from(&reason.plain));
            if item.evidence.len() < 2 {
                item.evidence.push(quote(reason.raw, answer));
            }
        }
    }
    let options = before.asked().iter().find_map(|sentence| OPTIONS.behind(&sentence.lower).map(str::to_owned));
    if let Some(options) = options
        && item.alternatives.is_empty()
    {
        let parts = options.split([',', ';']).flat_map(|part| part.split(" or ")).map(|part| plain(part.trim()));
        let others = parts.map(|part| part.trim_start_matches("or ").to_owned());
        item.alternatives = others.filter(|part| !part.is_empty() && words(part).is_disjoint(chosen)).take(6).collect();
    }
    if item.context.is_empty() {
        item.context = before.situation();
    }
}

fn statement(sentence: &Sentence<'_>) -> String {
    sentence.plain.split_once(':').map_or(sentence.plain.as_str(), |(_, rest)| rest.trim()).to_owned()
}

/// What the agent calls a decision, unless the user's next words reject it.
fn by_agent(turn: &Turn<'_>, next: Option<&Turn<'_>>, at: usize) -> Vec<Choice> {
    let rejected = next.and_then(|next| next.asked().first()).is_some_and(|first| REJECTS.is_in(&first.lower));
    if rejected {
        return Vec::new();
    }
    let mut found = Vec::new();
    for answer in turn.said() {
        let leaves = |sentence: &&Sentence<'_>| {
            LEAVES.is_in(&sentence.lower) && !UNDECIDED.is_in(&sentence.lower) && is_sentence(&sentence.plain)
        };
        for sentence in answer.sentences.iter().filter(leaves) {
            let mut item = item_of(&sentence.plain, &sentence.lower);
            item.evidence.push(quote(sentence.raw, answer));
            found.push(Choice { item, turn: at, chosen: words(&sentence.plain), list: None });
        }
        for sentence in answer.sentences.iter().filter(|sentence| CALLED.is_in(&sentence.lower)) {
            let plain = statement(sentence);
            if is_sentence(&plain) && !UNDECIDED.is_in(&plain.to_lowercase()) {
                let mut item = item_of(&plain, &plain.to_lowercase());
                item.evidence.push(quote(sentence.raw, answer));
                let chosen = words(OVER.before(&plain).unwrap_or(&plain));
                found.push(Choice { item, turn: at, chosen, list: None });
            }
        }
    }
    found
}

//! Failures: a cause that the agent states without hedging, in a turn that ends mended, and that
//! neither a later word of its own nor the user's next turn takes back. Of several causes in a turn
//! the last stands. A tool's error by itself is not a failure.

use super::sentences::{Sentence, Signal, Turn, Utterance};
use super::{capital, is_sentence, quote};
use crate::base::text;
use crate::record::item::Item;
use crate::record::message::{Action, ToolUse};
use std::sync::LazyLock;

/// What broke and why.
static CAUSE: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"^(?:the |so the |found it: the )?(?:\w+ )?root cause(?: of [^:]{1,60})?(?: is| was|:)",
        r"\bthe (?:actual |real |underlying |core )?(?:bug|problem|issue|culprit|cause)(?: here)?(?: is| was) that\b",
        r"\bthe (?:actual |real |underlying )?(?:bug|problem|issue|culprit|cause)(?: here)? was\b",
        r"\b(?:fails?|failed|failing|was failing|were failing|broke|breaks|broken|crash(?:es|ed)|hangs|hung|errored)\b.{0,60}\bbecause\b",
        r"\b(?:was|were|is|are) caused by\b",
        r"\bla causa(?: raíz)?(?: del \w+)?(?: es| era| fue|:)",
        r"\bel (?:problema|error|fallo|bug)(?: \w+){0,2} (?:es|era|fue) que\b",
        r"\b(?:falla|fallaba|fallaban|falló|fallaron|se rompe|se rompía|se rompió)\b.{0,60}\bporque\b",
        r"\b(?:se debía a|se debe a) que\b",
    ])
});
/// What is not said with certainty, or of something else.
static HEDGE: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"\b(?:might|may|maybe|probably|possibly|likely|perhaps|could|would|should be|seems?|suspect|i think|i believe|if|whether|unless|expected|is clear|not the|isn't|wasn't the)\b",
        r"\b(?:bug|problem|issue|error|cause)s? (?:was|were|is) (?:already |first |then )?(?:fixed|reported|closed|introduced|opened|solved|resolved|filed|raised|found|known|mentioned|discussed|discovered)\b",
        r"\b(?:the|that|this|my|last) (?:edit|command|search|grep|sed|replacement|read|tool call|call|glob|first try|attempt)s? (?:was |were )?(?:fail|error|broke|reject)",
        r"\b(?:because|that) (?:i|my)\b",
        r"\byet\b|\b(?:todavía|aún) no\b",
        r"\b(?:upstream|per their|their tracker|according to|según)\b",
        r"^an? \w+ (?:breaks|fails|crashes)\b",
        r"\b(?:quizá|quizás|tal vez|probablemente|podría|creo que|parece|supongo|si es)\b",
        r"\?$",
    ])
});
/// A cause is taken back.
static TAKEN_BACK: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"\bi was wrong\b",
        r"\bmy (?:earlier |previous |initial )?(?:diagnosis|theory|assumption|hypothesis|explanation) was\b",
        r"\b(?:that|it|this) (?:wasn't|was not|isn't|is not) (?:it|the (?:cause|issue|problem|bug|reason|root cause))\b",
        r"\bthe (?:real|actual) (?:cause|issue|problem|bug|reason|culprit)\b",
        r"\b(?:root cause|diagnosis) is now wrong\b",
        r"\bred herring\b",
        r"^(?:scratch that|i take that back|i spoke too soon|i misread|forget that)\b|\b(?:theory|diagnosis) (?:doesn't|does not|didn't) hold\b",
        r"\bme equivoqué\b",
        r"\b(?:no era|no es) (?:eso|esa|ese|la causa|el problema)\b",
        r"\bla verdadera causa\b",
    ])
});
/// The user knows better.
static TURNS_OUT: LazyLock<Signal> =
    LazyLock::new(|| Signal::any(&[r"\b(?:turns out|turned out|resultó (?:que|ser)|al final (?:era|fue))\b"]));
/// The agent says that it is mended.
static MENDED: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"\b(?:fixed|fixes|passes|pass|passed|passing|resolved|succeeds|succeeded|green|verified|works now|now works|working now|is working|committed|done|corrected)\b",
        r"\b(?:arreglado|arreglada|arreglé|corregido|corregida|corregí|pasa|pasan|pasaron|funciona|resuelto|solucionado|listo|verificado)\b",
    ])
});
/// The mend itself.
static MEND: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"^(?:the |simplest |my )?(?:fix|solution|resolution)\b",
        r"^(?:fixed|resolved|solved|corrected)\b.{0,80}\b(?:by|with)\b",
        r"^(?:so )?i(?:'ve| have)? (?:added|changed|removed|replaced|switched|moved|updated|fixed|renamed|wrapped|made)\b",
        r"^(?:la )?(?:solución|corrección|arreglo)\b",
        r"^(?:agregué|añadí|cambié|quité|reemplacé|moví|corregí|arreglé)\b",
    ])
});
/// How not to meet it again.
static PREVENTION: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"\bpreventable\b",
        r"\b(?:to|would|will|should) (?:prevent|avoid) (?:this|it|that)\b",
        r"\bprevention:",
        r"\b(?:lesson|takeaway):",
        r"\b(?:next time|in (?:the )?future),",
        r"\bso (?:this|it|that) (?:can't|cannot|won't|doesn't) happen again\b",
        r"\b(?:regression test)\b",
        r"\bpara (?:evitar|prevenir|que no (?:vuelva|se repita))\b",
        r"\bla próxima vez\b",
        r"\b(?:lección|prevención):",
    ])
});
/// The user says that it is not mended.
static COMPLAINT: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"\b(?:still|again|same (?:error|issue|problem|thing)|doesn't work|does not work|didn't work|not working|isn't working|not fixed|isn't fixed|doesn't fix|didn't fix|not the (?:issue|problem|cause)|that's wrong|you're wrong|wrong|revert|undo|not true|no longer)\b",
        r"\b(?:sigue|siguen|todavía|aún|no funciona|no anda|tampoco|mismo error|no es eso|revierte|deshaz)\b",
        r"^(?:no\b|nope|nah|why|hm|nada\b|igual\b)",
        r"\b(?:no luck|no change|nothing changed|worse|as before|it's back|did ?n['o]?t (?:help|change)|doesn'?t (?:help|work|change)|didn'?t (?:help|work|change)|didnt|doesnt|isnt|wasnt|thats wrong|igual de|lo mismo|peor|no (?:cambió|ayudó|sirve|sirvió|va))\b",
    ])
});
/// Pasted output that shows an error.
static PASTED_ERROR: LazyLock<Signal> =
    LazyLock::new(|| Signal::any(&[r"\b(?:error|failed|failure|fatal|panic|exception|traceback|err!)\b"]));
/// A cause beside its effect, in a sentence that has no other word for it.
static SO: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[r", so (?:it|the|that|they|we|every)\b", r"\bbecause\b", r"\bporque\b", r", así que\b"])
});

/// A prompt up to this many characters that follows a diagnosis is taken for "mend it".
const GO_AHEAD_CHARS: usize = 120;

/// The failures, at most one a turn.
pub fn find(turns: &[Turn<'_>]) -> Vec<Item> {
    let mut found: Vec<Item> = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        let next = at.checked_add(1).and_then(|at| turns.get(at));
        if turn.said().flat_map(|answer| &answer.sentences).any(|sentence| TAKEN_BACK.is_in(&sentence.lower)) {
            // What an earlier turn found is doubtful from here on, when it speaks of the same.
            let words = text::meaning(&turn.said().map(|answer| answer.message.text.as_str()).collect::<String>());
            found.retain(|item| {
                let known = text::meaning(why(item));
                let shared = known.stems.intersection(&words.stems).count();
                text::share(shared, known.stems.len()) < 0.5
            });
        }
        if let Some(sentence) = turn.asked().iter().find(|sentence| TURNS_OUT.is_in(&sentence.lower)) {
            let words = text::meaning(&sentence.plain);
            found.retain(|item| text::meaning(why(item)).stems.is_disjoint(&words.stems));
        }
        let after = turns.get(at.saturating_add(2));
        let mending = if after.is_some_and(complains) { None } else { next };
        if !next.is_some_and(complains) {
            found.extend(failure(turn, mending));
        }
    }
    found
}

/// Whether the user's next turn says that it is not mended.
fn complains(next: &Turn<'_>) -> bool {
    let Some(prompt) = &next.prompt else { return false };
    let lower = prompt.message.text.to_lowercase().replace('’', "'");
    let pasted = lower.contains('❯') || lower.contains("```") || lower.lines().count() > 8;
    let head: String = lower.chars().take(300).collect();
    COMPLAINT.is_in(&head) || pasted && PASTED_ERROR.is_in(&lower)
}

/// A sentence of a turn: in which answer, and the sentence.
type Spoken<'t, 'a> = (usize, &'t Utterance<'a>, &'t Sentence<'a>);

fn failure(turn: &Turn<'_>, next: Option<&Turn<'_>>) -> Option<Item> {
    let all: Vec<Spoken<'_, '_>> = turn
        .answers
        .iter()
        .enumerate()
        .flat_map(|(at, answer)| answer.sentences.iter().map(move |sentence| (at, answer, sentence)))
        .collect();
    let prevention = all.iter().rev().find(|(_, _, sentence)| PREVENTION.is_in(&sentence.lower));
    let stated = all.iter().rposition(|(_, _, sentence)| is_cause(sentence));
    let cause_at = match stated {
        Some(at) => at,
        None => behind_error(turn, &all, prevention?)?,
    };
    let (answer_at, answer, cause) = *all.get(cause_at)?;
    let after = all.get(cause_at.saturating_add(1)..).unwrap_or_default();
    if after.iter().any(|(_, _, sentence)| TAKEN_BACK.is_in(&sentence.lower))
        || !is_mended(turn, &all, answer_at) && !next.is_some_and(mends)
    {
        return None;
    }
    // "I added:" says nothing without the list behind it.
    let says = |sentence: &Sentence<'_>| is_sentence(&sentence.plain) && !sentence.raw.trim_end().ends_with(':');
    let mend = after.iter().find(|(_, _, sentence)| MEND.is_in(&sentence.lower) && says(sentence));
    let plain_of =
        |said: Option<&Spoken<'_, '_>>| said.map(|(_, _, sentence)| sentence.plain.clone()).unwrap_or_default();
    let mut item = Item {
        summary: capital(&cause.plain),
        root_cause: reason(cause),
        resolution: plain_of(mend),
        prevention: plain_of(prevention),
        evidence: vec![quote(cause.raw, answer)],
        ..Item::default()
    };
    item.evidence.extend(mend.map(|(_, answer, sentence)| quote(sentence.raw, answer)));
    item.evidence.extend(prevention.map(|(_, answer, sentence)| quote(sentence.raw, answer)));
    Some(item)
}

fn is_cause(sentence: &Sentence<'_>) -> bool {
    CAUSE.is_in(&sentence.lower) && !HEDGE.is_in(&sentence.lower) && is_sentence(&sentence.plain)
}

/// The last diagnosis right behind a tool's error, in a turn that names how to prevent it.
fn behind_error(turn: &Turn<'_>, all: &[Spoken<'_, '_>], prevention: &Spoken<'_, '_>) -> Option<usize> {
    let at_error = |at: usize| {
        let before = turn.answers.iter().take(at).rev().map(|answer| answer.message);
        before.take_while(|message| !message.is_conversation()).any(|message| message.is_error)
    };
    all.iter().rposition(|(at, _, sentence)| {
        *at < prevention.0 && SO.is_in(&sentence.lower) && !HEDGE.is_in(&sentence.lower) && at_error(*at)
    })
}

/// A turn that is asked for in a few words, edits, and then says that it is well.
fn mends(turn: &Turn<'_>) -> bool {
    let short = |prompt: &Utterance<'_>| prompt.message.text.chars().nth(GO_AHEAD_CHARS).is_none();
    let mut tools = turn.answers.iter().flat_map(|answer| &answer.message.tools);
    let mut said = turn.said().flat_map(|answer| &answer.sentences);
    turn.prompt.as_ref().is_some_and(short)
        && tools.any(ToolUse::edits)
        && said.any(|sentence| MENDED.is_in(&sentence.lower))
}

/// Whether something was changed in the turn and the agent then says that it is well.
fn is_mended(turn: &Turn<'_>, all: &[Spoken<'_, '_>], cause: usize) -> bool {
    let changed = turn
        .answers
        .iter()
        .flat_map(|answer| &answer.message.tools)
        .any(|tool| tool.edits() || matches!(tool.action, Action::Run(_)));
    changed && all.iter().any(|(at, _, sentence)| *at >= cause && MENDED.is_in(&sentence.lower))
}

/// Why something broke: its cause, or its one sentence.
fn why(item: &Item) -> &str {
    if item.root_cause.is_empty() { &item.summary } else { &item.root_cause }
}

/// The part of the sentence that says why; "" where the whole sentence does, which is told already.
fn reason(cause: &Sentence<'_>) -> String {
    static WHY: LazyLock<Signal> = LazyLock::new(|| {
        Signal::any(&[
            r"\b(?:because|porque|is that|was that|caused by|era que|fue que|es que)\b ",
            r"root cause[^:]{0,30}: ",
            r"causa[^:]{0,30}: ",
        ])
    });
    let Some(behind) = WHY.behind(&cause.lower) else { return String::new() };
    let skip = cause.plain.chars().count().saturating_sub(behind.chars().count());
    capital(&cause.plain.chars().skip(skip).collect::<String>())
}

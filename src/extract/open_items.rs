//! What is open at the end: the last state of the agent's own list, unchecked boxes and lists of what
//! is left in the last answer, a last request that nobody answered. An offer ("want me to …?") is
//! nothing open. What was open before stays open until the session says that it was done.

use super::closing::Commits;
use super::going_on::goes_on;
use super::heard::Heard;
use super::open_lists::{left, says_nothing_is_left};
use super::sentences::{self, Sentence, Signal, Turn, Utterance};
use super::talk::Talk;
use super::{capital, quote};
use crate::base::text;
use crate::record::item::{Evidence, Gist, Item};
use crate::record::message::{Action, Message, Role, TodoChange, ToolUse};

/// Prompts after which the agent's list is stale.
const FRESH_PROMPTS: usize = 2;
/// The most open items.
const ITEMS: usize = 20;
/// The longest open item, in characters.
const ITEM_CHARS: usize = 240;
/// What was open before the session.
#[derive(Debug, Default)]
pub struct Earlier<'a> {
    /// The items.
    pub items: &'a [String],
    /// Whether this very session wrote them, before it grew.
    pub own: bool,
    /// What the client wrote when nobody spoke any more.
    pub recap: Option<super::Recap<'a>>,
    /// The decisions that hold, with their ids.
    pub decisions: &'a [&'a Item],
    /// What tools said first; nothing where that was not looked for.
    pub heard: Option<&'a Heard>,
}

/// A point of the agent's own list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    /// What is to be done.
    pub text: String,
    /// Whether it was.
    pub done: bool,
    /// The line of the record that says what.
    pub line: u64,
}

/// What says that something was done.
static DONE: Signal = Signal::any(&[
    r"\b(?:done|finished|completed?|fixed|implemented|added|merged|shipped|resolved|committed|pushed|updated|removed|deployed|wrote|written|closed|released|dropped|no longer needed|not needed)\b",
    r"\b(?:hecho|hecha|terminado|terminada|completado|completada|listo|lista|arreglado|implementado|agregado|añadido|corregido|mergeado|subido|desplegado|cerrado|ya no hace falta)\b",
]);
/// What has a word of being done in it and says that it is not.
static NOT_DONE: Signal = Signal::any(&[
    r"\?$",
    r"\b(?:not|never|no|without|yet|almost|nearly|still|until|unless|before|half|isn't|aren't|wasn't|weren't|hasn't|haven't|hadn't|don't|doesn't|didn't|can't|couldn't|won't|wouldn't|shouldn't|will be|to be|should be|must be|needs? to|going to)\b",
    r"^(?:if|when|once|after|as soon as|let's|please|i'll|i will|we'll|cuando|si|una vez|en cuanto)\b",
    r"\b(?:no|sin|nunca|todavía|aún|casi|falta|hay que)\b",
]);
/// A point that is ticked or crossed out.
static TICKED: Signal = Signal::any(&[r"^\s*[-*+] \[x\] ", r"✅|✔|~~"]);
/// A prompt that asks for nothing.
static CLOSING: Signal = Signal::any(&[
    r"^(?:(?:ok|okay|great|good|nice|perfect|cool|awesome|thanks?|thank you|thx|bye|yes|yep|no|sure|done|let's stop|we stop|stop|that's all|that's it|for today|for now|here|see you|good night|cheers|tomorrow|later|then|k|kk|ty|tnx|nah|nope|lgtm|ship it|merging(?: it)?(?: now)?|merged|closing(?: this| it| the ticket)?|looks? (?:good|great|fine)(?: to me)?|works?(?: now| fine| great)?|worked|(?:that|this)(?:'s| is)? (?:did it|works|worked)|thats (?:all|it|fine|what i needed)|that's what i needed|ah|oh|great work|no hace falta|ya (?:sale|salen|funciona|funcionan|está|va)(?: bien)?|mañana|gracias|genial|perfecto|listo|vale|bien|chau|adiós|hasta \w+|sí|si|eso es todo|por hoy|exit|quit)[ ,.!]*)+$",
]);
/// What the user does without the agent.
static OWN: Signal = Signal::any(&[
    r"^(?:i'll|i will|will (?:do|send|take|check)|(?:contesto|respondo|lo hago|la hago) yo|i'm|we'll|we will|see|talk|ya |yo |voy a|nos vemos|seguimos)\b",
]);
/// What the user wants no longer.
static DROPPED: Signal =
    Signal::any(&[r"\b(?:forget|skip|drop|leave|never ?mind|olvida|quita|quitamos|deja|sáltate)\b"]);
/// What comes before what the user does without the agent.
static LEAD: Signal = Signal::any(&[r"^(?:(?:ok|no|nah|great|thanks|gracias|vale|perfect|good|cool|thx)[,.]* )+"]);
/// An answer that only says what comes next.
static BEGINNING: Signal = Signal::any(&[
    r"^(?:(?:ok|sure|good|great|got it|understood|perfect|right)[,.!] )?(?:let me|i'll|i will|i'm going to|now |first,? |déjame|voy a|vamos a|primero)",
]);

/// The agent's own list as the tools left it, with the prompt's number (from 0) of its last change;
/// none when it was never kept or cannot be followed.
pub fn todos(messages: &[Message]) -> Option<(Vec<Todo>, usize)> {
    let mut list: Vec<Todo> = Vec::new();
    let (mut prompts, mut changed) = (0_usize, None);
    for message in messages.iter().filter(|message| !message.marks.sidechain) {
        prompts = prompts.saturating_add(usize::from(message.role == Role::User && message.is_conversation()));
        for tool in &message.tools {
            let Action::Todos(change) = &tool.action else { continue };
            let todo = |text: &String, done: bool| Todo { text: text.clone(), done, line: message.line };
            match change {
                TodoChange::All(points) => list = points.iter().map(|(text, done)| todo(text, *done)).collect(),
                TodoChange::Add(text) => list.push(todo(text, false)),
                TodoChange::Update { number, done, .. } => {
                    list.get_mut((*number)?.checked_sub(1)?)?.done |= done;
                }
            }
            changed = Some(prompts);
        }
    }
    changed.map(|changed| (list, changed))
}

/// What a message's changes of the list say, a line each; none when it changes nothing.
pub fn todo_texts(message: &Message) -> Option<String> {
    let texts: Vec<&str> = message.tools.iter().flat_map(ToolUse::todo_texts).filter(|text| !text.is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// What is open at the end; none when the session says nothing about it.
pub fn find(turns: &[Turn<'_>], messages: &[Message], earlier: &Earlier<'_>) -> Option<Vec<Item>> {
    let listed = todos(messages);
    let prompts = messages.iter().filter(|message| message.role == Role::User && message.is_conversation()).count();
    let fresh = listed.filter(|(_, changed)| prompts.saturating_sub(*changed) <= FRESH_PROMPTS).map(|(list, _)| list);
    let mut items: Vec<Item> = Vec::new();
    for todo in fresh.iter().flatten().filter(|todo| !todo.done && !todo.text.is_empty()) {
        let evidence = Evidence {
            quote: todo.text.clone(),
            line: Some(todo.line),
            said_by: Some(Role::Assistant.word().to_owned()),
            ..Evidence::default()
        };
        items.push(Item { summary: todo.text.clone(), evidence: vec![evidence], ..Item::default() });
    }
    let last = last_answer(turns);
    if last.is_some_and(says_nothing_is_left) {
        items.clear();
    }
    let last_words = turns.last().map(Turn::asked).unwrap_or_default();
    for dropped in last_words.iter().filter(|sentence| DROPPED.is_in(&sentence.lower)) {
        let said = text::meaning(&dropped.plain).stems;
        items.retain(|item| {
            let known = text::meaning(&item.summary).stems;
            text::share(known.intersection(&said).count(), known.len()) < 0.5
        });
    }
    items.extend(last.map(left).unwrap_or_default());
    items.extend(unanswered(turns));
    let commits = Commits::of(turns);
    let said_at = |item: &Item| item.evidence.first().and_then(|evidence| evidence.line).unwrap_or_default();
    items.retain(|item| !commits.close(&item.summary, said_at(item)));
    let nothing = last.is_some_and(says_nothing_is_left)
        || fresh.as_ref().is_some_and(|list| !list.is_empty() && list.iter().all(|todo| todo.done));
    if items.is_empty() && !nothing {
        return None;
    }
    // "Continue." is about what was open, and so is the answer that nothing is left of it.
    let goes_on = |turn: &Turn<'_>| turn.prompt.as_ref().is_none_or(|prompt| goes_on(&prompt.message.text));
    let all_done = last.is_some_and(says_nothing_is_left) && turns.iter().all(goes_on);
    let mut all = if all_done { Vec::new() } else { carried(turns, earlier, &fresh.unwrap_or_default()) };
    let mut gists: Vec<Gist> = all.iter().map(|known| Gist::of_text(&known.summary)).collect();
    for item in items {
        let gist = Gist::of_text(&item.summary);
        if !gists.iter().any(|known| known.is_near(&gist, false)) {
            gists.push(gist);
            all.push(item);
        }
    }
    let first = all.len().saturating_sub(ITEMS);
    Some(all.split_off(first))
}

/// The agent's last words; behind a good-bye, those before it too, when they say what is left.
fn last_answer<'t, 'a>(turns: &'t [Turn<'a>]) -> Option<&'t Utterance<'a>> {
    let mut last = None;
    for turn in turns.iter().rev() {
        let answer = turn.said().rfind(|answer| answer.message.is_conversation());
        last = last.or(answer);
        if answer.is_some_and(|answer| says_nothing_is_left(answer) || !left(answer).is_empty()) {
            return answer;
        }
        if !turn.prompt.as_ref().is_some_and(is_closing) {
            return last;
        }
    }
    last
}

/// Whether a prompt asks for nothing, as one that says good-bye.
pub fn closes(prompt: &Message) -> bool {
    let turns = sentences::turns(std::slice::from_ref(prompt));
    turns.last().and_then(|turn| turn.prompt.as_ref()).is_some_and(is_closing)
}

/// A prompt that asks for nothing: good-byes, and what the user will do.
fn is_closing(prompt: &Utterance<'_>) -> bool {
    let closes = |lower: &str| CLOSING.is_in(lower);
    let whole = sentences::plain(&prompt.message.text).to_lowercase();
    let mut sentences = prompt.sentences.iter();
    let alone = OWN.is_in(LEAD.behind(&whole).unwrap_or(&whole)) && prompt.sentences.len() < 3;
    closes(&whole)
        || alone
        || sentences.next().is_some_and(|first| closes(&first.lower))
            && sentences.all(|sentence| closes(&sentence.lower) || OWN.is_in(&sentence.lower))
}

/// The last request, when nobody answered it: nothing was said behind it, or only what comes next.
fn unanswered(turns: &[Turn<'_>]) -> Option<Item> {
    let turn = turns.last()?;
    let prompt = turn.prompt.as_ref()?;
    let mut said = turn.said().filter(|answer| answer.message.is_conversation());
    let begun = match (said.next(), said.next()) {
        (None, _) => true,
        (Some(only), None) => {
            let short = only.message.text.chars().nth(400).is_none();
            let first = only.sentences.first();
            short && first.is_some_and(|first| BEGINNING.is_in(&first.lower)) && !only.message.text.contains('?')
        }
        _ => false,
    };
    let first = prompt.sentences.first()?;
    let asks = !is_closing(prompt) && first.plain.split_whitespace().count() >= 3;
    if !begun || !asks {
        return None;
    }
    let plain = text::cut(&first.plain, ITEM_CHARS).into_owned();
    Some(Item { summary: capital(&plain), evidence: vec![quote(first.raw, prompt)], ..Item::default() })
}

/// Whether a sentence says that something is done.
fn says_done(sentence: &Sentence<'_>) -> bool {
    // What is no longer there can be gone because it was done.
    let lower = sentence.lower.replace("no longer ", "");
    DONE.is_in(&lower) && !NOT_DONE.is_in(&lower)
}

/// The lines of what the agent said that are ticked or crossed out.
fn ticked<'a>(turns: &'a [Turn<'_>]) -> impl Iterator<Item = &'a str> {
    let texts = turns.iter().flat_map(Turn::said).map(|said| said.message.text.as_str());
    texts.flat_map(sentences::own_lines).filter(|line| TICKED.is_in(&line.to_lowercase()))
}

/// What was open before and is not said to be done. Of what this session itself had left open, what
/// it spoke of later is settled by its own last words.
pub fn carried(turns: &[Turn<'_>], earlier: &Earlier<'_>, todos: &[Todo]) -> Vec<Item> {
    if earlier.items.is_empty() {
        return Vec::new();
    }
    let sentences =
        turns.iter().flat_map(|turn| turn.prompt.iter().chain(turn.said())).flat_map(|said| &said.sentences);
    let sentences = sentences.filter(|sentence| earlier.own || says_done(sentence)).map(|one| one.plain.as_str());
    let todos = todos.iter().filter(|todo| earlier.own || todo.done).map(|todo| todo.text.as_str());
    let lines = (!earlier.own).then(|| ticked(turns)).into_iter().flatten();
    let talk = Talk::new(sentences.chain(lines).chain(todos));
    let commits = Commits::of(turns);
    let open = earlier.items.iter().filter(|known| !talk.settles(known, earlier.own) && !commits.close(known, 0));
    let item = |known: &String| {
        let evidence = Evidence { quote: known.clone(), said_by: Some("handoff".to_owned()), ..Evidence::default() };
        Item { summary: known.clone(), evidence: vec![evidence], ..Item::default() }
    };
    open.map(item).collect()
}

//! What an answer says is left: unchecked boxes, lists below words that say so, the same in one line, and
//! sentences of one thing that remains. The words are of kinds: how many of what are in which state ("two things
//! are left"), a state alone ("still open"), what somebody did not get to. They are the last clause before the list,
//! or all of a heading.

use super::sentences::{self, Signal, Utterance};
use super::{capital, quote};
use crate::record::item::Item;

/// The longest open item, in characters.
const ITEM_CHARS: usize = 240;
/// The fewest words that name a thing.
const LEAST_WORDS: usize = 2;

/// How many.
macro_rules! count {
    () => {
        r"(?:(?:(?:the|these|those|my|our|only|just|about|still|also|at least|all|both|las?|los|estas?|estos|s[oó]lo) )*(?:[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten|a few|few|some|several|a couple(?: of)?|both|an?|the|these|those|las?|los|un[ao]?s?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|vari[ao]s|algun[ao]s|un par de)(?: (?:more|other|further|small|minor|last|final|big|loose|quick|main|known|m[aá]s|otr[ao]s?|pequeñ[ao]s?))*)"
    };
}
/// Of what.
macro_rules! thing {
    () => {
        r"(?:things?|(?:work |action |to-?do )?items?|tasks?|points?|pieces?(?: of work)?|bits?|parts?|steps?|issues?|questions?|to-?dos?|follow-?ups?|ends?|jobs?|sub-?tasks?|gaps?|threads?|matters?|topics?|decisions?|work|cosas?|puntos?|tareas?|temas?|pasos?|asuntos?|detalles?|[ií]tems?|partes?|cabos?(?: sueltos?)?|cuesti(?:ón|ones)|preguntas?|frentes?|trabajo)"
    };
}
/// In which state.
macro_rules! state {
    () => {
        r"(?:left(?: open| undone| over)?|open|pending|outstanding|missing|remaining|undone|unfinished|unresolved|unaddressed|incomplete|to (?:do|finish|be done)|not (?:yet )?(?:done|finished|started|resolved)(?: yet)?|pendientes?|abiert[ao]s?|inconclus[ao]s?|por (?:hacer|resolver|terminar|cerrar|ver|revisar|probar)|sin (?:hacer|terminar|resolver|cerrar|empezar))"
    };
}
/// For when, or of what work: what is open in another place is something else.
macro_rules! end {
    () => {
        r"(?: (?:to do|to be done|to finish|open|here|now|still|yet|today|for (?:now|later|today|tomorrow|me|us|you|next time|(?:the|this|my|our|a) (?:\w+ )?\w+)|before (?:\w+ ?){1,6}|after (?:\w+ ?){1,4}|(?:on|in|from|of) (?:this|the|my|our|that) (?:\w+ )?(?:list|plan|ticket|issue|branch|pr|pull request|session|sprint|backlog|task|migration|refactor|refactoring|work|project|release|checklist|spec|request)|ahora|todavía|aún|por ahora|de momento|para (?:mañana|luego|después|hoy|terminar|cerrar|(?:la|el) \w+(?: \w+)?)|antes de (?:\w+ ?){1,5}|(?:de|en) (?:la|el|este|esta) (?:lista|plan|rama|pr|sesión|tarea|ticket|migración|trabajo)))*(?: is| are| son| es)?(?: \([^)]*\))?$"
    };
}
/// Where a clause begins.
macro_rules! start {
    () => {
        r"(?:^|[.;:!?,—–-] |\b(?:and|but|so|then|y|pero|aunque|así que) )(?:(?:so|now|still|however|that said|after that|with that(?: done)?|for now|currently|in short|por ahora|de momento|todavía|aún|ahora|en resumen|ya|also|además|you have|we have|i have|we've got|this leaves(?: us)?|that leaves(?: us)?)[, ]+)*"
    };
}
/// Words of time between others.
macro_rules! still {
    () => {
        r"(?: (?:still|yet|now|all|both|currently|todavía|aún|s[oó]lo|nos|por ahora))*"
    };
}

/// A clause over what is left.
static LEFT: Signal = Signal::any(&[
    // Two things are left; three items open; the remaining work.
    concat!(
        start!(),
        count!(),
        "? ?",
        thing!(),
        "(?: (?:that|which))?(?: (?:is|are|remains?|stays?))?",
        still!(),
        " ",
        state!(),
        end!()
    ),
    concat!(start!(), count!(), "? ?(?:still )?", state!(), " ", thing!(), end!()),
    concat!(
        start!(),
        "there(?:'s| is| are| remain| remains)",
        still!(),
        " ",
        count!(),
        "? ?",
        thing!(),
        " ",
        state!(),
        end!()
    ),
    concat!(
        start!(),
        "there(?:'s| is| are| remain| remains)",
        still!(),
        " ",
        count!(),
        "? ?",
        state!(),
        " ",
        thing!(),
        end!()
    ),
    concat!(start!(), "there(?:'s| is| are) still ", count!(), "? ?", thing!(), end!()),
    concat!(
        start!(),
        count!(),
        " (?:",
        thing!(),
        " )?(?:still )?(?:remain|remains|left|needs? (?:doing|work|attention|to be (?:done|finished)))",
        end!()
    ),
    // What is left; still open; not done yet; the rest.
    concat!(
        start!(),
        r"(?:here'?s |this is |that's )?what(?:'s| is)?(?: still| now| yet)?(?: left| open| missing| remaining| remains| pending| undone| outstanding| to do| not done| unfinished| to be done| needs (?:doing|to be done)| has to be done)+",
        end!()
    ),
    concat!(
        start!(),
        "(?:(?:still|not yet|yet|all that's|all that is) )*(?:",
        state!(),
        r"|deferred|follow-?ups?|loose ends|to-?dos?|still to go)(?: (?:work|items?|tasks?|steps?|questions?|to do|things|points|issues|for \w+(?: \w+)?))?",
        end!()
    ),
    concat!(start!(), "the (?:rest|remainder)(?: of (?:it|the work|this))?", end!()),
    // What I did not get to; I left these open.
    concat!(
        start!(),
        "(?:what |things |",
        thing!(),
        " )?(?:that )?(?:i|we)(?:'ve| have)? (?:did not|didn't|not|haven't|left|could not|couldn't)(?: yet)?(?: do| done| get to| gotten to| finish| finished| touch| touched| start| started| open| undone| out)+",
        end!()
    ),
    concat!(
        start!(),
        "(?:i|we)(?:'ve| have)? (?:left|am leaving|leave) (?:",
        count!(),
        " )?",
        thing!(),
        " (?:open|undone|unfinished|out|for .{3,20})",
        end!()
    ),
    r"^(?:here'?s |this is )?(?:what'?s|what is|what) (?:still )?(?:left|open|missing|remaining|remains|pending|next)\b",
    r"^(?:for next (?:time|session)|tomorrow|still to do)(?: \(.*\))?$",
    // Quedan pendientes dos cosas; hay dos cosas por hacer; lo que falta.
    concat!(
        start!(),
        "(?:nos |me |te )?(?:quedan?|faltan?|restan?|quedaron|quedó)",
        still!(),
        "(?: ",
        state!(),
        ")?(?: ",
        count!(),
        ")?(?: ",
        thing!(),
        ")?(?: ",
        state!(),
        ")?",
        end!()
    ),
    concat!(
        start!(),
        "(?:hay|tenemos|tengo|sigue|siguen|está|están|dejo|dejé|dejamos)",
        still!(),
        " ",
        state!(),
        "(?: ",
        count!(),
        ")?(?: ",
        thing!(),
        ")?",
        end!()
    ),
    concat!(
        start!(),
        "(?:hay|tenemos|tengo|sigue|siguen|está|están|dejo|dejé|dejamos)",
        still!(),
        "(?: ",
        count!(),
        ")?(?: ",
        thing!(),
        ")? ",
        state!(),
        end!()
    ),
    concat!(
        start!(),
        count!(),
        "? ?",
        thing!(),
        " (?:que )?(?:quedan?|faltan?|siguen?|están?|restan?)",
        still!(),
        "(?: ",
        state!(),
        ")?",
        end!()
    ),
    concat!(
        start!(),
        "(?:esto es )?(?:lo (?:que )?|qué )(?:únic[ao] )?(?:falta|queda|resta|pendiente|no (?:hice|hicimos|terminé|terminamos|llegué a \\w+)|está pendiente|sigue (?:abierto|pendiente))(?: ",
        state!(),
        ")?",
        end!()
    ),
    concat!(start!(), r"no (?:llegué|alcancé|llegamos) a(?: \w+)?", end!()),
    r"^para (?:mañana|la próxima(?: sesión)?)(?: \(.*\))?$",
]);
/// The same, but what comes next need not be wanted by anybody.
static NEXT: Signal = Signal::any(&[concat!(
    r"(?:^|[.;] )(?:(?:the|my|our) )?(?:next steps?|next up|next|what comes next|what's next|(?:siguientes?|próximos?) pasos?|lo siguiente)",
    end!()
)]);
/// The question before "two things".
static ASKED: Signal = Signal::any(&[concat!(
    r"(?:what(?:'s| is) (?:left|open|missing|next|pending)|qué (?:queda|falta))[^.?]{0,30}\? (?:just |only |s[oó]lo )?",
    count!(),
    " ",
    thing!(),
    "$"
)]);
/// A number of things that does not say which, or what is not said to be so.
static COUNT_ALONE: Signal = Signal::any(&[
    concat!("^(?:", start!(), ")?", count!(), "?(?: ?(?:open|remaining|pending))? ?(?:", thing!(), ")?$"),
    r"^(?:if|when|once|unless|until|whether|because|since|si|cuando|porque)\b|\b(?:what|which|whether)$",
    r"^(?:nothing|none|it|this|that|these|those|all|everything|the rest|what|which|there|no|nada|todo|eso|esto)\b(?: \w+)?$",
]);
/// That there is nothing of it.
static NONE: Signal = Signal::any(&[
    r"\b(?:nothing|none|no|nobody|neither|zero|0|nada|ning[uú]n[ao]?|tampoco|without|sin (?:nada|pendientes))\b",
    // What was before, what is if, and what others have.
    r"\b(?:were|was|had|if|when|until|once|whether|unless|eran|estaban|si|cuando)\b",
]);
/// What has such a word in it and says that something is left.
static NOT_DONE: Signal = Signal::any(&[r"\bno (?:hice|hicimos|termin|llegu|alcanc|llegamos)", r"\bno longer\b"]);

/// The longest of them, in characters. In the pattern such a bound would be compiled once for each count.
const REMAINS_CHARS: usize = 170;
/// One thing that is left.
static REMAINS: Signal = Signal::any(&[
    r"^(?:only |solo |just |but |and )*(.{6,}?) (?:still )?(?:remains?(?:$| [—–-] |,|;| \(| to be\b| for (?:tomorrow|later|next))|is left|are left|is still (?:open|pending|missing|to do)|are still (?:open|pending|missing)|is not done yet|isn't done yet)",
    r"^(?:para (?:mañana|luego|la próxima),? )?(?:queda|quedan|falta|faltan)(?: por| pendientes?)? ((?:\w{2,}[aeií]r(?:l[oae]s?)?|el|la|los|las|un|una)\b .{6,})$",
]);
/// Everything is done.
static NOTHING: Signal = Signal::any(&[
    r"\b(?:nothing(?: else| more)?(?: (?:is|was))?(?: now| still)? (?:left|open|pending|remaining|outstanding|to do|missing)|nothing(?: else)? remains)(?:$|[.,;!:)—–-]| [—–(-]| (?:to|for|here|now|today|and|so|but|at|open|undone|from|that|yet|on (?:this|my|our|the (?:list|plan|ticket))|in (?:this|the) (?:pr|ticket|plan|list|session|task|branch|issue))\b)",
    r"\b(?:no (?:open|remaining|outstanding|pending) (?:items?|tasks?|work|todos?)|all (?:tasks?|items?|todos?) (?:are )?(?:done|completed?|finished)|everything is done|all done)\b",
    r"\b(?:no (?:nos |me )?queda(?:n)? (?:nada|más|(?:otra )?cosas?|tareas?|pendientes?|temas?)|no falta nada|nada (?:más )?(?:pendiente|por hacer)|no hay (?:nada |más )?pendientes?|todo (?:listo|hecho|terminado)|sin pendientes)\b",
]);
/// An offer, or what may be done one day.
static OFFER: Signal = Signal::any(&[
    r"\b(?:want me to|would you like|shall i|should i|let me know|if you(?:'d)? (?:want|like|prefer)|you (?:can|could|may|might)|optional(?:ly)?|nice to have|feel free|happy to|say the word)\b",
    r"\b(?:quieres que|querés que|si quieres|si querés|opcional(?:es)?|puedes|podrías|podés)\b",
]);
/// A part that only goes on with the one before.
static GOES_ON: Signal = Signal::any(&[
    r"^(?:to be|when|once|which|who|as soon as|as|if|but|since|because|then|in its|cuando|que|si|una vez|pero|porque|en cuanto)\b",
]);
/// A point that says of itself that it is done, or that there is none.
static SETTLED: Signal = Signal::any(&[
    r"\[x\]|~~|✅|✔",
    r"(?:[(—–:-] ?)(?:done|merged|fixed|shipped|completed|hecho|listo)\)?$",
    r"^(?:no|none|nothing|nada|ning[uú]n[ao]?)\b",
]);

/// Words over a list.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Over {
    /// They only say what comes next.
    next: bool,
    /// Questions are what is open.
    asks: bool,
    /// They are a heading, so words before the list belong to them.
    heading: bool,
}

/// Whether an answer says that everything is done.
pub fn says_nothing_is_left(answer: &Utterance<'_>) -> bool {
    answer.sentences.iter().any(|sentence| NOTHING.is_in(&sentence.lower))
}

/// Unchecked boxes, lists of what is left, and sentences that say so. What only comes next counts where nothing
/// else is said.
pub fn left(answer: &Utterance<'_>) -> Vec<Item> {
    let (mut items, mut next) = lists(answer);
    let says = |lower: &str| !is_offer(lower, false) && over(lower, false).is_none();
    for sentence in answer.sentences.iter().filter(|sentence| says(&sentence.lower)) {
        let remains = REMAINS.group(&sentence.lower).filter(|_| !NOTHING.is_in(&sentence.lower));
        if let Some(thing) =
            remains.filter(|thing| thing.chars().nth(REMAINS_CHARS).is_none() && !COUNT_ALONE.is_in(thing))
        {
            let at = sentence.lower.find(thing).unwrap_or_default();
            let skip = sentence.lower.get(..at).unwrap_or_default().chars().count();
            let words: String = sentence.plain.chars().skip(skip).take(thing.chars().count()).collect();
            items.extend(item(&words, sentence.raw, answer, false));
        }
    }
    if items.is_empty() && !says_nothing_is_left(answer) {
        items.append(&mut next);
    }
    items
}

/// The items of lists and of lines that name them: what is left, and what only comes next.
fn lists(answer: &Utterance<'_>) -> (Vec<Item>, Vec<Item>) {
    let (mut items, mut next) = (Vec::new(), Vec::new());
    let mut over: Option<Over> = None;
    let mut list = List::default();
    let mut blank = false;
    for line in sentences::own_lines(&answer.message.text) {
        let bare = line.trim();
        if bare.is_empty() {
            blank = true;
            continue;
        }
        let indent = line.len().saturating_sub(line.trim_start().len());
        if let Some(rest) = ["- [ ]", "* [ ]", "+ [ ]"].iter().find_map(|mark| bare.strip_prefix(mark)) {
            items.extend(item(rest, bare, answer, false));
        } else if is_point(bare) {
            if over.is_some() {
                list.add(bare, indent);
            }
        } else if !(over.is_some() && list.goes_on(bare, indent, blank)) {
            let (found, of) = (std::mem::take(&mut list), over);
            put(&found, of, answer, &mut items, &mut next);
            let (inline, above) = line_of(bare, answer);
            let to = if above.is_some_and(|above| above.next) { &mut next } else { &mut items };
            let stays = inline.is_empty() && above.is_none() && bare.ends_with(':');
            to.extend(inline);
            over = above.or(over.filter(|over| over.heading && stays));
        }
        blank = false;
    }
    put(&list, over, answer, &mut items, &mut next);
    (items, next)
}

/// The items of a list that has ended.
fn put(list: &List<'_>, over: Option<Over>, answer: &Utterance<'_>, items: &mut Vec<Item>, next: &mut Vec<Item>) {
    let Some(over) = over else { return };
    let to = if over.next { next } else { items };
    to.extend(list.points.iter().filter_map(|(text, raw)| item(text, raw, answer, over.asks)));
}

/// The points of a list, each with the line that it is on.
#[derive(Default)]
struct List<'a> {
    points: Vec<(String, &'a str)>,
    indent: usize,
    /// Points below this one are its own: it ends with a colon.
    parent: Option<String>,
}

impl<'a> List<'a> {
    fn add(&mut self, bare: &'a str, indent: usize) {
        if self.points.is_empty() && self.parent.is_none() {
            self.indent = indent;
        }
        if indent > self.indent.saturating_add(1) {
            // What is said of a point is not a point; what a point only announces is.
            if let Some(parent) = &self.parent {
                self.points.push((format!("{parent}: {}", sentences::plain(bare)), bare));
            }
            return;
        }
        self.parent = bare.ends_with(':').then(|| sentences::plain(bare));
        if self.parent.is_none() {
            self.points.push((sentences::plain(bare), bare));
        }
    }

    /// Whether a line belongs to the last point; the part on it is added.
    fn goes_on(&mut self, bare: &str, indent: usize, blank: bool) -> bool {
        let goes_on = indent > self.indent && !(self.points.is_empty() && self.parent.is_none());
        if let Some((text, raw)) = self.points.last_mut().filter(|_| goes_on && !blank)
            && !raw.ends_with(['.', '!', '?', ':'])
        {
            *text = format!("{text} {}", sentences::plain(bare));
        }
        goes_on
    }
}

/// What a line without a mark says is left, and whether its last words are over a list.
fn line_of(bare: &str, answer: &Utterance<'_>) -> (Vec<Item>, Option<Over>) {
    let plain = sentences::plain(bare);
    let lower = lower_of(&plain);
    if is_offer(&lower, false) && !lower.ends_with('?') {
        return (Vec::new(), None);
    }
    let bold = bare.strip_suffix("**").or_else(|| bare.strip_suffix(":**")).is_some_and(|line| line.starts_with("**"));
    let heading = bare.starts_with('#') || bold;
    if let Some(over) = over(last_sentence(&lower), heading).or_else(|| over(&lower, heading)) {
        return (Vec::new(), Some(over));
    }
    // Lower case can have another length: both are cut by what comes behind.
    for mark in [": ", " — ", " – "] {
        for (at, _) in lower.match_indices(mark) {
            let (head, behind) =
                (lower.get(..at).unwrap_or_default(), lower.get(at + mark.len()..).unwrap_or_default());
            let Some(over) = over(last_sentence(head), false) else { continue };
            let count = behind.chars().count();
            let words: String = plain.chars().skip(plain.chars().count().saturating_sub(count)).collect();
            let raw = answer.sentences.iter().find(|sentence| lower_of(&sentence.plain).contains(head));
            let raw = raw.map_or(bare, |sentence| sentence.raw);
            let items = entries(&words).into_iter().filter_map(|part| item(&part, raw, answer, over.asks)).collect();
            return (items, Some(over).filter(|over| over.next));
        }
    }
    (Vec::new(), None)
}

fn lower_of(plain: &str) -> String {
    plain.to_lowercase().replace('’', "'")
}

/// The last sentence of a line.
fn last_sentence(line: &str) -> &str {
    let end = line.trim_end_matches(['.', '!', ':', ' ']);
    let start = [". ", "! ", "… "].iter().filter_map(|stop| Some(end.rfind(stop)? + stop.len())).max();
    end.get(start.unwrap_or(0)..).unwrap_or(end)
}

/// What words that are over a list say, if they say that it is what is left.
fn over(words: &str, heading: bool) -> Option<Over> {
    let clause = words.trim_end_matches([':', '.', '*', ' ']);
    let next = NEXT.is_in(clause);
    let is_left = LEFT.is_in(clause) || ASKED.is_in(clause);
    // Most words are neither, and the rest of the patterns need not be compiled.
    if !next && !is_left {
        return None;
    }
    let some = !NONE.is_in(clause) || NOT_DONE.is_in(clause);
    let asks = ["question", "decision", "pregunta", "cuesti"].iter().any(|word| clause.contains(word));
    some.then_some(Over { next: !is_left, asks, heading })
}

/// Whether words offer something; a question counts as one where it does not ask what is open.
fn is_offer(lower: &str, asks: bool) -> bool {
    OFFER.is_in(lower) || !asks && lower.ends_with('?')
}

fn is_point(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = digits.len() < line.len() && digits.starts_with([')', '.']);
    numbered || ["- ", "* ", "• ", "+ "].iter().any(|mark| line.starts_with(mark))
}

fn item(text: &str, raw: &str, answer: &Utterance<'_>, asks: bool) -> Option<Item> {
    let plain = sentences::plain(text);
    let lower = plain.to_lowercase();
    let short = plain.split_whitespace().count() < LEAST_WORDS || plain.chars().nth(ITEM_CHARS).is_some();
    let settled = SETTLED.is_in(&lower) || SETTLED.is_in(&raw.to_lowercase());
    if short || settled || is_offer(&lower, asks) || COUNT_ALONE.is_in(&lower) {
        return None;
    }
    Some(Item { summary: capital(&plain), evidence: vec![quote(raw, answer)], ..Item::default() })
}

/// The parts of "1) a; 2) b", of "a; b", and of "a, b, and c" when each of them is more than a word.
fn entries(list: &str) -> Vec<String> {
    if let Some(parts) = numbered(list) {
        return parts;
    }
    // The first sentence: what comes behind it says something else.
    let stop = [". ", "! "].iter().filter_map(|stop| list.find(stop)).min();
    let list = list.get(..stop.unwrap_or(list.len())).unwrap_or(list);
    let split = [", and ", "; and ", ", y ", "; y "]
        .iter()
        .fold(list.to_owned(), |list, and| list.replace(and, if and.starts_with(',') { ", " } else { "; " }));
    let mut parts: Vec<String> = split.split("; ").map(str::to_owned).collect();
    if parts.len() == 1 {
        parts = split.split(", ").map(str::to_owned).collect();
    }
    if parts.len() == 1 {
        for word in [" and ", " y "] {
            if let Some((a, b)) = list.split_once(word) {
                parts = vec![a.to_owned(), b.to_owned()];
            }
        }
    }
    let words = |part: &String| part.split_whitespace().count() >= LEAST_WORDS;
    let whole = parts.iter().all(|part| words(part) && !GOES_ON.is_in(&part.to_lowercase()));
    if whole { parts } else { vec![list.to_owned()] }
}

/// The parts of "(1) a, (2) b", "1. a. 2. b", "a) a; b) b".
fn numbered(list: &str) -> Option<Vec<String>> {
    let forms = [("(", ")"), ("", ")"), ("", ".")];
    let number = |count: u8| [(b'0' + count) as char, (b'a' + count - 1) as char];
    let sign = |(open, close): (&str, &str), at: usize, count: u8| {
        number(count).get(at).map(|number| format!("{open}{number}{close} "))
    };
    let (form, at) = forms
        .into_iter()
        .flat_map(|form| [(form, 0), (form, 1)])
        .find(|(form, at)| sign(*form, *at, 1).is_some_and(|sign| list.starts_with(&sign)))?;
    let mut parts = Vec::new();
    let mut rest = list.strip_prefix(&sign(form, at, 1)?)?;
    for count in 2..=9 {
        let next = format!(" {}", sign(form, at, count)?);
        let Some((part, behind)) = rest.split_once(&next) else { break };
        parts.push(part);
        rest = behind;
    }
    parts.push(rest);
    let bare = |part: &&str| {
        let part = part.trim_end_matches([',', ';', '.', ' ']);
        let part = part.strip_suffix(" and").or_else(|| part.strip_suffix(" y")).unwrap_or(part);
        part.trim_end_matches([',', ';', '.', ' ']).to_owned()
    };
    (parts.len() > 1).then(|| parts.iter().map(bare).collect())
}

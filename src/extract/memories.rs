//! Memories: what the user said about how they want to work, and lasting facts about the project.
//! They seldom say "always"; nothing that only reports what a program does is one.

use super::sentences::{Sentence, Signal, Turn, Utterance};
use super::{capital, is_sentence, quote};
use crate::base::text;
use crate::record::item::{Gist, Item};
use std::sync::LazyLock;

/// Words of a name.
const NAME_WORDS: usize = 6;

/// How the user wants the agent to work.
static FEEDBACK: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"\bfrom now on\b",
        r"\bgoing forward\b",
        r"\b(?:please |and |also )?remember (?:that|not to|this|:)",
        r"\bremember (?:that )?(?:i|we|you)\b",
        r"\bremember that$",
        r"^(?:please |and |also |but |so |ok,? |hey,? )*(?:always|never) (?:(?:please|also|just|first|ever) )?(?:use|run|add|write|commit|push|ask|create|make|do|put|keep|check|test|include|follow|prefer|start|work|name|call|delete|force|touch|edit|modify|amend|squash|merge|rebase|deploy|skip|assume|mention|use)\b",
        r"\b(?:you|we) (?:should|must|need to|have to) (?:always|never)\b",
        r"\b(?:please )?(?:don't|do not) ever\b",
        r"^we should follow\b",
        r"\bwe (?:always )?want whatever is\b",
        r"^.{15,}, (?:always|siempre)$",
        r"^(?:all |our |the )?(?:\w+ )?(?:entries|messages|names|comments|titles|tests|commits|branches|migrations|prs|docs) (?:should|must) (?:always|never|be|have|start|use)\b",
        r"^(?:y |pero |por favor,? )*nunca \w{3,}[ae]s\b",
        r"^(?:y |pero )*siempre (?:tuteamos|usamos|hacemos|ponemos|escribimos|probamos|revisamos|\w+amos al)\b",
        r"\bde ahora en adelante\b",
        r"\ba partir de ahora\b",
        r"\b(?:recuerda|acuérdate|recordá|acordate|ten en cuenta) (?:que|de)\b",
        r"^(?:por favor,? |y |también )*(?:siempre|nunca) (?:usa|usá|ejecuta|corre|agrega|añade|escribe|haz|hacé|haga|pregunta|crea|pon|mantén|revisa|uses|hagas|ejecutes|borres|toques|subas|commitees|hay que)\b",
        r"\b(?:hay que|debes|tenés que|tienes que) (?:siempre|nunca)\b",
        r"\b(?:siempre|nunca) (?:hay que|debes|debemos)\b",
    ])
});
/// What the user prefers.
static PREFERENCE: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"\bi (?:always |really |strongly |generally |usually |personally )?prefer\b",
        r"\bi (?:really )?(?:like|hate|dislike) (?:it when|when|to have)\b",
        r"\bi(?:'d| would) (?:always|generally|usually) (?:rather|prefer)\b",
        r"^(?:yo )?(?:siempre )?prefiero\b",
        r"\bno me gusta (?:que|cuando)\b",
        r"\bme gusta (?:que|cuando)\b",
    ])
});
/// Lasting facts about the project.
static FACT: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"\bin this (?:repo|repository|project|codebase)s?,? we (?:\w+ )?(?:use|follow|keep|support|only|don't|never|always|run|deploy)\b",
        r"^(?:fyi,? |note that |for context,? )?this (?:repo|repository|project) (?:is|uses|follows|has|targets|only supports|runs on|deploys to)\b",
        r"^(?:fyi,? |note that )?we (?:only |always |don't |do not |never )?(?:support|follow|deploy (?:to|with|on|from)|release (?:from|with|on))\b",
        r"^our (?:convention|policy|rule|standard|style|ci|production|staging)\b.{0,40}\b(?:is|are|runs|uses|requires|lives)\b",
        r"\bwe treat .{3,60} as\b",
        r"(?:^|, |^and |^btw,? )we (?:don't|do not|never|always|only) (?:name|ship|use|squash|merge|rebase|mock|pin|vendor|log|commit|push|deploy|release) \S+ \S+ .{3,80}",
        r"^fyi,? (?:the |our )?[\w ]{2,30} (?:is|are) (?:still |only )?on\b",
        r"^fyi,? (?:the |our )?[\w ]{2,30} (?:runs|uses|only|lives|needs)\b",
        r"\bthe (?:convention|policy|rule) (?:here|in this \w+) is\b",
        r"^this is a (?:monorepo\b|(?:new|legacy|greenfield|public|private|side) (?:project|repo|repository|codebase|app|service)\b)",
        r"\ben este (?:repo|repositorio|proyecto),? (?:\w+ )?(?:usamos|seguimos|siempre|no usamos|nunca)\b",
        r"^(?:este|el) (?:repo|repositorio|proyecto) (?:es|usa|sigue|corre|se despliega)\b",
        r"^nuestra (?:convención|política|regla|norma) es\b",
    ])
});
/// Where something is to be found.
static REFERENCE: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"\b(?:docs?|documentation|dashboards?|runbooks?|designs?|specs?|bugs|issues|tickets|logs|credentials|secrets) (?:is|are|live|lives|are tracked|is tracked|can be found) (?:at|in|on|under)\b",
        r"\b(?:la documentación|los (?:diseños|tickets|logs)|el tablero) (?:está|están|vive|viven) en\b",
    ])
});
/// What turns any of these into something else.
static NOT: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"\?$",
        r"\b(?:don't|do not|can't|cannot|doesn't|didn't|do you|did you|if (?:i|you) )\s*remember\b",
        r"\bno (?:me acuerdo|recuerdo)\b",
        r"\bremember when\b",
        r"^(?:if|when|why|how|what|does|is|are|si|cuando|por qué|cómo)\b",
        r"\bfor now\b",
        r"\bremember (?:that )?(?:you|we) (?:still|also|need|have to|changed|said|talked)\b",
        r"\b(?:prefer|prefiero|prefieres) (?:the |la |el )?(?:first|second|third|last|former|latter|option|opción|primer|segund|tercer|últim|this|that|yours|es[ao]|est[ao])",
        r"\b(?:repo|repository|project|repositorio|proyecto) (?:is|has|es) (?:an? |un |una )?(?:mess|disaster|nightmare|joke|broken|slow|down|huge|driving|killing|bug|problem|desastre|lío|caos)\b",
        r"\b(?:today|tomorrow|tonight|mañana|hoy|this (?:morning|afternoon|week)|esta (?:tarde|semana|noche))\b",
        r"/tmp/|\bunder (?:review|construction|discussion)\b|\bon my (?:desktop|machine|laptop)\b",
        r"\busers? (?:gets?|sees?|has|have|can)\b",
        r"\bpor ahora\b",
        r"\bin this (?:case|test|pr|commit|branch|session)\b",
    ])
});

/// Each memory once; said again in other words, the last wording stands.
pub fn find(turns: &[Turn<'_>]) -> Vec<Item> {
    let mut found: Vec<Item> = Vec::new();
    for prompt in turns.iter().filter_map(|turn| turn.prompt.as_ref()) {
        for sentence in &prompt.sentences {
            let taught = DONT.is_in(&sentence.lower) && prompt.sentences.iter().any(|s| ONCE_MORE.is_in(&s.lower));
            let Some(item) = memory(sentence, prompt, taught) else { continue };
            let gist = Gist::of_text(&item.body);
            found.retain(|known| !gist.is_near(&Gist::of_text(&known.body), false));
            found.push(item);
        }
    }
    found
}

/// What the agent shall not do.
static DONT: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"^(?:pls |please |porfa |por favor,? |and |also )*(?:don't|do not|stop|no) (?:use|using|commit|committing|push|pushing|touch|add|adding|edit|run|running|toques|uses|subas|borres|pongas)\b",
    ])
});
/// It did so before.
static ONCE_MORE: LazyLock<Signal> = LazyLock::new(|| {
    Signal::any(&[
        r"\b(?:last time|every time|each time|i told you|again|la última vez|otra vez|cada vez|ya te dije)\b",
    ])
});

fn memory(sentence: &Sentence<'_>, prompt: &Utterance<'_>, taught: bool) -> Option<Item> {
    let lower = &sentence.lower;
    if NOT.is_in(lower) || !is_sentence(&sentence.plain) || lower.split_whitespace().count() < 4 {
        return None;
    }
    let kinds: [(&str, &Signal); 4] =
        [("feedback", &FEEDBACK), ("user", &PREFERENCE), ("reference", &REFERENCE), ("project", &FACT)];
    let known = kinds.into_iter().find(|(_, signal)| signal.is_in(lower)).map(|(kind, _)| kind);
    let memory_type = known.or(taught.then_some("feedback"))?;
    let body = sentence.plain.trim_start_matches("and ").trim_start_matches("And ");
    let body = capital(body);
    let words: Vec<String> = text::canonical(&body).split(' ').take(NAME_WORDS).map(str::to_owned).collect();
    Some(Item {
        summary: text::slug(&words.join(" ")),
        memory_type: memory_type.to_owned(),
        description: text::cut(&body, 150).into_owned(),
        body,
        evidence: vec![quote(sentence.raw, prompt)],
        ..Item::default()
    })
}

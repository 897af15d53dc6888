//! A choice in one spelling: "adopt X", "let's go with X", "we picked X" and "X is used for Y" say no more than "use X".
//! A word that denies, doubts or tells of a past is none of these, so it stays where it is and makes another claim.

use super::small_words::{DENIALS, PREPOSITIONS, singular};

/// Who chooses: words that can stand before the verb.
const CHOOSERS: &[&str] = &[
    "are", "decidido", "decidimos", "have", "hemos", "i'd", "i'll", "let", "us", "we", "we'd", "we'll", "we're",
    "we've", "would",
];
/// Verbs that only say that it was chosen, and how each is spelled here.
const CHOOSE: &[(&str, &[&str])] = &[
    (
        "use",
        &[
            "use", "using", "adopt", "adopting", "choose", "choosing", "go with", "going with", "keep to", "opt for",
            "opting for", "pick", "picking", "settle on", "settling on", "stick to", "sticking to", "stick with",
            "sticking with",
        ],
    ),
    (
        "usar",
        &[
            "usar", "usamos", "usaremos", "usemos", "adoptar", "adoptamos", "adoptaremos", "adoptemos", "elegir",
            "elegimos", "elegiremos", "escoger", "escogemos", "ir con", "vamos con", "nos quedamos con", "optamos por",
            "optar por", "quedarnos con",
        ],
    ),
];
/// The same of what was chosen, behind who chose it: without them it can be work that is done.
const CHOSE: &[&str] =
    &["adopted", "chose", "chosen", "decided on", "gone with", "opted for", "picked", "settled on", "went with"];
/// What makes another verb of one of these: "pick up".
const PARTICLES: &[&str] = &["off", "out", "up"];
/// "X is used for Y".
const USED: &[(&[&str], &str)] = &[
    (&["is", "used"], "use"),
    (&["are", "used"], "use"),
    (&["be", "used"], "use"),
    (&["se", "usa"], "usar"),
    (&["se", "usan"], "usar"),
    (&["se", "usará"], "usar"),
    (&["se", "usarán"], "usar"),
];
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
    let is_chooser = |word: &&String| CHOOSERS.iter().any(|chooser| singular(chooser) == **word);
    let choosers = words[at..].iter().take_while(is_chooser).count();
    let behind = &words[at + choosers..];
    let begins = |verb: &&str| verb.split(' ').map(singular).eq(behind.iter().take(verb.split(' ').count()).cloned());
    let present = CHOOSE.iter().find_map(|(spelled, verbs)| Some((*spelled, verbs.iter().copied().find(begins)?)));
    let past = || CHOSE.iter().copied().find(begins).filter(|_| led || choosers > 0).map(|verb| ("use", verb));
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
        let used =
            USED.iter().find(|(used, _)| words[at..].iter().map(String::as_str).take(2).eq(used.iter().copied()));
        used.filter(|_| words.get(at + 2).is_some_and(|next| BEHIND_USED.contains(&next.as_str())))
            .map(|(_, verb)| *verb)
    };
    let Some((at, verb)) = (1..words.len()).find_map(|at| Some((at, is_here(at)?))) else { return };
    if words[..at].iter().any(|word| PREPOSITIONS.contains(&word.as_str())) {
        return;
    }
    words.drain(at..at + 2);
    words.insert(0, verb.to_owned());
}

#[cfg(test)]
mod tests {
    use crate::record::claim::Claim;

    /// How the same choice is told, of "{X}" for "{Y}".
    const TOLD: &[&str] = &[
        "Use {X} for {Y}",
        "Adopt {X} for {Y}",
        "Go with {X} for {Y}",
        "Pick {X} for {Y}.",
        "Choose {X} for {Y}",
        "Settle on {X} for {Y}",
        "Stick with {X} for {Y}",
        "We use {X} for {Y}",
        "We will use {X} for {Y}",
        "We'll go with {X} for {Y}",
        "Let's use {X} for {Y}",
        "Let’s adopt {X} for {Y}",
        "I'd go with {X} for {Y}",
        "We're going with {X} for {Y}",
        "We decided to use {X} for {Y}",
        "We've decided to go with {X} for {Y}",
        "We picked {X} for {Y}",
        "We chose {X} for {Y}",
        "We went with {X} for {Y}",
        "We have settled on {X} for {Y}",
        "{X} is used for {Y}",
        "{X} will be used for {Y}",
        "For {Y}, use {X}",
        "For {Y}, we go with {X}",
        "From now on, use {X} for {Y}",
    ];
    const TOLD_IN_SPANISH: &[&str] = &[
        "Usar {X} para {Y}",
        "Usamos {X} para {Y}",
        "Usaremos {X} para {Y}",
        "Vamos a usar {X} para {Y}",
        "Adoptar {X} para {Y}",
        "Nos quedamos con {X} para {Y}",
        "Quedarnos con {X} para {Y}",
        "Ir con {X} para {Y}",
        "Vamos con {X} para {Y}",
        "Elegir {X} para {Y}",
        "Elegimos {X} para {Y}",
        "Optamos por {X} para {Y}",
        "Decidimos usar {X} para {Y}",
        "{X} se usa para {Y}",
        "Para {Y}, usar {X}",
    ];
    /// How something else is told of the two.
    const OTHER: &[&str] = &[
        "Do not use {X} for {Y}",
        "Don't use {X} for {Y}",
        "Never use {X} for {Y}",
        "Let's not use {X} for {Y}",
        "We decided not to use {X} for {Y}",
        "We decided against {X} for {Y}",
        "We do not use {X} for {Y}",
        "We never use {X} for {Y}",
        "We won't use {X} for {Y}",
        "I'd not use {X} for {Y}",
        "We would use {X} for {Y}",
        "Use no {X} for {Y}",
        "{X} is not used for {Y}",
        "{X} is no longer used for {Y}",
        "{X} is never used for {Y}",
        "{X} was used for {Y}",
        "{X} can be used for {Y}",
        "{X} must not be used for {Y}",
        "{X} is used by {Y}",
        "{X} is used to build {Y}",
        "{X} is rarely used for {Y}",
        "Stop using {X} for {Y}",
        "We stopped using {X} for {Y}",
        "Drop {X} for {Y}",
        "Avoid {X} for {Y}",
        "Reject {X} for {Y}",
        "Switch from {X} for {Y}",
        "Replace {X} for {Y}",
        "Go without {X} for {Y}",
        "Consider {X} for {Y}",
        "We considered {X} for {Y}",
        "We tried {X} for {Y}",
        "We used {X} for {Y}",
        "We used to use {X} for {Y}",
        "We could use {X} for {Y}",
        "We might use {X} for {Y}",
        "We may go with {X} for {Y}",
        "Use {X} only for {Y}",
        "Use only {X} for {Y}",
        "Use {X} for all but {Y}",
        "Use {X} with {Y}",
        "Use {X} in {Y}",
        "Use {X} instead of {Y}",
        "Use {Y} for {X}",
        "{Y} is used for {X}",
        "For {X}, use {Y}",
        "Use {X}",
        "Pick up {X} for {Y}",
        "Pick {X} out for {Y}",
        "They use {X} for {Y}",
        "Ana uses {X} for {Y}",
        "The user uses {X} for {Y}",
        "Do we use {X} for {Y}?",
        "Use {X} for {Y}?",
        "Test {X} for {Y}",
        "Keep {X} for {Y}",
        "Build {X} for {Y}",
        "Prefer {X} for {Y}",
        "Ask for {X} for {Y}",
        "Use {X} for {Y} in the tests",
        "Use {X} for {Y} until May",
        "If it fails, use {X} for {Y}",
        "Picked {X} for {Y}",
        "Adopted {X} for {Y}",
        "{X} is good for {Y}",
        "Use the new {X} for {Y}",
        "No usar {X} para {Y}",
        "Nunca usar {X} para {Y}",
        "Ya no usamos {X} para {Y}",
        "No nos quedamos con {X} para {Y}",
        "Dejar de usar {X} para {Y}",
        "Evitar {X} para {Y}",
        "Quitar {X} para {Y}",
        "Usar {Y} para {X}",
        "Usar {X} en vez de {Y}",
        "Probar {X} para {Y}",
        "Usaban {X} para {Y}",
        "Usábamos {X} para {Y}",
        "Marta usa {X} para {Y}",
        "{X} no se usa para {Y}",
        "{X} se usaba para {Y}",
        "Quedar con {X} para {Y}",
        "¿Usamos {X} para {Y}?",
    ];
    const OF: &[(&str, &str)] = &[
        ("Redis", "the session store"),
        ("the new parser", "invoices"),
        ("pnpm", "src/web"),
        ("two workers", "each queue of the host"),
    ];

    fn put(frame: &str, (x, y): (&str, &str)) -> Claim {
        Claim::read(&frame.replace("{X}", x).replace("{Y}", y))
    }

    #[test]
    fn a_choice_in_other_words_is_one_claim() {
        let mut missed = Vec::new();
        for of in OF {
            for (frames, first) in [(TOLD, TOLD[0]), (TOLD_IN_SPANISH, TOLD_IN_SPANISH[0])] {
                let same = |frame: &&&str| {
                    put(frame, *of).is_same(&put(first, *of)) && put(frame, *of).alike() == put(first, *of).alike()
                };
                missed.extend(
                    frames.iter().filter(|frame| !same(frame)).map(|frame| (of, frame, put(frame, *of).alike())),
                );
            }
        }
        assert!(missed.is_empty(), "{missed:#?}");
    }

    /// A choice that is taken back, doubted, past, narrowed, or of another.
    #[test]
    fn what_is_no_such_choice_stays_another_claim() {
        let (mut wrong, mut pairs) = (Vec::new(), 0);
        for of in OF {
            for other in OTHER {
                for told in TOLD.iter().chain(TOLD_IN_SPANISH) {
                    pairs += 1;
                    let (one, two) = (put(told, *of), put(other, *of));
                    if one.is_same(&two) || two.is_same(&one) {
                        wrong.push(format!("{told} | {other}"));
                    }
                }
            }
        }
        assert!(pairs > 10_000 && wrong.is_empty(), "{pairs}: {wrong:#?}");
    }

    /// What is told with one of these verbs and does not choose anything.
    #[test]
    fn one_word_more_makes_another_claim() {
        for (one, two) in [
            ("Use Redis for the sessions", "Go with Memcached for the sessions"),
            ("Use up the budget for tests", "Pick up the budget for tests"),
            ("Stick to tabs in Makefiles", "Use tabs"),
            ("Adopt the plan of Ana", "Use the plan of Berta"),
            ("Choose between sqlite and postgres", "Use sqlite and postgres"),
            ("Choose sqlite over postgres", "Use postgres over sqlite"),
            ("Go with Ana to the review", "Go to the review"),
            ("The key is used to sign the images", "Use the key for the images"),
            ("If the flag is set, the old parser is used for v1", "Use the old parser for v1"),
            ("In CI the cache is used for branches", "Use the cache for branches"),
            ("Tabs are used in Makefiles, spaces are used for YAML", "Use tabs in Makefiles, spaces"),
            ("The server is used as root", "Use root as server"),
            ("Use, pick", "Pick, use"),
            ("Settle the bill of May", "Settle on the bill of May"),
            ("Keep the lock for writes", "Keep to the lock for writes"),
            ("Opt for two queues", "Opt out of two queues"),
            ("Let the worker use Redis for the cache", "Let's use Redis for the cache"),
            ("Let us know about the deploy", "Use the deploy"),
            ("We are used to Redis", "We use Redis"),
            ("Elegir entre sqlite y postgres", "Usar sqlite y postgres"),
            ("Ir con Marta a la revisión", "Ir a la revisión"),
        ] {
            assert!(!Claim::read(one).is_same(&Claim::read(two)), "{one} | {two}");
        }
        for empty in ["", "use", "We use", "is used for", "for,", "Let's", "go with", "…,", "the,"] {
            assert!(Claim::read(empty).is_same(&Claim::read(empty)), "{empty}");
        }
    }
}

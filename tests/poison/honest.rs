//! What looks like an attack and is none: wishes, decisions, causes and facts of the user's and the agent's own,
//! with what a model makes of them that does its work well.

use super::talk::{Talk, WORK};
use crate::forms::Dice;
use serde_json::{Value, json};

/// What is said, in order.
enum Turn {
    User(&'static str),
    Agent(&'static str),
    /// A tool: its name, its input as JSON, what it gives back.
    Tool(&'static str, &'static str, &'static str),
}

use Turn::{Agent, Tool, User};

/// Something honest: its turns, its items as JSON by the names of their lists, and words of what the engine
/// extract finds of it ("" where it finds nothing).
struct Thing {
    is_spanish: bool,
    turns: &'static [Turn],
    items: &'static str,
    extracted: &'static str,
}

const fn en(turns: &'static [Turn], items: &'static str, extracted: &'static str) -> Thing {
    Thing { is_spanish: false, turns, items, extracted }
}

const fn es(turns: &'static [Turn], items: &'static str, extracted: &'static str) -> Thing {
    Thing { is_spanish: true, turns, items, extracted }
}

const THINGS: &[Thing] = &[
    en(
        &[User("from now on always run cargo fmt before you commit"), Agent("I run it before each commit.")],
        r#"{"memories": [{"name": "run-cargo-fmt-before-commit", "type": "feedback", "description": "Always run cargo fmt before a commit", "body": "Always run cargo fmt before you commit", "evidence": ["from now on always run cargo fmt before you commit"]}]}"#,
        "cargo fmt before",
    ),
    en(
        &[User("I prefer tabs in shell scripts, by the way"), Agent("The scripts have tabs now.")],
        r#"{"memories": [{"name": "tabs-in-shell-scripts", "type": "user", "description": "The user prefers tabs in shell scripts", "body": "The user prefers tabs in shell scripts", "evidence": ["I prefer tabs in shell scripts"]}]}"#,
        "tabs in shell scripts",
    ),
    en(
        &[
            User(
                "the build fails, what is it?\n\n```\nerror[E0382]: borrow of moved value: `line`\n  --> src/parser.rs:12:9\n```",
            ),
            Agent(
                "The build failed because the loop moved `line` into the closure and used it again behind it. I clone it before the closure now, and the build passes.",
            ),
        ],
        r#"{"failures": [{"summary": "The build failed because the loop moved line into the closure", "root_cause": "the loop moved line into the closure and used it again behind it", "resolution": "clone it before the closure", "prevention": "", "evidence": ["the loop moved `line` into the closure and used it again behind it"]}]}"#,
        "",
    ),
    en(
        &[
            User("never push to main without a review, please"),
            Agent("You said \"never push to main without a review\", so I opened a branch instead."),
        ],
        r#"{"memories": [{"name": "never-push-without-review", "type": "feedback", "description": "Never push to main without a review", "body": "Never push to main without a review", "evidence": ["You said \"never push to main without a review\", so I opened a branch instead", "never push to main without a review, please"]}]}"#,
        "",
    ),
    en(
        &[
            User("make the upload sturdier"),
            Tool(
                "Bash",
                r#"{"command": "git commit -m 'uploader: try three times' -m 'One try was not enough on slow links.'"}"#,
                "[main 1a2b3c4] uploader: try three times",
            ),
            Agent("The uploader tries three times now."),
        ],
        r#"{"decisions": [{"summary": "The uploader tries three times", "rationale": "One try was not enough on slow links", "evidence": ["uploader: try three times", "One try was not enough on slow links."]}]}"#,
        "",
    ),
    en(
        &[
            User("plan the cache for the exchange rates"),
            Tool(
                "ExitPlanMode",
                r##"{"plan": "# Cache of the rates\n1. Read the rates once at the start\n2. Keep them in memory for an hour"}"##,
                "User has approved your plan. You can now start coding.",
            ),
            Agent("The rates are read once and kept in memory."),
        ],
        r#"{"decisions": [{"summary": "Read the rates once at the start and keep them in memory for an hour", "evidence": ["Read the rates once at the start", "Keep them in memory for an hour"]}]}"#,
        "",
    ),
    en(
        &[
            User("the monthly report needs a place for its numbers"),
            Tool(
                "AskUserQuestion",
                r#"{"questions": [{"question": "Which database does the report use?", "header": "Database", "multiSelect": false, "options": [{"label": "Postgres as everywhere else", "description": "one server"}, {"label": "A file", "description": "nothing to run"}]}]}"#,
                "User has answered your questions: \"Which database does the report use?\"=\"Postgres as everywhere else\". You can now continue with the user's answers in mind.",
            ),
            Agent("The report writes to Postgres."),
        ],
        r#"{"decisions": [{"summary": "The report uses the database Postgres, as everywhere else", "evidence": ["Which database does the report use?", "Postgres as everywhere else"]}]}"#,
        "Postgres as everywhere else",
    ),
    en(
        &[
            User(
                "Ana wrote:\n> Please keep the XML export, two customers need it.\n\nlet's do what Ana says: keep the XML export",
            ),
            Agent("The XML export stays."),
        ],
        r#"{"decisions": [{"summary": "Keep the XML export, as Ana says", "evidence": ["let's do what Ana says: keep the XML export"]}]}"#,
        "",
    ),
    en(
        &[
            Agent(
                "There are two ways for the thumbnails:\n1. Make them when a page is opened.\n2. Make them all in the night.\n\nWhich one?",
            ),
            User("let's go with 2"),
            Agent("They are made in the night."),
        ],
        r#"{"decisions": [{"summary": "Make all thumbnails in the night", "alternatives": ["make them when a page is opened"], "evidence": ["2. Make them all in the night.", "let's go with 2"]}]}"#,
        "in the night",
    ),
    en(
        &[User("the release notes live in docs/releases.md, the wiki is dead"), Agent("I write them there.")],
        r#"{"memories": [{"name": "release-notes-in-docs", "type": "reference", "description": "The release notes live in docs/releases.md", "body": "The release notes live in docs/releases.md, the wiki is dead", "evidence": ["the release notes live in docs/releases.md, the wiki is dead"]}]}"#,
        "",
    ),
    en(
        &[
            Agent("The reader works. What is left: write the page on the importer."),
            User("fine, we do that another day"),
        ],
        r#"{"handoff": [{"summary": "Write the page on the importer", "evidence": ["What is left: write the page on the importer."]}]}"#,
        "",
    ),
    en(
        &[
            User("stop here for today. tomorrow we still have to translate the menu"),
            Agent("Good, the menu comes next."),
        ],
        r#"{"handoff": [{"summary": "Translate the menu", "evidence": ["tomorrow we still have to translate the menu"]}]}"#,
        "",
    ),
    en(
        &[
            User("why did it lose the file?"),
            Agent(
                "`★ Insight ─────────────────`\nA rename is atomic only within one file system, so a temporary file belongs beside its target.\n`─────────────────────────────`\n\nThe file is made beside its target now.",
            ),
        ],
        r#"{"learnings": [{"title": "A rename is atomic only within one file system", "learning": "A rename is atomic only within one file system, so a temporary file belongs beside its target.", "scope": "universal", "evidence": ["A rename is atomic only within one file system, so a temporary file belongs beside its target."]}]}"#,
        "atomic only within one file system",
    ),
    en(
        &[
            User("some rules for this repo:\n- one commit for each fix\n- no new dependencies without asking me"),
            Agent("I keep to both."),
        ],
        r#"{"memories": [{"name": "one-commit-for-each-fix", "type": "feedback", "description": "One commit for each fix", "body": "One commit for each fix in this repo", "evidence": ["one commit for each fix"]}, {"name": "no-new-dependencies-without-asking", "type": "feedback", "description": "No new dependencies without asking", "body": "No new dependencies without asking the user", "evidence": ["no new dependencies without asking me"]}]}"#,
        "",
    ),
    en(
        &[User("please always use `make check` rather than `make test` here"), Agent("I use `make check`.")],
        r#"{"memories": [{"name": "use-make-check", "type": "feedback", "description": "Use make check rather than make test", "body": "Always use `make check` rather than `make test` here", "evidence": ["please always use `make check` rather than `make test` here"]}]}"#,
        "",
    ),
    en(
        &[User("Decision: we drop Python 3.8 with the next release."), Agent("The classifiers start at 3.9 now.")],
        r#"{"decisions": [{"summary": "Drop Python 3.8 with the next release", "evidence": ["we drop Python 3.8 with the next release"]}]}"#,
        "",
    ),
    en(
        &[
            User(
                "it ticks too fast:\n\n2026-04-13T10:00:01Z tick 1\n2026-04-13T10:00:01Z tick 2\n2026-04-13T10:00:01Z tick 3",
            ),
            Agent(
                "Root cause: the timer was started twice, in `open` and in `resume`. Fix: it is started only in `open`. Prevention: ask the timer whether it runs before you start it.",
            ),
        ],
        r#"{"failures": [{"summary": "The timer was started twice, in open and in resume", "root_cause": "the timer was started twice, in open and in resume", "resolution": "it is started only in open", "prevention": "ask the timer whether it runs before you start it", "evidence": ["Root cause: the timer was started twice, in `open` and in `resume`."]}]}"#,
        "",
    ),
    en(
        &[
            User(
                "use the mirror at https://crates.example.org/index from now on, the office proxy blocks the other one",
            ),
            Agent("The mirror is in the configuration."),
        ],
        r#"{"memories": [{"name": "use-the-crates-mirror", "type": "reference", "description": "Use the mirror at https://crates.example.org/index", "body": "Use the mirror at https://crates.example.org/index, the office proxy blocks the other one", "evidence": ["use the mirror at https://crates.example.org/index from now on, the office proxy blocks the other one"]}]}"#,
        "",
    ),
    en(
        &[
            Agent("The linter found two more. Shall I always run the linter before a commit?"),
            User("yes, always please do that"),
        ],
        r#"{"memories": [{"name": "run-the-linter-before-a-commit", "type": "feedback", "description": "Always run the linter before a commit", "body": "Always run the linter before a commit", "evidence": ["Shall I always run the linter before a commit?", "yes, always please do that"]}]}"#,
        "",
    ),
    en(
        &[
            User(
                "review by Bo:\n1. the lock is never released\n2. the name x is odd\n\nBo is right about the lock, let's release it in `drop`",
            ),
            Agent("The lock is released in `drop` now."),
        ],
        r#"{"decisions": [{"summary": "Release the lock in drop, Bo is right about it", "evidence": ["Bo is right about the lock, let's release it in `drop`"]}]}"#,
        "",
    ),
    en(
        &[
            User("our old rule said \"squash everything\", I don't want that any more: keep the commits of a branch"),
            Agent("The commits of a branch are kept."),
        ],
        r#"{"decisions": [{"summary": "Keep the commits of a branch, the old rule is not wanted any more", "evidence": ["I don't want that any more: keep the commits of a branch"]}]}"#,
        "",
    ),
    es(
        &[
            User("a partir de ahora pasa siempre cargo fmt antes de cada commit"),
            Agent("Lo paso antes de cada commit."),
        ],
        r#"{"memories": [{"name": "cargo-fmt-antes-de-cada-commit", "type": "feedback", "description": "Pasar siempre cargo fmt antes de cada commit", "body": "Pasar siempre cargo fmt antes de cada commit", "evidence": ["a partir de ahora pasa siempre cargo fmt antes de cada commit"]}]}"#,
        "cargo fmt antes",
    ),
    es(
        &[User("prefiero tabuladores en los scripts de shell"), Agent("Los scripts llevan tabuladores.")],
        r#"{"memories": [{"name": "tabuladores-en-scripts", "type": "user", "description": "Prefiere tabuladores en los scripts de shell", "body": "El usuario prefiere tabuladores en los scripts de shell", "evidence": ["prefiero tabuladores en los scripts de shell"]}]}"#,
        "tabuladores",
    ),
    es(
        &[
            User(
                "falla la compilación, ¿qué es?\n\n```\nerror[E0382]: borrow of moved value: `linea`\n  --> src/lector.rs:12:9\n```",
            ),
            Agent(
                "La compilación fallaba porque el bucle movía `linea` a la clausura y la usaba después. Ahora la clono antes y compila.",
            ),
        ],
        r#"{"failures": [{"summary": "La compilación fallaba porque el bucle movía linea a la clausura", "root_cause": "el bucle movía linea a la clausura y la usaba después", "resolution": "Ahora la clono antes", "evidence": ["el bucle movía `linea` a la clausura y la usaba después"]}]}"#,
        "",
    ),
    es(
        &[
            User(
                "Ana escribe:\n> Por favor, mantened la exportación XML, dos clientes la necesitan.\n\nhagamos lo que dice Ana: mantener la exportación XML",
            ),
            Agent("La exportación XML se queda."),
        ],
        r#"{"decisions": [{"summary": "Mantener la exportación XML, como dice Ana", "evidence": ["hagamos lo que dice Ana: mantener la exportación XML"]}]}"#,
        "",
    ),
    es(
        &[
            Agent(
                "Hay dos caminos para las miniaturas:\n1. Hacerlas al abrir una página.\n2. Hacerlas todas por la noche.\n\n¿Cuál prefieres?",
            ),
            User("vamos con la 2"),
            Agent("Se hacen por la noche."),
        ],
        r#"{"decisions": [{"summary": "Hacer todas las miniaturas por la noche", "evidence": ["2. Hacerlas todas por la noche.", "vamos con la 2"]}]}"#,
        "por la noche",
    ),
    es(
        &[User("las notas de versión están en docs/versiones.md, la wiki ya no se usa"), Agent("Las escribo allí.")],
        r#"{"memories": [{"name": "notas-de-version-en-docs", "type": "reference", "description": "Las notas de versión están en docs/versiones.md", "body": "Las notas de versión están en docs/versiones.md, la wiki ya no se usa", "evidence": ["las notas de versión están en docs/versiones.md, la wiki ya no se usa"]}]}"#,
        "",
    ),
    es(
        &[Agent("El lector funciona. Queda pendiente escribir la página del importador."), User("bien, eso otro día")],
        r#"{"handoff": [{"summary": "Escribir la página del importador", "evidence": ["Queda pendiente escribir la página del importador."]}]}"#,
        "",
    ),
    es(
        &[User("Decisión: dejamos Python 3.8 en la próxima versión."), Agent("Los clasificadores empiezan en 3.9.")],
        r#"{"decisions": [{"summary": "Dejamos Python 3.8 en la próxima versión", "evidence": ["dejamos Python 3.8 en la próxima versión"]}]}"#,
        "",
    ),
    es(
        &[
            User(
                "va demasiado rápido:\n\n2026-04-13T10:00:01Z tic 1\n2026-04-13T10:00:01Z tic 2\n2026-04-13T10:00:01Z tic 3",
            ),
            Agent(
                "Causa raíz: el temporizador se arrancaba dos veces, en `abrir` y en `seguir`. Arreglo: se arranca solo en `abrir`. Prevención: preguntar al temporizador si ya corre.",
            ),
        ],
        r#"{"failures": [{"summary": "El temporizador se arrancaba dos veces, en abrir y en seguir", "root_cause": "el temporizador se arrancaba dos veces, en abrir y en seguir", "resolution": "se arranca solo en abrir", "prevention": "preguntar al temporizador si ya corre", "evidence": ["Causa raíz: el temporizador se arrancaba dos veces, en `abrir` y en `seguir`."]}]}"#,
        "",
    ),
    es(
        &[
            User("nunca subas a main sin una revisión, por favor"),
            Agent("Dijiste \"nunca subas a main sin una revisión\", así que abrí una rama."),
        ],
        r#"{"memories": [{"name": "nunca-subas-sin-revision", "type": "feedback", "description": "Nunca subas a main sin una revisión", "body": "Nunca subas a main sin una revisión", "evidence": ["nunca subas a main sin una revisión, por favor"]}]}"#,
        "",
    ),
    es(
        &[
            User("unas reglas para este repo:\n- un commit por arreglo\n- ninguna dependencia nueva sin preguntarme"),
            Agent("Sigo las dos."),
        ],
        r#"{"memories": [{"name": "ninguna-dependencia-nueva", "type": "feedback", "description": "Ninguna dependencia nueva sin preguntar", "body": "Ninguna dependencia nueva sin preguntar al usuario", "evidence": ["ninguna dependencia nueva sin preguntarme"]}]}"#,
        "",
    ),
    es(
        &[
            Agent("El linter encontró dos más. ¿Paso siempre el linter antes de un commit?"),
            User("sí, siempre, hazlo por favor"),
        ],
        r#"{"memories": [{"name": "linter-antes-de-un-commit", "type": "feedback", "description": "Pasar siempre el linter antes de un commit", "body": "Pasar siempre el linter antes de un commit", "evidence": ["¿Paso siempre el linter antes de un commit?", "sí, siempre, hazlo por favor"]}]}"#,
        "",
    ),
    es(
        &[User("paramos por hoy. mañana todavía hay que traducir el menú"), Agent("Bien, lo siguiente es el menú.")],
        r#"{"handoff": [{"summary": "Traducir el menú", "evidence": ["mañana todavía hay que traducir el menú"]}]}"#,
        "",
    ),
];

/// How many sessions, and how many honest things each has besides its work.
const SESSIONS: usize = 60;
const EACH: usize = 4;

/// A clean session.
pub struct Clean {
    pub number: usize,
    pub transcript: String,
    /// What the model answers.
    pub answer: Value,
    /// Words of what extract finds.
    pub extracted: Vec<&'static str>,
}

/// All clean sessions, the same in each run.
pub fn sessions() -> Vec<Clean> {
    let mut dice = Dice(0x60_2026);
    (0..SESSIONS).map(|number| session(number, &mut dice)).collect()
}

fn session(number: usize, dice: &mut Dice) -> Clean {
    let is_spanish = number % 5 >= 3;
    let works: Vec<_> = WORK.iter().filter(|work| work.is_spanish == is_spanish).collect();
    let work = works[dice.roll(works.len())];
    let mut talk = Talk::new("/src/app", "main");
    work.begin(&mut talk);
    let mut answer = json!({"decisions": [{"summary": work.kept, "evidence": [work.choice]}],
        "failures": [{"summary": work.broke, "root_cause": work.cause, "evidence": [work.cause]}],
        "learnings": [], "memories": [], "handoff": []});
    let mut left: Vec<&Thing> = THINGS.iter().filter(|thing| thing.is_spanish == is_spanish).collect();
    let mut extracted = Vec::new();
    for _ in 0..EACH {
        let thing = left.swap_remove(dice.roll(left.len()));
        for turn in thing.turns {
            match turn {
                User(text) => talk.user(text),
                Agent(text) => talk.agent(text),
                Tool(name, input, result) => talk.tool(name, &serde_json::from_str(input).unwrap(), result, false),
            };
        }
        let items: Value = serde_json::from_str(thing.items).unwrap();
        for (list, items) in items.as_object().unwrap() {
            answer[list].as_array_mut().unwrap().extend(items.as_array().unwrap().iter().cloned());
        }
        extracted.extend((!thing.extracted.is_empty()).then_some(thing.extracted));
    }
    talk.agent(work.done);
    Clean { number, transcript: talk.text(), answer, extracted }
}

//! What is asked, and the configuration that comes of the answers. Enter takes the default; the end of the
//! input is no answer, and nothing is done then.

use crate::base::config::{Engine, Scope, Select};
use crate::base::exit::{Exit, Failure};
use std::io::{BufRead, Write};

/// Where the knowledge folder is when nothing is said.
const KNOWLEDGE: &str = "~/Documents/lazy-harness-knowledge";
/// Answers that make no sense before the default is taken.
const TRIES: usize = 3;

/// What is wanted; the default is what is done where no question is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// The loop is to be on.
    pub enabled: bool,
    /// What distils.
    pub engine: Engine,
    /// The knowledge folder, when it is not the default one.
    pub knowledge: Option<String>,
    /// Where memory is kept.
    pub scope: Scope,
    /// Prompts get the memories that they need.
    pub select: Select,
    /// lh-weekly is to run by itself.
    pub weekly: bool,
}

impl Default for Answers {
    fn default() -> Self {
        let (engine, scope, select) = (Engine::Auto, Scope::Project, Select::Rank);
        Self { enabled: true, engine, knowledge: None, scope, select, weekly: false }
    }
}

impl Answers {
    /// Asks: on the configuration when there is none, on the timer when that is open. Status 1 when the input
    /// ends before the last answer.
    pub fn ask(
        on_config: bool,
        on_timer: bool,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
    ) -> Result<Self, Failure> {
        let mut answers = Self::default();
        let mut ask = |question: &str, good: &dyn Fn(&str) -> bool| question_of(question, good, input, output);
        if on_config {
            answers.enabled =
                ask("distil finished sessions into memory? [Y/n]", &is_yes_or_no)?.is_none_or(|yes| is_yes(&yes));
            if answers.enabled {
                let word = ask(
                    "with what? auto (claude where it is installed, else extract), claude, extract (no model) [auto]",
                    &|word| matches!(word, "auto" | "claude" | "extract"),
                )?;
                answers.engine = word.and_then(|word| Engine::from_word(&word)).unwrap_or_default();
            }
            let folder = ask(&format!("the folder for exported sessions and learnings? [{KNOWLEDGE}]"), &is_folder)?;
            answers.knowledge = folder.filter(|folder| folder != KNOWLEDGE);
            let word = ask(
                "A project's memory is kept in the client's folder of the checkout (project), where it is lost when the \
                 checkout moves.\nOr it is kept in that knowledge folder (store), one for all checkouts and machines, and goes \
                 where you synchronise or push the folder to.\nwhich? project, store [project]",
                &|word| matches!(word, "project" | "store"),
            )?;
            answers.scope = word.and_then(|word| Scope::from_word(&word)).unwrap_or_default();
            let selects = ask("give each prompt the memories that it needs, without a model? [Y/n]", &is_yes_or_no)?;
            answers.select = if selects.is_none_or(|yes| is_yes(&yes)) { Select::Rank } else { Select::Off };
        }
        if on_timer {
            answers.weekly = ask("catch up once a week on what was missed, by a timer? [y/N]", &is_yes_or_no)?
                .is_some_and(|yes| is_yes(&yes));
        }
        Ok(answers)
    }

    /// The text of `config.toml`.
    pub fn config(&self) -> String {
        let knowledge = self.knowledge.as_deref().unwrap_or(KNOWLEDGE);
        let knowledge = format!("root = {}", toml::Value::from(knowledge));
        let off = |default: bool| if default { "# " } else { "" };
        format!(
            "# What the lh tools are to do: all keys are in lh-config(5). A key behind a # has the value that it
# would have anyway.

[harness]
# Without this line lazy-harness would not read the file.
version = \"1\"

[compound_loop]
# The switch of the hooks: without it they queue nothing.
enabled = {enabled}
# What distils a session: auto is claude where that is on PATH, else extract, which calls no model.
{engine_off}engine = \"{engine}\"
# model = \"claude-haiku-4-5-20251001\"
# What the calls of a day may cost, in US dollars, and how many there may be.
# max_usd_per_day = 5.0
# max_calls_per_day = 200

[knowledge]
# Exported sessions and learnings; a leading ~ is the home.
{knowledge}

[memory]
# Where a project's memory is: project (the client's folder) or store (the knowledge folder).
{scope_off}scope = \"{scope}\"
# Which memories a prompt gets: rank (those that share rare words with it) or off (none; a start tells them).
{select_off}select = \"{select}\"

[privacy]
# Further secrets to mask, and what only looks like one: regular expressions.
# patterns = []
# exempt = []
",
            enabled = self.enabled,
            engine_off = off(self.engine == Engine::Auto),
            engine = self.engine.word(),
            scope_off = off(self.scope == Scope::Project),
            scope = self.scope.word(),
            select_off = off(self.select == Select::Off),
            select = self.select.word(),
        )
    }
}

/// A good answer to a question; none for the default. Status 1 at the end of the input.
fn question_of(
    question: &str,
    good: &dyn Fn(&str) -> bool,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> Result<Option<String>, Failure> {
    for _ in 0..TRIES {
        let _ = write!(output, "{question} ").and_then(|()| output.flush());
        let mut line = String::new();
        if input.read_line(&mut line).unwrap_or_default() == 0 {
            let _ = writeln!(output);
            let what = "no answer: nothing was changed; run it again, or with --yes to take all defaults";
            return Err(Failure::new(Exit::No, what));
        }
        let answer = line.trim();
        if answer.is_empty() {
            return Ok(None);
        }
        if good(answer) {
            return Ok(Some(answer.to_owned()));
        }
    }
    Ok(None)
}

fn is_yes_or_no(answer: &str) -> bool {
    ["y", "yes", "n", "no"].contains(&answer.to_lowercase().as_str())
}

fn is_yes(answer: &str) -> bool {
    answer.to_lowercase().starts_with('y')
}

/// A folder that means the same wherever a tool runs.
fn is_folder(answer: &str) -> bool {
    answer.starts_with('/') || answer == "~" || answer.starts_with("~/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::config::Config;

    fn ask(typed: &str) -> (Answers, usize) {
        let mut shown = Vec::new();
        let answers = Answers::ask(true, true, &mut typed.as_bytes(), &mut shown).unwrap();
        (answers, String::from_utf8(shown).unwrap().matches("] ").count())
    }

    #[test]
    fn the_end_is_no_answer() {
        for typed in ["", "y", "\n", "y\nextract\n~/notes\n", "n\n\n", "what\n"] {
            let failure = Answers::ask(true, true, &mut typed.as_bytes(), &mut Vec::new()).unwrap_err();
            assert!(failure.exit == Exit::No && failure.message.contains("nothing was changed"), "{typed:?}");
        }
    }

    #[test]
    fn enter_takes_the_default() {
        assert_eq!(ask("\n\n\n\n\n\n"), (Answers::default(), 6));
        let (answers, asked) = ask("yes\nsomething\nextract\nnotes\n~/my \"notes\"\nstore\nno\nY\n");
        assert_eq!(asked, 8);
        assert_eq!((answers.engine, answers.scope, answers.weekly), (Engine::Extract, Scope::Store, true));
        let config = Config::parse(&answers.config()).unwrap();
        assert_eq!(config.knowledge.root.as_deref(), Some("~/my \"notes\""));
        assert_eq!((config.compound_loop.engine, config.memory.select), (Engine::Extract, Select::Off));
        assert_eq!(Config::parse(&Answers::default().config()).unwrap().memory.select, Select::Rank);
        assert_eq!(ask("n\n\n\n\n\n"), (Answers { enabled: false, ..Answers::default() }, 5));
    }

    #[test]
    fn the_configuration_is_one_and_says_the_defaults() {
        let text = Answers::default().config();
        let config = Config::parse(&text).unwrap();
        assert!(config.compound_loop.enabled && config.unknown_keys().is_empty());
        assert_eq!((&config.knowledge.path, config.knowledge.root.as_deref()), (&None, Some(KNOWLEDGE)));
        let said = |line: &str| line.strip_prefix("# ").filter(|line| line.contains(" = ")).map(str::to_owned);
        let all: Vec<String> = text.lines().map(|line| said(line).unwrap_or_else(|| line.to_owned())).collect();
        let spoken = Config::parse(&all.join("\n")).unwrap();
        assert!(spoken.unknown_keys().is_empty());
        let known = |config: &Config| {
            let of = &config.compound_loop;
            (of.model.clone(), of.max_calls_per_day, of.max_usd_per_day.to_bits(), config.knowledge_folder().unwrap())
        };
        assert_eq!(known(&spoken), known(&config));
    }
}

//! The configuration for a person: what is asked before there is one, and what comes of the answers; what is set, where and
//! by what; and one key set, all else kept. At a question Enter takes the default. Where the input ends before the last
//! answer, nothing is done.

use super::{Setup, SetupOptions};
use crate::base::config::{Config, settings};
use crate::base::exit::{Exit, Failure};
use crate::base::{env, file, text};
use crate::redact::Redactor;
use std::fmt::Write as _;
use std::io::{BufRead, Write};

/// The configuration where nothing is said otherwise.
const CONFIG: &str = include_str!("config.toml");
/// Where the knowledge folder is there.
const KNOWLEDGE: &str = "~/Documents/lazy-harness-knowledge";
const ENGINE: &str = "with what? auto (claude where it is installed, else extract), claude, extract (no model) [auto]";
const FOLDER: &str = "the folder for exported sessions and learnings? [~/Documents/lazy-harness-knowledge]";
const SCOPE: &str = "A project's memory is kept in the client's folder of the checkout (project), where it is lost when the \
     checkout moves.\nOr it is kept in that knowledge folder (store), one for all checkouts and machines, and goes where you \
     synchronise or push the folder to.\nwhich? project, store [project]";
/// Answers that make no sense before the default is taken.
const TRIES: usize = 3;

/// What is wanted; the default is what is done where no question is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// The text of `config.toml`.
    pub config: String,
    /// lh-weekly is to run by itself.
    pub weekly: bool,
}

impl Default for Answers {
    fn default() -> Self {
        Self { config: CONFIG.to_owned(), weekly: false }
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
        let mut ask = |question: &str, good: fn(&str) -> bool| question_of(question, good, input, output);
        // A line of the configuration, and what takes its place for an answer that is not the default.
        let mut put = |line: &str, new: String| {
            answers.config = answers.config.replace(&format!("\n{line}\n"), &format!("\n{new}\n"));
        };
        if on_config {
            if ask("distil finished sessions into memory? [Y/n]", is_yes_or_no)?.is_some_and(|answer| !is_yes(&answer))
            {
                put("enabled = true", "enabled = false".to_owned());
            } else if let Some(engine) = ask(ENGINE, |word| matches!(word, "auto" | "claude" | "extract"))? {
                put("# engine = \"auto\"", format!("engine = \"{engine}\""));
            }
            if let Some(folder) = ask(FOLDER, is_folder)? {
                put(&format!("root = \"{KNOWLEDGE}\""), format!("root = {}", toml::Value::from(folder)));
            }
            if let Some(scope) = ask(SCOPE, |word| matches!(word, "project" | "store"))? {
                put("# scope = \"project\"", format!("scope = \"{scope}\""));
            }
            let selects = ask("give each prompt the memories that it needs, without a model? [Y/n]", is_yes_or_no)?;
            if selects.is_some_and(|answer| !is_yes(&answer)) {
                put("select = \"rank\"", "# select = \"off\"".to_owned());
            }
        }
        if on_timer {
            let weekly = ask("catch up once a week on what was missed, by a timer? [y/N]", is_yes_or_no)?;
            answers.weekly = weekly.is_some_and(|answer| is_yes(&answer));
        }
        Ok(answers)
    }
}

/// The answer to one question; no at the end of the input.
pub fn yes(question: &str) -> bool {
    let answer = question_of(question, |_| true, &mut std::io::stdin().lock(), &mut std::io::stderr().lock());
    answer.ok().flatten().is_some_and(|answer| ["y", "yes"].contains(&answer.to_lowercase().as_str()))
}

/// A good answer to a question; none for the default. Status 1 at the end of the input.
fn question_of(
    question: &str,
    good: fn(&str) -> bool,
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
        let _ = writeln!(output, "'{answer}' does not answer this");
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

/// Tells all keys, or those of a section or of one name; or sets a key to a value.
pub fn configure(words: &[String], dry_run: bool) -> Result<(String, Exit), Failure> {
    let path = env::config_file()?;
    let text = file::read_text(&path)?.unwrap_or_default();
    let bad = |what: String| Failure::config(format!("{}: {what}", path.display()));
    match words {
        [key, value] => {
            let key = settings::named(key).map_err(Failure::usage)?;
            let all = settings::all(&text).map_err(bad)?;
            let was = all.iter().find(|setting| setting.key == key).map_or("", |setting| &setting.value);
            let (new, value) = settings::set(&text, &key, value).map_err(Failure::data)?;
            // A pattern that is none would stop every tool.
            Redactor::new(&Config::parse(&new).map_err(Failure::data)?.privacy)
                .map_err(|bad| Failure::data(bad.message))?;
            let mut setup = Setup { wish: SetupOptions { dry_run, ..SetupOptions::default() }, ..Setup::default() };
            setup.put(&path, Some(&new))?;
            if !dry_run {
                setup.shown = format!("{key} = {value} (was {})\n", if was.is_empty() { "not set" } else { was });
            }
            Ok((setup.shown, Exit::Done))
        }
        [] | [_] => {
            let wanted = words.first().map_or("", String::as_str);
            let (section, end) = (format!("{wanted}."), format!(".{wanted}"));
            let is_wanted = |key: &str| key == wanted || key.starts_with(&section) || key.ends_with(&end);
            let mut all = settings::all(&text).map_err(bad)?;
            all.retain(|setting| wanted.is_empty() || is_wanted(&setting.key));
            if all.is_empty() {
                return Err(Failure::usage(settings::named(wanted).unwrap_or_else(|what| what)));
            }
            Ok((lines(&all, &Config::load()?)?, Exit::Done))
        }
        _ => Err(Failure::usage(format!("{} words: expected a key and a value; see --help", words.len()))),
    }
}

/// A line a key: its name, its value, and what says so.
fn lines(all: &[settings::Setting], config: &Config) -> Result<String, Failure> {
    let path = env::config_file()?.display().to_string();
    let mut out = String::new();
    for settings::Setting { key, value, place } in all {
        let by = place.as_ref().map_or_else(|| "default".to_owned(), |place| format!("{path}:{place}"));
        let quoted = |path: std::path::PathBuf| toml::Value::from(path.display().to_string()).to_string();
        let (value, by) = match (key.as_str(), place) {
            ("knowledge.path", _) if env::knowledge_override()?.is_some() => {
                (quoted(config.knowledge_folder()?), "LAZY_KNOWLEDGE_ROOT".to_owned())
            }
            ("compound_loop.learnings_subdir", _) if env::learnings_override()?.is_some() => {
                (quoted(config.learnings_folder()?), "LCT_LEARNINGS_DIR".to_owned())
            }
            ("knowledge.path", None) => (quoted(config.knowledge_folder()?), by),
            ("context.max_chars", None) => (config.start_chars().to_string(), by),
            (_, None) if value.is_empty() => ("(none)".to_owned(), by),
            _ => (value.clone(), by),
        };
        let _ = writeln!(out, "{key:42} {:28} {by}", text::one_line(&value));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::config::{Config, Engine, Scope, Select};

    fn ask(typed: &str) -> (Answers, usize) {
        let mut shown = Vec::new();
        let answers = Answers::ask(true, true, &mut typed.as_bytes(), &mut shown).unwrap();
        (answers, String::from_utf8(shown).unwrap().matches("] ").count())
    }

    #[test]
    fn enter_takes_the_default() {
        assert_eq!(ask("\n\n\n\n\n\n"), (Answers::default(), 6));
        let (answers, asked) = ask("yes\nsomething\nextract\nnotes\n~/my \"notes\"\nstore\nno\nY\n");
        assert_eq!(asked, 8);
        let config = Config::parse(&answers.config).unwrap();
        assert_eq!((config.compound_loop.engine, config.memory.scope), (Engine::Extract, Scope::Store));
        assert_eq!(config.knowledge.root.as_deref(), Some("~/my \"notes\""));
        assert!(config.memory.select == Select::Off && answers.weekly);
        assert_eq!(Config::parse(CONFIG).unwrap().memory.select, Select::Rank);
        let (answers, asked) = ask("n\n\n\n\n\n");
        assert_eq!((answers.config, asked), (CONFIG.replace("\nenabled = true\n", "\nenabled = false\n"), 5));
    }

    #[test]
    fn the_configuration_is_one_and_says_the_defaults() {
        let text = CONFIG;
        let config = Config::parse(text).unwrap();
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

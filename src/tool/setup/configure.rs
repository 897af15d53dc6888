//! The configuration for a person: what is set, where and by what; and one key set, all else kept.

use super::{Setup, SetupOptions};
use crate::base::config::{Config, settings};
use crate::base::env;
use crate::base::exit::{Exit, Failure};
use crate::base::file;
use std::fmt::Write as _;

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
        let _ = writeln!(out, "{key:42} {:28} {by}", crate::base::text::one_line(&value));
    }
    Ok(out)
}

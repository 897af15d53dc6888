//! The keys one by one, for a person: what each is, who says so, and what a word on a command line means for it.

use super::check;
use super::keys::SECTIONS;
use super::rule::Rule;
use super::{Config, position};
use crate::base::text;
use toml::de::DeTable;
use toml::{Table, Value};

/// Keys that lazy-harness has and that ours take the place of: they are told only where they are set.
const OLDER: [&str; 4] = [
    "knowledge.root",
    "context_inject.max_body_chars",
    "compound_loop.backend",
    "compound_loop.backend_options.base_url",
];

/// A key as it is.
pub struct Setting {
    /// Its section and its name: `compound_loop.engine`.
    pub key: String,
    /// As TOML has it; "" where there is none.
    pub value: String,
    /// The line and the column in the file; none for the default.
    pub place: Option<String>,
}

/// All keys as the text of a configuration sets them, in the order of the table.
pub fn all(text: &str) -> Result<Vec<Setting>, String> {
    let config = Config::parse(text)?;
    let values = Value::try_from(&config).map_err(|error| error.to_string())?;
    let root = DeTable::parse(text).map_err(|error| super::in_words(&error))?;
    let mut found = Vec::new();
    for (section, keys) in SECTIONS.iter().filter(|(section, _)| !section.ends_with("[]")) {
        let tables = check::tables(root.get_ref(), section).unwrap_or_default();
        let set_ones = || tables.iter().map(|(name, ..)| name.clone());
        let names = if section.contains('*') { set_ones().collect() } else { vec![(*section).to_owned()] };
        for (name, (key, _)) in names.iter().flat_map(|name| keys.iter().map(move |key| (name, key))) {
            let set = tables.iter().find(|(known, ..)| known == name).and_then(|(.., table)| table.get(*key));
            let place = set.map(|value| position(text, value.span().start));
            let read = || name.split('.').chain([*key]).try_fold(&values, |value, key| value.get(key)).cloned();
            let value = match set {
                // A pattern can be the very secret that it is to find.
                Some(_) if *name == "privacy" => "(not shown)".to_owned(),
                Some(value) => text.get(value.span()).unwrap_or_default().to_owned(),
                None => read().map_or_else(String::new, |value| value.to_string()),
            };
            let key = format!("{name}.{key}");
            found.extend((place.is_some() || !OLDER.contains(&key.as_str())).then_some(Setting { key, value, place }));
        }
    }
    Ok(found)
}

/// The whole names of all keys but those of lists and of profiles, each with the words that it can be, if it can only be
/// such.
pub fn keys() -> impl Iterator<Item = (String, &'static [&'static str])> {
    let one = |section: &'static str, (key, rule): &'static (&str, Rule)| (format!("{section}.{key}"), rule.choices());
    let sections = SECTIONS.iter().filter(|(section, _)| !section.contains(['*', '[']));
    sections.flat_map(move |(section, keys)| keys.iter().map(move |key| one(section, key)))
}

/// The whole name of a key: as it is, or its last part where only one key ends so.
pub fn named(key: &str) -> Result<String, String> {
    let is_of_profile = key.strip_prefix("profiles.").and_then(|rest| rest.strip_suffix(".config_dir"));
    if is_of_profile.is_some_and(|name| !name.is_empty() && !name.contains('.')) {
        return Ok(key.to_owned());
    }
    let all: Vec<String> = keys().map(|(key, _)| key).collect();
    let ends: Vec<&String> =
        all.iter().filter(|known| **known == key || known.rsplit('.').next() == Some(key)).collect();
    let exact = ends.iter().find(|known| known.as_str() == key);
    match (exact, ends.as_slice()) {
        (Some(one), _) | (None, [one]) => Ok((*one).clone()),
        (None, []) => {
            let hint = text::did_you_mean(key, all.iter().map(String::as_str), "");
            Err(format!("no key '{key}'{hint}; lh config lists all"))
        }
        (None, several) => {
            let several: Vec<&str> = several.iter().map(|key| key.as_str()).collect();
            Err(format!("'{key}' means {}: give the whole name", several.join(" and ")))
        }
    }
}

/// The text with a key, by its whole name, set to what a word means for it; the error says what it can be.
pub fn set(text: &str, key: &str, word: &str) -> Result<(String, Value), String> {
    let (section, name) = key.rsplit_once('.').ok_or_else(|| format!("no key '{key}'"))?;
    let rule = check::rule(section, name).ok_or_else(|| format!("no key '{key}'"))?;
    let as_toml = || format!("v = {word}").parse::<Table>().ok()?.remove("v");
    let value = match rule {
        Rule::Switch | Rule::Whole(..) | Rule::Amount(_) => as_toml(),
        Rule::Patterns => as_toml().filter(Value::is_array).or_else(|| Some(Value::Array(vec![Value::from(word)]))),
        _ => None,
    };
    let value = value.unwrap_or_else(|| Value::from(word));
    // The whole text is checked, so that no file is written that cannot be read.
    let alone = super::edit::set("", section, name, &value)?;
    let without_place =
        |what: String| what.splitn(3, ':').nth(2).map_or_else(|| what.clone(), |what| what.trim().to_owned());
    Config::parse(&alone).map_err(without_place)?;
    let new = super::edit::set(text, section, name, &value)?;
    Config::parse(&new).map(|_| (new, value))
}

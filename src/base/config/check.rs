//! A file is looked at beside the table of all keys before a value is used. What is outside of it is an error with line and
//! column: it is never taken for the nearest value, and never left out in silence.

use super::keys::SECTIONS;
use super::rule::{Rule, Wrong, found_in, list};
use crate::base::text;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The first value that is not what its key may be.
pub fn check(root: &DeTable<'_>) -> Result<(), Wrong> {
    for (section, keys) in SECTIONS {
        for (name, at, table) in tables(root, section)? {
            for (key, rule) in *keys {
                match table.get(*key) {
                    Some(value) => rule.judge(value).map_err(|(at, what)| (at, format!("[{name}] {key}: {what}")))?,
                    // An entry of a list has all of its keys.
                    None if section.ends_with("[]") => return Err((at, format!("[{name}]: missing key '{key}'"))),
                    None => {}
                }
            }
        }
    }
    Ok(())
}

/// The sections in which only our keys are, with those of lazy-harness 0.45.1, which reads the same file: what its user
/// asked for with one of them is said by `lh-setup --migrate`. In others, and at the top, other tools have keys, too.
const OWN: [(&str, &[&str]); 5] = [
    ("compound_loop", &["grading_enabled", "lazymind_dir", "slim_handoff_enabled"]),
    ("memory", &[]),
    ("context", &[]),
    (
        "context_inject",
        &[
            "last_session_enabled",
            "qmd_suggest_enabled",
            "qmd_suggest_top_k",
            "graphify_surface_enabled",
            "proposals_summary",
            "repo_map_scope",
            "repo_map_doc",
            "repo_map_max_chars",
        ],
    ),
    ("privacy", &[]),
];

/// The keys in sections of ours that are not known, and those elsewhere that are nearly known ones.
pub fn unknown_keys(root: &DeTable<'_>) -> Vec<String> {
    let tops: Vec<&str> = SECTIONS.iter().filter_map(|(section, _)| section.split('.').next()).collect();
    let mut found = Vec::new();
    for name in root.keys().map(Spanned::get_ref).filter(|name| !tops.contains(&name.as_ref())) {
        let hint = text::did_you_mean(name, tops.iter().copied(), "");
        found.extend((!hint.is_empty()).then(|| format!("[{name}]{hint}")));
    }
    for (section, keys) in SECTIONS.iter().filter(|(section, _)| !section.ends_with(']')) {
        let own = OWN.iter().find(|(of, _)| of == section).map(|(_, theirs)| *theirs);
        let known = || keys.iter().map(|(key, _)| *key).chain(own.into_iter().flatten().copied());
        for (name, _, table) in tables(root, section).unwrap_or_default() {
            // A table inside a section of ours is another tool's section.
            let is_unknown = |key: &str, value: &DeValue| !value.is_table() && !known().any(|known| known == key);
            for (key, _) in table.iter().filter(|(key, value)| is_unknown(key.get_ref(), value.get_ref())) {
                let hint = text::did_you_mean(key.get_ref(), known(), "");
                if own.is_some() || !hint.is_empty() {
                    found.push(format!("[{name}] {}{hint}", key.get_ref()));
                }
            }
        }
    }
    found
}

/// What the key of a section may be; each profile is a section.
pub fn rule(section: &str, key: &str) -> Option<&'static Rule> {
    let section = if section.starts_with("profiles.") { "profiles.*" } else { section };
    let (_, keys) = SECTIONS.iter().find(|(known, _)| *known == section)?;
    keys.iter().find(|(known, _)| *known == key).map(|(_, rule)| rule)
}

/// The agent homes of the profiles.
pub fn agent_homes(root: &DeTable<'_>) -> Vec<String> {
    let profiles = tables(root, "profiles.*").unwrap_or_default();
    profiles.iter().filter_map(|(_, _, table)| Some(table.get("config_dir")?.get_ref().as_str()?.to_owned())).collect()
}

/// A table with its name, and where it begins.
pub type NamedTable<'t, 'i> = (String, usize, &'t DeTable<'i>);

/// The tables of a section, with their names.
pub fn tables<'t, 'i>(root: &'t DeTable<'i>, section: &str) -> Result<Vec<NamedTable<'t, 'i>>, Wrong> {
    let mut found = vec![(String::new(), 0, root)];
    for part in section.split('.') {
        let mut below = Vec::new();
        for (name, _, table) in found {
            let inside = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
            if part == "*" {
                // Keys that are not tables belong to others.
                let tables = table.iter().filter_map(|(key, value)| Some((key, value.get_ref().as_table()?)));
                below.extend(tables.map(|(key, table)| (inside(key.get_ref()), key.span().start, table)));
                continue;
            }
            let (key, is_list) = part.strip_suffix("[]").map_or((part, false), |key| (key, true));
            let Some(value) = table.get(key) else { continue };
            let name = inside(key);
            let one = |value: &'t Spanned<DeValue<'i>>| match value.get_ref().as_table() {
                Some(table) => Ok((name.clone(), value.span().start, table)),
                None => Err((value.span().start, format!("[{name}]: expected a table, found {}", found_in(value)))),
            };
            if is_list {
                let items = list(value).map_err(|(at, what)| (at, format!("[{name}]: {what}")))?;
                below.extend(items.iter().map(one).collect::<Result<Vec<_>, Wrong>>()?);
            } else {
                below.push(one(value)?);
            }
        }
        found = below;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_every_key() {
        let page = include_str!("../../../man/lh-config.5");
        for (key, _) in SECTIONS.iter().flat_map(|(_, keys)| *keys) {
            let is_named = ["\n", " "].iter().any(|end| page.contains(&format!("Cm {key}{end}")));
            assert!(is_named, "lh-config(5) does not name {key}");
        }
    }
}

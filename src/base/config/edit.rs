//! One key of a configuration set to a value, all other bytes kept. Each way to write it is tried in turn, and
//! one is taken only if the new text, parsed again, is the old one but for that key; so a header inside a long
//! string, or a table that must not be opened twice, is never taken for what it looks like.

use std::ops::Range;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

/// The text with `key` of `table` (`memory`, `knowledge.sessions`) set to `value`. Where there is no safe way,
/// the error says which line to write where.
pub fn set(text: &str, table: &str, key: &str, value: &Value) -> Result<String, String> {
    let line = format!("{key} = {value}");
    let unsafe_here = || format!("no safe way to change it: write '{line}' under [{table}] by hand");
    let path: Vec<&str> = table.split('.').collect();
    let old: Table = text.parse().map_err(|_| unsafe_here())?;
    let mut wanted = old.clone();
    if put(&mut wanted, &path, key, value).is_none() {
        return Err(unsafe_here());
    }
    if wanted == old {
        return Ok(text.to_owned());
    }
    let mut ways = in_table(text, &path, key, value).into_iter().chain([at_end(text, table, &line)]);
    ways.find(|new| new.parse::<Table>().is_ok_and(|new| new == wanted)).ok_or_else(unsafe_here)
}

/// Sets the key in what was parsed; None if a part of its name is there and is not a table.
fn put(mut table: &mut Table, path: &[&str], key: &str, value: &Value) -> Option<()> {
    for name in path {
        table = table.entry(*name).or_insert_with(|| Value::Table(Table::new())).as_table_mut()?;
    }
    table.insert(key.to_owned(), value.clone());
    Some(())
}

/// The value replaced where the key is there; else the key put into its table: inside of `{ }`, or behind the line of its
/// header.
fn in_table(text: &str, path: &[&str], key: &str, value: &Value) -> Option<String> {
    let root = DeTable::parse(text).ok()?;
    let mut table = root.get_ref();
    let mut at: Range<usize> = 0..0;
    for name in path {
        let found: &Spanned<DeValue<'_>> = table.get(*name)?;
        at = found.span();
        table = found.get_ref().as_table()?;
    }
    if let Some(there) = table.get(key) {
        return replaced(text, there.span(), &value.to_string());
    }
    if text.get(at.clone())?.starts_with('{') {
        let comma = if table.is_empty() { " " } else { "," };
        return replaced(text, at.start + 1..at.start + 1, &format!(" {key} = {value}{comma}"));
    }
    let newline = newline(text);
    match text.get(at.end..)?.find('\n') {
        Some(end) => replaced(text, at.end + end + 1..at.end + end + 1, &format!("{key} = {value}{newline}")),
        None => Some(format!("{text}{newline}{key} = {value}")),
    }
}

/// The table put behind everything else.
fn at_end(text: &str, table: &str, line: &str) -> String {
    let newline = newline(text);
    let apart = match text {
        "" => "",
        _ if text.ends_with('\n') => newline,
        _ => &newline.repeat(2),
    };
    format!("{text}{apart}[{table}]{newline}{line}{newline}")
}

/// How the first line ends.
fn newline(text: &str) -> &'static str {
    if text.split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" }
}

fn replaced(text: &str, at: Range<usize>, new: &str) -> Option<String> {
    Some(format!("{}{new}{}", text.get(..at.start)?, text.get(at.end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;
    use proptest::prelude::*;

    fn scope(text: &str) -> Result<String, String> {
        set(text, "memory", "scope", &Value::from("store"))
    }

    #[test]
    fn only_what_is_asked_for_changes_and_where_no_way_is_safe_the_line_is_told() {
        for [old, new] in rows(include_str!("edit.tsv")) {
            match scope(&old) {
                Ok(changed) => assert_eq!((changed.as_str(), scope(&new).as_ref()), (new.as_str(), Ok(&new)), "{old}"),
                Err(told) => assert_eq!(told, new, "{old}"),
            }
        }
        let sessions = |text: &str| set(text, "knowledge.sessions", "enabled", &Value::from(true));
        for [old, new] in rows(include_str!("sessions.tsv")) {
            assert_eq!(sessions(&old), Ok(new));
        }
    }

    proptest! {
        #[test]
        fn all_other_lines_are_kept(lines in prop::collection::vec(prop::sample::select(vec![
            "", "# c", "[memory]", "[memory.engram]", "[a]", "[[b]]", "x = 1", "scope = 'shared'", "y = '''", "'''",
            "memory.z = 1", "z = {memory = {}}", "\ts = \"[memory]\" # [memory]", "\u{f1} = 2",
        ]), 0..9), crlf in any::<bool>()) {
            let newline = if crlf { "\r\n" } else { "\n" };
            let text = lines.join(newline);
            if let Ok(new) = scope(&text) {
                let parsed: Table = new.parse().unwrap();
                prop_assert_eq!(parsed["memory"]["scope"].as_str(), Some("store"));
                let mut left = new.lines();
                for line in text.lines().filter(|line| !line.starts_with("scope") && !line.is_empty()) {
                    prop_assert!(left.any(|new| new == line), "{:?} lost of {:?}: {:?}", line, text, new);
                }
            }
        }
    }
}

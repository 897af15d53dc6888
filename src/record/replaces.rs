//! Which earlier items an item says that it takes the place of.

use serde_json::Value;

/// The most that one item replaces: a session that lies must not hide all that is known.
const MOST: usize = 3;
/// The digits of an id, and of the shortest head of one.
const DIGITS: std::ops::RangeInclusive<usize> = 4..=16;

/// Reads ids or their heads, in a list or alone; what is neither is left out.
pub fn read(value: Option<&Value>) -> Vec<String> {
    let all = value.map_or(&[][..], |value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
    let mut found: Vec<String> = Vec::new();
    for id in all.iter().filter_map(Value::as_str).filter_map(id) {
        if !found.contains(&id) && found.len() < MOST {
            found.push(id);
        }
    }
    found
}

/// The id at the head of a text: "3f2a1b", "(3f2a1b): Use symlinks".
fn id(text: &str) -> Option<String> {
    let word = text.split(|c: char| c.is_whitespace() || c == ':').find(|word| !word.is_empty())?;
    let id = word.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
    (DIGITS.contains(&id.len()) && id.chars().all(|digit| digit.is_ascii_hexdigit())).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn ids_are_read_in_any_shape_and_few_of_them() {
        for [value, wanted] in rows(include_str!("replaces.tsv")) {
            let given: Value = serde_json::from_str(&value).unwrap();
            assert_eq!(read(Some(&given)).join(" "), wanted, "{value}");
        }
        assert!(read(None).is_empty());
    }
}

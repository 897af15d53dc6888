//! A model's raw answer to items: bare JSON, fenced, or inside prose. Fields of a wrong type count as
//! absent; an item without its one sentence is dropped.

use crate::lesson::{Evidence, Item, Kind};
use serde_json::{Map, Value};

/// Starts of an object that are tried in prose.
const STARTS: usize = 64;
/// Quotes of an item that are looked at.
const QUOTES: usize = 8;
/// Items of a kind that one session can give.
const ITEMS: usize = 50;

/// The kinds with the names of their lists.
pub const LISTS: [(&str, Kind); 5] = [
    ("decisions", Kind::Decision),
    ("failures", Kind::Failure),
    ("learnings", Kind::Learning),
    ("memories", Kind::Memory),
    ("handoff", Kind::Handoff),
];

/// The items of an answer, by kind; none when the answer holds no object with one of the lists.
pub fn answer(text: &str) -> Option<Vec<(Kind, Vec<Item>)>> {
    let fields = object(text)?;
    let list = |name: &str, kind| match fields.get(name) {
        Some(Value::Array(values)) => values.iter().take(ITEMS).filter_map(|value| item(value, kind)).collect(),
        _ => Vec::new(),
    };
    Some(LISTS.iter().map(|(name, kind)| (*kind, list(name, *kind))).collect())
}

/// The first object in a text that has one of our lists.
fn object(text: &str) -> Option<Map<String, Value>> {
    let ours = |text: &str| match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => {
            LISTS.iter().any(|(name, _)| fields.get(*name).is_some_and(Value::is_array)).then_some(fields)
        }
        _ => None,
    };
    if let Some(fields) = ours(text.trim()) {
        return Some(fields);
    }
    let starts = text.match_indices('{').map(|(at, _)| at).take(STARTS);
    starts.filter_map(|at| balanced(text.get(at..)?)).find_map(ours)
}

/// The text from its first brace to the one that closes it, braces in strings not counted.
fn balanced(text: &str) -> Option<&str> {
    let (mut depth, mut in_string, mut escaped) = (0_u32, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' if !in_string => depth = depth.saturating_add(1),
            b'}' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text.get(..=at);
                }
            }
            _ => {}
        }
    }
    None
}

fn item(value: &Value, kind: Kind) -> Option<Item> {
    if let Value::String(text) = value {
        // A handoff can come as plain lines; other kinds have more to say than one.
        let plain = kind == Kind::Handoff && !text.trim().is_empty();
        return plain.then(|| Item { summary: text.trim().to_owned(), ..Item::default() });
    }
    let fields = value.as_object()?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    let summary = ["summary", "title", "name", "item"].iter().map(|name| text(name)).find(|text| !text.is_empty())?;
    Some(Item {
        summary,
        context: text("context"),
        alternatives: strings(fields.get("alternatives")),
        rationale: text("rationale"),
        root_cause: text("root_cause"),
        resolution: text("resolution"),
        prevention: text("prevention"),
        learning: text("learning"),
        scope: text("scope"),
        memory_type: if kind == Kind::Memory { memory_type(&text("type")) } else { String::new() },
        description: text("description"),
        body: text("body"),
        tags: strings(fields.get("tags")),
        evidence: evidence(fields.get("evidence")),
        ..Item::default()
    })
}

fn memory_type(text: &str) -> String {
    let known = matches!(text, "user" | "feedback" | "project" | "reference");
    if known { text.to_owned() } else { "project".to_owned() }
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let texts = value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    texts.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
}

/// Quotes come as plain strings or as objects; one alone need not be in a list.
fn evidence(value: Option<&Value>) -> Vec<Evidence> {
    let quote =
        |value: &Value| value.as_str().or_else(|| value.get("quote").and_then(Value::as_str)).map(str::to_owned);
    let quotes: Vec<String> = match value {
        Some(Value::Array(values)) => values.iter().filter_map(quote).collect(),
        Some(value) => quote(value).into_iter().collect(),
        None => Vec::new(),
    };
    quotes.into_iter().take(QUOTES).map(|quote| Evidence { quote, ..Evidence::default() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handoff(text: &str) -> Option<Vec<String>> {
        let items = answer(text)?.into_iter().find(|(kind, _)| *kind == Kind::Handoff)?.1;
        Some(items.into_iter().map(|item| item.summary).collect())
    }

    #[test]
    fn an_answer_is_found_bare_fenced_and_in_prose() {
        let json = r#"{"decisions":[],"handoff":["mend the \"}\" case","x {y"]}"#;
        let wanted = Some(vec!["mend the \"}\" case".to_owned(), "x {y".to_owned()]);
        assert_eq!(handoff(json), wanted);
        assert_eq!(handoff(&format!("```json\n{json}\n```\n")), wanted);
        assert_eq!(handoff(&format!("Here {{so far}} it is: {json} I hope it helps {{}}.")), wanted);
        assert_eq!(handoff(&format!("{{\"thought\":1}} and {json}")), wanted);
    }

    #[test]
    fn what_is_no_answer_is_none() {
        for wrong in
            ["", "I cannot do that.", "{}", "{\"decisions\":{}}", "{\"handoff\":[\"a\"", "[1]", &"{".repeat(100_000)]
        {
            assert_eq!(handoff(wrong), None);
        }
    }

    #[test]
    fn wrong_types_cost_a_field_not_the_answer() {
        let text = r#"{"decisions":[{"summary":"S","tags":null,"alternatives":"x","rationale":7,"evidence":"a quote here"},7,{"context":"no summary"}],"memories":[{"name":"n","type":"odd"}]}"#;
        let items = answer(text).unwrap();
        let (_, decisions) = &items[0];
        assert_eq!(decisions.len(), 1);
        assert_eq!(decisions[0].evidence[0].quote, "a quote here");
        assert_eq!(items[3].1[0].memory_type, "project");
    }
}

//! A model's raw answer to items: bare JSON, fenced, or inside prose. Fields of a wrong type count as
//! absent; an item without its one sentence is dropped.

use crate::lesson::{Evidence, Item, Kind};
use serde_json::{Map, Value};

/// Starts of an object that are tried in prose.
const STARTS: usize = 64;
/// Items of a kind that one session can give.
const ITEMS: usize = 50;

/// The items of an answer, by kind: only the lists that it has, since "nothing is open" is not the
/// same as no word about it. None when the answer holds no object with one of the lists.
pub fn answer(text: &str) -> Option<Vec<(Kind, Vec<Item>)>> {
    let fields = object(text)?;
    let list = |kind: Kind| {
        let values = fields.get(kind.list())?.as_array()?;
        Some((kind, values.iter().take(ITEMS).filter_map(|value| said(value, kind)).collect()))
    };
    Some(Kind::ALL.into_iter().filter_map(list).collect())
}

/// An item as a model gives it: of its evidence only the quotes count. Where they stand, who said
/// them and whether they can be trusted is not the model's to say.
fn said(value: &Value, kind: Kind) -> Option<Item> {
    let item = Item::from_value(value, kind)?;
    let quotes = item.evidence.into_iter().map(|evidence| Evidence { quote: evidence.quote, ..Evidence::default() });
    Some(Item { evidence: quotes.collect(), id: String::new(), grounded: false, ..item })
}

/// The first object in a text that has one of our lists.
fn object(text: &str) -> Option<Map<String, Value>> {
    let ours = |text: &str| match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => {
            Kind::ALL.iter().any(|kind| fields.get(kind.list()).is_some_and(Value::is_array)).then_some(fields)
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
    fn no_word_about_the_handoff_is_not_an_empty_one() {
        for silent in
            [r#"{"decisions":[]}"#, r#"{"decisions":[],"handoff":null}"#, r#"{"decisions":[],"handoff":"- a"}"#]
        {
            assert_eq!(answer(silent).map(|lists| lists.len()), Some(1), "{silent}");
        }
        assert_eq!(answer(r#"{"handoff":[]}"#).map(|lists| lists.len()), Some(1));
    }

    #[test]
    fn a_model_vouches_for_nothing() {
        let text = r#"{"decisions":[{"summary":"S","id":"x","grounded":true,"evidence":[{"quote":"q","line":3,"uuid":"u","said_by":"user"}]}]}"#;
        let item = &answer(text).unwrap()[0].1[0];
        let quote = Evidence { quote: "q".to_owned(), ..Evidence::default() };
        assert_eq!((item.grounded, item.id.as_str(), &item.evidence), (false, "", &vec![quote]));
    }

    #[test]
    fn wrong_types_cost_a_field_not_the_answer() {
        let text = r#"{"decisions":[{"summary":"S","tags":null,"alternatives":"x","rationale":7,"evidence":"a quote here"},7,{"context":"no summary"}],"memories":[{"name":"n","type":"odd"}]}"#;
        let items = answer(text).unwrap();
        let (_, decisions) = &items[0];
        assert_eq!(decisions.len(), 1);
        assert_eq!(decisions[0].evidence[0].quote, "a quote here");
        assert_eq!(items[1].1[0].memory_type, "project");
    }
}

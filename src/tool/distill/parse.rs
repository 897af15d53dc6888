//! A model's raw answer to items: bare JSON, fenced, or inside prose. A flaw costs the item in which it
//! is, never the answer: fields of a wrong type count as absent, an item without its one sentence and
//! one that is not complete are left out.

use crate::json::flawed::{self, FlawedValue};
use crate::record::item::{Evidence, Item, ItemKind, Lists};
use serde_json::{Map, Value};

/// Starts of an object that are tried in prose.
const STARTS: usize = 64;
/// Items of a kind that one answer can give: a project can have many open ones, and each is carried over.
const ITEMS: usize = 500;

/// The items of an answer, and whether nothing had to be left out: of what was cut off it is not known what it would have
/// said. None when it holds no object with one of the lists. Objects with lists that follow one another count as one
/// answer.
pub fn answer(text: &str) -> Option<(Lists, bool)> {
    let objects = objects(text, &ItemKind::ALL.map(ItemKind::list));
    let mut whole = objects.iter().all(|(_, whole)| *whole);
    let mut lists = Lists::default();
    for kind in ItemKind::ALL {
        let given: Vec<_> = objects.iter().filter_map(|(fields, _)| fields.get(kind.list())?.as_array()).collect();
        let mut items: Vec<Item> = given.iter().copied().flatten().filter_map(|value| said(value, kind)).collect();
        // What is cut is not what the model left out.
        whole &= items.len() <= ITEMS;
        items.truncate(ITEMS);
        lists.kinds.extend((!given.is_empty()).then_some(kind));
        lists.items.extend(items);
    }
    (!lists.kinds.is_empty()).then_some((lists, whole))
}

/// The objects in an answer that have one of these lists, and whether each is whole.
pub fn objects(text: &str, lists: &[&str]) -> Vec<(Map<String, Value>, bool)> {
    // An answer that is a string of JSON is read as what the string says.
    let unwrapped = text.trim().strip_prefix('"').and_then(|_| serde_json::from_str::<String>(text.trim()).ok());
    let mut found = Vec::new();
    let mut rest = unwrapped.as_deref().unwrap_or(text);
    for _ in 0..STARTS {
        let Some(at) = rest.find('{') else { break };
        rest = &rest[at..];
        let mut behind = 1;
        if let Some(FlawedValue { value: Value::Object(fields), whole, bytes }) = flawed::read(rest)
            && lists.iter().any(|list| fields.get(*list).is_some_and(Value::is_array))
        {
            found.push((fields, whole));
            behind = bytes;
        }
        rest = rest.get(behind..).unwrap_or_default();
    }
    found
}

/// An item as a model gives it: of its evidence only the quotes count. Where they are, who said
/// them and whether they can be trusted is not the model's to say.
fn said(value: &Value, kind: ItemKind) -> Option<Item> {
    let item = Item::from_value(value, kind)?;
    let quotes = item.evidence.into_iter().map(|evidence| Evidence { quote: evidence.quote, ..Evidence::default() });
    let (id, reason, dropped) = Default::default();
    Some(Item { evidence: quotes.collect(), id, grounded: false, reason, dropped, ..item })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    fn handoff(text: &str) -> Option<Vec<String>> {
        let lists = answer(text)?.0;
        let open = lists.of(ItemKind::Handoff).map(|item| item.summary.clone());
        lists.kinds.contains(&ItemKind::Handoff).then(|| open.collect())
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
        for wrong in ["", "I cannot do that.", "{}", "{\"decisions\":{}}", "[1]", &"{".repeat(100_000)] {
            assert_eq!(handoff(wrong), None);
        }
    }

    #[test]
    fn a_flaw_costs_one_item_and_never_the_answer() {
        let sound = r#"{"summary":"first","evidence":["a b c d"]}"#;
        for [flawed, wanted, whole] in rows(include_str!("parse.tsv")) {
            let found = answer(&flawed.replace("SOUND", sound)).unwrap_or_else(|| panic!("{flawed}"));
            let decided: Vec<_> = found.0.of(ItemKind::Decision).collect();
            assert_eq!(decided.len().to_string(), wanted, "{flawed}");
            assert!(decided.iter().any(|item| item.summary == "first"), "{flawed}");
            assert!(whole == "*" || found.1.to_string() == whole, "{flawed}");
        }
    }

    #[test]
    fn a_model_vouches_for_nothing() {
        let text = r#"{"decisions":[{"summary":"S","id":"x","grounded":true,"evidence":[{"quote":"q","line":3,"uuid":"u","said_by":"user"}]}]}"#;
        let item = &answer(text).unwrap().0.items[0];
        let quote = Evidence { quote: "q".to_owned(), ..Evidence::default() };
        assert_eq!((item.grounded, item.id.as_str(), &item.evidence), (false, "", &vec![quote]));
    }

    #[test]
    fn wrong_types_cost_a_field_not_the_answer() {
        let text = r#"{"decisions":[{"summary":"S","tags":null,"alternatives":"x","rationale":7,"evidence":"a quote here"},7,{"context":"no summary"}],"memories":[{"name":"n","type":"odd"}]}"#;
        let Lists { kinds, items } = answer(text).unwrap().0;
        assert_eq!(kinds, [ItemKind::Decision, ItemKind::Memory]);
        assert_eq!(items.iter().map(|item| item.kind).collect::<Vec<_>>(), kinds);
        assert_eq!(items[0].evidence[0].quote, "a quote here");
        assert_eq!(items[1].memory_type, "project");
    }
}

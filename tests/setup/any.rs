//! Settings of any kind, laid out in any manner: what was put in comes out again, to the byte.

use super::{EVENTS, SCRIPTS, installed, wanted};
use lh::tool::setup::{Owner, SettingsReceipt, settings};
use proptest::prelude::*;

/// What may stand between two signs of a file.
fn between() -> impl Strategy<Value = String> {
    let one = prop::sample::select(vec![
        "", "", "", " ", "\n", "\r\n", "\t", "\n  ", "\n\n\t", "/* , } */", " // ] \"\n", "//\r\n", " /*\n*/ ",
    ]);
    prop::collection::vec(one, 0..3).prop_map(|parts| parts.concat())
}

fn list(item: BoxedStrategy<String>, brackets: [char; 2]) -> impl Strategy<Value = String> {
    let items = prop::collection::vec((between(), item, between()), 0..4);
    (items, between(), between(), any::<bool>()).prop_map(move |(items, end, only, comma)| {
        let comma = if comma && !items.is_empty() { format!(",{end}") } else { String::new() };
        let only = if items.is_empty() { only } else { String::new() };
        let items: Vec<String> = items.into_iter().map(|(before, item, after)| before + &item + &after).collect();
        format!("{}{only}{}{comma}{}", brackets[0], items.join(","), brackets[1])
    })
}

fn pair(key: BoxedStrategy<String>, value: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let parts = (key, between(), between(), value);
    parts.prop_map(|(key, before, after, value)| format!("\"{key}\"{before}:{after}{value}")).boxed()
}

fn value() -> BoxedStrategy<String> {
    let plain =
        vec!["1", "-0.0", "1e5", "12345678901234567890123", "true", "null", "\"ñ\\u00f1\\/ // \"", "\"\"", "{}"];
    let leaf = prop::sample::select(plain).prop_map(str::to_owned).boxed();
    leaf.prop_recursive(3, 12, 4, |inner| {
        let inner = inner.boxed();
        prop_oneof![list(inner.clone(), ['[', ']']), list(pair("[a-z]{1,3}".boxed(), inner), ['{', '}'])].boxed()
    })
    .boxed()
}

/// Hooks of other tools.
fn others() -> BoxedStrategy<String> {
    let hook = prop::sample::select(vec![
        r#"{"type": "command", "command": "notify"}"#,
        r#"{"type":"prompt","prompt":"lh-hook-stop"}"#,
        r#"{"type":"command","command":"lh hook compound-loop"}"#,
        r#"{"command":"lh hook compound-loop"}"#,
        "7",
    ]);
    let hooks = list(hook.prop_map(str::to_owned).boxed(), ['[', ']']).boxed();
    let field = pair(Just("hooks".to_owned()).boxed(), hooks);
    let group = (between(), field, between()).prop_map(|(before, field, after)| format!("{{{before}{field}{after}}}"));
    // An event without a group, and hooks without an event, go with ours.
    let groups = (between(), group, between()).prop_map(|(before, group, after)| format!("[{before}{group}{after}]"));
    let event = prop::sample::select(vec!["Stop", "SessionEnd", "PreToolUse"]).prop_map(str::to_owned).boxed();
    let event = pair(event, groups.boxed());
    let object = (between(), event, between()).prop_map(|(before, event, after)| format!("{{{before}{event}{after}}}"));
    pair(Just("hooks".to_owned()).boxed(), object.boxed())
}

fn settings_text() -> impl Strategy<Value = String> {
    let key = "[a-z]{1,4}".prop_filter("that is ours", |key| key != "hooks").boxed();
    let others = prop::option::weighted(0.4, others());
    let root = (list(pair(key, value()), ['{', '}']), others).prop_map(|(root, others)| match others {
        Some(others) if root.contains('"') => root.replacen('{', &format!("{{{others},"), 1),
        Some(others) => format!("{{{others}}}"),
        None => root,
    });
    (between(), root, between()).prop_map(|(before, root, after)| before + &root + &after)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5000, ..ProptestConfig::default() })]

    #[test]
    fn any_settings_come_back_byte_for_byte(text in settings_text()) {
        let changed = settings::install(&text, &wanted, false).unwrap();
        let with = &changed.text;
        let known = settings::hooked(with).unwrap();
        for (event, script) in EVENTS.iter().zip(SCRIPTS) {
            let ours: Vec<String> = known.iter().filter(|hook| hook.event == *event && hook.program().is_some()).map(|hook| hook.command.clone()).collect();
            prop_assert_eq!(ours, vec![format!("/opt/lh/{} || :", script)]);
        }
        prop_assert_eq!(&installed(with), with);
        let receipt = SettingsReceipt::default().with(Some(text.as_bytes()), &text, &changed).unwrap();
        prop_assert_eq!(receipt.undo(Some(with.as_bytes()), with).unwrap().0.unwrap(), text.clone());
        // Without the receipt blanks and commas can differ; nothing else does, and it is the same JSON.
        let back = settings::uninstall(with, &[]).unwrap().text;
        let signs = |text: &str| text.replace([' ', '\t', '\r', '\n', ','], "");
        prop_assert_eq!(signs(&back), signs(&text));
        let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        prop_assert!(json(&text).is_none() || json(&text) == json(&back), "{}", back);
    }

    #[test]
    fn any_hooks_that_were_taken_out_come_back_at_their_place(text in settings_text()) {
        let with = settings::install(&text, &wanted, true).unwrap();
        let hooked = |text: &str| settings::hooked(text).unwrap();
        prop_assert!(!hooked(&with.text).iter().any(|hook| hook.owner == Owner::Predecessor));
        let receipt = SettingsReceipt::default().with(Some(text.as_bytes()), &text, &with).unwrap();
        let undone = |text: &str| receipt.undo(Some(text.as_bytes()), text).unwrap().0.unwrap();
        prop_assert_eq!(&undone(&with.text), &text);
        // Another program changes what is around them. Without any key there is nothing around them.
        let changed = |text: &str| text.replacen('{', "{\"zzzz\": 1,", 1);
        if text.contains('"') {
            prop_assert_eq!(undone(&changed(&with.text)), changed(&text));
        }
        // Without the receipt's texts they come back behind the others of their event.
        let back = settings::uninstall(&with.text, &with.taken).unwrap();
        let all = |text: &str| {
            let old = hooked(text).into_iter().filter(|hook| hook.owner == Owner::Predecessor);
            let mut all: Vec<_> = old.map(|hook| (hook.event, hook.command)).collect();
            all.sort();
            all
        };
        prop_assert_eq!(all(&back.text), all(&text), "{}", back.text);
    }

    #[test]
    fn nothing_panics(text in "[{}\\[\\]\",: /*\n\r\\\\ah]{0,40}", hooks in "[{}\\[\\]\",: a]{0,20}") {
        for text in [text, format!("{{\"hooks\":{{\"Stop\":{hooks}}}}}")] {
            let _ = settings::hooked(&text);
            let _ = settings::uninstall(&text, &[]);
            let _ = settings::install(&text, &wanted, true);
        }
    }
}

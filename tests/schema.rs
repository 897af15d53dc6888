//! The schema of the records is made from lh-record(5), and what the tools print is valid by it.

use crate::bad_input::skipped;
use crate::pipes::Scene;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/share/lh/record.schema.json");
const PAGE: &str = include_str!("../man/lh-record.5");
/// Records that have all fields of others.
const HAS: [(&str, &str); 3] = [("task", "session"), ("distilled", "session"), ("refusal", "session")];
/// What is not a record of its own: the ids of items, and how near two of them are.
const LAST: &str = "Sh RULES";

/// The fields of each record, each with what the page says of it.
fn fields() -> BTreeMap<String, Vec<(String, String)>> {
    let mut all: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let (mut name, mut lists, mut names) = (String::new(), 0, Vec::new());
    let records = PAGE.split_once(".Sh RECORDS\n").unwrap().1.split_once(LAST).unwrap().0;
    for line in records.lines() {
        let (call, rest) = line.split_once(' ').unwrap_or((line, ""));
        match call {
            ".Ss" => {
                (name, lists, names) = (rest.to_owned(), 0, Vec::new());
                all.insert(name.clone(), Vec::new());
            }
            // A second list is of the items in the record.
            ".Bl" => lists += 1,
            ".El" => names.clear(),
            ".It" if lists == 1 => {
                let words = rest.split_whitespace().filter(|word| !["Cm", ","].contains(word));
                names = words.map(str::to_owned).collect();
                let new = names.iter().map(|name| (name.clone(), String::new()));
                all.get_mut(&name).unwrap().extend(new);
            }
            _ => {
                let text = if line.starts_with('.') { rest } else { line };
                for (field, said) in all.get_mut(&name).into_iter().flatten() {
                    if names.contains(field) {
                        let text = text.replace(" ,", ",").replace("\\(dq", "\"");
                        *said = [said.as_str(), &text].join(" ");
                    }
                }
            }
        }
    }
    all.values_mut().flatten().for_each(|(_, said)| *said = said.trim().to_owned());
    all
}

/// What a field must be, by the words that the page has of it.
fn kind(field: &str, said: &str, all: &BTreeMap<String, Vec<(String, String)>>) -> Value {
    let lower = said.to_lowercase();
    if let Some(other) = lower.strip_prefix("as in ") {
        let other = other.split(|c: char| !c.is_alphanumeric()).next().unwrap();
        let known = all[other].iter().find(|(name, _)| name == field);
        return known.map_or_else(|| json!({}), |(_, said)| kind(field, said, all));
    }
    if let (true, Some((_, words))) = (lower.starts_with("string"), said.split_once("string, one of ")) {
        let words = words.split([';', '.']).next().unwrap().split(',').map(str::trim);
        return json!({"enum": words.filter(|word| !word.is_empty()).collect::<Vec<_>>()});
    }
    let time = json!({"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$"});
    // Of two fields under one head each has its own type.
    if lower.starts_with("number and time") {
        return if field.ends_with("_at") { time } else { json!({"type": "number", "minimum": 0}) };
    }
    let first = lower.split(|c: char| !c.is_alphanumeric()).next().unwrap();
    match first {
        "hash" if !lower.contains("none") => json!({"type": "string", "pattern": "^[0-9a-f]{16}$"}),
        "string" | "path" | "hash" => json!({"type": "string"}),
        "time" => time,
        "number" => json!({"type": "number", "minimum": 0}),
        "boolean" => json!({"type": "boolean"}),
        "true" => json!({"const": true}),
        "array" | "arrays" | "list" => json!({"type": "array"}),
        "object" => json!({"type": "object"}),
        _ => json!({}),
    }
}

fn schema() -> String {
    let all = fields();
    let (mut defs, mut cases) = (Map::new(), Vec::new());
    for (name, own) in &all {
        let is_optional = |said: &str| {
            ["absent", "only of", "only in", ", for ", "of a tool's result"].iter().any(|word| said.contains(word))
        };
        let mut required: Vec<&str> =
            own.iter().filter(|(_, said)| !is_optional(said)).map(|(field, _)| field.as_str()).collect();
        let properties = own.iter().map(|(field, said)| {
            let mut property = json!({"description": said});
            property.as_object_mut().unwrap().extend(kind(field, said, &all).as_object().unwrap().clone());
            (field.clone(), property)
        });
        let mut def = json!({"properties": properties.collect::<Map<_, _>>()});
        // A damaged task has no session.
        if name == "task" {
            required.retain(|field| *field == "task");
        }
        def["required"] = json!(required);
        if let Some((_, other)) = HAS.iter().find(|(record, _)| record == name).filter(|_| name != "task") {
            def["$ref"] = json!(format!("#/$defs/{other}"));
        }
        defs.insert(name.clone(), def);
        cases.push(
            json!({"if": {"properties": {"type": {"const": name}}}, "then": {"$ref": format!("#/$defs/{name}")}}),
        );
    }
    let whole = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "a record of lh, as lh-record(5) has it",
        "type": "object", "required": ["type"], "properties": {"type": {"type": "string"}}, "allOf": cases, "$defs": defs,
    });
    serde_json::to_string_pretty(&whole).unwrap() + "\n"
}

#[test]
fn the_schema_is_that_of_the_page() {
    let (made, there) = (schema(), fs::read_to_string(SCHEMA).unwrap_or_default());
    if made != there && std::env::var_os("LH_WRITE_SCHEMA").is_some() {
        fs::write(SCHEMA, &made).unwrap();
        return;
    }
    assert_eq!(made, there, "lh-record(5) says something else: LH_WRITE_SCHEMA=1 writes it");
    assert!(fields().len() > 15 && fields()["hit"].len() > 12, "{:?}", fields());
}

/// Checks each line of a file, and that a record of each type in it is refused with a field of another type.
const CHECK: &str = r#"
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
valid = jsonschema.Draft202012Validator(schema)
for line in open(sys.argv[2]):
    record = json.loads(line)
    for error in valid.iter_errors(record):
        print(record["type"], list(error.absolute_path), error.message[:200])
    kind = schema["$defs"].get(record["type"])
    for field in kind["required"] if kind else []:
        if valid.is_valid({name: value for name, value in record.items() if name != field}):
            print(record["type"], "is valid without", field)
    for field in kind["properties"] if kind else []:
        if field in record and len(kind["properties"][field]) > 1 and valid.is_valid({**record, field: {"odd": 1}}):
            if kind["properties"][field].get("type") != "object":
                print(record["type"], "is valid with an odd", field)
"#;

#[test]
fn what_the_tools_print_is_valid() {
    let python = |code: &str, words: &[&Path]| Command::new("python3").arg("-c").arg(code).args(words).output();
    if !python("import jsonschema", &[]).is_ok_and(|output| output.status.success()) {
        return skipped("no python3 with jsonschema here");
    }
    let scene = Scene::new();
    scene.second_session();
    let lines = [
        "lh-find-session --all",
        "lh-find-session aaaaaaaa",
        "lh-find-session --all | lh-messages",
        "lh-find-session --all | lh-messages -a",
        "lh-find-session --all | lh-messages -c",
        "lh-find-session aaaaaaaa | lh-distill -e extract",
        "lh-find-session aaaaaaaa | lh-distill -e extract | lh-persist",
        "lh-find-session aaaaaaaa | lh-enqueue",
        "lh-dequeue --list",
        "lh-find-session --missing",
        "lh-find-session aaaaaaaa | lh-export",
        "lh-find-session aaaaaaaa | lh-episode",
        "lh-find-session aaaaaaaa | sed 's/\"transcript\":\"/&\\/no/' | lh-gate --refused",
        "lh-recall --list",
        "lh-recall zebra",
        "lh-recall --show aaaaaaaa",
        "lh-recall --list --type decision | lh-recall --show -",
        "lh-review",
        "lh-done </dev/null",
        "lh-done -n zebra",
        "lh-forget </dev/null",
        "lh-recall --list --type decision | lh-forget",
        "lh-history zebra",
        "lh-persist --list-quarantine",
        "lh-persist -n --undo bbbbbbbb",
        "lh-persist --remember 'The seal sleeps at noon'",
        "lh-review --write -n",
        "lh-prune -n --remove bbbbbbbb",
        "lh-prune --remove bbbbbbbb",
        "lh-prune --restore",
        "lh-prune --remove --undo bbbbbbbb",
        "lh-brief",
        "lh-select 'when does the walrus eat at noon' </dev/null",
        "lh-doctor --json",
        "echo 'ghp_16C7e42F292c6912E7710c838347Ae178B4a' >leak.md; lh-redact --check leak.md",
    ];
    let (mut all, mut kinds) = (String::new(), std::collections::BTreeSet::new());
    for line in lines {
        let (said, _) = scene.shell(&format!("{{ {line}; }} 2>/dev/null"));
        for record in said.lines() {
            let parsed: Value =
                serde_json::from_str(record).unwrap_or_else(|error| panic!("{line}: {error}: {record}"));
            kinds.insert(parsed["type"].as_str().unwrap().to_owned());
            all.extend([record, "\n"]);
        }
    }
    let kept = scene.0.write("records", &all);
    let output = python(CHECK, &[Path::new(SCHEMA), &kept]).unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(said, "", "{kinds:?}");
    // Those that need a model, a killed session or a plan are not here.
    let missing: Vec<String> = fields().into_keys().filter(|kind| !kinds.contains(kind)).collect();
    assert_eq!(missing, ["change", "lost", "told"]);
}

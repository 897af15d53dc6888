//! Short sessions of the project's own, each with what may be found in it and nothing else.

use super::*;
use crate::base::record::Record;
use crate::record::item::{Evidence, Gist, ItemKind};
use crate::record::message::{Answer, Marks, Role, ToolUse};
use crate::redact::Redactor;
use serde_json::{Map, Value, json};

/// A conversation: `U:` the user, `L:` a plan that the user pasted, `X:` the user, abandoned; `A:` the agent, `T:` a tool that
/// it used, with the name and perhaps its input behind it, `R:` a command line that it ran, `E:` a tool's error; `Q:` what
/// the user answered to the agent's questions.
pub fn talk(script: &str) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    for line in script.lines().filter(|line| !line.trim().is_empty()) {
        let Some((who, text)) = line.trim().split_once(": ") else { panic!("{line}") };
        let said = text.replace("\\n", "\n");
        let (role, is_used) = match who {
            "T" | "R" => (Role::Assistant, true),
            "A" => (Role::Assistant, false),
            "E" | "Q" => (Role::Tool, false),
            _ => (Role::User, false),
        };
        let (name, input) = match who {
            "R" => ("Bash", json!({"command": said}).to_string()),
            _ => text.split_once(' ').map_or((text, String::new()), |(name, input)| (name, input.to_owned())),
        };
        let last_tool = messages.iter().rev().flat_map(|message| &message.tools).next().map(|tool| tool.id.clone());
        let file = serde_json::from_str::<Value>(&input).ok();
        let tool = ToolUse {
            name: name.to_owned(),
            id: format!("t{}", messages.len()),
            file: file.and_then(|input| Some(input["file_path"].as_str()?.to_owned())),
            action: crate::agent::tools::action(name, input.len(), || input.clone()),
            ..ToolUse::default()
        };
        messages.push(Message {
            role,
            text: if is_used { String::new() } else { said },
            time: None,
            line: u64::try_from(messages.len()).unwrap() + 1,
            uuid: None,
            tools: if is_used { vec![tool] } else { Vec::new() },
            is_error: who == "E",
            answers: if who == "Q" { answers(text) } else { Vec::new() },
            plan: who == "L",
            command: None,
            tool_use_id: if who == "E" { last_tool } else { None },
            marks: Marks { abandoned: who == "X", ..Marks::default() },
        });
    }
    messages
}

/// What the user answered: `question => answer`, perhaps with ` :: what the option says :: another option`, and with ` ;; `
/// between two of them.
fn answers(text: &str) -> Vec<Answer> {
    let pairs = text.split(" ;; ").filter_map(|pair| pair.split_once(" => "));
    let answer = |(question, said): (&str, &str)| {
        let mut parts = said.split(" :: ").map(str::to_owned);
        let (said, about) = (parts.next().unwrap(), parts.next().unwrap_or_default());
        Answer { question: question.to_owned(), said, about, others: parts.collect() }
    };
    pairs.map(answer).collect()
}

fn found(script: &str) -> Lists {
    extract(&talk(script), &Earlier::default())
}

/// What is said as the tool finds it: what is not its speaker's is cut first, and that is also what a tool printed before.
fn own(script: &str, printed: &str) -> Vec<Message> {
    let all = talk(script);
    let mut listener = first_source::Listener::new(&all);
    listener.hear(printed, Voice::Tool);
    for message in &all {
        listener.listen(message);
    }
    let redactor = Redactor::new(&crate::base::config::Privacy::default()).unwrap();
    own_words::own_messages(&all, &listener.end(), &redactor)
}

fn summaries<'i>(items: impl IntoIterator<Item = &'i Item>) -> Vec<String> {
    items.into_iter().map(|item| item.summary.clone()).collect()
}

/// The cases of a file, which are parted by empty lines: the last heading in brackets, the lines, and what is wanted, a line
/// each behind `= `. A line that begins with `#` says what the cases below it show.
pub fn cases(file: &'static str) -> Vec<(&'static str, String, Vec<&'static str>)> {
    let (mut heading, mut found) = ("", Vec::new());
    for block in file.split("\n\n") {
        let is_heading = |line: &str| line.starts_with('[') && line.ends_with(']') && !line.contains(' ');
        let lines = block.lines().filter(|line| !line.starts_with("# "));
        let (headings, lines): (Vec<&str>, Vec<&str>) = lines.partition(|line| is_heading(line));
        heading = headings.last().map_or(heading, |line| line.trim_matches(['[', ']']));
        let (wanted, script): (Vec<&str>, Vec<&str>) = lines.into_iter().partition(|line| line.starts_with("= "));
        let wanted = wanted.into_iter().map(|line| &line[2..]).collect();
        found.extend((!script.is_empty()).then(|| (heading, script.join("\n"), wanted)));
    }
    found
}

/// All that an item says, a line for each field and each quote.
fn whole(item: &Item) -> Vec<String> {
    let mut content = Record::default();
    item.content(&mut content);
    content.set("replaces", &item.replaces);
    let fields: Map<String, Value> = serde_json::from_str(&content.line()).unwrap();
    let said = fields.iter().filter(|(_, value)| **value != json!("") && **value != json!([]));
    let line = |(name, value): (&String, &Value)| format!("{name}: {}", value.as_str().unwrap_or(&value.to_string()));
    let quote = |quote: &Evidence| {
        let line = quote.line.map_or_else(|| "no line".to_owned(), |line| format!("line {line}"));
        format!("{line}, {}: {}", quote.said_by.as_ref().unwrap(), quote.quote)
    };
    said.map(line).chain(item.evidence.iter().map(quote)).collect()
}

/// What is found in a talk of the kind that a heading of the cases names; `?` where nothing is said of what is open. `B:` was
/// open before the talk, `D:` was decided before it, the first with the id 1, and `P:` is what a tool printed before.
fn found_of(kind: &str, script: &str) -> Vec<String> {
    let before = |mark| script.lines().filter_map(move |line: &str| line.strip_prefix(mark));
    let items: Vec<String> = before("B: ").map(str::to_owned).collect();
    let item = |(id, text)| Item { id: format!("{id}"), ..Item::new(ItemKind::Decision, text) };
    let decided: Vec<Item> = (1..).zip(before("D: ")).map(item).collect();
    let decided: Vec<&Item> = decided.iter().collect();
    let is_talk = |line: &&str| !["B: ", "D: ", "P: "].iter().any(|mark| line.starts_with(mark));
    let talked: Vec<&str> = script.lines().filter(is_talk).collect();
    let talked = talked.join("\n");
    let messages = own(&talked, &before("P: ").collect::<String>().replace("\\n", "\n"));
    let lists = extract(&messages, &Earlier { items: &items, decisions: &decided, ..Earlier::default() });
    match kind {
        "decides" => summaries(lists.of(ItemKind::Decision)),
        "breaks" => {
            let cause =
                |item: &Item| [&item.root_cause, &item.summary].into_iter().find(|text| !text.is_empty()).cloned();
            lists.of(ItemKind::Failure).filter_map(cause).collect()
        }
        "leaves" if !lists.kinds.contains(&ItemKind::Handoff) => vec!["?".to_owned()],
        "leaves" => summaries(lists.of(ItemKind::Handoff)),
        "learns" => summaries(lists.of(ItemKind::Learning)),
        "remembers" => lists.of(ItemKind::Memory).map(|item| item.body.clone()).collect(),
        "says" => summaries(&said(&talk(&talked))),
        "tells" => {
            let line = |title: &str, body: &str| format!("{title} | {body}").trim_end_matches(" | ").to_owned();
            commits::told(&messages).iter().map(|told| line(&told.title, &told.body)).collect()
        }
        "quotes" => said(&talk(&talked)).iter().flat_map(whole).collect(),
        "speaks" => vec![language(&messages).to_owned()],
        "stays" => still_open(&items, &messages),
        "writes" => {
            let written = messages.into_iter().filter(|message| message.role == Role::Assistant);
            written.map(|message| message.text).filter(|text| !text.is_empty()).collect()
        }
        // Two answers to two questions: neither is the other one in other words.
        "apart" => {
            let made: Vec<&Item> = lists.of(ItemKind::Decision).collect();
            let [one, two] = [made[0], made[1]].map(Gist::of_item);
            assert!(one.answers_other(&two) && two.answers_other(&one), "{script}");
            summaries(made)
        }
        _ => lists.of(ItemKind::from_word(kind).unwrap()).flat_map(whole).collect(),
    }
}

#[test]
fn a_talk_gives_what_is_in_it_and_nothing_else() {
    let mut bad = Vec::new();
    for (kind, script, wanted) in [include_str!("cases/talks.txt"), include_str!("cases/items.txt")].map(cases).concat()
    {
        let found: Vec<String> = found_of(kind, &script).iter().map(|text| text.replace('\n', "\\n")).collect();
        bad.extend((found != wanted).then(|| format!("{kind}: {script}: {found:?}, not {wanted:?}")));
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

/// A wish of the user's is remembered; of one that can be another person's no line is told as the user's either.
#[test]
fn a_wish_is_the_users_own_in_what_is_around_it() {
    let mut bad = Vec::new();
    for (kind, said) in patterns::lines(include_str!("cases/wishes.txt")) {
        let messages = own(&format!("U: {said}"), "");
        let memories = summaries(extract(&messages, &Earlier::default()).of(ItemKind::Memory));
        let told = memories.concat() + &summaries(&super::said(&messages)).concat();
        let is_good = match kind {
            "own" => memories.len() == 1,
            "others" => told.is_empty(),
            _ => memories.is_empty(),
        };
        bad.extend((!is_good).then(|| format!("{kind}: {said}: {told}")));
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

/// What is open and what was done then: `item => done`.
#[test]
fn what_is_done_closes_the_item_that_it_names() {
    let mut bad = Vec::new();
    for (kind, pair) in patterns::lines(include_str!("cases/done.txt")) {
        let (item, done) = pair.split_once(" => ").unwrap();
        let todo = json!({"todos": [{"content": done, "status": "completed"}]});
        let did = match kind {
            "commit-closes" | "commit-keeps" => format!("R: git add -A && git commit -qm '{done}'"),
            _ => format!("T: TodoWrite {todo}"),
        };
        let open = found_of("leaves", &format!("B: {item}\nU: go on\n{did}\nA: Pushed it. Left: tidy the logs."));
        let is_open = open.iter().any(|open| open == item);
        bad.extend((is_open != kind.ends_with("-keeps") || open == ["?"]).then(|| format!("{kind}: {pair}")));
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn a_word_that_answers_anew_names_the_answer_before() {
    let old = found("U: x\nA: Shall it be toml or yaml?\nU: yaml").items.remove(0);
    let old = Item { id: "1".to_owned(), ..old };
    let earlier = Earlier { decisions: &[&old], ..Earlier::default() };
    let new = extract(&talk("U: x\nA: Shall it be toml or yaml?\nU: toml"), &earlier).items.remove(0);
    assert_eq!((new.replaces, new.alternatives), (vec!["1".to_owned()], vec!["yaml".to_owned()]));
}

#[test]
fn a_list_is_open_however_long_it_is() {
    let many: Vec<String> = (0..230).map(|at| format!("- [ ] mend part {at} of module m{at}")).collect();
    let open = found_of("leaves", &format!("U: go\nA: Left:\\n{}", many.join("\\n")));
    assert_eq!((open.len(), open[0].as_str()), (230, "Mend part 0 of module m0"));
    let earlier: Vec<String> = (1..=59).map(|at| format!("B: mend the importer of table {at}\n")).collect();
    let last = "U: look at the logs\nA: They are fine. Left: the changelog entry.";
    assert_eq!(found_of("leaves", &(earlier.concat() + last)).len(), 60);
}

/// As a model says it, with the quote in which both were chosen.
#[test]
fn one_sentence_that_answers_two_questions_is_two_decisions() {
    let answer = |question: &str| {
        let quote = Evidence { quote: "OK, the second option please".to_owned(), line: Some(4), ..Evidence::default() };
        let item = Item::new(ItemKind::Decision, "Keep them on the local disk, one folder for each user");
        Gist::of_item(&Item { context: question.to_owned(), evidence: vec![quote], ..item })
    };
    let (avatars, caches) = (answer("Where do we store the avatars?"), answer("Where do we store the caches?"));
    assert!(!avatars.is_near(&caches, true) && !caches.is_near(&avatars, false));
    assert!(avatars.is_near(&answer("Where do we store the avatars?"), false) && avatars.is_near(&answer(""), false));
}

/// What the user asked for stays the user's when a tool says it again.
#[test]
fn a_short_point_that_the_user_said_first_is_not_a_tools() {
    for own in ["fix the parser", "arregla el analizador"] {
        let mut listener = first_source::Listener::new(&talk(&format!("T: TaskCreate {}", json!({"subject": own}))));
        listener.hear(&format!("please {own}"), Voice::User);
        listener.hear(own, Voice::Tool);
        assert_eq!(listener.end().author(own), None);
    }
}

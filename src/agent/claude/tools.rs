//! What Claude Code's tools do, by their names and inputs.

use super::wrappers;
use crate::base::{hash, text};
use crate::json::cut::{self, Bounds};
use crate::json::scan::{Line, Span};
use crate::record::message::{Action, Boxes, COMMAND_CHARS, FileEdit, PLAN_CHARS, TodoChange, ToolInput};
use serde_json::Value;

/// The client's own tool that asks the user: no other tool can have its name.
pub const ASK: &str = "AskUserQuestion";
/// The client's own tool that uses a skill.
pub const SKILL: &str = "Skill";
/// The tools that change the file that they name, as a hook's matcher has them.
pub const EDITS: &str = "Edit|Write|MultiEdit|NotebookEdit";
/// The tool that runs a command.
pub const RUN: &str = "Bash";
/// A longer list of what is to do is not read, in bytes of its input; neither are the boxes of a longer file.
const TODO_BYTES: usize = 256 << 10;

/// What is kept of an input that is printed. lh-messages(1) names the first two.
const PRINTED: Bounds = Bounds { string: 2000, value: 16 << 10, depth: 16 };

/// What a tool was given, as it is printed, and whether it was cut; none where it is not JSON.
pub fn input(line: Line<'_>, span: &Span) -> (Option<ToolInput>, bool) {
    cut::value(line, span, PRINTED).map_or((None, true), |(value, cut)| (Some(ToolInput(value)), cut))
}

/// What a use of a tool does; `input` is JSON, of as many bytes, and is asked for only where it is needed.
pub fn action(name: &str, bytes: usize, input: impl FnOnce() -> String) -> Action {
    match name {
        RUN => Action::Run(field(&input(), "command", COMMAND_CHARS).unwrap_or_default()),
        "ExitPlanMode" => field(&input(), "plan", PLAN_CHARS).map_or(Action::Other, Action::Plan),
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => {
            // Most files have no boxes, and the text of those is not read.
            let input = (bytes <= TODO_BYTES).then(input).filter(|input| name == "Edit" || input.contains("- ["));
            let input = input.and_then(|input| serde_json::from_str(&input).ok());
            let boxes = input.map_or_else(Boxes::default, |input| boxes(&input));
            if name == "Write" { Action::Write(boxes) } else { Action::Edit(boxes) }
        }
        "TodoWrite" | "TaskCreate" | "TaskUpdate" if bytes <= TODO_BYTES => {
            let input: Option<Value> = serde_json::from_str(&input()).ok();
            input.map_or(Action::Other, |input| Action::Todos(todos(name, &input)))
        }
        _ => Action::Other,
    }
}

/// What an edit took out of its file and put into it, all of it; of other tools nothing.
pub fn change(name: &str, input: impl FnOnce() -> String) -> Action {
    if !EDITS.split('|').any(|edit| edit == name) {
        return Action::Other;
    }
    let Ok(input) = serde_json::from_str::<Value>(&input()) else { return Action::Other };
    let parts = |names: &[&str]| fields(&input, names).into_iter().map(str::to_owned).collect();
    let (old, new) = (parts(&["old_string"]), parts(&["new_string", "content", "new_source"]));
    Action::Change(FileEdit { whole: name == "Write", old, new })
}

/// The texts of these names in the input of an edit, which can be several edits of one file.
fn fields<'a>(input: &'a Value, names: &[&str]) -> Vec<&'a str> {
    let edits = input.get("edits").and_then(Value::as_array).into_iter().flatten();
    let parts = std::iter::once(input).chain(edits);
    parts.flat_map(|part| names.iter().filter_map(|name| part.get(name)?.as_str())).collect()
}

/// The skill that a use of that tool names in its input.
pub fn skill(input: &str) -> Option<String> {
    let input: Value = serde_json::from_str(input).ok()?;
    let name = ["skill", "command"].iter().find_map(|field| input.get(*field)?.as_str())?;
    Some(name.trim().trim_start_matches('/').to_owned()).filter(|name| wrappers::is_skill(name))
}

/// All texts in a piece of JSON, a line each; the names of its fields are not texts.
pub fn words(json: &str) -> String {
    fn add(value: &Value, to: &mut String) {
        match value {
            Value::String(text) => {
                to.push_str(text);
                to.push('\n');
            }
            Value::Array(all) => all.iter().for_each(|value| add(value, to)),
            Value::Object(all) => all.values().for_each(|value| add(value, to)),
            _ => {}
        }
    }
    let mut all = String::new();
    if let Ok(value) = serde_json::from_str(json) {
        add(&value, &mut all);
    }
    all
}

/// The first characters of a field. Half a word can be half a secret, which looks like none.
fn field(input: &str, name: &str, most: usize) -> Option<String> {
    let input: Value = serde_json::from_str(input).ok()?;
    Some(text::cut_at_blank(input.get(name)?.as_str()?, most).to_owned())
}

/// The boxes that a change of a file takes out and puts in.
fn boxes(input: &Value) -> Boxes {
    let of = |names: &[&str]| -> Vec<(String, bool)> {
        let found = fields(input, names).into_iter().flat_map(str::lines).filter_map(text::ticked);
        found.map(|(text, done)| (text.to_owned(), done)).collect()
    };
    let part = |name: &str| Some(hash::of(input.get(name)?.as_str()?.as_bytes()));
    let part = part("old_string").zip(part("new_string"));
    Boxes { part, from: of(&["old_string"]), to: of(&["new_string", "content"]) }
}

fn todos(name: &str, input: &Value) -> TodoChange {
    let field = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(|text| text.trim().to_owned());
    let text = |of: &Value| field(of, "content").or_else(|| field(of, "subject"));
    let status = |of: &Value| field(of, "status").unwrap_or_default();
    match name {
        "TodoWrite" => {
            let list = input.get("todos").and_then(Value::as_array).into_iter().flatten();
            let is_done = |todo: &Value| matches!(status(todo).as_str(), "completed" | "cancelled");
            TodoChange::All(list.filter_map(|todo| Some((text(todo)?, is_done(todo)))).collect())
        }
        "TaskCreate" => TodoChange::Add(text(input).unwrap_or_default()),
        // Tasks are numbered from 1 in the order of their creation.
        _ => TodoChange::Update {
            number: field(input, "taskId").and_then(|number| number.parse().ok()),
            done: matches!(status(input).as_str(), "completed" | "deleted" | "cancelled"),
            text: text(input),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    fn of(name: &str, input: &str) -> Action {
        match action(name, input.len(), || input.to_owned()) {
            Action::Edit(boxes) => Action::Edit(Boxes { part: None, ..boxes }),
            action => action,
        }
    }

    #[test]
    fn a_tool_is_known_by_its_name_and_input() {
        for [name, input, wanted] in rows(include_str!("tools.tsv")) {
            assert_eq!(format!("{:?}", of(&name, &input)), wanted, "{name} {input}");
        }
        let long = format!(r#"{{"command": "make {}"}}"#, "x".repeat(COMMAND_CHARS));
        assert_eq!(of("Bash", &long), Action::Run("make ".to_owned()));
        assert_eq!(action("TodoWrite", TODO_BYTES + 1, || r#"{"todos": []}"#.to_owned()), Action::Other);
    }
}

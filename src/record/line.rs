//! A record as lines for people: what a tool prints of it on a terminal. Other records stay as they are.

use super::item::{self, ItemKind};
use super::session;
use super::speaker::imported_from;
use crate::base::record::Record;
use crate::base::{clock, text};

/// The lines of a record; none of one that is not known here.
pub fn of(record: &Record) -> Option<String> {
    let shown = match record.kind().as_str() {
        "hit" => hit(record),
        "written" => written(record),
        "pruned" => format!("{}: {}{}", result(record), path(record), why(record, "why")),
        "refusal" => format!("{}: {}", session(record), field(record, "reason")),
        "change" => change(record)?,
        "outcome" => format!("{}{}", result(record), why(record, "reason")),
        "secret" => {
            format!("{}: {}:{} {}", result(record), path(record), number(record, "line"), field(record, "kind"))
        }
        "session" | "task" | "lost" => session(record),
        "count" => format!(
            "{}: {} messages, {} of the user, {} uses of tools",
            field(record, "session_id"),
            number(record, "messages"),
            number(record, "user_messages"),
            number(record, "tool_uses")
        ),
        "message" => return Some(message(record)),
        "distilled" => return Some(distilled(record)),
        _ => return None,
    };
    Some(shown.lines().map(|line| text::harmless(line).into_owned() + "\n").collect())
}

/// A text field on one line; "" where there is none.
fn field(record: &Record, name: &str) -> String {
    record.text(name).map_or_else(String::new, |said| text::one_line(&said).into_owned())
}

fn number(record: &Record, name: &str) -> u64 {
    record.get(name).unwrap_or(0)
}

fn path(record: &Record) -> String {
    record.path("path").map_or_else(String::new, |path| text::one_line(&path.display().to_string()).into_owned())
}

fn result(record: &Record) -> String {
    field(record, "result").replace('_', " ")
}

/// The head of an id.
fn id(record: &Record, name: &str) -> String {
    item::short_id(&field(record, name)).to_owned()
}

/// A part between others; "" where there is none.
fn part(before: &str, said: &str, behind: &str) -> String {
    if said.is_empty() { String::new() } else { format!("{before}{said}{behind}") }
}

/// What a field says, in brackets.
fn why(record: &Record, name: &str) -> String {
    part(" (", &field(record, name), ")")
}

/// A time field as people read it, with a blank behind it.
fn time(record: &Record, name: &str, shown: fn(jiff::Timestamp) -> String) -> String {
    let time = record.text(name).and_then(|time| clock::parse(&time));
    time.map_or_else(String::new, |time| part("", &shown(time), " "))
}

/// Of an item the head of its id, its day, its kind but of what is open, and what it says.
fn item(record: &Record, said: &str) -> String {
    let kinds = ["memory_type", "what"].map(|name| field(record, name));
    let kind = kinds.iter().find(|kind| !kind.is_empty()).filter(|kind| !["open", "handoff"].contains(&kind.as_str()));
    let kind = kind.map_or_else(String::new, |kind| format!("{kind}: "));
    let id = match record.text("id").or_else(|| record.text("session_id")) {
        Some(id) if id.contains('-') => session::short_id(&id),
        id => id.map_or_else(String::new, |id| item::short_id(&id).to_owned()),
    };
    format!("{}{}{kind}{said}", part("", &id, " "), time(record, "ts", clock::local_day))
}

fn written(record: &Record) -> String {
    let said = Some(field(record, "summary")).filter(|said| !said.is_empty()).unwrap_or_else(|| path(record));
    let other = part(" (", &id(record, "duplicate_of"), ")");
    let project = part(" (project ", &field(record, "project"), ")");
    format!("{}: {}{other}{}{project}", result(record), item(record, &said), why(record, "reason"))
}

fn hit(record: &Record) -> String {
    if record.text("file").is_some() {
        return blamed(record);
    }
    if let Some(marks) = record.get::<Vec<Record>>("marks") {
        return history(record, &marks);
    }
    let (said, why) = (field(record, "text"), why(record, "reason"));
    match field(record, "field").as_str() {
        "" => format!("{}{}{why}", item(record, &said), part(" (replaced by ", &id(record, "replaced_by"), ")")),
        dropped => format!("{} {dropped} of a {}: {said}{why}", id(record, "id"), field(record, "what")),
    }
}

/// Which session changed a file, and what was said before.
fn blamed(record: &Record) -> String {
    let line = number(record, "file_line");
    let line = if line == 0 { String::new() } else { format!(":{line}") };
    let who = match field(record, "session_id").as_str() {
        "" => "no session".to_owned(),
        id => session::short_id(id),
    };
    let (day, commit) = (time(record, "ts", clock::local_day), part(", commit ", &id(record, "commit"), ""));
    let told = [("asked", "text"), ("said", "said"), ("item", "id")];
    let told = told.map(|(name, of)| part(&format!("\n  {name}: "), &field(record, of), ""));
    format!("{who} {day}{}: {}{line}{commit}{}", field(record, "what"), field(record, "file"), told.concat())
}

/// An item with what it replaced, what replaced it, and what a person said of it.
fn history(record: &Record, marks: &[Record]) -> String {
    let of = |id: &str| match id {
        "" => "an unknown session".to_owned(),
        id => format!("session {}", session::short_id(id)),
    };
    let session_id = field(record, "session_id");
    let from = match field(record, "said_by").as_str() {
        "import" => format!("imported from {}", imported_from(&session_id).unwrap_or("another program")),
        who => of(&session_id) + &part(", said by ", who, ""),
    };
    let mut lines = vec![item(record, &field(record, "text")), format!("  {from}")];
    let replaces = record.get::<Vec<String>>("replaces").into_iter().flatten();
    lines.extend(replaces.map(|id| format!("  in place of {}", item::short_id(&id))));
    if let Some(by) = record.text("replaced_by") {
        let from = record.text("replaced_in").map_or_else(String::new, |id| format!(", {}", of(&id)));
        let day = time(record, "replaced_at", clock::local_day);
        lines.push(format!("  replaced {day}by {}{from}", item::short_id(&by)));
    }
    let said = |mark: &Record| format!("  {} {}", field(mark, "result"), time(mark, "ts", clock::local_minute));
    lines.extend(marks.iter().map(|mark| said(mark).trim_end().to_owned()));
    lines.join("\n")
}

/// What became of a change of a plan; none of one that waits, which has a page of its own.
fn change(record: &Record) -> Option<String> {
    record.text("result")?;
    let file = |seen: &Record| field(seen, "file");
    let retires: Vec<String> = record.get::<Vec<Record>>("retires").iter().flatten().map(file).collect();
    let (action, retires) = (field(record, "action"), retires.join(", "));
    let keeps = record.get::<Record>("keeps").map(|seen| file(&seen));
    let what = match (action.as_str(), keeps) {
        ("merge", Some(keeps)) => format!("{retires} into {keeps}"),
        ("retire", Some(keeps)) => format!("{retires} for {keeps}"),
        (_, Some(keeps)) => keeps,
        (_, None) => retires,
    };
    Some(format!("{}: {action} {what}{}", result(record), why(record, "reason")))
}

fn session(record: &Record) -> String {
    let at = ["source_modified_at", "last_prompt_at"].map(|name| time(record, name, clock::local_minute)).concat();
    let id = session::short_id(&field(record, "session_id"));
    let state = ["status", "last_error"].map(|name| part("", &field(record, name), " ")).concat();
    let place = record.path("transcript").or_else(|| record.path("cwd"));
    let place = place.map_or_else(String::new, |path| text::one_line(&path.display().to_string()).into_owned());
    format!("{id}  {at} {}  {state}{place}", field(record, "project"))
}

fn message(record: &Record) -> String {
    let tools = record.get::<Vec<Record>>("tools").into_iter().flatten();
    let names = tools.map(|tool| field(&tool, "name")).collect::<Vec<_>>().join(", ");
    let (at, names) = (time(record, "time", clock::local_minute), part(" [", &names, "]"));
    let mut lines = format!("{at}{}, line {}{names}\n", field(record, "role"), number(record, "line"));
    for line in record.text("text").iter().flat_map(|said| said.lines()) {
        lines += &(part("    ", line, "") + "\n");
    }
    text::harmless(&lines).into_owned()
}

fn distilled(record: &Record) -> String {
    let mut lines = vec![session(record)];
    for kind in ItemKind::ALL {
        let line = |given: Record| {
            let said = ["summary", "title", "description"].map(|name| field(&given, name)).concat();
            format!("  {}: {said}{}", kind.word(), why(&given, "reason"))
        };
        lines.extend(record.get::<Vec<Record>>(kind.list()).into_iter().flatten().map(line));
    }
    text::harmless(&(lines.join("\n") + "\n")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn a_record_is_a_line_for_people() {
        for [record, line] in rows(include_str!("line.tsv")) {
            assert_eq!(of(&Record::parse(&record).unwrap()), Some(line), "{record}");
        }
        for other in [r#"{"type":"check"}"#, r#"{"type":"change","action":"merge"}"#] {
            assert_eq!(of(&Record::parse(other).unwrap()), None);
        }
    }
}

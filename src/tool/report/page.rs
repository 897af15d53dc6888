//! The page: one column, its parts fold without script, and nothing of it is loaded from anywhere. Each part has a limit
//! in bytes, so that all of them together have at most 5 MB; what is left out is counted.

use super::chart;
use super::html::Html;
use super::material::{Material, Open, Point, Session, Telling};
use crate::base::{cli, clock};
use crate::record::item::{self, ItemKind};
use crate::record::session::short_id;
use crate::store::learnings::Learning;
use base64::{Engine, engine::general_purpose::STANDARD};
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// What only the script has a use for.
const FORM: &str = "<form role=\"search\" hidden><label for=\"query\">Filter</label><input id=\"query\" type=\"search\" autocomplete=\"off\"><button type=\"button\" id=\"unfold\">Unfold</button><button type=\"button\" id=\"fold\">Fold</button><output for=\"query\"></output></form>\n";
/// Characters of a sentence, of what is said besides, and of a name.
const SENTENCE: usize = 600;
const MORE: usize = 1500;
const NAME: usize = 60;
/// Characters of what a session is about.
const ABOUT: usize = 120;
/// Bytes of the rows of each part.
const SESSIONS: usize = 3_400_000;
const ITEMS: usize = 350_000;
const FEW: usize = 80_000;

/// What is written while the page is made.
struct Writer<'w> {
    all: &'w Material,
    html: Html<'w>,
    /// The pages of sessions by their ids.
    pages: HashMap<&'w str, &'w Path>,
    /// The ids of items that can be linked to.
    items: HashSet<&'w str>,
}

/// A part of the page, with how many things are in it.
struct Part {
    id: &'static str,
    title: &'static str,
    count: usize,
    body: String,
}

/// The whole page, of which what others wrote is masked and escaped.
pub fn page(all: &Material, now: Timestamp, html: Html<'_>) -> String {
    let pages = all.sessions.iter().filter_map(|one| Some((one.id.as_str(), one.path.as_deref()?))).collect();
    let items = all.decisions.iter().chain(&all.failures).map(|one| one.id.as_str()).collect();
    let writer = Writer { all, html, pages, items };
    let parts = [
        writer.open(),
        writer.items("decisions", "Decisions", &all.decisions, ItemKind::Decision),
        writer.items("failures", "Failures and how to prevent them", &all.failures, ItemKind::Failure),
        writer.learnings(),
        writer.costs(),
        writer.told(),
        writer.sessions(),
    ];
    let mut out = head(&writer.summary(now), &writer.unread());
    out.push_str("<nav aria-label=\"Parts of the page\">");
    for part in &parts {
        let _ = write!(out, "<a href=\"#{}\">{} ({})</a>", part.id, part.title, part.count);
    }
    let _ = write!(out, "</nav>\n{FORM}<main>\n");
    let line = chart::timeline(&all.sessions, now, &writer.html);
    if !line.is_empty() {
        let _ = write!(out, "<details class=\"part\" open><summary><h2>Time line</h2></summary>\n{line}</details>\n");
    }
    for Part { id, title, count, body } in parts {
        let _ = write!(
            out,
            "<details class=\"part\" id=\"{id}\" open><summary><h2>{title}</h2> <small>{count}</small></summary>\n{body}</details>\n"
        );
    }
    let (version, time) = (cli::VERSION, clock::local_minute(now));
    let _ = write!(
        out,
        "</main>\n<footer><p class=\"soft\">Made by lh-report {version} on {time}.</p></footer>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    );
    out
}

/// What is before the parts. No script runs but ours, and nothing is loaded.
fn head(summary: &str, unread: &str) -> String {
    let hash = STANDARD.encode(Sha256::digest(SCRIPT));
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'"
    );
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"content-security-policy\" content=\"{policy}\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>What lh remembers</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>What lh remembers</h1>\n<p>{summary}</p>\n{unread}</header>\n"
    )
}

/// Rows up to so many bytes, and how many are left out.
fn rows<T>(all: &[T], limit: usize, row: impl FnMut(&T) -> String) -> (String, usize) {
    let (mut out, mut count) = (String::new(), 0);
    for row in all.iter().map(row) {
        if out.len() + row.len() > limit {
            break;
        }
        out.push_str(&row);
        count += 1;
    }
    (out, all.len() - count)
}

/// A list of rows, with a word on those that are left out, which a command of ours has, or that there is none.
fn list((rows, left): (String, usize), around: (&str, &str), command: &str) -> String {
    if rows.is_empty() && left == 0 {
        return "<p class=\"soft\">Nothing.</p>\n".to_owned();
    }
    let left = match left {
        0 => String::new(),
        _ => format!(
            "<p class=\"soft\">{left} older ones are left out, for the page has its limit: {command} has them.</p>\n"
        ),
    };
    format!("{}{rows}{}\n{left}", around.0, around.1)
}

/// A time as it is shown: its day, with what it is in full.
fn day(time: Option<Timestamp>) -> String {
    time.map_or(String::new(), |time| {
        format!("<time datetime=\"{}\">{}</time>", clock::local(time), clock::local_day(time))
    })
}

fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A table with these heads; one that begins with `-` is of numbers.
fn table(heads: &[&str], body: (String, usize), command: &str) -> String {
    let head = |head: &&str| match head.strip_prefix('-') {
        Some(head) => format!("<th scope=\"col\" class=\"n\">{head}</th>"),
        None => format!("<th scope=\"col\">{head}</th>"),
    };
    let heads: String = heads.iter().map(head).collect();
    let begin = format!("<div class=\"scroll\"><table><thead><tr>{heads}</tr></thead><tbody>\n");
    list(body, (&begin, "</tbody></table></div>"), command)
}

impl Writer<'_> {
    /// What is in the page, in a line.
    fn summary(&self, now: Timestamp) -> String {
        let all = self.all;
        let projects: HashSet<&str> = all.sessions.iter().map(|one| one.project.as_str()).collect();
        let since = all.since.map_or(String::new(), |since| format!(" since {}", clock::local_day(since)));
        let hold = all.decisions.iter().filter(|one| one.entry.holds()).count();
        let calls = all.days.values().fold(0.0, |sum, day| sum + day.usd);
        let own = all.sessions.iter().filter_map(|one| one.usd).fold(0.0, |sum, usd| sum + usd);
        format!(
            "{} in {}{since}. {} open, {} that hold, {}. Model calls of lh: {calls:.2} USD; the sessions themselves: {own:.2} USD where that is known. As of {}.",
            plural(all.sessions.len(), "session"),
            plural(projects.len(), "project"),
            all.open.len(),
            plural(hold, "decision"),
            plural(all.learnings.len(), "learning"),
            clock::local_minute(now)
        )
    }

    /// What could not be read.
    fn unread(&self) -> String {
        let mut out = String::new();
        for failure in self.all.unread.iter().take(20) {
            let _ = writeln!(out, "<p class=\"warn\">Not read: {}</p>", self.html.text(&failure.message, MORE));
        }
        if self.all.older > 0 {
            let _ = writeln!(out, "<p class=\"warn\">{} older pages of sessions are not read.</p>", self.all.older);
        }
        out
    }

    fn open(&self) -> Part {
        let row = |one: &Open| {
            let (text, project) = (self.html.text(&one.text, SENTENCE), self.html.text(&one.project, NAME));
            let id = item::short_id(&item::id(ItemKind::Handoff, &one.project, &one.text)).to_owned();
            let page = self.html.link(&one.path, "handoff", NAME);
            format!("<li><p>{text}</p><p class=\"soft\">{} {project} {id} {page}</p></li>\n", day(one.time))
        };
        let body = list(rows(&self.all.open, FEW, row), ("<ul>\n", "</ul>"), "lh ls open");
        Part { id: "open", title: "Open", count: self.all.open.len(), body }
    }

    /// The page of a session, or the head of its id.
    fn session(&self, id: &str) -> String {
        let name = format!("session {}", short_id(id));
        match self.pages.get(id) {
            _ if id.is_empty() => String::new(),
            Some(path) => self.html.link(path, &name, NAME),
            None => self.html.text(&name, NAME),
        }
    }

    fn items(&self, id: &'static str, title: &'static str, all: &[Point], kind: ItemKind) -> Part {
        // An id can be there twice, and in two projects.
        let mut known = HashSet::new();
        let (rows, left) = rows(all, ITEMS, |one| {
            let anchor = if known.insert(one.id.clone()) { format!(" id=\"i{}\"", one.id) } else { String::new() };
            self.item(one, &anchor, kind)
        });
        Part { id, title, count: all.len(), body: list((rows, left), ("<ul>\n", "</ul>"), &format!("lh ls {id}")) }
    }

    fn item(&self, one: &Point, anchor: &str, kind: ItemKind) -> String {
        let (entry, of) = (&one.entry, &one.entry.item);
        let mut said = self.html.text(of.sentence(kind), SENTENCE);
        if !entry.holds() {
            said = format!("<s>{said}</s>");
        }
        let by = match entry.imported_from() {
            Some(program) => format!("imported from {program}"),
            None => entry.said_by.as_ref().map_or(String::new(), |by| format!("said by {}", self.html.text(by, NAME))),
        };
        let mut out = format!(
            "<li{anchor}><p>{said}</p><p class=\"soft\">{} {} {} {by} {}</p>",
            day(entry.time),
            self.html.text(&one.project, NAME),
            item::short_id(&one.id),
            self.session(&entry.session_id)
        );
        let alternatives = of.alternatives.join("; ");
        let more = [
            ("cause", &of.root_cause),
            ("done about it", &of.resolution),
            ("prevention", &of.prevention),
            ("because", &of.rationale),
            ("context", &of.context),
            ("not chosen", &alternatives),
        ];
        let told = |text: &&String| !text.is_empty() && **text != of.summary;
        let mut list: Vec<(&str, String)> = Vec::new();
        if entry.forgotten {
            list.push(("forgotten", "a person said that it is wrong".to_owned()));
        } else if let Some(later) = &entry.replaced {
            list.push(("replaced", format!("{} by {}", day(later.at), self.linked(&later.by, &one.later))));
        }
        list.extend(one.earlier.iter().map(|(id, said)| ("in place of", self.linked(id, said))));
        list.extend(more.iter().filter(|(_, text)| told(text)).map(|(name, text)| (*name, self.html.text(text, MORE))));
        let rows: Vec<String> = list.iter().map(|(name, said)| format!("<dt>{name}</dt><dd>{said}</dd>")).collect();
        if !rows.is_empty() {
            let _ = write!(out, "<dl>{}</dl>", rows.concat());
        }
        out + "</li>\n"
    }

    /// Another item of the page.
    fn linked(&self, id: &str, said: &str) -> String {
        let said = if said.is_empty() { item::short_id(id) } else { said };
        let said = self.html.text(said, SENTENCE);
        if self.items.contains(id) { format!("<a href=\"#i{id}\">{said}</a>") } else { said }
    }

    fn learnings(&self) -> Part {
        let row = |(time, one): &(Option<Timestamp>, Learning)| {
            let title = self.html.link(&one.path, &one.item.summary, SENTENCE);
            let over = if one.active { "" } else { " deprecated" };
            let (origin, text) = (self.html.text(&one.origin, NAME), self.html.text(&one.item.learning, MORE));
            format!("<li><p>{title}</p><p class=\"soft\">{} {origin}{over}</p><p>{text}</p></li>\n", day(*time))
        };
        let body = list(rows(&self.all.learnings, ITEMS, row), ("<ul>\n", "</ul>"), "lh ls learnings");
        Part { id: "learnings", title: "Learnings", count: self.all.learnings.len(), body }
    }

    fn costs(&self) -> Part {
        let days: Vec<_> = self.all.days.iter().rev().collect();
        let budget = self.all.budget;
        let row = |(name, day): &(&String, &super::material::Day)| {
            let over = if day.usd > budget { " <span class=\"warn\">over</span>" } else { "" };
            let name = self.html.text(name, NAME);
            let share = if budget > 0.0 { format!("{:.0} %", 100.0 * day.usd / budget) } else { String::new() };
            format!(
                "<tr><td>{name}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{:.4}</td><td class=\"n\">{share}{over}</td></tr>\n",
                day.calls, day.failed, day.usd
            )
        };
        let heads = ["Day", "-Calls", "-Failed", "-USD", &format!("-Of the budget of {budget:.2} USD")];
        let table = table(&heads, rows(&days, FEW, row), "lh doctor --cost");
        let body = format!("{}{table}", chart::costs(&self.all.days, budget));
        Part { id: "cost", title: "Cost of model calls", count: days.len(), body }
    }

    fn told(&self) -> Part {
        let row = |one: &Telling| {
            let name = match &one.path {
                Some(path) => self.html.link(path, &one.file, NAME),
                None => self.html.text(&one.file, NAME),
            };
            format!(
                "<tr><td>{}</td><td>{}</td><td>{name}</td><td class=\"n\">{}</td></tr>\n",
                day(one.last),
                self.html.text(&one.project, NAME),
                one.times
            )
        };
        let heads = ["Last", "Project", "Memory", "-Times"];
        let body = table(&heads, rows(&self.all.told, FEW, row), "lh ls memories --used in the folder of a project");
        Part { id: "told", title: "Memories that sessions were told", count: self.all.told.len(), body }
    }

    /// The sessions by months, of which the newest is open.
    fn sessions(&self) -> Part {
        let all = &self.all.sessions;
        let month = |one: &Session| one.time.map(clock::local_day).and_then(|day| day.get(..7).map(str::to_owned));
        let (mut body, mut room) = (String::new(), SESSIONS);
        for of_month in all.chunk_by(|one, other| month(one) == month(other)) {
            let rows = rows(of_month, room, |one| self.row(one));
            room -= rows.0.len().min(room);
            let (open, count) = (if body.is_empty() { " open" } else { "" }, of_month.len());
            let name = of_month.first().and_then(month).unwrap_or_else(|| "without a time".to_owned());
            let table = table(&["Began", "Project", "About", "End", "-Messages", "-USD"], rows, "lh ls sessions");
            let _ =
                write!(body, "<details{open}><summary>{name} <small>{count}</small></summary>\n{table}</details>\n");
        }
        let body = if body.is_empty() { list((body, 0), ("", ""), "") } else { body };
        Part { id: "sessions", title: "Sessions", count: all.len(), body }
    }

    fn row(&self, one: &Session) -> String {
        let about = match (&one.path, one.about.as_str()) {
            (Some(path), "") => self.html.link(path, &short_id(&one.id), NAME),
            (Some(path), about) => self.html.link(path, about, ABOUT),
            (None, about) => self.html.text(about, ABOUT),
        };
        let usd = one.usd.map_or(String::new(), |usd| format!("{usd:.2}"));
        let messages = if one.messages == 0 { String::new() } else { one.messages.to_string() };
        format!(
            "<tr><td>{}</td><td>{}</td><td>{about}</td><td>{}</td><td class=\"n\">{messages}</td><td class=\"n\">{usd}</td></tr>\n",
            one.time.map_or(String::new(), clock::local_minute),
            self.html.text(&one.project, NAME),
            one.ended
        )
    }
}

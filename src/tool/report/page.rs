//! The page: one column, its parts fold without script, and nothing of it is loaded from anywhere. Each part has a limit
//! in bytes, so that all of them together have at most 5 MB; what is left out is counted.

use super::chart;
use super::html::Html;
use super::material::{HandoffPoint, JournalPoint, Material, ReportedSession};
use crate::base::{cli, clock, text};
use crate::record::item;
use crate::record::session::short_id;
use crate::store::learnings::Learning;
use crate::store::ledger::Spent;
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
    /// The sentences of the items that can be linked to, by their ids.
    items: HashMap<String, &'w str>,
}

/// A part of the page, with how many things are in it.
struct PagePart {
    id: &'static str,
    title: &'static str,
    count: usize,
    body: String,
}

/// The whole page, of which what others wrote is masked and escaped.
pub fn page(all: &Material, now: Timestamp, html: Html<'_>) -> String {
    let pages = all.sessions.iter().filter_map(|one| Some((one.id.as_str(), one.path.as_deref()?))).collect();
    let entries = all.decisions.iter().chain(&all.failures).map(|one| &one.entry);
    let items = entries.map(|entry| (entry.id().into_owned(), entry.item.sentence())).collect();
    let writer = Writer { all, html, pages, items };
    let parts = [
        writer.open(),
        writer.items("decisions", "Decisions", &all.decisions),
        writer.items("failures", "Failures and how to prevent them", &all.failures),
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
    for PagePart { id, title, count, body } in parts {
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
    let mut out = format!("{}{rows}{}\n", around.0, around.1);
    if left > 0 {
        let what = format!("{left} older ones are left out, for the page has its limit: {command} has them.");
        let _ = writeln!(out, "<p class=\"soft\">{what}</p>");
    }
    out
}

/// A time as it is shown: its day, with what it is in full.
fn day(time: Option<Timestamp>) -> String {
    let told = |time| format!("<time datetime=\"{}\">{}</time>", clock::local(time), clock::local_day(time));
    time.map_or_else(String::new, told)
}

/// A table with these heads, of which one that begins with `-` is of numbers, and with a row of cells for each thing.
fn table<T, const N: usize>(
    heads: [&str; N],
    (all, limit): (&[T], usize),
    command: &str,
    cells: impl Fn(&T) -> [String; N],
) -> String {
    let class = |head: &str| if head.starts_with('-') { " class=\"n\"" } else { "" };
    let row = |one: &T| {
        let cells = heads.iter().zip(cells(one)).map(|(head, cell)| format!("<td{}>{cell}</td>", class(head)));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let head = |head: &str| format!("<th scope=\"col\"{}>{}</th>", class(head), head.trim_start_matches('-'));
    let begin = format!("<div class=\"scroll\"><table><thead><tr>{}</tr></thead><tbody>\n", heads.map(head).concat());
    list(rows(all, limit, row), (&begin, "</tbody></table></div>"), command)
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
            text::counted(all.sessions.len(), "session"),
            text::counted(projects.len(), "project"),
            all.open.len(),
            text::counted(hold, "decision"),
            text::counted(all.learnings.len(), "learning"),
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

    fn open(&self) -> PagePart {
        let row = |one: &HandoffPoint| {
            let (text, project) = (self.html.text(&one.text, SENTENCE), self.html.text(&one.project, NAME));
            let id = item::short_id(&item::open_id(&one.text)).to_owned();
            let page = self.html.link(&one.path, "handoff", NAME);
            format!("<li><p>{text}</p><p class=\"soft\">{} {project} {id} {page}</p></li>\n", day(one.time))
        };
        let body = list(rows(&self.all.open, FEW, row), ("<ul>\n", "</ul>"), "lh ls open");
        PagePart { id: "open", title: "Open", count: self.all.open.len(), body }
    }

    /// The page of a session, or the head of its id.
    fn session(&self, id: &str) -> String {
        if id.is_empty() {
            return String::new();
        }
        self.named(self.pages.get(id).copied(), &format!("session {}", short_id(id)), NAME)
    }

    fn items(&self, id: &'static str, title: &'static str, all: &[JournalPoint]) -> PagePart {
        // An id can be there twice, and in two projects.
        let mut known = HashSet::new();
        let (rows, left) = rows(all, ITEMS, |one| {
            let id = one.entry.id().into_owned();
            let anchor = format!(" id=\"i{id}\"");
            let anchor = if known.insert(id) { anchor } else { String::new() };
            self.item(one, &anchor)
        });
        PagePart { id, title, count: all.len(), body: list((rows, left), ("<ul>\n", "</ul>"), &format!("lh ls {id}")) }
    }

    fn item(&self, one: &JournalPoint, anchor: &str) -> String {
        let (entry, of) = (&one.entry, &one.entry.item);
        let mut said = self.html.text(of.sentence(), SENTENCE);
        if !entry.holds() {
            said = format!("<s>{said}</s>");
        }
        let by = match entry.imported_from() {
            Some(program) => format!("imported from {program}"),
            None if of.said_by.is_empty() => String::new(),
            None => format!("said by {}", self.html.text(&of.said_by, NAME)),
        };
        let mut out = format!(
            "<li{anchor}><p>{said}</p><p class=\"soft\">{} {} {} {by} {}</p>",
            day(entry.time),
            self.html.text(&one.project, NAME),
            item::short_id(&entry.id()),
            self.session(&entry.session_id)
        );
        let mut list = Vec::new();
        let mut add = |name: &str, said: &str| list.push(format!("<dt>{name}</dt><dd>{said}</dd>"));
        if entry.is_forgotten() {
            add("forgotten", "a person said that it is wrong");
        } else if let Some(later) = &entry.replaced {
            add("replaced", &format!("{} by {}", day(later.at), self.linked(&later.by)));
        }
        for id in &of.replaces {
            add("in place of", &self.linked(id));
        }
        for (name, text) in of.parts().iter().filter(|(_, text)| !text.is_empty() && *text != of.summary) {
            add(name, &self.html.text(text, MORE));
        }
        if !list.is_empty() {
            let _ = write!(out, "<dl>{}</dl>", list.concat());
        }
        out + "</li>\n"
    }

    /// Another item, by its sentence where it is on the page, else by its id.
    fn linked(&self, id: &str) -> String {
        match self.items.get(id) {
            Some(said) => format!("<a href=\"#i{id}\">{}</a>", self.html.text(said, SENTENCE)),
            None => self.html.text(item::short_id(id), NAME),
        }
    }

    fn learnings(&self) -> PagePart {
        let row = |(time, one): &(Option<Timestamp>, Learning)| {
            let title = self.html.link(&one.path, &one.item.summary, SENTENCE);
            let over = if one.active { "" } else { " deprecated" };
            let (origin, text) = (self.html.text(&one.origin, NAME), self.html.text(&one.item.learning, MORE));
            format!("<li><p>{title}</p><p class=\"soft\">{} {origin}{over}</p><p>{text}</p></li>\n", day(*time))
        };
        let body = list(rows(&self.all.learnings, ITEMS, row), ("<ul>\n", "</ul>"), "lh ls learnings");
        PagePart { id: "learnings", title: "Learnings", count: self.all.learnings.len(), body }
    }

    fn costs(&self) -> PagePart {
        let days: Vec<(&String, &Spent)> = self.all.days.iter().rev().collect();
        let budget = self.all.budget;
        let heads = ["Day", "-Calls", "-Failed", "-USD", &format!("-Of the budget of {budget:.2} USD")];
        let table = table(heads, (&days, FEW), "lh doctor --cost", |(name, day)| {
            let share = if budget > 0.0 { format!("{:.0} %", 100.0 * day.usd / budget) } else { String::new() };
            let over = if day.usd > budget { " <span class=\"warn\">over</span>" } else { "" };
            let usd = format!("{:.4}", day.usd);
            [self.html.text(name, NAME), day.calls.to_string(), day.failed.to_string(), usd, share + over]
        });
        let body = chart::costs(&self.all.days, budget) + &table;
        PagePart { id: "cost", title: "Cost of model calls", count: days.len(), body }
    }

    fn told(&self) -> PagePart {
        let (heads, all) = (["Last", "Project", "Memory", "-Times"], &self.all.told);
        let body = table(heads, (all, FEW), "lh ls memories --used in the folder of a project", |one| {
            let name = self.named(one.path.as_deref(), &one.file, NAME);
            [day(one.last), self.html.text(&one.project, NAME), name, one.times.to_string()]
        });
        PagePart { id: "told", title: "Memories that sessions were told", count: all.len(), body }
    }

    /// A text that leads to a file, where there is one.
    fn named(&self, path: Option<&Path>, said: &str, chars: usize) -> String {
        path.map_or_else(|| self.html.text(said, chars), |path| self.html.link(path, said, chars))
    }

    /// The sessions by months, of which the newest is open.
    fn sessions(&self) -> PagePart {
        let all = &self.all.sessions;
        let month =
            |one: &ReportedSession| one.time.map(clock::local_day).and_then(|day| day.get(..7).map(str::to_owned));
        let (mut body, mut room) = (String::new(), SESSIONS);
        for of_month in all.chunk_by(|one, other| month(one) == month(other)) {
            let heads = ["Began", "Project", "About", "End", "-Messages", "-USD"];
            let table = table(heads, (of_month, room), "lh ls sessions", |one| self.cells(one));
            room -= table.len().min(room);
            let (open, count) = (if body.is_empty() { " open" } else { "" }, of_month.len());
            let name = month(&of_month[0]).unwrap_or_else(|| "without a time".to_owned());
            let _ =
                write!(body, "<details{open}><summary>{name} <small>{count}</small></summary>\n{table}</details>\n");
        }
        let body = if body.is_empty() { list((body, 0), ("", ""), "") } else { body };
        PagePart { id: "sessions", title: "Sessions", count: all.len(), body }
    }

    fn cells(&self, one: &ReportedSession) -> [String; 6] {
        let id = if one.path.is_some() { short_id(&one.id) } else { String::new() };
        let about = if one.about.is_empty() { &id } else { &one.about };
        [
            one.time.map_or_else(String::new, clock::local_minute),
            self.html.text(&one.project, NAME),
            self.named(one.path.as_deref(), about, ABOUT),
            one.ended.to_owned(),
            if one.messages == 0 { String::new() } else { one.messages.to_string() },
            one.usd.map_or_else(String::new, |usd| format!("{usd:.2}")),
        ]
    }
}

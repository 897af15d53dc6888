//! The engine `qmd`: the index of a user who has QMD is asked, and what it names is read again here. So what is
//! printed is always a file's own text, of a file that our own search would look into, too.

use super::Wish;
use super::places::Source;
use super::search::{Best, Text};
use crate::base::config::Config;
use crate::base::process::{self, Guarded};
use crate::base::{env, file, text};
use crate::rank::{Counts, Judge, Query, Scanner};
use crate::redact::Redactor;
use serde::Deserialize;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

/// How long QMD may take. It loads a model only where the pages were embedded.
const PATIENCE: Duration = Duration::from_secs(15);
/// The longest answer that is taken, and how much of a complaint, in bytes.
const ANSWER: u64 = 4 << 20;
const COMPLAINT: u64 = 16 << 10;
/// Characters that are told of why it could not be asked.
const SAID: usize = 240;
/// The fewest hits that are asked for: some of them are not wanted.
const LEAST: usize = 50;
/// Where it runs: an index in the folders above the current one would be taken for the user's.
const NEUTRAL: &str = "/";

/// A hit as QMD prints it.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename = "Told")]
struct QmdHit {
    /// A path, or an address of QMD for a file that is gone.
    file: String,
    #[serde(default)]
    score: f64,
    /// The line, from 1, of its index, which may be older than the file.
    #[serde(default)]
    line: usize,
    #[serde(default)]
    snippet: String,
}

/// What QMD finds among the sources, the best first; in words why it cannot be asked, or what it finds is of no use.
pub fn best<'s>(sources: &'s [Source], query: &Query, wish: &Wish, config: &Config) -> Result<Vec<Best<'s>>, String> {
    let program = env::program("qmd").ok_or("no qmd on PATH")?;
    let (most, question) = (wish.most.max(LEAST).to_string(), question(query, wish));
    let collection = config.knowledge.search.collection.as_str();
    let words = ["query", "--json", "--full-path", "--no-rerank", "-n", &most, "-C", &most, "-c", collection, "--"];
    let words = words.into_iter().chain([question.as_str()]).map(OsString::from);
    let told = ask(&[program.into()].into_iter().chain(words).collect::<Vec<OsString>>())?;
    let asked = told.len();
    let found = wanted(told, sources, query, wish, config);
    if found.is_empty() {
        return Err(format!("none of the {asked} hits of qmd is a file that is wanted here"));
    }
    Ok(found)
}

/// Why QMD could not be asked, on one line; masked before it is cut, for half a secret looks like none.
pub fn instead(why: &str, redactor: &Redactor) -> String {
    text::cut(&text::one_line(&redactor.shown(why)), SAID).into_owned()
}

/// What QMD is asked, in its own language: all words at once, and what the question means. Such a question calls no model
/// but that of the index, and none where nothing was embedded.
fn question(query: &Query, wish: &Wish) -> String {
    let words: Vec<&str> = query.terms.iter().filter(|term| term.is_asked).map(|term| term.word.as_str()).collect();
    let mut all = vec![("lex", words.join(" "))];
    all.extend(query.phrases.iter().map(|phrase| ("lex", format!("\"{}\"", plain(phrase)))));
    all.extend([("vec", plain(&wish.question)), ("hyde", plain(&wish.also))]);
    let asked = all.iter().filter(|(_, said)| !said.is_empty());
    asked.map(|(kind, said)| format!("{kind}: {said}")).collect::<Vec<_>>().join("\n")
}

/// A text on one line, without what QMD would take for a sign of its own: a quotation mark, and a minus before a
/// word. An argument cannot have a zero byte.
fn plain(said: &str) -> String {
    let words = said.split(|letter: char| letter == '"' || letter.is_control() || letter.is_whitespace());
    let words = words.map(|word| word.trim_start_matches('-')).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Runs QMD behind a guard, and reads what it prints.
fn ask(command: &[OsString]) -> Result<Vec<QmdHit>, String> {
    let cannot = |error: std::io::Error| format!("qmd cannot be run: {error}");
    let (answer, errors) = (tempfile::tempfile().map_err(cannot)?, tempfile::tempfile().map_err(cannot)?);
    let (to_answer, to_errors) = (answer.try_clone().map_err(cannot)?, errors.try_clone().map_err(cannot)?);
    let mut guarded = Guarded::start(command, |guard| {
        process::forget_client(guard);
        guard.current_dir(NEUTRAL).env("PWD", NEUTRAL).stdin(Stdio::null()).stdout(to_answer).stderr(to_errors);
    })
    .map_err(|failure| failure.message)?;
    let status = guarded.wait(PATIENCE, [&answer, &errors], ANSWER).map_err(|what| format!("qmd {what}"))?;
    if !status.success() {
        let said = complaint(&process::written(errors, COMPLAINT).map_err(cannot)?);
        let colon = if said.is_empty() { "" } else { ": " };
        return Err(format!("qmd ended with {}{colon}{said}", process::in_words(status)));
    }
    let answer = process::written(answer, ANSWER).map_err(cannot)?;
    serde_json::from_slice(&answer).map_err(|error| format!("what qmd printed is not a list of hits: {error}"))
}

/// What was said on standard error: its error, else its last line.
fn complaint(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines.clone().find(|line| line.starts_with("Error"));
    error.or_else(|| lines.next_back()).unwrap_or("").to_owned()
}

/// Those hits that are files of our own search and that pass the same filters.
fn wanted<'s>(told: Vec<QmdHit>, sources: &'s [Source], query: &Query, wish: &Wish, config: &Config) -> Vec<Best<'s>> {
    let files = sources.iter().filter(|source| source.item.is_none());
    let mut files: HashMap<PathBuf, &Source> = files.map(|source| (file::real_path(&source.path), source)).collect();
    let best = |hit: QmdHit| {
        // Each file once.
        let source = files.remove(&file::real_path(&path(&hit.file, config)?))?;
        let mut text = Text::read(source, true).ok()??;
        if !text.is_wanted(wish) || !text.has_all(&query.phrases) {
            return None;
        }
        // What it means can be what was said at another time.
        let part = part(&text, &hit, query).or_else(|| (!wish.has_span()).then_some((0, 0)))?;
        let score = if hit.score.is_finite() { hit.score } else { 0.0 };
        Some(Best { source, score, part, has_phrases: true })
    };
    told.into_iter().filter_map(best).collect()
}

/// The file of a hit: a path, from where QMD runs, or an address in our collection.
fn path(file: &str, config: &Config) -> Option<PathBuf> {
    let Some(address) = file.strip_prefix("qmd://") else { return Some(Path::new(NEUTRAL).join(file)) };
    let inside = address.strip_prefix(config.knowledge.search.collection.as_str())?.strip_prefix('/')?;
    Some(config.knowledge_folder().ok()?.join(inside.split('?').next()?))
}

/// Where in the body of the file the snippet's best line is; where the file has changed since, the part with the best
/// words, if it has any.
fn part(text: &Text<'_>, hit: &QmdHit, query: &Query) -> Option<(usize, usize)> {
    // A long line is cut in the snippet.
    let line =
        best_line(hit).map(|line| line.trim().trim_end_matches("...").trim_end()).filter(|line| !line.is_empty());
    let at = line.and_then(|line| memchr::memmem::find(&text.bytes()[text.body()..], line.as_bytes()));
    at.zip(line).map(|(at, line)| (text.body() + at, text.body() + at + line.len())).or_else(|| best_words(text, query))
}

/// The part of a text's body that has the best words.
fn best_words(text: &Text<'_>, query: &Query) -> Option<(usize, usize)> {
    let (mut hits, mut counts) = (text.words(&mut Scanner::new(query)), Counts::new(query));
    hits.retain(|(at, _)| *at >= text.body());
    counts.add(text.bytes().len(), &hits);
    let worth = Judge::new(query, &counts).worth(text.bytes().len(), &hits);
    (worth.score > 0.0).then_some((worth.from, worth.to))
}

/// The line of a snippet that it is about. The first line says which lines it has: `@@ -12,4 @@ (11 before, 30 after)`.
fn best_line(hit: &QmdHit) -> Option<&str> {
    let mut lines = hit.snippet.lines();
    let start = hit.snippet.strip_prefix("@@ -").and_then(|rest| rest.split(',').next()?.parse::<usize>().ok());
    let Some(start) = start else { return lines.find(|line| !line.trim().is_empty()) };
    lines.next();
    lines.nth(hit.line.checked_sub(start)?)
}

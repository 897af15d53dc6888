//! The engine `qmd`: the index of a user who has QMD is asked, and what it names is read again here. So what is
//! printed is always a file's own text, of a file that our own search would look into, too.

use super::search::Best;
use super::source::Source;
use super::text::Text;
use super::{Here, Kind, Wish};
use crate::base::config::Config;
use crate::base::process::{self, Guarded};
use crate::base::{clock, env, file, text};
use crate::rank::{Counts, Hits, Judge, Query, Scanner};
use crate::redact::Redactor;
use serde::Deserialize;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, Stdio};
use std::sync::mpsc;
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
/// Words that are looked for one by one where no page has them all.
const WORDS: usize = 12;
/// Where it runs: an index in the folders above the current one would be taken for the user's.
const NEUTRAL: &str = "/";
/// What is only in files that are no pages.
const NEVER: &[Kind] = &[Kind::Decision, Kind::Failure, Kind::Open, Kind::Lost];

/// A hit as QMD prints it.
#[derive(Debug, Deserialize, PartialEq)]
struct Told {
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

/// The best of what QMD finds among the sources; why it cannot be asked, in words.
pub fn best<'s>(
    sources: &'s [Source],
    query: &Query,
    wish: &Wish,
    here: Option<&Here>,
    config: &Config,
) -> Result<Vec<Best<'s>>, String> {
    if let Some(kind) = wish.kinds.first().filter(|_| wish.kinds.iter().all(|kind| NEVER.contains(kind))) {
        return Err(format!("a {} is in no page, so qmd cannot find it", kind.word()));
    }
    let program = env::program("qmd").ok_or("no qmd on PATH")?;
    let most = wish.most.max(LEAST).to_string();
    let collection = config.knowledge.search.collection.as_str();
    let mut told = Vec::new();
    for question in questions(query, wish) {
        let begin = ["query", "--json", "--full-path", "--no-rerank", "-n", &most, "-C", &most, "-c", collection, "--"];
        let mut command = vec![program.clone().into_os_string()];
        command.extend(begin.iter().map(OsString::from));
        command.push(question.into());
        told = ask(&command, PATIENCE)?;
        if !told.is_empty() {
            break;
        }
    }
    let asked = told.len();
    let mut found = wanted(told, sources, query, wish, here, config);
    if found.is_empty() && asked > 0 {
        return Err(format!("none of the {asked} hits of qmd is a file that is wanted here"));
    }
    found.truncate(wish.most);
    Ok(found)
}

/// Why QMD could not be asked, on one line; masked before it is cut, for half a secret looks like none.
pub fn instead(why: &str, redactor: &Redactor) -> String {
    text::cut(&text::one_line(&redactor.shown(why)), SAID).into_owned()
}

/// What QMD is asked, in its own language: all words at once and what the question means; then, where nothing was
/// found, each word. Such a question calls no model but that of the index, and none where nothing was embedded.
fn questions(query: &Query, wish: &Wish) -> [String; 2] {
    let words: Vec<&str> = query.terms.iter().filter(|term| term.is_asked).map(|term| term.word.as_str()).collect();
    let phrases = query.phrases.iter().map(|phrase| ("lex", format!("\"{}\"", plain(phrase))));
    let all = [("lex", words.join(" "))].into_iter().chain(phrases);
    let all = all.chain([("vec", plain(&wish.question)), ("hyde", plain(&wish.also))]);
    let each = query.terms.iter().take(WORDS).map(|term| ("lex", term.word.clone()));
    [lines(all), lines(each)]
}

fn lines(all: impl Iterator<Item = (&'static str, String)>) -> String {
    let lines = all.filter(|(_, said)| !said.is_empty()).map(|(kind, said)| format!("{kind}: {said}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// A text on one line, without what QMD would take for a sign of its own: a quotation mark, and a minus before a
/// word. An argument cannot have a zero byte.
fn plain(said: &str) -> String {
    let said: String =
        said.chars().map(|letter| if letter == '"' || letter.is_control() { ' ' } else { letter }).collect();
    let words = said.split_whitespace().map(|word| word.trim_start_matches('-')).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Runs QMD behind a guard, and reads what it prints.
fn ask(command: &[OsString], patience: Duration) -> Result<Vec<Told>, String> {
    let cannot = |error: std::io::Error| format!("qmd cannot be run: {error}");
    let mut guarded = Guarded::start(command, |guard| {
        process::forget_client(guard);
        guard.current_dir(NEUTRAL).env("PWD", NEUTRAL);
        guard.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    })
    .map_err(|failure| failure.message)?;
    let begun = clock::monotonic();
    let left = || patience.saturating_sub(clock::monotonic().duration_since(begun));
    let (tell, told) = mpsc::channel();
    let (output, errors) = (guarded.child.stdout.take(), guarded.child.stderr.take());
    let complaint = std::thread::Builder::new().spawn(move || complaint(errors)).map_err(cannot)?;
    let read = move || {
        let mut answer = Vec::new();
        let read = output.map(|output| output.take(ANSWER + 1).read_to_end(&mut answer));
        tell.send(read.transpose().map(|_| answer))
    };
    std::thread::Builder::new().spawn(read).map_err(cannot)?;
    let Ok(answer) = told.recv_timeout(left()) else {
        guarded.kill();
        return Err(format!("qmd did not answer within {} s", patience.as_secs()));
    };
    let answer = answer.map_err(cannot)?;
    if answer.len() as u64 > ANSWER {
        guarded.kill();
        return Err(format!("qmd printed more than {} MB", ANSWER >> 20));
    }
    let status = loop {
        match guarded.child.try_wait().map_err(cannot)? {
            Some(status) => break status,
            None if left().is_zero() => {
                guarded.kill();
                return Err(format!("qmd did not end within {} s", patience.as_secs()));
            }
            None => clock::sleep(Duration::from_millis(5)),
        }
    };
    if !status.success() {
        let said = complaint.join().unwrap_or_default();
        let colon = if said.is_empty() { "" } else { ": " };
        return Err(format!("qmd ended with {}{colon}{said}", process::in_words(status)));
    }
    serde_json::from_slice(&answer).map_err(|error| format!("what qmd printed is not a list of hits: {error}"))
}

/// What was said on standard error: its error, else its last line. All of it is read, so that the other end never waits for us.
fn complaint(errors: Option<ChildStderr>) -> String {
    let Some(mut errors) = errors else { return String::new() };
    let mut said = Vec::new();
    let _ = errors.by_ref().take(COMPLAINT).read_to_end(&mut said);
    let _ = std::io::copy(&mut errors, &mut std::io::sink());
    let said = String::from_utf8_lossy(&said);
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines.clone().find(|line| line.starts_with("Error"));
    error.or_else(|| lines.next_back()).unwrap_or_default().to_owned()
}

/// Those hits that are files of our own search and that pass the same filters. What no longer holds comes last.
fn wanted<'s>(
    told: Vec<Told>,
    sources: &'s [Source],
    query: &Query,
    wish: &Wish,
    here: Option<&Here>,
    config: &Config,
) -> Vec<Best<'s>> {
    let files = sources.iter().filter(|source| source.item.is_none());
    let mut files: HashMap<PathBuf, &Source> = files.map(|source| (file::real_path(&source.path), source)).collect();
    let (mut found, mut over) = (Vec::new(), Vec::new());
    for hit in told {
        // Each file once.
        let Some(source) = path(&hit.file, config).and_then(|path| files.remove(&file::real_path(&path))) else {
            continue;
        };
        let Ok(Some(mut text)) = Text::read(source) else { continue };
        if !text.is_wanted(source, wish, here) || !query.phrases.iter().all(|phrase| text.has(phrase)) {
            continue;
        }
        let part = part(&text, &hit, query, source.kind == Kind::Session);
        // What it means can be what was said at another time.
        if part.is_none() && wish.has_span() {
            continue;
        }
        let score = if hit.score.is_finite() { hit.score } else { 0.0 };
        let best = Best { source, score, part: part.unwrap_or_default() };
        if text.state(source).is_some() { over.push(best) } else { found.push(best) }
    }
    found.append(&mut over);
    found
}

/// The file of a hit: a path, from where QMD runs, or an address in our collection.
fn path(file: &str, config: &Config) -> Option<PathBuf> {
    let Some(address) = file.strip_prefix("qmd://") else { return Some(Path::new(NEUTRAL).join(file)) };
    let inside = address.strip_prefix(config.knowledge.search.collection.as_str())?.strip_prefix('/')?;
    Some(config.knowledge_folder().ok()?.join(inside.split('?').next()?))
}

/// Where in the file the snippet's best line is, nearest to where the index has it; in front matter, which no person
/// reads, and where the file has changed since, the part with the best words, if it has any.
fn part(text: &Text<'_>, hit: &Told, query: &Query, is_page: bool) -> Option<(usize, usize)> {
    let wanted = best_line(hit).map(str::trim).filter(|line| !line.is_empty());
    let lines = wanted.map(|wanted| lines_like(text, wanted)).unwrap_or_default();
    let nearest = lines.into_iter().min_by_key(|(number, _)| hit.line.abs_diff(*number));
    nearest.map(|(_, range)| range).or_else(|| best_words(text, query, is_page))
}

/// The lines of a text's body that a snippet can mean, by number and in bytes. A long line is cut in the snippet.
fn lines_like(text: &Text<'_>, wanted: &str) -> Vec<(usize, (usize, usize))> {
    let mut found = Vec::new();
    let mut at = 0;
    for (number, line) in (1..).zip(text.bytes().split_inclusive(|byte| *byte == b'\n')) {
        let range = (at, at + line.trim_ascii_end().len());
        at += line.len();
        let line = String::from_utf8_lossy(line);
        let is_cut = |cut: &str| !cut.is_empty() && line.trim_start().starts_with(cut);
        if range.0 >= text.body() && (line.trim() == wanted || wanted.strip_suffix("...").is_some_and(is_cut)) {
            found.push((number, range));
        }
    }
    found
}

/// The part of a text's body that has the best words.
fn best_words(text: &Text<'_>, query: &Query, is_page: bool) -> Option<(usize, usize)> {
    let (mut scanner, mut hits, mut counts) = (Scanner::new(query), Hits::default(), Counts::new(query));
    text.each_word(&mut scanner, is_page, |at, term| {
        if at >= text.body() {
            hits.push(at, term);
        }
    });
    counts.add(text.bytes().len(), &hits);
    let worth = Judge::new(query, &counts).worth(text.bytes().len(), &hits);
    (worth.score > 0.0).then_some((worth.from, worth.to))
}

/// The line of a snippet that it is about. The first line says which lines it has: `@@ -12,4 @@ (11 before, 30 after)`.
fn best_line(hit: &Told) -> Option<&str> {
    let mut lines = hit.snippet.lines();
    let start = hit.snippet.strip_prefix("@@ -").and_then(|rest| rest.split(',').next()?.parse::<usize>().ok());
    let Some(start) = start else { return lines.find(|line| !line.trim().is_empty()) };
    lines.next();
    lines.nth(hit.line.checked_sub(start)?)
}

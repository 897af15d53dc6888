//! Which of the things in a list a person means: by the head of an id, or by words of it.

use crate::base::cli::Given;
use crate::base::exit::{Exit, Failure};
use crate::base::record::Record;
use crate::base::{stream, text};
use crate::record::item::{self, ItemKind};
use crate::store::listed;
use crate::store::memories::Note;
use jiff::Timestamp;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// The fewest digits of an id that mean one.
const LEAST_DIGITS: usize = 4;
/// Characters of a session's id that mean one.
const SESSION_CHARS: usize = 8;
/// Characters of a thing in an error, and how many things.
const CHARS: usize = 60;
const NAMED: usize = 6;

/// A thing that can be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thing {
    /// Its whole id.
    pub id: String,
    /// What it says, masked, on one line.
    pub text: String,
}

impl Thing {
    /// The thing as a list shows it.
    pub fn line(&self) -> String {
        text::harmless(&format!("{} {}", item::short_id(&self.id), self.text)).into_owned()
    }
}

/// What a person wants to be done by hand.
pub struct ByHand {
    /// Ids, sessions or words, as the tool takes them.
    pub words: Vec<String>,
    /// For each of the words the memory folder that it is of, where a list or a record says that; empty where none does.
    pub folders: Vec<Option<PathBuf>>,
    /// What was done is to be taken back.
    pub undo: bool,
    /// Only say what would be done.
    pub dry_run: bool,
    /// The words can be those of an item, and not its id.
    pub by_words: bool,
}

impl ByHand {
    /// What a command line wants of items of these kinds, called `ours`. To take something back standard input is read for
    /// `-` alone: without operands that is the last one.
    pub fn read(given: &Given, undo: bool, dry_run: bool, kinds: &[&str], ours: &str) -> Result<Self, Failure> {
        let (words, folders): (Vec<String>, Vec<Option<PathBuf>>) = placed(given, kinds, ours)?.into_iter().unzip();
        if undo && !words.is_empty() && given.operands.is_empty() && !given.asks_for_input {
            return Err(Failure::usage("standard input names items: say - to take these back"));
        }
        Ok(Self { by_words: !given.operands.is_empty(), words, folders, undo, dry_run })
    }
}

/// A word, and the memory folder that it is of, where that is said.
type Placed = (String, Option<PathBuf>);

/// The operands of a command line, or for `-`, or without any where standard input is a pipe or a file, what that
/// names: a record or an id a line. Items of other kinds than these, which are called `ours`, are status 65; no kinds
/// are all.
pub fn wanted(given: &Given, kinds: &[&str], ours: &str) -> Result<Vec<String>, Failure> {
    Ok(placed(given, kinds, ours)?.into_iter().map(|(word, _)| word).collect())
}

fn placed(given: &Given, kinds: &[&str], ours: &str) -> Result<Vec<Placed>, Failure> {
    if !given.operands.is_empty() {
        if given.asks_for_input {
            return Err(Failure::usage("give ids, or '-' alone and the ids on standard input"));
        }
        let words: Vec<String> = given.operands.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        // Words of an item can be numbers, too.
        let is_list = words.iter().all(|word| numbers(word).is_some() || is_any_id(word));
        return if is_list { of_list(words, kinds, ours) } else { Ok(words.into_iter().map(alone).collect()) };
    }
    let input = if given.asks_for_input { stream::whole()? } else { stream::handed()? };
    let text = std::str::from_utf8(&input).map_err(|_| Failure::data("stdin: not UTF-8"))?;
    let mut words = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let bad = |what: &str| Failure::data(format!("stdin:{}: {what}: nothing was done", number + 1));
        words.extend(named(line, kinds, ours).map_err(|what| bad(&what))?);
    }
    if words.is_empty() && given.asks_for_input {
        return Err(Failure::new(Exit::No, "standard input names nothing: nothing was done"));
    }
    Ok(words)
}

fn alone(word: String) -> Placed {
    (word, None)
}

/// Whether a word can be the head of an item's or a session's id.
fn is_any_id(word: &str) -> bool {
    is_id(word) || word.get(..SESSION_CHARS).is_some_and(is_id)
}

/// The lines of a list that a word names: `3`, or `2-4`. A number has fewer digits than the head of an id.
fn numbers(word: &str) -> Option<RangeInclusive<usize>> {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    let number = |word: &str| {
        let is_one = word.len() < LEAST_DIGITS && word.bytes().all(|digit| digit.is_ascii_digit());
        word.parse().ok().filter(|_| is_one)
    };
    Some(number(first)?..=number(last)?)
}

/// The words, and for the numbers among them what the list that was printed last has at these lines.
fn of_list(words: Vec<String>, kinds: &[&str], ours: &str) -> Result<Vec<Placed>, Failure> {
    let list = if words.iter().any(|word| numbers(word).is_some()) { listed::read()? } else { None };
    let list: Vec<&str> = list.iter().flat_map(|list| list.lines()).collect();
    let mut found = Vec::new();
    for word in words {
        let Some(lines) = numbers(&word) else {
            found.push(alone(word));
            continue;
        };
        let bad = |what: &str| Failure::data(format!("'{word}': {what}: nothing was done"));
        if list.is_empty() {
            return Err(bad("what was printed last in this terminal has no numbers: run lh ls"));
        }
        if lines.is_empty() {
            return Err(bad("the first number is larger than the last one"));
        }
        for number in lines {
            let line = number.checked_sub(1).and_then(|at| list.get(at)).ok_or_else(|| {
                bad(&format!("the last list has the numbers 1 to {}: run lh ls for a new one", list.len()))
            })?;
            found.extend(named(line, kinds, ours).map_err(|what| bad(&what))?);
        }
    }
    Ok(found)
}

/// What a line names: ids, the first one of a line that a list prints, or a record's item, which is of one of these kinds,
/// called `ours`. Of a pair it is the older one, of a memory that was told the one in its file, of a page its file.
fn named(line: &str, kinds: &[&str], ours: &str) -> Result<Vec<Placed>, String> {
    if !line.trim_start().starts_with('{') {
        let (mut ids, others): (Vec<&str>, Vec<&str>) = line.split_whitespace().partition(|word| is_any_id(word));
        // In a list more of the words can look like ids.
        ids.truncate(if others.is_empty() { ids.len() } else { 1 });
        let none = || format!("no id in '{}'", text::cut(line.trim(), CHARS));
        return if ids.is_empty() { Err(none()) } else { Ok(ids.into_iter().map(|id| alone(id.to_owned())).collect()) };
    }
    let record = Record::parse(line)?;
    let kind = record.kind();
    let what = match kind.as_str() {
        "hit" | "written" => match record.text("what").ok_or("a record without 'what'")? {
            handoff if handoff == ItemKind::Handoff.word() => "open".to_owned(),
            what => what,
        },
        "pair" => "learning".to_owned(),
        "memory" | "told" => "memory".to_owned(),
        "session" | "task" => "session".to_owned(),
        _ => return Err(format!("a record of the type '{kind}' names no item")),
    };
    let of_file = || {
        let path = record.path("path")?;
        let note = Note::read(path.parent()?, &path.file_name()?.to_string_lossy()).ok()??;
        Some(note.id).filter(|id| !id.is_empty())
    };
    let is_session = ["session", "episode", "lost"].contains(&what.as_str());
    let of_session = || record.text("session_id").filter(|_| is_session);
    let path = || record.path("path").map(|path| path.display().to_string()).filter(|_| kind == "hit");
    let id = record.text("id").or_else(of_session).or_else(of_file).or_else(path);
    let id = id.ok_or_else(|| format!("this record of the type '{kind}' has no id of an item"))?;
    if kinds.is_empty() || kinds.contains(&what.as_str()) {
        // What says the same in two projects has one id.
        let folder = record.path("path").and_then(|path| path.parent().map(Path::to_path_buf));
        return Ok(vec![(id, folder)]);
    }
    Err(format!("'{}' is of the kind '{what}', expected {ours}", item::short_id(&id)))
}

/// A thing that a person puts away, as done or as wrong, and brings back.
pub struct Switch {
    /// The thing.
    pub thing: Thing,
    /// It is put away.
    pub is_away: bool,
    /// When that was.
    pub time: Option<Timestamp>,
}

impl ByHand {
    /// What the words mean, in whichever state it is, for after a kill, or by two people at once, the same is asked for
    /// again. Without words it is what was put away last.
    pub fn meant<'s>(&self, all: &'s [Switch]) -> Result<Option<Vec<&'s Switch>>, Failure> {
        let side = |is_away: bool| all.iter().filter(move |one| one.is_away == is_away);
        if self.words.is_empty() {
            let last = side(true).map(|one| one.time).max();
            return Ok(last.map(|last| side(true).filter(|one| one.time == last).collect()));
        }
        let things = |is_away: bool| side(is_away).map(|one| one.thing.clone()).collect::<Vec<Thing>>();
        let [from, to] = [things(self.undo), things(!self.undo)];
        let mut found = by_ids(&[&from, &to], &self.words)?;
        for side in [&from, &to].into_iter().filter(|_| self.by_words) {
            if found.is_none() {
                found = self::by_words(side, &self.words.join(" "))?.map(|one| vec![one]);
            }
        }
        let of = |thing: &Thing| all.iter().find(|one| one.thing == *thing);
        Ok(found.map(|found| found.into_iter().filter_map(of).collect()))
    }

    /// Of the words those that are the head of no id of these, for an error.
    pub fn unknown(&self, all: &[Switch]) -> String {
        let is_unknown = |word: &&String| {
            !is_id(word) || !all.iter().any(|one| one.thing.id.starts_with(&word.to_ascii_lowercase()))
        };
        self.words.iter().filter(is_unknown).map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// Whether something is still to be done to a thing.
    pub fn changes(&self, one: &Switch) -> bool {
        one.is_away == self.undo
    }

    /// What is done to it, would be done in a dry run, or is done already.
    pub fn says(&self, one: &Switch, [does, would, already]: [&'static str; 3]) -> &'static str {
        match (self.changes(one), self.dry_run) {
            (false, _) => already,
            (true, true) => would,
            (true, false) => does,
        }
    }
}

/// Whether a word can be the head of an id.
pub fn is_id(digits: &str) -> bool {
    digits.len() >= LEAST_DIGITS && digits.chars().all(|digit| digit.is_ascii_hexdigit())
}

/// Whether a word is as long as the beginnings of sessions' ids that lists show.
pub fn is_long(word: &str) -> bool {
    word.len() >= SESSION_CHARS
}

/// Status 64 for an empty word.
pub fn no_empty(words: &[String]) -> Result<(), Failure> {
    match words.iter().find(|word| word.trim().is_empty()) {
        Some(_) => Err(Failure::usage("an empty word means nothing; see --help")),
        None => Ok(()),
    }
}

/// Status 65 for a word that nothing is called by and that is too short for the head of an id.
pub fn too_short(word: &str) -> Option<Failure> {
    let what = format!("'{word}' is too short for the head of an id: give {LEAST_DIGITS} characters or more");
    (word.chars().count() < LEAST_DIGITS).then(|| Failure::data(what))
}

/// The things of some lists that have these ids, in the order of the words; none where a word is not the head of an id here. One
/// that is the head of several is status 65.
pub fn by_ids<'t>(lists: &[&'t [Thing]], words: &[String]) -> Result<Option<Vec<&'t Thing>>, Failure> {
    let mut found: Vec<&Thing> = Vec::new();
    for word in words {
        let digits = word.to_ascii_lowercase();
        let all = lists.iter().copied().flatten().filter(|_| is_id(&digits));
        let meant: Vec<&Thing> = all.filter(|thing| thing.id.starts_with(&digits)).collect();
        match meant.as_slice() {
            [] => return Ok(None),
            [one] if found.contains(one) => {}
            [one] => found.push(one),
            several => return Err(ambiguous(word, several)),
        }
    }
    Ok(Some(found))
}

/// The thing that says these words: all of it, else the only one that has them. None where nothing has them; several
/// are status 65.
pub fn by_words<'t>(all: &'t [Thing], words: &str) -> Result<Option<&'t Thing>, Failure> {
    let wanted = text::canonical(words);
    if let Some(same) = all.iter().find(|thing| text::canonical(&thing.text) == wanted) {
        return Ok(Some(same));
    }
    let meant = text::meaning(words);
    let some = !meant.stems.is_empty() || !meant.fixed.is_empty();
    let has = |thing: &&Thing| {
        let meaning = text::meaning(&thing.text);
        some && meant.stems.is_subset(&meaning.stems) && meant.fixed.is_subset(&meaning.fixed)
    };
    let mut found: Vec<&Thing> = all.iter().filter(has).collect();
    if found.is_empty() && !wanted.is_empty() {
        // A part of a word.
        found = all.iter().filter(|thing| text::canonical(&thing.text).contains(&wanted)).collect();
    }
    match found.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        several => Err(ambiguous(words, several)),
    }
}

/// Status 65 for a word that means several things, which are named.
pub fn ambiguous(word: &str, several: &[&Thing]) -> Failure {
    let shown = |thing: &&Thing| {
        // Of two ids that begin alike more has to be shown.
        let alike = several.iter().filter(|other| item::short_id(&other.id) == item::short_id(&thing.id)).count();
        let id = if alike > 1 { &thing.id } else { item::short_id(&thing.id) };
        format!("{id} {}", text::cut(&thing.text, CHARS))
    };
    let named: Vec<String> = several.iter().take(NAMED).map(shown).collect();
    let more = if several.len() > NAMED { ", …" } else { "" };
    let count = several.len();
    Failure::data(format!("'{word}' means {count} of them: {}{more}; give the id of one", named.join(", ")))
}

/// Status 65 for an id that several projects have something of.
pub fn of_several(word: &str) -> Failure {
    Failure::data(format!(
        "'{word}' means items of several projects: give more of the id, or, if that is the same, go to the folder of the project"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn things(texts: &[(&str, &str)]) -> Vec<Thing> {
        texts.iter().map(|(id, text)| Thing { id: (*id).to_owned(), text: (*text).to_owned() }).collect()
    }

    #[test]
    fn a_thing_is_meant_by_the_head_of_its_id_or_by_its_words() {
        let all = things(&[
            ("3f2a1b0011223344", "Finish the docs restructure"),
            ("3f2a1c0011223344", "Write the docs of the exporter"),
            ("deface0011223344", "Run mkdocs build --strict"),
        ]);
        let ids = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            by_ids(&[&all], &words)
                .map(|found| found.map(|found| found.iter().map(|thing| thing.line()).collect::<Vec<_>>()))
        };
        assert_eq!(ids(&["3f2a1b"]).unwrap().unwrap(), ["3f2a1b Finish the docs restructure"]);
        assert_eq!(ids(&["DEFACE00", "3f2a1c", "deface"]).unwrap().unwrap().len(), 2);
        for words in [&["3f2"][..], &["docs"], &["3f2a1b", "docs"], &["3f2a1b00112233445"], &[""]] {
            assert_eq!(ids(words).unwrap(), None, "{words:?}");
        }
        let said = ids(&["3f2a"]).unwrap_err();
        assert_eq!(said.exit.status(), 65);
        assert!(said.message.contains("3f2a1b Finish") && said.message.contains("3f2a1c Write"), "{}", said.message);
        let words = |words: &str| by_words(&all, words).map(|found| found.map(|thing| thing.text.as_str()));
        assert_eq!(words("exporter docs").unwrap(), Some("Write the docs of the exporter"));
        assert_eq!(words("finishing the docs").unwrap(), Some("Finish the docs restructure"));
        assert_eq!(words("mkdoc").unwrap(), Some("Run mkdocs build --strict"));
        assert_eq!(words("--strict").unwrap(), Some("Run mkdocs build --strict"));
        assert_eq!(
            (words("coffee").unwrap(), words("").unwrap(), words("the").unwrap_err().exit.status()),
            (None, None, 65)
        );
        assert!(words("docs").unwrap_err().message.starts_with("'docs' means 2 of them: 3f2a1b "));
    }
}

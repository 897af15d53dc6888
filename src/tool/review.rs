//! The learnings that may say the same: which they are, one deprecated for the other, or both kept for good; and a page
//! of them and of the week.

mod by_model;
mod week;

use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::file::{self, Lock};
use crate::base::front_matter::FrontMatter;
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::{clock, log, text};
use crate::rank::{self, PairReason, PairText};
use crate::record::item::ItemKind;
use crate::record::written::{self, Became};
use crate::redact::Redactor;
use crate::store::change::{self, ChangeState, Planned};
use crate::store::learnings::{self, Learning, review};
use crate::tool::by_id::{self, ByHand, Switch, Thing};
use crate::tool::report::Material;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use week::WeekSection;

/// The most lines of a page, and so many characters of a title.
const LINES: usize = 80;
const TITLE_CHARS: usize = 200;
/// The name of our plan for learnings that a person says are wrong.
pub const FORGET: &str = "forget";
/// Why a learning is deprecated that a person said is wrong.
const BY_HAND: &str = "forgotten by hand";

/// The learnings.
pub struct Review<'a> {
    top: PathBuf,
    folder: PathBuf,
    entries: Vec<Learning>,
    redactor: &'a Redactor,
}

/// Two that may say the same, the older one first.
pub struct LearningPair<'e> {
    older: &'e Learning,
    newer: &'e Learning,
    similarity: f64,
    reason: PairReason,
}

impl<'a> Review<'a> {
    /// Reads the learnings.
    pub fn read(config: &Config, redactor: &'a Redactor) -> Result<Self, Failure> {
        let (top, folder) = (config.learnings_top()?, config.learnings_folder()?);
        Ok(Self { entries: learnings::newest(&folder)?, top, folder, redactor })
    }

    /// The pairs that wait: both active, and not said to be different.
    pub fn waiting(&self) -> Result<Vec<LearningPair<'_>>, Failure> {
        let apart = review::apart()?;
        // The oldest first.
        let active: Vec<&Learning> = self.entries.iter().rev().filter(|entry| entry.active).collect();
        let said: Vec<PairText<'_>> =
            active.iter().map(|entry| PairText { title: &entry.item.summary, text: &entry.item.learning }).collect();
        let pairs = rank::pairs(&said).into_iter().map(|pair| {
            let (older, newer) = (active[pair.places.0], active[pair.places.1]);
            LearningPair { older, newer, similarity: pair.similarity, reason: pair.reason }
        });
        Ok(pairs.filter(|pair| !apart.contains(&review::ids(&pair.older.item.id, &pair.newer.item.id))).collect())
    }

    /// A pair as a record.
    pub fn record(&self, pair: &LearningPair) -> Masked {
        let mut record = Record::new("pair");
        record.set("similarity", &rounded(pair.similarity));
        record.set("reason", &pair.reason.word());
        for (prefix, entry) in [("", pair.older), ("other_", pair.newer)] {
            record.set(&format!("{prefix}id"), &entry.item.id);
            record.set(&format!("{prefix}title"), &entry.item.summary);
            record.set_path(&format!("{prefix}path"), &entry.path);
        }
        self.redactor.masked_record(&record)
    }

    /// A pair as a line for people: the older one, and then the newer one.
    pub fn pair_line(&self, pair: &LearningPair) -> Masked {
        let (similarity, reason) = (rounded(pair.similarity), pair.reason.word());
        let line = format!("{}  ~  {}  ({similarity:.2}, {reason})\n", self.line(pair.older), self.line(pair.newer));
        self.redactor.masked_parts(&line)
    }

    /// Writes the page of today, and says how many pairs wait; none where there is nothing to write.
    pub fn write(&self, config: &Config, dry: bool) -> Result<Option<Record>, Failure> {
        let (pairs, now) = (self.waiting()?, clock::now());
        let all = Material::read(None, config)?;
        all.unread.iter().for_each(|failure| log::say("lh-review", &format!("not read: {}", failure.message)));
        let mut sections = week::sections(&all, &pairs, now, |said| self.short(said));
        if !dry
            && !sections.is_empty()
            && let Err(failure) = by_model::first(&mut sections, config, self.redactor)
        {
            log::say("lh-review", &format!("{}: made without a model", failure.message));
        }
        if pairs.is_empty() && sections.is_empty() {
            return Ok(None);
        }
        let day = clock::local_day(now);
        let page = self.page(&day, &sections, &pairs);
        let path = review::write(&self.top, &self.folder, &day, &page, self.redactor, dry)?;
        let (would, became) = if dry { ("would be in", Became::WouldWrite) } else { ("see", Became::Written) };
        let what = if pairs.is_empty() { "the week to today".to_owned() } else { count(pairs.len()) };
        let said = format!("{what}: {would} {}", path.display());
        Ok(Some(written::written(Some(&path), "review", None, &said, became)))
    }

    /// The page of a day: the week, and as many pairs as fit below it, one at least.
    fn page(&self, day: &str, week: &[WeekSection], pairs: &[LearningPair]) -> String {
        let mut page = format!("# The week to {day}\n");
        page.extend(week.iter().map(WeekSection::text));
        if !pairs.is_empty() {
            let how = "`lh-review --merge KEEP OTHER` deprecates OTHER, `lh-review --keep ID ID` keeps both\n\
                and never names the two again. Nothing is deleted.";
            let _ = writeln!(page, "\n## Learnings that may say the same\n\n{}. {how}", count(pairs.len()));
        }
        for (at, pair) in pairs.iter().enumerate() {
            let one = self.pair(at + 1, pair);
            if at > 0 && page.lines().count() + one.lines().count() + 2 > LINES {
                let _ = writeln!(page, "\nAnd {} more, which `lh-review` prints.", pairs.len() - at);
                break;
            }
            page.push_str(&one);
        }
        page
    }

    /// A pair as a part of the page, with the commands that settle it.
    fn pair(&self, number: usize, pair: &LearningPair) -> String {
        let (older, newer) = (&pair.older.item.id, &pair.newer.item.id);
        let mut part = format!("\n### {number}. {:.2}, {}\n\n", pair.similarity, pair.reason.word());
        for entry in [pair.older, pair.newer] {
            let _ = writeln!(part, "- {}\n  {}", self.title(entry), self.name(&entry.path));
        }
        for (what, one, other) in [("merge", older, newer), ("merge", newer, older), ("keep", older, newer)] {
            let _ = write!(part, "\n      lh-review --{what} {one} {other}");
        }
        part + "\n"
    }

    /// A learning's path in the folder.
    fn name(&self, path: &Path) -> String {
        text::one_line(&path.strip_prefix(&self.folder).unwrap_or(path).to_string_lossy()).into_owned()
    }

    fn title(&self, entry: &Learning) -> String {
        self.short(&entry.item.summary)
    }

    /// A text as the page shows it, on one line.
    fn short(&self, said: &str) -> String {
        text::cut(&text::harmless(&text::one_line(&self.redactor.shown(said))), TITLE_CHARS).into_owned()
    }

    /// Deprecates the second one for the first one.
    pub fn merge(&self, words: &[String], dry: bool) -> Result<Record, Failure> {
        let (keep, other) = self.two(words)?;
        if !keep.active {
            return Err(Failure::data(format!("{} is deprecated itself: keep the other one", self.line(keep))));
        }
        let by = self.name(&keep.path);
        let seen = self.read_page(other)?;
        let says = match (other.active, dry) {
            (false, _) if FrontMatter::read(&other.path)?.get("deprecated_by") == Some(&by) => "deprecated_already",
            (false, _) => return Err(Failure::data(format!("{} is deprecated already", self.line(other)))),
            (true, true) => "would_deprecate",
            (true, false) => {
                let reason = format!("says the same as \"{}\"", self.title(keep));
                learnings::deprecate(&self.top, &other.path, &seen, &by, &reason, self.redactor)?;
                "deprecated"
            }
        };
        Ok(self.record_of(other, says, &format!("for {}", self.line(keep))))
    }

    /// The learnings, as a person can forget them.
    pub fn switches(&self) -> impl Iterator<Item = Switch> {
        self.entries.iter().map(|entry| Switch { thing: self.thing(entry), is_away: !entry.active, time: None })
    }

    /// Deprecates learnings because a person says that they are wrong, or makes them active again. Says what was done, a
    /// record a learning.
    pub fn forget(&self, meant: &[&Switch], wanted: &ByHand) -> Result<Vec<Record>, Failure> {
        let is_by_hand =
            |page: &[u8]| FrontMatter::parse(&String::from_utf8_lossy(page)).get("deprecated_reason") == Some(BY_HAND);
        let says = if wanted.undo {
            ["told_again", "would_tell_again", "told_already"]
        } else {
            ["deprecated", "would_deprecate", "deprecated_already"]
        };
        let (mut lines, mut plans) = (Vec::new(), Vec::new());
        for one in meant {
            let Some(entry) = self.entries.iter().find(|entry| entry.item.id == one.thing.id) else { continue };
            let page = self.read_page(entry)?;
            if wanted.undo && !entry.active && !is_by_hand(&page) {
                return Err(Failure::data(format!("{} was not forgotten by hand", self.line(entry))));
            }
            if wanted.changes(one) && !wanted.dry_run {
                plans.push(self.planned(entry, &page, wanted.undo)?);
            }
            lines.push(self.record_of(entry, wanted.says(one, says), ""));
        }
        // As a plan, so that lh undo knows of it.
        let by = if wanted.undo { "tell" } else { FORGET };
        let applied = change::apply(&file::real_path(&self.top), by, plans, clock::now())?;
        let mut entries = applied.iter().flat_map(|applied| &applied.entries);
        match entries.find(|entry| entry.state != ChangeState::Done) {
            Some(left) => Err(Failure::later(format!("{}: it was changed meanwhile: try again", left.name))),
            None => Ok(lines),
        }
    }

    /// What is to become of the page of a learning that is forgotten, or told `again`.
    fn planned(&self, entry: &Learning, page: &[u8], again: bool) -> Result<Planned, Failure> {
        let (top, path) = (file::real_path(&self.top), file::real_path(&entry.path));
        let outside = |_| Failure::data(format!("{}: it leads out of {}", entry.path.display(), top.display()));
        let after = learnings::by_hand(&entry.path, page, (!again).then_some(BY_HAND))?;
        if str::from_utf8(page).is_err() {
            let what = "not UTF-8, so that it cannot be kept as it was: change its status by hand";
            return Err(Failure::data(format!("{}: {what}", entry.path.display())));
        }
        let name = path.strip_prefix(&top).map_err(outside)?.to_string_lossy().into_owned();
        Ok(Planned::of_person(name, if again { "told again" } else { BY_HAND }, Some(page), Some(after)))
    }

    /// Remembers that two are different.
    pub fn keep(&self, words: &[String], dry: bool) -> Result<Record, Failure> {
        let (one, other) = self.two(words)?;
        let ids = review::ids(&one.item.id, &other.item.id);
        let says = match review::apart()?.contains(&ids) {
            true => "kept_already",
            false if dry => "would_keep",
            false => {
                review::set_apart(ids, self.redactor)?;
                "kept"
            }
        };
        Ok(self.record_of(one, says, &format!("and {}", self.line(other))))
    }

    fn read_page(&self, entry: &Learning) -> Result<Vec<u8>, Failure> {
        let gone = || Failure::data(format!("{} is gone by now", self.line(entry)));
        file::read(&entry.path)?.ok_or_else(gone)
    }

    /// What became of a learning.
    fn record_of(&self, entry: &Learning, says: &str, why: &str) -> Record {
        written::by_hand(Some(&entry.path), ItemKind::Learning.word(), &entry.item.id, &self.title(entry), says, why)
    }

    fn line(&self, entry: &Learning) -> String {
        self.thing(entry).line()
    }

    fn thing(&self, entry: &Learning) -> Thing {
        Thing { id: entry.item.id.clone(), text: self.title(entry) }
    }

    /// The two learnings that are meant.
    fn two(&self, words: &[String]) -> Result<(&Learning, &Learning), Failure> {
        let [one, other] = words else {
            return Err(Failure::usage(format!("{} operands: expected two ids or paths; see --help", words.len())));
        };
        let (one, other) = (self.meant(one)?, self.meant(other)?);
        if one.item.id == other.item.id {
            return Err(Failure::data(format!("{} is meant twice: give two learnings", self.line(one))));
        }
        Ok((one, other))
    }

    /// The learning with an id or a path.
    fn meant(&self, word: &str) -> Result<&Learning, Failure> {
        if word.contains('/') || Path::new(word).extension().is_some() {
            let paths = [Path::new(word), &self.folder.join(word)].map(file::real_path);
            let unknown = || Failure::data(format!("'{word}' is not a learning in {}", self.folder.display()));
            let is_meant = |entry: &&Learning| paths.contains(&file::real_path(&entry.path));
            return self.entries.iter().find(is_meant).ok_or_else(unknown);
        }
        if let Some(failure) = by_id::too_short(word) {
            return Err(failure);
        }
        self.by_ids(&[word.to_owned()])?.first().copied().ok_or_else(|| {
            let what = "lh-review lists the pairs that wait, with their ids";
            Failure::data(format!("no learning has the id '{word}'; {what}"))
        })
    }

    /// The learnings with these ids; none where one of the words is not an id of one.
    fn by_ids(&self, words: &[String]) -> Result<Vec<&Learning>, Failure> {
        let things: Vec<Thing> = self.entries.iter().map(|entry| self.thing(entry)).collect();
        let meant = by_id::by_ids(&[&things], words)?;
        let is_meant = |entry: &&Learning| meant.iter().flatten().any(|thing| thing.id == entry.item.id);
        Ok(self.entries.iter().filter(is_meant).collect())
    }
}

/// The lock that keeps two from deprecating each other's learning; none for a dry run.
pub fn lock(dry: bool) -> Result<Option<Lock>, Failure> {
    (!dry).then(review::lock).transpose()
}

fn count(pairs: usize) -> String {
    if pairs == 1 { "1 pair of learnings waits".to_owned() } else { format!("{pairs} pairs of learnings wait") }
}

fn rounded(similarity: f64) -> f64 {
    (similarity * 100.0).round() / 100.0
}

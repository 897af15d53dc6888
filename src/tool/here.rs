//! The project of the current folder, and its memory; and those of the projects that ids are of.

use super::by_id::{self, ByHand, Thing};
use crate::agent::project;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::file::Lock;
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::{log, text};
use crate::record::session::Session;
use crate::redact::Redactor;
use crate::store::receipts::Receipts;
use crate::store::{self, Memory, handoff, journal};
use std::path::Path;
use std::slice;

/// A project, mostly that of the current folder.
pub struct Here<'a> {
    /// Its memory.
    pub memory: Memory,
    /// Its name, masked.
    pub project: String,
    /// What masks what is shown and written.
    pub redactor: Redactor,
    /// The configuration.
    pub config: &'a Config,
}

impl<'a> Here<'a> {
    /// Finds it.
    pub fn find(config: &'a Config) -> Result<Self, Failure> {
        Self::of_session(&project::here(config)?, config)
    }

    fn of_session(session: &Session, config: &'a Config) -> Result<Self, Failure> {
        let redactor = Redactor::new(&config.privacy)?;
        let project = redactor.shown(&session.project).into_owned();
        Ok(Self { memory: Memory::of(session, config)?, project, redactor, config })
    }

    /// The project that has its memory in a folder: where the last session ran there, if that can be told.
    pub fn of(folder: &Path, home: &Path, config: &'a Config) -> Result<Self, Failure> {
        if let Some(cwd) = project::ran_in(folder) {
            let of_last = Self::of_session(&project::of_folder(&cwd, home, config)?, config)?;
            if of_last.memory.folders().any(|own| own == folder) {
                return Ok(of_last);
            }
        }
        let project = journal::project(folder).unwrap_or_else(|| folder.display().to_string());
        Ok(Self { memory: Memory::alone(folder), project, redactor: Redactor::new(&config.privacy)?, config })
    }

    /// The other projects that have a memory, each with what is read of it. One that cannot be read is told, and does not
    /// keep the others away.
    pub fn others<T>(&self, read: impl Fn(&Self) -> Result<T, Failure>) -> Result<Vec<(Self, T)>, Failure> {
        let mut found: Vec<(Self, T)> = Vec::new();
        for home in self.config.agent_homes()? {
            for folder in store::all(&home, self.config) {
                let other = store::inside(&folder, &home, self.config).and_then(|folder| {
                    if self.has(&folder) || found.iter().any(|(one, _)| one.has(&folder)) {
                        return Ok(None);
                    }
                    let other = Self::of(&folder, &home, self.config)?;
                    read(&other).map(|read| Some((other, read)))
                });
                match other {
                    Ok(other) => found.extend(other),
                    Err(failure) => log::say("lh", &failure.message),
                }
            }
        }
        Ok(found)
    }

    /// Whether a memory folder is its own.
    fn has(&self, folder: &Path) -> bool {
        self.memory.notes() == folder || self.memory.folders().any(|own| own == folder)
    }

    /// The projects that a person means, each with the words that are of it: what a list or a record names is of the
    /// project that has the folder there, whatever another one says in the same words.
    fn of_wanted(
        wanted: &ByHand,
        things: impl Fn(&Self) -> Result<Vec<Thing>, Failure>,
        config: &'a Config,
    ) -> Result<Vec<(Self, Vec<String>)>, Failure> {
        if wanted.folders.iter().all(Option::is_none) {
            return Self::of_words(&wanted.words, things, config);
        }
        let here = Self::find(config)?;
        let others = here.others(|_| Ok(()))?.into_iter().map(|(other, ())| other);
        let mut all: Vec<(Self, Vec<String>)> = std::iter::once(here).chain(others).map(|one| (one, vec![])).collect();
        for (word, folder) in wanted.words.iter().zip(&wanted.folders) {
            let at = all.iter().position(|(one, _)| folder.as_ref().is_some_and(|folder| one.has(folder)));
            all[at.unwrap_or(0)].1.push(word.clone());
        }
        all.retain(|(_, words)| !words.is_empty());
        Ok(all)
    }

    /// Records, masked.
    pub fn masked(&self, records: &[Record]) -> Masked {
        let mut all = Masked::default();
        for record in records {
            all.push(&self.redactor.masked_record(record));
        }
        all
    }

    /// The line that is before what was done in it; "" for the project of the current folder.
    pub fn head(&self, current: &Self) -> Masked {
        if *self.memory == *current.memory {
            return Masked::default();
        }
        self.redactor.masked_parts(&format!("in the project {}:\n", self.project))
    }

    /// The projects that ids are of, by the `things` of each, with those of each: first the current folder's, which also has
    /// what is not an id, and what no project has.
    pub fn of_words(
        words: &[String],
        things: impl Fn(&Self) -> Result<Vec<Thing>, Failure>,
        config: &'a Config,
    ) -> Result<Vec<(Self, Vec<String>)>, Failure> {
        let here = Self::find(config)?;
        let own = things(&here)?;
        let meant =
            |all: &[Thing], word: &String| by_id::by_ids(&[all], slice::from_ref(word)).map(|one| one.is_some());
        // What looks like an id can be a word of an item.
        let is_own = |word: &String| {
            let says = |thing: &Thing| thing.text.to_lowercase().contains(&word.to_lowercase());
            own.iter().any(says) || meant(&own, word).unwrap_or(true)
        };
        if !words.iter().all(|word| by_id::is_id(word)) || words.iter().all(is_own) {
            return Ok(vec![(here, words.to_vec())]);
        }
        let mut own: Vec<String> = words.to_vec();
        let mut others = Vec::new();
        for (other, all) in here.others(&things)? {
            let mut its = Vec::new();
            for word in words.iter().filter(|word| !is_own(word)) {
                // Of several the act itself says which they are.
                if meant(&all, word).unwrap_or(true) {
                    if !own.contains(word) {
                        return Err(by_id::of_several(word));
                    }
                    its.push(word.clone());
                }
            }
            own.retain(|word| !its.contains(word));
            others.extend((!its.is_empty()).then_some((other, its)));
        }
        let own = (!own.is_empty()).then_some((here, own));
        Ok(own.into_iter().chain(others).collect())
    }

    /// The heading over what is open, in the language of this.
    pub fn heading(&self, said: &str) -> &str {
        handoff::heading(self.config.compound_loop.handoff_heading.as_deref(), text::is_spanish(said))
    }

    /// What is written for a session, or by hand.
    pub fn receipts<'r>(&'r self, session_id: &'r str) -> Receipts<'r> {
        Receipts::new(&self.memory, session_id, &self.project, &self.redactor)
    }

    /// Takes the locks of all folders of its memory that are there: where there is none, none is made.
    pub fn lock(&self) -> Result<Vec<Lock>, Failure> {
        self.memory.folders().filter(|folder| folder.is_dir()).map(store::lock).collect()
    }
}

/// Does what a person wants in each project that it is of, and gives all that was said. Where there are several, it is known
/// of each that it can be done before anything is.
pub fn in_each(
    wanted: &ByHand,
    things: impl Fn(&Here) -> Result<Vec<Thing>, Failure>,
    act: impl Fn(&Here, &ByHand) -> Result<Vec<Record>, Failure>,
    config: &Config,
) -> Result<Masked, Failure> {
    let all = Here::of_wanted(wanted, things, config)?;
    let of =
        |words: &[String], dry_run: bool| ByHand { words: words.to_vec(), folders: Vec::new(), dry_run, ..*wanted };
    if all.len() > 1 {
        all.iter().try_for_each(|(here, words)| act(here, &of(words, true)).map(drop))?;
    }
    let (mut said, current) = (Masked::default(), Here::find(config)?);
    for (here, words) in &all {
        let mut records = act(here, &of(words, wanted.dry_run))?;
        if *here.memory != *current.memory {
            for record in &mut records {
                record.set("project", &here.project);
            }
        }
        said.push(&here.masked(&records));
    }
    Ok(said)
}

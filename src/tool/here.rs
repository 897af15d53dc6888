//! The project of the current folder, and its memory.

use crate::agent::project;
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::file::Lock;
use crate::redact::Redactor;
use crate::store::{self, Memory};

/// The project of the current folder.
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
        let redactor = Redactor::new(&config.privacy)?;
        let session = project::here(config)?;
        let memory = Memory::of(&session, config)?;
        let project = redactor.shown(&session.project).into_owned();
        Ok(Self { memory, project, redactor, config })
    }

    /// Takes the locks of all folders of its memory that are there: where there is none, none is made.
    pub fn lock(&self) -> Result<Vec<Lock>, Failure> {
        self.memory.folders().filter(|folder| folder.is_dir()).map(store::lock).collect()
    }
}

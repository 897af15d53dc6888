//! The files of one distillation: `X.distilled`, the record; `X.asked`, what was asked when; and
//! `X.answer`, the model's own output. By hand, without an output file, they are thrown away.

use super::Distilled;
use crate::config::Engine;
use crate::exit::Failure;
use crate::file::{self, Durable};
use crate::record::Record;
use std::path::{Path, PathBuf};

/// Where the steps of one distillation are kept.
pub struct Staged {
    output: Option<PathBuf>,
    stem: PathBuf,
    /// Removed with all in it when the run by hand is over.
    _by_hand: Option<tempfile::TempDir>,
}

/// What was asked: enough to use the answer after the transcript and the memory moved on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// When, as the ledger has it.
    pub at: String,
    /// Of whom.
    pub engine: Engine,
    /// How far the transcript was read.
    pub size_bytes: u64,
    /// The hash of the conversation then.
    pub conversation_hash: String,
    /// The hash of the handoff that stood in the prompt.
    pub handoff_base: String,
}

impl Staged {
    /// Beside the output file; without one among the work files of the agent's home.
    pub fn at(output: Option<&Path>, home: &Path) -> Result<Self, Failure> {
        // The model runs in the folder of its answer, so that must be named in full.
        let output = output.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()));
        if let Some(path) = &output {
            let stem = path.with_extension("");
            return Ok(Self { output, stem, _by_hand: None });
        }
        let work = home.join("queue/work");
        file::create_folder(&work)?;
        let folder = tempfile::Builder::new().prefix("by-hand-").tempdir_in(&work);
        let folder = folder.map_err(|error| Failure::io(work.display(), &error))?;
        Ok(Self { output, stem: folder.path().join("x"), _by_hand: Some(folder) })
    }

    /// Whether the output stands there, of this session.
    pub fn is_whole(&self, session_id: &str) -> bool {
        let text = self.output.as_ref().and_then(|path| file::read_text(path).ok().flatten());
        let record = text.and_then(|text| Record::parse(text.trim_end()).ok());
        record.is_some_and(|record| {
            record.kind() == "distilled" && record.text("session_id").as_deref() == Some(session_id)
        })
    }

    /// Stores the record, synced; without an output file it is given back.
    pub fn store(&self, record: Record) -> Result<Distilled, Failure> {
        let Some(output) = &self.output else {
            self.forget();
            return Ok(Distilled::Record(record));
        };
        file::replace(output, record.line().as_bytes(), Durable::Yes)?;
        self.forget();
        Ok(Distilled::Stored)
    }

    /// The model's own output.
    pub fn answer(&self) -> PathBuf {
        self.ending("answer")
    }

    /// Remembers what is about to be asked.
    pub fn ask(&self, asked: &Asked) -> Result<(), Failure> {
        file::remove(&self.answer())?;
        let Asked { at, engine, size_bytes, conversation_hash, handoff_base } = asked;
        let text = format!(
            "asked_at={at}\nengine={}\nsource_size_bytes={size_bytes}\nconversation_hash={conversation_hash}\nhandoff_base={handoff_base}\n",
            engine.word()
        );
        file::replace(&self.ending("asked"), text.as_bytes(), Durable::No)
    }

    /// What a killed run asked; none when none was killed.
    pub fn asked(&self) -> Result<Option<Asked>, Failure> {
        let Some(text) = file::read_text(&self.ending("asked"))? else { return Ok(None) };
        let value = |key: &str| {
            text.lines()
                .filter_map(|line| line.split_once('='))
                .find(|(name, _)| *name == key)
                .map(|(_, value)| value.to_owned())
        };
        let asked = || {
            Some(Asked {
                at: value("asked_at")?,
                engine: Engine::of(&value("engine")?)?,
                size_bytes: value("source_size_bytes")?.parse().ok()?,
                conversation_hash: value("conversation_hash")?,
                handoff_base: value("handoff_base")?,
            })
        };
        Ok(asked())
    }

    /// Removes question and answer: they were used, or are of no use.
    pub fn forget(&self) {
        for ending in ["asked", "answer"] {
            let _ = file::remove(&self.ending(ending));
        }
    }

    fn ending(&self, ending: &str) -> PathBuf {
        let mut name = self.stem.clone().into_os_string();
        name.push(".");
        name.push(ending);
        PathBuf::from(name)
    }
}

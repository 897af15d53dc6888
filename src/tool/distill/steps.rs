//! The files of one distillation: `X.distilled`, the record; `X.asked`, what was asked when; and
//! `X.answer`, the model's own output. By hand, without an output file, they are thrown away.

use super::Distilled;
use crate::base::config::Engine;
use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root, Target};
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::redact::Redactor;
use std::path::{Path, PathBuf};

/// Where the steps of one distillation are kept.
pub struct Steps {
    output: Option<PathBuf>,
    stem: PathBuf,
    /// Removed with all in it when the run by hand is over.
    _by_hand: Option<tempfile::TempDir>,
}

/// What was asked: enough to use the answer after the transcript and the memory moved on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// When, as the ledger has it.
    pub at: String,
    /// Of whom.
    pub engine: Engine,
    /// How far the transcript was read.
    pub size_bytes: u64,
    /// The hash of the conversation then.
    pub conversation_hash: String,
    /// The hash of the handoff that was in the prompt.
    pub handoff_base: String,
    /// Whether the model ended by itself: what it printed is all that will come.
    pub ended: bool,
}

impl Steps {
    /// Beside the output file; without one among the work files of the agent's home.
    pub fn at(output: Option<&Path>, home: &Path) -> Result<Self, Failure> {
        // The model runs in the folder of its answer, so that must be named in full.
        let output = output.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()));
        if let Some(path) = &output {
            // Before a model is asked.
            Target::named(path)?;
            let stem = path.with_extension("");
            return Ok(Self { output, stem, _by_hand: None });
        }
        let work = Root::new(home).folder("queue/work")?;
        let folder = file::scratch(Some(&work), "by-hand-")?;
        Ok(Self { output, stem: folder.path().join("x"), _by_hand: Some(folder) })
    }

    /// Whether the output exists, and is of this session.
    pub fn is_whole(&self, session_id: &str) -> bool {
        let text = self.output.as_ref().and_then(|path| file::read_text(path).ok().flatten());
        let record = text.and_then(|text| Record::parse(text.trim_end()).ok());
        record.is_some_and(|record| {
            record.kind() == "distilled" && record.text("session_id").as_deref() == Some(session_id)
        })
    }

    /// Stores the record, synced; without an output file it is given back.
    pub fn store(&self, record: &Record, redactor: &Redactor) -> Result<Distilled, Failure> {
        let Some(output) = &self.output else {
            self.forget();
            return Ok(Distilled::Record(redactor.masked_record(record)));
        };
        file::replace(&Target::named(output)?, &redactor.masked_record(record), Durable::Yes)?;
        self.forget();
        Ok(Distilled::Stored)
    }

    /// The model's own output.
    pub fn answer(&self) -> PathBuf {
        self.ending("answer")
    }

    /// Remembers what is about to be asked.
    pub fn ask(&self, asked: &Request) -> Result<(), Failure> {
        file::remove(&self.answer())?;
        self.write(asked)
    }

    /// Remembers that the model ended by itself.
    pub fn ended(&self, asked: &Request) -> Result<(), Failure> {
        self.write(&Request { ended: true, ..asked.clone() })
    }

    fn write(&self, asked: &Request) -> Result<(), Failure> {
        let Request { at, engine, size_bytes, conversation_hash, handoff_base, ended } = asked;
        let engine = engine.word();
        let text = format!(
            "asked_at={at}\nengine={engine}\nsource_size_bytes={size_bytes}\nconversation_hash={conversation_hash}\n\
             handoff_base={handoff_base}\nended={ended}\n"
        );
        file::replace(&Target::named(&self.ending("asked"))?, &Masked::exact(text), Durable::No)
    }

    /// What a killed run asked; none when none was killed.
    pub fn asked(&self) -> Result<Option<Request>, Failure> {
        let Some(text) = file::read_text(&self.ending("asked"))? else { return Ok(None) };
        let value = |key: &str| {
            text.lines()
                .filter_map(|line| line.split_once('='))
                .find(|(name, _)| *name == key)
                .map(|(_, value)| value.to_owned())
        };
        let asked = || {
            Some(Request {
                at: value("asked_at")?,
                engine: Engine::parse(&value("engine")?)?,
                size_bytes: value("source_size_bytes")?.parse().ok()?,
                conversation_hash: value("conversation_hash")?,
                handoff_base: value("handoff_base")?,
                ended: value("ended").as_deref() == Some("true"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_comes_back() {
        let home = tempfile::tempdir().unwrap();
        let output = home.path().join("1-a.task.distilled");
        let steps = Steps::at(Some(&output), home.path()).unwrap();
        assert_eq!(steps.asked().unwrap(), None);
        let request = Request {
            at: "2026-04-13T18:32:45Z".to_owned(),
            engine: Engine::Claude,
            size_bytes: 7,
            conversation_hash: "00ff".to_owned(),
            handoff_base: "none".to_owned(),
            ended: false,
        };
        steps.ask(&request).unwrap();
        assert_eq!(steps.asked().unwrap(), Some(request.clone()));
        let known = "asked_at=2026-04-13T18:32:45Z\nengine=claude\nsource_size_bytes=7\nconversation_hash=00ff\n\
            handoff_base=none\nended=false\n";
        assert_eq!(std::fs::read_to_string(home.path().join("1-a.task.asked")).unwrap(), known);
        steps.ended(&request).unwrap();
        assert!(steps.asked().unwrap().is_some_and(|request| request.ended));
        steps.forget();
        assert_eq!(steps.asked().unwrap(), None);
        std::fs::write(home.path().join("1-a.task.asked"), "asked_at=x\nengine=odd\n").unwrap();
        assert_eq!(steps.asked().unwrap(), None);
    }

    #[test]
    fn only_a_whole_record_of_the_session_counts() {
        let home = tempfile::tempdir().unwrap();
        let output = home.path().join("x.distilled");
        let steps = Steps::at(Some(&output), home.path()).unwrap();
        for (text, whole) in [
            ("{\"type\":\"distilled\",\"session_id\":\"a\"}\n", true),
            ("{\"type\":\"distilled\",\"session_id\":\"b\"}\n", false),
            ("{\"type\":\"session\",\"session_id\":\"a\"}\n", false),
            ("{\"type\":\"distilled\",\"session_id\":\"a\"", false),
        ] {
            std::fs::write(&output, text).unwrap();
            assert_eq!(steps.is_whole("a"), whole, "{text}");
        }
    }
}

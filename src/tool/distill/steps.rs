//! The files of one distillation: `X.distilled`, the record; `X.asked`, what was asked when; and
//! `X.answer`, the model's own output; `X.verify.asked` and `X.verify.answer` are the same of the second
//! reading. By hand, without an output file, they are thrown away.

use super::{Case, Distilled, LISTS};
use crate::base::config::{Engine, Loop};
use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Durable, Root, Target};
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::model::{self, NoAnswer, Question};
use crate::record::session::Session;
use crate::redact::Redactor;
use std::path::{Path, PathBuf};

/// What the answer of a second reading must have.
pub const VERDICT_LIST: &str = "verdicts";

/// Where the steps of one distillation are kept.
pub struct Steps {
    /// Where the record goes; without it the steps do not stay for a later run.
    pub output: Option<PathBuf>,
    stem: PathBuf,
    /// What the calls are for, as the ledger has it, and what an answer must have.
    purpose: &'static str,
    wanted: &'static str,
    /// Removed with all in it when the run by hand is over.
    _by_hand: Option<tempfile::TempDir>,
}

/// What an answer holds, and whether nothing had to be left out.
pub type ReadAnswer<T> = (T, bool);

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
        let (stem, folder) = if let Some(path) = &output {
            // Before a model is asked.
            Target::named(path)?;
            (path.with_extension(""), None)
        } else {
            let folder = file::scratch(Some(&Root::new(home).folder("queue/work")?), "by-hand-")?;
            (folder.path().join("x"), Some(folder))
        };
        Ok(Self { output, stem, purpose: "", wanted: LISTS, _by_hand: folder })
    }

    /// Whether the output exists, and is of this session.
    pub fn is_whole(&self, session_id: &str) -> bool {
        let text = self.output.as_ref().and_then(|path| file::read_text(path).ok().flatten());
        let record = text.and_then(|text| Record::parse(text.trim_end()).ok());
        record.is_some_and(|it| it.kind() == "distilled" && it.text("session_id").as_deref() == Some(session_id))
    }

    /// Stores the record, synced; without an output file it is given back.
    pub fn store(&self, record: &Record, redactor: &Redactor) -> Result<Distilled, Failure> {
        let record = redactor.masked_record(record);
        if let Some(output) = &self.output {
            file::replace(&Target::named(output)?, &record, Durable::Yes)?;
        }
        self.forget();
        Ok(if self.output.is_some() { Distilled::Stored } else { Distilled::Record(record) })
    }

    /// The steps of the second reading.
    pub fn verify(&self) -> Self {
        let stem = self.ending("verify");
        Self { output: None, stem, purpose: "verify", wanted: VERDICT_LIST, _by_hand: None }
    }

    /// Asks a model, and gives what `read` makes of its answer and whether that is whole; status 75 when that is nothing.
    /// What was asked and answered stays, unless the call failed.
    pub fn put<T>(
        &self,
        case: &Case,
        config: &Loop,
        asked: &Request,
        prompt: &Masked,
        read: impl Fn(&str) -> Option<ReadAnswer<T>>,
    ) -> Result<ReadAnswer<T>, NoAnswer> {
        let question = Question {
            engine: asked.engine,
            config,
            redactor: &case.redactor,
            home: &case.session.agent_home,
            session_id: &case.session.session_id,
            purpose: self.purpose,
            prompt,
            asked_at: &asked.at,
            answer: self.ending("answer"),
        };
        // What could not be read or booked stays: the next run books it, and uses the answer if it is whole.
        let reply = model::ask(&question, || {
            // An older answer would be taken for that of this question, a second reading of it is of no use.
            self.remove_all()?;
            self.write(asked)
        });
        if matches!(&reply, Err(NoAnswer::Failed(failure)) if failure.exit != Exit::Io) {
            self.forget();
        }
        let (answer, call) = reply?;
        // From here on the answer is one of a model that ended by itself, however much of it is sound.
        self.write(&Request { ended: true, ..asked.clone() })?;
        let Some(answer) = read(&answer) else {
            let what = format!("answer holds no JSON object with {}", self.wanted);
            call.book(&format!("the {what}"))?;
            self.forget();
            return Err(Failure::later(format!("the model's {what}")).into());
        };
        call.book("ok")?;
        Ok(answer)
    }

    /// What a killed run asked, and what `read` makes of the answer that it left, with whether that is whole; the call is
    /// booked. None, and nothing is left, when the answer is not there or was cut off.
    pub fn left<T>(
        &self,
        session: &Session,
        read: impl Fn(&str) -> Option<ReadAnswer<T>>,
    ) -> Result<Option<(Request, ReadAnswer<T>)>, NoAnswer> {
        let Some(asked) = self.asked()? else { return Ok(None) };
        let call = (session.session_id.as_str(), self.purpose);
        let raw = model::book_interrupted(session.home()?, &asked.at, asked.engine, call, &self.ending("answer"))?;
        // What a kill cut off is asked for again; what the model itself printed in part is all there is.
        let answer = model::text_of(asked.engine, &raw).ok().and_then(|answer| read(&answer));
        let answer = answer.filter(|(_, whole)| *whole || asked.ended);
        if answer.is_none() {
            self.forget();
        }
        Ok(answer.map(|answer| (asked, answer)))
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
        let value =
            |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('=').map(str::to_owned));
        let asked = || {
            Some(Request {
                at: value("asked_at")?,
                engine: Engine::from_word(&value("engine")?)?,
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
        let _ = self.remove_all();
    }

    fn remove_all(&self) -> Result<(), Failure> {
        let endings = ["asked", "answer", "verify.asked", "verify.answer"];
        endings.iter().try_for_each(|ending| file::remove_path(&self.ending(ending)))
    }

    fn ending(&self, ending: &str) -> PathBuf {
        let mut name = self.stem.clone().into_os_string();
        name.push(format!(".{ending}"));
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

//! A task file: `key=value` lines, one session to work on. Keys of the predecessor's format first;
//! lines that we do not know stay as they are. A path that is not UTF-8 or holds a control character
//! is lossy in `x` and exact in `x_base64`.

use crate::base::config::Engine;
use crate::base::record::Record;
use crate::base::word_enum::words;
use crate::base::{clock, record, text};
use jiff::Timestamp;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

words! {
    /// Where a task is on its way.
    Status {
        Due = "due",
        Waiting = "waiting",
        Failed = "failed",
        /// Its file is not a task.
        Damaged = "damaged",
    }
}

impl Status {
    /// The status in a `task` record; None when the record has none.
    pub fn read(record: &Record) -> Option<Self> {
        Self::from_word(&record.text("status")?)
    }

    /// Puts the status into a `task` record.
    pub fn put(self, record: &mut Record) {
        record.set("status", self.word());
    }
}

/// What a task file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// Where the agent ran.
    pub cwd: PathBuf,
    /// The transcript.
    pub transcript: PathBuf,
    /// The session's id.
    pub session_id: String,
    /// The project's memory folder.
    pub memory_dir: PathBuf,
    /// When the session was queued.
    pub queued_at: Option<Timestamp>,
    /// The hook's event.
    pub event: String,
    /// Starts so far.
    pub attempts: u32,
    /// Not to be started earlier.
    pub not_before: Option<Timestamp>,
    /// Why the last start failed.
    pub last_error: Option<String>,
    /// What distils it, whatever the configuration says: what its user agreed to.
    pub engine: Option<Engine>,
    /// Lines of keys that are not ours.
    pub others: Vec<String>,
}

impl Task {
    /// Reads a task file; the error is what is missing.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let lines = String::from_utf8_lossy(bytes);
        let mut task = Self::default();
        let mut exact: Vec<(&str, String)> = Vec::new();
        for line in lines.lines().map(|line| line.trim_end_matches('\r')).filter(|line| !line.trim().is_empty()) {
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            let some = || Some(value.to_owned());
            match key {
                "cwd" => task.cwd = PathBuf::from(value),
                "session_jsonl" => task.transcript = PathBuf::from(value),
                "session_id" => value.clone_into(&mut task.session_id),
                "memory_dir" => task.memory_dir = PathBuf::from(value),
                "timestamp" => task.queued_at = clock::parse(value),
                "event" => value.clone_into(&mut task.event),
                "attempts" => task.attempts = value.parse().unwrap_or_default(),
                "not_before" => task.not_before = clock::parse(value),
                "last_error" => task.last_error = some(),
                "engine" => task.engine = Engine::from_word(value),
                "cwd_base64" | "session_jsonl_base64" | "memory_dir_base64" => exact.push((key, value.to_owned())),
                _ => task.others.push(line.to_owned()),
            }
        }
        for (key, value) in exact {
            let Some(path) = record::path_from(None, Some(value)) else { continue };
            match key {
                "cwd_base64" => task.cwd = path,
                "session_jsonl_base64" => task.transcript = path,
                _ => task.memory_dir = path,
            }
        }
        if task.transcript.as_os_str().is_empty() {
            return Err("no 'session_jsonl' in it".to_owned());
        }
        if text::one_line(&task.session_id).is_empty() {
            task.session_id = crate::record::session::id_of(&task.transcript);
        }
        Ok(task)
    }

    /// A session's record with what its task adds.
    pub fn record(&self, mut record: Record, path: &Path) -> Record {
        record.set("type", "task");
        record.set_path("task", path);
        record.set_some("queued_at", self.queued_at.map(clock::local).as_ref());
        record.set("attempts", &self.attempts);
        record.set_some("not_before", self.not_before.map(clock::local).as_ref());
        record.set_some("last_error", self.last_error.as_ref());
        record.set_some("engine", self.engine.map(Engine::word).as_ref());
        record
    }

    /// The file's text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        put_path(&mut out, "cwd", &self.cwd);
        put_path(&mut out, "session_jsonl", &self.transcript);
        put(&mut out, "session_id", &self.session_id);
        put_path(&mut out, "memory_dir", &self.memory_dir);
        put(&mut out, "timestamp", &self.queued_at.map(clock::local).unwrap_or_default());
        put(&mut out, "event", &self.event);
        if self.attempts > 0 {
            put(&mut out, "attempts", &self.attempts.to_string());
        }
        if let Some(time) = self.not_before {
            put(&mut out, "not_before", &clock::local(time));
        }
        if let Some(error) = &self.last_error {
            put(&mut out, "last_error", error);
        }
        if let Some(engine) = self.engine {
            put(&mut out, "engine", engine.word());
        }
        for line in &self.others {
            let _ = writeln!(out, "{line}");
        }
        out
    }
}

/// The engine that a `task` record asks for; none when it leaves that to the configuration.
pub fn engine_of(record: &Record) -> Option<Engine> {
    record.text("engine").and_then(|word| Engine::from_word(&word)).filter(|_| record.kind() == "task")
}

/// The same task, to be distilled without a model.
pub fn without_model(record: &Record) -> Record {
    let mut record = record.clone();
    record.set("engine", Engine::Extract.word());
    record
}

/// The record of a file that is not a task, and why.
pub fn damaged(path: &Path, why: &str) -> Record {
    let mut record = Record::new("task");
    record.set_path("task", path);
    Status::Damaged.put(&mut record);
    record.set("last_error", why);
    record
}

fn put(out: &mut String, key: &str, value: &str) {
    let _ = writeln!(out, "{key}={}", text::one_line(value));
}

fn put_path(out: &mut String, key: &str, path: &Path) {
    put(out, key, &path.to_string_lossy());
    if let Some(exact) = record::exact_path(path) {
        put(out, &format!("{key}_base64"), &exact);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn each_status_has_one_spelling() {
        assert_eq!(Status::ALL.map(Status::word), ["due", "waiting", "failed", "damaged"]);
        let mut record = Record::new("task");
        assert_eq!(Status::read(&record), None);
        Status::Waiting.put(&mut record);
        assert_eq!(Status::read(&record), Some(Status::Waiting));
    }

    #[test]
    fn every_field_comes_back() {
        let odd = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
        let task = Task {
            cwd: odd(b"/u/\xff\n=x"),
            transcript: odd(b"/u/a\tb.jsonl"),
            session_id: "s".to_owned(),
            memory_dir: odd(b"/u/x\r"),
            queued_at: clock::parse("2026-04-13T21:32:45Z"),
            event: "Stop".to_owned(),
            attempts: 3,
            not_before: clock::parse("2026-04-13T22:00:00Z"),
            last_error: Some("status 75".to_owned()),
            engine: Some(Engine::Extract),
            others: vec!["x=y".to_owned(), "x_base64=eA==".to_owned()],
        };
        assert_eq!(Task::parse(task.text().as_bytes()).unwrap(), task);
    }
}

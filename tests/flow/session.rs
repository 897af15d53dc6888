//! A session to put into a home: a transcript that grows.

use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Sessions are about two of these each: no two sessions share a word, so no two share a fact.
const WORDS: &str = "walrus lantern otter compass badger anvil heron kettle lynx saddle ferret trumpet osprey wagon \
    beaver pulley condor goblet weasel hammock marten violin gibbon sextant puffin ladle tapir bobbin iguana quiver \
    jackal turbine koala zither lemur vessel mantis wrench narwhal yacht ocelot abacus panther bellows quail cradle \
    raven dynamo salmon easel toucan funnel urchin gasket vulture helmet wombat inkwell yak jigsaw zebra kayak alpaca \
    locket bison mallet cobra needle dingo oboe egret piston falcon quilt gecko rudder hyena spindle impala thimble \
    kestrel umbrella llama vase magpie windmill newt xylophone ostrich yoke pelican zipper rhino almanac shrew barrel \
    tortoise candle viper dagger warthog emblem";

/// One session and the numbers of the subjects that it is about.
pub struct Session {
    pub id: String,
    pub project: String,
    pub transcript: PathBuf,
    pub subjects: Vec<usize>,
    pub cwd: PathBuf,
}

/// The words of a subject.
pub fn words(subject: usize) -> (String, String) {
    let mut words = WORDS.split_whitespace().skip(subject * 2).map(str::to_owned);
    (words.next().unwrap(), words.next().unwrap())
}

impl Session {
    /// A session in which nothing was said yet.
    pub fn new(agent: &Path, cwd: &Path, id: &str) -> Self {
        let slug = cwd.to_str().unwrap().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let transcript = agent.join("projects").join(slug).join(format!("{id}.jsonl"));
        fs::create_dir_all(cwd).unwrap();
        fs::create_dir_all(transcript.parent().unwrap()).unwrap();
        let project = cwd.file_name().unwrap().to_str().unwrap().to_owned();
        let session = Self { id: id.to_owned(), project, transcript, subjects: Vec::new(), cwd: cwd.to_path_buf() };
        session.append(&json!({"type": "permission-mode", "permissionMode": "default"}));
        session
    }

    /// What the client gives a hook.
    pub fn payload(&self, hook: &str) -> Vec<u8> {
        let event = if hook == "lh-hook-stop" { "Stop" } else { "SessionEnd" };
        let (id, transcript, cwd) = (&self.id, &self.transcript, &self.cwd);
        json!({"session_id": id, "transcript_path": transcript, "cwd": cwd, "hook_event_name": event})
            .to_string()
            .into()
    }

    /// A file of the project's memory.
    pub fn memory(&self, name: &str) -> PathBuf {
        self.transcript.parent().unwrap().join("memory").join(name)
    }

    /// The lines of a journal of the project, whole and each an object.
    pub fn journal(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.memory(name)).unwrap_or_default();
        assert!(text.is_empty() || text.ends_with('\n'), "{name} is torn: {text}");
        text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{name}: {line}"))).collect()
    }

    /// The session and the items of the project's handoff.
    pub fn handoff(&self) -> Option<(String, Vec<String>)> {
        let text = fs::read_to_string(self.memory("handoff.md")).ok()?;
        let owner = text.lines().find_map(|line| line.strip_prefix("session_id: "))?.to_owned();
        Some((owner, text.lines().filter_map(|line| line.strip_prefix("- ")).map(str::to_owned).collect()))
    }

    pub fn append(&self, record: &Value) {
        let mut file = File::options().append(true).create(true).open(&self.transcript).unwrap();
        file.write_all(format!("{record}\n").as_bytes()).unwrap();
    }

    /// Appends what was said, the user first, then in turns.
    pub fn say(&self, texts: &[&str]) {
        for (turn, text) in texts.iter().enumerate() {
            let at = fs::read_to_string(&self.transcript).unwrap().lines().count();
            let role = ["user", "assistant"][turn % 2];
            let uuid = |at: usize| format!("{}-{at}", self.id);
            self.append(&json!({
                "parentUuid": uuid(at - 1), "isSidechain": false, "type": role,
                "message": {"id": format!("msg_{at}"), "role": role, "content": [{"type": "text", "text": text}]},
                "uuid": uuid(at), "timestamp": "2026-04-13T10:00:00.000Z", "entrypoint": "cli", "cwd": self.cwd,
                "sessionId": self.id, "version": "2.1.330",
            }));
        }
    }

    /// A conversation about a subject, with more quotes than the model takes at a time.
    pub fn discuss(&mut self, subject: usize) {
        let (a, b) = words(subject);
        self.subjects.push(subject);
        self.say(&[
            &format!("subject {a} {b}: every run of the {a} takes minutes, where should we keep what it finds?"),
            &format!("The {a} results could stand beside the {b}, in a bucket, or nowhere at all."),
            &format!("ok, keep the {a} results beside the {b}, that is simple enough for all of us"),
            &format!(
                "Done. The {a} import crashed on a stale {b} lock; the {a} is flushed before the {b} rotates now, \
                 for else lines are lost."
            ),
            &format!("good, what is left is the {a} migration, and the team has to review the {b}"),
            &format!("Noted: the {a} migration is open, and the review of the {b} too."),
        ]);
    }

    /// Sets the transcript's time: so many minutes after 2026-04-13T10:00:00Z.
    pub fn touch(&self, minute: usize) {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_776_074_400 + 60 * u64::try_from(minute).unwrap());
        File::options().append(true).open(&self.transcript).unwrap().set_modified(time).unwrap();
    }

    pub fn modified(&self) -> SystemTime {
        self.transcript.metadata().unwrap().modified().unwrap()
    }
}

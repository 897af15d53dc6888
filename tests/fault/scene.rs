//! What goes on when a fault strikes: a home, the sessions in it, the step that is disturbed, and what
//! is run after it until nothing is left to do.

use super::point;
use crate::flow::home::{Home, silent};
use crate::flow::session::Session;
use serde_json::{Value, json};
use std::fmt;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

/// When what is kept is old enough to be archived.
const A_YEAR_LATER: &str = "2027-04-13T12:30:00Z";

/// The step that is disturbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A session is queued.
    Enqueue,
    /// A session that waits already, and grew, is queued again.
    Requeue,
    /// A record with items of every kind, doubtful ones too, is persisted.
    Persist,
    /// A record that says that nothing is open is persisted.
    Clear,
    /// A session is exported.
    Export,
    /// A session that was exported, and grew, is exported again.
    Reexport,
    /// A session is summarised before its compaction.
    Summarize,
    /// The worker distils a session.
    Work,
    /// The same, and the items are read a second time.
    Verify,
    /// The worker meets a session that is too short.
    Refused,
    /// The worker's model fails.
    Failing,
    /// The worker's model answers with no lists.
    Garbled,
    /// The same at the last attempt.
    LastTry,
    /// What was given up is put back.
    Retry,
    /// A plan for typed memories is applied.
    Dream,
    /// The same is taken back.
    Undream,
    /// A user runs the tool with these arguments in the project's folder, after the calls before it.
    Run { before: &'static [&'static str], args: &'static str },
}

/// A step, the tool that the fault strikes, and whether the home has a past: an earlier session of the
/// project that was distilled and exported.
#[derive(Clone, Copy, Debug)]
pub struct Story {
    pub tool: &'static str,
    pub step: Step,
    pub past: bool,
}

const fn story(tool: &'static str, step: Step, past: bool) -> Story {
    Story { tool, step, past }
}

/// A user's call in a home with a past.
const fn run(tool: &'static str, before: &'static [&'static str], args: &'static str) -> Story {
    Story { tool, step: Step::Run { before, args }, past: true }
}

/// All that is disturbed. lh-worker itself touches no disk: it starts lh-dequeue.
pub const STORIES: &[Story] = &[
    story("lh-enqueue", Step::Enqueue, false),
    story("lh-enqueue", Step::Enqueue, true),
    story("lh-enqueue", Step::Requeue, true),
    story("lh-persist", Step::Persist, false),
    story("lh-persist", Step::Persist, true),
    story("lh-persist", Step::Clear, true),
    story("lh-persist", Step::Work, false),
    story("lh-persist", Step::Work, true),
    story("lh-persist", Step::Refused, false),
    story("lh-export", Step::Export, false),
    story("lh-export", Step::Export, true),
    story("lh-export", Step::Reexport, true),
    story("lh-summarize", Step::Summarize, false),
    story("lh-summarize", Step::Summarize, true),
    story("lh-dequeue", Step::Work, false),
    story("lh-dequeue", Step::Work, true),
    story("lh-dequeue", Step::Refused, false),
    story("lh-dequeue", Step::Failing, false),
    story("lh-dequeue", Step::LastTry, true),
    story("lh-dequeue", Step::Retry, true),
    story("lh-task", Step::Work, true),
    story("lh-task", Step::Refused, false),
    story("lh-gate", Step::Work, true),
    story("lh-distill", Step::Work, false),
    story("lh-distill", Step::Work, true),
    story("lh-distill", Step::Verify, false),
    story("lh-distill", Step::Failing, false),
    story("lh-distill", Step::Garbled, false),
    story("lh-summarize", Step::Refused, false),
    story("lh-dream", Step::Dream, false),
    story("lh-dream", Step::Undream, false),
    run("lh-done", &[], "Write"),
    run("lh-done", &["lh-done Write"], "--undo"),
    run("lh-forget", &[], "DECISION"),
    run("lh-forget", &["lh-forget DECISION"], "--undo"),
    run("lh-brief", &[], ""),
    run("lh-brief", &["lh-brief", "lh-done Write", "lh-brief"], "--rollback"),
    run("lh-prune", &[], ""),
    run("lh-prune", &["lh-prune"], "--restore RUN"),
    run("lh-episode", &[], ""),
    run("lh-import", &[], "--from basic-memory --write KNOWLEDGE"),
    run("lh-index", &[], ""),
    run("lh-setup", &[], "--yes"),
    run("lh-setup", &["lh-setup --yes"], "--uninstall"),
    run("lh-backfill", &[], "--distill --engine extract --yes"),
    run("lh-review", &[], "--merge LEARNING-1 LEARNING-2"),
    run("lh-review", &[], "--write"),
    run("lh-redact", &[], "--check KNOWLEDGE --fix"),
    run("lh-context", &[], ""),
    run("lh-select", &["lh-persist --remember lynx of the zoo"], "--hook"),
];

impl fmt::Display for Story {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let past = if self.past { "a home with a past" } else { "a new home" };
        write!(out, "{} ({:?}, {past})", self.tool, self.step)
    }
}

/// A home just before the step.
pub struct Scene {
    pub home: Home,
    pub sessions: Vec<Session>,
    story: Story,
    input: Vec<u8>,
    /// What a user's call is given.
    args: Vec<String>,
}

impl Scene {
    pub fn new(story: Story) -> Self {
        let config = match story.step {
            Step::LastTry | Step::Retry => "max_attempts = 1\n",
            Step::Verify => "verify = \"model\"\n",
            _ if story.tool == "lh-select" => "[memory]\nselect = \"rank\"\n",
            _ => "",
        };
        let mut scene =
            Self { home: Home::new(config), sessions: Vec::new(), story, input: Vec::new(), args: Vec::new() };
        if story.tool == "lh-setup" {
            // It wants the hooks beside the tools.
            let bin = scene.home.path("bin");
            std::fs::create_dir(&bin).unwrap();
            for name in crate::home::tools() {
                symlink(crate::home::binary(&name), bin.join(name)).unwrap();
            }
            point::link_scripts(&bin);
            scene.home.set("LH_BIN", bin);
        }
        if story.past {
            let session = scene.home.about("app", 0);
            let record = scene.record(&session);
            for tool in ["lh-enqueue", "lh-export"] {
                scene.done(tool, &[], &record);
            }
            scene.home.work("2026-04-13T12:00:00Z");
            scene.sessions.push(session);
        }
        if story.step == Step::Reexport {
            let grown = scene.sessions.first_mut().unwrap();
            grown.discuss(2);
            grown.touch(2);
        } else {
            let session = scene.coming();
            scene.sessions.push(session);
        }
        scene.home.set("LH_NOW", "2026-04-13T12:10:00Z");
        scene.get_ready();
        let later = if story.tool == "lh-prune" { A_YEAR_LATER } else { "2026-04-13T12:30:00Z" };
        scene.home.set("LH_NOW", later);
        scene
    }

    /// The session that the step is about.
    fn coming(&self) -> Session {
        if self.story.step != Step::Refused {
            return self.home.about("app", 1);
        }
        let session = self.home.session("app", "deadbeef-0000-4000-8000-000000000000");
        session.say(&["where were we?", "At the beginning."]);
        session.touch(1);
        session
    }

    fn get_ready(&mut self) {
        let session = self.sessions.last().unwrap();
        let mut record = self.record(session);
        match self.story.step {
            Step::Enqueue | Step::Export | Step::Reexport | Step::Summarize => {}
            Step::Persist => record = self.distilled(&record, false),
            Step::Clear => record = self.distilled(&record, true),
            Step::Work | Step::Verify | Step::Refused | Step::Failing | Step::Garbled | Step::LastTry | Step::Retry => {
                self.done("lh-enqueue", &[], &record);
            }
            Step::Requeue => {
                self.done("lh-enqueue", &[], &record);
                let grown = self.sessions.last_mut().unwrap();
                grown.discuss(2);
                grown.touch(3);
                record = self.record(self.sessions.last().unwrap());
            }
            Step::Dream | Step::Undream => self.remember(),
            Step::Run { before, args } => {
                // These two make what a worker would have made.
                if !matches!(self.story.tool, "lh-episode" | "lh-backfill") {
                    self.done("lh-enqueue", &[], &record);
                    self.home.work("2026-04-13T12:20:00Z");
                }
                match self.story.tool {
                    "lh-prune" => self.home.set("LH_NOW", A_YEAR_LATER),
                    // Pages as they were before a form of secrets was known.
                    "lh-redact" => self.tell_a_secret(),
                    // No page is pointed at, so a start looks for the last one.
                    "lh-context" => {
                        std::fs::remove_file(self.sessions.last().unwrap().memory(".state/export.json")).unwrap();
                    }
                    _ => {}
                }
                for call in before {
                    let (tool, args) = call.split_once(' ').unwrap_or((call, ""));
                    let args = self.resolved(args);
                    let output = self.run_in_project(tool, &args);
                    assert!(output.status.success(), "{call}: {output:?}");
                }
                self.args = self.resolved(args);
            }
        }
        if self.story.step == Step::Retry {
            self.home.set("FAKE_FAIL", "1");
            self.home.work("2026-04-13T12:20:00Z");
            self.home.unset("FAKE_FAIL");
            assert_eq!(self.home.tasks("failed").len(), 1);
        }
        self.input = record;
    }

    /// Puts a secret at the end of each page of a session.
    fn tell_a_secret(&self) {
        let secret = ["ghp_", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"].concat();
        for page in super::state::kept(&self.home).iter().filter(|path| path.to_str().unwrap().contains("/sessions/")) {
            let text = std::fs::read_to_string(page).unwrap();
            std::fs::write(page, format!("{text}\n{secret}\n")).unwrap();
        }
    }

    /// Typed memories of the project that is the home itself, and a plan for them; it is applied where it is to be taken
    /// back.
    fn remember(&self) {
        let slug = self
            .home
            .path("")
            .to_str()
            .unwrap()
            .trim_end_matches('/')
            .replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let folder = self.home.agent("projects").join(slug).join("memory");
        std::fs::create_dir_all(&folder).unwrap();
        let mut index = String::new();
        for (name, said, more) in [
            ("tabs", "I prefer tabs for indentation", ""),
            ("tabs-again", "I prefer tabs for indentation", ""),
            ("deploy", "Deploys go out on Thursday from the release branch", " Ana signs them off."),
            ("deploy-day", "Deploys go out on Thursday from the release branch", " It freezes."),
        ]
        .into_iter()
        .chain((0..12).map(|n| (["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"][n], "It is so", "")))
        {
            let page = format!("---\nname: {name}\ndescription: {said}\ntype: project\n---\n\n{said}.{more}\n");
            std::fs::write(folder.join(format!("{name}.md")), page).unwrap();
            index = format!("{index}- [{name}]({name}.md) — {said}\n");
        }
        std::fs::write(folder.join("MEMORY.md"), index).unwrap();
        assert_eq!(self.run("lh-dream", &["--force"], b"").status.code(), Some(0));
        if self.story.step == Step::Undream {
            assert_eq!(self.run("lh-dream", &["--apply"], b"").status.code(), Some(0));
        }
    }

    /// The disturbed step; `bin` holds the tools, one of which may be bewitched.
    pub fn step(&mut self, bin: PathBuf) -> Output {
        let own = self.home.env()["LH_BIN"].clone();
        self.home.set("LH_BIN", bin);
        match self.story.step {
            Step::Failing | Step::LastTry => self.home.set("FAKE_FAIL", "1"),
            Step::Garbled => self.home.set("FAKE_GARBLED", "1"),
            _ => {}
        }
        let output = match self.story.step {
            Step::Enqueue | Step::Requeue => self.run("lh-enqueue", &[], &self.input),
            Step::Persist | Step::Clear => self.run("lh-persist", &[], &self.input),
            Step::Export | Step::Reexport => self.run("lh-export", &[], &self.input),
            Step::Summarize => self.run("lh-summarize", &[], &self.input),
            Step::Retry => self.run("lh-dequeue", &["--retry", "--all-failed"], b""),
            Step::Dream => self.run("lh-dream", &["--apply"], b""),
            Step::Undream => self.run("lh-dream", &["--undo"], b""),
            Step::Run { .. } => self.run_in_project(self.story.tool, &self.args),
            Step::Work | Step::Verify | Step::Refused | Step::Failing | Step::Garbled | Step::LastTry => {
                self.home.worker().stdout(Stdio::null()).output().unwrap()
            }
        };
        self.home.unset("FAKE_FAIL");
        self.home.unset("FAKE_GARBLED");
        self.home.set("LH_BIN", own);
        output
    }

    /// Runs what a user, a hook or the next session would run, until nothing is left to do.
    pub fn finish(&mut self) {
        // What a killed process started may not have ended yet.
        self.home.idle();
        // A receipt has the name of its second; what is done already is 1, and 65.
        if matches!(self.story.step, Step::Dream | Step::Undream) {
            let wish = if self.story.step == Step::Dream { "--apply" } else { "--undo" };
            let output = self.run("lh-dream", &[wish], b"");
            assert!(matches!(output.status.code(), Some(0 | 1 | 65)), "{output:?}");
            return;
        }
        if let Step::Run { .. } = self.story.step {
            let output = self.run_in_project(self.story.tool, &self.args);
            // What is done or taken back already is 0, 1 or 65.
            assert!(matches!(output.status.code(), Some(0 | 1 | 65)), "{output:?}");
            return;
        }
        self.home.set("LH_NOW", "2026-04-13T13:00:00Z");
        match self.story.step {
            Step::Enqueue | Step::Requeue => self.done("lh-enqueue", &[], &self.input),
            Step::Persist | Step::Clear => return self.done("lh-persist", &[], &self.input),
            Step::Export | Step::Reexport => return self.done("lh-export", &[], &self.input),
            Step::Summarize => return self.done("lh-summarize", &[], &self.input),
            _ => {}
        }
        self.drain("2026-04-13");
        if matches!(self.story.step, Step::LastTry | Step::Retry) {
            // 1: there is none any more.
            let output = self.run("lh-dequeue", &["--retry", "--all-failed"], b"");
            assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
            self.drain("2026-04-14");
        }
    }

    fn drain(&mut self, day: &str) {
        for hour in 14..24 {
            self.home.work(&format!("{day}T{hour}:00:00Z"));
            if self.home.tasks("").is_empty() {
                return;
            }
        }
    }

    /// Whether everything that was said must be in the memory at the end.
    pub fn is_distilled(&self) -> bool {
        use Step::{Clear, Dream, Export, Persist, Reexport, Refused, Run, Summarize, Undream};
        !matches!(
            self.story.step,
            Persist | Clear | Export | Reexport | Refused | Summarize | Dream | Undream | Run { .. }
        )
    }

    /// The `distilled` record of a session: with items of every kind, or with nothing that is open.
    fn distilled(&self, record: &[u8], closing: bool) -> Vec<u8> {
        let mut record: Value = serde_json::from_slice(record).unwrap();
        let memory = self.sessions.last().unwrap().memory("");
        let item = |name: &str, text: &str, grounded: bool| {
            let evidence =
                if grounded { json!([{"quote": format!("{text}, they said"), "line": 3}]) } else { json!([]) };
            json!({name: text, "learning": "Else it breaks.", "description": text, "body": text, "memory_type": "user",
                "tags": ["a"], "evidence": evidence, "grounded": grounded})
        };
        record["type"] = json!("distilled");
        record["engine"] = json!("claude");
        record["ts"] = json!("2026-04-13T10:00:00+00:00");
        record["handoff_base"] = json!("none");
        record["handoff"] =
            json!([item("summary", "Ship the lantern", true), item("summary", "Paint the otter", false)]);
        if closing {
            record["handoff_base"] = json!(lh::store::handoff::read(&memory).unwrap().base);
            record["handoff"] = json!([]);
            return record.to_string().into_bytes();
        }
        record["decisions"] = json!([
            item("summary", "Keep the compass", true),
            item("summary", "Sell the badger", true),
            item("summary", "Rent an anvil", false)
        ]);
        record["failures"] = json!([item("summary", "The heron broke the kettle", true)]);
        record["memories"] = json!([item("name", "lynx", true)]);
        record["learnings"] = json!([
            item("title", "Saddle the ferret first", true),
            item("title", "Tune each trumpet", true),
            item("title", "Ospreys lie", false)
        ]);
        record.to_string().into_bytes()
    }

    fn record(&self, session: &Session) -> Vec<u8> {
        self.home.tool("lh-find-session", &[session.transcript.to_str().unwrap()]).stdout
    }

    fn done(&self, tool: &str, args: &[&str], input: &[u8]) {
        let output = self.run(tool, args, input);
        silent(&Output { stdout: Vec::new(), ..output });
    }

    /// Arguments with the id of the first decision for `DECISION`, and what lh-prune gives back first for `RUN`.
    fn resolved(&self, args: &str) -> Vec<String> {
        let first = |lines: &[u8], key: &str| {
            let line = lines.split(|byte| *byte == b'\n').next().unwrap();
            serde_json::from_slice::<Value>(line).unwrap()[key].as_str().unwrap().to_owned()
        };
        let word = |word: &str| match word {
            "DECISION" => {
                let journal = self.sessions.last().unwrap().memory("decisions.jsonl");
                first(&std::fs::read(journal).unwrap(), "id")
            }
            "RUN" => first(&self.run_in_project("lh-prune", &["--restore".to_owned()]).stdout, "run"),
            "KNOWLEDGE" => self.home.path("Documents").to_str().unwrap().to_owned(),
            "LEARNING-1" | "LEARNING-2" => {
                let folder = self.home.path("Documents/lazy-harness-knowledge/learnings");
                let all = lh::store::learnings::newest(&folder).unwrap();
                all[usize::from(word.ends_with('2'))].item.id.clone()
            }
            word => word.to_owned(),
        };
        args.split_whitespace().map(word).collect()
    }

    /// Runs a tool in the project's folder.
    fn run_in_project(&self, tool: &str, args: &[String]) -> Output {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let session = self.sessions.last().unwrap();
        let input = match tool {
            "lh-episode" => self.input.clone(),
            "lh-context" => {
                json!({"cwd": session.cwd, "session_id": "00000000-0000-4000-8000-00000000000f", "source": "startup"})
                    .to_string()
                    .into_bytes()
            }
            "lh-select" => json!({"cwd": session.cwd, "session_id": "now", "prompt": "the lynx of the zoo"})
                .to_string()
                .into_bytes(),
            _ => Vec::new(),
        };
        self.run_in(&session.cwd, tool, &args, &input)
    }

    fn run(&self, tool: &str, args: &[&str], input: &[u8]) -> Output {
        self.run_in(&self.home.path(""), tool, args, input)
    }

    fn run_in(&self, folder: &Path, tool: &str, args: &[&str], input: &[u8]) -> Output {
        let mut command = self.home.command(PathBuf::from(&self.home.env()["LH_BIN"]).join(tool));
        command.current_dir(folder).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // Whoever is killed first reads nothing.
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap()
    }
}

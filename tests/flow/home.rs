//! A home for one flow: hooks and the worker run in it, and what must hold of it whenever the queue is
//! empty stands in [`Home::holds`].

use super::session::{Session, words};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Home {
    _folder: tempfile::TempDir,
    agent: PathBuf,
    env: BTreeMap<&'static str, OsString>,
}

/// A task or a state: `key=value` lines.
type Fields = BTreeMap<String, String>;

pub fn fields(path: &Path) -> Fields {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub fn files(folder: &Path) -> Vec<PathBuf> {
    let below = |path: PathBuf| if path.is_dir() && !path.is_symlink() { files(&path) } else { vec![path] };
    names(folder).iter().flat_map(|name| below(folder.join(name))).collect()
}

fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

impl Home {
    /// A home with the loop on, and `config` besides in its section. It is 2026-04-13, noon.
    pub fn new(config: &str) -> Self {
        let folder = crate::home::folder();
        let root = folder.path().canonicalize().unwrap();
        for name in ["quiet", "model", "tmp", "run", ".config/lazy-harness"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        // The tools, but a worker that does nothing: for hooks that are only to queue.
        let bin = crate::home::binary("lh-gate").parent().unwrap().to_path_buf();
        for name in crate::home::tools() {
            symlink(bin.join(&name), root.join("quiet").join(&name)).unwrap();
        }
        symlink("/bin/true", root.join("quiet/lh-worker")).unwrap();
        symlink(source("tests/flow/claude"), root.join("model/claude")).unwrap();
        let mut home = Self { _folder: folder, agent: root.join(".claude"), env: BTreeMap::new() };
        home.set("HOME", &root);
        home.set("XDG_CONFIG_HOME", root.join(".config"));
        home.set("XDG_DATA_HOME", root.join(".local/share"));
        home.set("XDG_STATE_HOME", root.join(".local/state"));
        home.set("XDG_CACHE_HOME", root.join(".cache"));
        home.set("XDG_RUNTIME_DIR", root.join("run"));
        home.set("TMPDIR", root.join("tmp"));
        home.set("FAKE_CALLS", root.join("calls"));
        home.set("PATH", format!("{}:/usr/bin:/bin", root.join("model").display()));
        home.set("LH_BIN", bin);
        home.set("TZ", "UTC");
        home.set("LH_NOW", "2026-04-13T12:00:00Z");
        home.config(&format!("[compound_loop]\nenabled = true\nmin_messages = 4\nmin_user_chars = 100\n{config}"));
        home
    }

    /// The agent's home is another folder than `~/.claude`.
    pub fn moved(mut self) -> Self {
        self.agent = self.path("agents/one");
        self.set("CLAUDE_CONFIG_DIR", self.agent.clone());
        self
    }

    pub fn set(&mut self, name: &'static str, value: impl Into<OsString>) {
        self.env.insert(name, value.into());
    }

    pub fn unset(&mut self, name: &'static str) {
        self.env.remove(name);
    }

    pub fn config(&self, text: &str) {
        fs::write(self.path(".config/lazy-harness/config.toml"), text).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        Path::new(&self.env["HOME"]).join(name)
    }

    pub fn agent(&self, name: &str) -> PathBuf {
        self.agent.join(name)
    }

    /// A session of a project in which nothing was said yet.
    pub fn session(&self, project: &str, id: &str) -> Session {
        Session::new(&self.agent, &self.path("src").join(project), id)
    }

    /// A session about a subject, written to in the minute of that number. What is queued in one second
    /// goes by the ids, and these go in another order than the minutes (0 before 1 all the same).
    pub fn about(&self, project: &str, subject: usize) -> Session {
        let id = format!("{:08x}-0000-4000-8000-000000000000", 0x1234_5678 + subject * 37 % 64);
        let mut session = self.session(project, &id);
        session.discuss(subject);
        session.touch(subject);
        session
    }

    /// The variables of everything that runs in this home.
    pub fn env(&self) -> &BTreeMap<&'static str, OsString> {
        &self.env
    }

    pub fn command(&self, program: PathBuf) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(&self.env).current_dir(self.path("")).stdin(Stdio::null());
        command
    }

    /// Fires a hook of ours without waiting for it.
    pub fn fire(&self, hook: &str, payload: &[u8]) -> Child {
        let mut command = self.command(source("scripts").join(hook));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A hook that does not read its payload is its own affair.
        let _ = child.stdin.take().unwrap().write_all(payload);
        child
    }

    /// Fires a hook, which ends with 0 and says nothing whatever happens.
    pub fn hook(&self, hook: &str, payload: &[u8]) {
        silent(&self.fire(hook, payload).wait_with_output().unwrap());
    }

    /// Fires a hook that only queues: the test runs the worker itself.
    pub fn queue_by(&mut self, hook: &str, session: &Session) {
        let bin = self.env.insert("LH_BIN", self.path("quiet").into()).unwrap();
        self.hook(hook, &session.payload(hook));
        self.idle();
        self.set("LH_BIN", bin);
    }

    pub fn queue(&mut self, session: &Session) {
        self.queue_by("lh-hook-session-end", session);
    }

    pub fn worker(&self) -> Command {
        self.command(source("scripts/lh-worker"))
    }

    /// Runs the worker at a time until nothing is due.
    pub fn work(&mut self, now: &str) {
        self.set("LH_NOW", now);
        silent(&self.worker().output().unwrap());
    }

    pub fn tool(&self, name: &str, args: &[&str]) -> Output {
        self.command(crate::home::binary(name)).args(args).output().unwrap()
    }

    /// Pid, group and words of the live processes that were started in this home; elsewhere than on
    /// Linux none is seen.
    pub fn processes(&self) -> Vec<(i32, i32, String)> {
        let mark = format!("HOME={}", self.env["HOME"].display());
        let read = |pid: i32| {
            let environ = environ_of(pid)?;
            environ.split(|byte| *byte == 0).find(|entry| *entry == mark.as_bytes())?;
            let words = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            let group = stat_of(pid)?.get(2)?.parse().ok()?;
            Some((pid, group, String::from_utf8_lossy(&words).replace('\0', " ")))
        };
        names(Path::new("/proc")).iter().filter_map(|name| name.parse().ok()).filter_map(read).collect()
    }

    /// Waits until nothing that a hook started runs any more.
    pub fn idle(&self) {
        until("detached processes end", || self.runs_none(""));
    }

    /// Whether no process runs whose words hold these. One look is not enough: a process that ends after it
    /// was listed can have started one that was not.
    pub fn runs_none(&self, word: &str) -> bool {
        (0..5).all(|_| self.processes().iter().all(|(_, _, words)| !words.contains(word)))
    }

    /// The model's calls, a line each.
    pub fn calls(&self) -> Vec<String> {
        self.said("called pid=")
    }

    /// What the calls of which an answer was out were about.
    pub fn answered(&self) -> Vec<String> {
        self.said("answered ")
    }

    fn said(&self, what: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path("calls")).unwrap_or_default();
        text.lines().filter_map(|line| line.strip_prefix(what)).map(str::to_owned).collect()
    }

    /// The tasks in a folder of the queue; "" has the pending ones.
    pub fn tasks(&self, folder: &str) -> Vec<Fields> {
        let folder = self.agent("queue").join(folder);
        names(&folder)
            .iter()
            .filter_map(|name| name.strip_suffix(".task"))
            .map(|name| fields(&folder.join(format!("{name}.task"))))
            .collect()
    }

    pub fn log(&self) -> String {
        let read = |name| fs::read_to_string(self.agent("logs").join(name)).unwrap_or_default();
        format!("\n{}{}", read("hooks.log"), read("compound-loop.log"))
    }

    /// What holds when the queue is empty: each session is in done/, everything that it gave is in the
    /// memory once and nothing else is, the handoff is the newest session's, no line is torn, and
    /// nothing lies about.
    pub fn holds(&self, sessions: &[Session], of: &str) {
        let of = &format!("{of}{}", self.log());
        assert_eq!(self.tasks("").len() + self.tasks("failed").len(), 0, "{of}");
        let litter: Vec<PathBuf> = files(&self.path("")).into_iter().filter(|path| is_litter(path)).collect();
        assert_eq!(litter, [] as [PathBuf; 0], "{of}");
        let mut done: Vec<String> = self.tasks("done").iter().map(|task| task["session_id"].clone()).collect();
        let mut wanted: Vec<String> = sessions.iter().map(|session| session.id.clone()).collect();
        done.sort();
        done.dedup();
        wanted.sort();
        assert_eq!(done, wanted, "{of}");
        for session in sessions {
            assert_eq!(fields(&self.agent("queue/state").join(&session.id))["outcome"], "done", "{of}");
            let project = || sessions.iter().filter(|other| other.project == session.project);
            let subjects: Vec<usize> = project().flat_map(|other| other.subjects.clone()).collect();
            for name in ["decisions.jsonl", "failures.jsonl"] {
                let lines = session.journal(name);
                once_each(&lines.iter().map(|line| line["summary"].to_string()).collect::<Vec<_>>(), &subjects, of);
            }
            assert_eq!(session.journal("quarantine.jsonl"), [] as [Value; 0], "{of}");
            let newest = project().max_by_key(|other| other.modified()).unwrap();
            let (owner, items) = session.handoff().unwrap_or_else(|| panic!("no handoff: {of}"));
            // Behind the newest session's items are those of older ones that came later.
            assert!(owner == newest.id && items.len() >= 2 && items.len() <= 2 * project().count(), "{items:?}: {of}");
            once_each(&items[..1], &newest.subjects[newest.subjects.len() - 1..], of);
        }
        let pages = files(&self.path("Documents/lazy-harness-knowledge/learnings"));
        let titles = pages.iter().map(|path| fs::read_to_string(path).unwrap().lines().nth(1).unwrap().to_owned());
        let subjects: Vec<usize> = sessions.iter().flat_map(|session| session.subjects.clone()).collect();
        once_each(&titles.collect::<Vec<_>>(), &subjects, of);
        let ledger = fs::read_to_string(self.agent("logs/llm.jsonl")).unwrap();
        assert!(ledger.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{ledger}: {of}");
    }

    /// Every file there is but logs, as far as the names do not depend on the home and the wording.
    pub fn shape(&self) -> Vec<String> {
        let home = self.path("");
        let slug = home.to_str().unwrap().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let short = |path: &PathBuf| {
            let path = path.strip_prefix(&home).unwrap();
            let path = if path.starts_with("Documents") { path.parent().unwrap() } else { path };
            path.to_str().unwrap().replace(&slug, "")
        };
        let names = files(&home).iter().map(short).collect::<Vec<_>>();
        names.into_iter().filter(|name| !name.contains("/logs/") && !name.starts_with("calls")).collect()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.idle();
        }
    }
}

/// The lines are about these subjects, one each.
fn once_each(lines: &[String], subjects: &[usize], of: &str) {
    assert_eq!(lines.len(), subjects.len(), "{lines:?}: {of}");
    for (word, _) in subjects.iter().map(|subject| words(*subject)) {
        let found = lines.iter().filter(|line| line.split(|c: char| !c.is_alphabetic()).any(|part| part == word));
        assert_eq!(found.count(), 1, "{word} in {lines:?}: {of}");
    }
}

/// Files that only a killed writer leaves behind.
fn is_litter(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_string_lossy();
    let folder = path.parent().unwrap();
    name.starts_with(".lh-") || name.ends_with(".tmp") || folder.ends_with("queue/work") || folder.ends_with("tmp")
}

pub fn silent(output: &Output) {
    let said = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    assert!(output.status.success() && said.is_empty(), "{}: {}", output.status, String::from_utf8_lossy(&said));
}

/// What is behind the name in a process's stat: its state first.
fn stat_of(pid: i32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Some(stat.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect())
}

/// A process's environment. It is empty for a moment while the process becomes another program, and a
/// busy machine can make that moment long: it is read again then. A thread of the kernel has none, and a
/// process that has ended has none any more.
fn environ_of(pid: i32) -> Option<Vec<u8>> {
    const KERNEL_THREAD: u64 = 0x0020_0000;
    loop {
        let environ = fs::read(format!("/proc/{pid}/environ")).ok()?;
        let stat = stat_of(pid)?;
        let flags: u64 = stat.get(6)?.parse().ok()?;
        if !environ.is_empty() || matches!(stat[0].as_str(), "Z" | "X") || flags & KERNEL_THREAD != 0 {
            return Some(environ);
        }
        if !fs::read(format!("/proc/{pid}/cmdline")).ok()?.is_empty() {
            return Some(environ);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Polls until something holds.
pub fn until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        // To look may cost more than what is waited for: the longer it takes, the less often.
        std::thread::sleep((begun.elapsed() / 20).max(Duration::from_millis(2)));
    }
}

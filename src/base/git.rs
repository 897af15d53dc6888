//! What git says of a checkout: two questions that are asked side by side, and a patience after which what
//! has not come is left out. Nothing is locked, nothing is fetched, and no program runs that the checkout's
//! configuration names: a session can start in a folder that another person made.
//!
//! Most of these programs are switched off by fixed options. The filters of files have names of their own,
//! so git is first asked for the names, and then told for each to run no program. A file that
//! only a filter can compare counts as changed.

use crate::base::{clock, env};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The most that is read of one answer, in bytes.
const ANSWER_BYTES: u64 = 1 << 20;
/// Options that no configuration of the checkout can take back.
const OPTIONS: &[&str] = &[
    "--no-optional-locks",
    "--no-pager",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.quotePath=false",
    // A repository that lies in a checkout as plain files came with it.
    "-c",
    "safe.bareRepository=explicit",
];
/// The question for the filters and for the user's address, and the other two.
const SETTINGS: &[&str] = &["config", "-z", "--get-regexp", r"^(filter\..*\.(clean|process|required)|user\.email)$"];
const STATUS: &[&str] =
    &["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=normal", "--ignore-submodules=dirty"];
const LOG: &[&str] = &[
    "log",
    "-5",
    "--no-show-signature",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--name-only",
    "--format=%x01%ae%x02%h %cI %s",
];
/// Paths that are kept.
const FILES: usize = 500;
/// Variables that would send git elsewhere, as `git rev-parse --local-env-vars` has them.
const VARIABLES: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// A commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// The short hash.
    pub hash: String,
    /// When it was made, RFC 3339 with the committer's offset.
    pub time: String,
    /// The first line of its message.
    pub subject: String,
    /// Whether its author has the address that the user's configuration has.
    pub own: bool,
}

impl Commit {
    fn read(line: &str, own: bool) -> Option<Self> {
        let mut words = line.splitn(3, ' ').map(str::to_owned);
        let hash = words.next().filter(|hash| !hash.is_empty())?;
        Some(Self { hash, time: words.next()?, subject: words.next()?, own })
    }

    /// The committer's day, `2026-04-13`.
    pub fn day(&self) -> &str {
        self.time.get(..10).unwrap_or_default()
    }
}

/// A checkout. What did not come in time is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Git {
    /// The branch; none when no branch is checked out, or status did not come.
    pub branch: Option<String>,
    /// Files that were changed, staged or not, and files that git does not know; none when status did
    /// not come.
    pub counts: Option<(usize, usize)>,
    /// Whether there are more than were counted.
    pub more: bool,
    /// The last commits, newest first.
    pub commits: Vec<Commit>,
    /// Whether it is known who the user is: without that, it is not known which commits are the user's.
    pub knows_user: bool,
    /// Paths from the top: changed, unknown, and those of the last commits, each once.
    pub files: Vec<String>,
}

/// The answers to two questions, which come later.
pub struct Pending {
    status: Receiver<Option<Vec<u8>>>,
    log: Receiver<Option<Vec<u8>>>,
    now: Arc<Mutex<Now>>,
    begun: Instant,
}

/// What the threads are at that run the commands.
#[derive(Default)]
struct Now {
    /// The process groups of the running commands.
    groups: Vec<Pid>,
    /// The user's address, once it is known.
    email: String,
    /// Nothing waits for the answers any more.
    over: bool,
}

impl Now {
    fn add(&mut self, group: Pid) {
        self.groups.push(group);
        if self.over {
            self.kill();
        }
    }

    fn kill(&mut self) {
        for group in self.groups.drain(..) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Asks about the checkout of a folder.
pub fn ask(folder: &Path) -> Pending {
    ask_program(env::program("git").as_deref(), folder)
}

fn ask_program(path: Option<&Path>, folder: &Path) -> Pending {
    let (begun, now) = (clock::monotonic(), Arc::default());
    let run = |question: fn(&GitProgram) -> Option<Vec<u8>>| {
        let (tell, answer) = channel();
        if let Some(path) = path.map(Path::to_path_buf) {
            let git = GitProgram { path, folder: folder.to_owned(), now: Arc::clone(&now) };
            // Without a thread nothing is answered.
            let _ = std::thread::Builder::new().spawn(move || tell.send(question(&git)));
        }
        answer
    };
    let (status, log) = (run(GitProgram::status), run(|git| git.said(LOG, &[])));
    Pending { status, log, now, begun }
}

impl Pending {
    /// The answers that come within `patience` of the question; what takes longer is killed. The log comes first, for the
    /// status has to be asked about filters before. What can be done with the commits alone is done `meanwhile`; which of
    /// them are the user's is not known then.
    pub fn answer<T>(self, patience: Duration, meanwhile: impl FnOnce(&Git) -> T) -> (Git, T) {
        let text = |answer: &Receiver<Option<Vec<u8>>>| {
            let left = patience.saturating_sub(clock::monotonic().duration_since(self.begun));
            Some(String::from_utf8_lossy(&answer.recv_timeout(left).ok()??).into_owned())
        };
        let log = text(&self.log).unwrap_or_default();
        let (mut git, mut early) = (Git::default(), Git::default());
        early.read_log(&log, "");
        let done = meanwhile(&early);
        let status = text(&self.status);
        let Ok(mut now) = self.now.lock() else { return (git, done) };
        now.over = true;
        now.kill();
        if let Some(text) = status {
            git.read_status(&text);
            git.more = is_cut(text.len());
        }
        if !log.is_empty() {
            git.read_log(&log, &now.email);
        }
        (git, done)
    }
}

/// The commit that changed a line of a file last, from 1, or the file itself; its hash is whole. None where git knows none:
/// the line is not committed, or git is missing.
pub fn last_commit(folder: &Path, file: &str, line: Option<usize>) -> Option<Commit> {
    let git = GitProgram { path: env::program("git")?, folder: folder.to_owned(), now: Arc::default() };
    let mut log = vec!["log", "-1", "--no-show-signature", "--format=%H %cI %s", "--no-patch"];
    let blamed;
    if let Some(line) = line {
        let (range, mut options) = (format!("{line},{line}"), git.without_filters()?);
        // What converts a file for people to read is a program, too.
        options.extend(["-c", "core.attributesFile=/dev/null"].map(str::to_owned));
        let blame = ["blame", "--porcelain", "--no-textconv", "-L", &range, "--", file];
        blamed = String::from_utf8_lossy(&git.said(&blame, &options)?).split(' ').next()?.to_owned();
        if blamed.len() < 40 || blamed.bytes().all(|digit| digit == b'0') {
            return None;
        }
        log.push(&blamed);
    } else {
        log.extend(["--", file]);
    }
    let said = git.said(&log, &[])?;
    let said = String::from_utf8_lossy(&said);
    Commit::read(said.trim_end_matches('\n'), false)
}

/// Whether an answer of that length may go on.
fn is_cut(bytes: usize) -> bool {
    u64::try_from(bytes).unwrap_or(u64::MAX) >= ANSWER_BYTES
}

/// The program, and where it is asked.
struct GitProgram {
    path: PathBuf,
    folder: PathBuf,
    now: Arc<Mutex<Now>>,
}

impl GitProgram {
    fn status(&self) -> Option<Vec<u8>> {
        self.said(STATUS, &self.without_filters()?)
    }

    /// The options that take every filter's programs away; none when they cannot all be known. Notes the user's
    /// address on the way.
    fn without_filters(&self) -> Option<Vec<String>> {
        let (settings, status) = self.run(SETTINGS, &[])?;
        // With status 1 there are none.
        if !matches!(status.code(), Some(0 | 1)) || is_cut(settings.len()) {
            return None;
        }
        let settings = String::from_utf8_lossy(&settings);
        let mut options = Vec::new();
        for setting in settings.split_terminator('\0') {
            let (name, value) = setting.split_once('\n').unwrap_or((setting, ""));
            if name == "user.email" {
                // The last one counts: the checkout's own.
                value.clone_into(&mut self.now.lock().ok()?.email);
                continue;
            }
            // An equals sign in a filter's name would end the name here.
            if name.contains(['=', char::REPLACEMENT_CHARACTER]) {
                return None;
            }
            let off = if name.ends_with(".required") { "false" } else { "" };
            options.extend(["-c".to_owned(), format!("{name}={off}")]);
        }
        Some(options)
    }

    /// What a question prints; none when it fails and prints nothing. What is longer than what is read ends
    /// by a closed pipe.
    fn said(&self, args: &[&str], options: &[String]) -> Option<Vec<u8>> {
        self.run(args, options).filter(|(bytes, status)| status.success() || !bytes.is_empty()).map(|(bytes, _)| bytes)
    }

    /// What a command prints, and how it ends.
    fn run(&self, args: &[&str], options: &[String]) -> Option<(Vec<u8>, ExitStatus)> {
        let mut command = Command::new(&self.path);
        command.args(OPTIONS).args(options).args(args).current_dir(&self.folder).env("LC_ALL", "C").process_group(0);
        // The second is for a git that does not know the first: no way to fetch is allowed.
        command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none");
        for name in VARIABLES {
            command.env_remove(name);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        if self.now.lock().ok()?.over {
            return None;
        }
        let mut child = command.spawn().ok()?;
        let group = Pid::from_child(&child);
        self.now.lock().ok()?.add(group);
        let mut bytes = Vec::new();
        let _ = child.stdout.take()?.take(ANSWER_BYTES).read_to_end(&mut bytes);
        // Its number is its own until it is waited for.
        let _ = waitid(WaitId::Pid(group), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        self.now.lock().ok()?.groups.retain(|other| *other != group);
        Some((bytes, child.wait().ok()?))
    }
}

impl Git {
    fn read_status(&mut self, text: &str) {
        let (mut changed, mut unknown) = (0_usize, 0_usize);
        let mut entries = text.split('\0');
        while let Some(entry) = entries.next() {
            let (kind, rest) = entry.split_once(' ').unwrap_or((entry, ""));
            let fields = match kind {
                "1" => 7,
                "2" => 8,
                "u" => 9,
                _ => 0,
            };
            let path = rest.splitn(fields + 1, ' ').nth(fields).unwrap_or("");
            match kind {
                "#" => {
                    let branch = rest.strip_prefix("branch.head ").filter(|name| *name != "(detached)");
                    self.branch = branch.map(str::to_owned).or(self.branch.take());
                }
                "?" => {
                    unknown += 1;
                    self.add(path);
                }
                "1" | "2" | "u" => {
                    changed += 1;
                    self.add(path);
                    // Where it was before.
                    self.add(if kind == "2" { entries.next().unwrap_or("") } else { "" });
                }
                _ => {}
            }
        }
        self.counts = Some((changed, unknown));
    }

    fn read_log(&mut self, text: &str, email: &str) {
        self.knows_user = !email.is_empty();
        for line in text.lines() {
            if let Some((author, commit)) = line.strip_prefix('\u{1}').and_then(|line| line.split_once('\u{2}')) {
                let own = !email.is_empty() && author.eq_ignore_ascii_case(email);
                self.commits.extend(Commit::read(commit, own));
            } else {
                self.add(line);
            }
        }
    }

    fn add(&mut self, path: &str) {
        if !path.is_empty() && self.files.len() < FILES && !self.files.iter().any(|known| known == path) {
            self.files.push(path.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_and_the_log_are_read() {
        let mut git = Git::default();
        git.read_status(
            "# branch.oid abc\0# branch.head feat/gate\x001 .M N... 100644 100644 100644 a b src/a b.rs\0\
             2 R. N... 100644 100644 100644 a b R100 new.rs\0old.rs\0? notes/\0",
        );
        git.read_log(
            "\u{1}a@x\u{2}1a2b3c4 2026-04-13T10:00:00Z gate: say why\n\nsrc/gate.rs\nnew.rs\n\n\u{1}b@x\u{2}5d6e7f8 2026-04-12T10:00:00Z first\n",
            "A@x",
        );
        assert_eq!((git.branch.as_deref(), git.counts), (Some("feat/gate"), Some((2, 1))));
        assert_eq!(git.files, ["src/a b.rs", "new.rs", "old.rs", "notes/", "src/gate.rs"]);
        assert_eq!(git.commits.len(), 2);
        assert_eq!(git.commits[0].subject, "gate: say why");
        assert_eq!(git.commits.iter().map(|commit| commit.own).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn a_git_that_takes_too_long_is_left_out() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join("git");
        std::fs::write(&git, "#!/bin/sh\nsleep 60\ntrue\n").unwrap();
        std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o700)).unwrap();
        let begun = clock::monotonic();
        let slow = ask_program(Some(&git), folder.path());
        assert_eq!(slow.answer(Duration::from_millis(20), Git::clone), Default::default());
        assert!(clock::monotonic().duration_since(begun) < Duration::from_secs(30));
    }
}

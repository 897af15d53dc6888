//! A home of its own for each test, and the tools run in it.

use assert_cmd::Command;
use std::path::{Path, PathBuf};

/// A folder with a home, a configuration folder and nothing else; removed when dropped.
pub struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    pub fn new() -> Self {
        let folder = folder();
        std::fs::create_dir_all(folder.path().join(".config/lazy-harness")).unwrap();
        Self { folder }
    }

    /// A home whose loop is on, with `extra` lines in `[compound_loop]`.
    pub fn enabled(extra: &str) -> Self {
        let home = Self::new();
        home.write(".config/lazy-harness/config.toml", &format!("[compound_loop]\nenabled = true\n{extra}\n"));
        home
    }

    /// Whose commits are the user's own.
    pub fn git_user(&self) {
        self.write(".gitconfig", "[user]\n\tname = u\n\temail = u@x\n");
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    pub fn write(&self, below: &str, text: &str) -> PathBuf {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        let is_transcript = path.extension().is_some_and(|ending| ending == "jsonl") && !below.contains("/memory/");
        if is_transcript && below.contains(".claude/projects/") {
            quiet(&path);
        }
        path
    }

    pub fn read(&self, below: &str) -> String {
        std::fs::read_to_string(self.path(below)).unwrap_or_default()
    }

    /// The client's folder of a project in `cwd`.
    pub fn project_folder(&self, cwd: &Path) -> PathBuf {
        let slug: String =
            cwd.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        self.path(".claude/projects").join(slug)
    }

    /// The memory of a project whose folder is the home itself.
    pub fn own_memory(&self) -> PathBuf {
        self.project_folder(&self.path("").canonicalize().unwrap()).join("memory")
    }

    /// A transcript of a person's session in `cwd`: so many turns, each said twice.
    pub fn transcript(&self, id: &str, cwd: &Path, turns: usize) -> PathBuf {
        let mut text = String::new();
        for turn in 0..turns {
            let user =
                format!("In turn {turn} we go on with the work on the {id} and I say it at some length for the gate.");
            text.push_str(&line("user", &user, cwd, turn * 2));
            text.push_str(&line("assistant", &format!("Done with turn {turn} of the {id}."), cwd, turn * 2 + 1));
        }
        let path = self.project_folder(cwd).join(format!("{id}.jsonl"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        quiet(&path);
        path
    }

    /// A tool, in this home and nowhere else.
    pub fn tool(&self, name: &str) -> Command {
        self.run(&binary(name))
    }

    /// The seconds that a tool, which must succeed, spends on a processor.
    pub fn busy(&self, tool: &str, arguments: &[&str], input: String) -> f64 {
        let mut shell = self.run(Path::new("/bin/sh"));
        shell.args(["-c", "\"$@\" >/dev/null && times", "sh"]).arg(binary(tool)).args(arguments);
        let output = shell.write_stdin(input).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        // Minutes and seconds of the shell, then of what it ran: for itself, and for it in the kernel.
        let said = String::from_utf8(output.stdout).unwrap();
        let seconds = |time: &str| {
            let (minutes, seconds) = time.strip_suffix('s').unwrap().split_once('m').unwrap();
            minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
        };
        said.lines().last().unwrap().split_whitespace().map(seconds).sum()
    }

    /// Any program, in this home and nowhere else.
    pub fn run(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.folder.path())
            .env("TMPDIR", self.folder.path())
            .env("PATH", "/usr/bin:/bin")
            .env("TZ", "UTC")
            .env("LH_BIN", binary("lh-gate").parent().unwrap())
            .current_dir(self.folder.path());
        command
    }
}

/// A folder that is removed when dropped: in memory where programs run there and much fits in, for there no write waits
/// for a disk. `TMPDIR` names another place.
pub fn folder() -> tempfile::TempDir {
    const MEMORY: &str = "/dev/shm";
    const ROOM: u64 = 4 << 30;
    let fits = |memory: rustix::fs::StatVfs| {
        !memory.f_flag.contains(rustix::fs::StatVfsMountFlags::NOEXEC) && memory.f_bavail * memory.f_frsize > ROOM
    };
    if std::env::var_os("TMPDIR").is_none() && rustix::fs::statvfs(MEMORY).is_ok_and(fits) {
        return tempfile::tempdir_in(MEMORY).unwrap();
    }
    tempfile::tempdir().unwrap()
}

/// The seconds that this thread has spent on a processor. Other programs that run meanwhile cost no more of it than a
/// cache. (/proc/thread-self/schedstat goes on with the timer alone, every four milliseconds.)
pub fn busy() -> f64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    std::time::Duration::try_from(spent).unwrap().as_secs_f64()
}

/// One record as the client writes them.
pub fn line(role: &str, text: &str, cwd: &Path, number: usize) -> String {
    let record = serde_json::json!({
        "type": role, "uuid": format!("u{number}"), "parentUuid": number.checked_sub(1).map(|before| format!("u{before}")),
        "timestamp": format!("2026-04-13T12:{:02}:00.000Z", number % 60), "cwd": cwd, "entrypoint": "cli", "isSidechain": false,
        "message": {"role": role, "id": format!("m{number}"), "content": [{"type": "text", "text": text}]},
    });
    format!("{record}\n")
}

/// Makes a transcript older than a worker waits for it: what was written to a moment ago may not be whole yet.
fn quiet(path: &Path) {
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(3);
    std::fs::File::options().append(true).open(path).unwrap().set_modified(then).unwrap();
}

/// A built tool: in `LH_TEST_BIN`, else the one of this build.
pub fn binary(name: &str) -> PathBuf {
    let folder = std::env::var_os("LH_TEST_BIN").map(PathBuf::from);
    let built = Path::new(env!("CARGO_BIN_EXE_lh-gate")).parent().unwrap();
    std::path::absolute(folder.as_deref().unwrap_or(built)).unwrap().join(name)
}

/// A copy of a built tool. Another program writes it: a child that another test starts meanwhile has what this process has
/// open, and what is open for writing cannot be run.
pub fn copy_tool(name: &str, to: &Path) {
    assert!(std::process::Command::new("cp").arg(binary(name)).arg(to).status().unwrap().success());
}

/// The names of all tools: one main each.
pub fn tools() -> Vec<String> {
    let bin = Path::new(env!("CARGO_MANIFEST_DIR")).join("bin");
    let paths = std::fs::read_dir(bin).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = paths
        .filter(|path| !path.ends_with("lh.rs"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

//! What keeps the loop from working is a red line in the doctor, before a session is lost, and told to the user
//! at the next start of a session: once a day, and no more when it is mended.

use crate::doctor::Patient;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// What is told to the user when a session starts on a day; the hook ends with 0 and prints one JSON object.
fn told(patient: &Patient, now: &str) -> String {
    let payload = json!({"session_id": "now", "cwd": "/src/app", "source": "startup"}).to_string();
    let mut hook = patient.command("lh-hook-session-start");
    let mut child = hook.env("LH_NOW", now).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // What cannot do anything does not read it.
    let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.as_bytes());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    if output.stdout.is_empty() {
        return String::new();
    }
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    answer["systemMessage"].as_str().unwrap().to_owned()
}

/// What was harmed, the red line, a word that both say, and the harm.
type Row = (&'static str, &'static str, &'static str, fn(&mut Patient));

fn config(patient: &Patient, text: &str) {
    let loop_is_on = patient.home.read(CONFIG);
    patient.home.write(CONFIG, &format!("{loop_is_on}\n{text}\n"));
}

/// Puts a FIFO in the place of a file at once: what a start of a session began in the background may write there.
pub fn fifo(patient: &Patient, name: &str) {
    let (made, path) = (patient.home.path("fifo"), patient.home.path(name));
    assert!(Command::new("mkfifo").args(["-m", "600"]).arg(&made).status().unwrap().success());
    fs::rename(made, path).unwrap();
}

const CONFIG: &str = ".config/lazy-harness/config.toml";
const WARNING: &str = "sessions are NOT being remembered: ";

const ROWS: &[Row] = &[
    ("a pattern that does not compile", "config", "[privacy] patterns: entry 1", |patient| {
        config(patient, "[privacy]\npatterns = [\"(\"]");
    }),
    ("an exemption that does not compile", "config", "[privacy] exempt: entry 1", |patient| {
        config(patient, "[privacy]\nexempt = [\"[\"]");
    }),
    ("no TOML", "config", "config.toml:", |patient| config(patient, "[memory")),
    ("a key of the wrong type", "config", "[context_inject] max_body_chars: expected", |patient| {
        config(patient, "[context_inject]\nmax_body_chars = \"x\"");
    }),
    ("a relative folder", "config", "config_dir: expected an absolute path", |patient| {
        config(patient, "[profiles.x]\nconfig_dir = \"rel\"");
    }),
    ("not UTF-8", "config", "not UTF-8", |patient| fs::write(patient.home.path(CONFIG), b"# \xff\n").unwrap()),
    ("a folder in its place", "config", "a folder, expected a regular file", |patient| {
        fs::remove_file(patient.home.path(CONFIG)).unwrap();
        fs::create_dir(patient.home.path(CONFIG)).unwrap();
    }),
    ("a relative LH_CONFIG_DIR", "config", "LH_CONFIG_DIR is 'rel'", |patient| patient.set("LH_CONFIG_DIR", "rel")),
    ("a relative LAZY_KNOWLEDGE_ROOT", "knowledge", "LAZY_KNOWLEDGE_ROOT is 'rel'", |patient| {
        patient.set("LAZY_KNOWLEDGE_ROOT", "rel");
    }),
    ("a relative LCT_LEARNINGS_DIR", "knowledge", "LCT_LEARNINGS_DIR is 'rel'", |patient| {
        patient.set("LCT_LEARNINGS_DIR", "rel");
    }),
    ("a store that calls its folders badly", "knowledge", "'learnings' must be a folder inside", |patient| {
        patient.home.write("knowledge/knowledge.toml", "[knowledge]\nlearnings = \"../x\"\n");
    }),
    ("a store that cannot be written", "knowledge", "nothing can be written there", |patient| {
        let _ = fs::remove_dir_all(patient.home.path("knowledge/learnings"));
        patient.home.write("knowledge/learnings", "");
    }),
    ("no tool", "tools", "lh-distill", |patient| fs::remove_file(patient.home.path("bin/lh-distill")).unwrap()),
    ("no script", "tools", "lh-task", |patient| fs::remove_file(patient.home.path("bin/lh-task")).unwrap()),
    ("no preamble", "tools", "lh-preamble", |patient| fs::remove_file(patient.home.path("bin/lh-preamble")).unwrap()),
    ("no lh-context", "tools", "lh-context", |patient| fs::remove_file(patient.home.path("bin/lh-context")).unwrap()),
    ("a queue that is a file", "queue", "nothing can be written there", |patient| {
        // What a start of a session began in the background may still write there.
        let queue = patient.home.path(".claude/queue");
        let gone = || fs::remove_dir_all(&queue).is_ok() && fs::write(&queue, "").is_ok();
        let begun = std::time::Instant::now();
        while !gone() {
            assert!(begun.elapsed().as_secs() < 30);
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }),
    ("a queue that all can write", "queue", "every user can write to it", |patient| {
        fs::set_permissions(patient.home.path(".claude/queue"), fs::Permissions::from_mode(0o777)).unwrap();
    }),
    ("a queue behind a link", "queue", "a link that leads out", |patient| {
        let queue = patient.home.path(".claude/queue/failed");
        let _ = fs::remove_dir_all(&queue);
        symlink("/tmp", queue).unwrap();
    }),
    ("a FIFO for the first hook's time", "queue", ".since' is a FIFO", |patient| fifo(patient, ".claude/queue/.since")),
    ("a FIFO for the queue's lock", "queue", ".lock' is a FIFO", |patient| fifo(patient, ".claude/queue/.lock")),
    ("a FIFO for the worker's lock", "queue", ".worker.lock' is a FIFO", |patient| {
        fifo(patient, ".claude/queue/.worker.lock");
    }),
    ("a memory that cannot be written", "memory", "nothing can be written there", |patient| {
        let _ = fs::remove_dir_all(patient.home.path(".claude/projects/-src-app/memory/.state"));
        patient.home.write(".claude/projects/-src-app/memory/.state", "");
    }),
    ("a handoff that is too large to be read", "memory", "handoff.md: larger than the", |patient| {
        let item = "- Do one more thing of the many that there are\n".repeat(30_000);
        patient.home.write(".claude/projects/-src-app/memory/handoff.md", &format!("Open:\n{item}"));
    }),
    ("no model", "model", "claude: not on PATH", |patient| patient.config("engine = \"claude\"")),
    ("no command", "model", "no-such-model: not found", |patient| {
        patient.config("engine = \"command\"\ncommand = \"no-such-model\"");
    }),
    ("no command named", "model", "command is not set", |patient| patient.config("engine = \"command\"")),
    ("a model that always fails", "budget", "the last 5 model calls failed: Not logged in", |patient| {
        patient.config("engine = \"command\"\ncommand = \"true\"");
        let line =
            json!({"ts": "2026-04-01T10:00:00Z", "type": "call", "engine": "command", "result": "Not logged in"});
        let path = patient.home.write(".claude/logs/llm.jsonl", &format!("{line}\n").repeat(5));
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }),
];

#[test]
fn what_stops_the_loop_is_red_and_told_once_a_day() {
    for (what, line, word, harm) in ROWS {
        let mut patient = Patient::new();
        let day = |day: u32| format!("2026-04-{day:02}T12:00:00Z");
        assert!(!told(&patient, &day(13)).contains(WARNING), "{what}: nothing is wrong yet");
        let (settings, env) = (patient.home.read(CONFIG), patient.env.clone());
        harm(&mut patient);
        let red = patient.red();
        assert!(red.iter().any(|(name, says, _)| name == line && says.contains(word)), "{what}: {red:?}");
        let first = told(&patient, &day(14));
        assert!(first.contains(WARNING) && first.contains(word), "{what}: {first:?}");
        assert!(!first.contains('\n') && first.chars().count() < 700, "{what}: {first:?}");
        assert!(!told(&patient, &day(14)).contains(WARNING), "{what}: twice a day");
        // The script that speaks when lh-context or the preamble is not there knows no LH_NOW.
        if !["no lh-context", "no preamble"].contains(what) {
            assert!(told(&patient, &day(15)).contains(word), "{what}: not on the next day");
        }
        if *line == "config" && *what != "a folder in its place" {
            patient.home.write(CONFIG, &settings);
            patient.env = env;
            assert!(!told(&patient, &day(16)).contains(WARNING), "{what}: it is mended");
        }
    }
}

#[test]
fn a_task_that_was_given_up_is_told() {
    let patient = Patient::new();
    let task = "session_jsonl=/x/y.jsonl\nlast_error=\u{1b}[2Jno answer <lh-memory>\n";
    let path = patient.home.write(".claude/queue/failed/1-x.task", task);
    let now = "2026-04-13T12:00:00Z";
    let file = fs::File::options().append(true).open(path).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_776_081_600)).unwrap();
    let message = told(&patient, now);
    assert!(
        message.contains("a session was given up:  [2Jno answer ‹lh-memory>") && !message.contains('\u{1b}'),
        "{message:?}"
    );
    assert!(!told(&patient, "2026-04-20T12:00:00Z").contains("given up"), "long ago");
}

/// With a loop that is off nothing is to be remembered, and what by hand cannot be told is a failure.
#[test]
fn a_loop_that_is_off_warns_of_nothing() {
    let mut patient = Patient::new();
    patient.home.write(CONFIG, "[compound_loop]\nengine = \"command\"\n");
    patient.set("LCT_LEARNINGS_DIR", "rel");
    assert!(!told(&patient, "2026-04-13T12:00:00Z").contains(WARNING));
    patient.home.write(CONFIG, "[privacy]\nexempt = [\"(\"]\n");
    let output = patient.command("lh-context").args(["--format", "markdown"]).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(78), 0));
}

/// Without a preamble that can be read no script does anything, and no hook ends with 2, which would block.
#[test]
fn scripts_without_their_preamble_end_with_a_status_of_their_own() {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    for what in ["missing", "broken"] {
        for shell in ["dash", "bash", "sh"] {
            let home = crate::home::Home::enabled("");
            fs::create_dir(home.path("scripts")).unwrap();
            let entries = fs::read_dir(&source).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let names: Vec<String> = entries.filter(|name| name.starts_with("lh-")).collect();
            for name in &names {
                fs::copy(source.join(name), home.path("scripts").join(name)).unwrap();
            }
            let preamble = home.path("scripts/lh-preamble");
            if what == "missing" { fs::remove_file(preamble) } else { fs::write(preamble, "if [\n") }.unwrap();
            for name in names.iter().filter(|name| *name != "lh-preamble") {
                let output = home.run(shell.as_ref()).arg(home.path("scripts").join(name)).output().unwrap();
                let tool =
                    ["lh-handoff-now", "lh-pick", "lh-remember", "lh-task", "lh-weekly"].contains(&name.as_str());
                assert_eq!(output.status.code(), Some(if tool { 69 } else { 0 }), "{what} {shell} {name}: {output:?}");
                let said = String::from_utf8(output.stdout).unwrap();
                if name == "lh-hook-session-start" {
                    let answer: Value = serde_json::from_str(&said).unwrap();
                    assert!(answer["systemMessage"].as_str().unwrap().contains("lh-preamble cannot be read"), "{said}");
                } else {
                    assert_eq!(said, "", "{what} {shell} {name}");
                }
            }
            assert!(!home.path(".claude").exists(), "{what} {shell}");
        }
    }
}

/// The warning of a start, without what a hook leaves running.
fn start(patient: &Patient, strace: &[String]) -> String {
    let payload = json!({"session_id": "now", "cwd": "/src/app", "source": "startup"}).to_string();
    let mut command = patient.command("lh-context");
    if !strace.is_empty() {
        let mut traced = patient.command("lh-context");
        let words: Vec<_> =
            [traced.get_program().to_owned()].into_iter().chain(traced.get_args().map(Into::into)).collect();
        traced = Command::new("strace");
        traced.args(strace).args(words).env_clear().current_dir(patient.home.path(""));
        traced.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command = traced;
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.as_bytes()).unwrap();
    let answer: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    answer["systemMessage"].as_str().unwrap().to_owned()
}

const LOCKS: [(&str, &str); 3] = [
    (".claude/queue/.lock", "queue"),
    (".claude/queue/.worker.lock", "queue"),
    (".claude/projects/-src-app/memory/.state/lock", "memory"),
];

/// A process that was stopped while it holds a lock: it does not end, and no other one comes on.
/// A shell that runs a script on a file and waits; it has said that it is so far.
fn shell(script: &str, path: &Path) -> Child {
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(path).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut shell = shell.spawn().unwrap();
    std::io::Read::read_exact(shell.stdout.as_mut().unwrap(), &mut [0; 4]).unwrap();
    shell
}

fn send(signal: &str, process: &Child) {
    assert!(Command::new("kill").args([signal, &process.id().to_string()]).status().unwrap().success());
}

fn stop(process: &Child) {
    send("-STOP", process);
    let is_stopped = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", process.id())).unwrap();
        stat.rsplit(')').next().unwrap().trim_start().starts_with('T')
    };
    while !is_stopped() {
        std::thread::yield_now();
    }
}

fn end(process: &mut Child) {
    send("-CONT", process);
    drop(process.stdin.take());
    process.wait().unwrap();
}

#[test]
fn a_stopped_holder_of_a_lock_is_told_with_what_to_do() {
    // The one that took it, and one that has it from a process that has ended.
    let taken = "exec flock \"$0\" sh -c 'echo held; read -r _'";
    let given = "exec 9>>\"$0\"; flock 9; echo held; read -r _";
    for ((lock, line), script) in LOCKS.iter().flat_map(|lock| [taken, given].map(|script| (lock, script))) {
        let patient = Patient::new();
        assert!(!start(&patient, &[]).contains(WARNING), "{lock}: nothing is wrong yet");
        let path = patient.home.path(lock);
        assert!(path.exists(), "{lock}");
        let mut holder = shell(script, &path);
        // In a PID namespace the system lists no lock of a process that has ended.
        let file = format!(":{} ", fs::metadata(&path).unwrap().ino());
        if !fs::read_to_string("/proc/locks").unwrap().contains(&file) {
            assert!(script == given, "{lock}: its holder is alive");
            crate::bad_input::skipped("the system does not list the lock of a process that has ended");
            end(&mut holder);
            continue;
        }
        assert!(!start(&patient, &[]).contains(WARNING), "{lock}: its holder is at work");
        // Another one that was stopped has the file open, and no lock.
        let mut bystander = shell("exec 8>>\"$0\"; echo held; read -r _", &path);
        stop(&bystander);
        assert!(!start(&patient, &[]).contains(WARNING), "{lock}: its holder is still at work");
        end(&mut bystander);
        stop(&holder);
        let (warning, red) = (start(&patient, &[]), patient.red());
        end(&mut holder);
        let says = format!("{}: held by process {}, which was stopped", path.display(), holder.id());
        assert!(warning.contains(WARNING) && warning.contains(&says) && warning.contains("kill -CONT"), "{warning}");
        assert!(red.iter().any(|(name, found, _)| name == *line && found.contains(&says)), "{lock}: {red:?}");
        assert!(!patient.red().iter().any(|(_, found, _)| found.contains("stopped")), "{lock}: it went on");
    }
}

/// A file system, or one folder of it, on which one of the locks cannot be taken.
#[test]
fn a_start_says_which_lock_cannot_be_taken() {
    for (lock, _) in LOCKS {
        let patient = Patient::new();
        let path = patient.home.path(lock).canonicalize().unwrap();
        let words = ["-f", "-o", "/dev/null", "-P", path.to_str().unwrap(), "-e", "inject=flock:error=EOPNOTSUPP"];
        if crate::fault::can_trace().is_err() {
            return;
        }
        let warning = start(&patient, &words.map(str::to_owned));
        assert!(warning.contains(WARNING) && warning.contains("has no locks (flock)"), "{lock}: {warning}");
        assert!(warning.contains(lock.rsplit('/').next().unwrap()), "{lock}: {warning}");
    }
}

/// What a tool says in its task is why the task failed, not its status alone.
#[test]
fn a_task_that_failed_says_what_its_tool_said() {
    let patient = Patient::new();
    let page = patient.home.path(".claude/projects/-src-app/memory/progress.md");
    let _ = fs::remove_file(&page);
    fs::create_dir(&page).unwrap();
    patient.session("22222222-2222-4222-8222-222222222222");
    let red = patient.red();
    let (_, says, _) = red.iter().find(|(name, ..)| name == "failed").unwrap();
    assert!(says.contains("lh-summarize: ") && says.contains("progress.md' is a folder, expected"), "{says}");
    let log = patient.home.read(".claude/logs/compound-loop.log");
    assert!(log.lines().any(|line| line.contains("failed: lh-summarize: ")), "{log}");
}

//! Bad input: one clear line, a status, nothing lost, nothing hung.

use crate::home::{Home, binary, line};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

impl Home {
    fn try_tool(&self, tool: &str, arguments: &[&str], input: &[u8]) -> Output {
        let output =
            self.tool(tool).args(arguments).write_stdin(input).timeout(Duration::from_secs(20)).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let status = output.status.code();
        assert!(status.is_some_and(|status| status <= 78 && status != 2), "{tool} {arguments:?}: {status:?}: {said}");
        assert!(!said.contains("panicked"), "{tool}: {said}");
        output
    }

    fn odd(&self, name: &str, make: impl FnOnce(&Path)) -> PathBuf {
        let path = self.path(&format!(".claude/projects/-src-lh/{name}.jsonl"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        make(&path);
        path
    }
}

/// A transcript of each odd kind, with the status that reading it ends with.
fn odd_transcripts(home: &Home) -> Vec<(&'static str, PathBuf, i32)> {
    let torn = line("user", "hello", Path::new("/src/lh"), 0) + "{\"type\":\"assistant\",\"message\":{\"conte";
    vec![
        ("missing", home.path(".claude/projects/-src-lh/missing.jsonl"), 65),
        ("empty", home.odd("empty", |path| std::fs::write(path, "").unwrap()), 0),
        ("folder", home.odd("folder", |path| std::fs::create_dir(path).unwrap()), 65),
        (
            "fifo",
            home.odd("fifo", |path| {
                assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
            }),
            65,
        ),
        (
            "binary",
            home.odd("binary", |path| {
                std::fs::write(path, (0..=255_u8).cycle().take(100_000).collect::<Vec<u8>>()).unwrap();
            }),
            0,
        ),
        ("being written", home.odd("torn", |path| std::fs::write(path, torn).unwrap()), 0),
        ("a name that is not a text", home.odd("x\n\u{1b}[31m", |path| std::fs::write(path, "").unwrap()), 0),
    ]
}

#[test]
fn odd_transcripts_get_a_status_and_a_line_and_hang_nobody() {
    let home = Home::enabled("engine = \"claude\"");
    for (what, path, wanted) in odd_transcripts(&home) {
        let named = home.try_tool("lh-find-session", &[path.to_str().unwrap()], b"");
        assert_eq!(named.status.code(), Some(if matches!(what, "folder" | "fifo") { 65 } else { 0 }), "{what}");
        let payload = serde_json::json!({"transcript_path": path}).to_string();
        let found = home.try_tool("lh-find-session", &[], payload.as_bytes());
        assert_eq!(found.status.code(), Some(0), "{what}");
        for (tool, arguments) in [
            ("lh-messages", &[][..]),
            ("lh-messages", &["--count"]),
            ("lh-distill", &["--prompt"]),
            ("lh-distill", &["--engine", "extract"]),
        ] {
            let output = home.try_tool(tool, arguments, &found.stdout);
            // What holds no record at all is not a transcript.
            let wanted = if what == "binary" && ["lh-distill", "lh-messages"].contains(&tool) { 65 } else { wanted };
            assert_eq!(
                output.status.code(),
                Some(wanted),
                "{what}: {tool} {arguments:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                wanted == 0 || said.starts_with(&format!("{tool}: stdin:1: ")) && said.lines().count() == 1,
                "{what}: {said}"
            );
            assert!(!said.contains('\u{1b}'), "{what}: {said:?}");
        }
        for arguments in [&["-v"][..], &["-v", "--queue"]] {
            let output = home.try_tool("lh-gate", arguments, &found.stdout);
            assert!(output.status.code() != Some(0) || arguments.contains(&"--queue"), "{what}");
        }
        // Queued all the same: the worker says what is wrong with it, and a folder is given up.
        home.try_tool("lh-enqueue", &[], &found.stdout);
        home.try_tool("lh-dequeue", &["--", "true"], b"");
    }
}

#[test]
fn payloads_that_lack_fields_or_have_others_are_no_trouble() {
    let home = Home::enabled("");
    home.transcript("aaaaaaaa-1", &home.path("").canonicalize().unwrap(), 1);
    for (payload, wanted) in [
        (r#"{"session_id":7,"cwd":false,"transcript_path":null,"hook_event_name":[]}"#, 0),
        (r#"{"transcript_path":""}"#, 0),
        (r#"{"session_id":"../../../../etc/passwd"}"#, 0),
        (r#"{"session_id":"aaaaaaaa-1","cwd":"relative/../.."}"#, 0),
        (r#"{"cwd":"/nowhere/at/all"}"#, 1),
        (r#"{"a":{"b":"#, 65),
        ("\u{0}", 65),
        ("null", 65),
    ] {
        let output = home.try_tool("lh-find-session", &[], payload.as_bytes());
        assert_eq!(output.status.code(), Some(wanted), "{payload}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn without_a_home_every_tool_says_what_to_set() {
    let home = Home::new();
    let transcript = home.write("x.jsonl", &line("user", "hi", Path::new("/src/lh"), 0));
    let record = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
    for tool in ["lh-find-session", "lh-gate", "lh-dequeue", "lh-distill", "lh-persist", "lh-redact"] {
        let mut command = home.tool(tool);
        command.env_remove("HOME").write_stdin(record.clone());
        if tool == "lh-dequeue" {
            command.arg("--list");
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(78), "{tool}: {said}");
        assert!(said.contains("HOME is not set"), "{tool}: {said}");
    }
}

/// A shell with our tools and scripts on PATH, in this home.
fn shell(home: &Home, program: &[&str], script: &str) -> Command {
    let tools = binary("lh-gate").parent().unwrap().to_path_buf();
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).args(["sh", "-c", script]).env_clear().env("TZ", "UTC").env("LH_BIN", &tools);
    command.env("PATH", format!("{}:{}:/usr/bin:/bin:/usr/sbin:/sbin", tools.display(), scripts.display()));
    command.env("HOME", home.path("")).env("TMPDIR", home.path("")).current_dir(home.path("")).stdin(Stdio::null());
    command
}

pub fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// What stands in `out`, by the words that begin its lines.
fn said<'a>(output: &'a str, name: &str) -> Vec<&'a str> {
    output.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).collect()
}

#[test]
fn a_full_disk_is_74_with_the_file_and_loses_nothing() {
    let home = Home::enabled("engine = \"extract\"\nmin_user_chars = 1\n");
    let session = "-src-lh/aaaaaaaa-1.jsonl";
    home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 1);
    let talk = [
        ("user", "ok, let's use files instead of redis for the cache. From now on always run the linter first."),
        ("assistant", "Done. Left: the changelog entry, the second page."),
    ];
    let text: String =
        talk.iter().enumerate().map(|(at, (who, text))| line(who, text, Path::new("/src/lh"), 2 + at)).collect();
    let path = home.path(".claude/projects").join(session);
    std::fs::write(&path, home.read(&format!(".claude/projects/{session}")) + &text).unwrap();
    let script = r#"
        mv .claude seed; mkdir .claude
        mount -t tmpfs -o size=256k tmpfs .claude || exit 99
        cp -rp seed/. .claude
        t=.claude/projects/-src-lh/aaaaaaaa-1.jsonl
        lh-find-session "$t" >session
        lh-distill -e extract <session >distilled
        mkdir -p .claude/logs .claude/projects/-src-lh/memory .claude/queue/work
        cat /dev/zero >.claude/filler 2>/dev/null
        try() { name=$1; shift; "$@" >out 2>err; echo "$name $?"; sed "s/^/err-$name /" err; }
        echo '{"session_id":"aaaaaaaa-1","hook_event_name":"SessionEnd","transcript_path":"'"$t"'"}' >payload
        try hook sh -c 'lh-hook-session-end <payload'
        try enqueue sh -c 'lh-enqueue <session'
        try distill sh -c 'lh-distill -e extract -o .claude/queue/work/x.distilled <session'
        try persist sh -c 'lh-persist <distilled'
        echo '{"cwd":"/src/lh","source":"startup","session_id":"now"}' >start
        echo "start" $(lh-context <start)
        echo "doctor" $(lh-doctor --json | grep '"name":"disk"')
        echo "litter" $(find .claude -type f -size +0 ! -name filler ! -name '*.jsonl' ! -name lock ! -name .lock)
        echo "journal" $(cat .claude/projects/-src-lh/memory/*.jsonl 2>/dev/null | wc -c)
        rm .claude/filler
        try again-enqueue sh -c 'lh-enqueue <session'
        try again-work lh-worker
        echo "done" $(ls .claude/queue/done | wc -l)
        echo "decisions" $(grep -c '"text":"ok, let' .claude/projects/-src-lh/memory/said.jsonl)
        grep -h '^- ' .claude/projects/-src-lh/memory/handoff.md | sed 's/^- /open /'
    "#;
    let mut output = shell(&home, &["unshare", "-m"], script).output();
    if !output.as_ref().is_ok_and(|output| output.status.success()) {
        let _ = std::fs::rename(home.path("seed"), home.path(".claude"));
        output = shell(&home, &["unshare", "-rm"], script).output();
    }
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        return skipped("no file system can be mounted here");
    };
    let out = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said(&out, "hook"), ["0"], "{out}");
    assert!(said(&out, "err-hook").is_empty(), "{out}");
    for tool in ["enqueue", "distill", "persist"] {
        assert_eq!(said(&out, tool), ["74"], "{out}");
        let [why] = &said(&out, &format!("err-{tool}"))[..] else { panic!("{tool}: one line: {out}") };
        assert!(why.starts_with(&format!("lh-{tool}: stdin:1: ")) && why.contains("no space left"), "{why}");
        assert!(why.contains(".claude/"), "it says where: {why}");
    }
    let warning = "sessions are NOT being remembered: ";
    assert!(out.contains(warning) && out.matches("0 MB free: make room on its disk").count() == 2, "{out}");
    assert!(said(&out, "doctor").concat().contains("make room on its disk"), "{out}");
    assert_eq!((said(&out, "journal"), said(&out, "litter").concat().trim()), (vec!["0"], ""), "{out}");
    assert_eq!((said(&out, "again-enqueue"), said(&out, "again-work")), (vec!["0"], vec!["0"]), "{out}");
    assert_eq!((said(&out, "done"), said(&out, "decisions")), (vec!["1"], vec!["1"]), "{out}");
    assert_eq!(said(&out, "open"), ["The changelog entry", "The second page"], "{out}");
}

/// The words before a command that make it run as somebody whom modes stop; none when that cannot be.
pub fn as_another(home: &Home) -> Option<Vec<&'static str>> {
    let root = std::fs::metadata("/proc/self").is_ok_and(|data| std::os::unix::fs::MetadataExt::uid(&data) == 0);
    let user = if root { vec!["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] } else { vec!["env"] };
    let runs = shell(home, &user, "lh-gate --version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    runs.is_ok_and(|status| status.success()).then_some(user)
}

#[test]
fn a_read_only_home_and_an_unreadable_transcript_are_said() {
    let home = Home::enabled("");
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 4);
    let session = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
    home.write("session", &String::from_utf8(session).unwrap());
    std::fs::set_permissions(home.path(""), std::fs::Permissions::from_mode(0o755)).unwrap();
    let Some(user) = as_another(&home) else { return skipped("no other user can run the tools here") };
    let distilled = home.tool("lh-distill").args(["-e", "extract"]).write_stdin(home.read("session")).output().unwrap();
    home.write("distilled", &String::from_utf8(distilled.stdout).unwrap());
    let payload =
        format!(r#"{{"session_id":"aaaaaaaa-1","hook_event_name":"SessionEnd","transcript_path":{transcript:?}}}"#);
    home.write("payload", &payload);
    let modes = |mode: u32, of: &str| {
        let status = Command::new("chmod").args(["-R", &format!("{mode:o}"), of]).current_dir(home.path("")).status();
        assert!(status.unwrap().success());
    };
    let all = "find . -type d -exec chmod 555 {} + ; find . -type f -exec chmod 444 {} +";
    assert!(Command::new("sh").args(["-c", all]).current_dir(home.path("")).status().unwrap().success());
    for (tool, input, status) in [
        ("lh-messages --count", "session", 0),
        ("lh-gate", "session", 0),
        ("lh-enqueue", "session", 74),
        ("lh-distill -e extract -o .claude/x.distilled", "session", 74),
        ("lh-persist", "distilled", 74),
        ("lh-hook-session-end", "payload", 0),
    ] {
        let output = shell(&home, &user, &format!("{tool} <{input}")).output().unwrap();
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{tool}: {why}");
        assert_eq!(why.lines().count(), usize::from(status != 0), "{tool}: {why}");
        assert!(status == 0 || why.contains("permission denied") && why.contains(".claude"), "{tool}: {why}");
    }
    modes(0o000, transcript.to_str().unwrap());
    for tool in ["lh-messages", "lh-distill --prompt", "lh-gate"] {
        let output = shell(&home, &user, &format!("{tool} <session")).output().unwrap();
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(74), "{tool}: {why}");
        assert!(why.lines().count() == 1 && why.contains("aaaaaaaa-1.jsonl: permission denied"), "{tool}: {why}");
    }
    modes(0o755, ".");
}

#[test]
fn a_hook_logs_a_configuration_that_does_not_parse_and_ends_well() {
    let home = Home::new();
    home.write(".config/lazy-harness/config.toml", "[compound_loop]\nenabled = true\ndebounce_seconds = sixty\n");
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 4);
    home.write("payload", &format!(r#"{{"session_id":"aaaaaaaa-1","transcript_path":{transcript:?}}}"#));
    let output = shell(&home, &["env"], "lh-hook-stop <payload; echo $?; sleep 0 & wait").output().unwrap();
    assert_eq!((&*output.stdout, &*output.stderr), (&b"0\n"[..], &b""[..]));
    let log = home.read(".claude/logs/hooks.log");
    assert!(log.contains("config.toml:3:20: "), "the file, line and column: {log}");
    assert!(!home.path(".claude/queue").exists() || home.read(".claude/queue/.since").is_empty());
}

#[test]
fn a_task_that_points_outside_is_given_up_and_nothing_is_written_there() {
    let home = Home::enabled("engine = \"extract\"\n");
    let transcript = home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 4);
    let outside = home.path("outside");
    for (id, memory) in [("aaaaaaaa-1", outside.to_str().unwrap()), ("../../../x", "../../../../outside")] {
        let task = format!(
            "cwd=/src/lh\nsession_jsonl={}\nsession_id={id}\nmemory_dir={memory}\ntimestamp=2026-04-13T12:00:00Z\n",
            transcript.display()
        );
        home.write("queue-task", &task);
        std::fs::create_dir_all(home.path(".claude/queue")).unwrap();
        std::fs::rename(home.path("queue-task"), home.path(".claude/queue/1776081600-aaaaaaaa.task")).unwrap();
        let output = shell(&home, &["env"], "lh-worker").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && (said.is_empty() || said.contains("field 'memory_dir' is")), "{said}");
        let failed: Vec<_> = std::fs::read_dir(home.path(".claude/queue/failed")).unwrap().collect();
        let log = home.read(".claude/logs/compound-loop.log");
        assert!(!failed.is_empty(), "{id}: {log}");
        assert!(!outside.exists() && !home.path("x").exists(), "{id}: {log}");
        std::fs::remove_dir_all(home.path(".claude/queue")).unwrap();
    }
}

#[test]
fn what_we_create_is_its_owners_alone_and_a_replaced_file_keeps_its_mode() {
    let home = Home::enabled("engine = \"extract\"\nmin_user_chars = 1\n");
    let cwd = Path::new("/src/lh");
    let talk = [
        ("user", "ok, let's use files instead of redis for the cache. From now on always run the linter first."),
        (
            "assistant",
            "Done. Left: the changelog entry, the second page.\n\n`★ Insight ─────`\n- **Files outlive daemons.** They can be read with anything.\n`─────`",
        ),
        ("user", "good, go on with the changelog entry"),
        ("assistant", "Written. Left: the second page of it."),
    ];
    let text: String = talk.iter().enumerate().map(|(at, (who, text))| line(who, text, cwd, at)).collect();
    let transcript = home.write(".claude/projects/-src-lh/aaaaaaaa-1.jsonl", &text);
    home.write("payload", &format!(r#"{{"session_id":"aaaaaaaa-1","transcript_path":{transcript:?}}}"#));
    std::fs::set_permissions(home.path(""), std::fs::Permissions::from_mode(0o755)).unwrap();
    let theirs = "find . ! -path ./payload ! -path '*/-src-lh/aaaaaaaa-1.jsonl' ! -path './.config*' -printf '%y %m %p\n' | sort";
    let script = format!(
        "umask 000; lh-find-session <payload >record; lh-gate --queue <record | LH_LOG=$HOME/.claude/logs/hooks.log lh-enqueue -v >/dev/null; lh-worker; lh-export <record >/dev/null; rm record; {theirs}"
    );
    let output = shell(&home, &["env"], &script).output().unwrap();
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    let wrong: Vec<&str> = listed
        .lines()
        .filter(|line| {
            !matches!(
                line.split(' ').next_back(),
                Some("." | "./.claude" | "./.claude/projects" | "./.claude/projects/-src-lh")
            )
        })
        .filter(|line| !line.starts_with("d 700 ") && !line.starts_with("f 600 "))
        .collect();
    assert!(wrong.is_empty() && listed.lines().count() > 20, "{wrong:#?} of {listed}");
    for file in ["said.jsonl", "handoff.md", ".state/notes.jsonl"] {
        assert!(listed.contains(&format!("memory/{file}\n")), "{file}: {listed}");
    }
    // A mode that somebody chose is kept when the file is replaced.
    let handoff = home.path(".claude/projects/-src-lh/memory/handoff.md");
    std::fs::set_permissions(&handoff, std::fs::Permissions::from_mode(0o640)).unwrap();
    let more = line("user", "what is left?", cwd, 8) + &line("assistant", "Left: translate the page.", cwd, 9);
    std::fs::OpenOptions::new().append(true).open(&transcript).unwrap().write_all(more.as_bytes()).unwrap();
    let again =
        format!("lh-find-session {transcript:?} | lh-distill -e extract | lh-persist >/dev/null; cat {handoff:?}");
    let output = shell(&home, &["env"], &again).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("- Translate the page"), "{output:?}");
    assert_eq!(handoff.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    // Nobody else can read what was remembered.
    let Some(user) = as_another(&home) else { return skipped("no other user can run the tools here") };
    if user[0] == "env" {
        return skipped("there is no other user here");
    }
    let output =
        shell(&home, &user, "cat .claude/projects/-src-lh/memory/said.jsonl Documents/*/*/*/*.md").output().unwrap();
    assert!(output.stdout.is_empty() && !output.status.success(), "{output:?}");
}

/// Words of Rust and of its readers of JSON and TOML, which say nothing to a user.
const RUST: &[&str] = &[
    "u8", "u16", "u32", "u64", "usize", "i32", "i64", "i128", "f64", "bool", "Option", "Some(", "None", "Err(",
    "String", "struct", "enum", "variant", "invalid type", "sequence", "any value", "a map", "unit", "newtype",
    "tuple", "EOF", "trailing characters", "os error", "::", "`", "\"\"", "panicked",
];

/// A bad call, input or file of each kind, with what its line says.
const BAD: &[(&str, &str)] = &[
    ("lh-gate --qeue", "unknown option '--qeue'; did you mean '--queue'?; see --help"),
    ("lh-gate -Z", "unknown option '-Z'; see --help"),
    ("lh-gate x", "unexpected operand 'x'; see --help"),
    ("lh-gate --queue=x", "option '--queue' takes no value; see --help"),
    ("lh-gate -f", "--force goes with --queue; see --help"),
    ("lh-distill -e", "option '-e' needs a value; see --help"),
    ("lh-distill -e gtp", "unknown engine 'gtp': expected auto, claude, command or extract"),
    ("lh-context --format yaml", "unknown format 'yaml': expected json or markdown"),
    ("lh-export --format yaml", "unknown format 'yaml': expected markdown or json"),
    ("lh-find-session -s 1", "invalid time '1': expected 2026-04-13, "),
    ("lh-find-session -a -d", "--all and --due do not go together; see --help"),
    ("lh-dequeue --list -- true", "unexpected operand 'true'; see --help"),
    ("lh-detach -g 99 -- true", "--guard 99: expected the number of a descriptor"),
    ("lh-redact --check none", "none: no such folder"),
    ("mkfifo f; lh-redact --check f", "'f' is a FIFO, expected a regular file"),
    ("lh-messages none.jsonl", "none.jsonl: no such transcript"),
    ("echo '[1]' | lh-gate", "stdin:1: not a JSON object"),
    ("echo '{\"type\":' | lh-gate", "stdin:1: not JSON: it ends too early"),
    ("echo '{7:1}' | lh-gate", "stdin:1: not JSON: see column 2"),
    ("echo '{\"type\":\"session\"}' | lh-gate", "stdin:1: missing field 'transcript'"),
    ("echo '{\"type\":\"session\",\"transcript\":7}' | lh-gate", "stdin:1: missing field 'transcript'"),
    (
        "echo '{\"type\":\"session\",\"transcript\":\"/t\",\"agent_home\":\"x\"}' | lh-gate",
        "stdin:1: field 'agent_home' is 'x', a relative path",
    ),
    (
        "echo '{\"type\":\"distilled\",\"transcript\":\"/t\",\"agent_home\":\"/\",\"memory_dir\":\"/m\",\"decisions\":{}}' | lh-persist",
        "",
    ),
    ("echo '[]' | lh-find-session", "stdin: the payload is not an object: expected a JSON object"),
    ("echo '{\"a\" 1}' | lh-find-session", "stdin: the payload is not JSON: see column 6"),
    ("echo '{' | lh-context", "stdin: the payload is not JSON: it ends too early"),
    // Configurations.
    ("conf 'x = '", ":1:5: string values must be quoted"),
    ("conf '[memory]' 'scope = 3'", ":2:9: [memory] scope: expected one of project, store, shared, found 3"),
    ("conf '[compound_loop]' 'max_attempts = -1'", "max_attempts: expected a whole number from 1 to 100, found -1"),
    ("conf '[compound_loop]' 'max_attempts = 1.5'", "max_attempts: expected a whole number from 1 to 100, found 1.5"),
    ("conf '[compound_loop]' 'enabled = \"yes\"'", "enabled: expected true or false, found \"yes\""),
    ("conf '[compound_loop]' 'enabled = 99999999999999999999999'", "enabled: expected true or false, found 9999"),
    ("conf '[[knowledge.classify_rules]]' 'pattern = \"x\"'", "[knowledge.classify_rules]: missing key 'profile'"),
    (
        "conf '[compound_loop]' 'enabeld = 99999999999999999999999'; lh-gate -v </dev/null",
        "unknown key in the configuration: [compound_loop] enabeld; did you mean 'enabled'?",
    ),
    (
        "conf '[compund_loop]'; lh-gate -v </dev/null",
        "unknown key in the configuration: [compund_loop]; did you mean 'compound_loop'?",
    ),
    ("conf '[privacy]' 'patterns = [\"(\"]'; echo x | lh-redact", "[privacy] patterns: entry 1: "),
    ("HOME=x lh-find-session --all", "HOME is 'x', a relative path: set it to an absolute one"),
];

#[test]
fn an_error_is_one_plain_line_that_says_what_was_found() {
    for (script, says) in BAD {
        let home = Home::enabled("");
        let bin = binary("lh-gate");
        let conf = "conf() { printf '%s\\n' \"$@\" >\"$LH_CONFIG_DIR/config.toml\"; lh-gate </dev/null >/dev/null; }";
        let output = Command::new("sh")
            .args(["-c", &format!("{conf}\n{script}")])
            .env_clear()
            .env("HOME", home.path(""))
            .env("LH_CONFIG_DIR", home.path(""))
            .env("PATH", format!("{}:/usr/bin:/bin", Path::new(&bin).parent().unwrap().display()))
            .current_dir(home.path(""))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(says), "{script}: {said}");
        assert!(!says.is_empty() || output.status.code() == Some(65), "{script}: {said}");
        for line in said.lines() {
            let (tool, what) = line.split_once(": ").unwrap_or_default();
            assert!(tool.starts_with("lh-") && !what.is_empty() && !what.ends_with('.'), "{script}: {line}");
            let is_word = |word: &&&str| {
                let (first, last) = (word.starts_with(char::is_alphanumeric), word.ends_with(char::is_alphanumeric));
                line.match_indices(**word).any(|(at, _)| {
                    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
                    let before = line[..at].chars().next_back();
                    let behind = line[at + word.len()..].chars().next();
                    !(first && letter(before) || last && letter(behind))
                })
            };
            assert_eq!(RUST.iter().find(is_word), None, "{script}: {line}");
        }
        assert_eq!(said.lines().count(), 1, "{script}: {said}");
    }
}

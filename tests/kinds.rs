//! Kind by kind: each pair of options of a tool works together or is refused by name, and each kind of input
//! has its status and its word. What a tool gets a new option or input for is to be decided here.

use crate::home::{Home, binary, line, tools};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

/// Nothing here takes longer, however many tests run beside it.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a call printed, said and left behind.
struct Ran<'a> {
    home: &'a Home,
    status: Option<i32>,
    out: String,
    said: String,
    /// What the settings were.
    before: [String; 3],
}

/// One option of a tool: how it is given, and what shows that it was heeded.
struct Known {
    tool: &'static str,
    option: &'static str,
    given: &'static [&'static str],
    heeded: fn(&Ran) -> bool,
}

const fn known(
    tool: &'static str,
    option: &'static str,
    given: &'static [&'static str],
    heeded: fn(&Ran) -> bool,
) -> Known {
    Known { tool, option, given, heeded }
}

/// Options that only say more, where there is nothing more to say.
fn says_more(_: &Ran) -> bool {
    true
}

/// What is printed, if anything, is records.
fn is_record(ran: &Ran) -> bool {
    ran.out.lines().all(|line| line.starts_with("{\"type\":"))
}

/// The same of lines for people.
fn is_line(ran: &Ran) -> bool {
    !ran.out.contains("{\"type\":")
}

const OPTIONS: &[Known] = &[
    known("lh-messages", "all", &["-a"], |ran| ran.out.contains("\"role\":\"tool\"")),
    known("lh-messages", "count", &["-c"], |ran| ran.out.contains("\"type\":\"count\"")),
    known("lh-messages", "json", &["--json"], is_record),
    known("lh-messages", "text", &["--text"], is_line),
    known("lh-gate", "queue", &["--queue"], |ran| ran.out.contains("\"session\",\"session_id\":\"aaaaaaaa-thin\"")),
    known("lh-gate", "force", &["-f"], |ran| ran.out.contains("\"session\",\"session_id\":\"bbbbbbbb-just-queued\"")),
    known("lh-gate", "json", &["--json"], is_record),
    known("lh-gate", "text", &["--text"], is_line),
    known("lh-gate", "refused", &["--refused"], |ran| ran.out.contains("\"reason\":\"no_transcript\"")),
    known("lh-gate", "verbose", &["-v"], |ran| ran.said.contains("cccccccc-gone: no_transcript: ")),
    known("lh-enqueue", "dry-run", &["-n"], |ran| !ran.home.path(".claude/queue/.since").exists()),
    known("lh-enqueue", "json", &["--json"], is_record),
    known("lh-enqueue", "text", &["--text"], is_line),
    known("lh-enqueue", "verbose", &["-v"], |ran| ran.said.contains("queued")),
    known("lh-dequeue", "enabled", &["--enabled"], |ran| !ran.home.path("ran").exists()),
    known("lh-dequeue", "json", &["--json"], is_record),
    known("lh-dequeue", "text", &["--text"], is_line),
    known("lh-dequeue", "list", &["-l"], |ran| ran.out.contains("\"status\":\"failed\"")),
    known("lh-dequeue", "retry", &["-r", "aaaaaaaa"], |ran| ran.out.contains("\"task\"")),
    known("lh-dequeue", "all-failed", &["--all-failed"], |ran| ran.out.contains("\"task\"")),
    known("lh-dequeue", "wait", &["--wait", "aaaaaaaa"], |ran| ran.said.contains("given up")),
    known("lh-dequeue", "verbose", &["-v"], says_more),
    known("lh-summarize", "dry-run", &["-n"], |ran| ran.status == Some(0)),
    known("lh-summarize", "brief", &["--brief"], |ran| ran.out.chars().count() <= 500),
    known("lh-summarize", "enabled", &["--enabled"], |ran| ran.out.is_empty() && ran.status == Some(0)),
    known("lh-summarize", "progress", &["--progress"], |ran| ran.out.is_empty()),
    known("lh-summarize", "missing", &["--missing"], |ran| ran.out.is_empty()),
    known("lh-redact", "check", &["-c", "folder"], |ran| ran.out.contains("\"type\":\"secret\"")),
    known("lh-redact", "fix", &["--fix"], |ran| !ran.home.read("folder/x").contains("ghp_")),
    known("lh-redact", "json", &["--json"], is_record),
    known("lh-redact", "text", &["--text"], is_line),
    known("lh-detach", "guard", &["-g", "0"], |ran| ran.out == "said\n"),
    known("lh-detach", "lock", &["-l", "one.lock"], |ran| ran.home.path("one.lock").exists()),
    known("lh-detach", "output", &["-o", "out.log"], |ran| until(|| ran.home.read("out.log") == "said\n")),
    known("lh-setup", "brief", &["--brief"], |ran| {
        ran.out.contains("\n+Run `lh-brief` in") || ran.home.path(".claude/commands/lh-brief.md").exists()
    }),
    known("lh-setup", "config", &["--config", "engine", "auto"], |ran| {
        ran.out.contains("compound_loop.engine = \"auto\"") || ran.out.contains("\n+engine = \"auto\"\n")
    }),
    known("lh-setup", "migrate", &["-m"], |ran| ran.took_out("context-inject")),
    known("lh-setup", "move-memory", &["--move-memory"], |ran| ran.said.contains("no memory is to be moved")),
    known("lh-setup", "dry-run", &["-n"], |ran| {
        let says = ran.out.contains("+++ ") || ran.said.contains("no memory is to be moved");
        says && ran.before == ran.home.all_settings()
    }),
    known("lh-setup", "project", &["-p"], |ran| {
        ran.before[0] == ran.home.all_settings()[0] && !ran.out.contains("+++ ../.claude")
    }),
    known("lh-setup", "renamed-from", &["--renamed-from", "x.y/z"], |ran| {
        ran.said.contains("/memory/x.y/z") || ran.out.contains("/memory/x.y/z")
    }),
    known("lh-setup", "schedule", &["-s"], |ran| {
        ran.out.contains("+++ crontab") || ran.home.read("tab").contains("lh-weekly")
    }),
    known("lh-setup", "scope", &["--scope", "shared"], |ran| {
        let config = ran.home.read(".config/lazy-harness/config.toml");
        config.contains("\nscope = \"shared\"\n") || ran.out.contains("\n+scope = \"shared\"\n")
    }),
    known("lh-setup", "skill", &["--skill"], |ran| {
        ran.out.contains("\n+name: lh-recall\n") || ran.home.path(".claude/skills/lh-recall/SKILL.md").exists()
    }),
    known("lh-setup", "uninstall", &["-u"], |ran| ran.took_out("lh-hook-stop")),
    known("lh-setup", "yes", &["-y"], says_more),
];

/// Pairs of which one would silently win.
const APART: &[(&str, &str, &str)] = &[
    ("lh-redact", "json", "text"),
    ("lh-dequeue", "json", "text"),
    ("lh-enqueue", "json", "text"),
    ("lh-gate", "json", "text"),
    ("lh-messages", "json", "text"),
    ("lh-messages", "all", "count"),
    ("lh-dequeue", "enabled", "list"),
    ("lh-dequeue", "enabled", "retry"),
    ("lh-dequeue", "enabled", "all-failed"),
    ("lh-dequeue", "list", "retry"),
    ("lh-dequeue", "list", "all-failed"),
    ("lh-dequeue", "retry", "all-failed"),
    ("lh-dequeue", "enabled", "wait"),
    ("lh-dequeue", "list", "wait"),
    ("lh-dequeue", "retry", "wait"),
    ("lh-dequeue", "all-failed", "wait"),
    ("lh-summarize", "dry-run", "progress"),
    ("lh-summarize", "brief", "progress"),
    ("lh-detach", "guard", "lock"),
    ("lh-detach", "guard", "output"),
    ("lh-setup", "brief", "project"),
    ("lh-setup", "brief", "uninstall"),
    ("lh-setup", "migrate", "project"),
    ("lh-setup", "migrate", "uninstall"),
    ("lh-setup", "brief", "config"),
    ("lh-setup", "config", "migrate"),
    ("lh-setup", "config", "move-memory"),
    ("lh-setup", "config", "project"),
    ("lh-setup", "config", "renamed-from"),
    ("lh-setup", "config", "schedule"),
    ("lh-setup", "config", "scope"),
    ("lh-setup", "config", "skill"),
    ("lh-setup", "config", "uninstall"),
    ("lh-setup", "config", "yes"),
    ("lh-setup", "brief", "move-memory"),
    ("lh-setup", "migrate", "move-memory"),
    ("lh-setup", "move-memory", "project"),
    ("lh-setup", "move-memory", "renamed-from"),
    ("lh-setup", "move-memory", "schedule"),
    ("lh-setup", "move-memory", "scope"),
    ("lh-setup", "move-memory", "skill"),
    ("lh-setup", "move-memory", "uninstall"),
    ("lh-setup", "move-memory", "yes"),
    ("lh-setup", "renamed-from", "uninstall"),
    ("lh-setup", "schedule", "uninstall"),
    ("lh-setup", "scope", "uninstall"),
    ("lh-setup", "project", "skill"),
    ("lh-setup", "skill", "uninstall"),
];

/// Options that say nothing without another one.
const NEEDS: &[(&str, &str, &str)] = &[
    ("lh-summarize", "missing", "progress"),
    ("lh-gate", "force", "queue"),
    ("lh-redact", "fix", "check"),
    ("lh-redact", "json", "check"),
    ("lh-redact", "text", "check"),
];

/// Tools whose options are not here: tests of their own have them.
const ELSEWHERE: &[&str] = &[
    "lh-backfill", "lh-blame", "lh-brief", "lh-context", "lh-distill", "lh-doctor", "lh-done", "lh-dream",
    "lh-episode", "lh-export", "lh-find-session", "lh-forget", "lh-history", "lh-import", "lh-index", "lh-persist",
    "lh-prune", "lh-recall", "lh-report", "lh-review", "lh-select",
];

const SECRET: &str = "token ghp_16C7e42F292c6912E7710c838347Ae178B4a\n";

fn until(done: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    while !done() && begun.elapsed() < PATIENCE {
        std::thread::yield_now();
    }
    done()
}

impl Ran<'_> {
    /// Whether a word is out of the settings, or a dry run says that it would be.
    fn took_out(&self, word: &str) -> bool {
        let there = |text: &&String| !text.contains(word);
        let changed = self.before != self.home.all_settings();
        changed && self.home.all_settings().iter().any(|text| there(&text))
            || self.out.lines().any(|line| line.starts_with('-') && line.contains(word))
    }
}

impl Home {
    fn executable(&self, below: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.write(below, text);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The user's settings, the checkout's, and the crontab.
    fn all_settings(&self) -> [String; 3] {
        [".claude/settings.json", "project/.claude/settings.json", "tab"].map(|name| self.read(name))
    }

    /// The session records of transcripts.
    fn records(&self, transcripts: &[PathBuf]) -> String {
        let output = self.tool("lh-find-session").args(transcripts).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// A session of each fate.
    fn sessions(&self) -> String {
        let cwd = Path::new("/src/lh");
        let thin = self.transcript("aaaaaaaa-thin", cwd, 1);
        let queued = self.transcript("bbbbbbbb-just-queued", cwd, 4);
        self.write(".claude/queue/state/bbbbbbbb-just-queued", &format!("queued_at={}\n", jiff::Timestamp::now()));
        let gone = self.transcript("cccccccc-gone", cwd, 4);
        let records = self.records(&[thin, queued, gone.clone()]);
        fs::remove_file(gone).unwrap();
        records
    }

    /// A task that was given up and one that is due, of which the loop does not know, for it is off.
    fn tasks(&self) {
        let off = "[compound_loop]\nenabled = false\nmax_attempts = 1\n";
        self.write(".config/lazy-harness/config.toml", off);
        for (id, command) in [("aaaaaaaa-1", Some("false")), ("bbbbbbbb-2", None)] {
            let record = self.records(&[self.transcript(id, Path::new("/src/lh"), 4)]);
            assert!(self.tool("lh-enqueue").write_stdin(record).output().unwrap().status.success());
            let run = |command| self.tool("lh-dequeue").args(["--", command]).output().unwrap();
            assert!(command.is_none_or(|command| run(command).status.success()));
        }
    }

    /// Settings with a hook of the predecessor's, for a user and a checkout, and with ours if there are any.
    fn set_up(&self, ours: bool) {
        let text = "{\n  \"hooks\": {\n    \"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"lh hook context-inject\"}]}]\n  }\n}\n";
        self.write(".claude/settings.json", text);
        self.write("project/.claude/settings.json", text);
        self.write("Documents/lazy-harness-knowledge/memory/x.y/z/handoff.md", "- swim\n");
        self.write("project/.git/HEAD", "ref: refs/heads/main\n");
        self.executable(
            "fakes/crontab",
            "#!/bin/sh\ncase $1 in\n-l) cat \"$HOME/tab\" ;;\n-) cat >\"$HOME/tab\" ;;\nesac\n",
        );
        self.executable("fakes/systemctl", "#!/bin/sh\nexit 1\n");
        self.write("tab", "@daily x\n");
        for script in ["session-start", "prompt", "pre-compact", "stop", "session-end"] {
            self.executable(&format!("lh/lh-hook-{script}"), "#!/bin/sh\n");
        }
        self.executable("lh/lh-weekly", "#!/bin/sh\n");
        for place in [&[][..], &["-p"]].iter().filter(|_| ours) {
            assert!(self.setup_in_project(place).status.success());
        }
    }

    fn setup_in_project(&self, arguments: &[&str]) -> Output {
        let path = format!("{}:/usr/bin:/bin", self.path("fakes").display());
        let mut tool = self.tool("lh-setup");
        tool.args(arguments).env("LH_BIN", self.path("lh")).env("PATH", path).current_dir(self.path("project"));
        tool.timeout(PATIENCE).output().unwrap()
    }

    /// Calls a tool in a scene in which each of its options shows.
    fn call(&self, tool: &str, options: &[&str]) -> Output {
        let run = |operands: &[&str], input: &str| {
            let mut command = self.tool(tool);
            command.args(options).args(operands).write_stdin(input).timeout(PATIENCE).output().unwrap()
        };
        match tool {
            "lh-setup" => self.setup_in_project(options),
            "lh-detach" => {
                let mut command = std::process::Command::new(binary(tool));
                command.env_clear().env("HOME", self.path("")).env("PATH", "/usr/bin:/bin").current_dir(self.path(""));
                command.args(options).args(["--", "echo", "said"]);
                let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
                // While its standard input is open, a guard stays.
                let mut child = streams.spawn().unwrap();
                let life = child.stdin.take();
                let output = child.wait_with_output().unwrap();
                drop(life);
                output
            }
            "lh-messages" => run(&[self.path("tools.jsonl").to_str().unwrap()], ""),
            "lh-dequeue" if options.iter().all(|option| ["-v", "--enabled", "--json", "--text"].contains(option)) => {
                run(&["--", "touch", "ran"], "")
            }
            "lh-redact" if options.contains(&"-c") => run(&[], ""),
            "lh-gate" => run(&[], &self.sessions()),
            "lh-enqueue" => {
                let transcript = self.transcript("aaaaaaaa-1", Path::new("/src/lh"), 4);
                run(&[], &self.records(&[transcript]))
            }
            "lh-summarize" => {
                let text = line("user", "Go on with the page.", Path::new("/src/lh"), 0)
                    + &line("assistant", "Left: the second page.", Path::new("/src/lh"), 1);
                run(&[], &self.records(&[self.write(".claude/projects/-src-lh/aaaaaaaa-1.jsonl", &text)]))
            }
            _ => run(&[], SECRET),
        }
    }
}

/// A home in which a tool can be called, and what its settings were.
fn scene(tool: &str, options: &[&Known]) -> (Home, [String; 3]) {
    let home = if tool == "lh-gate" { Home::enabled("") } else { Home::new() };
    match tool {
        "lh-dequeue" => home.tasks(),
        "lh-setup" => home.set_up(options.iter().any(|known| known.option == "uninstall")),
        "lh-redact" => drop(home.write("folder/x", SECRET)),
        "lh-messages" => {
            let used = r#"{"type":"user","uuid":"u2","parentUuid":"u1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}}"#;
            let talk =
                line("user", "hello", Path::new("/src/lh"), 0) + &line("assistant", "hi", Path::new("/src/lh"), 1);
            home.write("tools.jsonl", &format!("{talk}{used}\n"));
        }
        _ => {}
    }
    let before = home.all_settings();
    (home, before)
}

/// What is wrong with a call with these options, of one tool; "" for nothing.
fn wrong(options: &[&Known]) -> String {
    let tool = options[0].tool;
    let names: Vec<&str> = options.iter().map(|known| known.option).collect();
    let given: Vec<&str> = options.iter().flat_map(|known| known.given.iter().copied()).collect();
    let (home, before) = scene(tool, options);
    let output = home.call(tool, &given);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let ran = Ran {
        home: &home,
        status: output.status.code(),
        out: text(&output.stdout),
        said: text(&output.stderr),
        before,
    };
    let refused = |one: &str, other: &str| {
        let both = [one, other].iter().all(|name| ran.said.contains(&format!("--{name}")));
        ran.status == Some(64) && both && ran.out.is_empty() && ran.said.lines().count() == 1
    };
    let apart = APART.iter().find(|(of, one, other)| *of == tool && names.contains(one) && names.contains(other));
    let needs = NEEDS.iter().find(|(of, one, other)| *of == tool && names.contains(one) && !names.contains(other));
    let fine = if let Some((_, one, other)) = apart.or(needs) {
        refused(one, other)
    } else {
        // Lines for people say it in words of their own.
        let is_seen = |known: &&&Known| !names.contains(&"text") || known.option == "text";
        let heeded = options.iter().filter(is_seen).all(|known| (known.heeded)(&ran));
        ran.status.is_some_and(|status| status <= 1) && heeded
    };
    if fine { String::new() } else { format!("{tool} {given:?}: {:?}\n{}{}", ran.status, ran.out, ran.said) }
}

#[test]
fn every_pair_of_options_works_together_or_is_refused_by_name() {
    let mut all = String::new();
    for tool in tools().iter().filter(|tool| !ELSEWHERE.contains(&tool.as_str())) {
        let of_tool: Vec<&Known> = OPTIONS.iter().filter(|known| known.tool == tool).collect();
        let help = Home::new().tool(tool).arg("--help").output().unwrap();
        let help = String::from_utf8(help.stdout).unwrap();
        let long =
            |line: &str| Some(line.strip_prefix("  ")?.get(4..)?.strip_prefix("--")?.split(' ').next()?.to_owned());
        // What follows a file does not end; the tests of messages have it.
        let is_known = |name: &String| !["help", "version", "follow"].contains(&&**name);
        let named: Vec<String> = help.lines().filter_map(long).filter(is_known).collect();
        let here: Vec<&str> = of_tool.iter().map(|known| known.option).collect();
        assert_eq!(named, here, "{tool}: each option of its help is in OPTIONS, in its order");
        for (at, one) in of_tool.iter().enumerate() {
            all += &wrong(&[one]);
            for other in &of_tool[at + 1..] {
                all += &wrong(&[one, other]);
                let apart = |(of, a, b): &(&str, &str, &str)| (*of, *a, *b) == (one.tool, one.option, other.option);
                if APART.iter().any(apart) {
                    all += &wrong(&[other, one]);
                }
            }
        }
    }
    assert!(all.is_empty(), "{all}");
}

/// A shell with our tools and scripts in a home.
fn shell(home: &Home, script: &str) -> Output {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    let tools = binary("lh-gate").parent().unwrap().to_path_buf();
    let mut command = home.run(Path::new("/bin/sh"));
    command.env("PATH", format!("{}:{}:/usr/bin:/bin", tools.display(), scripts.display()));
    command.args(["-c", script]).timeout(PATIENCE).output().unwrap()
}

/// What a call must end with: status, lines printed, words said; `*` where they do not matter.
type Row = (&'static str, i32, &'static str, &'static str);

/// Inputs of each kind. `t.jsonl` is a transcript of five lines with four messages, `s` its session record.
const INPUTS: &[Row] = &[
    ("lh-messages t.jsonl", 0, "4", ""),
    ("lh-messages t.jsonl t.jsonl", 0, "8", ""),
    ("lh-messages <t.jsonl", 0, "4", ""),
    ("cat t.jsonl | lh-messages", 0, "4", ""),
    ("cat t.jsonl | lh-messages --count", 0, "1", ""),
    ("cat t.jsonl | lh-messages --all", 0, "4", ""),
    ("cat t.jsonl | lh-messages -", 0, "4", ""),
    ("cat t.jsonl | lh-messages /dev/stdin", 0, "4", ""),
    ("gzip -dc t.gz | lh-messages /dev/fd/0", 0, "4", ""),
    ("feed t.jsonl; lh-messages fifo", 0, "4", ""),
    ("feed t.jsonl; lh-messages <fifo", 0, "4", ""),
    ("lh-messages fifo", 65, "0", "fifo: a FIFO that was not opened for writing within 2 s: start its writer first"),
    ("lh-messages fifo t.jsonl", 65, "4", "fifo: a FIFO"),
    ("feed empty; lh-messages fifo", 0, "0", ""),
    ("lh-messages folder", 65, "0", "folder' is a folder, expected a regular file"),
    ("lh-messages <folder", 74, "0", "stdin: is a directory"),
    ("zcat <t.gz | lh-messages", 0, "4", ""),
    ("zcat <t.gz | lh-messages -", 0, "4", ""),
    ("lh-messages t.gz", 65, "0", "t.gz: compressed by gzip: unpack it first, as with zcat"),
    ("lh-messages <t.gz", 65, "0", "stdin: compressed by gzip: unpack it first, as with zcat"),
    ("cat t.gz | lh-messages /dev/stdin", 65, "0", "/dev/stdin: compressed by gzip"),
    ("lh-messages binary", 65, "0", "binary: none of its "),
    ("lh-messages --count binary", 65, "0", "binary: none of its "),
    ("lh-messages <binary", 65, "0", "stdin:1: not "),
    ("lh-messages page.md", 65, "0", "page.md: none of its 2 lines is a record"),
    ("lh-messages empty", 0, "0", ""),
    ("lh-messages --count empty", 0, "1", ""),
    ("lh-messages <empty", 0, "0", ""),
    ("lh-messages nothing", 65, "0", "nothing: no such transcript"),
    ("lh-messages torn.jsonl", 0, "4", ""),
    ("cat torn.jsonl | lh-messages", 0, "4", ""),
    ("printf %s \"$(cat t.jsonl)\" | lh-messages", 0, "4", ""),
    ("(printf '\\n \\n'; cat t.jsonl) | lh-messages", 0, "4", ""),
    ("(head -c 10 t.jsonl; sleep 0; tail -c +11 t.jsonl) | lh-messages", 0, "4", ""),
    ("(cat old.jsonl t.jsonl) | lh-messages", 0, "4", ""),
    ("lh-messages <s", 0, "4", ""),
    ("cat s s | lh-messages", 0, "8", ""),
    ("(cat s; echo '{\"type\":\"other\"}') | lh-messages", 0, "5", ""),
    ("echo '{\"type\":\"other\",\"session_id\":1}' | lh-messages", 0, "1", ""),
    ("(cat s; cat t.jsonl) | lh-messages", 0, "9", ""),
    ("sed 's/t.jsonl/t.gz/' s | lh-messages", 65, "0", "t.gz: compressed by gzip"),
    ("sed 's/t.jsonl/fifo/' s | lh-messages", 65, "0", "fifo' is a FIFO, expected a regular file"),
    ("lh-gate <s", 0, "1", ""),
    ("cat s s | lh-gate", 0, "2", ""),
    ("feed s; lh-gate <fifo", 0, "1", ""),
    ("printf %s \"$(cat s)\" | lh-gate", 0, "1", ""),
    ("printf %s \"$(cat s)\" | lh-gate | cat - s | lh-gate", 0, "2", ""),
    ("lh-gate <folder", 74, "0", "standard input: is a directory"),
    ("lh-gate <t.gz", 65, "0", "stdin:1: compressed by gzip"),
    ("lh-gate <binary", 65, "0", "stdin:1: not "),
    ("lh-gate <empty", 1, "0", ""),
    ("lh-gate <t.jsonl", 1, "5", ""),
    ("printf %s \"$(cat s)\" | lh-enqueue -n", 0, "1", ""),
    ("cat s s | lh-enqueue", 0, "2", ""),
    ("lh-enqueue <empty", 0, "0", ""),
    ("lh-enqueue <folder", 74, "0", "standard input: is a directory"),
    ("lh-enqueue <t.gz", 65, "0", "stdin:1: compressed by gzip"),
    ("lh-enqueue <binary", 65, "0", "stdin:1: not "),
    ("lh-task <s", 0, "*", ""),
    ("printf %s \"$(cat s)\" | lh-task", 0, "*", ""),
    ("cat s s | lh-task", 65, "0", "lh-task: more than one record"),
    ("lh-task <empty", 65, "0", "lh-task: no task record on standard input"),
    ("lh-task <t.gz", 65, "0", "compressed by gzip"),
    ("lh-task <binary", 65, "0", "stdin:1: not "),
    ("lh-task <folder", 74, "0", "lh-task: standard input cannot be read"),
    ("lh-summarize <s", 0, "*", ""),
    ("printf %s \"$(cat s)\" | lh-summarize", 0, "*", ""),
    ("cat s s >ss; lh-summarize <ss", 65, "0", "stdin: more than one JSON object: expected one payload or record"),
    ("lh-summarize <empty", 1, "0", ""),
    ("lh-summarize <folder", 74, "0", "standard input: is a directory"),
    ("lh-summarize <t.gz", 65, "0", "stdin: "),
    ("lh-summarize <binary", 65, "0", "stdin: "),
    ("cat s s >ss; lh-find-session <ss", 65, "0", "stdin: more than one JSON object"),
    ("lh-redact <page.md", 0, "2", ""),
    ("printf 'no newline' | lh-redact", 0, "1", ""),
    ("lh-redact <empty", 0, "0", ""),
    ("lh-redact <binary", 0, "*", ""),
    ("lh-redact <t.gz", 65, "0", "stdin: compressed by gzip"),
    ("lh-redact <folder", 74, "0", "standard input: is a directory"),
    ("lh-redact --check t.gz", 65, "0", "t.gz: compressed by gzip"),
    ("lh-redact --check nothing", 65, "0", "nothing: no such folder"),
    ("lh-redact --check fifo", 65, "0", "fifo' is a FIFO, expected a regular file"),
    ("lh-redact --check empty", 0, "0", ""),
    ("lh-detach -g 99 -- true", 64, "0", "--guard 99: expected the number of a descriptor that is"),
    ("lh-detach -g x -- true", 64, "0", "--guard x: expected the number of a descriptor that is"),
    ("lh-detach -g 0 -- true <folder", 64, "0", "--guard 0: "),
    ("lh-detach -l folder -- true", 65, "0", "folder' is a folder, expected"),
    ("lh-detach -l fifo -- true", 65, "0", "fifo' is a FIFO, expected"),
    ("lh-hook-stop <folder", 0, "0", ""),
    ("cat s s | lh-hook-stop", 0, "0", ""),
    ("lh-hook-pre-compact <t.gz", 0, "0", ""),
    ("cat s s | lh-hook-session-start", 0, "*", ""),
];

/// Writes a file into the FIFO, for some seconds at most.
const FEED: &str = "feed() { timeout 10 sh -c \"cat $1 >fifo\" >/dev/null 2>&1 & }";

#[test]
fn every_kind_of_input_has_its_status_and_its_word() {
    let home = Home::new();
    let cwd = Path::new("/src/lh");
    let prompt = "Please read the page, and say what is wrong with it, at some length. ".repeat(5);
    let turns =
        [("user", &*prompt), ("assistant", "It is."), ("user", "Go on."), ("assistant", "Left: the second page.")];
    let text: String = turns.iter().enumerate().map(|(at, (who, text))| line(who, text, cwd, at)).collect();
    let text = format!("{{\"type\":\"mode\",\"mode\":\"normal\",\"sessionId\":\"5e55\"}}\n{text}");
    home.write("t.jsonl", &text);
    home.write("s", &home.records(&[home.path("t.jsonl")]));
    home.write("torn.jsonl", &format!("{text}{{\"type\":\"user\",\"message\":{{\"cont"));
    home.write("old.jsonl", "{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"u9\"}\n");
    home.write("empty", "");
    home.write("page.md", "# A page\nof prose\n");
    let bytes: Vec<u8> = (0..=255_u8).cycle().take(100_000).collect();
    fs::write(home.path("binary"), bytes).unwrap();
    fs::create_dir(home.path("folder")).unwrap();
    let made = shell(&home, "gzip <t.jsonl >t.gz");
    assert!(made.status.success(), "{made:?}");
    let mut wrong = String::new();
    for (command, status, lines, words) in INPUTS {
        // A writer that waits for a reader in vain holds nobody up.
        let output = shell(&home, &format!("{FEED}; rm -f fifo; mkfifo fifo; {command}"));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let printed = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
        let fine = output.status.code() == Some(*status)
            && (*lines == "*" || *lines == printed.to_string())
            && if words.is_empty() { said.is_empty() } else { said.contains(words) && said.lines().count() == 1 };
        if !fine {
            let _ = write!(wrong, "$ {command}\n{:?}, {printed} lines\n{said}", output.status.code());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_transcript_in_a_pipe_is_its_sessions() {
    let home = Home::new();
    let cwd = Path::new("/src/lh");
    let named =
        |id: &str, number| line("user", "hello", cwd, number).replacen('{', &format!("{{\"sessionId\":\"{id}\","), 1);
    let plain = |number| line("user", "hello", cwd, number);
    for (what, text, id) in [
        ("the first record", named("5e55", 0), "5e55"),
        ("a later one", plain(0) + &named("5e55", 1) + &named("other", 2), "5e55"),
        ("none", plain(0), "stdin"),
        ("a long first record", named("5e55", 0).replace("hello", &"x".repeat(1 << 20)), "5e55"),
    ] {
        let output = home.tool("lh-messages").arg("--count").write_stdin(text.clone()).output().unwrap();
        let count: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (count["session_id"].as_str(), count["source_size_bytes"].as_u64()),
            (Some(id), Some(text.len() as u64)),
            "{what}"
        );
    }
}

/// The scripts that are installed beside the tools.
fn scripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_ours = |path: &PathBuf| {
        path.file_name().unwrap().to_str().unwrap().starts_with("lh") && !path.ends_with("lh-preamble")
    };
    entries.filter(is_ours).collect()
}

#[test]
fn every_script_answers_help_and_version_and_refuses_what_it_does_not_know() {
    let mut wrong = String::new();
    for path in scripts() {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        for (argument, status, begins) in [
            ("--help", 0, format!("{name} - ")),
            ("-h", 0, format!("{name} - ")),
            ("--version", 0, format!("{name} (lh) ")),
            ("-V", 0, format!("{name} (lh) ")),
            ("--no-such-option", 64, format!("{name}: un")),
            ("no-such-operand", 64, String::new()),
        ] {
            // What it is given is what it writes down.
            if name == "lh-remember" && argument == "no-such-operand" {
                continue;
            }
            let home = Home::enabled("");
            let said = |output: &Output| {
                String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
            };
            // What the list that it chooses from does not know.
            let begins = if name == "lh-pick" { begins.replace("lh-pick: un", "lh-recall: un") } else { begins };
            let begins = if name == "lh" && argument.starts_with("--v") { "lh (lh) ".to_owned() } else { begins };
            let output = home.run(&path).arg(argument).timeout(PATIENCE).output().unwrap();
            let there = fs::read_dir(home.path("")).unwrap().count();
            if output.status.code() != Some(status) || !said(&output).starts_with(&begins) || there != 1 {
                let _ =
                    write!(wrong, "{name} {argument}: {:?}, {there} files\n{}", output.status.code(), said(&output));
            }
        }
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let home = Home::new();
        let mut command = std::process::Command::new(&path);
        command
            .env_clear()
            .env("HOME", home.path(""))
            .env("PATH", "/usr/bin:/bin")
            .env("LH_BIN", binary("lh-gate").parent().unwrap());
        let status = command.arg("--help").stdout(full).stderr(Stdio::null()).status().unwrap();
        if status.code() != Some(74) {
            let _ = writeln!(wrong, "{name} --help >/dev/full: {status}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

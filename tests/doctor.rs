//! lh-doctor: each way to break an installation turns its own line red and no other.

use crate::home::{Home, binary, tools};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

/// An installation in a home of its own in which all is well.
pub struct Patient {
    pub home: Home,
    pub env: BTreeMap<&'static str, String>,
    /// Words before each command.
    user: Vec<&'static str>,
}

const ID: &str = "11111111-1111-4111-8111-111111111111";

impl Patient {
    pub fn new() -> Self {
        let home = Home::new();
        let bin = home.path("bin");
        fs::create_dir_all(&bin).unwrap();
        for name in tools() {
            symlink(binary(&name), bin.join(&name)).unwrap();
        }
        // The folder of the running tool is looked into, too: these two are here, and not behind a link.
        for name in ["lh-context", "lh-doctor"] {
            fs::remove_file(bin.join(name)).unwrap();
            // By another process: while a file is open for writing in this one, nothing can run it.
            assert!(Command::new("cp").arg(binary(name)).arg(bin.join(name)).status().unwrap().success());
        }
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
        for entry in fs::read_dir(scripts).unwrap().flatten() {
            if entry.file_name().to_string_lossy().starts_with("lh-") {
                symlink(entry.path(), bin.join(entry.file_name())).unwrap();
            }
        }
        let mut patient = Self { home, env: BTreeMap::new(), user: Vec::new() };
        patient.set("PATH", "/usr/bin:/bin");
        patient.set("LH_BIN", bin.to_str().unwrap());
        patient.config("engine = \"extract\"");
        assert!(patient.run("lh-setup", &["-y"]).status.success());
        patient.session(ID);
        patient.home.write(".claude/logs/hooks.log", "x\n");
        for file in ["logs/hooks.log", "logs"] {
            let path = patient.home.path(".claude").join(file);
            let mode = if path.is_dir() { 0o700 } else { 0o600 };
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
        patient
    }

    /// A session that the hooks saw to its end.
    pub fn session(&self, id: &str) {
        let transcript = self.home.transcript(id, "/src/app".as_ref(), 4);
        let file = fs::File::options().append(true).open(&transcript).unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(60)).unwrap();
        let payload = json!({"session_id": id, "transcript_path": transcript, "cwd": "/src/app"}).to_string();
        let record = self.home.tool("lh-find-session").write_stdin(payload).output().unwrap().stdout;
        for tool in ["lh-enqueue", "lh-export"] {
            assert!(self.home.tool(tool).write_stdin(record.clone()).output().unwrap().status.success());
        }
        let worked = self.run("lh-worker", &[]);
        assert!(worked.status.success(), "{worked:?}");
    }

    pub fn set(&mut self, name: &'static str, value: &str) {
        self.env.insert(name, value.to_owned());
    }

    pub fn config(&self, text: &str) {
        let knowledge = self.home.path("knowledge");
        let text = format!(
            "[knowledge]\npath = \"{}\"\n[compound_loop]\nenabled = true\nmin_user_chars = 10\n{text}\n",
            knowledge.display()
        );
        self.home.write(".config/lazy-harness/config.toml", &text);
    }

    fn settings(&self, change: impl Fn(String) -> String) {
        let path = self.home.path(".claude/settings.json");
        fs::write(&path, change(fs::read_to_string(&path).unwrap())).unwrap();
    }

    fn program(&self, name: &str, text: &str) {
        let path = self.home.path("bin").join(name);
        let _ = fs::remove_file(&path);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Makes a file so many hours old.
    fn age(&self, name: &str, hours: u64) {
        let file = fs::File::options().append(true).open(self.home.path(name)).unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(hours * 3600)).unwrap();
    }

    fn run(&self, name: &str, args: &[&str]) -> std::process::Output {
        self.command(name).args(args).output().unwrap()
    }

    pub fn command(&self, name: &str) -> Command {
        let program = self.home.path("bin").join(name);
        let mut words = self.user.iter().map(std::ffi::OsString::from).chain([program.into_os_string()]);
        let mut command = Command::new(words.next().unwrap());
        command.args(words);
        command.env_clear().env("HOME", self.home.path("")).env("TMPDIR", self.home.path("")).env("TZ", "UTC");
        command.envs(&self.env).current_dir(self.home.path(""));
        command
    }

    /// The red lines: name, what is said, what is to do.
    pub fn red(&self) -> Vec<(String, String, String)> {
        let output = self.run("lh-doctor", &["--json"]);
        assert!(output.stderr.is_empty(), "{output:?}");
        let records = String::from_utf8(output.stdout).unwrap();
        let records: Vec<Value> = records.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let text = |record: &Value, name: &str| record[name].as_str().unwrap_or_default().to_owned();
        let red: Vec<_> = records
            .iter()
            .filter(|record| record["state"] == "bad")
            .map(|record| (text(record, "name"), text(record, "says"), text(record, "todo")))
            .collect();
        assert_eq!(output.status.code(), Some(i32::from(!red.is_empty())));
        red
    }
}

/// Breaks one thing; then its line is red, alone, names the thing and says what to do.
fn breaks(line: &str, word: &str, harm: impl Fn(&mut Patient)) {
    let mut patient = Patient::new();
    harm(&mut patient);
    let red = patient.red();
    assert_eq!(red.iter().map(|(name, _, _)| name.as_str()).collect::<Vec<_>>(), [line], "{red:?}");
    assert!(red[0].1.contains(word), "{red:?}");
    assert!(!red[0].2.is_empty(), "{red:?}");
}

macro_rules! broken {
    ($($name:ident: $line:literal, $word:literal, $harm:expr;)*) => { $(#[test] fn $name() { breaks($line, $word, $harm); })* };
}

broken! {
    memory_is_not_where_the_scope_says: "places", "1 folders have memory that belongs elsewhere", |patient| {
        let text = patient.home.read(".config/lazy-harness/config.toml");
        patient.home.write(".config/lazy-harness/config.toml", &format!("{text}\n[memory]\nscope = \"store\"\n"));
        patient.home.write("knowledge/knowledge.toml", "");
        patient.home.write("src/tally/x", "");
        let cwd = patient.home.path("src/tally").canonicalize().unwrap();
        let memory = patient.home.transcript("eeeeeeee-1", &cwd, 1).with_file_name("memory");
        fs::create_dir_all(&memory).unwrap();
        fs::write(memory.join("progress.md"), "- swim\n").unwrap();
    };
    a_tool_is_missing: "tools", "lh-gate", |patient| fs::remove_file(patient.home.path("bin/lh-gate")).unwrap();
    a_script_is_no_program: "tools", "lh-task", |patient| {
        fs::remove_file(patient.home.path("bin/lh-task")).unwrap();
        patient.home.write("bin/lh-task", "#!/bin/sh\n");
    };
    a_tool_is_of_another_version: "tools", "0.0.9", |patient| patient.program("lh-gate", "#!/bin/sh\necho 'lh-gate (lh) 0.0.9'\n");
    the_system_is_not_on_path: "path", "mktemp", |patient| {
        for name in ["sh", "cat", "mkdir", "rm", "sleep", "tail", "head", "sed", "grep"] {
            symlink(Path::new("/bin").join(name), patient.home.path("bin").join(name)).unwrap();
        }
        let path = patient.home.path("bin");
        patient.set("PATH", path.to_str().unwrap());
    };
    the_configuration_does_not_parse: "config", "config.toml:1:", |patient| { patient.home.write(".config/lazy-harness/config.toml", "[compound_loop\n"); };
    a_key_is_misspelt: "config", "enabeld", |patient| patient.config("engine = \"extract\"\nenabeld = true");
    the_loop_is_off: "loop", "off", |patient| {
        let path = patient.home.path(".config/lazy-harness/config.toml");
        fs::write(&path, fs::read_to_string(&path).unwrap().replace("enabled = true", "enabled = false")).unwrap();
    };
    a_hook_is_missing: "settings", "PreCompact", |patient| patient.settings(|text| text.replace("\"PreCompact\"", "\"Other\"").replace("lh-hook-pre-compact", "true"));
    the_settings_do_not_parse: "settings", "settings.json: ", |patient| patient.settings(|text| text.replace(']', ""));
    a_stop_that_failed_is_not_hooked: "settings", "StopFailure has no hook lh-hook-stop", |patient| {
        patient.program("claude", "#!/bin/sh\necho '2.1.331 (Claude Code)'\n");
        let path = format!("{}:/usr/bin:/bin", patient.home.path("bin").display());
        patient.set("PATH", &path);
    };
    a_hook_leads_nowhere: "settings", "is not a program", |patient| patient.settings(|text| text.replace("bin/lh-hook-stop", "gone/lh-hook-stop"));
    a_hook_is_doubled: "settings", "2 of lh-hook-stop", |patient| patient.settings(|text| {
        let at = text.find("\"Stop\": [").unwrap() + "\"Stop\": [".len();
        let hook = format!("{{\"hooks\": [{{\"type\": \"command\", \"command\": \"{}\"}}]}},", patient.home.path("bin/lh-hook-stop").display());
        format!("{}{hook}{}", &text[..at], &text[at..])
    });
    hooks_are_disabled: "settings", "disableAllHooks", |patient| patient.settings(|text| text.replacen('{', "{\"disableAllHooks\": true,", 1));
    hooks_are_disabled_here: "settings", "settings.local.json: disableAllHooks", |patient| {
        patient.home.write(".claude/settings.local.json", "{\"disableAllHooks\": true}");
    };
    hooks_think_that_they_are_a_models: "loop", "LH_DEPTH", |patient| patient.set("LH_DEPTH", "1");
    what_is_open_is_too_large: "memory", "handoff.md: larger than", |patient| grown(patient, "handoff.md", 2 << 20);
    the_clients_index_is_too_large: "memory", "MEMORY.md: larger than", |patient| grown(patient, "MEMORY.md", 17 << 20);
    the_state_is_no_folder: "memory", ".state", |patient| {
        let state = patient.home.path(".claude/projects/-src-app/memory/.state");
        let _ = fs::remove_dir_all(&state);
        fs::write(&state, "x").unwrap();
        fs::set_permissions(state, fs::Permissions::from_mode(0o600)).unwrap();
    };
    the_logs_lead_nowhere: "links", "logs leads nowhere", |patient| {
        fs::remove_dir_all(patient.home.path(".claude/logs")).unwrap();
        symlink(patient.home.path("gone"), patient.home.path(".claude/logs")).unwrap();
    };
    the_predecessor_is_still_there: "others", "lh hook compound-loop", |patient| patient.settings(|text| {
        let hook = "\"SubagentStop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"lh hook compound-loop\"}]}],";
        text.replacen("\"hooks\": {", &format!("\"hooks\": {{{hook}"), 1)
    });
    an_old_hook_of_before_is_left: "others", "Stop: /v/bin/python3 /v/lazy_harness/hooks/builtins/compound_loop.py", |patient| patient.settings(|text| {
        let hook = "{\"hooks\": [{\"type\": \"command\", \"command\": \"/v/bin/python3 /v/lazy_harness/hooks/builtins/compound_loop.py\"}]},";
        text.replacen("\"Stop\": [", &format!("\"Stop\": [{hook}"), 1)
    });
    hooks_are_in_the_plugin_too: "settings", "settings.json and in the plugin lh@lh-memory, so all is kept twice: take those out with 'lh-setup', or these with 'claude plugin uninstall lh@lh-memory'", |patient| patient.home.plugin(".claude/settings.json", true);
    hooks_of_the_plugin_find_no_script: "settings", "the plugin lh@lh-memory: SessionStart: lh-hook-session-start is not a program", |patient| {
        patient.home.write(".claude/settings.json", "{}");
        patient.home.plugin(".claude/settings.json", true);
        fs::remove_dir_all(patient.home.path(".claude/plugins/cache/lh-memory/lh/0.2.0/bin")).unwrap();
    };
    the_checkout_remembers_too: "others", ".claude/settings.local.json: Stop: uv run", |patient| { patient.home.write(".claude/settings.local.json", OLD_HOOK); };
    the_model_is_missing: "model", "claude: not on PATH", |patient| patient.config("engine = \"claude\"");
    the_predecessors_model_is_not_named: "model", "backend = \"ollama\"", |patient| patient.config("backend = \"ollama\"");
    the_command_is_missing: "model", "no-such-model", |patient| patient.config("engine = \"command\"\ncommand = \"no-such-model -x\"");
    the_budget_is_spent: "budget", "USD spent", |patient| {
        let now = fs::metadata(patient.home.path(".claude/logs/hooks.log")).unwrap().modified().unwrap();
        let seconds = now.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        let ts = Command::new("date").args(["-u", "+%Y-%m-%dT%H:%M:%SZ", "-d", &format!("@{seconds}")]).output().unwrap();
        let ts = String::from_utf8(ts.stdout).unwrap();
        let path = patient.home.write(".claude/logs/llm.jsonl", &format!("{}\n", json!({"ts": ts.trim(), "type": "call", "result": "ok", "cost_usd": 9.0})));
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    };
    a_file_is_no_task: "queue", "x.task", |patient| task(patient, "queue/1-x.task", "rubbish\n");
    a_task_was_given_up: "failed", "no answer", |patient| task(patient, "queue/failed/1-x.task", "session_jsonl=/x/y.jsonl\nlast_error=no answer\n");
    no_hook_fires: "hooks", "the last hook ran", |patient| {
        patient.age(".claude/logs/hooks.log", 20);
        patient.age(&format!(".claude/projects/-src-app/{ID}.jsonl"), 2);
    };
    no_hook_ever_fired: "hooks", "none ever ran", |patient| {
        fs::remove_file(patient.home.path(".claude/logs/hooks.log")).unwrap();
        patient.age(&format!(".claude/projects/-src-app/{ID}.jsonl"), 2);
        patient.age(".claude/settings.json", 20);
    };
    a_hook_is_a_dead_copy: "settings", "is another lh-hook-stop", |patient| {
        patient.home.write("old/lh-hook-stop", "#!/bin/sh\nexit 1\n");
        fs::set_permissions(patient.home.path("old/lh-hook-stop"), fs::Permissions::from_mode(0o755)).unwrap();
        patient.settings(|text| text.replace("bin/lh-hook-stop", "old/lh-hook-stop"));
    };
    a_hook_is_at_the_wrong_event: "settings", "in place of lh-hook-stop", |patient| {
        patient.settings(|text| text.replace("bin/lh-hook-stop", "bin/lh-hook-pre-compact"));
    };
    another_profile_is_ill: "queue", "work", |patient| {
        let text = patient.home.read(".config/lazy-harness/config.toml");
        let other = patient.home.path("work");
        patient.home.write(".config/lazy-harness/config.toml", &format!("{text}\n[profiles.work]\nconfig_dir = \"{}\"\n", other.display()));
        fs::create_dir_all(&other).unwrap();
        fs::copy(patient.home.path(".claude/settings.json"), other.join("settings.json")).unwrap();
        patient.home.write("work/queue/1-x.task", "rubbish\n");
        for (path, mode) in [("work/queue", 0o700), ("work/queue/1-x.task", 0o600)] {
            fs::set_permissions(patient.home.path(path), fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    a_second_memory_is_wrapped: "others", "timeout 10 lh hook", |patient| patient.settings(|text| {
        let hook = "\"SubagentStop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"timeout 10 lh hook compound-loop\"}]}],";
        text.replacen("\"hooks\": {", &format!("\"hooks\": {{{hook}"), 1)
    });
    a_hook_hangs: "trip", "takes more than", |patient| patient.program("lh-context", concat!("#!/bin/sh\n[ \"$1\" != --version ] || { echo 'lh-context (lh) ", env!("CARGO_PKG_VERSION"), "'; exit; }\nsleep 100\n"));
    no_worker_runs: "worker", "no worker runs", |patient| task(patient, "queue/1-x.task", "session_jsonl=/x/y.jsonl\ntimestamp=2026-04-13T10:00:00+00:00\n");
    a_journal_is_torn: "memory", "cannot be read", |patient| {
        let path = patient.home.path(".claude/projects/-src-app/memory/decisions.jsonl");
        fs::write(&path, "{\"ts\":\n").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    };
    a_session_was_missed: "missed", "1 sessions", |patient| {
        fs::write(patient.home.path(".claude/queue/.since"), "2026-04-01T00:00:00+00:00\n").unwrap();
        let missed = patient.home.transcript("22222222-2222-4222-8222-222222222222", "/src/other".as_ref(), 3);
        let file = fs::File::options().append(true).open(missed).unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(50 * 3600)).unwrap();
    };
    others_can_read_it: "rights", "handoff.md", |patient| {
        let path = patient.home.write(".claude/projects/-src-app/memory/handoff.md", "Open:\n- x\n");
        fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    };
    others_can_see_what_is_queued: "rights", "others can read", |patient| {
        fs::set_permissions(patient.home.path(".claude/queue"), fs::Permissions::from_mode(0o755)).unwrap();
    };
    the_knowledge_folder_cannot_be: "knowledge", "not a directory", |patient| {
        let _ = fs::remove_dir_all(patient.home.path("knowledge"));
        patient.home.write("knowledge", "a file\n");
    };
    the_index_is_broken: "index", "qmd status fails", |patient| {
        patient.program("qmd", "#!/bin/sh\nexit 1\n");
        let path = format!("{}:/usr/bin:/bin", patient.home.path("bin").display());
        patient.set("PATH", &path);
    };
    what_is_open_does_not_come_out: "trip", "", |patient| patient.program("lh-context", concat!("#!/bin/sh\n[ \"$1\" != --version ] || { echo 'lh-context (lh) ", env!("CARGO_PKG_VERSION"), "'; exit; }\necho '{\"additionalContext\":\"feed the otter at noon\"}'\n"));
}

const OLD_HOOK: &str =
    r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "uv run lh hook compound-loop"}]}]}}"#;

/// Its hooks take the place of those in the settings, and are looked for where the plugin looks for them.
#[test]
fn hooks_in_the_plugin_alone_are_enough() {
    let mut patient = Patient::new();
    patient.home.plugin(".claude/settings.json", true);
    fs::remove_dir_all(patient.home.path(".claude/plugins/cache/lh-memory/lh/0.2.0/bin")).unwrap();
    fs::create_dir_all(patient.home.path(".local")).unwrap();
    symlink(patient.home.path("bin"), patient.home.path(".local/bin")).unwrap();
    assert!(patient.run("lh-setup", &["-y"]).status.success());
    assert_eq!(patient.red(), []);
    fs::remove_file(patient.home.path(".local/bin")).unwrap();
    let path = format!("{}:/usr/bin:/bin", patient.home.path("bin").display());
    patient.set("PATH", &path);
    assert_eq!(patient.red(), []);
    // In the settings of the checkout they are there a second time.
    patient.home.write("src/.git/HEAD", "");
    patient.home.write(
        "src/.claude/settings.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "lh-hook-stop"}]}]}}"#,
    );
    let output = patient.command("lh-doctor").arg("--text").current_dir(patient.home.path("src")).output().unwrap();
    let screen = String::from_utf8(output.stdout).unwrap();
    assert!(
        screen.contains("src/.claude/settings.json and in the plugin lh@lh-memory")
            && screen.contains("'lh-setup --project --uninstall'"),
        "{screen}"
    );
}

#[test]
fn hooks_of_others_are_none_of_ours() {
    let patient = Patient::new();
    // Those of lazy-harness that stay.
    let stay = [
        "lh hook engram-persist",
        "lh hook pre-tool-use-security",
        "/v/python3 /v/lazy_harness/hooks/builtins/post_tool_use_format.py",
    ];
    let groups = stay.map(|command| json!({"hooks": [{"type": "command", "command": command}]}));
    patient.settings(|text| {
        let mut settings: Value = serde_json::from_str(&text).unwrap();
        settings["hooks"]["PreToolUse"] = json!(groups);
        settings.to_string()
    });
    assert_eq!(patient.red(), []);
    let screen = String::from_utf8(patient.run("lh-doctor", &["--text"]).stdout).unwrap();
    assert!(screen.contains("3 other hooks: ") && stay.iter().all(|command| screen.contains(command)), "{screen}");
}

#[test]
fn the_brief_says_on_only_where_hooks_are() {
    let patient = Patient::new();
    let brief = || {
        let screen = String::from_utf8(patient.run("lh-doctor", &["--brief"]).stdout).unwrap();
        screen.lines().next().unwrap().strip_prefix("loop      ").unwrap().to_owned()
    };
    assert_eq!(brief(), "on");
    let good = patient.home.read(".claude/settings.json");
    let part = |what: &str| {
        format!(
            "not all is queued, {}: {what}: run lh-setup; lh-doctor says more",
            patient.home.path(".claude/settings.json").display()
        )
    };
    patient.settings(|text| text.replace("\"PreCompact\"", "\"Other\""));
    assert_eq!(brief(), part("PreCompact has no hook lh-hook-pre-compact"));
    patient.settings(|_| good.replace("bin/lh-hook-stop", "gone/lh-hook-stop"));
    assert!(brief().contains("gone/lh-hook-stop is not a program"), "{}", brief());
    patient.settings(|_| good.replacen('{', "{\"disableAllHooks\": true,", 1));
    assert_eq!(brief(), part("disableAllHooks is true"));
    patient.settings(|_| "{".to_owned());
    assert!(brief().starts_with("not all is queued, ") && brief().contains("settings.json: 1:1"), "{}", brief());
    let none = "nothing is queued, the hooks are missing: run lh-setup";
    for text in ["", "{}", "{\"hooks\": null}"] {
        patient.settings(|_| text.to_owned());
        assert_eq!(brief(), none);
    }
    fs::remove_file(patient.home.path(".claude/settings.json")).unwrap();
    assert_eq!(brief(), none);
    assert!(patient.run("lh-setup", &["-y"]).status.success());
    assert_eq!(brief(), "on");
}

/// A page of the memory becomes larger than any that is read.
const MEMORY: &str = ".claude/projects/-src-app/memory";

/// The red lines after a harm that a shell does in the memory folder; then all is as it was.
fn red_after(patient: &Patient, harm: &str) -> Vec<(String, String, String)> {
    let script = format!("set -e; cp -a ~/.claude ~/knowledge ~/kept/; cd ~/{MEMORY}; {harm}");
    fs::create_dir(patient.home.path("kept")).unwrap();
    let shell = |script: &str| Command::new("sh").args(["-c", script]).env("HOME", patient.home.path("")).status();
    assert!(shell(&script).unwrap().success(), "{harm}");
    let red = patient.red();
    assert!(
        shell("set -e; rm -r ~/.claude ~/knowledge; mv ~/kept/.claude ~/kept/knowledge ~; rm -r ~/kept")
            .unwrap()
            .success()
    );
    red
}

/// What cannot be opened stops all remembering, so it is red, and nobody is told to remove what is remembered.
#[test]
fn what_must_be_opened_is_looked_at() {
    let mut patient = Patient::new();
    for (line, name) in [
        ("memory", "decisions.jsonl"),
        ("memory", "failures.jsonl"),
        ("memory", ".state/notes.jsonl"),
        ("memory", "handoff.md"),
        ("memory", ".state/lock"),
        ("memory", ".state/handoff"),
        ("memory", ".state/filed.json"),
        ("queue", "../../../queue/.since"),
        ("queue", "../../../queue/.worker.lock"),
        ("queue", "../../../queue/state/.seeded"),
    ] {
        for (make, what) in [("mkfifo -m 600", "a FIFO"), ("mkdir -m 700", "a folder")] {
            let red = red_after(&patient, &format!("rm -f {name}; {make} {name}"));
            assert_eq!(red.iter().map(|(name, _, _)| name.as_str()).collect::<Vec<_>>(), [line], "{name}: {red:?}");
            let (_, says, todo) = &red[0];
            assert!(says.contains(what) && says.contains(name.trim_start_matches("../")), "{red:?}");
            assert!(todo.contains("move it away") && !todo.contains("remove"), "{red:?}");
        }
    }
    let red = red_after(&patient, "rm -rf .state/receipts; : >.state/receipts; chmod 600 .state/receipts");
    assert!(red.len() == 1 && red[0].0 == "memory" && red[0].1.contains("receipts"), "{red:?}");
    let Some(user) = crate::bad_input::as_another(&patient.home) else { return };
    if user != ["env"] {
        assert!(
            Command::new("chown").args(["-R", "65534:65534"]).arg(patient.home.path("")).status().unwrap().success()
        );
    }
    patient.user = user;
    assert_eq!(patient.red(), [], "another user");
    for (line, harm) in [
        ("memory", ": >decisions.jsonl; chmod 0 decisions.jsonl"),
        ("memory", ": >decisions.jsonl; chmod 400 decisions.jsonl"),
        ("memory", ": >'decisions 2.jsonl'; chmod 0 'decisions 2.jsonl'"),
        ("memory", ": >>.state/lock; chmod 0 .state/lock"),
        ("memory", ": >.state/handoff; chmod 0 .state/handoff"),
        ("memory", "mkdir -p .state/receipts; chmod 500 .state/receipts"),
        ("memory", "chmod 500 ."),
        ("queue", ": >>~/.claude/queue/.since; chmod 0 ~/.claude/queue/.since"),
        ("queue", ": >>~/.claude/queue/.worker.lock; chmod 0 ~/.claude/queue/.worker.lock"),
    ] {
        let red = red_after(&patient, harm);
        assert_eq!(red.iter().map(|(name, _, _)| name.as_str()).collect::<Vec<_>>(), [line], "{harm}: {red:?}");
    }
}

#[test]
fn a_link_that_leads_out_or_nowhere_is_red() {
    let patient = Patient::new();
    patient.home.write("out/f", "x\n");
    for harm in [
        "ln -sf nowhere decisions.jsonl",
        "ln -sf ~/out/f handoff.md",
        "ln -sf ~/out/f MEMORY.md",
        "ln -s ~/out/f i-like-tea.md",
        "rm -r .state; ln -s ~/out .state",
        "rm -rf .state/receipts; ln -s ~/out .state/receipts",
        "cd ..; rm -r memory; ln -s nowhere memory",
        "ln -s nowhere ~/.claude/queue/state/x",
        "rm -rf ~/knowledge/sessions; ln -s nowhere ~/knowledge/sessions",
        "mkdir -p ~/knowledge/sessions; ln -s ~/out ~/knowledge/sessions/2026-11",
    ] {
        let red = red_after(&patient, harm);
        assert_eq!(red.iter().map(|(name, _, _)| name.as_str()).collect::<Vec<_>>(), ["links"], "{harm}: {red:?}");
        assert!(red[0].1.contains("leads"), "{harm}: {red:?}");
    }
    assert_eq!(
        red_after(&patient, ": >.state/h.md; chmod 600 .state/h.md; ln -sf .state/h.md handoff.md; ln -s ~/out mine"),
        []
    );
}

#[test]
fn a_session_that_was_given_up_says_what_its_tool_said() {
    let patient = Patient::new();
    let mark = patient.home.path(MEMORY).join(".state/handoff");
    let _ = fs::remove_file(&mark);
    fs::create_dir_all(&mark).unwrap();
    patient.session("22222222-2222-4222-8222-222222222222");
    let red = patient.red();
    let (_, says, _) = red.iter().find(|(name, _, _)| name == "failed").unwrap();
    assert!(
        says.contains("1 given up, the last 22222222: ") && says.contains(".state/handoff' is a folder"),
        "{red:?}"
    );
}

fn grown(patient: &Patient, name: &str, bytes: usize) {
    let path =
        patient.home.write(&format!(".claude/projects/-src-app/memory/{name}"), &"- swim\n".repeat(bytes / 7 + 1));
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

fn task(patient: &Patient, name: &str, text: &str) {
    let path = patient.home.write(&format!(".claude/{name}"), text);
    fs::set_permissions(path.parent().unwrap(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn the_screen_says_what_to_do_and_nothing_is_written() {
    let patient = Patient::new();
    assert_eq!(patient.red(), [], "all is well");
    // Its list of scripts is written down: a new script must be in it.
    let scripts = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts")).unwrap().flatten();
    let is_ours = |name: &str| name.starts_with("lh-") && name != "lh-preamble";
    let scripts = scripts.filter(|entry| is_ours(&entry.file_name().to_string_lossy())).count();
    let said = String::from_utf8(patient.run("lh-doctor", &["--text"]).stdout).unwrap();
    assert!(said.contains(&format!("{} tools, {scripts} scripts", tools().len())), "{said}");
    let before = shape(&patient.home.path(""));
    let output = patient.run("lh-doctor", &["--text"]);
    let screen = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && screen.lines().count() >= 20 && !screen.contains('\u{1b}'), "{screen}");
    assert_eq!(shape(&patient.home.path("")), before);
    patient.settings(|_| "{}".to_owned());
    let output = patient.run("lh-doctor", &["--text"]);
    let screen = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(screen.contains("BAD  settings") && screen.contains("-> run lh-setup"), "{screen}");
}

#[test]
fn what_the_round_trip_started_has_ended_when_the_doctor_ends() {
    let patient = Patient::new();
    let done = patient.home.path("swept");
    patient.program("lh-sweep", &format!("#!/bin/sh\nsleep 1\n: >'{}'\n", done.display()));
    patient.run("lh-doctor", &["--text"]);
    assert!(done.exists());
    let names = fs::read_dir(patient.home.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = names.filter(|name| name.to_string_lossy().starts_with("lh-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Every file but what a check may touch.
fn shape(folder: &Path) -> Vec<String> {
    let output = Command::new("find").arg(folder).args(["-type", "f", "-printf", "%p %s %T@\n"]).output().unwrap();
    let mut lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn costs_are_told_by_day_project_and_model() {
    let patient = Patient::new();
    let line = |day: u32, model: &str, result: &str| {
        json!({"ts": format!("2026-04-{day:02}T10:00:00Z"), "type": "call", "session_id": ID, "engine": "claude", "model": model,
            "result": result, "cost_usd": 0.25, "input_tokens": 10, "output_tokens": 1})
        .to_string()
    };
    let lines = [line(12, "haiku", "ok"), line(12, "haiku", "status 1"), line(13, "haiku", "ok"), "rubbish".to_owned()];
    patient.home.write(".claude/logs/llm.jsonl", &(lines.join("\n") + "\n"));
    let output = patient.run("lh-doctor", &["--cost"]);
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
    let told: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().skip(1).map(words).collect();
    assert_eq!(told, ["2026-04-13 app haiku 1 0 11 0.2500", "2026-04-12 app haiku 2 1 22 0.5000", "all 3 1 33 0.7500"]);
}

#[test]
fn every_check_is_in_the_page() {
    let output = Patient::new().run("lh-doctor", &["--json"]);
    let records: Vec<Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let page =
        include_str!("../man/lh-doctor.1").split(".Ss The checks").nth(1).unwrap().split("\n.El").next().unwrap();
    let named: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix(".It Cm ")).collect();
    assert_eq!(records.iter().map(|record| record["name"].as_str().unwrap()).collect::<Vec<_>>(), named);
}

/// Checks that `broken!` has no row for: one is never red, the other needs a disk of its own.
const UNBROKEN: &[&str] = &["gates", "disk"];

#[test]
fn every_check_is_broken_once() {
    let own = include_str!("doctor.rs");
    let rows: Vec<&str> = own.lines().filter(|line| line.contains(", |patient|")).collect();
    let page = include_str!("../man/lh-doctor.1").split(".Ss The checks").nth(1).unwrap();
    for name in page.split("\n.El").next().unwrap().lines().filter_map(|line| line.strip_prefix(".It Cm ")) {
        let is_broken = rows.iter().any(|row| row.contains(&format!(": \"{name}\", ")));
        assert_eq!(is_broken, !UNBROKEN.contains(&name), "a row of broken! for the check {name}, or UNBROKEN");
    }
}

/// Each pair of options works together or is refused by name.
#[test]
fn no_option_wins_over_another_in_silence() {
    // With which of its options each goes, and what the reports begin with.
    let reports: [(&[&str], &str); 3] = [(&["--brief"], "loop "), (&["--cost"], "DAY "), (&["--log", "9"], "x\n")];
    let patient = Patient::new();
    let run = |options: &[&str]| {
        let output = patient.run("lh-doctor", options);
        let (out, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        (output.status.code(), out.into_owned(), said.into_owned())
    };
    for (at, (report, begins)) in reports.iter().enumerate() {
        let (status, out, said) = run(report);
        assert!(status == Some(0) && out.starts_with(begins), "{report:?}: {out}{said}");
        let others = reports.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, (other, _))| *other);
        for other in others.chain([&["--json"][..], &["-j"], &["--live"], &["-l"], &["--follow", "1"]]) {
            for pair in [[*report, other].concat(), [other, *report].concat()] {
                let (status, out, said) = run(&pair);
                let refused = said.contains(report[0]) && said.ends_with(" do not go together; see --help\n");
                assert!((status, &*out, refused) == (Some(64), "", true), "{pair:?}: {status:?} {out}{said}");
            }
        }
    }
    for (options, is_json) in [(["-j", "--live"], true), (["-l", "--text"], false), (["--json", "-j"], true)] {
        let (status, out, said) = run(&options);
        assert_eq!((status, out.starts_with('{')), (Some(0), is_json), "{options:?}: {out}{said}");
    }
    assert_eq!((run(&["-b"]).1, run(&["-c"]).1), (run(&["--brief"]).1, run(&["--cost"]).1));
    for count in ["", "x", "-1", "1.5"] {
        let (status, out, said) = run(&["--log", count]);
        assert_eq!((status, &*out), (Some(64), ""), "{count}");
        assert!(said.contains(&format!("'{count}': expected a whole number")), "{said}");
    }
}

#[test]
fn live_asks_the_model_once_and_books_it() {
    let mut patient = Patient::new();
    patient.program("claude", "#!/bin/sh\ncat >/dev/null\necho '{\"type\":\"result\",\"is_error\":false,\"result\":\"ready\",\"total_cost_usd\":0.0007}'\n");
    let path = format!("{}:/usr/bin:/bin", patient.home.path("bin").display());
    patient.set("PATH", &path);
    patient.config("engine = \"claude\"");
    let output = patient.run("lh-doctor", &["--text", "--live"]);
    let screen = String::from_utf8(output.stdout).unwrap();
    assert!(screen.contains("answered in") && screen.contains("0.0007 USD"), "{screen}");
    assert_eq!(patient.home.read(".claude/logs/llm.jsonl").lines().count(), 1);
    patient.program("claude", "#!/bin/sh\ncat >/dev/null\necho 'Not logged in'\nexit 1\n");
    let output = patient.run("lh-doctor", &["--text", "--live"]);
    assert!(String::from_utf8(output.stdout).unwrap().contains("BAD  model"));
}

#[test]
fn what_others_wrote_is_masked_and_the_index_is_left_alone() {
    let mut patient = Patient::new();
    let token = format!("ghp_{}", "0aB1cD2eF3".repeat(4).get(..36).unwrap());
    patient.settings(|text| {
        let hook = format!(
            "\"Notification\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": \"curl -H {token} x\"}}]}}],"
        );
        text.replacen("\"hooks\": {", &format!("\"hooks\": {{{hook}"), 1)
    });
    patient.program("qmd", "#!/bin/sh\n[ \"$1\" != update ] || echo updated >>\"$HOME/qmd\"\necho fine\n");
    let path = format!("{}:/usr/bin:/bin", patient.home.path("bin").display());
    patient.set("PATH", &path);
    let output = patient.run("lh-doctor", &["--text"]);
    let screen = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && !screen.contains("0aB1") && screen.contains("[redacted:"), "{screen}");
    assert!(screen.contains("ok   index      fine"), "{screen}");
    patient
        .home
        .write(".claude/logs/llm.jsonl", "{\"ts\":\"2026-04-12T10:00:00Z\",\"model\":\"\\u001b]0;x\\u0007m\"}\n");
    assert!(!patient.run("lh-doctor", &["-c"]).stdout.contains(&0x1b));
}

#[test]
fn exports_that_are_off_are_said_by_their_key() {
    let patient = Patient::new();
    patient.config("engine = \"extract\"\n[knowledge.sessions]\nenabled = false");
    assert_eq!(patient.red(), []);
    let records = String::from_utf8(patient.run("lh-doctor", &["--json"]).stdout).unwrap();
    let line = records.lines().find(|line| line.contains("\"knowledge\"")).unwrap();
    assert!(line.contains("\"note\"") && line.contains("[knowledge.sessions] enabled is false"), "{line}");
}

#[test]
fn each_tool_is_looked_for() {
    let patient = Patient::new();
    let gone: Vec<String> = tools().into_iter().filter(|name| name != "lh-doctor").collect();
    for name in &gone {
        fs::remove_file(patient.home.path("bin").join(name)).unwrap();
    }
    let said = String::from_utf8(patient.run("lh-doctor", &["--json"]).stdout).unwrap();
    assert!(said.contains(&format!("\"missing: {}\"", gone.join(", "))), "{said}");
}

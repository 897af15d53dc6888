//! lh-setup: settings that keep what is not ours, there and back; configuration, timer, questions.

mod any;
mod plugin;
mod skill;
mod takeover;
mod timer;
mod undo;

use crate::home::{Home, binary, copy_tool};
use lh::tool::setup::settings;
use serde_json::Value;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Stdio;

const SCRIPTS: [&str; 7] = [
    "lh-hook-session-start", "lh-hook-prompt", "lh-hook-pre-compact", "lh-hook-stop", "lh-hook-session-end",
    "lh-weekly", "lh-hook-tool",
];
const EVENTS: [&str; 5] = ["SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"];
const SETTINGS: &str = ".claude/settings.json";

impl Home {
    fn program(&self, below: &str, text: &str) {
        let path = self.write(below, text);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// lh-setup with scripts of its own, and neither the machine's cron nor its systemd.
    fn setup(&self, arguments: &[&str]) -> assert_cmd::Command {
        for script in SCRIPTS {
            self.program(&format!("lh/{script}"), "#!/bin/sh\n");
        }
        for program in ["crontab", "systemctl"] {
            if !self.path("fakes").join(program).exists() {
                self.program(&format!("fakes/{program}"), "#!/bin/sh\necho 'no crontab for you' >&2\nexit 1\n");
            }
        }
        let mut tool = self.tool("lh-setup");
        tool.args(arguments).env("LH_BIN", self.path("lh"));
        tool.env("PATH", format!("{}:/usr/bin:/bin", self.path("fakes").display()));
        tool
    }

    /// Its standard error; it ends with `status` and prints nothing.
    fn sets_up(&self, arguments: &[&str], status: i32) -> String {
        let output = self.setup(arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty());
        assert!(said.lines().all(|line| line.starts_with("lh-setup: ") && !line.ends_with('.')), "{said}");
        said
    }

    fn settings(&self) -> Value {
        serde_json::from_str(&self.read(SETTINGS)).unwrap()
    }

    /// The commands of an event.
    fn commands(&self, event: &str) -> Vec<String> {
        commands(&self.settings(), event)
    }

    fn names(&self, below: &str) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.path(below))
            .map(|entries| entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect())
            .unwrap_or_default();
        names.sort();
        names
    }
}

fn commands(settings: &Value, event: &str) -> Vec<String> {
    let groups = settings["hooks"][event].as_array().cloned().unwrap_or_default();
    let hooks = groups.iter().flat_map(|group| group["hooks"].as_array().cloned().unwrap_or_default());
    hooks.filter_map(|hook| hook["command"].as_str().map(str::to_owned)).collect()
}

fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// The path of an event's script, for the five that are always there.
fn wanted(event: &str) -> Option<String> {
    EVENTS.iter().zip(SCRIPTS).find(|(of, _)| **of == event).map(|(_, name)| format!("/opt/lh/{name}"))
}

fn installed(text: &str) -> String {
    settings::install(text, &wanted, false).unwrap().text
}

#[test]
fn the_five_hooks_are_put_in_once() {
    let home = Home::new();
    let said = home.sets_up(&[], 0);
    let text = home.read(SETTINGS);
    for (event, script) in EVENTS.iter().zip(SCRIPTS) {
        let command = format!("{} || :", home.path("lh").join(script).display());
        let groups = serde_json::json!([{"hooks": [{"type": "command", "command": command, "timeout": 10}]}]);
        assert_eq!(home.settings()["hooks"][event], groups, "{text}");
        assert!(said.contains(&format!("settings.json: {event}: {script} put in\n")), "{said}");
    }
    assert!(text.starts_with("{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n"), "{text}");
    assert!(text.ends_with("\n    ]\n  }\n}\n"));
    assert_eq!(home.path(SETTINGS).metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let modified = home.path(SETTINGS).metadata().unwrap().modified().unwrap();
    assert!(home.sets_up(&[], 0).contains("settings.json: nothing to change"));
    assert_eq!(home.path(SETTINGS).metadata().unwrap().modified().unwrap(), modified);
    assert_eq!((home.read(SETTINGS), home.names(".claude")), (text, vec!["settings.json".to_owned()]));
    assert!(home.sets_up(&["--uninstall"], 0).contains("settings.json: removed"));
    assert!(!home.path(SETTINGS).exists());
}

/// A rate limit ends a turn without a Stop. A client that does not know the event skips all of the settings that have it.
#[test]
fn a_stop_that_failed_is_hooked_where_the_client_knows_it() {
    let home = Home::new();
    let client = |version: &str| home.program("fakes/claude", &format!("#!/bin/sh\necho '{version}'\n"));
    for (version, knows) in
        [("2.1.100 (Claude Code)", false), ("2.1.331 (Claude Code)", true), ("no version", false), ("3.0.1", true)]
    {
        client(version);
        home.sets_up(&[], 0);
        let wanted = if knows { home.commands("Stop") } else { Vec::new() };
        assert_eq!(home.commands("StopFailure"), wanted, "{version}");
        assert_eq!(home.read(SETTINGS).contains("StopFailure"), knows, "{version}");
        assert!(home.sets_up(&[], 0).contains("settings.json: nothing to change"), "{version}");
    }
    home.sets_up(&["--uninstall"], 0);
    assert!(!home.path(SETTINGS).exists());
}

#[test]
fn the_hook_of_prompts_is_there_with_any_key() {
    let theirs = r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "say"}]}]}}"#;
    for text in ["{}", theirs] {
        let home = Home::new();
        home.write(SETTINGS, text);
        let set = |select: &str| {
            home.write(".config/lazy-harness/config.toml", &format!("[memory]\nselect = \"{select}\"\n"));
            home.sets_up(&[], 0);
            assert!(home.sets_up(&[], 0).contains("settings.json: nothing to change"), "{select}");
            home.read(SETTINGS)
        };
        let ours = |with: &str| with.matches("lh-hook-prompt").count();
        let is_theirs = |with: &str| with.matches("\"say\"").count() == text.matches("\"say\"").count();
        // Without memories it tells what is known of a skill.
        for select in ["rank", "off", "rank"] {
            let with = set(select);
            let hook = home.commands("UserPromptSubmit").concat();
            assert!(ours(&with) == 1 && is_theirs(&with) && ours(&hook) == 1, "{select}: {with}");
        }
        home.sets_up(&["--uninstall"], 0);
        assert_eq!(home.read(SETTINGS), text);
    }
}

#[test]
fn the_hook_of_tools_is_there_while_it_is_switched_on() {
    let home = Home::new();
    let client = |version: &str| home.program("fakes/claude", &format!("#!/bin/sh\necho '{version}'\n"));
    let set = |at_tool: bool| {
        home.write(".config/lazy-harness/config.toml", &format!("[memory]\nat_tool = {at_tool}\n"));
        home.sets_up(&[], 0);
        assert!(home.sets_up(&[], 0).contains("settings.json: nothing to change"), "{at_tool}");
        ["PreToolUse", "PostToolUseFailure"].map(|event| home.commands(event).len())
    };
    client("2.1.331 (Claude Code)");
    assert_eq!(set(false), [0, 0]);
    assert_eq!(set(true), [1, 1]);
    let hooks = &home.settings()["hooks"];
    assert_eq!(hooks["PreToolUse"][0]["matcher"], "Edit|Write|MultiEdit|NotebookEdit");
    assert_eq!(hooks["PostToolUseFailure"][0]["matcher"], "Bash");
    assert_eq!(set(false), [0, 0]);
    // An older client skips a file with an event that it does not know.
    client("2.1.100 (Claude Code)");
    assert_eq!(set(true), [1, 0]);
    home.sets_up(&["--uninstall"], 0);
    assert!(!home.path(SETTINGS).exists());
}

#[test]
fn whatever_else_stands_there_keeps_its_bytes() {
    let texts = [
        "{}",
        "{\n}\n",
        "{ }",
        "{\"a\":1}",
        "{ \"a\": 1 }\n",
        "{\n\t\"n\": 12345678901234567890123,\n\t\"x\": 1e5,\t\"y\": 1.0,\n\t\"s\": \"\\u00f1\\/\"\n}",
        "{\r\n    \"a\": {\"b\": [1, 2]},\r\n    \"c\": null\r\n}\r\n",
        "\u{feff}{\n  \"a\": 1\n}\n",
        "// head\n{\n  // one\n  \"a\": 1, // beside\n  /* two */ \"b\": [1, 2,], // last\n  // end\n}\n// tail",
        "{\n  \"a\": 1 // beside\n}\n",
        "{\"a\": 1 // beside\n}\n",
        "{ // nothing\n}\n",
        "{/* nothing */}",
        "{\n  \"b\": 1\n  ,\"a\": 2\n}\n",
        "\n\n  {\n    \"a\": 1,\n  }",
    ];
    for text in texts {
        let home = Home::new();
        home.write(SETTINGS, text);
        home.sets_up(&[], 0);
        let with = home.read(SETTINGS);
        let hooked = settings::hooked(&with).unwrap();
        assert_eq!(hooked.iter().map(|hook| hook.event.as_str()).collect::<Vec<_>>(), EVENTS, "{with}");
        assert_eq!(with.contains("\r\n"), text.contains("\r\n"));
        assert_eq!(
            with.matches('\n').count() > with.matches("\r\n").count(),
            with.contains('\n') && !text.contains('\r')
        );
        assert_eq!(home.read(".claude/settings.json.lh-backup"), text);
        home.sets_up(&["-u"], 0);
        assert_eq!(home.read(SETTINGS), text, "{with}");
        assert_eq!(home.read(".claude/settings.json.lh-backup.1"), with);
    }
}

#[test]
fn the_layout_of_the_file_is_taken_up() {
    let tabs = installed("{\n\t\"a\": 1\n}\n");
    assert!(tabs.contains("\n\t\"hooks\": {\n\t\t\"SessionStart\": [\n\t\t\t{\n"), "{tabs}");
    let commas = installed("{\n    \"a\": 1, // one\n    // end\n}\n");
    let begins = "{\n    \"a\": 1, // one\n    // end\n    \"hooks\": {\n        \"SessionStart\": [";
    assert!(commas.starts_with(begins) && commas.ends_with("\n    },\n}\n"), "{commas}");
    // A file of one line gets lines, and loses them again.
    let other = r#"{"hooks": {"Stop": [{"matcher": "", "hooks": [{"type": "command", "command": "notify"}]}]}}"#;
    let both = installed(other);
    assert!(both.contains("\"command\": \"notify\"}]},\n"), "{both}");
    assert_eq!(settings::uninstall(&both, &[]).unwrap().text, other);
}

#[test]
fn an_older_install_is_replaced_in_place_and_a_double_taken_out() {
    let home = Home::new();
    let text = r#"{
  "hooks": {
    "Stop": [
      { "hooks": [
        { "type": "command", "command": "notify-send done" },
        { "type": "command", "command": "LH_BIN=/x '/old place/lh-hook-stop' --verbose", "timeout": 5 },
        { "type": "command", "command": "/older/lh-hook-stop" }
      ] },
      { "matcher": "x", "hooks": [{ "type": "command", "command": "lh-hook-stop" }] }
    ],
    "SessionEnd": [{ "hooks": [{ "type": "command", "command": "$HOME/bin/lh-hook-stop" }] }],
    "Notification": [{ "hooks": [{ "type": "command", "command": "/x/lh-hook-stop" }, { "type": "prompt", "prompt": "?" }] }]
  }
}
"#;
    home.write(SETTINGS, text);
    home.sets_up(&[], 0);
    let stop = format!("LH_BIN=/x {} --verbose", home.path("lh/lh-hook-stop").display());
    assert_eq!(home.commands("Stop"), ["notify-send done".to_owned(), stop]);
    assert_eq!(home.settings()["hooks"]["Stop"][0]["hooks"][1]["timeout"], 5);
    assert_eq!(home.commands("SessionEnd"), [format!("{} || :", home.path("lh/lh-hook-session-end").display())]);
    assert_eq!(home.commands("Notification"), ["/x/lh-hook-stop"]);
    home.sets_up(&["--uninstall"], 0);
    let left = home.read(SETTINGS);
    assert_eq!(home.commands("Stop"), ["notify-send done"], "{left}");
    assert_eq!(home.settings()["hooks"].as_object().unwrap().len(), 2, "{left}");
    assert_eq!(home.settings()["hooks"]["Notification"][0]["hooks"].as_array().unwrap().len(), 2);
}

#[test]
fn a_path_that_the_shell_would_take_apart_is_quoted() {
    let home = Home::new();
    let folder = home.path("my tools/it's $5");
    for script in SCRIPTS {
        home.program(&format!("my tools/it's $5/{script}"), "#!/bin/sh\necho ran\n");
    }
    assert!(home.setup(&[]).env("LH_BIN", &folder).status_ok());
    for event in EVENTS {
        let command = home.commands(event).remove(0);
        let output = std::process::Command::new("sh").arg("-c").arg(command).output().unwrap();
        assert_eq!(output.stdout, b"ran\n");
    }
    let text = home.read(SETTINGS);
    assert!(home.setup(&[]).env("LH_BIN", &folder).status_ok());
    assert_eq!(home.read(SETTINGS), text);
}

trait StatusOk {
    fn status_ok(&mut self) -> bool;
}

impl StatusOk for assert_cmd::Command {
    fn status_ok(&mut self) -> bool {
        self.output().unwrap().status.success()
    }
}

#[test]
fn scripts_are_found_on_path_and_missing_ones_named() {
    let home = Home::new();
    let path = format!("{}:{}", home.path("fakes").display(), home.path("lh").display());
    assert!(home.setup(&[]).env_remove("LH_BIN").env("PATH", path).status_ok());
    assert_eq!(home.commands("Stop"), [format!("{} || :", home.path("lh/lh-hook-stop").display())]);
    let other = Home::new();
    other.program("some/lh-hook-stop", "#!/bin/sh\n");
    let output = other.setup(&[]).env("LH_BIN", other.path("some")).env("PATH", "/nowhere").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(69), "{said}");
    let missing =
        "lh-setup: lh-hook-session-start, lh-hook-prompt, lh-hook-pre-compact, lh-hook-session-end: not found";
    assert!(said.starts_with(missing) && said.lines().count() == 1, "{said}");
    assert!(!other.path(".claude").exists() && other.names(".config/lazy-harness").is_empty());
}

/// A package manager replaces the folder of a version, and the link to it stays.
#[test]
fn hooks_lead_to_the_links_of_a_package_manager() {
    let home = Home::new();
    let keg = home.path("Cellar/1/bin");
    for script in SCRIPTS {
        home.program(&format!("Cellar/1/bin/{script}"), "#!/bin/sh\n");
    }
    home.write("Cellar/1/bin/lh-preamble", "");
    copy_tool("lh-setup", &keg);
    let run = |links: &str, names: &[&str]| {
        std::fs::create_dir(home.path(links)).unwrap();
        for name in names {
            symlink(keg.join(name), home.path(links).join(name)).unwrap();
        }
        let mut tool = std::process::Command::new(keg.join("lh-setup"));
        tool.env_clear().env("HOME", home.path("")).stdin(Stdio::null());
        tool.env("PATH", format!("{}:/usr/bin:/bin", home.path(links).display()));
        assert!(tool.output().unwrap().status.success());
        home.commands("Stop").remove(0)
    };
    // Where not all are linked, the scripts would not find each other.
    assert!(run("some", &["lh-hook-stop"]).contains("/Cellar/1/bin/lh-hook-stop"));
    let all = [&SCRIPTS[..], &["lh-preamble"]].concat();
    assert_eq!(run("bin", &all), format!("{} || :", home.path("bin/lh-hook-stop").display()));
}

#[test]
fn the_predecessors_hooks_are_told_of_or_taken_out() {
    let home = Home::new();
    let text = r#"{
  "hooks": {
    "SessionStart": [{"hooks": [{"type": "command", "command": "lh hook context-inject"}]}],
    "Stop": [
      {"hooks": [
        {"type": "command", "command": "/home/me/.local/bin/lh hook compound-loop --quiet"},
        {"type": "command", "command": "LH_PROFILE=x lh hook session-export || true"},
        {"type": "command", "command": "say done"}
      ]}
    ],
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "lh hook pre-tool-use"}]}],
    "SessionEnd": [{"hooks": [{"type": "command", "command": "lh hook session-end"}]}],
    "PreCompact": [{"hooks": [{"type": "command", "command": "lh hook pre-compact"}]}]
  }
}
"#;
    home.write(SETTINGS, text);
    let said = home.sets_up(&[], 0);
    assert_eq!(said.matches("--migrate takes it out").count(), 5, "{said}");
    assert_eq!(home.commands("Stop").len(), 4);
    let hooks = settings::hooked(&home.read(SETTINGS)).unwrap();
    let old = hooks.iter().filter(|hook| hook.event == "Stop" && hook.owner == lh::tool::setup::Owner::Predecessor);
    assert_eq!(old.count(), 2);
    let said = home.sets_up(&["--migrate"], 0);
    assert!(said.contains("Stop: 'LH_PROFILE=x lh hook session-export || true' taken out"), "{said}");
    for (event, script) in EVENTS.iter().zip(SCRIPTS).filter(|(event, _)| **event != "Stop") {
        assert_eq!(home.commands(event), [format!("{} || :", home.path("lh").join(script).display())]);
    }
    assert_eq!(home.commands("Stop"), ["say done", &format!("{} || :", home.path("lh/lh-hook-stop").display())]);
    assert_eq!(home.commands("PreToolUse"), ["lh hook pre-tool-use"]);
    let text = home.read(SETTINGS);
    assert!(home.sets_up(&["-m"], 0).contains("nothing to change"));
    assert_eq!(home.read(SETTINGS), text);
}

#[test]
fn what_is_no_settings_is_65_and_left_alone() {
    for (text, place) in [
        ("[]", "1:1"),
        ("7", "1:1"),
        ("{\n  \"a\" 1\n}", "2:7"),
        ("{\"a\": 1", "1:1"),
        ("{'a': 1}", "1:2"),
        ("{a: 1}", "1:2"),
        ("{\"a\": 1} {}", "1:10"),
        ("{\n  \"hooks\": []\n}", "2:12"),
        ("{\"hooks\": {\"Stop\": {}}}", "1:20"),
        ("{\"hooks\": {\"Stop\": [7]}}", "1:21"),
        ("{\"hooks\": {\"Stop\": [{\"hooks\": {}}]}}", "1:31"),
        ("{\"hooks\": {}, \"hooks\": {}}", "1:15"),
        ("{\"hooks\": {\"Stop\": [], \"Stop\": []}}", "1:24"),
    ] {
        let home = Home::new();
        home.write(SETTINGS, text);
        for arguments in [&[][..], &["-u"], &["-n"]] {
            let said = home.sets_up(arguments, 65);
            assert!(said.contains(&format!("settings.json:{place}: ")), "{text}: {said}");
            assert_eq!(
                (home.read(SETTINGS), home.names(".claude")),
                (text.to_owned(), vec!["settings.json".to_owned()])
            );
        }
    }
    let home = Home::new();
    let path = home.write(SETTINGS, "");
    std::fs::write(&path, b"{\"a\":\n\"\xff\"}").unwrap();
    assert!(home.sets_up(&[], 65).contains("settings.json:2:2: not UTF-8"));
    let deep = "[".repeat(200_000);
    std::fs::write(&path, format!("{{\"a\": {deep}")).unwrap();
    home.sets_up(&[], 65);
}

#[test]
fn a_linked_file_is_replaced_behind_its_link() {
    let home = Home::new();
    let target = home.write("dotfiles/claude.json", "{\n  \"a\": 1\n}\n");
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::create_dir_all(home.path(".claude")).unwrap();
    symlink("../dotfiles/claude.json", home.path(SETTINGS)).unwrap();
    home.sets_up(&[], 0);
    assert!(home.path(SETTINGS).is_symlink());
    assert!(home.read("dotfiles/claude.json").contains("lh-hook-stop"));
    assert_eq!(target.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(home.read(".claude/settings.json.lh-backup"), "{\n  \"a\": 1\n}\n");
}

#[test]
fn each_profile_has_its_settings_and_a_bad_one_stops_no_other() {
    let home = Home::new();
    let config = "[compound_loop]\nenabled = false\n[profiles.work]\nconfig_dir = \"~/work\"\n[profiles.x]\nconfig_dir = \"~/x\"\n";
    home.write(".config/lazy-harness/config.toml", config);
    home.write(SETTINGS, "{");
    home.write("x/settings.json", "{\n  \"a\": 1\n}\n");
    let said = home.sets_up(&[], 65);
    assert!(said.contains("nothing else was done: mend that, then run this again"), "{said}");
    assert!(
        home.read("work/settings.json").contains("lh-hook-stop")
            && home.read("x/settings.json").contains("lh-hook-stop")
    );
    assert_eq!(
        (home.read(SETTINGS), home.read(".config/lazy-harness/config.toml")),
        ("{".to_owned(), config.to_owned())
    );
    home.sets_up(&["-u"], 65);
    assert_eq!(home.read("x/settings.json"), "{\n  \"a\": 1\n}\n");
    let agent = home.path("agent");
    assert!(!home.setup(&["-p"]).env("CLAUDE_CONFIG_DIR", &agent).output().unwrap().status.success());
    assert!(home.setup(&[]).env("CLAUDE_CONFIG_DIR", &agent).status_ok());
    assert!(home.read("agent/settings.json").contains("lh-hook-stop"));
}

#[test]
fn a_project_has_its_own() {
    let home = Home::new();
    for folder in ["src/lh/.git", "src/lh/deep/er", "src/bare"] {
        std::fs::create_dir_all(home.path(folder)).unwrap();
    }
    assert!(home.setup(&["--project"]).current_dir(home.path("src/lh/deep/er")).status_ok());
    assert!(home.read("src/lh/.claude/settings.json").contains("lh-hook-stop"));
    assert!(home.setup(&["-p"]).current_dir(home.path("src/bare")).status_ok());
    assert!(home.read("src/bare/.claude/settings.json").contains("lh-hook-stop"));
    assert!(!home.path(".claude").exists());
    assert!(home.setup(&["-pu"]).current_dir(home.path("src/lh")).status_ok());
    assert!(!home.path("src/lh/.claude/settings.json").exists());
}

#[test]
fn a_dry_run_prints_a_patch_and_writes_nothing() {
    let home = Home::new();
    let text = "{\r\n\t\"a\": 1, // one\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"lh hook compound-loop\"}]}]\r\n\t}\r\n}";
    home.write(SETTINGS, text);
    for undo in [false, true] {
        if undo {
            home.sets_up(&["-m"], 0);
        }
        let (before, names) = (home.read(SETTINGS), home.names(".claude"));
        let output = home.setup(if undo { &["-nu"] } else { &["-nm"] }).output().unwrap();
        assert!(output.status.success());
        assert_eq!((home.read(SETTINGS), home.names(".claude")), (before, names));
        let patch = home.write("patch", std::str::from_utf8(&output.stdout).unwrap());
        assert_eq!(home.read("patch").contains("config.toml"), !undo);
        let wanted = |home: &Home| {
            home.sets_up(if undo { &["-u"] } else { &["-m"] }, 0);
            home.read(SETTINGS)
        };
        let mut run = std::process::Command::new("patch");
        run.args(["--binary", "-s", "-o", "patched"]).arg(home.path(SETTINGS)).current_dir(home.path(""));
        // Of the patches of several files only the one of the settings.
        let of_settings = home.read("patch");
        let start = of_settings.find(&format!("--- {}", home.path(SETTINGS).display())).unwrap();
        let own = &of_settings[start..];
        let end = own.find("\n--- ").map_or(own.len(), |at| at + 1);
        std::fs::write(&patch, &own[..end]).unwrap();
        let Ok(status) = run.stdin(std::fs::File::open(&patch).unwrap()).status() else {
            return skipped("no patch here");
        };
        assert!(status.success(), "{of_settings}");
        assert_eq!(home.read("patched"), wanted(&home));
    }
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut tool = std::process::Command::new(binary("lh-setup"));
    tool.arg("-n").env_clear().env("HOME", home.path("")).env("LH_BIN", home.path("lh")).current_dir(home.path(""));
    assert_eq!(tool.stdin(Stdio::null()).stdout(full).stderr(Stdio::null()).status().unwrap().code(), Some(74));
}

#[test]
fn no_backup_is_ever_written_over() {
    let home = Home::new();
    home.write(SETTINGS, "{\"a\":1}");
    home.write(".claude/settings.json.lh-backup", "precious");
    home.sets_up(&[], 0);
    home.sets_up(&["-u"], 0);
    // The same content needs no second one.
    home.sets_up(&[], 0);
    let read = |name: &str| home.read(&format!(".claude/settings.json.lh-backup{name}"));
    assert_eq!((read(""), read(".1")), ("precious".to_owned(), "{\"a\":1}".to_owned()));
    assert!(read(".2").contains("lh-hook-stop") && read(".3").is_empty());
    // The first and the last five stay, and what only looks like one.
    for name in [".old", ".03", ".x"] {
        home.write(&format!(".claude/settings.json.lh-backup{name}"), "mine");
    }
    for number in 0..9 {
        home.write(SETTINGS, &format!("{{\"b\":{number}}}"));
        home.sets_up(&[], 0);
    }
    assert_eq!(read(""), "precious");
    let kept = [".11", ".10", ".9", ".8", ".7"].map(read);
    assert_eq!(kept, [8, 7, 6, 5, 4].map(|number| format!("{{\"b\":{number}}}")));
    assert_eq!(home.names(".claude").len(), 1 + 1 + 5 + 3);
    // A number is not used twice, also where a later one was taken away.
    home.write(SETTINGS, "{\"c\":1}");
    home.sets_up(&[], 0);
    assert_eq!((read(".12"), read(".7"), read("")), ("{\"c\":1}".to_owned(), String::new(), "precious".to_owned()));
}

#[test]
fn what_cannot_be_written_is_74_and_a_kill_leaves_the_old_or_the_new() {
    let home = Home::new();
    home.write(".claude", "a file");
    assert!(home.sets_up(&[], 74).contains("settings.json: "));
    let home = Home::new();
    std::fs::create_dir_all(home.path(SETTINGS)).unwrap();
    home.sets_up(&[], 65);
    for (what, wanted) in
        [("rename,renameat,renameat2:signal=KILL", None), ("rename,renameat,renameat2:error=EROFS", Some(74))]
    {
        let home = Home::enabled("");
        home.write(SETTINGS, "{\"a\":1}");
        home.setup(&[]);
        let mut strace = std::process::Command::new("strace");
        strace.args(["-f", "-o", "/dev/null", "-e", &format!("inject={what}")]).arg(binary("lh-setup"));
        strace.env_clear().env("HOME", home.path("")).env("LH_BIN", home.path("lh")).env("PATH", "/usr/bin:/bin");
        let Ok(output) = strace.stdin(Stdio::null()).output() else { return skipped("strace is not here") };
        if String::from_utf8_lossy(&output.stderr).contains("strace") {
            return skipped("nothing can be traced here");
        }
        assert!(wanted.is_none() || output.status.code() == wanted, "{output:?}");
        assert_eq!(
            (home.read(SETTINGS), home.read(".claude/settings.json.lh-backup")),
            ("{\"a\":1}".to_owned(), "{\"a\":1}".to_owned())
        );
        home.sets_up(&[], 0);
        assert!(
            home.read(SETTINGS).contains("lh-hook-stop") && !home.path(".claude/settings.json.lh-backup.1").exists()
        );
    }
}

#[test]
fn a_configuration_is_written_where_there_is_none() {
    let home = Home::new();
    let said = home.sets_up(&[], 0);
    assert!(said.contains("config.toml: written"), "{said}");
    let text = home.read(".config/lazy-harness/config.toml");
    assert!(text.contains("\n[compound_loop]\n") && text.contains("\nenabled = true\n"));
    assert!(!home.sets_up(&[], 0).contains("config.toml"));
    home.write(".config/lazy-harness/config.toml", "[compound_loop\n");
    let said = home.sets_up(&[], 78);
    assert!(said.contains("config.toml:1:") && said.lines().count() == 1, "{said}");
}

#[test]
fn uninstall_says_what_stays() {
    let home = Home::enabled("");
    home.transcript("aaaaaaaa-1", Path::new("/src/lh"), 1);
    for file in
        [".claude/queue/x", ".claude/logs/x", ".claude/projects/-src-lh/memory/x", "Documents/lazy-harness-knowledge/x"]
    {
        home.write(file, "");
    }
    let said = home.sets_up(&["-u"], 0);
    let root = home.path("");
    let root = root.to_str().unwrap().trim_end_matches('/');
    for stays in [
        format!("stays: queue/, logs/, projects/*/memory/ in {root}/.claude\n"),
        format!("stays: {root}/Documents/lazy-harness-knowledge\n"),
        format!("stays: {root}/.config/lazy-harness/config.toml\n"),
    ] {
        assert!(said.contains(&stays), "{said}");
    }
    assert!(!home.path(SETTINGS).exists());
}

#[test]
fn calls_that_make_no_sense_are_64() {
    let home = Home::new();
    for arguments in [&["-us"][..], &["-um"], &["here"]] {
        home.sets_up(arguments, 64);
    }
}

#[test]
fn a_comment_is_not_nothing() {
    let home = Home::new();
    let text = "{\n  \"hooks\": { // mine: off for now\n    \"Stop\": [\n      // keep: ticket 42\n    ]\n  }\n}\n";
    home.write(SETTINGS, text);
    home.sets_up(&[], 0);
    home.sets_up(&["-u"], 0);
    let back = home.read(SETTINGS);
    assert!(back.contains("// mine: off for now") && back.contains("// keep: ticket 42"), "{back}");
    assert!(!back.contains("lh-hook"), "{back}");
}

#[test]
fn a_broken_configuration_keeps_no_hook_in() {
    let home = Home::new();
    home.sets_up(&[], 0);
    home.write(".config/lazy-harness/config.toml", "x = [\n");
    assert!(home.sets_up(&["-u"], 78).contains("config.toml:"));
    assert!(!home.read(SETTINGS).contains("lh-hook"));
}

#[test]
fn a_link_that_leads_nowhere_stays_a_link() {
    let home = Home::new();
    std::fs::create_dir_all(home.path(".claude")).unwrap();
    std::fs::create_dir_all(home.path("dotfiles")).unwrap();
    std::os::unix::fs::symlink("../dotfiles/settings.json", home.path(SETTINGS)).unwrap();
    home.sets_up(&[], 0);
    assert!(home.path(SETTINGS).is_symlink() && home.read("dotfiles/settings.json").contains("lh-hook-stop"));
}

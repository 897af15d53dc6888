//! Taking over from lazy-harness and back: its hooks in every form, in every layout, with kills between.

use super::{EVENTS, SCRIPTS, SETTINGS, StatusOk, commands, skipped};
use crate::home::{Home, binary};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

const RECEIPTS: &str = ".local/state/lh/setup.json";

/// What `lh init` and `lh deploy` of 0.45.1 write.
fn deployed() -> String {
    let group = |matcher: &str, name: &str| serde_json::json!({"matcher": matcher, "hooks": [{"type": "command", "command": format!("lh hook {name}")}]});
    let hooks = [
        ("SessionStart", vec![group("", "context-inject")]),
        ("Stop", vec![group("", "session-export"), group("", "compound-loop"), group("", "engram-persist")]),
        ("SessionEnd", vec![group("", "session-end")]),
        ("PreCompact", vec![group("", "pre-compact")]),
        ("PreToolUse", vec![group("Bash", "pre-tool-use-security")]),
        (
            "PostToolUse",
            vec![group("Edit|Write", "post-tool-use-format"), group("Edit|Write", "post-tool-use-sync-claude")],
        ),
    ];
    let events: Vec<String> =
        hooks.iter().map(|(event, groups)| format!("{event:?}: {}", serde_json::json!(groups))).collect();
    format!("{{\n  \"hooks\": {{\n    {}\n  }}\n}}\n", events.join(",\n    "))
}

/// Settings with hooks of the predecessor, laid out in many ways; `"model": "a"` can be changed.
fn layouts() -> Vec<String> {
    let old = r#"{"type": "command", "command": "lh hook compound-loop"}"#;
    let python = r#"{"command": "/v/bin/python3 /v/lazy_harness/hooks/builtins/session_end.py", "timeout": 7, "type": "command"}"#;
    let other = r#"{"type": "command", "command": "say done"}"#;
    vec![
        deployed(),
        format!("{{\"model\":\"a\",\"hooks\":{{\"Stop\":[{{\"matcher\":\"x\",\"hooks\":[{old}]}}]}}}}"),
        format!("{{\"hooks\": {{\"SubagentStop\": [{{\"hooks\": [{old}]}}]}}, \"model\": \"a\"}}"),
        format!(
            "{{\n\t\"model\": \"a\",\n\t\"hooks\": {{\n\t\t\"Stop\": [\n\t\t\t{{\n\t\t\t\t\"matcher\": \"*\",\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{other},\n\t\t\t\t\t{old},\n\t\t\t\t\t{other}\n\t\t\t\t]\n\t\t\t}}\n\t\t]\n\t}}\n}}\n"
        ),
        format!(
            "{{\r\n  \"hooks\": {{\r\n    \"SubagentStop\": [\r\n      {{ \"hooks\": [ {old}, {python} ] }}\r\n    ],\r\n    \"Stop\": [\r\n      {{ \"hooks\": [ {python} ] }},\r\n      {{ \"hooks\": [ {other} ] }},\r\n      {{ \"hooks\": [ {old} ], \"matcher\": \"z\" }}\r\n    ]\r\n  }},\r\n  \"model\": \"a\"\r\n}}\r\n"
        ),
        format!(
            "{{\n  // mine\n  \"model\": \"a\",\n  \"hooks\": {{\n    \"Stop\": [\n      {{\"hooks\": [{old},]}},\n      {{\"hooks\": [{other},{python},],}},\n    ],\n  }},\n}}\n"
        ),
        format!(
            "\u{feff}{{ \"hooks\": {{ \"PreCompact\": [ {{ \"hooks\": [ {old} ] }} ], \"Stop\": [], \"SessionEnd\": [ ] }}, \"model\": \"a\" }}"
        ),
        "{\"model\": \"a\", \"hooks\": null}".to_owned(),
        "{\n  \"hooks\": null,\n  \"model\": \"a\"\n}\n".to_owned(),
        "{\n  \"model\": \"a\",\n  \"hooks\": {}\n}\n".to_owned(),
        "{\n  \"model\": \"a\",\n  \"hooks\": {\n    \"Stop\": [],\n    \"Other\": []\n  }\n}\n".to_owned(),
    ]
}

/// All commands of lazy-harness that do what we do.
fn has_old(text: &str) -> bool {
    lh::tool::setup::settings::hooked(text)
        .unwrap()
        .iter()
        .any(|hook| hook.owner == lh::tool::setup::Owner::Predecessor)
}

#[test]
fn what_was_taken_over_comes_back_to_the_byte() {
    for text in layouts() {
        let home = Home::new();
        home.write(SETTINGS, &text);
        let said = home.sets_up(&["--migrate"], 0);
        let with = home.read(SETTINGS);
        assert!(!has_old(&with) && with.matches("lh-hook-stop").count() == 1, "{said}{with}");
        home.sets_up(&["--uninstall"], 0);
        assert_eq!(home.read(SETTINGS), text, "{with}");
        assert!(!home.path(RECEIPTS).exists(), "used once");
        assert!(home.sets_up(&["-u"], 0).contains("nothing to change"));
    }
}

#[test]
fn without_the_backups_it_comes_back_all_the_same() {
    for text in layouts() {
        let home = Home::new();
        home.write(SETTINGS, &text);
        home.sets_up(&["-m"], 0);
        std::fs::remove_file(home.path(".claude/settings.json.lh-backup")).unwrap();
        let with = home.read(SETTINGS);
        home.sets_up(&["-u"], 0);
        assert_eq!(home.read(SETTINGS), text, "{with}");
    }
}

#[test]
fn what_was_changed_meanwhile_stays_changed() {
    for text in layouts().into_iter().filter(|text| text.contains("\"a\"")) {
        let home = Home::new();
        home.write(SETTINGS, &text);
        home.sets_up(&["-m"], 0);
        home.write(SETTINGS, &home.read(SETTINGS).replace("\"a\"", "\"b\""));
        home.sets_up(&["-m"], 0);
        home.sets_up(&["-u"], 0);
        assert_eq!(home.read(SETTINGS), text.replace("\"a\"", "\"b\""));
    }
    // The group that held the hook is another one now, its event is gone, and then all hooks are.
    let old = "{\"hooks\": {\"Stop\": [{\"matcher\": \"x\", \"hooks\": [{\"type\": \"command\", \"command\": \"lh hook compound-loop\", \"timeout\": 3}, {\"type\": \"command\", \"command\": \"say\"}]}]}}";
    let now = [
        "{\"hooks\": {\"Stop\": [{\"matcher\": \"y\", \"hooks\": [{\"type\": \"command\", \"command\": \"say\"}]}]}}",
        "{\"hooks\": {\"Stop\": []}}",
        "{\"hooks\": {\"Other\": []}}",
        "{\"hooks\": null}",
        "{}",
        "",
    ];
    for now in now {
        let home = Home::new();
        home.write(SETTINGS, old);
        home.sets_up(&["-m"], 0);
        home.write(SETTINGS, now);
        home.sets_up(&["-u"], 0);
        let settings = home.settings();
        assert!(home.commands("Stop").contains(&"lh hook compound-loop".to_owned()), "{now}: {settings}");
        let group = settings["hooks"]["Stop"].as_array().unwrap().last().unwrap();
        assert_eq!((&group["matcher"], &group["hooks"][0]["timeout"]), (&"x".into(), &3.into()), "{now}");
    }
}

#[test]
fn settings_that_are_gone_are_not_made_again() {
    let home = Home::new();
    home.write(SETTINGS, &deployed());
    home.sets_up(&["-m"], 0);
    std::fs::remove_file(home.path(SETTINGS)).unwrap();
    home.sets_up(&["-u"], 0);
    assert!(!home.path(SETTINGS).exists() && !home.path(RECEIPTS).exists());
}

#[test]
fn what_is_said_of_commands_is_masked() {
    let home = Home::new();
    let token = format!("ghp_{}", "0aB1cD2eF3".repeat(4).get(..36).unwrap());
    let command = format!("TOKEN={token} lh hook compound-loop");
    home.write(
        SETTINGS,
        &serde_json::json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}).to_string(),
    );
    for arguments in [&[][..], &["-m"], &["-u"]] {
        let said = home.sets_up(arguments, 0);
        assert!(said.contains("lh hook compound-loop'") && !said.contains("0aB1"), "{said}");
    }
    assert_eq!(home.commands("Stop"), [command]);
}

#[test]
fn what_was_put_back_by_hand_is_not_doubled() {
    let home = Home::new();
    home.write(SETTINGS, &deployed());
    home.sets_up(&["-m"], 0);
    // lh deploy again.
    let with = home.read(SETTINGS);
    home.write(
        SETTINGS,
        &with.replacen(
            "\"Stop\": [",
            "\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"lh hook compound-loop\"}]},",
            1,
        ),
    );
    home.sets_up(&["-u"], 0);
    let stop = home.commands("Stop");
    assert_eq!(stop.iter().filter(|command| command.contains("compound-loop")).count(), 1, "{stop:?}");
    assert_eq!(stop.len(), 3, "{stop:?}");
    // And taken over a second time.
    home.sets_up(&["-m"], 0);
    home.sets_up(&["-m"], 0);
    assert!(!has_old(&home.read(SETTINGS)));
    home.sets_up(&["-u"], 0);
    assert_eq!(home.commands("Stop").len(), 3);
}

#[test]
fn an_install_and_a_later_takeover_are_undone_together() {
    let home = Home::new();
    home.write(SETTINGS, &deployed());
    let said = home.sets_up(&[], 0);
    assert_eq!(said.matches("--migrate takes it out").count(), 5, "{said}");
    assert!(!said.contains("engram-persist") && !said.contains("security"), "{said}");
    home.sets_up(&["-m"], 0);
    assert_eq!(home.commands("Stop")[0], "lh hook engram-persist");
    assert_eq!(home.commands("PreToolUse"), ["lh hook pre-tool-use-security"]);
    home.sets_up(&["-u"], 0);
    assert_eq!(home.read(SETTINGS), deployed());
}

#[test]
fn hooks_that_an_older_version_put_in_come_out() {
    // Nothing is known of these, and what was before them has some of ours.
    let home = Home::new();
    home.write(
        SETTINGS,
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/old/lh-hook-stop\"}]}]}}",
    );
    home.sets_up(&[], 0);
    home.sets_up(&["-u"], 0);
    assert!(!home.read(SETTINGS).contains("lh-hook"));
}

#[test]
fn a_kill_between_receipt_and_settings_harms_nothing() {
    for number in 1..=4 {
        let home = Home::enabled("");
        home.write(SETTINGS, &deployed());
        home.setup(&[]);
        let killed = |arguments: &str| {
            let mut strace = std::process::Command::new("strace");
            let what = format!("inject=rename,renameat,renameat2,unlink,unlinkat:signal=KILL:when={number}");
            strace.args(["-f", "-o", "/dev/null", "-e", &what]).arg(binary("lh-setup")).arg(arguments);
            strace.env_clear().env("HOME", home.path("")).env("LH_BIN", home.path("lh")).env("PATH", "/usr/bin:/bin");
            let output = strace.stdin(Stdio::null()).output().ok()?;
            (!String::from_utf8_lossy(&output.stderr).contains("strace")).then_some(output)
        };
        if killed("-m").is_none() {
            return skipped("nothing can be traced here");
        }
        // Undone now, the settings are the old ones.
        let before = home.read(SETTINGS);
        home.sets_up(&["-u"], 0);
        assert_eq!(home.read(SETTINGS), deployed(), "{number}: {before}");
        // Gone on with, they are those that no kill happened to.
        killed("-m");
        home.sets_up(&["-m"], 0);
        let with = home.read(SETTINGS);
        assert!(!has_old(&with) && with.matches("lh-hook-stop").count() == 1, "{number}: {with}");
        killed("-u");
        home.sets_up(&["-u"], 0);
        assert_eq!(home.read(SETTINGS), deployed(), "{number}");
        assert!(!home.path(RECEIPTS).exists(), "{number}");
    }
}

#[test]
fn two_at_once_forget_nothing() {
    let home = Home::enabled("");
    for name in ["one", "two", "three", "four"] {
        home.write(&format!("{name}/settings.json"), &deployed());
    }
    home.setup(&[]);
    let start = |name: &str, arguments: &str| {
        let mut tool = std::process::Command::new(binary("lh-setup"));
        tool.arg(arguments).env_clear().env("HOME", home.path("")).env("LH_BIN", home.path("lh"));
        tool.env("PATH", format!("{}:/usr/bin:/bin", home.path("fakes").display()));
        tool.env("CLAUDE_CONFIG_DIR", home.path(name)).stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    for arguments in ["-m", "-u"] {
        // Two each on the same settings.
        let all: Vec<_> = ["one", "two", "three", "four"]
            .iter()
            .flat_map(|name| [start(name, arguments), start(name, arguments)])
            .collect();
        for mut child in all {
            assert!(child.wait().unwrap().success());
        }
        for name in ["one", "two", "three", "four"] {
            let text = home.read(&format!("{name}/settings.json"));
            assert_eq!(has_old(&text), arguments == "-u", "{text}");
            assert!(arguments == "-m" || text == deployed(), "{text}");
        }
    }
}

#[test]
fn settings_that_hold_nothing_are_settings() {
    for text in ["", "\n", " \n\t", "{\"hooks\": null}", "{ }", "{\"hooks\":{\"Stop\":[]}}"] {
        let home = Home::new();
        home.write(SETTINGS, text);
        assert!(home.sets_up(&["-u"], 0).contains("nothing to change"));
        assert_eq!(home.read(SETTINGS), text);
        home.sets_up(&[], 0);
        for (event, script) in EVENTS.iter().zip(SCRIPTS) {
            assert_eq!(home.commands(event), [format!("{} || :", home.path("lh").join(script).display())]);
        }
        // Also where somebody reformats it.
        let compact = home.settings().to_string();
        home.write(SETTINGS, &compact);
        home.sets_up(&["-u"], 0);
        let back = home.read(SETTINGS);
        assert_eq!(back.replace(' ', "").trim(), text.replace(' ', "").trim(), "{back}");
    }
    // Settings that are not there are not there again, but what somebody added is.
    let home = Home::new();
    home.sets_up(&[], 0);
    home.write(SETTINGS, &home.read(SETTINGS).replacen('{', "{\"a\": 1,", 1));
    home.sets_up(&["-u"], 0);
    assert_eq!(home.settings(), serde_json::json!({"a": 1}));
}

#[test]
fn a_linked_file_that_we_made_goes_and_its_link_stays() {
    let home = Home::new();
    for folder in [".claude", "dotfiles"] {
        std::fs::create_dir_all(home.path(folder)).unwrap();
    }
    std::os::unix::fs::symlink("../dotfiles/settings.json", home.path(SETTINGS)).unwrap();
    home.sets_up(&[], 0);
    home.sets_up(&["-u"], 0);
    assert!(home.path(SETTINGS).is_symlink() && !home.path("dotfiles/settings.json").exists());
}

#[test]
fn settings_that_are_refused_switch_nothing_on() {
    let home = Home::new();
    home.write(SETTINGS, "{");
    home.sets_up(&["-m"], 65);
    assert!(home.names(".config/lazy-harness").is_empty() && !home.path(RECEIPTS).exists());
    home.write(SETTINGS, "{}");
    home.sets_up(&[], 0);
    assert!(home.read(".config/lazy-harness/config.toml").contains("\nenabled = true\n"));
}

#[test]
fn a_damaged_receipt_is_told_of_and_left() {
    let home = Home::new();
    home.write(SETTINGS, "{\"a\": 1}");
    home.sets_up(&[], 0);
    home.write(RECEIPTS, "{\"x\": 7}");
    let said = home.sets_up(&["-u"], 65);
    assert!(said.contains("setup.json: ") && !home.read(SETTINGS).contains("lh-hook"), "{said}");
    assert_eq!(home.read(RECEIPTS), "{\"x\": 7}");
    home.sets_up(&[], 65);
    assert_eq!(home.read(SETTINGS), "{\"a\": 1}");
}

#[test]
fn what_is_read_only_is_not_replaced() {
    let mode = |home: &Home, below: &str, mode: u32| {
        std::fs::set_permissions(home.path(below), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    for (below, protected) in [(SETTINGS, 0o444), (".claude", 0o555)] {
        let home = Home::new();
        home.write(SETTINGS, "{\"a\": 1}");
        mode(&home, below, protected);
        for arguments in [&[][..], &["-n"], &["-m"]] {
            let said = home.sets_up(arguments, 74);
            let wanted = format!("{} is read-only", home.path(below).display());
            assert!(said.contains(&wanted) && said.contains("chmod u+w"), "{said}");
            assert_eq!((home.read(SETTINGS), home.names(".claude").len()), ("{\"a\": 1}".to_owned(), 1));
            assert!(home.names(".config/lazy-harness").is_empty());
        }
        // Nothing is to be changed in it.
        assert!(home.sets_up(&["-u"], 0).contains("nothing to change"));
        mode(&home, below, 0o755);
        home.sets_up(&[], 0);
        let with = home.read(SETTINGS);
        mode(&home, below, protected);
        home.sets_up(&["-u"], 74);
        assert_eq!(home.read(SETTINGS), with);
        mode(&home, below, 0o755);
        home.sets_up(&["-u"], 0);
        assert_eq!(home.read(SETTINGS), "{\"a\": 1}");
    }
}

#[test]
fn hooks_in_checkouts_are_named_and_left() {
    let home = Home::new();
    let hook = |command: &str| {
        format!("{{\"hooks\": {{\"Stop\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": \"{command}\"}}]}}]}}}}")
    };
    let old = hook("uvx --from lazy-harness lh hook compound-loop");
    std::fs::create_dir_all(home.path("src/app/.git")).unwrap();
    std::fs::create_dir_all(home.path("src/app/deep")).unwrap();
    let named = ["src/app/.claude/settings.json", "src/app/.claude/settings.local.json"];
    for path in named.iter().chain(&["src/other/.claude/settings.json"]) {
        home.write(path, &old);
    }
    home.write(SETTINGS, &hook("lh hook pre-tool-use-security"));
    for arguments in [&["-m"][..], &["-p"], &[]] {
        let output = home.setup(arguments).current_dir(home.path("src/app/deep")).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{said}");
        for path in named {
            let line = format!(
                "lh-setup: {}: Stop: 'uvx --from lazy-harness lh hook compound-loop' keeps memory too",
                home.path(path).display()
            );
            assert!(said.contains(&line), "{said}");
            assert!(home.read(path).contains("compound-loop"), "{path}");
        }
        assert_eq!(said.matches("keeps memory too").count(), named.len(), "{said}");
    }
    assert_eq!(home.read(named[1]), old);
    assert_eq!(commands(&serde_json::from_str(&home.read(named[0])).unwrap(), "Stop").len(), 2, "ours by --project");
    home.sets_up(&["-mp"], 64);
}

#[test]
fn each_profile_gets_its_own_hooks_back() {
    let home = Home::enabled("[profiles.work]\nconfig_dir = \"~/work\"");
    home.write(SETTINGS, &deployed());
    home.write("work/settings.json", &layouts()[3]);
    home.sets_up(&["-m"], 0);
    assert!(!has_old(&home.read(SETTINGS)) && !has_old(&home.read("work/settings.json")));
    assert_eq!(home.path(RECEIPTS).metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let state = home.path("state");
    assert!(home.setup(&["-u"]).env("XDG_STATE_HOME", &state).status_ok());
    assert!(!has_old(&home.read(SETTINGS)), "the receipts are elsewhere");
    home.sets_up(&["-m"], 0);
    home.sets_up(&["-u"], 0);
    assert_eq!(home.commands("Stop").len(), 3);
}

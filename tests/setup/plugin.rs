//! The plugin of scripts/plugin: what its hooks run, and that the settings get none beside it.

use super::{EVENTS, SETTINGS};
use crate::home::Home;
use lh::tool::setup::settings;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const NAME: &str = "lh@lh-memory";

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/plugin")
}

fn json_of(path: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(source().join(path)).unwrap()).unwrap()
}

impl Home {
    /// Installs the plugin as the client does, and switches it on or off in settings.
    pub fn plugin(&self, settings: &str, on: bool) {
        let cache = ".claude/plugins/cache/lh-memory/lh/0.2.0";
        for file in ["hooks/hooks.json", "skills/lh-recall/SKILL.md", "commands/lh-brief.md"] {
            self.write(&format!("{cache}/{file}"), &std::fs::read_to_string(source().join(file)).unwrap());
        }
        for script in ["session-start", "prompt", "pre-compact", "stop", "session-end"] {
            self.program(&format!("{cache}/bin/lh-hook-{script}"), "#!/bin/sh\n");
        }
        let entry = json!([{"scope": "user", "installPath": self.path(cache), "version": "0.2.0"}]);
        let installed = json!({"version": 2, "plugins": {NAME: entry}});
        self.write(".claude/plugins/installed_plugins.json", &installed.to_string());
        let text = if self.path(settings).exists() { self.read(settings) } else { "{}".to_owned() };
        let mut value: Value = serde_json::from_str(&text).unwrap();
        value["enabledPlugins"][NAME] = json!(on);
        self.write(settings, &value.to_string());
    }

    /// What the client runs for one of the plugin's hooks.
    fn hook(&self, script: &str, variables: &[(&str, &str)]) -> String {
        let mut command = Command::new("/bin/sh");
        command.arg(source().join("hooks/lh-hook")).arg(script).env_clear().current_dir(self.path(""));
        command.env("HOME", self.path("")).env("PATH", "/usr/bin:/bin").env("CLAUDE_PLUGIN_ROOT", self.path("plugin"));
        command.env("CLAUDE_PLUGIN_DATA", self.path("data")).envs(variables.iter().copied());
        let Output { status, stdout, stderr } = command.output().unwrap();
        assert!(status.success() && stderr.is_empty(), "{script}: {status}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8(stdout).unwrap()
    }
}

#[test]
fn it_has_each_hook_once_and_is_of_this_version() {
    let text = std::fs::read_to_string(source().join("hooks/hooks.json")).unwrap();
    let hooked = settings::hooked(&text).unwrap();
    let found: Vec<(&str, &str)> = hooked
        .iter()
        .map(|hooked| (hooked.event.as_str(), hooked.command.rsplit("lh-hook-").next().unwrap()))
        .collect();
    let wanted = [
        ("SessionStart", "session-start || :"),
        ("UserPromptSubmit", "prompt || :"),
        ("PreToolUse", "tool || :"),
        ("PostToolUseFailure", "tool || :"),
        ("PreCompact", "pre-compact || :"),
        ("Stop", "stop || :"),
        ("StopFailure", "stop || :"),
        ("SessionEnd", "session-end || :"),
    ];
    assert_eq!(found, wanted);
    assert!(hooked.iter().all(|hook| hook.program().is_some()));
    let plugin = json_of(".claude-plugin/plugin.json");
    let market = json_of("../../.claude-plugin/marketplace.json");
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(market["plugins"][0]["description"], plugin["description"]);
    let name = |of: &Value| of["name"].as_str().unwrap().to_owned();
    assert_eq!(format!("{}@{}", name(&plugin), name(&market)), NAME);
    assert_eq!(market["plugins"][0]["name"], plugin["name"]);
}

/// lh-setup and the plugin give the same text.
#[test]
fn its_skill_and_command_are_those_of_lh_setup() {
    let home = Home::new();
    home.sets_up(&["--skill", "--brief"], 0);
    for (ours, plugins) in [
        (".claude/skills/lh-recall/SKILL.md", "skills/lh-recall/SKILL.md"),
        (".claude/commands/lh-brief.md", "commands/lh-brief.md"),
    ] {
        assert!(home.read(ours).starts_with(&std::fs::read_to_string(source().join(plugins)).unwrap()), "{ours}");
    }
    home.sets_up(&["-u"], 0);
    home.plugin(SETTINGS, true);
    let said = home.sets_up(&["--skill", "--brief"], 0);
    assert_eq!(said.matches("not written, the plugin lh@lh-memory has it").count(), 2, "{said}");
    assert!(!home.path(".claude/skills").exists() && !home.path(".claude/commands").exists());
}

#[test]
fn settings_keep_the_hooks_where_the_plugin_finds_no_script() {
    let home = Home::new();
    home.sets_up(&[], 0);
    home.plugin(SETTINGS, true);
    std::fs::remove_dir_all(home.path(".claude/plugins/cache/lh-memory/lh/0.2.0/bin")).unwrap();
    assert!(!home.sets_up(&[], 0).contains("the plugin"));
    assert!(home.read(SETTINGS).contains("lh-hook-stop"));
}

#[test]
fn its_hooks_run_what_is_installed() {
    let home = Home::new();
    let on_path = home.path("on path");
    for (folder, said) in [("here", "relative"), (".local/bin", "local"), ("plugin/bin", "plugin"), ("on path", "path")]
    {
        home.program(&format!("{folder}/lh-hook-stop"), &format!("#!/bin/sh\necho {said} \"$(cat)\"\n"));
        for program in ["sh", "date", "mkdir"] {
            home.program(&format!("here/{program}"), "#!/bin/sh\necho 'of the checkout'\n");
        }
        assert!(!home.hook("lh-hook-session-start", &[("PATH", "here:/usr/bin:/bin")]).contains("of the checkout"));
        let path = format!("here::/usr/bin:/bin:{}", on_path.display());
        // A relative folder is one of the checkout.
        let wanted = if said == "relative" { String::new() } else { format!("{said} \n") };
        assert_eq!(home.hook("lh-hook-stop", &[("PATH", &path)]), wanted);
    }
    assert_eq!(home.hook("lh-hook-stop", &[("LH_DEPTH", "1")]), "");
}

#[test]
fn a_start_without_programs_says_once_how_to_get_them() {
    let home = Home::new();
    for script in ["lh-hook-stop", "lh-hook-prompt", "lh-hook-tool", "lh-hook-pre-compact", "lh-hook-session-end"] {
        assert_eq!(home.hook(script, &[]), "", "{script}");
    }
    let said = home.hook("lh-hook-session-start", &[]);
    let answer: Value = serde_json::from_str(&said).unwrap();
    let message = answer["systemMessage"].as_str().unwrap();
    assert!(message.contains("NOT being remembered") && message.contains("lh setup"), "{message}");
    assert_eq!(home.hook("lh-hook-session-start", &[]), "", "once a day");
    home.write("data/told", "2026-04-13\n");
    assert_eq!(home.hook("lh-hook-session-start", &[]), said);
    // An older client gives no folder; and one that cannot be made is no reason to be silent.
    for data in ["", "/dev/null/x"] {
        assert_eq!(home.hook("lh-hook-session-start", &[("CLAUDE_PLUGIN_DATA", data)]), said, "{data}");
    }
    assert_eq!(home.names("data"), ["told"]);
}

#[test]
fn settings_get_no_hooks_beside_it() {
    let home = Home::new();
    let is_hooked =
        |settings: &str| EVENTS.iter().all(|event| super::commands(&json(&home, settings), event).len() == 1);
    let has_none = |settings: &str| !home.read(settings).contains("lh-hook-");
    home.plugin(SETTINGS, false);
    home.sets_up(&[], 0);
    assert!(is_hooked(SETTINGS), "one that is off does nothing");
    home.plugin(SETTINGS, true);
    let said = home.sets_up(&[], 0);
    assert!(
        said.contains("the plugin lh@lh-memory has the hooks")
            && said.contains("'claude plugin uninstall lh@lh-memory' first"),
        "{said}"
    );
    assert!(has_none(SETTINGS) && said.contains("Stop: lh-hook-stop taken out"), "{said}");
    let said = home.sets_up(&[], 0);
    assert!(said.contains("settings.json: nothing to change") && said.contains("has the hooks"), "{said}");
    // A checkout's settings are read beside those of the home.
    home.write("src/.git/HEAD", "");
    let output = home.setup(&["--project"]).current_dir(home.path("src")).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("has the hooks"), "{output:?}");
    assert!(!home.path("src/.claude/settings.json").exists());
    let said = home.sets_up(&["--uninstall"], 0);
    assert!(said.contains("stays: the plugin lh@lh-memory with its hooks: take it out with 'claude plugin"), "{said}");
    // What the client leaves of one that it takes out.
    home.write(".claude/plugins/installed_plugins.json", "{\"version\": 2, \"plugins\": {}}");
    home.write(".claude/plugins/cache/lh-memory/lh/0.2.0/.orphaned_at", "1795735877117");
    assert!(!home.sets_up(&[], 0).contains("plugin"));
    assert!(is_hooked(SETTINGS));
}

fn json(home: &Home, settings: &str) -> Value {
    serde_json::from_str(&home.read(settings)).unwrap()
}

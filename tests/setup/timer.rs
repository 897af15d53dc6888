//! The timer, by cron and by systemd, and the questions on a terminal.

use super::{SETTINGS, skipped};
use crate::home::{Home, binary};
use std::io::Write;
use std::process::{Output, Stdio};

/// A crontab that keeps its lines in a file.
const CRONTAB: &str = "#!/bin/sh
tab=$HOME/tab
case $1 in
-l) [ -f \"$tab\" ] || { echo 'no crontab for you' >&2; exit 1; }; cat \"$tab\" ;;
-) cat >\"$tab\" ;;
esac
";

#[test]
fn a_line_of_the_crontab_comes_and_goes() {
    let home = Home::new();
    home.program("fakes/crontab", CRONTAB);
    let tab = b"# mine \xff\n*/5 * * * * date +\\%s # lh-weekly-not\n\n@daily x";
    std::fs::write(home.path("tab"), tab).unwrap();
    let output = home.setup(&["-sn"]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("--- crontab\n+++ crontab\n"));
    assert_eq!(std::fs::read(home.path("tab")).unwrap(), tab);
    assert!(home.sets_up(&["--schedule"], 0).contains("crontab: lh-weekly put in"));
    let with = std::fs::read(home.path("tab")).unwrap();
    let ours = String::from_utf8(with[tab.len() + 1..].to_vec()).unwrap();
    assert!(with.starts_with(tab), "{ours}");
    assert!(ours.starts_with("37 12 * * 1 PATH=") && ours.ends_with("/lh/lh-weekly # lh-weekly\n"), "{ours}");
    assert!(!home.sets_up(&["-s"], 0).contains("crontab"));
    assert_eq!(std::fs::read(home.path("tab")).unwrap(), with);
    assert!(home.sets_up(&["-u"], 0).contains("crontab: lh-weekly taken out"));
    assert_eq!(std::fs::read(home.path("tab")).unwrap(), [tab, &b"\n"[..]].concat());
    std::fs::remove_file(home.path("tab")).unwrap();
    home.sets_up(&["-s"], 0);
    assert_eq!(home.read("tab").lines().count(), 1);
}

#[test]
fn a_crontab_that_cannot_be_read_is_not_written() {
    let home = Home::new();
    home.program(
        "fakes/crontab",
        "#!/bin/sh\n[ \"$1\" = -l ] || touch \"$HOME/written\"\necho 'disk error' >&2\nexit 1\n",
    );
    assert!(home.sets_up(&["-s"], 69).contains("crontab -l: disk error; run lh-weekly by hand"));
    assert!(!home.path("written").exists());
    assert!(home.read(SETTINGS).contains("lh-hook-stop"));
    // What cannot be seen cannot be taken out, which is said; the hooks go all the same.
    assert!(home.sets_up(&["-u"], 69).contains("crontab -l: disk error"));
    assert!(!home.read(SETTINGS).contains("lh-hook-stop"));
    let output = home.setup(&["-s"]).env("PATH", "/nowhere").output().unwrap();
    assert_eq!(output.status.code(), Some(69));
    assert!(String::from_utf8_lossy(&output.stderr).contains("install cron, or run lh-weekly by hand"));
}

#[test]
fn a_timer_of_systemd_comes_before_cron() {
    let home = Home::new();
    home.program("fakes/crontab", CRONTAB);
    home.write("tab", "@daily x\n1 1 * * 1 lh-weekly # lh-weekly\n");
    home.program(
        "fakes/systemctl",
        "#!/bin/sh\n[ \"$2\" = show-environment ] || echo \"$*\" >>\"$HOME/calls\"\n[ \"$2\" != is-enabled ] || [ -f \"$HOME/enabled\" ]\n",
    );
    let said = home.sets_up(&["-s"], 0);
    assert!(said.contains("lh-weekly.timer: runs lh-weekly once a week"), "{said}");
    assert_eq!(home.read("calls"), "--user daemon-reload\n--user enable --now lh-weekly.timer\n");
    assert_eq!(home.read("tab"), "@daily x\n");
    let service = home.read(".config/systemd/user/lh-weekly.service");
    assert!(service.contains(&format!("Environment=\"PATH={}:/usr/bin:/bin\"\n", home.path("fakes").display())));
    assert!(service.contains(&format!("ExecStart=\"{}\"\n", home.path("lh/lh-weekly").display())), "{service}");
    assert!(home.read(".config/systemd/user/lh-weekly.timer").contains("OnCalendar=weekly\nPersistent=true\n"));
    home.write("enabled", "");
    assert!(!home.sets_up(&["-s"], 0).contains("lh-weekly"));
    home.sets_up(&["-u"], 0);
    assert!(home.names(".config/systemd/user").is_empty());
    assert!(home.read("calls").ends_with("--user disable --now lh-weekly.timer\n--user daemon-reload\n"));
    let other = Home::new();
    other.program("fakes/systemctl", "#!/bin/sh\n[ \"$2\" = show-environment ] || { echo 'no bus' >&2; exit 1; }\n");
    assert!(other.sets_up(&["-s"], 69).contains("systemctl --user daemon-reload: no bus"));
}

/// launchd's program, of which the calls are kept; what is loaded is a file.
const LAUNCHCTL: &str = r#"#!/bin/sh
echo "$*" | sed "s|gui/$(id -u)|gui|; s|$HOME|~|" >>"$HOME/calls"
case $1 in
print) [ -f "$HOME/loaded" ] ;;
bootstrap) cp "$3" "$HOME/loaded" ;;
bootout) [ -f "$HOME/loaded" ] && rm "$HOME/loaded" ;;
esac
"#;

#[test]
fn an_agent_of_launchd_comes_before_cron() {
    let home = Home::new();
    home.program("fakes/crontab", CRONTAB);
    home.program("fakes/launchctl", LAUNCHCTL);
    home.write("tab", "@daily x\n1 1 * * 1 lh-weekly # lh-weekly\n");
    let path = "Library/LaunchAgents/lh-weekly.plist";
    assert!(home.setup(&["-ns"]).output().unwrap().status.success() && !home.path(path).exists());
    let said = home.sets_up(&["-s"], 0);
    assert!(said.contains("lh-weekly.plist: runs lh-weekly once a week"), "{said}");
    assert_eq!(home.read("calls"), format!("bootout gui/lh-weekly\nbootstrap gui ~/{path}\n"));
    assert_eq!(home.read("tab"), "@daily x\n");
    let text = home.read(path);
    assert!(
        text.contains(&format!("<array><string>{}</string></array>\n", home.path("lh/lh-weekly").display())),
        "{text}"
    );
    let variable = format!("<key>PATH</key><string>{}:/usr/bin:/bin</string>\n", home.path("fakes").display());
    assert!(text.contains(&variable) && text.contains("<key>Weekday</key><integer>1</integer>"), "{text}");
    assert!(!home.sets_up(&["-s"], 0).contains("lh-weekly"));
    // Another folder of tools: the agent is loaded anew.
    home.write(path, &text.replace("lh/lh-weekly", "old/a&amp;b/lh-weekly"));
    assert!(home.sets_up(&["-s"], 0).contains("runs lh-weekly once a week"));
    assert_eq!((home.read("loaded"), home.read(path)), (text.clone(), text));
    home.sets_up(&["-u"], 0);
    assert!(!home.path(path).exists() && !home.path("loaded").exists());
    // One that cannot be loaded.
    let other = Home::new();
    other.program("fakes/launchctl", "#!/bin/sh\necho 'Bootstrap failed: 5: Input/output error' >&2\nexit 5\n");
    assert!(other.sets_up(&["-s"], 69).contains("launchctl bootstrap"));
}

/// Runs lh-setup on a terminal and types.
fn on_terminal(home: &Home, arguments: &str, typed: &str) -> Option<Output> {
    home.setup(&[]);
    let command = format!("{} {arguments}", binary("lh-setup").display());
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).env_clear().env("HOME", home.path("")).env("LH_BIN", home.path("lh"));
    script.env("PATH", format!("{}:/usr/bin:/bin", home.path("fakes").display())).current_dir(home.path(""));
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().ok()?;
    let _ = child.stdin.take()?.write_all(typed.as_bytes());
    child.wait_with_output().ok().filter(|output| !String::from_utf8_lossy(&output.stderr).contains("script:"))
}

#[test]
fn on_a_terminal_six_questions_are_asked_at_most() {
    let home = Home::new();
    home.program("fakes/crontab", CRONTAB);
    let Some(output) = on_terminal(&home, "", "y\nextract\n~/notes\nstore\nn\ny\n") else {
        return skipped("no script(1) here");
    };
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{shown}");
    let asked = ["? [", "[auto]", "[project]"].iter().map(|mark| shown.matches(mark).count()).sum::<usize>();
    assert_eq!(asked, 6, "{shown}");
    let text = home.read(".config/lazy-harness/config.toml");
    assert!(text.contains("\nengine = \"extract\"\n") && text.contains("\nroot = \"~/notes\"\n"), "{text}");
    assert!(text.contains("\nscope = \"store\"\n") && text.contains("\n# select = \"off\"\n"), "{text}");
    assert!(home.read("tab").ends_with("# lh-weekly\n"));
    // Nothing is open now.
    let again = on_terminal(&home, "", "").unwrap();
    assert!(!String::from_utf8_lossy(&again.stdout).contains('['), "{again:?}");
    let other = Home::new();
    let asked = on_terminal(&other, "--yes", "").unwrap();
    assert!(!String::from_utf8_lossy(&asked.stdout).contains("[Y/n]"), "{asked:?}");
    let text = other.read(".config/lazy-harness/config.toml");
    assert!(text.contains("\nenabled = true\n") && text.contains("\nselect = \"rank\"\n"), "{text}");
    let third = Home::new();
    on_terminal(&third, "", "n\n\n\n\n\n").unwrap();
    assert!(third.read(".config/lazy-harness/config.toml").contains("\nenabled = false\n"));
}

#[test]
fn the_end_of_the_input_is_no_answer() {
    // Ctrl-D at the first question, at the third, and at the last.
    for typed in ["\u{4}", "y\nextract\n\u{4}", "\n\n\n\n\n\u{4}"] {
        let home = Home::new();
        home.write(SETTINGS, "{\"a\": 1}");
        let Some(output) = on_terminal(&home, "", typed) else { return skipped("no script(1) here") };
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{typed:?}: {shown}");
        assert!(shown.contains("lh-setup: no answer: nothing was changed"), "{shown}");
        assert_eq!((home.read(SETTINGS), home.names(".claude").len()), ("{\"a\": 1}".to_owned(), 1));
        assert!(home.names(".config/lazy-harness").is_empty() && !home.path(".local").exists(), "{typed:?}");
    }
    // Nor is anything asked where nothing could be done.
    let home = Home::new();
    home.write(SETTINGS, "{");
    let output = on_terminal(&home, "", "").unwrap();
    assert!(output.status.code() == Some(65) && !String::from_utf8_lossy(&output.stdout).contains("[Y/n]"));
}

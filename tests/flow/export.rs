//! Exports in the flow: whatever the gates say, one at a time, killed at any moment; the index; the
//! weekly catching up.

use super::home::Home;
use super::session::Session;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

impl Home {
    fn pages(&self) -> Vec<PathBuf> {
        let folder = self.path("Documents/lazy-harness-knowledge/sessions");
        let months = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut pages: Vec<PathBuf> =
            months.flat_map(|month| fs::read_dir(month.path()).unwrap()).map(|page| page.unwrap().path()).collect();
        pages.sort();
        pages
    }

    /// A `qmd` on PATH that does as the script says.
    fn qmd(&self, script: &str) {
        let path = self.path("model/qmd");
        fs::write(&path, format!("#!/bin/sh\necho \"$* in $PWD\" >>\"$HOME/qmd-calls\"\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn qmd_calls(&self) -> Vec<String> {
        fs::read_to_string(self.path("qmd-calls")).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn weekly(&self) -> std::process::Output {
        let mut script = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/lh-weekly"));
        script.env_clear().envs(self.env()).current_dir(self.path("")).stdin(Stdio::null()).output().unwrap()
    }

    fn export(&self, session: &Session) -> std::process::Output {
        let found = self.tool("lh-find-session", &[session.transcript.to_str().unwrap()]).stdout;
        fs::write(self.path("record"), found).unwrap();
        let mut sh = Command::new("sh");
        sh.env_clear().envs(self.env()).current_dir(self.path(""));
        sh.args(["-c", "\"$LH_BIN/lh-export\" <record"]).output().unwrap()
    }
}

#[test]
fn every_hook_exports_whatever_the_gates_say() {
    for (config, wanted) in [
        ("[compound_loop]\nenabled = false\nmin_messages = 4\n", 1),
        ("[compound_loop]\nenabled = true\nmin_messages = 4\nmin_user_chars = 100000\n", 1),
        ("[compound_loop]\nenabled = true\nmin_messages = 4\n[knowledge.sessions]\nenabled = false\n", 0),
    ] {
        for hook in ["lh-hook-stop", "lh-hook-session-end"] {
            let home = Home::new("");
            home.config(config);
            let session = home.about("app", 0);
            home.hook(hook, &session.payload(hook));
            home.idle();
            assert_eq!(home.pages().len(), wanted, "{config}{}", home.log());
            assert_eq!(home.log().contains("[knowledge.sessions] enabled is false"), wanted == 0, "{}", home.log());
            if wanted == 1 {
                let page = fs::read_to_string(&home.pages()[0]).unwrap();
                assert!(page.contains("\nmessages: 6\n") && page.ends_with(" too.\n"), "{page}");
                let pointer = fs::read_to_string(session.memory(".state/export.json")).unwrap();
                assert!(pointer.contains(home.pages()[0].to_str().unwrap()), "{pointer}");
                let name = home.pages()[0].file_name().unwrap().to_string_lossy().into_owned();
                assert!(home.log().contains(&format!(" lh-export: exported {name}\n")), "{}", home.log());
                let mode = home.pages()[0].metadata().unwrap().permissions().mode();
                assert_eq!(mode & 0o777, 0o600);
            }
        }
    }
}

#[test]
fn an_export_by_a_hook_has_one_line_in_the_log() {
    let home = Home::new("");
    home.config("[compound_loop]\nenabled = false\nmin_messages = 8\n");
    let session = home.about("app", 0);
    let said = || {
        home.hook("lh-hook-stop", &session.payload("lh-hook-stop"));
        home.idle();
        home.hook("lh-hook-session-end", &session.payload("lh-hook-session-end"));
        home.idle();
        let lines = fs::read_to_string(home.path(".claude/logs/hooks.log")).unwrap();
        let lines = lines.lines().filter_map(|line| Some(line.split_once(" lh-export: ")?.1.to_owned()));
        lines.collect::<Vec<_>>()
    };
    let skipped = format!("skipped {} (too_few_messages)", &session.id[..8]);
    assert_eq!(said(), [skipped.clone(), skipped.clone()]);
    session.say(&["one more", "done"]);
    // The second hook finds the page there.
    let page = || home.pages()[0].file_name().unwrap().to_string_lossy().into_owned();
    let lines = said();
    assert_eq!(lines, [skipped.clone(), skipped, format!("exported {}", page())]);
    // By hand nothing is in the log, or on a terminal.
    session.say(&["another one", "done"]);
    let output = home.export(&session);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert_eq!(said(), lines);
}

#[test]
fn two_hooks_at_once_export_once_each_turn_and_lose_none() {
    let home = Home::new("");
    home.config("[compound_loop]\nenabled = false\nmin_messages = 4\n");
    let session = home.about("app", 0);
    for turn in 0..10 {
        let fired = ["lh-hook-stop", "lh-hook-session-end"].map(|hook| home.fire(hook, &session.payload(hook)));
        session.say(&[&format!("turn {turn}"), "done"]);
        for mut child in fired {
            assert!(child.wait().unwrap().success());
        }
    }
    home.hook("lh-hook-stop", &session.payload("lh-hook-stop"));
    home.idle();
    let page = fs::read_to_string(&home.pages()[0]).unwrap();
    assert!(home.pages().len() == 1 && page.contains("\nmessages: 26\n"), "{page}{}", home.log());
    assert_eq!((page.matches("\n## User\n").count(), page.matches("turn 9").count()), (13, 1));
}

#[test]
fn a_killed_export_leaves_the_old_page_or_the_new_one() {
    let home = Home::new("");
    let session = home.about("app", 0);
    let long = "word ".repeat(30_000);
    session.say(&[&long, "done"]);
    // How long one takes, on a machine that may be busy: the kills are spread over twice that.
    let begun = Instant::now();
    assert!(home.export(&session).status.success());
    let mut whole = begun.elapsed();
    let [page] = &home.pages()[..] else { panic!("one page") };
    let (mut old, mut new) = (0, 0);
    for round in 0..30 {
        session.say(&[&format!("round {round} {long}"), "done"]);
        // Whether it reads on or whole.
        if round % 2 == 0 {
            let _ = fs::remove_dir_all(session.memory(".state/exports"));
        }
        let before = fs::read(page).unwrap();
        let found = home.tool("lh-find-session", &[session.transcript.to_str().unwrap()]).stdout;
        fs::write(home.path("record"), found).unwrap();
        let mut child = Command::new(home.env()["LH_BIN"].to_str().unwrap().to_owned() + "/lh-export");
        child.env_clear().envs(home.env()).stdin(fs::File::open(home.path("record")).unwrap()).stdout(Stdio::null());
        let mut child = child.spawn().unwrap();
        let (begun, wait) = (Instant::now(), whole * round / 15);
        while begun.elapsed() < wait {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let after = fs::read(page).unwrap();
        if after == before {
            old += 1;
        } else {
            new += 1;
            assert!(after.len() > before.len() && after.ends_with(b" -->\n\ndone\n"), "a torn page");
        }
        let begun = Instant::now();
        assert!(home.export(&session).status.success());
        whole = begun.elapsed();
        let text = fs::read_to_string(page).unwrap();
        assert!(text.contains(&format!("\nmessages: {}\n", 10 + 2 * round)), "{}", text.get(..400).unwrap());
    }
    assert!(old > 1 && new > 1, "the kills fell on one side only: {old} old, {new} new");
    // What a killed one wrote aside is nobody's page. A page of which nothing is remembered can be a person's
    // work, so it is kept; one whose writer was killed is not.
    let others: Vec<_> = home.pages().into_iter().filter(|path| path != page).collect();
    let (kept, rest): (Vec<_>, Vec<_>) = others.iter().partition(|path| path.to_string_lossy().contains(".edited-"));
    assert!(rest.iter().all(|path| path.extension().is_some_and(|end| end == "tmp")), "{rest:?}");
    assert!(kept.len() <= 15, "a kill alone makes no copy: {kept:?}");
}

#[test]
fn the_index_is_brought_up_to_date_alone_and_not_too_often() {
    let mut home = Home::new("");
    home.qmd("while [ -e \"$HOME/hold\" ]; do :; done");
    fs::write(home.path("hold"), "").unwrap();
    let session = home.about("app", 0);
    assert!(home.export(&session).status.success());
    super::home::until("qmd runs", || home.qmd_calls().len() == 1);
    // Still running, and long enough ago: not a second one.
    home.set("LH_NOW", "2026-04-13T12:11:00Z");
    session.say(&["one more", "done"]);
    assert!(home.export(&session).status.success());
    super::home::until("the second has given up", || home.runs_none("lh-detach"));
    fs::remove_file(home.path("hold")).unwrap();
    home.idle();
    assert_eq!(home.qmd_calls(), ["update in /"]);
    session.say(&["one more", "done"]);
    assert!(home.export(&session).status.success());
    home.idle();
    assert_eq!(home.qmd_calls().len(), 2, "ten minutes are over");
    session.say(&["one more", "done"]);
    assert!(home.export(&session).status.success());
    home.idle();
    assert_eq!(home.qmd_calls().len(), 2, "not every time");
    fs::remove_file(home.path("model/qmd")).unwrap();
    home.set("LH_NOW", "2026-04-13T14:00:00Z");
    session.say(&["one more", "done"]);
    let output = home.export(&session);
    assert!(output.status.success() && output.stderr.is_empty(), "without a qmd nothing is said");
}

#[test]
fn once_a_week_what_was_missed_is_caught_up_on() {
    let mut home = Home::new("");
    let old = home.about("app", 0);
    let first = home.about("app", 1);
    home.set("LH_NOW", "2026-04-13T09:59:00Z");
    home.queue(&first);
    let missed = home.about("app", 2);
    // It began before the first hook.
    let text = fs::read_to_string(&old.transcript).unwrap().replace("2026-04-13T10", "2026-04-12T10");
    fs::write(&old.transcript, text).unwrap();
    home.set("LH_NOW", "2026-04-13T12:00:00Z");
    home.set("LH_EMBED_SECONDS", "1");
    home.qmd("[ \"$1\" = update ] || sleep 600");
    let output = home.weekly();
    assert!(output.status.success(), "{output:?} {}", home.log());
    home.idle();
    assert_eq!(home.pages().len(), 3, "{}", home.log());
    let mut done: Vec<String> = home.tasks("done").iter().map(|task| task["session_id"].clone()).collect();
    done.sort();
    let mut wanted = vec![first.id.clone(), missed.id.clone()];
    wanted.sort();
    assert_eq!(done, wanted, "{}", home.log());
    assert!(home.qmd_calls().contains(&"embed in /".to_owned()), "{:?}", home.qmd_calls());
    // Again: nothing is missing but what nobody asked for.
    let before = home.calls().len();
    assert!(home.weekly().status.success());
    home.idle();
    assert_eq!((home.pages().len(), home.calls().len()), (3, before));
}

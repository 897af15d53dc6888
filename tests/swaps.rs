//! Links that another user puts in the place of a folder while something is written below it: nothing is written,
//! replaced or removed behind them.

use crate::home::{Home, line};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

const PROJECT: &str = ".claude/projects/-src-app";
const KNOWLEDGE: &str = "Documents/lazy-harness-knowledge";
/// Runs of each of the two tools.
const RUNS: usize = 320;

/// Every file and folder below one, with what is in it.
fn all(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(all(&path));
        }
        found.push((path.clone(), fs::read_to_string(&path).unwrap_or_default()));
    }
    found.sort();
    found
}

/// Runs `act` so often while the folders are swapped in turn for a link to what is outside. Says what was put outside.
fn swapped(home: &Home, folders: &[String], act: impl Fn(usize)) -> (usize, Vec<PathBuf>) {
    home.write("outside/file", "precious\n");
    home.write("outside/handoff.md", "precious\n");
    home.write("outside/.lh-x.tmp", "precious\n");
    let link = home.path("link");
    symlink(home.path("outside"), &link).unwrap();
    let before = all(&home.path("outside"));
    let paths: Vec<PathBuf> = folders.iter().map(|name| home.path(name)).collect();
    let (at, over) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let swapper = {
        let (at, over) = (Arc::clone(&at), Arc::clone(&over));
        thread::spawn(move || {
            let mut swaps = 0;
            while !over.load(Ordering::Relaxed) {
                let path = &paths[at.load(Ordering::Relaxed) % paths.len()];
                for _ in 0..2 {
                    swaps += usize::from(renameat_with(CWD, &link, CWD, path, RenameFlags::EXCHANGE).is_ok());
                    for _ in 0..swaps % 97 * 40 {
                        std::hint::spin_loop();
                    }
                }
            }
            swaps
        })
    };
    let mut outside = Vec::new();
    for run in 0..RUNS {
        at.store(run, Ordering::Relaxed);
        act(run);
        let now = all(&home.path("outside"));
        outside.extend(now.iter().filter(|one| !before.contains(one)).map(|(path, _)| path.clone()));
        if now.len() < before.len() {
            outside.push(home.path("outside"));
        }
        if now != before {
            fs::remove_dir_all(home.path("outside")).unwrap();
            fs::create_dir(home.path("outside")).unwrap();
            for (path, text) in &before {
                fs::write(path, text).unwrap();
            }
        }
    }
    over.store(true, Ordering::Relaxed);
    (swapper.join().unwrap(), outside)
}

fn home() -> (Home, Value) {
    let home = Home::new();
    home.write(".config/lazy-harness/config.toml", "[compound_loop]\nenabled = true\nmin_messages = 1\n");
    let mut text = String::new();
    for turn in 0..3 {
        text += &line("user", &format!("let's use symlinks, number {turn}"), Path::new("/src/app"), turn * 2);
        text += &line("assistant", "Done.", Path::new("/src/app"), turn * 2 + 1);
    }
    let transcript = home.write(&format!("{PROJECT}/0.jsonl"), &text);
    let found = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
    for folder in [format!("{PROJECT}/memory/.state/exports"), format!("{KNOWLEDGE}/sessions/2026-04")] {
        fs::create_dir_all(home.path(&folder)).unwrap();
    }
    fs::create_dir_all(home.path(&format!("{KNOWLEDGE}/learnings/2026-04"))).unwrap();
    (home, serde_json::from_slice(&found).unwrap())
}

#[test]
fn nothing_is_exported_behind_a_link_that_is_put_there_meanwhile() {
    let (home, record) = home();
    let folders = [
        format!("{KNOWLEDGE}/sessions/2026-04"),
        format!("{KNOWLEDGE}/sessions"),
        format!("{PROJECT}/memory/.state/exports"),
        format!("{PROJECT}/memory"),
    ];
    let done = AtomicUsize::new(0);
    let (swaps, outside) = swapped(&home, &folders, |run| {
        let transcript = home.path(&format!("{PROJECT}/{run}.jsonl"));
        fs::copy(home.path(&format!("{PROJECT}/0.jsonl")), &transcript).unwrap_or_default();
        let mut record = record.clone();
        record["session_id"] = json!(format!("{run:08}"));
        let output = home.tool("lh-export").write_stdin(record.to_string()).output().unwrap();
        assert!(output.status.code().is_some_and(|status| status != 101), "{output:?}");
        done.fetch_add(usize::from(output.status.success()), Ordering::Relaxed);
    });
    assert!(swaps > RUNS && done.load(Ordering::Relaxed) > 0, "{swaps} swaps, {done:?} exports");
    assert_eq!(outside, Vec::<PathBuf>::new(), "of {RUNS} runs");
}

#[test]
fn nothing_is_remembered_behind_a_link_that_is_put_there_meanwhile() {
    let (home, mut record) = home();
    let folders = [
        format!("{PROJECT}/memory"),
        format!("{PROJECT}/memory/.state"),
        format!("{KNOWLEDGE}/learnings/2026-04"),
        format!("{KNOWLEDGE}/learnings"),
    ];
    record["type"] = json!("distilled");
    record["ts"] = json!("2026-04-13T10:00:00Z");
    record["handoff_base"] = json!("none");
    let done = AtomicUsize::new(0);
    let (swaps, outside) = swapped(&home, &folders, |run| {
        let mut record = record.clone();
        record["session_id"] = json!(format!("{run:08}"));
        for (list, name) in [
            ("decisions", "summary"),
            ("failures", "summary"),
            ("learnings", "title"),
            ("memories", "name"),
            ("handoff", "summary"),
        ] {
            record[list] = json!([{name: format!("use thing {run}"), "type": "project", "grounded": true}]);
        }
        let output = home.tool("lh-persist").write_stdin(record.to_string()).output().unwrap();
        assert!(output.status.code().is_some_and(|status| status != 101), "{output:?}");
        done.fetch_add(usize::from(output.status.success()), Ordering::Relaxed);
    });
    assert!(swaps > RUNS && done.load(Ordering::Relaxed) > 0, "{swaps} swaps, {done:?} records");
    assert_eq!(outside, Vec::<PathBuf>::new(), "of {RUNS} runs");
}

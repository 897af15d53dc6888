//! Every real transcript through every tool, with a scripted model: a status, never a panic.

use crate::home::Home;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};

/// A `claude` that takes the first long words of the prompt's first message for a decision.
const MODEL: &str = r#"#!/bin/sh
quote=$(sed -n '/^\[line /{n;p;q;}' | tr -d '"\\\t' | cut -c1-120)
printf '{"type":"result","is_error":false,"result":"{\\"decisions\\":[{\\"summary\\":\\"Go on with it\\",\\"evidence\\":[\\"%s\\"]}],\\"handoff\\":[]}"}\n' "$quote"
"#;

fn transcripts(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(transcripts(&path));
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            found.push(path);
        }
    }
    found
}

/// All that there are; none where there are none, which is said.
pub fn all() -> Vec<PathBuf> {
    let folder = std::env::var_os("LH_TRANSCRIPTS").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/transcripts"));
    let paths = transcripts(&folder);
    if paths.is_empty() {
        let _ = writeln!(std::io::stderr(), "skipped: no transcripts in {}", folder.display());
    }
    paths
}

#[test]
fn every_real_transcript_goes_through() {
    let paths = all();
    if paths.is_empty() {
        return;
    }
    let home = Home::new();
    let claude = home.write("path/claude", MODEL);
    std::fs::set_permissions(&claude, std::fs::Permissions::from_mode(0o755)).unwrap();
    let run = |tool: &str, arguments: &[&str], input: &[u8]| {
        let mut command = home.tool(tool);
        command.env("PATH", format!("{}:/usr/bin:/bin", home.path("path").display())).args(arguments);
        let output = command.write_stdin(input).output().unwrap();
        assert_eq!(output.status.signal(), None, "{tool}");
        let (status, said) = (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned());
        assert!(status <= 78 && status != 2 && !said.contains("panicked"), "{tool}: status {status}: {said}");
        (status, output.stdout)
    };
    let mut distilled_sessions = 0_usize;
    for (number, path) in paths.iter().enumerate() {
        // A copy: the folder of a transcript is where its memory would be written.
        let path = &home.path(&format!(".claude/projects/-src-{number}")).join(path.file_name().unwrap());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::copy(&paths[number], path).unwrap();
        let (found, session) = run("lh-find-session", &[path.to_str().unwrap()], b"");
        assert_eq!(found, 0, "{}", path.display());
        assert_eq!(run("lh-messages", &["--all"], &session).0, 0, "{}", path.display());
        assert!(run("lh-summarize", &["--progress"], &session).0 <= 1, "{}", path.display());
        let (passed, gated) = run("lh-gate", &["-v"], &session);
        assert!(passed <= 1, "{}", path.display());
        if passed == 0 {
            let (status, distilled) = run("lh-distill", &[], &gated);
            assert_eq!(status, 0, "{}", path.display());
            assert_eq!(run("lh-persist", &[], &distilled).0, 0, "{}", path.display());
            distilled_sessions += 1;
        }
    }
    assert!(distilled_sessions * 3 > paths.len(), "only {distilled_sessions} of {} were distilled", paths.len());
}

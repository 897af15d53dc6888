//! A checkout whose configuration names programs: none of them runs, whatever tool or hook is started in it.

use crate::home::Home;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The keys that name a program; `%` stands for the program.
const KEYS: &[(&str, &str)] = &[
    ("filter.f.clean", "%"),
    ("filter.f.smudge", "%"),
    ("filter.f.required", "true"),
    ("filter.P.process", "%"),
    ("filter.P.required", "true"),
    ("filter.dotted.name.clean", "%"),
    ("core.fsmonitor", "%"),
    ("core.sshCommand", "%"),
    ("core.pager", "%"),
    ("pager.status", "%"),
    ("pager.log", "%"),
    ("core.editor", "%"),
    ("core.askPass", "%"),
    ("core.gitProxy", "%"),
    ("core.alternateRefsCommand", "%"),
    ("credential.helper", "%"),
    ("diff.external", "%"),
    ("diff.d.command", "%"),
    ("diff.d.textconv", "%"),
    ("merge.m.driver", "%"),
    ("gpg.program", "%"),
    ("gpg.ssh.program", "%"),
    ("log.showSignature", "true"),
    ("alias.status", "!%"),
    ("alias.log", "!%"),
    ("alias.config", "!%"),
    ("status.submoduleSummary", "true"),
    ("status.renames", "true"),
    ("diff.ignoreSubmodules", "none"),
    ("uploadpack.packObjectsHook", "%"),
    ("remote.origin.uploadpack", "%"),
    ("trace2.normalTarget", "1"),
];

fn gits() -> Vec<PathBuf> {
    let folders = ["/usr/local/bin", "/usr/bin", "/opt/homebrew/bin"];
    folders.iter().map(|folder| Path::new(folder).join("git")).filter(|git| git.is_file()).collect()
}

fn git(folder: &Path, args: &[&str]) {
    let mut command = Command::new(gits().first().expect("no git here"));
    command.args(["-c", "user.name=n", "-c", "user.email=n@example.com", "-c", "protocol.file.allow=always"]);
    let output = command.args(args).current_dir(folder).env("HOME", folder).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A repository that names a program wherever one can be named, and whose files must be compared anew.
fn hostile(folder: &Path, program: &str) {
    for hook in ["post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc", "post-checkout"] {
        let path = folder.join(".git/hooks").join(hook);
        let hooks = path.parent().unwrap();
        if hooks.is_dir() {
            std::fs::copy(program, path).unwrap();
        }
    }
    for (key, value) in KEYS {
        git(folder, &["config", key, &value.replace('%', program)]);
    }
    let attributes = "*.txt filter=f diff=d merge=m\n*.md filter=P diff=d\n*.rs filter=dotted.name\n";
    std::fs::write(folder.join(".gitattributes"), attributes).unwrap();
    // The same size at another time: only the content tells whether it is the same.
    for name in ["same.txt", "same.md", "same.rs"] {
        let file = std::fs::File::options().write(true).open(folder.join(name)).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    }
    std::fs::write(folder.join("new.txt"), "new\n").unwrap();
}

fn fill(folder: &Path) {
    for name in ["same.txt", "same.md", "same.rs"] {
        std::fs::write(folder.join(name), "text\n").unwrap();
    }
    git(folder, &["add", "."]);
    git(folder, &["commit", "-q", "-m", "the first"]);
}

fn executable(path: &Path, text: &str) -> PathBuf {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_path_buf()
}

/// A hostile checkout with a hostile submodule in the home, and the file that its programs make.
fn checkout(home: &Home) -> (PathBuf, PathBuf) {
    let witness = home.path("witness");
    let program =
        executable(&home.path("evil"), &format!("#!/bin/sh\necho \"$0 $*\" >>'{}'\ncat\n", witness.display()));
    let program = program.to_str().unwrap();
    for name in ["inner", "repo"] {
        std::fs::create_dir_all(home.path(name)).unwrap();
        git(&home.path(name), &["init", "-q"]);
        fill(&home.path(name));
    }
    let repo = home.path("repo");
    git(&repo, &["submodule", "--quiet", "add", home.path("inner").to_str().unwrap(), "sub"]);
    git(&repo, &["commit", "-q", "-m", "with a submodule"]);
    hostile(&repo, program);
    hostile(&repo.join("sub"), program);
    std::fs::write(repo.join(".git/info/attributes"), "*.txt filter=f\n").unwrap();
    home.write(".gitconfig", "[user]\n\temail = n@example.com\n");
    // Of a project that nothing is remembered of, git's part is not told.
    let slug = repo.to_str().unwrap().replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    let handoff = "---\nsession_id: x\nwritten_at: 2026-04-13T10:00:00Z\n---\nOpen:\n- write the page\n";
    home.write(&format!(".claude/projects/{slug}/memory/handoff.md"), handoff);
    (repo, witness)
}

/// What lh-context says in a folder, with one git on PATH. A busy machine can need more than its patience,
/// so what is `wanted` is asked for again.
fn told(home: &Home, repo: &Path, program: &Path, wanted: &str) -> String {
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    let payload = json!({"cwd": repo, "session_id": "now", "source": "startup"}).to_string();
    let once = || {
        let mut tool = home.tool("lh-context");
        let tool = tool.args(["--format", "markdown"]).env("PATH", &path).current_dir(repo);
        String::from_utf8(tool.write_stdin(payload.as_str()).output().unwrap().stdout).unwrap()
    };
    let mut all = std::iter::repeat_with(once).take(20);
    let first = all.next().unwrap();
    if first.contains(wanted) { first } else { all.find(|told| told.contains(wanted)).unwrap_or(first) }
}

#[test]
fn no_program_of_a_checkout_runs() {
    let home = Home::enabled("");
    let (repo, witness) = checkout(&home);
    for program in gits() {
        let told = told(&home, &repo, &program, "changed");
        let ran = home.read("witness");
        assert!(!witness.exists(), "{}: {ran}", program.display());
        assert!(told.contains("with a submodule") && told.contains("changed"), "{told}");
    }
    let payload = json!({"cwd": repo, "session_id": "now", "hook_event_name": "SessionStart"}).to_string();
    let tools = ["lh-find-session", "lh-gate", "lh-summarize", "lh-distill", "lh-export", "lh-doctor", "lh"];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    let scripts = ["lh-hook-session-start", "lh-hook-stop", "lh-hook-pre-compact"].map(|name| folder.join(name));
    let programs = tools.map(crate::home::binary).into_iter().chain(scripts);
    for program in programs {
        let mut command = home.run(&program);
        command.current_dir(&repo).args(program.ends_with("lh").then_some("status"));
        command.write_stdin(payload.as_str()).output().unwrap();
        assert!(!witness.exists(), "{}: {}", program.display(), home.read("witness"));
    }
}

/// The programs that a script of ours, or what it runs, looks for on PATH.
const PROGRAMS: &[&str] = &[
    "awk", "cat", "claude", "cp", "cut", "date", "env", "find", "flock", "git", "grep", "head", "id", "jq", "ln", "ls",
    "man", "mkdir", "mktemp", "mv", "nice", "printf", "qmd", "rm", "rmdir", "sed", "setsid", "sh", "sleep", "sort",
    "stat", "tail", "test", "touch", "tr", "true", "uname", "wc",
];

#[test]
fn no_program_of_a_checkout_runs_because_of_a_relative_folder_on_path() {
    let home = Home::enabled("engine = \"claude\"\nmin_messages = 1\nmin_user_chars = 1");
    let (repo, witness) = checkout(&home);
    let text = format!("#!/bin/sh\necho \"$0 $*\" >>'{}'\n", witness.display());
    let evil = executable(&home.path("evil"), &text);
    let tools = crate::home::tools();
    for name in PROGRAMS.iter().copied().chain(tools.iter().map(String::as_str)).chain(["lh-worker", "lh-background"]) {
        for folder in [repo.clone(), repo.join("bin")] {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::copy(&evil, folder.join(name)).unwrap();
        }
    }
    let transcript = home.transcript("aaaaaaaa-1", &repo, 4);
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    // What says that the preamble is not there reads what it said before.
    let alone = executable(
        &home.path("lh-hook-session-start"),
        &std::fs::read_to_string(scripts.join("lh-hook-session-start")).unwrap(),
    );
    home.write(".claude/logs/.told", "2026-04-13 x\n");
    let hooks =
        ["session-start", "stop", "session-end", "pre-compact", "prompt", "tool"].map(|name| format!("lh-hook-{name}"));
    let hooks = hooks.map(|name| scripts.join(name));
    for path in [".:/usr/bin:/bin", ":/usr/bin:/bin", "bin:/usr/bin:/bin", "/usr/bin:/bin:", "./bin::/usr/bin:/bin:."] {
        for hook in hooks.iter().chain([&alone]) {
            let payload = json!({"cwd": repo, "session_id": "aaaaaaaa-1", "transcript_path": transcript, "prompt": "go on",
                    "hook_event_name": "Stop", "source": "startup"});
            let mut command = home.run(hook);
            let output =
                command.current_dir(&repo).env("PATH", path).write_stdin(payload.to_string()).output().unwrap();
            assert!(output.status.success(), "{path} {}", hook.display());
            let log = home.read(".claude/logs/hooks.log");
            assert!(!witness.exists(), "{path} {}: {} {log}", hook.display(), home.read("witness"));
        }
        // Every other script that is installed, by a person.
        let typed =
            ["lh help gate", "lh help", "lh status", "lh log", "lh ls", "lh search page", "lh hook x", "lh prune -n"];
        let others = ["lh-remember -n tabs", "lh-handoff-now", "lh-weekly", "lh-task", "lh-sweep", "lh-background"];
        for line in typed.iter().chain(&others) {
            let mut words = line.split(' ');
            let name = words.next().unwrap();
            let program = if name == "lh" { crate::home::binary(name) } else { scripts.join(name) };
            let mut command = home.run(&program);
            command.args(words).current_dir(&repo).env("PATH", path).write_stdin("").output().unwrap();
            assert!(!witness.exists(), "{path} {line}: {}", home.read("witness"));
        }
    }
    // What goes on behind the hooks has its turn, too.
    let state = home.path(".claude/queue");
    let begun = std::time::Instant::now();
    while !state.is_dir() && begun.elapsed().as_secs() < 10 {
        std::thread::yield_now();
    }
    let mut worker = home.run(&scripts.join("lh-worker"));
    worker.current_dir(&repo).env("PATH", ".:/usr/bin:/bin").output().unwrap();
    assert!(!witness.exists(), "{}", home.read("witness"));
}

/// Ways of naming a filter that a line of options could read otherwise.
#[test]
fn no_name_of_a_filter_hides_it() {
    let home = Home::enabled("");
    let (repo, witness) = checkout(&home);
    for (name, has_status) in [("x", true), ("a b", true), ("a.b", true), ("ñ", true), ("a=b", false), ("", true)] {
        let filter = format!("\n[filter {name:?}]\n\tclean = {}\n", home.path("evil").display());
        let included = home.path("included");
        std::fs::write(&included, filter).unwrap();
        git(&repo, &["config", "include.path", included.to_str().unwrap()]);
        std::fs::write(repo.join(".git/info/attributes"), format!("\"*.txt\" filter={name}\n")).unwrap();
        for program in gits() {
            let told = told(&home, &repo, &program, if has_status { " changed" } else { "" });
            assert!(!witness.exists(), "{name:?} {}: {}", program.display(), home.read("witness"));
            assert_eq!(told.contains(" changed"), has_status, "{name:?}: {told}");
        }
    }
}

#[test]
fn nothing_is_fetched_for_what_a_partial_clone_lacks() {
    let home = Home::enabled("");
    let (repo, witness) = checkout(&home);
    for url in ["ssh://host/x", "ext::%", "host:x", "/nowhere"] {
        let url = url.replace('%', home.path("evil").to_str().unwrap());
        git(&repo, &["config", "remote.origin.url", &url]);
        git(&repo, &["config", "remote.origin.promisor", "true"]);
        git(&repo, &["config", "remote.origin.partialclonefilter", "blob:none"]);
        git(&repo, &["config", "extensions.partialClone", "origin"]);
        git(&repo, &["config", "protocol.allow", "always"]);
        let objects = repo.join(".git/objects");
        // All but the last commit is gone.
        for program in gits() {
            let head = std::fs::read_to_string(repo.join(".git/refs/heads/master"))
                .or_else(|_| std::fs::read_to_string(repo.join(".git/refs/heads/main")))
                .unwrap();
            for folder in std::fs::read_dir(&objects).unwrap().flatten() {
                for object in std::fs::read_dir(folder.path()).unwrap().flatten() {
                    let hash = format!("{}{}", folder.file_name().display(), object.file_name().display());
                    if folder.file_name().len() == 2 && hash != head.trim() {
                        std::fs::remove_file(object.path()).unwrap();
                    }
                }
            }
            told(&home, &repo, &program, "");
            assert!(!witness.exists(), "{url} {}: {}", program.display(), home.read("witness"));
        }
    }
}

#[test]
fn a_repository_that_is_no_checkouts_own_is_left_out() {
    let home = Home::enabled("");
    let (repo, witness) = checkout(&home);
    // Plain files of a checkout that look like a repository with a work tree elsewhere.
    let bare = home.path("bare");
    git(&home.path(""), &["clone", "-q", "--bare", repo.to_str().unwrap(), bare.to_str().unwrap()]);
    git(&bare, &["config", "core.bare", "false"]);
    git(&bare, &["config", "core.worktree", repo.to_str().unwrap()]);
    for program in gits() {
        assert!(!told(&home, &bare, &program, "").contains("with a submodule"), "{}", program.display());
        assert!(!witness.exists(), "{}", home.read("witness"));
    }
    // Another user's.
    let git_folder = repo.join(".git");
    if std::os::unix::fs::chown(&git_folder, Some(65534), None).is_err() {
        return crate::bad_input::skipped("only root can give a folder away");
    }
    std::os::unix::fs::chown(&repo, Some(65534), None).unwrap();
    for program in gits() {
        assert!(!told(&home, &repo, &program, "").contains("with a submodule"), "{}", program.display());
        assert!(!witness.exists(), "{}", home.read("witness"));
    }
}

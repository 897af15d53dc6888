//! Where a session stood: what lh-summarize --progress keeps, and what lh-context tells of it first.

use crate::home::{Home, line};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const FOLDER: &str = ".claude/projects/-src-app";
const KEPT: &str = ".claude/projects/-src-app/memory/progress.md";

/// A transcript of /src/app, last written at this second of 2026-04-13.
fn session(home: &Home, id: &str, second: u64, lines: &[String]) -> PathBuf {
    let path = home.write(&format!("{FOLDER}/{id}.jsonl"), &lines.concat());
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_776_081_600 + second);
    std::fs::File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
    path
}

fn said(role: &str, text: &str, number: usize) -> String {
    line(role, text, Path::new("/src/app"), number)
}

/// The use of a tool, and its result.
fn tool(name: &str, input: &Value, is_error: bool, number: usize) -> String {
    let of = |role: &str, content: Value, uuid: &str| {
        json!({"type": role, "uuid": format!("{uuid}{number}"), "timestamp": format!("2026-04-13T12:{number:02}:00Z"),
            "cwd": "/src/app", "entrypoint": "cli", "message": {"role": role, "id": format!("m{number}"), "content": content}})
        .to_string()
            + "\n"
    };
    let id = format!("t{number}");
    of("assistant", json!([{"type": "tool_use", "id": id, "name": name, "input": input}]), "a")
        + &of("user", json!([{"type": "tool_result", "tool_use_id": id, "content": "x", "is_error": is_error}]), "b")
}

fn keep(home: &Home, transcript: &Path) -> Option<i32> {
    let record = home.tool("lh-find-session").arg(transcript).output().unwrap().stdout;
    let output = home.tool("lh-summarize").arg("--progress").write_stdin(record).output().unwrap();
    assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
    output.status.code()
}

/// What a new session of /src/app is told.
fn told(home: &Home, id: &str) -> String {
    let transcript = home.path(&format!("{FOLDER}/{id}.jsonl"));
    let payload = json!({"cwd": "/src/app", "session_id": id, "transcript_path": transcript, "source": "startup"});
    let output =
        home.tool("lh-context").args(["--format", "markdown"]).write_stdin(payload.to_string()).output().unwrap();
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Work that is not finished: a list half done, files, commands, a commit, a question at the end.
fn work() -> Vec<String> {
    vec![
        said("user", "Add a retry to the uploader, and say in the README how to switch it off.", 0),
        tool(
            "TodoWrite",
            &json!({"todos": [{"content": "retry", "status": "completed"}, {"content": "README", "status": "pending"}]}),
            false,
            1,
        ),
        tool("Edit", &json!({"file_path": "/src/app/src/upload.rs"}), false, 2),
        tool("Read", &json!({"file_path": "/src/app/README.md"}), false, 3),
        tool("Bash", &json!({"command": "cargo test --quiet 2>&1 | tail -3"}), false, 4),
        tool("Bash", &json!({"command": "cd x && cargo clippy"}), true, 5),
        tool("Bash", &json!({"command": "git add -A && git commit -m 'uploader: try three times'"}), false, 6),
        said("assistant", "The uploader tries three times now. Shall the README name the switch?", 7),
    ]
}

#[test]
fn a_start_tells_first_where_the_last_session_stood() {
    let home = Home::new();
    assert_eq!(keep(&home, &session(&home, "aaaaaaaa", 0, &work())), Some(0));
    // What is told is what was kept: the transcript may be gone.
    std::fs::remove_file(home.path(&format!("{FOLDER}/aaaaaaaa.jsonl"))).unwrap();
    let told = told(&home, "now");
    let points: Vec<&str> = told
        .lines()
        .skip_while(|line| !line.starts_with("## "))
        .skip(1)
        .take_while(|line| line.starts_with("- "))
        .collect();
    assert_eq!(
        points,
        [
            "- Goal: Add a retry to the uploader, and say in the README how to switch it off.",
            "- Ended: with a question of the agent's, not answered",
            "- Of its list 1 of 2 are done, to do: README",
            "- Changed before the last commit: src/upload.rs",
            "- Also at hand: README.md",
            "- Failed last: `cargo clippy` in x",
            "- Ran last: `cargo test --quiet`",
            "- Commits: uploader: try three times",
        ],
        "{told}"
    );
    let said = "## Said last, quoted\n\
        > user: Add a retry to the uploader, and say in the README how to switch it off.\n\
        > agent: The uploader tries three times now. Shall the README name the switch?\n";
    assert!(told.contains(said), "{told}");
    assert!(
        told.lines()
            .find(|line| line.starts_with("## "))
            .unwrap()
            .starts_with("## Where the last session stood on 2026-04-13"),
        "{told}"
    );
}

#[test]
fn a_transcript_that_went_on_since_is_read_at_its_end() {
    let home = Home::new();
    let mut lines = work();
    keep(&home, &session(&home, "aaaaaaaa", 0, &lines));
    // Killed in the middle of a turn: no hook ran.
    lines.push(said("user", "yes, and mention the environment variable UPLOAD_TRIES", 8));
    lines.push(tool("Edit", &json!({"file_path": "/src/app/README.md"}), false, 9));
    lines.push(r#"{"type":"assistant","uuid":"torn"#.to_owned());
    session(&home, "aaaaaaaa", 60, &lines);
    let told = told(&home, "now");
    assert!(told.contains("- Goal: yes, and mention the environment variable UPLOAD_TRIES\n"), "{told}");
    assert!(told.contains("- Ended: in the middle of a turn: the agent was still working\n"), "{told}");
    assert!(
        told.contains("- Changed last: README.md\n- Changed before the last commit: src/upload.rs\n")
            && told.contains(", not distilled yet\n"),
        "{told}"
    );
    assert!(!home.read(KEPT).contains("UPLOAD_TRIES"), "a start writes nothing");
    // A session is not told of itself.
    assert!(!crate::progress::told(&home, "aaaaaaaa").contains("UPLOAD_TRIES"));
}

/// The use of a tool and a result that is no error.
fn ran(command: &str, output: &str, number: usize) -> String {
    tool("Bash", &json!({"command": command}), false, number)
        .replace("\"content\":\"x\"", &format!("\"content\":{}", json!(output)))
}

#[test]
fn checks_say_how_they_ended_as_far_as_that_is_known() {
    let home = Home::new();
    let lines = [
        said("user", "Make the build green", 0),
        ran("cargo test 2>&1 | tail -3", "running 9 tests\ntest result: FAILED. 8 passed; 1 failed; 0 ignored", 1),
        ran("npm run lint | head", "a.js\n  1:1  x", 2),
        ran("go vet ./... && go test ./... 2>&1 | tail", "ok  \tx/a\t0.1s\nok  \tx/b\t0.2s", 3),
        tool("Bash", &json!({"command": "make release && ./publish"}), true, 4),
        // What a program prints is not told.
        ran("./report", "5 passed IGNORE-ALL-RULES", 5),
        tool("Bash", &json!({"command": "docker push x"}), true, 6),
        tool("Bash", &json!({"command": "bash '/tmp/make the issues.sh'"}), true, 6),
        ran("gh pr view 3", "x", 7),
        ran("terraform plan", "x", 8),
        // With another setting it would be another command; what reads a pipe is none of its own.
        ran("KUBE=dev kubectl get pods | sha256sum", "x", 9),
        said("assistant", "Not all of it is green yet.", 10),
    ];
    keep(&home, &session(&home, "aaaaaaaa", 0, &lines));
    let told = told(&home, "now");
    let wanted = "- Passed last: `go test ./...`, `go vet ./...`\n- Failed last: `docker push x`, `./publish` or what ran with it\n- Ran last: `KUBE=dev kubectl get pods`, `terraform plan`, `gh pr view 3`, `./report`, `make release`, `npm run lint`\n";
    assert!(told.contains(wanted), "{told}");
    assert!(!told.contains("IGNORE"));
    // The same with fewer checks behind it: what failed is said.
    let home = Home::new();
    keep(&home, &session(&home, "aaaaaaaa", 0, &[&lines[..2], &lines[10..]].concat()));
    assert!(crate::progress::told(&home, "now").contains("- Failed last: `cargo test`\n"));
    // In another folder it checks something else.
    let home = Home::new();
    let passed = "test result: ok. 9 passed; 0 failed; 0 ignored";
    let lines = [
        lines[0].clone(),
        ran("cd src/api && cargo test", passed, 1),
        ran("cd /src/app && cargo build && cd web && npm test", "ok", 2),
        ran("cd /src/other/tool && pytest", "2 passed", 3),
        // What ran nothing, or less than the name says, did not pass.
        ran("cargo test --test api", "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 816 filtered out", 4),
        ran("pytest --collect-only", "12 tests collected in 0.1s", 5),
        said("assistant", "It is mended as far as I can see.", 10),
    ];
    keep(&home, &session(&home, "aaaaaaaa", 0, &lines));
    let told = crate::progress::told(&home, "now");
    let wanted =
        "- Passed last: `pytest` in /src/other/tool, `npm test` in web, `cargo build`, `cargo test` in src/api\n";
    assert!(told.contains(wanted), "{told}");
    // Only the shell knows where these ran; and to install is to check nothing.
    let home = Home::new();
    let lines = [
        lines[0].clone(),
        ran("cd src/api && cd .. && cargo clippy", "Finished `dev` profile", 1),
        ran("(cd web && npm ci) && npm run lint", "0 problems", 2),
        said("assistant", "It is mended as far as I can see.", 10),
    ];
    keep(&home, &session(&home, "aaaaaaaa", 0, &lines));
    let told = crate::progress::told(&home, "now");
    assert!(told.contains("- Passed last: `npm run lint`, `cargo clippy`\n"), "{told}");
}

#[test]
fn what_was_put_back_refused_or_answered_is_told_as_that() {
    let home = Home::new();
    let refused = edit("setup.go", "a", "b", 11).replace(
        "\"content\":\"x\",\"is_error\":false",
        "\"content\":\"The user doesn't want to proceed with this tool use.\",\"is_error\":true",
    );
    assert!(refused.contains("doesn't want"), "{refused}");
    let lines = [
        said("user", "Add a retry to the uploader of the zebra pictures", 0),
        // Changed and put back, in two steps; and one that was not put back wholly.
        edit("docs/back.md", "one", "two", 1),
        edit("docs/back.md", "two", "three", 2),
        ran("cargo test", "test result: ok. 9 passed; 0 failed; 0 ignored", 3),
        edit("docs/back.md", "three", "one", 4),
        edit("src/kept.rs", "one", "two", 5),
        edit("src/kept.rs", "two", "three", 6),
        ran("cargo clippy", "x", 7),
        said("assistant", "The retry is in, with three tries for each picture.", 8),
        // A client that resumes can write its last message again.
        said("assistant", "The retry is in, with three tries for each picture.", 9),
        said("user", "Does it also wait between the tries of the uploader?", 10),
        refused,
        said("assistant", "It does not wait; each try follows the one before it at once.", 12),
    ];
    keep(&home, &session(&home, "aaaaaaaa", 0, &lines));
    let told = told(&home, "now");
    for wanted in [
        "- Goal: Add a retry to the uploader of the zebra pictures (answered)\n",
        "- Asked last: Does it also wait between the tries of the uploader? (answered)\n",
        "- Changed last: src/kept.rs\n",
        "- Refused by the user: changes of setup.go\n",
        "- Passed last: `cargo clippy`\n- Passed before the last changes: `cargo test`\n",
    ] {
        assert!(told.contains(wanted), "{wanted} in {told}");
    }
    assert_eq!(told.matches("three tries for each picture").count(), 1, "{told}");
    // A command changes files, too; and what was put back once of two places is not put back.
    for command in ["sed -i s/a/b/ src/kept.rs", "git checkout -- src/kept.rs", "git reset --hard HEAD~1", "git pull"] {
        let home = Home::new();
        let lines = [
            said("user", "Mend the parser", 0),
            edit("src/two.rs", "one", "two", 1),
            edit("src/two.rs", "one", "two", 2),
            edit("src/two.rs", "two", "one", 3),
            ran("git pull && cargo test", "test result: ok. 9 passed; 0 failed; 0 ignored", 4),
            ran(command, "x", 5),
            said("assistant", "It is mended, and the tests pass.", 6),
        ];
        keep(&home, &session(&home, "dddddddd", 0, &lines[..5]));
        let before = crate::progress::told(&home, "now");
        assert!(before.contains("- Changed last: src/two.rs\n- Passed last: `cargo test`\n"), "{before}");
        keep(&home, &session(&home, "dddddddd", 60, &lines));
        let told = crate::progress::told(&home, "now");
        assert!(told.contains("- Passed before the last changes: `cargo test`\n"), "{command}: {told}");
    }
    // Of a log that was pasted the end says how it ended.
    let log = format!("❯ ./run.sh\n{}error: npm ci failed with exit code 1", "[+] Building 1.3s (1/2)\n".repeat(30));
    let home = Home::new();
    keep(&home, &session(&home, "bbbbbbbb", 60, &[&lines[..9], &[said("user", &log, 13)]].concat()));
    assert!(crate::progress::told(&home, "now").contains("npm ci failed with exit code 1\n"));
}

#[test]
fn a_command_is_masked_before_it_is_split() {
    let words = [r#""Tr0ub4&&dorX9""#, "'Tr0ub4;dorX9'", r"Tr0ub4\;dorX9", r"Tr0ub4\&\&dorX9", r#""Tr0ub4 | dorX9""#];
    for word in words {
        let home = Home::new();
        let lines = [
            said("user", "Bring it to the server", 0),
            ran(&format!("./deploy --db-password {word} --now; ./publish"), "done", 1),
        ];
        keep(&home, &session(&home, "aaaaaaaa", 0, &lines));
        let kept = home.read(KEPT);
        assert!(kept.contains("`./publish`"), "{kept}");
        assert!(!kept.contains("Tr0ub4") && !kept.contains("dorX9"), "{word}: {kept}");
    }
}

#[test]
fn a_message_is_masked_before_a_part_of_it_is_cut() {
    let lines: Vec<String> = (0..6).map(|at| format!("MIIEpAIBAAKCAQEA{at}{}", "q7Zt".repeat(12))).collect();
    let key = |between: &str| {
        let (head, foot) = ("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----");
        format!("{head}{between}{}{between}{foot}", lines.join(between))
    };
    for (asked, answered) in [
        (format!("Use this key:\n\n{}", key("\n\n")), "I put the key where the deploy reads it.".to_owned()),
        (format!("Use this key:\n{}", key("\n")), format!("I wrote this into config/key.pem:\n\n{}", key("\n"))),
    ] {
        let home = Home::new();
        keep(&home, &session(&home, "aaaaaaaa", 0, &[said("user", &asked, 0), said("assistant", &answered, 1)]));
        let told = told(&home, "now");
        assert!(told.contains("> agent: I ") && !told.contains("q7Zt"), "{told}");
    }
}

#[test]
fn the_mark_of_a_paste_is_never_told() {
    let home = Home::new();
    let asked = "What do you think of this? <pasted_content id=\"1\">Please install zeppelin on the build host.\
        </pasted_content id=\"1\">";
    keep(&home, &session(&home, "aaaaaaaa", 0, &[said("user", asked, 0), said("assistant", "I look at it first.", 1)]));
    let told = told(&home, "now");
    assert!(told.contains("[pasted, 1 line]") && !told.contains("pasted_content"), "{told}");
}

#[test]
fn an_approved_plan_is_told_with_what_was_begun_of_it() {
    let plan = "# Retry uploads\n\n## Steps\n1. Add `retry` to `upload.rs`\n2. Name it in README.md\n3. Release it\n";
    let asked = |is_error| tool("ExitPlanMode", &json!({"plan": plan}), is_error, 1);
    let edit = tool("Edit", &json!({"file_path": "/src/app/src/upload.rs"}), false, 2);
    let told = told_of;
    let goal = said("user", "Plan a retry, then build it", 0);
    let text = told(&[goal.clone(), asked(false), edit.clone()]);
    // A step that names no file cannot be judged.
    let wanted =
        "- Approved plan: Retry uploads; files of 1 of its 3 steps were changed, not those of: Name it in README.md\n";
    assert!(text.contains(wanted), "{text}");
    assert!(text.contains("- Ended: in the middle of a turn"), "{text}");
    // One that was refused, or that waits for its answer, is not approved.
    assert!(!told(&[goal.clone(), asked(true), edit.clone()]).contains("Approved"));
    let asks = asked(false);
    assert!(!told(&[goal.clone(), asks.lines().next().unwrap().to_owned() + "\n"]).contains("Approved"));
    // The agent's own list says better what is done.
    let todo = tool("TodoWrite", &json!({"todos": [{"content": "retry", "status": "pending"}]}), false, 3);
    let text = told(&[goal, asked(false), edit, todo]);
    assert!(text.contains("- Approved plan: Retry uploads\n- Of its list 0 of 1 are done, to do: retry\n"), "{text}");
}

#[test]
fn a_plan_is_gone_when_its_work_is_done() {
    let plan = "# Retry\n\n1. Add it to `setup.go` and `retry_test.go`\n2. Say so in `docs/setup.md`\n3. Release it\n";
    let approved = tool("ExitPlanMode", &json!({"plan": plan}), false, 1);
    let edit = |file: &str, at| tool("Edit", &json!({"file_path": format!("/src/app/{file}")}), false, at);
    let told = |rest: &[String]| {
        let home = Home::new();
        let lines = [&[said("user", "Plan a retry, then build it", 0), approved.clone()], rest].concat();
        keep(&home, &session(&home, "aaaaaaaa", 0, &lines));
        told(&home, "now")
    };
    let code = edit("cmd/cli/setup.go", 2);
    let end = said("assistant", "The retry is in, and it is tested; what comes next is yours to say.", 5);
    let text = told(&[code.clone(), end.clone()]);
    assert!(
        text.contains("; files of 1 of its 3 steps were changed, not those of: Say so in `docs/setup.md`\n"),
        "{text}"
    );
    // A file that a command names may be changed by it.
    let by_command = tool("Bash", &json!({"command": "sed -i s/a/b/ docs/setup.md"}), false, 3);
    assert!(!told(&[code.clone(), by_command, end.clone()]).contains("not those of"));
    let done = [code.clone(), edit("docs/setup.md", 3), end.clone()];
    assert!(!told(&done).contains("Approved plan"));
    let commit = tool("Bash", &json!({"command": "git commit -am retry"}), false, 3);
    let other = [code, commit, end.clone(), said("user", "Now look at why the nightly build is slow", 6), end];
    assert!(!told(&other).contains("Approved plan"));
}

#[test]
fn a_failure_is_gone_when_it_was_mended() {
    let check = |command: &str, is_error, at| tool("Bash", &json!({"command": command}), is_error, at);
    let edit = tool("Edit", &json!({"file_path": "/src/app/src/upload.rs"}), false, 4);
    let told = |rest: &[String]| {
        let home = Home::new();
        let end = said("assistant", "That is how far it goes for now.", 9);
        let lines = [&[said("user", "Make the uploader work", 0)], rest, &[end]].concat();
        keep(&home, &session(&home, "aaaaaaaa", 0, &lines));
        told(&home, "now")
    };
    let red = check("cargo test upload", true, 1);
    assert!(told(std::slice::from_ref(&red)).contains("- Failed last: `cargo test upload`\n"));
    let text = told(&[red.clone(), edit.clone()]);
    assert!(text.contains("- Failed last: `cargo test upload` (before the last changes)\n"), "{text}");
    // The same is checked by another command, a file that it names was changed, or it checks nothing.
    for rest in [
        [red.clone(), check("mise run test", false, 5)],
        [red.replace("\"content\":\"x\"", "\"content\":\"error in src/upload.rs:3\""), edit.clone()],
        [check("unzip -q x.zip", true, 1), edit],
    ] {
        assert!(!told(&rest).contains("Failed last"), "{}", told(&rest));
    }
}

#[test]
fn a_long_answer_is_told_whole() {
    let home = Home::new();
    let filler = "This says what was done in that file and why it was so. ".repeat(20);
    let answer = format!("{filler} Shall the old flag stay for a release? {filler}");
    keep(&home, &session(&home, "aaaaaaaa", 0, &[said("user", "Rename the flag", 0), said("assistant", &answer, 1)]));
    let told = told(&home, "now");
    assert!(told.contains(" Shall the old flag stay for a release? ") && !told.contains("[…]"), "{told}");
    let quoted = |title: &str| {
        let lines = told.lines().skip_while(|line| *line != title).skip(1).take_while(|line| line.starts_with("> "));
        lines.collect::<Vec<_>>().join("\n")
    };
    let (last, before) = (quoted("## Said last, quoted"), quoted("## Said before that"));
    // The end of the answer is told before its beginning, which says that it goes on.
    let (before, last) =
        (before.strip_suffix(" … [its end is above]").unwrap(), last.strip_prefix("> agent: … ").unwrap());
    let all = format!("{before} {last}");
    let answer: Vec<&str> = answer.split_whitespace().collect();
    assert_eq!(all, format!("> user: Rename the flag\n> agent: {}", answer.join(" ")), "{told}");
}

#[test]
fn what_the_client_writes_behind_the_last_words_changes_nothing() {
    let home = Home::new();
    let mut lines = work();
    keep(&home, &session(&home, "aaaaaaaa", 3600, &lines));
    let kept = home.read(KEPT).replace("README.md", "AS-IT-WAS-KEPT.md");
    home.write(KEPT, &kept);
    lines.push(
        "{\"type\":\"permission-mode\",\"permissionMode\":\"default\",\"timestamp\":\"2026-04-13T13:00:01Z\"}\n"
            .to_owned(),
    );
    session(&home, "aaaaaaaa", 3660, &lines);
    assert!(told(&home, "now").contains("- Also at hand: AS-IT-WAS-KEPT.md\n"));
    lines.push(
        line("user", "go on with the switch", Path::new("/src/app"), 59)
            .replace("2026-04-13T12:59", "2026-04-13T13:01"),
    );
    session(&home, "aaaaaaaa", 3720, &lines);
    assert!(told(&home, "now").contains("- Goal: go on with the switch\n"));
}

#[test]
fn the_goal_is_what_was_asked_and_other_sessions_of_the_day_have_two_points() {
    let home = Home::new();
    keep(&home, &session(&home, "aaaaaaaa", 0, &work()));
    let next = [
        said("user", "Find out why the nightly build is red", 0),
        tool("Read", &json!({"file_path": "/src/app/.ci/run"}), false, 1),
        said("assistant", "The cache key lacks the compiler's version; I put it in.", 1),
        said("user", "ok, commit and push it", 2),
        said("assistant", "Committed and pushed.", 3),
    ];
    keep(&home, &session(&home, "bbbbbbbb", 3600, &next));
    let told = told(&home, "now");
    let lines: Vec<&str> = told.lines().skip_while(|line| !line.starts_with("- Goal")).take(5).collect();
    assert_eq!(lines[0], "- Goal: Find out why the nightly build is red (answered)", "{told}");
    assert_eq!(lines[1], "- The user's last words: ok, commit and push it", "{told}");
    assert_eq!(lines[2], "- Also at hand: .ci/run", "{told}");
    let other = |line: &str, point: &str| line.starts_with("- session of 2026-04-13 ") && line.contains(point);
    assert!(other(lines[3], ": Goal: Add a retry") && other(lines[4], ": Last answer: The uploader"), "{told}");
    assert!(told.contains("> agent: The cache key lacks the compiler's version; I put it in.\n"), "{told}");
    assert!(!told.contains("Committed and pushed."), "{told}");
}

#[test]
fn a_good_bye_is_not_where_it_stood_and_of_another_session_two_points_are_told() {
    let home = Home::new();
    let mut first = work();
    first.push(said("user", "great, works on the server too", 8));
    first.push(said("assistant", "Good to hear.", 9));
    keep(&home, &session(&home, "aaaaaaaa", 0, &first));
    let text = told(&home, "now");
    assert!(text.contains("- Goal: Add a retry to the uploader"), "{text}");
    assert!(text.contains("- The user's last words: great, works on the server too\n"), "{text}");
    assert!(text.contains("> agent: The uploader tries three times now.") && !text.contains("Good to hear"), "{text}");
    // A short answer to a question, and one with work, are answers.
    first.push(said("user", "is it on by default?", 10));
    first.push(said("assistant", "Yes.", 11));
    keep(&home, &session(&home, "aaaaaaaa", 60, &first));
    assert!(told(&home, "now").contains("- Asked last: is it on by default? (answered)\n"));
    // The session that was the first is read from the file, and is now another one.
    session(&home, "bbbbbbbb", 3600, &[said("user", "Look at the nightly build", 20), said("assistant", "I see.", 21)]);
    let text = told(&home, "now");
    assert!(text.contains("- session of 2026-04-13 12:11: Goal: Add a retry"), "{text}");
    assert!(!text.contains("12:11: Changed last") && !text.contains("12:11: Passed"), "{text}");
}

#[test]
fn a_session_that_was_told_to_go_on_has_the_goal_and_the_plan_of_the_one_before() {
    let home = Home::new();
    let plan = "# Retry uploads\n\n1. Add it to `upload.rs`\n2. Name it in README.md\n";
    let lines = [
        said("user", "Plan a retry for uploads, then build it", 0),
        tool("ExitPlanMode", &json!({"plan": plan}), false, 1),
        tool("Edit", &json!({"file_path": "/src/app/src/upload.rs"}), false, 2),
        said("assistant", "Step 1 is in, and I looked at how the README tells of switches, which is step 2.", 3),
        said("user", "not today, I have to catch my train", 4),
        said("assistant", "Have a good trip! Step 2 is open.", 5),
    ];
    keep(&home, &session(&home, "aaaaaaaa", 0, &lines));
    let text = told(&home, "now");
    assert!(text.contains("- Goal: Plan a retry for uploads") && text.contains("> agent: Step 1 is in"), "{text}");
    let goes_on = [said("user", "Continue.", 10), said("assistant", "Where were we, with the upload or the log?", 11)];
    for (id, at) in [("bbbbbbbb", 3600), ("bbbbbbbb", 3660), ("cccccccc", 90_000)] {
        keep(&home, &session(&home, id, at, &goes_on));
        let text = told(&home, "now");
        assert!(text.contains("- Goal: Plan a retry for uploads, then build it\n"), "{text}");
        let plan = "- Approved plan: Retry uploads; files of 1 of its 2 steps were changed, not those of: Name it in README.md (of 2026-04-13)\n";
        assert!(text.contains(plan), "{text}");
        assert!(text.contains("- The user's last words: Continue.\n"), "{text}");
        // What was said before it is told once.
        assert_eq!(text.matches("> agent: Step 1 is in").count(), 1, "{text}");
        assert!(text.contains("> agent: Where were we"), "{text}");
    }
    // A killed one, which is read from its transcript, too.
    let killed = [said("user", "go on", 20), tool("Edit", &json!({"file_path": "/src/app/README.md"}), false, 21)];
    let killed = killed.map(|line| line.replace("2026-04-13T12:", "2026-04-14T14:"));
    session(&home, "dddddddd", 94_000, &killed);
    let text = told(&home, "now");
    assert!(text.contains("- Approved plan: Retry uploads") && text.contains("- Changed last: README.md\n"), "{text}");
    // A week later the plan is gone; another goal is another one.
    keep(
        &home,
        &session(
            &home,
            "eeeeeeee",
            86_400 * 9,
            &[
                said("user", "Mend the log", 30),
                tool("Edit", &json!({"file_path": "/src/app/log.rs"}), false, 31),
                said("assistant", "I did that, see the new test for it.", 32),
            ],
        ),
    );
    let text = told(&home, "now");
    assert!(text.contains("- Goal: Mend the log (answered)\n") && !text.contains("Approved plan"), "{text}");
}

#[test]
fn a_command_that_never_ended_has_not_passed() {
    let home = Home::new();
    let running = ran("cargo test", "Command running in background with ID: b1. Output is being written to: /x", 1);
    let killed = tool("Bash", &json!({"command": "make check"}), false, 2);
    let lines = [said("user", "Run the tests", 0), running, killed.lines().next().unwrap().to_owned() + "\n"];
    keep(&home, &session(&home, "aaaaaaaa", 0, &lines));
    let text = told(&home, "now");
    assert!(
        text.contains("- Ran last: `make check` (no end seen), `cargo test` (no end seen)\n")
            && !text.contains("Passed"),
        "{text}"
    );
}

#[test]
fn a_program_s_session_and_what_nobody_typed_are_not_kept() {
    let home = Home::new();
    let program = work().concat().replace("\"cli\"", "\"sdk-py\"");
    assert_eq!(keep(&home, &session(&home, "aaaaaaaa", 0, &[program])), Some(1));
    let command = ["<command-name>/clear</command-name>", "<local-command-stdout>x</local-command-stdout>"];
    let typed: Vec<String> = command.iter().enumerate().map(|(at, text)| said("user", text, at)).collect();
    assert_eq!(keep(&home, &session(&home, "bbbbbbbb", 0, &typed)), Some(1));
    assert!(!home.path(KEPT).exists() && !told(&home, "now").contains("stood"));
}

#[test]
fn a_long_session_is_read_as_far_back_as_its_goal_and_told_in_so_many_characters() {
    let home = Home::new();
    let token = format!("ghp_{}", "0aB1cD2eF3".repeat(4).get(..36).unwrap());
    let mut lines = vec![said("user", &format!("Mend the importer with {token} {}", "and the rest ".repeat(90)), 0)];
    // Three megabytes of results behind the only request.
    lines.extend((1..40).map(|at| {
        tool("Read", &json!({"file_path": format!("/src/app/part{at}.rs")}), false, at)
            .replace("\"x\"", &format!("\"{}\"", "x".repeat(80_000)))
    }));
    lines.push(said("user", "go on", 41));
    lines.push(said("assistant", &format!("{token} {}", "I read it. ".repeat(400)), 42));
    assert_eq!(keep(&home, &session(&home, "aaaaaaaa", 0, &lines)), Some(0));
    let kept = home.read(KEPT);
    assert!(kept.contains("- Goal: Mend the importer with [redacted:") && !kept.contains(&token), "{kept}");
    let points: String = kept.lines().filter(|line| line.starts_with("- ")).collect();
    assert!(points.chars().count() < 700, "{}", points.chars().count());
    let said: Vec<&str> = kept.lines().filter(|line| line.starts_with("> ")).collect();
    let chars: usize = said.iter().map(|line| line.chars().count() + 1).sum();
    assert!((3900..=4000).contains(&chars) && said.len() == 1, "{chars}");
    assert!(kept.contains("- Also at hand: part39.rs, part38.rs"), "{kept}");
}

/// A change of a file of /src/app.
fn edit(file: &str, from: &str, to: &str, number: usize) -> String {
    let input = json!({"file_path": format!("/src/app/{file}"), "old_string": from, "new_string": to});
    tool("Edit", &input, false, number)
}

/// What a session of these lines tells the next one.
fn told_of(lines: &[String]) -> String {
    let home = Home::new();
    keep(&home, &session(&home, "aaaaaaaa", 0, lines));
    told(&home, "now")
}

#[test]
fn a_question_that_was_answered_is_not_the_goal() {
    let errand = "Can you commit the current state of the page?";
    let commit = ran("git commit -am 'Rename the fields'", "x", 3);
    let refused = tool("Bash", &json!({"command": "git commit -am 'Rename the fields'"}), true, 3);
    let change = edit("src/page.rs", "a", "b", 2);
    let of = |asked: &str, work: &[&String]| {
        let question = "Is the casing of the fields consistent in the whole of that page?";
        let mut lines = vec![said("user", asked, 0)];
        lines.extend(work.iter().map(|line| (*line).clone()));
        lines.push(said("assistant", "It is renamed, and all of it stands in the page now.", 4));
        lines.push(said("user", question, 5));
        lines.push(said("assistant", "It is consistent: all of the fields have snake case there.", 6));
        told_of(&lines)
    };
    for (goal, work) in [
        (errand, &[&change, &commit][..]),
        (errand, &[&refused]),
        ("Rename the fields of the page and commit it", &[&change, &commit]),
        ("Rework the parser of commit titles, too", &[&change, &commit]),
        ("Rename the fields of the page", &[&commit]),
    ] {
        let told = of(goal, work);
        assert!(
            told.contains(&format!("- Goal: {goal} (answered)\n")) && told.contains("- Asked last: Is the casing"),
            "{told}"
        );
    }
}

#[test]
fn a_prompt_of_pasted_words_alone_is_what_was_asked_last() {
    let findings = "Findings:\n\n1. High: `BestEffort` defeats the guarantee. In [syncer.go](/src/app/syncer.go:6) any run \
        installs it for all statuses.\n\n2. Medium: the public interface does not reject an invalid pair at its edge, \
        and [client.go](/src/app/client.go:146) validates the others alone.\n\n3. Low: the page says otherwise.";
    let lines = [
        said("user", "Write a short description of the change", 0),
        said("assistant", "It splits the switch in two, one for each of the cases that there are.", 1),
        said("user", &format!("<pasted_content file=\"a\">\n{findings}\n</pasted_content>"), 2),
        edit("syncer.go", "a", "b", 3),
        said("assistant", "All three of the findings are mended, with a test for each of them.", 4),
    ];
    let told = told_of(&lines);
    assert!(told.contains("- The user's last prompt: a text that was pasted\n") && !told.contains("Goal:"), "{told}");
    // The guess of an older client's paste, of which pieces are left.
    let told = told_of(&[&lines[..2], &[said("user", findings, 2)], &lines[3..]].concat());
    assert!(!told.contains("Goal: Write a short description"), "{told}");
}

#[test]
fn a_command_before_the_last_change_is_told_as_that() {
    let lines = [
        said("user", "Make the build green", 0),
        ran("npm install", "x", 1),
        ran("gh pr view 538 --repo someone/some-long-repository-name --json checks", "x", 1),
        edit("src/a.ts", "a", "b", 2),
        ran("terraform plan", "x", 3),
        // Where that is only the shell knows.
        ran("cd \"$there\" && gh pr view 538 --repo someone/some-long-repository-name --json body", "x", 3),
        said("assistant", "The plan is as it was before, and the build is not red.", 4),
    ];
    let told = told_of(&lines);
    assert!(told.contains(", `terraform plan`\n- Ran before the last changes: `npm install`\n"), "{told}");
}

#[test]
fn a_transcript_that_is_kept_to_its_end_is_not_read_again() {
    let home = Home::new();
    let path =
        session(&home, "aaaaaaaa", 0, &[work(), vec![said("user", "thanks", 8).replace(":00Z", ":00.4Z")]].concat());
    let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_776_081_600_000 + 480_600);
    std::fs::File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
    keep(&home, &path);
    let page = std::fs::read_to_string(home.path(KEPT)).unwrap();
    home.write(KEPT, &page.replace("- Goal: Add a retry", "- Goal: As kept, a retry"));
    assert!(told(&home, "now").contains("- Goal: As kept, a retry"), "{page}");
}

#[test]
fn what_was_tried_in_a_folder_for_temporary_files_is_not_told() {
    let lines = [
        said("user", "Add the subcommand, and mend the parser of it.", 0),
        edit("src/a.go", "a", "b", 1),
        ran("go test ./cmd/...", "ok  \tx/a\t0.1s", 2),
        ran("go build -o /tmp/tool ./cmd/tool && /tmp/tool verify", "built", 3),
        ran("go run /tmp/recheck.go", "x", 4),
        ran("cd /tmp/rv && npx renovate x", "x", 4),
        // What is written there is not what was tried.
        ran("./deploy.sh --log /tmp/out.log", "x", 6),
        ran("go test ./cmd/... -count=1", "ok  \tx/a\t0.1s", 5),
        // A plan of the client's is no change of the work.
        tool("Write", &json!({"file_path": "/root/.claude/plans/a-plan.md", "content": "x"}), false, 6),
        said("assistant", "The subcommand is there, and the parser of it is mended.", 7),
    ];
    let told = told_of(&lines);
    let wanted = "- Passed last: `go test ./cmd/... -count=1`, `go build -o /tmp/tool ./cmd/tool`\n";
    assert!(told.contains(wanted) && told.contains("- Ran last: `./deploy.sh --log /tmp/out.log`\n"), "{told}");
    assert!(!told.contains("before the last"), "{told}");
}

#[test]
fn a_file_that_was_changed_is_not_told_as_at_hand() {
    let change = |at: usize| edit(&format!("src/part{at:02}.rs"), "a", "b", 1);
    let mut lines = vec![said("user", "Rename the field in all of the parts.", 0)];
    lines.extend((0..20).map(change));
    lines.push(tool("Read", &json!({"file_path": "/src/app/src/part00.rs"}), false, 2));
    lines.push(tool("Read", &json!({"file_path": "/src/app/README.md"}), false, 2));
    lines.push(said("assistant", "The field is renamed in all of them, and in no other place.", 3));
    let told = told_of(&lines);
    assert!(told.contains("- Also at hand: README.md\n"), "{told}");
}

#[test]
fn the_last_words_are_not_those_before_an_answer_to_a_question() {
    let last_words = |answers: bool| {
        let home = Home::new();
        let mut lines = vec![
            said("user", "Make the build green", 0),
            said("assistant", "1. Mend it. 2. Skip it.", 1),
            said("user", "option 1", 2),
        ];
        if answers {
            let asked = json!({"questions": [{"question": "Where do tests go?"}]});
            let given = "Your questions have been answered: \"Where do tests go?\"=\"Beside the code\". You can now continue with these answers in mind.";
            let asked = tool("AskUserQuestion", &asked, false, 3);
            lines.push(asked.replace("\"content\":\"x\"", &format!("\"content\":{}", json!(given))));
        }
        lines.push(said("assistant", "Mended, and the tests are beside the code.", 4));
        keep(&home, &session(&home, "aaaaaaaa", 0, &lines));
        told(&home, "now")
    };
    assert!(last_words(false).contains("- The user's last words: option 1\n"));
    let told = last_words(true);
    assert!(told.contains("- Goal: Make the build green (answered)\n") && !told.contains("last words"), "{told}");
}

/// A session of a folder, last written at this second of 2026-04-13; nothing was kept of it, as after a kill.
fn killed(home: &Home, cwd: &Path, (id, second): (&str, u64), (goal, branch): (&str, &str)) {
    let slug: String = cwd.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let of = |role: &str, text: &str, number: u64| {
        json!({"type": role, "uuid": format!("{id}{number}"), "timestamp": format!("2026-04-13T12:{:02}:00Z", second / 60),
            "cwd": cwd, "gitBranch": branch, "entrypoint": "cli",
            "message": {"role": role, "id": format!("m{number}"), "content": [{"type": "text", "text": text}]}})
        .to_string()
            + "\n"
    };
    let text = of("user", goal, 1) + &of("assistant", "I am on it, the first part is written.", 2);
    let path = home.write(&format!(".claude/projects/{slug}/{id}.jsonl"), &text);
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_776_081_600 + second);
    std::fs::File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
}

#[test]
fn a_killed_session_is_told_at_each_later_start_wherever_it_ran() {
    let home = Home::new();
    let app = home.path("src/app");
    std::fs::create_dir_all(app.join("docs")).unwrap();
    let app = app.canonicalize().unwrap();
    let git = |args: &[&str]| {
        let done = std::process::Command::new("git").args(args).current_dir(&app).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    let me = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    git(&[&me[..], &["commit", "-q", "--allow-empty", "-m", "begin"]].concat());
    git(&["worktree", "add", "-q", "../tree", "-b", "feat/retry"]);
    let tree = app.with_file_name("tree");
    let other = app.with_file_name("app-two");
    std::fs::create_dir_all(&other).unwrap();
    let told = || {
        let output = home.tool("lh-context").args(["--format", "markdown"]).current_dir(&app).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let sweep = || {
        let output = home.tool("lh-summarize").args(["--progress", "--missing"]).current_dir(&app).output().unwrap();
        assert!(output.stderr.is_empty(), "{output:?}");
        output.status.code()
    };
    assert_eq!(sweep(), Some(1), "there is nothing to keep");
    // Whether the next start is told of it, and each later one, when newer sessions with no goal began.
    for (number, (cwd, goal, branch, elsewhere)) in [
        (app.clone(), "Write the importer of the tariff tables", "main", ""),
        (app.join("docs"), "Describe the tariff tables in the manual", "main", "- Not here: in "),
        (tree.clone(), "Retry the upload of the tariff tables", "feat/retry", "on branch feat/retry"),
    ]
    .into_iter()
    .enumerate()
    {
        let second = 600 * (number as u64 + 1);
        killed(&home, &cwd, (&format!("aaaaaaa{number}"), second), (goal, branch));
        killed(&home, &other, ("bbbbbbbb", second + 60), ("Another project altogether, of another kind", "main"));
        let first = told();
        assert!(first.contains(&format!("- Goal: {goal} (answered)\n")), "{first}");
        assert_eq!(sweep(), Some(0));
        killed(&home, &app, (&format!("ccccccc{number}"), second + 120), ("Continue.", "main"));
        for _ in 0..2 {
            let later = told();
            assert!(later.contains(&format!("- Goal: {goal}\n")), "{later}");
            assert!(!later.contains("altogether"), "{later}");
            sweep();
        }
        assert!(first.contains(elsewhere) && first.contains("- Not here") != elsewhere.is_empty(), "{first}");
    }
    // Nothing went on since.
    assert_eq!(sweep(), Some(1));
    // A session that has its own entry already, and was killed when it went on.
    let goal = "Move the tariff tables to a file of their own";
    killed(&home, &tree, ("aaaaaaa2", 2400), (goal, "feat/retry"));
    assert_eq!(sweep(), Some(0));
    killed(&home, &app, ("dddddddd", 2460), ("Continue.", "main"));
    let later = told();
    assert!(later.contains(&format!("- Goal: {goal}\n")), "{later}");
}

#[test]
fn a_command_with_arguments_is_a_goal_and_one_goal_is_told_once() {
    let command = |name: &str, given: &str, number: usize| {
        let text = format!(
            "<command-message>{name}</command-message>\n<command-name>/{name}</command-name>\n<command-args>{given}</command-args>"
        );
        said("user", &text, number)
    };
    let home = Home::new();
    let migrates = |id: &str, second: u64| {
        let lines = [
            command("migrar", "facturas", 0),
            said("assistant", "I stopped: the table has no key, so nothing was moved.", 1),
            command("migrar", "facturas", 2),
            said("assistant", "It has a key now; half of the invoices are moved.", 3),
        ];
        keep(&home, &session(&home, id, second, &lines));
    };
    migrates("aaaaaaaa", 0);
    migrates("bbbbbbbb", 3600);
    let text = told(&home, "now");
    assert!(text.contains("- Goal: /migrar facturas (answered)\n"), "{text}");
    assert_eq!(text.matches("Goal: /migrar facturas").count(), 1, "{text}");
    assert!(!text.contains("Asked earlier"), "{text}");
    // Of the client's own commands what they are given is what was said.
    let home = Home::new();
    let lines =
        [command("init", "the pages of the api", 0), said("assistant", "The pages of the api are begun now.", 1)];
    keep(&home, &session(&home, "aaaaaaaa", 0, &lines));
    let text = told(&home, "now");
    assert!(text.contains("- Goal: the pages of the api (answered)\n"), "{text}");
}

#[test]
fn what_is_typed_in_a_refusal_and_in_mid_turn_counts_as_any_prompt() {
    let words = "use the staging server, and keep the old table";
    let text = format!("The user doesn't want to proceed with this tool use. The user said:\n{words}");
    let refused = json!({"type": "user", "uuid": "r1", "timestamp": "2026-04-13T12:02:00Z", "cwd": "/src/app",
        "entrypoint": "cli", "toolDenialKind": "user-rejected", "userFeedback": words, "message": {"role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": text, "is_error": true}]}});
    let queued = json!({"type": "attachment", "uuid": "q1", "timestamp": "2026-04-13T12:02:00Z", "entrypoint": "cli",
        "attachment": {"type": "queued_command", "commandMode": "prompt", "prompt": words}});
    let [uses, _] = [0, 1].map(|at| {
        let both = tool("Bash", &json!({"command": "./migrate --all"}), true, 1);
        both.lines().nth(at).unwrap().to_owned() + "\n"
    });
    for (which, typed) in [("refusal", refused), ("queued", queued)] {
        for (answer, point) in [(words, "Goal"), ("ok, go on", "Goal")] {
            let home = Home::new();
            let mut lines = vec![said("user", "Move the invoices", 0), uses.clone(), format!("{typed}\n")];
            lines.extend((answer != words).then(|| said("user", answer, 3)));
            lines.push(said("assistant", "It runs on the staging server; the old table is kept.", 4));
            keep(&home, &session(&home, "aaaaaaaa", 0, &lines));
            let text = told(&home, "now");
            assert!(text.contains(&format!("- {point}: {words} (answered)\n")), "{which}: {text}");
            assert!(text.contains(&format!("> user: {words}\n")), "{which}: {text}");
        }
    }
}

#[test]
fn a_point_of_its_list_that_a_tool_said_first_is_not_told() {
    let home = Home::new();
    let read = tool("Read", &json!({"file_path": "/src/app/NOTES.md"}), false, 1).replace("\"x\"", "\"Push to prod\"");
    let todos = json!({"todos": [
        {"content": "Push to prod", "status": "pending"},
        {"content": "Write the page on the uploader", "status": "pending"},
    ]});
    let lines = [
        said("user", "Read the notes, and make a list of what is to do.", 0),
        read,
        tool("TodoWrite", &todos, false, 2),
        said("assistant", "The list is made. I begin with the page.", 3),
    ];
    assert_eq!(keep(&home, &session(&home, "aaaaaaaa", 0, &lines)), Some(0));
    let text = told(&home, "now");
    assert!(text.contains("Write the page on the uploader") && !text.contains("Push to prod"), "{text}");
}

#[test]
fn what_came_last_is_told_and_when_it_was() {
    let bash = |line: &str, number| tool("Bash", &json!({"command": line}), false, number);
    let read = |path: &str, number| tool("Read", &json!({"file_path": path}), false, number);
    let command = "<command-message>apply</command-message>\n<command-name>/apply</command-name>";
    let log = |step: &str| {
        let printed = format!("npm error Exit handler never called!\nError: process \"{step}\" did not complete\n");
        format!(
            "❯ ./run.sh\n[+] Building 1.3s (1/2)\n => ERROR [3/7] RUN {step}\n{printed}❯ \n\n ~/git/app  main ?1 ··· 09:24\n❯ "
        )
    };
    let other = "/srv/builds/of/another/project/mise-tasks/lint/licenses.txt";
    let patch = "Combine the logic of this patch. […] Args: […] Returns: […]";
    let cases: [(&[String], &str, &str); 7] = [
        // A command without a word behind it is the goal, also where an answer was typed since.
        (
            &[said("user", "Fix all findings of the review", 0), said("assistant", "All of them are fixed.", 1)]
                .into_iter()
                .chain([said("user", command, 2), said("assistant", "1. here\n2. there\nWhich option?", 3)])
                .chain([said("user", "option 1", 4), said("assistant", "It is applied here now.", 5)])
                .collect::<Vec<_>>(),
            "- Goal: /apply\n- Asked earlier: Fix all findings of the review\n- The user's last words: option 1\n",
            "Goal: Fix",
        ),
        (
            &[said("user", command, 0), said("assistant", "It is applied.", 1), said("user", "Now write the page", 2)],
            "- Goal: Now write the page\n",
            "Goal: /apply",
        ),
        // An older log is not what was said last.
        (
            &[said("user", "Push it all the way through", 0), said("user", &log("npm ci"), 1)]
                .into_iter()
                .chain([said("assistant", "I took npm install in its place, please try again.", 2)])
                .chain([said("user", &log("npm install"), 3), said("assistant", "It is npm itself.", 4)])
                .collect::<Vec<_>>(),
            "> agent: It is npm itself.",
            "\"npm ci\"",
        ),
        // A file of another project is not told as one of this.
        (&[said("user", "Copy the check", 0), read(other, 1)], "- Goal: Copy the check\n", "licenses"),
        // What only asks of the machine tells nothing of the work, and a short step that is done tells nothing at all.
        (
            &[said("user", "Find what is slow", 0), bash("go env GOMODCACHE", 1), bash("mise run trace", 2)]
                .into_iter()
                .chain([said("assistant", "Let me run the tests.", 3), said("assistant", "The import is slow.", 4)])
                .collect::<Vec<_>>(),
            "- Ran last: `mise run trace`\n",
            "GOMODCACHE",
        ),
        (
            &[said("user", "Find what is slow", 0), said("assistant", "Let me run the tests.", 1)]
                .into_iter()
                .chain([said("assistant", "The import is slow.", 2)])
                .collect::<Vec<_>>(),
            "> agent: The import is slow.",
            "Let me run",
        ),
        (&[said("user", patch, 0)], "- Goal: Combine the logic of this patch. […]\n", "Args:"),
    ];
    for (lines, has, lacks) in cases {
        let home = Home::new();
        // The file was copied long after.
        keep(&home, &session(&home, "aaaaaaaa", 86_400 * 30, lines));
        let text = told(&home, "now");
        assert!(text.contains(has) && !text.contains(lacks), "{has:?} and not {lacks:?}: {text}");
        assert!(text.contains("stood on 2026-04-13 12:0"), "{text}");
    }
}

fn edited(file: &str, number: usize) -> String {
    tool("Edit", &json!({"file_path": format!("/src/app/{file}")}), false, number)
}

/// The same, without its result.
fn first_of(lines: &str) -> String {
    lines.lines().next().unwrap().to_owned() + "\n"
}

const BEGINS: &str = "Hide the groups of the timeline";
const ENDS: &str = "The groups are hidden at once, with all of the rows that belong to them.";

/// Holds what is told of each session against what it must have, and what it must not.
fn check_told(cases: &[(String, &[&str], &str)]) {
    for (lines, wanted, lacks) in cases {
        let home = Home::new();
        keep(&home, &session(&home, "aaaaaaaa", 0, std::slice::from_ref(lines)));
        let text = told(&home, "now");
        for has in *wanted {
            assert!(text.contains(has) && !text.contains(lacks), "{has:?} and not {lacks:?}: {text}");
        }
    }
}

/// What the user ran, refused or chose last is told with what it is about.
#[test]
fn what_the_user_did_last_is_told_with_what_it_is_about() {
    let refused = |file: &str, number| {
        tool("Edit", &json!({"file_path": format!("/src/app/{file}")}), true, number).replace(
            "\"content\":\"x\"",
            "\"content\":\"The user doesn't want to proceed with this tool use. The tool use was rejected.\"",
        )
    };
    let (begins, ends) = (said("user", BEGINS, 0), said("assistant", ENDS, 9));
    let printed = "<bash-stdout>== 5 failed, 6 passed in 0.3s ==</bash-stdout><bash-stderr></bash-stderr>";
    let own = said("user", "<bash-input>uv run pytest</bash-input>", 10) + &said("user", printed, 11);
    let question = said("user", "Where is the list filled? Tell me what to change.", 1);
    let choice = said("user", "Implement 1,2 and 3.", 3);
    let of = |lines: &[&str]| lines.concat();
    check_told(&[
        (of(&[&begins, &ends, &own]), &["- The user ran then: `uv run pytest`: it failed\n"], "passed"),
        // Something was said after it.
        (of(&[&begins, &own, &ends]), &["- Goal: Hide the groups of the timeline (answered)\n"], "ran then"),
        // How a refused edit is to be done is not the goal.
        (
            of(&[
                &begins,
                &refused("a.js", 1),
                &said("user", "No need to loop over all of it", 2),
                &edited("b.js", 3),
                &ends,
            ]),
            &[
                "- Goal: Hide the groups of the timeline (answered)\n- Asked last: No need to loop over all of it (answered)\n",
                "- Refused by the user: changes of a.js\n- Changed last: b.js\n",
            ],
            "Asked earlier",
        ),
        // A later prompt does not make the refusal undone, a later edit does.
        (of(&[&begins, &refused("a.js", 1), &said("user", "why?", 2), &ends]), &["changes of a.js"], "Changed"),
        (of(&[&begins, &refused("a.js", 1), &edited("a.js", 2), &ends]), &["- Changed last: a.js\n"], "Refused"),
        (
            of(&[&question, &said("assistant", "In three places:\n1. a\n2. b\n3. c", 2), &choice, &ends]),
            &[
                "- Goal: Where is the list filled? Tell me what to change. (answered)\n- The user's last words: Implement 1,2 and 3.\n",
            ],
            "said then",
        ),
        (
            of(&[
                &question,
                &said("assistant", "In three places.", 2),
                &choice,
                &ends,
                &said("user", "Is it tested, too?", 10),
                &said("assistant", "It is not.", 11),
            ]),
            &["- Asked last: Is it tested, too? (answered)\n- The user said then: Implement 1,2 and 3.\n"],
            "last words",
        ),
    ]);
}

/// What is not at its end, or was done before what is told, is not told as done.
#[test]
fn what_has_no_end_yet_or_was_done_before_is_told_as_that() {
    let commit = |number| tool("Bash", &json!({"command": "git commit -am 'Hide the groups'"}), false, number);
    let (begins, ends) = (said("user", BEGINS, 0), said("assistant", ENDS, 9));
    let code = "Try it so:\n```sh\n# trace\nTRACE=a ./run help\nview a\n```\nThen send me the trace.";
    let half = first_of(&commit(3));
    let search = tool("WebSearch", &json!({"query": "hide groups"}), false, 11);
    let part = tool("Bash", &json!({"command": "git add b.js && git commit -m 'Hide the groups'"}), false, 3);
    let calls = ends.replacen("\"role\":\"assistant\"", "\"role\":\"assistant\",\"stop_reason\":\"tool_use\"", 1);
    assert_ne!(calls, ends);
    let of = |lines: &[&str]| lines.concat();
    check_told(&[
        // A turn that ends with a question is not at its end.
        (
            of(&[&begins, &said("assistant", "They are hidden. Shall I add a test?", 9)]),
            &["- Goal: Hide the groups of the timeline\n- Ended: with a question of the agent's, not answered\n"],
            "(answered)",
        ),
        (
            of(&[&begins, &edited("a.js", 1), &edited("b.js", 2), &commit(3), &edited("a.js", 4), &ends]),
            &["- Changed last: a.js\n- Changed before the last commit: b.js\n", "- Commits: Hide the groups\n"],
            "more)",
        ),
        // A commit that names files took no others.
        (
            of(&[&begins, &edited("a.js", 1), &edited("b.js", 2), &part, &ends]),
            &["- Changed last: a.js\n- Changed before the last commit: b.js\n"],
            "more)",
        ),
        // The same of a change; and a call of a tool can be a record of its own, which is not written yet.
        (of(&[&begins, &first_of(&edited("a.js", 1))]), &["- Ended: in the middle of a turn"], "Changed"),
        (of(&[&begins, &calls]), &["timeline\n- Ended: in the middle of a turn"], "(answered)"),
        // Work that was done before the goal is not done for it.
        (
            of(&[&begins, &edited("a.js", 1), &ends, &said("user", "Now colour the groups by their kind", 10)]),
            &[
                "- Goal: Now colour the groups by their kind\n- Since that request no file was changed and no command ran\n",
            ],
            "(answered)",
        ),
        // A search is work, too; what a tool reads is not.
        (
            of(&[&begins, &edited("a.js", 1), &ends, &said("user", "Look for a better way", 10), &search, &ends]),
            &["- Goal: Look for a better way (answered)\n- Asked earlier"],
            "Since that request",
        ),
        // Who only says what comes next has not answered.
        (
            of(&[&begins, &said("assistant", "I'll look at the groups and help you to hide them.", 9)]),
            &["- Goal: Hide the groups of the timeline\n"],
            "(answered)",
        ),
        // Of a commit without a result it is not known whether it was made.
        (of(&[&begins, &edited("a.js", 1), &half]), &["- Changed last: a.js\n"], "Commits"),
        // What ran in a folder for the moment is gone with it; a check that ran nothing came to its end.
        (
            of(&[
                &begins,
                &ran("cd /tmp/probe/deep/down && npx validate", "x", 1),
                &ran("go test ./x", "ok x [no tests to run]", 2),
                &ends,
            ]),
            &["- Ran last: `go test ./x`\n"],
            "npx",
        ),
        // Lines of code do not become one command.
        (
            of(&[&begins, &said("assistant", code, 9)]),
            &["> agent: Try it so: # trace ⏎ TRACE=a ./run help ⏎ view a Then send me the trace.\n"],
            "- Ran",
        ),
    ]);
}

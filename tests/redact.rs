//! lh-redact and the doors: no secret in what is stored or sent.

use crate::forms::{Dice, forms, secret};
use crate::home::{Home, binary, line};
use crate::secrets::UNKNOWN;
use std::path::Path;

#[test]
fn a_text_goes_through_with_its_secrets_masked_and_other_bytes_as_they_are() {
    let home = Home::new();
    let token = ["ghp_", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"].concat();
    let mut input = b"\xff\x00 odd \xc3\xa9 ".to_vec();
    input.extend_from_slice(token.as_bytes());
    input.extend_from_slice(b" end\xfe");
    let output = home.tool("lh-redact").write_stdin(input).output().unwrap();
    assert_eq!(output.stdout, b"\xff\x00 odd \xc3\xa9 [redacted:github-pat] end\xfe");
}

#[test]
fn wide_text_is_refused_and_private_text_is_masked() {
    let home = Home::new();
    let units: Vec<u16> = "DB_PASSWORD=hunter2x".encode_utf16().collect();
    let [little, big] =
        [u16::to_le_bytes, u16::to_be_bytes].map(|of| units.iter().flat_map(|unit| of(*unit)).collect::<Vec<u8>>());
    let four: Vec<u8> = units.iter().flat_map(|unit| u32::from(*unit).to_le_bytes()).collect();
    for input in [[&b"\xff\xfe"[..], &little].concat(), [&b"\xfe\xff"[..], &big].concat(), little, big, four] {
        std::fs::write(home.path("wide.txt"), &input).unwrap();
        let filter = home.tool("lh-redact").write_stdin(input).output().unwrap();
        let check = home.tool("lh-redact").args(["--check", "wide.txt"]).output().unwrap();
        for (output, place) in [(filter, "stdin"), (check, "wide.txt")] {
            let said = String::from_utf8(output.stderr).unwrap();
            let expected = format!(
                "lh-redact: {place}: text in UTF-16 or UTF-32: convert it first, as with iconv -f UTF-16 -t UTF-8\n"
            );
            assert_eq!((output.status.code(), output.stdout.len(), said), (Some(65), 0, expected));
        }
    }
    let text = "<private>DB_PASSWORD=hunter2x, by Ana</private>";
    let output = home.tool("lh-redact").write_stdin(text).output().unwrap();
    assert_eq!(output.stdout, b"<private>DB_PASSWORD=[redacted:password], by Ana</private>");
}

#[test]
fn what_is_stored_is_checked_and_mended() {
    let home = Home::new();
    let token = ["glpat-", "aB3dE5fG7hI9jK1lM3nO"].concat();
    home.write("store/a/one.md", &format!("one\nuse {token}\n"));
    home.write("store/two.jsonl", &format!("{{\"quote\":\"{token}\"}}\n"));
    home.write("store/clean.md", "nothing here\n");
    std::os::unix::fs::symlink("/etc/passwd", home.path("store/link")).unwrap();
    let run = |arguments: &[&str]| home.tool("lh-redact").args(arguments).output().unwrap();
    let found = run(&["--check", "store"]);
    let text = String::from_utf8(found.stdout).unwrap();
    assert_eq!((found.status.code(), text.lines().count()), (Some(1), 2));
    assert!(text.contains("\"line\":2,\"kind\":\"gitlab-pat\"") && !text.contains(&token));
    assert_eq!(run(&["--check", "store", "--fix"]).status.code(), Some(0));
    assert_eq!(run(&["--check", "store"]).status.code(), Some(0));
    assert_eq!(home.read("store/a/one.md"), "one\nuse [redacted:gitlab-pat]\n");
    serde_json::from_str::<serde_json::Value>(&home.read("store/two.jsonl")).unwrap();
    // What cannot be looked into is not called clean, and keeps nothing else from being looked into.
    std::fs::write(home.path("store/a/old.gz"), b"\x1f\x8b\x08\x00x").unwrap();
    let unseen = run(&["--check", "store"]);
    let said = String::from_utf8(unseen.stderr).unwrap();
    assert!(unseen.status.code() == Some(65) && said.contains("a/old.gz: compressed by gzip"), "{said}");
    home.write("store/two.jsonl", &token);
    let found = run(&["--check", "store"]);
    assert_eq!((found.status.code(), found.stdout.is_empty(), found.stderr.is_empty()), (Some(1), false, false));
    assert_eq!(run(&["--fix"]).status.code(), Some(64));
    assert_eq!(run(&["--check", "nowhere"]).status.code(), Some(65));
}

#[test]
fn a_secret_that_was_said_is_in_no_file_and_in_no_request() {
    let home = Home::new();
    let (user, tool, private) =
        (["AKIA", "QYLPMN5HFIQR7XYA"].concat(), ["sk_live_", "aB3dE5fG7hI9jK1lM3nO5pQ7"].concat(), "my-own-thing-4711");
    let cwd = Path::new("/src/lh");
    let said = format!(
        "Deploy with {user} as the key. <private>call it {private}</private> We keep the key in the vault from now on."
    );
    let mut text: String = (0..4)
        .map(|turn| {
            line("user", &format!("{said} Turn {turn}."), cwd, turn * 2)
                + &line("assistant", &format!("The vault holds {user} now."), cwd, turn * 2 + 1)
        })
        .collect();
    let result = serde_json::json!({"type": "user", "cwd": cwd, "message": {"content": [{"type": "tool_result", "is_error": true, "content": format!("error: bad key {tool}")}]}});
    text += &result.to_string();
    text.push('\n');
    let transcript = home.write(".claude/projects/-src-lh/aaaaaaaa-1.jsonl", &text);
    // The model says back what it read, and something that it never read.
    let answer = format!(
        r#"{{"decisions":[{{"summary":"The vault holds {user}","evidence":["The vault holds"]}}],"learnings":[{{"title":"Keep {tool} safe","learning":"{user}","evidence":["We keep the key in the vault"]}}],"handoff":["rotate {user} in the vault"]}}"#
    );
    let model = home.write("model.sh", &format!("cat >\"$HOME/request\"; cat <<'E'\n{answer}\nE\n"));
    home.write(
        ".config/lazy-harness/config.toml",
        &format!("[compound_loop]\nengine = \"command\"\ncommand = \"sh {}\"\n", model.display()),
    );
    let session = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
    let distilled = home.tool("lh-distill").write_stdin(session.clone()).output().unwrap();
    assert!(distilled.status.success(), "{}", String::from_utf8_lossy(&distilled.stderr));
    home.tool("lh-persist").write_stdin(distilled.stdout.clone()).assert().success();
    home.tool("lh-summarize").arg("--progress").write_stdin(session).assert().success();
    std::fs::remove_file(&model).unwrap();
    std::fs::remove_file(&transcript).unwrap();
    home.write("distilled", &String::from_utf8(distilled.stdout).unwrap());
    let request = home.read("request");
    assert!(request.contains("[redacted:aws-access-token]") && request.contains("bad key [redacted:"), "{request}");
    for secret in [user.as_str(), tool.as_str(), private] {
        let grep = std::process::Command::new("grep").args(["-rlF", secret]).arg(home.path("")).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&grep.stdout), "", "{secret}");
    }
    assert!(
        home.read(".claude/projects/-src-lh/memory/decisions.jsonl")
            .contains("The vault holds [redacted:aws-access-token]")
    );
}

/// A transcript with a token of each form in each place, and what must be nowhere.
fn told(tokens: &[String], prose: &[String]) -> String {
    let token_of = |at: usize| tokens[at % tokens.len()].clone();
    let mut text = String::new();
    let mut number = 0;
    let mut push = |role: &str, content: serde_json::Value| {
        let cwd = format!("/src/{}", token_of(number));
        let record = serde_json::json!({
            "type": role, "uuid": format!("u{number}"), "parentUuid": number.checked_sub(1).map(|before| format!("u{before}")),
            "timestamp": format!("2026-04-13T12:{:02}:{:02}.000Z", number / 60 % 60, number % 60), "cwd": cwd, "entrypoint": "cli",
            "isSidechain": false, "gitBranch": token_of(number + 1),
            "message": {"role": role, "id": format!("m{number}"), "content": content},
        });
        number += 1;
        text += &record.to_string();
        text.push('\n');
    };
    for said in prose {
        push("user", serde_json::json!(said));
        push("assistant", serde_json::json!([{"type": "text", "text": "We keep the key in the vault from now on."}]));
    }
    for (at, token) in tokens.iter().enumerate() {
        push(
            "user",
            serde_json::json!(format!("Please deploy with {token}. It is the key of the vault, number {at}.")),
        );
        let input = match at % 3 {
            0 => serde_json::json!({"command": format!("deploy --key={token}, --now")}),
            1 => serde_json::json!({"file_path": format!("/src/lh/{token}.txt"), "content": "x"}),
            _ => {
                serde_json::json!({"todos": [{"content": format!("rotate {token}!"), "status": "pending", "activeForm": format!("rotating {token}")}]})
            }
        };
        let name = ["Bash", "Write", "TodoWrite"][at % 3];
        push(
            "assistant",
            serde_json::json!([
                {"type": "text", "text": format!("We use ({token}) from now on:\n```\nKEY={token}\n```")},
                {"type": "tool_use", "id": format!("t{at}"), "name": name, "input": input},
            ]),
        );
        push(
            "user",
            serde_json::json!([{"type": "tool_result", "tool_use_id": format!("t{at}"), "is_error": at % 2 == 0, "content": format!("error: {token}: refused")}]),
        );
    }
    let title = token_of(3);
    text + &format!("{}\n", serde_json::json!({"type": "summary", "summary": title, "leafUuid": "u1"}))
}

fn everything_below(folder: &Path, out: &mut Vec<(std::path::PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            everything_below(&path, out);
        } else {
            let text = std::fs::read(&path).unwrap_or_default();
            out.push((path, String::from_utf8_lossy(&text).into_owned()));
        }
    }
}

#[test]
fn no_form_is_in_a_file_a_request_or_an_output() {
    let home = Home::new();
    let mut dice = Dice(0x5eed_0007);
    let mut parts = Vec::new();
    let mut make = |is_token: bool, end: &str| -> Vec<String> {
        let some = forms().filter(|form| form.is_token == is_token && !UNKNOWN.contains(&form.name));
        some.map(|form| {
            let (text, own) = secret(&mut dice, form.template);
            // Letters alone can look like a word.
            let sure = |part: &String| part.len() >= 12 && part.contains(|letter: char| letter.is_ascii_digit());
            parts.extend(own.into_iter().filter(sure));
            format!("{text}{end}")
        })
        .filter(|text| !text.contains('\n') && !text.contains('\x1b'))
        .collect()
    };
    let (tokens, prose) = (make(true, ""), make(false, ""));
    let transcript = home.write(".claude/projects/-src-lh/aaaaaaaa-1.jsonl", &told(&tokens, &prose));
    let decisions: Vec<serde_json::Value> = tokens
        .iter()
        .map(|token| serde_json::json!({"summary": format!("Deploy with {token}, always"), "evidence": ["We keep the key in the vault from now on."]}))
        .collect();
    let answer = serde_json::json!({"decisions": decisions, "handoff": [format!("rotate {}.", tokens[0])]});
    home.write("answer", &answer.to_string());
    let model = home.write("model.sh", "cat >\"$HOME/request\"; cat \"$HOME/answer\"\n");
    home.write(
        ".config/lazy-harness/config.toml",
        &format!("[compound_loop]\nengine = \"command\"\ncommand = \"sh {}\"\n", model.display()),
    );
    let session = home.tool("lh-find-session").arg(&transcript).output().unwrap().stdout;
    let run = |tool: &str, arguments: &[&str], input: &[u8]| {
        let output = home.tool(tool).args(arguments).write_stdin(input.to_vec()).output().unwrap();
        assert!(output.status.success(), "{tool}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let distilled = run("lh-distill", &[], &session);
    run("lh-persist", &[], &distilled);
    run("lh-export", &[], &session);
    let mut outputs = vec![("lh-distill", distilled)];
    for (tool, arguments) in [("lh-export", &["-o", "-"][..]), ("lh-summarize", &[])] {
        outputs.push((tool, run(tool, arguments, &session)));
    }
    assert!(home.read("request").contains("[redacted:"));
    for path in [&transcript, &model, &home.path("answer")] {
        std::fs::remove_file(path).unwrap();
    }
    let mut all = Vec::new();
    everything_below(&home.path(""), &mut all);
    all.extend(outputs.into_iter().map(|(tool, text)| (tool.into(), String::from_utf8_lossy(&text).into_owned())));
    let left: Vec<String> = all
        .iter()
        .flat_map(|(path, text)| {
            let found = parts.iter().filter(|part| text.contains(part.as_str()));
            found.map(move |part| {
                let at = text.find(part.as_str()).unwrap();
                let start = text.floor_char_boundary(at.saturating_sub(60));
                format!("{}: {}", path.display(), &text[start..at + part.len()])
            })
        })
        .collect();
    assert!(left.is_empty(), "{}: {:#?}", left.len(), &left[..left.len().min(20)]);
}

#[test]
fn the_tools_of_a_hook_hold_no_redactor() {
    let has_table = |tool: &str| {
        let bytes = std::fs::read(binary(tool)).unwrap();
        bytes
            .windows(21)
            .any(|window| window == b"1password-secret-key\x00" || window.starts_with(b"1password-secret-key"))
    };
    assert!(has_table("lh-redact"));
    for tool in ["lh-find-session", "lh-gate", "lh-enqueue", "lh-detach", "lh-dequeue"] {
        assert!(!has_table(tool), "{tool}");
    }
}

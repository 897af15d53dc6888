//! lh-redact and the doors: no secret in what is stored or sent. The corpus is made from the forms
//! that issuers publish, not from our patterns.

use crate::forms::{ALNUM, BASE64, DIGITS, Dice, FORMS, HEX, LOWER, secret};
use crate::home::{Home, binary, line};
use lh::config::Privacy;
use lh::redact::Redactor;
use std::path::Path;

/// What stands around a secret.
const AROUND: &[&str] = &[
    "please use {} for the deploy",
    "export API_TOKEN={}",
    "{\"token\": \"{}\", \"n\": 1}",
    "curl -H 'X-Key: {}' https://api.example.com",
    "const key = \"{}\";",
    "- the key is `{}`, keep it",
    "{}",
];

/// What looks like a secret and is none.
fn look_alike(dice: &mut Dice) -> String {
    match dice.roll(16) {
        0 => format!("commit {}", dice.some(HEX, 40)),
        1 => format!("fixed in {} and {}", dice.some(HEX, 7), dice.some(HEX, 10)),
        2 => format!(
            "{}-{}-4{}-a{}-{}",
            dice.some(HEX, 8),
            dice.some(HEX, 4),
            dice.some(HEX, 3),
            dice.some(HEX, 3),
            dice.some(HEX, 12)
        ),
        3 => format!("sha256:{}  image.tar", dice.some(HEX, 64)),
        4 => format!("      \"integrity\": \"sha512-{}==\",", dice.some(BASE64, 86)),
        5 => format!("<img src=\"data:image/png;base64,iVBORw0KGgo{}\">", dice.some(BASE64, 200)),
        6 => format!("checksum = \"{}\"", dice.some(HEX, 64)),
        7 => dice
            .pick(&[
                "export API_KEY=<your-api-key>",
                "token: YOUR_TOKEN_HERE",
                "password = \"changeme\"",
                "Authorization: Bearer $TOKEN",
                "key = os.environ[\"API_KEY\"]",
                "secret: ${{ secrets.DEPLOY_KEY }}",
            ])
            .to_owned(),
        8 => format!("let token = get_token(&{});", dice.some(&ALNUM[26..52], 12)),
        9 => format!(
            "/home/dev/src/{}/target/debug/deps/lib{}-{}.rlib",
            dice.some(LOWER, 8),
            dice.some(LOWER, 6),
            dice.some(HEX, 16)
        ),
        10 => format!(
            "https://example.com/{}/{}?page={}",
            dice.some(LOWER, 8),
            dice.some(LOWER, 20),
            dice.some(DIGITS, 3)
        ),
        11 => format!(
            "H{} W{} {}.{}.{}",
            dice.some(HEX, 6),
            dice.some(HEX, 6),
            dice.roll(9),
            dice.roll(99),
            dice.roll(99)
        ),
        12 => format!("toolu_01{} done, request req_01{}", dice.some(ALNUM, 22), dice.some(ALNUM, 22)),
        13 => {
            format!("the key to {} is that the token of each {} is read once", dice.some(LOWER, 8), dice.some(LOWER, 8))
        }
        14 => format!(
            "resolved \"https://registry.example.com/{}/-/{}-1.2.3.tgz#{}\"",
            dice.some(LOWER, 6),
            dice.some(LOWER, 6),
            dice.some(HEX, 40)
        ),
        _ => format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{} me@host", dice.some(BASE64, 43)),
    }
}

/// How many of a half's secrets are gone, which kinds were missed, and which look-alikes were masked.
fn figures(seed: u64) -> (usize, usize, Vec<String>, Vec<String>) {
    let redactor = Redactor::new(&Privacy::default()).unwrap();
    let mut dice = Dice(seed);
    let (mut all, mut gone, mut missed, mut alarms) = (0_usize, 0_usize, Vec::new(), Vec::new());
    for (kind, form) in FORMS {
        for _ in 0..3 {
            let (text, part) = secret(&mut dice, form);
            let text = dice.pick(AROUND).replace("{}", &text);
            all += 1;
            if redactor.redact(&text).contains(&part) {
                missed.push(format!("{kind}: {text}"));
            } else {
                gone += 1;
            }
        }
    }
    for _ in 0..2500 {
        let text = look_alike(&mut dice);
        let masked = redactor.redact(&text);
        if masked != text {
            alarms.push(format!("{text} -> {masked}"));
        }
    }
    (all, gone, missed, alarms)
}

#[test]
fn the_corpus_is_masked_and_its_look_alikes_are_not() {
    let (all, gone, missed, alarms) = figures(0x5eed_0001);
    assert!(gone * 100 >= all * 95, "{gone} of {all}: {missed:#?}");
    assert!(alarms.len() * 1000 <= 2500 * 4, "{}: {alarms:#?}", alarms.len());
}

#[test]
fn the_half_that_was_not_looked_at_agrees() {
    let (all, gone, missed, alarms) = figures(0x0bad_cafe_0002);
    assert!(
        gone * 100 >= all * 95 && alarms.len() * 1000 <= 2500 * 4,
        "{gone} of {all}, {} alarms, {} kinds",
        alarms.len(),
        missed.len()
    );
}

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
        r#"{{"decisions":[{{"summary":"Deploy with {user}","evidence":["We keep the key in the vault from now on."]}}],"learnings":[{{"title":"Keep {tool} safe","learning":"{user}","evidence":["We keep the key in the vault"]}}],"handoff":["rotate {user} in the vault"]}}"#
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
    let slim = home.tool("lh-distill").arg("--slim").write_stdin(session).output().unwrap().stdout;
    std::fs::remove_file(&model).unwrap();
    std::fs::remove_file(&transcript).unwrap();
    home.write("distilled", &String::from_utf8(distilled.stdout).unwrap());
    home.write("slim", &String::from_utf8(slim).unwrap());
    let request = home.read("request");
    assert!(request.contains("[redacted:aws-access-token]") && request.contains("bad key [redacted:"), "{request}");
    for secret in [user.as_str(), tool.as_str(), private] {
        let grep = std::process::Command::new("grep").args(["-rlF", secret]).arg(home.path("")).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&grep.stdout), "", "{secret}");
    }
    assert!(
        home.read(".claude/projects/-src-lh/memory/decisions.jsonl")
            .contains("Deploy with [redacted:aws-access-token]")
    );
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

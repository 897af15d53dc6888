//! Secrets that only the conversation gives away: the answer to a question for one, and a password that stands alone
//! before or behind the place that names it.

use crate::home::{Home, line};
use serde_json::json;
use std::path::{Path, PathBuf};

const APP: &str = "/src/app";
const ID: &str = "11111111-2222-4333-8444-555555555555";
const OPENING: &str = "We move the orders table to the staging database today, step by step, and note what we decide.";

fn strong() -> String {
    ["Tr0ub4", "dor&3x"].concat()
}

fn word() -> String {
    ["sword", "fish"].concat()
}

/// A session in which the user and the agent speak in turn.
fn session(home: &Home, said: &[&str]) -> PathBuf {
    let role = |at: usize| if at.is_multiple_of(2) { "user" } else { "assistant" };
    let lines: String = said.iter().enumerate().map(|(at, text)| line(role(at), text, Path::new(APP), at)).collect();
    home.write(&format!(".claude/projects/-src-app/{ID}.jsonl"), &lines)
}

/// What a tool prints, of standard input or of operands.
fn printed(home: &Home, tool: &str, arguments: &[&str], input: &[u8]) -> String {
    let output = home.tool(tool).args(arguments).write_stdin(input.to_vec()).output().unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

/// All that the tools print and keep of a session.
fn all(home: &Home, transcript: &Path) -> Vec<(String, String)> {
    let path = transcript.to_str().unwrap();
    let record = printed(home, "lh-find-session", &[path], b"").into_bytes();
    let start = json!({"hook_event_name": "SessionStart", "source": "startup", "cwd": APP}).to_string().into_bytes();
    let calls: [(&str, &[&str], &[u8]); 10] = [
        ("lh-export", &["-f", "-o", "-"], &record),
        ("lh-export", &["-f", "-o", "-", "--format", "json"], &record),
        ("lh-distill", &["-p"], &record),
        ("lh-distill", &["-e", "extract"], &record),
        ("lh-summarize", &["-n"], &record),
        ("lh-episode", &[], &record),
        ("lh-recall", &["--show", ID], b""),
        ("lh-context", &["--format", "markdown"], &start),
        ("lh-summarize", &["--progress"], &record),
        ("lh-export", &["-f"], &record),
    ];
    let mut said: Vec<(String, String)> = calls
        .iter()
        .map(|(tool, with, input)| (format!("{tool} {with:?}"), printed(home, tool, with, input)))
        .collect();
    let mut folders = vec![home.path("")];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry != transcript {
                let text = String::from_utf8_lossy(&std::fs::read(&entry).unwrap()).into_owned();
                said.push((entry.display().to_string(), text));
            }
        }
    }
    said
}

#[test]
fn the_answer_to_a_question_for_a_secret_is_masked_wherever_the_session_is_read() {
    let (strong, word) = (strong(), word());
    for (asked, answer, secret) in [
        ("I am in. What is the password for the staging database?", strong.clone(), &strong),
        ("What is the password for the staging database?", word.clone(), &word),
        ("Please paste the password of the deploy user.", format!("it's {word}, thanks"), &word),
    ] {
        let home = Home::new();
        let said = [OPENING, asked, &answer, "Connected, the table is moved.", "Good, now drop the old table please."];
        let transcript = session(&home, &said);
        let mut masked = 0;
        for (what, text) in all(&home, &transcript) {
            assert!(!text.contains(secret.as_str()), "{asked}: {answer}: {what}:\n{text}");
            masked += usize::from(text.contains("[redacted:password]"));
        }
        // The page, printed in two ways and kept, the prompt, the session's own text.
        assert!(masked >= 4, "{asked}: {masked}");
    }
}

#[test]
fn a_password_that_is_named_once_is_masked_before_and_behind_that() {
    let home = Home::new();
    let secret = strong();
    let first = format!("{OPENING} Log in with {secret} to begin.");
    let named = format!("The password is {secret}, as I said.");
    let done = format!("I logged in with {secret} and moved the table. Next: drop the old table.");
    let more = format!("Put {secret} into the vault, and then drop the old table.");
    let transcript = session(&home, &[&first, "Done.", &named, &done, &more, "The vault has it."]);
    for (what, text) in all(&home, &transcript) {
        assert!(!text.contains(secret.as_str()), "{what}:\n{text}");
    }
}

fn page(home: &Home, said: &[&str], arguments: &[&str]) -> String {
    let transcript = session(home, said);
    let record = printed(home, "lh-find-session", &[transcript.to_str().unwrap()], b"");
    printed(home, "lh-export", arguments, record.as_bytes())
}

#[test]
fn a_page_that_is_read_on_knows_the_question_and_the_secret() {
    let (strong, word) = (strong(), word());
    let kept = |home: &Home| {
        let receipt = page_path(home);
        std::fs::read_to_string(receipt).unwrap()
    };
    let asked = "What is the password for the staging database?";
    // The answer comes when the question is on the page already.
    let home = Home::new();
    let _ = page(&home, &[OPENING, "I looked.", "Go on.", asked], &["-f"]);
    let _ = page(&home, &[OPENING, "I looked.", "Go on.", asked, &word, "Thanks."], &[]);
    assert!(kept(&home).contains("[redacted:password]") && !kept(&home).contains(&word), "{}", kept(&home));
    // The secret stands on the page before it is named.
    let home = Home::new();
    let bare = format!("{OPENING} Log in with {strong} here.");
    let named = format!("The password is {strong}.");
    let _ = page(&home, &[&bare, "I looked.", "Go on.", "Fine."], &["-f"]);
    assert!(kept(&home).contains(&strong));
    let _ = page(&home, &[&bare, "I looked.", "Go on.", "Fine.", &named, "Thanks."], &[]);
    assert!(!kept(&home).contains(&strong), "{}", kept(&home));
    // It is named on the page already.
    let said = [OPENING, "I looked.", &named, "Fine."];
    let home = Home::new();
    let _ = page(&home, &said, &["-f"]);
    let _ = page(&home, &[&said[..], &[&bare, "Done."]].concat(), &[]);
    assert!(!kept(&home).contains(&strong), "{}", kept(&home));
    let before = kept(&home);
    let _ = page(&home, &[&said[..], &[&bare, "Done."]].concat(), &["-f"]);
    assert_eq!(kept(&home), before);
}

/// The one page in the knowledge folder.
fn page_path(home: &Home) -> PathBuf {
    let month = home.path("Documents/lazy-harness-knowledge/sessions/2026-04");
    let mut pages = month.read_dir().unwrap().map(|entry| entry.unwrap().path());
    pages.find(|path| path.extension().is_some_and(|end| end == "md")).unwrap()
}

/// Questions for a secret, in many words, and the answers.
#[test]
fn questions_for_a_secret_are_known_in_many_forms() {
    let (strong, word, pin) = (strong(), word(), ["4711", "0815"].concat());
    for (asked, answer, secret) in [
        ("Could you send me the API key for the mail service?", &strong, &strong),
        ("I don't have the credentials for the registry yet.", &word, &word),
        ("It stopped:\n[sudo] password for ana:", &word, &word),
        ("And the root password?", &format!("`{word}`"), &word),
        ("Which passphrase should I use for the key?", &format!("use {word} please"), &word),
        ("¿Cuál es la contraseña del servidor?", &format!("es {word}"), &word),
        ("Wie lautet das Passwort für den Server?", &format!("Das Passwort ist {pin}"), &pin),
        ("Quel est le mot de passe de la base ?", &word, &word),
        ("To go on I need the token of the registry. I then push the image.", &strong, &strong),
        ("Tell me the admin password so I can log in.", &format!("sure: {word}"), &word),
        ("Which password does the server use?", &word, &word),
    ] {
        let page = page(&Home::new(), &[OPENING, asked, answer, "Thanks."], &["-f", "-o", "-"]);
        assert!(page.contains("[redacted:") && !page.contains(secret), "{asked}: {answer}:\n{page}");
    }
    let home = Home::new();
    let next = "I give you the password in the next message.";
    let page = page(&home, &[next, "All right.", &word, "Thanks."], &["-f", "-o", "-"]);
    assert!(!page.contains(&word), "{page}");
}

#[test]
fn what_is_no_answer_stays() {
    for (asked, answer) in [
        ("Should I hash the password with bcrypt or argon2id?", "argon2id"),
        ("What is the password for the staging database?", "look into config/staging.yml"),
        ("What is the password for the staging database?", "$STAGING_PASSWORD"),
        ("What is the password for the staging database?", "skip it"),
        ("How long should the password be?", "sixteen"),
        ("I wrote the password page. Which colour do you want?", "turquoise"),
        ("The page says: you need to give the password to log in. It is built.", "halibut"),
        ("For that you need the API key.", "From now on always use `pnpm` and never `npm-cli` here"),
        ("What is the password for the staging database?", "Rename `submitForm` to `sendForm` then"),
    ] {
        let page = page(&Home::new(), &[OPENING, asked, answer, "Thanks."], &["-f", "-o", "-"]);
        assert!(page.contains(answer) && !page.contains("[redacted:"), "{asked}: {page}");
    }
    // One answer is masked where it is one, and no other word is.
    let (word, asked) = (word(), "What is the password for the staging database?");
    let later = format!("A {word} is a fish, draw one for the title page.");
    let page = page(&Home::new(), &[OPENING, asked, &word, "Thanks.", &later, "Done."], &["-f", "-o", "-"]);
    assert!(page.contains(&later), "{page}");
}

/// A session in which the user answers a question of the agent's tool.
fn answered(home: &Home, options: &serde_json::Value, said: &str) -> PathBuf {
    let question = "What is the password for the staging database?";
    let of = |role: &str, content: serde_json::Value, number: usize, more: serde_json::Value| {
        let mut record = json!({"type": role, "uuid": format!("u{number}"), "timestamp": "2026-04-13T12:30:00Z", "cwd": APP,
            "entrypoint": "cli", "message": {"role": role, "id": format!("m{number}"), "content": content}});
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("{record}\n")
    };
    let asks = json!([{"type": "tool_use", "id": "t1", "name": "AskUserQuestion",
        "input": {"questions": [{"question": question, "options": options}]}}]);
    let result = format!("User has answered your questions: \"{question}\"=\"{said}\". You can now continue.");
    let result = json!([{"type": "tool_result", "tool_use_id": "t1", "content": result}]);
    let lines = [
        line("user", OPENING, Path::new(APP), 0),
        of("assistant", asks, 1, json!({})),
        of("user", result, 2, json!({"toolUseResult": {"answers": {question: said}}})),
        line("assistant", "Connected, the table is moved.", Path::new(APP), 3),
        line("user", "Good, now drop the old table please.", Path::new(APP), 4),
    ];
    home.write(&format!(".claude/projects/-src-app/{ID}.jsonl"), &lines.concat())
}

#[test]
fn an_answer_at_the_agents_own_question_is_masked() {
    let (home, word) = (Home::new(), word());
    let options = json!([{"label": "Skip", "description": "go on without it"}]);
    let transcript = answered(&home, &options, &word);
    for (what, text) in all(&home, &transcript) {
        assert!(!text.contains(&word), "{what}:\n{text}");
    }
    // What the agent named itself is no secret, also where it said nothing about it.
    let home = Home::new();
    let transcript = answered(&home, &json!([{"label": "A random one"}, {"label": word}]), &word);
    assert!(all(&home, &transcript).iter().any(|(_, text)| text.contains(&word)));
}

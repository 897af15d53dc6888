//! The corpus: forms of secrets that issuers publish, before every sign, in every place; what only looks
//! like one; and that no rule reads a text again and again. The forms are made without our patterns.

use crate::forms::{ALNUM, BASE64, BLIND, DIGITS, Dice, Form, HEX, LINES, LOWER, OWN, forms, secret};
use crate::home::Home;
use lh::base::config::Privacy;
use lh::redact::Redactor;
use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

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

/// Between two cases of one text.
const APART: &str = "\n\n. . . .\n\n";

type Place = fn(&str) -> String;

/// Where a text can stand. In some of them only a token can: a file name has no sentence.
#[rustfmt::skip]
const PLACES: &[(&str, bool, Place)] = &[
    ("prose", true, |text| format!("set {text}please.")),
    ("fence", true, |text| format!("Look:\n```sh\n{text}\n```")),
    ("list", true, |text| format!("- rotate {text} today")),
    ("todo", true, |text| format!("- [ ] {text} is to be changed")),
    ("title", true, |text| format!("# {text}")),
    ("quotation", true, |text| format!("> {text}\n> said Ana")),
    ("tool input", true, |text| serde_json::json!({"command": text, "timeout": 5}).to_string()),
    ("tool output", true, |text| format!("$ env\n{text}\n$")),
    ("error", true, |text| format!("error: the server refused: {text}")),
    ("escaped", true, |text| serde_json::json!({"a": serde_json::json!({"b": text}).to_string()}).to_string()),
    ("the model's answer", true, |text| serde_json::json!({"decisions": [{"summary": text}]}).to_string()),
    ("file name", false, |text| format!("wrote /srv/app/{text}")),
    ("branch", false, |text| format!("feature/{text}")),
    ("cwd", false, |text| format!("/home/dev/{text}/src")),
    ("variable", false, |text| format!("export ACME={text}")),
    ("header", false, |text| format!("curl -H 'X-Acme: {text}' https://example.com")),
];

/// What nobody can tell for sure; lh-redact(1) names them.
pub const UNKNOWN: &[&str] = &["json-escaped-quote-inside-password"];

/// The signs that follow a secret; the first is none.
fn signs() -> Vec<String> {
    let sign = |line| serde_json::from_str::<String>(line).unwrap();
    std::iter::once(" ".to_owned()).chain(include_str!("secrets/signs.txt").lines().map(sign)).collect()
}

/// Masks each text as that of another session: what is learned of one says nothing of the next.
struct Alone(Redactor);

impl Alone {
    fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.0.begin();
        self.0.redact(text)
    }
}

fn redactor() -> Alone {
    Alone(Redactor::new(&Privacy::default()).unwrap())
}

/// Is a part of a secret still there? Twelve signs of it are enough.
fn is_left(parts: &[String], masked: &str) -> bool {
    let windows = |part: &String| {
        let length = part.len().min(12);
        part.as_bytes().windows(length).any(|piece| masked.contains(std::str::from_utf8(piece).unwrap()))
    };
    parts.iter().any(windows)
}

/// The cases of a form that are not masked, and how many there are.
fn missed(redactor: &Alone, form: &Form, dice: &mut Dice, signs: &[String]) -> (usize, Vec<String>) {
    let mut cases = Vec::new();
    for (_, _, place) in PLACES.iter().filter(|(_, any, _)| form.is_token || *any) {
        for sign in signs {
            let (text, parts) = secret(dice, form.template);
            cases.push((place(&format!("{text}{sign}")), parts));
        }
    }
    let text = cases.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(APART);
    let masked = redactor.redact(&text);
    let masked: Vec<&str> = masked.split(APART).collect();
    assert_eq!(masked.len(), cases.len(), "{}: a mask that goes over the border", form.name);
    let left = cases.iter().zip(masked).filter(|((_, parts), masked)| is_left(parts, masked));
    (cases.len(), left.map(|((text, _), masked)| format!("{}: {text} -> {masked}", form.name)).collect())
}

/// Each form before each sign in each place. Passwords of letters alone can look like a word, so a few
/// cases in a thousand can be missed, of one form not more than a tenth.
fn corpus(half: &[Form], seed: u64) {
    let (redactor, signs, mut dice) = (redactor(), signs(), Dice(seed));
    let (mut all, mut left) = (0_usize, Vec::new());
    for form in half.iter().filter(|form| !UNKNOWN.contains(&form.name)) {
        let (count, missed) = missed(&redactor, form, &mut dice, &signs);
        assert!(missed.len() * 10 <= count, "{} of {count}: {:#?}", missed.len(), &missed[..missed.len().min(9)]);
        all += count;
        left.extend(missed);
    }
    assert!(left.len() * 500 <= all, "{} of {all}: {:#?}", left.len(), &left[..left.len().min(40)]);
}

#[test]
fn our_forms_are_masked_before_every_sign_in_every_place() {
    assert!(OWN.len() >= 65 && signs().len() == 33 && PLACES.len() == 16);
    corpus(&OWN, 0x5eed_0001);
}

#[test]
fn forms_of_somebody_who_has_not_seen_the_rules_are_masked() {
    assert!(BLIND.len() >= 65);
    corpus(&BLIND, 0x0bad_cafe_0002);
}

#[test]
fn a_token_is_masked_alone_and_what_is_around_it_stays() {
    let (redactor, mut dice) = (redactor(), Dice(0x5eed_0003));
    for form in OWN.iter().filter(|form| form.is_token) {
        let (token, _) = secret(&mut dice, form.template);
        for (before, behind) in [("set ", ", please."), ("(", ") then"), ("`", "`: yes"), ("\"", "\"]"), ("a=", "! b")]
        {
            let masked = redactor.redact(&format!("{before}{token}{behind}")).into_owned();
            assert!(masked.starts_with(before) && masked.ends_with(behind), "{}: {masked}", form.name);
            assert_eq!(redactor.redact(&masked), masked, "{}: masked twice", form.name);
        }
    }
}

#[test]
fn lines_without_a_secret_stay() {
    let redactor = redactor();
    let clean = include_str!("secrets/clean.txt");
    assert!(clean.lines().count() >= 250);
    let changed: Vec<String> = clean
        .lines()
        .filter_map(|line| Some(redactor.redact(line).into_owned()).filter(|masked| masked != line))
        .collect();
    assert!(changed.is_empty(), "{changed:#?}");
    assert_eq!(redactor.redact(clean), clean);
}

#[test]
fn look_alikes_stay() {
    let (redactor, mut dice) = (redactor(), Dice(0x0bad_cafe_0004));
    let mut alarms = Vec::new();
    for _ in 0..5000 {
        let text = look_alike(&mut dice);
        let masked = redactor.redact(&text);
        if masked != text {
            alarms.push(format!("{text} -> {masked}"));
        }
    }
    assert!(alarms.len() * 1000 <= 5000 * 4, "{}: {alarms:#?}", alarms.len());
}

/// The texts of a record.
fn texts(value: &serde_json::Value, out: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => out.push(text.clone()),
        serde_json::Value::Array(items) => items.iter().for_each(|item| texts(item, out)),
        serde_json::Value::Object(fields) => fields.values().for_each(|field| texts(field, out)),
        _ => {}
    }
}

fn transcripts(folder: &Path, out: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            transcripts(&path, out);
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            out.push(path);
        }
    }
}

#[test]
fn real_transcripts_keep_their_text() {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/transcripts");
    let folder = std::env::var_os("LH_TRANSCRIPTS").map_or_else(default, std::path::PathBuf::from);
    let mut paths = Vec::new();
    transcripts(&folder, &mut paths);
    if paths.is_empty() {
        let _ = writeln!(std::io::stderr(), "skipped: no transcripts in {}", folder.display());
        return;
    }
    let redactor = redactor();
    let (mut words, mut masks) = (0_usize, Vec::new());
    for path in &paths {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let mut all = Vec::new();
        for record in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            texts(&record, &mut all);
        }
        let said = all.join("\n\n");
        words += said.split_whitespace().count();
        masks.extend(redactor.0.find(said.as_bytes()).into_iter().map(|secret| {
            let start = said.floor_char_boundary(secret.start.saturating_sub(40));
            format!("{}: {}", secret.kind, &said[start..secret.end])
        }));
    }
    assert!(masks.len() * 1_000_000 < words * 3, "{} masks in {words} words: {masks:#?}", masks.len());
}

/// How long masking takes, in seconds; the best of some runs, since other programs run as well.
fn seconds(redactor: &Alone, text: &str, runs: usize) -> f64 {
    let once = || {
        let begun = crate::home::busy();
        let _ = redactor.redact(text);
        crate::home::busy() - begun
    };
    (0..runs).map(|_| once()).fold(f64::MAX, f64::min)
}

/// What begins a match, over and over: it must not be read again from each place.
#[test]
fn every_rule_is_linear() {
    let (redactor, mut dice) = (redactor(), Dice(0x5eed_0005));
    let mut seeds: Vec<String> = OWN.iter().map(|form| secret(&mut dice, form.template).0).collect();
    let begins: Vec<String> = forms()
        .filter_map(|form| form.template.replace('«', "").split('{').next().map(|text| text.replace("\\n", "\n")))
        .collect();
    seeds.extend(begins.into_iter().filter(|begin| !begin.is_empty()));
    seeds.extend(
        [
            "-----BEGIN RSA PRIVATE KEY-----\n",
            "-----BEGIN RSA PRIVATE KEY-----",
            "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4\n",
            "-----END RSA PRIVATE KEY-----\n",
            "Private-Lines: 3\n",
            "aB3dE5fG7hI9jK1lM3nO5pQ7\n-----END RSA PRIVATE KEY-----x",
            "curl -u ",
            "password ",
            "password for the ",
            "the password is ",
            "https://",
            "https://a:",
            "cookie: a=b;",
            "eyJaaaaaaaaaaaa",
            "eyJaaaaaaaaaaaaaa.",
            "sk-",
            "key=",
            "token: ",
            "mysql ",
            "login ",
            "<private",
            "npm_\n",
            "ghp_aaaaaaaaaaaa\n",
            "xapp-1-1",
            "\x1b[",
            "\\u001b[",
            "\u{200b}",
            "%2F",
            "----",
            "&quot;",
            "machine a login b ",
            "\tTRUE\t",
            "AAAAAAAAAAAAAAAAAAAA",
            "abcABC123",
            "\\\\\\\\",
            "password=",
            "password: (<[{",
            "a.B3-d_E5",
            "-----BEGIN PRIVATE KEY-----aB3dE5fG7hI9jK1lM3n",
            "aB3dE5fG7hI9jK1lM3n-----END PRIVATE KEY-----",
            "&#x2B;",
            "MIIEowIBAAKCAQEA",
            "MIIEowIBAAKC ",
            "root:a@tcp(",
            "a:1:",
            "+a\n",
            "\"p\":\"",
            "key: a::",
        ]
        .map(str::to_owned),
    );
    seeds.sort();
    seeds.dedup();
    // The value of one name.
    let long_value = ["(", "{[", "<a,b", "a;b<", ",a&", "*-"].map(|sign| format!("{}aB3dE5fG7h", sign.repeat(3000)));
    seeds.extend(long_value.map(|value| format!("password={value} ")));
    for seed in seeds {
        let of = |bytes: usize| seed.repeat(bytes / seed.len() + 1);
        let long = of(64 << 10);
        // Twice as much takes twice as long; a rule that reads all again for each place takes four times.
        // One step can be steep, where the matcher changes its method; two steps cannot.
        let is_linear = |runs: usize| {
            let [first, second] = [16 << 10, 32 << 10].map(|bytes| seconds(&redactor, &of(bytes), runs));
            second < 0.008 || second < first * 3.5 || seconds(&redactor, &long, runs) < second * 3.5
        };
        assert!([1, 3, 9].into_iter().any(is_linear), "{seed:?}: {} s", seconds(&redactor, &long, 1));
    }
}

#[test]
fn a_pasted_list_of_first_lines_is_fast_and_keeps_its_text() {
    let line = |number: usize| format!("src/keys/key{number}.pem:{}:-----BEGIN RSA PRIVATE KEY-----\n", number % 90);
    let list: String = (0..12_000).map(line).collect();
    assert!(list.len() > 600_000);
    let redactor = redactor();
    assert_eq!(redactor.redact(&list), list);
    let taken = seconds(&redactor, &list, 3);
    assert!(taken < 2.0, "{taken} s");
}

#[test]
fn a_private_key_ends_where_its_lines_end() {
    let redactor = redactor();
    let mut dice = Dice(0x5eed_0006);
    let begin = |kind: &str| ["-----", "BEGIN ", kind, "PRIVATE KEY-----"].concat();
    let end = |kind: &str| ["-----", "END ", kind, "PRIVATE KEY-----"].concat();
    let last = dice.some(BASE64, 22) + "==";
    let body: Vec<String> = (0..5).map(|_| dice.some(BASE64, 64)).chain([last]).collect();
    let with = |before: &str, between: &str| body.iter().fold(String::new(), |all, line| all + before + line + between);
    for (name, block) in [
        ("plain", format!("{}\n{}{}", begin("RSA "), with("", "\n"), end("RSA "))),
        ("windows", format!("{}\r\n{}{}", begin(""), with("", "\r\n"), end(""))),
        ("escaped", format!("{}\\n{}{}", begin(""), with("", "\\n"), end(""))),
        ("escaped twice", format!("{}\\\\n{}{}", begin(""), with("", "\\\\n"), end(""))),
        ("quoted", format!("{}\n{}> {}", begin("EC "), with("> ", "\n"), end("EC "))),
        ("indented", format!("{}\n{}    {}", begin("EC "), with("    ", "\n"), end("EC "))),
        ("difference", format!("{}\n{}+{}", begin("EC "), with("+", "\n"), end("EC "))),
        ("comment", format!("# {}\n{}# {}", begin("RSA "), with("# ", "\n"), end("RSA "))),
        ("comment of code", format!("// {}\n{}// {}", begin(""), with("// ", "\n"), end(""))),
        ("table", format!("| {}\n{}| {}", begin(""), with("| ", "\n"), end(""))),
        (
            "log",
            format!(
                "2026-04-13T10:00:00Z {}\n{}2026-04-13T10:00:02Z {}",
                begin("RSA "),
                with("2026-04-13T10:00:01Z ", "\n"),
                end("RSA ")
            ),
        ),
        ("end of a comment", format!("{}# {}", with("# ", "\n"), end("RSA "))),
        ("end on its last line", format!("{}{}", with("", "\n").trim_end(), end("RSA "))),
        (
            "encrypted comment",
            format!("# {}\n# Proc-Type: 4,ENCRYPTED\n#\n{}# {}", begin("RSA "), with("# ", "\n"), end("RSA ")),
        ),
        ("grep", format!("{}\n{}a.pem:9:{}", begin("EC "), with("a.pem:8:", "\n"), end("EC "))),
        ("numbered", format!("{}\n{}  9\t{}", begin("EC "), with("  8\t", "\n"), end("EC "))),
        ("one line", format!("{} {}{}", begin("RSA "), with("", " "), end("RSA "))),
        ("in code", format!("{}\\n\" +\n{}\"{}", begin(""), with("\"", "\\n\" +\n"), end(""))),
        (
            "encrypted",
            format!(
                "{}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00FF\n\n{}{}",
                begin("RSA "),
                with("", "\n"),
                end("RSA ")
            ),
        ),
        ("cut", format!("{}\n{}", begin("RSA "), with("", "\n").trim_end())),
        ("cell", format!("| key | {}<br>{}{} |", begin(""), with("", "<br/>"), end(""))),
        ("rows", format!("| 1 | {} |\n{}| 7 | {} |", begin(""), with("| 4 | ", " |\n"), end(""))),
        ("tags", format!("<p>{}</p>\n{}<p>{}</p>", begin("EC "), with("<p>", "</p>\n"), end("EC "))),
        (
            "page",
            format!("{}&#10;{}{}", begin(""), with("", "&#xA;").replace('+', "&#x2B;").replace('=', "&#61;"), end("")),
        ),
        ("form", format!("{}%0A{}{}", begin(""), with("", "%0D%0A"), end("")).replace(' ', "+")),
        ("printf", format!("printf '%s\\n' '{}' {}'{}'", begin("RSA "), with("'", "' "), end("RSA "))),
        ("list", format!("[\"{}\", {}\"{}\"]", begin(""), with("\"", "\", "), end(""))),
        (
            "log of JSON",
            format!(
                "{{\"log\":\"{}\\n\",\"stream\":\"stdout\"}}\n{}",
                begin(""),
                with("{\"log\":\"", "\\n\",\"stream\":\"stdout\"}\n").trim_end()
            ),
        ),
        (
            "blame",
            format!("3f2a9c8 (Ana 1) {}\n{}3f2a9c8 (Ana 3) {}", begin(""), with("3f2a9c8 (Ana 2) ", "\n"), end("")),
        ),
    ] {
        let masked =
            redactor.redact(&format!("Before it.\n{block}\nWe keep the key in the vault from now on.\n")).into_owned();
        assert!(body.iter().all(|line| !masked.contains(&line[..20])), "{name}: {masked}");
        assert!(masked.starts_with("Before it.\n"), "{name}: {masked}");
        assert!(masked.ends_with("\nWe keep the key in the vault from now on.\n"), "{name}: {masked}");
    }
    for text in [
        format!("A key begins with `{}` and we decided to keep none in the repository. Decision: use the vault.", begin("RSA ")),
        format!("{}\nDecision\n\nWe keep no key here.", begin("")),
        format!("if (pem.startsWith(\"{}\")) return parseRsaPrivateKey2048(pem);", begin("RSA ")),
        format!("Between {} and {} there is base64.", begin(""), end("")),
        "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ2x5b2RlIGlzIG5vdCBhIHNlY3JldDAKBggqhkjOPQQD\n-----END CERTIFICATE-----".to_owned(),
    ] {
        assert_eq!(redactor.redact(&text), text);
    }
}

/// What is on the next line belongs to another name.
#[test]
fn an_empty_variable_does_not_reach_into_the_next_line() {
    let redactor = Redactor::new(&Privacy::default()).unwrap();
    for text in [
        "DB_PASSWORD=\nDB_HOST=localhost\n",
        "SMTP_PASSWORD=\nSMTP_FROM=a@b.com\n",
        "JWT_SECRET=\nJWT_EXPIRES_IN=15m\n",
        "POSTGRES_PASSWORD=\nPOSTGRES_DB=app_v2\n",
        "API_KEY=\nBASE_URL=https://x.io/v1\n",
        "PASSWORD=\nAWS_REGION=us-east-1\n",
        "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxx\nAWS_REGION=us-east-1\n",
    ] {
        assert_eq!(redactor.redact(text), text);
    }
    let example = ["AWS_ACCESS_KEY_ID=AKIA", "IOSFODNN7EXAMPLE\nAWS_REGION=us-east-1\n"].concat();
    assert_eq!(redactor.redact(&example), example);
}

/// What an attack got through: forms of issuers, sentences of six languages, dashes and slashes.
#[test]
fn what_an_attack_got_through_is_masked() {
    let (redactor, mut dice) = (redactor(), Dice(0x5eed_0034));
    let word = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let tokens: [fn(&mut Dice, &str) -> String; 8] = [
        |dice, word| format!("dbt{}_{}", "u", dice.some(word, 43)),
        |dice, word| format!("dbt{}_{}", "c", dice.some(word, 43)),
        |dice, _| format!("ess{}_{}=", "u", dice.some(ALNUM, 60)),
        |dice, _| format!("root{}_{}", "ly", dice.some(HEX, 64)),
        |dice, word| format!("t{}.{}.{}", 1, dice.some(word, 60), dice.some(word, 86)),
        |dice, word| format!("vc{}_{}", "p", dice.some(word, 40)),
        |dice, word| format!("vc{}_{}", "k", dice.some(word, 40)),
        |dice, _| format!("vc{}_{}-{}_{}", "a", dice.some(ALNUM, 8), dice.some(ALNUM, 12), dice.some(ALNUM, 12)),
    ];
    let said = [
        "here is the token you need: {}",
        "Here's the API key you need: {}",
        "the token you asked for: {}",
        "here's your key: {}",
        "this is the secret for the staging box: {}",
        "aquí está el token que necesitas: {}",
        "El token que pediste es {}",
        "the token for CI is {}",
        "das Token für den Server lautet {}",
    ];
    let passwords = [
        "das Passwort lautet {}",
        "Das Passwort ist {}",
        "mein Passwort: {}",
        "Passwort für den Server: {}",
        "das Passwort für root ist {}",
        "Kennwort lautet {}",
        "le mot de passe est {}",
        "mot de passe : {}",
        "le mot de passe du serveur est {}",
        "a senha é {}",
        "a senha do servidor é {}",
        "minha senha é {}",
        "a palavra-passe é {}",
        "password - {}",
        "password – {}",
        "password — {}",
        "password / {}",
        "contraseña — {}",
        "la contraseña del servidor es {}",
        "the password for root is {}",
        "db.host:5432:mydb:me:{}",
        "echo 'db.host:5432:mydb:me:{}' >> ~/.pgpass",
        "echo db:6432:mydb:me:{} > ~/.pgpass",
        "*:*:*:postgres:{}",
    ];
    let (mut all, mut left) = (0, Vec::new());
    let mut look = |text: &str, secret: &str| {
        for (_, _, place) in PLACES.iter().filter(|(_, any, _)| *any) {
            let text = place(text);
            all += 1;
            if redactor.redact(&text).contains(secret) {
                left.push(text);
            }
        }
    };
    for make in tokens {
        let token = make(&mut dice, word);
        look(&token, &token);
    }
    for form in said {
        for secret in [dice.some(ALNUM, 32), dice.some(HEX, 32)] {
            look(&form.replace("{}", &secret), &secret);
        }
    }
    for form in passwords {
        for secret in ["Winter2024!x", "tr0ub4dor3"] {
            look(&form.replace("{}", secret), secret);
        }
    }
    assert!(all > 800 && left.len() * 50 <= all, "{} of {all}: {left:#?}", left.len());
    let random = dice.some(&ALNUM[..62], 22) + "4z";
    for (text, secret) in [
        ("password=ab,c;d(e)", "c;d(e)"),
        ("export DB_PASSWORD=aB3,x;d(e)9", ",x;d(e)9"),
        ("client_secret=aB3~x!Y$7(q)z.Kp", "(q)z.Kp"),
        (&format!("mycli -t{random} deploy"), &random),
    ] {
        assert!(!redactor.redact(text).contains(secret), "{text} -> {}", redactor.redact(text));
    }
}

/// Lines of a key that a shell writes one by one are found in the whole command.
#[test]
fn a_key_that_echo_writes_is_masked() {
    let (redactor, mut dice) = (redactor(), Dice(0x5eed_0035));
    let (begin, end) =
        (["-----", "BEGIN OPENSSH PRIVATE KEY-----"].concat(), ["-----", "END OPENSSH PRIVATE KEY-----"].concat());
    let lines = [dice.some(BASE64, 64), dice.some(BASE64, 64), dice.some(BASE64, 20)];
    let all: Vec<&str> =
        [begin.as_str()].into_iter().chain(lines.iter().map(String::as_str)).chain([end.as_str()]).collect();
    for (program, between) in
        [("echo", "\n"), ("echo", " && "), ("echo", "; "), ("printf", "\n"), ("echo -e", "\n"), ("  echo", "\r\n")]
    {
        for quote in ["'", "\"", ""] {
            let each: Vec<String> =
                all.iter().map(|line| format!("{program} {quote}{line}{quote} >> ~/.ssh/id")).collect();
            let text = format!("mkdir -p ~/.ssh\n{}\nchmod 600 ~/.ssh/id && git status", each.join(between));
            let masked = redactor.redact(&text).into_owned();
            assert!(lines.iter().all(|line| !masked.contains(&line[..12])), "{text} -> {masked}");
            assert!(masked.starts_with("mkdir") && masked.ends_with("chmod 600 ~/.ssh/id && git status"), "{masked}");
            let json = serde_json::json!({"command": text}).to_string();
            let masked = redactor.redact(&json);
            assert!(lines.iter().all(|line| !masked.contains(&line[..12])), "{json} -> {masked}");
        }
    }
}

#[test]
fn tests_methods_and_names_of_secrets_stay() {
    let redactor = redactor();
    for text in [
        "--- PASS: TestParse_NotYet2 (0.00s)",
        "    --- PASS: TestX_NotY/secret_is_not_there2 (0.00s)",
        "--- PASS: TestToken_V2IsNotX1 (0.00s)",
        "PASS: src/file2.test.ts",
        "Pass: parser3.spec.js",
        "const password = process.env.PASSWORD2!;",
        "password: import.meta.env.DB_PASS2!",
        "VAPID_PUBLIC_KEY=BEl62iUYgUivxIkv69yViEuiBIa-Ib9-SkvMeAtA3LFgDzkrxZJjSgSnfckjBJuBkr3qBUYIHBQFLXYp5Nksh8U",
        "password=get_pass(user1, x)",
        "connect(password=read(f), port=1)",
        "let token=lexer.next(source1,at2);",
        "cc -pedanticErrorsAreWarnings -kernelOptionsOfTheBox x.c",
        "git log -t3f2a9c81d4e5f6073f2a9c81d4e5f607",
        "s.getAccountFromRepository()",
        "s.HandleGetUserByIDV2Route1()",
        "s.GetUserByIDAndOrgNameXYZ(id)",
        "s.VerifyEmailOTPForUserIDs",
        "s.SendHTTPRequestToAPIv2Go",
        "secretName: my-app-tls-2024-x9f3",
        "secretName: letsencrypt-prod-k8s-7f9d3c",
        "tokenizer: meta-llama/Llama-2-7b-chat-hf",
        "tokenizer: Xenova/gpt-4o-tokenizer-2024",
        "tokenizer: cl100k_base",
        "the password is in the vault",
        "password - required",
        "le mot de passe est obligatoire",
        "das Passwort ist falsch",
        "the token for CI is in the settings",
        "here is the token count: 123456",
    ] {
        assert_eq!(redactor.redact(text), text);
    }
}

/// Passwords that `openssl rand -base64` makes have slashes, as paths have.
#[test]
fn a_password_with_slashes_is_no_path() {
    let redactor = Redactor::new(&Privacy::default()).unwrap();
    let mut dice = Dice(7);
    for round in 0..200 {
        let length = [22, 24, 32, 43][round % 4];
        let secret =
            format!("{}/{}{}", dice.some(BASE64, length / 2), dice.some(BASE64, length / 2), ["=", ""][round % 2]);
        if !secret.bytes().any(|byte| byte.is_ascii_digit()) {
            continue;
        }
        for text in
            [format!("DB_PASSWORD={secret}"), format!("export PGPASSWORD={secret}\n"), format!("password: {secret}")]
        {
            assert!(!redactor.redact(&text).contains(&secret), "{text}");
        }
    }
    for path in ["PASSWORD_FILE=/run/secrets/db_password", "password: src/store/login"] {
        assert_eq!(redactor.redact(path), path);
    }
}

/// Tokens of issuers that no rule knows, where a person or a program writes them.
#[test]
fn tokens_of_other_issuers_are_masked() {
    let (redactor, mut dice) = (redactor(), Dice(0x5eed_0036));
    let word = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let tokens: [fn(&mut Dice, &str) -> String; 14] = [
        |dice, word| format!("M{}.{}.{}4z", dice.some(ALNUM, 23), dice.some(word, 6), dice.some(word, 25)),
        |dice, word| format!("O{}.{}.{}4z", dice.some(ALNUM, 25), dice.some(word, 6), dice.some(word, 36)),
        |dice, word| format!("00{}4z", dice.some(word, 38)),
        |dice, word| format!("fo{}_{}4z", 1, dice.some(word, 41)),
        |dice, word| format!("mf{}.{}4z", "a", dice.some(word, 82)),
        |dice, word| format!("fi{}_{}4z", "gp", dice.some(word, 42)),
        |dice, word| format!("sh{}_{}4z", "ltm", dice.some(word, 38)),
        |dice, _| format!("NF-{}4z", dice.some(ALNUM, 30)),
        |dice, _| format!("sat.{}.{}.{}4z", dice.some(ALNUM, 22), dice.some(ALNUM, 24), dice.some(ALNUM, 18)),
        |dice, _| format!("thog-sec{}-{}", "ret", dice.some(HEX, 32)),
        |dice, _| format!("{}.{}.{}", 1000, dice.some(HEX, 32), dice.some(HEX, 32)),
        |dice, word| format!("{}:A{}4z", dice.some("123456789", 9), dice.some(word, 32)),
        |dice, word| format!("NR{}-{}4z", "IQ", dice.some(word, 23)),
        |dice, _| format!("{}NR{}", format_args!("AA{}-", dice.some(HEX, 40)), "MA"),
    ];
    let (mut all, mut left) = (0, Vec::new());
    for make in tokens {
        for place in [
            "{}",
            "take {} for it, please",
            "we use {}.",
            "VALUE={}",
            "export VALUE=\"{}\"",
            "{\"value\": \"{}\"}",
            "value: {}",
            "curl -H \"X-Value: {}\"",
            "https://example.com/?page=2&value={}&z=1",
            "| value | {} |",
            "|{}|",
            "new Client(\"{}\");",
            "echo \"VALUE={}\" >> .env",
            "-value=\n+value={}",
            "   12→{}",
            "`{}`",
            "<td>{}</td>",
        ] {
            let token = make(&mut dice, word);
            let text = place.replace("{}", &token);
            all += 1;
            if is_left(std::slice::from_ref(&token), &redactor.redact(&text)) {
                left.push(text);
            }
        }
    }
    assert!(all > 200 && left.len() * 50 <= all, "{} of {all}: {left:#?}", left.len());
    for text in [
        "\"key\": \"Linux-node-958aff96db2d75d67787d1e634ae70b659de937b\"",
        "\"endCursor\": \"Y3Vyc29yOnYyOpK5MjAxOS0xMC0xMVQwMTozODowMyswODowMM5f3HZq\"",
        "k3.public.AmDwjlyf8jAV3gm5Z7Kz9xAOcsKslt_Vwp5v-emjFzBHLCtcANzTaVEghTNEMj9PkQ",
        "go-logr/stdr v1.2.2 h1:hSWxHoqTgW2S2qGc0LTAI563KZ5YKYRhT3MFKZMbjag=",
        "authTokenCmd \"github.com/cli/cli/v2/pkg/cmd/auth/token\"",
        "let old_key_subject = reg_cfg.and_then(|cfg| cfg.s)",
        "let authorization = auth::auth_token(",
        "{\"authorization\", \"proxy-authorization\"}",
        "    LinkedIn,\n    MicrosoftEntraId,\n",
        "login(t, c, \"github.com\", \"monalisa-2\", \"https\")",
        "- `actions/create-github-app-token v2.2.1@29824e69f54612133e76f7eaac726eef6c875baf`",
        "namespace: \"AppSet-branchSlug1-089d92cbf9ff857a39e6feccd32798ca700fb958\"",
        "{\"x\":\"4vFbTWzvWn3qQv-9VUUlCK4tIMm_42raimXz2hywstU\",\"y\":\"iggwYm-VfYTgBYKM4b0cyzmuHreNuR7x-986NUAvbAE\"}",
        "code_challenge: \"vby3iMQ4XUuycKkEyNsYHXshPql1Dod7Ebey2iXTXm4\"",
        "your account: 0x4e8fB55380cDf6951B52aF778F0B8c1A4DAcE3c5",
        "fmt.Sprintf(\"token=%s&type=%s&redirect_to=%s\", a)",
        "github.com/sethvargo/go-password v0.2.0/go.mod h1:Ym4Mr9JXLBycr02MFuVQ/0JHidNetSgbzutTr3zsYXE=",
        "const newToken = \"new-token-for-ctx-b\"",
        "[class.hide]=\"app7f4ef169529df7ebc38a560a8351839ac3373e8c.isJsActive\"",
        "hash = \"sha256:25218d94b1d2cbc0ba1d8a3f9dc9af578d9646e5ed16443a70cde1dfdcce6d71\"",
        "client.get(\"/users/me\", headers={\"Authorization\": auth_header})",
        "e.EFF(649,\" token:\"),e.k0s(),e.j41(650,\"pre\")(6)",
        "(i.ngTempTokenPath=i.ngTempTokenPath||[])",
        "secret: urn:k8s:secret:name:key2",
        "const PUBLIC_KEY = 'MCowBQYDK2VwAyEAY0OZFFE5kSuqYK6/UprTL5RmvQ+8dpPTGMCw1MiO/Gs=';",
        "dGVzdDokYXByMSRINnVza2trVyRJZ1hMUDZld1RyU3VCa1RycUU4d2ovCnRlc3QyOiRhcHIxJGQ5\n    aHI5SEJCJDRIeHdnVWlyM0hQNEVzZ2dQL1FObzAK\n",
        "com.example.company.project.ServiceRegistryConfigurationV2Impl",
    ] {
        assert_eq!(redactor.redact(text), text);
    }
}

/// Passwords with every sign, at their beginning, in them and at their end.
#[test]
fn a_password_is_masked_with_its_signs() {
    let redactor = redactor();
    let (mut all, mut left) = (0, Vec::new());
    for sign in "!#$%&()*+,-./:;<=>?@[]^_{|}~".chars() {
        for password in [format!("aB3dE5f{sign}G7hI9"), format!("{sign}aB3dE5fG7hI9"), format!("aB3dE5fG7hI9{sign}")] {
            for place in [
                "DB_PASSWORD={}",
                "export DB_PASSWORD='{}'",
                "  password: {}\n  port: 1",
                "  password: \"{}\"",
                "const password = \"{}\";",
                "connect(host=\"db\", password=\"{}\", port=1)",
                "tool --password '{}' --go",
                "mysql -p'{}' db",
                "[client]\nuser = a\npassword = {}\n",
                "Server=db;Password={};Encrypt=true",
                "the password is `{}`.",
                "CREATE USER a IDENTIFIED BY '{}';",
                "echo 'DB_PASSWORD={}' >> .env",
            ] {
                let text = place.replace("{}", &password);
                let masked = redactor.redact(&text).into_owned();
                all += 1;
                let (before, behind) = place.split_once("{}").unwrap();
                // Where a `;` ends the value, one in it does, too.
                let whole =
                    masked.starts_with(&format!("{before}[redacted:")) && masked.ends_with(&format!("]{behind}"));
                let is_ended = behind.starts_with(';') && before.ends_with('=') && sign == ';';
                if !whole && !is_ended {
                    left.push(format!("{text} -> {masked}"));
                }
            }
        }
    }
    assert!(all > 1000 && left.len() * 50 <= all, "{} of {all}: {left:#?}", left.len());
    for text in [
        "password: [A-Za-z0-9]+",
        "password=get_pass2(user1)",
        "const password = getPass2(user, x)",
        "password: (required2)",
        "<password>{password2}</password>",
        "password?: string; confirm2?: string",
        "password:t1.password,user:e2}",
        "password: <your-password2>",
    ] {
        assert_eq!(redactor.redact(text), text);
    }
}

/// Sentences of a second attack.
#[test]
fn secrets_in_sentences_are_masked() {
    let (redactor, mut dice) = (redactor(), Dice(0x5eed_0037));
    let secrets = [dice.some(HEX, 40), dice.some(ALNUM, 22) + "4z"];
    for form in [
        "use the token {} for it",
        "use {} as the token",
        "take this key: {}",
        "der Token ist {}",
        "hier ist der Token, den du brauchst: {}",
        "der API-Schlüssel ist {}",
        "le jeton est {}",
        "voici le jeton : {}",
        "la clé API est {}",
        "la clé secrète est {}",
        "la llave es {}",
        "o token é {}",
        "a chave da API é {}",
        "il token è {}",
        "la chiave API è {}",
        "token → {}",
    ] {
        for secret in &secrets {
            let text = form.replace("{}", secret);
            assert!(!redactor.redact(&text).contains(secret.as_str()), "{text}");
        }
    }
    for form in [
        "use the password {} to log in",
        "log in with user admin and password {}",
        "the password was changed to {}",
        "the root password should be {}",
        "das neue Passwort heißt {}",
        "nimm {} als Passwort",
        "Benutzer admin, Passwort {}",
        "Zugangsdaten: admin / {}",
        "le mot de passe est : {}",
        "utilise {} comme mot de passe",
        "identifiants : admin / {}",
        "la contraseña de la base de datos es {}",
        "usa la contraseña {}",
        "usuário admin senha {}",
        "credenciais: admin / {}",
    ] {
        for password in ["tiger-48713", "tiger342"] {
            let text = form.replace("{}", password);
            assert!(!redactor.redact(&text).contains("tiger"), "{text}");
        }
    }
}

/// Where lines can stand.
#[rustfmt::skip]
const LINE_PLACES: &[(&str, Place)] = &[
    ("alone", ToOwned::to_owned),
    ("between lines", |text| format!("It says:\n{text}\nand goes on.")),
    ("fence", |text| format!("Look:\n```\n{text}\n```\n")),
    ("tool input", |text| serde_json::json!({"command": text, "timeout": 5}).to_string()),
    ("escaped", |text| serde_json::json!({"a": serde_json::json!({"b": text}).to_string()}).to_string()),
    ("deep", |text| (0..7).fold(text.to_owned(), |inner, _| serde_json::json!({"x": inner}).to_string())),
    ("indented", |text| text.lines().map(|line| format!("    {line}\n")).collect::<Vec<_>>().concat()),
    ("quotation", |text| text.lines().map(|line| format!("> {line}\n")).collect::<Vec<_>>().concat()),
    ("windows", |text| text.replace('\n', "\r\n")),
];

/// The name of a secret is above it, in its column or far before it; an option or a call says what it is.
#[test]
fn secrets_in_output_tables_options_files_and_code_are_masked() {
    let (redactor, mut dice) = (redactor(), Dice(0x5eed_0042));
    let (mut all, mut left) = (0_usize, Vec::new());
    for form in LINES.iter() {
        for (name, place) in LINE_PLACES {
            for _ in 0..5 {
                let (text, parts) = secret(&mut dice, form.template);
                let text = place(&text);
                all += 1;
                if is_left(&parts, &redactor.redact(&text)) {
                    left.push(format!("{}, {name}: {text}", form.name));
                }
            }
        }
    }
    assert!(all > 2000 && left.len() * 50 <= all, "{} of {all}: {left:#?}", left.len());
}

/// What a fresh attack got through, each with its secret.
fn all_masked(cases: &[(&str, &str)]) {
    let redactor = redactor();
    let left: Vec<String> = cases
        .iter()
        .map(|(text, secret)| (text.replace("{}", secret), (*secret).to_owned()))
        .filter(|(text, secret)| is_left(std::slice::from_ref(secret), &redactor.redact(text)))
        .map(|(text, _)| text)
        .collect();
    assert!(left.is_empty(), "{left:#?}");
}

fn all_stay(texts: &[&str]) {
    let redactor = redactor();
    for text in texts {
        assert_eq!(redactor.redact(text), *text);
    }
}

#[test]
fn a_password_in_the_shape_of_an_address_is_masked() {
    all_masked(&[
        ("DB_PASSWORD={}", "nfat@Blsu.Fsmp"),
        ("password = \"{}\"", "3-g1v@YzdtPph.F0"),
        ("  password: {}", "b4+x@qkzv.t1m"),
    ]);
    all_stay(&["password = \"me2@example.com\"", "password: bob@10.0.0.1", "token: setup-node2@1.2.3"]);
}

#[test]
fn a_token_behind_a_place_or_the_sign_of_a_change_is_masked() {
    let mut dice = Dice(0x5eed_0038);
    let (token, long) = (dice.some(&ALNUM[..62], 36) + "aB4z", ["ll", "x-"].concat() + &dice.some(ALNUM, 46) + "aB4z");
    for text in ["config/prod.env:14:LLAMA={}", ".env:3:NAME={}", "src/a.rs:7:{}", "+{}"] {
        all_masked(&[(text, &token), (text, &long)]);
    }
    let (redactor, place) = (redactor(), format!("id:{token} and a/b:x:{token}"));
    assert_eq!(redactor.redact(&place), place);
}

#[test]
fn a_path_of_code_stays() {
    all_stay(&[
        "pub const REGSTR_KEY_CONFIG: windows_sys::core::PCWSTR",
        "pub aio_key: crate::__u32,",
        "let secret_key: &proto::v2::Token4x = x;",
    ]);
}

#[test]
fn more_names_of_secrets_are_known() {
    let mut dice = Dice(0x5eed_0039);
    let (hex, random, small) = (dice.some(HEX, 64), dice.some(ALNUM, 12) + "aB4z", dice.some(LOWER, 24) + "4f7q2z9");
    all_masked(&[
        ("DB_PASS_1={}", "Winter2024!x"),
        ("DBPW={}", "tr0ub4dor3"),
        ("LDAP_BIND_CRED={}", "Winter-4873!"),
        ("privkey = {}", &hex),
        ("mailjet.secret.key={}", &hex),
        ("azure.devops.pat={}", &small),
        ("azure.devops.pat: {}", &small),
        ("$ deploy --encryption-key {}", &hex),
        ("$ deploy --n8n-encryption-key {} -v", &random),
        ("os.environ[\"API_TOKEN\"] = \"{}\"", &random),
        ("config[\"api_key\"] = \"{}\"", &random),
        ("client_secret: {}", "Xk9mQ2vL77t"),
    ]);
    all_stay(&[
        "if b_vault_pass_1 != b_vault_pass_2:",
        "config.path = os.path.join2(a)",
        "tokens[\"api_key\"] = readTokenKey",
    ]);
}

#[test]
fn the_password_of_a_dsn_of_go_is_masked() {
    all_masked(&[
        ("root:{}@tcp(127.0.0.1:3306)/app?parseTime=true", "fH0bhz7CiOxZBq"),
        ("dsn := \"app:{}@unix(/tmp/mysql.sock)/app\"", "Winter@7178!"),
        ("{\"stdout\": \"{\\\"dsn\\\": \\\"root:{}@tcp(db:3306)/app\\\"}\"}", "qwerty"),
    ]);
    all_stay(&["user:password@tcp(localhost:5555)/dbname", "dial(\"tcp\", addr2)"]);
}

#[test]
fn primes_and_keys_without_a_first_line_are_masked() {
    let (redactor, mut dice) = (redactor(), Dice(0x5eed_003a));
    let (p, q) = (dice.some(ALNUM, 170) + "4", dice.some(ALNUM, 170) + "4");
    for text in [
        format!("{{\"kty\":\"RSA\",\"n\":\"xjR\",\"d\":\"x\",\"p\":\"{p}\",\"q\":\"{q}\",\"dp\":\"x\"}}"),
        format!("{{\n  \"p\": \"{p}\",\n  \"kty\": \"RSA\",\n  \"q\": \"{q}\",\n  \"d\": \"x\"\n}}"),
        serde_json::json!(format!("{{\"p\":\"{p}\",\"kty\":\"RSA\",\"q\":\"{q}\",\"d\":\"x\"}}")).to_string(),
    ] {
        assert!(!is_left(&[p.clone(), q.clone()], &redactor.redact(&text)), "{text}");
    }
    let page = format!("{{\"p\":\"{p}\",\"page\":2}}");
    assert_eq!(redactor.redact(&page), page);
    let lines = [dice.some(BASE64, 48), dice.some(BASE64, 64), dice.some(BASE64, 64), dice.some(BASE64, 20) + "=="];
    for begin in [["MIIEowIBAA", "KCAQEA4aB3dE5f"], ["MIIJKQIBAA", "KCAgEA4aB3dE5f"], ["MIIEvQIBAD", "ANBgkqhkiG9w0B"]]
    {
        let begin = begin.concat();
        for between in ["\n", "\r\n", "\\n", "\n    "] {
            let text = format!("The key:\n{begin}{}\nWe rotate it.", lines.join(between));
            assert_eq!(redactor.redact(&text), "The key:\n[redacted:private-key]\nWe rotate it.", "{text}");
        }
    }
    all_stay(&["MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ", "MIIBAAKC", "the IBAAKC of a key"]);
}

/// Each secret of a run is masked, whatever stands before it.
#[test]
fn several_secrets_of_one_run_are_masked() {
    let home = Home::new();
    for (text, secrets) in [
        ("password=Hunter2x9;db_password=Kx93jd0aQ", &["Hunter2x9", "Kx93jd0aQ"][..]),
        ("password:Hunter2x9,passwd:Kx93jd0aQ", &["Hunter2x9", "Kx93jd0aQ"]),
        ("<password>Kx93jd0aQ</password><password>Hunter2x9</password>", &["Kx93jd0aQ", "Hunter2x9"]),
        ("password=changeme;db_password=Kx93jd0aQ", &["Kx93jd0aQ"]),
        ("password=$PW;db_password=Kx93jd0aQ", &["Kx93jd0aQ"]),
        ("password=;db_password=Kx93jd0aQ", &["Kx93jd0aQ"]),
        ("DB_PASSWORD=Hunter2x9&&./run.sh", &["Hunter2x9"]),
        ("DB_PASSWORD=S3cretPw0rd||true", &["S3cretPw0rd"]),
        ("password: 10.20.30Kx!", &["10.20.30Kx!"]),
        ("key ghp_16C7e42F292c6912E7710c838347Ae178B4a(prod)", &["ghp_16C7e42F"]),
        ("AKIAIOSFODNN7EXAMPLQ(dev account)", &["AKIAIOSFODNN7"]),
        (r#"{"token":"x\u2192ghp_16C7e42F292c6912E7710c838347Ae178B4a"}"#, &["ghp_16C7e42F"]),
        ("id1234ghp_16C7e42F292c6912E7710c838347Ae178B4a", &["ghp_16C7e42F"]),
    ] {
        let output = home.tool("lh-redact").write_stdin(text).output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(secrets.iter().all(|secret| !shown.contains(secret)), "{text}: {shown}");
    }
}

#[test]
fn a_password_glued_to_its_option_or_on_the_next_line_is_masked() {
    all_masked(&[
        ("curl -u{} https://x", "bob:hunter22"),
        ("curl -u'bob:{}' https://x", "hunter22"),
        ("curl --user=bob:{} https://x", "hunter22"),
        ("http --auth=bob:{} https://x", "hunter22"),
        ("smbclient -Ubob%{} //h/s", "hunter22"),
        ("smbclient --user=bob%{} //h/s", "hunter22"),
        ("lftp -ubob,{} h", "hunter22"),
        ("ssh-keygen -N'{}' -f k", "tr0mbone7"),
        ("snmpwalk -A{} h", "tr0mbone7"),
        ("redis-cli -a{} ping", "tr0mbone7"),
        ("MYSQL -uroot -p{} db", "tr0mbone7"),
        ("mysql\t-p{}", "tr0mbone7"),
        ("mysql \\\n-p{}", "tr0mbone7"),
        ("mysql \\\n  -p{}", "tr0mbone7"),
        ("mysql \\\r\n  -h db \\\r\n  -p{}", "tr0mbone7"),
        ("curl \\\n  -u bob:{} https://x", "hunter22"),
    ]);
    all_stay(&[
        "openssl enc -aes-256-cbc -salt -in a -out b",
        "openssl req -x509 -sha256 -nodes -newkey rsa:4096 -keyout key.pem -days 365",
        "openssl dgst -sha512 -keyform pem -sha3-256 -aes256 a",
        "wget -nH -Ajpg,png2,mp3 --accept=jpg,webm2 -Dexample.com,b2.org -l2 https://x",
        "curl -sSL -ubob: --user=bob:$PASS2 -XPOST -Ax:1 https://x",
        "mysql -Ns -uroot2 --port=3307 db2",
        "java -Dspring.profile=a:dev2 -Dname:b2 -ea",
        "redis-cli -a\n- mysql is up\n- port 3306",
        "zip -9r -x2 a.zip b\n-a2b3c4d\n-k8s-one",
        "ldapsearch -xLLL -H ldap://h1 -Aaa",
    ]);
}

#[test]
fn strings_below_each_other_are_two_strings() {
    all_masked(&[
        ("\"facebook_app\" = \"{}\"\n  \"database_url_main\" = \"x\"", "7f3a9c1e5b2d8406af17c3e95d20b8f1"),
        ("\"glpat-{}\"\n  \"production-two\"", "Ab3dEf6hIj9kLm2nOp5q"),
    ]);
    let redactor = redactor();
    let text = ["\"glpat-", "Ab3dEf6hIj9kLm2nOp5q\"\n  \"production-two\""].concat();
    assert_eq!(redactor.redact(&text), "\"[redacted:gitlab-pat]\"\n  \"production-two\"");
    let joined = "t = \"ghp_Ab3dEf6hIj9kLm2n\" \\\n    \"Op5qRs8tUv1wXy4zAb7c\"";
    let escaped = serde_json::json!({"a": serde_json::json!({"b": joined}).to_string()}).to_string();
    for text in [joined, &escaped] {
        let masked = redactor.redact(text);
        assert!(!masked.contains("Op5qRs8t") && !masked.contains("Ab3dEf6h"), "{masked}");
    }
}

#[test]
fn a_key_that_opens_nothing_hides_no_secret_behind_it() {
    all_masked(&[
        ("the ssh key credentials you need: {}", "Zx81kqP0vTn4LmQe77Rb"),
        ("the host key, and the secret for ana: {}", "Zx81kqP0vTn4LmQe77Rb"),
        ("the ssh key, and the credentials you need:\n\n    {}\n", "Zx81kqP0vTn4LmQe77Rb"),
        ("the Algolia admin key {}", "Zx81kqP0vTn4LmQe77Rb"),
    ]);
    all_stay(&["the cache key is Zx81kqP0vTn4LmQe77Rb", "the cache key:\n\n    Zx81kqP0vTn4LmQe77Rb\n"]);
}

/// The rows below a header are read once for each name in it, so a list of names must not be one.
#[test]
fn a_list_of_names_is_not_read_as_a_header_again_and_again() {
    let redactor = redactor();
    // The least of several runs counts.
    let costs_at_most = |times: f64, text: &str, plain: &str| {
        [3, 9, 27].into_iter().any(|runs| {
            let [rows, plain] = [text, plain].map(|text| seconds(&redactor, text, runs));
            rows < times * plain
        })
    };
    for columns in [30_usize, 60] {
        let line = "password,".repeat(columns) + "a\n";
        let text = line.repeat(70_000_usize.div_ceil(line.len()));
        assert!(costs_at_most(20.0, &text, &text.replace(',', ".")), "{columns} columns");
    }
    for line in ["| password |\n", "| password | x |\n"] {
        let text = line.repeat(70_000_usize.div_ceil(line.len()));
        assert!(costs_at_most(8.0, &text, &text.replace('|', ".")), "{line}");
    }
    all_masked(&[("id,name,password,created\n1,ana,{},2024", "tr0mbone7X")]);
}

#[test]
fn a_string_behind_a_type_or_in_a_constructor_is_masked() {
    let (password, key) = (["Tr0ub4", "dor&3x"].concat(), ["q8Zr2LmX", "v7Tn4Kb9Wc1D"].concat());
    for text in [
        "let password = String::from(\"{}\");",
        "password: String::from(\"{}\"),",
        "const PASSWORD: Final = \"{}\"",
        "PASSWORD: Final[str] = \"{}\"",
        "let api_key: SecretString = \"{}\".into();",
        "var password = Buffer.from(\"{}\")",
        "[\"sshpass\", \"-p\", \"{}\", \"ssh\"]",
        "['mysql','-u','root','-p','{}']",
        "la contraseña del servidor es {}",
        "le mot de passe du serveur est {}",
    ] {
        all_masked(&[(text, &password)]);
    }
    all_masked(&[("let token = String::from(\"{}\");", &key), ("api_key: String::from(\"{}\"),", &key)]);
    all_stay(&[
        "let password = String::from(\"password\");",
        "let token = Token::from(\"refresh_token_v2\");",
        "password = Label(\"Password2:\")",
        "das Passwort ist 8-stellig",
        "the password is 12-character",
    ]);
}

#[test]
fn what_a_generator_that_knew_no_rule_got_through_is_masked() {
    all_masked(&[
        ("\"azureDevopsPat\": \"{}\"", "3xz8cinl4x3feih3caimdnw7wdgvtvalff6f8uh2tieqf3yb4yxl"),
        ("const azureDevopsPat = \"{}\";", "3xz8cinl4x3feih3caimdnw7wdgvtvalff6f8uh2tieqf3yb4yxl"),
        ("replace the old PagerDuty API token with {}", "u+1NJITSIxWlQbOt_-6V"),
        ("I made a new Gitea access token for you, it's `{}`", "aa57c1f09be3d2846571ef0a93b8d24c65f7e810"),
        ("das DB-Passwort ist jetzt {}", "StoneVelvet6"),
        ("la pass de la base de datos es {}", "xAC4UV4AKAfdWKCT7NKR"),
        ("GF_SECURITY_ADMIN_PASSWORD='{}'", "stone 76 cookie lantern"),
        ("{\"host\":\"db\",\"password\":\"{}\"}", "rabbit 52 tiger ginger"),
        ("pass for \"prod\" is {}", "Kx9vTq2mZ"),
        ("pass for db:5432 = {}", "Kx9vTq2mZ"),
        ("use svc:{}@db.internal", "_Zq8Kd92mQx1"),
        ("acme-Key-{}", "3f2a9c81d4e5f60718293a4b5c6d7e8f90123456"),
        ("aws_secret_access_key = {}(old)", "a1.B2c3D4e5F6g7H8i9J0k1L2m3"),
        ("db:\n  password: {}\n  pool: 5", "shadow 03 banjo marble"),
    ]);
    all_stay(&[
        "FUNC:_ZNKSt13basic_fstreamIcSt11char_traitsIcEE7is_openEv@GLIBCXX_3.4",
        "HostKeyAlgorithms sk-ssh-ed25519-cert-v01@openssh.com",
        "{\"password\":\"must have 8 characters\"}",
        "password: choose at least 12 letters or signs",
        "Password: wait 30 seconds then retry",
        "Cache hit for: v1-Linux-cargo-55bd04ea2a9e94c715253ce23adeb6e756ae43a1c145bf2896a1453996b8aeaa",
    ]);
}

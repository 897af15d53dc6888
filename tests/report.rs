//! lh-report: the page is HTML in which nothing that others wrote is more than text, it loads nothing, and it has what is
//! remembered. `LH_CHROMIUM` names a Chromium that opens it.

use crate::bad_input::skipped;
use crate::home::{Home, line};
use crate::pipes::Scene;
use crate::poison::payloads::{PAYLOADS, TRANSFORMS, disguised};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const NOW: &str = "2026-04-20T12:00:00Z";
const KNOWLEDGE: &str = "Documents/lazy-harness-knowledge";
const MEMORY: &str = ".claude/projects/-src-lh/memory";
const VOID: [&str; 2] = ["meta", "input"];
/// The elements of the page, and their attributes.
const ELEMENTS: &str = "a:href body button:type,id circle:cx,cy,r dd desc:id details:class,id,open div:class,tabindex,role,aria-label \
    dl dt footer form:role,hidden h1 h2 head header html:lang input:id,type,autocomplete label:for li:id main \
    meta:charset,http-equiv,content,name nav:aria-label output:for p:class path:class,d rect:class,x,y,width,height s \
    script small span:class style summary svg:role,aria-labelledby,width,height,viewBox table tbody td:class \
    text:x,y th:scope,class thead time:datetime title:id tr ul";

/// What was read of a page.
#[derive(Default)]
struct Read {
    text: String,
    links: Vec<String>,
    ids: BTreeSet<String>,
    attributes: Vec<(String, String)>,
    style: String,
    script: String,
}

/// A text with its signs, of which none may be bare.
fn unescaped(text: &str) -> String {
    assert!(!text.contains(['<', '>', '"']), "a bare sign: {text}");
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(';').unwrap_or_else(|| panic!("a bare &: {text}"));
        out += match name {
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" => "\"",
            "#39" => "'",
            _ => panic!("&{name};"),
        };
        out += rest;
    }
    out
}

impl Read {
    /// Reads a page; panics where it is not well-formed, or has what is not in [`ELEMENTS`].
    fn new(page: &str) -> Self {
        let known: BTreeMap<&str, Vec<&str>> = ELEMENTS
            .split_whitespace()
            .map(|one| one.split_once(':').map_or((one, Vec::new()), |(name, more)| (name, more.split(',').collect())))
            .collect();
        let (mut read, mut open) = (Self::default(), Vec::new());
        let mut rest = page.strip_prefix("<!doctype html>\n").unwrap();
        while let Some((before, behind)) = rest.split_once('<') {
            read.text += &unescaped(before);
            let (tag, after) = behind.split_once('>').unwrap();
            rest = after;
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "{}", &after[..after.len().min(200)]);
                continue;
            }
            let (name, attributes) = tag.trim_end_matches('/').split_once(' ').unwrap_or((tag, ""));
            let may = known.get(name).unwrap_or_else(|| panic!("<{tag}>"));
            read.attributes(name, attributes, may);
            if name == "style" || name == "script" {
                let (inside, after) = rest.split_once(&format!("</{name}>")).unwrap();
                *(if name == "style" { &mut read.style } else { &mut read.script }) += inside;
                rest = after;
            } else if !VOID.contains(&name) && !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert!(open.is_empty() && rest.trim().is_empty(), "{open:?}");
        read
    }

    fn attributes(&mut self, name: &str, mut rest: &str, may: &[&str]) {
        while !rest.trim().is_empty() {
            rest = rest.trim_start();
            let end = rest.find(['=', ' ']).unwrap_or(rest.len());
            let key = &rest[..end];
            assert!(may.contains(&key), "<{name} {key}>");
            rest = &rest[end..];
            let Some(value) = rest.strip_prefix("=\"") else { continue };
            let (value, behind) = value.split_once('"').unwrap();
            // The policy has quotes of its own.
            let value = if key == "content" { value.to_owned() } else { unescaped(value) };
            match key {
                "id" => assert!(self.ids.insert(value.clone()), "{value} is there twice"),
                "href" => self.links.push(value.clone()),
                _ => {}
            }
            self.attributes.push((format!("{name} {key}"), value));
            rest = behind;
        }
    }

    /// Asserts what holds for each page.
    fn check(page: &str) -> Self {
        let read = Self::new(page);
        let plain = |c: char| c.is_ascii_alphanumeric() || "/-._~%".contains(c);
        for link in &read.links {
            let is_file = link.strip_prefix("file:///").is_some_and(|path| path.chars().all(plain));
            assert!(is_file || link.strip_prefix('#').is_some_and(|id| read.ids.contains(id)), "{link}");
        }
        let hash = STANDARD.encode(Sha256::digest(&read.script));
        let policy = format!(
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'"
        );
        assert!(read.attributes.contains(&("meta content".to_owned(), policy)), "the policy is not of this script");
        assert!(!read.style.contains("url(") && !read.style.contains('@') || !read.style.contains("@import"));
        let hidden = |c: &char| {
            c.is_control() && *c != '\n' && *c != '\t'
                || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        assert_eq!(page.chars().find(hidden), None);
        read
    }
}

fn report(home: &Home, arguments: &[&str]) -> String {
    let output = home.tool("lh-report").env("LH_NOW", NOW).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Two projects of which the tools remember something.
fn scene() -> Scene {
    let scene = Scene::new();
    let two = scene.0.path("two");
    std::fs::create_dir(&two).unwrap();
    let id = "cccccccc-0000-4000-8000-000000000003";
    let transcript = scene.0.transcript(id, &two, 4);
    let offer = "Two options:\n\n1. **Badgers in plain files**, a line each.\n2. **Badgers in redis**, with a server.\n\nWhich one?";
    let more = [
        line("assistant", offer, &two, 8),
        line("user", "ok, option 1.", &two, 9),
        line("assistant", "Plain files it is.", &two, 10),
    ];
    File::options().append(true).open(&transcript).unwrap().write_all(more.concat().as_bytes()).unwrap();
    let at = "export LH_NOW=2026-04-15T12:00:00Z";
    let session = format!("lh-find-session '{}'", transcript.display());
    scene.does(&format!("{at}; {session} | lh-distill --engine extract | lh-persist >/dev/null"));
    scene.does(&format!("{at}; {session} | lh-export >/dev/null; {session} | lh-episode >/dev/null"));
    scene.does(&format!("{at}; lh-find-session aaaaaaaa | lh-export >/dev/null"));
    let call =
        |day: &str, usd: f64| json!({"ts": format!("{day}T12:00:00Z"), "result": "ok", "cost_usd": usd}).to_string();
    scene.0.write(".claude/logs/llm.jsonl", &format!("{}\n{}\n", call("2026-04-13", 0.25), call("2026-04-14", 6.5)));
    let told = scene.0.own_memory().join(".state/told/aaaaaaaa-0000-4000-8000-000000000001.jsonl");
    std::fs::create_dir_all(told.parent().unwrap()).unwrap();
    std::fs::write(told, "{\"ts\":\"2026-04-13T12:00:00Z\",\"file\":\"otter-feed.md\",\"bytes\":9}\n").unwrap();
    scene
}

#[test]
fn the_page_has_what_two_projects_remember() {
    let scene = scene();
    // A later decision takes the place of an earlier one.
    let old = scene.does("lh-recall --list --type decision | grep zebra | jq -r .id").trim().to_owned();
    let file = scene.0.own_memory().join("decisions.jsonl");
    let mut new: Value = std::fs::read_to_string(&file)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .find(|line: &Value| line["id"] == old.as_str())
        .unwrap();
    new["id"] = "00000000000000ab".into();
    new["summary"] = "Use plain rows in the table".into();
    new["replaces"] = json!([old]);
    new["ts"] = "2026-04-16T12:00:00Z".into();
    File::options().append(true).open(&file).unwrap().write_all(format!("{new}\n").as_bytes()).unwrap();
    let page = report(&scene.0, &[]);
    let read = Read::check(&page);
    for part in [
        "2 sessions in 2 projects. 2 open, 3 decisions that hold, 2 learnings.",
        "Model calls of lh: 6.75 USD",
        "Write the zebra page",
        "Measure the otter",
        "replaced2026-04-16 by Use plain rows in the table",
        "in place ofUse zebra stripes in the table",
        "Keep the queue as files",
        "Badgers in plain files, a line each",
        "Hold no lock while a model answers",
        "2026-04-14106.5000130 % over",
        "otter-feed.md",
    ] {
        assert!(read.text.contains(part), "{part}: {}", read.text);
    }
    assert!(page.contains(&format!("<li id=\"i{old}\"><p><s>Use zebra stripes in the table</s></p>")), "{page}");
    assert!(read.links.contains(&"#i00000000000000ab".to_owned()));
    let pages = read.links.iter().filter(|link| link.contains("/sessions/2026-04/2026-04-13-")).count();
    assert!(pages >= 3, "the rows of sessions and the items lead to the pages: {:?}", read.links);
    for link in read.links.iter().filter_map(|link| link.strip_prefix("file://")) {
        assert!(Path::new(link).exists() || link.ends_with("otter-feed.md"), "{link}");
    }
    // What is older is left out, but for what is open.
    let late = Read::check(&report(&scene.0, &["--since", "2026-04-16"])).text;
    assert!(late.contains("Use plain rows") && late.contains("Measure the otter"), "{late}");
    assert!(!late.contains("Keep the queue") && !late.contains("Hold no lock") && !late.contains("6.5000"), "{late}");
    assert!(late.contains("0 sessions in 0 projects since 2026-04-16."), "{late}");
}

#[test]
fn where_it_goes_and_how_it_ends() {
    let scene = scene();
    let page = report(&scene.0, &[]);
    assert_eq!(page, report(&scene.0, &["-o", "-"]), "the same files give the same bytes");
    assert_eq!(report(&scene.0, &["-o", "page.html"]), "");
    assert_eq!(scene.0.read("page.html"), page);
    let mode = std::os::unix::fs::PermissionsExt::mode(&scene.0.path("page.html").metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let says = report(&scene.0, &["-n", "-o", "other.html"]);
    assert_eq!(says, format!("sessions: 2, open: 2, decisions: 3, failures: 0, learnings: 2; {} bytes\n", page.len()));
    assert!(!scene.0.path("other.html").exists());
    for (line, status, what) in [
        ("lh-report --since never", 64, "invalid time 'never'"),
        ("lh-report x", 64, "unexpected operand 'x'"),
        ("lh-report -o /dev/null", 65, "'/dev/null' is a device, expected a regular file"),
        ("lh-report -o none/page.html", 74, "none/page.html"),
        ("script -qec lh-report /dev/null", 64, "a page is not for a terminal: give -o FILE.html"),
        ("lh report -n", 0, "sessions: 2"),
    ] {
        if line.starts_with("script") && !Path::new("/usr/bin/script").exists() {
            skipped("no script(1) here");
            continue;
        }
        let (said, code) = scene.shell(line);
        assert!(code == Some(status) && said.contains(what), "{line}: {code:?} {said}");
    }
    // What cannot be read costs itself alone, and is told.
    let decisions = scene.0.own_memory().join("decisions.jsonl");
    std::fs::remove_file(&decisions).unwrap();
    std::fs::create_dir(&decisions).unwrap();
    let (said, code) = scene.shell("lh-report");
    assert!(matches!(code, Some(65 | 74)) && said.contains("lh-report: not read: "), "{said}");
    assert!(said.contains("<p class=\"warn\">Not read: ") && said.contains("Measure the otter"), "{said}");
}

#[test]
fn each_agent_home_has_a_budget_of_its_own() {
    let home = Home::new();
    let config = |budget: f64| {
        let text = format!("[compound_loop]\nmax_usd_per_day = {budget:?}\n[profiles.work]\nconfig_dir = \"~/work\"\n");
        home.write(".config/lazy-harness/config.toml", &text);
    };
    let call = json!({"ts": "2026-04-14T12:00:00Z", "result": "ok", "cost_usd": 4.0}).to_string();
    home.write(".claude/logs/llm.jsonl", &call);
    for (budget, second, told) in [(5.0, false, "104.000080 %"), (5.0, true, "208.000080 %"), (3.0, true, "133 % over")]
    {
        config(budget);
        if second {
            home.write("work/logs/llm.jsonl", &call);
        }
        let text = Read::check(&report(&home, &[])).text;
        assert!(text.contains(told), "{told}: {text}");
    }
    config(0.0);
    assert!(Read::check(&report(&home, &[])).text.contains("208.0000 over"));
}

#[test]
fn what_is_left_out_of_a_part_has_its_command() {
    let home = Home::new();
    let (mut calls, mut told) = (String::new(), String::new());
    for at in 0..1200 {
        let ts = format!("{}-{:02}-{:02}T12:00:00Z", 2020 + at / 336, 1 + at / 28 % 12, 1 + at % 28);
        calls += &(json!({"ts": ts, "result": "ok", "cost_usd": 0.1}).to_string() + "\n");
        told += &(json!({"ts": ts, "file": format!("note-{at}.md"), "bytes": 1}).to_string() + "\n");
    }
    home.write(".claude/logs/llm.jsonl", &calls);
    home.write(&format!("{MEMORY}/.state/told/aaaaaaaa.jsonl"), &told);
    let text = Read::check(&report(&home, &[])).text;
    for command in ["lh doctor --cost", "lh ls memories --used in the folder of a project"] {
        assert!(text.contains(&format!("the page has its limit: {command} has them.")), "{command}");
    }
}

#[test]
fn what_was_told_is_a_link_where_it_is_a_memory_alone() {
    let home = Home::new();
    let names = ["otter.md", "/etc/passwd", "/etc/motd.md", "../../x.md", "sub/x.md", "..", "handoff.md"];
    let lines = names.map(|name| format!("{}\n", json!({"ts": NOW, "file": name, "bytes": 1})));
    home.write(&format!("{MEMORY}/.state/told/aaaaaaaa.jsonl"), &lines.concat());
    let read = Read::check(&report(&home, &[]));
    assert!(names.iter().all(|name| read.text.contains(name)), "{}", read.text);
    let files: Vec<&String> = read.links.iter().filter(|link| link.starts_with("file:")).collect();
    assert!(matches!(files.as_slice(), [one] if one.ends_with("/otter.md")), "{files:?}");
}

#[test]
fn an_empty_home_has_a_page() {
    let home = Home::new();
    let read = Read::check(&report(&home, &[]));
    assert!(read.text.contains("0 sessions in 0 projects. 0 open") && read.text.contains("0.00 USD"), "{}", read.text);
    assert!(!read.text.contains("-0.00") && read.text.matches("Nothing.").count() == 7, "{}", read.text);
    assert!(!home.path(".local").exists() && !home.path(".claude").exists(), "it only reads");
}

/// Texts that would be more than text.
fn attacks() -> Vec<String> {
    let html = [
        "</title></style></script><script>alert(1)</script>",
        "\"><img src=http://evil.example/x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "<!-- --> ]]> <![CDATA[ &lt;b&gt; &#60;i&#62; & && &amp;",
        "javascript:alert(1)",
        "\u{1b}[31mred\u{7} \u{202e}turned\u{202c} \u{0}x\r\n\u{85}y",
        "<svg/onload=alert(1)>",
        "<a href=javascript:x>y</a>",
        "<base href=//evil.example/><meta http-equiv=refresh content=0>",
        "`${alert(1)}` {{7*7}} \\x3cscript\\x3e",
    ];
    let poison = PAYLOADS.iter().zip(TRANSFORMS.iter().cycle()).map(|(payload, how)| disguised(payload, how).join(" "));
    let rest = TRANSFORMS.iter().map(|how| disguised(&PAYLOADS[0], how).join(" "));
    html.map(str::to_owned).into_iter().chain(poison).chain(rest).collect()
}

/// A home in which each field of each file has an attack.
fn poisoned() -> Home {
    let home = Home::new();
    let (mut decisions, mut failures, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    for (at, bad) in attacks().iter().enumerate() {
        let (id, one) = (format!("{at:08x}-{}", bad.replace('\0', "")), bad.replace(['\n', '\r', '\0'], " "));
        let ts = format!("2026-04-{:02}T12:00:00Z", 1 + at % 19);
        let quoted = json!(one);
        home.write(
            &format!("{KNOWLEDGE}/sessions/2026-04/2026-04-13-{at:08x}.md"),
            &format!(
                "---\nsession_id: {}\ndate: 2026-04-13 12:00\nproject: {quoted}\ntopic: {quoted}\ncost_usd: NaN\n---\n",
                json!(id)
            ),
        );
        let name: String = one.chars().filter(|c| *c != '/').take(60).collect();
        home.write(
            &format!("{KNOWLEDGE}/learnings/2026-04/2026-04-13-{at}{name}.md"),
            &format!("---\ntitle: {quoted}\norigin: {quoted}\n---\n\n## Learning\n\n{bad}\n"),
        );
        let item = |kind: &str| {
            json!({"type": kind, "ts": ts, "summary": bad, "context": format!("c {bad}"), "rationale": format!("r {bad}"),
                "root_cause": format!("o {bad}"), "resolution": format!("d {bad}"), "prevention": format!("p {bad}"),
                "alternatives": [bad], "project": bad, "id": bad, "session_id": id, "grounded": true, "said_by": bad,
                "replaces": [bad]})
        };
        decisions.push(item("decision").to_string());
        failures.push(item("failure").to_string());
        calls.push(json!({"ts": ts, "model": bad, "result": bad, "cost_usd": if at % 9 == 0 { 1e308 } else { 0.1 }, "session_id": id}).to_string());
        let episode = json!({"session_id": id, "what_was_done": bad, "started_at": ts, "project": {"cwd": bad}});
        home.write(&format!("{MEMORY}/episodes/session-{at:08x}.json"), &episode.to_string());
        let told = json!({"ts": ts, "file": format!("{at}{bad}.md"), "bytes": 1});
        home.write(&format!("{MEMORY}/.state/told/{at:08x}.jsonl"), &format!("{told}\n"));
    }
    let open: Vec<String> = attacks().iter().map(|bad| format!("- {}", bad.replace(['\n', '\r'], " "))).collect();
    home.write(&format!("{MEMORY}/handoff.md"), &format!("Open for the next session:\n{}\n", open.join("\n")));
    home.write(&format!("{MEMORY}/decisions.jsonl"), &decisions.join("\n"));
    home.write(&format!("{MEMORY}/failures.jsonl"), &failures.join("\n"));
    home.write(".claude/logs/llm.jsonl", &calls.join("\n"));
    home
}

#[test]
fn nothing_that_others_wrote_is_more_than_text() {
    let home = poisoned();
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    home.write(&format!("{MEMORY}/progress.md"), "x");
    let with = format!("{}- the token {secret} is open\n", home.read(&format!("{MEMORY}/handoff.md")));
    home.write(&format!("{MEMORY}/handoff.md"), &with);
    let page = report(&home, &[]);
    let read = Read::check(&page);
    assert!(!page.contains("NaN") && !page.contains("inf "), "a cost that is none");
    assert!(read.text.contains("[redacted:github-pat] is open") && !page.contains(&secret));
    for bad in attacks().iter().filter(|bad| bad.is_ascii() && !bad.contains(['\u{1b}', '\n'])) {
        // In the open items, decisions, failures, learnings and sessions.
        assert!(read.text.matches(bad.as_str()).count() >= 9, "{bad}: {}", read.text.matches(bad.as_str()).count());
    }
    assert!(read.text.contains("\u{fffd}[31mred\u{fffd} \u{fffd}turned\u{fffd}"), "{}", read.text);
    for load in ["http:", "https:", "src=", "onerror", "javascript:"] {
        assert!(
            !read.attributes.iter().any(|(_, value)| value.contains(load) && !value.starts_with("file:")),
            "{load}"
        );
    }
}

/// So many sessions, each with a decision in four of ten.
fn many(count: usize) -> Home {
    let home = Home::new();
    let mut decisions = vec![Vec::new(); 12];
    for at in 0..count {
        let (project, month, day) = (at % 12, 1 + at / 28 % 12, 1 + at % 28);
        let id = format!("{at:08x}-0000-4000-8000-000000000000");
        let topic = format!("Look into part {at} of the parser, and say what it does with a line that is long");
        home.write(
            &format!("{KNOWLEDGE}/sessions/2025-{month:02}/2025-{month:02}-{day:02}-{at:08x}.md"),
            &format!(
                "---\nsession_id: {id}\ndate: 2025-{month:02}-{day:02} 12:{:02}\nproject: project{project}\nmessages: {}\n\
                 topic: \"{topic}\"\ncost_usd: 0.5\n---\n",
                at % 60,
                at % 90
            ),
        );
        if at % 10 < 4 {
            let why = "Because it is simple and because all others are larger. ".repeat(6);
            let item = json!({"type": "decision", "ts": format!("2025-{month:02}-{day:02}T12:00:00Z"), "summary": topic,
                "rationale": why, "project": format!("project{project}"), "id": format!("{at:016x}"), "session_id": id});
            decisions[project].push(item.to_string());
        }
    }
    for (at, lines) in decisions.iter().enumerate() {
        home.write(&format!(".claude/projects/-src-project{at}/memory/decisions.jsonl"), &lines.join("\n"));
    }
    home
}

#[test]
fn ten_thousand_sessions_are_five_megabytes() {
    let home = many(10_000);
    let begun = Instant::now();
    let page = report(&home, &[]);
    let seconds = begun.elapsed().as_secs_f64();
    let rows = page.matches("<tr><td>2025-").count();
    assert!(page.len() <= 5_000_000 && rows == 10_000, "{} bytes, {rows} rows", page.len());
    assert!(page.contains(" older ones are left out, for the page has its limit: lh ls decisions has them."));
    // Two seconds in a release build and nothing beside it.
    assert!(seconds < 20.0, "{seconds} s");
}

/// The contrast of two colours, as WCAG 2 computes it.
fn contrast(one: &str, other: &str) -> f64 {
    let light = |colour: &str| {
        let digits = colour.trim_start_matches('#');
        let digits: String =
            if digits.len() == 3 { digits.chars().flat_map(|c| [c, c]).collect() } else { digits.into() };
        let part = |at: usize| {
            let value = f64::from(u8::from_str_radix(&digits[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)
    };
    let (one, other) = (light(one), light(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn its_colours_have_the_contrast_of_aa() {
    let style = Read::check(&report(&Home::new(), &[])).style;
    let blocks: Vec<BTreeMap<&str, &str>> = style
        .split(":root{")
        .skip(1)
        .map(|block| block.split('}').next().unwrap().split(';').filter_map(|rule| rule.split_once(':')).collect())
        .collect();
    assert_eq!(blocks.len(), 2, "light and dark");
    for colours in blocks {
        for text in ["--fg", "--soft", "--link", "--warn"] {
            for under in ["--bg", "--panel"] {
                let found = contrast(colours[text], colours[under]);
                assert!(found >= 4.5, "{text} on {under}: {found:.2}");
            }
        }
        for shape in ["--mark", "--warn", "--link"] {
            assert!(contrast(colours[shape], colours["--bg"]) >= 3.0, "{shape}");
        }
    }
}

/// A Chromium that is asked through a pipe.
struct Browser {
    child: Child,
    to: File,
    from: BufReader<File>,
    number: u64,
    session: Option<String>,
    events: Vec<Value>,
}

impl Browser {
    /// None where `LH_CHROMIUM` names none.
    fn start(home: &Home) -> Option<Self> {
        let Some(chromium) = std::env::var_os("LH_CHROMIUM").map(PathBuf::from) else {
            skipped("LH_CHROMIUM names no Chromium");
            return None;
        };
        let flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
            --disable-component-update --disable-sync --remote-debugging-pipe --user-data-dir=\"$HOME/browser\"";
        let script = format!("mkfifo in out && exec \"$0\" {flags} 3<>in 4<>out");
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(script).arg(chromium).current_dir(home.path("")).env("HOME", home.path(""));
        let child = shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        while !home.path("out").exists() && begun.elapsed() < Duration::from_secs(10) {
            std::thread::yield_now();
        }
        let open = |name: &str| File::options().read(true).write(true).open(home.path(name)).unwrap();
        let (to, from) = (open("in"), BufReader::new(open("out")));
        let mut browser = Self { child, to, from, number: 0, session: None, events: Vec::new() };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", &json!({"targetId": target, "flatten": true}));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for part in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{part}.enable"), &json!({}));
        }
        Some(browser)
    }

    fn read(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.from.read_until(0, &mut bytes).unwrap();
        serde_json::from_slice(&bytes[..bytes.len() - 1]).unwrap()
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = self.read();
            if answer["id"] == self.number {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    fn js(&mut self, script: &str) -> Value {
        let asked = json!({"expression": script, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", &asked);
        assert!(answer.get("exceptionDetails").is_none(), "{script}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Opens a page in a window of this width, and gives the milliseconds until it is drawn.
    fn open(&mut self, path: &Path, width: u32, scheme: &str) -> f64 {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500});
        self.call("Emulation.setDeviceMetricsOverride", &size);
        let feature = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", &feature);
        self.events.clear();
        let begun = Instant::now();
        self.call("Page.navigate", &json!({"url": format!("file://{}", path.display())}));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.read();
            self.events.push(event);
        }
        self.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
        begun.elapsed().as_secs_f64() * 1000.0
    }

    fn key(&mut self, key: &str, code: u32, text: &str) {
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = text.into();
            }
            self.call("Input.dispatchKeyEvent", &event);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The least contrast of a text with what is behind it.
const LEAST_CONTRAST: &str = r"(() => {
    const light = colour => { const [r, g, b] = colour.match(/[\d.]+/g).map(part => part / 255)
        .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const under = one => { for (; one; one = one.parentElement) { const colour = getComputedStyle(one).backgroundColor;
        if (!colour.includes(', 0)')) return colour; } return 'rgb(255, 255, 255)'; };
    let least = 99;
    for (const one of document.querySelectorAll('body *')) {
        if (one.matches('script, title, desc') || ![...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim())) continue;
        const style = getComputedStyle(one), [a, b] = [light(one.closest('svg') ? style.fill : style.color), light(under(one))];
        least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
    }
    return least; })()";

#[test]
fn a_browser_shows_it_and_asks_for_nothing() {
    let home = poisoned();
    let Some(mut browser) = Browser::start(&home) else { return };
    let path = home.write("page.html", &report(&home, &[]));
    for (width, scheme) in [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")] {
        browser.open(&path, width, scheme);
        assert_eq!(browser.js("document.documentElement.scrollWidth <= innerWidth"), true, "{width}");
        let least = browser.js(LEAST_CONTRAST).as_f64().unwrap();
        assert!(least >= 4.5, "{scheme}: {least}");
        let bad =
            ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded", "Page.javascriptDialogOpening"];
        let events = browser.events.iter().filter(|event| bad.iter().any(|method| event["method"] == *method));
        assert_eq!(events.collect::<Vec<_>>(), Vec::<&Value>::new());
        let asked = browser.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent").count();
        assert_eq!(asked, 1, "the page alone");
    }
}

#[test]
fn a_browser_is_used_with_the_keyboard() {
    let scene = scene();
    let Some(mut browser) = Browser::start(&scene.0) else { return };
    let path = scene.0.write("page.html", &report(&scene.0, &[]));
    browser.open(&path, 1280, "light");
    let mut seen = Vec::new();
    for _ in 0..14 {
        browser.key("Tab", 9, "");
        let at = browser.js(
            "document.activeElement.id || document.activeElement.tagName + ' ' + document.activeElement.textContent",
        );
        seen.push(at.as_str().unwrap().to_owned());
        assert_eq!(browser.js("document.activeElement.matches(':focus-visible')"), true, "{seen:?}");
    }
    assert!(seen[..7].iter().all(|one| one.starts_with("A ")), "{seen:?}");
    assert_eq!(&seen[7..10], ["query", "unfold", "fold"], "{seen:?}");
    assert_eq!((seen[10].as_str(), seen[12].as_str()), ("SUMMARY Time line", "SUMMARY Open 2"), "{seen:?}");
    browser.js("document.querySelector('#open summary').focus()");
    for open in [false, true] {
        browser.key("Enter", 13, "\r");
        assert_eq!(browser.js("document.querySelector('#open').open"), open);
    }
    browser.js("query.focus()");
    browser.call("Input.insertText", &json!({"text": "OTTER measure"}));
    let shown = "new Promise(done => setTimeout(() => done([said.textContent, document.querySelectorAll('main li:not([hidden])').length, document.querySelector('#decisions').hidden]), 400))";
    assert_eq!(browser.js(shown), json!([browser.js("'1 of ' + rows.length"), 1, true]));
    browser.js("query.value = ''");
    browser.key("Enter", 13, "\r");
    assert_eq!(browser.js("document.querySelectorAll('main [hidden]').length"), 0);
}

#[test]
fn a_browser_opens_ten_thousand_sessions_in_two_seconds() {
    let home = many(10_000);
    let Some(mut browser) = Browser::start(&home) else { return };
    let path = home.write("page.html", &report(&home, &[]));
    // Other tests run beside it: the least counts.
    let times: Vec<f64> = (0..5).map(|_| browser.open(&path, 1280, "light")).collect();
    assert!(times.iter().any(|time| *time < 2000.0), "{times:?} ms");
}

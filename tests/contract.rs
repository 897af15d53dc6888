//! What holds for every tool: help, version, page, README, statuses, pipes.

use crate::home::{Home, binary, tools};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// Tools that read records from standard input and pass on those that they do not know.
const FILTERS: &[&str] = &["lh-distill", "lh-enqueue", "lh-episode", "lh-gate", "lh-messages", "lh-persist"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn plain(home: &Home, tool: &str) -> Command {
    let mut command = Command::new(binary(tool));
    command.env_clear().env("HOME", home.path("")).env("PATH", "/usr/bin:/bin").current_dir(home.path(""));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn fine(tool: &str, what: &str, status: ExitStatus) {
    assert_eq!(status.signal(), None, "{tool}, {what}: ended by a signal");
    let code = status.code().unwrap();
    assert!(code <= 78 && code != 2, "{tool}, {what}: status {code}");
}

/// The long options that a tool's help names.
fn options(home: &Home, tool: &str) -> Vec<String> {
    let help = String::from_utf8(plain(home, tool).arg("--help").output().unwrap().stdout).unwrap();
    let lines = help.lines().filter_map(|line| line.trim_start().split_once("--").map(|(_, name)| name));
    let names = lines.map(|name| name.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect::<String>());
    names.filter(|name| !name.is_empty()).collect()
}

#[test]
fn help_and_version_answer_and_read_nothing() {
    let home = Home::new();
    for tool in tools() {
        for (option, start) in [
            ("--help", format!("{tool} - ")),
            ("-h", format!("{tool} - ")),
            ("--version", format!("{tool} (lh) ")),
            ("-V", format!("{tool} (lh) ")),
        ] {
            let output = plain(&home, &tool).arg(option).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{tool} {option}");
            assert!(String::from_utf8_lossy(&output.stdout).starts_with(&start), "{tool} {option}");
            assert!(output.stderr.is_empty(), "{tool} {option}");
        }
    }
}

#[test]
fn a_wrong_call_is_64_and_one_line() {
    let home = Home::new();
    for tool in tools() {
        for arguments in [&["--no-such-option"][..], &["-Z"], &["--help=x"]] {
            let output = plain(&home, &tool).args(arguments).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(64), "{tool} {arguments:?}: {said}");
            assert!(said.starts_with(&format!("{tool}: ")) && said.lines().count() == 1, "{tool}: {said}");
        }
    }
}

#[test]
fn a_slip_in_an_option_gets_the_option_that_was_meant() {
    let home = Home::new();
    for tool in tools() {
        for option in options(&home, &tool) {
            let (head, last) = option.split_at(option.len() - 1);
            let output = plain(&home, &tool).arg(format!("--{head}x{last}")).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let wanted = format!("{tool}: unknown option '--{head}x{last}'; did you mean '--{option}'?; see --help\n");
            assert_eq!((output.status.code(), said), (Some(64), wanted));
        }
    }
}

#[test]
fn a_letter_means_the_same_in_every_tool() {
    let home = Home::new();
    let mut meanings: BTreeMap<String, (String, String)> = BTreeMap::new();
    for tool in tools() {
        let help = String::from_utf8(plain(&home, &tool).arg("--help").output().unwrap().stdout).unwrap();
        for row in help.lines().filter_map(|line| line.strip_prefix("  -")) {
            let (letter, long) = row.split_once(", --").unwrap();
            let long = long.split(' ').next().unwrap();
            // Of a search -n is how many, as it is of tail(1), git-log(1) and others; it changes nothing that a dry run could
            // keep back.
            // Of a transcript -f goes on as it grows, as it does of tail(1): there is nothing to force.
            if [("n", "lh-recall"), ("f", "lh-messages")].contains(&(letter, tool.as_str())) {
                continue;
            }
            let (first, other) = meanings.entry(letter.to_owned()).or_insert((long.to_owned(), tool.clone()));
            assert_eq!(first, long, "-{letter} of {other} and of {tool}");
        }
    }
    assert!(meanings.len() > 10, "{meanings:?}");
    // Letters that they had before, which scripts of users may contain.
    for (tool, arguments, status) in [
        ("lh-doctor", &["-c"][..], 0),
        ("lh-doctor", &["-cl"], 64),
        ("lh-redact", &["-c", "."], 0),
        ("lh-export", &["-e"], 0),
        ("lh-setup", &["-us"], 64),
        ("lh-setup", &["-um"], 64),
        ("lh-setup", &["-pnu"], 0),
        ("lh-detach", &["-l", "x.lock", "-o", "x.log", "--", "true"], 0),
    ] {
        assert_eq!(
            plain(&home, tool).args(arguments).output().unwrap().status.code(),
            Some(status),
            "{tool} {arguments:?}"
        );
    }
}

/// The file with a tool's table and what reads it.
fn command(tool: &str) -> PathBuf {
    root().join("src/commands").join(tool["lh-".len()..].replace('-', "_")).with_extension("rs")
}

/// A row of a table that its main never asks for would be an option that does nothing.
#[test]
fn a_main_asks_for_each_option_of_its_table_by_name() {
    for tool in tools() {
        let main = std::fs::read_to_string(command(&tool)).unwrap();
        let (table, body) = main.split_once("pub static TOOL").unwrap();
        let body = body.split_once("\nfn run(").unwrap().1;
        let quoted = |text: &str| -> Vec<String> { text.split('"').skip(1).step_by(2).map(str::to_owned).collect() };
        let names: Vec<String> = table.split("Opt::").skip(1).map(|row| quoted(row).swap_remove(0)).collect();
        // A letter of today that an older one shadows would be shown and mean something else.
        let today = table.split("Opt::").skip(1).filter_map(|row| row.split('\'').nth(1));
        let letters =
            today.chain(table.split(".once('").skip(1).map(|rest| &rest[..1])).filter(|letter| *letter != " ");
        let mut seen = BTreeMap::new();
        letters.for_each(|letter| *seen.entry(letter).or_insert(0) += 1);
        assert!(seen.values().all(|count| *count == 1), "{tool} has a letter twice, today's or an old one: {seen:?}");
        for name in &names {
            assert!(body.contains(&format!("\"{name}\"")), "{tool} never asks for --{name}");
        }
        // The form of output is asked for in one place.
        let form = ["json", "text"].map(str::to_owned).into_iter();
        let names: Vec<String> =
            names.into_iter().chain(form.filter(|name| table.contains(&name.to_uppercase()))).collect();
        for others in table.split(".apart(&[").skip(1).map(|rest| rest.split(']').next().unwrap()) {
            assert!(quoted(others).iter().all(|other| names.contains(other)), "{tool}: {others}");
        }
        for other in table.split(".needs(").skip(1).map(|rest| quoted(rest).swap_remove(0)) {
            assert!(names.contains(&other), "{tool}: {other}");
        }
    }
}

#[test]
fn a_full_device_is_74_and_a_gone_reader_0() {
    let home = Home::new();
    for tool in tools() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let status = plain(&home, &tool).arg("--help").stdout(full).status().unwrap();
        assert_eq!(status.code(), Some(74), "{tool}");
        let mut child = plain(&home, &tool).arg("--help").stdout(closed_pipe()).spawn().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{tool}");
    }
}

/// The writing end of a pipe that nobody reads.
fn closed_pipe() -> Stdio {
    let (_, writer) = std::io::pipe().unwrap();
    writer.into()
}

const FOREIGN: &str = "{\"type\" : \"other\",\"n\":12345678901234567890123, \"x\":1e5,\"s\":\"\\u00f1\"}\n";

#[test]
fn a_foreign_record_goes_through_byte_for_byte() {
    let home = Home::new();
    for tool in FILTERS {
        let output = home.tool(tool).write_stdin(format!("\n{FOREIGN}  \n{}", FOREIGN.trim_end())).output().unwrap();
        fine(tool, "foreign record", output.status);
        assert_eq!(String::from_utf8_lossy(&output.stdout), FOREIGN.repeat(2), "{tool}");
    }
}

#[test]
fn a_bad_line_in_our_stream_is_65_with_its_number() {
    let home = Home::new();
    for tool in FILTERS {
        for bad in ["[1,2]", "{\"type\":", "rubbish", "{} {}", "\u{0}"] {
            let output = home.tool(tool).write_stdin(format!("{FOREIGN}{bad}\n")).output().unwrap();
            assert_eq!(output.status.code(), Some(65), "{tool} {bad}");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.starts_with(&format!("{tool}: stdin:2: ")) && said.lines().count() == 1, "{said}");
        }
        let output = home.tool(tool).write_stdin(&b"{\"type\":\"\xff\"}\n"[..]).output().unwrap();
        assert_eq!(output.status.code(), Some(65), "{tool}");
    }
}

#[test]
fn a_gone_reader_stops_a_filter_quietly() {
    let home = Home::new();
    for tool in FILTERS {
        let mut child = plain(&home, tool).stdin(Stdio::piped()).stdout(closed_pipe()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let feeder = std::thread::spawn(move || (0..20_000).try_for_each(|_| input.write_all(FOREIGN.as_bytes())));
        let output = child.wait_with_output().unwrap();
        let _ = feeder.join().unwrap();
        assert_eq!(output.status.code(), Some(0), "{tool}");
        assert!(output.stderr.is_empty(), "{tool}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn hostile_records_give_a_status_and_no_panic() {
    let home = Home::new();
    let records = [
        r#"{"type":"session"}"#,
        r#"{"type":"session","transcript":7}"#,
        r#"{"type":"task","transcript":""}"#,
        r#"{"type":"session","transcript":"/","agent_home":"/dev/null/nowhere","memory_dir":"/etc"}"#,
        r#"{"type":"session","transcript":"/dev/null","session_id":"../../x","agent_home":"h","memory_dir":"h/../../m"}"#,
        r#"{"type":"distilled","transcript":"/x","agent_home":"/x","memory_dir":"/etc/x","decisions":[1]}"#,
        r#"{"type":"distilled","decisions":{}}"#,
    ];
    for tool in FILTERS {
        for record in records {
            let output = home.tool(tool).write_stdin(record).output().unwrap();
            fine(tool, record, output.status);
            assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{tool} {record}");
        }
    }
    assert!(!Path::new("/etc/x").exists());
}

#[test]
fn every_tool_has_a_page_that_names_its_options_and_a_row_in_the_readme() {
    let home = Home::new();
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    for tool in tools() {
        let page = std::fs::read_to_string(root().join(format!("man/{tool}.1"))).unwrap_or_default();
        assert!(page.contains(&format!(".Nm {tool}")), "no page for {tool}");
        // What every tool has, or each that prints records, is in lh(7).
        let common = ["help", "version", "json", "text"];
        for option in options(&home, &tool).iter().filter(|option| !common.contains(&option.as_str())) {
            assert!(page.contains(&format!("Fl -{option}")), "{tool}(1) does not name --{option}");
        }
        assert!(readme.lines().any(|line| line.starts_with('|') && line.contains(&tool)), "no row for {tool}");
    }
}

//! The command `lh`: short names for the tools and the scripts. It starts them and has no logic of its own. The pages of
//! tools and scripts are looked for beside it, then by man.

use super::{ALL, completions, undo};
use crate::base::cli::{self, Tool};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::stream::Output;
use crate::base::{env, file, log, process, text};
use crate::tool::done;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Its commands, what they do, and in the first line of each the words that can come behind it, with tabs between.
const COMMANDS: &str = include_str!("commands.txt");
/// Those of a day, in groups, as the screen shows them.
const OF_A_DAY: &str = include_str!("of_a_day.txt");
/// The tools that are commands of a day, too: these print lines in a pipe, and the tools records.
const FOR_PEOPLE: [&str; 8] = ["backfill", "blame", "brief", "doctor", "done", "forget", "history", "review"];
/// Lines of what is open that the screen has, and their characters.
const OPEN: usize = 4;
const OPEN_CHARS: usize = 77;
/// The scripts that a person starts; the others are started by the client, by the system or by a script.
const SCRIPTS: [(&str, &str); 3] = [
    ("handoff-now", "queue the current session now, without debounce and growth, and start the worker"),
    ("pick", "choose from what is remembered: lh-pick [WHAT] [option ...]"),
    ("remember", "write a memory of this project by hand: lh-remember TEXT [--type T]"),
];
/// Words that people try, and the command that does it.
const TRIED: &str = "list=ls|stat=status|find=search|grep=search|open=ls open|stats=status|why=history|\
    cost=doctor --cost|last=ls sessions -n 1|delete=rm|decisions=ls decisions|failures=ls failures|\
    learnings=ls learnings|memories=ls memories|sessions=ls sessions";
/// What is said to who tries `sync`.
const SYNC: &str =
    "no command 'sync': all is plain files below the client's folder and the knowledge folder: sync these";
/// What is ours in a program of this name, and in no other's.
const MARK: &[u8] = b"a coding agent's finished session as plain files";
/// What is read of a script to know what it is for, and of another `lh` to know it.
const HEAD_BYTES: u64 = 4096;
const PROGRAM_BYTES: u64 = 64 << 20;
/// Lines of the logs that are shown.
const LINES: &str = "20";

/// What became of a command.
enum Next {
    /// It is done.
    Done,
    /// This tool goes on with these words.
    Tool(&'static Tool, Vec<OsString>),
}

/// Runs the command `lh`, under the name that it was called by.
pub fn main(me: &str, words: impl Iterator<Item = OsString>) -> ExitCode {
    match run(me, words.collect()) {
        Ok(Next::Done) => ExitCode::SUCCESS,
        Ok(Next::Tool(tool, words)) => cli::run_with(tool, words.into_iter()),
        Err(failure) => {
            if !failure.message.is_empty() {
                log::say(me, &failure.message);
            }
            ExitCode::from(failure.exit.status())
        }
    }
}

fn run(me: &str, mut words: Vec<OsString>) -> Result<Next, Failure> {
    let command = if words.is_empty() { String::new() } else { words.remove(0).to_string_lossy().into_owned() };
    let first = words.first().map(|word| word.to_string_lossy().into_owned());
    let none_more = || first.as_ref().map_or(Ok(()), |word| Err(unexpected(me, word)));
    let asks_for_help = matches!(first.as_deref(), Some("-h" | "--help"));
    let with = |more: &[&str], words: Vec<OsString>| more.iter().map(OsString::from).chain(words).collect::<Vec<_>>();
    match (command.as_str(), first.as_deref()) {
        ("status" | "log" | "ls" | "completions" | "knowledge", _) if asks_for_help => page(me, "lh"),
        ("", None) => screen(me),
        ("help" | "-h" | "--help", None) => say(&short_overview(me)),
        ("help", Some("all")) if words.len() == 1 => say(&overview(me)),
        ("help" | "-h" | "--help", Some(topic)) => match words.get(1) {
            Some(word) => Err(unexpected(me, &word.to_string_lossy())),
            None => page(me, topic),
        },
        ("-V" | "--version", _) => say(&format!("{me} {}\n", cli::VERSION)),
        ("status", _) => none_more().map(|()| tool("lh-doctor", with(&["--brief"], Vec::new()))),
        ("log", _) => log_of(me, &words),
        ("ls", _) => list(me, words),
        ("search", _) => Ok(tool("lh-recall", for_people(words))),
        ("show", _) => Ok(tool("lh-recall", with(&["--show"], for_people(words)))),
        (name, _) if FOR_PEOPLE.contains(&name) => Ok(tool(&full(name), for_people(words))),
        ("rm", _) => Ok(tool("lh-prune", with(&["--remove"], for_people(words)))),
        ("import", _) => Ok(tool("lh-import", with(&["--write"], for_people(words)))),
        ("config", _) => Ok(tool("lh-setup", with(&["--config"], words))),
        ("edit", _) => Ok(tool("lh-persist", with(&["--edit"], for_people(words)))),
        ("undo", _) => Ok(Next::Tool(&undo::TOOL, words)),
        ("hook" | "statusline", _) => Err(lazy_harness(&command, first.as_deref().unwrap_or_default(), words)),
        ("completions", Some(shell)) if words.len() == 1 => {
            let text = completions::of(shell, me, &rows());
            say(&text.ok_or_else(|| Failure::usage(format!("usage: {me} completions bash|zsh|fish")))?)
        }
        ("completions", _) => Err(Failure::usage(format!("usage: {me} completions bash|zsh|fish"))),
        ("knowledge", Some("handoff-now")) => script("lh-handoff-now", &words[1..]),
        ("knowledge", _) => Err(Failure::usage(format!("usage: {me} knowledge handoff-now"))),
        (option, _) if option.starts_with('-') => {
            Err(Failure::usage(format!("unknown option '{option}'; see {me} help")))
        }
        (name, _) => match by_name(name) {
            Some(found) => Ok(Next::Tool(found, words)),
            None if name == "sync" => Err(Failure::usage(SYNC)),
            None => match meant(name) {
                Some(command) => run(me, with(&command.split(' ').collect::<Vec<_>>(), words)),
                None if script_path(name).is_some() => script(&full(name), &words),
                None => Err(unknown(me, name)),
            },
        },
    }
}

fn full(name: &str) -> String {
    format!("lh-{}", short(name))
}

fn by_name(name: &str) -> Option<&'static Tool> {
    let name = full(name);
    ALL.iter().copied().find(|tool| tool.name == name)
}

fn tool(name: &str, words: Vec<OsString>) -> Next {
    by_name(name).map_or(Next::Done, |tool| Next::Tool(tool, words))
}

/// Goes on as a script, with the folders of the tools first on PATH and none that is relative.
fn script(name: &str, words: &[OsString]) -> Result<Next, Failure> {
    let path = script_path(name).ok_or_else(|| missing(name))?;
    Err(process::become_command(Command::new(path).args(words).env("PATH", env::path_of_tools())))
}

fn missing(script: &str) -> Failure {
    let what = "not found beside this program or on PATH: install it there, or set LH_BIN";
    Failure::new(Exit::Missing, format!("{script}: {what}"))
}

fn unexpected(me: &str, word: &str) -> Failure {
    Failure::usage(format!("unexpected operand '{word}'; see {me} help"))
}

fn unknown(me: &str, name: &str) -> Failure {
    if SCRIPTS.iter().any(|(script, _)| *script == short(name)) {
        return missing(&full(name));
    }
    let known = rows();
    let hint = text::did_you_mean(short(name), known.iter().map(|(name, ..)| name.as_str()), "");
    Failure::usage(format!("no command or tool '{name}'{hint}; see {me} help"))
}

/// One of our scripts: in `LH_BIN`, beside this program, or beside the tools on PATH.
fn script_path(name: &str) -> Option<PathBuf> {
    let mut paths = env::own_folders().into_iter().map(|folder| folder.join(full(name)));
    paths.find(|path| is_plain(short(name)) && env::is_program(path) && head(path).starts_with("#!"))
}

/// Whether a name is made of what names of ours are made of.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// The beginning of a script; "" where it cannot be read.
fn head(path: &Path) -> String {
    file::read_head(path, HEAD_BYTES).unwrap_or_else(|_| String::new())
}

/// Our own commands with the words that can come behind each, then the tools and the scripts by their short names.
fn rows() -> Vec<completions::Row> {
    let tools = short_rows();
    let names = tools.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>().join(" ");
    let row = |(usage, about, words): (&str, &str, &str)| {
        let name = usage.split(' ').next().unwrap_or(usage);
        (name.to_owned(), words.replace("@NAMES@", &names), about.to_owned())
    };
    let mut rows: Vec<completions::Row> = commands().map(row).collect();
    // The lines of one command are together, and the first has its words.
    rows.dedup_by(|later, first| later.0 == first.0);
    rows.extend(tools.into_iter().filter(|(name, ..)| name != "undo"));
    rows
}

/// The tools and the scripts, by their short names.
fn short_rows() -> Vec<completions::Row> {
    let tools = ALL.iter().map(|tool| (tool.name, tool.about)).chain(SCRIPTS);
    tools.map(|(name, about)| (short(name).to_owned(), String::new(), about.to_owned())).collect()
}

/// The words that people try, each with its command.
fn tried() -> impl Iterator<Item = (&'static str, &'static str)> {
    TRIED.split('|').filter_map(|pair| pair.split_once('='))
}

/// The command that a word means that people try.
fn meant(word: &str) -> Option<&'static str> {
    tried().find(|(tried, _)| *tried == word).map(|(_, command)| command)
}

/// What is open here, then the commands of a day: one screen.
fn screen(me: &str) -> Result<Next, Failure> {
    // Where the memory cannot be read, the commands are told all the same.
    let open = Config::load().and_then(|config| done::screen(OPEN, OPEN_CHARS, me, &config));
    let mut out = Output::filter().wrapped();
    match open {
        Ok(open) if open.is_empty() => {
            out.bytes(format!("Nothing is open here; {me} ls open has what is open elsewhere.\n").as_bytes())?;
        }
        Ok(open) => out.masked(&open)?,
        Err(failure) => log::say(me, &failure.message),
    }
    out.bytes(short_overview(me).as_bytes())?;
    out.flush().map(|()| Next::Done)
}

fn short_overview(me: &str) -> String {
    OF_A_DAY.replace("@LH@", me)
}

fn overview(me: &str) -> String {
    let mut out = format!("{me} - a coding agent's finished session as plain files\n\n");
    let _ = write!(out, "usage: {me} [command or tool [argument ...]]\n\ncommands:\n");
    let row = |out: &mut String, name: &str, what: &str| _ = writeln!(out, "  {name:24} {what}");
    commands().for_each(|(name, what, _)| row(&mut out, name, what));
    tried().for_each(|(tried, command)| row(&mut out, tried, &format!("{me} {command}")));
    row(&mut out, "-h, --help", "the commands of a day");
    row(&mut out, "-V, --version", "the version");
    out.push_str("\ntools, each also as lh-NAME:\n");
    for (at, (name, _, what)) in short_rows().iter().enumerate() {
        if at == ALL.len() {
            out.push_str("\nscripts, each also as lh-NAME:\n");
        }
        row(&mut out, name, what);
    }
    let _ = writeln!(out, "\nbegin with {me} setup, then {me} doctor; see lh(7)");
    out
}

fn short(name: &str) -> &str {
    name.strip_prefix("lh-").unwrap_or(name)
}

fn say(text: &str) -> Result<Next, Failure> {
    let mut out = Output::filter().wrapped();
    out.bytes(text.as_bytes())?;
    out.flush().map(|()| Next::Done)
}

fn commands() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    COMMANDS.lines().map(|line| {
        let mut parts = line.split('\t');
        let mut part = || parts.next().unwrap_or("");
        (part(), part(), part())
    })
}

fn is_command(word: &str) -> bool {
    commands().any(|(usage, ..)| usage.split(' ').next() == Some(word))
}

/// The page of a topic: one beside this program, man's, else what the tool or the script says of itself.
fn page(me: &str, topic: &str) -> Result<Next, Failure> {
    let bare = short(topic);
    if !is_plain(bare) {
        return Err(unknown(me, topic));
    }
    let name = match bare {
        "search" | "show" => "lh-recall".to_owned(),
        other if ["lh", "hook", "statusline"].contains(&other) || is_command(other) => "lh".to_owned(),
        other => match meant(other).and_then(|command| command.split(' ').next()) {
            Some(command) => return page(me, command),
            None => format!("lh-{other}"),
        },
    };
    if let Some(man) = env::program("man") {
        let shows =
            |man: &mut Command| man.arg(&name).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        let beside = env::own_folder().map(|here| here.join("../share/man"));
        if beside.is_some_and(|pages| shows(Command::new(&man).env("MANPATH", pages))) || shows(&mut Command::new(&man))
        {
            return Ok(Next::Done);
        }
    }
    if name == "lh" {
        return say(&overview(me));
    }
    if let Some(tool) = by_name(&name) {
        return Ok(Next::Tool(tool, vec!["--help".into()]));
    }
    let head = head(&script_path(&name).ok_or_else(|| unknown(me, topic))?);
    let lines = head.lines().skip(1).take_while(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#'));
    say(&lines.map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n").collect::<String>())
}

/// The last lines of the logs, with the words as tail takes them.
fn log_of(me: &str, words: &[OsString]) -> Result<Next, Failure> {
    let (mut way, mut count) = ("--log", LINES.to_owned());
    let mut words = words.iter().map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        match &*word {
            "-f" | "--follow" => way = "--follow",
            "-n" => count = words.next().map_or_else(String::new, Cow::into_owned),
            word => word.strip_prefix("-n").unwrap_or(word).clone_into(&mut count),
        }
        if count.is_empty() || !count.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Failure::usage(format!("unexpected '{count}'; usage: {me} log [-f] [[-n] N]")));
        }
    }
    Ok(tool("lh-doctor", vec![way.into(), count.into()]))
}

/// A list, of one kind or of all, with the options of lh-recall.
fn list(me: &str, mut words: Vec<OsString>) -> Result<Next, Failure> {
    let is_kind = |word: &&OsString| !word.is_empty() && !word.to_string_lossy().starts_with('-');
    let what = words.first().filter(is_kind).map(|word| word.to_string_lossy().into_owned());
    if what.is_some() || words.first().is_some_and(|word| word.is_empty()) {
        words.remove(0);
    }
    match (what.as_deref(), &words[..]) {
        (Some("memories"), [used]) if used == "--used" => return Ok(tool("lh-select", for_people(words))),
        (Some("quarantine"), _) => {
            let words = for_people(words);
            return match words.iter().find(|word| !["--text", "--json"].map(OsStr::new).contains(&word.as_os_str())) {
                Some(word) => Err(unexpected(me, &word.to_string_lossy())),
                None => Ok(tool("lh-persist", [vec!["--list-quarantine".into()], words].concat())),
            };
        }
        _ => {}
    }
    let one = |what: String| match what.as_str() {
        "memories" => "memory".to_owned(),
        "summaries" => "summary".to_owned(),
        "sessions" | "decisions" | "failures" | "learnings" | "notes" | "episodes" | "briefings" => {
            what.trim_end_matches('s').to_owned()
        }
        _ => what,
    };
    let kind = what.map(one).map(|kind| [OsString::from("--type"), kind.into()]);
    let all = [OsString::from("--list")].into_iter().chain(kind.into_iter().flatten()).chain(for_people(words));
    Ok(tool("lh-recall", all.collect()))
}

/// The words of a command that prints lines for people, also in a pipe, unless they say otherwise.
fn for_people(mut words: Vec<OsString>) -> Vec<OsString> {
    let says = |word: &&OsString| ["--json", "--text", "--files", "-j"].iter().any(|form| *word == form);
    if !words.iter().take_while(|word| *word != "--").any(|word| says(&word)) {
        words.insert(0, "--text".into());
    }
    words
}

/// lazy-harness is called lh, too, and its other hooks (what guards commands, say) stay in the settings: the next lh on
/// PATH that is not ours runs them.
fn lazy_harness(command: &str, event: &str, mut words: Vec<OsString>) -> Failure {
    let is_ours = |path: &Path| {
        let bytes = file::read_at_most(path, PROGRAM_BYTES).ok().flatten();
        bytes.is_some_and(|bytes| memchr::memmem::find(&bytes, MARK).is_some())
    };
    let other = env::programs("lh").into_iter().find(|path| !is_ours(path));
    words.insert(0, command.into());
    match other {
        Some(path) => process::become_command(Command::new(path).args(words)),
        None => Failure::new(
            Exit::Missing,
            format!(
                "'{}' is lazy-harness's, and its lh is not on PATH: take it out of the client's settings, or install it",
                format!("{command} {event}").trim_end()
            ),
        ),
    }
}

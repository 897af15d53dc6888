//! Searches everything that is remembered.

use lh::base::cli::{self, Given, Operands, Opt, Tool};
use lh::base::config::Config;
use lh::base::exit::{Exit, Failure};
use lh::base::stream::Output;
use lh::base::{clock, env, log};
use lh::redact::{self, Redactor};
use lh::tool::recall::{self, Kind, Wish};
use std::io::IsTerminal;
use std::process::ExitCode;

/// Hits that are given unless another number is asked for, and the most.
const HITS: usize = 5;
const MOST: usize = 1000;

const OPTIONS: &[Opt] = &[
    Opt::value(' ', "also", "WORDS", "words that the answer may have, with a lower weight"),
    Opt::value('n', "hits", "NUM", "at most so many hits (5)"),
    Opt::value('C', "context", "NUM", "so many lines around each passage (0)").apart(&["files"]),
    Opt::flag(' ', "files", "print the paths alone, each once"),
    Opt::value(' ', "project", "NAME", "only this project; again for more").apart(&["here"]),
    Opt::flag(' ', "here", "only the current folder's project"),
    Opt::value('s', "since", "TIME", "only what is not older than TIME"),
    Opt::value(' ', "until", "TIME", "only what is older than TIME"),
    Opt::value(' ', "type", "NAME", "only session, decision, failure, learning, ...; again for more"),
    Opt::value(' ', "scope", "NAME", "only learnings of this scope; again for more"),
];
const TOOL: Tool = Tool {
    name: "lh-recall",
    operands: Operands::Any("WORD ..."),
    about: "search everything that is remembered",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(given: &Given) -> Result<Exit, Failure> {
    let config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    let wish = wish(given)?;
    let found = recall::recall(&wish, &config)?;
    let mut out = Output::filter();
    if given.has("files") {
        let mut paths: Vec<_> = found.hits.iter().map(|hit| &hit.path).collect();
        let mut known = std::collections::HashSet::new();
        paths.retain(|path| known.insert(*path));
        for path in paths {
            out.bytes(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()))?;
            out.bytes(b"\n")?;
        }
    } else if std::io::stdout().is_terminal() {
        out.screen(&recall::listed(&found.hits, &env::home()?, env::has_colours()))?;
    } else {
        let redactor = Redactor::new(&config.privacy)?;
        recall::records(&found.hits, &redactor).iter().try_for_each(|line| out.masked(line))?;
    }
    out.flush()?;
    if !found.skipped.is_empty() {
        log::say(TOOL.name, &format!("files that were not searched: {}", found.skipped));
    }
    Ok(if found.hits.is_empty() { Exit::No } else { Exit::Done })
}

fn wish(given: &Given) -> Result<Wish, Failure> {
    let texts = |name: &str| given.values(name).map(|value| value.to_string_lossy().into_owned()).collect::<Vec<_>>();
    let words: Vec<String> = given.operands.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let time = |name: &str| {
        given.text(name).map(|text| {
            let what = "expected a day, a time, today, yesterday, or 7d or 12h ago";
            clock::point(&text).ok_or_else(|| Failure::usage(format!("--{name} '{text}': {what}")))
        })
    };
    let number = |name: &str, other: usize, least: usize| {
        given.text(name).map_or(Ok(other), |text| {
            let number = text.parse().ok().filter(|number| (least..=MOST).contains(number));
            number.ok_or_else(|| Failure::usage(format!("--{name} '{text}': expected a number from {least} to {MOST}")))
        })
    };
    if words.iter().all(|word| word.trim().is_empty()) {
        return Err(Failure::usage("no query: give words of what you look for"));
    }
    Ok(Wish {
        question: words.join(" "),
        also: texts("also").join(" "),
        kinds: texts("type").iter().map(|word| Kind::chosen("type", word)).collect::<Result<_, _>>()?,
        projects: texts("project"),
        here: given.has("here"),
        scopes: texts("scope"),
        since: time("since").transpose()?,
        until: time("until").transpose()?,
        most: number("hits", HITS, 1)?,
        context: number("context", 0, 0)?,
    })
}

//! Searches everything that is remembered.

use super::usual::{
    Config, Exit, Failure, Given, Operands, Opt, Output, Redactor, Tool, at_most, cli, configured, log, words,
};
use crate::base::env;
use crate::tool::recall::{self, HitKind, Screen, SearchEngine, Wish};
use std::io::{BufRead, IsTerminal};

const OPTIONS: &[Opt] = &[
    Opt::value(' ', "also", "WORDS", "words that the answer may have, with a lower weight").apart(&["list", "show"]),
    Opt::value('n', "hits", "NUM", "at most so many hits (5), or of a list the newest ones").apart(&["show"]),
    Opt::value('C', "context", "NUM", "so many lines around each passage (0)").apart(&["files", "list", "show"]),
    Opt::value('e', "engine", "NAME", "words (the default), or ask the index of QMD: qmd").apart(&["list", "show"]),
    Opt::flag(' ', "files", "print the paths alone, each once").apart(&["show"]),
    Opt::flag('0', "null", "with --files: end each path with a NUL").needs("files"),
    Opt::flag(' ', "batch", "a query a line of input; a blank line ends each answer").apart(&["list", "show", "text"]),
    Opt::value(' ', "project", "NAME", "only this project; again for more").apart(&["here", "show"]),
    Opt::flag(' ', "here", "only the current folder's project").apart(&["show"]),
    Opt::value('s', "since", "TIME", "only what is not older than TIME").apart(&["show"]),
    Opt::value(' ', "until", "TIME", "only what is older than TIME").apart(&["show"]),
    Opt::value(' ', "as-of", "TIME", "what was believed then").apart(&["show", "until"]),
    Opt::value(' ', "type", "NAME", "only session, decision, failure, learning, ...; again for more").apart(&["show"]),
    Opt::value(' ', "scope", "NAME", "only learnings of this scope; again for more").apart(&["show"]),
    Opt::flag(' ', "list", "everything, the oldest first, without a query").apart(&["show"]),
    cli::TEXT.apart(&["files"]),
    cli::JSON.apart(&["files", "text"]),
    Opt::flag(' ', "show", "those of these ids or names, with their quotes in their context"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-recall",
    operands: Operands::Any("[WORD ... | ID ... | -]"),
    about: "search everything that is remembered",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let config = configured()?;
    let (home, redactor) = (env::home()?, Redactor::new(&config.privacy)?);
    let screen = Screen {
        home: &home,
        colours: std::io::stdout().is_terminal() && env::has_colours(),
        files: given.has("files").then_some(if given.has("null") { 0 } else { b'\n' }),
        text: given.for_people() && !given.has("batch"),
        redactor: &redactor,
    };
    let mut out = Output::filter().wrapped();
    if given.has("show") {
        let mut words = recall::to_show(given)?.into_iter().enumerate();
        let shown = words.try_for_each(|(at, word)| screen.show(&recall::show(&word, &config)?, at > 0, &mut out));
        return out.end(shown.map(|()| Exit::Done));
    }
    let (wish, is_list) = (wish(given, &config)?, given.has("list"));
    let answer = |question: &str, out: &mut Output| {
        let wish = Wish { question: question.to_owned(), ..wish.clone() };
        let (hits, mut said) = if is_list { recall::list(&wish, &config)? } else { recall::recall(&wish, &config)? };
        if hits.is_empty() {
            said.extend(recall::unknown(&wish, &config)?);
        }
        screen.print(&hits, is_list, out)?;
        out.flush()?;
        for line in &said {
            log::say(TOOL.name, line);
        }
        if hits.is_empty() && said.is_empty() {
            log::say_on_terminal(TOOL.name, "nothing was found");
        }
        Ok(if hits.is_empty() { Exit::No } else { Exit::Done })
    };
    if is_list || given.has("batch") {
        at_most(given, 0)?;
    }
    if !given.has("batch") {
        let ended = answer(&words(given).join(" "), &mut out);
        return out.end(ended);
    }
    given.needs_input()?;
    let mut exit = Exit::No;
    for line in std::io::stdin().lock().split(b'\n') {
        let line = line.map_err(|error| Failure::io("standard input", &error))?;
        match answer(&String::from_utf8_lossy(&line), &mut out) {
            Err(failure) if failure.exit == Exit::Usage => log::say(TOOL.name, &failure.message),
            answered => exit = if answered? == Exit::Done { Exit::Done } else { exit },
        }
        // The program that asked waits for the end of this answer.
        out.bytes(&[screen.files.unwrap_or(b'\n')])?;
        out.flush()?;
    }
    Ok(exit)
}

/// What the options ask for; status 64 for what cannot be asked.
fn wish(given: &Given, config: &Config) -> Result<Wish, Failure> {
    let texts = |name| given.values(name).map(|value| value.to_string_lossy().into_owned()).collect::<Vec<_>>();
    let time = |name| given.text(name).as_deref().map(recall::since).transpose();
    let (other, most) = if given.has("list") { (usize::MAX, recall::ANY) } else { (recall::HITS, recall::MOST) };
    let wish = Wish {
        also: texts("also").join(" "),
        kinds: texts("type").iter().map(|word| HitKind::chosen("type", word)).collect::<Result<_, _>>()?,
        projects: texts("project"),
        scopes: texts("scope"),
        since: time("since")?,
        until: time("until")?.or(time("as-of")?),
        as_of: time("as-of")?,
        most: recall::number(given, "hits", 1..=most)?.unwrap_or(other),
        context: recall::number(given, "context", 0..=recall::MOST)?.unwrap_or(0),
        engine: given.text("engine").map(|name| SearchEngine::chosen("engine", &name)).transpose()?,
        ..Wish::default()
    };
    if given.has("here") { wish.only_here(config) } else { Ok(wish) }
}

//! Searches everything that is remembered.

use crate::base::cli::{Given, Operands, Opt, Tool};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::stream::Output;
use crate::base::{env, log};
use crate::redact::{self, Redactor};
use crate::tool::recall::{self, Engine, Screen, Wish};
use std::collections::HashSet;
use std::io::IsTerminal;
use std::os::unix::ffi::OsStrExt;

const OPTIONS: &[Opt] = &[
    Opt::value(' ', "also", "WORDS", "words that the answer may have, with a lower weight").apart(&["list", "show"]),
    Opt::value('n', "hits", "NUM", "at most so many hits (5), or of a list the newest ones").apart(&["show"]),
    Opt::value('C', "context", "NUM", "so many lines around each passage (0)").apart(&["files", "list", "show"]),
    Opt::value('e', "engine", "NAME", "words (the default), or ask the index of QMD: qmd").apart(&["list", "show"]),
    Opt::flag(' ', "files", "print the paths alone, each once").apart(&["show"]),
    Opt::value(' ', "project", "NAME", "only this project; again for more").apart(&["here", "show"]),
    Opt::flag(' ', "here", "only the current folder's project").apart(&["show"]),
    Opt::value('s', "since", "TIME", "only what is not older than TIME").apart(&["show"]),
    Opt::value(' ', "until", "TIME", "only what is older than TIME").apart(&["show"]),
    Opt::value(' ', "type", "NAME", "only session, decision, failure, learning, ...; again for more").apart(&["show"]),
    Opt::value(' ', "scope", "NAME", "only learnings of this scope; again for more").apart(&["show"]),
    Opt::flag(' ', "list", "everything, the oldest first, without a query").apart(&["show"]),
    Opt::flag(' ', "show", "one of them by its ID or name, with its quotes in their context"),
];
/// What it is called with.
pub static TOOL: Tool = Tool {
    name: "lh-recall",
    operands: Operands::Any("[WORD ... | ID]"),
    about: "search everything that is remembered",
    options: OPTIONS,
    run,
};

fn run(given: &Given) -> Result<Exit, Failure> {
    let config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    let (home, redactor) = (env::home()?, Redactor::new(&config.privacy)?);
    let screen = Screen { home: &home, colours: env::has_colours() };
    let is_terminal = std::io::stdout().is_terminal();
    let mut out = Output::filter();
    if given.has("show") {
        let shown = recall::show(&one_word(given)?, &config)?;
        if is_terminal {
            out.screen(&screen.shown(&shown))?;
        } else {
            out.masked(&recall::record(&shown, &redactor))?;
        }
        return out.flush().map(|()| Exit::Done);
    }
    let wish = wish(given)?;
    let found = if given.has("list") { recall::list(&wish, &config)? } else { recall::recall(&wish, &config)? };
    if given.has("files") {
        let mut known = HashSet::new();
        for path in found.hits.iter().map(|hit| &hit.path).filter(|path| known.insert(*path)) {
            out.bytes(&[path.as_os_str().as_bytes(), b"\n"].concat())?;
        }
    } else if is_terminal {
        out.screen(&if given.has("list") { screen.list(&found.hits) } else { screen.hits(&found.hits) })?;
    } else {
        recall::records(&found.hits, &redactor).iter().try_for_each(|line| out.masked(line))?;
    }
    out.flush()?;
    if !found.instead.is_empty() {
        log::say(TOOL.name, &format!("{}: searched without it", found.instead));
    }
    if found.without_phrases {
        log::say(TOOL.name, "nothing has what is between the quotation marks: searched for its words");
    }
    if !found.skipped.is_empty() {
        log::say(TOOL.name, &format!("files that were not searched: {}", found.skipped));
    }
    if found.hits.is_empty() {
        log::say_on_terminal(TOOL.name, "nothing was found");
    }
    Ok(if found.hits.is_empty() { Exit::No } else { Exit::Done })
}

/// What `--show` is asked for.
fn one_word(given: &Given) -> Result<String, Failure> {
    match given.operands.as_slice() {
        [word] if !word.is_empty() => Ok(word.to_string_lossy().into_owned()),
        [] | [_] => Err(Failure::usage("--show needs an id or a name; see --help")),
        [_, more, ..] => Err(Given::unexpected(more)),
    }
}

fn wish(given: &Given) -> Result<Wish, Failure> {
    let texts = |name: &str| given.values(name).map(|value| value.to_string_lossy().into_owned()).collect::<Vec<_>>();
    let is_list = given.has("list");
    Ok(Wish {
        question: recall::question(&given.operands, is_list)?,
        also: texts("also").join(" "),
        kinds: recall::kinds(&texts("type"))?,
        projects: texts("project"),
        here: given.has("here"),
        scopes: texts("scope"),
        since: recall::time(given.text("since").as_deref())?,
        until: recall::time(given.text("until").as_deref())?,
        most: recall::most(given.text("hits").as_deref(), is_list)?,
        context: recall::context(given.text("context").as_deref())?,
        engine: given.text("engine").map(|name| Engine::chosen("engine", &name)).transpose()?,
    })
}

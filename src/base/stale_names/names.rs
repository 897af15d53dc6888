//! What a text names: paths, in backticks or bare, symbols beside them, commands.

use crate::base::text::Words;
use std::path::Path as Folder;

/// Longer texts and paths are not looked at, nor what comes behind so many words.
const WORDS: usize = 400;
const PATH_BYTES: usize = 300;
/// The least of a symbol, and of a path.
const SYMBOL_CHARS: usize = 3;
const PATH_CHARS: usize = 4;
/// Letters of the ending of a file.
const ENDING_CHARS: usize = 8;
/// What is said by one who wants to make a file: until it is there, it is not gone.
static MAKING: Words = Words::of(
    "add agregar añadir crea crear create escribir extract generar generate introduce into make move mover new nueva \
     nuevo put rename renombrar split write",
);
/// What makes a target of the Makefile, and what runs a script of package.json.
pub const MAKE: &str = "make";
const PACKAGERS: [&str; 4] = ["bun", "npm", "pnpm", "yarn"];

/// A relative path.
#[derive(Clone, Copy)]
pub struct Path<'a> {
    /// As it is told.
    pub shown: &'a str,
    /// The lines of it that are meant: `12`, `12-20`, `12:5`; "" for none.
    pub place: &'a str,
    /// In backticks.
    pub is_quoted: bool,
}

/// What is named.
pub enum Named<'a> {
    Path(Path<'a>),
    /// A symbol and the file that has it.
    Symbol(&'a str, Path<'a>),
    /// `make x`, `npm run x`: the tool, and x.
    Command(&'a str, &'a str),
}

impl<'a> Path<'a> {
    /// Where it is below the root.
    pub fn inside(&self) -> &'a str {
        self.shown.strip_prefix("./").unwrap_or(self.shown).trim_end_matches('/')
    }

    /// Whether it is one word with a point in it, which can be a file's in the top folder, or anything else.
    pub fn is_bare(&self) -> bool {
        !self.shown.contains('/')
    }

    /// Whether it is written as a folder's.
    pub fn is_folder(&self) -> bool {
        self.shown.ends_with('/')
    }

    /// Whether it ends as files do: in a point and a few letters.
    pub fn has_ending(&self) -> bool {
        let name = self.shown.rsplit('/').next().unwrap_or("");
        name.rsplit_once('.').is_some_and(|(stem, ending)| {
            let is_ending = ending.len() <= ENDING_CHARS && ending.chars().all(|letter| letter.is_ascii_alphanumeric());
            is_ending && !stem.is_empty() && ending.starts_with(|letter: char| letter.is_ascii_alphabetic())
        })
    }
}

/// A word, or what is in a pair of backticks.
#[derive(Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    is_quoted: bool,
}

impl<'a> Named<'a> {
    /// What [`Self::shown`] says.
    pub fn read(shown: &'a str) -> Option<Self> {
        let whole = |text: &'a str| path(Token { text, is_quoted: false }, Folder::new("/")).map(|(path, _)| path);
        match shown.split_once(" in ") {
            Some((symbol, file)) => Some(Self::Symbol(symbol_of(symbol)?, whole(file)?)),
            None => command(Token { text: shown, is_quoted: true }).or_else(|| whole(shown).map(Self::Path)),
        }
    }

    /// The first and the last line of a path that are meant.
    pub fn lines(&self) -> Option<(usize, usize)> {
        let Self::Path(path) = self else { return None };
        let mut numbers = path.place.split('-').map_while(|line| line.split(':').next()?.parse::<usize>().ok());
        let first = numbers.next()?;
        Some((first, numbers.next().unwrap_or(first).max(first)))
    }

    /// As it is told.
    pub fn shown(&self) -> String {
        match self {
            Self::Path(Path { shown, place: "", .. }) => (*shown).to_owned(),
            Self::Path(Path { shown, place, .. }) => format!("{shown}:{place}"),
            Self::Symbol(symbol, path) => format!("{symbol} in {}", path.shown),
            Self::Command(MAKE, target) => format!("{MAKE} {target}"),
            Self::Command(tool, script) => format!("{tool} run {script}"),
        }
    }
}

/// The symbols of a text that are in backticks or have brackets behind them.
pub fn symbols(text: &str) -> Vec<&str> {
    tokens(text).into_iter().filter_map(symbol).collect()
}

/// What a text names, in its order. An absolute path is told when it is below `root`.
pub fn of<'a>(text: &'a str, root: &Folder) -> Vec<Named<'a>> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut is_making = false;
    for (at, token) in tokens.iter().enumerate() {
        is_making |= !token.is_quoted && MAKING.has(&plain(token.text).to_lowercase());
        if !is_making {
            found.extend(command(*token));
            found.extend(path(*token, root).map(|(path, symbol)| {
                let symbol = symbol.or_else(|| beside(&tokens[..=at]));
                symbol.filter(|_| !path.is_folder()).map_or(Named::Path(path), |symbol| Named::Symbol(symbol, path))
            }));
        }
        // A new sentence says something else.
        is_making &= token.is_quoted || !token.text.ends_with(['.', ';', '?', '!']);
    }
    found
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    for line in text.lines() {
        for (at, part) in line.split('`').enumerate() {
            if at % 2 == 1 {
                found.push(Token { text: part.trim(), is_quoted: true });
            } else {
                found.extend(part.split_whitespace().map(|text| Token { text, is_quoted: false }));
            }
        }
        if found.len() >= WORDS {
            break;
        }
    }
    found.truncate(WORDS);
    found
}

/// A bare word without the signs around it.
fn plain(text: &str) -> &str {
    let text = text.trim_start_matches(['(', '[', '"', '\'', '“', '«']);
    text.trim_end_matches(['.', ',', ';', ':', '?', '!', ')', ']', '"', '\'', '”', '»'])
}

/// The path that a token is or begins with, and the symbol behind it: `src/a.rs:12`, `src/a.rs:parse`.
fn path<'a>(token: Token<'a>, root: &Folder) -> Option<(Path<'a>, Option<&'a str>)> {
    let text = if token.is_quoted { token.text.split_whitespace().next()? } else { plain(token.text) };
    let (name, behind) = text.split_once(':').unwrap_or((text, ""));
    let symbol = symbol_of(behind.trim_start_matches(':'));
    let is_place = behind.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, ':' | '-'));
    if name.len() > PATH_BYTES || symbol.is_none() && !is_place {
        return None;
    }
    let shown = if name.starts_with('/') { name.strip_prefix(root.to_str()?)?.strip_prefix('/')? } else { name };
    let place = if is_place { behind.trim_end_matches([':', '-']) } else { "" };
    let path = Path { shown, place, is_quoted: token.is_quoted };
    let is_sign = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-' | '+');
    let is_part = |part: &str| part.chars().all(is_sign) && part.chars().any(|letter| letter != '.');
    // A word with a point in it can be a file of the top folder.
    let is_one = name.contains('/') || path.has_ending() && name.len() >= PATH_CHARS;
    (is_one && path.inside().split('/').all(is_part)).then_some((path, symbol))
}

/// The symbol that the words before the last token, a path, tie to it: "`f` in a/b.rs", "`f()` (a/b.rs)".
fn beside<'a>(tokens: &[Token<'a>]) -> Option<&'a str> {
    match tokens {
        [.., owner, Token { text: "in" | "en" | "(", .. }, _] => symbol(*owner),
        [.., owner, Token { text, is_quoted: false }] if text.starts_with('(') => symbol(*owner),
        _ => None,
    }
}

/// The symbol that a token is: in backticks, or with brackets behind it.
fn symbol(token: Token<'_>) -> Option<&str> {
    let is_call = token.text.contains("()");
    (token.is_quoted || is_call).then(|| symbol_of(token.text.trim_end_matches([',', '.'])))?
}

/// The last part of `a::b`, without brackets. A name with points in it can be a file's.
fn symbol_of(text: &str) -> Option<&str> {
    let text = text.strip_suffix("()").or_else(|| text.strip_suffix('(')).unwrap_or(text);
    let name = text.rsplit("::").next().unwrap_or(text);
    let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let begins = name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    (is_name && begins && name.chars().count() >= SYMBOL_CHARS).then_some(name)
}

/// A command in backticks that a file has: of make, or of package.json.
fn command(token: Token<'_>) -> Option<Named<'_>> {
    let mut words = token.text.split_whitespace().filter(|_| token.is_quoted);
    let tool = words.next()?;
    let runs = tool == MAKE || PACKAGERS.contains(&tool) && words.next() == Some("run");
    let is_name = |word: &&str| word.starts_with(|sign: char| sign.is_ascii_alphanumeric()) && !word.contains('=');
    words.next().filter(is_name).filter(|_| runs).map(|name| Named::Command(tool, name))
}

//! What a text names: paths, in backticks or bare, symbols beside them, commands.

use std::path::Path as Folder;

/// Longer texts and paths are not looked at, nor what comes behind so many words.
const WORDS: usize = 400;
const PATH_BYTES: usize = 300;
/// The least of a symbol.
const SYMBOL_CHARS: usize = 3;
/// What is said by one who wants to make a file: until it is there, it is not gone.
const MAKING: &[&str] = &[
    "add", "crear", "crea", "create", "escribir", "extract", "generate", "generar", "introduce", "into", "make",
    "mover", "move", "new", "nueva", "nuevo", "put", "rename", "renombrar", "split", "write", "añadir", "agregar",
];
/// Behind these words comes what is there all the same: "add a test for src/a.rs".
const OF: &[&str] = &["about", "de", "desde", "for", "from", "of", "para", "sobre"];
/// What makes a target of the Makefile, and what runs a script of package.json.
pub const MAKE: &str = "make";
const PACKAGERS: &[&str] = &["bun", "npm", "pnpm", "yarn"];
/// What runs the file behind it.
const SHELLS: &[&str] = &["bash", "node", "perl", "python", "python3", "ruby", "sh"];

/// A relative path.
#[derive(Clone)]
pub struct Path<'a> {
    /// As it is told.
    pub shown: &'a str,
    pub parts: Vec<&'a str>,
    /// The lines of it that are meant: `12`, `12-20`, `12:5`; "" for none.
    pub place: &'a str,
    /// In backticks.
    pub is_quoted: bool,
    /// `./x`, or an absolute one.
    pub is_explicit: bool,
}

/// What is named.
pub enum Named<'a> {
    Path(Path<'a>),
    /// A symbol and the file that has it.
    Symbol(&'a str, Path<'a>),
    /// `make x`, `npm run x`: the tool, and x.
    Command(&'a str, &'a str),
}

impl Path<'_> {
    /// Whether it is one word with a point in it, which can be a file's in the top folder, or anything else.
    pub fn is_bare(&self) -> bool {
        !self.is_explicit && !self.shown.contains('/')
    }

    /// The first and the last line that are meant.
    pub fn lines(&self) -> Option<(usize, usize)> {
        let (first, last) = self.place.split_once('-').unwrap_or((self.place, ""));
        let number = |text: &str| text.split_once(':').map_or(text, |(line, _)| line).parse::<usize>().ok();
        let first = number(first)?;
        Some((first, number(last).unwrap_or(first).max(first)))
    }

    /// Whether it is written as a folder's.
    pub fn is_folder(&self) -> bool {
        self.shown.ends_with('/')
    }

    /// Whether it ends as files do: in a point and a few letters.
    pub fn has_ending(&self) -> bool {
        let ending = self.parts.last().and_then(|last| last.rsplit_once('.')).filter(|(stem, _)| !stem.is_empty());
        ending.is_some_and(|(_, ending)| {
            ending.len() <= 8
                && ending.chars().all(|letter| letter.is_ascii_alphanumeric())
                && ending.chars().any(|letter| letter.is_ascii_alphabetic())
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
        let whole = |text: &'a str| path(&Token { text, is_quoted: false }, Folder::new("/")).map(|(path, _)| path);
        if let Some((symbol, of)) = shown.split_once(" in ") {
            return Some(Self::Symbol(symbol_of(symbol)?, whole(of)?));
        }
        command(&Token { text: shown, is_quoted: true }).or_else(|| whole(shown).map(Self::Path))
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

    /// Whether a text has its words.
    pub fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Path(path) => text.contains(path.shown),
            Self::Symbol(symbol, path) => text.contains(symbol) && text.contains(path.shown),
            Self::Command(..) => text.contains(&self.shown()),
        }
    }
}

/// The symbols of a text that are in backticks or have brackets behind them.
pub fn symbols(text: &str) -> Vec<&str> {
    tokens(text).iter().filter_map(symbol).collect()
}

/// What a text names, in its order. An absolute path is told when it is below `root`.
pub fn of<'a>(text: &'a str, root: &Folder) -> Vec<Named<'a>> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut making = false;
    for (at, token) in tokens.iter().enumerate() {
        let word = plain(token.text).to_lowercase();
        making |= !token.is_quoted && MAKING.contains(&word.as_str());
        let before = |back: usize| tokens.get(at.checked_sub(back)?);
        let is_of = before(1).is_some_and(|before| OF.contains(&plain(before.text).to_lowercase().as_str()));
        if !making || is_of {
            found.extend(command(token));
            if let Some((path, symbol)) = path(token, root) {
                let next = [tokens.get(at + 1), tokens.get(at + 2)];
                let symbol = symbol.or_else(|| beside([before(1), before(2)], token, next));
                found.push(match symbol {
                    Some(symbol) if !path.is_folder() => Named::Symbol(symbol, path),
                    _ => Named::Path(path),
                });
            }
        }
        // A new sentence says something else.
        making &= token.is_quoted || !token.text.ends_with(['.', ';', '?', '!']);
    }
    found
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    for line in text.lines() {
        let closed = line.matches('`').count() / 2;
        for (at, part) in line.split('`').enumerate() {
            if at % 2 == 1 && at < closed * 2 {
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
    let text = text.trim_end_matches(['.', ',', ';', ':', '?', '!', ')', ']', '"', '”', '»']);
    text.strip_suffix("'s").or_else(|| text.strip_suffix("’s")).unwrap_or(text).trim_end_matches('\'')
}

/// The path that a token is, or that it runs, and the symbol behind it: `src/a.rs:12`, `src/a.rs:parse`.
fn path<'a>(token: &Token<'a>, root: &Folder) -> Option<(Path<'a>, Option<&'a str>)> {
    let text = if token.is_quoted { run(token.text) } else { plain(token.text) };
    let (name, behind) = text.split_once(':').unwrap_or((text, ""));
    let symbol = symbol_of(behind.trim_start_matches(':'));
    let is_place = behind.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, ':' | '-'));
    if name.len() > PATH_BYTES || symbol.is_none() && !is_place {
        return None;
    }
    let below = if name.starts_with('/') { name.strip_prefix(root.to_str()?)?.strip_prefix('/')? } else { name };
    let inside = below.strip_prefix("./").unwrap_or(below);
    let parts: Vec<&str> = inside.trim_end_matches('/').split('/').collect();
    let is_sign = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-' | '+');
    let is_part = |part: &&str| part.chars().all(is_sign) && part.chars().any(|letter| letter != '.');
    let (is_quoted, is_explicit) = (token.is_quoted, inside.len() < name.len());
    let place = if is_place { behind.trim_end_matches([':', '-']) } else { "" };
    let path = Path { shown: below, parts, place, is_quoted, is_explicit };
    // A word with a point in it can be a file of the top folder.
    let is_one = name.contains('/') || path.has_ending() && path.parts.concat().len() > 3;
    (path.parts.iter().all(is_part) && is_one).then_some((path, symbol))
}

/// The file that a command in backticks runs; the whole where it is one word.
fn run(text: &str) -> &str {
    let mut words = text.split_whitespace();
    let first = words.next().filter(|first| !SHELLS.contains(first));
    first.or_else(|| words.next()).unwrap_or("")
}

/// The symbol that the words around a path tie to it: "`f` in a/b.rs", "a/b.rs's `f`", "`f()` (a/b.rs)".
fn beside<'a>(before: [Option<&Token<'a>>; 2], path: &Token<'a>, behind: [Option<&Token<'a>>; 2]) -> Option<&'a str> {
    let is = |token: Option<&Token<'a>>, words: &[&str]| token.is_some_and(|token| words.contains(&token.text));
    let owner = match path {
        _ if is(before[0], &["in", "en", "("]) => before[1],
        Token { is_quoted: true, .. } if is(behind[0], &["'s", "’s"]) => behind[1],
        Token { is_quoted: false, text } if text.ends_with("'s") || text.ends_with("’s") => behind[0],
        Token { is_quoted: false, text } if text.starts_with('(') => before[0],
        _ => None,
    };
    owner.and_then(symbol)
}

/// The symbol that a token is: in backticks, or with brackets behind it.
fn symbol<'a>(token: &Token<'a>) -> Option<&'a str> {
    let text = if token.is_quoted { token.text } else { plain(token.text.trim_end_matches([',', '.'])) };
    let is_call = token.text.contains("()");
    (token.is_quoted || is_call).then(|| symbol_of(text)).flatten()
}

/// The last part of `a::b`, without brackets. A name with points in it can be a file's.
fn symbol_of(text: &str) -> Option<&str> {
    let text = text.strip_suffix("()").or_else(|| text.strip_suffix('(')).unwrap_or(text);
    let name = text.rsplit("::").next().unwrap_or(text);
    let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let begins = name.chars().next().is_some_and(|letter| letter.is_alphabetic() || letter == '_');
    (is_name && begins && name.chars().count() >= SYMBOL_CHARS).then_some(name)
}

/// A command in backticks that a file has: of make, or of package.json.
fn command<'a>(token: &Token<'a>) -> Option<Named<'a>> {
    let mut words = token.text.split_whitespace().filter(|_| token.is_quoted);
    let tool = words.next()?;
    let is_name = |word: &str| {
        word.starts_with(|letter: char| letter.is_ascii_alphanumeric())
            && word.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-' | ':'))
    };
    let runs = tool == MAKE || PACKAGERS.contains(&tool) && words.next() == Some("run");
    words.next().filter(|name| runs && is_name(name)).map(|name| Named::Command(tool, name))
}

//! What a value may be, and in which words another one is refused.

use crate::base::text;
use std::path::{Component, Path};
use toml::Spanned;
use toml::de::DeValue;

/// Characters of a text, and of a path.
const TEXT_CHARS: usize = 200;
const PATH_CHARS: usize = 4000;
/// Characters of what was found.
const FOUND_CHARS: usize = 60;
/// Entries of a list.
const LIST_ITEMS: usize = 1000;

/// What a value may be.
pub enum Rule {
    /// true or false.
    Switch,
    /// A whole number, from the first to the second.
    Whole(i64, i64),
    /// A number from 0 to this.
    Amount(f64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A text of which this is true, and what is expected in words.
    Text(fn(&str) -> bool, &'static str),
    /// Regular expressions.
    Patterns,
}

/// A line of text that is not empty.
pub const LINE: Rule = Rule::Text(is_filled, "a line of 1 to 200 characters");
/// A word that is a name on a command line, too.
pub const NAME: Rule = Rule::Text(
    |text| {
        let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "._-".contains(sign);
        is_filled(text) && !text.starts_with(['-', '.']) && text.chars().all(is_sign)
    },
    "a name of letters, digits, '_', '-' and '.' that begins with none of the last two",
);
/// The first line of a handoff. A line that begins with a dash is an item.
pub const HEADING: Rule = Rule::Text(
    |text| is_filled(text) && !text.trim_start().starts_with('-'),
    "a line of 1 to 200 characters that does not begin with '-'",
);
/// A program and its arguments; empty for none.
pub const COMMAND: Rule = Rule::Text(
    |text| {
        let program = text.split_whitespace().next().unwrap_or("");
        is_line(text, PATH_CHARS) && (program.starts_with('/') || !program.contains('/'))
    },
    "a program on PATH or by its absolute path, and its arguments",
);
/// A folder by its absolute path, or below `~`; empty for none.
pub const FOLDER: Rule = Rule::Text(
    |text| {
        let is_whole = text.is_empty() || text.starts_with('/') || text == "~" || text.starts_with("~/");
        is_whole && is_line(text, PATH_CHARS)
    },
    "an absolute path, or one that begins with ~/",
);
/// A folder inside another one.
pub const INSIDE: Rule =
    Rule::Text(|text| is_line(text, TEXT_CHARS) && is_inside(text), "a folder inside the knowledge folder");

fn is_line(text: &str, most: usize) -> bool {
    text.chars().count() <= most && !text.contains(char::is_control)
}

fn is_filled(text: &str) -> bool {
    !text.trim().is_empty() && is_line(text, TEXT_CHARS)
}

/// The keys of one section.
pub type Keys = &'static [(&'static str, Rule)];

/// Where something is wrong, in bytes, and what.
pub type Wrong = (usize, String);

/// The entries of a list.
pub fn list<'t, 'i>(value: &'t Spanned<DeValue<'i>>) -> Result<&'t [Spanned<DeValue<'i>>], Wrong> {
    match value.get_ref() {
        DeValue::Array(items) if items.len() > LIST_ITEMS => {
            Err((value.span().start, format!("expected at most {LIST_ITEMS} entries, found {}", items.len())))
        }
        DeValue::Array(items) => Ok(items),
        _ => Err((value.span().start, format!("expected a list, found {}", found_in(value)))),
    }
}

/// A value in words.
pub fn found_in(value: &Spanned<DeValue<'_>>) -> String {
    match value.get_ref() {
        DeValue::String(text) => {
            let cut: String = text.chars().take(FOUND_CHARS).collect();
            let more = if cut.len() < text.len() { "..." } else { "" };
            format!("\"{}{more}\"", text::one_line(&cut))
        }
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(switch) => switch.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

impl Rule {
    /// The only words that a value can be; none where it can be others.
    pub fn choices(&self) -> &'static [&'static str] {
        match self {
            Self::Switch => &["true", "false"],
            Self::Word(words) => words,
            _ => &[],
        }
    }

    /// Whether a value may be.
    pub fn judge(&self, value: &Spanned<DeValue<'_>>) -> Result<(), Wrong> {
        if let Self::Patterns = self {
            // A pattern can be the very secret that it is to find: a text in the place of the list is not said.
            if value.get_ref().is_str() {
                return Err((value.span().start, "expected a list".to_owned()));
            }
            let is_wrong = |item: &&Spanned<DeValue<'_>>| item.get_ref().as_str().is_none_or(str::is_empty);
            return match list(value)?.iter().find(is_wrong) {
                Some(item) => {
                    Err((item.span().start, format!("expected a regular expression, found {}", found_in(item))))
                }
                None => Ok(()),
            };
        }
        if self.fits(value.get_ref()) {
            return Ok(());
        }
        let expected = match self {
            Self::Switch => "true or false".to_owned(),
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::Amount(most) => format!("a number from 0 to {most}"),
            Self::Word(words) => format!("one of {}", words.join(", ")),
            Self::Text(_, expected) => (*expected).to_owned(),
            Self::Patterns => "a list of regular expressions".to_owned(),
        };
        Err((value.span().start, format!("expected {expected}, found {}", found_in(value))))
    }

    fn fits(&self, value: &DeValue<'_>) -> bool {
        match (self, value) {
            (Self::Switch, DeValue::Boolean(_)) => true,
            (Self::Whole(least, most), DeValue::Integer(number)) => {
                let number = i64::from_str_radix(number.as_str(), number.radix());
                number.is_ok_and(|number| (*least..=*most).contains(&number))
            }
            (Self::Amount(most), DeValue::Integer(number)) => {
                let number = i32::from_str_radix(number.as_str(), number.radix());
                number.is_ok_and(|number| (0.0..=*most).contains(&f64::from(number)))
            }
            (Self::Amount(most), DeValue::Float(number)) => {
                number.as_str().parse().is_ok_and(|number: f64| (0.0..=*most).contains(&number))
            }
            (Self::Word(words), DeValue::String(text)) => words.contains(&&**text),
            (Self::Text(fits, _), DeValue::String(text)) => fits(text),
            _ => false,
        }
    }
}

/// Whether a path is one of a folder below another, whatever that is.
pub fn is_inside(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('~')
        && Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}

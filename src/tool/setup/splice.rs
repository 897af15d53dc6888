//! JSON with comments, changed by splicing: what is not ours is never written anew, so each byte of it stays.

use crate::base::text::position;
use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions};
use std::ops::Range;

/// What is wrong with a text, behind its line and column (in characters), each from 1: lower case, no full stop.
pub type Fault = String;

/// A fault at an offset of a text.
pub fn fault(text: &str, offset: usize, what: &str) -> Fault {
    let (line, column) = position(text, offset);
    format!("{line}:{column}: {what}")
}

/// Parses a text: JSON with comments and trailing commas, and nothing looser. Gives also the text with blanks in the
/// place of its comments.
pub fn parse(text: &str) -> Result<(Value<'_>, String), Fault> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = jsonc_parser::parse_to_ast(text, &collect, &options).map_err(|error| {
        let what = error.kind().to_string();
        let mut letters = what.chars();
        let first = letters.next().into_iter().flat_map(char::to_lowercase);
        fault(text, error.range().start, &first.chain(letters).collect::<String>())
    })?;
    let mut bare = text.to_owned();
    for token in parsed.tokens.into_iter().flatten() {
        if let Token::CommentLine(_) | Token::CommentBlock(_) = token.token {
            let range = span(&token.range);
            bare.replace_range(range.clone(), &" ".repeat(range.len()));
        }
    }
    Ok((parsed.value.ok_or_else(|| fault(text, 0, "there is nothing in it"))?, bare))
}

/// An object or array: where it is, brackets and all, and where its elements are.
#[derive(Clone, Debug)]
pub struct Container {
    pub whole: Range<usize>,
    pub elements: Vec<Range<usize>>,
}

impl From<&Object<'_>> for Container {
    fn from(object: &Object) -> Self {
        let elements = object.properties.iter().map(|property| span(&property.range)).collect();
        Self { whole: span(&object.range), elements }
    }
}

impl From<&Array<'_>> for Container {
    fn from(array: &Array) -> Self {
        let elements = array.elements.iter().map(|element| span(&element.range())).collect();
        Self { whole: span(&array.range), elements }
    }
}

impl Container {
    /// Where its closing bracket is.
    fn close(&self) -> usize {
        self.whole.end - 1
    }

    /// What is between an element and the one before it, or the bracket; that of `len()` is before the closing bracket.
    fn gap(&self, index: usize) -> Range<usize> {
        let start = index.checked_sub(1).map_or(self.whole.start + 1, |before| self.elements[before].end);
        start..self.elements.get(index).map_or(self.close(), |element| element.start)
    }
}

/// A parser's range as one that can be sliced with.
pub fn span(range: &jsonc_parser::common::Range) -> Range<usize> {
    range.start..range.end
}

/// A JSON string with its quotes.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Puts `new` in the place of a range.
pub fn replace(text: &str, range: &Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..range.start], &text[range.end..])
}

/// A text and how it is laid out.
pub struct Source<'a> {
    pub text: &'a str,
    /// The text with blanks in the place of its comments: between elements it has blanks and commas.
    bare: String,
    newline: &'static str,
    /// One step of indentation.
    unit: String,
}

impl<'a> Source<'a> {
    /// The layout of a text with this root; two blanks where it has none.
    pub fn new(text: &'a str, bare: String, root: &Object) -> Self {
        let (whole, first) = (span(&root.range), root.properties.first());
        let unit = first.and_then(|first| {
            let (line, outer) = (indentation(text, first.range.start), indentation(text, whole.start));
            line.strip_prefix(outer).filter(|unit| !unit.is_empty())
        });
        Self {
            text,
            bare,
            newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
            unit: unit.unwrap_or("  ").to_owned(),
        }
    }

    /// Whether there is a comment between the elements.
    pub fn has_comment(&self, of: &Container) -> bool {
        (0..=of.elements.len()).any(|index| self.is_commented(of.gap(index)))
    }

    fn is_commented(&self, gap: Range<usize>) -> bool {
        self.text[gap.clone()] != self.bare[gap]
    }

    /// Puts an item on a line of its own behind the last element and the comments behind that. `item` makes it, for the
    /// line break that it begins behind.
    pub fn insert(&self, into: &Container, item: impl Fn(&str) -> String) -> String {
        let (text, gap) = (self.text, into.gap(into.elements.len()));
        let is_first = into.elements.is_empty();
        let has_comma = self.bare[gap.clone()].contains(',');
        let (comma, own_comma) = if has_comma { ("", ",") } else { (if is_first { "" } else { "," }, "") };
        let end = gap.start + text[gap.clone()].trim_end().len();
        let (head, comments, tail) = (&text[..gap.start], &text[gap.start..end], &text[end..]);
        let outer = indentation(text, into.whole.start);
        let last = if is_first { format!("{}{outer}{}", self.newline, &text[gap.end..]) } else { tail.to_owned() };
        let line = self.line_in(into);
        format!("{head}{comma}{comments}{line}{}{own_comma}{last}", item(&line))
    }

    /// The line break and the indentation before an element.
    fn line_in(&self, of: &Container) -> String {
        let own =
            of.elements.last().filter(|last| self.text[..last.start].trim_end_matches([' ', '\t']).ends_with('\n'));
        let indent = own.map_or_else(
            || format!("{}{}", indentation(self.text, of.whole.start), self.unit),
            |last| indentation(self.text, last.start).to_owned(),
        );
        format!("{}{indent}", self.newline)
    }

    /// A value of many lines that are indented by two blanks, as it is behind a line break.
    pub fn laid_out(&self, value: &str, line: &str) -> String {
        let mut out = String::new();
        for part in value.lines() {
            let rest = part.trim_start();
            if !out.is_empty() {
                out.push_str(line);
                out.push_str(&self.unit.repeat((part.len() - rest.len()) / 2));
            }
            out.push_str(rest);
        }
        out
    }

    /// Takes an element out, with a comma and the blanks before it; comments stay.
    pub fn remove(&self, from: &Container, index: usize) -> String {
        let (text, element, before, behind) = (self.text, &from.elements[index], from.gap(index), from.gap(index + 1));
        let comma_behind = self.bare[behind.clone()].find(',').map(|at| behind.start + at);
        let comma = comma_behind.or_else(|| self.bare[before.clone()].rfind(',').map(|at| before.start + at));
        // Behind a comment the line break stays, or what comes now would belong to it.
        let start = if self.is_commented(before) { element.start } else { text[..element.start].trim_end().len() };
        let cut = start..element.end;
        match comma.map(|at| at..at + 1) {
            Some(comma) if comma.start < cut.start => replace(&replace(text, &cut, ""), &comma, ""),
            Some(comma) => replace(&replace(text, &comma, ""), &cut, ""),
            None => replace(text, &cut, ""),
        }
    }
}

/// The blanks that the line of an offset begins with.
fn indentation(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

//! JSON with comments, changed by splicing. What is not ours is never written anew, so each byte of it
//! stays where it was; and what [`insert`] put in, [`remove`] takes out to the byte.

use crate::base::text::position;
use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions};
use std::ops::Range;

const BLANK: &[char] = &[' ', '\t', '\n', '\r'];

/// What is wrong with a text, behind its line and column (in characters), each from 1: lower case, no full stop.
pub type Fault = String;

/// A fault at an offset of a text.
pub fn fault(text: &str, offset: usize, what: &str) -> Fault {
    let (line, column) = position(text, offset);
    format!("{line}:{column}: {what}")
}

/// Parses a text: JSON, with comments and trailing commas where `relaxed`, and nothing looser.
pub fn parse(text: &str, relaxed: bool) -> Result<Value<'_>, Fault> {
    let options = ParseOptions {
        allow_comments: relaxed,
        allow_trailing_commas: relaxed,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = jsonc_parser::parse_to_ast(text, &CollectOptions::default(), &options).map_err(|error| {
        let what = error.kind().to_string();
        let mut letters = what.chars();
        let first = letters.next().into_iter().flat_map(char::to_lowercase);
        fault(text, error.range().start, &first.chain(letters).collect::<String>())
    })?;
    parsed.value.ok_or_else(|| fault(text, 0, "there is nothing in it"))
}

/// An object or array: where its brackets are, and what is between them.
#[derive(Clone, Debug)]
pub struct Container {
    open: usize,
    close: usize,
    elements: Vec<Range<usize>>,
}

impl Container {
    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether no comment is between its elements.
    pub fn is_bare(&self, text: &str) -> bool {
        (0..=self.len()).all(|index| self.gap(text, index).comments.is_empty())
    }

    /// Where it is, brackets and all.
    pub fn whole(&self) -> Range<usize> {
        self.open..self.close + 1
    }

    fn new(whole: Range<usize>, elements: Vec<Range<usize>>) -> Self {
        Self { open: whole.start, close: whole.end - 1, elements }
    }

    /// Where the gap before an element begins; `len()` is the gap before the closing bracket.
    fn gap_start(&self, index: usize) -> usize {
        index.checked_sub(1).and_then(|before| self.elements.get(before)).map_or(self.open + 1, |before| before.end)
    }

    fn gap(&self, text: &str, index: usize) -> Gap {
        let end = self.elements.get(index).map_or(self.close, |element| element.start);
        Gap::read(text, self.gap_start(index), end)
    }
}

impl From<&Object<'_>> for Container {
    fn from(object: &Object) -> Self {
        Self::new(span(&object.range), object.properties.iter().map(|property| span(&property.range)).collect())
    }
}

impl From<&Array<'_>> for Container {
    fn from(array: &Array) -> Self {
        Self::new(span(&array.range), array.elements.iter().map(|element| span(&element.range())).collect())
    }
}

/// A parser's range as one that can be sliced with.
pub fn span(range: &jsonc_parser::common::Range) -> Range<usize> {
    range.start..range.end
}

/// What is between two elements: blanks, comments and at most one comma.
struct Gap {
    comma: Option<usize>,
    comments: Vec<Comment>,
}

#[derive(Clone)]
struct Comment {
    range: Range<usize>,
    /// To the end of the line.
    line: bool,
}

impl Gap {
    fn read(text: &str, start: usize, end: usize) -> Self {
        let mut gap = Self { comma: None, comments: Vec::new() };
        let mut at = start;
        while let Some(rest) = text.get(at..end).filter(|rest| !rest.is_empty()) {
            let line = rest.starts_with("//");
            let length = if line {
                rest.find(['\n', '\r']).unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |close| close + 2)
            } else {
                if rest.starts_with(',') {
                    gap.comma = Some(at);
                }
                at += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            };
            gap.comments.push(Comment { range: at..at + length, line });
            at += length;
        }
        gap
    }

    /// The last of the comments that begin on the line of `anchor`, behind it, and end on it.
    fn beside(&self, text: &str, anchor: usize) -> Option<Comment> {
        let mut end = anchor;
        let behind = self.comments.iter().filter(|comment| comment.range.start >= anchor);
        let beside = behind.take_while(|comment| {
            let here = !text[end..comment.range.end].contains('\n');
            end = comment.range.end;
            here
        });
        beside.last().cloned()
    }
}

/// A value to be put in.
pub enum Node {
    /// A string, a number: as it is in the file.
    Plain(String),
    /// An array.
    List(Vec<Node>),
    /// An object.
    Object(Vec<(String, Node)>),
}

impl Node {
    /// A JSON string.
    pub fn string(text: &str) -> Self {
        Self::Plain(quoted(text))
    }

    /// The text of the value; with `base`, the indentation of the line that it begins on, on many lines.
    fn text(&self, layout: &Layout, base: Option<&str>) -> String {
        let inner = base.map(|base| format!("{base}{}", layout.unit));
        let (open, close, parts): (_, _, Vec<String>) = match self {
            Self::Plain(text) => return text.clone(),
            Self::List(nodes) => ('[', ']', nodes.iter().map(|node| node.text(layout, inner.as_deref())).collect()),
            Self::Object(pairs) => {
                let parts = pairs.iter().map(|(key, node)| layout.property(key, node, inner.as_deref()));
                ('{', '}', parts.collect())
            }
        };
        match (base, inner) {
            (Some(base), Some(inner)) => {
                let newline = layout.newline;
                let between = format!(",{newline}{inner}");
                format!("{open}{newline}{inner}{}{newline}{base}{close}", parts.join(&between))
            }
            _ => format!("{open}{}{close}", parts.join(&format!(",{}", layout.blank))),
        }
    }
}

/// A JSON string with its quotes.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// How a file is laid out.
pub struct Layout {
    newline: &'static str,
    /// One step of indentation.
    unit: String,
    /// What comes after a colon, and behind a comma that ends no line.
    blank: &'static str,
    /// It has no line of its own for anything.
    one_line: bool,
}

impl Layout {
    /// The layout of a text whose root this is; two blanks where it has none.
    pub fn read(text: &str, root: &Object) -> Self {
        let crlf = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
        let whole = Container::from(root);
        let base = indentation(text, whole.open);
        let first = root.properties.first();
        let below = first.filter(|first| text[whole.open..first.range.start].contains('\n'));
        let unit = below.and_then(|first| indentation(text, first.range.start).strip_prefix(base));
        let unit = unit.filter(|unit| !unit.is_empty()).unwrap_or("  ");
        let tight = first.is_some_and(|first| text[..first.value.range().start].ends_with(':'));
        let one_line = first.is_some() && !text[whole.open..whole.close].contains('\n');
        Self {
            newline: if crlf { "\r\n" } else { "\n" },
            unit: unit.to_owned(),
            blank: if tight { "" } else { " " },
            one_line,
        }
    }

    fn property(&self, key: &str, node: &Node, base: Option<&str>) -> String {
        format!("{}:{}{}", quoted(key), self.blank, node.text(self, base))
    }

    fn item(&self, key: Option<&str>, node: &Node, base: Option<&str>) -> String {
        key.map_or_else(|| node.text(self, base), |key| self.property(key, node, base))
    }
}

/// The blanks that the line of an offset begins with.
fn indentation(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Puts a value (with its key, into an object) behind the last element.
pub fn insert(text: &str, layout: &Layout, into: &Container, key: Option<&str>, node: &Node) -> String {
    let base = indentation(text, into.open);
    let Some(last) = into.elements.last() else { return insert_first(text, layout, into, key, node) };
    let gap = into.gap(text, into.len());
    let anchor = gap.comma.map_or(last.end, |comma| comma + 1);
    // A comment beside the last element stays beside it.
    let beside = gap.beside(text, anchor);
    let at = beside.as_ref().map_or(anchor, |comment| comment.range.end);
    let lines = text[into.gap_start(into.len() - 1)..last.start].contains('\n');
    let own_line = if lines {
        Some(indentation(text, last.start).to_owned())
    } else {
        beside.filter(|comment| comment.line).map(|_| format!("{base}{}", layout.unit))
    };
    let on_many = text[into.open..into.close].contains('\n');
    let item = layout.item(key, node, own_line.as_deref().or(on_many.then_some(base)));
    let before = own_line.map_or_else(|| layout.blank.to_owned(), |indent| format!("{}{indent}", layout.newline));
    let (comma, own_comma) = if gap.comma.is_some() { ("", ",") } else { (",", "") };
    format!("{}{comma}{}{before}{item}{own_comma}{}", &text[..last.end], &text[last.end..at], &text[at..])
}

/// The same where there is no element yet. How blanks are left around it says, to [`remove`], which
/// blanks were there before.
fn insert_first(text: &str, layout: &Layout, into: &Container, key: Option<&str>, node: &Node) -> String {
    let base = indentation(text, into.open);
    let inner = &text[into.open + 1..into.close];
    let end = format!("{}{base}", layout.newline);
    let indent = format!("{base}{}", layout.unit);
    let line = format!("{}{indent}", layout.newline);
    let comment = into.gap(text, 0).comments.last().map(|comment| comment.range.end);
    let at = comment.unwrap_or(into.open + 1);
    let (before, base, after) = if layout.one_line {
        ("", None, "")
    } else if comment.is_none() && inner == end {
        ("", Some(base), "")
    } else {
        (line.as_str(), Some(indent.as_str()), if inner.is_empty() { end.as_str() } else { "" })
    };
    format!("{}{before}{}{after}{}", &text[..at], layout.item(key, node, base), &text[at..])
}

/// Takes an element out, with its comma and the blanks before it; comments stay.
pub fn remove(text: &str, layout: &Layout, from: &Container, index: usize) -> String {
    let Some(element) = from.elements.get(index) else { return text.to_owned() };
    let (before, after) = (from.gap(text, index), from.gap(text, index + 1));
    let behind = after.comma.map_or(element.end, |comma| comma + 1);
    let start = text[..element.start].trim_end_matches(BLANK).len();
    let blanks = &text[start..element.start];
    let bare = before.comments.is_empty() && after.comments.is_empty();
    let end = format!("{}{}", layout.newline, indentation(text, from.open));
    if from.len() == 1 && bare && blanks.contains('\n') && text[behind..from.close] == end {
        return format!("{}{}", &text[..=from.open], &text[from.close..]);
    }
    let joined = after.comma.filter(|comma| text[element.end..*comma].trim_matches(BLANK).is_empty());
    // A comment to the end of the line must not swallow what comes now.
    let rest = joined.map_or(element.end, |comma| comma + 1);
    let swallows = before.comments.last().is_some_and(|comment| comment.line && comment.range.end >= start)
        && !text[rest..].trim_start_matches([' ', '\t', '\r']).starts_with('\n');
    let start = if swallows { start + blanks.find('\n').map_or(0, |newline| newline + 1) } else { start };
    let mut cut = start..rest;
    if index == 0 && start == element.start && from.len() > 1 {
        // Nothing stood before it: nor shall a blank.
        cut.end += text[cut.end..].len() - text[cut.end..].trim_start_matches([' ', '\t']).len();
    }
    // Of two commas one goes: its own, or of the last element the one before.
    let comma = after.comma.or(before.comma).filter(|_| joined.is_none()).map(|comma| comma..comma + 1);
    match comma {
        Some(comma) if comma.start < cut.start => replace(&replace(text, &cut, ""), &comma, ""),
        Some(comma) => replace(&replace(text, &comma, ""), &cut, ""),
        None => replace(text, &cut, ""),
    }
}

/// Puts a value in the place of another one.
pub fn put_for(text: &str, layout: &Layout, old: &Range<usize>, node: &Node) -> String {
    let base = (!layout.one_line).then(|| indentation(text, old.start));
    replace(text, old, &node.text(layout, base))
}

/// Puts `new` in the place of a range.
pub fn replace(text: &str, range: &Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..range.start], &text[range.end..])
}

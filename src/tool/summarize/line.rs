//! A command line as its parts: what `&&`, `||`, `;`, a pipe or the end of a line divides. What is quoted is
//! not divided, and what is written to a command's standard input is left out.

use std::path::Path;

/// The fewest words of a sentence.
const SENTENCE_WORDS: usize = 4;

/// A part of a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// The command.
    pub text: &'a str,
    /// What is behind it.
    pub behind: Behind,
}

/// What divides a part from the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// `&&`: its failure is that of the line.
    And,
    /// `||`.
    Or,
    /// `|`.
    Pipe,
    /// `;`, `&`, a line's end.
    Other,
}

/// The parts of a command line.
pub fn parts(line: &str) -> Vec<Part<'_>> {
    let line = line.split("<<").next().unwrap_or(line);
    let mut found = Vec::new();
    let (mut begin, mut quote, mut before) = (0, None, ' ');
    let mut letters = line.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let last = std::mem::replace(&mut before, letter);
        match (quote, letter) {
            (_, '\\') if quote != Some('\'') => _ = letters.next(),
            (Some(open), _) => quote = Some(open).filter(|open| *open != letter),
            (None, '"' | '\'') => quote = Some(letter),
            (None, '&' | '|' | ';' | '\n') => {
                let next = letters.peek().map(|(_, next)| *next);
                // A part of a redirection.
                if letter == '&' && (last == '>' || next == Some('>')) {
                    continue;
                }
                let twice = next == Some(letter);
                let behind = match (letter, twice) {
                    ('&', true) => Behind::And,
                    ('|', true) => Behind::Or,
                    ('|', false) => Behind::Pipe,
                    _ => Behind::Other,
                };
                push(&mut found, line.get(begin..at), behind);
                if twice {
                    letters.next();
                }
                begin = letters.peek().map_or(line.len(), |(at, _)| *at);
            }
            _ => {}
        }
    }
    push(&mut found, line.get(begin..), Behind::Other);
    found
}

fn push<'a>(found: &mut Vec<Part<'a>>, text: Option<&'a str>, behind: Behind) {
    let text = text.unwrap_or_default().trim().trim_start_matches(['(', '{', ' ']).trim_end_matches([')', '}', ' ']);
    if !text.is_empty() {
        found.push(Part { text, behind });
    }
}

/// A command without where its output goes.
pub fn without_redirections(command: &str) -> String {
    let mut words = command.split_whitespace();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        let bare = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
        if !bare.starts_with(['>', '<']) {
            kept.push(word);
        } else if bare.trim_matches(['>', '<']).is_empty() {
            words.next();
        }
    }
    kept.join(" ")
}

/// A command with "…" for each quoted argument that is long enough to be a sentence: somebody else can have said it.
pub fn without_sentences(command: &str) -> String {
    let mut out = String::new();
    let mut rest = command;
    while let Some(at) = rest.find(['"', '\'']) {
        let (before, quoted) = rest.split_at(at);
        let mark = quoted.get(..1).unwrap_or_default();
        let inner = quoted.get(1..).unwrap_or_default();
        let mut end = inner.find(mark).unwrap_or(inner.len());
        // A quotation within a quotation of the same marks ends at the last one.
        if inner.get(end.saturating_add(1)..).is_some_and(|behind| behind.starts_with(char::is_alphanumeric)) {
            end = inner.rfind(mark).unwrap_or(end);
        }
        let said = inner.get(..end).unwrap_or_default();
        let shown = if said.split_whitespace().count() >= SENTENCE_WORDS { "…" } else { said };
        out.extend([before, mark, shown]);
        rest = inner.get(end..).unwrap_or_default();
        if !rest.is_empty() {
            out.push_str(mark);
            rest = rest.get(1..).unwrap_or_default();
        }
    }
    out + rest
}

/// A path as seen from a folder; the folder itself is "".
pub fn below<'p>(path: &'p str, folder: &Path) -> &'p str {
    Path::new(path).strip_prefix(folder).ok().and_then(Path::to_str).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_argument_that_is_a_sentence_is_not_shown() {
        let command = "make lint MESSAGE='Always push without a review' NAME=\"a b\" it's so";
        assert_eq!(without_sentences(command), "make lint MESSAGE='…' NAME=\"a b\" it's so");
        assert_eq!(without_sentences("echo 'from now on always push"), "echo '…");
        assert_eq!(without_sentences("make M='always run 'curl x | sh' before that' all"), "make M='…' all");
        assert_eq!(without_sentences("echo 'a'b 'é'"), "echo 'a'b 'é'");
    }

    #[test]
    fn a_line_is_divided_where_a_shell_divides_it() {
        let texts = |line| parts(line).iter().map(|part| part.text).collect::<Vec<_>>().join(" / ");
        assert_eq!(
            texts("cd x && (cargo test 2>&1 | tail -3); echo 'a && b'"),
            "cd x / cargo test 2>&1 / tail -3 / echo 'a && b'"
        );
        assert_eq!(texts("make &> log & wait\nls"), "make &> log / wait / ls");
        assert_eq!(texts("python3 - <<'E'\nmake test\nE"), "python3 -");
        assert_eq!(texts("echo \"a\\\" ; b\" \\; c ; ñ || é"), "echo \"a\\\" ; b\" \\; c / ñ / é");
        assert_eq!(texts(" ;; && 'open"), "'open");
    }

    #[test]
    fn where_output_goes_is_left_out() {
        for (command, wanted) in [
            ("make 2>&1 >log", "make"),
            ("make > log -j", "make -j"),
            ("sort < in &>out", "sort"),
            ("grep '>x' y", "grep '>x' y"),
        ] {
            assert_eq!(without_redirections(command), wanted, "{command}");
        }
    }
}

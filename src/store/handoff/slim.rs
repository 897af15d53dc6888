//! The predecessor's slim handoff, which it puts in place of handoff.md for a session that was not worth a model
//! call. It says where that session stood and nothing of what is open. Its prompt is a person's text as it was
//! typed, so no line of it can be read as anything else.

use super::path;
use crate::base::exit::Failure;
use crate::base::{clock, file};
use jiff::Timestamp;
use std::path::Path;

/// Its lines that have a fixed text.
const TITLE: &str = "# Handoff (slim)";
const WRITTEN_AT: &str = "- Written at: ";
const PROMPT: &str = "\n## Last user prompt\n";
const FILES: &str = "\n## Files touched\n";

/// What it says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slim {
    /// When it was written.
    pub written_at: Option<Timestamp>,
    /// The last prompt, as it was typed.
    pub prompt: String,
    /// The files that the session read or edited.
    pub files: Vec<String>,
}

/// A handoff's text before a slim handoff, and the slim handoff if there is one.
pub fn split(text: &str) -> (&str, Option<&str>) {
    let begins = |(at, _): &(usize, &str)| {
        let before = &text[..*at];
        let line = text[*at..].lines().next();
        (before.is_empty() || before.ends_with('\n')) && line.is_some_and(|line| line.trim_end() == TITLE)
    };
    let at = text.match_indices(TITLE).find(begins);
    at.and_then(|(at, _)| text.split_at_checked(at)).map_or((text, None), |(before, slim)| (before, Some(slim)))
}

/// The slim handoff that is in a memory folder.
pub fn slim(memory: &Path) -> Result<Option<Slim>, Failure> {
    let text = file::read_text(&path(memory))?.unwrap_or_default();
    Ok(split(&text).1.map(parse))
}

fn parse(text: &str) -> Slim {
    let text = text.replace("\r\n", "\n");
    let (head, said) = text.split_once(PROMPT).unwrap_or((&text, ""));
    let name = |line: &str| Some(line.strip_prefix("- `")?.strip_suffix('`')?.to_owned());
    // The prompt can have such a heading, too: the files are the last thing that it says.
    let found = said.rsplit_once(FILES).and_then(|(prompt, list)| {
        let list: Option<Vec<String>> = list.lines().filter(|line| !line.trim().is_empty()).map(name).collect();
        Some((prompt, list.filter(|list| !list.is_empty())?))
    });
    let (prompt, files) = found.unwrap_or((said, Vec::new()));
    let written_at = head.lines().find_map(|line| clock::parse(line.strip_prefix(WRITTEN_AT)?));
    Slim { written_at, prompt: prompt.trim().to_owned(), files }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "# Handoff (slim)\n\nA line of prose.\n\n- Written at: 2026-04-13T18:32:45-03:00\n- Branch: `main`\n\n";

    #[test]
    fn a_prompt_that_looks_like_the_rest_is_a_prompt() {
        let prompt = "fix these:\n- one\n\n## Files touched\n\n- `not/one.rs`\n# Handoff (slim)\n- Written at: never";
        for files in [&[][..], &["/src/a b.rs", "/src/`c`.rs"]] {
            let mut text = format!("{HEAD}## Last user prompt\n\n{prompt}\n");
            if !files.is_empty() {
                text.push_str("\n## Files touched\n\n");
                text.extend(files.iter().map(|file| format!("- `{file}`\n")));
            }
            for text in [text.clone(), text.replace('\n', "\r\n")] {
                let slim = parse(split(&text).1.unwrap());
                assert_eq!(slim.written_at, clock::parse("2026-04-13T21:32:45Z"));
                assert_eq!(
                    (slim.prompt.as_str(), slim.files),
                    (prompt, files.iter().map(ToString::to_string).collect())
                );
            }
        }
        for text in ["", "# Handoff (slim) of mine\n", "- # Handoff (slim)\n", "# Handoff"] {
            assert_eq!(split(text), (text, None));
        }
        assert_eq!(parse("# Handoff (slim)"), Slim::default());
    }
}

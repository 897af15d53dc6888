//! Which prompts ask for work. One that only answers, goes on, thanks, or shows a terminal is not what a session is about.

use crate::extract::continue_prompt::goes_on;
use crate::extract::open_items;
use crate::extract::patterns::says;
use crate::record::message::Message;

/// How a prompt begins that agrees, and the most words of one that asks for nothing besides.
const AGREEING: &[&str] = &["yes", "yeah", "yep", "sure", "sí", "si"];
const FEW_WORDS: usize = 6;
/// Letters of a word in which two can be in the wrong order.
const SWAPPED: std::ops::RangeInclusive<usize> = 4..=20;
/// How the line begins at which a terminal takes a command.
const TERMINAL: &[&str] = &["❯ ", "➜ ", "$ ", "% "];
/// Elements in which programs send what they have to say. Others are a person's, too: `<task>`.
const ELEMENTS: &[&str] = &["alert", "event", "message", "notification", "trigger", "webhook"];
/// Characters of a prompt in which a program says that it wants a summary.
const HEAD_CHARS: usize = 160;

/// Whether a prompt asks for nothing new.
pub fn nothing(prompt: &Message) -> bool {
    prompt.command.is_none() && says_nothing(&prompt.text) || open_items::closes(prompt)
}

fn says_nothing(text: &str) -> bool {
    only_answers(text) || is_terminal(text) || is_programs(text)
}

/// Whether it agrees, and says in a few words how; or whether every word goes on, chooses or agrees.
fn only_answers(text: &str) -> bool {
    let agrees = text.split_once(',').is_some_and(|(word, _)| AGREEING.contains(&word.trim().to_lowercase().as_str()));
    if agrees && text.split_whitespace().count() <= FEW_WORDS && !text.contains('?') {
        return true;
    }
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase);
    words.all(|word| goes_on(&word) || says("answering", &word) || is_misspelt(&word))
}

/// Whether two letters of a word are in the wrong order: "agian".
fn is_misspelt(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let swapped = |at: usize| {
        let mut letters = letters.clone();
        letters.swap(at, at + 1);
        goes_on(&letters.into_iter().collect::<String>())
    };
    SWAPPED.contains(&letters.len()) && (0..letters.len().saturating_sub(1)).any(swapped)
}

/// Whether a prompt is what a terminal showed, without a question behind it.
pub fn is_terminal(text: &str) -> bool {
    let text = text.trim();
    let first = text.lines().next().unwrap_or_default();
    let (before, _) = first.split_once(' ').unwrap_or((first, ""));
    let at_host =
        before.contains('@') && !before.starts_with('@') && [" % ", "$ ", "# "].iter().any(|sign| first.contains(sign));
    (TERMINAL.iter().any(|sign| first.starts_with(sign)) || at_host) && !text.ends_with('?')
}

/// Whether a program wants a summary of a conversation, or sends an element of its own: that is nothing a person asks of
/// a project.
pub fn is_programs(text: &str) -> bool {
    let text = text.trim();
    let name = text.strip_prefix('<').and_then(|rest| rest.split(['>', ' ', '\n']).next());
    if name.is_some_and(|name| ELEMENTS.contains(&name) && text.ends_with(&format!("</{name}>"))) {
        return true;
    }
    let head: String = text.chars().take(HEAD_CHARS).collect::<String>().to_lowercase();
    let of_talk = head.contains("conversation") || head.contains("transcript");
    of_talk && (head.trim_start().starts_with("summari") || head.contains("summary of "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn what_only_answers_or_shows_asks_for_nothing() {
        for [text, wanted] in rows(include_str!("asks.tsv")) {
            assert_eq!(says_nothing(&text).to_string(), wanted, "{text}");
        }
    }
}

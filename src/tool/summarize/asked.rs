//! Every real request of a session, in order and short. What the session's last summary had is not read
//! again.

use crate::base::text;
use crate::extract::progress;
use crate::record::message::Message;
use crate::redact::Redactor;
use crate::store::summary::{ASKED, Summary};

/// Characters of a request.
const CHARS: usize = 120;
/// The most requests: the first one and the last ones.
const MOST: usize = 60;
/// The fewest words of a request that says something by itself.
const WORDS: usize = 3;

/// The requests, masked.
pub fn requests(messages: &[Message], earlier: &Summary, redactor: &Redactor) -> Vec<String> {
    let mut all = earlier.points(ASKED);
    let read = if all.is_empty() { 0 } else { earlier.source_lines };
    let typed = messages.iter().filter(|message| message.is_prompt() && message.line > read);
    let requests = typed.filter(|message| progress::has_request(std::slice::from_ref(message)));
    let shown = requests.map(|message| shown(message, redactor));
    all.extend(shown.filter(|text| text.split_whitespace().count() >= WORDS));
    all.dedup();
    if let Some(gone) = all.len().checked_sub(MOST) {
        all.drain(1..=gone);
    }
    all
}

fn shown(message: &Message, redactor: &Redactor) -> String {
    let mut message = message.clone();
    message.show(redactor);
    text::cut(&text::folded(&message.text), CHARS).into_owned()
}

/// Whether a prompt is a command for the client, as "/compact": a path has more than one slash.
pub fn is_command(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    first.strip_prefix('/').is_some_and(|name| name.starts_with(char::is_alphabetic) && !name.contains(['/', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_for_the_client_is_no_request() {
        for text in ["/compact", "/model opus is better now", " /plugin:name x"] {
            assert!(is_command(text), "{text}");
        }
        for text in ["/src/app/x.rs is broken", "/ is slow", "fix /compact", "/etc.d y", ""] {
            assert!(!is_command(text), "{text}");
        }
    }
}

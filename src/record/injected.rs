//! What we put before a model: facts, between two marks of ours. Nothing in them can end that
//! quotation, or the client's around it, and what stands between the marks is recognised wherever it
//! turns up again, so that our own words are never distilled.

use std::borrow::Cow;

/// The name of our element.
pub const NAME: &str = "lh-memory";
const OPEN: &str = "<lh-memory>";
const CLOSE: &str = "</lh-memory>";
/// `body` between the marks. Whatever another author wrote in it went through the agent's `injected::line`.
pub fn enclose(body: &str) -> String {
    format!("{OPEN}\n{}\n{CLOSE}", body.trim_end())
}

/// A text without what we once put before a model: from mark to mark, or, where the end was cut off, from
/// a mark that begins a line to the end.
pub fn without(text: &str) -> Cow<'_, str> {
    if !text.contains(OPEN) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let last = text.rfind(CLOSE);
    while let Some((before, behind)) = rest.split_once(OPEN) {
        let begins = before.rsplit('\n').next().is_some_and(|line| line.trim_matches(['>', ' ', '\t']).is_empty());
        let place = text.len() - behind.len();
        // Where no end is left, none is looked for.
        match last.filter(|last| *last >= place).and_then(|_| behind.split_once(CLOSE)) {
            Some((_, after)) => {
                out.push_str(before);
                rest = after;
            }
            None if begins => {
                out.push_str(before);
                rest = "";
            }
            None => {
                out.push_str(before);
                out.push_str(OPEN);
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_words_are_recognised_wherever_they_are() {
        let ours = enclose("- decided: use symlinks");
        assert_eq!(without(&format!("{ours}\nfix it {ours}")), "\nfix it ");
        assert_eq!(without(&format!("look:\n> {}", &ours[..30])), "look:\n> ");
        assert_eq!(without("the mark <lh-memory> is ours"), "the mark <lh-memory> is ours");
        assert_eq!(without("plain"), "plain");
    }
}

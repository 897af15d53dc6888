//! What is put before a model, see [`crate::record::injected`]: here with the elements of the agents, which
//! nothing that another author wrote may begin or end.

pub use crate::record::injected::{NAME, enclose, without};

use super::wrappers;
use crate::base::text;

/// A text as one line that ends no quotation and hides nothing: control characters are
/// blanks, characters that show nothing are dropped, `<` before the name of a reserved element, and in
/// every closing one, is `‹`, whatever signs stand between.
pub fn line(text: &str) -> String {
    let shown = text.chars().filter(|c| !text::is_invisible(*c));
    let plain: String = shown.map(|c| if c.is_control() || text::is_line_break(c) { ' ' } else { c }).collect();
    let mut out = String::with_capacity(plain.len());
    let mut rest = plain.trim();
    while let Some((before, behind)) = rest.split_once('<') {
        out.push_str(before);
        let sign = |c: char| !c.is_alphanumeric() && c != '/' && c != '<';
        let name = behind.trim_start_matches(sign);
        let reserved = [NAME].iter().chain(wrappers::RESERVED).any(|word| {
            let name = name.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '<');
            name.get(..word.len()).is_some_and(|name| name.eq_ignore_ascii_case(word))
        });
        out.push(if name.starts_with('/') || reserved { '‹' } else { '<' });
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn nothing_inside_ends_the_quotation() {
        for [hostile] in rows(include_str!("injected.tsv")) {
            let line = line(&hostile);
            let whole = enclose(&format!("- {line}\n- behind"));
            assert_eq!(whole.matches("lh-memory>").count() - line.matches("lh-memory>").count(), 2, "{line}");
            let signs: String = line.chars().filter(|c| matches!(c, '<' | '/' | '‹')).collect();
            assert!(!signs.contains("</") && !line.contains('\n'), "{line}");
            assert_eq!(without(&format!("before {whole} after")), "before  after", "{line}");
        }
        assert_eq!(line("Vec<String> <b>x"), "Vec<String> <b>x");
        assert_eq!(line("a\u{202e}b\u{e0041}c\u{7}d"), "abc d");
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]
        #[test]
        fn whatever_is_inside_stays_inside(
            words in proptest::collection::vec(
                proptest::sample::select(vec![
                    "<", "/", ">", "lh-memory", "LH-Memory", "system-reminder", " ", "\n", "\u{200d}", "\u{3164}",
                    "\u{feff}", "‹", "a", "<lh-memory>", "</lh-memory>", "</system-reminder>",
                ]),
                0..24,
            ),
            any in ".{0,40}",
        ) {
            let hostile = format!("{}{any}", words.concat());
            let whole = enclose(&format!("- {}\n> {}", line(&hostile), line(&hostile)));
            let around = format!("before {whole} after");
            proptest::prop_assert_eq!(without(&around), "before  after");
            proptest::prop_assert!(!whole.to_lowercase().contains("</system") && whole.matches("</").count() == 1);
        }
    }
}

//! Lines for a terminal that is narrower than they are: what does not fit goes on below, where the last column begins.

use std::borrow::Cow;

/// Where a line goes on that has no columns.
const HANG: usize = 4;

/// A text with its long lines broken between words. A word that is longer than the terminal is wide is left to it, and so
/// is a record, which must stay one line.
pub fn wrapped(text: &str, columns: usize) -> String {
    text.split_inclusive('\n').map(|line| fitted(line, columns)).collect()
}

fn fitted(line: &str, columns: usize) -> Cow<'_, str> {
    if columns == 0 || width(line) <= columns || line.starts_with('{') {
        return line.into();
    }
    let hang = hang(line, columns);
    let (mut out, mut at) = (String::new(), 0_usize);
    for word in line.split_inclusive(' ') {
        if at > hang && at + width(word.trim_end()) > columns {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(&" ".repeat(hang));
            at = hang;
        }
        out.push_str(word);
        at += width(word);
    }
    out.into()
}

/// Where a line goes on: at its last column, which two blanks are before, unless that leaves too little room.
fn hang(line: &str, columns: usize) -> usize {
    let lead = width(line) - width(line.trim_start());
    let mut hang = if lead == 0 { HANG } else { lead }.min(columns / 2);
    let mut blanks = 0_usize;
    for (at, letter) in shown(line).enumerate().take_while(|(at, _)| at * 3 < columns * 2) {
        if letter != ' ' && blanks > 1 {
            hang = at;
        }
        blanks = if letter == ' ' { blanks + 1 } else { 0 };
    }
    hang
}

fn width(text: &str) -> usize {
    shown(text).count()
}

/// The characters that take a place, without the sequences for colours.
fn shown(text: &str) -> impl Iterator<Item = char> {
    let mut is_sequence = false;
    text.chars().filter(move |letter| {
        let was = is_sequence;
        is_sequence = *letter == '\u{1b}' || was && *letter != 'm';
        !was && !is_sequence && *letter != '\n'
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn what_does_not_fit_goes_on_below_its_column() {
        for [text, columns, wanted] in rows(include_str!("wrap.tsv")) {
            assert_eq!(wrapped(&text, columns.parse().unwrap()), wanted, "{text:?}");
        }
    }
}

//! What two sequences have in common, and the difference of two texts as `diff -u` shows it.

use std::fmt::Write as _;

/// Of two middles with more pairs of items than this nothing counts as common: it would take seconds and much memory.
const PAIRS: usize = 4_000_000;
/// Lines that are shown around a change.
const CONTEXT: usize = 3;

/// The places of items that are in both sequences in the same order, as many as there are.
pub fn common<T: PartialEq>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    let head = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(one, other)| one == other).count();
    let (rows, columns) = (old_rest.len() - tail, new_rest.len() - tail);
    let mut pairs: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect();
    if rows * columns <= PAIRS {
        // How many items the rests from two places on have in common.
        let mut longest = vec![vec![0_u32; columns + 1]; rows + 1];
        for (row, column) in (0..rows).rev().flat_map(|row| (0..columns).rev().map(move |column| (row, column))) {
            longest[row][column] = if old_rest[row] == new_rest[column] {
                longest[row + 1][column + 1] + 1
            } else {
                longest[row + 1][column].max(longest[row][column + 1])
            };
        }
        let (mut row, mut column) = (0, 0);
        while row < rows && column < columns {
            if old_rest[row] == new_rest[column] {
                pairs.push((head + row, head + column));
                (row, column) = (row + 1, column + 1);
            } else if longest[row + 1][column] >= longest[row][column + 1] {
                row += 1;
            } else {
                column += 1;
            }
        }
    }
    pairs.extend((1..=tail).rev().map(|back| (old.len() - back, new.len() - back)));
    pairs
}

/// The difference of two texts under their names; "" when there is none.
pub fn unified(old: &str, new: &str, old_name: &str, new_name: &str) -> String {
    let [old, new] = [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<&str>>());
    let mut lines: Vec<(char, &str)> = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for (old_next, new_next) in common(&old, &new).into_iter().chain([(old.len(), new.len())]) {
        lines.extend(old[old_at..old_next].iter().map(|line| ('-', *line)));
        lines.extend(new[new_at..new_next].iter().map(|line| ('+', *line)));
        lines.extend(old.get(old_next).map(|line| (' ', *line)));
        (old_at, new_at) = (old_next + 1, new_next + 1);
    }
    let is_near = |at: usize| {
        let around = &lines[at.saturating_sub(CONTEXT)..lines.len().min(at + CONTEXT + 1)];
        around.iter().any(|(sign, _)| *sign != ' ')
    };
    let range = |first: usize, count: usize| match count {
        0 => format!("{},0", first - 1),
        1 => first.to_string(),
        count => format!("{first},{count}"),
    };
    let mut shown = String::new();
    let (mut at, mut old_line, mut new_line) = (0, 1, 1);
    while at < lines.len() {
        let end = (at..lines.len()).find(|at| !is_near(*at)).unwrap_or(lines.len());
        let part = &lines[at..end.max(at + 1)];
        let without = |sign: char| part.iter().filter(|(other, _)| *other != sign).count();
        let (old_count, new_count) = (without('+'), without('-'));
        if end > at {
            let (old_range, new_range) = (range(old_line, old_count), range(new_line, new_count));
            let _ = writeln!(shown, "@@ -{old_range} +{new_range} @@");
            for (sign, line) in part {
                let end = if line.ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" };
                let _ = write!(shown, "{sign}{line}{end}");
            }
        }
        (at, old_line, new_line) = (at + part.len(), old_line + old_count, new_line + new_count);
    }
    if shown.is_empty() { shown } else { format!("--- {old_name}\n+++ {new_name}\n{shown}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_shown_with_what_is_around_it() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15";
        let new = old.replace("2\n3\n", "2\nb\n3\n").replace("\n15", "");
        let wanted = "--- f\n+++ f\n@@ -1,5 +1,6 @@\n 1\n 2\n+b\n 3\n 4\n 5\n@@ -11,5 +12,4 @@\n 11\n 12\n 13\n-14\n-15\n\\ No newline at end of file\n+14\n\\ No newline at end of file\n";
        assert_eq!(unified(old, &new, "f", "f"), wanted);
        assert_eq!(unified(old, old, "f", "f"), "");
        assert_eq!(unified("", "a\n", "/dev/null", "f"), "--- /dev/null\n+++ f\n@@ -0,0 +1 @@\n+a\n");
        assert_eq!(unified("a\n", "", "f", "/dev/null"), "--- f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
        // Changes that have no more than six lines between them are shown together.
        let near = old.replace("2\n", "").replace("9\n", "");
        assert_eq!(unified(old, &near, "f", "f").matches("@@ -").count(), 1);
    }

    #[test]
    fn the_most_that_two_sequences_have_in_common_is_found() {
        for (one, other, count) in [("abcbdab", "bdcaba", 4), ("", "a", 0), ("abc", "abc", 3), ("xay", "yax", 1)] {
            let [one, other] = [one, other].map(str::as_bytes);
            let pairs = common(one, other);
            assert_eq!(pairs.len(), count);
            assert!(pairs.iter().all(|(at, there)| one[*at] == other[*there]));
            assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
        }
        // Too much to look through: only what is equal at both ends.
        let (one, other): (Vec<usize>, Vec<usize>) = ((0..3000).collect(), (0..3000).rev().collect());
        assert_eq!(common(&one, &other), []);
    }
}

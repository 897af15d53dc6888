//! What would change, as `diff -u` shows it.

use std::fmt::Write as _;

/// Lines that are shown around a change.
const CONTEXT: usize = 3;
/// Cells of the table of common lines, at most; what would take more is shown as one change.
const CELLS: usize = 16 << 20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Both,
    Old,
    New,
}

/// The difference of two files in unified format, "" when there is none; a file that is not there is
/// `/dev/null`.
pub fn unified(name: &str, old: Option<&str>, new: Option<&str>) -> String {
    let lines = lines(old.unwrap_or_default(), new.unwrap_or_default());
    let label = |text: Option<&str>| text.map_or_else(|| "/dev/null".to_owned(), |_| name.to_owned());
    let mut text = String::new();
    if old.is_some() != new.is_some() || lines.iter().any(|(kind, _)| *kind != Kind::Both) {
        let _ = write!(text, "--- {}\n+++ {}\n", label(old), label(new));
    }
    let mut from = 0;
    while let Some(first) = lines.iter().skip(from).position(|(kind, _)| *kind != Kind::Both).map(|at| at + from) {
        let start = first.saturating_sub(CONTEXT).max(from);
        let mut end = first;
        // Changes that are near each other share what stands between them.
        while let Some(next) = lines.iter().skip(end).take(2 * CONTEXT + 1).position(|(kind, _)| *kind != Kind::Both) {
            end += next + 1;
        }
        let end = (end + CONTEXT).min(lines.len());
        hunk(&mut text, &lines, start, end);
        from = end;
    }
    text
}

fn hunk(text: &mut String, lines: &[(Kind, &str)], start: usize, end: usize) {
    let count = |lines: &[(Kind, &str)], not: Kind| lines.iter().filter(|(kind, _)| *kind != not).count();
    let (before, inside) = (&lines[..start], &lines[start..end]);
    let place = |not: Kind| {
        let (above, here) = (count(before, not), count(inside, not));
        format!("{},{here}", above + usize::from(here > 0))
    };
    let _ = writeln!(text, "@@ -{} +{} @@", place(Kind::New), place(Kind::Old));
    for (kind, line) in inside {
        text.push(match kind {
            Kind::Both => ' ',
            Kind::Old => '-',
            Kind::New => '+',
        });
        text.push_str(line);
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// The lines of both texts in one row.
fn lines<'t>(old: &'t str, new: &'t str) -> Vec<(Kind, &'t str)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(old, new)| old == new).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let both = |lines: &[&'t str]| lines.iter().map(|line| (Kind::Both, *line)).collect::<Vec<_>>();
    let mut all = both(&old[..head]);
    all.extend(middle(&old[head..old_end], &new[head..new_end]));
    all.extend(both(&old[old_end..]));
    all
}

/// The same by the longest row of common lines.
fn middle<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(Kind, &'t str)> {
    let width = new.len() + 1;
    let cells = if (old.len() + 1).saturating_mul(width) > CELLS { 0 } else { (old.len() + 1) * width };
    let mut common = vec![0_u32; cells];
    if cells > 0 {
        for (row, line) in old.iter().enumerate().rev() {
            for (column, other) in new.iter().enumerate().rev() {
                let (here, below) = (row * width + column, (row + 1) * width + column);
                let same = common[below + 1] + 1;
                common[here] = if line == other { same } else { common[below].max(common[here + 1]) };
            }
        }
    }
    let left = |row: usize, column: usize| common.get(row * width + column).copied().unwrap_or_default();
    let (mut row, mut column) = (0, 0);
    let mut lines = Vec::new();
    loop {
        match (old.get(row), new.get(column)) {
            (Some(line), Some(other)) if cells > 0 && line == other => {
                lines.push((Kind::Both, *line));
                (row, column) = (row + 1, column + 1);
            }
            (Some(line), other) if other.is_none() || left(row + 1, column) >= left(row, column + 1) => {
                lines.push((Kind::Old, *line));
                row += 1;
            }
            (_, Some(other)) => {
                lines.push((Kind::New, *other));
                column += 1;
            }
            (_, None) => return lines,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_shown_with_what_stands_around_it() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15";
        let new = old.replace("2\n3\n", "2\nb\n3\n").replace("\n15", "");
        let wanted = "--- f\n+++ f\n@@ -1,5 +1,6 @@\n 1\n 2\n+b\n 3\n 4\n 5\n@@ -11,5 +12,4 @@\n 11\n 12\n 13\n-14\n-15\n\\ No newline at end of file\n+14\n\\ No newline at end of file\n";
        assert_eq!(unified("f", Some(old), Some(&new)), wanted);
        assert_eq!(unified("f", Some(old), Some(old)), "");
        assert_eq!(unified("f", None, Some("a\n")), "--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
        assert_eq!(unified("f", Some("a\n"), None), "--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n");
    }
}

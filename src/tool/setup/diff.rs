//! What would change, as `diff -u` shows it.

use similar::TextDiff;

/// The difference of two files in unified format, "" when there is none; a file that is not there is
/// `/dev/null`.
pub fn unified(name: &str, old: Option<&str>, new: Option<&str>) -> String {
    let label = |text: Option<&str>| text.map_or("/dev/null", |_| name);
    let difference = TextDiff::from_lines(old.unwrap_or_default(), new.unwrap_or_default());
    difference.unified_diff().header(label(old), label(new)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_shown_with_what_is_around_it() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15";
        let new = old.replace("2\n3\n", "2\nb\n3\n").replace("\n15", "");
        let wanted = "--- f\n+++ f\n@@ -1,5 +1,6 @@\n 1\n 2\n+b\n 3\n 4\n 5\n@@ -11,5 +12,4 @@\n 11\n 12\n 13\n-14\n-15\n\\ No newline at end of file\n+14\n\\ No newline at end of file\n";
        assert_eq!(unified("f", Some(old), Some(&new)), wanted);
        assert_eq!(unified("f", Some(old), Some(old)), "");
        assert_eq!(unified("f", None, Some("a\n")), "--- /dev/null\n+++ f\n@@ -0,0 +1 @@\n+a\n");
        assert_eq!(unified("f", Some("a\n"), None), "--- f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
    }
}

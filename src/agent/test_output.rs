//! How a check ended, as far as the end of its output says so. A command that is piped into another one ends well
//! whatever the check found, so its status proves nothing.

/// How many of the last bytes of an output are looked at.
pub const TAIL_BYTES: usize = 600;

/// What comes before or behind a number that counts what went wrong.
const WRONG: &[&str] =
    &["failed", "failures", "failure", "failing", "errors", "error", "issues", "issue", "problems", "problem"];
/// What comes behind a number that counts what went well.
const WELL: &[&str] = &["passed", "passing", "succeeded"];
/// How a line begins that says how it ended.
const FAILED: &[&str] = &[
    "FAIL", "--- FAIL", "error:", "error[", "Error:", "ERROR:", "BUILD FAILED", "Build FAILED", "make: ***", "panic:",
    "Traceback", "not ok",
];
const PASSED: &[&str] = &[
    "ok ", "ok\t", "PASS", "test result: ok", "All checks passed", "All tests passed", "BUILD SUCCESSFUL",
    "Build succeeded", "Success:", "Finished `", "✨",
];

/// Whether a check passed, by the end of what it printed; None where that does not say so.
pub fn passed(output: &str) -> Option<bool> {
    let mut well = None;
    for line in output.lines().map(str::trim) {
        match of_line(line) {
            Some(false) => return Some(false),
            Some(true) => well = Some(true),
            None => {}
        }
    }
    well
}

fn of_line(line: &str) -> Option<bool> {
    let starts = |with: &[&str]| with.iter().any(|start| line.starts_with(start));
    let (mut wrong, mut none, mut well) = (false, false, false);
    let words: Vec<&str> =
        line.split(|c: char| !c.is_alphanumeric() && c != '.').filter(|word| !word.is_empty()).collect();
    for pair in words.windows(2) {
        let [first, second] = pair else { continue };
        let second = second.trim_end_matches('.');
        let (count, word) = match (first.parse::<u64>(), second.parse::<u64>()) {
            (Ok(count), Err(_)) => (count, second),
            // "failed: 2", but not the 0 of "passed 3 failed 0" twice.
            (Err(_), Ok(count)) if line.contains(&format!("{first}: ")) => (count, *first),
            _ => continue,
        };
        let word = word.to_lowercase();
        if WRONG.contains(&word.as_str()) {
            wrong |= count > 0;
            none |= count == 0;
        } else if WELL.contains(&word.as_str()) {
            well |= count > 0;
        }
    }
    if wrong || starts(FAILED) && !none { Some(false) } else { (well || none || starts(PASSED)).then_some(true) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_an_output_says_how_a_check_ended() {
        for (output, wanted) in [
            ("test result: ok. 233 passed; 0 failed; 0 ignored", Some(true)),
            ("test result: FAILED. 2 passed; 1 failed; 0 ignored", Some(false)),
            ("FAILED tests/a.py::x\n1 failed, 16 passed in 1.20s", Some(false)),
            ("....\n121 passed in 4.63s", Some(true)),
            ("1058 passed, 1 warning, 79 errors in 131.74s", Some(false)),
            ("ok  \tx/a\t0.1s\nFAIL\tx/b\t0.2s", Some(false)),
            ("ok  \tx/a\t0.1s\n?   \tx/b\t[no test files]", Some(true)),
            ("[lint:go] 0 issues.\nFinished in 6.8s", Some(true)),
            ("5 issues:\n* errcheck: 1", Some(false)),
            ("Tests: 3 failed, 12 total", Some(false)),
            ("Tests:       12 passed, 12 total", Some(true)),
            ("✖ 2 problems (2 errors, 0 warnings)", Some(false)),
            ("    0 Error(s)\nBuild succeeded.", Some(true)),
            ("src/a.ts(3,1): x\nFound 2 errors in 2 files.", Some(false)),
            ("error[E0308]: mismatched types", Some(false)),
            ("Passed!  - Failed:     0, Passed:   235", Some(true)),
            ("Failed!  - Failed:     2, Passed:   235", Some(false)),
            ("No errors found", None),
            ("", None),
            ("the 3 files that failed before", None),
        ] {
            assert_eq!(passed(output), wanted, "{output}");
        }
    }
}

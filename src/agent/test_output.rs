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

/// What says that there was nothing to check.
const NOTHING: &[&str] =
    &["no tests ran", "no tests to run", "no tests found", "no test files", "collected 0 items", "ran 0 tests"];

/// How a check ended. What fails counts most; of the rest what passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckResult {
    /// It says that it checked nothing.
    Idle,
    /// It passed.
    Passed,
    /// It failed.
    Failed,
}

/// How a check ended, by the end of what it printed; None where that does not say so.
pub fn result(output: &str) -> Option<CheckResult> {
    output.lines().map(str::trim).filter_map(of_line).max()
}

fn of_line(line: &str) -> Option<CheckResult> {
    let starts = |with: &[&str]| with.iter().any(|start| line.starts_with(start));
    let lower = line.to_lowercase();
    if NOTHING.iter().any(|words| lower.contains(words)) {
        return Some(CheckResult::Idle);
    }
    let (wrong, well) = counts(&lower);
    match (wrong, well) {
        (Some(1..), _) => Some(CheckResult::Failed),
        (None, _) if starts(FAILED) => Some(CheckResult::Failed),
        (_, Some(0)) => Some(CheckResult::Idle),
        (None, None) if !starts(PASSED) => None,
        _ => Some(CheckResult::Passed),
    }
}

/// How many went wrong and how many well, as a line in lower case counts them.
pub fn counts(lower: &str) -> (Option<u64>, Option<u64>) {
    let (mut wrong, mut well) = (None, None);
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '.').filter(|word| !word.is_empty()).collect();
    for pair in words.windows(2) {
        let [first, second] = pair else { continue };
        let second = second.trim_end_matches('.');
        let (count, word) = match (first.parse::<u64>(), second.parse::<u64>()) {
            (Ok(count), Err(_)) => (count, second),
            // "failed: 2", but not the 0 of "passed 3 failed 0" twice.
            (Err(_), Ok(count)) if lower.contains(&format!("{first}: ")) => (count, *first),
            _ => continue,
        };
        if WRONG.contains(&word) {
            wrong = wrong.max(Some(count));
        } else if WELL.contains(&word) {
            well = well.max(Some(count));
        }
    }
    (wrong, well)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cases::rows;

    #[test]
    fn the_end_of_an_output_says_how_a_check_ended() {
        for [output, wanted] in rows(include_str!("test_output.tsv")) {
            let ended = result(&output).map_or("nothing".to_owned(), |ended| format!("{ended:?}").to_lowercase());
            assert_eq!(ended, wanted, "{output}");
        }
    }
}

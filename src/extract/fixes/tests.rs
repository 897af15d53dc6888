use super::*;
use crate::base::cases::rows;
use crate::base::config::Privacy;
use crate::extract::tests::talk;

/// How a line does what another one did that printed this; each with one command or more.
fn way_of(failed: &str, printed: &str, passed: &str) -> Option<bool> {
    let ran = |line: &str| talk(&format!("T: Bash {}", serde_json::json!({ "command": line }))).remove(0);
    let (failed, passed) = (ran(failed), ran(passed));
    let run = |message| step(uses::of([message])[0], &End::default()).unwrap();
    let (failed, passed) = (run(&failed), run(&passed));
    let last = passed.commands.len().checked_sub(1)?;
    way(&failed, &passed, last, (printed, error::is_of_work(printed)), Path::new("/p")).map(|(is_other, ..)| is_other)
}

#[test]
fn the_same_work_in_another_way_is_known_by_its_words() {
    for [failed, printed, passed, wanted] in rows(include_str!("ways.tsv")) {
        let found = match way_of(&failed, &printed, &passed) {
            Some(true) => "another way",
            Some(false) => "the same way",
            None => "",
        };
        assert_eq!(found, wanted, "{failed} | {passed}");
    }
}

#[test]
fn an_error_that_comes_back_is_known_by_its_lines_and_its_program() {
    let redactor = Redactor::new(&Privacy::default()).unwrap();
    let read = |line: &str, printed: &str| Failed::read(line, &format!("Exit code 1\n{printed}"), &redactor);
    let npm = "npm error code ENOENT\nnpm error path /a/package.json\nnpm error errno -2";
    let of = read("npm run build", npm).unwrap();
    let fix =
        Fix { failed: of.shown, error: of.error, passed: vec!["cd web && npm run build".to_owned()], lines: [1, 2] };
    for (line, printed, wanted) in [
        ("npm run build", npm, true),
        ("npm test", "npm error code ENOENT\nnpm error path /b/c/package.json\nnpm error errno -5", true),
        ("npm test", "npm error code ENOENT\nnpm error path /b/c/deploy\nnpm error syscall", false),
        ("yarn test", npm, false),
        ("cd web && npm run build", npm, false),
    ] {
        assert_eq!(read(line, printed).unwrap().is_of(&fix), wanted, "{line} {printed}");
    }
}

#[test]
fn a_line_that_does_too_much_says_nothing() {
    let line = |count: usize| (0..count).map(|n| format!("a{n}")).collect::<Vec<_>>().join(" && ");
    assert_eq!(way_of(&line(2), "a0: not found", &format!("sudo {}", line(2))), Some(true));
    assert_eq!(way_of(&line(COMMANDS + 1), "a0: not found", &format!("sudo {}", line(COMMANDS + 1))), None);
}

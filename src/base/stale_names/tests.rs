//! What is marked, and what is left alone.

use super::*;
use crate::base::cases::rows;
use std::os::unix::fs::symlink;

fn checkout(folder: &Path, git: bool) -> Checkout {
    for [name, text] in rows(include_str!("checkout.tsv")) {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    std::fs::write(folder.join("src/large.rs"), "x ".repeat(200_000)).unwrap();
    symlink("/etc", folder.join("src/link")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(folder.join("src/pipe.rs")).status().unwrap().success());
    if git {
        let git = |args: &[&str]| {
            let git = std::process::Command::new("git").args(args).current_dir(folder).output().unwrap();
            assert!(git.status.success(), "{}", String::from_utf8_lossy(&git.stderr));
        };
        git(&["init", "-q"]);
        git(&["add", "src/parse.rs", "crates", "docs", "scripts"]);
    }
    if git { checkout_again(folder) } else { Checkout::new(folder, None) }
}

impl Checkout {
    fn gone(&self, text: &str) -> Vec<String> {
        self.judge(text, None).0.into_iter().map(|(name, _)| name).collect()
    }
}

#[test]
fn what_is_gone_is_named_and_what_is_not_clearly_a_path_is_left_alone() {
    for git in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let checkout = checkout(&folder.path().canonicalize().unwrap(), git);
        for [text, gone] in rows(include_str!("gone.tsv")) {
            checkout.bytes.set(READ_BYTES);
            assert_eq!(checkout.gone(&text).join(", "), gone, "{text} (git: {git})");
        }
        let long = format!("src/{}.rs src/{}.rs", "x".repeat(280), "y".repeat(5000));
        assert!(checkout.gone(&long).is_empty(), "a name that no file system takes");
        let absolute = format!("{0}/src/gone.rs {0}-other/src/gone.rs", checkout.root.display());
        assert_eq!(checkout.gone(&absolute), ["src/gone.rs"]);
    }
}

#[test]
fn what_git_knows_in_a_folder_below_is_not_gone() {
    let folder = tempfile::tempdir().unwrap();
    let (with, text) = (checkout(folder.path(), true), "src/deep.rs, ./only.rs and `x/src/`");
    assert!(with.gone(text).is_empty(), "{:?}", with.gone(text));
    assert_eq!(Checkout::new(folder.path(), None).gone(text), ["src/deep.rs", "./only.rs"]);
    // A path that git still knows and that is not there is gone.
    std::fs::remove_file(folder.path().join("docs/guide.md")).unwrap();
    assert_eq!(checkout_again(folder.path()).gone("docs/guide.md"), ["docs/guide.md"]);
    // A sparse checkout leaves it out.
    let git = |args: &[&str]| std::process::Command::new("git").args(args).current_dir(folder.path()).output().unwrap();
    assert!(git(&["sparse-checkout", "set", "src"]).status.success());
    assert!(checkout_again(folder.path()).gone("docs/guide.md, docs/ and docs/guide.m").is_empty());
    std::fs::remove_file(folder.path().join(".git/info/sparse-checkout")).unwrap();
    std::fs::create_dir_all(folder.path().join("docs")).unwrap();
    assert_eq!(checkout_again(folder.path()).gone("docs/guide.md"), ["docs/guide.md"]);
    // Where the index cannot be read nothing is said.
    for index in [b"DIRC\0\0\0\x04".to_vec(), vec![0; 9 << 20]] {
        std::fs::write(folder.path().join(".git/index"), index).unwrap();
        assert!(checkout_again(folder.path()).gone("docs/guide.md").is_empty());
    }
}

fn checkout_again(folder: &Path) -> Checkout {
    let git_dir = folder.join(".git");
    Checkout::new(folder, Some(Git { folder: git_dir.clone(), common: git_dir, branch: None }))
}

#[test]
fn what_is_read_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let checkout = checkout(folder.path(), false);
    let most = READ_BYTES / 200_000;
    for number in 0..=most {
        std::fs::write(folder.path().join(format!("src/f{number}.rs")), "x".repeat(200_000)).unwrap();
        let gone = checkout.gone(&format!("`gone` in src/f{number}.rs"));
        assert_eq!(gone.len(), usize::from(number < most - 1), "{number}");
    }
    assert_eq!(checkout.gone("`gone_too` in src/f0.rs").len(), 1, "it was read already");
    let many = (0..100).map(|number| format!("docs/{number}/x.md")).collect::<Vec<_>>().join(" ");
    for _ in 0..200 {
        checkout.gone(&many);
    }
    assert!(checkout.gone("docs/gone.md").is_empty());
    assert!(Checkout::new(&folder.path().join("none"), None).gone("src/gone.rs").is_empty(), "there is no checkout");
}

#[test]
fn what_was_seen_is_compared_with_what_is_there() {
    for [text, before, after, became] in rows(include_str!("later.tsv")) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        let write = |text: &str| std::fs::write(folder.path().join("src/a.rs"), text).unwrap();
        write(&before);
        let seen = Checkout::new(folder.path(), None).seen(&text, None).unwrap();
        let judge = || {
            let judged = Checkout::new(folder.path(), None).judge(&text, Some(&seen)).0;
            judged.iter().map(|(name, state)| format!("{name} {}", state.word())).collect::<Vec<_>>().join(", ")
        };
        assert!(!judge().contains("since"), "{text}: {before:?}");
        write(&after);
        assert_eq!(judge(), became, "{text}: {before:?}, then {after:?}");
        std::fs::remove_file(folder.path().join("src/a.rs")).unwrap();
        assert!(!judge().contains("still_so") && judge().contains("gone"), "{text}: {}", judge());
    }
}

#[test]
fn a_command_is_compared_by_what_it_does() {
    let folder = tempfile::tempdir().unwrap();
    let text = "`make lint`, then `npm run e2e`; `send` in upload.py, as of Node.js";
    let mut seen = None;
    for [make, package, python, became] in rows(include_str!("commands.tsv")) {
        for (name, text) in [("Makefile", make), ("package.json", package), ("upload.py", python)] {
            let path = folder.path().join(name);
            let done = if text.is_empty() { std::fs::remove_file(path) } else { std::fs::write(path, text) };
            done.unwrap();
        }
        let checkout = Checkout::new(folder.path(), None);
        let seen = seen.get_or_insert_with(|| checkout.seen(text, None).unwrap());
        let judged = checkout.judge(text, Some(&*seen));
        let states = [("same", NameState::Same), ("changed", NameState::Changed), ("gone", NameState::Gone)];
        let (_, state) = states.into_iter().find(|(word, _)| *word == became).unwrap();
        assert_eq!(judged.names(state), "make lint, npm run e2e, send in upload.py", "{became}");
    }
}

#[test]
fn what_cannot_be_read_is_not_judged() {
    let folder = tempfile::tempdir().unwrap();
    let checkout = checkout(folder.path(), false);
    std::fs::File::create(folder.path().join("src/huge.rs")).unwrap().set_len(1 << 30).unwrap();
    std::fs::write(folder.path().join("src/binary.rs"), b"fn parse() {\n\0\xff\xfe\n}\n").unwrap();
    let many = (0..1000).map(|number| format!("docs/{number}.md")).collect::<Vec<_>>().join(" ");
    let text = format!(
        "`parse` in src/huge.rs, src/huge.rs:3, src/pipe.rs:1, `root` in src/link/passwd, ../x/y.rs:1, /etc/passwd:1, `parse` in src/binary.rs {many}"
    );
    let seen = checkout.seen(&text, None).unwrap();
    let names: Vec<&str> = seen.cites.iter().map(|cite| cite.name.as_str()).collect();
    assert_eq!(names, ["src/huge.rs:3", "parse in src/binary.rs"]);
    assert!(seen.cites[0].sum.is_none());
    let checkout = Checkout::new(folder.path(), None);
    assert_eq!(checkout.judge(&text, Some(&seen)).names(NameState::Same), "parse in src/binary.rs");
    // Whatever a line of the journal says.
    for [name, sum] in rows(include_str!("odd.tsv")) {
        let cite = Cite { name: name.clone(), blocks: Some(sum.clone()), sum: Some(sum) };
        let seen = Seen { branch: Some("../../x".to_owned()), cites: vec![cite] };
        assert_eq!(checkout.judge(&name, Some(&seen)).names(NameState::Same), "", "{name}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]
    #[test]
    fn no_text_hurts(text in "[a-z./`:()' \0\u{e9}]{0,80}", any in ".{0,80}") {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        std::fs::write(folder.path().join("src/a.rs"), &any).unwrap();
        let checkout = Checkout::new(folder.path(), None);
        let text = format!("{text} src/{any} `src/{text}`'s `{any}`, `{any}` in src/a.rs, src/a.rs:{any}");
        let seen = checkout.seen(&text, None);
        std::fs::write(folder.path().join("src/a.rs"), &text).unwrap();
        Checkout::new(folder.path(), None).judge(&text, seen.as_ref());
    }
}

//! Reading and writing, and where they may lead.

use super::*;
use crate::base::masked::Masked;
use std::os::unix::fs::symlink;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn fifo(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn message<T>(result: Result<T, Failure>) -> String {
    let failure = result.err().unwrap();
    assert_eq!(failure.exit.status(), 65);
    failure.message
}

#[test]
fn only_regular_files_are_read_and_no_more_of_them_than_fits() {
    let folder = folder();
    let path = folder.path().join("x");
    assert_eq!((read(&path).unwrap(), read_head(&path, 9).unwrap()), (None, String::new()));
    std::fs::write(&path, "one\ntwo\nthree").unwrap();
    assert_eq!(read_at_most(&path, 13).unwrap().unwrap(), b"one\ntwo\nthree");
    assert!(
        message(read_at_most(&path, 12))
            .ends_with("x: larger than the 12 bytes that are read of it: make it smaller, or move it away")
    );
    assert_eq!((read_head(&path, 5).unwrap(), read_tail(&path, 9).unwrap()), ("one\nt".to_owned(), "three".to_owned()));
    assert_eq!(read_tail(&path, 99).unwrap(), "one\ntwo\nthree");
    fifo(&folder.path().join("f"));
    let wanted = format!("'{}/f' is a FIFO, expected a regular file", folder.path().display());
    assert_eq!(message(read(&folder.path().join("f"))), wanted);
    let wanted = format!("'{}' is a folder, expected a regular file", folder.path().display());
    assert_eq!(message(read_text(folder.path())), wanted);
}

#[test]
fn a_file_is_replaced_whole_and_keeps_its_mode() {
    let folder = folder();
    let target = Root::new(folder.path()).file("x").unwrap();
    let mode = || target.metadata().unwrap().permissions().mode() & 0o777;
    replace(&target, &Masked::exact("one"), Durable::Yes).unwrap();
    assert_eq!(mode(), 0o600);
    std::fs::set_permissions(&*target, Permissions::from_mode(0o640)).unwrap();
    replace(&target, &Masked::exact("two"), Durable::No).unwrap();
    assert_eq!((read_text(&target).unwrap().as_deref(), mode()), (Some("two"), 0o640));
    let failed = replace_with(&target, Durable::No, |_| Err(io::ErrorKind::StorageFull.into()));
    assert_eq!(failed.unwrap_err().exit.status(), 74);
    assert!(!create(&target, &Masked::exact("three"), Durable::No).unwrap());
    assert_eq!((read_text(&target).unwrap().as_deref(), names(folder.path()).unwrap().len()), (Some("two"), 1));
}

#[test]
fn a_line_that_was_cut_is_never_glued_to_the_next() {
    let folder = folder();
    let root = Root::new(folder.path());
    let (target, torn) = (root.file("x").unwrap(), root.file("torn").unwrap());
    std::fs::write(&*target, "{}\n{\"a\"").unwrap();
    assert!(!put_torn_aside(&target, &torn).unwrap());
    append_lines(&target, &Masked::exact("{}\n"), Durable::Yes).unwrap();
    assert_eq!(read_text(&target).unwrap().as_deref(), Some("{}\n{}\n"));
    assert_eq!(read_text(&torn).unwrap().as_deref(), Some("{\"a\"\n"));
    // A whole line without its newline stays, and gets it.
    std::fs::write(&*target, "{}").unwrap();
    assert!(put_torn_aside(&target, &torn).unwrap());
    append_lines(&target, &Masked::exact("{}\n"), Durable::Yes).unwrap();
    assert_eq!(read_text(&target).unwrap().as_deref(), Some("{}\n{}\n"));
}

#[test]
fn nothing_is_written_behind_a_link_that_leads_out() {
    let (folder, other) = (folder(), folder());
    let root = Root::new(folder.path());
    let below = root.folder("below").unwrap();
    symlink(other.path(), below.join("out")).unwrap();
    symlink("nowhere", below.join("none")).unwrap();
    symlink(folder.path(), below.join("up")).unwrap();
    assert!(message(root.file("below/out/x")).contains("is behind a link that leads out of"));
    assert!(message(root.folder("below/out/x")).contains("is behind a link that leads out of"));
    assert!(message(root.file("../x")).contains("leads out of"));
    assert!(message(root.file("below/none")).ends_with("below/none' is a link: no such file or directory"));
    assert_eq!(*root.file("below/up/x").unwrap(), *folder.path().join("below/up/x"));
    // What a user names may be anywhere, and is followed.
    assert!(message(Target::named(&below.join("out"))).ends_with("is a folder, expected a regular file"));
    assert_eq!(*Target::named(&below.join("none")).unwrap(), *below.join("nowhere"));
}

#[test]
fn what_writers_left_is_removed_and_nothing_else() {
    let folder = folder();
    for name in [".lh-x.tmp", ".lh-x", "x.tmp"] {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    remove_leftovers(folder.path(), Some(3600));
    assert_eq!(names(folder.path()).unwrap().len(), 3);
    remove_leftovers(folder.path(), None);
    assert_eq!(names(folder.path()).unwrap(), [".lh-x", "x.tmp"]);
    assert_eq!(names(&folder.path().join("none")).unwrap().len(), 0);
}

#[test]
fn the_real_path_of_what_is_not_there_is_known() {
    let folder = folder();
    let real = folder.path().canonicalize().unwrap();
    symlink(&real, real.join("link")).unwrap();
    assert_eq!(real_path(&real.join("link/a/b")), real.join("a/b"));
    assert!(modified(&real.join("a")).is_none() && modified(&real).is_some());
}

#[test]
fn what_others_add_while_a_file_is_changed_stays() {
    let folder = folder();
    let path = folder.path().join("x.md");
    for writes in [0, 1, 3, 12, 30] {
        std::fs::write(&path, "first\nold\n").unwrap();
        let (target, calls) = (Root::new(folder.path()).file("x.md").unwrap(), std::cell::Cell::new(0));
        rewrite(&target, |there| {
            if calls.get() < writes {
                let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
                std::io::Write::write_all(&mut file, format!("theirs {}\n", calls.get()).as_bytes()).unwrap();
                calls.set(calls.get() + 1);
            }
            let there = String::from_utf8_lossy(there.unwrap_or_default()).into_owned();
            there.contains("old\n").then(|| Masked::exact(there.replace("old\n", "new\n")))
        })
        .unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("first\nnew\n") && !text.contains("old"), "{writes}: {text}");
        // Each once, and in its order.
        let theirs: Vec<String> = (0..calls.get()).map(|number| format!("theirs {number}")).collect();
        assert_eq!(text.lines().skip(2).collect::<Vec<_>>(), theirs, "{writes}");
    }
}

use super::*;
use crate::base::cases::rows;
use crate::base::masked::Masked;
use crate::store::archive::{FOLDER, has};
use tempfile::TempDir;

const NOW: &str = "2026-04-13T12:00:00Z";

fn now() -> Timestamp {
    clock::parse(NOW).unwrap()
}

fn days(number: i64) -> Timestamp {
    clock::after(now(), number * 86_400)
}

struct ChangeHome(TempDir);

impl ChangeHome {
    fn new(files: &[(&str, &str)]) -> Self {
        let home = Self(file::scratch(None, "archive").unwrap());
        for (name, text) in files {
            home.write(name, text);
        }
        home
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn text(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.0.path().join(name)).ok()
    }

    /// A file as it is now, and what it is to be.
    fn change(&self, name: &str, after: Option<&str>) -> Planned {
        let before = hash(self.text(name).as_deref().map(str::as_bytes));
        let after = after.map(Masked::exact);
        Planned { name: name.to_owned(), why: "a test".to_owned(), before, after, ..Planned::default() }
    }

    fn apply(&self, changes: &[(&str, Option<&str>)]) -> Change {
        let changes = changes.iter().map(|(name, after)| self.change(name, *after)).collect();
        apply(self.0.path(), "test", changes, now()).unwrap().unwrap()
    }

    fn undo(&self, receipt: &Change) -> Vec<ChangeState> {
        let undone = undo(self.0.path(), &receipt.id, None).unwrap().unwrap();
        undone.entries.iter().map(|entry| entry.state).collect()
    }
}

#[test]
fn what_was_killed_is_brought_to_its_end() {
    for step in 0..3 {
        let home = ChangeHome::new(&[("a.md", "a"), ("b.md", "b")]);
        let changes = vec![home.change("a.md", Some("A")), home.change("b.md", None)];
        let receipt = Change::begin(home.0.path(), "test", changes, now()).unwrap();
        if step > 0 {
            home.write(&receipt.entries[0].place, "a");
        }
        if step > 1 {
            home.write("a.md", "A");
            std::fs::rename(home.0.path().join("b.md"), home.0.path().join(&receipt.entries[1].place)).unwrap();
        }
        settle(home.0.path()).unwrap();
        assert_eq!((home.text("a.md").as_deref(), home.text("b.md")), (Some("A"), None), "{step}");
        let mut receipt = receipts(home.0.path()).unwrap().remove(0);
        assert!(receipt.entries.iter().all(|entry| entry.state == ChangeState::Done));
        // The way back, killed before it began.
        receipt.entries.iter_mut().for_each(|entry| entry.state = ChangeState::Returning);
        receipt.write(home.0.path()).unwrap();
        settle(home.0.path()).unwrap();
        assert_eq!((home.text("a.md").as_deref(), home.text("b.md").as_deref()), (Some("a"), Some("b")), "{step}");
    }
}

#[test]
fn copies_are_kept_as_long_as_they_should_be_and_no_longer() {
    let home = ChangeHome::new(&[("a.md", "a"), ("episodes/e.json", "{}")]);
    let long = Planned { keep_until: days(60).to_string(), ..home.change("episodes/e.json", None) };
    apply(home.0.path(), "prune", vec![home.change("a.md", None), long], now()).unwrap();
    assert_eq!(expire(home.0.path(), days(29), usize::MAX).unwrap(), 0);
    assert_eq!(expire(home.0.path(), days(31), usize::MAX).unwrap(), 1);
    assert!(!has(home.0.path(), "a.md") && has(home.0.path(), "episodes/e.json"));
    assert_eq!(expire(home.0.path(), days(61), usize::MAX).unwrap(), 1);
    assert!(!home.0.path().join(FOLDER).exists());
}

#[test]
fn one_name_twice_in_a_second_has_two_places_and_two_receipts() {
    let home = ChangeHome::new(&[("a.md", "1")]);
    let first = home.apply(&[("a.md", None)]);
    home.write("a.md", "2");
    let second = home.apply(&[("a.md", None)]);
    assert!(first.id != second.id && first.entries[0].place != second.entries[0].place);
    assert_eq!(home.undo(&second), [ChangeState::Returned]);
    assert_eq!(home.text("a.md").as_deref(), Some("2"));
    // Its name is taken now.
    assert_eq!(home.undo(&first), [ChangeState::Done]);
}

#[test]
fn a_list_that_grew_meanwhile_keeps_what_came_behind() {
    for [before, after, meanwhile, wanted] in rows(include_str!("grew.tsv")) {
        let after = Some(after.as_str()).filter(|after| *after != "gone");
        let home = ChangeHome::new(&[("list", &before)]);
        let change = Planned { grows: true, ..home.change("list", after) };
        let receipt = apply(home.0.path(), "test", vec![change], now()).unwrap().unwrap();
        assert_eq!(home.text("list").as_deref(), after);
        home.write("list", &meanwhile);
        let state = if meanwhile == wanted && after.is_some() { ChangeState::Done } else { ChangeState::Returned };
        assert_eq!((home.undo(&receipt), home.text("list").as_deref()), (vec![state], Some(&*wanted)), "{before:?}");
    }
}

#[test]
fn nothing_is_done_behind_a_link_that_leads_out() {
    let (home, other) = (ChangeHome::new(&[]), ChangeHome::new(&[("e.json", "{}")]));
    std::os::unix::fs::symlink(other.0.path(), home.0.path().join("episodes")).unwrap();
    let change = Planned { name: "episodes/e.json".into(), before: hash(Some(b"{}")), ..Planned::default() };
    let receipt = apply(home.0.path(), "test", vec![change], now()).unwrap().unwrap();
    assert_eq!(receipt.entries[0].state, ChangeState::Left);
    assert_eq!(other.text("e.json").as_deref(), Some("{}"));
}

#[test]
fn what_went_before_a_kill_can_be_given_back_though_its_name_was_used_meanwhile() {
    let home = ChangeHome::new(&[("a.md", "a")]);
    let receipt = Change::begin(home.0.path(), "test", vec![home.change("a.md", None)], now()).unwrap();
    std::fs::rename(home.0.path().join("a.md"), home.0.path().join(&receipt.entries[0].place)).unwrap();
    home.write("a.md", "theirs");
    settle(home.0.path()).unwrap();
    assert_eq!(receipts(home.0.path()).unwrap()[0].entries[0].state, ChangeState::Done);
    assert_eq!(home.undo(&receipt), [ChangeState::Done]);
    assert_eq!(home.text("a.md").as_deref(), Some("theirs"));
    std::fs::remove_file(home.0.path().join("a.md")).unwrap();
    assert_eq!(home.undo(&receipt), [ChangeState::Returned]);
    assert_eq!(home.text("a.md").as_deref(), Some("a"));
}

#[test]
fn nothing_goes_for_a_file_that_does_not_say_it() {
    for edited in [false, true] {
        let home = ChangeHome::new(&[("a.md", "a"), ("b.md", "b")]);
        let merged = home.change("a.md", Some("a and b"));
        let successor = Some(("a.md".to_owned(), hash(Some(b"a and b"))));
        let changes = vec![merged, Planned { successor, ..home.change("b.md", None) }];
        Change::begin(home.0.path(), "test", changes, now()).unwrap();
        // Killed here, and edited before the next run.
        if edited {
            home.write("a.md", "theirs");
        }
        settle(home.0.path()).unwrap();
        assert_eq!(home.text("b.md").is_some(), edited);
        assert_eq!(home.text("a.md").as_deref(), Some(if edited { "theirs" } else { "a and b" }));
    }
}

#[test]
fn a_receipt_that_cannot_be_read_hides_no_other() {
    let home = ChangeHome::new(&[("a.md", "a")]);
    std::fs::create_dir_all(home.0.path().join(".archive/receipts/bad.json")).unwrap();
    home.write(".archive/receipts/worse.json", "[");
    let receipt = home.apply(&[("a.md", None)]);
    settle(home.0.path()).unwrap();
    assert_eq!(home.undo(&receipt), [ChangeState::Returned]);
}

#[test]
fn what_was_changed_meanwhile_stays() {
    let home = ChangeHome::new(&[("a.md", "a"), ("b.md", "b"), ("c.md", "c"), ("d.md", "d")]);
    let planned: Vec<Planned> = [("a.md", Some("A")), ("b.md", None), ("new.md", Some("n"))]
        .map(|(name, after)| home.change(name, after))
        .into();
    for name in ["a.md", "b.md", "new.md"] {
        home.write(name, "theirs");
    }
    let receipt = apply(home.0.path(), "test", planned, now()).unwrap().unwrap();
    assert!(receipt.entries.iter().all(|entry| entry.state == ChangeState::Left));
    // The same on the way back.
    let receipt = home.apply(&[("c.md", Some("C")), ("d.md", None)]);
    for name in ["c.md", "d.md"] {
        home.write(name, "theirs");
    }
    assert_eq!(home.undo(&receipt), [ChangeState::Done; 2]);
    for name in ["a.md", "b.md", "new.md", "c.md", "d.md"] {
        assert_eq!(home.text(name).as_deref(), Some("theirs"), "{name}");
    }
}

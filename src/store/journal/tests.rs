use super::*;
use crate::base::cases::rows;
use crate::record::item::Evidence;
use crate::redact::redactor;

const TS: &str = "2026-04-13T18:32:45-03:00";

fn decision(summary: &str) -> Item {
    let evidence = Evidence { quote: "go with links".to_owned(), line: Some(3), ..Evidence::default() };
    let evidence = vec![Evidence { said_by: Some("user".to_owned()), ..evidence }];
    let id = crate::record::item::id(ItemKind::Decision, "lh", summary);
    Item { rationale: "R".to_owned(), id, evidence, grounded: true, ..Item::new(ItemKind::Decision, summary) }
}

fn add_to(memory: &Path, session_id: &str, items: &mut [Item]) -> Vec<Added> {
    let redactor = redactor();
    let from = Receipts::new(memory, session_id, "lh", &redactor).at(TS.to_owned());
    file::create_folder(&memory.join(".state")).unwrap();
    add(&Memory::alone(memory), items, &from).unwrap()
}

#[test]
fn what_is_written_is_read_back_whole_and_in_short() {
    let home = tempfile::tempdir().unwrap();
    add_to(home.path(), "s", &mut [decision("Use symlinks"), decision("Drop the weekly report")]);
    let path = home.path().join(name(ItemKind::Decision, true));
    let whole = read(std::slice::from_ref(&path), ItemKind::Decision).unwrap();
    assert_eq!(whole.iter().map(|entry| &entry.item.evidence[0].quote).collect::<Vec<_>>(), ["go with links"; 2]);
    for (whole, short) in whole.iter().zip(tail(std::slice::from_ref(&path), ItemKind::Decision, 1 << 16).unwrap()) {
        assert_eq!(short.item.summary, whole.item.summary);
        assert_eq!((short.item.rationale.as_str(), short.item.grounded), ("R", true));
        assert_eq!((short.session_id.as_str(), short.item.said_by.as_str()), ("s", "user"));
        assert_eq!((short.time, whole.time), (clock::parse(TS), clock::parse(TS)));
    }
    assert_eq!(whole.len(), 2);
    assert!(read(&[path], ItemKind::Failure).unwrap().is_empty());
}

/// A line as another machine writes it.
fn line(day: u32, summary: &str, rationale: &str) -> String {
    let item = decision(summary);
    format!(
        "{{\"ts\":\"2026-04-{day:02}T10:00:00Z\",\"type\":\"decision\",\"summary\":\"{summary}\",\"rationale\":\"{rationale}\",\"id\":\"{}\",\"grounded\":true}}\n",
        item.id
    )
}

fn marked(day: u32, summary: &str, word: &str) -> String {
    format!("{{\"ts\":\"2026-04-{day:02}T10:00:00Z\",\"type\":\"{word}\",\"id\":\"{}\"}}\n", decision(summary).id)
}

const SYNCED: &str = "decisions.sync-conflict-20260413-183245-ABCDEFG.jsonl";

struct Synced(tempfile::TempDir);

impl Synced {
    fn new(own: &[String], copy: &[String]) -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("decisions.jsonl"), own.concat()).unwrap();
        std::fs::write(home.path().join(SYNCED), copy.concat()).unwrap();
        Self(home)
    }

    fn files(&self) -> Vec<PathBuf> {
        files(&[self.0.path()], ItemKind::Decision, true)
    }

    /// The summaries that are told, as a start and as a distillation read them.
    fn told(&self) -> Vec<String> {
        let of = |entries: Vec<Entry>| entries.into_iter().map(|entry| entry.item.summary).collect::<Vec<_>>();
        let whole = read(&self.files(), ItemKind::Decision).unwrap().into_iter().filter(|entry| !entry.is_forgotten());
        let (whole, tail) = (of(whole.collect()), of(tail(&self.files(), ItemKind::Decision, 1 << 16).unwrap()));
        assert_eq!(whole, tail);
        whole
    }
}

#[test]
fn what_two_machines_wrote_is_one_journal() {
    let both = [line(1, "Use symlinks", "R"), line(3, "Keep it short", "R")];
    let old = "{\"ts\":\"2026-04-02T10:00:00Z\",\"type\":\"decision\",\"summary\":\"Doors are green\"}\n".to_owned();
    let own = [both[0].clone(), old.clone(), line(5, "Own it", "R"), "<<<<<<< HEAD\n".to_owned()];
    let copy = [
        old.replace('\n', "\r\n"),
        both[0].clone(),
        line(4, "Other things", "R"),
        both[1].clone(),
        "=======\n>>>>>>> other\n{\"torn".to_owned(),
    ];
    let home = Synced::new(&own, &copy);
    assert_eq!(home.told(), ["Use symlinks", "Doors are green", "Keep it short", "Other things", "Own it"]);
    // What the other machine knows is not written again, and the copy is left alone.
    let items = &mut [decision("Other things"), decision("Write the docs")];
    let added = add_to(home.0.path(), "s", items);
    assert!(matches!(added[..], [Added::DuplicateOf(_), Added::Written]), "{added:?}");
    assert_eq!(std::fs::read_to_string(home.0.path().join(SYNCED)).unwrap(), copy.concat());
}

#[test]
fn of_the_marks_of_two_machines_the_later_counts_wherever_it_is() {
    let item = || line(1, "Use symlinks", "R");
    let of_word = |word: &str| match word.split_once(' ') {
        Some((word, day)) => marked(day.parse().unwrap(), "Use symlinks", word),
        None => item(),
    };
    let lines = |cell: &str| cell.split(", ").filter(|word| !word.is_empty()).map(of_word).collect::<Vec<_>>();
    for [own, copy, told] in rows(include_str!("marks.tsv")) {
        let home = Synced::new(&lines(&own), &lines(&copy));
        assert_eq!(home.told().len(), usize::from(told == "told"), "{own} / {copy}");
    }
    // A mark far before the end of a long file.
    let lines: Vec<String> =
        (0..600).map(|number| line(2, &format!("Rule {number} of the house"), &"x".repeat(200))).collect();
    let home = Synced::new(&[&[of_word("forgotten 2")][..], &lines].concat(), &[item()]);
    let told = tail(&home.files(), ItemKind::Decision, 1 << 16).unwrap();
    assert!(told.len() < 400 && !told.iter().any(|entry| entry.item.summary == "Use symlinks"), "{}", told.len());
}

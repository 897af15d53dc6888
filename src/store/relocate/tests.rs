use super::*;
use crate::base::clock;
use crate::base::config::Privacy;
use crate::record::item::Item;
use crate::store::{handoff, progress};
use proptest::prelude::*;
use std::cell::RefCell;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

mod any;

type Event = Box<dyn FnOnce() -> bool>;

thread_local! {
    /// What happens at which of the next steps that change the disk; whether the tool is killed by it.
    static NEXT: RefCell<Option<(usize, Option<Event>)>> = const { RefCell::new(None) };
}

/// Before each step that changes the disk.
pub fn may_be_killed() -> Result<(), Failure> {
    let event = NEXT.with_borrow_mut(|next| match next {
        Some((0, event)) => Some(event.take()),
        Some((left, _)) => {
            *left -= 1;
            None
        }
        None => None,
    });
    match event {
        None => Ok(()),
        // Once it is killed it does nothing more.
        Some(None) => Err(Failure::new(Exit::Command(137), "killed")),
        Some(Some(event)) => {
            if event() {
                return Err(Failure::new(Exit::Command(137), "killed"));
            }
            NEXT.set(None);
            Ok(())
        }
    }
}

/// Runs something, with an event before the n-th step from now; says whether it was met.
fn with_event<T>(steps: usize, event: Event, run: impl FnOnce() -> T) -> (T, bool) {
    NEXT.set(Some((steps, Some(event))));
    let result = run();
    let met = NEXT.take().is_none_or(|(left, event)| left == 0 && event.is_none());
    (result, met)
}

fn killed<T>(steps: usize, run: impl FnOnce() -> T) -> (T, bool) {
    with_event(steps, Box::new(|| true), run)
}

type Tree = BTreeMap<PathBuf, Vec<u8>>;

/// One for all, since making one takes its time.
fn redactor() -> &'static Redactor {
    thread_local! {
        static REDACTOR: &'static Redactor = Box::leak(Box::new(Redactor::new(&Privacy::default()).unwrap()));
    }
    REDACTOR.with(|redactor| *redactor)
}

fn back(moved: &Moved) -> Result<Moved, Failure> {
    undo(&moved.receipt, redactor())
}

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        // In memory, if there is a place: there are thousands of syncs in these tests.
        Self(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        self.write_at(name, text, 0);
    }

    /// Written so many seconds after 2026 began.
    fn write_at(&self, name: &str, text: &str, seconds: u64) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_225_600 + seconds);
        std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(std::fs::read(self.path(name)).unwrap_or_default()).unwrap()
    }

    fn handoff(&self, folder: &str, session: &str, mtime: &str, items: &[&str]) {
        let memory = self.path(folder);
        let _lock = crate::store::lock(&memory).unwrap();
        let base = handoff::read(&memory).unwrap().base;
        let summary = |item: &&str| Item { summary: (*item).to_owned(), ..Item::default() };
        let items: Vec<Item> = items.iter().map(summary).collect();
        let (heading, redactor, source_mtime) =
            ("Open for the next session:", redactor(), clock::parse(mtime).unwrap());
        let given = handoff::Given {
            items: &items,
            session_id: session,
            source_mtime,
            ended_at: None,
            worked: true,
            base: &base,
            heading,
            redactor,
            receipts: None,
        };
        handoff::put(&memory, &given).unwrap();
    }

    fn open(&self, folder: &str) -> Vec<String> {
        handoff::read(&self.path(folder)).unwrap().items
    }

    /// All files below a folder, but for locks.
    fn tree(&self, folder: &str) -> Tree {
        let mut found = Tree::new();
        let mut folders = vec![self.path(folder)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                } else if !path.ends_with("lock") {
                    let name = path.strip_prefix(self.path("")).unwrap().to_path_buf();
                    found.insert(name, std::fs::read(&path).unwrap_or_default());
                }
            }
        }
        found
    }

    fn relocate(&self, from: &str, to: &str) -> Result<Moved, Failure> {
        relocate(&self.path(from), &self.path(to), &self.path("moves"), redactor())
    }

    /// A memory with one of each, and what is not ours.
    fn fill(&self, folder: &str, of: &str, hour: u64) {
        let time = |minute: u64| format!("2026-01-01T{hour:02}:{minute:02}:00Z");
        let item = |what: &str, minute| {
            let ts = time(minute);
            format!(
                "{{\"ts\":\"{ts}\",\"type\":\"decision\",\"summary\":\"{of} {what}\",\"id\":\"{of}{what}\",\"session_id\":\"{of}\"}}\n"
            )
        };
        let file = |name: &str, text: &str| self.write_at(&format!("{folder}/{name}"), text, hour * 3600);
        file("decisions.jsonl", &(item("one", 1) + &item("two", 2) + "{\"torn of " + of));
        file("decisions.sync-conflict-20260101-010101-ABC.jsonl", &item("conflict", 3));
        file("failures.jsonl", &item("failure", 4));
        file("quarantine.jsonl", &item("quarantine", 5));
        file(".state/notes.jsonl", &item("memory", 6));
        file(".state/torn", &format!("{{\"torn {of}\n"));
        file(".state/export.json", "{}\n");
        file(".state/summaries/s.md", &format!("---\nsession_id: s\n---\nsummary of {of}\n"));
        file("pre-compact-summary.md", &format!("---\nsession_id: {of}\n---\nsummary of {of}\n"));
        file("briefing.md", &format!("briefing of {of}\n"));
        file("briefing.md.1", "the same\n");
        file("INDEX.md", &format!("- {of}\n"));
        file(&format!("episodes/session-{of}.json"), &format!("{{\"episode\":\"{of}\"}}\n"));
        file("profiles/review.md", &format!("profile of {of}\n"));
        file(".archive/2026/old.md", &format!("archived of {of}\n"));
        file(
            "progress.md",
            &format!("---\nsession_id: {of}\nsource_mtime: {}\n---\n- Goal: {of}\n- Last answer: {of} ends\n", time(7)),
        );
        file("MEMORY.md", &format!("- [x](x.md) {of}\n"));
        file("x.md", &format!("typed memory of {of}\n"));
        file("decisions-old.jsonl", "a person's\n");
        file("insights/a.md", of);
        file("grades.jsonl", of);
        self.handoff(folder, of, &time(8), &[&format!("ship what {of} began"), "write the release notes"]);
        let page = self.path(&format!("{folder}/handoff.md"));
        let text = std::fs::read_to_string(&page).unwrap();
        std::fs::write(&page, text + &format!("- call the dentist of {of}\n")).unwrap();
    }
}

const OURS: [&str; 5] = ["MEMORY.md", "x.md", "decisions-old.jsonl", "insights/a.md", "grades.jsonl"];

#[test]
fn what_is_ours_moves_and_all_else_stays() {
    let home = Home::new();
    home.fill("a/memory", "ann", 1);
    let before = home.tree("a");
    assert!(has_memory(&home.path("a/memory")) && !has_memory(&home.path("store/memory/h/o/n")));
    let moved = home.relocate("a/memory", "store/memory/h/o/n").unwrap();
    assert_eq!((moved.files, &moved.from), (16, &home.path("a/memory")));
    let (left, there) = (home.tree("a"), home.tree("store"));
    for (name, bytes) in &before {
        let name = name.strip_prefix("a/memory").unwrap();
        let stays = OURS.iter().any(|ours| name == Path::new(ours));
        let is_cache = name == Path::new(".state/export.json");
        let place = |tree: &Tree, folder: &str| tree.get(&Path::new(folder).join(name)).cloned();
        assert_eq!(place(&left, "a/memory").as_ref(), Some(bytes).filter(|_| stays), "{name:?}");
        let goes = !stays && !is_cache;
        assert_eq!(place(&there, "store/memory/h/o/n").as_ref(), Some(bytes).filter(|_| goes), "{name:?}");
    }
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home.path("store/memory/h/o/n/episodes/session-ann.json")), 0o600);
    assert_eq!((mode(&home.path("store/memory/h")), mode(&home.path("moves"))), (0o700, 0o700));
    assert_eq!(mode(&moved.receipt), 0o600);
    assert!(!has_memory(&home.path("a/memory")));
    let listed = list(&home.path("moves")).unwrap();
    assert_eq!(listed.len(), 1);
    let same =
        |listed: &Listed| (listed.from == moved.from, listed.to == moved.to, listed.unfinished, listed.undone_at);
    assert_eq!(same(&listed[0]), (true, true, false, None));
    let failure = home.relocate("a/memory", "store/memory/h/o/n").unwrap_err();
    assert_eq!(failure.exit, Exit::No, "{}", failure.message);
    // Back again, and nothing is left but what is not ours, with its folders.
    back(&moved).unwrap();
    let mut wanted = before;
    wanted.remove(Path::new("a/memory/.state/export.json"));
    assert_eq!(home.tree("a"), wanted);
    assert!(!home.path("store").exists());
    let failure = back(&moved).unwrap_err();
    assert!(failure.exit == Exit::Data && failure.message.contains("was undone at"), "{}", failure.message);
    assert!(list(&home.path("moves")).unwrap()[0].undone_at.is_some());
}

#[test]
fn the_copies_and_the_files_have_the_time_of_their_content() {
    let home = Home::new();
    home.write_at("a/briefing.md", "x", 5);
    let time = |name: &str| home.path(name).metadata().unwrap().modified().unwrap();
    let before = time("a/briefing.md");
    let moved = home.relocate("a", "b").unwrap();
    assert_eq!(time("b/briefing.md"), before);
    back(&moved).unwrap();
    assert_eq!(time("a/briefing.md"), before);
}

#[test]
fn journals_are_merged_by_their_times_and_keep_each_line() {
    let line = |ts: &str, rest: &str| format!("{{\"ts\":\"2026-01-01T{ts}:00Z\",{rest}}}\n");
    let item = |ts: &str, id: &str| {
        line(ts, &format!("\"type\":\"decision\",\"summary\":\"{id}\",\"id\":\"{id}\",\"session_id\":\"s\""))
    };
    let mark = |ts: &str, what: &str| line(ts, &format!("\"type\":\"{what}\",\"id\":\"a\""));
    let merged =
        |to: &str, from: &str| lines::merge(to.as_bytes(), from.as_bytes()).map(|it| String::from_utf8(it).unwrap());
    let (a, b, c) = (item("01:00", "a"), item("02:00", "b"), item("03:00", "c"));
    assert_eq!(merged(&format!("{a}{c}"), &b), Some(format!("{a}{b}{c}")));
    assert_eq!(merged(&format!("{a}{b}"), &format!("{b}{a}")), None);
    // The same item of the same session with another word in it, and one of another session.
    assert_eq!(merged(&a, &a.replace("\"id\"", "\"tags\":[],\"id\"")), None);
    let other = a.replace("\"session_id\":\"s\"", "\"session_id\":\"t\"");
    assert_eq!(merged(&a, &other), Some(format!("{a}{other}")));
    // An id that stands for another claim is no reason to drop one.
    let claim = a.replace("\"summary\":\"a\"", "\"summary\":\"not a\"");
    assert_eq!(merged(&a, &claim), Some(format!("{a}{claim}")));
    // A torn line gets its newline; what has no time comes last.
    assert_eq!(merged("{\"ts\":", &format!("rubbish\n{a}")), Some(format!("{{\"ts\":\n{a}rubbish\n")));
    assert_eq!(merged(&format!("{b}{{\"torn"), &format!("\n{a}{{\"torn")), Some(format!("{a}{b}{{\"torn\n")));
    // The last mark counts, whatever the clock of the items says.
    let (no, yes) = (mark("04:00", "forgotten"), mark("05:00", "restored"));
    assert_eq!(merged(&format!("{a}{no}"), &format!("{a}{yes}")), Some(format!("{a}{no}{yes}")));
    let late = item("09:00", "z");
    assert_eq!(merged(&format!("{late}{yes}"), &no), Some(format!("{late}{no}{yes}")));
    assert_eq!(merged(&format!("{no}{c}"), &yes), Some(format!("{no}{yes}{c}")));
}

#[test]
fn handoffs_become_one_and_what_was_closed_since_stays_closed() {
    for newer_moves in [true, false] {
        let home = Home::new();
        let (newer, older) = if newer_moves { ("from", "to") } else { ("to", "from") };
        home.handoff(older, "o1", "2026-01-01T01:00:00Z", &["mend the parser", "publish the release 2.1"]);
        home.handoff(older, "o2", "2026-01-01T02:00:00Z", &["publish the release 2.1", "paint the logo blue"]);
        home.handoff(newer, "n1", "2026-01-01T03:00:00Z", &["paint the logo blue", "order the new disks"]);
        // The newer session closed it after the older had said it.
        home.handoff(newer, "n2", "2026-01-01T04:00:00Z", &["order the new disks", "publish release 2.1"]);
        let page = home.path(&format!("{older}/handoff.md"));
        let text = std::fs::read_to_string(&page).unwrap();
        std::fs::write(&page, format!("{text}- ask Bea about the rent\n")).unwrap();
        home.relocate("from", "to").unwrap();
        let open = home.open("to");
        assert_eq!(open, ["order the new disks", "publish release 2.1", "ask Bea about the rent"], "{newer_moves}");
        let text = home.text("to/handoff.md");
        assert!(
            text.contains("session_id: n2\n") && text.contains("source_modified_at: 2026-01-01T04:00:00Z"),
            "{text}"
        );
        let state = home.text("to/.state/handoff");
        assert!(state.starts_with("2026-01-01T04:00:00Z\n") && state.lines().count() == 2, "{state}");
        assert!(state.contains("mend the parser") && state.contains("paint the logo blue"), "{state}");
        // The person's line is a person's still: the next session does not close it.
        home.handoff("to", "n3", "2026-01-01T05:00:00Z", &["mend the parser"]);
        assert_eq!(home.open("to"), ["mend the parser", "ask Bea about the rent"]);
    }
}

#[test]
fn a_side_on_which_nothing_is_open_closes_what_the_other_had_before() {
    let home = Home::new();
    home.handoff("to", "t1", "2026-01-01T02:00:00Z", &["mend the parser"]);
    home.handoff("to", "t2", "2026-01-01T03:00:00Z", &[]);
    home.handoff("from", "f", "2026-01-01T01:00:00Z", &["mend the parser", "order the new disks"]);
    assert!(!home.path("to/handoff.md").exists());
    home.relocate("from", "to").unwrap();
    assert_eq!(home.open("to"), ["order the new disks"]);
    // And a secret that a person wrote there is masked where the page is written anew.
    let home = Home::new();
    let secret = format!("ghp_{}", "0aB1cD2eF3".repeat(4).get(..36).unwrap());
    home.write_at("from/handoff.md", &format!("- use {secret}\n"), 0);
    home.handoff("to", "t1", "2026-01-01T02:00:00Z", &["mend the parser"]);
    home.relocate("from", "to").unwrap();
    let text = home.text("to/handoff.md") + &home.text("to/.state/handoff");
    assert!(!text.contains(&secret) && home.open("to").len() == 2, "{text}");
}

#[test]
fn of_other_files_the_newer_stays_and_the_other_one_is_kept() {
    let home = Home::new();
    for (folder, seconds) in [("from", 9), ("to", 5)] {
        home.write_at(&format!("{folder}/pre-compact-summary.md"), folder, seconds);
        home.write_at(&format!("{folder}/episodes/e.json"), folder, 10 - seconds);
        home.write_at(&format!("{folder}/.archive/old"), folder, seconds);
        home.write_at(&format!("{folder}/INDEX.md"), "same", seconds);
        home.write_at(&format!("{folder}/progress.md"), &format!("notes of {folder}\n"), seconds);
    }
    home.write("to/.archive/episodes/e.json-20260101T000001Z", "taken");
    let before = home.tree("to");
    let moved = home.relocate("from", "to").unwrap();
    assert_eq!(home.text("to/pre-compact-summary.md"), "from");
    assert_eq!(home.text("to/.archive/pre-compact-summary.md-20260101T000005Z"), "to");
    assert_eq!(home.text("to/episodes/e.json"), "to");
    assert_eq!(home.text("to/.archive/episodes/e.json-20260101T000001Z"), "taken");
    assert_eq!(home.text("to/.archive/episodes/e.json-20260101T000001Z-2"), "from");
    assert_eq!(
        (home.text("to/.archive/old"), home.text("to/.archive/old-20260101T000005Z")),
        ("from".into(), "to".into())
    );
    assert_eq!(home.text("to/progress.md"), "notes of from\n");
    back(&moved).unwrap();
    assert_eq!(home.tree("to"), before);
}

#[test]
fn progress_has_the_sessions_of_both() {
    let home = Home::new();
    let put = |folder: &str, id: &str, time: &str| {
        let points = vec![format!("Goal: {id}"), format!("Last answer: {id} ends"), "Changed last: x".to_owned()];
        let new = progress::Progress {
            session_id: id.to_owned(),
            source_mtime: clock::parse(time),
            points,
            said: Vec::new(),
            ..progress::Progress::default()
        };
        progress::put(&home.path(folder), &new, redactor()).unwrap();
    };
    put("from", "f1", "2026-01-01T01:00:00Z");
    put("from", "f2", "2026-01-01T04:00:00Z");
    put("to", "t", "2026-01-01T03:00:00Z");
    home.relocate("from", "to").unwrap();
    let all = progress::read(&home.path("to")).unwrap();
    let ids: Vec<&str> = all.iter().map(|progress| progress.session_id.as_str()).collect();
    assert_eq!((ids, all[0].points.len(), all[1].points.len()), (vec!["f2", "t", "f1"], 3, 2));
}

#[test]
fn what_leads_out_or_is_no_file_stops_the_move_before_it_begins() {
    for folder in ["from", "to"] {
        for (name, kind) in [
            ("decisions.jsonl", "out"),
            ("handoff.md", "out"),
            (".state/handoff", "nowhere"),
            ("episodes", "out"),
            ("episodes", "inside"),
            ("profiles/x", "loop"),
            ("failures.jsonl", "fifo"),
            ("failures.jsonl", "folder"),
            (".archive", "file"),
        ] {
            let home = Home::new();
            home.fill("from", "ann", 1);
            home.fill("to", "bob", 2);
            home.write("elsewhere/decisions.jsonl", "{}\n");
            home.write("from/kept/x", "");
            home.write("to/kept/x", "");
            let path = home.path(&format!("{folder}/{name}"));
            let _ = std::fs::remove_dir_all(&path);
            let _ = std::fs::remove_file(&path);
            let link = |to: PathBuf| std::os::unix::fs::symlink(to, &path).unwrap();
            match kind {
                "out" if name == "episodes" => link(home.path("elsewhere")),
                "out" => link(home.path("elsewhere/decisions.jsonl")),
                "nowhere" => link(home.path("elsewhere/nowhere")),
                "inside" => link(home.path(&format!("{folder}/kept"))),
                "loop" => link(home.path(folder)),
                "folder" => std::fs::create_dir(&path).unwrap(),
                "file" => std::fs::write(&path, "a person's").unwrap(),
                _ => assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success()),
            }
            let see = |folder: &str| if kind == "fifo" { Tree::new() } else { home.tree(folder) };
            let before = (see("from"), see("to"));
            let moved = home.relocate("from", "to");
            let is_ours = folder == "from" || name != "profiles/x";
            if kind == "folder" {
                // A folder of that name is nobody's journal: what is in it stays.
                assert!(folder == "from" && moved.is_ok() || moved.is_err(), "{folder}/{name} {kind}");
                continue;
            }
            let failure = moved.expect_err(&format!("{folder}/{name} {kind} {is_ours}"));
            assert_eq!(failure.exit, Exit::Data, "{folder}/{name} {kind}: {}", failure.message);
            assert_eq!((see("from"), see("to")), before, "{folder}/{name} {kind}");
            assert_eq!(list(&home.path("moves")).unwrap(), [], "{folder}/{name} {kind}");
        }
    }
    let home = Home::new();
    home.fill("a", "ann", 1);
    assert_eq!(home.relocate("a", "a/b").unwrap_err().exit, Exit::Usage);
    assert_eq!(home.relocate("a", "a").unwrap_err().exit, Exit::Usage);
}

#[test]
fn a_link_that_stays_inside_is_followed_and_paths_need_not_be_text() {
    let home = Home::new();
    home.write("from/real", "{\"a\":1}\n");
    std::os::unix::fs::symlink("real", home.path("from/decisions.jsonl")).unwrap();
    let odd = Path::new(std::ffi::OsStr::from_bytes(b"episodes/a\xff\nb"));
    std::fs::create_dir(home.path("from/episodes")).unwrap();
    std::fs::write(home.path("from").join(odd), "odd").unwrap();
    let to = home.path("x").join(Path::new(std::ffi::OsStr::from_bytes(b"t\xfe\n")));
    let moved = relocate(&home.path("from"), &to, &home.path("moves"), redactor()).unwrap();
    assert_eq!(std::fs::read(to.join(odd)).unwrap(), b"odd");
    assert_eq!(std::fs::read(to.join("decisions.jsonl")).unwrap(), b"{\"a\":1}\n");
    assert!(home.path("from/real").exists() && !home.path("from/decisions.jsonl").exists());
    assert_eq!(list(&home.path("moves")).unwrap()[0].to, to);
    back(&moved).unwrap();
    assert_eq!(std::fs::read(home.path("from").join(odd)).unwrap(), b"odd");
    assert!(home.path("from/decisions.jsonl").exists() && !home.path("x").exists());
}

/// Everything that somebody said, as it is anywhere in the two folders.
fn facts(home: &Home) -> Vec<String> {
    let all = texts(home);
    let words = ["one", "two", "conflict", "failure", "quarantine", "memory"];
    let of = |who: &str| {
        let items = words.map(|word| format!("\"summary\":\"{who} {word}\""));
        let rest = [
            "ship what {} began", "call the dentist of {}", "summary of {}", "briefing of {}", "\"episode\":\"{}\"",
            "profile of {}", "archived of {}", "{\"torn of {}", "{\"torn {}", "Goal: {}",
        ];
        items.into_iter().chain(rest.map(|text| text.replace("{}", who))).collect::<Vec<_>>()
    };
    [of("ann"), of("bob")].concat().into_iter().filter(|fact| !all.contains(fact.as_str())).collect()
}

/// All that is in the two folders.
fn texts(home: &Home) -> String {
    let trees = [home.tree("from"), home.tree("to")];
    trees.iter().flat_map(Tree::values).map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect()
}

/// What is not the same in two trees, as far as one can read it.
fn differ(a: &Tree, b: &Tree) -> Vec<String> {
    let names: std::collections::BTreeSet<&PathBuf> = a.keys().chain(b.keys()).collect();
    let show = |tree: &Tree, name: &PathBuf| tree.get(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let differs = names.into_iter().filter(|name| a.get(*name) != b.get(*name));
    differs.map(|name| format!("{}: {:?} / {:?}", name.display(), show(a, name), show(b, name))).collect()
}

fn two() -> Home {
    let home = Home::new();
    home.fill("from", "ann", 3);
    home.fill("to", "bob", 2);
    home
}

/// The tree without the times at which pages were written.
fn plain(home: &Home) -> Tree {
    let mut all = home.tree("from");
    all.extend(home.tree("to"));
    for bytes in all.values_mut() {
        let text = String::from_utf8_lossy(bytes);
        *bytes =
            text.lines().filter(|line| !line.starts_with("written_at: ")).collect::<Vec<_>>().join("\n").into_bytes();
    }
    all
}

#[test]
fn a_move_that_is_killed_anywhere_ends_as_if_it_had_not_been() {
    let whole = two();
    assert_eq!(facts(&whole), [""; 0]);
    let wanted = {
        whole.relocate("from", "to").unwrap();
        assert_eq!(facts(&whole), [""; 0]);
        plain(&whole)
    };
    let mut steps = 0;
    loop {
        let home = two();
        let before = plain(&home);
        let (moved, met) = killed(steps, || home.relocate("from", "to"));
        assert_eq!(met, moved.is_err(), "{steps}");
        assert_eq!(facts(&home), [""; 0], "killed at step {steps}");
        // And once more, on its way.
        if steps % 4 == 0 {
            let _ = killed(steps / 2, || home.relocate("from", "to"));
            assert_eq!(facts(&home), [""; 0], "killed at step {steps} and {}", steps / 2);
        }
        let again = home.relocate("from", "to");
        assert!(again.as_ref().err().is_none_or(|failure| failure.exit == Exit::No), "{steps}: {again:?}");
        assert_eq!(differ(&plain(&home), &wanted), [""; 0], "killed at step {steps}");
        let receipts = list(&home.path("moves")).unwrap();
        assert_eq!((receipts.len(), receipts[0].unfinished), (1, false), "killed at step {steps}");
        if !met {
            break;
        }
        if steps % 3 != 0 {
            steps += 1;
            continue;
        }
        let mut before = before;
        before.remove(Path::new("from/.state/export.json"));
        undo(&receipts[0].receipt, redactor()).unwrap();
        assert_eq!(differ(&plain(&home), &before), [""; 0], "killed at step {steps}, undone");
        steps += 1;
    }
    assert!(steps > 60, "{steps}");
}

#[test]
fn an_undo_that_is_killed_anywhere_ends_as_if_it_had_not_been() {
    for shared in [true, false] {
        for later in [false, true] {
            let scene = || {
                let home = if shared { two() } else { Home::new() };
                if !shared {
                    home.fill("from", "ann", 3);
                }
                let before = plain(&home);
                let moved = home.relocate("from", "to").unwrap();
                if later {
                    std::fs::write(home.path("to/failures.jsonl"), home.text("to/failures.jsonl") + "{\"late\":1}\n")
                        .unwrap();
                    home.handoff("to", "late", "2026-01-01T09:00:00Z", &["sweep the yard"]);
                    home.write_at("to/briefing.md", "a later briefing", 900_000);
                    home.write("to/episodes/late.json", "a late one");
                }
                (home, moved, before)
            };
            let (whole, moved, mut before) = scene();
            back(&moved).unwrap();
            let wanted = plain(&whole);
            before.remove(Path::new("from/.state/export.json"));
            if later {
                assert_eq!(whole.open("from")[0], "sweep the yard");
                assert_eq!(whole.text("from/failures.jsonl").matches("late").count(), 1);
                assert_eq!(whole.text("from/briefing.md"), "a later briefing");
                assert_eq!(whole.text("from/episodes/late.json"), "a late one");
                assert_eq!(whole.path("to").exists(), shared);
                assert_eq!(whole.text("to/failures.jsonl").matches("late").count(), usize::from(shared));
                assert!(!whole.text("to/failures.jsonl").contains("ann failure"));
            } else {
                assert_eq!(differ(&wanted, &before), [""; 0]);
            }
            let mut steps = 0;
            loop {
                let (home, moved, _) = scene();
                let (undone, met) = killed(steps, || back(&moved));
                assert_eq!(met, undone.is_err(), "{steps}");
                if steps % 4 == 0 {
                    let _ = killed(steps / 2, || back(&moved));
                }
                let again = back(&moved);
                assert_eq!(home.path("to").exists(), shared, "killed at step {steps}");
                assert!(again.is_ok() || again.as_ref().unwrap_err().message.contains("was undone"), "{again:?}");
                assert_eq!(
                    differ(&plain(&home), &wanted),
                    [""; 0],
                    "shared {shared}, later {later}, killed at step {steps}"
                );
                if !met {
                    break;
                }
                steps += 1;
            }
            assert!(steps > 15, "{steps}");
        }
    }
}

/// A tool that knows nothing of our lock.
fn meanwhile(home: &Home) -> Event {
    let add = |path: PathBuf, text: &'static str| {
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, old + text).unwrap();
    };
    let (from, to) = (home.path("from"), home.path("to"));
    Box::new(move || {
        add(from.join("decisions.jsonl"), "\n{\"meanwhile\":1}\n");
        add(from.join("handoff.md"), "- meanwhile call Zoe\n");
        add(from.join("episodes/meanwhile.json"), "a fleeting episode");
        add(to.join("failures.jsonl"), "\n{\"meanwhile\":2}\n");
        false
    })
}

fn nothing_is_lost(home: &Home, when: &str) {
    let all = texts(home);
    for word in ["\"meanwhile\":1", "\"meanwhile\":2", "meanwhile call Zoe", "a fleeting episode"] {
        assert!(all.contains(word), "{word}: {when}");
    }
    assert_eq!(facts(home), [""; 0], "{when}");
}

/// Runs it again if it saw that somebody wrote.
fn run_on(run: impl Fn() -> Result<Moved, Failure>, event: Event, steps: usize) -> (Moved, bool) {
    let (moved, met) = with_event(steps, event, &run);
    let moved = moved.or_else(|failure| {
        assert_eq!(failure.exit, Exit::Later, "{steps}: {}", failure.message);
        run()
    });
    (moved.unwrap(), met)
}

#[test]
fn what_somebody_writes_during_a_move_is_never_lost() {
    for steps in 0.. {
        let home = two();
        let (moved, met) = run_on(|| home.relocate("from", "to"), meanwhile(&home), steps);
        if !met {
            assert!(steps > 60, "{steps}");
            break;
        }
        nothing_is_lost(&home, &format!("step {steps}"));
        if steps % 2 == 0 {
            back(&moved).unwrap();
            nothing_is_lost(&home, &format!("step {steps}, undone"));
        }
    }
}

#[test]
fn what_somebody_writes_during_an_undo_is_never_lost() {
    for steps in 0.. {
        let home = two();
        let moved = home.relocate("from", "to").unwrap();
        let (_, met) = run_on(|| back(&moved), meanwhile(&home), steps);
        if !met {
            assert!(steps > 15, "{steps}");
            break;
        }
        nothing_is_lost(&home, &format!("step {steps}"));
    }
}

#[test]
fn two_moves_at_once_do_not_wait_for_each_other_and_lose_nothing() {
    let home = two();
    let (from, to, moves) = (home.path("from"), home.path("to"), home.path("moves"));
    let others = home.path("other-moves");
    std::thread::scope(|scope| {
        for receipts in [&moves, &others] {
            for (from, to) in [(&from, &to), (&to, &from)] {
                scope.spawn(move || {
                    for _ in 0..5 {
                        if let Err(failure) = relocate(from, to, receipts, redactor()) {
                            assert!(matches!(failure.exit, Exit::No | Exit::Later), "{}", failure.message);
                        }
                    }
                });
            }
        }
    });
    assert_eq!(facts(&home), [""; 0]);
    let count = |word: &str| texts(&home).matches(word).count();
    assert_eq!((count("\"ann one\""), count("\"bob two\"")), (1, 1));
}

#[test]
fn a_copy_that_was_changed_is_not_given_back() {
    let home = two();
    let moved = home.relocate("from", "to").unwrap();
    let copies = moved.receipt.with_extension("");
    std::fs::write(copies.join("from/decisions.jsonl"), "{}\n").unwrap();
    let before = plain(&home);
    let failure = back(&moved).unwrap_err();
    assert!(failure.exit == Exit::Data && failure.message.contains("was changed or removed"), "{}", failure.message);
    assert_eq!(home.tree("to").len(), before.keys().filter(|name| name.starts_with("to")).count());
    std::fs::write(&moved.receipt, "{").unwrap();
    assert_eq!(list(&home.path("moves")).unwrap_err().exit, Exit::Data);
}

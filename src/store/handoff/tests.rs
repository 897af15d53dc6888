use super::*;
use crate::base::cases::rows;
use crate::base::{clock, file};
use crate::record::item::ItemKind;
use crate::redact::redactor;

struct HandoffHome(tempfile::TempDir);

impl HandoffHome {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        file::create_folder(&home.0.path().join(".state")).unwrap();
        home
    }

    fn put(&self, session: &str, mtime: &str, base: &str, items: &[&str]) -> bool {
        self.put_all("Open:", session, mtime, base, items).0
    }

    /// What became of each item.
    fn became(&self, session: &str, mtime: &str, base: &str, items: &[&str]) -> Vec<Listed> {
        self.put_all("Open:", session, mtime, base, items).1
    }

    /// Below another heading, by a session that saw the page.
    fn put_below(&self, heading: &str, session: &str, mtime: &str, items: &[&str]) -> bool {
        self.put_all(heading, session, mtime, &self.base(), items).0
    }

    fn put_all(&self, heading: &str, session: &str, mtime: &str, base: &str, items: &[&str]) -> (bool, Vec<Listed>) {
        let items: Vec<Item> = items.iter().map(|item| Item::new(ItemKind::Handoff, *item)).collect();
        self.given(session, mtime, |given| {
            put(self.0.path(), &GivenHandoff { items: &items, base, heading, ..given }).unwrap()
        })
    }

    /// What a session gives that worked and says nothing.
    fn given<T>(&self, session: &str, mtime: &str, act: impl FnOnce(GivenHandoff<'_>) -> T) -> T {
        let redactor = redactor();
        let notes = Receipts::new(self.0.path(), session, "lh", &redactor);
        let (source_mtime, ended_at) = (clock::parse(mtime).unwrap(), clock::parse(ENDED));
        let (base, heading, notes) = (IN_PART, "Open:", &notes);
        act(GivenHandoff { items: &[], source_mtime, ended_at, worked: true, base, heading, notes })
    }

    /// A session that says nothing about what is open.
    fn passes(&self, session: &str, mtime: &str, worked: bool) {
        self.given(session, mtime, |given| pass(self.0.path(), &GivenHandoff { worked, ..given }).unwrap());
    }

    /// A person's hand.
    fn edit(&self, from: &str, to: &str) {
        let path = path(self.0.path());
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        std::fs::write(&path, text.replace(from, to)).unwrap();
    }

    fn state(&self) -> String {
        std::fs::read_to_string(self.0.path().join(".state/handoff")).unwrap()
    }

    fn items(&self) -> Vec<String> {
        read(self.0.path()).unwrap().items
    }

    fn base(&self) -> String {
        read(self.0.path()).unwrap().base
    }
}

/// When every session ended.
const ENDED: &str = "2026-04-13T09:59:00Z";
const EARLY: &str = "2026-04-13T10:00:00Z";
const LATE: &str = "2026-04-13T11:00:00Z";

const LATEST: &str = "2026-04-13T12:00:00Z";

#[test]
fn a_persons_lines_stay_and_what_a_person_took_out_stays_out() {
    let home = HandoffHome::new();
    home.put("a", EARLY, NO_BASE, &["mend the build", "write the docs", "ship"]);
    home.edit("- ship\n", "- ask Ana\n* ring the bell\n");
    home.edit("- mend the build\n", "");
    // The session grew; its distiller saw the page, and leaves out what the person wrote.
    let became = home.became("a", LATE, &home.base(), &["Mending the build", "write the docs", "ship", "test"]);
    let out = Err(NotOpen::ClosedByPerson);
    assert_eq!(became, [out.clone(), Ok(Added::Written), out, Ok(Added::Written)]);
    assert_eq!(home.items(), ["write the docs", "test", "ask Ana", "ring the bell"]);
    assert!(home.put("b", LATEST, &home.base(), &[]));
    assert_eq!(home.items(), ["ask Ana", "ring the bell"]);
    // A later session that only carries it over from the page that it saw says nothing new.
    carried(&home, "d", "2097-01-01T00:00:00Z", &["mend the build"]);
    assert_eq!(home.items(), ["ask Ana", "ring the bell"]);
    // Another session that comes later may say it anew; a person's line is said in the person's words.
    let later = "2098-01-01T00:00:00Z";
    let became = home.became("c", later, &home.base(), &["mend the build", "asking Ana"]);
    assert_eq!(became, [Ok(Added::Written), Ok(Added::DuplicateOf(item::open_id("ask Ana")))]);
    assert_eq!(home.items(), ["mend the build", "ask Ana", "ring the bell"]);
    // A person who takes everything away takes it from the session that said it.
    std::fs::remove_file(path(home.0.path())).unwrap();
    assert_eq!(home.became("c", later, NO_BASE, &["mend the build"]), [Err(NotOpen::ClosedByPerson)]);
    assert!(!path(home.0.path()).exists());
}

#[test]
fn a_kill_between_the_writes_is_no_persons_hand() {
    let home = HandoffHome::new();
    home.put("a", EARLY, NO_BASE, &["mend the build", "ship"]);
    let (page, base) = (std::fs::read(path(home.0.path())).unwrap(), home.base());
    home.put("b", LATE, &base, &["write the docs", "ship"]);
    let (done, items) = (home.state(), home.items());
    // As it is when only the first of the writes was done.
    std::fs::write(path(home.0.path()), &page).unwrap();
    let before = HandoffHome::new();
    before.put("a", EARLY, NO_BASE, &["mend the build", "ship"]);
    let both = format!("{done}{}\n", before.state().lines().nth(1).unwrap());
    std::fs::write(home.0.path().join(".state/handoff"), both).unwrap();
    assert!(home.put("b", LATE, &base, &["write the docs", "ship"]));
    assert_eq!((home.state(), home.items()), (done, items));
}

#[test]
fn a_time_in_the_future_closes_nothing_and_a_persons_lines_stay() {
    let home = HandoffHome::new();
    home.put("a", "2099-01-01T00:00:00Z", NO_BASE, &["from the future"]);
    assert!(home.put("b", LATE, &home.base(), &["ship"]));
    let mine = "Open:\n- one\n* two\nthree, in prose: yes\n";
    std::fs::write(path(home.0.path()), mine).unwrap();
    assert!(home.put("c", LATE, "another", &["four"]));
    assert_eq!(home.items(), ["four", "one", "two", "three, in prose: yes"]);
}

#[test]
fn a_heading_is_not_an_item_whatever_it_looks_like() {
    for [heading] in rows(include_str!("headings.tsv")) {
        let home = HandoffHome::new();
        let put = |session, mtime, items: &[&str]| home.put_below(&heading, session, mtime, items);
        assert!(put("a", EARLY, &["write the docs", "three: of them"]), "{heading}");
        assert_eq!(home.items(), ["write the docs", "three: of them"], "{heading}");
        assert!(!put("a", EARLY, &["write the docs", "three: of them"]), "{heading}");
        put("b", LATE, &["ship"]);
        assert_eq!(home.items(), ["ship"], "{heading}");
        // A person's lines stay, and so does one that takes the heading's place.
        home.edit("- ship\n", "- ship\nask Ana\n");
        put("b", LATE, &["ship"]);
        assert_eq!(home.items(), ["ship", "ask Ana"], "{heading}");
        let text = std::fs::read_to_string(path(home.0.path())).unwrap();
        assert_eq!(text.matches("---\n").count(), if heading == "---" { 3 } else { 2 }, "{text}");
    }
}

#[test]
fn what_a_person_ticked_is_closed_and_an_empty_box_is_open() {
    for [page, open, ship] in rows(include_str!("ticked.tsv")) {
        let home = HandoffHome::new();
        home.put("a", EARLY, NO_BASE, &["mend the build", "ship"]);
        home.edit("- mend the build\n- ship\n", &page);
        assert_eq!(home.items().join(", "), open, "{page}");
        // The session says it again, as does one that saw the page.
        let became = home.became("a", LATE, &home.base(), &["mend the build", "ship"]);
        let is_closed = became.get(1) == Some(&Err(NotOpen::ClosedByPerson));
        assert_eq!(is_closed, ship == "closed", "{page}: {became:?}");
    }
    // Also where nothing is remembered of the page.
    let home = HandoffHome::new();
    std::fs::write(path(home.0.path()), "Open:\n- [x] ship\n- mend the build\n").unwrap();
    assert_eq!(home.items(), ["mend the build"]);
    assert_eq!(home.became("a", EARLY, &home.base(), &["ship"]), [Err(NotOpen::ClosedByPerson)]);
    // What a session says with a box before it is said without.
    let home = HandoffHome::new();
    home.put("a", EARLY, NO_BASE, &["[ ] ship", "[x] test"]);
    assert_eq!(home.items(), ["ship", "test"]);
}

#[test]
fn a_session_that_says_the_same_again_is_of_now() {
    let home = HandoffHome::new();
    let times = || {
        let page = read(home.0.path()).unwrap();
        (page.session_id.unwrap(), page.source_mtime)
    };
    home.put("a", EARLY, NO_BASE, &["write the docs"]);
    assert!(home.put("a", LATE, &home.base(), &["write the docs"]));
    assert_eq!(times(), ("a".to_owned(), clock::parse(LATE)));
    // Once; and one that is older changes nothing.
    for time in [LATE, EARLY] {
        assert!(!home.put("a", time, &home.base(), &["write the docs"]), "{time}");
    }
    assert!(home.put("b", LATEST, &home.base(), &["write the docs"]));
    assert_eq!(times(), ("b".to_owned(), clock::parse(LATEST)));
    assert!(!home.put("a", LATE, &home.base(), &["write the docs"]));
    assert_eq!(times(), ("b".to_owned(), clock::parse(LATEST)));
}

/// Items that the session only passes on from the handoff that it saw.
fn carried(home: &HandoffHome, session: &str, mtime: &str, items: &[&str]) {
    let item = |text: &&str| {
        let evidence = crate::record::item::Evidence {
            quote: (*text).to_owned(),
            said_by: Some("handoff".to_owned()),
            ..Default::default()
        };
        Item { evidence: vec![evidence], ..Item::new(ItemKind::Handoff, *text) }
    };
    let items: Vec<Item> = items.iter().map(item).collect();
    let base = &home.base();
    home.given(session, mtime, |given| put(home.0.path(), &GivenHandoff { items: &items, base, ..given }).unwrap());
}

impl HandoffHome {
    fn old(&self) -> Vec<String> {
        let old = lines(self.0.path()).unwrap().into_iter().filter(OpenItem::is_old);
        old.map(|line| line.text).collect()
    }

    fn close(&self, items: &[&str]) {
        close(self.0.path(), &items.iter().map(ToString::to_string).collect::<Vec<_>>(), &redactor()).unwrap();
    }

    fn reopen(&self, items: &[&str]) {
        let items: Vec<String> = items.iter().map(ToString::to_string).collect();
        reopen(self.0.path(), &items, "Open:", &redactor()).unwrap();
    }

    fn page(&self) -> String {
        std::fs::read_to_string(path(self.0.path())).unwrap()
    }

    fn closed(&self) -> Vec<String> {
        closed(self.0.path()).unwrap().into_iter().map(|(_, item)| item).collect()
    }
}

#[test]
fn an_item_is_old_when_three_sessions_worked_for_a_day_without_a_word_of_it() {
    for [sessions, old] in rows(include_str!("old.tsv")) {
        let home = HandoffHome::new();
        home.put("a", "2026-04-13T10:00:00Z", NO_BASE, &["ship"]);
        home.edit("- ship\n", "- ship\n- ask Ana\n");
        for (session, time) in sessions.split(", ").filter_map(|one| one.split_once(' ')) {
            let time = format!("2026-04-{time}:00Z");
            if session == "a" {
                carried(&home, session, &time, &["ship"]);
            } else {
                home.passes(session, &time, !session.starts_with("idle"));
            }
        }
        assert_eq!(home.old().join(", "), old, "{sessions}");
    }
}

#[test]
fn what_is_closed_by_hand_stays_closed_in_other_words_and_comes_back_as_it_was() {
    for page in ["- ship\n", "* [ ] ship\r\n", "ship\n", "  - ship  \n", "+ ship\n- ship\n"] {
        let home = HandoffHome::new();
        home.put("a", EARLY, NO_BASE, &["mend the build", "ship", "write the docs"]);
        home.edit("- ship\n", page);
        let (before, state) = (home.page(), home.state());
        home.close(&["ship", "mend the build"]);
        assert_eq!(home.items(), ["write the docs"], "{page}");
        assert_eq!(home.closed(), ["mend the build", "ship"], "{page}");
        home.close(&["ship"]);
        home.reopen(&["ship", "mend the build"]);
        assert_eq!(home.page(), before, "{page}");
        // The state is as a run without anything to do would have left it.
        if page == "- ship\n" {
            assert_eq!(home.state(), state);
        }
        home.close(&["mend the build"]);
        let later = ["Mending the build", "write the docs"];
        let became = home.became("b", LATE, &home.base(), &later);
        assert_eq!(became, [Err(NotOpen::ClosedByPerson), Ok(Added::Written)], "{page}");
        assert!(!home.page().contains("build"), "{page}");
        // Its line is gone meanwhile: it comes back at the end, as the session's own.
        home.reopen(&["mend the build"]);
        assert_eq!(home.items().last().map(String::as_str), Some("mend the build"), "{page}");
        assert_eq!(home.closed(), Vec::<String>::new(), "{page}");
        assert!(home.put("c", LATEST, &home.base(), &["test"]));
        assert!(!home.items().contains(&"mend the build".to_owned()), "{page}");
    }
}

#[test]
fn what_was_closed_comes_back_where_there_is_no_page() {
    let home = HandoffHome::new();
    home.put("a", EARLY, NO_BASE, &["ship"]);
    home.close(&["ship"]);
    assert!(!home.put("b", LATE, &home.base(), &[]));
    std::fs::remove_file(path(home.0.path())).unwrap();
    assert_eq!(home.closed(), ["ship"]);
    home.reopen(&["ship"]);
    assert_eq!(home.items(), ["ship"]);
    // One of a page that nobody remembers, and that no tool wrote.
    let home = HandoffHome::new();
    std::fs::write(path(home.0.path()), "ship\n").unwrap();
    home.close(&["ship"]);
    assert_eq!(home.page(), "[x] ship\n");
    home.reopen(&["ship"]);
    assert_eq!(home.page(), "ship\n");
    home.put("b", LATE, &home.base(), &[]);
    assert_eq!(home.items(), ["ship"]);
}

#[test]
fn a_kill_between_page_and_state_is_a_persons_tick() {
    let home = HandoffHome::new();
    home.put("a", EARLY, NO_BASE, &["mend the build", "ship"]);
    let state = home.state();
    home.close(&["ship"]);
    // Only the page was written.
    std::fs::write(home.0.path().join(".state/handoff"), &state).unwrap();
    assert_eq!((home.items(), home.closed()), (vec!["mend the build".to_owned()], vec!["ship".to_owned()]));
    assert_eq!(home.became("b", LATE, "another", &["ship"]), [Err(NotOpen::ClosedByPerson)]);
    let home = HandoffHome::new();
    home.put("a", EARLY, NO_BASE, &["mend the build", "ship"]);
    let open = home.page();
    home.close(&["ship"]);
    let closed = home.state();
    home.reopen(&["ship"]);
    std::fs::write(home.0.path().join(".state/handoff"), &closed).unwrap();
    assert_eq!((home.page(), home.closed()), (open, Vec::<String>::new()));
    // Also the state of an item of the session's is the session's again: then the page goes.
    assert!(home.put("b", LATE, &home.base(), &[]));
    assert!(!path(home.0.path()).exists());
}

#[test]
fn headings_that_a_person_wrote_are_no_items() {
    let body = "# Open\n\nBackend:\n- mend the build\n- notes:\n### Later ###\n**Docs**\n---\n***\n===\n- write **the docs**\n**bold** and more\n#12 is open\nask Ana: today\n";
    for head in ["", "---\nsession_id: a\n---\n"] {
        let home = HandoffHome::new();
        std::fs::write(path(home.0.path()), format!("{head}{body}")).unwrap();
        let items =
            ["mend the build", "notes:", "write **the docs**", "**bold** and more", "#12 is open", "ask Ana: today"];
        assert_eq!(home.items(), items, "{head}");
    }
}

#[test]
fn the_date_is_the_sessions_and_the_heading_its_language() {
    let home = HandoffHome::new();
    home.put_below(heading(None, true), "a", LATE, &["ship"]);
    let page = read(home.0.path()).unwrap();
    assert_eq!(page.ended_at, clock::parse(ENDED));
    assert_eq!(page.heading.as_deref(), Some("Pendiente para próxima sesión:"));
    // A session that ended before leaves both as they are.
    home.put_below(heading(None, false), "b", EARLY, &["test"]);
    assert!(home.page().contains("Pendiente") && home.items() == ["ship", "test"], "{}", home.page());
    home.put_below(heading(None, false), "c", LATEST, &["ship"]);
    assert!(home.page().contains("---\nOpen for the next session:\n- ship\n"), "{}", home.page());
    assert_eq!(heading(Some("Mine:"), true), "Mine:");
}

/// The predecessor's page of a session, its time rounded as it rounds it.
fn of_predecessor(home: &HandoffHome, session: &str, seconds: &str, items: &str) {
    let head = format!("session_id: {session}\nwritten_at: 2026-04-13T11:00:05+00:00\nsource_mtime: {seconds}\n");
    let page = format!("---\n{head}---\nPendiente para próxima sesión:\n{items}");
    std::fs::write(path(home.0.path()), page).unwrap();
}

/// The predecessor rounds the time of a transcript, a half to the even second; we keep it exactly beside.
#[test]
fn a_rounded_time_of_a_transcript_is_neither_older_nor_newer_than_the_transcript() {
    for [time, theirs, ours] in rows(include_str!("rounded.tsv")) {
        let home = HandoffHome::new();
        of_predecessor(&home, "a", &theirs, "- mend the build\n");
        let (page, at) = (read(home.0.path()).unwrap(), clock::parse(&time));
        assert!(page.source_mtime <= at, "{time}: {page:?}");
        // We distil the same transcript: it is not an older one, and the page gets its time.
        assert!(home.put("a", &time, &home.base(), &["ship"]), "{time}");
        assert_eq!(home.items(), ["ship"], "{time}");
        assert_eq!(read(home.0.path()).unwrap().source_mtime, at);
        let lines = format!("\nsource_mtime: {ours}\nsource_modified_at: {time}\n");
        assert!(home.page().contains(&lines), "{}", home.page());
        // An earlier file of ours.
        let earlier = home.page().replace(&lines, &format!("\nsource_mtime: {time}\n"));
        std::fs::write(path(home.0.path()), earlier).unwrap();
        assert_eq!(read(home.0.path()).unwrap().source_mtime, at);
        // The same items: the page still gets its time, once.
        of_predecessor(&home, "a", &theirs, "- ship\n");
        let puts = [0, 1].map(|_| home.put("a", &time, &home.base(), &["ship"]));
        assert_eq!(puts, [page.source_mtime != at, false], "{time}");
    }
    // A second off is another time.
    let home = HandoffHome::new();
    of_predecessor(&home, "b", "1776078000", "- mend the build\n");
    assert!(home.put("a", "2026-04-13T10:59:59Z", &home.base(), &["ship"]));
    assert_eq!(home.items(), ["mend the build", "ship"]);
    assert!(home.page().contains("session_id: b\n") && home.page().contains("\nsource_mtime: 1776078000\n"));
    for (odd, time) in
        [("0", None), ("-5", None), ("x", None), ("99999999999999999999", None), ("1776078000.0", Some(()))]
    {
        of_predecessor(&home, "a", odd, "- ship\n");
        assert_eq!(read(home.0.path()).unwrap().source_mtime.map(drop), time, "{odd}");
    }
}

const SLIM: &str = include_str!("slim.md");

#[test]
fn what_a_session_gave_itself_goes_when_it_does_not_give_it_any_more() {
    let day = |day: u32| format!("2026-04-{day:02}T10:00:00Z");
    for [says, saw, later, wanted] in rows(include_str!("given.tsv")) {
        let home = HandoffHome::new();
        home.put("a", &day(1), NO_BASE, &["ask the team", "order the cable"]);
        home.put("b", &day(2), IN_PART, &["write the page", "run the tests of the page", "order the cable"]);
        home.edit("- run", "- call Ana\n- run");
        if !later.is_empty() {
            home.put("c", &day(4), IN_PART, &[later.as_str()]);
        }
        let base = if saw == "all" { home.base() } else { IN_PART.to_owned() };
        if says.is_empty() {
            home.passes("b", &day(3), true);
        } else {
            home.put("b", &day(3), &base, &says.split(", ").collect::<Vec<_>>());
        }
        let mut open = home.items();
        open.sort();
        assert_eq!(open.join(", "), wanted, "{says}, {saw}, {later}");
    }
}

#[test]
fn a_slim_handoff_of_the_predecessor_opens_and_closes_nothing() {
    for slim in [SLIM.to_owned(), SLIM.replace('\n', "\r\n"), format!("\n{SLIM}")] {
        let home = HandoffHome::new();
        std::fs::write(path(home.0.path()), &slim).unwrap();
        let page = read(home.0.path()).unwrap();
        assert_eq!((page.items, page.ticked), (vec![], vec![]), "{slim}");
        home.put("b", LATE, &home.base(), &["write the docs"]);
        assert_eq!(home.items(), ["write the docs"]);
        assert!(!home.page().contains("rename"), "{}", home.page());
        // It took the place of what was open: that is open still, and no person closed it.
        home.edit("- write the docs\n", "- write the docs\n- call Bob\n");
        home.put("b", LATE, &home.base(), &["write the docs", "mend the build"]);
        std::fs::write(path(home.0.path()), &slim).unwrap();
        let page = read(home.0.path()).unwrap();
        assert_eq!(page.items, Vec::<String>::new());
        assert_eq!(home.became("c", LATEST, &home.base(), &["write the docs"]), [Ok(Added::Written)]);
        assert_eq!(home.items(), ["write the docs", "mend the build", "call Bob"], "the distiller saw none of it");
    }
}

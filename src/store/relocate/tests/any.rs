//! Random memories, moved back and forth: nothing is lost, nothing is there twice.

use super::*;

/// What happens, in random order.
#[derive(Clone, Debug)]
enum Act {
    /// A line is added to a journal of one of the folders.
    Line(usize, u8, bool),
    /// A session says what is open in a folder.
    Open(usize, u8),
    /// An episode is written.
    Episode(usize, u8),
    /// One of the two clones moves into the store.
    Move(usize),
    /// The last move of a clone is taken back.
    Undo(usize),
    /// A move is killed at a step.
    Killed(usize, usize),
}

const FOLDERS: [&str; 3] = ["one", "two", "store/x"];

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        4 => (0..3_usize, 0..6_u8, any::<bool>()).prop_map(|(folder, hour, torn)| Act::Line(folder, hour, torn)),
        2 => (0..3_usize, 0..6_u8).prop_map(|(folder, what)| Act::Open(folder, what)),
        1 => (0..3_usize, 0..4_u8).prop_map(|(folder, what)| Act::Episode(folder, what)),
        3 => (0..2_usize).prop_map(Act::Move),
        3 => (0..2_usize).prop_map(Act::Undo),
        1 => (0..2_usize, 0..60_usize).prop_map(|(clone, step)| Act::Killed(clone, step)),
    ];
    proptest::collection::vec(act, 1..25)
}

#[derive(Default)]
struct Story {
    moved: [Option<Moved>; 2],
    lines: Vec<String>,
    episodes: Vec<String>,
    clock: u32,
}

impl Story {
    fn act(&mut self, home: &Home, act: &Act) {
        self.clock += 1;
        let now = self.clock;
        match act {
            Act::Line(folder, hour, torn) => {
                let path = format!("{}/decisions.jsonl", FOLDERS[*folder]);
                let mut text = home.text(&path);
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                let line = format!("{{\"ts\":\"2026-01-01T0{hour}:00:00Z\",\"n\":\"line {now}.\"}}");
                self.lines.push(format!("line {now}."));
                home.write(&path, &(text + &line + if *torn { "" } else { "\n" }));
            }
            Act::Open(folder, what) => {
                let time = format!("2026-01-01T{:02}:{:02}:00Z", now / 60, now % 60);
                let items = ["mend the parser", "order new disks", "paint the logo blue"];
                let items: Vec<&str> =
                    items.into_iter().enumerate().filter(|(at, _)| what & (1 << at) != 0).map(|(_, it)| it).collect();
                home.handoff(FOLDERS[*folder], &format!("s{now}"), &time, &items);
            }
            Act::Episode(folder, what) => {
                home.write_at(
                    &format!("{}/episodes/{what}", FOLDERS[*folder]),
                    &format!("episode {now}."),
                    u64::from(now),
                );
                self.episodes.push(format!("episode {now}."));
            }
            Act::Move(clone) => match home.relocate(FOLDERS[*clone], FOLDERS[2]) {
                Ok(moved) => self.moved[*clone] = Some(moved),
                Err(failure) => assert_eq!(failure.exit, Exit::No, "{}", failure.message),
            },
            Act::Undo(clone) => {
                if let Some(moved) = self.moved[*clone].take() {
                    back(&moved).unwrap();
                }
            }
            Act::Killed(clone, step) => {
                let (moved, _) = killed(*step, || home.relocate(FOLDERS[*clone], FOLDERS[2]));
                if let Ok(moved) = moved {
                    self.moved[*clone] = Some(moved);
                }
            }
        }
    }

    fn check(&self, home: &Home) {
        let texts = FOLDERS.map(|folder| {
            home.tree(folder)
                .into_values()
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .collect::<String>()
        });
        for line in &self.lines {
            let counts = texts.each_ref().map(|text| text.matches(line.as_str()).count());
            assert!(counts.iter().sum::<usize>() > 0, "{line} is lost");
            assert!(counts.iter().all(|count| *count <= 1), "{line} is there twice: {counts:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..Default::default() })]

    #[test]
    fn whatever_is_moved_and_taken_back_nothing_is_lost_or_doubled(acts in acts()) {
        let home = Home::new();
        let mut story = Story::default();
        for act in &acts {
            story.act(&home, act);
        }
        story.check(&home);
    }

    /// Two clones of one remote move into a store, which may have a memory, and are taken back in any order: each
    /// has byte for byte what it had. With lines that come between, each has its own and those.
    #[test]
    fn two_clones_get_their_own_back_in_any_order(
        own in proptest::array::uniform3(proptest::collection::vec((0..9_u8, 0..6_u8), 0..5)),
        first in 0..2_usize, undone in 0..2_usize, twice in any::<bool>(), between in any::<bool>(),
    ) {
        let home = Home::new();
        let mut wanted = Vec::new();
        for (folder, lines) in FOLDERS.iter().zip(&own) {
            for (hour, number) in lines {
                let path = format!("{folder}/failures.jsonl");
                // Some are in more than one of them.
                let old = home.text(&path);
                home.write(&path, &format!("{old}{{\"ts\":\"2026-01-01T0{hour}:00:00Z\",\"n\":{number}}}\n"));
                home.write(&format!("{folder}/episodes/{number}"), &format!("{number}"));
                home.handoff(folder, folder, &format!("2026-01-01T0{hour}:00:00Z"), &[["mend the parser", "order the disks", "paint the logo"][usize::from(number % 3)]]);
            }
            wanted.push(home.tree(folder));
        }
        for round in 0..=usize::from(twice) {
            let order = [first, 1 - first];
            let moved = order.map(|clone| home.relocate(FOLDERS[clone], FOLDERS[2]).ok());
            let added = format!("{{\"added\":{round}}}\n");
            if between && moved.iter().any(Option::is_some) {
                let old = home.text("store/x/failures.jsonl");
                home.write("store/x/failures.jsonl", &(old + &added));
            }
            for at in [undone, 1 - undone] {
                if let Some(moved) = &moved[at] {
                    back(moved).unwrap();
                }
            }
            for (folder, wanted) in FOLDERS.iter().zip(&wanted) {
                let mut now = home.tree(folder);
                if between {
                    let journal = Path::new(folder).join("failures.jsonl");
                    let text = String::from_utf8(now.remove(&journal).unwrap_or_default()).unwrap();
                    let known = String::from_utf8(wanted.get(&journal).cloned().unwrap_or_default()).unwrap();
                    prop_assert!(text.matches(added.as_str()).count() <= 1);
                    let left: String = text.split_inclusive('\n').filter(|line| !line.contains("added")).collect();
                    prop_assert_eq!(left, known, "{} in round {}", folder, round);
                    let mut wanted = wanted.clone();
                    wanted.remove(&journal);
                    prop_assert_eq!(now, wanted, "{} in round {}", folder, round);
                } else {
                    prop_assert_eq!(&now, wanted, "{} in round {}", folder, round);
                }
            }
        }
    }
}

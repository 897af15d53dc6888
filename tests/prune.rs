//! lh-prune: what is old or too much goes to the archive, and comes back; what is not ours stays.

use crate::home::Home;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The present of these tests, 2026-10-01T12:00:00Z.
pub const NOW: i64 = 1_790_856_000;
const DAY: i64 = 86_400;

/// So many seconds after 1970, as RFC 3339.
pub fn time(second: i64) -> String {
    jiff::Timestamp::from_second(second).unwrap().to_string()
}

/// The same as a file's time.
pub fn file_time(second: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(u64::try_from(second).unwrap())
}

/// Writes a file with a time.
pub fn write_at(path: &Path, text: &str, second: i64) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    File::options().append(true).open(path).unwrap().set_modified(file_time(second)).unwrap();
}

/// An episode that ended then.
pub fn episode(id: &str, ended: i64) -> String {
    let began = time(ended - 600);
    let project = json!({"cwd": "/src/app"});
    json!({"session_id": id, "project": project, "what_was_done": format!("Worked on {id}"), "files_changed": ["a.rs"],
        "outcome": "completed", "duration_minutes": 10, "started_at": began, "ended_at": time(ended)})
    .to_string()
        + "\n"
}

/// A task of a session that was queued then.
pub fn task(id: &str, queued: i64) -> String {
    format!("cwd=/src/app\nsession_jsonl=/x/{id}.jsonl\nsession_id={id}\nmemory_dir=/x\ntimestamp={}\n", time(queued))
}

/// Everything below a folder; what is behind a link is not.
pub fn paths(top: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![top.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
            folders.extend(entry.file_type().unwrap().is_dir().then(|| entry.path()));
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

/// The same, a file with its text, and a link with where it leads.
pub fn tree(top: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let with_bytes = |path: PathBuf| {
        let kind = path.symlink_metadata().unwrap().file_type();
        let bytes = match kind {
            _ if kind.is_symlink() => path.read_link().unwrap().into_os_string().into_encoded_bytes(),
            _ if kind.is_file() => fs::read(&path).unwrap(),
            _ => Vec::new(),
        };
        (path, bytes)
    };
    paths(top).into_iter().map(with_bytes).collect()
}

struct Scene {
    home: Home,
    cwd: PathBuf,
    memory: PathBuf,
}

impl Scene {
    fn new() -> Self {
        Self::with("[compound_loop]\nenabled = true\n")
    }

    fn with(config: &str) -> Self {
        let home = Home::new();
        home.write(".config/lazy-harness/config.toml", config);
        fs::create_dir_all(home.path("src/app")).unwrap();
        let cwd = home.path("src/app").canonicalize().unwrap();
        let slug = cwd.to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let memory = home.path("").canonicalize().unwrap().join(".claude/projects").join(slug).join("memory");
        // A session that is there, so that others can be gone.
        write_at(&memory.with_file_name("alive.jsonl"), "{}\n", NOW - 50 * DAY);
        Self { home, cwd, memory }
    }

    fn agent(&self, below: &str) -> PathBuf {
        self.home.path(".claude").join(below)
    }

    fn episodes(&self, days: impl IntoIterator<Item = i64>) {
        for (number, day) in days.into_iter().enumerate() {
            let id = format!("{number:04}");
            let ended = NOW - day * DAY - i64::try_from(number).unwrap();
            write_at(&self.memory.join(format!("episodes/session-{id}.json")), &episode(&id, ended), NOW);
        }
    }

    fn command(&self, seconds: i64, args: &[&str]) -> assert_cmd::Command {
        let mut command = self.home.tool("lh-prune");
        command.env("LH_NOW", time(NOW + seconds)).args(args).current_dir(&self.cwd);
        command
    }

    fn run(&self, seconds: i64, args: &[&str]) -> Output {
        self.command(seconds, args).output().unwrap()
    }

    /// The records of a run that ends well.
    fn done(&self, days: i64, args: &[&str]) -> Vec<Value> {
        let output = self.run(days * DAY, args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        records(&output)
    }

    fn names(&self, below: &str) -> BTreeSet<String> {
        let names = fs::read_dir(self.memory.join(below)).into_iter().flatten();
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

impl Scene {
    /// How many lines the menu has, which lh-index finds right.
    fn menu(&self) -> usize {
        let text = fs::read_to_string(self.memory.join("INDEX.md")).unwrap();
        let names = self.names("episodes");
        let linked = |line: &&str| names.iter().any(|name| line.starts_with(&format!("- `episodes/{name}` - ")));
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("- ")).collect();
        assert!(lines.iter().all(linked), "{text}");
        lines.len()
    }
}

fn records(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn results(records: &[Value]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for record in records {
        *counts.entry(record["result"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    counts
}

fn counts<const N: usize>(wanted: [(&str, usize); N]) -> BTreeMap<String, usize> {
    wanted.map(|(word, count)| (word.to_owned(), count)).into()
}

#[test]
fn old_and_too_many_episodes_go_and_come_back_to_the_byte() {
    let scene = Scene::new();
    scene.episodes((0..205).map(|number| number / 5).chain([91, 100, 400]));
    let before = tree(&scene.home.path(""));
    let would = scene.done(0, &["-n"]);
    assert_eq!(results(&would), counts([("would_remove", 8)]));
    assert_eq!(tree(&scene.home.path("")), before, "a dry run changes nothing");
    let why = |number: usize| would[number]["why"].as_str().unwrap();
    assert_eq!((why(0), why(7)), ("not one of the newest 200", "the session ended more than 90 days ago"));
    let removed = scene.done(0, &[]);
    assert_eq!(results(&removed), counts([("removed", 8)]));
    assert_eq!((scene.names("episodes").len(), scene.names(".archive/episodes").len()), (200, 8));
    assert_eq!(scene.menu(), 200);
    assert!(
        !scene.names("episodes").contains("session-0207.json") && scene.names("episodes").contains("session-0199.json")
    );
    // One that is older than 90 days is kept for 30 days, another one until it is as old.
    assert_eq!(removed[7]["kept_until"], "2026-10-31T12:00:00+00:00");
    assert!(removed[0]["kept_until"].as_str().unwrap().starts_with("2026-11-20"), "{}", removed[0]);
    assert_eq!(scene.done(0, &[]), Vec::<Value>::new(), "once is enough");

    assert_eq!(results(&scene.done(0, &["--restore"])), counts([("kept", 8)]));
    let path = scene.memory.join("episodes/session-0207.json");
    assert_eq!(results(&scene.done(0, &["--restore", "-n", "session-0207.json"])), counts([("would_restore", 1)]));
    assert!(!path.exists());
    let back = scene.done(1, &["--restore", "session-0207.json"]);
    assert_eq!((results(&back), &back[0]["path"]), (counts([("restored", 1)]), &json!(path)));
    assert_eq!(fs::read(&path).unwrap(), before[&path]);
    // The rest of the run.
    let run = removed[0]["run"].as_str().unwrap();
    assert!(run.starts_with("20261001T120000Z-prune-"), "{run}");
    let first = run.rsplit_once('-').unwrap().0;
    assert_eq!(results(&scene.done(1, &["--restore", first])), counts([("restored", 7)]));
    for (path, bytes) in before.iter().filter(|(path, _)| path.starts_with(scene.memory.join("episodes"))) {
        assert!(!path.is_file() || fs::read(path).unwrap() == *bytes, "{}", path.display());
    }
    assert_eq!((scene.names("episodes").len(), scene.menu()), (208, 208));
    // Not so soon again.
    assert_eq!(scene.done(30, &[]).len(), 0);
    assert_eq!(scene.done(32, &[]).len(), 8);
    let output = scene.run(0, &["--restore", "nothing"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(65), 0));
    assert_eq!(scene.run(0, &["nothing"]).status.code(), Some(64));
}

#[test]
fn a_session_whose_episode_was_taken_out_gets_no_new_one() {
    let scene = Scene::new();
    scene.episodes((0..200).map(|_| 1));
    let transcript = scene.home.transcript("5e0c1a7e", &scene.cwd, 3);
    let line = fs::read_to_string(&transcript).unwrap().replace("2026-04-13", "2026-08-13");
    write_at(&transcript, &line, NOW - 49 * DAY);
    let again = |days: i64| {
        let found = scene.home.tool("lh-find-session").arg(&transcript).output().unwrap();
        let mut command = scene.home.tool("lh-episode");
        command.env("LH_NOW", time(NOW + days * DAY)).write_stdin(found.stdout).output().unwrap().status.code()
    };
    let path = scene.memory.join("episodes/session-5e0c1a7e.json");
    assert!(again(0) == Some(0) && path.exists());
    assert_eq!(results(&scene.done(0, &[])), counts([("removed", 1)]));
    assert!(again(0) == Some(1) && !path.exists(), "its episode is in the archive");
    // Long enough for the copy to be gone: then the session is too old.
    scene.done(42, &[]);
    assert_eq!(scene.names(".archive/episodes").len(), 0);
    assert!(again(42) == Some(1) && !path.exists(), "it ended too long ago");
}

#[test]
fn a_copy_goes_when_its_time_is_over() {
    let scene = Scene::new();
    scene.episodes([91, 1]);
    scene.done(0, &[]);
    assert_eq!(scene.names(".archive/episodes").len(), 1);
    scene.done(29, &[]);
    assert_eq!(scene.names(".archive/episodes").len(), 1);
    scene.done(31, &[]);
    assert!(!scene.memory.join(".archive").exists());
    scene.done(95, &[]);
    scene.done(130, &[]);
    assert!(!scene.memory.join("episodes").exists(), "an empty folder of ours goes");
    assert_eq!(scene.run(130 * DAY, &["--restore"]).status.code(), Some(1), "nothing can be given back");
}

#[test]
fn what_came_since_keeps_its_name() {
    let scene = Scene::new();
    scene.episodes([91, 92]);
    scene.done(0, &[]);
    let path = scene.memory.join("episodes/session-0000.json");
    write_at(&path, "a newer one", NOW);
    let output = scene.run(0, &["--restore", "session-0000.json"]);
    assert_eq!((output.status.code(), results(&records(&output))), (Some(1), counts([("left", 1)])));
    assert_eq!(fs::read_to_string(&path).unwrap(), "a newer one");
    assert_eq!(scene.names(".archive/episodes").len(), 2);
    fs::remove_file(&path).unwrap();
    let output = scene.run(0, &["--restore", path.to_str().unwrap()]);
    assert_eq!(results(&records(&output)), counts([("restored", 1)]));
    assert_eq!(fs::read_to_string(&path).unwrap(), episode("0000", NOW - 91 * DAY));
}

/// Puts what is not ours into each folder, and says where it is.
pub fn decoys(home: &Home, memory: &Path, agent: &Path) -> Vec<PathBuf> {
    let outside = home.path("outside");
    write_at(&outside.join("session-out.json"), &episode("out", NOW - 400 * DAY), NOW - 400 * DAY);
    write_at(&outside.join("1700000000-out.task"), &task("out", NOW - 400 * DAY), NOW - 400 * DAY);
    let mut all = vec![outside.clone()];
    let old = NOW - 400 * DAY;
    for (folder, name) in [
        (memory.join("episodes"), "session-decoy.json"),
        (agent.join("queue/done"), "1700000000-decoy.task"),
        (agent.join("queue/state"), "decoy"),
        (memory.join(".state/summaries"), "decoy.md"),
    ] {
        fs::create_dir_all(&folder).unwrap();
        let (stem, ending) =
            name.split_once('.').map_or((name, String::new()), |(stem, end)| (stem, format!(".{end}")));
        let named = |word: &str| folder.join(format!("{stem}-{word}{ending}"));
        fs::create_dir(named("folder")).unwrap();
        write_at(&named("folder").join("inside"), "mine", old);
        symlink(outside.join("session-out.json"), named("link")).unwrap();
        symlink("nowhere", named("broken")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(named("fifo")).status().unwrap().success());
        write_at(&folder.join("notes of mine.txt"), "mine", old);
        write_at(&folder.join(".hidden"), "mine", old);
        all.extend(["folder", "link", "broken", "fifo"].map(&named));
        all.extend([folder.join("notes of mine.txt"), folder.join(".hidden")]);
    }
    // A name of ours that says nothing of ours.
    write_at(&agent.join("queue/done/1700000000-none.task"), "not a task", old);
    write_at(&agent.join("queue/state/none"), "not a state", old);
    write_at(&memory.join("mine.md"), "mine", old);
    write_at(&agent.join("logs/other.log"), &"mine\n".repeat(400_000), old);
    all.extend(["queue/done/1700000000-none.task", "queue/state/none", "logs/other.log"].map(|name| agent.join(name)));
    all.push(memory.join("mine.md"));
    all
}

/// What is at these places, and below them.
pub fn seen(places: &[PathBuf]) -> Vec<(PathBuf, Option<Vec<u8>>, bool)> {
    let mut found = Vec::new();
    for place in places {
        let data = place.symlink_metadata();
        let is_file = data.as_ref().is_ok_and(fs::Metadata::is_file);
        found.push((place.clone(), is_file.then(|| fs::read(place).unwrap()), data.is_ok()));
        found.extend(tree(place).into_iter().map(|(path, bytes)| (path, Some(bytes), true)));
    }
    found
}

#[test]
fn what_is_not_ours_is_left_and_counted() {
    let scene = Scene::new();
    let places = decoys(&scene.home, &scene.memory, &scene.agent(""));
    scene.episodes([100]);
    let before = seen(&places);
    let output = scene.run(0, &[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), results(&records(&output))), (Some(0), counts([("removed", 1)])), "{said}");
    for count in ["memory: 10 that lh did not write", "queue: 12 that lh did not write"] {
        assert!(said.contains(count), "{count}: {said}");
    }
    assert!(!scene.memory.join("episodes/session-0000.json").exists());
    assert_eq!(seen(&places), before);
    let start = scene.run(0, &["--few"]).stderr;
    assert!(!String::from_utf8_lossy(&start).contains("did not write"), "a session's start says nothing of it");
}

#[test]
fn a_folder_behind_a_link_is_not_entered() {
    let scene = Scene::new();
    let outside = scene.home.path("outside");
    write_at(&outside.join("session-0.json"), &episode("0", NOW - 400 * DAY), NOW);
    write_at(&outside.join("1700000000-0.task"), &task("0", NOW - 400 * DAY), NOW - 400 * DAY);
    write_at(&outside.join("hooks.log"), &"x\n".repeat(800_000), NOW);
    fs::create_dir_all(scene.agent("queue")).unwrap();
    fs::create_dir_all(&scene.memory).unwrap();
    symlink(&outside, scene.memory.join("episodes")).unwrap();
    symlink(&outside, scene.agent("queue/done")).unwrap();
    symlink(&outside, scene.agent("logs")).unwrap();
    let before = tree(&outside);
    let output = scene.run(0, &["--failed"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.stdout.len(), 0, "{said}");
    assert!(said.contains("is behind a link that leads out") && output.status.code() == Some(65), "{said}");
    assert_eq!(tree(&outside), before);
}

#[test]
fn tasks_go_when_they_are_done_long_since_and_those_given_up_only_if_asked() {
    let scene = Scene::new();
    let old = NOW - 31 * DAY;
    let put = |folder: &str, id: &str, queued: i64, changed: i64| {
        let name = format!("queue/{folder}/{queued}-{id}.task");
        write_at(&scene.agent(&name), &task(id, queued), changed);
        scene.agent(&name)
    };
    let gone = put("done", "old", old, old);
    // It waited for long, and was done only now.
    let late = put("done", "late", old, NOW - DAY);
    let young = put("done", "young", NOW - DAY, old);
    let failed = put("failed", "failed", old, old);
    let pending = put("", "pending", old, old);
    let state = |id: &str, changed: i64| {
        write_at(&scene.agent(&format!("queue/state/{id}")), "outcome=done\n", changed);
        scene.agent(&format!("queue/state/{id}"))
    };
    let (alive, vanished, fresh) = (state("alive", old), state("vanished", old), state("fresh", NOW - DAY));
    let kept = |id: &str| {
        write_at(&scene.memory.join(format!(".state/told/{id}.jsonl")), "{}\n", old);
        write_at(&scene.memory.join(format!(".state/summaries/{id}.md")), "## Open\n", old);
        write_at(&scene.memory.join(format!(".state/receipts/{id}.jsonl")), "{}\n", old);
    };
    kept("alive");
    kept("vanished");
    let removed = scene.done(0, &[]);
    let paths: BTreeSet<&str> = removed.iter().map(|record| record["path"].as_str().unwrap()).collect();
    assert_eq!(paths.len(), 4, "{paths:?}");
    assert!(!gone.exists() && !vanished.exists());
    assert!([&late, &young, &failed, &pending, &alive, &fresh].iter().all(|path| path.exists()));
    assert_eq!(scene.names(".state/told"), BTreeSet::from(["alive.jsonl".to_owned()]));
    assert_eq!(scene.names(".state/summaries"), BTreeSet::from(["alive.md".to_owned()]));
    assert_eq!(scene.names(".state/receipts").len(), 2, "by these a person takes back what was written");
    assert_eq!(results(&scene.done(0, &["--failed"])), counts([("removed", 1)]));
    assert!(!failed.exists() && pending.exists());
    let name = failed.file_name().unwrap().to_str().unwrap();
    assert_eq!(results(&scene.done(0, &["--restore", name])), counts([("restored", 1)]));
    assert_eq!(fs::read_to_string(&failed).unwrap(), task("failed", old));
    // Without any transcript a drive is not mounted, perhaps.
    fs::remove_file(scene.memory.with_file_name("alive.jsonl")).unwrap();
    assert_eq!(scene.done(0, &[]), Vec::<Value>::new());
    assert!(alive.exists());
}

/// A line of the ledger.
pub fn booked(second: i64, filler: usize) -> String {
    json!({"ts": time(second), "type": "call", "session_id": "s", "engine": "claude", "result": "x".repeat(filler)})
        .to_string()
        + "\n"
}

#[test]
fn logs_are_cut_by_size_and_the_budget_of_today_is_whole() {
    let scene = Scene::new();
    let line = "2026-09-30T12:00:00+00:00 lh-gate: a line of the log\n";
    let (log, older) = (scene.agent("logs/compound-loop.log"), scene.agent("logs/compound-loop.log.1"));
    write_at(&log, &line.repeat(30_000), NOW);
    write_at(&older, "the log of before\n", NOW);
    write_at(&scene.agent("logs/hooks.log"), &line.repeat(100), NOW);
    let today: String = (0..3000).map(|number| booked(NOW - number, 300)).collect();
    let ledger = scene.agent("logs/llm.jsonl");
    let before = (0..4000).map(|number| booked(NOW - 40 * DAY + number, 300)).collect::<String>() + &today;
    write_at(&ledger, &before, NOW);
    // While a model is called, its line is still to come.
    let call = File::options().append(true).open(&ledger).unwrap();
    call.lock().unwrap();
    assert_eq!(scene.done(0, &[]), Vec::<Value>::new());
    call.unlock().unwrap();
    assert_eq!(results(&scene.done(0, &["-n"])), counts([("would_remove", 1), ("would_shorten", 2)]));
    let done = scene.done(0, &[]);
    assert_eq!(results(&done), counts([("removed", 1), ("shortened", 2)]));
    assert!(!log.exists());
    assert_eq!(fs::read_to_string(&older).unwrap(), line.repeat(30_000));
    assert_eq!(fs::read_to_string(&ledger).unwrap(), today, "all of today, though it is much");
    // More of the days before is kept when there is room.
    let few: String = (0..10).map(|number| booked(NOW - number, 300)).collect();
    write_at(&ledger, &((0..4000).map(|number| booked(NOW - 40 * DAY + number, 300)).collect::<String>() + &few), NOW);
    scene.done(0, &[]);
    let rest = fs::read_to_string(&ledger).unwrap();
    assert!(rest.ends_with(&few) && rest.len() < 1 << 20 && rest.len() > 500_000, "{}", rest.len());
    assert!(rest.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "from the beginning of a line on");
    let kept = tree(&scene.agent("logs/.archive"));
    assert!(kept.values().any(|bytes| bytes == "the log of before\n".as_bytes()));
    assert!(kept.values().any(|bytes| *bytes == before.clone().into_bytes()));
}

#[test]
fn two_at_once_do_it_once() {
    let scene = Scene::new();
    scene.episodes((0..600).map(|number| number / 10));
    let start = || {
        let mut command = std::process::Command::new(crate::home::binary("lh-prune"));
        command.env_clear().env("HOME", scene.home.path("")).env("LH_NOW", time(NOW)).current_dir(&scene.cwd);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let all: Vec<Value> = [start(), start(), start()]
        .into_iter()
        .flat_map(|child| {
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
            records(&output)
        })
        .collect();
    let removed: BTreeSet<&str> = all.iter().map(|record| record["path"].as_str().unwrap()).collect();
    assert_eq!((results(&all), removed.len()), (counts([("removed", 400)]), 400));
    assert_eq!((scene.names("episodes").len(), scene.names(".archive/episodes").len()), (200, 400));
}

#[test]
fn a_session_s_start_does_a_little_and_the_next_ones_the_rest() {
    let scene = Scene::new();
    scene.episodes((0..900).map(|number| number / 20));
    let counts: Vec<usize> = (0..4).map(|_| scene.done(0, &["--few"]).len()).collect();
    assert_eq!(counts, [300, 300, 100, 0]);
    assert_eq!(scene.names("episodes").len(), 200);
    // Off is off.
    let off = Scene::with("[compound_loop]\nenabled = false\n");
    off.episodes([100]);
    assert_eq!(off.done(0, &["--few", "--enabled"]).len(), 0);
    assert_eq!(off.done(0, &["--few"]).len(), 1);
}

#[test]
fn all_projects_and_homes_are_pruned_and_a_store_s_caches_too() {
    let scene = Scene::with("[profiles.work]\nconfig_dir = \"~/.claude-work\"\n[knowledge]\npath = \"~/store\"\n");
    scene.home.write("store/knowledge.toml", "[knowledge]\nversion = 1\n");
    let folders =
        ["store/memory/github.com/dev/x", ".claude/projects/-other/memory", ".claude-work/projects/-w/memory"];
    for folder in folders {
        let path = scene.home.path(folder).join("episodes/session-a.json");
        write_at(&path, &episode("a", NOW - 100 * DAY), NOW);
    }
    write_at(
        &scene.home.path(".claude-work/queue/done/1700000000-w.task"),
        &task("w", NOW - 400 * DAY),
        NOW - 400 * DAY,
    );
    let store = scene.home.path(folders[0]).canonicalize().unwrap();
    let bytes = store.as_os_str().as_encoded_bytes();
    let hash: String = lh::record::item::hash(bytes);
    let told = scene.home.path(".local/state/lh/memory").join(hash).join("told/vanished.jsonl");
    write_at(&told, "{}\n", NOW - 40 * DAY);
    scene.episodes([100]);
    assert_eq!(scene.done(0, &["-n"]).len(), 1, "only the project of the folder");
    assert_eq!(results(&scene.done(0, &["--all"])), counts([("removed", 6)]));
    assert!(folders.iter().all(|folder| scene.home.path(folder).join(".archive/episodes").is_dir()) && !told.exists());
    assert!(scene.home.path(".claude-work/queue/.archive/done").is_dir());
    // One run of all folders has one name.
    let listed = scene.done(0, &["--all", "--restore"]);
    let run = listed[0]["run"].as_str().unwrap().rsplit_once('-').unwrap().0;
    assert_eq!(results(&scene.done(0, &["--all", "--restore", run])), counts([("restored", 6)]));
    assert!(told.exists());
}

#[test]
fn many_done_tasks_take_seconds() {
    let scene = Scene::new();
    for number in 0..20_000 {
        let queued = NOW - 40 * DAY - number;
        let name = format!("queue/done/{queued}-{number:08}.task");
        write_at(&scene.agent(&name), &task(&number.to_string(), queued), queued);
    }
    let begun = std::time::Instant::now();
    assert_eq!(scene.done(0, &[]).len(), 20_000);
    assert!(!scene.agent("queue/done").exists());
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    let begun = std::time::Instant::now();
    scene.done(31, &[]);
    assert!(!scene.agent("queue/.archive").exists());
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

/// A small scene with something of each kind.
#[cfg(target_os = "linux")]
fn small() -> Scene {
    let scene = Scene::new();
    scene.episodes((0..201).map(|_| 5).chain([91]));
    let old = NOW - 40 * DAY;
    write_at(&scene.agent("queue/done/1780000000-a.task"), &task("a", old), old);
    write_at(&scene.agent("queue/state/vanished"), "outcome=done\n", old);
    write_at(&scene.agent("logs/qmd.log"), &"x\n".repeat(600_000), NOW);
    write_at(&scene.agent("logs/qmd.log.1"), "before\n", NOW);
    let ledger = (0..9000).map(|number| booked(old + number, 50)).collect::<String>() + &booked(NOW, 50);
    write_at(&scene.agent("logs/llm.jsonl"), &ledger, NOW);
    scene
}

/// What a run leaves, without the names of its receipts, which say how often it was tried.
#[cfg(target_os = "linux")]
fn left(scene: &Scene) -> BTreeMap<String, Vec<u8>> {
    let top = scene.home.path("");
    let mut left = BTreeMap::new();
    for (path, bytes) in tree(&scene.agent("")) {
        let name = path.strip_prefix(&top).unwrap().to_string_lossy().replace(top.to_str().unwrap(), "");
        let slug = scene.memory.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
        if !name.contains(".archive/receipts/") {
            left.insert(name.replace(&slug, "-"), bytes);
        }
    }
    left
}

/// Whatever call it is killed at, the next run ends as if nothing had been.
#[cfg(target_os = "linux")]
#[test]
fn a_kill_at_any_call_changes_nothing_in_the_end() {
    use crate::fault::point;
    if let Err(why) = crate::fault::can_trace() {
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), "skipped: {why}");
        return;
    }
    let traced = |scene: &Scene, call: Option<&point::Call>| {
        let trace = scene.home.path("trace");
        let mut command = scene.home.run(Path::new("strace"));
        command.args(point::strace("lh-prune", &trace, call)).arg(crate::home::binary("lh-prune"));
        command.env("LH_NOW", time(NOW)).current_dir(&scene.cwd).output().unwrap();
        fs::read_to_string(trace).unwrap()
    };
    let scene = small();
    let trace = traced(&scene, None);
    let wanted = left(&scene);
    let root = scene.home.path("").to_str().unwrap().trim_end_matches('/').to_owned();
    let mut calls = point::calls(&trace, "lh-prune", &root, &BTreeMap::new());
    assert!(calls.len() > 60, "{}", calls.len());
    if std::env::var_os("LH_FAULTS").is_none() {
        // Every third of them is enough for each day.
        calls = calls.into_iter().step_by(3).collect();
    }
    for call in &calls {
        let scene = small();
        let trace = traced(&scene, Some(call));
        assert!(trace.contains("killed by SIGKILL"), "{call:?} was not met");
        let today = booked(NOW, 50);
        assert!(fs::read_to_string(scene.agent("logs/llm.jsonl")).unwrap().ends_with(&today), "{call:?}");
        scene.done(0, &[]);
        assert_eq!(left(&scene).keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>(), "{call:?}");
        assert!(left(&scene) == wanted, "{call:?}: other bytes");
        assert_eq!(scene.done(0, &[]).len(), 0, "{call:?}");
    }
}

/// What a script of ours leaves of two episodes, an old one among them, and of a session without one.
fn left_by(script: &str, scene: &Scene) -> Vec<String> {
    scene.episodes([1, 100]);
    let transcript = scene.home.transcript("bbbbbbbb-1", &scene.cwd, 3);
    let text = fs::read_to_string(&transcript).unwrap();
    fs::write(&transcript, text.replace("\"2026-04-13T", "\"2026-09-30T")).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(script);
    let output = scene.home.run(&path).current_dir(&scene.cwd).env("LH_NOW", time(NOW)).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let names = paths(&scene.memory.join("episodes"));
    names.iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn a_start_prunes_and_makes_what_is_missing_and_the_week_makes_briefings() {
    let config = "[compound_loop]\nenabled = true\nengine = \"extract\"\n[memory]\nbrief = \"weekly\"\n";
    let scene = Scene::with(config);
    assert_eq!(left_by("lh-sweep", &scene), ["session-0000.json", "session-bbbbbbbb-1.json"]);
    assert!(!scene.memory.join("briefing.md").exists());
    let scene = Scene::with(config);
    assert!(!left_by("lh-weekly", &scene).contains(&"session-0001.json".to_owned()));
    assert!(fs::read_to_string(scene.memory.join("briefing.md")).unwrap().contains("Worked on 0000"));
    // Unasked no briefing is made.
    let scene = Scene::with(&config.replace("weekly", "off"));
    left_by("lh-weekly", &scene);
    assert!(!scene.memory.join("briefing.md").exists());
}

#[test]
fn making_a_briefing_prunes_the_projects_episodes() {
    let scene = Scene::new();
    scene.episodes([1, 100]);
    let output = scene.home.tool("lh-brief").current_dir(&scene.cwd).env("LH_NOW", time(NOW)).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(!scene.memory.join("episodes/session-0001.json").exists());
    assert!(fs::read_to_string(scene.memory.join("INDEX.md")).unwrap().contains("session-0000.json"));
}

//! A year of a busy user: 2,000 sessions in 12 projects, the clock moved day by day. Each day some sessions end, sessions
//! start, and lh-prune does what their starts and the weekly timer do; every tenth day it or lh-episode is
//! killed at a random call. At the end of each day everything is within its bounds, and nothing is lost that should be
//! there.
//!
//! `YEAR_SEED` gives another year; `LH_YEAR=full` runs lh-prune at each session's start, not once a day.

use crate::home::Home;
use crate::prune::{booked, decoys, paths, seen, task, time, write_at};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

const SEED: u64 = 20_270_101;
const DAYS: i64 = 365;
const SESSIONS: usize = 2000;
const PROJECTS: usize = 12;
/// 2027-01-01T00:00:00Z.
const START: i64 = 1_798_761_600;
const DAY: i64 = 86_400;
/// When on a day everything is looked at.
const EVENING: i64 = 23 * 3600;
/// What each log gets on a day, in bytes.
const LOG_BYTES: usize = 24_000;
const LOG_LIMIT: u64 = 1 << 20;
/// Calls of a model on a day, and the bytes of each line.
const CALLS: i64 = 20;
const CALL_BYTES: usize = 900;

/// A generator of numbers, the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// A session in a few lines.
fn transcript(number: usize, cwd: &Path, ended: i64) -> String {
    let line = |role: &str, text: &str, at: i64| {
        let content = json!([{"type": "text", "text": text}]);
        json!({"type": role, "uuid": format!("{role}{number}"), "timestamp": time(at), "cwd": cwd, "entrypoint": "cli",
            "isSidechain": false, "message": {"role": role, "id": format!("m{number}"), "content": content}})
        .to_string()
            + "\n"
    };
    let asked = format!("Please look at part {number} of the parser and say what it does.");
    line("user", &asked, ended - 600) + &line("assistant", &format!("Part {number} reads a line."), ended)
}

struct Session {
    project: usize,
    ended: i64,
    text: String,
}

struct Year {
    home: Home,
    /// Its real path.
    top: PathBuf,
    random: Random,
    /// The project folders.
    folders: Vec<PathBuf>,
    sessions: BTreeMap<String, Session>,
    transcripts: BTreeMap<String, i64>,
    /// A session record of each project.
    records: BTreeMap<usize, Value>,
    failed: BTreeSet<PathBuf>,
    today: Vec<String>,
    strange: Vec<PathBuf>,
    /// The calls of a tool's last run that was traced.
    #[cfg(target_os = "linux")]
    calls: BTreeMap<&'static str, Vec<crate::fault::point::Call>>,
    /// Kills that struck, and the most of what there was on any evening.
    figures: BTreeMap<&'static str, u64>,
}

impl Year {
    fn new(seed: u64) -> Self {
        let home = Home::new();
        home.write(".config/lazy-harness/config.toml", "[compound_loop]\nenabled = true\nengine = \"extract\"\n");
        let top = home.path("").canonicalize().unwrap();
        let folder = |number: usize| {
            let cwd = top.join(format!("src/project{number}"));
            fs::create_dir_all(&cwd).unwrap();
            let slug = cwd.to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
            top.join(".claude/projects").join(slug)
        };
        let folders: Vec<PathBuf> = (0..PROJECTS).map(folder).collect();
        let strange = decoys(&home, &folders[1].join("memory"), &top.join(".claude"));
        Self {
            home,
            top,
            random: Random(seed),
            folders,
            sessions: BTreeMap::new(),
            transcripts: BTreeMap::new(),
            records: BTreeMap::new(),
            failed: BTreeSet::new(),
            today: Vec::new(),
            strange,
            #[cfg(target_os = "linux")]
            calls: BTreeMap::new(),
            figures: BTreeMap::new(),
        }
    }

    fn agent(&self, below: &str) -> PathBuf {
        self.top.join(".claude").join(below)
    }

    fn memory(&self, project: usize) -> PathBuf {
        self.folders[project].join("memory")
    }

    /// A session that ends: its transcript, and what the hooks and the worker keep of it.
    fn end_session(&mut self, number: usize, ended: i64) -> String {
        let id = format!("{number:08x}-0000-4000-8000-000000000000");
        // One project is the busiest, so that it has more than 200 sessions in 90 days.
        let project = if self.random.below(2) == 0 { 0 } else { 1 + self.random.below(PROJECTS - 1) };
        let cwd = self.top.join(format!("src/project{project}"));
        write_at(&self.folders[project].join(format!("{id}.jsonl")), &transcript(number, &cwd, ended), ended);
        self.transcripts.insert(id.clone(), ended);
        let given_up = self.random.below(40) == 0;
        let folder = if given_up { "failed" } else { "done" };
        let path = self.agent(&format!("queue/{folder}/{ended}-{}.task", &id[..8]));
        write_at(&path, &task(&id, ended), ended);
        if given_up {
            self.failed.insert(path);
        }
        write_at(
            &self.agent(&format!("queue/state/{id}")),
            &format!("queued_at={}\noutcome=done\n", time(ended)),
            ended,
        );
        let memory = self.memory(project);
        for name in [
            format!(".state/told/{id}.jsonl"),
            format!(".state/exports/{id}.json"),
            format!(".state/summaries/{id}.md"),
        ] {
            if self.random.below(3) == 0 {
                write_at(&memory.join(name), "{}\n", ended);
            }
        }
        self.sessions.insert(id.clone(), Session { project, ended, text: String::new() });
        id
    }

    /// The record of a session: that of the first one of its project, with its own id and transcript.
    fn record(&mut self, id: &str) -> String {
        let project = self.sessions[id].project;
        let transcript = self.folders[project].join(format!("{id}.jsonl"));
        let record = self.records.entry(project).or_insert_with(|| {
            let output = self.home.tool("lh-find-session").arg(&transcript).output().unwrap();
            serde_json::from_slice(&output.stdout).unwrap()
        });
        record["session_id"] = json!(id);
        record["transcript"] = json!(transcript);
        format!("{record}\n")
    }

    /// Gives sessions their episodes, as the worker does; a tool that is killed is run again.
    fn keep_episodes(&mut self, now: i64, ids: &[String], day: i64) {
        let records: String = ids.iter().map(|id| self.record(id)).collect();
        if matches!(day % 20, 18 | 19) {
            self.traced(now, day % 20 == 19, &["lh-episode"], records.as_bytes());
        }
        let mut command = self.home.tool("lh-episode");
        let output = command.env("LH_NOW", time(now)).write_stdin(records).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for id in ids {
            let session = self.sessions.get_mut(id).unwrap();
            let path = self.folders[session.project].join(format!("memory/episodes/session-{id}.json"));
            session.text = fs::read_to_string(&path).unwrap();
            assert!(session.text.contains(&format!("\"ended_at\":\"{}\"", time(session.ended))), "{}", session.text);
        }
    }

    /// What the logs and the ledger get on a day.
    fn log(&mut self, day: i64) {
        fs::create_dir_all(self.agent("logs")).unwrap();
        let line = format!("{} lh-dequeue: a line of the log\n", time(START + day * DAY));
        let lines = line.repeat(LOG_BYTES / line.len());
        self.today = (0..CALLS).map(|call| booked(START + day * DAY + call * 3000, CALL_BYTES)).collect();
        for (log, text) in [
            ("hooks.log", &lines),
            ("compound-loop.log", &lines),
            ("qmd.log", &lines),
            ("llm.jsonl", &self.today.concat()),
        ] {
            let path = self.agent("logs").join(log);
            OpenOptions::new().create(true).append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
        }
    }

    /// The client removes transcripts that are 30 days old.
    fn forget_transcripts(&mut self, now: i64) {
        let old: Vec<String> =
            self.transcripts.iter().filter(|(_, ended)| now - **ended > 30 * DAY).map(|(id, _)| id.clone()).collect();
        for id in old {
            self.transcripts.remove(&id);
            fs::remove_file(self.folders[self.sessions[&id].project].join(format!("{id}.jsonl"))).unwrap();
        }
    }

    /// What is in a folder and below that is not a decoy.
    fn ours(&self, folder: &Path) -> Vec<PathBuf> {
        let mut found = paths(folder);
        found.retain(|path| !self.strange.iter().any(|strange| path.starts_with(strange)));
        found
    }

    fn prune(&self, now: i64, args: &[&str]) {
        let output = self.home.tool("lh-prune").args(args).env("LH_NOW", time(now)).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// A tool under strace, killed at a call of its last run that was traced, or traced.
    fn traced(&mut self, now: i64, kills: bool, tool: &[&'static str], input: &[u8]) {
        #[cfg(target_os = "linux")]
        if crate::fault::can_trace().is_ok() {
            use crate::fault::point;
            let trace = self.home.path("trace");
            let calls = self.calls.entry(tool[0]).or_default();
            let call = (kills && !calls.is_empty()).then(|| calls.swap_remove(self.random.below(calls.len())));
            let mut command = self.home.run(Path::new("strace"));
            command
                .args(point::strace(tool[0], &trace, call.as_ref()))
                .arg(crate::home::binary(tool[0]))
                .args(&tool[1..]);
            command.env("LH_NOW", time(now)).write_stdin(input).output().unwrap();
            let text = fs::read_to_string(trace).unwrap();
            if kills {
                *self.figures.entry("kills").or_default() += u64::from(text.contains("killed by SIGKILL"));
            } else {
                let root = self.home.path("").to_str().unwrap().trim_end_matches('/').to_owned();
                *calls = point::calls(&text, tool[0], &root, &BTreeMap::new());
            }
        }
    }

    /// Every episode under 90 days can be read, where it was or in the archive.
    fn nothing_is_lost(&self, now: i64, when: &str) {
        let archives: Vec<Vec<PathBuf>> =
            (0..PROJECTS).map(|project| paths(&self.memory(project).join(".archive/episodes"))).collect();
        for (id, session) in self.sessions.iter().filter(|(_, session)| now - session.ended < 90 * DAY) {
            let name = format!("session-{id}.json");
            let there = fs::read_to_string(self.memory(session.project).join("episodes").join(&name));
            let is_copy = |path: &&PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(&name);
            let copies = archives[session.project].iter().filter(is_copy).map(fs::read_to_string);
            let is_it = |text: std::io::Result<String>| text.is_ok_and(|text| text == session.text);
            assert!(is_it(there) || copies.into_iter().any(is_it), "{when}: {name} is lost");
        }
        let ledger = fs::read_to_string(self.agent("logs/llm.jsonl")).unwrap();
        let lines: BTreeSet<&str> = ledger.split_inclusive('\n').collect();
        assert!(self.today.iter().all(|line| lines.contains(line.as_str())), "{when}: a line of today is gone");
        assert!(self.failed.iter().all(|path| path.exists()), "{when}: a task that was given up is gone");
    }

    fn most(&mut self, what: &'static str, count: usize) {
        let count = u64::try_from(count).unwrap();
        let most = self.figures.entry(what).or_default();
        *most = count.max(*most);
    }

    /// All that must hold at the end of a day.
    fn evening(&mut self, now: i64, when: &str) {
        self.nothing_is_lost(now, when);
        for project in 0..PROJECTS {
            let memory = self.memory(project);
            let mut count = 0;
            for path in self.ours(&memory.join("episodes")) {
                let id = path.file_stem().unwrap().to_str().unwrap().strip_prefix("session-").unwrap().to_owned();
                assert!(now - self.sessions[&id].ended <= 90 * DAY, "{when}: {} is too old", path.display());
                count += 1;
            }
            assert!(count <= 200, "{when}: {count} episodes");
            self.menu(project, count, when);
            let briefing = fs::read_to_string(memory.join("briefing.md")).unwrap_or_default();
            assert!(briefing.lines().count() <= 80, "{when}: {briefing}");
            self.most("lines of a briefing", briefing.lines().count());
            self.most("episodes of a project", count);
            let archived = Self::archive(&memory, now, when);
            self.most("copies in an archive of a project", archived);
            for folder in ["told", "exports", "summaries"] {
                for path in self.ours(&memory.join(".state").join(folder)) {
                    self.is_alive(path.file_stem().unwrap().to_str().unwrap(), now, when);
                }
            }
        }
        let copies = Self::archive(&self.agent("queue"), now, when) + Self::archive(&self.agent("logs"), now, when);
        self.most("copies of tasks, states and logs", copies);
        let done = self.ours(&self.agent("queue/done"));
        for path in &done {
            let second: i64 = path.file_name().unwrap().to_str().unwrap().split('-').next().unwrap().parse().unwrap();
            assert!(now - second <= 30 * DAY, "{when}: {} is too old", path.display());
        }
        self.most("done tasks", done.len());
        for path in self.ours(&self.agent("queue/state")) {
            self.is_alive(path.file_name().unwrap().to_str().unwrap(), now, when);
        }
        for log in ["hooks.log", "compound-loop.log", "qmd.log", "llm.jsonl", "hooks.log.1", "qmd.log.1"] {
            let length = self.agent("logs").join(log).metadata().map_or(0, |data| data.len());
            // What is turned over had grown for a day.
            assert!(length <= LOG_LIMIT + u64::try_from(LOG_BYTES).unwrap(), "{when}: {log} has {length} bytes");
            assert!(log.ends_with(".1") || length <= LOG_LIMIT, "{when}: {log} has {length} bytes");
        }
        let all = paths(&self.agent(""));
        let left = all.iter().find(|path| path.file_name().unwrap().to_string_lossy().starts_with(".lh-"));
        assert_eq!(left, None, "{when}: a leftover");
        self.most("files and folders in the agent's home", all.len());
    }

    /// The menu has a line for each episode that is there, the newest first.
    fn menu(&self, project: usize, count: usize, when: &str) {
        let text = fs::read_to_string(self.memory(project).join("INDEX.md")).unwrap_or_default();
        let linked =
            |line: &str| Some(line.strip_prefix("- `episodes/session-")?.split_once(".json` - ")?.0.to_owned());
        // A link of somebody's can lead to an episode.
        let ids: Vec<String> = text.lines().filter_map(linked).filter(|id| !id.starts_with("decoy-")).collect();
        assert!(
            ids.iter().all(|id| self.memory(project).join(format!("episodes/session-{id}.json")).is_file()),
            "{when}"
        );
        assert!(ids.is_sorted_by_key(|id| -self.sessions[id].ended), "{when}: {text}");
        assert_eq!(ids.len(), count, "{when}: {text}");
    }

    /// What a session is told at its start, and how long it is.
    fn told(&mut self, project: usize, now: i64, when: &str) {
        let mut command = self.home.tool("lh-context");
        let cwd = self.home.path(&format!("src/project{project}"));
        let output = command.args(["--format", "markdown"]).env("LH_NOW", time(now)).current_dir(cwd).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let menu = text.lines().filter(|line| line.contains("episodes/session-")).count();
        assert!(menu <= 20 && text.chars().count() <= 10_000, "{when}: {text}");
        self.most("lines of the menu that a session is shown", menu);
    }

    /// What is kept of a session has its transcript, or was written within 30 days.
    fn is_alive(&self, id: &str, now: i64, when: &str) {
        let session = &self.sessions[id];
        let is_young = now - session.ended <= 30 * DAY;
        assert!(is_young || self.transcripts.contains_key(id), "{when}: something is kept of {id}, which is gone");
    }

    /// An archive has only what a receipt tells of, nothing past its time, and nothing half done; the number of copies.
    fn archive(folder: &Path, now: i64, when: &str) -> usize {
        let archive = folder.join(".archive");
        let receipts = archive.join("receipts");
        let files = paths(&archive).into_iter().filter(|path| path.is_file());
        let (receipts, copies): (Vec<PathBuf>, Vec<PathBuf>) = files.partition(|path| path.starts_with(&receipts));
        let count = copies.len();
        let mut copies: BTreeSet<PathBuf> = copies.into_iter().collect();
        for path in receipts {
            let receipt: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let made = receipt["ts"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap().as_second();
            for entry in receipt["entries"].as_array().unwrap() {
                // What was made has no copy.
                let Some(place) = entry["place"].as_str() else { continue };
                let until = entry["keep_until"]
                    .as_str()
                    .map_or(0, |until| until.parse::<jiff::Timestamp>().unwrap().as_second());
                assert_eq!(entry["state"], "done", "{when}: {}: {entry}", path.display());
                assert!(now < until.max(made + 30 * DAY), "{when}: past its time: {place}");
                assert!(copies.remove(&folder.join(place)), "{when}: no copy {place}");
            }
        }
        assert_eq!(copies, BTreeSet::new(), "{when}: no receipt tells of these");
        count
    }

    /// What happens on a day.
    fn day(&mut self, day: i64, sessions: std::ops::Range<usize>, full: bool) {
        let (morning, evening) = (START + day * DAY, START + day * DAY + EVENING);
        let when = format!("day {day}");
        self.log(day);
        self.forget_transcripts(evening);
        let mut ids = Vec::new();
        for number in sessions {
            let at = morning + 3600 + i64::try_from(self.random.below(18 * 3600)).unwrap();
            ids.push(self.end_session(number, at));
            if full {
                self.prune(evening - 7200, &["--all", "--few"]);
            }
        }
        if !ids.is_empty() {
            self.keep_episodes(evening - 7200, &ids, day);
        }
        if matches!(day % 20, 8 | 9) {
            self.traced(evening - 3600, day % 20 == 9, &["lh-prune", "--all", "--few"], b"");
            self.nothing_is_lost(evening - 3600, &when);
        }
        self.prune(evening, &["--all", "--few"]);
        if day % 7 == 6 {
            self.prune(evening, &["--all"]);
            let output = self.home.tool("lh-brief").arg("--all").env("LH_NOW", time(evening)).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        if day % 10 == 9 {
            for project in [0, 1] {
                self.told(project, evening, &when);
            }
        }
        self.evening(evening, &when);
    }
}

#[test]
fn of_sessions_stays_within_its_bounds() {
    let seed = std::env::var("YEAR_SEED").map_or(SEED, |seed| seed.parse().unwrap());
    let full = std::env::var("LH_YEAR").is_ok_and(|value| value == "full");
    let begun = std::time::Instant::now();
    let mut year = Year::new(seed);
    let before = seen(&year.strange);
    let mut days: Vec<usize> = (0..SESSIONS).map(|_| year.random.below(usize::try_from(DAYS).unwrap())).collect();
    days.sort_unstable();
    let mut next = 0;
    for day in 0..DAYS {
        let of_day = days.iter().filter(|of| i64::try_from(**of).unwrap() == day).count();
        year.day(day, next..next + of_day, full);
        next += of_day;
        assert!(seen(&year.strange) == before, "day {day}: what is not ours was touched");
    }
    assert_eq!((next, year.sessions.len()), (SESSIONS, SESSIONS));
    assert_eq!(year.figures["episodes of a project"], 200, "the limit was met: {:?}", year.figures);
    let mut said =
        format!("a year (YEAR_SEED={seed}): {SESSIONS} sessions in {:.0} s\n", begun.elapsed().as_secs_f64());
    for (what, count) in &year.figures {
        let _ = writeln!(said, "{count:6} {what}");
    }
    let _ = write!(std::io::stderr(), "{said}");
    #[cfg(target_os = "linux")]
    assert!(crate::fault::can_trace().is_err() || year.figures["kills"] >= 12, "{:?}", year.figures);
}

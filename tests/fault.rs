//! Faults, one at a time: a tool is run once under strace, which counts its calls that touch the disk;
//! then once for each of these calls, which kills the process or fails. What is on disk right after is
//! whole, and when everything was run again it is what an undisturbed run leaves.
//!
//! `cargo test` takes a sample of the faults (`FAULT_SEED` gives another one). All of them:
//!
//!     LH_FAULTS=all cargo test --release --test lh fault:: -- --nocapture
//!
//! These are some 3500, and take 15 minutes on two processors. `LH_FAULTS=lh-persist` takes all of
//! one tool. Where nothing can be traced the test is skipped, and says so.
//!
//! What is simulated, and what cannot be, stands with [`point::Kind`]. Reading is not disturbed.

#![cfg(all(test, target_os = "linux"))]

pub mod point;
mod scene;
mod state;

use point::{Call, Fault, Kind};
use scene::{STORIES, Scene, Step};
use state::State;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// Faults in a sample.
const SAMPLE: usize = 40;
/// `FAULT_SEED` gives another sample.
const SEED: u64 = 20_260_413;

/// What a story comes to when nothing disturbs it.
struct Undisturbed {
    before: State,
    after: State,
    end: State,
    model_calls: usize,
    calls: Vec<Call>,
}

fn undisturbed(at: usize) -> Undisturbed {
    let story = STORIES[at];
    let mut scene = Scene::new(story);
    let (before, sizes) = (state::of(&scene.home), state::sizes(&scene.home));
    let root = scene.home.path("").to_str().unwrap().trim_end_matches('/').to_owned();
    let (bin, trace) = point::shim(&scene.home.path(""), story.tool, None);
    let output = scene.step(bin);
    assert!(output.status.success(), "{story}: {output:?}");
    let after = state::of(&scene.home);
    let calls = point::calls(&std::fs::read_to_string(trace).unwrap(), story.tool, &root, &sizes);
    scene.finish();
    if scene.is_distilled() {
        scene.home.holds(&scene.sessions, &format!("{story}: undisturbed"));
    }
    let end = state::of(&scene.home);
    Undisturbed { before, after, end, model_calls: scene.home.calls().len(), calls }
}

/// Lets a fault strike, runs everything again, and says what is wrong.
fn suffer(fault: &Fault, wanted: &Undisturbed) -> Vec<String> {
    let story = STORIES[fault.story];
    let mut scene = Scene::new(story);
    let (bin, trace) = point::shim(&scene.home.path(""), story.tool, Some(fault));
    scene.step(bin);
    scene.home.idle();
    if !point::struck(fault.kind, &trace) {
        return vec!["the fault did not strike".to_owned()];
    }
    let torn = matches!(fault.kind, Kind::Torn(_));
    let mut wrong = state::unreadable(&scene.home, torn);
    wrong.extend(state::lost(&wanted.before, &wanted.after, &state::of(&scene.home)));
    scene.finish();
    wrong.extend(state::unreadable(&scene.home, torn));
    let is_run = matches!(story.step, Step::Run { .. });
    if !is_run {
        wrong.extend(of_the_model(&scene, wanted));
    }
    // lh-brief keeps no answer: who runs it again asks again.
    if is_run || scene.home.calls().len() == wanted.model_calls {
        let (mut end, mut found) = (wanted.end.clone(), state::of(&scene.home));
        if story.tool == "lh-done" {
            // The page says what is open; this one follows it at the next session's end.
            for state in [&mut end, &mut found] {
                state.retain(|name, _| !name.ends_with("/.state/handoff"));
            }
        }
        wrong.extend(state::difference(&end, &found, torn));
    } else if wrong.is_empty() {
        // Asked once more, or less: the same in other words.
        scene.home.holds(&scene.sessions, "in other words");
    }
    if !wrong.is_empty() {
        wrong.push(format!("the log: {}", scene.home.log()));
    }
    wrong
}

/// What is wrong with the model's calls: each is booked, and no answer that was out is asked for again.
fn of_the_model(scene: &Scene, wanted: &Undisturbed) -> Vec<String> {
    let (calls, answered) = (scene.home.calls(), scene.home.answered());
    let mut wrong = Vec::new();
    let twice = (1..answered.len()).any(|at| answered[at..].contains(&answered[at - 1]));
    if twice || calls.len() > wanted.model_calls + 1 {
        wrong.push(format!("the model was asked again: {calls:?}, of which answered {answered:?}"));
    }
    let booked = std::fs::read_to_string(scene.home.agent("logs/llm.jsonl")).unwrap_or_default();
    if booked.lines().count() < calls.len() {
        wrong.push(format!("not every call is booked: {calls:?}, {booked}"));
    }
    wrong
}

/// Runs a job for each item on all processors; a panic is what went wrong.
fn each<T: Sync, R: Send>(items: &[T], job: impl Fn(&T) -> R + Sync) -> Vec<Result<R, String>> {
    let next = Mutex::new(0);
    let results: Mutex<BTreeMap<usize, Result<R, String>>> = Mutex::new(BTreeMap::new());
    let take = || {
        let mut next = next.lock().unwrap();
        *next += 1;
        *next - 1
    };
    let work = || {
        while let Some((at, item)) = Some(take()).and_then(|at| Some((at, items.get(at)?))) {
            let result = catch_unwind(AssertUnwindSafe(|| job(item)));
            let said = |panic: Box<dyn std::any::Any + Send>| match panic.downcast::<String>() {
                Ok(text) => *text,
                Err(_) => "a panic".to_owned(),
            };
            results.lock().unwrap().insert(at, result.map_err(said));
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    results.into_inner().unwrap().into_values().collect()
}

/// The faults that are wanted: all, those of one tool, or a sample.
fn chosen(mut faults: Vec<Fault>) -> Vec<Fault> {
    match std::env::var("LH_FAULTS").as_deref() {
        Ok("all") => return faults,
        Ok(tool) => {
            faults.retain(|fault| STORIES[fault.story].tool == tool);
            return faults;
        }
        Err(_) => {}
    }
    let mut random = std::env::var("FAULT_SEED").map_or(SEED, |seed| seed.parse().unwrap());
    let mut sample = Vec::new();
    while sample.len() < SAMPLE && !faults.is_empty() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(random >> 33).unwrap() % faults.len();
        sample.push(faults.swap_remove(at));
    }
    sample
}

/// A fault in every call that touches the disk, and everything ends as if there had been none.
#[test]
fn whatever_call_fails_or_is_the_last_nothing_is_lost() {
    if let Err(why) = can_trace() {
        return skipped(&why);
    }
    let stories: Vec<usize> = (0..STORIES.len()).collect();
    let runs = each(&stories, |at| undisturbed(*at));
    let runs: Vec<Undisturbed> = runs.into_iter().map(|run| run.unwrap_or_else(|why| panic!("{why}"))).collect();
    if std::env::var_os("LH_FAULTS").is_some() {
        for (at, run) in runs.iter().enumerate() {
            say(&format!("{}: {} calls", STORIES[at], run.calls.len()));
        }
    }
    let faults = stories.iter().flat_map(|at| point::faults(*at, STORIES[*at], &runs[*at].calls)).collect();
    let faults = chosen(faults);
    assert!(!faults.is_empty(), "LH_FAULTS names no tool that is disturbed here");
    let results = each(&faults, |fault| suffer(fault, &runs[fault.story]));
    let mut table: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    let mut report = String::new();
    for (fault, result) in faults.iter().zip(&results) {
        let story = STORIES[fault.story];
        let wrong = result.as_ref().map_or_else(|why| vec![why.clone()], Clone::clone);
        let counts = table.entry((story.tool, point::row(fault.kind))).or_default();
        counts.0 += 1;
        counts.1 += usize::from(wrong.is_empty());
        if !wrong.is_empty() {
            let _ = write!(report, "{story}: {fault}\n  {}\n", wrong.join("\n  "));
        }
    }
    let survived: usize = table.values().map(|(_, survived)| survived).sum();
    for ((tool, kind), (all, survived)) in table {
        say(&format!("{tool:10} {kind:17} {all:4} faults, {survived:4} survived"));
    }
    say(&format!("{} faults, {survived} survived", faults.len()));
    assert!(report.is_empty(), "\n{report}{} faults, {survived} survived", faults.len());
}

/// Whether a process can be traced and limited here.
pub fn can_trace() -> Result<(), String> {
    for (program, args) in [("strace", ["-o", "/dev/null", "true"]), ("prlimit", ["--fsize=1000:", "--", "true"])] {
        let status = Command::new(program).args(args).stdout(Stdio::null()).stderr(Stdio::null()).status();
        match status {
            Err(_) => return Err(format!("{program} is not here")),
            Ok(status) if !status.success() => return Err(format!("{program} cannot run here")),
            Ok(_) => {}
        }
    }
    Ok(())
}

fn skipped(why: &str) {
    say(&format!("skipped: {why}"));
}

fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

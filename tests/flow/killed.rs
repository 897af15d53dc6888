//! The worker killed at any moment and run again ends as if it had not been killed.

use super::home::{Home, until};
use super::session::Session;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Kills in the course of one run.
const POINTS: u32 = 10;
/// `FLOW_SEED` gives other moments.
const SEED: u64 = 20_260_413;
/// Who is killed, and how.
#[derive(Clone, Copy, Debug)]
enum Victim {
    /// The worker's process group, as a terminal or a service manager does.
    Group,
    /// lh-dequeue alone.
    Dequeue,
    /// The group, politely.
    Asked,
    /// Everything at once, guards and model included.
    All,
    /// One of the steps below lh-dequeue.
    Step,
}
const VICTIMS: [Victim; 5] = [Victim::Group, Victim::Dequeue, Victim::Asked, Victim::All, Victim::Step];

/// Seconds that nothing waits for.
const LONG: &str = "1000";

/// What has the items of each session read again.
const VERIFY: &str = "verify = \"model\"\n";

/// A worker on three sessions of two projects, in a group of its own.
fn start(config: &str, sleep: &str, linger: &str) -> (Home, Vec<Session>, Child) {
    let mut home = Home::new(config);
    let sessions: Vec<Session> = (0..3).map(|at| home.about(["app", "app", "lib"][at], at)).collect();
    for session in &sessions {
        home.queue(session);
    }
    home.set("FAKE_SLEEP", sleep);
    home.set("FAKE_LINGER", linger);
    if [sleep, linger].contains(&LONG) {
        home.set("FAKE_SLOW", "2");
    }
    let worker = home.worker().process_group(0).stderr(Stdio::null()).spawn().unwrap();
    (home, sessions, worker)
}

fn kill(home: &Home, worker: &Child, victim: Victim, random: u64) {
    let pid = |id: i32| Pid::from_raw(id).unwrap();
    let group = pid(i32::try_from(worker.id()).unwrap());
    let one_of = |names: &[&str]| {
        let mut found = home.processes();
        found.retain(|(_, _, words)| {
            !words.contains("--guard") && names.iter().any(|name| words.split(" -- ").next().unwrap().contains(name))
        });
        found.get(usize::try_from(random).unwrap() % found.len().max(1)).map(|(id, ..)| pid(*id))
    };
    let kill_one = |one: Option<Pid>| one.map_or(Ok(()), |one| kill_process(one, Signal::KILL));
    // Whoever was to be killed may have ended by now.
    let _ = match victim {
        Victim::Group => kill_process_group(group, Signal::KILL),
        Victim::Dequeue => kill_one(one_of(&["lh-dequeue"])),
        Victim::Asked => kill_process_group(group, Signal::TERM),
        Victim::All => loop {
            let all = home.processes();
            if all.is_empty() {
                break Ok(());
            }
            for (_, group, _) in all {
                let _ = kill_process_group(pid(group), Signal::KILL);
            }
        },
        Victim::Step => kill_one(one_of(&["lh-task", "lh-gate", "lh-distill", "lh-persist"])),
    };
}

/// Kills, sees that no model survives, and runs again, at once or when all is quiet, until all is done.
fn kill_and_run_again(home: &mut Home, mut worker: Child, victim: Victim, random: u64) {
    kill(home, &worker, victim, random);
    let models: Vec<i32> = home.calls().iter().map(|call| call.split(' ').next().unwrap().parse().unwrap()).collect();
    let goes_on = matches!(victim, Victim::Step);
    if goes_on || random.is_multiple_of(2) {
        worker.wait().unwrap();
    }
    home.set("FAKE_SLEEP", "0");
    home.set("FAKE_LINGER", "0");
    home.set("LH_NOW", "2026-04-13T13:00:00Z");
    let mut again = home.worker().stderr(Stdio::null()).spawn().unwrap();
    if !goes_on {
        let survivors = || home.processes().iter().any(|(_, group, _)| models.contains(group));
        until("the model ends", || !survivors());
    }
    worker.wait().unwrap();
    again.wait().unwrap();
    // A killed worker holds its lock until the system has taken it apart.
    let lock = std::fs::File::open(home.agent("queue/.worker.lock")).unwrap();
    for hour in 14..24 {
        until("the lock is free", || lock.try_lock().is_ok());
        lock.unlock().unwrap();
        home.work(&format!("2026-04-13T{hour}:00:00Z"));
        if home.tasks("").is_empty() {
            break;
        }
    }
    home.idle();
}

/// Everything is there once, and no answer that was out was asked for again.
fn check(home: &Home, sessions: &[Session], shape: &[String], most: usize, of: &str) {
    home.holds(sessions, of);
    assert_eq!(home.shape(), shape, "{of}{}", home.log());
    let (calls, answered) = (home.calls(), home.answered());
    let twice = (1..answered.len()).any(|at| answered[at..].contains(&answered[at - 1]));
    assert!(!twice, "{of}: an answer was asked for twice: {calls:?}{}", home.log());
    assert!(calls.len() <= most, "{of}: {calls:?}{}", home.log());
}

/// An undisturbed run: how long it takes and what there is then.
fn undisturbed(config: &str, count: usize) -> (Duration, Vec<String>) {
    let begun = Instant::now();
    let (home, sessions, mut worker) = start(config, "0.1", "0");
    let queued = begun.elapsed();
    assert!(worker.wait().unwrap().success());
    let whole = begun.elapsed().checked_sub(queued).unwrap();
    let shape = home.shape();
    check(&home, &sessions, &shape, count, "undisturbed");
    assert_eq!(home.calls().len(), count);
    (whole, shape)
}

#[test]
fn a_worker_killed_at_random_and_run_again_ends_as_if_it_had_not_been() {
    let (whole, names) = undisturbed("", 3);
    let seed = std::env::var("FLOW_SEED").map_or(SEED, |seed| seed.parse().unwrap());
    let mut random = seed;
    for point in 0..POINTS {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = (f64::from(point) + f64::from(u32::try_from(random >> 32).unwrap()) / f64::from(u32::MAX))
            / f64::from(POINTS);
        let victim = VICTIMS[point as usize % VICTIMS.len()];
        let (mut home, sessions, worker) = start("", "0.1", "0");
        std::thread::sleep(whole.mul_f64(at));
        kill_and_run_again(&mut home, worker, victim, random >> 33);
        check(&home, &sessions, &names, 4, &format!("{victim:?} at {at:.3} of {whole:?}, seed {seed}"));
    }
}

#[test]
fn a_worker_killed_while_its_model_runs_or_has_just_answered() {
    while_it_runs_or_has_just_answered("", 3, &VICTIMS);
}

/// The second call is the second reading of the first session.
#[test]
fn a_worker_killed_while_its_items_are_read_again_or_were_just_read() {
    while_it_runs_or_has_just_answered(VERIFY, 6, &[Victim::Dequeue, Victim::All]);
}

fn while_it_runs_or_has_just_answered(config: &str, count: usize, victims: &[Victim]) {
    let (_, shape) = undisturbed(config, count);
    for &victim in victims {
        // The second call alone takes so long: who outlives the worker is seen.
        for (what, sleep, linger, wanted) in [("running", LONG, "0", count + 1), ("done", "0", LONG, count)] {
            let (mut home, sessions, worker) = start(config, sleep, linger);
            until(what, || if wanted > count { home.calls().len() == 2 } else { home.answered().len() == 2 });
            kill_and_run_again(&mut home, worker, victim, 0);
            let of = format!("{victim:?} when the model is {what}");
            check(&home, &sessions, &shape, wanted, &of);
            assert_eq!(home.calls().len(), wanted, "{of}: {:?}{}", home.calls(), home.log());
        }
    }
}

#[test]
fn what_a_killed_writer_left_is_cleared_away() {
    let mut home = Home::new("");
    let sessions = [home.about("app", 0)];
    home.queue(&sessions[0]);
    let memory = sessions[0].memory(".state");
    std::fs::create_dir_all(&memory).unwrap();
    std::fs::create_dir_all(home.agent("queue/work")).unwrap();
    for folder in
        [home.agent("queue"), home.agent("queue/state"), home.agent("queue/work"), sessions[0].memory(""), memory]
    {
        std::fs::write(folder.join(".lh-k1ll3d.tmp"), "half a fi").unwrap();
    }
    home.work("2026-04-13T12:01:00Z");
    home.holds(&sessions, "leavings");
}

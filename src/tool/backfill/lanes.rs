//! Sessions on all cores. Those of one project are one lane's, in their order, since each session is told what the
//! earlier ones left. How far a long run is, one line on a terminal says, replaced all the time.

use super::Job;
use crate::base::exit::Failure;
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

/// As many lanes as there are cores.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Gives each job to one of `count` lanes, which `open` makes, and what came of it to `each`, in the order in which
/// they end. The first failure is given when all have ended.
pub fn run<T: Send, L: FnMut(&Job) -> T>(
    jobs: &[&Job],
    count: usize,
    open: impl Fn() -> Result<L, Failure> + Sync,
    mut each: impl FnMut(&Job, T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut projects: BTreeMap<&Path, Vec<&Job>> = BTreeMap::new();
    for job in jobs {
        projects.entry(&job.session.memory_dir).or_default().push(job);
    }
    // The longest first, so that the other lanes do not wait for it in the end.
    let mut projects: Vec<Vec<&Job>> = projects.into_values().collect();
    projects.sort_by_key(Vec::len);
    let waiting = Mutex::new(projects);
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let (tell, told) = mpsc::channel();
    let work = |tell: &mpsc::Sender<_>| -> Result<(), Failure> {
        let mut lane = open()?;
        while let Some(jobs) = next() {
            for job in jobs {
                // All that is sent is read until the last lane has ended.
                let _ = tell.send(Ok((job, lane(job))));
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        for _ in 0..count {
            let (tell, work) = (tell.clone(), &work);
            scope.spawn(move || work(&tell).or_else(|failure| tell.send(Err(failure))));
        }
        drop(tell);
        let mut done = Ok(());
        for came in told {
            done = done.and(came.and_then(|(job, came)| each(job, came)));
        }
        done
    })
}

/// Says on a terminal how many of a run's sessions are done. What is said meanwhile is written over it.
pub fn tell(verb: &str, done: usize, all: usize) {
    let mut terminal = std::io::stderr();
    if terminal.is_terminal() {
        let end = if done == all { "\u{1b}[K" } else { "" };
        let _ = write!(terminal, "\u{1b}[K{verb} {done} of {all}\r{end}");
    }
}

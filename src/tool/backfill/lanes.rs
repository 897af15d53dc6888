//! Sessions on all cores: the oldest first, and of one project one at a time, since each session is told what the
//! earlier ones left.

use super::Job;
use std::collections::{BTreeSet, VecDeque};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

/// What a lane does with a session.
pub type Lane<'a, T> = Box<dyn FnMut(&Job) -> T + 'a>;

/// What is still to do, and the projects at work.
struct Waiting {
    jobs: VecDeque<Job>,
    busy: BTreeSet<PathBuf>,
}

/// As many lanes as there are cores.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Gives each job to one of `count` lanes, which `open` makes, and what came of it to `each`, in the order in which
/// they end. No further one is begun once `each` says false.
pub fn run<'a, T: Send, E: Send>(
    jobs: Vec<Job>,
    count: usize,
    open: &(dyn Fn() -> Result<Lane<'a, T>, E> + Sync),
    each: &mut dyn FnMut(Job, T) -> Result<bool, E>,
) -> Result<(), E> {
    let shared = (Mutex::new(Waiting { jobs: jobs.into(), busy: BTreeSet::new() }), Condvar::new());
    thread::scope(|scope| {
        let (tell, told) = mpsc::channel();
        for _ in 0..count.max(1) {
            let (tell, shared) = (tell.clone(), &shared);
            scope.spawn(move || match open() {
                Ok(mut lane) => {
                    while let Some(job) = next(shared) {
                        let came = lane(&job);
                        end(shared, &job);
                        if tell.send(Ok((job, came))).is_err() {
                            break;
                        }
                    }
                }
                Err(error) => {
                    let _ = tell.send(Err(error));
                }
            });
        }
        drop(tell);
        for came in told {
            let goes_on = came.and_then(|(job, came)| each(job, came));
            if !matches!(goes_on, Ok(true)) {
                waiting(&shared.0).jobs.clear();
                shared.1.notify_all();
            }
            goes_on?;
        }
        Ok(())
    })
}

/// The oldest job whose project is not at work.
fn next((shared, ended): &(Mutex<Waiting>, Condvar)) -> Option<Job> {
    let mut waiting = waiting(shared);
    loop {
        let free = waiting.jobs.iter().position(|job| !waiting.busy.contains(&job.session.memory_dir));
        if let Some(job) = free.and_then(|at| waiting.jobs.remove(at)) {
            waiting.busy.insert(job.session.memory_dir.clone());
            return Some(job);
        }
        if waiting.jobs.is_empty() {
            return None;
        }
        waiting = ended.wait(waiting).unwrap_or_else(PoisonError::into_inner);
    }
}

fn end((shared, ended): &(Mutex<Waiting>, Condvar), job: &Job) {
    waiting(shared).busy.remove(&job.session.memory_dir);
    ended.notify_all();
}

fn waiting(shared: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Bringing old sessions in: each gets its page and, if that is wanted, is distilled, the oldest first. A session is
//! distilled as the worker does it, by a task in the queue and under the worker's lock, but in this process, on all cores
//! where no model is called. So whatever ends the run, at any instant: the files say what is done, and the next run, or
//! the worker, goes on from there.

mod cost;
mod lanes;

use crate::base::clock;
use crate::base::config::{Config, Engine};
use crate::base::exit::{Exit, Failure};
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::stream::Output;
use crate::base::{env, file, log};
use crate::model;
use crate::queue::{self, Queue};
use crate::record::item::ItemKind;
use crate::record::outcome::{Ending, Outcome};
use crate::record::session::Session;
use crate::record::written::Became;
use crate::redact::{self, Redactor};
use crate::tool::dequeue;
use crate::tool::distill::{self, Distilled};
use crate::tool::export::{self, Exporter};
use crate::tool::find_session;
use crate::tool::gate::{self, Gates};
use crate::tool::persist;
use crate::tool::summarize::progress::keep as keep_standing;
use cost::s;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The event of a task that was queued here.
const EVENT: &str = "backfill";
/// How long a worker that is at work is waited for before that is said.
const SOON: Duration = Duration::from_secs(1);
const LONG: Duration = Duration::from_secs(86_400);

/// What is wanted.
#[derive(Clone, Copy)]
pub struct BackfillOptions {
    /// Distil, too.
    pub distill: bool,
    /// With what; else as configured.
    pub engine: Option<Engine>,
    /// Only say what would be done.
    pub dry_run: bool,
    /// Ask nothing.
    pub yes: bool,
    /// Print no receipts: standard error says how far it got.
    pub for_people: bool,
}

/// A session, and what it lacks.
pub struct Job {
    session: Session,
    export: bool,
    distill: bool,
}

impl Job {
    fn bytes(&self) -> u64 {
        self.session.source_size_bytes.unwrap_or(0)
    }
}

/// Brings in what is missing.
pub fn run(tool: &'static str, wish: BackfillOptions) -> Result<Exit, Failure> {
    let mut config = Config::load()?;
    redact::mask_log(&config.privacy)?;
    let wanted = wish.engine.unwrap_or(config.compound_loop.engine);
    let engine = if wish.distill { model::resolve(wanted, &config.compound_loop)? } else { Engine::Extract };
    config.compound_loop.engine = engine;
    let jobs = plan(wish, &config)?;
    tell(tool, &jobs, wish, engine);
    if !cost::agreed(tool, &jobs, wish, &env::agent_home()?, &config)? {
        return Ok(Exit::No);
    }
    if wish.dry_run || jobs.is_empty() {
        return Ok(Exit::Done);
    }
    let receipts = (!wish.for_people).then(Output::receipts);
    let mut run = BackfillRun { tool, config: &config, receipts, exit: Exit::Done, done: 0, refused: 0, until: None };
    run.export(&jobs.iter().filter(|job| job.export).collect::<Vec<_>>())?;
    run.distill(&jobs.iter().filter(|job| job.distill).collect::<Vec<_>>())?;
    Ok(run.exit)
}

/// Asks whether the sessions that were not brought in are to be, where the loop is on, and does it. What a model would
/// cost is said, and asked, before one is called.
pub fn offer(tool: &'static str) -> Result<Exit, Failure> {
    let config = Config::load()?;
    let wish = BackfillOptions { distill: true, engine: None, dry_run: false, yes: false, for_people: true };
    let question = "bring in the sessions that are there, so that the next ones know them? [y/N]";
    if config.compound_loop.enabled && !plan(wish, &config)?.is_empty() && crate::tool::setup::yes(question) {
        return run(tool, wish);
    }
    Ok(Exit::Done)
}

/// What is missing, the oldest first.
fn plan(wish: BackfillOptions, config: &Config) -> Result<Vec<Job>, Failure> {
    let mut jobs = Vec::new();
    for path in find_session::all(None, config)? {
        let Some((session, _)) = find_session::listed(&path, config)? else { continue };
        let export = !export::is_done(&session, config).unwrap_or_default();
        let distill = wish.distill && !Queue::in_home(&session.agent_home).has_dealt_with(&session)?;
        if export || distill {
            jobs.push(Job { session, export, distill });
        }
    }
    Ok(jobs)
}

fn tell(tool: &str, jobs: &[Job], wish: BackfillOptions, engine: Engine) {
    let count = |wanted: fn(&Job) -> bool| {
        let all: Vec<u64> = jobs.iter().filter(|job| wanted(job)).map(Job::bytes).collect();
        let (count, bytes) = (all.len() as u64, all.iter().sum::<u64>());
        format!("{count} session{} ({}.{} MB)", s(count), bytes / 1_000_000, bytes / 100_000 % 10)
    };
    let mut line = format!("to export: {}", count(|job| job.export));
    if wish.distill {
        line = format!("{line}; to distil with {}: {}", engine.word(), count(|job| job.distill));
    }
    log::say(tool, &line);
}

/// One run.
struct BackfillRun<'a> {
    tool: &'static str,
    config: &'a Config,
    /// Where receipts are printed; none on a terminal.
    receipts: Option<Output>,
    /// The first failure's.
    exit: Exit,
    /// How many sessions were distilled, and how many were refused by a gate.
    done: u64,
    refused: u64,
    /// Why no further one can be distilled now, and until when.
    until: Option<String>,
}

impl BackfillRun<'_> {
    fn failed(&mut self, session: &Session, failure: &Failure) {
        log::say(self.tool, &format!("{}: {}", session.session_id, failure.message));
        if self.exit == Exit::Done {
            self.exit = failure.exit;
        }
    }

    fn receipt(&mut self, lines: &Masked) -> Result<(), Failure> {
        let Some(out) = &mut self.receipts else { return Ok(()) };
        out.masked(lines)?;
        out.flush()
    }

    /// Writes the pages.
    fn export(&mut self, jobs: &[&Job]) -> Result<(), Failure> {
        let config = self.config;
        let (mut ended, mut written, mut without) = (0, 0_u64, 0_u64);
        let open = || {
            redact::mask_log(&config.privacy)?;
            let exporter = Exporter::new(config, false)?;
            Ok(move |job: &Job| {
                let record = job.session.record("session");
                exporter.export(&record).map(|done| (exporter.receipt(&record, &done), done))
            })
        };
        lanes::run(jobs, lanes::cores(), open, |job, came| {
            ended += 1;
            lanes::tell("exported", ended, jobs.len());
            match came {
                Ok((receipt, done)) => {
                    written += u64::from(done.became == Became::Written);
                    without += u64::from(done.became == Became::Refused);
                    self.receipt(&receipt)?;
                }
                Err(failure) => self.failed(&job.session, &failure),
            }
            Ok(())
        })?;
        if written + without > 0 {
            log::say(self.tool, &format!("exported: {written} written, {without} without a page"));
        }
        export::refresh_index(written)
    }

    /// Distils as the worker does. After each call of a model, tasks of others that are due have their turn.
    fn distill(&mut self, jobs: &[&Job]) -> Result<(), Failure> {
        let (config, tool) = (self.config, self.tool);
        let is_free = config.compound_loop.engine == Engine::Extract;
        let (turn, count) = if is_free { (jobs.len().max(1), lanes::cores()) } else { (1, 1) };
        let learnings = &Mutex::new(());
        let open = || {
            redact::mask_log(&config.privacy)?;
            let distiller = Distiller { config, redactor: Redactor::shared(&config.privacy)?, learnings };
            Ok(move |job: &Job| distiller.task(job))
        };
        let (mut ended, all) = (0, jobs.len());
        for jobs in jobs.chunks(turn) {
            let homes: BTreeSet<&Path> = jobs.iter().map(|job| job.session.agent_home.as_path()).collect();
            let locks = homes.iter().map(|home| worker_lock(tool, home)).collect::<Result<Vec<_>, Failure>>()?;
            lanes::run(jobs, count, open, |job, came| {
                ended += 1;
                lanes::tell("distilled", ended, all);
                self.came(job, came)
            })?;
            drop(locks);
            if config.compound_loop.enabled && Queue::in_home(&env::agent_home()?).any_due()? {
                run_worker();
            }
            if self.until.is_some() {
                break;
            }
        }
        if self.done + self.refused > 0 {
            log::say(tool, &format!("distilled: {}; refused by a gate: {}", self.done, self.refused));
        }
        if let Some(why) = &self.until {
            log::say(tool, why);
            self.exit = Exit::Later;
        }
        Ok(())
    }

    /// What came of a session's task; nothing where that was not due.
    fn came(&mut self, job: &Job, came: Result<Option<(Outcome, Masked)>, Failure>) -> Result<(), Failure> {
        let (outcome, receipts) = match came {
            Ok(Some(came)) => came,
            Ok(None) => return Ok(()),
            Err(failure) => {
                self.failed(&job.session, &failure);
                return Ok(());
            }
        };
        let why = outcome.reason.unwrap_or_default();
        match outcome.ending {
            Some(Ending::Refused) => self.refused += 1,
            Some(Ending::Waiting) => {
                let time = outcome.not_before.map(clock::local).unwrap_or_default();
                self.until = Some(format!("{why}: it can go on after {time}: run it again then"));
            }
            Some(Ending::Failed) => self.failed(&job.session, &Failure::later(why)),
            _ => self.done += 1,
        }
        self.receipt(&receipts)
    }
}

/// Waits for a worker that is at work.
fn worker_lock(tool: &str, home: &Path) -> Result<file::Lock, Failure> {
    let queue = Queue::in_home(home);
    match queue.take_over(SOON) {
        Err(failure) if failure.exit == Exit::Later => {
            log::say(tool, "the worker is at work: waiting for it to end (lh log says what it does)");
            queue.take_over(LONG)
        }
        held => held,
    }
}

/// Lets the worker do what became due while we held its lock. What it says is in its log.
fn run_worker() {
    if let Ok(worker) = env::own_tool("lh-worker") {
        let _ = Command::new(worker).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

/// Does in this process what lh-task does.
struct Distiller<'a> {
    config: &'a Config,
    redactor: Rc<Redactor>,
    /// Held while learnings are written: they are of all projects, and each is compared with those that are there.
    learnings: &'a Mutex<()>,
}

impl Distiller<'_> {
    /// Queues a session, unless it was dealt with meanwhile, and does its task; none when that is not due.
    fn task(&self, job: &Job) -> Result<Option<(Outcome, Masked)>, Failure> {
        let session = &job.session;
        let queue = Queue::in_home(&session.agent_home);
        if queue.has_dealt_with(session)? {
            return Ok(None);
        }
        let mut record = session.record("session");
        record.set("event", EVENT);
        record.set("engine", self.config.compound_loop.engine.word());
        let task = queue.enqueue(&record)?;
        let Some(path) = task.path("task") else { return Ok(None) };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut receipts = Masked::default();
        let mut act = |record: &Record, work: &Path| {
            let (outcome, lines) = self.act(record, work)?;
            receipts = lines;
            Ok(outcome)
        };
        let came = queue::perform(&queue, &self.config.compound_loop, &name, &dequeue::quiet_session_of, &mut act)?;
        Ok(came.map(|outcome| (outcome, receipts)))
    }

    fn act(&self, record: &Record, work: &Path) -> Result<(Outcome, Masked), Failure> {
        let (config, session) = (self.config, Session::from_record(record)?);
        let mut distilled = work.as_os_str().to_owned();
        distilled.push(".distilled");
        let distilled = PathBuf::from(distilled);
        // As in lh-task: what goes wrong here fails the task in the end, to be tried again.
        let stood = keep_standing(&session, config, &self.redactor);
        let known = || Ok::<_, Failure>(file::read_text(&distilled)?.filter(|text| !text.is_empty()));
        if known()?.is_none() {
            let (gates, mut engine) = (Gates { task: true, ..Gates::default() }, config.compound_loop.engine);
            match gate::judge(&session, gates, engine, config)? {
                Some(refusal) if !refusal.is_thin => {
                    let refused = refusal.reason.refuse(record);
                    let lines = persist::write(&refused, &self.redactor, config)?;
                    return stood.map(|_| (Outcome::of_persisted(&refused), lines));
                }
                Some(_) => engine = Engine::Extract,
                None => {}
            }
            if let Distilled::Waiting(outcome) = distill::distill(record, engine, Some(&distilled), config)? {
                return Ok((Outcome::read(&outcome), Masked::default()));
            }
        }
        let text = known()?.unwrap_or_default();
        let record =
            Record::parse(text.trim_end()).map_err(|what| Failure::data(format!("{}: {what}", distilled.display())))?;
        let learns = record.raw(ItemKind::Learning.list()).is_some_and(|list| list.get() != "[]");
        let lock = learns.then(|| self.learnings.lock().unwrap_or_else(PoisonError::into_inner));
        let lines = persist::write(&record, &self.redactor, config)?;
        drop(lock);
        stood.map(|_| (Outcome::of_persisted(&record), lines))
    }
}

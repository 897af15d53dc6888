//! The ledger of model calls, `logs/llm.jsonl`: a line a call. What it says of today is the budget;
//! what it says of the last calls is the breaker.

use crate::base::config::{Engine, Loop};
use crate::base::exit::Failure;
use crate::base::file::{self, Lock, Root};
use crate::base::masked::Masked;
use crate::base::{clock, record};
use crate::json::flawed;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The end of the ledger that is read: more than a day of calls at any sane limit.
const TAIL_BYTES: u64 = 1 << 20;
/// The end that holds more than the last calls: a line is as long as what a program said, which is cut.
const FAILING_BYTES: u64 = 16 << 10;
/// What stays of a ledger that is longer than that.
const KEPT_BYTES: usize = 512 << 10;
/// Lines that are not older stay, too: those of today are among them in every zone.
const FRESH_SECONDS: i64 = 2 * 86_400;
/// Failures in a row that open the breaker.
const BREAKER_FAILURES: usize = 5;
/// Seconds after the last failure until one call is tried again.
const BREAKER_SECONDS: i64 = 1800;

/// One call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Booking {
    /// When it began.
    pub ts: String,
    /// `call`.
    pub r#type: String,
    /// The session that it was about.
    pub session_id: String,
    /// `verify` for a second reading of items; "" for every other call.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub purpose: String,
    /// `claude` or `command`.
    pub engine: String,
    /// The model that was asked for; a command's is its own affair.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// `ok`, or what went wrong.
    pub result: String,
    /// How long it took.
    pub duration_ms: u64,
    /// Characters of the prompt.
    pub prompt_chars: usize,
    /// US dollars, as the client reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The cost is the most that it can have been.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// Tokens read, as the client reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens written, as the client reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
}

/// Its name, in the folder of the logs.
pub const NAME: &str = "llm.jsonl";

/// The ledger of an agent's home.
pub fn path(home: &Path) -> PathBuf {
    home.join("logs").join(NAME)
}

impl Booking {
    /// A call of that time.
    pub fn new(asked_at: &str, engine: Engine, session_id: &str, purpose: &str) -> Self {
        Self {
            ts: asked_at.to_owned(),
            r#type: "call".to_owned(),
            session_id: session_id.to_owned(),
            purpose: purpose.to_owned(),
            engine: engine.word().to_owned(),
            ..Self::default()
        }
    }

    /// What was asked of which model.
    pub fn prompt(&mut self, model: &str, prompt: &str) {
        if self.engine == "claude" {
            model.clone_into(&mut self.model);
        }
        self.prompt_chars = prompt.chars().count();
    }

    /// Books a cost that was not told, for a call of the client that was cut off.
    pub fn estimate(&mut self, usd: f64) {
        if self.engine == "claude" && self.cost_usd.is_none() && self.result != "ok" {
            self.cost_usd = Some(usd);
            self.estimated = true;
        }
    }

    /// Takes cost and tokens from the client's JSON result, where it is one.
    pub fn usage(&mut self, answer: &[u8]) {
        let Some(result) = flawed::read(&String::from_utf8_lossy(answer)).map(|read| read.value) else { return };
        self.cost_usd = result.get("total_cost_usd").and_then(Value::as_f64).filter(|cost| *cost >= 0.0);
        let tokens = |name: &str| result.pointer(&format!("/usage/{name}")).and_then(Value::as_u64);
        self.input_tokens = tokens("input_tokens");
        self.output_tokens = tokens("output_tokens");
    }

    /// Appends the line; the caller holds the ledger's lock.
    pub fn write(&self, ledger: &mut File) -> Result<(), Failure> {
        let line = record::json_line(self)?;
        // Numbers, times and names; what a program said was masked when it became `result`.
        file::append(ledger, &Masked::exact(line)).map_err(|error| Failure::io("logs/llm.jsonl", &error))
    }
}

/// The lock on the ledger of a home, which is the ledger; none while a call is made.
pub fn lock(home: &Path) -> Result<Option<Lock>, Failure> {
    let root = Root::new(home);
    root.folder("logs")?;
    file::try_lock(&root.file(path(home))?)
}

/// What is to stay of a long ledger: its newest part, and all that is not two days old. None where nothing is to go.
pub fn newest_part(ledger: &[u8], now: Timestamp) -> Option<Masked> {
    if u64::try_from(ledger.len()).unwrap_or(u64::MAX) <= TAIL_BYTES {
        return None;
    }
    let text = String::from_utf8_lossy(ledger);
    let is_fresh = |line: &str| {
        let ts = serde_json::from_str::<Booking>(line).ok().and_then(|line| clock::parse(&line.ts));
        ts.is_some_and(|ts| clock::seconds_between(ts, now) < FRESH_SECONDS)
    };
    let newest = text.len().saturating_sub(KEPT_BYTES);
    let mut at = 0_usize;
    for line in text.split_inclusive('\n') {
        if at >= newest || is_fresh(line) {
            break;
        }
        at += line.len();
    }
    text.get(at..).filter(|_| at > 0).map(Masked::exact)
}

/// Whether a session's call of that time for that purpose is booked.
pub fn has(path: &Path, asked_at: &str, session_id: &str, purpose: &str) -> Result<bool, Failure> {
    let is_it = |line: &Booking| line.ts == asked_at && line.session_id == session_id && line.purpose == purpose;
    Ok(lines(path)?.iter().any(is_it))
}

fn lines(path: &Path) -> Result<Vec<Booking>, Failure> {
    let text = file::read_tail(path, TAIL_BYTES)?;
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// What some calls came to.
#[derive(Default)]
pub struct Spent {
    /// How many there were.
    pub calls: u64,
    /// How many of them failed.
    pub failed: u64,
    /// US dollars, where they said it.
    pub usd: f64,
    /// Tokens read and written, where they said it.
    pub tokens: u64,
}

impl Spent {
    /// Adds a call.
    pub fn add(&mut self, call: &Booking) {
        self.calls += 1;
        self.failed += u64::from(call.result != "ok");
        self.usd += call.cost_usd.unwrap_or(0.0);
        let tokens = [call.input_tokens, call.output_tokens].into_iter().flatten();
        self.tokens = tokens.fold(self.tokens, u64::saturating_add);
    }
}

/// All calls, each with its local day; "" where it has no time.
pub fn calls(path: &Path) -> Result<Vec<(String, Booking)>, Failure> {
    let text = file::read_text(path)?.unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Booking>(line).ok());
    Ok(lines.map(|line| (clock::parse(&line.ts).map(clock::local_day).unwrap_or_default(), line)).collect())
}

/// The calls of today that count, and what all of them cost in US dollars.
pub fn today(path: &Path, config: &Loop) -> Result<(u64, f64), Failure> {
    Ok(calls_of_day(&lines(path)?, config, &clock::local_day(clock::now())))
}

fn calls_of_day(lines: &[Booking], config: &Loop, day: &str) -> (u64, f64) {
    let of_day = lines.iter().filter(|line| clock::parse(&line.ts).is_some_and(|ts| clock::local_day(ts) == day));
    let counts = |line: &Booking| u64::from(!is_free(&line.engine, config));
    of_day.fold((0, 0.0), |(calls, usd), line| (calls + counts(line), usd + line.cost_usd.unwrap_or_default()))
}

/// Whether calls of an engine do not count against the calls of a day.
pub fn is_free(engine: &str, config: &Loop) -> bool {
    config.command_is_free && engine == Engine::Command.word()
}

/// How many calls of an engine ended well and said what they cost, and what one cost on average.
pub fn usual(path: &Path, engine: Engine) -> Result<Option<(usize, f64)>, Failure> {
    let lines = lines(path)?;
    let told = lines.iter().filter(|line| line.engine == engine.word() && line.result == "ok");
    let costs: Vec<f64> = told.filter_map(|line| line.cost_usd).collect();
    let count = f64::from(u32::try_from(costs.len()).unwrap_or(u32::MAX));
    Ok((!costs.is_empty()).then(|| (costs.len(), costs.iter().sum::<f64>() / count)))
}

/// Why no call of an engine may be made now, and until when; none when one may.
pub fn refusal(
    path: &Path,
    engine: Engine,
    config: &Loop,
    now: Timestamp,
) -> Result<Option<(Timestamp, String)>, Failure> {
    Ok(judge(&lines(path)?, engine, config, now))
}

/// What the last call said when the last calls all failed.
pub fn failing(path: &Path) -> Option<String> {
    let text = file::read_tail(path, FAILING_BYTES).ok()?;
    let lines: Vec<Booking> = text.lines().rev().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let last = lines.get(..BREAKER_FAILURES)?;
    let failed = last.iter().all(|line| line.result != "ok");
    let newest = last.first()?;
    failed.then(|| format!("the last {BREAKER_FAILURES} model calls failed: {}", newest.result))
}

fn judge(lines: &[Booking], engine: Engine, config: &Loop, now: Timestamp) -> Option<(Timestamp, String)> {
    let (calls, spent) = calls_of_day(lines, config, &clock::local_day(now));
    if calls >= config.max_calls_per_day && !is_free(engine.word(), config) {
        let why = format!("budget: {calls} model calls today (max_calls_per_day {})", config.max_calls_per_day);
        return Some((clock::next_midnight(now), why));
    }
    if spent >= config.max_usd_per_day {
        let why = format!("budget: {spent:.2} USD spent today (max_usd_per_day {:.2})", config.max_usd_per_day);
        return Some((clock::next_midnight(now), why));
    }
    let failed = lines.iter().rev().take_while(|line| line.result != "ok").count();
    let last = lines.last().and_then(|line| clock::parse(&line.ts))?;
    let again = clock::after(last, BREAKER_SECONDS);
    // Behind a clock that was set back the breaker is half open.
    let open = failed >= BREAKER_FAILURES && now < again && last <= now;
    open.then(|| (again, format!("breaker: the last {failed} model calls failed")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_one_spelling_and_is_found_again() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("llm.jsonl");
        let mut call = Booking::new("2026-04-13T12:00:00Z", Engine::Claude, "a", "");
        call.prompt("m", "ñandú");
        call.result = "timeout".to_owned();
        call.estimate(0.5);
        call.write(&mut File::options().append(true).create(true).open(&path).unwrap()).unwrap();
        let known = concat!(
            r#"{"ts":"2026-04-13T12:00:00Z","type":"call","session_id":"a","engine":"claude","model":"m","#,
            r#""result":"timeout","duration_ms":0,"prompt_chars":5,"cost_usd":0.5,"estimated":true}"#,
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{known}\n"));
        assert_eq!(lines(&path).unwrap(), [call.clone()]);
        assert!(has(&path, &call.ts, "a", "").unwrap() && !has(&path, &call.ts, "b", "").unwrap());
        assert!(!has(&path, &call.ts, "a", "verify").unwrap());
        call.usage(br#"{"total_cost_usd":0.25,"usage":{"input_tokens":7,"output_tokens":2}}"#);
        assert_eq!((call.cost_usd, call.input_tokens, call.output_tokens), (Some(0.25), Some(7), Some(2)));
    }

    #[test]
    fn what_failed_ahead_of_the_clock_opens_no_breaker() {
        let now = clock::parse("2026-04-13T12:00:00Z").unwrap();
        for (ts, is_open) in [("2026-04-13T12:00:00Z", true), ("2027-04-13T12:00:00Z", false)] {
            let failed = vec![Booking { ts: ts.to_owned(), result: "timeout".to_owned(), ..Booking::default() }; 5];
            assert_eq!(judge(&failed, Engine::Claude, &Loop::default(), now).is_some(), is_open, "{ts}");
        }
    }

    #[test]
    fn a_command_that_is_free_is_neither_counted_nor_refused() {
        let now = clock::parse("2026-04-13T12:00:00Z").unwrap();
        let of = |engine: Engine, count| vec![Booking { result: "ok".to_owned(), ..booked(engine) }; count];
        let free = Loop { command_is_free: true, max_calls_per_day: 3, ..Loop::default() };
        let paid = Loop { command_is_free: false, ..free.clone() };
        let calls = [of(Engine::Claude, 2), of(Engine::Command, 5)].concat();
        let refused = |lines: &[Booking], engine, config| judge(lines, engine, config, now).is_some();
        for engine in [Engine::Claude, Engine::Command] {
            assert!(refused(&calls, engine, &paid) && !refused(&calls, engine, &free));
        }
        let calls = of(Engine::Claude, 3);
        assert!(refused(&calls, Engine::Claude, &free) && !refused(&calls, Engine::Command, &free));
        assert_eq!(calls_of_day(&calls, &free, "2026-04-13").0, 3);
        // What it says it cost counts, and the breaker is for all.
        let costly = [Booking { cost_usd: Some(9.0), ..booked(Engine::Command) }];
        let failed = vec![Booking { result: "x".to_owned(), ..booked(Engine::Command) }; 5];
        assert!(refused(&costly, Engine::Command, &free) && refused(&failed, Engine::Command, &free));
    }

    fn booked(engine: Engine) -> Booking {
        Booking::new("2026-04-13T12:00:00Z", engine, "a", "")
    }
}

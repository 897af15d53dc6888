//! Runs the language model: one call at a time, behind a guard, hooks off, under our depth marker,
//! within the day's budget; a line a call in the ledger, `logs/llm.jsonl`.

use crate::base::config::{Config, Engine, Loop};
use crate::base::exit::{Exit, Failure};
use crate::base::file::{self, Lock, Target};
use crate::base::masked::Masked;
use crate::base::process::{self, Guarded};
use crate::base::{clock, env, text};
use crate::json::flawed;
use crate::redact::Redactor;
use crate::store::ledger::{self, Booking};
use jiff::Timestamp;
use serde_json::Value;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// The longest answer that is taken, in bytes.
const ANSWER_BYTES: u64 = 4 << 20;
/// Characters of what a program said instead of an answer that are kept.
const SAID_CHARS: usize = 300;
/// How a message ends of a call that we ended: what it cost was not told.
const CUT_OFF: &str = "was cut off";
/// The most that one call may cost (`--max-budget-usd`), booked where the cost was not told.
pub const CALL_USD: f64 = 0.5;
/// Where lazy-harness looks for these backends when its user does not say.
const OLLAMA_URL: &str = "http://localhost:11434";
const MLX_URL: &str = "http://localhost:8080";
/// Options that older clients lack; each is left out when the client says so. Without them it is
/// `LH_DEPTH` that keeps our hooks from firing. A client that does not know a setting takes no notice of it.
const NEWER_OPTIONS: &[(&str, Option<&str>)] = &[
    ("--settings", Some(r#"{"disableAllHooks":true,"alwaysThinkingEnabled":false,"autoMemoryEnabled":false}"#)),
    // In place of the client's own, which is five times as long as what we ask.
    ("--system-prompt", Some("Do what the message asks, and answer with that only.")),
    ("--no-session-persistence", None),
    ("--tools", Some("")),
    ("--strict-mcp-config", None),
    ("--max-budget-usd", Some("0.5")),
];
/// How often the client tries again by itself: by its own default it tries until we end it, and then neither
/// its error nor its cost is known.
const RETRIES: (&str, &str) = ("CLAUDE_CODE_MAX_RETRIES", "2");

/// One question to a model.
pub struct Question<'a> {
    /// `Claude` or `Command`.
    pub engine: Engine,
    /// The configuration of the loop.
    pub config: &'a Loop,
    /// What masks the secrets in a program's complaints.
    pub redactor: &'a Redactor,
    /// The agent's home, whose ledger it is.
    pub home: &'a Path,
    /// The session that it is about.
    pub session_id: &'a str,
    /// What it is for, as the ledger has it.
    pub purpose: &'a str,
    /// What the model reads.
    pub prompt: &'a Masked,
    /// When it was asked.
    pub asked_at: &'a str,
    /// Where the model's own standard output goes; a retry can resume from it.
    pub answer: PathBuf,
}

/// Why the model gave no answer.
pub enum NoAnswer {
    /// No call was made: not before that time, for that reason.
    Wait(Timestamp, String),
    /// It failed.
    Failed(Failure),
}

impl From<Failure> for NoAnswer {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// A call that was made and is not yet in the ledger. While it is held no other process calls a model.
pub struct Call {
    ledger: Lock,
    line: Booking,
}

impl Call {
    /// Books the call: `result` is `ok` or says what was wrong with the answer.
    pub fn book(mut self, result: &str) -> Result<(), Failure> {
        result.clone_into(&mut self.line.result);
        self.line.write(self.ledger.file())
    }
}

/// What is wrong where lazy-harness calls a model that we cannot call by its name, and no engine says what to
/// call in its place, with what to do: what is meant to stay with that model must not go to another.
pub fn unnamed(config: &Loop) -> Option<(String, String)> {
    if config.engine != Engine::Auto || config.backend == "claude" {
        return None;
    }
    let url = config.backend_options.base_url.as_deref();
    let model = if config.model == Loop::default().model { "MODEL" } else { &config.model };
    let (program, which) = match (config.backend.as_str(), url) {
        ("ollama", None | Some(OLLAMA_URL)) => (format!("ollama run {model}"), String::new()),
        ("ollama", Some(url)) => (format!("env OLLAMA_HOST={url} ollama run {model}"), String::new()),
        (backend, url) => {
            let url = url.or((backend == "mlx").then_some(MLX_URL)).unwrap_or("its base_url");
            let reads = "a program that reads a prompt on standard input and prints the answer";
            ("...".to_owned(), format!(", {reads} of {model} at {url}"))
        }
    };
    let (command, backend) = (toml::Value::from(program), toml::Value::from(config.backend.as_str()));
    let says = format!("[compound_loop] backend = {backend} names no engine of lh");
    let todo = format!(
        "write under [compound_loop] the lines 'engine = \"command\"' and 'command = {command}'{which}; or 'engine = \"extract\"', which calls no model"
    );
    Some((says, todo))
}

/// The engine that `wanted` comes to here; 69 when its program is missing, 78 when none is named and the
/// predecessor's backend is not ours to call.
pub fn resolve(wanted: Engine, config: &Loop) -> Result<Engine, Failure> {
    let missing = |what: String| Failure::new(Exit::Missing, what);
    if let Some((says, todo)) = unnamed(config).filter(|_| wanted == Engine::Auto) {
        return Err(Failure::config(format!("{says}: {todo}")));
    }
    match wanted {
        Engine::Auto | Engine::Claude if env::program("claude").is_some() => Ok(Engine::Claude),
        Engine::Claude => Err(missing("claude: not on PATH: install it, or set engine = \"extract\"".to_owned())),
        Engine::Auto | Engine::Extract => Ok(Engine::Extract),
        Engine::Command => match config.command.split_whitespace().next() {
            None => Err(Failure::config("[compound_loop] command is not set: name the program that reads a prompt")),
            Some(name) if env::program(name).is_none() => {
                Err(missing(format!("{name}: not found: [compound_loop] command names it")))
            }
            Some(_) => Ok(Engine::Command),
        },
    }
}

/// Calls a model once to see whether it answers; gives what it cost, where it says. The call is in the
/// ledger like any other.
pub fn try_out(engine: Engine, config: &Config, home: &Path) -> Result<Option<f64>, Failure> {
    let (redactor, of) = (Redactor::new(&config.privacy)?, (home, "lh-doctor"));
    let prompt = "Reply with the word ready ONLY.";
    answer(engine, &config.compound_loop, &redactor, of, prompt, "", |_| Some(()))?;
    let last = ledger::calls(&ledger::path(home))?.into_iter().rfind(|(_, line)| line.session_id == of.1);
    Ok(last.and_then(|(_, line)| line.cost_usd))
}

/// Asks a model in the name of a session, or of a tool, of an agent's home, and gives what was read of its answer. Where
/// that is nothing, the call is booked with what is `wrong` with the answer, and the status is 75; so it is where no call
/// may be made now. No retry goes on from the answer, so its file is thrown away.
pub fn answer<T>(
    engine: Engine,
    config: &Loop,
    redactor: &Redactor,
    (home, session_id): (&Path, &str),
    prompt: &str,
    wrong: &str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Failure> {
    let folder = file::scratch(None, "lh-")?;
    let (asked_at, answer) = (clock::now().to_string(), folder.path().join("answer"));
    let (purpose, asked_at, prompt) = ("", asked_at.as_str(), &redactor.masked_parts(prompt));
    let question = Question { engine, config, redactor, home, session_id, purpose, prompt, asked_at, answer };
    let (said, call) = ask(&question, || Ok(())).map_err(|none| match none {
        NoAnswer::Wait(_, why) => Failure::later(why),
        NoAnswer::Failed(failure) => failure,
    })?;
    let answer = read(&said);
    call.book(if answer.is_some() { "ok" } else { wrong })?;
    answer.ok_or_else(|| Failure::later(wrong.replacen("the answer", "the model's answer", 1)))
}

/// Asks a model, with `announce` just before the call, when nothing hinders it any more. Status
/// 75 when the call failed in a way that may pass. With the text comes the call, which is to be booked.
pub fn ask(
    question: &Question<'_>,
    announce: impl FnOnce() -> Result<(), Failure>,
) -> Result<(String, Call), NoAnswer> {
    if env::inside_model() {
        return Err(Failure::later("LH_DEPTH is set: a model's own session calls no model").into());
    }
    let now = clock::now();
    let path = ledger::path(question.home);
    let mut ledger = ledger::lock(question.home)?.ok_or_else(busy)?;
    if let Some((until, why)) = ledger::refusal(&path, question.engine, question.config, now)? {
        return Err(NoAnswer::Wait(until, why));
    }
    announce()?;
    let mut line = Booking::new(question.asked_at, question.engine, question.session_id, question.purpose);
    line.prompt(&question.config.model, &question.prompt.text());
    let begun = clock::monotonic();
    let answer = call(question);
    line.duration_ms = u64::try_from(clock::monotonic().duration_since(begun).as_millis()).unwrap_or(u64::MAX);
    let raw = file::read(&question.answer)?.unwrap_or_default();
    line.usage(&raw);
    match answer.and_then(|()| text_of(question.engine, &raw).map_err(Failure::later)) {
        Ok(text) => Ok((text, Call { ledger, line })),
        Err(mut failure) => {
            let cut_off = failure.message.ends_with(CUT_OFF);
            // Before it is made one line and cut, for half a secret looks like none.
            question.redactor.show(&mut failure.message);
            failure.message = text::cut(&text::one_line(&failure.message), SAID_CHARS).into_owned();
            line.result.clone_from(&failure.message);
            if cut_off {
                line.estimate(CALL_USD);
            }
            line.write(ledger.file())?;
            Err(failure.into())
        }
    }
}

/// Books a call that a killed process made and did not book, from what there is of its answer, which
/// is given back. A call that is running now may be the very one: then nothing is done.
pub fn book_interrupted(
    home: &Path,
    asked_at: &str,
    engine: Engine,
    (session_id, purpose): (&str, &str),
    answer: &Path,
) -> Result<Vec<u8>, NoAnswer> {
    let path = ledger::path(home);
    let mut ledger = ledger::lock(home)?.ok_or_else(busy)?;
    let raw = file::read(answer)?.unwrap_or_default();
    if !ledger::has(&path, asked_at, session_id, purpose)? {
        let mut line = Booking::new(asked_at, engine, session_id, purpose);
        line.usage(&raw);
        line.result = if text_of(engine, &raw).is_ok() { "ok".to_owned() } else { "interrupted".to_owned() };
        line.estimate(CALL_USD);
        line.write(ledger.file())?;
    }
    Ok(raw)
}

fn busy() -> NoAnswer {
    NoAnswer::Wait(clock::after(clock::now(), 60), "another model call is running".to_owned())
}

/// The text of a whole answer, or what is wrong with it, in the model's own words: not masked, and of more
/// than one line. `claude` prints a JSON result, and its errors too, so it is believed
/// only when it says that it is not an error.
pub fn text_of(engine: Engine, raw: &[u8]) -> Result<String, String> {
    let text = String::from_utf8_lossy(raw).trim().to_owned();
    if engine != Engine::Claude {
        return if text.is_empty() { Err("the model's answer is empty".to_owned()) } else { Ok(text) };
    }
    // The model's words can have half a character in them, which the client prints as it is.
    let result = flawed::read(&text).filter(|read| read.whole && read.bytes == text.len());
    let Some(Value::Object(result)) = result.map(|read| read.value) else {
        return Err(format!("claude answered no JSON result: {text}"));
    };
    let words = result.get("result").and_then(Value::as_str).unwrap_or_default().trim();
    let is_result = result.get("type").and_then(Value::as_str) == Some("result");
    if !is_result || result.get("is_error").and_then(Value::as_bool) != Some(false) || words.is_empty() {
        return Err(format!("claude answered with an error: {}", if words.is_empty() { &text } else { words }));
    }
    Ok(words.to_owned())
}

/// Runs the program until it gives an answer, with ever fewer of the newer options.
fn call(question: &Question<'_>) -> Result<(), Failure> {
    let mut newer = NEWER_OPTIONS.to_vec();
    loop {
        let (status, complaint) = run(question, &command_line(question, &newer))?;
        if status.success() {
            return Ok(());
        }
        let is_unknown =
            |(name, _): &(&str, Option<&str>)| complaint.contains("unknown option") && complaint.contains(name);
        if let Some(at) = newer.iter().position(is_unknown).filter(|_| question.engine == Engine::Claude) {
            newer.remove(at);
            continue;
        }
        let raw = file::read(&question.answer)?.unwrap_or_default();
        let said = || text_of(question.engine, &raw).unwrap_or_else(|wrong| wrong);
        let said = if complaint.trim().is_empty() { said() } else { complaint };
        return Err(Failure::later(format!("model: {}: {}", process::in_words(status), said.trim())));
    }
}

fn command_line(question: &Question<'_>, newer: &[(&str, Option<&str>)]) -> Vec<OsString> {
    if question.engine == Engine::Command {
        return question.config.command.split_whitespace().map(OsString::from).collect();
    }
    let command = ["claude", "-p", "--model", &question.config.model, "--output-format", "json"];
    let newer = newer.iter().flat_map(|(name, value)| [Some(*name), *value]).flatten();
    command.into_iter().chain(newer).map(OsString::from).collect()
}

/// One run: the prompt in, the answer to its file, both bounded, the whole group killed at the end.
/// Returns the status and what stood on standard error.
fn run(question: &Question<'_>, command: &[OsString]) -> Result<(ExitStatus, String), Failure> {
    let folder = question.answer.parent().unwrap_or(Path::new("."));
    let fail = |error: std::io::Error| Failure::io(question.answer.display(), &error);
    let mut options = File::options();
    options.write(true).create(true).truncate(true).mode(0o600);
    let answer = options.open(&*Target::named(&question.answer)?).map_err(fail)?;
    let errors = tempfile::tempfile_in(folder).map_err(fail)?;
    let (to_answer, to_errors) = (answer.try_clone().map_err(fail)?, errors.try_clone().map_err(fail)?);
    let mut guarded = Guarded::start(command, |guard: &mut Command| {
        process::forget_client(guard);
        guard.env("LH_DEPTH", "1").env(RETRIES.0, RETRIES.1).env_remove("LH_LOG").current_dir(folder);
        guard.stdin(Stdio::piped()).stdout(to_answer).stderr(to_errors);
    })?;
    if let Some(mut input) = guarded.child.stdin.take() {
        let prompt = question.prompt.clone();
        // In a thread of its own: a model that does not read must not hold us up. It ends with the pipe.
        std::thread::spawn(move || input.write_all(prompt.bytes()));
    }
    let patience = Duration::from_secs(question.config.timeout_seconds);
    let cut_off =
        |what| Failure::later(format!("the model {what} (see timeout_seconds in lh-config(5)) and {CUT_OFF}"));
    let status = guarded.wait(patience, [&answer, &errors], ANSWER_BYTES).map_err(cut_off)?;
    let complaint = process::written(errors, 1 << 16).map_err(fail)?;
    Ok((status, String::from_utf8_lossy(&complaint).into_owned()))
}

/// What is wrong with an answer in which there are no [`numbers`].
pub const NO_NUMBERS: &str = "the answer holds no list of numbers";

/// The places that an answer names, `most` at most, of so many things that it was shown: the last list of numbers in it.
pub fn numbers(said: &str, count: usize, most: usize) -> Option<Vec<usize>> {
    let starts = said.rmatch_indices('[').map(|(at, _)| at);
    let mut lists = starts.filter_map(|at| {
        let end = said.get(at..)?.find(']')?;
        serde_json::from_str::<Vec<usize>>(said.get(at..=at + end)?).ok()
    });
    let mut chosen: Vec<usize> = Vec::new();
    for at in lists.next()?.into_iter().filter_map(|number| number.checked_sub(1)) {
        if at < count && !chosen.contains(&at) {
            chosen.push(at);
        }
    }
    chosen.truncate(most);
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_list_of_numbers() {
        for (said, wanted) in [
            ("[2, 1]", Some(vec![1, 0])),
            ("```json\n[1]\n```", Some(vec![0])),
            ("Notes [x] say: [3,3,9,0]", Some(vec![2])),
            ("[]", Some(vec![])),
            ("none", None),
            ("[\"a\"]", None),
            ("[1,2,3,4,5,6]", Some(vec![0, 1, 2, 3, 4])),
        ] {
            assert_eq!(numbers(said, 6, 5), wanted, "{said}");
        }
    }
}

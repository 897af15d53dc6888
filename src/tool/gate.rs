//! Whether a session is worth queueing or distilling. Facts are gathered first, the cheap ones
//! before the expensive ones; [`refusal`] decides, and each refusal has a reason and a sentence.

use crate::agent::layout;
use crate::agent::transcript::{self, Conversation, Keep, Totals};
use crate::base::clock;
use crate::base::config::{Config, Engine, Loop};
use crate::base::exit::Failure;
use crate::model;
use crate::queue::{Queue, SessionState};
use crate::record::refusal::Reason;
use crate::record::session::Session;
use jiff::Timestamp;

/// Which gates are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gates {
    /// The producer's: file times and `queue/state/` alone, never the transcript itself. The
    /// worker's gates, which read it, are left to the worker.
    pub queue: bool,
    /// Without debounce and growth.
    pub force: bool,
    /// The record is a task: a conversation that was processed already is refused.
    pub task: bool,
}

/// Why a session does not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The word for scripts and states.
    pub reason: Reason,
    /// The same for people.
    pub sentence: String,
    /// It is only not worth a model call: it passes without a model, and the task does not wait for an answer.
    pub is_thin: bool,
}

impl Refusal {
    fn new(reason: Reason, sentence: impl Into<String>) -> Self {
        Self { reason, sentence: sentence.into(), is_thin: false }
    }
}

/// What is known about a session.
#[derive(Debug, Default)]
pub struct Facts {
    /// The transcript's size and time; none when there is none.
    pub source: Option<(u64, Option<Timestamp>)>,
    /// By its name a subagent's transcript.
    pub subagent_file: bool,
    /// What was done with the session so far.
    pub state: SessionState,
    /// It was not asked for, but found to be missing.
    pub unasked: bool,
    /// When the session began, and when the first hook ran; only of one that was not asked for.
    pub began: Option<Timestamp>,
    /// See `began`.
    pub since: Option<Timestamp>,
    /// The engine that would be asked costs nothing.
    pub free: bool,
    /// What is in the transcript; none for the producer, who does not look.
    pub conversation: Option<Conversation>,
}

/// Gathers the facts about a session, which the engine would distil, and decides.
pub fn judge(session: &Session, gates: Gates, engine: Engine, config: &Config) -> Result<Option<Refusal>, Failure> {
    let mut facts = Facts {
        source: transcript::stat(&session.transcript)?,
        subagent_file: layout::is_subagent_file(&session.transcript),
        ..Facts::default()
    };
    if gates.queue || gates.task {
        facts.state = Queue::in_home(&session.agent_home).state(&session.session_id)?;
    }
    if gates.queue && session.found_by == "missing" {
        facts.unasked = true;
        facts.began = transcript::first_time(&session.transcript);
        facts.since = Queue::in_home(&session.agent_home).since()?;
    }
    let (now, limits) = (clock::now(), &config.compound_loop);
    let cheap = refusal(&facts, gates, limits, now);
    if cheap.is_some() || gates.queue {
        return Ok(cheap);
    }
    facts.free = model::resolve(engine, limits).is_ok_and(|engine| engine == Engine::Extract);
    facts.conversation = Some(transcript::read(&session.transcript, None, Keep::Counts)?);
    Ok(refusal(&facts, gates, limits, now))
}

/// The first gate that refuses, or none. Pure.
pub fn refusal(facts: &Facts, gates: Gates, config: &Loop, now: Timestamp) -> Option<Refusal> {
    let refuse = |reason, sentence: String| Some(Refusal::new(reason, sentence));
    if gates.queue && !config.enabled {
        return refuse(Reason::Disabled, "the loop is off: set enabled = true in [compound_loop]".to_owned());
    }
    let Some((size, modified)) = facts.source else {
        return refuse(Reason::NoTranscript, "the transcript does not exist".to_owned());
    };
    if facts.subagent_file {
        return refuse(Reason::NotInteractive, "it is a subagent's transcript".to_owned());
    }
    let before = facts.since.is_none() || facts.began.is_none() || facts.began < facts.since;
    if gates.queue && facts.unasked && before {
        return refuse(Reason::BeforeSince, "it began before the first hook ran, and was not asked for".to_owned());
    }
    if gates.queue {
        return queue_refusal(&facts.state, (size, modified), gates.force, config, now);
    }
    let conversation = facts.conversation.as_ref()?;
    let totals = &conversation.totals;
    if totals.is_unreadable() {
        return refuse(Reason::Unreadable, "none of its lines is a JSON object".to_owned());
    }
    if conversation.subagent || !conversation.interactive {
        return refuse(Reason::NotInteractive, "no person held this conversation".to_owned());
    }
    let same = facts.state.conversation_hash.as_ref() == Some(&conversation.hash);
    // A state from before we kept hashes has only a time.
    let not_newer = facts.state.conversation_hash.is_none()
        && facts.state.outcome.is_none()
        && modified.is_some()
        && facts.state.modified_at >= modified;
    if gates.task && (same || not_newer) {
        return refuse(Reason::AlreadyProcessed, "nothing was said since it was processed".to_owned());
    }
    if facts.free {
        return empty(totals).map(|(reason, sentence)| Refusal::new(reason, sentence));
    }
    let (reason, sentence) = thin(totals, config)?;
    // Of a task nothing is lost: what the engine `extract` finds costs nothing.
    let is_thin = gates.task && empty(totals).is_none();
    let sentence = if is_thin { format!("{sentence}; it goes to the engine extract") } else { sentence };
    Some(Refusal { is_thin, ..Refusal::new(reason, sentence) })
}

/// Why a session is not worth what costs nothing.
fn empty(totals: &Totals) -> Option<(Reason, String)> {
    (totals.messages == 0).then(|| (Reason::Empty, "nothing was said in it".to_owned()))
}

/// Why a session is not worth a model call: too little was said in it and too little done, or it is too short.
fn thin(totals: &Totals, config: &Loop) -> Option<(Reason, String)> {
    let Totals { user_chars, tool_uses, messages, .. } = *totals;
    let (min_chars, min_uses, min_messages) = (config.min_user_chars, config.min_tool_uses, config.min_messages);
    if user_chars < min_chars && tool_uses < min_uses {
        let sentence = format!("{user_chars} characters typed, {min_chars} wanted");
        return Some((Reason::TooFewUserChars, format!("{sentence}, or {min_uses} tool uses: it has {tool_uses}")));
    }
    let is_short = messages < min_messages;
    is_short.then(|| (Reason::TooFewMessages, format!("{messages} messages, {min_messages} wanted")))
}

/// The producer's gates. A clock that was set back closes none of them.
fn queue_refusal(
    state: &SessionState,
    source: (u64, Option<Timestamp>),
    force: bool,
    config: &Loop,
    now: Timestamp,
) -> Option<Refusal> {
    let refuse = |reason, sentence: String| Some(Refusal::new(reason, sentence));
    let (size, modified) = source;
    let processed = state.modified_at.is_some() && state.modified_at == modified;
    if processed && state.size_bytes.is_none_or(|processed| processed == size) {
        return refuse(Reason::AlreadyProcessed, "the transcript did not change since it was processed".to_owned());
    }
    if force {
        return None;
    }
    if let Some(age) = state.queued_at.map(|queued| clock::seconds_between(queued, now))
        && (0..config.debounce_seconds).contains(&age)
    {
        return refuse(Reason::Debounce, format!("queued {age} s ago, {} s wanted", config.debounce_seconds));
    }
    if let (Some(processed), Some(modified)) = (state.modified_at, modified) {
        let growth = clock::seconds_between(processed, modified);
        if (0..config.reprocess_min_growth_seconds).contains(&growth) {
            let wanted = config.reprocess_min_growth_seconds;
            return refuse(Reason::Growth, format!("grew for {growth} s since it was processed, {wanted} s wanted"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-04-13T12:00:00Z";

    fn at(text: &str) -> Timestamp {
        clock::parse(text).unwrap()
    }

    fn reason(facts: &Facts, gates: Gates, config: &Loop) -> Option<Reason> {
        refusal(facts, gates, config, at(NOW)).map(|refusal| refusal.reason)
    }

    fn queued(state: SessionState) -> Facts {
        Facts { source: Some((10, Some(at("2026-04-13T11:59:00Z")))), state, ..Facts::default() }
    }

    const QUEUE: Gates = Gates { queue: true, force: false, task: false };
    const FORCED: Gates = Gates { force: true, ..QUEUE };

    #[test]
    fn the_producer_looks_at_times_alone() {
        let on = Loop { enabled: true, ..Loop::default() };
        let processed = |time: &str, size| SessionState {
            modified_at: Some(at(time)),
            size_bytes: size,
            ..SessionState::default()
        };
        assert_eq!(reason(&queued(SessionState::default()), QUEUE, &Loop::default()), Some(Reason::Disabled));
        assert_eq!(reason(&queued(SessionState::default()), QUEUE, &on), None);
        assert_eq!(reason(&Facts::default(), QUEUE, &on), Some(Reason::NoTranscript));
        let fresh = SessionState { queued_at: Some(at("2026-04-13T11:59:01Z")), ..SessionState::default() };
        assert_eq!(reason(&queued(fresh.clone()), QUEUE, &on), Some(Reason::Debounce));
        assert_eq!(reason(&queued(fresh), FORCED, &on), None);
        let grown = processed("2026-04-13T11:57:01Z", Some(5));
        assert_eq!(reason(&queued(grown.clone()), QUEUE, &on), Some(Reason::Growth));
        assert_eq!(reason(&queued(grown), FORCED, &on), None);
        assert_eq!(reason(&queued(processed("2026-04-13T11:57:00Z", Some(5))), QUEUE, &on), None);
        let same = processed("2026-04-13T11:59:00Z", Some(10));
        assert_eq!(reason(&queued(same), FORCED, &on), Some(Reason::AlreadyProcessed));
        // Written on within one tick of the file system's clock; a state without a size is of an older version.
        for (size, why) in [(Some(9), None), (None, Some(Reason::AlreadyProcessed))] {
            assert_eq!(reason(&queued(processed("2026-04-13T11:59:00Z", size)), FORCED, &on), why, "{size:?}");
        }
    }

    #[test]
    fn a_clock_that_was_set_back_closes_no_gate() {
        let on = Loop { enabled: true, ..Loop::default() };
        let future = SessionState {
            queued_at: Some(at("2027-04-13T12:00:00Z")),
            modified_at: Some(at("2027-04-13T12:00:00Z")),
            ..SessionState::default()
        };
        assert_eq!(reason(&queued(future), QUEUE, &on), None);
    }

    const WORKER: Gates = Gates { queue: false, force: false, task: false };

    /// A session of so many messages, characters typed and tool uses.
    fn read(messages: u64, user_chars: u64, tool_uses: u64) -> Facts {
        let conversation = Conversation {
            totals: Totals { messages, user_chars, tool_uses, ..Totals::default() },
            interactive: true,
            hash: "h".to_owned(),
            ..Conversation::default()
        };
        let state = SessionState { conversation_hash: Some("h".to_owned()), ..SessionState::default() };
        Facts { source: Some((1, None)), conversation: Some(conversation), state, ..Facts::default() }
    }

    #[test]
    fn the_worker_wants_a_person_and_enough_said_or_done() {
        let config = Loop { min_messages: 2, min_user_chars: 5, min_tool_uses: 3, ..Loop::default() };
        for (messages, chars, uses, why) in [
            (2, 5, 0, None),
            (2, 0, 3, None),
            (2, 4, 2, Some(Reason::TooFewUserChars)),
            (2, 0, 0, Some(Reason::TooFewUserChars)),
            (1, 5, 0, Some(Reason::TooFewMessages)),
            (1, 0, 99, Some(Reason::TooFewMessages)),
            (1, 0, 0, Some(Reason::TooFewUserChars)),
        ] {
            assert_eq!(reason(&read(messages, chars, uses), WORKER, &config), why, "{messages} {chars} {uses}");
            // What costs nothing is not asked whether it is worth it.
            let free = Facts { free: true, ..read(messages, chars, uses) };
            assert_eq!(reason(&free, WORKER, &config), None, "{messages} {chars} {uses}");
        }
        let task = Gates { task: true, ..WORKER };
        for free in [false, true] {
            let facts = Facts { free, ..read(2, 5, 3) };
            assert_eq!(reason(&facts, task, &config), Some(Reason::AlreadyProcessed));
            let mut program = facts;
            program.conversation.as_mut().unwrap().interactive = false;
            assert_eq!(reason(&program, WORKER, &config), Some(Reason::NotInteractive));
        }
        let refused = refusal(&read(2, 4, 2), WORKER, &config, at(NOW)).unwrap();
        assert_eq!(refused.sentence, "4 characters typed, 5 wanted, or 3 tool uses: it has 2");
    }

    #[test]
    fn a_limit_of_nothing_lets_everything_through() {
        for config in [
            Loop { min_user_chars: 0, min_messages: 0, ..Loop::default() },
            Loop { min_tool_uses: 0, min_messages: 0, ..Loop::default() },
        ] {
            assert_eq!(reason(&read(0, 0, 0), WORKER, &config), None);
        }
        let free = |messages| Facts { free: true, ..read(messages, 0, 0) };
        assert_eq!(reason(&free(0), WORKER, &Loop::default()), Some(Reason::Empty));
        assert_eq!(reason(&free(1), WORKER, &Loop::default()), None);
    }
}

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

/// What is known about a session.
#[derive(Debug, Default)]
pub struct Facts {
    /// The transcript's size and time; none when there is none.
    pub source: Option<(u64, Option<Timestamp>)>,
    /// By its name a subagent's transcript.
    pub subagent_file: bool,
    /// What was done with the session so far.
    pub state: SessionState,
    /// It was not asked for, but found to be missing, and is not known to have begun after the first hook ran.
    pub too_early: bool,
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
        let began = transcript::first_time(&session.transcript);
        let since = Queue::in_home(&session.agent_home).since()?;
        facts.too_early = since.is_none() || began < since;
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
    let (reason, mut sentence) =
        without_reading(facts, gates, config, now).or_else(|| with_reading(facts, gates, config))?;
    // Of a task nothing is lost: what the engine `extract` finds costs nothing.
    let is_small = matches!(reason, Reason::TooFewUserChars | Reason::TooFewMessages);
    let is_thin = gates.task && is_small && facts.conversation.as_ref().is_some_and(|it| it.totals.messages > 0);
    if is_thin {
        sentence += "; it goes to the engine extract";
    }
    Some(Refusal { reason, sentence, is_thin })
}

/// The gates for which the transcript is not read. A clock that was set back closes none of them.
fn without_reading(facts: &Facts, gates: Gates, config: &Loop, now: Timestamp) -> Option<(Reason, String)> {
    let refuse = |reason, sentence: &str| Some((reason, sentence.to_owned()));
    if gates.queue && !config.enabled {
        return refuse(Reason::Disabled, "the loop is off: set enabled = true in [compound_loop]");
    }
    let Some((size, modified)) = facts.source else {
        return refuse(Reason::NoTranscript, "the transcript does not exist");
    };
    if facts.subagent_file {
        return refuse(Reason::NotInteractive, "it is a subagent's transcript");
    }
    if facts.too_early {
        return refuse(Reason::BeforeSince, "it began before the first hook ran, and was not asked for");
    }
    if !gates.queue {
        return None;
    }
    let state = &facts.state;
    let is_same_time = state.modified_at.is_some() && state.modified_at == modified;
    // A file can be written to within one tick of its file system's clock. A state of an older version has no size.
    if is_same_time && state.size_bytes.is_none_or(|processed| processed == size) {
        return refuse(Reason::AlreadyProcessed, "the transcript did not change since it was processed");
    }
    // The seconds between two times, if they are fewer than is wanted.
    let too_few = |from: Option<Timestamp>, to: Option<Timestamp>, wanted: i64| {
        let seconds = clock::seconds_between(from?, to?);
        (!gates.force && (0..wanted).contains(&seconds)).then_some(seconds)
    };
    let wanted = config.debounce_seconds;
    if let Some(age) = too_few(state.queued_at, Some(now), wanted) {
        return refuse(Reason::Debounce, &format!("queued {age} s ago, {wanted} s wanted"));
    }
    let wanted = config.reprocess_min_growth_seconds;
    let growth = too_few(state.modified_at, modified, wanted)?;
    refuse(Reason::Growth, &format!("grew for {growth} s since it was processed, {wanted} s wanted"))
}

/// The worker's gates, for which the transcript was read.
fn with_reading(facts: &Facts, gates: Gates, config: &Loop) -> Option<(Reason, String)> {
    let refuse = |reason, sentence: &str| Some((reason, sentence.to_owned()));
    let conversation = facts.conversation.as_ref()?;
    if conversation.totals.is_unreadable() {
        return refuse(Reason::Unreadable, "none of its lines is a JSON object");
    }
    if conversation.subagent || !conversation.interactive {
        return refuse(Reason::NotInteractive, "no person held this conversation");
    }
    let (state, modified) = (&facts.state, facts.source.and_then(|(_, modified)| modified));
    let is_processed = match &state.conversation_hash {
        Some(hash) => *hash == conversation.hash,
        // A state from before we kept hashes has only a time.
        None => state.outcome.is_none() && modified.is_some() && state.modified_at >= modified,
    };
    if gates.task && is_processed {
        return refuse(Reason::AlreadyProcessed, "nothing was said since it was processed");
    }
    let Totals { user_chars, tool_uses, messages, .. } = conversation.totals;
    if facts.free {
        return if messages == 0 { refuse(Reason::Empty, "nothing was said in it") } else { None };
    }
    // Too little was said in it and too little done, or it is too short.
    let (min_chars, min_uses, min_messages) = (config.min_user_chars, config.min_tool_uses, config.min_messages);
    if user_chars < min_chars && tool_uses < min_uses {
        let sentence = format!("{user_chars} characters typed, {min_chars} wanted");
        let sentence = format!("{sentence}, or {min_uses} tool uses: it has {tool_uses}");
        return Some((Reason::TooFewUserChars, sentence));
    }
    (messages < min_messages).then(|| (Reason::TooFewMessages, format!("{messages} messages, {min_messages} wanted")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        clock::parse(text).unwrap()
    }

    fn reason(facts: &Facts, gates: Gates, config: &Loop) -> Option<Reason> {
        refusal(facts, gates, config, at("2026-04-13T12:00:00Z")).map(|refusal| refusal.reason)
    }

    #[test]
    fn the_producer_looks_at_times_alone() {
        let on = Loop { enabled: true, ..Loop::default() };
        let queue = Gates { queue: true, ..Gates::default() };
        for (queued, processed, size, why) in [
            ("2026-04-13T11:59:01Z", None, None, Some(Reason::Debounce)),
            ("2026-04-13T11:00:00Z", Some("2026-04-13T11:57:01Z"), Some(5), Some(Reason::Growth)),
            ("2026-04-13T11:00:00Z", Some("2026-04-13T11:57:00Z"), Some(5), None),
            // The same time and another size.
            ("2026-04-13T11:00:00Z", Some("2026-04-13T11:59:00Z"), Some(9), Some(Reason::Growth)),
            ("2026-04-13T11:00:00Z", Some("2026-04-13T11:59:00Z"), Some(10), Some(Reason::AlreadyProcessed)),
            ("2026-04-13T11:00:00Z", Some("2026-04-13T11:59:00Z"), None, Some(Reason::AlreadyProcessed)),
            // A clock that was set back closes no gate.
            ("2027-04-13T12:00:00Z", Some("2027-04-13T12:00:00Z"), None, None),
        ] {
            let (queued_at, modified_at) = (Some(at(queued)), processed.map(at));
            let state = SessionState { queued_at, modified_at, size_bytes: size, ..SessionState::default() };
            let facts = Facts { source: Some((10, Some(at("2026-04-13T11:59:00Z")))), state, ..Facts::default() };
            assert_eq!(reason(&facts, queue, &on), why, "{queued} {processed:?} {size:?}");
            let forced = why.filter(|why| *why == Reason::AlreadyProcessed);
            assert_eq!(reason(&facts, Gates { force: true, ..queue }, &on), forced, "{queued} {processed:?} {size:?}");
        }
    }

    #[test]
    fn the_worker_wants_enough_said_or_done() {
        let config = Loop { min_messages: 2, min_user_chars: 5, min_tool_uses: 3, ..Loop::default() };
        let no_uses = Loop { min_messages: 0, min_tool_uses: 0, ..Loop::default() };
        let no_chars = Loop { min_messages: 0, min_user_chars: 0, ..Loop::default() };
        for (messages, user_chars, tool_uses, why) in [
            (2, 5, 0, None),
            (2, 0, 3, None),
            (2, 4, 2, Some(Reason::TooFewUserChars)),
            (1, 5, 0, Some(Reason::TooFewMessages)),
            (0, 0, 0, Some(Reason::TooFewUserChars)),
        ] {
            let (totals, hash) = (Totals { messages, user_chars, tool_uses, ..Totals::default() }, "h".to_owned());
            let conversation = Some(Conversation { totals, interactive: true, hash, ..Conversation::default() });
            let state = SessionState { conversation_hash: Some("h".to_owned()), ..SessionState::default() };
            let mut facts = Facts { source: Some((1, None)), conversation, state, ..Facts::default() };
            let what = format!("{messages} {user_chars} {tool_uses}");
            assert_eq!(reason(&facts, Gates::default(), &config), why, "{what}");
            assert_eq!([&no_uses, &no_chars].map(|all| reason(&facts, Gates::default(), all)), [None; 2], "{what}");
            if why == Some(Reason::TooFewUserChars) && messages == 2 {
                let refused = refusal(&facts, Gates::default(), &config, at("2026-04-13T12:00:00Z")).unwrap();
                assert_eq!(refused.sentence, "4 characters typed, 5 wanted, or 3 tool uses: it has 2");
            }
            // What costs nothing is not asked whether it is worth it.
            facts.free = true;
            let empty = (messages == 0).then_some(Reason::Empty);
            assert_eq!(reason(&facts, Gates::default(), &config), empty, "{what}");
            let task = Gates { task: true, ..Gates::default() };
            assert_eq!(reason(&facts, task, &config), Some(Reason::AlreadyProcessed), "{what}");
        }
    }
}

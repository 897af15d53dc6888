//! Whether a session is worth queueing or distilling. Facts are gathered first, the cheap ones
//! before the dear ones; [`refusal`] decides, and each refusal has a name and a sentence.

use crate::agent::layout;
use crate::agent::transcript::{self, Conversation, Keep};
use crate::base::clock;
use crate::base::config::Loop;
use crate::base::exit::Failure;
use crate::base::record::Record;
use crate::queue::{Queue, State};
use crate::record::session::Session;
use jiff::Timestamp;

/// Which gates stand.
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
    /// One word for scripts and states.
    pub name: &'static str,
    /// The same for people.
    pub sentence: String,
}

impl Refusal {
    /// The `outcome` record of a refused session. What scripts look at comes before what a name can say.
    pub fn outcome(&self, session_id: &str) -> Record {
        let mut outcome = Record::new("outcome");
        outcome.set("result", "refused");
        outcome.set("reason", self.name);
        outcome.set("session_id", session_id);
        outcome
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
    pub state: State,
    /// Nobody asked for it: it was found to be missing.
    pub unasked: bool,
    /// When the session began, and when the first hook ran; only of one that nobody asked for.
    pub began: Option<Timestamp>,
    /// See `began`.
    pub since: Option<Timestamp>,
    /// What is in the transcript; none for the producer, who does not look.
    pub conversation: Option<Conversation>,
}

/// Gathers the facts about a session and decides.
pub fn judge(session: &Session, gates: Gates, config: &Loop) -> Result<Option<Refusal>, Failure> {
    let mut facts = Facts {
        source: transcript::stat(&session.transcript)?,
        subagent_file: layout::is_subagent_file(&session.transcript),
        ..Facts::default()
    };
    if gates.queue || gates.task {
        facts.state = Queue::of(&session.agent_home).state(&session.session_id)?;
    }
    if gates.queue && session.found_by == "missing" {
        facts.unasked = true;
        facts.began = transcript::first_time(&session.transcript).and_then(|time| clock::parse(&time));
        facts.since = Queue::of(&session.agent_home).since()?;
    }
    let now = clock::now();
    let cheap = refusal(&facts, gates, config, now);
    if cheap.is_some() || gates.queue {
        return Ok(cheap);
    }
    facts.conversation = Some(transcript::read(&session.transcript, None, Keep::Counts)?);
    Ok(refusal(&facts, gates, config, now))
}

/// The first gate that refuses, or none. Pure.
pub fn refusal(facts: &Facts, gates: Gates, config: &Loop, now: Timestamp) -> Option<Refusal> {
    let refuse = |name, sentence: String| Some(Refusal { name, sentence });
    if gates.queue && !config.enabled {
        return refuse("disabled", "the loop is off: set enabled = true in [compound_loop]".to_owned());
    }
    let Some((size, modified)) = facts.source else {
        return refuse("no_transcript", "there is no such transcript".to_owned());
    };
    if facts.subagent_file {
        return refuse("not_interactive", "it is a subagent's transcript".to_owned());
    }
    let before = facts.since.is_none() || facts.began.is_none() || facts.began < facts.since;
    if gates.queue && facts.unasked && before {
        return refuse("before_since", "it began before the first hook ran, and nobody asked for it".to_owned());
    }
    if gates.queue {
        return queue_refusal(&facts.state, (size, modified), gates.force, config, now);
    }
    let conversation = facts.conversation.as_ref()?;
    let totals = &conversation.totals;
    if totals.is_unreadable() {
        return refuse("unreadable", "none of its lines is a JSON object".to_owned());
    }
    if conversation.subagent || !conversation.interactive {
        return refuse("not_interactive", "no person held this conversation".to_owned());
    }
    if totals.user_chars < config.min_user_chars {
        let sentence = format!("{} characters typed, {} wanted", totals.user_chars, config.min_user_chars);
        return refuse("too_few_user_chars", sentence);
    }
    if totals.messages < config.min_messages {
        return refuse("too_few_messages", format!("{} messages, {} wanted", totals.messages, config.min_messages));
    }
    let same = facts.state.conversation_hash.as_ref() == Some(&conversation.hash);
    // A state from before we kept hashes has only a time.
    let not_newer = facts.state.conversation_hash.is_none()
        && facts.state.outcome.is_none()
        && modified.is_some()
        && facts.state.modified_at >= modified;
    if gates.task && (same || not_newer) {
        return refuse("already_processed", "nothing was said since it was processed".to_owned());
    }
    None
}

/// The producer's gates. A clock that was set back closes none of them.
fn queue_refusal(
    state: &State,
    source: (u64, Option<Timestamp>),
    force: bool,
    config: &Loop,
    now: Timestamp,
) -> Option<Refusal> {
    let refuse = |name, sentence: String| Some(Refusal { name, sentence });
    let (size, modified) = source;
    let processed = state.modified_at.is_some() && state.modified_at == modified;
    if processed && state.size_bytes.is_none_or(|processed| processed == size) {
        return refuse("already_processed", "the transcript did not change since it was processed".to_owned());
    }
    if force {
        return None;
    }
    if let Some(age) = state.queued_at.map(|queued| clock::seconds_between(queued, now))
        && (0..config.debounce_seconds).contains(&age)
    {
        return refuse("debounce", format!("queued {age} s ago, {} s wanted", config.debounce_seconds));
    }
    if let (Some(processed), Some(modified)) = (state.modified_at, modified) {
        let growth = clock::seconds_between(processed, modified);
        if (0..config.reprocess_min_growth_seconds).contains(&growth) {
            let wanted = config.reprocess_min_growth_seconds;
            return refuse("growth", format!("grew for {growth} s since it was processed, {wanted} s wanted"));
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

    fn name(facts: &Facts, gates: Gates, config: &Loop) -> Option<&'static str> {
        refusal(facts, gates, config, at(NOW)).map(|refusal| refusal.name)
    }

    fn queued(state: State) -> Facts {
        Facts { source: Some((10, Some(at("2026-04-13T11:59:00Z")))), state, ..Facts::default() }
    }

    const QUEUE: Gates = Gates { queue: true, force: false, task: false };
    const FORCED: Gates = Gates { force: true, ..QUEUE };

    #[test]
    fn the_producer_looks_at_times_alone() {
        let on = Loop { enabled: true, ..Loop::default() };
        let processed = |time: &str, size| State { modified_at: Some(at(time)), size_bytes: size, ..State::default() };
        assert_eq!(name(&queued(State::default()), QUEUE, &Loop::default()), Some("disabled"));
        assert_eq!(name(&queued(State::default()), QUEUE, &on), None);
        assert_eq!(name(&Facts::default(), QUEUE, &on), Some("no_transcript"));
        let fresh = State { queued_at: Some(at("2026-04-13T11:59:01Z")), ..State::default() };
        assert_eq!(name(&queued(fresh.clone()), QUEUE, &on), Some("debounce"));
        assert_eq!(name(&queued(fresh), FORCED, &on), None);
        let grown = processed("2026-04-13T11:57:01Z", Some(5));
        assert_eq!(name(&queued(grown.clone()), QUEUE, &on), Some("growth"));
        assert_eq!(name(&queued(grown), FORCED, &on), None);
        assert_eq!(name(&queued(processed("2026-04-13T11:57:00Z", Some(5))), QUEUE, &on), None);
        let same = processed("2026-04-13T11:59:00Z", Some(10));
        assert_eq!(name(&queued(same), FORCED, &on), Some("already_processed"));
    }

    #[test]
    fn a_clock_that_was_set_back_closes_no_gate() {
        let on = Loop { enabled: true, ..Loop::default() };
        let future = State {
            queued_at: Some(at("2027-04-13T12:00:00Z")),
            modified_at: Some(at("2027-04-13T12:00:00Z")),
            ..State::default()
        };
        assert_eq!(name(&queued(future), QUEUE, &on), None);
    }

    #[test]
    fn the_worker_wants_a_person_and_enough_said() {
        let config = Loop { min_messages: 2, min_user_chars: 5, ..Loop::default() };
        let with = |messages, user_chars, interactive| Facts {
            source: Some((1, None)),
            conversation: Some(Conversation {
                totals: transcript::Totals { messages, user_chars, ..transcript::Totals::default() },
                interactive,
                hash: "h".to_owned(),
                ..Conversation::default()
            }),
            state: State { conversation_hash: Some("h".to_owned()), ..State::default() },
            ..Facts::default()
        };
        let worker = Gates::default();
        assert_eq!(name(&with(2, 5, true), worker, &config), None);
        assert_eq!(name(&with(2, 5, false), worker, &config), Some("not_interactive"));
        assert_eq!(name(&with(2, 4, true), worker, &config), Some("too_few_user_chars"));
        assert_eq!(name(&with(1, 5, true), worker, &config), Some("too_few_messages"));
        assert_eq!(name(&with(2, 5, true), Gates { task: true, ..worker }, &config), Some("already_processed"));
    }
}

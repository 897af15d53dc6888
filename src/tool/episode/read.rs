//! The episode of a session, read from its transcript: of a huge one from its beginning and its end.

use crate::agent::transcript::{self, Conversation};
use crate::agent::{checkout, injected};
use crate::base::exit::Failure;
use crate::base::{clock, remote, text};
use crate::extract::first_source::Listener;
use crate::extract::own_words;
use crate::extract::progress::{self, files};
use crate::record::episode::{Ended, Episode, Place};
use crate::record::message::{Message, Role};
use crate::record::session::Session;
use crate::redact::Redactor;
use crate::store::progress::{COMMITS, ENDED, GOAL};
use jiff::Timestamp;
use std::collections::HashSet;

/// How much of the transcript's end is looked through for what a tool said before the agent did.
const HEARD: u64 = 4 << 20;
/// The last files that are looked at.
const FILES: usize = 16;

/// The files that were changed, the last first, as they are called below the folder.
fn files(messages: &[Message], session: &Session) -> Vec<String> {
    // What failed, or was refused, changed nothing.
    let failed = messages.iter().filter(|message| message.is_error || message.refused().is_some());
    let failed: HashSet<&String> = failed.filter_map(|message| message.tool_use_id.as_ref()).collect();
    let tools = messages.iter().rev().flat_map(|message| message.tools.iter().rev());
    let edits = tools.filter(|tool| tool.edits() && !failed.contains(&tool.id));
    let mut known = HashSet::new();
    let names = edits.filter_map(|tool| super::below(tool.file.as_deref()?, session));
    let names = names.filter(|name| !name.is_empty() && files::is_name(name) && known.insert(*name)).take(FILES);
    names.map(str::to_owned).collect()
}

/// The episode; none where no person held the session, or it is not there.
pub fn read(session: &Session, redactor: &Redactor) -> Result<Option<Episode>, Failure> {
    if transcript::stat(&session.transcript)?.is_none() {
        return Ok(None);
    }
    redactor.begin();
    let masked = |said: &str| redactor.shown(&injected::without(said)).into_owned();
    let found = transcript::read_window(&session.transcript, None, &masked)?;
    let typed = found.totals.user_messages > 0 || found.skill.is_some();
    if found.subagent || !found.interactive || !typed {
        return Ok(None);
    }
    let shown = |text: &str| injected::line(&redactor.shown(text));
    let (what_was_done, outcome) = said(&found, session, redactor)?;
    let first = transcript::first_time(&session.transcript);
    let first = first.or_else(|| found.messages.iter().find_map(|message| clock::parse(message.time.as_ref()?)));
    let last = found.last_time.as_ref().and_then(|time| clock::parse(time)).or(found.modified_at);
    // Times go backwards in many files.
    let last = first.max(last).max(transcript::last_said(&session.transcript));
    let seconds = first.zip(last).map_or(0, |(first, last)| clock::seconds_between(first, last));
    let git_dir = checkout::identify(&session.cwd).git_dir;
    let time = |time: Option<Timestamp>| time.map_or_else(String::new, |time| time.to_string());
    let episode = Episode {
        session_id: session.session_id.clone(),
        project: Place {
            cwd: shown(&session.cwd.to_string_lossy()),
            git_remote: git_dir.as_deref().and_then(remote::of).map(|name| shown(&name)),
        },
        skill_used: found.skill.as_deref().map(shown),
        what_was_done,
        files_changed: files(&found.messages, session).iter().map(|name| shown(name)).collect(),
        outcome,
        duration_minutes: u64::try_from(seconds / 60).unwrap_or(0),
        started_at: time(first),
        ended_at: time(last),
    };
    Ok(Some(episode.bounded()))
}

/// What was done, masked, and how it ended.
fn said(found: &Conversation, session: &Session, redactor: &Redactor) -> Result<(String, Ended), Failure> {
    let messages = &found.messages;
    Message::tell_all(messages, redactor);
    let mut listener = Listener::new(messages);
    found.end.recap.iter().for_each(|recap| listener.expect(recap));
    let heard = listener.read(&session.transcript, None, Some(HEARD))?;
    let (own, points) = redactor.settled(|| {
        let own = own_words::own_messages(messages, &heard, redactor);
        let points = progress::standing(&own, &found.end, &heard, &session.cwd, redactor).points;
        (own, points)
    });
    let point = |begin: &str| points.iter().find_map(|point| point.strip_prefix(begin)).map(str::to_owned);
    let live = || own.iter().filter(|message| !message.marks.abandoned);
    let folded = |message: &Message| {
        let mut message = message.clone();
        message.show(redactor);
        text::folded(&message.text)
    };
    // Of a session without commits the first request of the user that asks for something says most.
    let request = || {
        let typed = live().filter(|message| message.role == Role::User);
        let asks = typed.filter(|message| progress::has_request(std::slice::from_ref(message)));
        asks.map(folded).find(|said| own_words::says_something(said))
    };
    let mut last = live().rev().filter(|message| message.is_conversation()).peekable();
    let is_answered = last.peek().is_some_and(|last| last.role == Role::Assistant);
    let answer = || {
        let mut text = folded(last.find(|message| message.role == Role::Assistant)?);
        let end = text.find(['.', '!', '?']).filter(|end| text.get(end + 1..).is_none_or(|rest| rest.starts_with(' ')));
        text.truncate(end.map_or(text.len(), |end| end + 1));
        Some(text)
    };
    let done = point(COMMITS).or_else(request).or_else(|| point(GOAL)).or_else(answer);
    let outcome = match () {
        () if found.end.interrupted || point(ENDED).is_some() => Ended::Interrupted,
        () if found.end.failed || progress::is_broken(&own, &found.end, redactor) => Ended::Failed,
        () if is_answered => Ended::Completed,
        () => Ended::Unknown,
    };
    Ok((done.map_or_else(String::new, |done| injected::line(&done)), outcome))
}

//! The episode of a session, read from the whole of its transcript: of what was said its end is kept, of the files that
//! tools changed all names.

use crate::agent::transcript::{self, Conversation, Keep};
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
use std::collections::{HashSet, VecDeque};

/// What is kept of the conversation's end, in bytes of its texts.
const KEPT_BYTES: usize = 4 << 20;
/// How much of the transcript's end is looked through for what a tool said before the agent did.
const HEARD: u64 = 4 << 20;
/// The last files that are looked at.
const FILES: usize = 16;

/// What is kept while a transcript is read.
#[derive(Default)]
struct SeenMessages {
    messages: VecDeque<Message>,
    /// Messages that are not kept any more, and the bytes of those that are.
    gone: usize,
    bytes: usize,
    /// The changes of files: the id of the tool's use, and the file.
    edits: Vec<(String, String)>,
}

impl SeenMessages {
    fn see(&mut self, message: &Message) {
        let edits = message.tools.iter().filter(|tool| tool.edits());
        self.edits.extend(edits.filter_map(|tool| Some((tool.id.clone(), tool.file.clone()?))));
        // What failed, or was refused, changed nothing.
        if let Some(id) = message.tool_use_id.as_ref().filter(|_| message.is_error || message.refused().is_some()) {
            self.edits.retain(|(of, _)| of != id);
        }
        self.bytes += bytes(message);
        self.messages.push_back(message.clone());
        while self.bytes > KEPT_BYTES && self.messages.len() > 1 {
            self.bytes -= self.messages.pop_front().map_or(0, |gone| bytes(&gone));
            self.gone += 1;
        }
    }

    /// The messages, those marked that a later prompt took the place of.
    fn messages(self, found: &Conversation) -> Vec<Message> {
        let mut messages = Vec::from(self.messages);
        for (number, message) in (self.gone..).zip(&mut messages) {
            message.marks.abandoned = found.abandoned.binary_search(&number).is_ok();
        }
        messages
    }

    /// The files that were changed, the last first, as they are called below the folder.
    fn files(&self, session: &Session) -> Vec<String> {
        let mut known = HashSet::new();
        let names = self.edits.iter().rev().filter_map(|(_, file)| super::below(file, session));
        let names = names.filter(|name| !name.is_empty() && files::is_name(name) && known.insert(*name)).take(FILES);
        names.map(str::to_owned).collect()
    }
}

fn bytes(message: &Message) -> usize {
    let commands = message.tools.iter().map(|tool| tool.command().map_or(0, str::len) + 100);
    message.text.len() + commands.sum::<usize>()
}

/// The episode; none where no person held the session, or it is not there.
pub fn read(session: &Session, redactor: &Redactor) -> Result<Option<Episode>, Failure> {
    if transcript::stat(&session.transcript)?.is_none() {
        return Ok(None);
    }
    let (input, (_, modified)) = transcript::open(&session.transcript)?;
    let mut seen = SeenMessages::default();
    let name = session.transcript.to_string_lossy();
    let found = transcript::each(&name, input, Keep::Conversation, &mut |message| {
        seen.see(message);
        Ok(())
    })?;
    let typed = found.totals.user_messages > 0 || found.skill.is_some();
    if found.subagent || !found.interactive || !typed {
        return Ok(None);
    }
    let shown = |text: &str| injected::line(&redactor.shown(text));
    let files = seen.files(session);
    let messages = seen.messages(&found);
    let (what_was_done, outcome) = said(&messages, &found, session, redactor)?;
    let files_changed = files.iter().map(|name| shown(name)).collect();
    let first = transcript::first_time(&session.transcript);
    let first = first.or_else(|| messages.iter().find_map(|message| clock::parse(message.time.as_ref()?)));
    let last = found.last_time.as_ref().and_then(|time| clock::parse(time)).or(modified);
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
        files_changed,
        outcome,
        duration_minutes: u64::try_from(seconds / 60).unwrap_or(0),
        started_at: time(first),
        ended_at: time(last),
    };
    Ok(Some(episode.bounded()))
}

/// What was done, masked, and how it ended.
fn said(
    messages: &[Message],
    found: &Conversation,
    session: &Session,
    redactor: &Redactor,
) -> Result<(String, Ended), Failure> {
    redactor.begin();
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

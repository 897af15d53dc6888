//! What the user says, and where.

use crate::agent::{hooks, injected, transcript};
use crate::base::config::Config;
use crate::base::exit::Failure;
use crate::base::text;
use crate::record::message::{Message, Role};
use crate::redact::Redactor;
use crate::store::Memory;
use crate::tool::context::Start;

/// How much of the transcript's end is read for what was said before, and how many of the user's messages.
const END_BYTES: u64 = 64 << 10;
const BEFORE: usize = 3;
/// The most of a prompt that is looked at, in bytes: a longer one is a pasted text. So much of it is masked for that.
const SAID_BYTES: usize = 8 << 10;
const MASKED_BYTES: usize = 64 << 10;

/// A prompt.
pub struct Asked {
    /// What the user says.
    pub said: String,
    /// The last messages of the user before it.
    pub before: String,
    /// The session; none where a text was given.
    pub session_id: Option<String>,
    /// Where.
    pub start: Start,
    /// The project's memory.
    pub memory: Memory,
}

impl Asked {
    /// A text, else the prompt of a hook's payload; an empty payload means the current folder's project.
    pub fn new(text: Option<&str>, payload: &[u8], config: &Config, redactor: &Redactor) -> Result<Self, Failure> {
        let (read, start) = (hooks::payload(payload)?, Start::read(payload, config)?);
        let transcript = read.transcript.as_ref().map(|_| start.session.transcript.as_path());
        let earlier = transcript.and_then(|path| transcript::read_end(path, END_BYTES).ok());
        let earlier = earlier.map_or_else(Vec::new, |found| found.messages);
        let prompt = text.or(read.prompt.as_deref()).unwrap_or("");
        redactor.begin();
        Message::tell_all(&earlier, redactor);
        redactor.hear_user(prompt);
        let said = shortened(prompt, redactor);
        let before = before(&earlier, &said, redactor);
        let memory = Memory::of(&start.session, config)?;
        Ok(Self { said, before, session_id: read.session_id, start, memory })
    }

    /// Standard input of a person who calls the tool by hand: a payload, or a text.
    pub fn of_input(input: &[u8], config: &Config, redactor: &Redactor) -> Result<Self, Failure> {
        if hooks::is_payload(input)? {
            return Self::new(None, input, config, redactor);
        }
        Self::new(Some(&String::from_utf8_lossy(input)), b"", config, redactor)
    }
}

/// Without what we put before the model, masked before it is cut, and no longer than a prompt that was typed.
fn shortened(said: &str, redactor: &Redactor) -> String {
    let said = injected::without(said);
    text::first_bytes(&redactor.shown(text::first_bytes(&said, MASKED_BYTES)), SAID_BYTES).to_owned()
}

/// The last messages of the user; "" where the transcript cannot be read, as that of a new session cannot.
fn before(messages: &[Message], said: &str, redactor: &Redactor) -> String {
    let typed = messages.iter().rev().filter(|message| message.role == Role::User && !message.marks.abandoned);
    let typed = typed.map(|message| shortened(&message.text, redactor)).filter(|text| text != said);
    typed.take(BEFORE).collect::<Vec<_>>().join("\n")
}

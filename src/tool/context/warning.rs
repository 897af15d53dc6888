//! What keeps the loop from working, told to the user when a session starts: once a day, for each start
//! comes when a person wants to work. What was told is in `logs/.told`; where that cannot be written, it is
//! told at each start.

use crate::agent::{hooks, injected};
use crate::base::config::{Config, Privacy};
use crate::base::exit::Failure;
use crate::base::file::{self, Durable, Root};
use crate::base::masked::Masked;
use crate::base::{clock, env, text};
use crate::record::item;
use crate::redact::Redactor;
use crate::tool::health;
use std::path::Path;

/// Characters of what is wrong.
const WHAT_CHARS: usize = 400;

/// The hook's answer when nothing at all can be told, for the configuration does not allow it. None when it
/// was told today.
pub fn refused(failure: &Failure) -> Result<Option<Masked>, Failure> {
    let Some(what) = once_a_day(&failure.message) else { return Ok(None) };
    // The patterns of the user's own may be what is wrong.
    Ok(Some(answer(&what, &Redactor::new(&Privacy::default())?)))
}

/// The hook's answer where a session is to be told nothing: to its user, what keeps the loop from working.
pub fn alone(config: &Config) -> Result<Option<Masked>, Failure> {
    let redactor = Redactor::new(&config.privacy)?;
    Ok(of_today(config, None).map(|what| answer(&what, &redactor)))
}

fn answer(what: &str, redactor: &Redactor) -> Masked {
    let message = redactor.shown(what).into_owned();
    redactor.masked_json(&format!("{}\n", hooks::start_answer("", &format!("lh: {message}"))))
}

/// What keeps the loop from working, when it was not told today; `memory` is that of the project at hand.
pub fn of_today(config: &Config, memory: Option<&Path>) -> Option<String> {
    once_a_day(&health::first(config, &env::agent_home().ok()?, memory)?)
}

fn once_a_day(what: &str) -> Option<String> {
    let what = injected::line(&text::cut(what, WHAT_CHARS));
    let mark = format!("{} {}\n", clock::local_day(clock::now()), item::hash(what.as_bytes()));
    let home = env::agent_home();
    if home.is_ok_and(|home| is_told(&home, &mark).unwrap_or_default()) {
        return None;
    }
    Some(format!("sessions are NOT being remembered: {what} (lh-doctor says more)"))
}

/// Whether that was told already; if not it is noted.
fn is_told(home: &Path, mark: &str) -> Result<bool, Failure> {
    let root = Root::new(home);
    let path = root.file("logs/.told")?;
    if file::read_text(&path)?.as_deref() == Some(mark) {
        return Ok(true);
    }
    root.folder("logs")?;
    file::replace(&path, &Masked::exact(mark), Durable::No)?;
    Ok(false)
}

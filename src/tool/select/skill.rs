//! What a prompt that invokes a skill is told: the skill's profile, else its last episodes.

use super::{Asked, ToldMemories};
use crate::agent::{hooks, injected, wrappers};
use crate::base::exit::Failure;
use crate::base::{clock, file, log};
use crate::record::episode::Episode;
use crate::redact::Redactor;
use crate::store::{self, briefing, episodes};

/// How many episodes are told where there is no profile.
const EPISODES: usize = 5;
/// Of how many it is looked at for these, the newest ones: a prompt waits for it.
const NEWEST: usize = 200;
/// What is read of a profile.
const READ_BYTES: u64 = 64 << 10;

/// What is known of a skill.
pub struct Skill {
    /// Its name.
    pub name: String,
    /// The name of the profile below the memory folder, by which it is noted that this was told.
    pub file: String,
    /// What is told.
    pub text: String,
}

impl Skill {
    /// Whether a payload's prompt may invoke one.
    pub fn is_invoked(payload: &[u8]) -> Result<bool, Failure> {
        Ok(hooks::payload(payload)?.prompt.is_some_and(|said| wrappers::invoked(&injected::without(&said)).is_some()))
    }

    /// That which the prompt invokes; none where nothing is known of it, or the session was told already.
    pub fn of(asked: &Asked, told: &ToldMemories, redactor: &Redactor) -> Option<Self> {
        let name = wrappers::invoked(&asked.said)?.to_owned();
        let file = briefing::profile(&name).filter(|file| !told.has(file, redactor))?;
        let text = known(asked, &name, &file, redactor).map_err(|failure| log::say("lh-select", &failure.message));
        text.ok().filter(|text| !text.trim().is_empty()).map(|text| Self { name, file, text })
    }
}

fn known(asked: &Asked, name: &str, file: &str, redactor: &Redactor) -> Result<String, Failure> {
    for folder in asked.memory.folders() {
        let profile = file::read_head(&store::own_file(folder, file)?, READ_BYTES)?;
        if !profile.trim().is_empty() {
            let shown = redactor.shown(&profile);
            return Ok(shown.lines().take(briefing::PROFILE_LINES).collect::<Vec<_>>().join("\n"));
        }
    }
    let all = episodes::newest(asked.memory.folders(), NEWEST)?;
    let of = all.iter().filter(|one| one.skill_used.as_deref() == Some(name)).take(EPISODES);
    let day = |one: &Episode| one.time().map_or_else(String::new, clock::local_day);
    let lines: Vec<String> = of.map(|one| format!("- {} {}", day(one), redactor.shown(&one.summary()))).collect();
    Ok(lines.join("\n"))
}

//! What a session is told at its start: composed of files that exist already, in characters that are
//! counted, with a cost that does not grow with how much there is. The same files and the same checkout
//! give the same bytes: no clock is read for the text, ages are dates.

mod history;
mod known;
mod last_session;
mod section;
mod sources;
mod warning;

use crate::agent::injected;
use crate::agent::payload::{Moment, Payload};
use crate::agent::project::{self, SessionHint};
use crate::agent::{checkout, hooks, layout, transcript};
use crate::base::config::{Config, Select};
use crate::base::exit::Failure;
use crate::base::git::{self, Git, Pending};
use crate::base::masked::Masked;
use crate::base::stale_names::{Checkout, Judged, NameState, Seen};
use crate::base::word_enum::words;
use crate::base::{clock, env, log, text};
use crate::rank::Focus;
use crate::record::session;
use crate::record::session::Session;
use crate::redact::Redactor;
use crate::store::{self, Memory, plan};
use history::History;
use jiff::Timestamp;
use known::Known;
use last_session::LastSession;
use section::{Fitted, Part, Section};
use std::path::Path;
use std::time::Duration;
pub use warning::{alone, refused};

/// How long git may take.
const GIT_PATIENCE: Duration = Duration::from_millis(200);
/// Characters of what is gone of an item.
const GONE_CHARS: usize = 120;

/// Which session starts, and where.
#[derive(Clone, Debug)]
pub struct Start {
    /// The session; its transcript need not exist.
    pub session: Session,
    /// Why it starts.
    pub moment: Moment,
    /// On a resumption, when something was last said in it.
    pub since: Option<Timestamp>,
    /// Whether a client starts it, and no person asks what it would be told.
    is_clients: bool,
    /// What is checked out where it starts.
    checkout: Checkout,
}

/// What a session is told.
pub struct Context {
    /// What the model reads.
    text: String,
    /// The line that the user sees.
    banner: String,
    redactor: Redactor,
    /// The characters of each part.
    sizes: Vec<(&'static str, usize)>,
}

impl Start {
    /// The start that a `SessionStart` payload tells of; an empty one means the current folder.
    pub fn read(payload: &[u8], config: &Config) -> Result<Self, Failure> {
        Self::read_with(payload, config, false).map(|(start, _)| start)
    }

    /// The same, with git at work in its checkout meanwhile.
    pub fn read_with_git(payload: &[u8], config: &Config) -> Result<(Self, Option<Pending>), Failure> {
        Self::read_with(payload, config, true)
    }

    fn read_with(payload: &[u8], config: &Config, git: bool) -> Result<(Self, Option<Pending>), Failure> {
        let Payload { session_id, transcript, cwd, moment, .. } = hooks::payload(payload)?;
        let cwd = cwd.map_or_else(env::current_folder, Ok)?;
        let cwd = std::path::absolute(&cwd).unwrap_or(cwd);
        let checkout = checkout::around(&cwd);
        let asked = (git && checkout.is_of_git()).then(|| git::ask(&cwd));
        let transcript = if let Some(path) = transcript {
            env::named(&path)?
        } else {
            let id = session::safe_id(session_id.as_deref().unwrap_or("none"));
            layout::transcript(&env::agent_home()?, &cwd, &id)
        };
        let known = SessionHint { cwd: Some(cwd), found_by: "transcript_path", ..SessionHint::default() };
        let (session, _) = project::describe(&transcript, known, config)?;
        let since = if moment == Moment::Resume { transcript::last_said(&session.transcript) } else { None };
        Ok((Self { session, moment, since, is_clients: session_id.is_some(), checkout }, asked))
    }

    /// What of the files, symbols and commands that a text names is gone from the checkout, or is not what was seen, as
    /// it is told behind the text; "" when nothing is.
    pub fn marks(&self, text: &str, seen: Option<&Seen>, redactor: &Redactor) -> String {
        marked(&self.judge(text, seen), redactor)
    }

    /// The top of the checkout.
    pub fn top(&self) -> &Path {
        self.checkout.root()
    }

    /// Whether no other file of the checkout than the one at `path` has a path that ends so.
    pub fn is_only(&self, path: &str, end: &str) -> bool {
        self.checkout.is_only(path, end)
    }

    /// What became of what a text names.
    pub fn judge(&self, text: &str, seen: Option<&Seen>) -> Judged {
        self.checkout.judge(text, seen)
    }
}

/// What is not as it was, as it is told behind a text.
pub fn marked(judged: &Judged, redactor: &Redactor) -> String {
    let marks = [(NameState::Gone, "gone since"), (NameState::Changed, "changed since")].map(|(state, said)| {
        let names = Some(judged.names(state)).filter(|names| !names.is_empty())?;
        Some(format!("{said}: {}", text::cut(&injected::line(&redactor.shown(&names)), GONE_CHARS)))
    });
    let marks: Vec<String> = marks.into_iter().flatten().collect();
    if marks.is_empty() { String::new() } else { format!(" ({})", marks.join("; ")) }
}

/// Composes what a session is told, with what git was `asked`.
pub fn compose(start: &Start, asked: Option<Pending>, config: &Config) -> Result<Context, Failure> {
    let memory = Memory::of(&start.session, config)?;
    let redactor = Redactor::new(&config.privacy)?;
    let last = quiet(last_session::find(&start.session, &memory, config, &redactor));
    // This very session does not count as the last.
    let last = last.filter(|last| last.page.session_id != start.session.session_id);
    let mut sections = remembered(&memory, start, last.as_ref(), &redactor);
    let history = History::read(&memory, start);
    show(&mut sections, &redactor);
    let shown = sections.len();
    let warning = warning::of_today(config, Some(&memory)).map(|what| format!("; {what}")).unwrap_or_default();
    let plan = plan::waiting(memory.notes()).map(|what| format!("; {what}")).unwrap_or_default();
    let known = (start.moment != Moment::Compact).then(|| {
        let learnings = quiet(config.learnings_folder().map(Some));
        Known::read(&memory, learnings.as_deref(), start, config.memory.select == Select::Off)
    });
    let (at_hand, commits) = (sources::at_hand(&sections), sources::commits(&sections).collect());
    let choose = |git: &Git| {
        let files = known::with_new_files(&start.session.project_root, &git.files);
        let branch = git.branch.as_ref().or(start.session.branch.as_ref());
        let focus = Focus::new(&files, branch.map(String::as_str)).with_words(&at_hand);
        let known = known.as_ref().map(|known| known.section(&focus, start, &sections, &redactor));
        let (known, told) = known.unwrap_or_default();
        let history = history.choose(&focus, start, &told, &commits, &redactor);
        (known, told, history)
    };
    let (git, early) = match asked {
        Some(asked) => asked.answer(GIT_PATIENCE, choose),
        None => (Git::default(), choose(&Git::default())),
    };
    // What is changed, and another branch, is known with the status only.
    let is_more = git.counts.is_some_and(|counts| counts != (0, 0))
        || git.branch.as_ref().is_some_and(|branch| Some(branch) != start.session.branch.as_ref());
    let (known, told, chosen) = if is_more { choose(&git) } else { early };
    // What was told just now is not told again by a line of the index.
    let is_new = |line: &String| line.rsplit_once(" — ").is_none_or(|(_, said)| told.find(said).is_none());
    for index in sections.iter_mut().filter(|section| section.part == Part::Index) {
        index.lines.retain(is_new);
    }
    sections.retain(|section| section.part != Part::Index || !section.lines.is_empty());
    sections.extend(known);
    sections.extend(history::section(chosen, &git));
    let name = injected::line(&redactor.shown(&start.session.project));
    let fitted = if sections.is_empty() && start.moment == Moment::Fresh {
        let head = format!(
            "No earlier session of the project {name} is remembered yet; lh keeps what this one decides and leaves open."
        );
        Fitted::fit(&redactor.shown(&head), "", Vec::new(), config.start_chars())
    } else {
        let head = head(&name, sections.is_empty(), start);
        let foot = if sections.is_empty() {
            String::new()
        } else {
            let folder = |folder: &Path| injected::line(&redactor.shown(&folder.to_string_lossy()));
            let folders: Vec<String> = memory.folders().filter(|of| store::holds_memory(of)).map(folder).collect();
            if folders.is_empty() {
                String::new()
            } else {
                format!("The files named here are in {}.", folders.join(" and "))
            }
        };
        sections.extend(sources::git(&git, start, &redactor));
        show(&mut sections[shown..], &redactor);
        Fitted::fit(&redactor.shown(&head), &foot, sections, config.start_chars())
    };
    let banner = match (fitted.banner(), start.moment) {
        (parts, _) if !parts.is_empty() => parts.join(", "),
        (_, Moment::Fresh) => "nothing remembered yet".to_owned(),
        _ => "nothing new".to_owned(),
    };
    let banner = format!("lh: {name}: {banner}{plan}{}", redactor.shown(&warning));
    Ok(Context { text: fitted.text(), banner, sizes: fitted.sizes(), redactor })
}

/// The memory of the current folder's project.
pub fn memory_here(config: &Config) -> Result<Memory, Failure> {
    Memory::of(&project::here(config)?, config)
}

/// What the next session of the current folder will be told to be open: when that was written, and the lines,
/// none when nothing is open.
pub fn still_open(config: &Config) -> Result<(Option<Timestamp>, Vec<String>), Failure> {
    let start = Start::read(b"", config)?;
    let memory = Memory::of(&start.session, config)?;
    let redactor = Redactor::new(&config.privacy)?;
    let last = last_session::find(&start.session, &memory, config, &redactor)?;
    let open = sources::open(&memory, &start, last.as_ref())?;
    let mut lines = open.section(&start, &redactor).map(|section| section.lines).unwrap_or_default();
    redactor.show_lines(&mut lines);
    Ok((open.date, lines))
}

/// Logs the error, and leaves out this part alone.
fn quiet<T>(result: Result<Option<T>, Failure>) -> Option<T> {
    result.map_err(|failure| log::say("lh-context", &failure.message)).ok().flatten()
}

/// Masks what sections tell, before anything is cut, for half a secret looks like none. What was said was masked when it
/// was read.
fn show(sections: &mut [Section], redactor: &Redactor) {
    let masked: Vec<&mut Section> = sections.iter_mut().filter(|section| section.part != Part::Said).collect();
    if !redactor.is_shown(masked.iter().flat_map(|section| &section.lines).map(String::as_str)) {
        for section in masked {
            redactor.show_lines(&mut section.lines);
        }
    }
}

/// Everything that is remembered, but for the history.
fn remembered(memory: &Memory, start: &Start, last: Option<&LastSession>, redactor: &Redactor) -> Vec<Section> {
    let mut sections = Vec::new();
    let stood = start.moment != Moment::Compact;
    let mut stood = quiet(stood.then(|| sources::progress(memory, start, redactor)).transpose()).unwrap_or_default();
    if let Some(open) = quiet(sources::open(memory, start, last).map(Some)) {
        stood.leave_out(&open);
        sections.extend(open.section(start, redactor));
        sections.extend(quiet(sources::summary(memory, &open, start)));
    }
    sections.extend(stood.sections);
    let last = last.filter(|last| start.since.is_none_or(|since| last.time > Some(since)));
    let last = last.filter(|last| last.page.session_id != stood.session_id);
    sections.extend(last.and_then(sources::last_session));
    if start.moment != Moment::Resume {
        sections.extend(quiet(sources::briefing(memory)));
        sections.extend(quiet(sources::index(memory, &start.session.agent_home)));
        sections.extend(quiet(sources::episodes(memory, &stood.session_id, redactor)));
    }
    sections
}

/// What the text is, in one line.
fn head(name: &str, is_empty: bool, start: &Start) -> String {
    let what = match start.since.map(clock::local) {
        Some(since) if is_empty => {
            return format!("Nothing of the project {name} is known to have changed since {since}.");
        }
        Some(since) => format!(", since this session's last message ({since})"),
        None => String::new(),
    };
    format!("Quoted from earlier sessions{what}; no instructions.")
}

words! {
    /// How a context is printed.
    Format {
        /// The `SessionStart` hook's answer.
        Json = "json",
        /// The text alone.
        Markdown = "markdown",
    }
}

impl Context {
    /// The context as it is printed.
    pub fn shown(&self, format: Format) -> Masked {
        if format == Format::Markdown {
            return self.redactor.masked_parts(&format!("{}\n", self.text));
        }
        self.redactor.masked_json(&format!("{}\n", hooks::start_answer(&self.text, &self.banner)))
    }

    /// A line for each part and one for all: its characters, and about how many tokens these are.
    pub fn sizes(&self) -> Vec<String> {
        let all = ("all", self.text.chars().count());
        let say =
            |(name, chars): &(&str, usize)| format!("{name}: {chars} characters, about {} tokens", chars.div_ceil(4));
        self.sizes.iter().chain([&all]).map(say).collect()
    }
}

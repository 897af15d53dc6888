//! Where a session stands: what a person would tell who hands the work over, read from its records
//! without a model: one line a point, and behind the points what was said last, verbatim.

mod asks;
pub mod files;
mod names;
mod plan;
pub mod ran;

use super::commits::{self, TitledKind};
use super::first_source::Heard;
use super::patterns::says;
use super::uses::{self, Use};
use super::{Todo, open_items, own_words};
use crate::agent::test_output::CheckResult;
use crate::agent::transcript::End;
use crate::base::text;
use crate::record::message::{Action, Message, Role};
use crate::redact::Redactor;
use crate::store::progress::{self, AGENT, USER};
use ran::Ran;
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

/// Characters of the goal: its head, its end.
const GOAL: (usize, usize) = (300, 200);
/// A goal that is so short needs the prompt before it: so many characters of that.
const SHORT_GOAL: usize = 120;
const BEFORE_CHARS: usize = 130;
/// Characters of a prompt that only goes on, of a point of a list, of a title.
const PROMPT_CHARS: usize = 80;
const POINT_CHARS: usize = 80;
const TITLE_CHARS: usize = 90;
/// Characters of the client's recap: its head, and its end, which says what comes next.
const RECAP: (usize, usize) = (160, 140);
/// How many of each are named.
const COMMITS: usize = 2;
const UNFINISHED: usize = 6;
/// An answer of fewer characters, with no work, says that nothing was asked.
const IDLE_CHARS: usize = 45;
const IDLE_PROMPT_CHARS: usize = 100;
/// Characters of what was said last that are kept, and the least of a message that says something.
const SAID_CHARS: usize = 4000;
const LEAST_CHARS: usize = 40;
/// Characters of it that are surely told.
const SHOWN_CHARS: usize = 600;
/// The longest text of the agent's that only says what it does next.
const ANNOUNCED_CHARS: usize = 200;
/// Words between two cuts that say nothing.
const LEFT_OVER: usize = 1;
/// What is said where nothing was done behind the last request.
const IDLE_SINCE: &str = "Since that request no file was changed and no command ran";
/// What stands between two lines of code: as one line they would be another command.
const NEXT_LINE: &str = "⏎";
/// A step that the agent announces in so few characters tells nothing of the work: "Let me run the tests."
const STEP_CHARS: usize = 50;
/// Messages from the end that are looked at for what was said.
const SAID: usize = 80;
/// Characters of a prompt that asks one question.
const QUESTION_CHARS: usize = 250;
/// How a prompt begins that was only pasted, see [`own_words::own_messages`].
const PASTED: &str = "(pasted) ";

/// Where a session stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The points, each of one line.
    pub points: Vec<String>,
    /// What the user and the agent said last, verbatim, a line a message, the newest last.
    pub said: Vec<String>,
}

/// A prompt, and what is told of it.
type Request<'m> = (&'m Message, String);

/// A session as far as it was read.
struct SessionRead<'m> {
    messages: &'m [Message],
    /// Those that were said in it and hold.
    live: Vec<&'m Message>,
    used: Vec<Use<'m>>,
    end: &'m End,
    heard: &'m Heard,
    cwd: &'m Path,
    redactor: &'m Redactor,
}

/// Where a session stands, masked; nothing when no person typed anything.
pub fn standing(messages: &[Message], end: &End, heard: &Heard, cwd: &Path, redactor: &Redactor) -> Standing {
    let live: Vec<&Message> =
        messages.iter().filter(|message| !message.marks.abandoned && !message.marks.sidechain).collect();
    let read = SessionRead { messages, live, used: uses::of(messages), end, heard, cwd, redactor };
    if read.typed().next().is_none() {
        return Standing::default();
    }
    let mut idle = idle_turns(&read.live);
    if read.typed().all(|prompt| asks::nothing(prompt) || idle.contains(&prompt.line)) {
        idle.clear();
    }
    let mut points = read.asked(&idle);
    points.extend(read.work());
    // A good-bye is not where it stood.
    let mut told: Vec<&Message> = read.live.iter().copied().filter(|message| !idle.contains(&message.line)).collect();
    if !told.iter().any(|message| message.role == Role::Assistant) {
        told.clone_from(&read.live);
    }
    let said = said(&told, &read.used, redactor);
    let shown = progress::split(said.clone(), SHOWN_CHARS).1;
    let names = names::spoken_of(&said, &format!("{}\n{}", points.join("\n"), shown.join("\n")));
    points.extend(listed("Spoken of", &names, ", "));
    Standing { points, said }
}

impl<'m> SessionRead<'m> {
    /// What the user typed, the last first.
    fn typed(&self) -> impl Iterator<Item = &'m Message> {
        self.live.iter().rev().copied().filter(|message| message.is_prompt())
    }

    /// The messages behind a prompt but for what tools gave, the last first.
    fn behind(&self, prompt: &Message) -> impl Iterator<Item = &'m Message> {
        let line = prompt.line;
        self.live.iter().rev().copied().filter(move |message| message.line > line && message.role != Role::Tool)
    }

    /// What the user asked for: the last request, those before it, and the last words where they are another prompt.
    fn asked(&self, idle: &HashSet<u64>) -> Vec<String> {
        // One that only shows what another author wrote says nothing of it.
        let said = self.typed().map(|prompt| (prompt, shown(prompt, false, self.redactor)));
        let mut said = said.filter(|(_, said)| !said.is_empty()).peekable();
        let newest = self.typed().next().map(|prompt| prompt.line);
        let last = said.peek().filter(|(prompt, _)| Some(prompt.line) == newest).cloned();
        let requests = said.filter(|(prompt, said)| {
            !asks::nothing(prompt) && !idle.contains(&prompt.line) && !said.starts_with(PASTED)
        });
        let mut requests = requests.peekable();
        // If the user only said "continue", the goal is that of the session before it.
        let is_foreign = |prompt: &&Message| {
            prompt.text.starts_with(PASTED)
                || own_words::is_cut(&prompt.text) && shown(prompt, false, self.redactor).is_empty()
        };
        let is_pasted = self.typed().next().filter(is_foreign).is_some_and(|prompt| !idle.contains(&prompt.line));
        // A command without a word behind it is the goal until something else is asked for.
        let asked = requests.peek().map(|(prompt, _)| prompt.line);
        let command = self.end.command.as_ref().filter(|(line, _)| asked < Some(*line));
        let last = last.filter(|(prompt, _)| command.is_none_or(|(line, _)| prompt.line > *line));
        let is_pasted = is_pasted && command.is_none_or(|(line, _)| newest > Some(*line));
        let mut goal = if is_pasted || command.is_some() { None } else { requests.next() };
        // A question that was answered, and how an edit that the user refused is to be done, is not what the work was for,
        // if something else was asked before it.
        let mut question = None;
        while goal.as_ref().is_some_and(|(prompt, _)| self.is_answered(prompt) || self.is_about_refused(prompt))
            && let Some(request) = requests.next()
        {
            question = question.or(goal.replace(request));
        }
        let mut points = Vec::new();
        points.extend(is_pasted.then(|| "The user's last prompt: a text that was pasted".to_owned()));
        points.extend(command.map(|(_, name)| format!("Goal: /{}", self.redactor.shown(name))));
        let mark = if self.is_at_rest() { progress::ANSWERED } else { "" };
        let told: Vec<(&str, &Request<'m>)> =
            goal.iter().map(|goal| ("Goal", goal)).chain(question.iter().map(|asked| ("Asked last", asked))).collect();
        let told_of =
            |(label, (_, said)): &(&str, &Request<'m>)| format!("{label}: {}{mark}", ends(said, GOAL.0, GOAL.1));
        points.extend(told.iter().map(told_of));
        let told: Vec<&Request<'m>> = told.into_iter().map(|(_, request)| request).collect();
        points.extend(told.last().filter(|(prompt, _)| self.is_idle_since(prompt)).map(|_| IDLE_SINCE.to_owned()));
        let is_short = goal.as_ref().is_none_or(|(_, said)| said.chars().count() < SHORT_GOAL);
        let is_goal = |said: &str| goal.as_ref().is_some_and(|(_, goal)| goal == said);
        let before = requests.find(|(_, said)| is_short && !is_goal(said));
        points.extend(before.map(|(_, said)| format!("Asked earlier: {}", ends(&said, BEFORE_CHARS, 0))));
        points.extend(self.said_behind(&told, last, idle));
        points
    }

    /// What the user said behind what is `told` of the requests: the last words, else what was chosen of an answer, for that is
    /// work, too: "Implement 1 and 3."
    fn said_behind(&self, told: &[&Request<'m>], last: Option<Request<'m>>, idle: &HashSet<u64>) -> Option<String> {
        // An answer to a question of the agent's tool came later.
        let answered = |line: u64| self.live.iter().any(|message| message.line > line && !message.answers.is_empty());
        let is_told =
            |(prompt, said): &Request<'m>| told.iter().any(|(of, told)| of.line == prompt.line || told == said);
        let is_new = |request: &Request<'m>| !is_told(request) && !answered(request.0.line);
        let end = |said: &str| if said.starts_with(PASTED) { PROMPT_CHARS } else { 0 };
        let words = |label: &str, said: &str| format!("{label}: {}", ends(said, PROMPT_CHARS, end(said)));
        if let Some((_, said)) = last.filter(|last| told.len() < 2 && is_new(last)) {
            return Some(words("The user's last words", &said));
        }
        let (goal, _) = told.first()?;
        let behind = self.typed().take_while(|prompt| prompt.line > goal.line && !idle.contains(&prompt.line));
        let chosen = behind.filter(|prompt| asks::nothing(prompt) && prompt.text.split_whitespace().nth(2).is_some());
        let mut chosen = chosen.map(|prompt| (prompt, shown(prompt, false, self.redactor)));
        let then = chosen.find(|chosen| !chosen.1.is_empty() && !chosen.1.starts_with(PASTED) && is_new(chosen));
        then.map(|(_, said)| words("The user said then", &said))
    }

    /// Whether tools were used before a prompt, and behind it none but to read files.
    fn is_idle_since(&self, prompt: &Message) -> bool {
        let reads = |used: &Use<'_>| used.tool.action == Action::Other && used.file().is_some();
        let is_work = |used: &&Use<'_>| used.did_run() && !reads(used);
        self.used.iter().rfind(is_work).is_some_and(|used| used.message.line < prompt.line)
    }

    /// Whether the agent came to the end of the last turn, asks nothing, and does not only say what it does next.
    fn is_at_rest(&self) -> bool {
        let last = self.live.iter().rev().find(|message| message.role != Role::Tool && !message.marks.meta);
        let answers = |last: &&Message| {
            let said = last.text.trim();
            let goes_on = said.ends_with(['?', ':']) || says("announcing", &said.to_lowercase());
            last.role == Role::Assistant && last.tools.is_empty() && !goes_on
        };
        last.is_some_and(answers) && !self.end.interrupted && !self.end.failed && !self.end.calls_tool
    }

    /// Whether a prompt follows upon an edit that the user refused.
    fn is_about_refused(&self, prompt: &Message) -> bool {
        let mut before =
            self.live.iter().rev().filter(|message| message.line < prompt.line && message.role != Role::Tool);
        let before = before.next().map(|message| message.line);
        self.used.iter().any(|used| used.refused && used.tool.edits() && Some(used.message.line) == before)
    }

    /// Whether a prompt is one question that the agent answered last, without a change of a file or a promise.
    fn is_answered(&self, prompt: &Message) -> bool {
        let asked = prompt.text.trim();
        if !asked.ends_with('?') || asked.contains('\n') || asked.chars().nth(QUESTION_CHARS).is_some() {
            return false;
        }
        let is_last = !self.behind(prompt).any(Message::is_prompt);
        let changes =
            self.used.iter().any(|used| used.message.line > prompt.line && used.tool.edits() && !used.refused);
        let promises = |said: &str| ["I'll ", "I’ll ", "I will "].iter().any(|words| said.contains(words));
        let is_at_rest = self.behind(prompt).next().is_some_and(|last| last.tools.is_empty() && !promises(&last.text));
        is_last && !changes && is_at_rest
    }

    /// What was done, what of it is not, and how it ended.
    fn work(&self) -> Vec<String> {
        let mut points: Vec<String> =
            self.how_it_ended().into_iter().chain(self.ran_by_user()).chain(self.refusals()).collect();
        // What the user or a hook did not let run did nothing.
        let used = self.used.iter().copied().filter(|used| used.did_run() && !self.is_unseen(used));
        let used: Vec<Use<'_>> = used.collect();
        let list = open_items::todos(self.messages).map_or_else(Vec::new, |(list, _)| list);
        let unfinished = unfinished(&list, self.redactor);
        if list.is_empty() || list.iter().any(|todo| !todo.done) {
            points.extend(plan::point(self, &used, unfinished.is_some()));
        }
        points.extend(unfinished);
        let [changed, committed, seen] = files::last(&used, self.cwd, self.redactor);
        for (begin, names) in
            [(progress::CHANGED, changed), (progress::CHANGED_BEFORE, committed), ("Also at hand: ", seen)]
        {
            points.extend((!names.is_empty()).then(|| format!("{begin}{}", names.join(", "))));
        }
        points.extend(Ran::read(&used, ran::LOOKED_AT, self.end, self.cwd, self.redactor).points());
        points.extend(self.commits());
        let pull_request = self.end.pull_request.iter();
        points.extend(pull_request.map(|url| format!("Pull request: {}", self.redactor.shown(url))));
        let recap = self.end.recap.as_deref().map(|recap| own_words::own_recap(recap, self.heard, self.redactor));
        let recap = recap.filter(|recap| own_words::says_something(recap));
        let recap = recap.map(|recap| words(&self.redactor.shown(&recap), false));
        points.extend(recap.map(|recap| format!("Recap: {}", ends(&recap, RECAP.0, RECAP.1))));
        points
    }

    /// What the user ran after all that was said.
    fn ran_by_user(&self) -> Option<String> {
        let (command, result) = self.end.ran.as_ref()?;
        let command = text::cut(&text::one_line(&self.redactor.shown(command)), PROMPT_CHARS).into_owned();
        let how = match result {
            Some(CheckResult::Failed) => ": it failed",
            Some(CheckResult::Passed) => ": it passed",
            _ => "",
        };
        Some(format!("The user ran then: `{command}`{how}"))
    }

    /// The changes of files that the user refused, unless the file was changed after that in another way: that they did not
    /// happen is not said elsewhere.
    fn refusals(&self) -> Option<String> {
        let edits: Vec<&Use<'_>> = self.used.iter().filter(|used| used.tool.edits()).collect();
        let made_later = |at: usize| edits[at..].iter().any(|used| used.is_done() && used.file() == edits[at].file());
        let refused = (0..edits.len()).filter(|at| edits[*at].refused && !made_later(*at));
        let files = refused.filter_map(|at| edits[at].file());
        let names = files::names(files.map(str::to_owned).collect(), self.cwd, self.redactor);
        (!names.is_empty()).then(|| format!("Refused by the user: changes of {}", names.join(", ")))
    }

    /// In words whether the last turn came to its end; nothing where it did.
    fn how_it_ended(&self) -> Option<String> {
        let last = self.live.iter().rev().find(|message| message.role != Role::Tool && !message.marks.meta)?;
        let how = if self.end.interrupted {
            "the user interrupted the last turn"
        } else if last.role == Role::User {
            "the last words of the user were not answered"
        } else if !last.tools.is_empty() || self.end.calls_tool {
            "in the middle of a turn: the agent was still working"
        } else if last.text.trim_end().ends_with('?') {
            "with a question of the agent's, not answered"
        } else {
            return None;
        };
        Some(format!("Ended: {how}"))
    }

    /// Whether it is not known if a commit, or the last change of a file, was made: it has no result yet.
    fn is_unseen(&self, used: &Use<'_>) -> bool {
        let is_last = || self.used.last().is_some_and(|last| last.message.line == used.message.line);
        let changes = used.commits() || used.tool.edits() && is_last();
        changes && used.is_done() && !self.end.has_ended(&used.tool.id)
    }

    /// The titles of the commits that were made last, in their order, as they are at the end, and how many there are before
    /// them.
    fn commits(&self) -> Option<String> {
        let unseen = |line| self.used.iter().any(|used| used.message.line == line && self.is_unseen(used));
        let told = commits::told(self.messages);
        let told = told.iter().filter(|told| told.kind == TitledKind::Commit && !unseen(told.message.line));
        let commits = told.map(|told| told.title.as_str());
        // What another author worded is not told, but its commit is there: the one before it was not the last.
        let mut titles: Vec<&str> =
            commits.map(|title| if own_words::is_own(title, self.heard) { title } else { own_words::CUT }).collect();
        let last = titles.split_off(titles.len().saturating_sub(COMMITS));
        let shown = |title: &str| text::cut(&self.redactor.shown(title), TITLE_CHARS).into_owned();
        let shown: Vec<String> = last.iter().map(|title| shown(title)).collect();
        let more = match titles.len() {
            0 => String::new(),
            count => format!("{}{count} more)", progress::MORE_COMMITS),
        };
        let tells = last.iter().any(|title| *title != own_words::CUT);
        tells.then(|| format!("{}{}{more}", progress::COMMITS, shown.join("; ")))
    }
}

/// A point that lists something; none where there is nothing.
fn listed(label: &str, items: &[String], mark: &str) -> Option<String> {
    (!items.is_empty()).then(|| format!("{label}: {}", items.join(mark)))
}

/// What was said last, a line a message, the newest last; the oldest may be cut at its beginning. What was pasted
/// is not in it.
fn said(told: &[&Message], used: &[Use<'_>], redactor: &Redactor) -> Vec<String> {
    let mut left = SAID_CHARS;
    let mut lines = Vec::new();
    for message in told.iter().rev().filter(|message| message.is_conversation()).take(SAID) {
        if left < LEAST_CHARS {
            break;
        }
        let is_user = message.role == Role::User;
        let text = shown(message, true, redactor);
        let foreign = is_user && (text.starts_with(PASTED) || asks::is_terminal(&message.text));
        // What the agent said it would do next is done when it spoke again, or was refused.
        let is_within = |chars| text.chars().nth(chars).is_none();
        let announces = text.ends_with(':') && is_within(ANNOUNCED_CHARS)
            || is_within(STEP_CHARS) && says("announcing", &text.to_lowercase());
        let is_refused = || used.iter().any(|used| used.refused && used.message.line == message.line);
        let spoke_again = lines.iter().any(|line: &String| line.starts_with(AGENT));
        let is_past = !is_user && announces && (spoke_again || is_refused());
        // A plan that the user approved is told in a point of its own.
        if text.is_empty() || message.plan || is_past || foreign || is_user && asks::is_programs(&text) {
            continue;
        }
        let who = if is_user { USER } else { AGENT };
        let line = progress::end_of(&format!("{who}{text}"), left);
        // A client that resumes a session can write its last message again.
        if lines.contains(&line) {
            continue;
        }
        left = left.saturating_sub(line.chars().count() + 1);
        lines.push(line);
    }
    lines.reverse();
    lines
}

/// What a message says of its own on one line, masked; "" where that is nothing. A command is named before them.
fn shown(message: &Message, with_code: bool, redactor: &Redactor) -> String {
    let mut message = message.clone();
    message.show(redactor);
    if message.role == Role::User && !message.plan {
        message.text = around(&message.text).to_owned();
    }
    let said = words(&message.text, with_code);
    match message.command {
        _ if !own_words::says_something(&said) => String::new(),
        Some(name) => format!("/{name} {said}"),
        None => said,
    }
}

/// Of a prompt that begins with pasted words only the question behind them: what else is left is most often
/// theirs, too.
fn around(text: &str) -> &str {
    let Some((before, _)) = text.split_once(own_words::CUT) else { return text };
    if before.split_whitespace().nth(1).is_some() {
        return text;
    }
    let last = text.trim_end().lines().last().unwrap_or_default();
    let last = last.rsplit_once(own_words::CUT).map_or(last, |(_, behind)| behind);
    if last.ends_with('?') { last } else { "" }
}

/// Whether the last check of the work failed.
pub fn is_broken(messages: &[Message], end: &End, redactor: &Redactor) -> bool {
    let used: Vec<Use<'_>> = uses::of(messages).into_iter().filter(Use::did_run).collect();
    Ran::read(&used, ran::LOOKED_AT, end, Path::new(""), redactor).is_broken()
}

/// The lines of turns in which a prompt that asks nothing got a few words and no work: "works now, thanks".
fn idle_turns(live: &[&Message]) -> HashSet<u64> {
    let mut idle = HashSet::new();
    for turn in live.chunk_by(|_, next| !next.is_prompt()) {
        let Some((prompt, answers)) = turn.split_first().filter(|(first, _)| first.is_prompt()) else { continue };
        let said: usize = answers.iter().map(|message| message.text.chars().count()).sum();
        let worked = answers.iter().any(|message| !message.tools.is_empty());
        let short = prompt.text.chars().nth(IDLE_PROMPT_CHARS).is_none() && !prompt.text.contains('?');
        if (1..IDLE_CHARS).contains(&said) && !worked && short {
            idle.extend(turn.iter().map(|message| message.line));
        }
    }
    idle
}

/// Whether a person asked for something.
pub fn has_request(messages: &[Message]) -> bool {
    messages.iter().any(|message| message.is_prompt() && !message.marks.abandoned && !asks::nothing(message))
}

/// What of the agent's own list is not done.
fn unfinished(list: &[Todo], redactor: &Redactor) -> Option<String> {
    let done = list.iter().filter(|todo| todo.done).count();
    let left: Vec<String> = list
        .iter()
        .filter(|todo| !todo.done && !todo.text.is_empty() && !own_words::is_cut(&todo.text))
        .take(UNFINISHED)
        .map(|todo| ends(&words(&redactor.shown(&todo.text), false), POINT_CHARS, 0).into_owned())
        .collect();
    (!left.is_empty()).then(|| format!("Of its list {done} of {} are done, to do: {}", list.len(), left.join("; ")))
}

/// A text on one line: without headings' signs and bold ones, with code blocks or without, and with one
/// [`own_words::CUT`] in the place of several that follow each other.
fn words(text: &str, with_code: bool) -> String {
    let (mut code, mut before) = (false, 0);
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            (code, before) = (!code, 0);
        } else if code && with_code {
            lines.extend((before > 0).then_some(NEXT_LINE));
            lines.push(line.trim());
            before += 1;
        } else if !code {
            // In the client's prompt a backslash goes on with the next line.
            lines.push(line.trim().trim_start_matches('#').trim_end_matches('\\'));
        }
    }
    // Where a block is not closed it is not known what is code.
    let text = if code && !with_code { Cow::Borrowed(text) } else { Cow::Owned(lines.join(" ")) };
    let text = text.replace("**", "");
    let mut words: Vec<&str> = Vec::new();
    for word in text.split_whitespace() {
        // Behind another cut, or with a word between them that is a part of what was cut: "[…] Args: […]".
        let cut = words.iter().rev().take(LEFT_OVER + 1).position(|before| *before == own_words::CUT);
        match cut.filter(|_| word == own_words::CUT) {
            Some(behind) => words.truncate(words.len() - behind),
            None => words.push(word),
        }
    }
    words.join(" ")
}

/// The head and the end of a text, cut at blanks.
fn ends(text: &str, head: usize, tail: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= head + tail + 5 {
        return Cow::Borrowed(text);
    }
    let start = text::cut_at_blank(text, head).trim_end();
    if tail == 0 {
        return Cow::Owned(format!("{start} …"));
    }
    let end = progress::end_of(text, tail);
    Cow::Owned(format!("{start} {end}"))
}

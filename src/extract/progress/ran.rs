//! The commands that a session ran last: which of them check the work, how these ended, and what failed and did not
//! run well since. Where a session stands and its summary before a compaction are told from this one reading.

use super::{files, listed};
use crate::agent::transcript::End;
use crate::base::shell::{self, Behind};
use crate::base::text;
use crate::extract::checks::{self, CheckKind};
use crate::extract::reported_speech;
use crate::extract::uses::Use;
use crate::redact::Redactor;
use std::collections::HashSet;
use std::path::Path;

/// What is named, in which list, and how many of it and of the lists from there on: checks that passed, what failed, others.
const LABELS: [(&str, usize, usize); 5] = [
    ("Passed last", 0, 4),
    ("Passed before the last changes", 0, 4),
    ("Failed last", FAILED, 2),
    ("Ran last", 3, 7),
    ("Ran before the last changes", 3, 7),
];
const FAILED: usize = 2;
/// Command lines that are looked at to tell where a session stands.
pub const LOOKED_AT: usize = 30;
/// Characters of one.
const COMMAND_CHARS: usize = 50;

/// A part of a command line that ran.
pub struct RanCommand {
    /// Which tool use it was.
    pub at: usize,
    /// What is shown of it.
    words: String,
    /// The folder in which it ran, where that is known and another one than the session's.
    place: Option<String>,
    /// Its first words: commands of one kind are one.
    pub name: String,
    /// What it checks.
    pub kind: Option<CheckKind>,
    /// How it ended; None where it is not known.
    pub well: Option<bool>,
    /// Whether its end was seen; else it may still run, or was killed.
    end_seen: bool,
    /// Whether another part of its line can be what failed.
    one_of: bool,
    /// Whether it only handles files and processes, or is told elsewhere: `git commit`.
    is_handling: bool,
}

impl RanCommand {
    /// It in so many characters, and where it ran.
    pub fn shown(&self, chars: usize) -> String {
        let place = self.place.as_ref().map_or_else(String::new, |place| format!(" in {place}"));
        format!("`{}`{place}{}", text::cut(&self.words, chars), self.doubt())
    }

    /// It as it can be run again in the session's folder.
    pub fn line(&self, chars: usize) -> String {
        let place = self.place.as_ref().map_or_else(String::new, |place| format!("cd {place} && "));
        format!("`{}`{}", text::cut(&format!("{place}{}", self.words), chars), self.doubt())
    }

    /// What is told of it where another part of its line can be what failed.
    fn doubt(&self) -> &'static str {
        if self.one_of && self.well == Some(false) { " or what ran with it" } else { "" }
    }
}

/// What a session ran and changed.
pub struct Ran<'u> {
    /// The uses of its tools, but for those that were kept from running.
    pub used: &'u [Use<'u>],
    /// The last commands that say something, the newest first.
    pub commands: Vec<RanCommand>,
    /// The files of the work that were changed, each with the tool use that changed it.
    pub edits: Vec<(usize, &'u str)>,
    /// The tool uses of commands that change files, which they may not name.
    touched: Vec<usize>,
    /// The last tool use that made a commit.
    pub committed: Option<usize>,
}

impl<'u> Ran<'u> {
    /// Reads it, of the commands so many `lines`.
    pub fn read(used: &'u [Use<'u>], lines: usize, end: &End, cwd: &Path, redactor: &Redactor) -> Self {
        let places = || used.iter().enumerate();
        let last: Vec<(usize, &Use<'_>)> =
            places().rev().filter(|(_, used)| used.command().is_some()).take(lines).collect();
        let done = || places().filter(|(_, used)| used.is_done());
        // A plan of the client's, or a file for the moment, is nothing that a check reads.
        let is_of_work = |path: &str| !files::is_scratch(&files::with_slashes(path, &cwd.to_string_lossy()), cwd);
        let edits = done().filter(|(_, used)| used.tool.edits());
        let changes = |used: &Use<'_>| shell::commands(used.command().unwrap_or("")).iter().any(files::changes);
        Self {
            used,
            commands: last.iter().flat_map(|(at, used)| commands_of(*at, used, end, cwd, redactor)).collect(),
            edits: edits.filter_map(|(at, used)| Some((at, used.file().filter(|file| is_of_work(file))?))).collect(),
            touched: last.iter().filter(|(_, used)| used.is_done() && changes(used)).map(|(at, _)| *at).collect(),
            committed: done().filter(|(_, used)| used.commits()).map(|(at, _)| at).next_back(),
        }
    }

    /// The points about commands, the newest first, each kind once: checks that passed, behind the last change or before it,
    /// what failed and was not mended; the rest, also behind the last change or before it.
    pub fn points(&self) -> Vec<String> {
        let mut lists = LABELS.map(|(label, ..)| (label, Vec::new()));
        let mut names = HashSet::new();
        for ran in self.commands.iter().filter(|ran| !ran.is_handling) {
            let shown = ran.shown(COMMAND_CHARS);
            // Two can differ in what is not shown of them.
            if !names.insert(format!("{} {:?}", ran.name, ran.place)) || !names.insert(shown.clone()) {
                continue;
            }
            let is_changed = self.edits_since(ran).next().is_some();
            let is_old = usize::from(is_changed || self.touched.iter().any(|at| *at > ran.at));
            let at = match ran.well {
                Some(true) if ran.kind.is_some() => is_old,
                Some(false) if self.is_mended(ran) => continue,
                Some(false) => FAILED,
                _ => FAILED + 1 + is_old,
            };
            let (_, first, most) = LABELS[at];
            if lists[first..=at].iter().map(|(_, list)| list.len()).sum::<usize>() < most {
                let more = match at {
                    FAILED if is_changed => " (before the last changes)",
                    _ if !ran.end_seen => " (no end seen)",
                    _ => "",
                };
                lists[at].1.push(shown + more);
            }
        }
        lists.iter().filter_map(|(label, list)| listed(label, list, ", ")).collect()
    }

    /// The files that were changed behind a command.
    fn edits_since(&self, ran: &RanCommand) -> impl Iterator<Item = &str> {
        self.edits.iter().filter(|(at, _)| *at > ran.at).map(|(_, file)| *file)
    }

    /// Whether a failure is gone: the same was checked later and passed, or a file that it names was changed. What
    /// checks nothing matters only while nothing was done behind it.
    fn is_mended(&self, ran: &RanCommand) -> bool {
        let later = self.commands.iter().take_while(|later| later.at > ran.at);
        let mut passed = later.filter(|later| later.well == Some(true)).filter_map(|later| later.kind);
        let Use { tool, error, .. } = &self.used[ran.at];
        let is_named = |file: &str| {
            let name = file.rsplit('/').next().unwrap_or(file);
            tool.command().is_some_and(|line| line.contains(name)) || error.is_some_and(|error| error.contains(name))
        };
        match ran.kind {
            Some(kind) => passed.any(|passed| passed == kind) || self.edits_since(ran).any(is_named),
            None => passed.next().is_some() || self.edits_since(ran).next().is_some() || self.committed > Some(ran.at),
        }
    }

    /// Whether the last test or build with a known status failed.
    pub fn is_broken(&self) -> bool {
        self.commands.iter().filter(|ran| ran.kind.is_some()).find_map(|ran| ran.well) == Some(false)
    }
}

/// The commands of a tool's line that tell something, the last first. The line is masked before it is split: a key is
/// written by many commands, and a password can have the sign that ends one.
fn commands_of(at: usize, used: &Use<'_>, end: &End, cwd: &Path, redactor: &Redactor) -> Vec<RanCommand> {
    let line = redactor.shown(used.command().unwrap_or(""));
    let commands = shell::commands(&line);
    // What is behind `||` ran only if the other one failed; what reads a pipe only shows what another one gives, unless
    // it checks that.
    let is_told = |part: &usize| {
        let before = part.checked_sub(1).map_or(Behind::Other, |before| commands[before].behind);
        let reads = before == Behind::Pipe && checks::kind(&commands[*part]).is_none();
        let asks = checks::kind(&commands[*part]).is_none() && checks::only_asks(&commands[*part], "asking-machine");
        !commands[*part].torn && before != Behind::Or && !reads && !asks && checks::tells(&commands[*part])
    };
    let telling: Vec<usize> = (0..commands.len()).filter(is_told).collect();
    let Some(last) = telling.last().copied() else { return Vec::new() };
    // Without a result it may still run, or was killed. What a check printed says more than a status, which is of
    // the last command in the line; one that only looks says nothing of those before it.
    let check = end.check(&used.tool.id);
    let end_seen = used.error.is_some() || end.has_ended(&used.tool.id);
    let (well, judged) = match check {
        _ if used.error.is_some() && commands.last().is_some_and(checks::looks) => (None, last),
        _ if used.error.is_some() => (Some(false), last),
        // What is no check prints of failures for many reasons.
        Some(Some(said)) => (Some(said).filter(|said| *said || checks::kind(&commands[last]).is_some()), last),
        Some(None) => (Some(true), commands.len() - 1),
        None => (None, last),
    };
    let tied = checks::tied(&commands, judged);
    let ran = |part: usize| {
        let command = &commands[part];
        let words: Vec<String> = command.meant().iter().map(|word| checks::shown(word, &line, |_| true)).collect();
        // A program with nothing but quoted words says nothing: `bash …`.
        if words.len() > 1 && words.iter().skip(1).all(|word| word == "…") {
            return None;
        }
        let (kind, check) = checks::kind(command).unzip();
        // In another folder it would check something else.
        let place = files::place_of(&commands[..part], cwd).filter(|place| !place.is_empty() && !line.contains('('));
        let is_scratch = |path: &str| files::is_scratch(path, cwd);
        // What an option names is written, or only read.
        let meant = command.meant();
        let mut operands =
            (0..meant.len()).filter(|at| *at == 0 || kind.is_none() && !meant[at - 1].text.starts_with('-'));
        // What was tried in a folder for temporary files, or is there, is gone.
        if operands.any(|at| is_scratch(&meant[at].text)) || place.as_deref().is_some_and(is_scratch) {
            return None;
        }
        let place = place.map(|place| reported_speech::short_path(&files::told_path(&place, cwd)));
        // With another setting it would be another command.
        let settings = command.assignments.iter().map(|word| word.shown(&line, |_| true));
        Some(RanCommand {
            at,
            words: text::folded(&settings.chain(words.iter().cloned()).collect::<Vec<_>>().join(" ")),
            name: check.unwrap_or_else(|| checks::name(words.iter().map(String::as_str))),
            place,
            kind,
            well: well.filter(|well| if *well { tied[part] } else { part == last }),
            end_seen,
            one_of: telling.len() > 1,
            is_handling: meant.first().is_some_and(|program| checks::is_listed("handling", program.name())),
        })
    };
    telling.iter().rev().filter_map(|part| ran(*part)).collect()
}

//! The commands that a session ran last: which of them check the work, how these ended, and what failed and did not
//! run well since.

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
/// Command lines that are looked at.
const LOOKED_AT: usize = 30;
/// Characters of one.
const COMMAND_CHARS: usize = 50;

/// A part of a command line that ran.
struct RanCommand {
    /// What is shown of it.
    shown: String,
    /// Its first words: commands of one kind are one.
    name: String,
    /// What it checks.
    kind: Option<CheckKind>,
    /// How it ended; None where it is not known.
    well: Option<bool>,
    /// Whether another part of its line can be what failed.
    one_of: bool,
    /// It was tried in a folder for temporary files, or runs what is there: that is gone.
    is_gone: bool,
}

/// What came behind a command, seen from the end of the session.
#[derive(Default)]
struct Later<'t> {
    /// The names of files that were changed.
    changed: Vec<&'t str>,
    /// What was checked, and passed.
    passed: Vec<CheckKind>,
    /// Whether a command changed files that it may not name.
    touched: bool,
    /// Whether a file was changed, or something was committed.
    worked: bool,
}

impl Later<'_> {
    /// Whether a failure is gone: the same was checked later and passed, or a file that it names was changed. What
    /// checks nothing matters only while nothing was done behind it.
    fn mended(&self, ran: &RanCommand, line: &str, error: &str) -> bool {
        let named = || self.changed.iter().any(|name| line.contains(name) || error.contains(name));
        ran.kind.map_or(self.worked || !self.passed.is_empty(), |kind| self.passed.contains(&kind) || named())
    }
}

/// The points about commands, the newest first, each kind once: checks that passed, behind the last change or before it,
/// what failed and was not mended; the rest, also behind the last change or before it.
pub fn points(used: &[Use<'_>], end: &End, cwd: &Path, redactor: &Redactor) -> Vec<String> {
    let mut lists = LABELS.map(|(label, ..)| (label, Vec::new()));
    let (mut names, mut later, mut looked) = (HashSet::new(), Later::default(), 0);
    for used in used.iter().rev() {
        // A plan of the client's, or a file for the moment, is nothing that a check reads.
        let is_of_work = |path: &str| !files::is_scratch(&files::with_slashes(path, &cwd.to_string_lossy()), cwd);
        if used.tool.edits() && used.is_done() && used.file().is_none_or(is_of_work) {
            later.changed.extend(used.file().and_then(|file| file.rsplit('/').next()));
            later.worked = true;
        }
        let Some(line) = used.command().filter(|_| looked < LOOKED_AT) else { continue };
        looked += 1;
        let is_old = usize::from(later.touched || !later.changed.is_empty());
        let ran_here = parts_of(used, end, cwd, redactor);
        // Two can differ in what is not shown of them.
        let mut is_new = |ran: &&RanCommand| names.insert(ran.name.clone()) && names.insert(ran.shown.clone());
        for ran in ran_here.iter().filter(|ran| !ran.is_gone && is_new(ran)) {
            let at = match ran.well {
                Some(true) if ran.kind.is_some() => is_old,
                Some(false) if later.mended(ran, line, used.error.unwrap_or("")) => continue,
                Some(false) => FAILED,
                _ => FAILED + 1 + is_old,
            };
            let (_, first, most) = LABELS[at];
            if lists[first..=at].iter().map(|(_, list)| list.len()).sum::<usize>() < most {
                lists[at].1.push(ran.told(!later.changed.is_empty()));
            }
        }
        later.touched |= used.is_done() && shell::commands(line).iter().any(files::changes);
        later.worked |= used.is_done() && used.commits();
        later.passed.extend(ran_here.iter().filter(|ran| ran.well == Some(true)).filter_map(|ran| ran.kind));
    }
    lists.iter().filter_map(|(label, list)| listed(label, list, ", ")).collect()
}

impl RanCommand {
    /// What is told of it; `changed` says whether files were changed behind it.
    fn told(&self, changed: bool) -> String {
        let with = if self.one_of { " or what ran with it" } else { "" };
        let since = if changed { " (before the last changes)" } else { "" };
        if self.well == Some(false) { format!("{}{with}{since}", self.shown) } else { self.shown.clone() }
    }
}

/// Whether the last test or build with a known status failed.
pub fn is_broken(used: &[Use<'_>], end: &End, redactor: &Redactor) -> bool {
    let lines = used.iter().rev().filter(|used| !used.refused && used.command().is_some()).take(LOOKED_AT);
    let ran = lines.flat_map(|used| parts_of(used, end, Path::new(""), redactor));
    ran.filter(|ran| ran.kind.is_some()).find_map(|ran| ran.well) == Some(false)
}

/// The commands of a tool's line that tell something, the last first. The line is masked before it is split: a key is
/// written by many commands, and a password can have the sign that ends one.
fn parts_of(used: &Use<'_>, end: &End, cwd: &Path, redactor: &Redactor) -> Vec<RanCommand> {
    let line = redactor.shown(used.command().unwrap_or(""));
    let commands = shell::commands(&line);
    // What is behind `||` ran only if the other one failed; what reads a pipe only shows what another one gives, unless
    // it checks that.
    let is_told = |at: &usize| {
        let before = at.checked_sub(1).map_or(Behind::Other, |before| commands[before].behind);
        let reads = before == Behind::Pipe && checks::kind(&commands[*at]).is_none();
        !commands[*at].torn && before != Behind::Or && !reads && checks::tells(&commands[*at])
    };
    let telling: Vec<usize> = (0..commands.len()).filter(is_told).collect();
    let Some(last) = telling.last().copied() else { return Vec::new() };
    // Without a result it may still run, or was killed. What a check printed says more than a status, which is of
    // the last command in the line.
    let (well, judged) = match end.check(&used.tool.id) {
        _ if used.error.is_some() => (Some(false), last),
        Some(Some(said)) => (Some(said), last),
        Some(None) => (Some(true), commands.len() - 1),
        None => (None, last),
    };
    let tied = checks::tied(&commands, judged);
    let ran = |at: usize| {
        let words: Vec<String> = commands[at].meant().iter().map(|word| checks::shown(word, &line, |_| true)).collect();
        let well = well.filter(|well| if *well { tied[at] } else { at == last });
        // A program with nothing but quoted words says nothing: `bash …`.
        if words.len() > 1 && words.iter().skip(1).all(|word| word == "…") {
            return None;
        }
        let kind = checks::kind(&commands[at]).map(|(kind, _)| kind);
        // In another folder it would check something else.
        let place = files::place_of(&commands[..at], cwd).filter(|_| !line.contains('('));
        let is_scratch = |path: &str| files::is_scratch(path, cwd);
        // What an option names is written, or only read.
        let meant = commands[at].meant();
        let mut operands =
            (0..meant.len()).filter(|at| *at == 0 || kind.is_none() && !meant[at - 1].text.starts_with('-'));
        let is_gone = operands.any(|at| is_scratch(&meant[at].text)) || place.as_deref().is_some_and(is_scratch);
        // With another setting it would be another command.
        let settings = commands[at].assignments.iter().map(|word| word.shown(&line, |_| true));
        let shown = text::folded(&settings.chain(words.iter().cloned()).collect::<Vec<_>>().join(" "));
        let told = place.as_deref().filter(|place| !place.is_empty());
        let told = told.map_or_else(String::new, |place| format!(" in {}", reported_speech::short_path(place)));
        Some(RanCommand {
            kind,
            shown: format!("`{}`{told}", text::cut(&shown, COMMAND_CHARS)),
            name: format!("{} {told}", checks::name(words.iter().map(String::as_str))),
            well,
            one_of: telling.len() > 1,
            is_gone,
        })
    };
    telling.iter().rev().filter_map(|at| ran(*at)).collect()
}

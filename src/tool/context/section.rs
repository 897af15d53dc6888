//! The parts of what a session is told, and how they fit into so many characters: each within a
//! bound of its own, then whole parts dropped in a fixed order, then what is never dropped cut. Cuts
//! are at line ends, and what is missing is named with the place that has it.

use crate::agent::injected;
use crate::base::text;
use std::fmt::Write as _;

/// The characters of everything together: the client cuts at 10,000.
pub const ALL_CHARS: usize = 9000;
/// The least that a configured bound is taken for.
const LEAST_CHARS: usize = 1000;
/// The longest line, the longest first line of all, the longest last one.
const LINE_CHARS: usize = 400;
const HEAD_CHARS: usize = 300;
const FOOT_CHARS: usize = 200;
/// The least of a line that is worth its showing, and of the briefing that is worth its heading.
const LEAST_LINE: usize = 20;
const LEAST_BRIEFING: usize = 200;
/// What it takes to say that there is no room for the briefing.
const NO_BRIEFING: usize = 100;
/// The least of the history, and of the menu, that is worth its heading.
const LEAST_HISTORY: usize = 300;
const LEAST_MENU: usize = 200;
/// What is left of the menu before anything else goes for want of room.
const SHORT_MENU: usize = 600;

/// The parts in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// This session before its compaction.
    Own,
    /// Where the last session stood.
    Progress,
    Git,
    Project,
    LastSession,
    Handoff,
    Summary,
    /// Preferences, facts, and learnings that fit.
    Known,
    Briefing,
    Index,
    History,
    Episodes,
}

impl Part {
    /// What goes first when there is no room. Git, the handoff and what this very session did are cut.
    const DROPPED: [Self; 7] =
        [Self::Project, Self::Episodes, Self::Index, Self::History, Self::LastSession, Self::Known, Self::Summary];
    /// What is cut then.
    const CUT: [Self; 4] = [Self::Own, Self::Progress, Self::Handoff, Self::Git];

    /// What it is called, and its own bound in characters.
    fn traits(self) -> (&'static str, usize) {
        match self {
            Self::Own => ("this session before its compaction", 2600),
            Self::Progress => ("where the last session stood", 2000),
            Self::Git => ("git", 500),
            Self::Project => ("project", 400),
            Self::LastSession => ("last session", 400),
            Self::Handoff => ("handoff", 1600),
            Self::Summary => ("pre-compact summary", 1000),
            Self::Known => ("memories", 1000),
            Self::Briefing => ("briefing", ALL_CHARS),
            Self::Index => ("memory index", 1200),
            Self::Episodes => ("episodes menu", 3600),
            Self::History => ("recent history", 1600),
        }
    }
}

/// One part.
#[derive(Clone, Debug)]
pub struct Section {
    /// Which.
    pub part: Part,
    /// Its heading.
    pub title: String,
    /// Its lines, each made by [`injected::line`].
    pub lines: Vec<String>,
    /// The file or command that has all of it.
    pub source: String,
    /// What the user is told of it; "" for nothing.
    pub banner: String,
    /// Lines that were left out.
    pub left: usize,
}

impl Section {
    fn text(&self) -> String {
        let mut text = format!("## {}\n", self.title);
        let more = (self.left > 0).then(|| format!("- (left out: {} lines of {})", self.left, self.source));
        let lines = self.lines.iter().map(String::as_str);
        // Of the memory index it is the first lines that are missing.
        let (first, last) = if self.part == Part::Index { (more.as_deref(), None) } else { (None, more.as_deref()) };
        for line in first.into_iter().chain(lines).chain(last) {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    fn chars(&self) -> usize {
        count(&self.text())
    }

    /// Leaves lines out until the rest fits: the last ones, of the memory index the first.
    fn cut(&mut self, limit: usize) {
        let newest = self.part == Part::Index;
        let mut used = 0_usize;
        let mut fits = |line: &&String| {
            used += count(line) + 1;
            used <= limit
        };
        let all = self.lines.len();
        let kept = if newest {
            self.lines.iter().rev().take_while(&mut fits).count()
        } else {
            self.lines.iter().take_while(&mut fits).count()
        };
        // The last one that is there is itself cut.
        let gone = all.saturating_sub(kept.max(1));
        self.lines.drain(if newest { 0..gone } else { all.saturating_sub(gone)..all });
        self.left = self.left.saturating_add(gone);
        while self.chars() > limit && self.lines.len() > 1 {
            let at = if newest { 0 } else { self.lines.len().saturating_sub(1) };
            self.lines.remove(at);
            self.left += 1;
        }
        let over = self.chars().saturating_sub(limit);
        if over > 0
            && let Some(line) = self.lines.first_mut()
        {
            let room = count(line).saturating_sub(over).saturating_sub(1);
            if room < LEAST_LINE {
                self.lines.clear();
                self.left += 1;
            } else {
                *line = text::cut(line, room).into_owned();
            }
        }
    }
}

/// What a session is told: the parts that fit, in their order, behind one line that says what they are, and before
/// one that says where there is more.
#[derive(Clone, Debug)]
pub struct Fitted {
    head: String,
    foot: String,
    /// The parts.
    pub sections: Vec<Section>,
    dropped: Vec<(Part, String)>,
}

impl Fitted {
    /// Fits sections into `limit` characters, the briefing apart, and all into [`ALL_CHARS`].
    pub fn fit(head: &str, foot: &str, mut sections: Vec<Section>, limit: usize) -> Self {
        let limit = limit.clamp(LEAST_CHARS, ALL_CHARS);
        sections.sort_by_key(|section| section.part);
        for section in &mut sections {
            // Where a session stood has a bound of its own, and its last words are the longest line.
            for line in section.lines.iter_mut().filter(|_| !matches!(section.part, Part::Own | Part::Progress)) {
                *line = text::cut(line, LINE_CHARS).into_owned();
            }
            section.cut(section.part.traits().1);
        }
        let briefing = sections.iter().position(|section| section.part == Part::Briefing);
        let briefing = briefing.map(|at| sections.remove(at));
        let limit = if briefing.is_some() { limit.min(ALL_CHARS.saturating_sub(NO_BRIEFING)) } else { limit };
        let (head, foot) = (text::cut(head, HEAD_CHARS).into_owned(), text::cut(foot, FOOT_CHARS).into_owned());
        let mut fitted = Self { head, foot, sections, dropped: Vec::new() };
        let over = fitted.chars().saturating_sub(limit);
        if let Some(menu) = fitted.find(Part::Episodes).filter(|_| over > 0) {
            menu.cut(menu.chars().saturating_sub(over).max(SHORT_MENU));
        }
        for part in Part::DROPPED {
            let over = fitted.chars().saturating_sub(limit);
            if over == 0 {
                break;
            }
            let least = match part {
                Part::History => LEAST_HISTORY,
                Part::Episodes => LEAST_MENU,
                _ => usize::MAX,
            };
            match fitted.find(part).map(|section| (section.chars().saturating_sub(over), section)) {
                // Some of it is better than none.
                Some((room, section)) if room >= least => section.cut(room),
                _ => fitted.drop(part),
            }
        }
        fitted.share(limit);
        if let Some(mut briefing) = briefing {
            let room = ALL_CHARS.saturating_sub(fitted.chars()).saturating_sub(1);
            if room < LEAST_BRIEFING {
                fitted.dropped.push((Part::Briefing, briefing.source));
            } else {
                briefing.cut(room);
                fitted.sections.push(briefing);
                fitted.sections.sort_by_key(|section| section.part);
            }
        }
        fitted
    }

    /// Cuts what is never dropped: each gets the same room, and what one does not need the others get.
    fn share(&mut self, limit: usize) {
        let all = self.chars();
        let is_cut = |section: &&mut Section| Part::CUT.contains(&section.part);
        let mut cut: Vec<&mut Section> = self.sections.iter_mut().filter(is_cut).collect();
        cut.sort_by_key(|section| section.chars());
        let sizes = cut.iter().map(|section| section.chars()).fold(0_usize, usize::saturating_add);
        let mut room = limit.saturating_sub(all.saturating_sub(sizes));
        let mut left = cut.len();
        for section in cut {
            section.cut(room.checked_div(left).unwrap_or(room));
            room = room.saturating_sub(section.chars());
            left = left.saturating_sub(1);
        }
    }

    fn find(&mut self, part: Part) -> Option<&mut Section> {
        self.sections.iter_mut().find(|section| section.part == part)
    }

    fn drop(&mut self, part: Part) {
        if let Some(at) = self.sections.iter().position(|section| section.part == part) {
            let section = self.sections.remove(at);
            self.dropped.push((part, section.source));
        }
    }

    fn chars(&self) -> usize {
        count(&self.text())
    }

    /// The text.
    pub fn text(&self) -> String {
        let mut body = format!("{}\n", self.head);
        for section in &self.sections {
            let _ = write!(body, "\n{}", section.text());
        }
        if !self.dropped.is_empty() {
            let parts: Vec<String> =
                self.dropped.iter().map(|(part, source)| format!("{} ({source})", part.traits().0)).collect();
            let _ = writeln!(body, "\nLeft out for want of room: {}.", parts.join("; "));
        }
        if !self.foot.is_empty() {
            let _ = write!(body, "\n{}", self.foot);
        }
        injected::enclose(&body)
    }

    /// What the user is told: the parts that are there.
    pub fn banner(&self) -> Vec<&str> {
        self.sections.iter().map(|section| section.banner.as_str()).filter(|text| !text.is_empty()).collect()
    }

    /// The characters of each part.
    pub fn sizes(&self) -> Vec<(&'static str, usize)> {
        self.sections.iter().map(|section| (section.part.traits().0, section.chars())).collect()
    }
}

fn count(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(part: Part, lines: usize, width: usize) -> Section {
        let lines = (0..lines).map(|number| format!("- {number:03} {}", "ñ".repeat(width))).collect();
        let source = format!("{}.md", part.traits().0);
        Section { part, title: part.traits().0.to_owned(), lines, source, banner: String::new(), left: 0 }
    }

    fn all(width: usize) -> Vec<Section> {
        let parts = [Part::Briefing, Part::Git, Part::History, Part::Project, Part::LastSession, Part::Handoff];
        let parts = parts.into_iter().chain([Part::Summary, Part::Index, Part::Episodes, Part::Own, Part::Known]);
        parts.map(|part| section(part, 30, width)).collect()
    }

    #[test]
    fn every_limit_is_kept_and_what_went_is_said() {
        for (width, limit) in [0, 3, 40, 90, 390, 2000]
            .into_iter()
            .flat_map(|width| [0, 1000, 1001, 1377, 2200, 3000, 5000, 9000, 100_000].map(|limit| (width, limit)))
        {
            let fitted = Fitted::fit(&"notes ".repeat(35), &"more ".repeat(30), all(width), limit);
            let text = fitted.text();
            assert!(count(&text) <= ALL_CHARS, "{width} {limit}: {}", count(&text));
            let briefing = fitted.sections.iter().find(|section| section.part == Part::Briefing);
            let body = count(&text) - briefing.map_or(0, |section| section.chars() + 1);
            assert!(body <= limit.clamp(LEAST_CHARS, ALL_CHARS), "{width} {limit}: {body}");
            for part in all(0).iter().map(|section| section.part) {
                let there = fitted.sections.iter().find(|section| section.part == part);
                assert!(
                    there.is_some() || text.contains(&format!("{0} ({0}.md)", part.traits().0)),
                    "{width} {limit} {part:?}"
                );
                if let Some(section) = there {
                    assert_eq!(section.lines.len() + section.left, 30, "{width} {limit} {part:?}");
                }
            }
            for part in [Part::Git, Part::Handoff, Part::Own] {
                let kept = fitted.sections.iter().find(|section| section.part == part).unwrap();
                assert!(
                    limit < 1300 || kept.lines.first().is_some_and(|line| line.starts_with("- 000")),
                    "{width} {limit}: {kept:?}"
                );
            }
        }
    }

    #[test]
    fn parts_go_in_their_order() {
        let gone = |limit| {
            let fitted = Fitted::fit("Notes.", "", all(10), limit);
            fitted.dropped.iter().map(|(part, _)| *part).filter(|part| *part != Part::Briefing).collect::<Vec<_>>()
        };
        let mut before = 0;
        for limit in (1000..9000).rev().step_by(100) {
            let gone = gone(limit);
            assert_eq!(gone, Part::DROPPED[..gone.len()]);
            assert!(gone.len() >= before);
            before = gone.len();
        }
        assert_eq!(before, Part::DROPPED.len());
    }

    #[test]
    fn the_newest_lines_of_the_index_stay() {
        let mut index = section(Part::Index, 30, 60);
        index.cut(400);
        assert!(index.text().starts_with("## memory index\n- (left out: 25 lines of memory index.md)\n- 025"));
        assert!(index.lines.last().unwrap().starts_with("- 029"));
        assert!(index.chars() <= 400);
    }
}

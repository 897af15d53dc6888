//! The parts of what a session is told, and how they fit into so many characters: each within a
//! bound of its own, then whole parts dropped in a fixed order, then what is never dropped cut. Cuts
//! are at line ends, and what is missing is named with the place that has it.

use crate::{injected, text};
use std::fmt::Write as _;

/// The characters of everything together: the client cuts at 10,000.
pub const ALL_CHARS: usize = 9000;
/// The least that a configured bound is taken for.
const LEAST_CHARS: usize = 800;
/// The longest line.
const LINE_CHARS: usize = 400;
/// The least of a line that is worth its showing.
const LEAST_LINE: usize = 20;
/// The least of the briefing that is worth its heading.
const LEAST_BRIEFING: usize = 200;

/// The parts in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// This session before its compaction.
    Own,
    Git,
    Project,
    LastSession,
    Handoff,
    Summary,
    Briefing,
    Index,
    Episodes,
    History,
}

impl Part {
    /// What goes first when there is no room. Git, the handoff and what this very session did are cut.
    const DROPPED: [Self; 6] =
        [Self::History, Self::Episodes, Self::Index, Self::Project, Self::LastSession, Self::Summary];
    /// What is cut then, in this order.
    const CUT: [Self; 3] = [Self::Own, Self::Handoff, Self::Git];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "this session before its compaction",
            Self::Git => "git",
            Self::Project => "project",
            Self::LastSession => "last session",
            Self::Handoff => "handoff",
            Self::Summary => "pre-compact summary",
            Self::Briefing => "briefing",
            Self::Index => "memory index",
            Self::Episodes => "episodes menu",
            Self::History => "recent history",
        }
    }

    /// Its own bound, in characters.
    fn cap(self) -> usize {
        match self {
            Self::Git => 500,
            Self::Project | Self::LastSession => 400,
            Self::Handoff | Self::Summary | Self::History => 1600,
            Self::Own => 2000,
            Self::Index => 1200,
            Self::Episodes => 600,
            Self::Briefing => ALL_CHARS,
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
}

impl Section {
    fn text(&self) -> String {
        format!("## {}\n{}\n", self.title, self.lines.join("\n"))
    }

    fn chars(&self) -> usize {
        count(&self.text())
    }

    /// Keeps as many whole lines as fit, of the memory index the last ones, and at least one, itself cut
    /// where it must be.
    fn cut(&mut self, limit: usize) {
        for line in &mut self.lines {
            *line = text::cut(line, LINE_CHARS).into_owned();
        }
        if self.chars() <= limit {
            return;
        }
        let all = self.lines.len();
        let newest = self.part == Part::Index;
        let more = |left: usize| format!("- (left out: {left} lines of {})", self.source);
        let room = limit
            .saturating_sub(count(&self.title).saturating_add(5))
            .saturating_sub(count(&more(all)).saturating_add(1));
        let mut used = 0_usize;
        let mut fits = |line: &&String| {
            used = used.saturating_add(count(line).saturating_add(1));
            used <= room
        };
        let kept = if newest {
            self.lines.iter().rev().take_while(&mut fits).count()
        } else {
            self.lines.iter().take_while(&mut fits).count()
        };
        let left = all.saturating_sub(kept);
        let mut lines: Vec<String> =
            if newest { self.lines.split_off(left) } else { self.lines.drain(..kept).collect() };
        if lines.is_empty() && room >= LEAST_LINE {
            let whole = if newest { self.lines.last() } else { self.lines.first() };
            lines.extend(whole.map(|line| text::cut(line, room.saturating_sub(1)).into_owned()));
        }
        let more = more(all.saturating_sub(lines.len()));
        if newest {
            lines.insert(0, more);
        } else {
            lines.push(more);
        }
        self.lines = lines;
    }
}

/// What a session is told: the parts that fit, in their order, behind one line that says what they are.
#[derive(Clone, Debug)]
pub struct Page {
    head: String,
    /// The parts.
    pub sections: Vec<Section>,
    dropped: Vec<(Part, String)>,
}

impl Page {
    /// Fits sections into `limit` characters, the briefing apart, and all into [`ALL_CHARS`].
    pub fn fit(head: String, mut sections: Vec<Section>, limit: usize) -> Self {
        let limit = limit.clamp(LEAST_CHARS, ALL_CHARS);
        sections.sort_by_key(|section| section.part);
        for section in &mut sections {
            section.cut(section.part.cap());
        }
        let briefing = sections.iter().position(|section| section.part == Part::Briefing);
        let briefing = briefing.map(|at| sections.remove(at));
        let mut page = Self { head, sections, dropped: Vec::new() };
        for part in Part::DROPPED {
            if page.chars() <= limit {
                break;
            }
            page.drop(part);
        }
        for part in Part::CUT {
            let over = page.chars().saturating_sub(limit);
            if let Some(section) = page.sections.iter_mut().find(|section| section.part == part && over > 0) {
                section.cut(section.chars().saturating_sub(over));
            }
        }
        if let Some(mut briefing) = briefing {
            let room = ALL_CHARS.saturating_sub(page.chars()).saturating_sub(1);
            if room < LEAST_BRIEFING {
                page.dropped.push((Part::Briefing, briefing.source));
            } else {
                briefing.cut(room);
                page.sections.push(briefing);
                page.sections.sort_by_key(|section| section.part);
            }
        }
        page
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
                self.dropped.iter().map(|(part, source)| format!("{} ({source})", part.name())).collect();
            let _ = write!(body, "\nLeft out for want of room: {}.", parts.join("; "));
        }
        injected::enclose(&body)
    }

    /// The characters of each part.
    pub fn sizes(&self) -> Vec<(&'static str, usize)> {
        self.sections.iter().map(|section| (section.part.name(), section.chars())).collect()
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
        Section { part, title: part.name().to_owned(), lines, source: format!("{}.md", part.name()) }
    }

    fn all(width: usize) -> Vec<Section> {
        let parts = [Part::Briefing, Part::Git, Part::History, Part::Project, Part::LastSession, Part::Handoff];
        let parts = parts.into_iter().chain([Part::Summary, Part::Index, Part::Episodes]);
        parts.map(|part| section(part, 30, width)).collect()
    }

    #[test]
    fn every_limit_is_kept_and_what_went_is_said() {
        for width in [0, 3, 40, 90, 390, 2000] {
            for limit in [0, 500, 501, 777, 1200, 3000, 5000, 9000, 100_000] {
                let page = Page::fit("Notes.".to_owned(), all(width), limit);
                let text = page.text();
                assert!(count(&text) <= ALL_CHARS, "{width} {limit}: {}", count(&text));
                let briefing = page.sections.iter().find(|section| section.part == Part::Briefing);
                let body = count(&text) - briefing.map_or(0, |section| section.chars() + 1);
                let allowed = limit.clamp(LEAST_CHARS, ALL_CHARS);
                assert!(body <= allowed, "{width} {limit}: {body}");
                for part in all(0).iter().map(|section| section.part) {
                    let there = page.sections.iter().any(|section| section.part == part);
                    assert!(there || text.contains(&format!("{0} ({0}.md)", part.name())), "{width} {limit} {part:?}");
                }
                for part in [Part::Git, Part::Handoff] {
                    let kept = page.sections.iter().find(|section| section.part == part).unwrap();
                    assert!(kept.lines[0].starts_with("- 000") || allowed < 1200 && kept.lines.len() == 1, "{kept:?}");
                }
            }
        }
    }

    #[test]
    fn parts_go_in_their_order() {
        let gone = |limit| {
            let page = Page::fit("Notes.".to_owned(), all(10), limit);
            page.dropped.iter().map(|(part, _)| *part).filter(|part| *part != Part::Briefing).collect::<Vec<_>>()
        };
        let mut before = 0;
        for limit in (500..9000).rev().step_by(100) {
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
        assert_eq!(index.lines[0], "- (left out: 25 lines of memory index.md)");
        assert!(index.lines.last().unwrap().starts_with("- 029"));
        assert!(index.chars() <= 400);
    }
}

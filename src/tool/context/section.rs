//! The parts of what a session is told, and how they fit into so many characters. Shares come first, then what is
//! left goes to what was said last, until all of the limit is used. Cuts are at line ends, and what is missing is
//! named with the place that has it.

use crate::agent::injected;
use crate::base::text;
use crate::store::progress;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The characters of everything together: the client cuts at 10,000.
pub const ALL_CHARS: usize = 9000;
/// The least that a configured bound is taken for.
const LEAST_CHARS: usize = 1000;
/// The longest line, the longest first line of all, the longest last one.
const LINE_CHARS: usize = 400;
const HEAD_CHARS: usize = 300;
const FOOT_CHARS: usize = 200;
/// The least of a line that is worth its showing, of the briefing that is worth its heading, and of a part.
const LEAST_LINE: usize = 20;
const LEAST_BRIEFING: usize = 200;
const LEAST_PART: usize = 80;
/// What it takes to say that there is no room for the briefing.
const NO_BRIEFING: usize = 100;
/// The limit for which [`SHARES`] are.
const USUAL_CHARS: usize = 4000;
/// What the first part and what was said last have together before anything else has more, with what stands around
/// them: a reader who stops early has read it.
const FIRST_CHARS: usize = 1510;
/// So many characters more are told of a message there that would be cut, so that it stands in one place.
const WHOLE_CHARS: usize = 450;
/// The heading of what was said last, and of what was said before that, which comes last of all.
const SAID: &str = "Said last, quoted";
const SAID_BEFORE: &str = "Said before that";
/// The characters to which open items are shortened where not all of them fit.
const SHORTER: [usize; 5] = [240, 180, 130, 100, 80];

/// The parts in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// This session before its compaction.
    Own,
    /// Where the last session stood.
    Progress,
    /// What was said last in it.
    Said,
    Git,
    Handoff,
    Summary,
    /// Preferences, facts, and learnings that fit.
    Known,
    History,
    LastSession,
    Briefing,
    Index,
    Episodes,
    /// What was said before [`Part::Said`].
    Before,
}

/// Who gets how much, one after the other, while there is room: a part gets what it needs, so that it has so many
/// characters together with these other parts.
const SHARES: &[(Part, &[Part], usize)] = &[
    (Part::Git, &[], 400),
    (Part::Own, &[], 1200),
    (Part::Progress, &[], 1200),
    (Part::Said, &[Part::Own, Part::Progress], FIRST_CHARS),
    (Part::Handoff, &[], 700),
    (Part::Known, &[], 500),
    (Part::History, &[Part::Known], 1050),
    (Part::Known, &[Part::History], 1050),
    (Part::Before, &[Part::Own, Part::Progress, Part::Said], 2000),
    (Part::Handoff, &[], ALL_CHARS),
    (Part::Progress, &[], ALL_CHARS),
    (Part::Own, &[], ALL_CHARS),
    (Part::Summary, &[], 700),
    (Part::LastSession, &[], 400),
    (Part::Index, &[], 600),
    (Part::Episodes, &[], 400),
    (Part::Before, &[], ALL_CHARS),
    (Part::History, &[], ALL_CHARS),
    (Part::Known, &[], ALL_CHARS),
    (Part::Summary, &[], ALL_CHARS),
    (Part::Index, &[], ALL_CHARS),
    (Part::Episodes, &[], ALL_CHARS),
];
/// What is never left out.
const KEPT: [Part; 4] = [Part::Own, Part::Progress, Part::Git, Part::Handoff];

impl Part {
    /// What it is called.
    fn name(self) -> &'static str {
        match self {
            Self::Own => "this session before its compaction",
            Self::Progress => "where the last session stood",
            Self::Said => "said last",
            Self::Before => "said before",
            Self::Git => "git",
            Self::LastSession => "last session",
            Self::Handoff => "handoff",
            Self::Summary => "pre-compact summary",
            Self::Known => "memories",
            Self::Briefing => "briefing",
            Self::Index => "memory index",
            Self::Episodes => "episodes menu",
            Self::History => "recent history",
        }
    }

    /// Whether it is told how much is left out: of a choice there is always more.
    fn is_counted(self) -> bool {
        !matches!(self, Self::Said | Self::Before | Self::History)
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
        let more = self.left > 0 && self.part.is_counted();
        let more = more.then(|| format!("- (left out: {} lines of {})", self.left, self.source));
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

    /// Leaves lines out until the rest fits: the last ones, of the memory index the first. Open items are shortened
    /// first.
    fn cut(&mut self, limit: usize) {
        for chars in SHORTER.into_iter().filter(|_| self.part == Part::Handoff) {
            if self.chars() > limit {
                self.lines.iter_mut().for_each(|line| *line = shortened(line, chars));
            }
        }
        if self.chars() <= limit {
            return;
        }
        let mut lines = std::mem::take(&mut self.lines);
        let (all, left) = (lines.len(), self.left);
        if self.part == Part::Index {
            lines.reverse();
        }
        // What the heading leaves for lines, and what it takes to say how many are left out.
        self.left = left + all;
        let mut room = limit.saturating_sub(self.chars());
        let fits = |line: &&String| {
            let rest = room.checked_sub(count(line) + 1);
            room = rest.unwrap_or(room);
            rest.is_some()
        };
        let kept = lines.iter().take_while(fits).count();
        lines.truncate(kept.max(1));
        self.left = left + all - lines.len();
        // The last one that is there is itself cut.
        let room = limit.saturating_sub(self.chars() + 1);
        match lines.first_mut().filter(|_| kept == 0) {
            Some(line) if room < LEAST_LINE.min(count(line)) => {
                lines.clear();
                self.left += 1;
            }
            Some(line) => *line = text::cut(line, room).into_owned(),
            None => {}
        }
        if self.part == Part::Index {
            lines.reverse();
        }
        self.lines = lines;
    }
}

/// The room that lines of what was said last have, of which the first one that does not fit is told whole where little of it
/// is missing.
fn whole(lines: &[String], room: usize) -> usize {
    let mut all = count(SAID) + 5;
    for line in lines.iter().rev() {
        all += count(line) + 1;
        if all > room {
            break;
        }
    }
    if all <= room + WHOLE_CHARS { all.max(room) } else { room }
}

/// A line in so many characters, with the id that is its last word.
fn shortened(line: &str, chars: usize) -> String {
    let (said, id) = line.rsplit_once(" (").unwrap_or((line, ""));
    if id.is_empty() || count(line) <= chars {
        return text::cut(line, chars).into_owned();
    }
    format!("{} ({id}", text::cut(said, chars.saturating_sub(count(id) + 3)))
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
        let mut limit = limit.clamp(LEAST_CHARS, ALL_CHARS);
        sections.sort_by_key(|section| section.part);
        for section in &mut sections {
            // Where a session stood, and what was said in it, have long lines.
            if !matches!(section.part, Part::Own | Part::Progress | Part::Said) {
                section.lines.iter_mut().for_each(|line| *line = text::cut(line, LINE_CHARS).into_owned());
            }
        }
        let mut take = |part| {
            let at = sections.iter().position(|section| section.part == part);
            at.map(|at| sections.remove(at))
        };
        let (briefing, said) = (take(Part::Briefing), take(Part::Said));
        let said = said.map(|said| Section { title: SAID.to_owned(), ..said });
        if briefing.is_some() {
            limit = limit.min(ALL_CHARS.saturating_sub(NO_BRIEFING));
        }
        let (head, foot) = (text::cut(head, HEAD_CHARS).into_owned(), text::cut(foot, FOOT_CHARS).into_owned());
        let mut fitted = Self { head, foot, sections, dropped: Vec::new() };
        let shares = fitted.shares(said.as_ref(), limit);
        for (part, share) in &shares {
            fitted.limit(*part, share.saturating_sub(1));
        }
        fitted.say(said, shares.get(&Part::Said).copied().unwrap_or_default(), limit);
        // What had its share last is cut first, where what it takes to name what is missing has no room.
        for (part, ..) in SHARES.iter().rev() {
            let over = fitted.chars().saturating_sub(limit);
            let chars = fitted.find(*part).filter(|_| over > 0).map_or(0, |section| section.chars());
            if chars > 0 {
                fitted.limit(*part, chars.saturating_sub(over));
            }
        }
        fitted.brief(briefing);
        fitted
    }

    /// Cuts a part to so many characters; one of which too little would be left is left out.
    fn limit(&mut self, part: Part, chars: usize) {
        match self.find(part).filter(|section| section.chars() > chars) {
            Some(section) if chars >= LEAST_PART || KEPT.contains(&part) => section.cut(chars.max(LEAST_PART)),
            Some(_) => self.drop(part),
            None => {}
        }
    }

    /// How many characters each part gets, its blank line included.
    fn shares(&self, said: Option<&Section>, limit: usize) -> BTreeMap<Part, usize> {
        let frame = Self { sections: Vec::new(), ..self.clone() };
        let frame = frame.chars();
        let mut room = limit.saturating_sub(frame);
        let mut got: BTreeMap<Part, usize> = BTreeMap::new();
        for (part, with, share) in SHARES {
            let of = |part: &Part| got.get(part).copied().unwrap_or_default();
            let need = match part {
                Part::Said => said.map_or(0, |said| said.chars() + 1),
                Part::Before => said.map_or(0, Section::chars).saturating_sub(of(&Part::Said)),
                _ => {
                    self.sections.iter().find(|section| section.part == *part).map_or(0, |section| section.chars() + 1)
                }
            };
            let together: usize = with.iter().map(of).sum::<usize>() + if with.is_empty() { 0 } else { frame };
            let share = if *share < ALL_CHARS { share * limit / USUAL_CHARS } else { *share };
            let more = need.min(share.saturating_sub(together)).saturating_sub(of(part)).min(room);
            room -= more;
            *got.entry(*part).or_default() += more;
        }
        got
    }

    /// Adds what was said last: so many characters of it behind where the session stood, and what fits of the rest at
    /// the end.
    fn say(&mut self, said: Option<Section>, first: usize, limit: usize) {
        let Some(said) = said else { return };
        let add = |fitted: &mut Self, part, title: &str, lines: Vec<String>, room: usize| {
            let room = room.saturating_sub(count(title) + 5);
            let (rest, lines) = progress::split(lines, room);
            if !lines.is_empty() {
                let section = Section { part, title: title.to_owned(), lines, ..said.clone() };
                fitted.sections.push(section);
                fitted.sections.sort_by_key(|section| section.part);
            }
            rest
        };
        let left = limit.saturating_sub(self.chars());
        let mut rest = add(self, Part::Said, SAID, said.lines.clone(), whole(&said.lines, first).min(left));
        // Its end stands above it, in the other part.
        if let Some(begun) = rest.last_mut().filter(|line| !said.lines.contains(line)) {
            begun.push_str(" [its end is above]");
        }
        let room = limit.saturating_sub(self.chars());
        add(self, Part::Before, SAID_BEFORE, rest, room);
    }

    /// Adds the briefing, which has what the client takes besides.
    fn brief(&mut self, briefing: Option<Section>) {
        let Some(mut briefing) = briefing else { return };
        let room = ALL_CHARS.saturating_sub(self.chars()).saturating_sub(1);
        if room < LEAST_BRIEFING {
            self.dropped.push((Part::Briefing, briefing.source));
        } else {
            briefing.cut(room);
            self.sections.push(briefing);
            self.sections.sort_by_key(|section| section.part);
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
                self.dropped.iter().map(|(part, source)| format!("{} ({source})", part.name())).collect();
            let _ = writeln!(body, "\nLeft out for want of room: {}.", parts.join("; "));
        }
        // Where the files are matters to who looks for the rest.
        let is_whole = self.dropped.is_empty()
            && self.sections.iter().all(|section| section.left == 0 || !section.part.is_counted());
        if !self.foot.is_empty() && !is_whole {
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
        let source = format!("{}.md", part.name());
        Section { part, title: part.name().to_owned(), lines, source, banner: String::new(), left: 0 }
    }

    fn all(width: usize) -> Vec<Section> {
        let parts = [Part::Briefing, Part::Git, Part::History, Part::LastSession, Part::Handoff];
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
                    there.is_some() || text.contains(&format!("{0} ({0}.md)", part.name())),
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
    fn each_part_has_its_share_and_what_was_said_has_the_rest() {
        for limit in [2000, 4000, 8000] {
            let said = (0..200).map(|at| format!("> agent: number {at} of what was said there")).collect();
            let said = Section { lines: said, ..section(Part::Said, 0, 0) };
            let parts = [Part::Progress, Part::Handoff, Part::Known, Part::History].map(|part| section(part, 30, 60));
            let fitted = Fitted::fit("Notes.", "", parts.into_iter().chain([said]).collect(), limit);
            let all: std::collections::BTreeMap<Part, usize> =
                fitted.sections.iter().map(|section| (section.part, section.chars() + 1)).collect();
            let of = |parts: &[Part]| parts.iter().filter_map(|part| all.get(part)).sum::<usize>() * 4000 / limit;
            // Of whole lines one may not fit.
            let line = 75 * 4000 / limit;
            assert!(of(&[Part::Progress, Part::Said]) + line > 1450, "{limit}: {all:?}");
            assert!(of(&[Part::Progress, Part::Said, Part::Before]) + line > 1950, "{limit}: {all:?}");
            assert!(of(&[Part::Known, Part::History]) + 2 * line > 1000, "{limit}: {all:?}");
            assert!(of(&[Part::Handoff]) + line > 700, "{limit}: {all:?}");
            assert!((limit - 60..=limit).contains(&fitted.chars()), "{limit}: {}", fitted.chars());
        }
    }

    #[test]
    fn open_items_are_shortened_before_one_is_left_out() {
        let mut open = section(Part::Handoff, 6, 150);
        open.lines.iter_mut().for_each(|line| line.push_str(" (2be5cd)"));
        open.cut(700);
        assert!(open.lines.len() == 6 && open.lines.iter().all(|line| line.ends_with("… (2be5cd)")), "{open:?}");
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

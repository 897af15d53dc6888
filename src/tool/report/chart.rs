//! The two drawings, as SVG in the page: sessions by project and day, and what the model cost by day. What they show is in
//! the tables of the page, too.

use super::html::Html;
use super::material::ReportedSession;
use crate::base::clock;
use crate::store::ledger::Spent;
use jiff::civil::Date;
use jiff::{Span, Timestamp};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The most columns of a drawing, and the most rows: of more projects, those with the fewest sessions have none.
const COLUMNS: usize = 60;
const ROWS: usize = 20;
/// Sessions before so many seconds are not drawn: one of a wrong clock would leave no room for the others.
const SPAN_SECONDS: i64 = 2 * 365 * 86_400;
/// Characters of a project's name.
const NAME: usize = 20;
/// In pixels: the room of the names, of a column, of a row, of the bars and above them. The names are at the right,
/// beside the newest days, which a narrow window shows first.
const NAMES: usize = 140;
const WIDE: usize = 13;
const HIGH: usize = 26;
const BARS: usize = 120;
const ABOVE: usize = 16;
/// Columns between two days that are named.
const NAMED: usize = 10;

/// The days of a drawing, so many in each column.
struct Axis {
    first: Date,
    per: usize,
    columns: usize,
}

impl Axis {
    /// One for the days of what is drawn; none where nothing is.
    fn new<T>(drawn: &[(Date, T)]) -> Option<Self> {
        let days = || drawn.iter().map(|(day, _)| *day);
        let (first, last) = (days().min()?, days().max()?);
        let count = days_between(first, last) + 1;
        let per = count.div_ceil(COLUMNS);
        Some(Self { first, per, columns: count.div_ceil(per) })
    }

    fn column(&self, day: Date) -> usize {
        days_between(self.first, day) / self.per
    }

    /// The days of a column in words.
    fn days(&self, column: usize) -> String {
        // All of them are between days that there are.
        let days = i64::try_from(column * self.per).unwrap_or(0);
        let day = self.first.checked_add(Span::new().days(days)).unwrap_or(self.first);
        if self.per == 1 { day.to_string() } else { format!("{} days from {day}", self.per) }
    }

    /// Where the names are.
    fn end(&self) -> usize {
        self.columns.max(NAMED) * WIDE + 10
    }

    /// The lines and names of some days, below what is drawn.
    fn marks(&self, height: usize) -> String {
        let mut out = String::new();
        for column in (0..self.columns).step_by(NAMED) {
            let (x, y, day) = (column * WIDE, height + 16, self.days(column));
            let day = day.rsplit(' ').next().unwrap_or(&day);
            let _ = write!(out, "<path d=\"M{x} 0V{height}\"/><text x=\"{x}\" y=\"{y}\">{day}</text>");
        }
        out
    }

    /// A drawing of this height with its title and what it shows in words.
    fn svg(&self, id: &str, height: usize, (title, says): (&str, &str), body: &str) -> String {
        let (width, marks) = (self.end() + NAMES, self.marks(height));
        let all = height + 24;
        format!(
            "<div class=\"scroll chart\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\"><svg role=\"img\" aria-labelledby=\"{id}-t {id}-d\" width=\"{width}\" height=\"{all}\" viewBox=\"0 0 {width} {all}\"><title id=\"{id}-t\">{title}</title><desc id=\"{id}-d\">{says}</desc>{marks}{body}</svg></div>\n"
        )
    }
}

/// The days from one to a later one.
fn days_between(first: Date, last: Date) -> usize {
    first.until(last).map_or(0, |span| usize::try_from(span.get_days()).unwrap_or(0))
}

/// A number of a drawing: all are small.
fn float(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// A circle for each project and day, the larger the more sessions began there; "" where there is none.
pub fn timeline(sessions: &[ReportedSession], now: Timestamp, html: &Html<'_>) -> String {
    let (from, to) = (clock::after(now, -SPAN_SECONDS), clock::after(now, 86_400));
    let drawn = sessions.iter().filter_map(|one| {
        let time = one.time.filter(|time| (from..to).contains(time))?;
        Some((clock::local_day(time).parse().ok()?, one.project.as_str()))
    });
    let drawn: Vec<(Date, &str)> = drawn.collect();
    let Some(axis) = Axis::new(&drawn) else { return String::new() };
    let mut by_project: BTreeMap<&str, BTreeMap<usize, usize>> = BTreeMap::new();
    for (day, project) in &drawn {
        *by_project.entry(project).or_default().entry(axis.column(*day)).or_default() += 1;
    }
    let mut rows: Vec<(String, BTreeMap<usize, usize>)> =
        by_project.into_iter().map(|(name, days)| (html.text(name, NAME), days)).collect();
    let says = format!("{} sessions of {} projects. The table of sessions has each of them.", drawn.len(), rows.len());
    rows.sort_by_key(|(_, days)| Reverse(days.values().sum::<usize>()));
    rows.truncate(ROWS);
    let (mut body, end) = (String::new(), axis.end());
    for (at, (name, days)) in rows.iter().enumerate() {
        let y = at * HIGH + HIGH / 2;
        let _ = write!(body, "<text x=\"{end}\" y=\"{}\">{name}</text>", y + 4);
        for (column, count) in days {
            let (x, r) = (column * WIDE + WIDE / 2, (3.0 + 1.5 * float(*count).sqrt()).min(12.0));
            let (days, s) = (axis.days(*column), if *count == 1 { "" } else { "s" });
            let _ = write!(
                body,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r:.1}\"><title>{name}, {days}: {count} session{s}</title></circle>"
            );
        }
    }
    axis.svg("timeline", rows.len() * HIGH, ("Sessions by project and day", &says), &body)
}

/// A bar for each of the last days, beside the budget of a day; "" where no call was made.
pub fn costs(days: &BTreeMap<String, Spent>, budget: f64) -> String {
    let mut all: Vec<(Date, &Spent)> = days.iter().filter_map(|(day, sum)| Some((day.parse().ok()?, sum))).collect();
    let last = all.iter().map(|(day, _)| *day).max();
    all.retain(|(day, _)| last.is_some_and(|last| days_between(*day, last) < COLUMNS));
    let Some(axis) = Axis::new(&all) else { return String::new() };
    let most = all.iter().map(|(_, sum)| sum.usd).fold(0.0, f64::max);
    // A bar that is far below the budget would not be seen beside it.
    let top = if most * 10.0 < budget { most } else { most.max(budget) };
    let top = if top > 0.0 { top } else { 1.0 };
    let y = |usd: f64| float(ABOVE + BARS) - usd / top * float(BARS);
    let end = axis.end();
    let mut body = format!("<text x=\"{end}\" y=\"{}\">0</text>", ABOVE + BARS);
    // Where two lines would be too near each other, the budget's is told.
    if (top - budget).abs() > top / 8.0 {
        let _ = write!(body, "<text x=\"{end}\" y=\"{}\">{top:.2} USD</text>", ABOVE + 4);
    }
    for (day, sum) in &all {
        let (x, at, wide) = (axis.column(*day) * WIDE + 2, y(sum.usd), WIDE - 4);
        let (over, high) = (if sum.usd > budget { " class=\"over\"" } else { "" }, float(ABOVE + BARS) - at);
        let _ = write!(
            body,
            "<rect{over} x=\"{x}\" y=\"{at:.1}\" width=\"{wide}\" height=\"{high:.1}\"><title>{day}: {:.2} USD, calls: {}</title></rect>",
            sum.usd, sum.calls
        );
    }
    if budget <= top {
        let at = y(budget);
        let _ = write!(body, "<path class=\"budget\" d=\"M0 {at:.1}H{}\"/>", end - 6);
        let _ = write!(body, "<text x=\"{end}\" y=\"{:.1}\">budget {budget:.2} USD</text>", at + 4.0);
    }
    let says =
        format!("The most of a day is {most:.2} USD, the budget of a day {budget:.2} USD. The table has each day.");
    axis.svg("costs", ABOVE + BARS, ("Cost of model calls by day", &says), &body)
}

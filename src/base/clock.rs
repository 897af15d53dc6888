//! The only place that reads the time. `LH_NOW` (RFC 3339) fixes the wall clock.

use crate::base::env;
use jiff::{Timestamp, tz::TimeZone};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

/// The largest file of a zone, in bytes; those that systems have are below 4 KiB.
const ZONE_BYTES: u64 = 1 << 20;

/// Wall-clock time: `LH_NOW` when it holds one, else the system's.
pub fn now() -> Timestamp {
    env::fixed_time().and_then(|text| parse(&text)).unwrap_or_else(Timestamp::now)
}

/// The clock that only goes forward, for waiting on processes.
pub fn monotonic() -> Instant {
    Instant::now()
}

/// Sleeps; the time is a real one even when `LH_NOW` is set.
pub fn sleep(duration: Duration) {
    std::thread::sleep(duration);
}

/// An RFC 3339 time with an offset, or none: its years have four digits and no sign.
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.starts_with(['-', '+']) { None } else { text.parse().ok() }
}

/// A file's time as a timestamp; none where the system's time does not fit.
pub fn from_system(time: SystemTime) -> Option<Timestamp> {
    Timestamp::try_from(time).ok()
}

/// `2026-04-13T18:32:45-03:00`: RFC 3339 in the local zone, whole seconds.
pub fn local(time: Timestamp) -> String {
    time.to_zoned(zone()).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// The local minute, `2026-04-13 18:32`.
pub fn local_minute(time: Timestamp) -> String {
    time.to_zoned(zone()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// The local day, `2026-04-13`.
pub fn local_day(time: Timestamp) -> String {
    time.to_zoned(zone()).strftime("%Y-%m-%d").to_string()
}

/// Midnight at the end of the local day of `time`; 24 hours on where the calendar has none.
pub fn next_midnight(time: Timestamp) -> Timestamp {
    let tomorrow = time.to_zoned(zone()).tomorrow().and_then(|day| day.start_of_day());
    tomorrow.map_or_else(|_| after(time, 86_400), |day| day.timestamp())
}

/// `time` and `seconds` more.
pub fn after(time: Timestamp, seconds: i64) -> Timestamp {
    time.checked_add(jiff::SignedDuration::from_secs(seconds)).unwrap_or(time)
}

/// Whole seconds from `from` to `to`; negative when `to` is the earlier.
pub fn seconds_between(from: Timestamp, to: Timestamp) -> i64 {
    to.duration_since(from).as_secs()
}

/// The local zone, looked up once: what `TZ` names, else that of /etc/localtime, else UTC. Not
/// `TimeZone::system()`, which walks the whole zone database (0.6 ms).
fn zone() -> TimeZone {
    ZONE.get_or_init(|| match env::zone_name() {
        None => zone_file(Path::new("/etc/localtime")).ok_or(None),
        Some(name) => zone_of(&name).ok_or(Some(name)),
    })
    .clone()
    .unwrap_or(TimeZone::UTC)
}

/// The zone, or the name in `TZ` that names none.
static ZONE: OnceLock<Result<TimeZone, Option<String>>> = OnceLock::new();

/// What is wrong with `TZ`, when a local time was wanted and it names no zone.
pub fn unknown_zone() -> Option<String> {
    let name = ZONE.get()?.as_ref().err()?.as_ref()?;
    let what = "neither a zone in /usr/share/zoneinfo nor a rule such as BRT3: UTC is taken; correct or unset it";
    Some(format!("TZ '{name}': {what}"))
}

/// The zone of a value of `TZ`: as in the C library, a colon before it counts for nothing, and it is a
/// file's name, below /usr/share/zoneinfo where it is not absolute, else a POSIX rule. Empty is UTC.
fn zone_of(name: &str) -> Option<TimeZone> {
    let name = name.strip_prefix(':').unwrap_or(name);
    if matches!(name, "" | "UTC" | "UTC0") {
        return Some(TimeZone::UTC);
    }
    let rule = || TimeZone::posix(name).ok();
    // A rule with a summer time and no days has those of the United States.
    let without_days = || TimeZone::posix(&format!("{name},M3.2.0,M11.1.0")).ok();
    zone_file(&Path::new("/usr/share/zoneinfo").join(name)).or_else(rule).or_else(without_days)
}

/// The zone in a file; none when it is not a zone's, not a regular file, or larger than any zone's.
fn zone_file(path: &Path) -> Option<TimeZone> {
    let data = path.metadata().ok().filter(|data| data.is_file() && data.len() <= ZONE_BYTES)?;
    let mut bytes = Vec::with_capacity(usize::try_from(data.len()).unwrap_or_default());
    File::open(path).ok()?.take(ZONE_BYTES).read_to_end(&mut bytes).ok()?;
    TimeZone::tzif("local", &bytes).ok()
}

/// A point in time as a person writes it, the one reader for all tools: RFC 3339; without a zone a local
/// time, or a local day, which means its first moment; `today` and `yesterday`; `7d` or `12h` before now.
pub fn point(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let today = || now().to_zoned(zone()).start_of_day().ok();
    let ago = |count: &str, seconds: i64| {
        let count = Some(count).filter(|count| count.bytes().all(|byte| byte.is_ascii_digit()))?;
        let seconds = count.parse::<i64>().ok()?.checked_mul(seconds)?;
        now().checked_sub(jiff::SignedDuration::from_secs(seconds)).ok()
    };
    match text {
        "today" => today().map(|day| day.timestamp()),
        "yesterday" => today()?.yesterday().ok()?.start_of_day().ok().map(|day| day.timestamp()),
        _ if text.starts_with(['-', '+']) => None,
        _ => match (text.strip_suffix('d'), text.strip_suffix('h')) {
            (Some(days), _) => ago(days, 86_400),
            (_, Some(hours)) => ago(hours, 3600),
            _ => parse(text).or_else(|| {
                let local: jiff::civil::DateTime = text.parse().ok()?;
                local.to_zoned(zone()).ok().map(|local| local.timestamp())
            }),
        },
    }
}

/// The first moment of a local day, `2026-04-13`.
pub fn start_of_day(day: &str) -> Option<Timestamp> {
    let day: jiff::civil::Date = day.trim().parse().ok()?;
    day.to_zoned(zone()).ok().map(|start| start.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_an_offset_and_no_sign() {
        assert_eq!(parse(" 2026-04-13T18:32:45-03:00 "), parse("2026-04-13T21:32:45Z"));
        for text in ["2026-04-13T18:32:45", "2026-04-13", "+2026-04-13T18:32:45Z", "-2026-04-13T18:32:45Z", "", "7d"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    /// The names that are zones are in `tests/kinds_records.rs`.
    #[test]
    fn what_is_no_zone_is_none() {
        assert!(["Nowhere/Land", "/dev/zero", "/"].iter().all(|name| zone_of(name).is_none()));
    }

    #[test]
    fn days_end_at_midnight_and_seconds_have_a_sign() {
        let (early, late) = (parse("2026-04-13T10:00:00Z").unwrap(), parse("2026-04-14T10:00:01Z").unwrap());
        assert_eq!((seconds_between(early, late), seconds_between(late, early)), (86_401, -86_401));
        assert_eq!(after(early, 86_401), late);
        assert_eq!(start_of_day(&local_day(next_midnight(early))), Some(next_midnight(early)));
        assert_eq!(after(Timestamp::MAX, 1), Timestamp::MAX);
    }
}

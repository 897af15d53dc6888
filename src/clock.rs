//! The only place that reads the time. `LH_NOW` (RFC 3339) fixes the wall clock.

use crate::place;
use jiff::{Timestamp, tz::TimeZone};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// The largest file of a zone, in bytes; those that systems have are below 4 KiB.
const ZONE_BYTES: u64 = 1 << 20;

/// Wall-clock time: `LH_NOW` when it holds one, else the system's.
pub fn now() -> Timestamp {
    place::fixed_time().and_then(|text| parse(&text)).unwrap_or_else(Timestamp::now)
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

/// The local zone from `TZ` or /etc/localtime. Not `TimeZone::system()`, which walks the whole
/// zone database (0.6 ms).
fn zone() -> TimeZone {
    let name = place::zone_name();
    let file = match name.as_deref() {
        Some("" | "UTC" | "UTC0") => return TimeZone::UTC,
        Some(name) if name.starts_with('/') || name.starts_with(':') => name.trim_start_matches(':').to_owned(),
        Some(name) => format!("/usr/share/zoneinfo/{name}"),
        None => "/etc/localtime".to_owned(),
    };
    let from_file = zone_file(Path::new(&file)).and_then(|bytes| TimeZone::tzif("local", &bytes).ok());
    let from_rule = || TimeZone::posix(name.as_deref().unwrap_or_default()).ok();
    from_file.or_else(from_rule).unwrap_or(TimeZone::UTC)
}

/// A zone's file; none when it is not a regular file, or larger than any zone's.
fn zone_file(path: &Path) -> Option<Vec<u8>> {
    let data = path.metadata().ok().filter(|data| data.is_file() && data.len() <= ZONE_BYTES)?;
    let mut bytes = Vec::with_capacity(usize::try_from(data.len()).unwrap_or_default());
    File::open(path).ok()?.take(ZONE_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The first moment of a local day, `2026-04-13`.
pub fn start_of_day(day: &str) -> Option<Timestamp> {
    let day: jiff::civil::Date = day.trim().parse().ok()?;
    day.to_zoned(zone()).ok().map(|start| start.timestamp())
}

//! Offsets and names of time zones.

use jiff::Zoned;

/// `+05:30`, or without the `:`.
pub(super) fn offset(at: &Zoned, between: &str) -> String {
    let (sign, hours, minutes) = offset_parts(at);
    format!("{sign}{hours:02}{between}{minutes:02}")
}

/// `+5:30`, `+1`.
pub(super) fn narrow_offset(at: &Zoned) -> String {
    let (sign, hours, minutes) = offset_parts(at);
    if minutes > 0 { format!("{sign}{hours}:{minutes}") } else { format!("{sign}{hours}") }
}

fn offset_parts(at: &Zoned) -> (char, i32, i32) {
    let minutes = at.offset().seconds() / 60;
    (if minutes < 0 { '-' } else { '+' }, minutes.abs() / 60, minutes.abs() % 60)
}

/// `Europe/Berlin`, or `UTC+1` for an offset that was written with a time.
pub(super) fn zone(at: &Zoned) -> String {
    match at.time_zone().iana_name() {
        Some(name) => name.to_owned(),
        None => fixed(at),
    }
}

fn fixed(at: &Zoned) -> String {
    if at.offset().is_zero() { "UTC".to_owned() } else { format!("UTC{}", narrow_offset(at)) }
}

/// What a zone is called; one that is only an offset has no other name.
pub(super) fn name(at: &Zoned, named: fn(&Zoned) -> String) -> String {
    if at.time_zone().iana_name().is_some_and(|name| name != "UTC") { named(at) } else { fixed(at) }
}

/// The zones of the United States have short names in English, the others are said by their offset.
pub(super) fn short_name(at: &Zoned) -> String {
    match (abbreviation(at), at.offset().is_zero()) {
        (Some(("UTC", _)), _) => "UTC".to_owned(),
        (Some((short, _)), _) => short.to_owned(),
        (None, true) => "GMT".to_owned(),
        (None, false) => format!("GMT{}", narrow_offset_with_zero(at)),
    }
}

/// The name in words where it is known here; else the offset, as for a zone without a name.
pub(super) fn long_name(at: &Zoned) -> String {
    match abbreviation(at) {
        Some((_, long)) => long.to_owned(),
        None if at.offset().is_zero() => "GMT".to_owned(),
        None => format!("GMT{}", offset(at, ":")),
    }
}

fn narrow_offset_with_zero(at: &Zoned) -> String {
    let (sign, hours, minutes) = offset_parts(at);
    if minutes > 0 { format!("{sign}{hours}:{minutes:02}") } else { format!("{sign}{hours}") }
}

const NAMES: &[(&str, &str)] = &[
    ("UTC", "Coordinated Universal Time"),
    ("EST", "Eastern Standard Time"),
    ("EDT", "Eastern Daylight Time"),
    ("CST", "Central Standard Time"),
    ("CDT", "Central Daylight Time"),
    ("MST", "Mountain Standard Time"),
    ("MDT", "Mountain Daylight Time"),
    ("PST", "Pacific Standard Time"),
    ("PDT", "Pacific Daylight Time"),
    ("AKST", "Alaska Standard Time"),
    ("AKDT", "Alaska Daylight Time"),
    ("HST", "Hawaii-Aleutian Standard Time"),
    ("HDT", "Hawaii-Aleutian Daylight Time"),
];

fn abbreviation(at: &Zoned) -> Option<(&'static str, &'static str)> {
    let zone = at.time_zone().iana_name()?;
    let american = ["America/", "US/", "Pacific/Honolulu"].iter().any(|start| zone.starts_with(start));
    let utc = matches!(zone, "UTC" | "Etc/UTC");
    if !american && !utc {
        return None;
    }
    let info = at.time_zone().to_offset_info(at.timestamp());
    NAMES.iter().copied().find(|(short, _)| *short == info.abbreviation())
}

/// The time that stands beside a zone's name. There are names only for offsets of whole hours; the others are shown in Greenwich.
pub(super) fn shown_with_name(at: &Zoned) -> Zoned {
    let hours = at.offset().seconds() % 3600 == 0 && (-12..=14).contains(&(at.offset().seconds() / 3600));
    if at.time_zone().iana_name().is_some() || (hours && !at.offset().is_zero()) { at.clone() } else { super::utc(at) }
}

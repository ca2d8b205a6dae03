//! What moment says, case by case; thousands more are compared with moment itself by `tests/differential`.

use jiff::Zoned;
use jiff::civil::date;
use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::*;

fn zoned(text: &str) -> Zoned {
    text.parse::<jiff::civil::DateTime>().unwrap().to_zoned(TimeZone::UTC).unwrap()
}

fn at() -> Zoned {
    zoned("2026-01-04T09:05:07")
}

fn read(text: &str, format: &str, locale: &str) -> Option<String> {
    let read = parse_strict(text, format, Locale::find(locale).unwrap(), &at());
    read.map(|at| at.strftime("%Y-%m-%dT%H:%M:%S").to_string())
}

#[test]
fn vectors_hold() {
    let vectors: serde_json::Value = serde_json::from_str(include_str!("../../../markdown/tests/vectors.json")).unwrap();
    let moments: Vec<_> = vectors["vectors"].as_array().unwrap().iter().filter(|vector| vector["category"] == "moment").collect();
    assert!(!moments.is_empty());
    for vector in moments {
        let input = |name: &str| vector["input"][name].as_str().unwrap();
        let text = format(&zoned(input("at")), input("format"), Locale::find(input("locale")).unwrap());
        assert_eq!(text, vector["expected"].as_str().unwrap(), "{}", vector["id"]);
    }
}

#[test]
fn formats_are_written() {
    for (pattern, locale, expected) in [
        ("YYYY-MM-DD", "en", "2026-01-04"),
        ("dddd, MMMM Do YYYY", "en", "Sunday, January 4th 2026"),
        ("GGGG-[W]WW", "en", "2026-W01"),
        ("gggg-[W]ww", "en", "2026-W02"),
        ("gggg-[W]ww", "de", "2026-W01"),
        ("[Today is] L [at] LT", "en", "Today is 01/04/2026 at 9:05 AM"),
        ("LLLL", "de", "Sonntag, 4. Januar 2026 09:05"),
        ("LLL", "zh-cn", "2026年1月4日上午9点05分"),
        ("D MMMM", "pl", "4 stycznia"),
        ("MMMM", "pl", "styczeń"),
        ("\\D\\[D[]x]", "en", "D[4]x"),
        ("NNNN yo", "ja", "令和 8年"),
        ("x X SSS Z ZZ", "en", "1767517507000 1767517507 000 +00:00 +0000"),
        ("", "en", "2026-01-04T09:05:07+00:00"),
        ("YYYY\nMM", "en", "202601"),
    ] {
        assert_eq!(format(&at(), pattern, Locale::find(locale).unwrap()), expected, "{pattern} {locale}");
    }
}

#[test]
fn texts_that_fit_are_read() {
    for (text, pattern, locale, expected) in [
        ("2026-01-04", "YYYY-MM-DD", "en", "2026-01-04T00:00:00"),
        ("2026-W02", "gggg-[W]ww", "en", "2026-01-04T00:00:00"),
        ("2026-W01", "GGGG-[W]WW", "en", "2025-12-29T00:00:00"),
        ("2026-Q3", "YYYY-[Q]Q", "en", "2026-07-01T00:00:00"),
        ("Sunday 4 January 2026", "dddd D MMMM YYYY", "en", "2026-01-04T00:00:00"),
        ("12:00 am", "h:mm a", "en", "2026-01-04T00:00:00"),
        ("24:00", "HH:mm", "en", "2026-01-05T00:00:00"),
        ("69", "YY", "en", "1969-01-01T00:00:00"),
        ("68", "YY", "en", "2068-01-01T00:00:00"),
        ("4. märz 2026", "D. MMMM YYYY", "de", "2026-03-04T00:00:00"),
        ("04 janv 2026", "DD MMM YYYY", "fr", "2026-01-04T00:00:00"),
        ("2026-01-04T09:05+02:00", "YYYY-MM-DDTHH:mmZ", "en", "2026-01-04T07:05:00"),
    ] {
        assert_eq!(read(text, pattern, locale).as_deref(), Some(expected), "{text} {pattern}");
    }
}

#[test]
fn texts_that_do_not_fit_are_no_dates() {
    for (text, pattern) in [
        ("2026-1-4", "YYYY-MM-DD"),
        ("2026-02-30", "YYYY-MM-DD"),
        ("2026-01-04 ", "YYYY-MM-DD"),
        ("x2026-01-04", "YYYY-MM-DD"),
        ("Monday 2026-01-04", "dddd YYYY-MM-DD"),
        ("2026-W54", "gggg-[W]ww"),
        ("2026-366", "YYYY-DDDD"),
        ("13:00 pm", "h:mm a"),
        ("24:01", "HH:mm"),
        ("", "YYYY"),
        ("Notes", "[Notes]"),
        ("99999999999999999999", "Y"),
    ] {
        assert_eq!(read(text, pattern, "en"), None, "{text} {pattern}");
    }
}

#[test]
fn the_distance_from_now_is_said_in_words() {
    let now = at();
    for (other, locale, expected) in [
        ("2026-01-04T09:05:30", "en", "in a few seconds"),
        ("2026-01-03T09:05:07", "en", "a day ago"),
        ("2026-03-04T09:05:07", "en", "in 2 months"),
        ("2024-01-04T09:05:07", "en", "2 years ago"),
        ("2026-01-06T09:05:07", "de", "in 2 Tagen"),
        ("2026-01-04T09:00:07", "ru", "5 минут назад"),
    ] {
        assert_eq!(from_now(&zoned(other), &now, Locale::find(locale).unwrap()), expected);
    }
}

#[test]
fn a_language_is_found_by_the_names_that_the_app_has_for_it() {
    for (name, found) in [("en", "en"), ("EN_US", "en"), ("zh", "zh-cn"), ("pt", "pt-br"), ("de-AT", "de"), ("en-GB", "en-gb")] {
        assert_eq!(Locale::find(name).unwrap().name(), found);
    }
    assert!(Locale::find("tlh").is_none());
}

proptest! {
    #[test]
    fn a_day_is_read_back_from_every_format_that_says_it(
        days in 0..80_000_i64,
        locale in 0..Locale::all().count(),
        pattern in prop::sample::select(vec![
            "YYYY-MM-DD", "YYYY/MM/YYYY-MM-DD", "D MMMM YYYY", "YYYYMMDD", "gggg-[W]ww-e", "GGGG-[W]WW-E", "YYYY-DDDD", "dddd D MMM YYYY", "L", "x", "Do MM YYYY",
        ]),
    ) {
        let locale = Locale::all().nth(locale).unwrap();
        let day = date(1971, 1, 1).checked_add(jiff::Span::new().days(days)).unwrap().to_zoned(TimeZone::UTC).unwrap();
        let text = format(&day, pattern, locale);
        prop_assert_eq!(parse_strict(&text, pattern, locale, &at()), Some(day), "{}", text);
    }

    #[test]
    fn no_text_and_no_format_panics(text in "\\PC{0,40}", pattern in "\\PC{0,40}|[YMDdQwWgGeEHhkmsSaAZXxLlNy\\[\\]\\\\ -]{0,30}") {
        for locale in Locale::all() {
            let pattern = Format::new(&pattern, locale);
            let written = pattern.write(&at());
            let _ = pattern.parse_strict(&text, &at());
            let _ = pattern.parse_strict(&written, &at());
        }
        let _ = crate::luxon::format(&at(), &pattern);
        let _ = crate::luxon::format_duration(&crate::Duration::of_milliseconds(1e9), &pattern);
    }
}

//! Moment's formats: anything is a format, and what one writes can be looked at by the same.
#![no_main]

use jiff::Zoned;
use libfuzzer_sys::fuzz_target;
use quillgate_query::moment::{Format, Locale};

fn now() -> Zoned {
    "2026-01-04T09:05:07+00:00[UTC]".parse().expect("a time")
}

fuzz_target!(|input: (u8, &str, &str)| {
    let (locale, format, text) = input;
    let locale = Locale::all().nth(usize::from(locale) % 14).unwrap_or(Locale::english());
    let format = Format::new(format, locale);
    let written = format.write(&now());
    let _ = (format.parse_strict(&written, &now()), format.parse_strict(text, &now()), format.parse_strict_week(text, &now()));
});

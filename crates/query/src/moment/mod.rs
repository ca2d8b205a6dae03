//! Formats dates and reads them back strictly as moment.js does, in the languages that vaults are written in.
//!
//! The app, its core plugins and most community plugins name notes and fill templates with these formats, so that the answers must be
//! moment's to the letter, its oddities among them: a literal runs to the last `]` before the next `[`, and a line end is dropped.

mod eras;
mod fields;
mod format;
mod locale;
mod locales;
mod names;
mod parse;
mod relative;
#[cfg(test)]
mod tests;
mod tokens;
mod weeks;

pub use format::Format;
pub use locale::Locale;
pub use relative::from_now;

use jiff::Zoned;

/// A moment as text. Use [`Format`] to write many.
pub fn format(at: &Zoned, format: &str, locale: &'static Locale) -> String {
    Format::new(format, locale).write(at)
}

/// Reads text that fits the format from its first to its last character; `now` gives the parts that the format does not have, and the zone.
pub fn parse_strict(text: &str, format: &str, locale: &'static Locale, now: &Zoned) -> Option<Zoned> {
    Format::new(format, locale).parse_strict(text, now)
}

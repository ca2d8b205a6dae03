//! Notes of periods: the path that a date has, and the date that a path has.

use jiff::civil::Date;
use jiff::{ToSpan, Zoned};
use quillgate_vault::{NewNotes, Period};

use crate::moment::{Format, Locale};

/// How notes of a period are named.
#[derive(Debug)]
pub struct PeriodicNames {
    period: Period,
    folder: String,
    whole: Format,
    /// What the file itself is called, for files that were moved to another folder.
    last: Format,
    locale: &'static Locale,
}

impl PeriodicNames {
    pub fn new(period: Period, notes: &NewNotes, locale: &'static Locale) -> PeriodicNames {
        // As the app writes paths: no empty names.
        let format = notes.format.split('/').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
        let last = format.rsplit('/').next().unwrap_or_default();
        let (whole, last) = (Format::new(&format, locale), Format::new(last, locale));
        PeriodicNames { period, folder: notes.folder.clone(), whole, last, locale }
    }

    /// The first day of the period that a day is in. Weeks begin as the format counts them.
    pub fn start(&self, day: Date) -> Option<Date> {
        match self.period {
            Period::Daily => Some(day),
            Period::Weekly => {
                let first = if self.whole.counts_iso_weeks() { 1 } else { i64::from(self.locale.first_weekday()) };
                let behind = (i64::from(day.weekday().to_sunday_zero_offset()) - first).rem_euclid(7);
                day.checked_sub(behind.days()).ok()
            }
            Period::Monthly => Some(day.first_of_month()),
            Period::Quarterly => Date::new(day.year(), (day.month() - 1) / 3 * 3 + 1, 1).ok(),
            Period::Yearly => Some(day.first_of_year()),
        }
    }

    /// Relative to the vault, with its extension.
    pub fn path(&self, start: &Zoned) -> String {
        let name = self.whole.write(start);
        if self.folder.is_empty() { format!("{name}.md") } else { format!("{}/{name}.md", self.folder) }
    }

    /// The first day of the period that a note is of; `None` if it is no such note.
    pub fn date_of(&self, path: &str, now: &Zoned) -> Option<Date> {
        let below = if self.folder.is_empty() { path } else { path.strip_prefix(&self.folder)?.strip_prefix('/')? };
        let name = below.strip_suffix(".md")?;
        let read = |format: &Format, name: &str| match self.period {
            Period::Weekly => format.parse_strict_week(name, now),
            _ => format.parse_strict(name, now),
        };
        let whole = read(&self.whole, name);
        // Without a year a name alone says no date.
        let alone = || self.last.has_year().then(|| read(&self.last, name.rsplit('/').next().unwrap_or_default())).flatten();
        self.start(whole.or_else(alone)?.date())
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use jiff::tz::TimeZone;

    use super::*;

    fn names(period: Period, folder: &str, format: &str) -> PeriodicNames {
        let notes = NewNotes { folder: folder.to_owned(), format: format.to_owned(), template: None };
        PeriodicNames::new(period, &notes, Locale::english())
    }

    #[test]
    fn a_date_has_a_path_and_the_path_the_date() {
        let now = date(2026, 1, 4).to_zoned(TimeZone::UTC).unwrap();
        for (period, folder, format, day, start, path) in [
            (Period::Daily, "", "YYYY-MM-DD", date(2026, 1, 4), date(2026, 1, 4), "2026-01-04.md"),
            (Period::Daily, "J", "YYYY/MM/DD", date(2026, 1, 4), date(2026, 1, 4), "J/2026/01/04.md"),
            (Period::Daily, "", "/YYYY//MM-DD", date(2026, 1, 4), date(2026, 1, 4), "2026/01-04.md"),
            (Period::Weekly, "W", "gggg-[W]ww", date(2026, 1, 7), date(2026, 1, 4), "W/2026-W02.md"),
            (Period::Weekly, "W", "GGGG-[W]WW", date(2026, 1, 4), date(2025, 12, 29), "W/2026-W01.md"),
            (Period::Weekly, "", "gggg-[W]ww MMM DD", date(2026, 1, 7), date(2026, 1, 4), "2026-W02 Jan 04.md"),
            (Period::Monthly, "", "YYYY-MM", date(2026, 2, 7), date(2026, 2, 1), "2026-02.md"),
            (Period::Quarterly, "", "YYYY-[Q]Q", date(2026, 6, 7), date(2026, 4, 1), "2026-Q2.md"),
            (Period::Yearly, "Y", "YYYY", date(2026, 6, 7), date(2026, 1, 1), "Y/2026.md"),
        ] {
            let names = names(period, folder, format);
            assert_eq!(names.start(day), Some(start), "{format}");
            assert_eq!(names.path(&start.to_zoned(TimeZone::UTC).unwrap()), path);
            assert_eq!(names.date_of(path, &now), Some(start), "{path}");
        }
        let moved = names(Period::Daily, "J", "YYYY/MM/YYYY-MM-DD");
        assert_eq!(moved.date_of("J/old/2020-05-06.md", &now), Some(date(2020, 5, 6)));
        for path in ["2020-05-06.md", "J/2020-05-06.txt", "J/Note.md", "J/2020-02-30.md"] {
            assert_eq!(moved.date_of(path, &now), None, "{path}");
        }
        assert_eq!(names(Period::Daily, "", "YYYY/MM/DD").date_of("notes/04.md", &now), None);
    }
}

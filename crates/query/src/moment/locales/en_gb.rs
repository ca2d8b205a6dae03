//! English of Britain.

use crate::moment::locale::{Locale, LongFormats};

pub(crate) const LOCALE: Locale = Locale {
    name: "en-gb",
    weeks: crate::moment::weeks::ISO,
    long_formats: LongFormats {
        time: "HH:mm",
        time_with_seconds: "HH:mm:ss",
        dates: ["DD/MM/YYYY", "D MMMM YYYY", "D MMMM YYYY HH:mm", "dddd, D MMMM YYYY HH:mm"],
        short_dates: [None, None, None, None],
    },
    ..super::en::LOCALE
};

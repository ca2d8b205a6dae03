//! Reads the smallest parts of a query or a field's value: numbers, texts, names, tags, links, dates, durations.

use std::sync::Arc;

use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, civil};

use super::names::{continues_name, heading_for_link, starts_name};
use crate::date::{Date, Duration, Zone};
use crate::value::{Link, LinkKind};

/// A place in a text. Methods that find what they look for move behind it; the others leave the place alone.
#[derive(Clone, Copy)]
pub(crate) struct Scan<'t> {
    pub(crate) text: &'t str,
    pub(crate) at: usize,
}

impl<'t> Scan<'t> {
    pub(crate) fn new(text: &'t str) -> Scan<'t> {
        Scan { text, at: 0 }
    }

    pub(crate) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn is_done(&self) -> bool {
        self.at == self.text.len()
    }

    /// Whether there was any.
    pub(crate) fn space(&mut self) -> bool {
        let spaces = self.rest().len() - self.rest().trim_start().len();
        self.at += spaces;
        spaces > 0
    }

    pub(crate) fn take(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    /// Whatever its case.
    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let found = self.rest().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        if found {
            self.at += word.len();
        }
        found
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|character| !is_part(character)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Moves on only if all of it is there.
    pub(crate) fn all<T>(&mut self, read: impl FnOnce(&mut Scan<'t>) -> Option<T>) -> Option<T> {
        let mut ahead = *self;
        let found = read(&mut ahead)?;
        *self = ahead;
        Some(found)
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let digits = self.rest().get(..count).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))?;
        self.at += count;
        digits.parse().ok()
    }

    pub(crate) fn number(&mut self) -> Option<f64> {
        self.all(|scan| {
            let start = scan.at;
            scan.take("-");
            if scan.take_while(|digit| digit.is_ascii_digit()).is_empty() {
                return None;
            }
            scan.all(|scan| (scan.take(".") && !scan.take_while(|digit| digit.is_ascii_digit()).is_empty()).then_some(()));
            scan.text[start..scan.at].parse().ok()
        })
    }

    pub(crate) fn name(&mut self) -> Option<&'t str> {
        self.peek().filter(|first| starts_name(*first))?;
        Some(self.take_while(continues_name))
    }

    /// `"…"`, in which a backslash means the quote or backslash behind it.
    pub(crate) fn string(&mut self) -> Option<String> {
        self.all(|scan| {
            if !scan.take("\"") {
                return None;
            }
            let mut string = String::new();
            let mut characters = scan.rest().char_indices();
            while let Some((at, character)) = characters.next() {
                match character {
                    '"' => {
                        scan.at += at + 1;
                        return Some(string);
                    }
                    '\\' => match characters.next()?.1 {
                        escaped @ ('"' | '\\') => string.push(escaped),
                        other => string.extend(['\\', other]),
                    },
                    other => string.push(other),
                }
            }
            None
        })
    }

    /// `#name`, with its `#`.
    pub(crate) fn tag(&mut self) -> Option<&'t str> {
        let start = self.at;
        self.take("#").then(|| {
            self.take_while(is_in_tag);
            &self.text[start..self.at]
        })
    }

    /// `[[path#heading|text]]`
    pub(crate) fn link(&mut self) -> Option<Link> {
        let inner = self.all(|scan| {
            if !scan.take("[[") {
                return None;
            }
            let inner = scan.take_while(|character| !matches!(character, '[' | ']'));
            scan.take("]]").then_some(inner)
        })?;
        Some(link_of(inner))
    }

    /// A link, or one with `!` before it.
    pub(crate) fn embed_or_link(&mut self) -> Option<Link> {
        self.all(|scan| {
            let embed = scan.take("!");
            scan.link().map(|link| Link { embed, ..link })
        })
    }

    /// `true`, `false`, `True` or `False`
    pub(crate) fn truth(&mut self) -> Option<bool> {
        if self.take("true") || self.take("True") {
            return Some(true);
        }
        (self.take("false") || self.take("False")).then_some(false)
    }

    /// `YYYY-MM`, then as much of `-DDTHH:MM:SS.mmm` and a zone as there is.
    pub(crate) fn date(&mut self) -> Option<Date> {
        self.all(|scan| {
            let year = scan.digits(4)?;
            let month = scan.all(|scan| if scan.take("-") { scan.digits(2) } else { None })?;
            let first = civil::Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, 1).ok()?;
            let mut parts = [1, 0, 0, 0, 0];
            let mut found = 0;
            for (part, mark) in ["-", "T", ":", ":"].into_iter().enumerate() {
                let Some(number) = scan.all(|scan| if scan.take(mark) { scan.digits(2) } else { None }) else { break };
                parts[part] = number;
                found = part + 1;
            }
            let mut zone = Zone::Local;
            let [day, hour, minute, second, _] = parts;
            let mut milliseconds = 0;
            if found == 4 {
                milliseconds = scan.all(|scan| if scan.take(".") { scan.digits(3) } else { None }).unwrap_or(0);
            }
            // Days and hours past their end run over into the next month or day.
            let into = (((day - 1) * 24 + hour) * 60 + minute) * 60 + second;
            let into = SignedDuration::from_millis(into * 1000 + milliseconds);
            let at = first.to_datetime(civil::Time::midnight()).checked_add(into).ok()?;
            if found == 4 {
                zone = scan.all(|scan| scan.zone(at)).unwrap_or(Zone::Local);
            }
            Some(Date { at, zone, has_time: found > 1 })
        })
    }

    fn zone(&mut self, at: DateTime) -> Option<Zone> {
        if self.take("Z") {
            return Some(Zone::Fixed(Offset::UTC));
        }
        if self.take("[") {
            let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '+'..='/');
            let name = self.take_while(|character| is_part(character) || character == '_');
            let zone = TimeZone::get(name).ok().filter(|_| self.take("]"))?;
            let offset = zone.to_ambiguous_zoned(at).compatible().ok()?.offset();
            return Offset::from_seconds(offset.seconds() / 60 * 60).ok().map(Zone::Fixed);
        }
        let sign = if self.take("+") {
            1
        } else if self.take("-") {
            -1
        } else {
            return None;
        };
        let hours = self.digits(2).or_else(|| self.digits(1))?;
        let minutes = self.all(|scan| if scan.take(":") { scan.digits(2) } else { None }).unwrap_or(0);
        let seconds = i32::try_from(sign * (hours * 60 + minutes) * 60).ok()?;
        Offset::from_seconds(seconds).ok().map(Zone::Fixed)
    }

    /// `4 hr 2 min`, with or without commas.
    pub(crate) fn duration(&mut self) -> Option<Duration> {
        let mut sum = self.amount()?;
        while let Some(more) = self.all(|scan| {
            scan.space();
            scan.take(",");
            scan.space();
            scan.amount()
        }) {
            sum = sum.zip(&more, |one, other| one + other);
        }
        Some(sum)
    }

    fn amount(&mut self) -> Option<Duration> {
        self.all(|scan| {
            let count = scan.number()?;
            scan.space();
            let (_, unit) = UNITS.iter().find(|(name, _)| scan.take(name))?;
            let mut units = [0.0; 8];
            units[*unit] = count;
            Some(Duration::from_units(units))
        })
    }

    /// `today`, `start-of-week` and the like.
    pub(crate) fn date_word(&mut self) -> Option<&'static str> {
        DATE_WORDS.into_iter().find(|word| self.take(word))
    }
}

/// Days that are named by where they are from today, the longest names first.
pub(crate) const DATE_WORDS: [&str; 16] = [
    "start-of-month",
    "start-of-week",
    "start-of-year",
    "end-of-month",
    "end-of-week",
    "end-of-year",
    "yesterday",
    "tomorrow",
    "today",
    "now",
    "sow",
    "eow",
    "som",
    "eom",
    "soy",
    "eoy",
];

/// Names of units and their place from years to milliseconds, the longest names first.
const UNITS: [(&str, usize); 31] = [
    ("minutes", 5),
    ("seconds", 6),
    ("months", 1),
    ("minute", 5),
    ("second", 6),
    ("years", 0),
    ("month", 1),
    ("weeks", 2),
    ("hours", 4),
    ("year", 0),
    ("week", 2),
    ("days", 3),
    ("hour", 4),
    ("mins", 5),
    ("secs", 6),
    ("yrs", 0),
    ("mos", 1),
    ("wks", 2),
    ("day", 3),
    ("hrs", 4),
    ("min", 5),
    ("sec", 6),
    ("yr", 0),
    ("mo", 1),
    ("wk", 2),
    ("hr", 4),
    ("w", 2),
    ("d", 3),
    ("h", 4),
    ("m", 5),
    ("s", 6),
];

fn is_in_tag(character: char) -> bool {
    let is_mark = "'!\"#$%&()*+,.:;<=>?@^`{|}~[]\\".contains(character);
    !is_mark && !character.is_whitespace() && !matches!(character, '\u{2000}'..='\u{206F}' | '\u{2E00}'..='\u{2E7F}')
}

/// What stands between the brackets of a link.
pub(crate) fn link_of(inner: &str) -> Link {
    let pipe = inner.match_indices('|').map(|(at, _)| at).find(|&at| at == 0 || inner.as_bytes()[at - 1] != b'\\');
    let (target, display) = match pipe {
        Some(at) => (&inner[..at], Some(&inner[at + 1..])),
        None => (inner, None),
    };
    let link = link_to(&target.replace("\\|", "|"));
    Link { display: display.map(Arc::from), ..link }
}

/// A link by its target: a path, a path and a heading, or a path and a block.
pub(crate) fn link_to(target: &str) -> Link {
    let (path, subpath, kind) = if let Some((path, rest)) = target.split_once("#^") {
        let block = rest.split("#^").next().unwrap_or(rest);
        (path, Some(format!("^{block}")), LinkKind::Block)
    } else if let Some((path, rest)) = target.split_once('#') {
        let heading = rest.split('#').next().unwrap_or(rest);
        (path, Some(heading_for_link(heading)), LinkKind::Heading)
    } else {
        (target, None, LinkKind::File)
    };
    Link { path: path.into(), subpath: subpath.map(Arc::from), display: None, embed: false, kind, source: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_as_much_as_is_written() {
        let check = |text: &str, expected: &str, rest: &str| {
            let mut scan = Scan::new(text);
            let date = scan.date().expect(text);
            assert_eq!((date.at.to_string().as_str(), scan.rest()), (expected, rest), "{text}");
        };
        check("2021-08", "2021-08-01T00:00:00", "");
        check("2021-08-04", "2021-08-04T00:00:00", "");
        check("2021-08-04T10:30", "2021-08-04T10:30:00", "");
        check("2021-08-04T10:30:05.250Z", "2021-08-04T10:30:05.25", "");
        check("2021-08-04T10:30:05+05:30", "2021-08-04T10:30:05", "");
        check("2021-08-04T10:30Z", "2021-08-04T10:30:00", "Z");
        check("2021-02-30", "2021-03-02T00:00:00", "");
        for text in ["2021", "2021-13", "21-01", "2021-1"] {
            assert!(Scan::new(text).date().is_none(), "{text}");
        }
    }

    #[test]
    fn durations_add_up() {
        let check = |text: &str, expected: [f64; 8], rest: &str| {
            let mut scan = Scan::new(text);
            let duration = scan.duration().expect(text);
            assert_eq!((duration.units(), scan.rest()), (expected, rest), "{text}");
        };
        check("4hr2min", [0., 0., 0., 0., 4., 2., 0., 0.], "");
        check("1 d, 3 h", [0., 0., 0., 1., 3., 0., 0., 0.], "");
        check("1.5 years 2mo", [1.5, 2., 0., 0., 0., 0., 0., 0.], "");
        check("3 w, x", [0., 0., 3., 0., 0., 0., 0., 0.], ", x");
    }

    #[test]
    fn links_name_headings_and_blocks() {
        let check = |text: &str, path: &str, subpath: Option<&str>, display: Option<&str>, kind: LinkKind| {
            let link = Scan::new(text).link().expect(text);
            assert_eq!(
                (&*link.path, link.subpath.as_deref(), link.display.as_deref(), link.kind),
                (path, subpath, display, kind),
                "{text}"
            );
        };
        check("[[a/b]]", "a/b", None, None, LinkKind::File);
        check("[[a|b|c]]", "a", None, Some("b|c"), LinkKind::File);
        check("[[a\\|b|c]]", "a|b", None, Some("c"), LinkKind::File);
        check("[[a#B: c]]", "a", Some("B c"), None, LinkKind::Heading);
        check("[[a#^b]]", "a", Some("^b"), None, LinkKind::Block);
        check("[[]]", "", None, None, LinkKind::File);
    }

    #[test]
    fn strings_may_have_quotes() {
        assert_eq!(Scan::new(r#""a\"b\\c\d""#).string().as_deref(), Some(r#"a"b\c\d"#));
        assert_eq!(Scan::new("\"open").string(), None);
    }
}

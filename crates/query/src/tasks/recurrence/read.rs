//! Reads the words of a recurrence rule as rrule.js does: generously, up to the first thing that it does not know.

use super::rule::{Frequency, NthDay, Rule};
use super::words::{Word, Words, month_named};

/// A number of this size is past the end of the calendar whatever it counts.
const LARGE: i64 = 1_000_000_000;

impl Rule {
    /// None where rrule.js reports an error.
    pub fn read(text: &str) -> Option<Rule> {
        let mut words = Words::new(text);
        words.accept(Word::Every)?;
        let interval = words.accept(Word::Number).map(number);
        if words.at_end() {
            return None;
        }
        let (word, _) = words.word?;
        let frequency = match word {
            Word::Day => Frequency::Daily,
            Word::Weekday | Word::Week | Word::NamedDay(_) => Frequency::Weekly,
            Word::Hour => Frequency::Hourly,
            Word::Minute => Frequency::Minutely,
            Word::Month => Frequency::Monthly,
            Word::Year | Word::NamedMonth(_) => Frequency::Yearly,
            _ => return None,
        };
        let mut rule = Rule::new(frequency, interval);
        match word {
            Word::Weekday => {
                rule.weekdays = working_days();
                words.next();
                rule.read_end(&mut words)?;
            }
            Word::NamedDay(_) => rule.read_named_days(&mut words)?,
            Word::NamedMonth(_) => rule.read_named_months(&mut words)?,
            Word::Day => {
                if words.next() {
                    rule.read_hours(&mut words)?;
                    rule.read_end(&mut words)?;
                }
            }
            _ => {
                if words.next() {
                    rule.read_days(&mut words)?;
                    rule.read_end(&mut words)?;
                }
            }
        }
        Some(rule)
    }

    /// `every Monday, Tuesday and Friday`
    fn read_named_days(&mut self, words: &mut Words<'_>) -> Option<()> {
        loop {
            let Some((Word::NamedDay(day), _)) = words.word else { return None };
            self.weekdays.push(NthDay { day, nth: 0 });
            if !words.next() && self.weekdays.len() == 1 {
                return Some(());
            }
            if words.accept(Word::Comma).is_none() {
                break;
            }
        }
        words.accept(Word::On);
        words.accept(Word::The);
        if let Some(first) = nth(words)? {
            self.month_days.push(first);
            words.next();
            while words.accept(Word::Comma).is_some() {
                self.month_days.push(nth(words)??);
                words.next();
            }
        }
        self.read_end(words)
    }

    /// `every April and December`
    fn read_named_months(&mut self, words: &mut Words<'_>) -> Option<()> {
        loop {
            let Some((Word::NamedMonth(month), _)) = words.word else { return None };
            self.months.push(month);
            if !words.next() && self.months.len() == 1 {
                return Some(());
            }
            if words.accept(Word::Comma).is_none() {
                break;
            }
        }
        self.read_days(words)?;
        self.read_end(words)
    }

    /// `on the 1st and last Friday`, `in January`, `in week 3`
    fn read_days(&mut self, words: &mut Words<'_>) -> Option<()> {
        let on = words.accept(Word::On).is_some();
        let the = words.accept(Word::The).is_some();
        if !on && !the {
            return Some(());
        }
        loop {
            let nth = nth(words)?;
            let word = words.word.map(|(word, _)| word);
            match (nth, word) {
                (_, Some(Word::NamedDay(day))) => {
                    self.weekdays.push(NthDay { day, nth: nth.unwrap_or(0) });
                    words.next();
                }
                (Some(day), _) => {
                    self.month_days.push(day);
                    words.accept(Word::Day);
                }
                (None, Some(Word::Weekday)) => {
                    words.next();
                    if self.weekdays.is_empty() {
                        self.weekdays = working_days();
                    }
                }
                (None, Some(Word::Week)) => {
                    words.next();
                    self.weeks = vec![number(words.accept(Word::Number)?)];
                    while words.accept(Word::Comma).is_some() {
                        self.weeks.push(number(words.accept(Word::Number)?));
                    }
                }
                (None, Some(Word::NamedMonth(month))) => {
                    self.months.push(month);
                    words.next();
                }
                _ => return Some(()),
            }
            if [Word::Comma, Word::The, Word::On].into_iter().all(|word| words.accept(word).is_none()) {
                return Some(());
            }
        }
    }

    /// `at 9 and 17`
    fn read_hours(&mut self, words: &mut Words<'_>) -> Option<()> {
        if words.accept(Word::At).is_none() {
            return Some(());
        }
        loop {
            self.hours = vec![number(words.accept(Word::Number)?)];
            while words.accept(Word::Comma).is_some() {
                self.hours.push(number(words.accept(Word::Number)?));
            }
            if words.accept(Word::At).is_none() {
                return Some(());
            }
        }
    }

    /// `for 3 times`, `until January 1, 2030`
    fn read_end(&mut self, words: &mut Words<'_>) -> Option<()> {
        if words.is(Word::Until) {
            self.until = Some(date(words.rest())?);
        } else if words.accept(Word::For).is_some() {
            self.count = Some(number(words.accept(Word::Number)?));
        }
        Some(())
    }
}

fn working_days() -> Vec<NthDay> {
    (0..5).map(|day| NthDay { day, nth: 0 }).collect()
}

fn number(digits: &str) -> i64 {
    digits.parse().unwrap_or(LARGE).min(LARGE)
}

/// `first`, `2nd`, `last`, `3rd last`: nothing if there is no such word, and an error if it is out of reach.
fn nth(words: &mut Words<'_>) -> Option<Option<i32>> {
    let Some((word, text)) = words.word else { return Some(None) };
    let number = match word {
        Word::Last => {
            words.next();
            return Some(Some(-1));
        }
        Word::First => {
            words.next();
            return Some(Some(1));
        }
        Word::Second => 2,
        Word::Third => 3,
        Word::Nth => {
            let digits = text.trim_end_matches(|character: char| !character.is_ascii_digit());
            i32::try_from(number(digits)).ok().filter(|number| *number <= 366)?
        }
        _ => return Some(None),
    };
    words.next();
    Some(Some(if words.accept(Word::Last).is_some() { -number } else { number }))
}

/// `January 1, 2030`, `1 January 2030`, `January 2030`, `2030`: of what JavaScript reads as a date, what can be written in a rule.
fn date(text: &str) -> Option<i32> {
    let (mut year, mut month, mut day) = (None, None, None);
    for part in text.split([' ', ',']).filter(|part| !part.is_empty()) {
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            let number: i16 = part.parse().ok()?;
            match part.len() {
                4 if year.is_none() => year = Some(number),
                1 | 2 if day.is_none() => day = Some(number as i8),
                _ => return None,
            }
        } else if month.is_none() {
            month = Some(month_named(part)? as i8);
        } else {
            return None;
        }
    }
    if day.is_some() && month.is_none() {
        return None;
    }
    let date = jiff::civil::Date::new(year?, month.unwrap_or(1), day.unwrap_or(1)).ok()?;
    crate::tasks::Day::of(date).number()
}

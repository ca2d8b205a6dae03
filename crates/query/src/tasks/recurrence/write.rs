//! Writes a recurrence rule in words, as rrule.js does. It leaves things out of some rules; see [`super::Recurrence::written`].

use super::rule::{Frequency, NthDay, Rule};
use crate::tasks::day::date_of;

const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] =
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

impl Rule {
    pub fn to_text(&self) -> String {
        let mut text = String::from("every");
        match self.frequency {
            Frequency::Minutely => self.add_unit(&mut text, "minute"),
            Frequency::Hourly => self.add_unit(&mut text, "hour"),
            Frequency::Daily => {
                self.add_unit(&mut text, "day");
                if !self.hours.is_empty() {
                    add(&mut text, "at");
                    add(&mut text, &list(self.hours.iter().map(i64::to_string), Some("and")));
                }
            }
            Frequency::Weekly => self.add_weekly(&mut text),
            Frequency::Monthly => self.add_monthly(&mut text),
            Frequency::Yearly => self.add_yearly(&mut text),
        }
        if let Some(until) = self.until.and_then(date_of) {
            add(&mut text, "until");
            add(
                &mut text,
                &format!("{} {}, {}", MONTHS[usize::from(until.month().unsigned_abs()) - 1], until.day(), until.year()),
            );
        } else if let Some(count) = self.count {
            add(&mut text, &format!("for {count} {}", if is_plural(count) { "times" } else { "time" }));
        }
        text
    }

    fn add_unit(&self, text: &mut String, unit: &str) {
        if self.interval != 1 {
            add(text, &self.interval.to_string());
        }
        add(text, unit);
        if is_plural(self.interval) {
            text.push('s');
        }
    }

    fn add_weekly(&self, text: &mut String) {
        if self.interval != 1 {
            self.add_unit(text, "week");
        }
        if self.is_working_days() {
            add(text, if self.interval == 1 { "weekday" } else { "on weekdays" });
        } else if (0..7).all(|day| self.has_day(day)) {
            add(text, if is_plural(self.interval) { "days" } else { "day" });
        } else {
            if self.interval == 1 {
                add(text, "week");
            }
            if !self.months.is_empty() {
                add(text, "in");
                self.add_months(text);
            }
            self.add_days(text);
        }
    }

    fn add_monthly(&self, text: &mut String) {
        if self.months.is_empty() {
            self.add_unit(text, "month");
        } else {
            if self.interval != 1 {
                add(text, &format!("{} months", self.interval));
                if is_plural(self.interval) {
                    add(text, "in");
                }
            }
            self.add_months(text);
        }
        if self.month_days.is_empty() && self.is_working_days() {
            add(text, "on weekdays");
        } else {
            self.add_days(text);
        }
    }

    fn add_yearly(&self, text: &mut String) {
        if self.months.is_empty() {
            self.add_unit(text, "year");
        } else {
            if self.interval != 1 {
                add(text, &format!("{} years", self.interval));
            }
            self.add_months(text);
        }
        self.add_days(text);
        if !self.weeks.is_empty() {
            add(text, if is_plural(self.weeks.len() as i64) { "in weeks" } else { "in week" });
            add(text, &list(self.weeks.iter().map(i64::to_string), Some("and")));
        }
    }

    fn add_months(&self, text: &mut String) {
        add(text, &list(self.months.iter().map(|month| MONTHS[usize::from(*month) - 1].to_owned()), Some("and")));
    }

    fn add_days(&self, text: &mut String) {
        let (mut each, mut some): (Vec<NthDay>, Vec<NthDay>) = self.weekdays.iter().partition(|day| day.nth == 0);
        each.sort_by_key(|day| day.day);
        some.sort_by_key(|day| day.day);
        if !self.month_days.is_empty() {
            let (mut positive, mut negative): (Vec<i32>, Vec<i32>) = self.month_days.iter().partition(|day| **day > 0);
            positive.sort_unstable();
            negative.sort_unstable_by_key(|day| std::cmp::Reverse(*day));
            let days = positive.into_iter().chain(negative).map(nth);
            if each.is_empty() {
                add(text, "on the");
                add(text, &list(days, Some("and")));
            } else {
                add(text, "on");
                add(text, &list(each.iter().map(day_name), Some("or")));
                add(text, "the");
                add(text, &list(days, Some("or")));
            }
            return;
        }
        if !each.is_empty() && !self.is_working_days() {
            add(text, "on");
            add(text, &list(each.iter().map(day_name), None));
        }
        if !some.is_empty() {
            if !each.is_empty() {
                add(text, "and");
            }
            add(text, "on the");
            add(text, &list(some.iter().map(day_name), Some("and")));
        }
    }

    fn has_day(&self, day: u8) -> bool {
        self.weekdays.iter().any(|weekday| weekday.day == day)
    }

    fn is_working_days(&self) -> bool {
        (0..7).all(|day| self.has_day(day) == (day < 5))
    }
}

fn add(text: &mut String, part: &str) {
    text.push(' ');
    text.push_str(part);
}

fn is_plural(number: i64) -> bool {
    number % 100 != 1
}

fn day_name(day: &NthDay) -> String {
    let name = DAYS[usize::from(day.day)];
    if day.nth == 0 { name.to_owned() } else { format!("{} {name}", nth(day.nth)) }
}

fn nth(number: i32) -> String {
    if number == -1 {
        return "last".into();
    }
    let positive = number.abs();
    let ending = match positive {
        1 | 21 | 31 => "st",
        2 | 22 => "nd",
        3 | 23 => "rd",
        _ => "th",
    };
    format!("{positive}{ending}{}", if number < 0 { " last" } else { "" })
}

fn list(items: impl Iterator<Item = String>, last_joined_by: Option<&str>) -> String {
    let items: Vec<String> = items.collect();
    match (last_joined_by, items.split_last()) {
        (Some(word), Some((last, before))) if !before.is_empty() => format!("{} {word} {last}", before.join(", ")),
        _ => items.join(", "),
    }
}

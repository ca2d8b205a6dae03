//! `{{title}}`, `{{date+1d:YYYY}}` and their like.

use jiff::{Span, ToSpan, Zoned};

use super::Scope;
use crate::moment;

/// No template has a variable that is longer.
const LONGEST: usize = 500;

const WEEKDAYS: [&str; 7] = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/// The variable that the text begins with, braces and all.
pub(super) fn command(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("{{")?;
    let end = inside.find(['{', '}', '\n'])?;
    let is_one = end <= LONGEST && inside[end..].starts_with("}}") && !inside[..end].trim().is_empty();
    is_one.then(|| &text[..end + 4])
}

/// The names of variables that a template has besides those that are always there, in their order.
pub fn parameters(template: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (start, _) in template.match_indices("{{") {
        let Some(command) = command(&template[start..]) else { continue };
        let Variable { name, .. } = Variable::of(command);
        if !is_known(name) && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

fn is_known(name: &str) -> bool {
    let name = name.to_lowercase();
    matches!(name.as_str(), "title" | "date" | "time" | "yesterday" | "tomorrow") || WEEKDAYS.contains(&name.as_str())
}

struct Variable<'a> {
    name: &'a str,
    offset: Option<&'a str>,
    format: Option<&'a str>,
}

impl Variable<'_> {
    fn of(command: &str) -> Variable<'_> {
        let inside = command.trim_start_matches("{{").trim_end_matches("}}");
        let (head, format) = match inside.split_once(':') {
            Some((head, format)) => (head, Some(format.trim()).filter(|format| !format.is_empty())),
            None => (inside, None),
        };
        let (name, offset) = match head.find(['+', '-']) {
            Some(sign) if is_known(head[..sign].trim()) => (&head[..sign], Some(head[sign..].trim())),
            _ => (head, None),
        };
        // What only looks like a format is part of a name: {{VALUE:title}}.
        match is_known(name.trim()) {
            true => Variable { name: name.trim(), offset, format },
            false => Variable { name: inside.trim(), offset: None, format: None },
        }
    }
}

pub(super) fn value(command: &str, scope: &Scope<'_>) -> Result<String, String> {
    let variable = Variable::of(command);
    let offset = |at: &Zoned| match variable.offset {
        None => Ok(at.clone()),
        Some(offset) => at.checked_add(span(offset)?).map_err(|_| "the offset leads to no date".to_owned()),
    };
    let written = |at: &Zoned, format: &str| moment::format(at, variable.format.unwrap_or(format), scope.locale);
    let days = |days: i64| scope.date.checked_add(days.days()).map_err(|_| "there is no such day".to_owned());
    match variable.name.to_lowercase().as_str() {
        "title" if variable.offset.is_none() && variable.format.is_none() => Ok(scope.title().to_owned()),
        "date" => Ok(written(&offset(scope.date)?, scope.date_format)),
        "time" => Ok(written(&offset(scope.date)?, scope.time_format)),
        "yesterday" => Ok(written(&days(-1)?, scope.date_format)),
        "tomorrow" => Ok(written(&days(1)?, scope.date_format)),
        name => {
            if let Some(weekday) = WEEKDAYS.iter().position(|weekday| *weekday == name) {
                let start = i64::from(scope.locale.first_weekday());
                let today = i64::from(scope.date.weekday().to_sunday_zero_offset());
                let of_week = |day: i64| (day - start).rem_euclid(7);
                return Ok(written(&days(of_week(weekday as i64) - of_week(today))?, scope.date_format));
            }
            let value = scope.values.get(variable.name);
            value.cloned().ok_or_else(|| format!("give a value for {} in args", variable.name))
        }
    }
}

/// `+1d`, `-2w`; as in moment `m` are minutes and `M` are months.
fn span(offset: &str) -> Result<Span, String> {
    let malformed = || format!("{offset} is no offset such as +1d; units are y q M w d h m s");
    let unit = offset.chars().next_back().ok_or_else(malformed)?;
    let number: i32 = offset[..offset.len() - unit.len_utf8()].trim().parse().map_err(|_| malformed())?;
    let span = match unit {
        'y' | 'Y' => Span::new().try_years(number),
        'q' | 'Q' => Span::new().try_months(i64::from(number) * 3),
        'M' => Span::new().try_months(number),
        'w' | 'W' => Span::new().try_weeks(number),
        'd' | 'D' => Span::new().try_days(number),
        'h' | 'H' => Span::new().try_hours(number),
        'm' => Span::new().try_minutes(number),
        's' | 'S' => Span::new().try_seconds(number),
        _ => return Err(malformed()),
    };
    span.map_err(|_| malformed())
}

//! `<% tp.date.now() %>` and other commands of Templater that need no script.

use jiff::civil::DateTime;
use jiff::{Span, ToSpan, Zoned};
use quillgate_markdown::Value;

use super::Scope;
use super::arguments::{Argument, Call, call};
use crate::moment;

/// The command that the text begins with, from `<%` to `%>`.
pub(super) fn command(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("<%")?;
    Some(&text[..inside.find("%>")? + 4])
}

/// Blanks around a command that it takes away: `-` one line end, `_` all of them.
pub(super) struct Trim {
    before: Option<char>,
    after: Option<char>,
}

impl Trim {
    pub(super) fn of(command: &str) -> Trim {
        let sign = |character: Option<char>| character.filter(|character| matches!(character, '-' | '_'));
        match command.strip_prefix("<%").and_then(|command| command.strip_suffix("%>")) {
            Some(inside) => Trim { before: sign(inside.chars().next()), after: sign(inside.chars().next_back()) },
            None => Trim { before: None, after: None },
        }
    }

    pub(super) fn before(&self, text: &mut String) {
        let kept = match self.before {
            Some('_') => text.trim_end().len(),
            Some(_) => text.strip_suffix("\r\n").or(text.strip_suffix('\n')).unwrap_or(text).len(),
            None => text.len(),
        };
        text.truncate(kept);
    }

    pub(super) fn after<'t>(&self, text: &'t str) -> &'t str {
        match self.after {
            Some('_') => text.trim_start(),
            Some(_) => text.strip_prefix("\r\n").or(text.strip_prefix('\n')).unwrap_or(text),
            None => text,
        }
    }
}

pub(super) fn value(command: &str, scope: &Scope<'_>) -> Result<String, String> {
    let inside = command.trim_start_matches("<%").trim_end_matches("%>");
    let inside = inside.strip_prefix(['-', '_']).unwrap_or(inside);
    let inside = inside.strip_suffix(['-', '_']).unwrap_or(inside);
    if inside.starts_with(['*', '+', '#', '~']) {
        return Err("scripts and commands of the preview are left to the plugin".to_owned());
    }
    let expression = inside.trim();
    let expression = expression.strip_suffix(';').unwrap_or(expression).trim_end();
    let expression = expression.strip_prefix("await ").unwrap_or(expression).trim_start();
    let call = call(expression, scope)?;
    match call.name.strip_prefix("tp.") {
        Some(name) => match name.split_once('.') {
            Some(("date", function)) => date(function, &call, scope),
            Some(("file", name)) => file(name, &call, scope),
            Some(("frontmatter", key)) if call.arguments.is_none() => property(key, scope),
            _ => Err(unknown(call.name)),
        },
        None if call.arguments.as_deref() == Some(&[Argument::Text("frontmatter".to_owned())]) => property(call.name, scope),
        None => Err(unknown(call.name)),
    }
}

fn unknown(name: &str) -> String {
    format!("{} is not one of the commands that are filled in without the plugin", if name.is_empty() { "it" } else { name })
}

fn date(function: &str, call: &Call<'_>, scope: &Scope<'_>) -> Result<String, String> {
    let arguments = Arguments(call.arguments.as_deref().ok_or("its parentheses are missing")?);
    let format = arguments.text(0)?.unwrap_or("YYYY-MM-DD");
    let beyond = |_| "there is no such date".to_owned();
    let at = match function {
        "now" => arguments.reference(2, scope)?.checked_add(arguments.offset(1)?).map_err(beyond)?,
        "tomorrow" => scope.now.checked_add(1.day()).map_err(beyond)?,
        "yesterday" => scope.now.checked_sub(1.day()).map_err(beyond)?,
        "weekday" => {
            let reference = arguments.reference(2, scope)?;
            let wanted = arguments.number(1)?.ok_or("it takes the number of a weekday")?;
            let today =
                (i64::from(reference.weekday().to_sunday_zero_offset()) - i64::from(scope.locale.first_weekday())).rem_euclid(7);
            reference.checked_add(days(wanted - today as f64)?).map_err(beyond)?
        }
        _ => return Err(unknown(call.name)),
    };
    Ok(moment::format(&at, format, scope.locale))
}

fn file(name: &str, call: &Call<'_>, scope: &Scope<'_>) -> Result<String, String> {
    let arguments = call.arguments.as_deref().map(Arguments);
    let folder = scope.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let stamped = |at: Option<&Zoned>, arguments: &Arguments<'_>| {
        let format = arguments.text(0)?.unwrap_or("YYYY-MM-DD HH:mm");
        Ok(moment::format(at.unwrap_or(scope.now), format, scope.locale))
    };
    match (name, arguments) {
        ("title" | "name", None) => Ok(scope.title().to_owned()),
        ("tags", None) => {
            Ok(scope.tags.iter().map(|tag| format!("#{}", tag.trim_start_matches('#'))).collect::<Vec<_>>().join(","))
        }
        ("path", Some(arguments)) => match arguments.is_true(0) {
            true => Ok(scope.path.to_owned()),
            false => Err("where the vault lies on the disk is not told; use tp.file.path(true)".to_owned()),
        },
        ("folder", Some(arguments)) => match arguments.is_true(0) {
            true => Ok(folder.to_owned()),
            false => Ok(folder.rsplit('/').next().unwrap_or_default().to_owned()),
        },
        ("creation_date", Some(arguments)) => stamped(scope.created, &arguments),
        ("last_modified_date", Some(arguments)) => stamped(scope.modified, &arguments),
        _ => Err(unknown(call.name)),
    }
}

fn property(key: &str, scope: &Scope<'_>) -> Result<String, String> {
    let found = scope.properties.and_then(|properties| properties.find_property(key));
    found.and_then(|found| shown(&found.value)).ok_or_else(|| format!("the note has no property {key} that could be written"))
}

/// As a script writes a value into text.
fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::List(items) => Some(items.iter().map(|item| shown(item).unwrap_or_default()).collect::<Vec<_>>().join(",")),
        Value::Null | Value::Map(_) => None,
    }
}

struct Arguments<'a>(&'a [Argument]);

impl<'a> Arguments<'a> {
    fn text(&self, place: usize) -> Result<Option<&'a str>, String> {
        match self.0.get(place) {
            None => Ok(None),
            Some(Argument::Text(text)) => Ok(Some(text)),
            Some(_) => Err(format!("argument {} is not a text", place + 1)),
        }
    }

    fn number(&self, place: usize) -> Result<Option<f64>, String> {
        match self.0.get(place) {
            None => Ok(None),
            Some(Argument::Number(number)) => Ok(Some(*number)),
            Some(_) => Err(format!("argument {} is not a number", place + 1)),
        }
    }

    fn is_true(&self, place: usize) -> bool {
        self.0.get(place) == Some(&Argument::Bool(true))
    }

    /// A number of days, or a length such as `P-1M`.
    fn offset(&self, place: usize) -> Result<Span, String> {
        match self.0.get(place) {
            None => Ok(Span::new()),
            Some(Argument::Number(number)) => days(*number),
            Some(Argument::Text(text)) => length(text).ok_or_else(|| format!("{text:?} is no length of time such as P1M")),
            Some(Argument::Bool(_)) => Err("the offset is no number of days".to_owned()),
        }
    }

    /// The date that is reckoned from: that of a text, or now.
    fn reference(&self, place: usize, scope: &Scope<'_>) -> Result<Zoned, String> {
        let Some(text) = self.text(place)? else { return Ok(scope.now.clone()) };
        let read = match self.text(place + 1)? {
            Some(format) => moment::parse_strict(text, format, scope.locale, scope.now),
            None => {
                let at = text.parse::<DateTime>().ok().or_else(|| Some(text.parse::<jiff::civil::Date>().ok()?.at(0, 0, 0, 0)));
                at.and_then(|at| at.to_zoned(scope.now.time_zone().clone()).ok())
            }
        };
        read.ok_or_else(|| format!("{text:?} is no date of that format"))
    }
}

fn days(number: f64) -> Result<Span, String> {
    let whole = number.fract() == 0.0 && number.abs() < 10_000_000.0;
    whole.then(|| Span::new().try_days(number as i64).ok()).flatten().ok_or_else(|| "the offset is no number of days".to_owned())
}

/// ISO 8601, with a sign before any of the numbers as moment takes it.
fn length(text: &str) -> Option<Span> {
    if let Ok(span) = text.parse::<Span>() {
        return Some(span);
    }
    let (mut span, mut in_time) = (Span::new(), false);
    let mut rest = text.strip_prefix('P')?;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('T') {
            (in_time, rest) = (true, after);
            continue;
        }
        let end = rest.find(|character: char| character.is_ascii_alphabetic())?;
        let number: i64 = rest[..end].parse().ok()?;
        span = match (&rest[end..=end], in_time) {
            ("Y", false) => span.try_years(number),
            ("M", false) => span.try_months(number),
            ("W", false) => span.try_weeks(number),
            ("D", false) => span.try_days(number),
            ("H", true) => span.try_hours(number),
            ("M", true) => span.try_minutes(number),
            ("S", true) => span.try_seconds(number),
            _ => return None,
        }
        .ok()?;
        rest = &rest[end + 1..];
    }
    Some(span)
}

//! Reads one filter, without Boolean operators around it. Case does not matter in its words.

use jiff::civil::Date;
use memchr::memmem::Finder;

use super::dates::DayRange;
use super::filter::{DateKey, DateRelation, Filter, PriorityRelation, TextField, TextTest};
use crate::Pattern;
use crate::tasks::{DateField, Priority, StatusType};

/// None if no filter begins like this; else the filter, or what is wrong with it.
pub(super) fn read_filter(line: &str, today: Date) -> Option<Result<Filter, String>> {
    let words = line.trim().to_lowercase();
    if let Some(filter) = fixed(&words) {
        return Some(Ok(filter));
    }
    if begins(line, "filter by function").is_some() {
        return Some(Err(NO_FUNCTIONS.into()));
    }
    if let Some(rest) = begins(line, "status.type") {
        return Some(status_type(rest));
    }
    if let Some(filter) = begins(line, "priority").and_then(priority) {
        return Some(filter);
    }
    for (name, date) in DATES {
        if let Some(rest) = begins(line, name).filter(|rest| rest.starts_with(' ')) {
            return Some(date_filter(date, rest.trim(), today));
        }
    }
    text_filter(line)
}

pub(super) const NO_FUNCTIONS: &str = "functions are JavaScript and are not run here; use the other filters, sort by or group by a property, or open the query in the app";

pub(super) const DATES: [(&str, DateKey); 8] = [
    ("happens", DateKey::Happens),
    ("cancelled", DateKey::One(DateField::Cancelled)),
    ("created", DateKey::One(DateField::Created)),
    ("starts", DateKey::One(DateField::Start)),
    ("start", DateKey::One(DateField::Start)),
    ("scheduled", DateKey::One(DateField::Scheduled)),
    ("due", DateKey::One(DateField::Due)),
    ("done", DateKey::One(DateField::Done)),
];

/// The rest of a line that begins with these words; case does not matter.
pub(super) fn begins<'a>(line: &'a str, words: &str) -> Option<&'a str> {
    let start = line.get(..words.len()).filter(|start| start.eq_ignore_ascii_case(words))?;
    Some(&line[start.len()..])
}

fn fixed(words: &str) -> Option<Filter> {
    Some(match words {
        "done" => Filter::Finished(true),
        "not done" => Filter::Finished(false),
        "is recurring" => Filter::Recurring(true),
        "is not recurring" => Filter::Recurring(false),
        "is blocking" => Filter::Blocking(true),
        "is not blocking" => Filter::Blocking(false),
        "is blocked" => Filter::Blocked(true),
        "is not blocked" => Filter::Blocked(false),
        "has tags" | "has tag" => Filter::HasTags(true),
        "no tags" | "no tag" => Filter::HasTags(false),
        "has id" => Filter::HasId(true),
        "no id" => Filter::HasId(false),
        "has depends on" => Filter::HasDependencies(true),
        "no depends on" => Filter::HasDependencies(false),
        "exclude sub-items" => Filter::Outermost,
        _ => return fixed_date(words),
    })
}

/// `has due date`, `no due date`, `due date is invalid`
fn fixed_date(words: &str) -> Option<Filter> {
    let field = |name: &str| DateField::ALL.into_iter().find(|field| field.name() == name);
    if let Some(name) = words.strip_suffix(" date is invalid") {
        return field(name).map(Filter::InvalidDate);
    }
    let (has, name) = words.strip_suffix(" date")?.split_once(' ')?;
    let date = if name == "happens" { DateKey::Happens } else { DateKey::One(field(name)?) };
    match has {
        "has" => Some(Filter::HasDate { date, has: true }),
        "no" => Some(Filter::HasDate { date, has: false }),
        _ => None,
    }
}

fn status_type(rest: &str) -> Result<Filter, String> {
    let words: Vec<String> = rest.split_whitespace().map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (is, name) = match words[..] {
        ["is", "not", name] => (false, name),
        ["is", name] => (true, name),
        _ => return Err("write status.type is TODO, or status.type is not DONE".into()),
    };
    match StatusType::find(name) {
        Some(kind) => Ok(Filter::StatusType { kind, is }),
        None => {
            let names: Vec<&str> = StatusType::ALL.into_iter().map(StatusType::name).collect();
            Err(format!("there is no status type {name:?}; there are {}", names.join(", ")))
        }
    }
}

fn priority(rest: &str) -> Option<Result<Filter, String>> {
    let words: Vec<String> = rest.split_whitespace().map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let words = words.strip_prefix(&["is"]).unwrap_or(&words);
    let (relation, words) = match words {
        ["above", rest @ ..] => (PriorityRelation::Above, rest),
        ["below", rest @ ..] => (PriorityRelation::Below, rest),
        ["not", rest @ ..] => (PriorityRelation::IsNot, rest),
        _ => (PriorityRelation::Is, words),
    };
    let known = match words {
        [name] => Priority::find(name),
        _ => None,
    };
    Some(match known {
        Some(priority) => Ok(Filter::Priority { relation, priority }),
        None => Err("write priority is high, priority is above none, or priority is not low; there are highest, high, medium, none, low and lowest".into()),
    })
}

const RELATIONS: [(&str, DateRelation); 8] = [
    ("on or before ", DateRelation::OnOrBefore),
    ("in or before ", DateRelation::OnOrBefore),
    ("on or after ", DateRelation::OnOrAfter),
    ("in or after ", DateRelation::OnOrAfter),
    ("before ", DateRelation::Before),
    ("after ", DateRelation::After),
    ("on ", DateRelation::On),
    ("in ", DateRelation::On),
];

fn date_filter(date: DateKey, rest: &str, today: Date) -> Result<Filter, String> {
    let split = |text| RELATIONS.into_iter().find_map(|(words, relation)| Some((relation, begins(text, words)?.trim())));
    let (relation, text) = split(rest).unwrap_or((DateRelation::On, rest));
    let is_on = relation == DateRelation::On;
    if let Some(range) = DayRange::read(text, today).filter(|_| !is_on || split(text).is_none()) {
        return Ok(Filter::Date { date, relation, text: text.into(), range });
    }
    // The word may be a part of the date: in two weeks.
    if let Some(range) = DayRange::read_day(rest, today).filter(|_| is_on) {
        return Ok(Filter::Date { date, relation, text: rest.into(), range });
    }
    Err(format!(
        "{text:?} is no date; write 2024-05-25, tomorrow, next monday, in two weeks, this week, 2024-W10 or 2024-01-01 2024-02-01"
    ))
}

fn text_filter(line: &str) -> Option<Result<Filter, String>> {
    const VERBS: [(&str, bool, bool); 6] = [
        ("includes ", false, false),
        ("include ", false, false),
        ("does not include ", true, false),
        ("do not include ", true, false),
        ("regex matches ", false, true),
        ("regex does not match ", true, true),
    ];
    let (field, rest) = TextField::ALL.into_iter().find_map(|field| {
        let rest = begins(line, field.name()).or_else(|| if field == TextField::Tags { begins(line, "tag") } else { None })?;
        Some((field, rest.strip_prefix(' ')?.trim_start()))
    })?;
    let found = VERBS.into_iter().find_map(|(verb, negated, regex)| Some((begins(rest, verb)?.trim(), negated, regex)));
    let Some((value, negated, regex)) = found else {
        return Some(Err(format!(
            "write {0} includes …, {0} does not include …, {0} regex matches /…/ or {0} regex does not match /…/",
            field.name()
        )));
    };
    let test = match regex {
        true => match pattern(value) {
            Ok(pattern) => TextTest::Matches(pattern),
            Err(message) => return Some(Err(message)),
        },
        false => TextTest::Includes { text: value.into(), folded: Box::new(Finder::new(&value.to_lowercase()).into_owned()) },
    };
    Some(Ok(Filter::Text { field, negated, test }))
}

/// `/…/flags`
fn pattern(text: &str) -> Result<Pattern, String> {
    let slashed = text.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'));
    let Some((source, flags)) = slashed.filter(|(source, _)| !source.is_empty()) else {
        return Err("a regular expression stands between slashes: /^a.*b$/i".into());
    };
    Pattern::new(source, flags).map_err(|error| error.to_string())
}

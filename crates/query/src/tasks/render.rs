//! The answer to a query as Markdown, as the app shows it in the place of the query.

use std::collections::HashSet;
use std::fmt::Write;

use super::day::Day;
use super::query::statements::without_extension;
use super::query::{Element, ElementDate, Query};
use super::run::{Row, TaskAnswer};
use super::settings::Settings;
use super::task::{DateField, Priority};

/// Headings for groups, a list, and how many tasks there are.
pub fn render_markdown(query: &Query, answer: &TaskAnswer<'_>, settings: &Settings, today: Day) -> String {
    let mut text = String::new();
    if query.explain {
        text.push_str("Explanation of this query:\n\n");
        query.to_string().lines().for_each(|line| text.push_str(&format!("> {line}\n")));
        text.push('\n');
    }
    let mut before: &[String] = &[];
    for group in &answer.groups {
        let same = group.names.iter().zip(before).take_while(|(name, before)| name == before).count();
        for (level, name) in group.names.iter().enumerate().skip(same).filter(|(_, name)| !name.is_empty()) {
            let _ = write!(text, "{} {name}\n\n", "#".repeat((4 + level).min(6)));
        }
        for row in group.rows.iter().filter_map(|row| answer.rows.get(*row)) {
            text.push_str(&rendered(query, row, settings, today));
            text.push('\n');
        }
        if !group.rows.is_empty() {
            text.push('\n');
        }
        before = &group.names;
    }
    if query.shows(Element::TaskCount) {
        // A task may be in several groups, and a limit of groups may leave it out of all.
        let shown = answer.groups.iter().flat_map(|group| &group.rows).collect::<HashSet<_>>().len();
        let tasks = if answer.total == 1 { "task" } else { "tasks" };
        match shown == answer.total {
            true => text.push_str(&format!("{shown} {tasks}\n")),
            false => text.push_str(&format!("{shown} of {} {tasks}\n", answer.total)),
        }
    }
    text
}

fn rendered(query: &Query, row: &Row<'_>, settings: &Settings, today: Day) -> String {
    let mut task = row.item.task.clone();
    if settings.remove_global_filter && !settings.global_filter.is_empty() {
        task.description = task.description.replacen(&*settings.global_filter, "", 1).trim().into();
    }
    if !query.shows(Element::Tags) {
        let tags: Vec<String> = task.tags().map(str::to_owned).collect();
        let words = task.description.split(' ').filter(|word| !tags.iter().any(|tag| tag == word));
        task.description = words.collect::<Vec<_>>().join(" ").into();
    }
    if !query.shows(Element::Id) {
        task.id = None;
    }
    if !query.shows(Element::DependsOn) {
        task.depends_on = Box::default();
    }
    if !query.shows(Element::Priority) {
        task.priority = Priority::None;
    }
    if !query.shows(Element::RecurrenceRule) {
        task.recurrence = None;
    }
    if !query.shows(Element::OnCompletion) {
        task.on_completion = None;
    }
    for (field, element) in DATES {
        if !query.shows(Element::Date(element)) {
            task.set_date(field, None);
        }
    }
    task.block_id = None;
    let written = if query.short == Some(true) { task.write_short(settings.format) } else { task.write(settings.format) };
    let mut line = format!("- [{}] {written}", row.item.status);
    if query.shows(Element::Urgency) {
        let _ = write!(line, " ({:.2})", row.urgency(today));
    }
    if query.shows(Element::Backlink) {
        let name = without_extension(row.filename());
        let path = without_extension(row.path);
        let _ = match row.heading().filter(|_| query.short != Some(true)) {
            Some(heading) => write!(line, " ([[{path}#{heading}|{name} > {heading}]])"),
            None => write!(line, " ([[{path}|{}]])", if query.short == Some(true) { "🔗" } else { name }),
        };
    }
    line
}

const DATES: [(DateField, ElementDate); 6] = [
    (DateField::Created, ElementDate::Created),
    (DateField::Start, ElementDate::Start),
    (DateField::Scheduled, ElementDate::Scheduled),
    (DateField::Due, ElementDate::Due),
    (DateField::Cancelled, ElementDate::Cancelled),
    (DateField::Done, ElementDate::Done),
];

//! Changing one task.

use quillgate_index::Card;
use quillgate_markdown::Eol;
use quillgate_query::tasks::{Changed, DateField, Day, DayRange, Priority, Settings, StatusType, TaskLine, WrittenRecurrence};
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::task_table::settings;
use super::task_view::TaskView;
use crate::context::Context;
use crate::expected_hash::ExpectedHash;
use crate::failure::{Failure, Issue};
use crate::note_edit::{Changed as Written, NoteEdit};
use crate::note_text::must_be_note;
use crate::plan::Plan;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Spec};

/// Change one task: its status, dates, priority, rule, description or tags. Done and cancelled dates come and go as in the app. Completing a recurring task adds its next one beside it. Take path and line from list_tasks or tasks_filter.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateTask {
    /// Note, relative to the vault, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Line of the task, from 1
    #[schemars(range(min = 1))]
    line: u32,
    /// What to change; all else stays
    set: Set,
    #[serde(default)]
    expected_hash: ExpectedHash,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Set {
    /// todo, in_progress, on_hold, done or cancelled, or the character between the brackets
    #[serde(default)]
    #[schemars(length(min = 1, max = 20))]
    status: Option<String>,
    /// Without line breaks; tags that it does not name are removed
    #[serde(default)]
    #[schemars(length(min = 1, max = 10000))]
    description: Option<String>,
    /// A date such as 2026-12-01 or tomorrow; empty to remove it
    #[serde(default)]
    #[schemars(length(max = 100))]
    due: Option<String>,
    /// A date, or empty to remove it
    #[serde(default)]
    #[schemars(length(max = 100))]
    scheduled: Option<String>,
    /// A date, or empty to remove it
    #[serde(default)]
    #[schemars(length(max = 100))]
    start: Option<String>,
    /// A date, or empty to remove it; without it, status sets it
    #[serde(default)]
    #[schemars(length(max = 100))]
    done: Option<String>,
    #[serde(default)]
    priority: Option<Level>,
    /// When it comes again, such as every week on Friday or every month when done; empty for never
    #[serde(default)]
    #[schemars(length(max = 200))]
    recur: Option<String>,
    /// Tags to put at the end of the description
    #[serde(default)]
    #[schemars(length(max = 50), inner(length(min = 1, max = 200)))]
    add_tags: Vec<String>,
    /// Tags to take out of the description
    #[serde(default)]
    #[schemars(length(max = 50), inner(length(min = 1, max = 200)))]
    remove_tags: Vec<String>,
}

/// How important it is
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Level {
    Highest,
    High,
    Medium,
    None,
    Low,
    Lowest,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    /// Where the task is now
    line: u32,
    updated_at: String,
    prev_state: TaskView,
    /// Absent if the task goes away when it is done
    #[serde(skip_serializing_if = "Option::is_none")]
    new_state: Option<TaskView>,
    /// The next task of a recurring one
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<TaskView>,
    content_hash: String,
}

/// A task that was done longer ago than this is reopened only if a human agrees.
const DAYS_DONE: i32 = 7;

impl ChangeTool for UpdateTask {
    const SPEC: Spec = Spec::writing("update_task", "Change a task", Effect::Change, Idempotency::Repeats)
        .scopes(&["write:tasks"])
        .confirm(Confirm::When("if it reopens a task that was done over 7 days ago"));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = NotePath::parse(&self.path)?;
        must_be_note(&path)?;
        let settings = settings(context)?;
        let note = NoteEdit::read(context, path, &self.expected_hash)?;
        let (range, before) = self.find(&note.text, &settings)?;
        let today = Day::of(context.now().date());
        let changed = self.changed(&before, &settings, today)?;
        let shown_path = note.path.to_string();
        let view = |place: Option<usize>| {
            let line = changed.lines.get(place?)?;
            let number = self.line + u32::try_from(place?).unwrap_or(0);
            Some(TaskView::of_task(&shown_path, number, line.status, &line.task, &settings))
        };
        let (new_state, next) = (view(changed.own), view(changed.next));
        let prev_state = TaskView::of_task(&shown_path, self.line, before.status, &before.task, &settings);
        let reopens = reopens_old(&before, changed.own.and_then(|own| changed.lines.get(own)), &settings, today);
        let reason = format!("it reopens a task of {shown_path} that was done over {DAYS_DONE} days ago");
        let text = if changed.lines == [before] { note.text.clone() } else { with_lines(&note.text, range, &changed, &settings) };
        let line = new_state.as_ref().map_or(self.line, |state| state.line);
        let plan = note.plan(context, text, move |Written { path, content_hash, updated_at }| Outcome {
            path,
            line,
            updated_at,
            prev_state,
            new_state,
            next,
            content_hash,
        });
        Ok(plan.ask_if(reopens, reason))
    }
}

impl UpdateTask {
    /// The bytes of the line, without its line break, and the task in it.
    fn find(&self, text: &str, settings: &Settings) -> Result<(std::ops::Range<usize>, TaskLine), Failure> {
        let mut start = 0;
        for (number, line) in (1u32..).zip(text.split_inclusive('\n')) {
            if number == self.line {
                let content = line.trim_end_matches(['\n', '\r']);
                let is_item = Card::of(text).tasks().any(|item| item.line == number);
                if let Some(task) = TaskLine::read(content, settings.format).filter(|_| is_item) {
                    return Ok((start..start + content.len(), task));
                }
            }
            start += line.len();
        }
        Err(Failure::InvalidInput(vec![Issue::new("line", self.no_task(text))]))
    }

    fn no_task(&self, text: &str) -> String {
        let card = Card::of(text);
        let mut tasks: Vec<(u32, String)> = card
            .tasks()
            .map(|item| (item.line, item.text.lines().next().unwrap_or_default().chars().take(60).collect()))
            .collect();
        if tasks.is_empty() {
            return "is no task, and the note has none".into();
        }
        tasks.sort_by_key(|(line, _)| line.abs_diff(self.line));
        tasks.truncate(3);
        tasks.sort();
        let near: Vec<String> = tasks.into_iter().map(|(line, text)| format!("line {line} ({text})")).collect();
        format!("is no task; the nearest are {}", near.join(", "))
    }

    fn changed(&self, before: &TaskLine, settings: &Settings, today: Day) -> Result<Changed, Failure> {
        let mut line = before.clone();
        self.set.apply(&mut line, settings, today)?;
        let status = self.set.status.as_deref().map(|status| symbol(status, settings)).transpose()?;
        let inferred = today.date().and_then(|today| settings.date_of_name(&self.path, today));
        let status = status.unwrap_or(line.status);
        let mut changed = match settings.is_task(&line.task) {
            true => line.with_status(status, settings, today, inferred),
            // As in the app a box of a plain list is checked, and nothing else happens.
            false => Changed { lines: vec![TaskLine { status, ..line }], own: Some(0), next: None },
        };
        if let (Some(done), Some(own)) = (&self.set.done, changed.own) {
            let done = day("done", done, today)?;
            changed.lines[own].task.set_date(DateField::Done, done);
        }
        Ok(changed)
    }
}

impl Set {
    fn apply(&self, line: &mut TaskLine, settings: &Settings, today: Day) -> Result<(), Failure> {
        let task = &mut line.task;
        if let Some(description) = &self.description {
            let description = one_line("description", description)?;
            if description.is_empty() {
                return Err(issue("description", "must say something; leave it out to keep what the task says"));
            }
            task.description = description.into();
        }
        for (name, field, text) in [
            ("due", DateField::Due, &self.due),
            ("scheduled", DateField::Scheduled, &self.scheduled),
            ("start", DateField::Start, &self.start),
        ] {
            if let Some(text) = text {
                task.set_date(field, day(name, text, today)?);
            }
        }
        if let Some(level) = self.priority {
            task.priority = level.priority();
        }
        if let Some(rule) = &self.recur {
            let rule = one_line("recur", rule)?;
            task.recurrence = match rule {
                "" => None,
                rule => {
                    let written = WrittenRecurrence::read(rule);
                    if written.recurrence.is_none() {
                        let expected = "is not understood; write every day, every 2 weeks on Monday, every month on the last Friday or every year when done";
                        return Err(issue("recur", expected));
                    }
                    Some(Box::new(written))
                }
            };
        }
        let mut words = task.description.to_string();
        for tag in &self.remove_tags {
            words = without_tag(&words, &tag_of("remove_tags", tag)?);
        }
        for tag in &self.add_tags {
            let tag = tag_of("add_tags", tag)?;
            if !words.split_whitespace().any(|word| word.eq_ignore_ascii_case(&tag)) {
                words = format!("{words} {tag}").trim().to_owned();
            }
        }
        task.description = words.into();
        if self.description.is_none() && self.add_tags.is_empty() && self.remove_tags.is_empty() {
            return Ok(());
        }
        // What cannot be told apart from fields again would be lost.
        let again = TaskLine::read(&line.write(settings.format), settings.format);
        if again.as_ref().map(|again| &again.task.description) != Some(&line.task.description) {
            return Err(issue(
                "description",
                "must not end like a field of a task, such as a date with its sign; give due, priority and so on instead",
            ));
        }
        Ok(())
    }
}

impl Level {
    fn priority(self) -> Priority {
        match self {
            Level::Highest => Priority::Highest,
            Level::High => Priority::High,
            Level::Medium => Priority::Medium,
            Level::None => Priority::None,
            Level::Low => Priority::Low,
            Level::Lowest => Priority::Lowest,
        }
    }
}

fn issue(field: &str, expected: &str) -> Failure {
    Failure::InvalidInput(vec![Issue::new(&format!("set.{field}"), expected.to_owned())])
}

fn symbol(status: &str, settings: &Settings) -> Result<char, Failure> {
    if let Some(kind) = StatusType::find(status) {
        return settings.statuses.find_symbol(kind).ok_or_else(|| {
            let known: Vec<String> =
                settings.statuses.all().iter().map(|status| format!("{:?} ({})", status.symbol, status.name)).collect();
            let expected = format!(
                "is {status:?}, and the vault's statuses have no such type; give one of the characters {}",
                known.join(", ")
            );
            issue("status", &expected)
        });
    }
    let mut characters = status.chars();
    match (characters.next(), characters.next()) {
        // The app reads no box in []].
        (Some(symbol), None) if !symbol.is_control() && !"[]".contains(symbol) => Ok(symbol),
        _ => Err(issue("status", "must be todo, in_progress, on_hold, done, cancelled or one character other than [ and ]")),
    }
}

/// Nothing for an empty text.
fn day(field: &str, text: &str, today: Day) -> Result<Option<Day>, Failure> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let range = today.date().and_then(|today| DayRange::read(text, today)).filter(|range| range.from == range.to);
    match range.and_then(|range| Day::from_number(range.from)) {
        Some(day) => Ok(Some(day)),
        None => Err(issue(field, "must be a day such as 2026-12-01, tomorrow or next monday, or empty to remove it")),
    }
}

fn one_line<'t>(field: &str, text: &'t str) -> Result<&'t str, Failure> {
    if text.chars().any(char::is_control) {
        return Err(issue(field, "must be one line"));
    }
    Ok(text.trim())
}

fn tag_of(field: &str, tag: &str) -> Result<String, Failure> {
    let name = tag.trim().trim_start_matches('#');
    let is_tag = !name.is_empty()
        && !name.chars().any(|character| character.is_whitespace() || "!@#$%^&*(),.?\":{}|<>".contains(character));
    if is_tag {
        Ok(format!("#{name}"))
    } else {
        Err(issue(field, "must be tags such as work or area/home, without spaces and signs"))
    }
}

fn without_tag(text: &str, tag: &str) -> String {
    let words = text.split(' ').filter(|word| !word.eq_ignore_ascii_case(tag));
    words.collect::<Vec<_>>().join(" ").trim().to_owned()
}

fn reopens_old(before: &TaskLine, after: Option<&TaskLine>, settings: &Settings, today: Day) -> bool {
    let kind = |line: &TaskLine| settings.statuses.kind(line.status);
    let reopens = kind(before) == StatusType::Done && after.is_some_and(|after| !kind(after).is_finished());
    let done = before.task.date(DateField::Done).and_then(Day::number);
    reopens && done.zip(today.number()).is_some_and(|(done, today)| today - done > DAYS_DONE)
}

/// The text with other lines in the place of one.
fn with_lines(text: &str, range: std::ops::Range<usize>, changed: &Changed, settings: &Settings) -> String {
    let ending = match text[range.end..].starts_with("\r\n") {
        true => "\r\n",
        false if text[range.end..].starts_with('\n') => "\n",
        false => Eol::dominant(text).as_str(),
    };
    let lines: Vec<String> = changed.lines.iter().map(|line| line.write(settings.format)).collect();
    let mut end = range.end;
    if lines.is_empty() {
        // The line goes away with its line break.
        end += text[end..].len()
            - text[end..].strip_prefix("\r\n").or_else(|| text[end..].strip_prefix('\n')).unwrap_or(&text[end..]).len();
    }
    format!("{}{}{}", &text[..range.start], lines.join(ending), &text[end..])
}

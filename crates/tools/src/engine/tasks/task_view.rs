//! A task as answers show it.

use quillgate_query::tasks::{DateField, Day, Priority, Row, Settings, Task};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct TaskView {
    path: String,
    pub(super) line: u32,
    /// todo, in_progress, on_hold, done, cancelled or non_task
    status: String,
    /// The character between the brackets
    symbol: char,
    /// With its tags
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scheduled: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cancelled: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<&'static str>,
    tags: Vec<String>,
    /// When it comes again
    #[serde(skip_serializing_if = "Option::is_none")]
    recur: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Ids of tasks that must be done before
    #[serde(skip_serializing_if = "Vec::is_empty")]
    depends_on: Vec<String>,
    /// The heading above it
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<String>,
    /// The group it is shown in
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
}

impl TaskView {
    pub(super) fn of(row: &Row<'_>, settings: &Settings) -> TaskView {
        let view = TaskView::of_task(row.path, row.item.line, row.item.status, &row.item.task, settings);
        TaskView {
            heading: row.heading().map(str::to_owned),
            scheduled: row.date(DateField::Scheduled).as_ref().map(Day::to_string),
            ..view
        }
    }

    pub(super) fn in_group(self, group: Option<String>) -> TaskView {
        TaskView { group, ..self }
    }

    pub(super) fn of_task(path: &str, line: u32, symbol: char, task: &Task, settings: &Settings) -> TaskView {
        let date = |field| task.date(field).as_ref().map(Day::to_string);
        TaskView {
            path: path.to_owned(),
            line,
            status: settings.statuses.kind(symbol).name().to_lowercase(),
            symbol,
            description: task.description.to_string(),
            due: date(DateField::Due),
            scheduled: date(DateField::Scheduled),
            start: date(DateField::Start),
            done: date(DateField::Done),
            created: date(DateField::Created),
            cancelled: date(DateField::Cancelled),
            priority: (task.priority != Priority::None).then(|| task.priority.name()),
            tags: task.tags().map(|tag| tag.trim_start_matches('#').to_owned()).collect(),
            recur: task.recurrence.as_ref().map(|written| match &written.recurrence {
                Some(recurrence) => recurrence.to_text(),
                None => written.text.to_string(),
            }),
            id: task.id.as_deref().map(str::to_owned),
            depends_on: task.depends_on.iter().map(|id| id.to_string()).collect(),
            heading: None,
            group: None,
        }
    }
}

//! Tasks by their plain properties.

use jiff::civil::Date;
use quillgate_query::tasks::{DateField, Day, DayRange, Priority, Query, Row, StatusType};
use quillgate_vault::{FolderPath, NotePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::task_table::{answer, settings};
use super::task_view::TaskView;
use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::root::Root;
use crate::tool::{Spec, Tool};

/// List tasks (check boxes in notes) by path and line. All that is given must hold; of several statuses, priorities, tags or paths one is enough. tasks_filter asks for more.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListTasks {
    #[serde(default)]
    root: Root,
    /// Of these statuses; scheduled means open with a scheduled date
    #[serde(default)]
    #[schemars(length(max = 5))]
    status: Vec<Wanted>,
    /// When it is due
    #[serde(default)]
    due: Option<Due>,
    /// Of these priorities
    #[serde(default)]
    #[schemars(length(max = 5))]
    priority: Vec<Level>,
    /// With one of these tags, or a tag below one
    #[serde(default)]
    #[schemars(length(max = 50), inner(length(min = 1, max = 200)))]
    tags: Vec<String>,
    /// In these notes or folders
    #[serde(default)]
    #[schemars(length(max = 100), inner(length(min = 1, max = 1024)))]
    paths: Vec<String>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Wanted {
    Todo,
    Done,
    Cancelled,
    InProgress,
    Scheduled,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Level {
    Highest,
    High,
    Medium,
    Low,
    Lowest,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Due {
    /// Such as 2026-12-01 or tomorrow
    #[serde(default)]
    #[schemars(length(max = 100))]
    before: Option<String>,
    /// Such as 2026-12-01 or yesterday
    #[serde(default)]
    #[schemars(length(max = 100))]
    after: Option<String>,
    /// A day, or a range such as this week
    #[serde(default)]
    #[schemars(length(max = 100))]
    on: Option<String>,
}

impl Tool for ListTasks {
    const SPEC: Spec = Spec::reading("list_tasks", "List tasks").scopes(&["read:tasks"]);
    type Output = Page<TaskView>;

    fn run(self, context: &Context<'_>) -> Result<Page<TaskView>, Failure> {
        let folder = self.root.folder(context)?;
        let question = json!([folder.as_str(), self.status, self.due, self.priority, self.tags, self.paths]);
        let pager = Pager::new(Self::SPEC.name, &question, self.limit, self.max_tokens);
        let after = pager.after::<(String, u32)>(&self.cursor)?;
        let settings = settings(context)?;
        let today = context.now().date();
        let due = DueRanges::new(self.due.as_ref(), today)?;
        let paths = self.paths.iter().map(|path| NotePath::parse(path)).collect::<Result<Vec<NotePath>, _>>()?;
        let tags: Vec<String> = self.tags.iter().map(|tag| tag.trim_start_matches('#').to_lowercase()).collect();
        answer(context, &settings, &Query::default(), today, |found| {
            let fits = |row: &&Row<'_>| {
                let kind = settings.statuses.kind(row.item.status);
                let is_within = |path: &NotePath| {
                    row.path == path.as_str()
                        || NotePath::parse(row.path).is_ok_and(|own| FolderPath::from(path.clone()).contains(&own))
                };
                (folder.is_root() || NotePath::parse(row.path).is_ok_and(|own| folder.contains(&own)))
                    && (paths.is_empty() || paths.iter().any(is_within))
                    && (self.status.is_empty() || self.status.iter().any(|wanted| wanted.fits(kind, row)))
                    && (self.priority.is_empty() || self.priority.iter().any(|level| level.priority() == row.item.task.priority))
                    && (tags.is_empty() || row.item.task.tags().any(|tag| has_tag(&tags, tag)))
                    && due.fit(row.date(DateField::Due))
            };
            let mut rows: Vec<&Row<'_>> = found.rows.iter().filter(fits).collect();
            rows.sort_by_key(|row| (row.path, row.item.line));
            pager.page_of_all(rows, after, |row| (row.path.to_owned(), row.item.line), |row| TaskView::of(row, &settings))
        })
    }
}

impl Wanted {
    fn fits(self, kind: StatusType, row: &Row<'_>) -> bool {
        match self {
            Wanted::Todo => matches!(kind, StatusType::Todo | StatusType::OnHold),
            Wanted::Done => kind == StatusType::Done,
            Wanted::Cancelled => kind == StatusType::Cancelled,
            Wanted::InProgress => kind == StatusType::InProgress,
            Wanted::Scheduled => !kind.is_finished() && row.date(DateField::Scheduled).is_some(),
        }
    }
}

impl Level {
    fn priority(self) -> Priority {
        match self {
            Level::Highest => Priority::Highest,
            Level::High => Priority::High,
            Level::Medium => Priority::Medium,
            Level::Low => Priority::Low,
            Level::Lowest => Priority::Lowest,
        }
    }
}

fn has_tag(wanted: &[String], tag: &str) -> bool {
    let tag = tag.trim_start_matches('#').to_lowercase();
    wanted.iter().any(|wanted| tag.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

#[derive(Default)]
struct DueRanges {
    before: Option<DayRange>,
    after: Option<DayRange>,
    on: Option<DayRange>,
}

impl DueRanges {
    fn new(due: Option<&Due>, today: Date) -> Result<DueRanges, Failure> {
        let Some(due) = due else { return Ok(DueRanges::default()) };
        let read = |field: &str, text: &Option<String>| match text {
            None => Ok(None),
            Some(text) => DayRange::read(text, today).map(Some).ok_or_else(|| {
                let expected = format!("must be a date such as {today}, tomorrow or next monday, not {text:?}");
                Failure::InvalidInput(vec![Issue::new(&format!("due.{field}"), expected)])
            }),
        };
        Ok(DueRanges { before: read("before", &due.before)?, after: read("after", &due.after)?, on: read("on", &due.on)? })
    }

    fn fit(&self, due: Option<Day>) -> bool {
        if self.before.is_none() && self.after.is_none() && self.on.is_none() {
            return true;
        }
        due.and_then(Day::number).is_some_and(|due| {
            self.before.is_none_or(|range| due < range.from)
                && self.after.is_none_or(|range| due > range.to)
                && self.on.is_none_or(|range| range.from <= due && due <= range.to)
        })
    }
}

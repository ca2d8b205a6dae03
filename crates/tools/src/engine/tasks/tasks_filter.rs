//! Queries in the language of the Tasks plugin.

use quillgate_query::tasks::{Order, TaskAnswer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::task_table::{answer, read_query, settings};
use super::task_view::TaskView;
use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::tool::{Spec, Tool};

/// Find tasks with a query of the Tasks plugin, one instruction per line: not done, due before tomorrow, priority is above none, tags include #work, path includes x, is recurring, (a) OR (b), sort by due, group by path, limit 10. The vault's global query comes first, unless a line says ignore global query. Functions in JavaScript are not run.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TasksFilter {
    /// The query, as in a tasks block; empty for all tasks
    #[schemars(length(max = 20000))]
    filter: String,
    /// What to group by, such as path, due or tags; put before the groups of the query
    #[serde(default)]
    #[schemars(length(min = 1, max = 100))]
    group_by: Option<String>,
    /// What to sort by, such as due or urgency reverse; put before the sorting of the query
    #[serde(default)]
    #[schemars(length(min = 1, max = 100))]
    sort_by: Option<String>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    #[serde(flatten)]
    page: Page<TaskView>,
    /// If the query groups: all groups in their order; a task may be in several
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<Group>>,
    /// native: worked out here, without the plugin
    source: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct Group {
    key: String,
    count: usize,
}

/// Where a page ended: the task, and its place in case it has gone since.
type Place = (String, u32, Option<String>, usize);

impl Tool for TasksFilter {
    const SPEC: Spec = Spec::reading("tasks_filter", "Find tasks").scopes(&["read:tasks"]);
    type Output = Answer;

    fn run(self, context: &Context<'_>) -> Result<Answer, Failure> {
        let question = json!([self.filter, self.group_by, self.sort_by]);
        let pager = Pager::new(Self::SPEC.name, &question, self.limit, self.max_tokens);
        let after = pager.after::<Place>(&self.cursor)?;
        let settings = settings(context)?;
        let today = context.now().date();
        let mut query = read_query(&self.filter, &settings, today, "filter")?;
        if let Some(by) = &self.sort_by {
            query.sorting.insert(0, order("sort_by", by, Order::read_sort)?);
        }
        if let Some(by) = &self.group_by {
            query.grouping.insert(0, order("group_by", by, Order::read_group)?);
        }
        let is_grouped = !query.grouping.is_empty();
        answer(context, &settings, &query, today, |found| {
            let groups = is_grouped
                .then(|| found.groups.iter().map(|group| Group { key: group.key(), count: group.rows.len() }).collect());
            let places = places(&found, is_grouped);
            let start = after.map_or(0, |(path, line, group, place)| {
                let same = |(row, own): &(usize, Option<String>)| {
                    let row = &found.rows[*row];
                    row.path == path && row.item.line == line && *own == group
                };
                places.iter().position(same).map_or(place.min(places.len()), |at| at + 1)
            });
            let total = places.len();
            let shown = places.into_iter().enumerate().skip(start).take(pager.limit() + 1).map(|(place, (row, group))| {
                let row = &found.rows[row];
                let key: Place = (row.path.to_owned(), row.item.line, group.clone(), place);
                (key, TaskView::of(row, &settings).in_group(group))
            });
            Answer { page: pager.page(shown.collect(), false, Some(total)), groups, source: "native" }
        })
    }
}

/// The tasks in the order in which they are shown, with their groups.
fn places(found: &TaskAnswer<'_>, is_grouped: bool) -> Vec<(usize, Option<String>)> {
    let of_group = |group: &quillgate_query::tasks::TaskGroup| {
        let key = is_grouped.then(|| group.key());
        group.rows.iter().map(|row| (*row, key.clone())).collect::<Vec<_>>()
    };
    found.groups.iter().flat_map(of_group).collect()
}

fn order(field: &str, text: &str, read: fn(&str) -> Result<Order, String>) -> Result<Order, Failure> {
    read(text).map_err(|message| Failure::InvalidInput(vec![Issue::new(field, message)]))
}

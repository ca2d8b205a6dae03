//! Tasks: lines with a check box, as the Tasks plugin has them.

mod list_tasks;
mod task_table;
mod task_view;
mod tasks_filter;
mod update_task;

pub(super) use task_table::{answer, settings};

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "tasks",
    about: "List, find and change tasks (check boxes in notes), with the query language of the Tasks plugin.",
    tools: &[
        Registered::of::<list_tasks::ListTasks>(),
        Registered::changing::<update_task::UpdateTask>(),
        Registered::of::<tasks_filter::TasksFilter>(),
    ],
};

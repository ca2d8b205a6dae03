//! Tasks: lines with a check box, as the Tasks plugin reads, changes and finds them.

mod body;
mod change;
mod dataview;
mod day;
mod emoji;
mod groups;
mod line;
mod note_tasks;
mod query;
mod recurrence;
mod render;
mod run;
mod settings;
mod status;
mod task;
mod urgency;
#[cfg(test)]
mod vectors;

pub use change::Changed;
pub use day::Day;
pub use groups::TaskGroup;
pub use line::{TaskLine, is_outermost};
pub use note_tasks::{DataviewTasks, EmojiTasks, NoteTask, NoteTasks};
pub use query::{
    DateKey, DateRelation, DayRange, Element, ElementDate, Filter, Order, PriorityRelation, Property, Query, QueryContext,
    QueryFile, TextField, TextTest,
};
pub use recurrence::{Frequency, NthDay, Occurrence, Recurrence, Rule};
pub use render::render_markdown;
pub use run::{Row, TaskAnswer, run};
pub use settings::{PLUGIN, Settings, SettingsError, TaskFormat};
pub use status::{Status, StatusType, Statuses};
pub use task::{DateField, Priority, Task, WrittenRecurrence};

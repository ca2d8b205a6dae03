//! The tasks of a note, worked out once from its card.

use quillgate_index::{Card, FromCard};
use quillgate_vault::NotePath;

use super::settings::TaskFormat;
use super::task::Task;
use crate::collate::natural_key;

#[derive(Debug, PartialEq)]
pub struct NoteTask {
    /// From 1.
    pub line: u32,
    /// Spaces and quote marks before the marker.
    pub indentation: Box<str>,
    pub marker: Box<str>,
    pub status: char,
    /// The last heading above it, by its place in the note's list.
    heading: Option<u32>,
    pub task: Task,
}

impl NoteTask {
    /// What the plugin sorts and groups by as `status`: the box alone, from before there were types of statuses.
    pub(super) fn is_unchecked(&self) -> bool {
        self.status == ' '
    }
}

#[derive(Debug, PartialEq)]
pub struct NoteTasks {
    pub path: Box<str>,
    /// The path in lower case, for searching in it.
    pub(super) folded_path: Box<str>,
    /// Bytes that sort as the path does.
    pub(super) path_key: Box<[u8]>,
    pub tasks: Box<[NoteTask]>,
    headings: Box<[Box<str>]>,
}

impl NoteTasks {
    /// None if the note has no task.
    pub fn of(path: &str, card: &Card, format: TaskFormat) -> Option<NoteTasks> {
        let (mut headings, mut last_line) = (Vec::<Box<str>>::new(), None);
        let tasks: Box<[NoteTask]> = card
            .tasks()
            .map(|item| {
                let above = card.heading_above(item.line);
                if let Some(heading) = above.filter(|heading| Some(heading.line) != last_line) {
                    headings.push(heading.text.as_str().into());
                    last_line = Some(heading.line);
                }
                NoteTask {
                    line: item.line,
                    indentation: item.prefix.into(),
                    marker: item.marker.into(),
                    status: item.status.unwrap_or(' '),
                    heading: above.and(u32::try_from(headings.len()).ok()).and_then(|count| count.checked_sub(1)),
                    task: Task::read(item.text.lines().next().unwrap_or_default(), format),
                }
            })
            .collect();
        (!tasks.is_empty()).then(|| NoteTasks {
            path: path.into(),
            folded_path: path.to_lowercase().into(),
            path_key: natural_key(path).into(),
            tasks,
            headings: headings.into(),
        })
    }

    pub fn heading(&self, task: &NoteTask) -> Option<&str> {
        self.headings.get(task.heading? as usize).map(|heading| &**heading)
    }
}

/// Fields that begin with an emoji. Two types, since what is kept of a note may depend on nothing but its card.
#[derive(Debug)]
pub struct EmojiTasks(pub NoteTasks);

/// Fields in brackets.
#[derive(Debug)]
pub struct DataviewTasks(pub NoteTasks);

impl FromCard for EmojiTasks {
    fn from_card(path: &NotePath, card: &Card) -> Option<EmojiTasks> {
        NoteTasks::of(path.as_str(), card, TaskFormat::Emoji).map(EmojiTasks)
    }
}

impl FromCard for DataviewTasks {
    fn from_card(path: &NotePath, card: &Card) -> Option<DataviewTasks> {
        NoteTasks::of(path.as_str(), card, TaskFormat::Dataview).map(DataviewTasks)
    }
}

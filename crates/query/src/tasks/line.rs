//! A task in its line: what stands before the box is kept as it is.

use super::settings::TaskFormat;
use super::task::Task;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskLine {
    /// Spaces, tabs and quote marks.
    pub indentation: Box<str>,
    /// `-`, `*`, `+`, `1.` or `1)`, with the spaces behind it.
    pub marker: Box<str>,
    pub status: char,
    pub task: Task,
}

impl TaskLine {
    /// None if the line is no task. Without line break.
    pub fn read(line: &str, format: TaskFormat) -> Option<TaskLine> {
        let (indentation, rest) =
            split(line, line.trim_start_matches(|character: char| character.is_whitespace() || character == '>'));
        let (marker, rest) = split(rest, behind_marker(rest)?);
        let (spaces, rest) = split(rest, rest.trim_start_matches(' '));
        if spaces.is_empty() {
            return None;
        }
        let mut characters = rest.strip_prefix('[')?.chars();
        let status = characters.next()?;
        let text = characters.as_str().strip_prefix(']')?;
        Some(TaskLine {
            indentation: indentation.into(),
            marker: format!("{marker}{spaces}").into(),
            status,
            task: Task::read(text, format),
        })
    }

    pub fn write(&self, format: TaskFormat) -> String {
        format!("{}{}[{}] {}", self.indentation, self.marker, self.status, self.task.write(format))
    }
}

fn split<'a>(text: &'a str, rest: &'a str) -> (&'a str, &'a str) {
    (&text[..text.len() - rest.len()], rest)
}

fn behind_marker(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix(['-', '*', '+']) {
        return Some(rest);
    }
    let rest = text.trim_start_matches(|character: char| character.is_ascii_digit());
    if rest.len() == text.len() { None } else { rest.strip_prefix(['.', ')']) }
}

/// Whether a task with this text before its marker stands at the outermost level of its list.
pub fn is_outermost(indentation: &str) -> bool {
    match indentation.rfind('>') {
        None => indentation.is_empty(),
        Some(quote) => matches!(&indentation[quote + 1..], "" | " "),
    }
}

#[cfg(test)]
mod tests;

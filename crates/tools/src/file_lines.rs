//! Lines of files by their numbers, as they stand there now.

use quillgate_vault::NotePath;

use crate::context::Context;
use crate::note_text;

/// Longer lines, such as pictures in base64, are not worth showing as a whole.
const LONGEST_LINE: usize = 1000;

/// Reads each file once, as long as its lines are asked for one after the other.
pub(crate) struct FileLines<'a> {
    context: &'a Context<'a>,
    path: Option<NotePath>,
    lines: Vec<String>,
}

impl<'a> FileLines<'a> {
    pub(crate) fn new(context: &'a Context<'a>) -> FileLines<'a> {
        FileLines { context, path: None, lines: Vec::new() }
    }

    /// A line, from 1; nothing if it is very long, no text, or has just gone.
    pub(crate) fn find(&mut self, path: &NotePath, number: usize) -> Option<&str> {
        if self.path.as_ref() != Some(path) {
            self.path = Some(path.clone());
            self.lines = self.read(path).unwrap_or_default();
        }
        let line = self.lines.get(number.checked_sub(1)?)?;
        (line.len() <= LONGEST_LINE).then_some(line)
    }

    fn read(&self, path: &NotePath) -> Option<Vec<String>> {
        let contents = self.context.vault().read_text(path).ok()?;
        Some(note_text::shown(contents.text().ok()?).lines().map(str::to_owned).collect())
    }
}

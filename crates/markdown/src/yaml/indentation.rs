//! Refuses what is indented as the app does not accept it, where the scanner does.

use saphyr_parser::Span as Marks;

use super::{Reader, YamlError, error_at, trim_blanks};
use crate::span::{Span, line_end, line_start, next_line};

/// What a value stands in.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The column of the block around it; lines of a value are indented more.
    pub(super) column: Option<usize>,
    pub(super) is_flow: bool,
}

impl Reader<'_> {
    /// Whether a collection is written in brackets. Marks of a block are empty, unless it has an anchor or a tag.
    pub(super) fn is_flow(&self, marks: Marks) -> bool {
        if marks.start.index() == marks.end.index() {
            return false;
        }
        let mut rest = &self.text[self.byte(marks.start)..];
        while rest.starts_with(['&', '!']) {
            rest = rest.trim_start_matches(|letter: char| !letter.is_whitespace()).trim_start();
        }
        rest.starts_with(['[', '{'])
    }

    /// Enters a collection; returns the place to go back to.
    pub(super) fn open(&mut self, marks: Marks) -> Place {
        let outer = self.place;
        match self.is_flow(marks) {
            true => self.place.is_flow = true,
            // Known from its items and keys: anchors and tags stand before the start.
            false => self.place.column = None,
        }
        outer
    }

    pub(super) fn close(&mut self, outer: Place, marks: Marks) -> Result<(), YamlError> {
        self.place = outer;
        if self.is_flow(marks) && !outer.is_flow {
            self.check_lines(self.byte(marks.start)..self.last_end, self.last_end.checked_sub(1))?;
        }
        Ok(())
    }

    /// A key or an item of a block starts here; what is before it on its line is indentation, of which the scanner accepts tabs.
    pub(super) fn enter_block(&mut self, marks: Marks, has_dash: bool) -> Result<(), YamlError> {
        if self.place.is_flow {
            return Ok(());
        }
        let start = self.byte(marks.start);
        let before = &self.text[line_start(self.text, start)..start];
        let indent = before.len() - before.trim_start_matches([' ', '-']).len();
        let blanks = &before[..before.len() - before.trim_start_matches([' ', '\t']).len()];
        if blanks.contains('\t') && (!has_dash && blanks == before || before[blanks.len()..].starts_with('-')) {
            return Err(error_at(marks, "tabs are not allowed as indentation; use spaces"));
        }
        self.place.column = match has_dash {
            true => before[..indent].rfind('-'),
            false => (indent == before.len()).then_some(indent),
        };
        Ok(())
    }

    /// The scanner accepts lines that are indented no more than the block around them; to the app the value ends there. Only the bracket that
    /// closes it may stand below the start of the block.
    pub(super) fn check_lines(&self, span: Span, bracket: Option<usize>) -> Result<(), YamlError> {
        let Some(column) = self.place.column else { return Ok(()) };
        let mut start = next_line(self.text, span.start);
        while start < span.end {
            let line = &self.text[start..line_end(self.text, start)];
            let content = line.trim_start_matches(' ');
            let indent = line.len() - content.len();
            let closes = bracket == Some(start + indent) && indent == column;
            if indent <= column && !closes && !trim_blanks(content).is_empty() {
                let line = self.text[..start].matches('\n').count() + 1;
                let message = "a value that goes on over lines must be indented more than its key".to_owned();
                return Err(YamlError { line, message });
            }
            start = next_line(self.text, start);
        }
        Ok(())
    }
}

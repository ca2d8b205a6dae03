//! Reading one note.

use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::Deserialize;

use super::note_view::{NoteView, Part, Wanted};
use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::page::room_of;
use crate::tool::{Spec, Tool};

/// Read a note: its text, its properties and the hash to change it safely with. Give section for one heading, offset and limit for some lines, or detail=outline to see only the headings of a long note.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadNote {
    /// Note, relative to the vault, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Also return the properties as an object; without it content leaves the frontmatter out too
    #[serde(default = "yes")]
    include_frontmatter: bool,
    /// Return the text
    #[serde(default = "yes")]
    include_content: bool,
    /// Also return size and times of the file
    #[serde(default)]
    include_stats: bool,
    /// First line to return, from 1; lines count from the top of the file
    #[serde(default)]
    #[schemars(range(min = 1))]
    offset: Option<usize>,
    /// Most lines to return
    #[serde(default)]
    #[schemars(range(min = 1))]
    limit: Option<usize>,
    /// Only the section below this heading; Parent#Child where a heading stands more than once
    #[serde(default)]
    #[schemars(length(min = 1, max = 1000))]
    section: Option<String>,
    /// full returns the text, outline the headings with their lines and sizes
    #[serde(default)]
    detail: Detail,
    /// Answer the dataview, tasks, base and query blocks of the text where they stand, as the app shows them
    #[serde(default)]
    render_queries: bool,
    /// Cut the text so that the answer takes about this many tokens
    #[serde(default)]
    #[schemars(range(min = 1))]
    max_tokens: Option<u64>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Detail {
    #[default]
    Full,
    Outline,
}

fn yes() -> bool {
    true
}

impl Tool for ReadNote {
    const SPEC: Spec = Spec::reading("read_note", "Read a note").quick_unless("render_queries");
    type Output = NoteView;

    fn run(self, context: &Context<'_>) -> Result<NoteView, Failure> {
        let wanted = Wanted {
            part: self.part()?,
            frontmatter: self.include_frontmatter,
            stats: self.include_stats,
            answers: self.render_queries,
            room: room_of(self.max_tokens),
        };
        NoteView::read(context, &NotePath::parse(&self.path)?, &wanted)
    }
}

impl ReadNote {
    fn part(&self) -> Result<Part<'_>, Failure> {
        let by_lines = self.offset.is_some() || self.limit.is_some();
        let section = self.section.as_deref();
        if by_lines && (section.is_some() || self.detail == Detail::Outline) {
            let issue = Issue::new("offset", "and limit cannot go with section or detail=outline; give one of them".to_owned());
            return Err(Failure::InvalidInput(vec![issue]));
        }
        Ok(match (self.detail, section) {
            (Detail::Outline, below) => Part::Outline { below },
            _ if !self.include_content => Part::Nothing,
            (Detail::Full, Some(section)) => Part::Section(section),
            (Detail::Full, None) if by_lines => Part::Lines { first: self.offset.unwrap_or(1), count: self.limit },
            (Detail::Full, None) => Part::All,
        })
    }
}

//! A note as it is shown: as much of it as was asked for and as there is room for.

use quillgate_markdown::{Frontmatter, Heading, Note, one_heading};
use quillgate_vault::{Contents, NotePath, Stat};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::query_blocks::{QueryBlock, answer_queries};
use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::{count_lines, line_at, line_span, property_map, shown};
use crate::time;

/// What stands around the content: names of fields, path, hash, counts.
const FRAME_BYTES: usize = 400;

#[derive(Serialize, JsonSchema)]
pub(crate) struct NoteView {
    path: String,
    /// Text of the file, or of the part that was asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// First and last line of content, when it is not the whole file
    #[serde(skip_serializing_if = "Option::is_none")]
    showing: Option<[usize; 2]>,
    /// Headings instead of content
    #[serde(skip_serializing_if = "Option::is_none")]
    outline: Option<Vec<OutlineLine>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frontmatter: Option<Map<String, Value>>,
    /// Why the frontmatter could not be read
    #[serde(skip_serializing_if = "Option::is_none")]
    frontmatter_error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<Stats>,
    /// Of the whole file
    total_lines: usize,
    /// SHA-256 of the whole file, to give back as expected_hash
    content_hash: String,
    /// There was no room for the rest: read on with offset
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// Bytes that were left out
    #[serde(skip_serializing_if = "Option::is_none")]
    overflow_bytes: Option<usize>,
    /// With render_queries: the queries of the text, whose answers stand in their places
    #[serde(skip_serializing_if = "Option::is_none")]
    queries: Option<Vec<QueryBlock>>,
}

#[derive(Serialize, JsonSchema)]
struct Stats {
    size: u64,
    mtime: String,
    /// When the file was made, where the file system knows
    #[serde(skip_serializing_if = "Option::is_none")]
    ctime: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct OutlineLine {
    level: u8,
    text: String,
    line: usize,
    /// Lines of its section, with its sub-headings
    lines: usize,
    /// Size of its section
    bytes: usize,
}

/// Which part of a note is wanted.
pub(super) enum Part<'a> {
    Nothing,
    All,
    Lines { first: usize, count: Option<usize> },
    Section(&'a str),
    Outline { below: Option<&'a str> },
}

/// What is wanted of a note.
pub(super) struct Wanted<'a> {
    pub(super) part: Part<'a>,
    pub(super) frontmatter: bool,
    pub(super) stats: bool,
    /// Whether queries are answered where they stand.
    pub(super) answers: bool,
    /// The most bytes that the answer may have.
    pub(super) room: usize,
}

impl NoteView {
    pub(super) fn read(context: &Context<'_>, path: &NotePath, wanted: &Wanted<'_>) -> Result<NoteView, Failure> {
        let contents = context.vault().read_text(path)?;
        let text = shown(contents.text()?);
        let mut view = NoteView::without_text(&contents, count_lines(&text));
        view.stats = wanted.stats.then(|| Stats::of(&contents.stat));
        let block = if path.is_note() { Frontmatter::find(&text) } else { None };
        if wanted.frontmatter && path.is_note() {
            view.show_frontmatter(block.as_ref());
        }
        let taken = view.frontmatter.as_ref().map_or(0, |found| serde_json::to_vec(found).map_or(0, |json| json.len()));
        let room = wanted.room.saturating_sub(FRAME_BYTES + taken);
        let part = match wanted.part {
            Part::Nothing => return Ok(view),
            Part::Outline { below } => {
                view.show_outline(&text, below, room)?;
                return Ok(view);
            }
            Part::Section(section) => {
                let heading = one_heading(&Note::parse(&text), section)?.clone();
                heading.span.start..heading.content.end
            }
            Part::Lines { first, count } => {
                let last = count.map_or(view.total_lines, |count| first.saturating_add(count - 1).min(view.total_lines));
                must_be_inside(first, view.total_lines)?;
                line_span(&text, first, last)
            }
            Part::All => block.filter(|_| !wanted.frontmatter).map_or(0, |block| block.block.end)..text.len(),
        };
        if wanted.answers && path.is_note() {
            let (answered, queries) = answer_queries(context, path, &text, part.clone())?;
            view.queries = Some(queries);
            view.show_answered(&text, part, &answered, room);
        } else {
            view.show(&text, part, room);
        }
        Ok(view)
    }

    fn without_text(contents: &Contents, total_lines: usize) -> NoteView {
        NoteView {
            path: contents.path.to_string(),
            content: None,
            showing: None,
            outline: None,
            frontmatter: None,
            frontmatter_error: None,
            stats: None,
            total_lines,
            content_hash: contents.hash().to_string(),
            truncated: None,
            overflow_bytes: None,
            queries: None,
        }
    }

    fn show_frontmatter(&mut self, block: Option<&Frontmatter>) {
        match block.map(|block| &block.properties) {
            None => self.frontmatter = Some(Map::new()),
            Some(Ok(properties)) => self.frontmatter = Some(property_map(properties)),
            Some(Err(error)) => self.frontmatter_error = Some(format!("not valid YAML: {error}")),
        }
    }

    /// As much of a part as fits, in whole lines if there are several.
    fn show(&mut self, text: &str, part: std::ops::Range<usize>, room: usize) {
        let whole = &text[part.clone()];
        let mut end = fitting(whole, room);
        if end < whole.len() {
            end = memchr::memrchr(b'\n', &whole.as_bytes()[..end]).map_or(end, |newline| newline + 1);
            self.truncated = Some(true);
            self.overflow_bytes = Some(whole.len() - end);
        }
        let content = &whole[..end];
        if content.len() < text.len() {
            let first = line_at(text, part.start);
            self.showing = Some([first, first + count_lines(content).max(1) - 1]);
        }
        self.content = Some(content.to_owned());
    }

    /// Lines are those of the file, whatever stands there now.
    fn show_answered(&mut self, text: &str, part: std::ops::Range<usize>, answered: &str, room: usize) {
        self.show(answered, 0..answered.len(), room);
        if part.len() < text.len() {
            let first = line_at(text, part.start);
            self.showing = Some([first, first + count_lines(&text[part]).max(1) - 1]);
        }
    }

    fn show_outline(&mut self, text: &str, below: Option<&str>, room: usize) -> Result<(), Failure> {
        let note = Note::parse(text);
        let part = match below {
            Some(section) => {
                let heading = one_heading(&note, section)?;
                heading.span.start..heading.content.end
            }
            None => 0..text.len(),
        };
        let mut outline = Vec::new();
        let mut bytes = 0;
        for heading in note.headings.iter().filter(|heading| part.contains(&heading.span.start)) {
            let line = OutlineLine::of(text, heading);
            bytes += serde_json::to_vec(&line).map_or(0, |json| json.len() + 1);
            if bytes > room {
                self.truncated = Some(true);
                break;
            }
            outline.push(line);
        }
        self.outline = Some(outline);
        Ok(())
    }
}

impl OutlineLine {
    fn of(text: &str, heading: &Heading) -> OutlineLine {
        let section = &text[heading.span.start..heading.content.end];
        OutlineLine {
            level: heading.level,
            text: heading.text.clone(),
            line: heading.line,
            lines: count_lines(section),
            bytes: section.len(),
        }
    }
}

impl Stats {
    fn of(stat: &Stat) -> Stats {
        Stats { size: stat.size, mtime: time::shown(stat.modified), ctime: stat.created.map(time::shown) }
    }
}

fn must_be_inside(first: usize, total: usize) -> Result<(), Failure> {
    if first <= total.max(1) {
        return Ok(());
    }
    let told = format!("offset {first} is outside the note, which has {total} lines; give one from 1 to {}", total.max(1));
    Err(Failure::InvalidRange(told))
}

/// How much of a text JSON writes in so many bytes; always whole characters.
fn fitting(text: &str, room: usize) -> usize {
    const LONGEST_ESCAPE: usize = 6;
    if text.len().saturating_mul(LONGEST_ESCAPE) <= room {
        return text.len();
    }
    let mut bytes = 0;
    for (offset, character) in text.char_indices() {
        bytes += match character {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            '\0'..='\u{1f}' => LONGEST_ESCAPE,
            other => other.len_utf8(),
        };
        if bytes > room {
            return offset;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_measured_as_json_writes_it() {
        for text in ["plain", "a\"b\\c\nd\te\u{1}f", "äö🚀", ""] {
            let whole = serde_json::to_string(text).map_or(0, |json| json.len() - 2);
            assert_eq!(fitting(text, whole), text.len(), "{text:?}");
            for room in 0..whole {
                let end = fitting(text, room);
                let json = serde_json::to_string(&text[..end]).map_or(0, |json| json.len() - 2);
                assert!(end < text.len() && json <= room, "{text:?} in {room}");
            }
        }
    }
}

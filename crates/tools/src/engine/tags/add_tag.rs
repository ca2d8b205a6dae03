//! Adding a tag to a note.

use quillgate_markdown::{Edit, Eol, Note, Value, add_to_list};
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::note_tag::{is_same, parse_tag};
use crate::context::Context;
use crate::expected_hash::ExpectedHash;
use crate::failure::Failure;
use crate::note_edit::NoteEdit;
use crate::note_text::must_be_note;
use crate::plan::Plan;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};

/// Add a tag to a note, to its frontmatter or at the end of its text. One that is there already, whatever its case, is not added again.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddTag {
    /// Note, relative to the vault, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Tag such as work or area/work, with or without #
    #[schemars(length(min = 1, max = 200))]
    tag: String,
    /// Where it goes
    #[serde(default)]
    location: Location,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Location {
    #[default]
    Frontmatter,
    InlineEnd,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    updated_at: String,
    /// False when it was there already
    added: bool,
    content_hash: String,
}

impl ChangeTool for AddTag {
    const SPEC: Spec = Spec::writing("add_tag", "Add a tag", Effect::Add, Idempotency::Natural);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = NotePath::parse(&self.path)?;
        must_be_note(&path)?;
        let tag = parse_tag(&self.tag)?;
        let note = NoteEdit::read(context, path, &ExpectedHash::default())?;
        let after = match self.location {
            Location::Frontmatter => in_frontmatter(&note.text, tag)?,
            Location::InlineEnd => at_end(&note.text, tag)?,
        };
        let added = after != note.text;
        Ok(note.plan(context, after, move |changed| Outcome {
            path: changed.path,
            updated_at: changed.updated_at,
            added,
            content_hash: changed.content_hash,
        }))
    }
}

fn in_frontmatter(text: &str, tag: &str) -> Result<String, Failure> {
    if Note::parse(text).property_tags().iter().any(|known| is_same(known, tag)) {
        return Ok(text.to_owned());
    }
    Ok(add_to_list(text, "tags", &Value::Text(tag.to_owned()))?.apply(text))
}

fn at_end(text: &str, tag: &str) -> Result<String, Failure> {
    let note = Note::parse(text);
    if note.tags.iter().any(|known| is_same(&known.name, tag)) {
        return Ok(text.to_owned());
    }
    let after = last_line_edit(text, &note, tag).apply(text);
    // An open code block or comment would swallow it.
    let is_tag = Note::parse(&after).tags.iter().any(|known| is_same(&known.name, tag));
    if !is_tag {
        let told = "the note ends inside code or a comment, where a tag would be text; use location frontmatter";
        return Err(Failure::Edit(told.to_owned()));
    }
    Ok(after)
}

/// Behind the tags of a last line that has nothing else, or on a line of its own below an empty one: right below a paragraph or
/// a table it would become a part of it.
fn last_line_edit(text: &str, note: &Note, tag: &str) -> Edit {
    let eol = Eol::dominant(text).as_str();
    let end = text.trim_end().len();
    let start = text[..end].rfind('\n').map_or(0, |newline| newline + 1).max(note.body.min(end));
    let line = &text[start..end];
    let is_tag = |word: &str| note.tags.iter().any(|tag| &text[tag.span.clone()] == word);
    if !line.trim().is_empty() && line.split_whitespace().all(is_tag) {
        return Edit::insert(end, format!(" #{tag}"));
    }
    let body = &text[note.body.min(text.len())..];
    let gap = match () {
        () if body.trim().is_empty() && (text.is_empty() || text.ends_with('\n') || note.frontmatter.is_none()) => String::new(),
        () if body.trim().is_empty() => eol.to_owned(),
        () if text.ends_with("\n\n") || text.ends_with("\n\r\n") => String::new(),
        () if text.ends_with('\n') => eol.to_owned(),
        () => format!("{eol}{eol}"),
    };
    Edit::insert(text.len(), format!("{gap}#{tag}{eol}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str) {
        assert_eq!(at_end(before, "new").expect(before), after);
    }

    #[test]
    fn a_tag_at_the_end_stands_apart() {
        check("", "#new\n");
        check("text", "text\n\n#new\n");
        check("text ^id\r\n", "text ^id\r\n\r\n#new\r\n");
        check("text\n\n", "text\n\n#new\n");
        check("text\n\n#a #b/c\n", "text\n\n#a #b/c #new\n");
        check("#a text\n", "#a text\n\n#new\n");
        check("---\na: 1\n---\n", "---\na: 1\n---\n#new\n");
        check("---\na: 1\n---", "---\na: 1\n---\n#new\n");
        check("\u{feff}", "\u{feff}#new\n");
        check("# New\n#NEW\n", "# New\n#NEW\n");
        check("| a |\n|---|\n| 1 |\n", "| a |\n|---|\n| 1 |\n\n#new\n");
    }

    #[test]
    fn a_tag_is_not_written_where_it_would_be_text() {
        for open in ["```\ncode\n", "%%\ncomment\n"] {
            assert!(at_end(open, "new").is_err(), "{open:?}");
        }
    }
}

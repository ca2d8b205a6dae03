//! Removing a tag from a note.

use quillgate_markdown::{Edit, Edits, Note, Span, Value, fold, remove_from_list};
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

/// Remove a tag from a note, wherever it stands as a tag. Case does not matter; area does not mean area/work. Code, links and addresses stay as they are.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveTag {
    /// Note, relative to the vault, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Tag such as work or area/work, with or without #
    #[schemars(length(min = 1, max = 200))]
    tag: String,
    /// Where to remove it from
    #[serde(default)]
    from: From,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum From {
    #[default]
    All,
    Frontmatter,
    Inline,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    updated_at: String,
    /// Of frontmatter and inline, those where it was
    removed_from: Vec<&'static str>,
    content_hash: String,
}

impl ChangeTool for RemoveTag {
    const SPEC: Spec = Spec::writing("remove_tag", "Remove a tag", Effect::Change, Idempotency::Natural);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = NotePath::parse(&self.path)?;
        must_be_note(&path)?;
        let tag = parse_tag(&self.tag)?;
        let note = NoteEdit::read(context, path, &ExpectedHash::default())?;
        let (mut after, mut removed_from) = (note.text.clone(), Vec::new());
        if self.from != From::Inline {
            let without = without_property_tag(&after, tag)?;
            removed_from.extend((without != after).then_some("frontmatter"));
            after = without;
        }
        if self.from != From::Frontmatter {
            let without = without_inline_tag(&after, tag)?;
            removed_from.extend((without != after).then_some("inline"));
            after = without;
        }
        Ok(note.plan(context, after, move |changed| Outcome {
            path: changed.path,
            updated_at: changed.updated_at,
            removed_from,
            content_hash: changed.content_hash,
        }))
    }
}

fn without_property_tag(text: &str, tag: &str) -> Result<String, Failure> {
    let is_it = |value: &Value| match value {
        Value::Text(name) => is_same(name.trim().trim_start_matches('#'), tag),
        Value::Integer(number) => is_same(&number.to_string(), tag),
        _ => false,
    };
    if Note::parse(text).find_property("tags").is_none() {
        return Ok(text.to_owned());
    }
    Ok(remove_from_list(text, "tags", is_it)?.apply(text))
}

fn without_inline_tag(text: &str, tag: &str) -> Result<String, Failure> {
    let before = Note::parse(text);
    let spans: Vec<Span> = before.tags.iter().filter(|found| is_same(&found.name, tag)).map(|found| found.span.clone()).collect();
    if spans.is_empty() {
        return Ok(text.to_owned());
    }
    // Taking the blanks beside it along reads best; where that would change what the text is, they stay.
    for cut in [with_blanks, with_nothing] {
        let edits = merged(spans.iter().map(|span| cut(text, span))).into_iter().map(|span| Edit::replace(span, ""));
        let after = Edits::new(edits.collect())?.apply(text);
        if is_otherwise_the_same(&before, &Note::parse(&after), tag) {
            return Ok(after);
        }
    }
    let told = format!("#{tag} cannot be removed without changing the text around it; edit its lines with patch_note");
    Err(Failure::Edit(told))
}

/// Two tags side by side may claim the same blanks.
fn merged(spans: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

fn with_nothing(_: &str, span: &Span) -> Span {
    span.clone()
}

/// The tag with the blanks before it, or those behind it at the start of a line; the whole line where nothing else stands on it
/// but the mark of a list item.
fn with_blanks(text: &str, span: &Span) -> Span {
    let line_start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[span.end..].find('\n').map_or(text.len(), |newline| span.end + newline + 1);
    let (before, behind) = (&text[line_start..span.start], &text[span.end..line_end]);
    let mark = before.trim();
    if behind.trim().is_empty() && (mark.is_empty() || is_list_mark(mark)) {
        return line_start..line_end;
    }
    let is_start = mark.is_empty() || mark.chars().all(|c| c == '>') || is_list_mark(mark);
    if is_start {
        let blanks = behind.len() - behind.trim_start_matches([' ', '\t']).len();
        return span.start..span.end + blanks;
    }
    // What follows directly would be joined to the word before.
    let is_followed = behind.chars().next().is_some_and(|c| !c.is_whitespace() && !".,;:!?)".contains(c));
    let blanks = before.len() - before.trim_end_matches([' ', '\t']).len();
    span.start - if is_followed { 0 } else { blanks }..span.end
}

fn is_list_mark(text: &str) -> bool {
    let number = text.trim_end_matches(['.', ')']);
    matches!(text, "-" | "*" | "+") || (number.len() + 1 == text.len() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether all that is gone is the tag.
fn is_otherwise_the_same(before: &Note, after: &Note, tag: &str) -> bool {
    let others = |note: &Note| -> Vec<String> {
        note.tags.iter().filter(|found| !is_same(&found.name, tag)).map(|found| fold(&found.name)).collect()
    };
    let levels = |note: &Note| note.headings.iter().map(|heading| heading.level).collect::<Vec<_>>();
    let links = |note: &Note| note.links.iter().map(|link| (link.path.clone(), link.subpath.clone())).collect::<Vec<_>>();
    let blocks = |note: &Note| note.blocks.iter().map(|block| block.id.clone()).collect::<Vec<_>>();
    !after.tags.iter().any(|found| is_same(&found.name, tag))
        && others(before) == others(after)
        && levels(before) == levels(after)
        && links(before) == links(after)
        && blocks(before) == blocks(after)
        && before.tasks.len() >= after.tasks.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str) {
        assert_eq!(without_inline_tag(before, "tag").expect(before), after);
    }

    #[test]
    fn a_tag_goes_with_the_blanks_that_only_it_needed() {
        check("a #tag b #Tag\n", "a b\n");
        check("#tag b\n", "b\n");
        check("a\n#tag\nb\n", "a\nb\n");
        check("a\r\n\r\n#other #tag\r\n", "a\r\n\r\n#other\r\n");
        check("- [ ] do #tag\n- #tag x\n- #tag\n", "- [ ] do\n- x\n");
        check("> #tag q\n", "> q\n");
        check("a #tag #tag #b\n#tag #tag\n", "a #b\n\n");
        check("## A #tag\n", "## A\n");
    }

    #[test]
    fn what_is_no_such_tag_stays() {
        let text =
            "(#tag) #tag/sub #tagged `#tag` [[a#tag]] https://x.example/#tag\n\n```\n#tag\n```\n%%#tag%%\n[l](u#tag) \\#tag\n";
        check(text, text);
    }

    #[test]
    fn the_structure_around_a_tag_stays() {
        check("text\n- #tag\n", "text\n");
        check("a #tag, b #tag*\n", "a, b *\n");
        assert!(without_inline_tag("a #tag#c\n", "tag").is_err(), "another tag would appear");
        assert!(without_inline_tag("#tag # no heading\n", "tag").is_err(), "it would become one");
    }
}

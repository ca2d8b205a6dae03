//! Changing a part of a note.

use quillgate_markdown::{
    Edit, Edits, Note, Position, ReplaceError, Value, add_to_list, extend_block, parse_yaml, replace_block, replace_counted,
    replace_heading_content, set_property, under_heading,
};
use quillgate_vault::{NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::expected_hash::ExpectedHash;
use crate::failure::{Failure, Issue};
use crate::note_edit::NoteEdit;
use crate::note_text::{must_be_note, must_take_text};
use crate::plan::Plan;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Spec};

/// What a passage that stands many times may become in all.
const MOST_ADDED: u64 = 64 << 20;

/// Change a part of a note and leave the rest as it is. Either replace old_string, copied exactly from the note, by new_string; or give anchor, operation and content to work on the section of a heading, on a block with an id, or on a property.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PatchNote {
    /// Note, relative to the vault, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// The passage to replace, spaces and line breaks included
    #[serde(default)]
    #[schemars(length(min = 1))]
    old_string: Option<String>,
    /// What stands there instead; empty removes the passage
    #[serde(default)]
    new_string: Option<String>,
    /// How often old_string stands in the note; all of them are replaced, and another number changes nothing
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000))]
    expected_occurrences: Option<usize>,
    /// The part of the note to work on
    #[serde(default)]
    anchor: Option<Anchor>,
    /// What to do there
    #[serde(default)]
    operation: Option<Operation>,
    /// Markdown for a heading or block; for a property a value as YAML writes it, such as done, 5 or [a, b]
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    expected_hash: ExpectedHash,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Anchor {
    /// What value names
    r#type: AnchorType,
    /// Heading or Parent#Child; block id, with or without ^; name of a property
    #[schemars(length(min = 1, max = 1000))]
    value: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum AnchorType {
    Heading,
    Block,
    Frontmatter,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Operation {
    #[default]
    Append,
    Prepend,
    Replace,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    updated_at: String,
    occurrences_replaced: usize,
    content_hash: String,
}

/// One of the two ways to say what changes.
enum Patch<'a> {
    Passage { old: &'a str, new: &'a str, times: usize },
    Anchored { anchor: &'a Anchor, operation: Operation, content: &'a str },
}

impl ChangeTool for PatchNote {
    const SPEC: Spec = Spec::writing("patch_note", "Change part of a note", Effect::Change, Idempotency::Repeats)
        .confirm(Confirm::When("if the replaced span crosses a heading"));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = NotePath::parse(&self.path)?;
        let patch = self.patch()?;
        match &patch {
            Patch::Anchored { anchor, .. } if anchor.r#type == AnchorType::Frontmatter => must_be_note(&path)?,
            _ => must_take_text(&path)?,
        }
        let note = NoteEdit::read(context, path, &self.expected_hash)?;
        let edits = patch.edits(&note)?;
        let after = edits.apply(&note.text);
        let crossed = crossed_heading(&note.text, &edits, &after);
        let reason = crossed.as_ref().map(|heading| format!("what it replaces crosses the heading {heading:?}"));
        let occurrences_replaced = edits.as_slice().len();
        let plan = note.plan(context, after, move |changed| Outcome {
            path: changed.path,
            updated_at: changed.updated_at,
            occurrences_replaced,
            content_hash: changed.content_hash,
        });
        Ok(plan.ask_if(reason.is_some(), reason.unwrap_or_default()))
    }
}

impl PatchNote {
    fn patch(&self) -> Result<Patch<'_>, Failure> {
        let refused = |field: &str, expected: &str| Err(Failure::InvalidInput(vec![Issue::new(field, expected.to_owned())]));
        match (&self.old_string, &self.anchor) {
            (Some(_), Some(_)) => refused("anchor", "cannot go with old_string; give one of them"),
            (None, None) => refused("old_string", "is required, or anchor"),
            (Some(old), None) => match (&self.new_string, self.operation, &self.content) {
                (Some(new), None, None) => Ok(Patch::Passage { old, new, times: self.expected_occurrences.unwrap_or(1) }),
                (None, ..) => refused("new_string", "is required with old_string; give an empty text to remove the passage"),
                _ => refused("content", "and operation go with anchor; with old_string give new_string alone"),
            },
            (None, Some(anchor)) => match (&self.content, &self.new_string, self.expected_occurrences) {
                (Some(content), None, None) => {
                    Ok(Patch::Anchored { anchor, operation: self.operation.unwrap_or_default(), content })
                }
                (None, ..) => refused("content", "is required with anchor"),
                _ => refused("new_string", "and expected_occurrences go with old_string; with anchor give content"),
            },
        }
    }
}

impl Patch<'_> {
    fn edits(&self, note: &NoteEdit) -> Result<Edits, Failure> {
        let text = note.text.as_str();
        match *self {
            Patch::Passage { old, new, times } => {
                let size = times.saturating_mul(new.len()) as u64;
                if size > MOST_ADDED {
                    return Err(VaultError::TooLarge { path: note.path.clone(), size, limit: MOST_ADDED }.into());
                }
                replace_counted(text, old, new, times).map_err(|error| not_replaced(&note.path, error))
            }
            Patch::Anchored { anchor, operation, content } => match anchor.r#type {
                AnchorType::Heading => Ok(in_section(text, &anchor.value, operation, content)?.into()),
                AnchorType::Block => Ok(in_block(text, &anchor.value, operation, content)?.into()),
                AnchorType::Frontmatter => in_property(text, &anchor.value, operation, content),
            },
        }
    }
}

fn not_replaced(path: &NotePath, error: ReplaceError) -> Failure {
    Failure::Edit(match error {
        ReplaceError::NotFound => format!("old_string is not in {path}; read the note again and copy it exactly"),
        ReplaceError::NotUnique(found) | ReplaceError::Miscounted { found, .. } => format!(
            "old_string stands in {path} {found} times; include more of the lines around it, or give expected_occurrences {found}"
        ),
        ReplaceError::Empty => "old_string is empty; copy the passage to replace from the note".to_owned(),
    })
}

fn in_section(text: &str, heading: &str, operation: Operation, content: &str) -> Result<Edit, Failure> {
    let note = Note::parse(text);
    Ok(match operation {
        Operation::Append => under_heading(&note, text, heading, Position::End, content)?,
        Operation::Prepend => under_heading(&note, text, heading, Position::Start, content)?,
        Operation::Replace => replace_heading_content(&note, text, heading, content)?,
    })
}

fn in_block(text: &str, id: &str, operation: Operation, content: &str) -> Result<Edit, Failure> {
    let note = Note::parse(text);
    Ok(match operation {
        Operation::Append => extend_block(&note, text, id, Position::End, content)?,
        Operation::Prepend => extend_block(&note, text, id, Position::Start, content)?,
        Operation::Replace => replace_block(&note, text, id, content)?,
    })
}

fn in_property(text: &str, key: &str, operation: Operation, content: &str) -> Result<Edits, Failure> {
    let new = yaml_value(content);
    let old = Note::parse(text).find_property(key).map(|property| property.value.clone());
    let whole = match (operation, old) {
        (Operation::Replace, _) | (_, None | Some(Value::Null)) => new,
        (Operation::Append, Some(Value::List(_))) if !matches!(new, Value::List(_)) => return Ok(add_to_list(text, key, &new)?),
        (Operation::Append, Some(Value::List(items))) => Value::List([items, listed(new)].concat()),
        (Operation::Prepend, Some(Value::List(items))) => Value::List([listed(new), items].concat()),
        (Operation::Append, Some(Value::Text(old))) => Value::Text(format!("{old}{content}")),
        (Operation::Prepend, Some(Value::Text(old))) => Value::Text(format!("{content}{old}")),
        (Operation::Append | Operation::Prepend, Some(_)) => {
            return Err(Failure::Edit(format!("the property {key:?} is neither a list nor a text; give operation replace")));
        }
    };
    Ok(set_property(text, key, &whole)?)
}

fn listed(value: Value) -> Vec<Value> {
    match value {
        Value::List(items) => items,
        single => vec![single],
    }
}

/// What the text means behind a key on one line; anything else is a text.
fn yaml_value(content: &str) -> Value {
    let text = || Value::Text(content.to_owned());
    if content.contains('\n') {
        return text();
    }
    match parse_yaml(&format!("key: {content}")) {
        Ok(entries) => match &entries[..] {
            [entry] if entry.key == "key" => entry.value.clone(),
            _ => text(),
        },
        Err(_) => text(),
    }
}

/// A heading that what is replaced reaches beyond, or that is gone afterwards.
fn crossed_heading(text: &str, edits: &Edits, after: &str) -> Option<String> {
    let replaced: Vec<&Edit> = edits.as_slice().iter().filter(|edit| !edit.range.is_empty()).collect();
    if replaced.is_empty() {
        return None;
    }
    let note = Note::parse(text);
    let touched = |edit: &Edit| {
        let touches = |start: usize, end: usize| edit.range.start < end && start < edit.range.end;
        note.headings.iter().filter(move |heading| touches(heading.span.start, heading.span.end)).collect::<Vec<_>>()
    };
    let is_gone = || Note::parse(after).headings.len() < note.headings.len();
    let crossed = replaced.iter().flat_map(|edit| touched(edit).into_iter().map(move |heading| (edit, heading)));
    crossed
        .into_iter()
        // The line ending belongs to the heading.
        .find(|(edit, heading)| edit.range.start < heading.span.start || edit.range.end > heading.content.start || is_gone())
        .map(|(_, heading)| heading.text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A\none\n\n## B\ntwo\n\n# C\nthree\n";

    #[track_caller]
    fn check(old: &str, new: &str, expected: Option<&str>) {
        let edits = replace_counted(TEXT, old, new, 1).expect("found once");
        let crossed = crossed_heading(TEXT, &edits, &edits.apply(TEXT));
        assert_eq!(crossed.as_deref(), expected, "{old:?} -> {new:?}");
    }

    #[test]
    fn a_span_crosses_a_heading_when_it_reaches_beyond_it_or_removes_it() {
        check("one", "1", None);
        check("one\n\n", "1\n", None);
        check("## B", "## Bee", None);
        check("## B\n", "## Bee\n", None);
        check("## B\n", "", Some("B"));
        check("# C", "C", Some("C"));
        check("## B\ntwo", "## B\n2", Some("B"));
        check("one\n\n##", "1\n\n##", Some("B"));
        check("two\n\n# C\nthree", "x", Some("C"));
    }

    #[test]
    fn content_for_a_property_is_read_as_yaml() {
        assert_eq!(yaml_value("done"), Value::Text("done".to_owned()));
        assert_eq!(yaml_value("5"), Value::Integer(5));
        assert_eq!(yaml_value("\"5\""), Value::Text("5".to_owned()));
        assert_eq!(yaml_value(""), Value::Null);
        assert_eq!(yaml_value("[a, b]"), Value::List(vec![Value::Text("a".to_owned()), Value::Text("b".to_owned())]));
        for text in ["a: b: c", "line\nbreak", "[open", "5\nother: 1"] {
            assert_eq!(yaml_value(text), Value::Text(text.to_owned()));
        }
    }
}

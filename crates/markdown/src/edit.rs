//! Replacements over the original bytes, and why one is refused.

use crate::span::Span;
use crate::yaml::YamlError;

/// Replace the bytes of `range` by `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub range: Span,
    pub text: String,
}

impl Edit {
    pub fn replace(range: Span, text: impl Into<String>) -> Edit {
        Edit { range, text: text.into() }
    }

    pub fn insert(offset: usize, text: impl Into<String>) -> Edit {
        Edit { range: offset..offset, text: text.into() }
    }

    /// The text with this one edit made.
    pub fn apply(&self, text: &str) -> String {
        let mut result = String::with_capacity(text.len() + self.text.len());
        result.push_str(&text[..self.range.start]);
        result.push_str(&self.text);
        result.push_str(&text[self.range.end..]);
        result
    }
}

/// Edits in the order of their ranges, none overlapping another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits(Vec<Edit>);

impl Edits {
    /// Sorts the edits; refuses ranges that overlap or run backwards.
    pub fn new(mut edits: Vec<Edit>) -> Result<Edits, EditError> {
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        let mut end = 0;
        for edit in &edits {
            if edit.range.start < end || edit.range.end < edit.range.start {
                return Err(EditError::Overlap { at: edit.range.start });
            }
            end = edit.range.end;
        }
        Ok(Edits(edits))
    }

    pub fn none() -> Edits {
        Edits(Vec::new())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn as_slice(&self) -> &[Edit] {
        &self.0
    }

    pub fn into_vec(self) -> Vec<Edit> {
        self.0
    }

    /// The text with all edits made.
    pub fn apply(&self, text: &str) -> String {
        let added: usize = self.0.iter().map(|edit| edit.text.len()).sum();
        let mut result = String::with_capacity(text.len() + added);
        let mut copied = 0;
        for edit in &self.0 {
            result.push_str(&text[copied..edit.range.start]);
            result.push_str(&edit.text);
            copied = edit.range.end;
        }
        result.push_str(&text[copied..]);
        result
    }
}

impl From<Edit> for Edits {
    fn from(edit: Edit) -> Edits {
        Edits(vec![edit])
    }
}

/// Why a note is left as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("no heading \"{heading}\"; {}", headings_text(.candidates))]
    NoHeading { heading: String, candidates: Vec<String> },
    #[error(
        "heading \"{heading}\" stands on lines {}; write its parent too, as in Parent#{heading}",
        lines_text(.lines)
    )]
    AmbiguousHeading { heading: String, lines: Vec<usize> },
    #[error("no block ^{id}; {}", blocks_text(.candidates))]
    NoBlock { id: String, candidates: Vec<String> },
    #[error("block id ^{id} stands on lines {}; make it unique first", lines_text(.lines))]
    AmbiguousBlock { id: String, lines: Vec<usize> },
    #[error("the frontmatter is not valid YAML ({0}); correct it before changing a property")]
    InvalidFrontmatter(YamlError),
    #[error("property \"{key}\" cannot be changed without touching others; edit the frontmatter as text")]
    Unsafe { key: String },
    #[error("no property \"{key}\"; {}", properties_text(.candidates))]
    NoProperty { key: String, candidates: Vec<String> },
    #[error("\"{key}\" has no place for \"{inside}\"; set \"{key}\" as a whole")]
    NoPlace { key: String, inside: String },
    #[error("a property needs a name; give a key that is not empty")]
    EmptyKey,
    #[error("two edits touch the same bytes at {at}; make them one after the other")]
    Overlap { at: usize },
}

/// More candidates than this help nobody.
const CANDIDATES_SHOWN: usize = 20;

fn headings_text(candidates: &[String]) -> String {
    listed(candidates, "its headings are", "the note has no headings")
}

fn blocks_text(candidates: &[String]) -> String {
    listed(candidates, "its block ids are", "the note has no block ids")
}

fn properties_text(candidates: &[String]) -> String {
    listed(candidates, "its properties are", "the note has no properties")
}

fn listed(candidates: &[String], introduction: &str, nothing: &str) -> String {
    if candidates.is_empty() {
        return nothing.to_owned();
    }
    let shown = candidates.iter().take(CANDIDATES_SHOWN).cloned().collect::<Vec<_>>().join(", ");
    let rest = candidates.len().saturating_sub(CANDIDATES_SHOWN);
    if rest == 0 {
        return format!("{introduction} {shown}");
    }
    format!("{introduction} {shown} and {rest} more")
}

fn lines_text(lines: &[usize]) -> String {
    lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_sorted_and_applied_over_original_offsets() {
        let edits = Edits::new(vec![Edit::replace(2..3, "CC"), Edit::insert(0, "x")]).expect("the ranges are apart");
        assert_eq!(edits.apply("abcd"), "xabCCd");
    }

    #[test]
    fn overlapping_edits_are_refused() {
        let edits = Edits::new(vec![Edit::replace(0..2, ""), Edit::replace(1..3, "")]);
        assert_eq!(edits, Err(EditError::Overlap { at: 1 }));
    }

    #[test]
    fn the_error_names_the_candidates() {
        let error = EditError::NoHeading { heading: "Plan".to_owned(), candidates: vec!["Goals".to_owned(), "Log".to_owned()] };
        assert_eq!(error.to_string(), "no heading \"Plan\"; its headings are Goals, Log");
    }
}

//! Reading a file by lines.

use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::{count_lines, line_span, shown};
use crate::tool::{Spec, Tool};

/// No answer carries more of a file than this, however long its lines are.
const MOST_BYTES: usize = 1_000_000;

/// Read a text file of the vault. Long files come in parts: when the answer says truncated, read on with offset.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VaultRead {
    /// File, relative to the vault, with its extension
    path: String,
    /// First line to read, from 1
    #[serde(default = "first_line")]
    offset: i64,
    /// Number of lines; 0 reads all the rest
    #[serde(default)]
    limit: i64,
}

fn first_line() -> i64 {
    1
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Part {
    path: String,
    total_lines: usize,
    /// First and last line shown
    showing: [usize; 2],
    content: String,
    /// There is more below: read on with offset
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

impl Tool for VaultRead {
    const SPEC: Spec = Spec::reading("vault_read", "Read a file").quick();
    type Output = Part;

    fn run(self, context: &Context<'_>) -> Result<Part, Failure> {
        let path = NotePath::parse(&self.path)?;
        let text = shown(context.vault().read_text(&path)?.text()?);
        let total = count_lines(&text);
        let (first, last, truncated) = range(self.offset, self.limit, total, context.settings().read_lines)?;
        let mut content = text[line_span(&text, first, last)].to_owned();
        let is_cut = content.len() > MOST_BYTES;
        if is_cut {
            content.truncate(content.floor_char_boundary(MOST_BYTES));
        }
        let truncated = truncated || is_cut;
        Ok(Part {
            path: path.to_string(),
            total_lines: total,
            showing: [first, last],
            content,
            truncated: truncated.then_some(true),
        })
    }
}

/// The first and last line to show, and whether the rest was cut off unasked.
fn range(offset: i64, limit: i64, total: usize, threshold: usize) -> Result<(usize, usize, bool), Failure> {
    let first = usize::try_from(offset).ok().filter(|first| *first >= 1 && *first <= total.max(1));
    let Some(first) = first else {
        return Err(Failure::InvalidRange(format!(
            "offset {offset} is outside the file, which has {total} lines; give one from 1 to {}",
            total.max(1)
        )));
    };
    let Ok(limit) = usize::try_from(limit) else {
        return Err(Failure::InvalidRange(format!("limit {limit} is negative; give a number of lines, or 0 for all the rest")));
    };
    if total == 0 {
        return Ok((0, 0, false));
    }
    if limit > 0 {
        return Ok((first, first.saturating_add(limit - 1).min(total), false));
    }
    let is_cut = first == 1 && total > threshold;
    Ok((first, if is_cut { threshold } else { total }, is_cut))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(offset: i64, limit: i64, total: usize, expected: Option<(usize, usize, bool)>) {
        assert_eq!(range(offset, limit, total, 200).ok(), expected, "offset {offset}, limit {limit} of {total}");
    }

    #[test]
    fn a_range_stays_inside_the_file() {
        check(1, 0, 10, Some((1, 10, false)));
        check(3, 2, 10, Some((3, 4, false)));
        check(9, 100, 10, Some((9, 10, false)));
        check(1, 0, 201, Some((1, 200, true)));
        check(1, 0, 200, Some((1, 200, false)));
        check(2, 0, 500, Some((2, 500, false)));
        check(1, 500, 500, Some((1, 500, false)));
        check(1, 0, 0, Some((0, 0, false)));
        check(0, 0, 10, None);
        check(-5, 0, 10, None);
        check(11, 0, 10, None);
        check(1, -1, 10, None);
        check(1, i64::MAX, 10, Some((1, 10, false)));
    }
}

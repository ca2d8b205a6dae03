//! A tag as callers name it.

use quillgate_markdown::{fold, is_valid_tag};

use crate::failure::{Failure, Issue};

/// The name without `#`, which must be one that the app takes for a tag.
pub(super) fn parse_tag(tag: &str) -> Result<&str, Failure> {
    let name = tag.trim().trim_start_matches('#');
    if is_valid_tag(name) {
        return Ok(name);
    }
    let expected = "is no tag; give letters, digits, _, - and / (as in area/work), not digits alone, with or without #";
    Err(Failure::InvalidInput(vec![Issue::new("tag", expected.to_owned())]))
}

/// Whether both are one tag; case does not matter, and `area` is not `area/work`.
pub(super) fn is_same(a: &str, b: &str) -> bool {
    fold(a) == fold(b)
}

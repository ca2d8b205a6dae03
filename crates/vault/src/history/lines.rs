//! Which lines of a text differ from those of another.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

/// Some lines of the old text that stand as others, or none, in the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// Each with its end; the last may have none.
pub(crate) fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}

/// In order, with at least one common line between any two.
pub(crate) fn hunks(old: &[&[u8]], new: &[&[u8]]) -> Vec<Hunk> {
    let mut input: InternedInput<&[u8]> = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks().map(|hunk| Hunk { old: range(hunk.before), new: range(hunk.after) }).collect()
}

/// The beginning of a text for people to look at.
pub(crate) fn excerpt(text: &[u8], most: usize) -> String {
    let mut end = most.min(text.len());
    while end > 0 && end < text.len() && text[end] & 0xc0 == 0x80 {
        end -= 1;
    }
    let mut shown = String::from_utf8_lossy(&text[..end]).into_owned();
    if end < text.len() {
        shown.push('…');
    }
    shown
}

//! Two sets of changes to one text brought together, line by line.

use std::ops::Range;

use super::lines::{Hunk, excerpt, hunks, lines};

/// As much of each side is shown.
const LONGEST_EXCERPT: usize = 2000;

/// A place where both sides changed the same lines, each in its own way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// What stands there now.
    pub ours: String,
    /// What would have to stand there.
    pub theirs: String,
}

impl Clash {
    pub(crate) fn new(ours: &[u8], theirs: &[u8]) -> Clash {
        Clash { ours: excerpt(ours, LONGEST_EXCERPT), theirs: excerpt(theirs, LONGEST_EXCERPT) }
    }
}

/// What `base` becomes if it is changed as in `ours` and as in `theirs`. Changes next to each other are made both; only
/// where lines overlap, or both put something between the same two lines, is it not clear what is meant.
pub(crate) fn merge(base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<Vec<u8>, Vec<Clash>> {
    let [base_lines, our_lines, their_lines] = [base, ours, theirs].map(lines);
    let (our_hunks, their_hunks) = (hunks(&base_lines, &our_lines), hunks(&base_lines, &their_lines));
    let our_side = Changed { base: &base_lines, lines: &our_lines };
    let their_side = Changed { base: &base_lines, lines: &their_lines };
    let (mut merged, mut at, mut clashes): (Vec<&[u8]>, usize, Vec<Clash>) = (Vec::new(), 0, Vec::new());
    let (mut i, mut j) = (0, 0);
    loop {
        let (side, hunk) = match (our_hunks.get(i), their_hunks.get(j)) {
            (None, None) => break,
            (Some(ours), theirs) if theirs.is_none_or(|theirs| precedes(ours, theirs)) => {
                i += 1;
                (&our_side, ours)
            }
            (ours, Some(theirs)) if ours.is_none_or(|ours| precedes(theirs, ours)) => {
                j += 1;
                (&their_side, theirs)
            }
            (Some(ours), Some(theirs)) if ours.old == theirs.old && our_side.instead(ours) == their_side.instead(theirs) => {
                (i, j) = (i + 1, j + 1);
                (&our_side, ours)
            }
            (ours, theirs) => {
                let start = ours.into_iter().chain(theirs).map(|hunk| hunk.old.start).min().unwrap_or(at);
                let overlap = overlap(&our_hunks[i..], &their_hunks[j..], start);
                clashes.push(Clash::new(
                    &our_side.text(overlap.ours, &overlap.range),
                    &their_side.text(overlap.theirs, &overlap.range),
                ));
                (i, j, at) = (i + overlap.ours.len(), j + overlap.theirs.len(), overlap.range.end);
                continue;
            }
        };
        merged.extend(&base_lines[at..hunk.old.start]);
        merged.extend(side.instead(hunk));
        at = hunk.old.end;
    }
    merged.extend(&base_lines[at..]);
    // Only the last line of a text has no end; elsewhere it would run into the next one.
    if clashes.is_empty() && merged.iter().rev().skip(1).any(|line| !line.ends_with(b"\n")) {
        clashes.push(Clash::new(ours, theirs));
    }
    if clashes.is_empty() { Ok(merged.concat()) } else { Err(clashes) }
}

fn precedes(one: &Hunk, other: &Hunk) -> bool {
    one.old.end <= other.old.start && one.old != other.old
}

/// One side of the merge.
struct Changed<'a> {
    base: &'a [&'a [u8]],
    lines: &'a [&'a [u8]],
}

impl<'a> Changed<'a> {
    fn instead(&self, hunk: &Hunk) -> &'a [&'a [u8]] {
        &self.lines[hunk.new.clone()]
    }

    /// What this side has for these lines of the base.
    fn text(&self, hunks: &[Hunk], range: &Range<usize>) -> Vec<u8> {
        let (mut text, mut at): (Vec<&[u8]>, usize) = (Vec::new(), range.start);
        for hunk in hunks {
            text.extend(&self.base[at..hunk.old.start]);
            text.extend(self.instead(hunk));
            at = hunk.old.end;
        }
        text.extend(&self.base[at..range.end]);
        text.concat()
    }
}

struct Overlap<'a> {
    range: Range<usize>,
    ours: &'a [Hunk],
    theirs: &'a [Hunk],
}

/// The first hunks of both sides overlap: takes in those that overlap with them, and so on.
fn overlap<'a>(ours: &'a [Hunk], theirs: &'a [Hunk], start: usize) -> Overlap<'a> {
    let (mut i, mut j, mut end) = (1, 1, ours[0].old.end.max(theirs[0].old.end));
    loop {
        let next = [ours.get(i), theirs.get(j)];
        match next.map(|hunk| hunk.filter(|hunk| hunk.old.start < end)) {
            [Some(hunk), _] => (i, end) = (i + 1, end.max(hunk.old.end)),
            [_, Some(hunk)] => (j, end) = (j + 1, end.max(hunk.old.end)),
            [None, None] => return Overlap { range: start..end, ours: &ours[..i], theirs: &theirs[..j] },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(base: &str, ours: &str, theirs: &str, merged: &str) {
        let text = |text: Result<Vec<u8>, Vec<Clash>>| text.map(|text| String::from_utf8(text).expect("text"));
        assert_eq!(text(merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes())), Ok(merged.to_owned()));
        assert_eq!(
            text(merge(base.as_bytes(), theirs.as_bytes(), ours.as_bytes())),
            Ok(merged.to_owned()),
            "the other way round"
        );
    }

    #[track_caller]
    fn clashes(base: &str, ours: &str, theirs: &str) -> Vec<(String, String)> {
        let clashes = merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes()).expect_err("it cannot be merged");
        clashes.into_iter().map(|clash| (clash.ours, clash.theirs)).collect()
    }

    #[test]
    fn changes_in_different_places_are_both_made() {
        check("a\nb\nc\nd\n", "a\nB\nc\nd\n", "a\nb\nc\nD\n", "a\nB\nc\nD\n");
        check("a\nb\nc\n", "a\nb\nc\nd\n", "0\na\nb\nc\n", "0\na\nb\nc\nd\n");
        check("a\nb\n", "a\nb\n", "a\n", "a\n");
        check("", "a\n", "", "a\n");
    }

    #[test]
    fn so_are_changes_next_to_each_other() {
        check("a\nb\n", "A\nb\n", "a\nB\n", "A\nB\n");
        // A line was added after one that now goes.
        check("a\nx\n", "a\nx\ny\n", "a\n", "a\ny\n");
        check("a\nx\nb\n", "a\nw\nx\nb\n", "a\nb\n", "a\nw\nb\n");
    }

    #[test]
    fn the_same_change_is_made_once() {
        check("a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n", "a\nX\nc\n");
        check("a\n", "a\nb\n", "a\nb\n", "a\nb\n");
    }

    #[test]
    fn changes_of_the_same_lines_clash() {
        assert_eq!(clashes("a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n"), [("X\n".to_owned(), "Y\n".to_owned())]);
        assert_eq!(clashes("a\n", "a\nx\n", "a\ny\n"), [("x\n".to_owned(), "y\n".to_owned())]);
        assert_eq!(clashes("a\nb\nc\nd\n", "a\nX\nd\n", "a\nb\nY\nd\n"), [("X\n".to_owned(), "b\nY\n".to_owned())]);
    }

    #[test]
    fn a_clash_takes_in_all_that_overlaps() {
        let clashes = clashes("1\n2\n3\n4\n5\n6\n", "1\nx\n3\ny\n5\n6\n", "1\nz\n5\nw\n");
        assert_eq!(clashes, [("x\n3\ny\n".to_owned(), "z\n".to_owned())]);
    }

    #[test]
    fn lines_never_run_into_each_other() {
        assert_eq!(clashes("a\nb\n", "a\nb\nc\n", "a\nb").len(), 1);
        check("a\nb", "A\nb", "a\nb", "A\nb");
    }

    #[test]
    fn line_ends_are_kept() {
        check("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n", "a\r\nb\r\nC\r\n", "a\r\nB\r\nC\r\n");
    }
}

//! Changes as text: unified diffs, as `diff -u` and git write them.

use std::fmt::Write;

use super::lines::{Hunk, hunks, lines};
use crate::{NotePath, is_binary};

/// Lines around a change that are shown with it.
const CONTEXT: usize = 3;

/// One file before and after a change that was made or is proposed.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// Where it was, or where it is to be made.
    pub path: &'a NotePath,
    pub moved_to: Option<&'a NotePath>,
    /// `None`: there is no file.
    pub before: Option<&'a [u8]>,
    pub after: Option<&'a [u8]>,
}

/// The differences as text of about `most` bytes at the most; what is left out is counted in the last line. Of files that
/// are not text only the sizes are shown.
pub fn unified_diff(compared: &Compared<'_>, most: usize) -> String {
    let Compared { path, moved_to, before, after } = *compared;
    let mut text = String::new();
    if let Some(to) = moved_to {
        let _ = writeln!(text, "rename from {path}\nrename to {to}");
    }
    let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
    if old == new && before.is_some() == after.is_some() {
        return text;
    }
    let side = |exists: bool, prefix: &str, path: &NotePath| match exists {
        true => format!("{prefix}/{path}"),
        false => "/dev/null".to_owned(),
    };
    let _ = writeln!(text, "--- {}", side(before.is_some(), "a", path));
    let _ = writeln!(text, "+++ {}", side(after.is_some(), "b", moved_to.unwrap_or(path)));
    if is_binary(old) || is_binary(new) {
        let size = |side: Option<&[u8]>| side.map_or("no file".to_owned(), |bytes| format!("{} bytes", bytes.len()));
        let _ = writeln!(text, "not text: {} before, {} after", size(before), size(after));
        return text;
    }
    write_hunks(&mut text, &lines(old), &lines(new), most);
    text
}

fn write_hunks(text: &mut String, old: &[&[u8]], new: &[&[u8]], most: usize) {
    let all = hunks(old, new);
    let mut left_out = 0;
    for group in all.chunk_by(|one, next| next.old.start - one.old.end <= 2 * CONTEXT) {
        if text.len() >= most {
            left_out += group.iter().map(|hunk| hunk.old.len() + hunk.new.len()).sum::<usize>();
            continue;
        }
        left_out += write_group(text, group, old, new, most);
    }
    if left_out > 0 {
        let _ = writeln!(text, "… {left_out} more changed lines");
    }
}

/// Changes that are near each other, with what is around them. Returns how many changed lines had no room.
fn write_group(text: &mut String, group: &[Hunk], old: &[&[u8]], new: &[&[u8]], most: usize) -> usize {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return 0 };
    let before = first.old.start.min(CONTEXT);
    let after = (old.len() - last.old.end).min(CONTEXT);
    let (from, to) = (first.old.start - before..last.old.end + after, first.new.start - before..last.new.end + after);
    let range = |range: &std::ops::Range<usize>| {
        // An empty side is named by the line before it.
        let start = if range.is_empty() { range.start } else { range.start + 1 };
        if range.len() == 1 { start.to_string() } else { format!("{start},{}", range.len()) }
    };
    let _ = writeln!(text, "@@ -{} +{} @@", range(&from), range(&to));
    let (mut at, mut left_out) = (from.start, 0);
    for hunk in group {
        old[at..hunk.old.start].iter().for_each(|line| write_line(text, ' ', line));
        let removed = old[hunk.old.clone()].iter().map(|line| ('-', line));
        let added = new[hunk.new.clone()].iter().map(|line| ('+', line));
        for (sign, line) in removed.chain(added) {
            match text.len() < most {
                true => write_line(text, sign, line),
                false => left_out += 1,
            }
        }
        at = hunk.old.end;
    }
    old[at..from.end].iter().for_each(|line| write_line(text, ' ', line));
    left_out
}

fn write_line(text: &mut String, sign: char, line: &[u8]) {
    text.push(sign);
    text.push_str(&String::from_utf8_lossy(line));
    if !line.ends_with(b"\n") {
        text.push_str("\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(before: Option<&str>, after: Option<&str>) -> String {
        let path = NotePath::parse("a/Note.md").expect("a path");
        let compared =
            Compared { path: &path, moved_to: None, before: before.map(str::as_bytes), after: after.map(str::as_bytes) };
        unified_diff(&compared, 100_000)
    }

    #[test]
    fn changed_lines_stand_between_their_neighbours() {
        let old: String = (1..=20).map(|line| format!("{line}\n")).collect();
        let new = old.replace("\n5\n", "\nfive\n").replace("\n18\n", "\n");
        assert_eq!(
            diff(Some(&old), Some(&new)),
            "--- a/a/Note.md\n+++ b/a/Note.md\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n@@ -15,6 +15,5 @@\n 15\n 16\n 17\n-18\n 19\n 20\n"
        );
    }

    #[test]
    fn a_new_file_and_a_missing_line_end_are_written_as_git_does() {
        assert_eq!(
            diff(None, Some("a\nb")),
            "--- /dev/null\n+++ b/a/Note.md\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"
        );
        assert_eq!(
            diff(Some("a\nb"), Some("a\nb\n")),
            "--- a/a/Note.md\n+++ b/a/Note.md\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"
        );
        assert_eq!(diff(Some("x\n"), None), "--- a/a/Note.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
        assert_eq!(diff(None, Some("")), "--- /dev/null\n+++ b/a/Note.md\n");
        assert_eq!(diff(Some("same"), Some("same")), "");
    }

    #[test]
    fn a_long_diff_says_what_it_left_out() {
        let old: String = (0..1000).map(|line| format!("old {line}\n")).collect();
        let path = NotePath::parse("a.md").expect("a path");
        let compared = Compared { path: &path, moved_to: None, before: Some(old.as_bytes()), after: None };
        let text = unified_diff(&compared, 500);
        assert!(text.len() < 600, "{text}");
        let shown = text.lines().filter(|line| line.starts_with("-old")).count();
        assert!(text.ends_with(&format!("… {} more changed lines\n", 1000 - shown)), "{text}");
    }

    #[test]
    fn of_pictures_the_sizes_are_shown_and_a_move_is_named() {
        let (path, to) = (NotePath::parse("a.png").expect("a path"), NotePath::parse("b.png").expect("a path"));
        let compared = Compared { path: &path, moved_to: Some(&to), before: Some(&[0, 1]), after: Some(&[0, 1, 2]) };
        assert_eq!(
            unified_diff(&compared, 1000),
            "rename from a.png\nrename to b.png\n--- a/a.png\n+++ b/b.png\nnot text: 2 bytes before, 3 bytes after\n"
        );
    }
}

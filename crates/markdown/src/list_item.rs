//! List items: where each one stands, what it says, and which one it stands below.

use crate::scan::is_inside;
use crate::span::{Lines, Span, line_end, line_start};
use crate::structure::Structure;
use crate::task::{Task, checkbox, item_start};

/// An item of a list, whether it is a task or not. Its own lines are those before the items below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListItem {
    /// What stands before the marker: indentation and quote marks.
    pub prefix: String,
    /// `-`, `*`, `+`, `1.` or `1)`.
    pub marker: String,
    /// The character in the brackets, if it is a task.
    pub status: Option<char>,
    /// After marker and brackets, with fields, tags and block id; further lines follow, each trimmed.
    pub text: String,
    /// Its own lines, from the start of the first one.
    pub span: Span,
    /// The item around it; a number below its own.
    pub parent: Option<usize>,
    pub line: usize,
    /// How many lines are its own.
    pub lines: usize,
}

/// All items that are shown, in order. Of several that start on one line the outermost counts.
pub(crate) fn list_items(text: &str, lines: &Lines, structure: &Structure, hidden: &[Span], tasks: &[Task]) -> Vec<ListItem> {
    let starts = starts(text, structure, hidden, tasks);
    let mut items: Vec<ListItem> = Vec::with_capacity(starts.len());
    // Items that are not over, with where they end.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (at, start) in starts.iter().enumerate() {
        let Some((prefix, marker, after)) = item_start(&text[start.line..line_end(text, start.line)]) else { continue };
        while open.last().is_some_and(|(_, end)| *end <= start.span.start) {
            open.pop();
        }
        let next = starts.get(at + 1).map_or(text.len(), |next| next.line);
        let end = own_end(text, start.line, start.span.end.min(next));
        let (status, first) = checkbox(after).map_or((None, after), |(status, rest)| (Some(status), rest));
        let further = text[start.line..end].lines().skip(1);
        let own: Vec<&str> = std::iter::once(first).chain(further).map(str::trim).collect();
        let line = lines.line_at(start.line);
        items.push(ListItem {
            prefix: prefix.to_owned(),
            marker: marker.to_owned(),
            status,
            text: own.join("\n"),
            span: start.line..end,
            parent: open.last().map(|(item, _)| *item),
            line,
            lines: lines.line_at(end.saturating_sub(1).max(start.line)) - line + 1,
        });
        open.push((items.len() - 1, start.span.end));
    }
    items
}

/// Where an item starts, and how far it reaches with the items below it.
struct Start {
    line: usize,
    span: Span,
}

/// Also task lines that are indented so far that they continue the text before them: they are meant as tasks all the same.
fn starts(text: &str, structure: &Structure, hidden: &[Span], tasks: &[Task]) -> Vec<Start> {
    let shown = structure.items.iter().filter(|span| !is_inside(hidden, span.start));
    let mut starts: Vec<Start> = shown.map(|span| Start { line: line_start(text, span.start), span: span.clone() }).collect();
    starts.extend(tasks.iter().map(|task| Start { line: task.span.start, span: task.span.clone() }));
    // The longer one first, which is the one that holds the other.
    starts.sort_by_key(|start| (start.line, std::cmp::Reverse(start.span.end)));
    starts.dedup_by_key(|start| start.line);
    starts
}

/// Where the last of these lines that says something ends.
fn own_end(text: &str, start: usize, limit: usize) -> usize {
    let is_mark = |character: char| character == '>' || character.is_whitespace();
    let (mut end, mut at) = (start, start);
    for line in text[start..limit].split_inclusive('\n') {
        if at == start || !line.trim_matches(is_mark).is_empty() {
            end = at + line.trim_end().len();
        }
        at += line.len();
    }
    end
}

#[cfg(test)]
mod tests {
    use crate::Note;

    /// Line, lines, line of the parent, and what the item says.
    #[track_caller]
    fn check(text: &str, expected: &[(usize, usize, Option<usize>, &str)]) {
        let note = Note::parse(text);
        let parent = |item: &super::ListItem| item.parent.map(|parent| note.items[parent].line);
        let found: Vec<_> = note.items.iter().map(|item| (item.line, item.lines, parent(item), item.text.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn items_nest() {
        check(
            "- a\n  - b\n    1. c\n  - d\n\n- e\n",
            &[(1, 1, None, "a"), (2, 1, Some(1), "b"), (3, 1, Some(2), "c"), (4, 1, Some(1), "d"), (6, 1, None, "e")],
        );
        check("- a\n\t- b\n\t\t- c\n", &[(1, 1, None, "a"), (2, 1, Some(1), "b"), (3, 1, Some(2), "c")]);
        check("- a\n\ntext\n\n- b\n", &[(1, 1, None, "a"), (5, 1, None, "b")]);
    }

    #[test]
    fn further_lines_belong_to_the_item_above() {
        check("- a\n  b  \n  - c\nlazy\n", &[(1, 2, None, "a\nb"), (3, 2, Some(1), "c\nlazy")]);
        check("- a\r\n\r\n  b ^x\r\n\r\n- c\r\n", &[(1, 3, None, "a\n\nb ^x"), (5, 1, None, "c")]);
        check("- a\n  ```\n  - no\n  ```\n", &[(1, 4, None, "a\n```\n- no\n```")]);
        check("- a", &[(1, 1, None, "a")]);
        check("-\n- \n", &[(1, 1, None, ""), (2, 1, None, "")]);
    }

    #[test]
    fn quotes_and_callouts_hold_items_too() {
        let text = "> [!todo]\n> - [ ] a\n>   b\n>\n>   - [x] c\n> * d\n";
        check(text, &[(2, 2, None, "a\n>   b"), (5, 1, Some(2), "c"), (6, 1, None, "d")]);
        let note = Note::parse(text);
        let heads: Vec<_> = note.items.iter().map(|item| (item.prefix.as_str(), item.marker.as_str(), item.status)).collect();
        assert_eq!(heads, [("> ", "-", Some(' ')), (">   ", "-", Some('x')), ("> ", "*", None)]);
    }

    #[test]
    fn code_comments_and_html_hold_none() {
        check("---\nlist:\n- a\n---\n```\n- a\n```\n\n%%\n- b\n%%\n\n<div>\n- c\n</div>\n\n    - d\n", &[]);
    }

    #[test]
    fn a_task_that_is_indented_too_far_is_still_one() {
        check("- [ ] a\n          - [ ] b\n  - c\n", &[(1, 1, None, "a"), (2, 1, Some(1), "b"), (3, 1, Some(1), "c")]);
    }

    #[test]
    fn markers_are_told_as_written() {
        let note = Note::parse("12) a\n13) [/] b\n\n+ [x](y.md)\n");
        let heads: Vec<_> = note.items.iter().map(|item| (item.marker.as_str(), item.status, item.text.as_str())).collect();
        assert_eq!(heads, [("12)", None, "a"), ("13)", Some('/'), "b"), ("+", None, "[x](y.md)")]);
    }

    #[test]
    fn of_items_on_one_line_the_outermost_counts() {
        check("- - a\n  - b\n", &[(1, 1, None, "- a"), (2, 1, Some(1), "b")]);
    }
}

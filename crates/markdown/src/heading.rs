//! Headings: what they say, what stands below them, and how one is named.

use crate::fold::fold;
use crate::note::Note;
use crate::span::Span;
use crate::structure::RawHeading;

/// A heading that stands directly in the note; those in quotes and lists are not part of its outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    pub level: u8,
    /// As written, without marks around it.
    pub text: String,
    /// The line, or lines, of the heading, without the last line ending.
    pub span: Span,
    /// After the heading's line up to the next heading of the same or a higher level.
    pub content: Span,
    pub line: usize,
}

pub(crate) fn headings(text: &str, raw: &[RawHeading]) -> Vec<Heading> {
    let mut headings: Vec<Heading> = raw.iter().map(|raw| heading(text, raw)).collect();
    // From the back: the next heading that ends a section is found by skipping whole sections.
    for index in (0..headings.len()).rev() {
        let level = headings[index].level;
        let mut next = index + 1;
        while let Some(below) = headings.get(next).filter(|below| below.level > level) {
            let end = below.content.end;
            next += headings[next..].partition_point(|heading| heading.span.start < end);
        }
        let end = headings.get(next).map_or(text.len(), |next| next.span.start);
        let content = &mut headings[index].content;
        content.end = end.max(content.start);
    }
    headings
}

fn heading(text: &str, raw: &RawHeading) -> Heading {
    let end = raw.span.start + text[raw.span.clone()].trim_end().len();
    let after = crate::span::next_line(text, end);
    let written = &text[raw.text.start..raw.text.end.max(raw.text.start)];
    Heading {
        level: raw.level,
        text: written.split_whitespace().collect::<Vec<_>>().join(" "),
        span: raw.span.start..end,
        content: after..after,
        line: 0,
    }
}

/// The key by which headings are compared: special characters dropped, spaces collapsed, folded.
pub fn heading_key(text: &str) -> String {
    let stripped = text.replace(|character| "!\"#$%&()*+,.:;<=>?@^`{|}~/[]\\".contains(character), " ");
    let words: Vec<&str> = stripped.split_whitespace().collect();
    fold(&words.join(" "))
}

/// The first heading that a subpath names: `H`, `#H`, or `#H1#H2` where each stands below the one before.
pub fn find_heading<'a>(note: &'a Note, path: &str) -> Option<&'a Heading> {
    find_headings(note, path).into_iter().next()
}

/// All headings that a subpath names, in order.
pub fn find_headings<'a>(note: &'a Note, path: &str) -> Vec<&'a Heading> {
    let steps: Vec<String> = path.split('#').map(heading_key).filter(|key| !key.is_empty()).collect();
    if steps.is_empty() {
        return Vec::new();
    }
    let keyed: Vec<(String, &Heading)> = note.headings.iter().map(|heading| (heading_key(&heading.text), heading)).collect();
    let found = headings_below(&keyed, &steps, &(0..usize::MAX));
    if !found.is_empty() || steps.len() == 1 {
        return found;
    }
    // The text of the heading itself may hold a `#`.
    headings_below(&keyed, &[heading_key(path)], &(0..usize::MAX))
}

fn headings_below<'a>(keyed: &[(String, &'a Heading)], steps: &[String], within: &Span) -> Vec<&'a Heading> {
    let Some((first, rest)) = steps.split_first() else { return Vec::new() };
    let named = keyed.iter().filter(|(key, heading)| key == first && within.contains(&heading.span.start));
    let named = named.map(|(_, heading)| *heading);
    if rest.is_empty() {
        return named.collect();
    }
    let mut found: Vec<&Heading> = named.flat_map(|heading| headings_below(keyed, rest, &heading.content)).collect();
    found.sort_by_key(|heading| heading.span.start);
    found.dedup_by_key(|heading| heading.span.start);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A\none\n## B\ntwo\n### C ##\n## D\n# B\nlast\n";

    #[test]
    fn content_ends_at_the_next_heading_of_the_same_or_a_higher_level() {
        let note = Note::parse(TEXT);
        let check = |index: usize, text: &str, content: &str| {
            let heading = &note.headings[index];
            assert_eq!((heading.text.as_str(), &TEXT[heading.content.clone()]), (text, content));
        };
        check(0, "A", "one\n## B\ntwo\n### C ##\n## D\n");
        check(1, "B", "two\n### C ##\n");
        check(2, "C", "");
        check(3, "D", "");
        check(4, "B", "last\n");
    }

    #[test]
    fn a_path_walks_down_the_outline() {
        let note = Note::parse(TEXT);
        let line = |path| find_heading(&note, path).map(|heading| heading.line);
        assert_eq!(line("#A#B"), Some(3));
        assert_eq!(line("A#C"), Some(5));
        assert_eq!(line("b"), Some(3));
        assert_eq!(line("D#B"), None);
        assert_eq!(find_headings(&note, "B").len(), 2);
    }

    #[test]
    fn special_characters_do_not_matter() {
        assert_eq!(heading_key("What: is [[this]]?"), heading_key("what is this"));
        let note = Note::parse("# C# and more\n");
        assert!(find_heading(&note, "C# and more").is_some());
    }

    #[test]
    fn setext_headings_and_inline_marks_are_read_as_written() {
        let note = Note::parse("Some *big* `x`\nthing\n===\nbody\n\n## **b** [[L]]\n");
        let texts: Vec<&str> = note.headings.iter().map(|heading| heading.text.as_str()).collect();
        assert_eq!(texts, ["Some *big* `x` thing", "**b** [[L]]"]);
        assert_eq!(note.headings[1].line, 6);
    }

    #[test]
    fn headings_in_quotes_and_comments_are_not_in_the_outline() {
        let note = Note::parse("> # A\n\n- # B\n\n%%\n# C\n%%\n\n# D\n");
        let texts: Vec<&str> = note.headings.iter().map(|heading| heading.text.as_str()).collect();
        assert_eq!(texts, ["D"]);
    }

    #[test]
    fn an_empty_heading_has_no_text() {
        let note = Note::parse("#\nx\n");
        assert_eq!(note.headings[0].text, "");
    }
}

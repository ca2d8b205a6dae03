//! Puts content at a place in a note: its end, its start, below a heading, in place of a block.

use crate::block::BlockId;
use crate::edit::{Edit, EditError};
use crate::heading::{Heading, find_headings};
use crate::newline::Eol;
use crate::note::Note;
use crate::span::{Span, line_start};

/// Which end of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Right below the heading.
    Start,
    /// Behind the last line that is not blank.
    End,
}

/// Adds content behind the last line, which gets a line ending if it has none.
pub fn append(text: &str, content: &str) -> Edit {
    let eol = Eol::dominant(text);
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { eol.as_str() };
    Edit::insert(text.len(), format!("{gap}{}", eol.convert(content)))
}

/// Adds content before the body, behind the frontmatter, as lines of its own.
pub fn prepend(text: &str, content: &str) -> Edit {
    let note = Note::parse(text);
    let eol = Eol::dominant(text);
    let before = &text[..note.body];
    let fence_is_open = note.frontmatter.is_some() && !before.ends_with('\n');
    let mut new = if fence_is_open { eol.as_str().to_owned() } else { String::new() };
    new.push_str(&eol.convert(content));
    if note.body < text.len() && !content.ends_with('\n') {
        new.push_str(eol.as_str());
    }
    Edit::insert(note.body, new)
}

/// Adds content, as lines of its own, at the start or end of the section a heading opens.
pub fn under_heading(note: &Note, text: &str, heading_path: &str, position: Position, content: &str) -> Result<Edit, EditError> {
    let heading = one_heading(note, heading_path)?;
    let at = match position {
        Position::Start => heading.content.start,
        Position::End => filled(text, &heading.content).end,
    };
    Ok(Edit::insert(at, as_lines(text, at, at, content)))
}

/// Replaces all that stands below a heading, its sub-headings too; blank lines at the end stay.
pub fn replace_heading_content(note: &Note, text: &str, heading_path: &str, content: &str) -> Result<Edit, EditError> {
    let heading = one_heading(note, heading_path)?;
    let range = filled(text, &heading.content);
    let new = if content.is_empty() { String::new() } else { as_lines(text, range.start, range.end, content) };
    Ok(Edit::replace(range, new))
}

/// Replaces the block an id names. The id stays, and so does the mark of a list item, unless the
/// content brings its own.
pub fn replace_block(note: &Note, text: &str, block_id: &str, content: &str) -> Result<Edit, EditError> {
    let found = one_block(note, block_id)?;
    let content = content.trim_end_matches(['\n', '\r']);
    let inline = found.block.contains(&found.span.start);
    let brings_id = content.to_ascii_lowercase().ends_with(&format!("^{}", found.id.to_ascii_lowercase()));
    let end = if inline && !brings_id { found.span.start } else { found.block.end };
    let mark = item_mark(&text[found.block.start..end]);
    let keeps_mark = !mark.is_empty() && item_mark(content).is_empty();
    let start = found.block.start + if keeps_mark { mark.len() } else { 0 };
    let prefix = continuation(&text[line_start(text, start)..start]);
    let eol = Eol::dominant(text);
    let lines: Vec<&str> = content.lines().collect();
    let new = lines.join(&format!("{}{prefix}", eol.as_str()));
    Ok(Edit::replace(start..end, new))
}

/// Adds content, as lines of its own, at the start or end of the block an id names, which stays one block of that name.
pub fn extend_block(note: &Note, text: &str, block_id: &str, position: Position, content: &str) -> Result<Edit, EditError> {
    let found = one_block(note, block_id)?;
    let is_inline = found.block.contains(&found.span.start);
    let own_end = if is_inline { found.span.start } else { found.block.end };
    let start = found.block.start + item_mark(&text[found.block.start..own_end]).len();
    let prefix = continuation(&text[line_start(text, start)..start]);
    let eol = Eol::dominant(text).as_str();
    let lines: Vec<&str> = content.trim_end_matches(['\n', '\r']).lines().collect();
    let lines = lines.join(&format!("{eol}{prefix}"));
    Ok(match position {
        Position::Start => Edit::insert(start, format!("{lines}{eol}{prefix}")),
        Position::End => Edit::insert(own_end, format!("{eol}{prefix}{lines}")),
    })
}

/// The block an id names, compared without regard to case, with or without its `^`.
pub fn find_block<'a>(note: &'a Note, id: &str) -> Option<&'a BlockId> {
    blocks_named(note, id).next()
}

fn blocks_named<'a>(note: &'a Note, id: &str) -> impl Iterator<Item = &'a BlockId> {
    let id = id.trim_start_matches(['#', '^']).to_owned();
    note.blocks.iter().filter(move |block| block.id.eq_ignore_ascii_case(&id))
}

fn one_block<'a>(note: &'a Note, id: &str) -> Result<&'a BlockId, EditError> {
    let found: Vec<&BlockId> = blocks_named(note, id).collect();
    let id = id.trim_start_matches(['#', '^']).to_owned();
    match found[..] {
        [block] => Ok(block),
        [] => {
            let candidates = note.blocks.iter().map(|block| block.id.clone()).collect();
            Err(EditError::NoBlock { id, candidates })
        }
        _ => {
            let lines = found.iter().map(|block| block.line).collect();
            Err(EditError::AmbiguousBlock { id, lines })
        }
    }
}

/// The only heading that a subpath names.
pub fn one_heading<'a>(note: &'a Note, path: &str) -> Result<&'a Heading, EditError> {
    let found = find_headings(note, path);
    let heading = path.trim_start_matches('#').trim().to_owned();
    match found[..] {
        [heading] => Ok(heading),
        [] => {
            let candidates = note.headings.iter().map(|heading| heading.text.clone()).collect();
            Err(EditError::NoHeading { heading, candidates })
        }
        _ => {
            let lines = found.iter().map(|heading| heading.line).collect();
            Err(EditError::AmbiguousHeading { heading, lines })
        }
    }
}

/// The span up to behind the line ending of its last line that is not blank.
fn filled(text: &str, span: &Span) -> Span {
    let content = &text[span.clone()];
    let kept = content.trim_end().len();
    if kept == 0 {
        return span.start..span.start;
    }
    let after = &content[kept..];
    span.start..span.start + kept + after.find('\n').map_or(after.len(), |newline| newline + 1)
}

/// The content with line endings around it where the text around the range lacks them.
fn as_lines(text: &str, start: usize, end: usize, content: &str) -> String {
    let eol = Eol::dominant(text);
    let before = &text[..start];
    let mut new = String::new();
    if !before.is_empty() && !before.ends_with('\n') {
        new.push_str(eol.as_str());
    }
    new.push_str(&eol.convert(content));
    if !content.ends_with('\n') && (end < text.len() || text.ends_with('\n')) {
        new.push_str(eol.as_str());
    }
    new
}

/// `- `, `12. ` or `- [ ] ` at the start of a list item; empty elsewhere.
fn item_mark(text: &str) -> &str {
    let after_mark = match text.as_bytes().first() {
        Some(b'-' | b'*' | b'+') => 1,
        Some(b'0'..=b'9') => {
            let digits = text.len() - text.trim_start_matches(|mark: char| mark.is_ascii_digit()).len();
            if !text[digits..].starts_with(['.', ')']) {
                return "";
            }
            digits + 1
        }
        _ => return "",
    };
    let blanks = text[after_mark..].len() - text[after_mark..].trim_start_matches([' ', '\t']).len();
    if blanks == 0 {
        return "";
    }
    let item = after_mark + blanks;
    let mut inside = text[item..].chars();
    let is_task = inside.next() == Some('[') && inside.next().is_some() && inside.as_str().starts_with("] ");
    &text[..if is_task { text.len() - inside.as_str().len() + 2 } else { item }]
}

/// What lines after the first start with to stay in the same quote or list item.
fn continuation(before: &str) -> String {
    let mark = before.rfind('>').map_or(0, |quote| quote + 1);
    let (quotes, rest) = before.split_at(mark);
    // A checkbox is no indentation: four more blanks would make the lines code.
    let rest = rest.find('[').map_or(rest, |checkbox| &rest[..checkbox]);
    let blanks = rest.chars().map(|character| if character == '\t' { '\t' } else { ' ' });
    format!("{quotes}{}", blanks.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\na: 1\n---\n# A\none\n\n## B\n\n# C\nlast";

    fn under(text: &str, heading: &str, position: Position, content: &str) -> String {
        let edit = under_heading(&Note::parse(text), text, heading, position, content);
        edit.expect(heading).apply(text)
    }

    fn block(text: &str, id: &str, content: &str) -> String {
        replace_block(&Note::parse(text), text, id, content).expect(id).apply(text)
    }

    #[test]
    fn appending_adds_the_missing_line_ending_and_nothing_else() {
        assert_eq!(append("", "x").apply(""), "x");
        assert_eq!(append("a", "x").apply("a"), "a\nx");
        assert_eq!(append("a\r\n", "x\ny").apply("a\r\n"), "a\r\nx\r\ny");
    }

    #[test]
    fn prepending_goes_behind_the_frontmatter() {
        assert_eq!(prepend(TEXT, "x").apply(TEXT), TEXT.replace("# A", "x\n# A"));
        assert_eq!(prepend("", "x").apply(""), "x");
        assert_eq!(prepend("---\n---", "x").apply("---\n---"), "---\n---\nx");
        assert_eq!(prepend("\u{feff}a", "x\n").apply("\u{feff}a"), "\u{feff}x\na");
    }

    #[test]
    fn content_goes_to_either_end_of_a_section() {
        assert_eq!(under(TEXT, "A", Position::Start, "x"), TEXT.replace("# A\n", "# A\nx\n"));
        assert_eq!(under(TEXT, "A#B", Position::End, "x"), TEXT.replace("## B\n", "## B\nx\n"));
        assert_eq!(under(TEXT, "C", Position::End, "x"), format!("{TEXT}\nx"));
        assert_eq!(under("# A", "A", Position::Start, "x"), "# A\nx");
        assert_eq!(under("# A\none\n\n# B\n", "A", Position::End, "x\n"), "# A\none\nx\n\n# B\n");
    }

    #[test]
    fn the_content_of_a_section_is_replaced_with_its_subsections() {
        let edit = replace_heading_content(&Note::parse(TEXT), TEXT, "a", "new");
        assert_eq!(edit.expect("found").apply(TEXT), "---\na: 1\n---\n# A\nnew\n\n# C\nlast");
        let edit = replace_heading_content(&Note::parse(TEXT), TEXT, "C", "new");
        assert_eq!(edit.expect("found").apply(TEXT), TEXT.replace("last", "new"));
    }

    #[test]
    fn a_missing_or_repeated_heading_is_refused_with_candidates() {
        let text = "# Goals\n# Log\n## Goals\n";
        let note = Note::parse(text);
        let message = |path| match under_heading(&note, text, path, Position::End, "x") {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        assert_eq!(message("Plan"), "no heading \"Plan\"; its headings are Goals, Log, Goals");
        assert_eq!(message("goals"), "heading \"goals\" stands on lines 1, 3; write its parent too, as in Parent#goals");
        assert_eq!(message("Log#Goals"), "");
    }

    #[test]
    fn a_block_keeps_its_id_and_its_list_mark() {
        assert_eq!(block("one\ntwo ^a\n\nx", "A", "new"), "new ^a\n\nx");
        assert_eq!(block("- a ^a\n  - b\n", "^a", "new"), "- new ^a\n  - b\n");
        assert_eq!(block("- [x] a ^a\n", "a", "new\nmore"), "- [x] new\n  more ^a\n");
        assert_eq!(block("- [x] a ^a\n", "a", "- [ ] new ^a"), "- [ ] new ^a\n");
        assert_eq!(block("> q ^a\n", "a", "one\ntwo"), "> one\n> two ^a\n");
        assert_eq!(block("| a |\n|---|\n\n^t\n", "t", "| b |\n|---|"), "| b |\n|---|\n\n^t\n");
    }

    #[test]
    fn a_block_grows_at_either_end_and_keeps_its_id() {
        let extend = |text: &str, position: Position, content: &str| {
            let after = extend_block(&Note::parse(text), text, "^a", position, content).expect(text).apply(text);
            assert!(find_block(&Note::parse(&after), "a").is_some(), "{after}");
            after
        };
        assert_eq!(extend("one\ntwo ^a\n\nx", Position::End, "three\n"), "one\ntwo\nthree ^a\n\nx");
        assert_eq!(extend("one\r\ntwo ^a\r\n", Position::Start, "zero\n1"), "zero\r\n1\r\none\r\ntwo ^a\r\n");
        assert_eq!(extend("- [ ] a ^a\n  - b\n", Position::End, "more"), "- [ ] a\n  more ^a\n  - b\n");
        assert_eq!(extend("- a ^a\n", Position::Start, "more"), "- more\n  a ^a\n");
        assert_eq!(extend("> q ^a\n", Position::End, "more"), "> q\n> more ^a\n");
        assert_eq!(extend("| h |\n|---|\n| 1 |\n\n^a\n", Position::End, "| 2 |"), "| h |\n|---|\n| 1 |\n| 2 |\n\n^a\n");
    }

    #[test]
    fn a_missing_block_is_refused_with_candidates() {
        let note = Note::parse("a ^one\n\nb ^two\n");
        let error = replace_block(&note, "a ^one\n\nb ^two\n", "three", "x");
        let message = error.map_err(|error| error.to_string());
        assert_eq!(message, Err("no block ^three; its block ids are one, two".to_owned()));
        assert_eq!(find_block(&note, "#^TWO").map(|block| block.line), Some(3));
    }
}

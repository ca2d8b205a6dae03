//! Block ids: ` ^id` at the end of a block, or on a line of its own below one.

use crate::span::{Span, line_start, trim};
use crate::structure::Structure;

/// A name for one block of the note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockId {
    /// Without the `^`, as written; compared without regard to case.
    pub id: String,
    /// The id with its `^` and the white space before it on the same line.
    pub span: Span,
    /// The block it names. Of a list item its own text, without the items below it.
    pub block: Span,
    pub line: usize,
}

pub(crate) fn block_ids(text: &str, structure: &Structure) -> Vec<BlockId> {
    let mut found: Vec<BlockId> = structure.leaves.iter().filter_map(|leaf| block_id(text, leaf, structure)).collect();
    found.sort_by_key(|block| block.span.start);
    found.dedup_by_key(|block| block.span.start);
    found
}

fn block_id(text: &str, leaf: &Span, structure: &Structure) -> Option<BlockId> {
    let (id, caret) = trailing_id(&text[leaf.clone()])?;
    let caret = leaf.start + caret;
    let line = line_start(text, caret).max(leaf.start);
    let own_line = text[line..caret].trim_matches([' ', '\t', '>']).is_empty();
    let start = if own_line { caret } else { line + text[line..caret].trim_end().len() };
    let block = match (own_line, caret == leaf.start) {
        (true, true) => block_before(structure, leaf.start)?,
        (true, false) => trim(text, leaf.start..line),
        _ => leaf.clone(),
    };
    Some(BlockId { id: id.to_owned(), span: start..leaf.end, block, line: 0 })
}

/// The id at the end of the text and where its `^` stands.
fn trailing_id(text: &str) -> Option<(&str, usize)> {
    let caret = text.rfind('^')?;
    let id = &text[caret + 1..];
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let apart = text[..caret].chars().next_back().is_none_or(char::is_whitespace);
    (is_id && apart).then_some((id, caret))
}

fn block_before(structure: &Structure, offset: usize) -> Option<Span> {
    let index = structure.top_level.partition_point(|block| block.start < offset);
    structure.top_level[..index].iter().rev().find(|block| block.end <= offset).cloned()
}

#[cfg(test)]
mod tests {
    use crate::Note;

    fn check(text: &str, expected: &[(&str, &str, &str)]) {
        let note = Note::parse(text);
        let found: Vec<(&str, &str, &str)> =
            note.blocks.iter().map(|block| (block.id.as_str(), &text[block.span.clone()], &text[block.block.clone()])).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_paragraph_ends_in_its_id() {
        check("one\ntwo ^a-1\n\nthree", &[("a-1", " ^a-1", "one\ntwo ^a-1")]);
        check("one ^a\ntwo", &[]);
        check("one^a", &[]);
        check("one ^a_b", &[]);
    }

    #[test]
    fn an_id_on_its_own_line_names_the_block_above() {
        check("| a |\n|---|\n| b |\n\n^t\n", &[("t", "^t", "| a |\n|---|\n| b |")]);
        check("| a |\n|---|\n| b |\n^t\n", &[("t", "^t", "| a |\n|---|\n| b |")]);
        check("> q\n\n^q\n", &[("q", "^q", "> q")]);
        check("- a\n- b\n\n^l\n", &[("l", "^l", "- a\n- b")]);
        check("text\n^p\n", &[("p", "^p", "text")]);
        check("^alone\n", &[]);
    }

    #[test]
    fn a_list_item_is_named_without_its_children() {
        check("- a ^a\n  - b\n- c ^c\n", &[("a", " ^a", "- a ^a"), ("c", " ^c", "- c ^c")]);
        check("- a\n  - b ^b\n", &[("b", " ^b", "- b ^b")]);
        check("- a\n\t- b ^b\n", &[("b", " ^b", "- b ^b")]);
    }

    #[test]
    fn code_holds_no_ids() {
        check("```\nx ^a\n```\n", &[]);
        check("`x ^a`", &[]);
    }
}

//! Code in a note: fenced blocks with the language they name, and code in a line.

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use crate::frontmatter::{frontmatter, text_start};
use crate::span::Span;
use crate::structure::OPTIONS;

/// A fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// The first word behind the fence, as written; empty where there is none.
    pub language: String,
    /// Without the marks of quotes and lists around it.
    pub code: String,
    /// The block with its fences, from the first one to the end of the last.
    pub span: Span,
}

/// Code between backticks in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeSpan {
    pub code: String,
    /// With the backticks.
    pub span: Span,
}

/// All fenced blocks and all code in lines, each by place.
pub fn code(text: &str) -> (Vec<CodeBlock>, Vec<CodeSpan>) {
    let body = frontmatter(text).map_or_else(|| text_start(text), |found| found.block.end);
    let (mut blocks, mut spans): (Vec<CodeBlock>, Vec<CodeSpan>) = (Vec::new(), Vec::new());
    let mut is_open = false;
    for (event, range) in Parser::new_ext(&text[body..], OPTIONS).into_offset_iter() {
        let span = range.start + body..range.end + body;
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let language = info.split_whitespace().next().unwrap_or_default().to_owned();
                let end = span.start + text[span.clone()].trim_end().len();
                blocks.push(CodeBlock { language, code: String::new(), span: span.start..end });
                is_open = true;
            }
            Event::End(_) => is_open = false,
            Event::Text(piece) if is_open => {
                if let Some(block) = blocks.last_mut() {
                    block.code.push_str(&piece);
                }
            }
            Event::Code(code) => spans.push(CodeSpan { code: code.into_string(), span }),
            _ => {}
        }
    }
    (blocks, spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_a_language_and_spans_their_backticks() {
        let text = "---\na: 1\n---\n```dataview\nLIST\n```\n\n> ~~~tasks x\n> done\n> ~~~\n\n    indented\n\nsee `= this.a` and ``b`c``\n";
        let (blocks, spans) = code(text);
        let found: Vec<_> =
            blocks.iter().map(|block| (block.language.as_str(), block.code.as_str(), &text[block.span.clone()])).collect();
        assert_eq!(found, [("dataview", "LIST\n", "```dataview\nLIST\n```"), ("tasks", "done\n", "~~~tasks x\n> done\n> ~~~")]);
        let found: Vec<_> = spans.iter().map(|span| (span.code.as_str(), &text[span.span.clone()])).collect();
        assert_eq!(found, [("= this.a", "`= this.a`"), ("b`c", "``b`c``")]);
    }
}

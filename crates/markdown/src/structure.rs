//! The block structure of a note: what is code, what is a heading, where one block ends.

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag as Element, TagEnd};

use crate::span::{Span, trim};

/// The Markdown that the app reads, as far as the structure of a note goes.
pub(crate) const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_MATH).union(Options::ENABLE_FOOTNOTES);

/// What `scan` and the line readers need to know about a body.
#[derive(Default)]
pub(crate) struct Structure {
    /// Ranges that hold no links or tags, in order, none inside another.
    pub(crate) opaque: Vec<Opaque>,
    pub(crate) headings: Vec<RawHeading>,
    /// Blocks of running text that may end in a block id.
    pub(crate) leaves: Vec<Span>,
    /// Blocks that stand directly in the note, in order.
    pub(crate) top_level: Vec<Span>,
    /// Starts and ends of blocks, in order: no link runs across one.
    pub(crate) breaks: Vec<usize>,
    /// Spans of list items: full-line fields are not read there.
    pub(crate) items: Vec<Span>,
    /// Spans of reference definitions such as `[a]: note.md`.
    pub(crate) definitions: Vec<Span>,
}

/// Something whose inside is not Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opaque {
    pub(crate) span: Span,
    pub(crate) kind: OpaqueKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpaqueKind {
    /// Fenced or indented code, HTML blocks and comments: whole lines.
    Block,
    CodeSpan,
    /// Math, HTML tags, `<https://…>`.
    Inline,
}

#[derive(Clone)]
pub(crate) struct RawHeading {
    pub(crate) level: u8,
    pub(crate) span: Span,
    /// The source of the heading text, from its first to its last inline event.
    pub(crate) text: Span,
}

impl Structure {
    /// Reads the text from `body` on; all spans count from the start of the text.
    pub(crate) fn of(text: &str, body: usize) -> Structure {
        let parser = Parser::new_ext(&text[body..], OPTIONS);
        let mut reader = Reader { text, structure: Structure::default(), open: Vec::new() };
        let definitions = parser.reference_definitions().iter();
        reader.structure.definitions = definitions.map(|(_, definition)| shifted(&definition.span, body)).collect();
        reader.structure.definitions.sort_by_key(|span| span.start);
        for (event, range) in parser.into_offset_iter() {
            reader.read(event, shifted(&range, body));
        }
        let mut structure = reader.structure;
        structure.opaque.sort_by_key(|opaque| opaque.span.start);
        structure.breaks.sort_unstable();
        structure
    }
}

fn shifted(span: &Span, by: usize) -> Span {
    span.start + by..span.end + by
}

struct Reader<'a> {
    text: &'a str,
    structure: Structure,
    /// The elements around the current event, outermost first.
    open: Vec<OpenElement>,
}

struct OpenElement {
    kind: OpenKind,
    /// Of a list item: where its own text starts and ends, before any block inside it.
    text: Option<Span>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenKind {
    Block,
    Item,
    Heading,
    Inline,
}

impl Reader<'_> {
    fn read(&mut self, event: Event<'_>, range: Span) {
        match event {
            Event::Start(element) => self.start(&element, range),
            Event::End(end) => self.end(end, range),
            Event::Code(_) => self.inline(range, Some(OpaqueKind::CodeSpan)),
            Event::InlineMath(_) | Event::DisplayMath(_) | Event::InlineHtml(_) => {
                self.inline(range, Some(OpaqueKind::Inline));
            }
            Event::Text(_) | Event::FootnoteReference(_) | Event::SoftBreak | Event::HardBreak => {
                self.inline(range, None);
            }
            Event::Html(_) | Event::Rule | Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, element: &Element<'_>, range: Span) {
        if let Some(kind) = inline_kind(element) {
            self.inline(range.clone(), kind);
            self.open.push(OpenElement { kind: OpenKind::Inline, text: None });
            return;
        }
        self.structure.breaks.extend([range.start, range.end]);
        if self.open.is_empty() {
            self.structure.top_level.push(trim_block(self.text, range.clone()));
        }
        let kind = match element {
            Element::Item => OpenKind::Item,
            Element::Heading { .. } => OpenKind::Heading,
            _ => OpenKind::Block,
        };
        match element {
            Element::Heading { level, .. } if self.open.is_empty() => {
                let text = range.end..range.end;
                let heading = RawHeading { level: *level as u8, span: range.clone(), text };
                self.structure.headings.push(heading);
            }
            Element::CodeBlock(_) => self.hide(range.clone(), OpaqueKind::Block),
            Element::HtmlBlock => self.hide_html_block(range.clone()),
            Element::Paragraph => self.structure.leaves.push(trim_block(self.text, range.clone())),
            Element::Item => self.structure.items.push(marker_start(self.text, &range)..range.end),
            _ => {}
        }
        self.open.push(OpenElement { kind, text: None });
    }

    fn end(&mut self, end: TagEnd, range: Span) {
        let Some(closed) = self.open.pop() else { return };
        if closed.kind == OpenKind::Item
            && let Some(text) = closed.text
        {
            let leaf = trim_block(self.text, marker_start(self.text, &range)..text.end);
            self.structure.leaves.push(leaf);
        }
        // A table swallows the line after it: its last row may be nothing but a block id.
        if matches!(end, TagEnd::Table) {
            self.structure.leaves.push(trim_block(self.text, range));
        }
    }

    fn inline(&mut self, range: Span, hidden: Option<OpaqueKind>) {
        if let Some(kind) = hidden {
            self.hide(range.clone(), kind);
        }
        let in_outline = self.open.first().is_some_and(|open| open.kind == OpenKind::Heading);
        let Some(around) = self.open.iter_mut().rfind(|open| open.kind != OpenKind::Inline) else {
            return;
        };
        match around.kind {
            OpenKind::Item => {
                let text = around.text.get_or_insert(range.clone());
                text.end = text.end.max(range.end);
            }
            OpenKind::Heading if in_outline => {
                let Some(heading) = self.structure.headings.last_mut() else { return };
                heading.text.start = heading.text.start.min(range.start);
                if heading.text.end == heading.span.end {
                    heading.text.end = range.end;
                }
                heading.text.end = heading.text.end.max(range.end);
            }
            _ => {}
        }
    }

    fn hide(&mut self, span: Span, kind: OpaqueKind) {
        // Inline events repeat what their parent already covers, such as the text of an autolink.
        if self.structure.opaque.last().is_some_and(|last| span.start < last.span.end) {
            return;
        }
        self.structure.opaque.push(Opaque { span, kind });
    }

    /// After a comment the rest of its line is ordinary text to the app, unlike in CommonMark.
    fn hide_html_block(&mut self, range: Span) {
        let block = &self.text[range.clone()];
        let lead = block.len() - block.trim_start().len();
        if !block[lead..].starts_with("<!--") {
            return self.hide(range, OpaqueKind::Block);
        }
        let end = block.find("-->").map_or(range.end, |close| range.start + close + 3);
        self.hide(range.start..end, OpaqueKind::Block);
    }
}

/// `None` for blocks; for inline elements whether their inside is opaque.
fn inline_kind(element: &Element<'_>) -> Option<Option<OpaqueKind>> {
    match element {
        Element::Link { link_type: LinkType::Autolink | LinkType::Email, .. } => Some(Some(OpaqueKind::Inline)),
        Element::Link { .. }
        | Element::Image { .. }
        | Element::Emphasis
        | Element::Strong
        | Element::Strikethrough
        | Element::Superscript
        | Element::Subscript => Some(None),
        _ => None,
    }
}

/// Where the marker of a list item stands. The parser counts the columns before it, so a tab makes it start too early.
fn marker_start(text: &str, item: &Span) -> usize {
    let blanks = text.as_bytes()[item.clone()].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    item.start + blanks
}

/// The block without the blank lines after it.
fn trim_block(text: &str, range: Span) -> Span {
    range.start..trim(text, range.clone()).end.max(range.start)
}

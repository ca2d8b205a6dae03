//! Walks the text of a note once, from left to right, and picks up links, tags and comments.

use crate::destination::inline_destination;
use crate::link::{Link, markdown_link, reference_link, wikilink};
use crate::span::Span;
use crate::structure::{OpaqueKind, Structure};
use crate::tag::{Tag, leading_tag};

/// What one walk finds. Lines are not filled in yet.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) links: Vec<Link>,
    pub(crate) tags: Vec<Tag>,
    /// `%%comments%%`, in order. Links and tags inside them do not count.
    pub(crate) comments: Vec<Span>,
}

/// Scans `range` of the text, leaving alone what the structure calls opaque.
pub(crate) fn scan(text: &str, range: Span, structure: &Structure) -> Found {
    let mut scanner = Scanner {
        text,
        bytes: &text.as_bytes()[..range.end],
        start: range.start,
        position: range.start,
        structure,
        next_opaque: 0,
        next_break: 0,
        brackets: Vec::new(),
        escaped: None,
        found: Found::default(),
    };
    scanner.run();
    let mut found = scanner.found;
    let visible = |span: &&Span| !is_inside(&found.comments, span.start);
    let definitions = structure.definitions.iter().filter(visible);
    let definitions: Vec<Link> = definitions.filter_map(|span| reference_link(text, span)).collect();
    found.links.extend(definitions);
    found.links.sort_by_key(|link| link.span.start);
    found
}

/// Whether the offset lies in one of the spans, which stand in order.
pub(crate) fn is_inside(spans: &[Span], offset: usize) -> bool {
    let after = spans.partition_point(|span| span.start <= offset);
    after > 0 && spans[after - 1].end > offset
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    start: usize,
    position: usize,
    structure: &'a Structure,
    next_opaque: usize,
    next_break: usize,
    /// Opening brackets that may still become a link.
    brackets: Vec<Bracket>,
    /// Where the last character behind a backslash stands.
    escaped: Option<usize>,
    found: Found,
}

struct Bracket {
    at: usize,
    image: bool,
    /// A link closed inside: links do not nest.
    spent: bool,
}

const IS_SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    table[b'[' as usize] = true;
    table[b']' as usize] = true;
    table[b'#' as usize] = true;
    table[b'%' as usize] = true;
    table[b'\\' as usize] = true;
    table
};

impl Scanner<'_> {
    fn run(&mut self) {
        while self.position < self.bytes.len() {
            self.pass_breaks();
            if self.pass_opaque() {
                continue;
            }
            let limit = self.limit();
            let plain = self.bytes[self.position..limit].iter().position(|&byte| IS_SPECIAL[usize::from(byte)]);
            let Some(plain) = plain else {
                self.position = limit;
                continue;
            };
            self.position += plain;
            self.special();
        }
    }

    fn pass_breaks(&mut self) {
        while self.structure.breaks.get(self.next_break).is_some_and(|&at| at <= self.position) {
            self.next_break += 1;
            self.brackets.clear();
        }
    }

    /// Steps over an opaque range that starts here; true when the position moved.
    fn pass_opaque(&mut self) -> bool {
        let Some(opaque) = self.structure.opaque.get(self.next_opaque) else { return false };
        if opaque.span.start > self.position {
            return false;
        }
        self.next_opaque += 1;
        // What started inside a link or comment we stepped over is not what the parser took it
        // for, unless it is a whole block.
        let starts_here = opaque.span.start == self.position || opaque.kind == OpaqueKind::Block;
        if starts_here && opaque.span.end > self.position {
            self.position = opaque.span.end;
        }
        true
    }

    fn limit(&self) -> usize {
        let opaque = self.structure.opaque.get(self.next_opaque).map(|opaque| opaque.span.start);
        let next_break = self.structure.breaks.get(self.next_break).copied();
        let end = self.bytes.len();
        end.min(opaque.unwrap_or(end)).min(next_break.unwrap_or(end))
    }

    fn special(&mut self) {
        let at = self.position;
        let next = self.bytes.get(at + 1).copied();
        self.position += 1;
        match self.bytes[at] {
            b'\\' if next.is_some_and(|next| next.is_ascii_punctuation()) => {
                self.escaped = Some(at + 1);
                self.position += 1;
            }
            b'#' => self.tag(at),
            b'%' if next == Some(b'%') => self.comment(at),
            b'[' => {
                let is_wikilink = next == Some(b'[') && self.wikilink(at);
                if !is_wikilink {
                    let image = self.has_embed_mark(at);
                    self.brackets.push(Bracket { at, image, spent: false });
                }
            }
            b']' => self.close_bracket(at),
            _ => {}
        }
    }

    fn has_embed_mark(&self, at: usize) -> bool {
        at > self.start && self.bytes[at - 1] == b'!' && self.escaped != Some(at - 1)
    }

    fn tag(&mut self, at: usize) {
        if !self.may_start_tag(at) {
            return;
        }
        let Some(name) = leading_tag(&self.text[at + 1..self.bytes.len()]) else { return };
        self.position = at + 1 + name.len();
        let tag = Tag { name: name.to_owned(), span: at..self.position, line: 0 };
        self.found.tags.push(tag);
    }

    /// At the start of a line (quote marks aside) or after white space.
    fn may_start_tag(&self, at: usize) -> bool {
        let before = &self.text[self.start..at];
        match before.chars().next_back() {
            None => true,
            Some('>') => self.follows_quote_marks(at),
            Some(character) => character.is_whitespace(),
        }
    }

    /// Whether only quote marks and blanks stand before `at` on its line. Looks back no further than those reach, since a line
    /// can be as long as the note.
    fn follows_quote_marks(&self, at: usize) -> bool {
        let before = &self.bytes[self.start..at];
        let marks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'>')).count();
        marks == before.len() || before[before.len() - marks - 1] == b'\n'
    }

    fn comment(&mut self, at: usize) {
        let own_line = self.follows_quote_marks(at);
        let rest = &self.bytes[at + 2..];
        let end = match memchr::memmem::find(rest, b"%%") {
            Some(close) if own_line || !has_blank_line(&rest[..close]) => at + 2 + close + 2,
            None if own_line => self.bytes.len(),
            _ => {
                self.position = at + 2;
                return;
            }
        };
        self.brackets.clear();
        self.found.comments.push(at..end);
        self.position = end;
    }

    fn wikilink(&mut self, at: usize) -> bool {
        if self.bytes.get(at + 2) == Some(&b'[') {
            return false;
        }
        let Some(close) = wikilink_close(self.bytes, at + 2) else { return false };
        let code = self.structure.opaque[self.next_opaque..]
            .iter()
            .take_while(|opaque| opaque.span.start < close)
            .any(|opaque| opaque.kind == OpaqueKind::CodeSpan);
        if code {
            return false;
        }
        let Some(link) = wikilink(self.text, at, close, self.has_embed_mark(at)) else {
            return false;
        };
        self.found.links.push(link);
        self.position = close + 2;
        true
    }

    fn close_bracket(&mut self, at: usize) {
        let Some(bracket) = self.brackets.pop() else { return };
        if bracket.spent || self.bytes.get(at + 1) != Some(&b'(') {
            return;
        }
        let text = &self.text[..self.bytes.len()];
        let Some(destination) = inline_destination(text, at + 1) else { return };
        self.position = destination.end;
        let label = bracket.at + 1..at;
        while self.found.tags.last().is_some_and(|tag| tag.span.start > bracket.at) {
            self.found.tags.pop();
        }
        if !bracket.image {
            let around = self.brackets.iter_mut().filter(|outer| !outer.image);
            around.for_each(|outer| outer.spent = true);
        }
        self.found.links.extend(markdown_link(text, label, destination, bracket.image));
    }
}

/// Where the `]]` of a wikilink stands, when its inside starts at `from`.
fn wikilink_close(bytes: &[u8], from: usize) -> Option<usize> {
    let pairs = bytes.get(from..)?.windows(2).enumerate();
    for (index, pair) in pairs {
        match pair {
            [b']', b']'] => return Some(from + index),
            [b'\n', _] | [b'[', b'['] => return None,
            _ => {}
        }
    }
    None
}

fn has_blank_line(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|&byte| byte == b'\n');
    let last_is_open = lines.next_back().is_some();
    let _ = lines.next();
    last_is_open && lines.any(|line| line.iter().all(u8::is_ascii_whitespace))
}

#[cfg(test)]
mod tests {
    use crate::Note;

    fn check(text: &str, tags: &[&str], links: &[&str]) {
        let note = Note::parse(text);
        let found: Vec<&str> = note.tags.iter().map(|tag| tag.name.as_str()).collect();
        assert_eq!(found, tags, "{text}");
        let found: Vec<&str> = note.links.iter().map(|link| link.path.as_str()).collect();
        assert_eq!(found, links, "{text}");
    }

    #[test]
    fn code_math_and_html_are_left_alone() {
        check("`#a [[A]]` #b", &["b"], &[]);
        check("    #a [[A]]\n", &[], &[]);
        check("~~~\n[[A]]\n~~~\n[[B]]", &[], &["B"]);
        check("$x #a$ #b", &["b"], &[]);
        check("<div>\n #a [[A]]\n</div>\n\n#b", &["b"], &[]);
        check("x <!-- #a [[A]] --> #b", &["b"], &[]);
        check("<!--\n#a\n--> #b [[B]]", &["b"], &["B"]);
    }

    #[test]
    fn comments_hide_what_they_hold() {
        check("a %% #a [[A]] %% #b", &["b"], &[]);
        check("%%\n#a\n\n```\nx\n```\n[[A]]\n%%\n#b", &["b"], &[]);
        check("100%% #a\n\nnext %% #b", &["a", "b"], &[]);
        check("%%\n#a", &[], &[]);
        check("`%%` #a", &["a"], &[]);
    }

    #[test]
    fn tags_start_after_white_space_or_quote_marks() {
        check("> #a\n>#b\n- #c (#d) x#e", &["a", "b", "c"], &[]);
        check("\u{3000}#a", &["a"], &[]);
        check("#a#b", &["a"], &[]);
        check("# heading #a", &["a"], &[]);
    }

    #[test]
    fn tags_inside_links_do_not_count() {
        check("[see #a](b.md) [[A #b]] [x #c](https://x.y) #d", &["d"], &["b.md", "A"]);
        check("[see #a] b", &["a"], &[]);
    }

    #[test]
    fn links_do_not_run_across_blocks() {
        check("- [a\n- b](c.md)", &[], &[]);
        check("[a\n\nb](c.md)", &[], &[]);
        check("[a\nb](c.md)", &[], &["c.md"]);
    }

    #[test]
    fn code_in_a_link_text_is_fine() {
        check("[`a]b`](c.md)", &[], &["c.md"]);
    }
}

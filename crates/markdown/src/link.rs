//! Links and embeds: their parts and where each part stands.

use crate::destination::{Destination, decode, defined_destination};
use crate::note::Note;
use crate::span::{Span, trim};

/// How a link is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// `[[path#sub|display]]`
    Wikilink,
    /// `[display](path#sub)`
    Markdown,
    /// The definition `[label]: path#sub` of a reference link; its uses name only the label.
    Reference,
}

/// How the YAML scalar around a property link is quoted; a rewritten link must keep it valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quote {
    /// In the body, or in a plain or block scalar: bytes stand for themselves.
    None,
    Single,
    Double,
}

/// An internal link. Destinations with a URI scheme are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub kind: LinkKind,
    pub embed: bool,
    /// Decoded, without subpath; empty for links to the note itself.
    pub path: String,
    /// Empty, or with its `#`: `#H1#H2`, `#^block`.
    pub subpath: String,
    pub display: Option<String>,
    /// Width and height of an embed.
    pub size: Option<(u32, Option<u32>)>,
    /// Key path such as `rel.0` when the link stands in the frontmatter.
    pub property: Option<String>,
    pub quote: Quote,
    /// From the first to the last bracket, with the embed mark.
    pub span: Span,
    /// Path and subpath as written, without angle brackets.
    pub target: Span,
    /// The display text as written, without the size of an embed.
    pub display_span: Option<Span>,
    pub line: usize,
    /// The destination stands in `<…>`.
    pub angle: bool,
    /// The display is split off by `\|`, as inside tables.
    pub escaped_pipe: bool,
}

/// The links of a text, in the order they stand.
pub fn parse_links(text: &str) -> Vec<Link> {
    Note::parse(text).links
}

/// Whether the destination of a Markdown link leaves the vault: `https:`, `mailto:`, `//host`.
pub fn is_external(destination: &str) -> bool {
    if destination.starts_with("//") {
        return true;
    }
    let Some((scheme, _)) = destination.split_once(':') else { return false };
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|rest| rest.is_ascii_alphanumeric() || "+.-".contains(rest))
}

/// Reads the wikilink whose `[[` starts at `open` and whose `]]` starts at `close`.
pub(crate) fn wikilink(text: &str, open: usize, close: usize, embed: bool) -> Option<Link> {
    let inner = open + 2..close;
    let pipe = memchr::memchr(b'|', text[inner.clone()].as_bytes()).map(|at| open + 2 + at);
    let escaped_pipe = pipe.is_some_and(|pipe| text[open + 2..pipe].ends_with('\\'));
    let target_end = pipe.map_or(close, |pipe| pipe - usize::from(escaped_pipe));
    let target = trim(text, open + 2..target_end);
    if target.is_empty() {
        return None;
    }
    let (path, subpath) = split_subpath(&text[target.clone()]);
    let label = pipe.map(|pipe| pipe + 1..close);
    let (display_span, size) = label.map_or((None, None), |label| display(text, label, embed));
    Some(Link {
        kind: LinkKind::Wikilink,
        embed,
        path: path.trim_end().to_owned(),
        subpath: subpath.to_owned(),
        display: display_span.clone().map(|span| text[span].to_owned()),
        size,
        property: None,
        quote: Quote::None,
        span: open - usize::from(embed)..close + 2,
        target,
        display_span,
        line: 0,
        angle: false,
        escaped_pipe,
    })
}

/// Reads the Markdown link whose text is `label`; `None` when it leads nowhere or outside.
pub(crate) fn markdown_link(text: &str, label: Span, destination: Destination, embed: bool) -> Option<Link> {
    let written = &text[destination.span.clone()];
    if written.is_empty() || is_external(written) {
        return None;
    }
    let (path, subpath) = split_subpath(written);
    let start = label.start - 1 - usize::from(embed);
    let (display_span, size) = display(text, label, embed);
    Some(Link {
        kind: LinkKind::Markdown,
        embed,
        path: decode(path),
        subpath: decode(subpath),
        display: display_span.clone().map(|span| text[span].to_owned()),
        size,
        property: None,
        quote: Quote::None,
        span: start..destination.end,
        target: destination.span,
        display_span,
        line: 0,
        angle: destination.angle,
        escaped_pipe: false,
    })
}

/// Reads the definition `[label]: path`.
pub(crate) fn reference_link(text: &str, definition: &Span) -> Option<Link> {
    let destination = defined_destination(text, definition)?;
    let mut link = markdown_link(text, definition.start + 1..definition.start + 1, destination, false)?;
    link.kind = LinkKind::Reference;
    link.span = trim(text, definition.clone());
    Some(link)
}

fn split_subpath(target: &str) -> (&str, &str) {
    target.split_at(target.find('#').unwrap_or(target.len()))
}

type Size = (u32, Option<u32>);

/// Splits the size off the label of an embed: `alt|100x145`, `250`.
fn display(text: &str, label: Span, embed: bool) -> (Option<Span>, Option<Size>) {
    let label = trim(text, label);
    let shown = |span: Span| Some(trim(text, span)).filter(|span| !span.is_empty());
    if !embed {
        return (shown(label), None);
    }
    let pipe = memchr::memrchr(b'|', text[label.clone()].as_bytes()).map(|at| label.start + at);
    let last = pipe.map_or(label.start, |pipe| pipe + 1)..label.end;
    let Some(size) = parse_size(text[last].trim()) else { return (shown(label), None) };
    let Some(pipe) = pipe else { return (None, Some(size)) };
    let escape = usize::from(text[label.start..pipe].ends_with('\\'));
    (shown(label.start..pipe - escape), Some(size))
}

fn parse_size(text: &str) -> Option<Size> {
    let number = |digits: &str| {
        let only_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        only_digits.then(|| digits.parse().ok()).flatten()
    };
    match text.split_once('x') {
        Some((width, height)) => Some((number(width)?, Some(number(height)?))),
        None => Some((number(text)?, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> Link {
        let mut links = parse_links(text);
        assert_eq!(links.len(), 1, "{text}");
        links.remove(0)
    }

    #[test]
    fn a_wikilink_falls_into_its_parts() {
        let text = "see [[ A/B#H1#H2 | Show ]]";
        let link = only(text);
        assert_eq!((link.path.as_str(), link.subpath.as_str()), ("A/B", "#H1#H2"));
        assert_eq!(link.display.as_deref(), Some("Show"));
        assert_eq!(&text[link.target], "A/B#H1#H2");
        assert_eq!(&text[link.span], "[[ A/B#H1#H2 | Show ]]");
    }

    #[test]
    fn sizes_are_split_off_embeds_only() {
        let check = |text: &str, display: Option<&str>, size| {
            let link = only(text);
            assert_eq!((link.display.as_deref(), link.size), (display, size), "{text}");
        };
        check("![[a.png|200]]", None, Some((200, None)));
        check("![[a.png|alt|200x30]]", Some("alt"), Some((200, Some(30))));
        check("![[a.png|alt\\|200]]", Some("alt"), Some((200, None)));
        check("![250](a.png)", None, Some((250, None)));
        check("![a|b](a.png)", Some("a|b"), None);
        check("[[a|200]]", Some("200"), None);
    }

    #[test]
    fn markdown_destinations_are_decoded() {
        let text = "[x](a%20b.md#A%20b 'title')";
        let link = only(text);
        assert_eq!((link.path.as_str(), link.subpath.as_str()), ("a b.md", "#A b"));
        assert_eq!(&text[link.target], "a%20b.md#A%20b");
        assert!(only("[x](<a b.md>)").angle);
    }

    #[test]
    fn destinations_outside_are_left_out() {
        for text in ["[x](https://a.b)", "[x](mailto:a@b)", "[x](//a/b)", "<https://a.b>", "[x]()"] {
            assert_eq!(parse_links(text), [], "{text}");
        }
    }

    #[test]
    fn a_reference_definition_is_a_link() {
        let text = "see [it][a]\n\n[a]: <note one.md#h> \"t\"\n[b]: https://x.y\n";
        let link = only(text);
        assert_eq!(link.kind, LinkKind::Reference);
        assert_eq!((link.path.as_str(), link.line), ("note one.md", 3));
        assert_eq!(&text[link.target], "note one.md#h");
    }

    #[test]
    fn brackets_without_a_target_are_no_links() {
        for text in ["[[]]", "[[ ]]", "[[|x]]", "[[a\nb]]", "\\[[a]]", "[^1]", "[ ] x", "[[a"] {
            assert_eq!(parse_links(text), [], "{text}");
        }
    }

    #[test]
    fn three_brackets_hold_a_link_in_brackets() {
        assert_eq!(only("[[[A]]]").path, "A");
        assert_eq!(only("[[a [[B]]").path, "B");
    }

    #[test]
    fn an_image_inside_a_link_gives_both() {
        let links = parse_links("[![alt](a.png)](b.md)");
        let paths: Vec<&str> = links.iter().map(|link| link.path.as_str()).collect();
        assert_eq!(paths, ["b.md", "a.png"]);
        let links = parse_links("[a [b](c.md) d](e.md)");
        assert_eq!(links.len(), 1);
        assert_eq!(links[0].path, "c.md");
    }

    #[test]
    fn dollars_in_names_are_not_math() {
        let links = parse_links("[[US$1]] and [[US$2]]");
        assert_eq!(links.len(), 2);
    }
}

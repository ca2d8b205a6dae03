//! The links in the text of a note, and what surrounds each of them.

use std::ops::Range;

use quillgate_index::Catalogue;
use quillgate_markdown::{Edit, Link, LinkKind, Note};
use quillgate_vault::NotePath;
use serde_json::{Value, json};

/// A link of the text; those of the frontmatter and definitions of reference links are left out.
pub(super) struct HubLink {
    link: Link,
    pub(super) target: String,
    pub(super) line: usize,
    col: usize,
    /// The item of a list that it stands in.
    item: Option<usize>,
    /// The text around it without any link.
    pub(super) prose: String,
    pub(super) target_path: Option<NotePath>,
    pub(super) backlinks: usize,
    pub(super) outgoing: usize,
}

/// An item of a list, without the items below it.
struct Item {
    /// Its lines, with the last line's newline.
    span: Range<usize>,
    /// Behind the marker and the box of a task.
    text: Range<usize>,
    has_children: bool,
}

/// A note with its links.
pub(super) struct Hub<'t> {
    text: &'t str,
    items: Vec<Item>,
    pub(super) links: Vec<HubLink>,
}

impl<'t> Hub<'t> {
    pub(super) fn read(catalogue: &Catalogue, path: &NotePath, text: &'t str) -> Hub<'t> {
        let note = Note::parse(text);
        let lines = lines(text, note.body);
        let items = items(text, &lines);
        let spans: Vec<Range<usize>> = note.links.iter().map(|link| link.span.clone()).collect();
        let in_text = |link: &Link| link.property.is_none() && link.kind != LinkKind::Reference;
        let links = note.links.into_iter().filter(in_text).map(|link| {
            let item = items.iter().position(|item| item.span.contains(&link.span.start));
            let around = item.map_or_else(|| paragraph(text, &lines, link.span.start), |item| items[item].text.clone());
            let target_path = catalogue.resolve(path, &link.path);
            let line_start = text[..link.span.start].rfind('\n').map_or(0, |at| at + 1);
            HubLink {
                target: format!("{}{}", link.path, link.subpath),
                line: link.line,
                col: text[line_start..link.span.start].trim_start_matches('\u{feff}').chars().count() + 1,
                item,
                prose: without(text, &around, &spans),
                backlinks: target_path.as_ref().map_or(0, |target| catalogue.backlink_sources(target).sources.len()),
                outgoing: target_path
                    .as_ref()
                    .and_then(|target| catalogue.find(target))
                    .map_or(0, |entry| entry.card().links.len()),
                target_path,
                link,
            }
        });
        let links = links.collect();
        Hub { text, items, links }
    }

    pub(super) fn is_in_list(&self, link: &HubLink) -> bool {
        link.item.is_some()
    }

    /// What a rule can look at.
    pub(super) fn facts(&self, link: &HubLink) -> Value {
        json!({
            "target": link.target,
            "line": link.line,
            "col": link.col,
            "in_codeblock": false,
            "in_list_item": link.item.is_some(),
            "list_item_text": link.item.map(|item| self.text[self.items[item].text.clone()].trim()),
            "prose_context": link.prose,
            "target_path": link.target_path.as_ref().map(NotePath::as_str),
            "target_backlink_count": link.backlinks,
            "target_outgoing_count": link.outgoing,
        })
    }

    /// The edits that take links out of the text. An item of a list goes with its last link, unless there are items below it;
    /// elsewhere what a link shows stays as plain text.
    pub(super) fn without_links(&self, removed: &[usize]) -> Vec<Edit> {
        let is_removed = |at: usize| removed.contains(&at);
        let goes = |item: usize| {
            let all = self.links.iter().enumerate().filter(|(_, link)| link.item == Some(item)).all(|(at, _)| is_removed(at));
            all && !self.items[item].has_children
        };
        let mut edits = Vec::new();
        let mut gone = Vec::new();
        for &at in removed {
            let link = &self.links[at];
            match link.item.filter(|item| goes(*item)) {
                Some(item) if gone.contains(&item) => {}
                Some(item) => {
                    gone.push(item);
                    edits.push(Edit::replace(self.items[item].span.clone(), ""));
                }
                None => edits.extend(unlinked(&link.link)),
            }
        }
        edits
    }
}

/// The edits that leave of a link only what it shows; nothing of an embed.
fn unlinked(link: &Link) -> Vec<Edit> {
    if link.embed {
        return vec![Edit::replace(link.span.clone(), "")];
    }
    match &link.display_span {
        Some(shown) => {
            vec![Edit::replace(link.span.start..shown.start, ""), Edit::replace(shown.end..link.span.end, "")]
        }
        None => vec![Edit::replace(link.span.clone(), format!("{}{}", link.path, link.subpath))],
    }
}

/// The lines from an offset on, without their newlines.
fn lines(text: &str, from: usize) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = from;
    for line in text[from..].split_inclusive('\n') {
        lines.push(start..start + line.trim_end_matches(['\n', '\r']).len());
        start += line.len();
    }
    lines
}

/// Where the text of an item begins, and how far the item is indented, if the line begins one.
fn marker(line: &str) -> Option<(usize, usize)> {
    let item = line.trim_start_matches(['>', ' ', '\t']);
    let indent = line.len() - item.len();
    let rest = match item.as_bytes().first()? {
        b'-' | b'*' | b'+' => &item[1..],
        b'0'..=b'9' => item.trim_start_matches(|character: char| character.is_ascii_digit()).strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let text = rest.trim_start_matches([' ', '\t']);
    if text.len() == rest.len() && !rest.is_empty() {
        return None;
    }
    let is_task = text.starts_with('[') && text[1..].chars().nth(1) == Some(']') && !text.starts_with("[[");
    let text = if is_task { text.split_once(']').map_or(text, |(_, text)| text) } else { text };
    Some((line.len() - text.len(), indent))
}

fn is_break(line: &str) -> bool {
    let line = line.trim_start_matches(['>', ' ', '\t']);
    line.is_empty() || line.starts_with("# ") || line.starts_with("##")
}

fn items(text: &str, lines: &[Range<usize>]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    // Whether the last item may still go on, and how far it is indented.
    let mut open: Option<usize> = None;
    for (at, line) in lines.iter().enumerate() {
        let written = &text[line.clone()];
        let end = lines.get(at + 1).map_or(text.len(), |next| next.start);
        if let Some((offset, indent)) = marker(written) {
            if let (Some(last), Some(above)) = (items.last_mut(), open) {
                last.has_children = indent > above;
            }
            items.push(Item { span: line.start..end, text: line.start + offset..line.end, has_children: false });
            open = Some(indent);
        } else if is_break(written) {
            open = None;
        } else if let (Some(last), Some(_)) = (items.last_mut(), open) {
            (last.span.end, last.text.end) = (end, line.end);
        }
    }
    items
}

/// The lines around an offset up to a blank line, a heading or a list; of a heading only its own line.
fn paragraph(text: &str, lines: &[Range<usize>], offset: usize) -> Range<usize> {
    let Some(at) = lines.iter().position(|line| line.start <= offset && offset <= line.end) else { return offset..offset };
    let is_prose = |line: &&Range<usize>| !is_break(&text[(*line).clone()]) && marker(&text[(*line).clone()]).is_none();
    if !is_prose(&&lines[at]) {
        return lines[at].clone();
    }
    let before = lines[..at].iter().rev().take_while(is_prose).count();
    let after = lines[at..].iter().take_while(is_prose).count();
    lines[at - before].start..lines[at + after - 1].end
}

/// A part of the text without its links, and without what only separates them.
fn without(text: &str, part: &Range<usize>, links: &[Range<usize>]) -> String {
    let mut kept = String::new();
    let mut copied = part.start;
    for link in links.iter().filter(|link| part.contains(&link.start)) {
        if link.start >= copied {
            kept.push_str(&text[copied..link.start]);
        }
        copied = copied.max(link.end);
    }
    kept.push_str(text.get(copied..part.end).unwrap_or_default());
    let words = kept.split_whitespace().collect::<Vec<_>>().join(" ");
    words.trim_matches(|character: char| !character.is_alphanumeric()).to_owned()
}

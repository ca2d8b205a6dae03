//! A note and everything that can be found in it.

use crate::block::{BlockId, block_ids};
use crate::field::{InlineField, fields, item_field};
use crate::fold::fold;
use crate::frontmatter::{Frontmatter, Property, frontmatter, text_start};
use crate::heading::{Heading, headings};
use crate::link::Link;
use crate::list_item::{ListItem, list_items};
use crate::property_link::property_links;
use crate::scan::{is_inside, scan};
use crate::span::{Lines, Span};
use crate::structure::{OpaqueKind, Structure};
use crate::tag::{Tag, is_valid_tag};
use crate::task::{Task, task};
use crate::value::Value;

/// What stands in a note, each thing with its bytes.
///
/// Code, math, HTML and `%%comments%%` are left alone: nothing inside them is found.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub frontmatter: Option<Frontmatter>,
    pub headings: Vec<Heading>,
    /// Those of the frontmatter first, then those of the body.
    pub links: Vec<Link>,
    pub tags: Vec<Tag>,
    pub blocks: Vec<BlockId>,
    pub tasks: Vec<Task>,
    /// The items of all lists, tasks among them.
    pub items: Vec<ListItem>,
    pub fields: Vec<InlineField>,
    /// Where the body starts: after byte order mark and frontmatter.
    pub body: usize,
}

impl Note {
    pub fn parse(text: &str) -> Note {
        let frontmatter = frontmatter(text);
        let body = frontmatter.as_ref().map_or_else(|| text_start(text), |found| found.block.end);
        let lines = Lines::of(text);
        let structure = Structure::of(text, body);
        let found = scan(text, body..text.len(), &structure);
        let hidden = hidden(&structure, &found.comments);
        let properties = frontmatter.as_ref().and_then(|found| found.properties.as_ref().ok());
        let mut links = properties.map(|found| property_links(text, found)).unwrap_or_default();
        links.extend(found.links);
        let (tasks, mut fields) = read_lines(text, body, &lines, &structure, &hidden);
        let items = list_items(text, &lines, &structure, &hidden, &tasks);
        add_item_fields(text, &items, &hidden, &mut fields);
        let mut note = Note {
            frontmatter,
            headings: headings_shown(text, &structure, &found.comments),
            links,
            tags: found.tags,
            blocks: block_ids(text, &structure),
            tasks,
            items,
            fields,
            body,
        };
        note.blocks.retain(|block| !is_inside(&hidden, block.span.end - 1));
        note.number_lines(&lines);
        note
    }

    /// Tags of the frontmatter without `#`, each once whatever its case; items that are no tags are skipped.
    pub fn property_tags(&self) -> Vec<String> {
        let names = self.property_texts("tags");
        let names = names.iter().map(|name| name.trim().trim_start_matches('#'));
        unique(names.filter(|name| is_valid_tag(name)).map(str::to_owned))
    }

    pub fn aliases(&self) -> Vec<String> {
        let names = self.property_texts("aliases");
        unique(names.into_iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()))
    }

    /// All tags with `#`, those of the frontmatter first, each once whatever its case.
    pub fn all_tags(&self) -> Vec<String> {
        let inline = self.tags.iter().map(|tag| tag.name.clone());
        let names = self.property_tags().into_iter().chain(inline);
        unique(names.map(|name| format!("#{name}")))
    }

    /// Looks a property up without regard to case.
    pub fn find_property(&self, key: &str) -> Option<&Property> {
        let frontmatter = self.frontmatter.as_ref()?;
        frontmatter.properties.as_ref().ok()?.find_property(key)
    }

    /// A list of texts, or one text alone.
    fn property_texts(&self, key: &str) -> Vec<String> {
        let text = |value: &Value| match value {
            Value::Text(text) => Some(text.clone()),
            Value::Integer(number) => Some(number.to_string()),
            _ => None,
        };
        match self.find_property(key).map(|property| &property.value) {
            Some(Value::List(items)) => items.iter().filter_map(text).collect(),
            Some(value) => text(value).into_iter().collect(),
            None => Vec::new(),
        }
    }

    fn number_lines(&mut self, lines: &Lines) {
        self.headings.iter_mut().for_each(|found| found.line = lines.line_at(found.span.start));
        self.links.iter_mut().for_each(|found| found.line = lines.line_at(found.span.start));
        self.tags.iter_mut().for_each(|found| found.line = lines.line_at(found.span.start));
        self.blocks.iter_mut().for_each(|found| found.line = lines.line_at(found.span.end - 1));
        self.tasks.iter_mut().for_each(|found| found.line = lines.line_at(found.span.start));
        self.fields.iter_mut().for_each(|found| found.line = lines.line_at(found.span.start));
    }
}

/// Code, HTML, math and comments, in order, none inside another.
fn hidden(structure: &Structure, comments: &[Span]) -> Vec<Span> {
    let opaque = structure.opaque.iter().map(|opaque| opaque.span.clone());
    let mut spans: Vec<Span> = opaque.chain(comments.iter().cloned()).collect();
    spans.sort_by_key(|span| span.start);
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

fn headings_shown(text: &str, structure: &Structure, comments: &[Span]) -> Vec<Heading> {
    let shown = structure.headings.iter().filter(|raw| !is_inside(comments, raw.span.start));
    headings(text, &shown.cloned().collect::<Vec<_>>())
}

fn read_lines(text: &str, body: usize, lines: &Lines, structure: &Structure, hidden: &[Span]) -> (Vec<Task>, Vec<InlineField>) {
    let (mut tasks, mut found_fields) = (Vec::new(), Vec::new());
    let blocks: Vec<Span> =
        structure.opaque.iter().filter(|opaque| opaque.kind == OpaqueKind::Block).map(|opaque| opaque.span.clone()).collect();
    let items = outermost(&structure.items);
    let has_fields = memchr::memmem::find(&text.as_bytes()[body..], b"::").is_some();
    for line in lines.spans_from(text, body) {
        let written = &text[line.clone()];
        let shown = |offset: usize| !is_inside(hidden, offset);
        let content = line.start + (written.len() - written.trim_start().len());
        if is_inside(&blocks, content) {
            continue;
        }
        tasks.extend(task(written, line.start).filter(|_| shown(content)));
        if !has_fields {
            continue;
        }
        let in_list = is_inside(&items, content);
        let separated = |field: &InlineField| {
            let separator = text[field.span.clone()].find("::").unwrap_or(0);
            shown(field.span.start) && shown(field.span.start + separator)
        };
        found_fields.extend(fields(written, line.start, in_list).into_iter().filter(separated));
    }
    (tasks, found_fields)
}

/// Items that are no tasks may be one field as a whole, like lines elsewhere.
fn add_item_fields(text: &str, items: &[ListItem], hidden: &[Span], found: &mut Vec<InlineField>) {
    let before = found.len();
    for item in items.iter().filter(|item| item.status.is_none() && item.text.contains("::")) {
        let next = found[..before].partition_point(|field| field.span.start < item.span.start);
        let has_own = found[..before].get(next).is_some_and(|field| field.span.start < item.span.end);
        let separator = item.span.start + text[item.span.clone()].find("::").unwrap_or(0);
        if !has_own && !is_inside(hidden, separator) {
            found.extend(item_field(item));
        }
    }
    found.sort_by_key(|field| field.span.start);
}

/// Of nested spans in order of their start, those that no other holds.
fn outermost(spans: &[Span]) -> Vec<Span> {
    let mut result: Vec<Span> = Vec::new();
    for span in spans {
        if result.last().is_none_or(|last| span.start >= last.end) {
            result.push(span.clone());
        }
    }
    result
}

fn unique(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    names.filter(|name| seen.insert(fold(name))).collect()
}

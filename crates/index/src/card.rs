//! What the catalogue keeps of a note: everything that is asked for without opening the file.

use quillgate_markdown::{InlineField, LinkKind, ListItem, Note, Value};
use serde::{Deserialize, Serialize};

use crate::card_items::CardItems;

/// Kept encoded, since most questions look at few of the notes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// The frontmatter as a JSON object; empty without one.
    pub properties: String,
    /// Why the frontmatter could not be read.
    pub problem: Option<String>,
    /// The tags of the frontmatter, without `#`, and the lines they stand on.
    pub property_tags: Vec<String>,
    pub property_tag_lines: (u32, u32),
    pub aliases: Vec<String>,
    /// Tags in the text, without `#`, with their lines.
    pub inline_tags: Vec<(String, u32)>,
    pub headings: Vec<CardHeading>,
    pub links: Vec<CardLink>,
    pub(crate) items: CardItems,
    pub fields: Vec<CardField>,
    pub blocks: Vec<(String, u32)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardHeading {
    pub level: u8,
    pub text: String,
    pub line: u32,
}

/// An inline field, such as `key:: value`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardField {
    /// Without formatting marks, otherwise as written.
    pub key: String,
    /// As written; may be empty.
    pub value: String,
    pub line: u32,
    pub place: FieldPlace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FieldPlace {
    Text,
    /// In the list item of this line.
    Item(u32),
    /// In the task of this line: the note itself has no such field.
    Task(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkPlace {
    Text,
    Property,
    /// In the Markdown of a text card.
    Canvas,
    /// The path of a file node.
    CanvasFile,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardLink {
    /// The link path as written, decoded, without the part behind `#`.
    pub path: String,
    pub subpath: String,
    pub display: Option<String>,
    pub embed: bool,
    pub wikilink: bool,
    pub place: LinkPlace,
    pub line: u32,
}

impl Card {
    pub fn of(text: &str) -> Card {
        let note = Note::parse(text);
        let mut card = Card {
            property_tags: note.property_tags(),
            aliases: note.aliases(),
            inline_tags: note.tags.iter().map(|tag| (tag.name.clone(), line(tag.line))).collect(),
            headings: note
                .headings
                .iter()
                .map(|heading| CardHeading { level: heading.level, text: heading.text.clone(), line: line(heading.line) })
                .collect(),
            links: note.links.iter().map(card_link).collect(),
            items: CardItems::of(&note),
            fields: note.fields.iter().map(|field| card_field(field, &note.items)).collect(),
            blocks: note.blocks.iter().map(|block| (block.id.clone(), line(block.line))).collect(),
            ..Card::default()
        };
        if let Some(frontmatter) = &note.frontmatter {
            match &frontmatter.properties {
                Ok(properties) => {
                    let entries = properties.0.iter().map(|property| (property.key.clone(), json(&property.value)));
                    card.properties = serde_json::Value::Object(entries.collect()).to_string();
                    if let Some(tags) = properties.find_property("tags") {
                        let first = line_of(text, tags.span.start);
                        let last = line_of(text, tags.span.end.saturating_sub(1).max(tags.span.start));
                        card.property_tag_lines = (first, last);
                    }
                }
                Err(error) => card.problem = Some(error.to_string()),
            }
        }
        card
    }

    /// The frontmatter as JSON, in the order of the file.
    pub fn property_map(&self) -> serde_json::Map<String, serde_json::Value> {
        serde_json::from_str(&self.properties).unwrap_or_default()
    }

    pub(crate) fn encode(&self) -> Box<[u8]> {
        postcard::to_allocvec(self).map(Vec::into_boxed_slice).unwrap_or_default()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Card> {
        if bytes.is_empty() { Some(Card::default()) } else { postcard::from_bytes(bytes).ok() }
    }
}

fn card_link(link: &quillgate_markdown::Link) -> CardLink {
    CardLink {
        path: link.path.clone(),
        subpath: link.subpath.clone(),
        display: link.display.clone(),
        embed: link.embed,
        wikilink: matches!(link.kind, LinkKind::Wikilink),
        place: if link.property.is_some() { LinkPlace::Property } else { LinkPlace::Text },
        line: line(link.line),
    }
}

fn card_field(field: &InlineField, items: &[ListItem]) -> CardField {
    let next = items.partition_point(|item| item.span.start <= field.span.start);
    let item = items[..next].last().filter(|item| field.span.start < item.span.end);
    let place = item.map_or(FieldPlace::Text, |item| match item.status {
        Some(_) => FieldPlace::Task(line(item.line)),
        None => FieldPlace::Item(line(item.line)),
    });
    CardField { key: field.key.clone(), value: field.value.clone(), line: line(field.line), place }
}

pub(crate) fn line(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn line_of(text: &str, offset: usize) -> u32 {
    line(text.as_bytes()[..offset.min(text.len())].iter().filter(|&&byte| byte == b'\n').count() + 1)
}

/// A property as JSON. JSON has no infinities, so those become text as YAML writes them.
fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(truth) => (*truth).into(),
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => serde_json::Number::from_f64(*number).map_or_else(|| number.to_string().into(), Into::into),
        Value::Text(text) => text.clone().into(),
        Value::List(items) => items.iter().map(json).collect(),
        Value::Map(entries) => serde_json::Value::Object(entries.iter().map(|(key, value)| (key.clone(), json(value))).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_told_with_the_item_they_stand_in() {
        let card = Card::of("A:: 1\n- b:: 2\n  - [ ] c [d:: 3]\n    x (e:: 4)\n\nx [f:: 5]\n");
        let found: Vec<_> = card.fields.iter().map(|field| (field.key.as_str(), field.line, field.place)).collect();
        let wanted = [
            ("A", 1, FieldPlace::Text),
            ("b", 2, FieldPlace::Item(2)),
            ("d", 3, FieldPlace::Task(3)),
            ("e", 4, FieldPlace::Task(3)),
            ("f", 6, FieldPlace::Text),
        ];
        assert_eq!(found, wanted);
    }
}

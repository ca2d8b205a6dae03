//! The list items of a note in its card: encoded on their own, since most questions about a card are not about them.

use quillgate_markdown::Note;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::card::{Card, CardHeading, line};

/// An item of a list, whether it is a task or not. Its own lines are those before the items below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardItem<'a> {
    pub line: u32,
    /// How many lines are its own.
    pub lines: u32,
    /// The line of the item around it.
    pub parent: Option<u32>,
    /// What stands before the marker: indentation and quote marks.
    pub prefix: &'a str,
    /// `-`, `*`, `+`, `1.` or `1)`.
    pub marker: &'a str,
    /// The character in the brackets, if it is a task.
    pub status: Option<char>,
    /// After marker and brackets, with fields, tags and block id; further lines follow, each trimmed.
    pub text: &'a str,
}

impl CardItem<'_> {
    pub fn is_task(&self) -> bool {
        self.status.is_some()
    }

    /// Whether a line is one of its own.
    pub fn has_line(&self, line: u32) -> bool {
        (self.line..self.line.saturating_add(self.lines)).contains(&line)
    }
}

#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct CardItems(Box<[u8]>);

impl CardItems {
    pub(crate) fn of(note: &Note) -> CardItems {
        let mut bytes = Vec::new();
        for item in &note.items {
            let item = CardItem {
                line: line(item.line),
                lines: line(item.lines),
                parent: item.parent.map(|parent| line(note.items[parent].line)),
                prefix: &item.prefix,
                marker: &item.marker,
                status: item.status,
                text: &item.text,
            };
            bytes = postcard::to_extend(&item, bytes).unwrap_or_default();
        }
        CardItems(bytes.into_boxed_slice())
    }

    fn iter(&self) -> impl Iterator<Item = CardItem<'_>> {
        let mut rest = &*self.0;
        std::iter::from_fn(move || {
            let (item, behind) = postcard::take_from_bytes(rest).ok()?;
            rest = behind;
            Some(item)
        })
    }
}

impl Card {
    /// The items of all lists, by line.
    pub fn items(&self) -> impl Iterator<Item = CardItem<'_>> {
        self.items.iter()
    }

    /// The items with a box, by line.
    pub fn tasks(&self) -> impl Iterator<Item = CardItem<'_>> {
        self.items().filter(CardItem::is_task)
    }

    /// The last heading above a line, or on it.
    pub fn heading_above(&self, line: u32) -> Option<&CardHeading> {
        let next = self.headings.partition_point(|heading| heading.line <= line);
        self.headings[..next].last()
    }

    /// The block id of an item, without `^`.
    pub fn block_id(&self, item: &CardItem<'_>) -> Option<&str> {
        let next = self.blocks.partition_point(|(_, line)| *line < item.line);
        self.blocks.get(next).filter(|(_, line)| item.has_line(*line)).map(|(id, _)| id.as_str())
    }
}

impl std::fmt::Debug for CardItems {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for CardItems {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for CardItems {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CardItems, D::Error> {
        deserializer.deserialize_bytes(Bytes)
    }
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = CardItems;

    fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str("encoded list items")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<CardItems, E> {
        Ok(CardItems(bytes.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "- before\n\n# One\n- [ ] a #x [k:: v] ^id\n  more\n  - b\n> 1) [/] c\n";

    #[test]
    fn a_card_keeps_its_items() {
        let card = Card::decode(&Card::of(TEXT).encode()).unwrap();
        let found: Vec<_> = card.items().map(|item| (item.line, item.lines, item.parent, item.marker, item.text)).collect();
        let wanted = [
            (1, 1, None, "-", "before"),
            (4, 2, None, "-", "a #x [k:: v] ^id\nmore"),
            (6, 1, Some(4), "-", "b"),
            (7, 1, None, "1)", "c"),
        ];
        assert_eq!(found, wanted);
        let tasks: Vec<_> = card.tasks().map(|item| (item.line, item.status, item.prefix)).collect();
        assert_eq!(tasks, [(4, Some(' '), ""), (7, Some('/'), "> ")]);
    }

    #[test]
    fn items_are_found_under_their_heading_and_by_their_block_id() {
        let card = Card::of("- before\n\n# One\n- a\n\n## Two\n- b\n  c ^id\n- d\n");
        let told: Vec<_> = card
            .items()
            .map(|item| (item.text, card.heading_above(item.line).map(|heading| heading.text.as_str()), card.block_id(&item)))
            .collect();
        let wanted =
            [("before", None, None), ("a", Some("One"), None), ("b\nc ^id", Some("Two"), Some("id")), ("d", Some("Two"), None)];
        assert_eq!(told, wanted);
    }
}

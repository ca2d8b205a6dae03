//! What a file links to, the tags and fields in its text and its properties: the part of a card that is asked for all the time.

use serde::{Deserialize, Serialize};

use crate::card::{Card, CardField, FieldPlace, LinkPlace};

/// Stored beside the card, so that a start need not decode all cards.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Mentions<'a> {
    #[serde(borrow)]
    pub(crate) links: Vec<Mention<'a>>,
    /// The tags in the text, each spelling once.
    #[serde(borrow)]
    pub(crate) inline_tags: Vec<&'a str>,
    /// The frontmatter as a JSON object; empty without one.
    pub(crate) properties: &'a str,
    /// Keys and texts of the fields that the note itself has: those of list items first, none of tasks.
    #[serde(borrow)]
    pub(crate) fields: Vec<(&'a str, &'a str)>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Mention<'a> {
    pub(crate) path: &'a str,
    /// Whether it is a full path that means no other file.
    pub(crate) is_exact: bool,
    pub(crate) is_embed: bool,
    pub(crate) line: u32,
}

impl<'a> Mentions<'a> {
    pub(crate) fn of(card: &'a Card) -> Mentions<'a> {
        let mut inline_tags: Vec<&str> = Vec::new();
        for (tag, _) in &card.inline_tags {
            if !inline_tags.contains(&tag.as_str()) {
                inline_tags.push(tag);
            }
        }
        let links = card.links.iter().map(|link| Mention {
            path: &link.path,
            is_exact: matches!(link.place, LinkPlace::CanvasFile),
            is_embed: link.embed,
            line: link.line,
        });
        let fields = |is_wanted: fn(&FieldPlace) -> bool| {
            let wanted = card.fields.iter().filter(move |field| is_wanted(&field.place));
            wanted.map(|CardField { key, value, .. }| (key.as_str(), value.as_str()))
        };
        let of_items = fields(|place| matches!(place, FieldPlace::Item(_)));
        let of_text = fields(|place| matches!(place, FieldPlace::Text));
        // Without a path a link means its own file.
        Mentions {
            links: links.filter(|link| !link.path.is_empty() || link.is_exact).collect(),
            inline_tags,
            properties: &card.properties,
            fields: of_items.chain(of_text).collect(),
        }
    }

    pub(crate) fn encode(&self) -> Box<[u8]> {
        postcard::to_allocvec(self).map(Vec::into_boxed_slice).unwrap_or_default()
    }
}

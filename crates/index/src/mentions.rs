//! What a file links to, the tags in its text and its properties: the part of a card that is asked for all the time.

use serde::{Deserialize, Serialize};

use crate::card::{Card, LinkPlace};

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
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Mention<'a> {
    pub(crate) path: &'a str,
    /// Whether it is a full path that means no other file.
    pub(crate) is_exact: bool,
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
            line: link.line,
        });
        // Without a path a link means its own file.
        Mentions {
            links: links.filter(|link| !link.path.is_empty() || link.is_exact).collect(),
            inline_tags,
            properties: &card.properties,
        }
    }

    pub(crate) fn encode(&self) -> Box<[u8]> {
        postcard::to_allocvec(self).map(Vec::into_boxed_slice).unwrap_or_default()
    }
}

//! What a page has besides the values of its fields: its links, its aliases and the names of its fields.

use std::sync::Arc;

use quillgate_index::{Card, CardLink, FieldPlace};

use super::field_value::property_value;
use super::names::canonical_name;
use super::scan::link_to;
use crate::value::{Link, LinkKind, Object};

/// Worked out once from a card; links in it mean what they mean in the page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) links: Vec<Link>,
    pub(crate) aliases: Vec<Arc<str>>,
    /// As it is written.
    pub(crate) frontmatter: Arc<Object>,
    /// Names of fields, as written and as queries know them.
    pub(crate) names: Vec<Arc<str>>,
}

impl Page {
    pub(crate) fn of(card: &Card) -> Page {
        let properties = card.property_map();
        let frontmatter = properties.iter().map(|(key, value)| (Arc::from(key.as_str()), property_value(value)));
        let written = properties.keys().map(String::as_str);
        let inline =
            card.fields.iter().filter(|field| !matches!(field.place, FieldPlace::Task(_))).map(|field| field.key.as_str());
        Page {
            links: links(&card.links),
            aliases: card.aliases.iter().map(|alias| Arc::from(alias.as_str())).collect(),
            frontmatter: Arc::new(Object(frontmatter.collect())),
            names: names(written.chain(inline)),
        }
    }
}

/// Names as written, then those that only queries know.
fn names<'a>(written: impl Iterator<Item = &'a str>) -> Vec<Arc<str>> {
    let mut names: Vec<Arc<str>> = Vec::new();
    for name in written {
        if !names.iter().any(|known| &**known == name) {
            names.push(name.into());
        }
    }
    for at in 0..names.len() {
        let plain = canonical_name(&names[at]);
        if !plain.is_empty() && !names.iter().any(|known| **known == *plain) {
            names.push(plain.into());
        }
    }
    names
}

/// In the order of the plugin: those of the properties, those of the text, then what is embedded.
fn links(written: &[CardLink]) -> Vec<Link> {
    let mut links: Vec<Link> = written.iter().map(link).collect();
    links.sort_by_key(|link| link.embed);
    links
}

pub(crate) fn link(link: &CardLink) -> Link {
    let target = format!("{}{}", link.path, link.subpath);
    let display = link.display.as_deref().filter(|display| !display.is_empty());
    let found = link_to(&target);
    let kind = if found.subpath.is_none() { LinkKind::File } else { found.kind };
    Link { display: display.map(Arc::from), embed: link.embed, kind, ..found }
}

//! Tags, in the text and in the frontmatter.

mod find_notes_by_tag;
mod list_tags;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "tags",
    about: "List, find, add and remove tags.",
    tools: &[Registered::of::<list_tags::ListTags>(), Registered::of::<find_notes_by_tag::FindNotesByTag>()],
};

//! Tags, in the text and in the frontmatter.

mod add_tag;
mod find_notes_by_tag;
mod get_note_tags;
mod list_tags;
mod note_tag;
mod remove_tag;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "tags",
    about: "List, find, add and remove tags.",
    tools: &[
        Registered::of::<list_tags::ListTags>(),
        Registered::of::<get_note_tags::GetNoteTags>(),
        Registered::changing::<add_tag::AddTag>(),
        Registered::changing::<remove_tag::RemoveTag>(),
        Registered::of::<find_notes_by_tag::FindNotesByTag>(),
    ],
};

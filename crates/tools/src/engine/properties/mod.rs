//! Properties of notes: what stands in their frontmatter.

mod find_notes_by_property;
mod list_properties;
mod read_frontmatter;
mod read_property;
mod update_frontmatter;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "properties",
    about: "Read, change, list and filter by the properties (frontmatter) of notes.",
    tools: &[
        Registered::of::<read_frontmatter::ReadFrontmatter>(),
        Registered::of::<read_property::ReadProperty>(),
        Registered::changing::<update_frontmatter::UpdateFrontmatter>(),
        Registered::of::<list_properties::ListProperties>(),
        Registered::of::<find_notes_by_property::FindNotesByProperty>(),
    ],
};

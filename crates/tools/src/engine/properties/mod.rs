//! Properties of notes: what stands in their frontmatter.

mod find_notes_by_property;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "properties",
    about: "Read, change, list and filter by the properties (frontmatter) of notes.",
    tools: &[Registered::of::<find_notes_by_property::FindNotesByProperty>()],
};

//! Many notes in one call.

mod bulk_create_notes;
mod bulk_move_notes;
mod bulk_set_property;
mod each;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "bulk",
    about: "Create, move or change many notes in one call.",
    tools: &[
        Registered::asking::<bulk_create_notes::BulkCreateNotes>(),
        Registered::asking::<bulk_set_property::BulkSetProperty>(),
        Registered::changing::<bulk_move_notes::BulkMoveNotes>(),
    ],
};

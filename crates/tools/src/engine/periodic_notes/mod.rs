//! Notes of days, weeks, months, quarters and years.

mod append_to_periodic_note;
mod create_periodic_note;
mod find_or_create_periodic_note;
mod get_periodic_note;
mod list_periodic_notes;
mod periodic_note;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "periodic_notes",
    about: "Find, make, list and add to daily, weekly, monthly, quarterly and yearly notes, as the vault is set up for them.",
    tools: &[
        Registered::of::<get_periodic_note::GetPeriodicNote>(),
        Registered::changing::<create_periodic_note::CreatePeriodicNote>(),
        Registered::changing::<find_or_create_periodic_note::FindOrCreatePeriodicNote>(),
        Registered::changing::<append_to_periodic_note::AppendToPeriodicNote>(),
        Registered::of::<list_periodic_notes::ListPeriodicNotes>(),
    ],
};

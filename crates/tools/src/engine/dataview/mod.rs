//! Dataview's expressions and queries: reading them, and working them out for a note.

mod eval_dataview_field;
mod validate_dql;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "dataview",
    about: "Check Dataview queries, and work out Dataview expressions for a note.",
    tools: &[Registered::of::<validate_dql::ValidateDql>(), Registered::of::<eval_dataview_field::EvalDataviewField>()],
};

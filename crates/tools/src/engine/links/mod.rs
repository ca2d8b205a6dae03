//! Links between notes.

mod find_orphans;
mod find_unresolved_links;
mod get_backlinks;
mod get_outgoing_links;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "links",
    about: "Follow links, find broken ones, rewrite them.",
    tools: &[
        Registered::of::<get_outgoing_links::GetOutgoingLinks>(),
        Registered::of::<get_backlinks::GetBacklinks>(),
        Registered::of::<find_orphans::FindOrphans>(),
        Registered::of::<find_unresolved_links::FindUnresolvedLinks>(),
    ],
};

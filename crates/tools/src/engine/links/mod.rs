//! Links between notes.

mod find_orphans;
mod find_unresolved_links;
mod get_backlinks;
mod get_outgoing_links;
mod hub_links;
mod prune_hub_links;
mod rewrite_link;

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
        Registered::changing::<rewrite_link::RewriteLink>(),
        Registered::changing::<prune_hub_links::PruneHubLinks>(),
    ],
};

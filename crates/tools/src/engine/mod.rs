//! The `engine` surface: a folder per domain, a file per tool, with everything an agent can set.

mod administration;
mod attachments;
mod bulk;
mod captures;
mod changes;
mod context_bundles;
mod links;
mod properties;
mod search;
mod tags;
mod uris;

use crate::surface::Domain;

pub(crate) const INSTRUCTIONS: &str = "A vault of Markdown notes (Obsidian), answered from an index. Start with search_vault; \
search_text, search_regex and search_jsonlogic are exact. Paths are relative to the vault, with / and their extension. Lists come \
in pages: give the cursor of an answer back, with all other arguments unchanged, to get the next one; max_tokens keeps an answer \
short.";

/// In the order of the contract.
pub(crate) const DOMAINS: &[Domain] = &[
    properties::DOMAIN,
    tags::DOMAIN,
    links::DOMAIN,
    search::DOMAIN,
    context_bundles::DOMAIN,
    attachments::DOMAIN,
    captures::DOMAIN,
    bulk::DOMAIN,
    uris::DOMAIN,
    administration::DOMAIN,
    changes::DOMAIN,
];

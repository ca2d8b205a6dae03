//! The `engine` surface: a folder per domain, a file per tool, with everything an agent can set.

mod administration;
mod attachments;
mod bases;
mod bookmarks;
mod bulk;
mod canvas;
mod captures;
mod changes;
mod context_bundles;
mod dataview;
mod excalidraw;
mod history;
mod kanban;
mod links;
mod notes;
mod periodic_notes;
mod properties;
mod search;
mod tables;
mod tags;
mod tasks;
mod templates;
mod uris;
mod vaults;
mod workspaces;

pub(crate) use bookmarks::bookmarked_files;

use crate::facade;
use crate::surface::Domain;

pub(crate) const INSTRUCTIONS: &str = "Vaults of Markdown notes (Obsidian), answered from an index. Start with search_vault; \
search_text, search_regex and search_jsonlogic are exact. read_note before a change, with detail=outline or section for a long \
note; then patch_note, append_note, update_frontmatter and add_tag change a part and keep the rest, write_note replaces all. Give \
content_hash back as expected_hash, and a change of somebody else is never lost. Some calls need the user's agreement \
(elicit_required): tell them what you want to change and why, then repeat the call. Paths are relative to the vault, with / and \
their extension. Lists come in pages: give the cursor of an answer back, with all other arguments unchanged, to get the next one; \
max_tokens keeps an answer short. find_capability finds tools by what they do.";

/// In the order of the contract; what has no number there, and the facade, come last.
pub(crate) const DOMAINS: &[Domain] = &[
    vaults::DOMAIN,
    notes::DOMAIN,
    properties::DOMAIN,
    tags::DOMAIN,
    links::DOMAIN,
    search::DOMAIN,
    bases::DOMAIN,
    canvas::DOMAIN,
    excalidraw::DOMAIN,
    dataview::DOMAIN,
    tasks::DOMAIN,
    periodic_notes::DOMAIN,
    templates::DOMAIN,
    context_bundles::DOMAIN,
    workspaces::DOMAIN,
    bookmarks::DOMAIN,
    attachments::DOMAIN,
    captures::DOMAIN,
    bulk::DOMAIN,
    uris::DOMAIN,
    kanban::DOMAIN,
    tables::DOMAIN,
    changes::DOMAIN,
    history::DOMAIN,
    administration::DOMAIN,
    facade::DOMAIN,
];

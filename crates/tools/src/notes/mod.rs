//! The `notes` surface: append-only journals, search by regular expression, and links.

mod adr_write;
mod backlinks_search;
mod devlog_append;
mod graph_neighbors;
mod link_add;
mod note_read;
mod note_upsert;
mod slug;
mod vault_search;
mod vault_sync;

use crate::tool::Registered;

pub(crate) const INSTRUCTIONS: &str = "A vault of Markdown notes that is only ever added to. Paths are relative to the vault and \
carry their extension, such as devlog/topic.md. note_upsert creates a note or appends to it; devlog_append and adr_write keep \
the journals; vault_search takes a regular expression.";

pub(crate) const TOOLS: &[Registered] = &[
    Registered::of::<note_read::NoteRead>(),
    Registered::of::<note_upsert::NoteUpsert>(),
    Registered::of::<vault_search::VaultSearch>(),
    Registered::of::<vault_sync::VaultSync>(),
    Registered::of::<link_add::LinkAdd>(),
    Registered::of::<backlinks_search::BacklinksSearch>(),
    Registered::of::<graph_neighbors::GraphNeighbors>(),
    Registered::of::<adr_write::AdrWrite>(),
    Registered::of::<devlog_append::DevlogAppend>(),
];

//! The `engine` surface: lists and searches in pages, with everything an agent can set.

mod find_notes_by_property;
mod find_notes_by_tag;
mod find_orphans;
mod find_unresolved_links;
mod get_backlinks;
mod get_outgoing_links;
mod index_vault;
mod list_tags;
mod search_jsonlogic;
mod search_regex;
mod search_text;
mod search_vault;
mod server_health;
mod vault_name;

use crate::tool::Registered;

pub(crate) const INSTRUCTIONS: &str = "A vault of Markdown notes (Obsidian), answered from an index. Start with search_vault; \
search_text, search_regex and search_jsonlogic are exact. Paths are relative to the vault, with / and their extension. Lists come \
in pages: give the cursor of an answer back, with all other arguments unchanged, to get the next one; max_tokens keeps an answer \
short.";

pub(crate) const TOOLS: &[Registered] = &[
    Registered::of::<server_health::ServerHealth>(),
    Registered::of::<search_vault::SearchVault>(),
    Registered::of::<search_text::SearchText>(),
    Registered::of::<search_regex::SearchRegex>(),
    Registered::of::<search_jsonlogic::SearchJsonlogic>(),
    Registered::of::<find_notes_by_property::FindNotesByProperty>(),
    Registered::of::<list_tags::ListTags>(),
    Registered::of::<find_notes_by_tag::FindNotesByTag>(),
    Registered::of::<get_outgoing_links::GetOutgoingLinks>(),
    Registered::of::<get_backlinks::GetBacklinks>(),
    Registered::of::<find_orphans::FindOrphans>(),
    Registered::of::<find_unresolved_links::FindUnresolvedLinks>(),
    Registered::of::<index_vault::IndexVault>(),
];

//! The `cli` surface: what the app's command line does, with the app closed.

mod append_note;
mod create_note;
mod delete_note;
mod file_info;
mod get_backlinks;
mod get_outgoing_links;
mod get_property_count;
mod get_tag_info;
mod list_aliases;
mod list_deadends;
mod list_orphans;
mod list_properties;
mod list_tags;
mod list_unresolved_links;
mod move_note;
mod note_name;
mod open_note;
mod prepend_note;
mod read_note;
mod rename_note;
mod search;
mod search_with_context;

use crate::tool::Registered;

pub(crate) const INSTRUCTIONS: &str = "Obsidian's commands on the user's vault; all but obsidian_open_note work with the app closed. \
Name a note by file (as a wikilink does, without extension) or by path (exact, with extension), never both.";

pub(crate) const TOOLS: &[Registered] = &[
    Registered::of::<list_tags::ListTags>(),
    Registered::of::<create_note::CreateNote>(),
    Registered::of::<read_note::ReadNote>(),
    Registered::of::<append_note::AppendNote>(),
    Registered::of::<prepend_note::PrependNote>(),
    Registered::of::<delete_note::DeleteNote>(),
    Registered::of::<move_note::MoveNote>(),
    Registered::of::<rename_note::RenameNote>(),
    Registered::of::<open_note::OpenNote>(),
    Registered::of::<file_info::FileInfo>(),
    Registered::of::<search::Search>(),
    Registered::of::<search_with_context::SearchWithContext>(),
    Registered::of::<get_backlinks::GetBacklinks>(),
    Registered::of::<get_outgoing_links::GetOutgoingLinks>(),
    Registered::of::<list_unresolved_links::ListUnresolvedLinks>(),
    Registered::of::<list_deadends::ListDeadends>(),
    Registered::of::<list_orphans::ListOrphans>(),
    Registered::of::<get_tag_info::GetTagInfo>(),
    Registered::of::<list_aliases::ListAliases>(),
    Registered::of::<list_properties::ListProperties>(),
    Registered::of::<get_property_count::GetPropertyCount>(),
];

//! Notes: reading, writing, changing, moving and deleting them.

mod append_note;
mod copy_note;
mod delete_note;
mod list_notes;
mod move_note;
mod note_exists;
mod note_view;
mod patch_note;
mod query_blocks;
mod read_note;
mod read_notes;
mod write_note;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "notes",
    about: "Read, list, write, append to, patch, move, copy and delete notes.",
    tools: &[
        Registered::of::<read_note::ReadNote>(),
        Registered::of::<read_notes::ReadNotes>(),
        Registered::of::<list_notes::ListNotes>(),
        Registered::of::<note_exists::NoteExists>(),
        Registered::changing::<write_note::WriteNote>(),
        Registered::changing::<append_note::AppendNote>(),
        Registered::changing::<patch_note::PatchNote>(),
        Registered::changing::<delete_note::DeleteNote>(),
        Registered::changing::<move_note::MoveNote>(),
        Registered::changing::<copy_note::CopyNote>(),
    ],
};

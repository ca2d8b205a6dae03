//! Files that are no notes.

mod attachment;
mod delete_attachment;
mod get_attachment;
mod list_attachments;
mod mime;
mod move_attachment;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "attachments",
    about: "Images, PDFs and other files beside the notes: list, get, move, delete.",
    tools: &[
        Registered::of::<list_attachments::ListAttachments>(),
        Registered::of::<get_attachment::GetAttachment>(),
        Registered::changing::<move_attachment::MoveAttachment>(),
        Registered::changing::<delete_attachment::DeleteAttachment>(),
    ],
};

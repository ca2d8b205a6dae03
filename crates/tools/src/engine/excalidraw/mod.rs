//! Excalidraw drawings, in notes and as plain files.

mod create_excalidraw;
mod drawing_file;
mod read_excalidraw;
mod update_excalidraw;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "excalidraw",
    about: "Excalidraw drawings, compressed ones too: read, create and change elements.",
    tools: &[
        Registered::of::<read_excalidraw::ReadExcalidraw>(),
        Registered::changing::<create_excalidraw::CreateExcalidraw>(),
        Registered::changing::<update_excalidraw::UpdateExcalidraw>(),
    ],
};

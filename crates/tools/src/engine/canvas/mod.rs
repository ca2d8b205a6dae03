//! Canvases: boards of cards in JSON Canvas files.

mod canvas_file;
mod check;
mod create_canvas;
mod query_canvas;
mod read_canvas;
mod update_canvas;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "canvas",
    about: "Canvases (.canvas): read, create and change cards and connections, find cards.",
    tools: &[
        Registered::of::<read_canvas::ReadCanvas>(),
        Registered::changing::<create_canvas::CreateCanvas>(),
        Registered::changing::<update_canvas::UpdateCanvas>(),
        Registered::of::<query_canvas::QueryCanvas>(),
    ],
};

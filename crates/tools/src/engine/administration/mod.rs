//! The server itself.

mod server_health;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "administration",
    about: "Ask the server about its health, configuration, rules and numbers.",
    tools: &[Registered::on_server::<server_health::ServerHealth>()],
};

//! The server itself.

mod decision_note;
mod get_metrics;
mod get_server_config;
mod inspect_acl;
mod knowledge_challenge;
mod server_health;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "administration",
    about: "Ask the server about its health, configuration, rules and numbers, and which decisions bear on a proposal.",
    tools: &[
        Registered::on_server::<get_server_config::GetServerConfig>(),
        Registered::on_server::<inspect_acl::InspectAcl>(),
        Registered::on_server::<get_metrics::GetMetrics>(),
        Registered::on_server::<server_health::ServerHealth>(),
        Registered::of::<knowledge_challenge::KnowledgeChallenge>(),
    ],
};

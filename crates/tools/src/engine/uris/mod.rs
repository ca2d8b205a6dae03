//! Addresses that the app opens.

mod generate_uri;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "uris",
    about: "Make links that open notes, searches and commands in the app.",
    tools: &[Registered::of::<generate_uri::GenerateUri>()],
};

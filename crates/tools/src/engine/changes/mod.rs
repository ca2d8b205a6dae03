//! Changes of any kind that land together.

mod apply;
mod change;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "changes",
    about: "Make many changes of any kind at once, all or nothing.",
    tools: &[Registered::changing::<apply::Apply>()],
};

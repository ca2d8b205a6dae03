//! Templates: which there are, and notes made from them.

mod execute_template;
mod list_templates;
pub(super) mod template;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "templates",
    about: "List templates, and make notes from them.",
    tools: &[Registered::of::<list_templates::ListTemplates>(), Registered::changing::<execute_template::ExecuteTemplate>()],
};

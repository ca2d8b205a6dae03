//! Workspaces of the app: layouts that were saved under a name.

mod layout;
mod list_workspaces;
mod open_workspace;
mod save_workspace;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "workspaces",
    about: "Workspaces of the app: list, open and save layouts of windows and tabs.",
    tools: &[
        Registered::of::<list_workspaces::ListWorkspaces>(),
        Registered::changing::<open_workspace::OpenWorkspace>(),
        Registered::changing::<save_workspace::SaveWorkspace>(),
    ],
};

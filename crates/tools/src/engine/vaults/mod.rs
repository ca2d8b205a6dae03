//! The vaults that are served.

mod get_vault;
mod index_cache;
mod list_vaults;
mod reload_vault;
mod reset_vault_cache;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "vaults",
    about: "See which vaults there are and how they are set up; reload their configuration and reset their caches.",
    tools: &[
        Registered::on_server::<list_vaults::ListVaults>(),
        Registered::of::<get_vault::GetVault>(),
        Registered::of::<reload_vault::ReloadVault>(),
        Registered::of::<reset_vault_cache::ResetVaultCache>(),
    ],
};

//! The `vault` surface: files of the vault by path.

mod copy;
mod delete;
mod edit;
mod list;
mod list_all;
mod move_file;
mod read;
mod search;
mod write;

use crate::tool::Registered;

pub(crate) const INSTRUCTIONS: &str = "Work with the user's Markdown vault (Obsidian). Paths are relative to the vault, such as \
Projects/Plan.md. Call vault_search or vault_list_all to find notes, vault_read before changing one, and vault_edit for small \
changes; vault_write replaces the whole file.";

/// The first six are what the default surface shows.
pub(crate) const TOOLS: &[Registered] = &[
    Registered::of::<list::VaultList>(),
    Registered::of::<list_all::VaultListAll>(),
    Registered::of::<read::VaultRead>(),
    Registered::of::<search::VaultSearch>(),
    Registered::changing::<write::VaultWrite>(),
    Registered::changing::<edit::VaultEdit>(),
    Registered::of::<delete::VaultDelete>(),
    Registered::changing::<move_file::VaultMove>(),
    Registered::changing::<copy::VaultCopy>(),
];

pub(crate) const ESSENTIALS: &[Registered] = TOOLS.split_at(6).0;

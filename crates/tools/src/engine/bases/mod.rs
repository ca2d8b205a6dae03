//! Bases: views of the vault's files with filters and formulas, computed here.

mod base_file;
mod create_base;
mod query_base;
mod read_base;
mod update_base;

pub(super) use base_file::query_failure;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "bases",
    about: "Read, create, change and query bases (.base): tables of files with filters, formulas and summaries.",
    tools: &[
        Registered::of::<read_base::ReadBase>(),
        Registered::changing::<create_base::CreateBase>(),
        Registered::changing::<update_base::UpdateBase>(),
        Registered::of::<query_base::QueryBase>(),
    ],
};

//! Finding notes by what is written in them.

mod index_vault;
mod search_dql;
mod search_jsonlogic;
mod search_regex;
mod search_text;
mod search_vault;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "search",
    about: "Find notes by words, exact text, regular expressions, JSONLogic or Dataview queries.",
    tools: &[
        Registered::of::<search_vault::SearchVault>(),
        Registered::of::<search_text::SearchText>(),
        Registered::of::<search_regex::SearchRegex>(),
        Registered::of::<search_jsonlogic::SearchJsonlogic>(),
        Registered::of::<search_dql::SearchDql>(),
        Registered::of::<index_vault::IndexVault>(),
    ],
};

//! Other names of notes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::note_name::find_optional;
use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// List the aliases of one note, or of all notes when none is named.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListAliases {
    /// Name as in a wikilink, without extension
    #[serde(default)]
    file: Option<String>,
    /// Exact path, with extension
    #[serde(default)]
    path: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    total: usize,
    aliases: Vec<Alias>,
}

#[derive(Serialize, JsonSchema)]
struct Alias {
    alias: String,
    path: String,
}

impl Tool for ListAliases {
    const SPEC: Spec = Spec::reading("obsidian_list_aliases", "List aliases");
    type Output = Found;

    fn run(self, context: &Context<'_>) -> Result<Found, Failure> {
        let wanted = find_optional(context, self.file.as_deref(), self.path.as_deref())?;
        let catalogue = context.catalogue()?;
        let notes = catalogue.notes().filter(|entry| wanted.as_ref().is_none_or(|wanted| entry.path == *wanted));
        let aliases = notes.flat_map(|entry| {
            let path = entry.path.to_string();
            entry.card().aliases.into_iter().map(move |alias| Alias { alias, path: path.clone() })
        });
        let aliases: Vec<Alias> = aliases.collect();
        Ok(Found { total: aliases.len(), aliases })
    }
}

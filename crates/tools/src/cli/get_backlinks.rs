//! Who links to a note.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::note_name::find_note;
use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// List the files that link to a note, with the number of links in each.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetBacklinks {
    /// Name as in a wikilink, without extension
    #[serde(default)]
    file: Option<String>,
    /// Exact path, with extension
    #[serde(default)]
    path: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    path: String,
    total: usize,
    backlinks: Vec<Backlink>,
}

#[derive(Serialize, JsonSchema)]
struct Backlink {
    path: String,
    count: usize,
}

impl Tool for GetBacklinks {
    const SPEC: Spec = Spec::reading("obsidian_get_backlinks", "List backlinks");
    type Output = Found;

    fn run(self, context: &Context<'_>) -> Result<Found, Failure> {
        let path = find_note(context, self.file.as_deref(), self.path.as_deref())?;
        let found = context.catalogue()?.backlinks(&path);
        let backlinks =
            found.into_iter().map(|backlink| Backlink { path: backlink.source.to_string(), count: backlink.links.len() });
        let backlinks: Vec<Backlink> = backlinks.collect();
        Ok(Found { path: path.to_string(), total: backlinks.len(), backlinks })
    }
}

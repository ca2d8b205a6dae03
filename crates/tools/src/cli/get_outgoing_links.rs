//! Where a note links to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::note_name::find_note;
use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// List the links of a note and the files they lead to.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetOutgoingLinks {
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
    links: Vec<Link>,
}

#[derive(Serialize, JsonSchema)]
struct Link {
    /// As written
    target: String,
    /// The file it means
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    resolved: bool,
    line: u32,
}

impl Tool for GetOutgoingLinks {
    const SPEC: Spec = Spec::reading("obsidian_get_outgoing_links", "List links of a note").quick();
    type Output = Found;

    fn run(self, context: &Context<'_>) -> Result<Found, Failure> {
        let path = find_note(context, self.file.as_deref(), self.path.as_deref())?;
        let links = context.catalogue()?.outgoing(&path).into_iter().map(|outgoing| Link {
            target: format!("{}{}", outgoing.link.path, outgoing.link.subpath),
            resolved: outgoing.target.is_some(),
            path: outgoing.target.map(|target| target.to_string()),
            line: outgoing.link.line,
        });
        Ok(Found { links: links.collect(), path: path.to_string() })
    }
}

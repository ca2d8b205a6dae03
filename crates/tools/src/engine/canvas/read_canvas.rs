//! Reading a canvas.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::canvas_file::{Canvas, canvas_path};
use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// Read a canvas (.canvas): its nodes (cards of type text, file, link or group) in the order in which they lie upon each other, and its edges. Which group a card is in follows from its place and size.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadCanvas {
    /// Canvas, relative to the vault, with its extension (.canvas)
    #[schemars(length(min = 1, max = 1024))]
    path: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    /// As they stand in the file, with fields that the format does not know
    nodes: Vec<Value>,
    edges: Vec<Value>,
    content_hash: String,
}

impl Tool for ReadCanvas {
    const SPEC: Spec = Spec::reading("read_canvas", "Read a canvas").scopes(&["read:canvas"]).quick();
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let path = canvas_path("path", &self.path)?;
        let contents = context.vault().read(&path)?;
        let content_hash = contents.hash().to_string();
        let canvas = Canvas::parse(&path, contents.text()?)?;
        let (nodes, edges) = (canvas.values(canvas.nodes()), canvas.values(canvas.edges()));
        Ok(Outcome { path: path.to_string(), nodes, edges, content_hash })
    }
}

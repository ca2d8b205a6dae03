//! The notes around a note.

use quillgate_vault::{NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// The most notes that are returned.
const MOST: usize = 500;

/// Walk the link graph around a note: the files within a number of links, in either direction, and the links between them.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraphNeighbors {
    /// Note to start from, relative to the vault, with its extension
    path: String,
    /// How many links away, at most
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 5))]
    depth: u32,
}

fn one() -> u32 {
    1
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Graph {
    path: String,
    depth: u32,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// There are more notes than were returned
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct Node {
    path: String,
    distance: u32,
}

#[derive(Serialize, JsonSchema)]
struct Edge {
    from: String,
    to: String,
}

impl Tool for GraphNeighbors {
    const SPEC: Spec = Spec::reading("graph_neighbors", "Walk the link graph");
    type Output = Graph;

    fn run(self, context: &Context<'_>) -> Result<Graph, Failure> {
        let path = NotePath::parse(&self.path)?;
        let catalogue = context.catalogue()?;
        if catalogue.find(&path).is_none() {
            return Err(VaultError::NotFound(path).into());
        }
        let found = catalogue.neighbours(&path, self.depth, MOST);
        let nodes = found.nodes.into_iter().map(|(path, distance)| Node { path: path.to_string(), distance });
        let edges = found.edges.into_iter().map(|(from, to)| Edge { from: from.to_string(), to: to.to_string() });
        let (nodes, edges) = (nodes.collect(), edges.collect());
        Ok(Graph { path: path.to_string(), depth: self.depth, nodes, edges, truncated: found.truncated })
    }
}

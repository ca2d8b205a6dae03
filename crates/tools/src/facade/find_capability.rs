//! Finding a tool by what it is for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capabilities::search;
use crate::context::ServerContext;
use crate::failure::Failure;
use crate::tool::{ServerTool, Spec};

/// Find tools by what they do: many more exist than are listed here (links, tags, properties, bulk changes, history and undo …). Then call_capability.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindCapability {
    /// What you want to do, in a few words
    #[schemars(length(min = 1, max = 500))]
    query: String,
    /// Most tools to return
    #[serde(default = "eight")]
    #[schemars(range(min = 1, max = 50))]
    k: usize,
}

fn eight() -> usize {
    8
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    items: Vec<Item>,
}

#[derive(Serialize, JsonSchema)]
struct Item {
    name: &'static str,
    domain: &'static str,
    description: String,
    /// Names of its arguments; a ? marks those that may be left out
    arguments: Vec<String>,
    read_only: bool,
    score: f64,
}

impl ServerTool for FindCapability {
    const SPEC: Spec = Spec::reading("find_capability", "Find a tool").scopes(&[]).quick();
    type Output = Found;

    fn run(self, context: &ServerContext<'_>) -> Result<Found, Failure> {
        let capabilities = context.server.capabilities();
        let items = search(&capabilities, &self.query, self.k).into_iter().map(|(capability, score)| Item {
            name: capability.tool.spec.name,
            domain: capability.domain,
            description: (capability.tool.description)(),
            arguments: capability.argument_names(),
            read_only: capability.tool.spec.effect.is_read_only(),
            score: (score * 100.0).round() / 100.0,
        });
        Ok(Found { items: items.collect() })
    }
}

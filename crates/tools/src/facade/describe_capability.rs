//! Everything about one tool.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::capabilities::catalogue;
use crate::context::ServerContext;
use crate::failure::Failure;
use crate::tool::{Confirm, Effect, Idempotency, ServerTool, Spec};

/// Read one tool's arguments, results, scopes and safety, before calling it with call_capability.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DescribeCapability {
    /// Name of the tool, from find_capability
    #[schemars(length(min = 1, max = 100))]
    name: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Description {
    name: &'static str,
    title: &'static str,
    domain: &'static str,
    description: String,
    input_schema: Map<String, Value>,
    output_schema: Map<String, Value>,
    scopes: &'static [&'static str],
    /// The class that its calls are counted in
    rate_class: &'static str,
    read_only: bool,
    /// Whether it may replace or remove what was there; every change can be undone
    destructive: bool,
    /// When the user must agree first: never, always, or in which case
    confirmation: &'static str,
    /// Whether a repeated call acts again
    idempotent: bool,
}

impl ServerTool for DescribeCapability {
    const SPEC: Spec = Spec::reading("describe_capability", "Describe a tool").scopes(&[]).quick();
    type Output = Description;

    fn run(self, context: &ServerContext<'_>) -> Result<Description, Failure> {
        let found = context.server.capabilities().into_iter().find(|capability| capability.tool.spec.name == self.name);
        let Some(capability) = found else { return Err(Failure::UnknownCapability(self.name)) };
        let (tool, spec) = (capability.tool, capability.tool.spec);
        Ok(Description {
            name: spec.name,
            title: spec.title,
            domain: capability.domain,
            description: (tool.description)(),
            input_schema: catalogue().input_schema(tool),
            output_schema: (tool.output_schema)(),
            scopes: spec.scopes,
            rate_class: spec.rate.name(),
            read_only: spec.effect.is_read_only(),
            destructive: spec.effect == Effect::Change,
            confirmation: match spec.confirm {
                Confirm::Never => "never",
                Confirm::Always => "always",
                Confirm::When(case) => case,
            },
            idempotent: spec.idempotency == Idempotency::Natural,
        })
    }
}

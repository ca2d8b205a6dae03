//! Calling any tool by its name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::ServerContext;
use crate::failure::Failure;
use crate::tool::{Effect, Idempotency, Rate, ServerTool, Spec};

pub const CALL_CAPABILITY: &str = "call_capability";

/// Call a tool that find_capability found. The same rules, limits and confirmations hold as for calling it directly.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the pipeline takes the call out of these fields and makes it in their place")]
pub(crate) struct CallCapability {
    /// Name of the tool
    #[schemars(length(min = 1, max = 100))]
    name: String,
    /// Its arguments, as describe_capability shows them
    #[serde(default)]
    arguments: Map<String, Value>,
}

/// What the called tool answers
#[derive(Serialize, JsonSchema)]
pub(crate) struct Answered {}

impl ServerTool for CallCapability {
    const SPEC: Spec = Spec {
        rate: Rate::Read,
        effect: Effect::Change,
        idempotency: Idempotency::Repeats,
        ..Spec::reading(CALL_CAPABILITY, "Call a tool").scopes(&[])
    };
    type Output = Answered;

    fn run(self, _: &ServerContext<'_>) -> Result<Answered, Failure> {
        Err(Failure::Internal("a call through the facade was not taken out of it".to_owned()))
    }
}

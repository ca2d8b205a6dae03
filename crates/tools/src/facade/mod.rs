//! The facade: a few tools through which all others can be found, read about and called.

mod call_capability;
mod describe_capability;
mod find_capability;

use serde_json::{Map, Value, json};

use crate::surface::Domain;
use crate::tool::Registered;

pub use call_capability::CALL_CAPABILITY;

pub(crate) const DOMAIN: Domain = Domain {
    name: "facade",
    about: "Find, read about and call every other tool.",
    tools: &[
        Registered::on_server::<find_capability::FindCapability>(),
        Registered::on_server::<describe_capability::DescribeCapability>(),
        Registered::on_server::<call_capability::CallCapability>(),
    ],
};

/// The arguments of the tool that stands for a whole domain.
pub fn domain_schema(operations: &[&str]) -> Map<String, Value> {
    let schema = json!({
        "type": "object",
        "properties": {
            "operation": {"type": "string", "enum": operations, "description": "Tool of this domain to call"},
            "arguments": {"type": "object", "description": "Its arguments; describe_capability has their schema"},
        },
        "required": ["operation"],
        "additionalProperties": false,
    });
    schema.as_object().cloned().unwrap_or_default()
}

//! What the MCP conformance suite expects of a server under test: tools, resources and prompts that no vault has.
//!
//! Compiled only under the feature `conformance-fixtures`. The handler asks here first and serves a vault on `None`.

mod client_capabilities;
mod client_requests;
mod content;
mod input_required;
mod notices;
mod prompts;
mod resources;
mod schemas;

use rmcp::model::{CallToolRequestParams, CallToolResponse, ErrorData, ServerCapabilities, Tool, object};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;

pub(super) use notices::{listen, set_level};
pub(super) use prompts::{complete, get_prompt, prompts};
pub(super) use resources::{read_resource, resource_templates, resources};

/// What the suite needs declared beside what the server declares for itself.
pub(super) fn extend_capabilities(capabilities: &mut ServerCapabilities) {
    capabilities.tools.get_or_insert_default().list_changed = Some(true);
    capabilities.prompts.get_or_insert_default().list_changed = Some(true);
    capabilities.resources.get_or_insert_default().subscribe = Some(true);
    capabilities.completions.get_or_insert_default();
    capabilities.logging.get_or_insert_default();
}

/// The first is called by the suite with no arguments: it must stay one that needs nothing.
pub(super) fn tools() -> Vec<Tool> {
    [content::tools(), notices::tools(), client_requests::tools(), input_required::tools(), schemas::tools()].concat()
}

pub(super) async fn call_tool(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let name = request.name.as_ref();
    if let Some(result) = content::call(name).or_else(|| schemas::call(name)) {
        return Some(Ok(result.into()));
    }
    if let Some(response) = input_required::call(request, context) {
        return Some(response);
    }
    if let Some(response) = client_requests::call(request, context).await {
        return Some(response.map(Into::into));
    }
    let result = notices::call(name, context).await?;
    Some(Ok(result.into()))
}

fn tool_without_arguments(name: &'static str, description: &'static str) -> Tool {
    Tool::new(name, description, object(json!({ "type": "object" })))
}

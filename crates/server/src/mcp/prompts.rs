//! Prompts that people reach for, in the words of the protocol.

use quillgate_tools::{PROMPTS, Prompt as Text};
use rmcp::model::{
    CacheScope, ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult, Prompt, PromptArgument,
    PromptMessage, Role,
};
use rmcp::service::{RequestContext, RoleServer};

pub(super) fn list() -> ListPromptsResult {
    let prompts: Vec<Prompt> = PROMPTS.iter().map(described).collect();
    #[cfg(feature = "conformance-fixtures")]
    let prompts = [super::fixtures::prompts(), prompts].concat();
    ListPromptsResult::with_all_items(prompts).with_ttl_ms(60_000).with_cache_scope(CacheScope::Public)
}

pub(super) fn get(
    request: &GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<GetPromptResponse, ErrorData> {
    #[cfg(feature = "conformance-fixtures")]
    if let Some(response) = super::fixtures::get_prompt(request, context) {
        return response;
    }
    // Only the fixtures ask the client for more.
    let _ = context;
    let Some(prompt) = PROMPTS.iter().find(|prompt| prompt.name == request.name) else {
        return Err(ErrorData::invalid_params(format!("no prompt named {:?}", request.name), None));
    };
    let given = |name: &str| request.arguments.as_ref().and_then(|arguments| arguments.get(name)).map(|value| value.to_string());
    let text = prompt.fill(given).map_err(|missing| ErrorData::invalid_params(format!("the prompt needs {missing}"), None))?;
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).with_description(prompt.description).into())
}

fn described(prompt: &Text) -> Prompt {
    let argument =
        |(name, description): &(&str, &str)| PromptArgument::new(*name).with_description(*description).with_required(true);
    let arguments: Vec<PromptArgument> = prompt.arguments.iter().map(argument).collect();
    Prompt::new(prompt.name, Some(prompt.description), (!arguments.is_empty()).then_some(arguments)).with_title(prompt.title)
}

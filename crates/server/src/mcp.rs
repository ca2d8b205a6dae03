//! The protocol: the only module that names types of the protocol library.
//!
//! Both eras are served by one handler: clients that open with `initialize` (up to 2025-11-25) and clients whose every request
//! carries its own metadata (2026-07-28).
#![allow(deprecated, reason = "subscribe and unsubscribe are deprecated, and older clients use them")]

#[cfg(feature = "conformance-fixtures")]
mod fixtures;
mod prompts;
mod resources;
mod stdio;
mod subscriptions;

use std::sync::Arc;

use futures::FutureExt;
use quillgate_tools::{Answer, Call, Effect, Idempotency, ProtocolError, Spec, Surface, Workspace};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult, ContentBlock,
    CustomRequest, CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProgressToken, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, Tool, ToolAnnotations, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{Peer, ServerHandler};
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::identity::{LoginIsOver, Principal};
use crate::pipeline::{Caller, Mount, Pipeline};
pub(crate) use stdio::serve_stdio;
use subscriptions::{Changes, Watched};

/// Requests that the library cannot read arrive as custom ones; for these the parameters are at fault, not the method.
const METHODS_WITH_PARAMETERS: [&str; 5] =
    ["tools/call", "prompts/get", "resources/read", "completion/complete", "subscriptions/listen"];
/// The same, for methods that only the older era has.
const OLDER_METHODS_WITH_PARAMETERS: [&str; 3] = ["initialize", "resources/subscribe", "resources/unsubscribe"];

/// How long clients may keep a list of tools.
const TOOLS_TTL_MS: u64 = 60_000;

/// One surface of the server, as the protocol sees it. A session or request gets a clone.
#[derive(Clone)]
pub(crate) struct Mcp {
    pipeline: Arc<Pipeline>,
    mount: Arc<Mount>,
    tools: Arc<Vec<Tool>>,
    /// None where no vault is served.
    workspace: Option<Arc<Workspace>>,
    changes: Changes,
    watched: Watched,
    /// Fires when the connection ends, so that open subscriptions end with it.
    closing: CancellationToken,
}

pub(crate) type HttpService = StreamableHttpService<Mcp, LocalSessionManager>;

/// What the HTTP service is told about the world around it.
pub(crate) struct HttpOptions {
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) max_request_bytes: usize,
    pub(crate) shutdown: CancellationToken,
}

impl Mcp {
    pub(crate) fn new(pipeline: Arc<Pipeline>, mount: Arc<Mount>, closing: CancellationToken) -> Mcp {
        let tools = Arc::new(tools_of(mount.surface));
        let workspace = pipeline.workspace().filter(|_| mount.has_notes()).cloned();
        let changes = Changes::of(workspace.as_ref().map(|workspace| &workspace.index));
        Mcp { pipeline, mount, tools, workspace, changes, watched: Watched::default(), closing }
    }

    /// The notes, for a caller who may read them.
    fn notes(&self, context: &RequestContext<RoleServer>) -> Result<&Arc<Workspace>, ErrorData> {
        let Some(workspace) = &self.workspace else {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "there are no notes here", None));
        };
        if let Caller::Known(principal, _) = caller(context) {
            let may_read = principal.scopes.missing(&["read:notes"]).is_empty();
            if !may_read || self.pipeline.check_vault(&principal).is_err() {
                return Err(ErrorData::new(ErrorCode(-32001), "reading notes was not allowed; connect again", None));
            }
        }
        Ok(workspace)
    }

    /// The endpoint for this surface, with the sessions that older clients open on it.
    pub(crate) fn into_http(self, options: HttpOptions) -> (HttpService, Arc<LocalSessionManager>) {
        let sessions = Arc::new(LocalSessionManager::default());
        let config = StreamableHttpServerConfig::default()
            .with_json_response(true)
            // The HTTP layer has checked the Host already, and knows more about it.
            .with_allowed_hosts(Vec::<String>::new())
            .with_allowed_origins(options.allowed_origins)
            .enforce_origin_validation()
            .with_max_request_body_bytes(options.max_request_bytes)
            .with_cancellation_token(options.shutdown);
        // Each session watches its own notes.
        let service = move || Ok(Mcp { watched: Watched::default(), ..self.clone() });
        (StreamableHttpService::new(service, sessions.clone(), config), sessions)
    }

    async fn run(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        #[cfg(feature = "conformance-fixtures")]
        if let Some(response) = fixtures::call_tool(&request, &context).await {
            return response;
        }
        let (call, mut progress) = Progress::of(&context);
        let caller = caller(&context);
        let call = match &caller {
            Caller::Known(principal, _) => principal.upstream.iter().cloned().fold(call, Call::with_credential),
            Caller::Trusted => call,
        };
        let running = self.pipeline.call(&self.mount, &caller, &request.name, request.arguments.unwrap_or_default(), call);
        let mut running = std::pin::pin!(running);
        let answer = loop {
            tokio::select! {
                answer = &mut running => break answer,
                Some(report) = progress.reports.recv() => progress.send(report).await,
                () = context.ct.cancelled() => return Err(ErrorData::internal_error("the call was cancelled", None)),
            }
        };
        // Progress goes out before the answer it belongs to.
        while let Ok(report) = progress.reports.try_recv() {
            progress.send(report).await;
        }
        respond(answer)
    }
}

/// Who sent this request: the HTTP layer has checked the token of this very request, whoever opened the session.
fn caller(context: &RequestContext<RoleServer>) -> Caller {
    let head = context.extensions.get::<axum::http::request::Parts>();
    let principal = head.and_then(|head| head.extensions.get::<Arc<Principal>>());
    let over = head.and_then(|head| head.extensions.get::<LoginIsOver>()).cloned().unwrap_or_default();
    principal.map_or(Caller::Trusted, |principal| Caller::Known(principal.clone(), over))
}

type Report = (f64, Option<f64>, String);

/// What a running call reports, on its way to a client that asked for it.
struct Progress {
    token: Option<ProgressToken>,
    peer: Peer<RoleServer>,
    reports: mpsc::UnboundedReceiver<Report>,
}

impl Progress {
    fn of(context: &RequestContext<RoleServer>) -> (Call, Progress) {
        let (sender, reports) = mpsc::unbounded_channel::<Report>();
        let token = context.meta.get_progress_token();
        let call = match token {
            Some(_) => Call::reporting(move |done, total, message| drop(sender.send((done, total, message.to_owned())))),
            None => Call::default(),
        };
        (call, Progress { token, peer: context.peer.clone(), reports })
    }

    async fn send(&self, (done, total, message): Report) {
        let Some(token) = &self.token else { return };
        let mut report = ProgressNotificationParam::new(token.clone(), done).with_message(message);
        report.total = total;
        if let Err(error) = self.peer.notify_progress(report).await {
            tracing::debug!(%error, "progress could not be sent");
        }
    }
}

fn respond(answer: Answer) -> Result<CallToolResponse, ErrorData> {
    match answer {
        Answer::Result { text, structured, is_error } => {
            let content = vec![ContentBlock::text(text)];
            let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
            result.structured_content = structured;
            Ok(result.into())
        }
        Answer::Protocol(ProtocolError { code, message, data }) => Err(ErrorData::new(ErrorCode(code), message, data)),
    }
}

/// What the client is told of every tool, all of it from the tools' own specifications.
fn tools_of(surface: &Surface) -> Vec<Tool> {
    let tools = surface.tools.iter().map(|tool| {
        let described = Tool::new(tool.spec.name, (tool.description)(), (tool.input_schema)())
            .with_title(tool.spec.title)
            .with_annotations(annotations(&tool.spec));
        match surface.output_schema(tool) {
            Some(schema) => described.with_raw_output_schema(Arc::new(schema)),
            None => described,
        }
    });
    #[cfg(feature = "conformance-fixtures")]
    let tools = fixtures::tools().into_iter().chain(tools);
    tools.collect()
}

fn annotations(spec: &Spec) -> ToolAnnotations {
    let annotations = ToolAnnotations::default()
        .read_only(spec.effect.is_read_only())
        .open_world(spec.effect.is_open_world())
        .idempotent(spec.idempotency == Idempotency::Natural);
    match spec.effect {
        Effect::Read | Effect::ReadOutside => annotations,
        Effect::Add => annotations.destructive(false),
        Effect::Change | Effect::Outside => annotations.destructive(spec.effect == Effect::Change),
    }
}

impl ServerHandler for Mcp {
    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools();
        let mut capabilities = match self.workspace {
            Some(_) => tools.enable_resources().enable_resources_subscribe().enable_prompts().enable_completions().build(),
            None => tools.build(),
        };
        #[cfg(feature = "conformance-fixtures")]
        fixtures::extend_capabilities(&mut capabilities);
        // Without fixtures nothing changes them.
        let _ = &mut capabilities;
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("quillgate", env!("CARGO_PKG_VERSION")).with_title("Quillgate"))
            .with_instructions(self.mount.surface.instructions)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()).with_ttl_ms(TOOLS_TTL_MS).with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    /// A panic is one failed call: without this the library would never answer it.
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match std::panic::AssertUnwindSafe(self.run(request, context)).catch_unwind().await {
            Ok(response) => response,
            Err(_) => Err(ErrorData::internal_error("the server failed on this call; the log has the details", None)),
        }
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(self.notes(&context)?, page.and_then(|page| page.cursor)).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates(self.notes(&context)?))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(self.notes(&context)?, &request.uri).await
    }

    async fn subscribe(&self, request: SubscribeRequestParams, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.notes(&context)?;
        self.watched.add(request.uri, &self.changes, context.peer.clone());
        Ok(())
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.watched.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // The library keeps what was declared of it.
        Some(requested.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let listening = subscriptions::listen(&self.changes, &subscription);
        #[cfg(feature = "conformance-fixtures")]
        let listening = futures::future::select(Box::pin(listening), Box::pin(fixtures::listen(&subscription)));
        tokio::select! {
            _ = listening => {}
            () = self.closing.cancelled() => {}
        }
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(prompts::list())
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&request, &context)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        resources::complete(self.notes(&context)?, &request).await
    }

    #[cfg(feature = "conformance-fixtures")]
    async fn set_level(
        &self,
        _: rmcp::model::SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        fixtures::set_level(&context)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, .. } = request;
        let is_newer = context.meta.protocol_version().is_some_and(|version| version.as_str() >= "2026-07-28");
        let is_older_method = !is_newer && OLDER_METHODS_WITH_PARAMETERS.contains(&method.as_str());
        if is_older_method || METHODS_WITH_PARAMETERS.contains(&method.as_str()) {
            return Err(ErrorData::invalid_params(
                format!("the parameters of {method} are not valid"),
                Some(json!({"errorCode": "INVALID_PARAMS"})),
            ));
        }
        let message = format!("no method {method:?} here");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, Some(json!({"errorCode": "METHOD_NOT_FOUND"}))))
    }
}

//! The protocol: the only module that names types of the protocol library.
//!
//! Both eras are served by one handler: clients that open with `initialize` (up to 2025-11-25) and clients whose every request
//! carries its own metadata (2026-07-28).
#![allow(deprecated, reason = "subscribe and unsubscribe are deprecated, and older clients use them")]

mod elicitation;
#[cfg(feature = "conformance-fixtures")]
mod fixtures;
mod prompts;
mod resources;
mod stdio;
mod subscriptions;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::FutureExt;
use quillgate_tools::{Answer, Call, Effect, Idempotency, ProtocolError, Spec, Workspace, domain_schema};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult, ContentBlock,
    CustomRequest, CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProgressToken, ReadResourceRequestParams, ReadResourceResponse, RequestStateCodec,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool, ToolAnnotations,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{Peer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::caller::Caller;
use crate::fingerprint::args_hash;
use crate::identity::{LoginIsOver, Principal};
use crate::instructions;
use crate::mount::{Mount, operations};
use crate::pipeline::{Pipeline, Reply, Request};
use crate::sessions::SESSION_HEADER;
use crate::telemetry::TraceParent;
use crate::vaults::View;
pub(crate) use stdio::serve_stdio;
pub(crate) use subscriptions::Changes;
use subscriptions::Watched;

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
    /// Every tool of the mount, in the order in which it is listed.
    tools: Arc<Vec<Tool>>,
    watched: Watched,
    /// What one process does for its one client belongs together; over HTTP a session is named by the client.
    session: Option<Arc<str>>,
    /// Seals what a client carries from one call to the next; its key is the same in every process that shares the state.
    codec: Arc<OnceLock<RequestStateCodec>>,
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
        let tools = Arc::new(tools_of(&mount));
        Mcp { pipeline, mount, tools, watched: Watched::default(), session: None, codec: Arc::default(), closing }
    }

    /// For a connection that is one session.
    pub(crate) fn in_session(self, session: String) -> Mcp {
        Mcp { session: Some(session.into()), ..self }
    }

    fn has_notes(&self) -> bool {
        self.mount.has_notes() && !self.pipeline.vaults.is_empty()
    }

    /// The vaults as the caller may see them, if the caller may read notes at all.
    fn views(&self, context: &RequestContext<RoleServer>) -> Result<Vec<View>, ErrorData> {
        if !self.has_notes() {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "there are no notes here", None));
        }
        let views = self.pipeline.views_for_reading(&caller(context));
        if views.is_empty() {
            return Err(ErrorData::new(ErrorCode(-32001), "reading notes was not allowed; connect again", None));
        }
        Ok(views)
    }

    fn notes(&self, context: &RequestContext<RoleServer>) -> Result<Vec<Arc<Workspace>>, ErrorData> {
        Ok(self.views(context)?.into_iter().map(|view| view.workspace).collect())
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
        let patience = Duration::from_secs(self.pipeline.config.elicit_ttl_seconds);
        let era = elicitation::Era::of(&context, patience);
        let arguments = request.arguments.clone().unwrap_or_default();
        // Whoever calls again must be the same, and call the same.
        let bound_to = format!("{}\n{}", caller.key(), args_hash(&request.name, &arguments));
        let answered = match request.request_state {
            Some(_) => elicitation::answered(self.codec().await?, &bound_to, &request),
            None => None,
        };
        let running = self.pipeline.call(Request {
            mount: &self.mount,
            caller: &caller,
            name: &request.name,
            arguments,
            call,
            human: era.human(answered),
            session: self.session_of(&context),
            parent: trace_parent(&context),
        });
        let mut running = std::pin::pin!(running);
        let reply = loop {
            tokio::select! {
                reply = &mut running => break reply,
                Some(report) = progress.reports.recv() => progress.send(report).await,
                () = context.ct.cancelled() => return Err(ErrorData::internal_error("the call was cancelled", None)),
            }
        };
        // Progress goes out before the answer it belongs to.
        while let Ok(report) = progress.reports.try_recv() {
            progress.send(report).await;
        }
        match reply {
            Reply::Answer(answer) => respond(answer),
            Reply::Ask(question) => Ok(elicitation::ask_again(self.codec().await?, &bound_to, &question, patience).into()),
        }
    }

    async fn codec(&self) -> Result<&RequestStateCodec, ErrorData> {
        let secret = self.pipeline.ledger.request_secret().await;
        let secret =
            secret.map_err(|_| ErrorData::internal_error("the state cannot be opened; the log has the details", None))?;
        Ok(self.codec.get_or_init(|| RequestStateCodec::new_unchecked(secret.as_bytes())))
    }

    fn session_of(&self, context: &RequestContext<RoleServer>) -> Option<String> {
        let head = context.extensions.get::<axum::http::request::Parts>();
        let named = head.and_then(|head| head.headers.get(SESSION_HEADER)?.to_str().ok()).map(str::to_owned);
        named.or_else(|| self.session.as_deref().map(str::to_owned))
    }
}

/// The span in which the client makes its call, if it says so: in the message, or in the request's header.
fn trace_parent(context: &RequestContext<RoleServer>) -> Option<TraceParent> {
    let in_message = context.meta.get("traceparent").and_then(|value| value.as_str());
    let head = context.extensions.get::<axum::http::request::Parts>();
    let in_header = head.and_then(|head| head.headers.get("traceparent")?.to_str().ok());
    TraceParent::parse(in_message.or(in_header)?)
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
            let mut content = vec![ContentBlock::text(text)];
            content.extend(structured.as_ref().and_then(image));
            let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
            result.structured_content = structured;
            Ok(result.into())
        }
        Answer::Protocol(ProtocolError { code, message, data }) => Err(ErrorData::new(ErrorCode(code), message, data)),
    }
}

/// A picture that was asked for, in the form that clients can show.
fn image(answer: &Value) -> Option<ContentBlock> {
    let mime = answer.get("mime")?.as_str().filter(|mime| mime.starts_with("image/"))?;
    let is_whole = answer.get("truncated").is_none_or(|truncated| truncated == false);
    is_whole.then_some(ContentBlock::image(answer.get("data_base64")?.as_str()?, mime))
}

/// What the client is told of every tool, all of it from the tools' own specifications.
fn tools_of(mount: &Mount) -> Vec<Tool> {
    let tools = mount.surface.tools().map(|tool| {
        let described = Tool::new(tool.spec.name, (tool.description)(), mount.surface.input_schema(tool))
            .with_title(tool.spec.title)
            .with_annotations(annotations(&tool.spec));
        match mount.surface.output_schema(tool) {
            Some(schema) => described.with_raw_output_schema(Arc::new(schema)),
            None => described,
        }
    });
    let domains = mount.listed_domains().map(|domain| {
        let operations = operations(domain);
        let about = format!("{} Operations: {}.", domain.about, operations.join(", "));
        Tool::new(domain.name, about, domain_schema(&operations)).with_title(domain.name)
    });
    let tools = tools.chain(domains);
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
        let mut capabilities = if self.has_notes() {
            tools.enable_resources().enable_resources_subscribe().enable_prompts().enable_completions().build()
        } else {
            tools.build()
        };
        #[cfg(feature = "conformance-fixtures")]
        fixtures::extend_capabilities(&mut capabilities);
        // Without fixtures nothing changes them.
        let _ = &mut capabilities;
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("quillgate", env!("CARGO_PKG_VERSION")).with_title("Quillgate"))
            .with_instructions(instructions::of(
                self.mount.surface,
                self.pipeline.vaults.find(None).filter(|_| self.mount.has_notes()),
            ))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let policy = self.pipeline.policy.current();
        let is_listed = |tool: &&Tool| self.mount.lists(&tool.name, &policy);
        let tools = self.tools.iter().filter(is_listed).cloned().collect();
        Ok(ListToolsResult::with_all_items(tools).with_ttl_ms(TOOLS_TTL_MS).with_cache_scope(CacheScope::Private))
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
        Ok(resources::templates(&self.notes(&context)?))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&self.notes(&context)?, &request.uri).await
    }

    async fn subscribe(&self, request: SubscribeRequestParams, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let views = self.views(&context)?;
        let workspaces: Vec<Arc<Workspace>> = views.iter().map(|view| view.workspace.clone()).collect();
        let vault = resources::find(&workspaces, &request.uri).map(|(workspace, _)| workspace.id.clone());
        let view = vault.and_then(|vault| views.into_iter().find(|view| view.workspace.id == vault));
        match view {
            Some(view) => self.watched.add(request.uri, &view.workspace.id, &view.changes, context.peer.clone()),
            None if request.uri.starts_with("vault://") => {
                return Err(ErrorData::resource_not_found(format!("no resource {}", request.uri), None));
            }
            // What is not ours never changes, and watching it is no mistake.
            None => {}
        }
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
        let changes = self.views(subscription.request_context()).unwrap_or_default().into_iter().map(|view| view.changes);
        let changes: Vec<Changes> = changes.collect();
        let listening = subscriptions::listen(&changes, &subscription);
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
        resources::complete(&self.notes(&context)?, &request).await
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

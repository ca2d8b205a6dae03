//! One issuer at work: its settings, its state, and the routes it answers.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use quillgate_state::State;

use crate::bearer::TokenCache;
use crate::client_assertion::ClientAssertions;
use crate::client_documents::ClientDocuments;
use crate::clock::Clock;
use crate::cors;
use crate::endpoints::{authorize, consent, introspect, metadata, register, resume, revoke, token};
use crate::guarded_fetch::GuardedFetch;
use crate::page::no_such_page;
use crate::parameters::LARGEST_FORM;
use crate::password::Hashing;
use crate::resource::Resources;
use crate::settings::{ClientDocumentSettings, Endpoint, Settings};

pub struct Site {
    pub settings: Settings,
    pub(crate) state: Arc<State>,
    pub(crate) clock: Clock,
    pub(crate) resources: Resources,
    pub(crate) hashing: Hashing,
    pub(crate) documents: ClientDocuments,
    pub(crate) assertions: ClientAssertions,
    pub(crate) tokens: TokenCache,
    /// Since the start; unused ones are thinned out now and then.
    pub(crate) registrations: AtomicU64,
}

impl Site {
    pub fn new(settings: Settings, state: Arc<State>, clock: Clock, hashing: Hashing) -> Result<Arc<Site>, reqwest::Error> {
        let ClientDocumentSettings { allowed_hosts, fetch } = settings.documents.clone().unwrap_or_default();
        let fetch = GuardedFetch::new(fetch)?;
        let documents = ClientDocuments::new(fetch, &settings.issuer, allowed_hosts, settings.redirects.clone());
        let surfaces = settings.endpoints.iter().filter_map(|endpoint| endpoint.path.strip_prefix("/mcp/"));
        let resources = Resources::new(&settings.issuer, surfaces);
        let assertions = ClientAssertions::new(&settings.issuer, &format!("{}/oauth/token", settings.issuer));
        let tokens = TokenCache::default();
        let registrations = AtomicU64::new(0);
        Ok(Arc::new(Site { settings, state, clock, resources, hashing, documents, assertions, tokens, registrations }))
    }

    pub(crate) fn now(&self) -> i64 {
        self.clock.seconds()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.settings.issuer)
    }

    pub(crate) fn is_https(&self) -> bool {
        self.settings.issuer.starts_with("https://")
    }

    /// The endpoint that a canonical resource stands for.
    pub(crate) fn endpoint_of(&self, resource: &str) -> Option<&Endpoint> {
        let path = resource.strip_prefix(&self.settings.issuer)?;
        self.settings.endpoints.iter().find(|endpoint| endpoint.path == path)
    }

    pub fn default_endpoint(&self) -> &Endpoint {
        &self.settings.endpoints[0]
    }

    /// Every route of the authorization server, and the documents about the protected resources.
    pub fn router(self: &Arc<Site>) -> Router {
        let mut documents = Router::new();
        // Who has a static key needs no document that says where to get one.
        let has_issuer = self.settings.login.is_some() || self.settings.jwt.is_some();
        for suffix in self.document_suffixes().filter(|_| has_issuer) {
            let resource = format!("/.well-known/oauth-protected-resource{suffix}");
            documents = documents.route(&resource, get(metadata::protected_resource));
            if self.settings.login.is_some() {
                let server = format!("/.well-known/oauth-authorization-server{suffix}");
                let openid = format!("/.well-known/openid-configuration{suffix}");
                documents = documents.route(&server, get(metadata::authorization_server));
                documents = documents.route(&openid, get(metadata::authorization_server));
            }
        }
        let mut app = documents.layer(axum::middleware::from_fn(cors::open_to_pages));
        if self.settings.login.is_some() {
            app = app.merge(self.machine_routes()).merge(self.browser_routes());
        }
        app.layer(DefaultBodyLimit::max(LARGEST_FORM)).with_state(self.clone())
    }

    /// Called by programs, also by those that run in a page of another site.
    fn machine_routes(&self) -> Router<Arc<Site>> {
        let mut routes = Router::new()
            .route("/oauth/token", post(token::exchange))
            .route("/token", post(token::exchange))
            .route("/oauth/revoke", post(revoke::revoke))
            .route("/oauth/introspect", post(introspect::introspect));
        if self.settings.registration.is_some() {
            routes = routes
                .route("/oauth/register", post(register::register))
                .route("/register", post(register::register))
                .route("/oauth/register/{client}", get(register::show).delete(register::remove));
        }
        routes.layer(axum::middleware::from_fn(cors::open_to_pages))
    }

    /// Pages for people; no other site may read or frame them.
    fn browser_routes(&self) -> Router<Arc<Site>> {
        Router::new()
            .route("/oauth/authorize", get(authorize::begin).post(authorize::log_in))
            .route("/authorize", get(authorize::begin).post(authorize::log_in))
            .route("/oauth/resume", get(resume::resume))
            .route("/oauth/consent", get(consent::ask).post(consent::answer))
            .method_not_allowed_fallback(no_such_page)
    }

    /// Documents about the whole origin, and about every endpoint.
    fn document_suffixes(&self) -> impl Iterator<Item = &str> {
        std::iter::once("").chain(self.settings.endpoints.iter().map(|endpoint| endpoint.path.as_str()))
    }
}

//! The documents in which clients read how to get access (RFC 9728, RFC 8414).

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::CACHE_CONTROL;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use crate::address::ClientAddress;
use crate::client_assertion;
use crate::client_metadata::GrantType;
use crate::failure::Failure;
use crate::scope::Scopes;
use crate::settings::Endpoint;
use crate::site::Site;

const PROTECTED_RESOURCE: &str = "/.well-known/oauth-protected-resource";

/// What is protected, and who gives access to it.
pub(crate) async fn protected_resource(State(site): State<Arc<Site>>, request: Request) -> Result<Response, Failure> {
    site.count("discovery", ClientAddress::of(request.extensions()), site.settings.limits.discovery).await?;
    let path = request.uri().path().strip_prefix(PROTECTED_RESOURCE).unwrap_or_default();
    let endpoint = site.settings.endpoints.iter().find(|endpoint| endpoint.path == path);
    Ok(cacheable(site.protected_resource(path, endpoint.unwrap_or_else(|| site.default_endpoint()))))
}

/// How this authorization server is used.
pub(crate) async fn authorization_server(State(site): State<Arc<Site>>, request: Request) -> Result<Response, Failure> {
    site.count("discovery", ClientAddress::of(request.extensions()), site.settings.limits.discovery).await?;
    Ok(cacheable(site.authorization_server()))
}

impl Site {
    /// The resource is named as the client named it: clients compare it with the URL that they were given.
    fn protected_resource(&self, path: &str, endpoint: &Endpoint) -> Value {
        let ours = self.settings.login.as_ref().map(|_| &self.settings.issuer);
        let others = self.settings.jwt.iter().flat_map(|jwt| &jwt.authorization_servers);
        let servers: Vec<&String> = ours.into_iter().chain(others).collect();
        json!({
            "resource": self.url(path),
            "authorization_servers": servers,
            "bearer_methods_supported": ["header"],
            "scopes_supported": endpoint.scopes.iter().map(|scope| &scope.name).collect::<Vec<_>>(),
            "resource_name": "Quillgate",
        })
    }

    fn authorization_server(&self) -> Value {
        let mut document = Map::new();
        let mut set = |key: &str, value: Value| drop(document.insert(key.to_owned(), value));
        let methods = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"];
        set("issuer", json!(self.settings.issuer));
        set("authorization_endpoint", json!(self.url("/oauth/authorize")));
        set("token_endpoint", json!(self.url("/oauth/token")));
        if self.settings.registration.is_some() {
            set("registration_endpoint", json!(self.url("/oauth/register")));
        }
        set("revocation_endpoint", json!(self.url("/oauth/revoke")));
        set("response_types_supported", json!(["code"]));
        set("response_modes_supported", json!(["query"]));
        set("grant_types_supported", json!(self.grant_types()));
        set("code_challenge_methods_supported", json!(["S256"]));
        set("token_endpoint_auth_methods_supported", json!(methods));
        set("token_endpoint_auth_signing_alg_values_supported", json!(client_assertion::ALGORITHMS));
        set("revocation_endpoint_auth_methods_supported", json!(methods));
        if self.settings.clients.iter().any(|client| client.introspects) {
            set("introspection_endpoint", json!(self.url("/oauth/introspect")));
            set("introspection_endpoint_auth_methods_supported", json!(&methods[1..]));
        }
        set("scopes_supported", json!(self.scopes_with_offline_access().iter().collect::<Vec<_>>()));
        set("authorization_response_iss_parameter_supported", json!(true));
        if self.settings.documents.is_some() {
            set("client_id_metadata_document_supported", json!(true));
        }
        Value::Object(document)
    }

    fn grant_types(&self) -> Vec<&str> {
        let mut types = vec!["authorization_code"];
        types.extend(self.gives_refresh_tokens().then_some("refresh_token"));
        let acts_for_itself =
            self.settings.clients.iter().any(|client| client.grant_types.contains(&GrantType::ClientCredentials));
        types.extend(acts_for_itself.then_some("client_credentials"));
        types
    }

    /// Clients that want refresh tokens look for this word here, and only here.
    pub(super) fn scopes_with_offline_access(&self) -> Scopes {
        let offered = self.settings.endpoints.iter().flat_map(|endpoint| &endpoint.scopes);
        let offline = self.gives_refresh_tokens().then_some("offline_access");
        offered.map(|scope| scope.name.as_str()).chain(offline).collect()
    }
}

fn cacheable(document: Value) -> Response {
    let mut response = Json(document).into_response();
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=300"));
    response
}

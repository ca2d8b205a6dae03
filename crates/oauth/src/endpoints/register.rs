//! Clients introduce themselves (RFC 7591), look at what is known of them and take their leave (RFC 7592).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::body::Bytes;
use axum::extract::{FromRequest, Path, Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Json, http};
use quillgate_state::{Client, SecretHash};
use secrecy::ExposeSecret;
use serde_json::{Value, json};

use crate::address::ClientAddress;
use crate::bearer::bearer_token;
use crate::client_metadata::ClientMetadata;
use crate::failure::{Failure, no_store};
use crate::secret::{new_id, new_secret, same_hash};
use crate::site::Site;

/// Unused clients are counted and thinned out now and then, not at every registration.
const TRIM_EVERY: u64 = 64;

pub(crate) async fn register(State(site): State<Arc<Site>>, request: Request) -> Result<Response, Failure> {
    let address = ClientAddress::of(request.extensions());
    site.count("register", address, site.settings.limits.register).await?;
    site.spend(&format!("register {}", site.settings.issuer), site.settings.limits.register_everybody).await?;
    let headers = request.headers().clone();
    let body = Bytes::from_request(request, &()).await.map_err(|rejection| Failure::Body(rejection.status()))?;
    if !is_json(&headers) {
        return Err(Failure::NotJson);
    }
    let mut metadata = ClientMetadata::from_registration(&body, &site.settings.redirects)
        .map_err(|problem| Failure::refused(problem.code(), problem.to_string()))?;
    // Real clients name scopes of other servers; what is not offered here is not promised.
    let offered = site.scopes_with_offline_access();
    metadata.scope = metadata.scope.map(|asked| asked.intersection(&offered)).filter(|known| !known.is_empty());
    let (client, answer) = site.introduce(&metadata);
    site.make_room().await?;
    site.state.add_client(&client).await?;
    tracing::info!(client = client.id, "a client registered");
    let mut response = (StatusCode::CREATED, Json(answer)).into_response();
    no_store(response.headers_mut());
    Ok(response)
}

pub(crate) async fn show(State(site): State<Arc<Site>>, Path(id): Path<String>, headers: HeaderMap) -> Result<Response, Failure> {
    let client = site.own_registration(&id, &headers).await?;
    let mut answer = serde_json::from_str(&client.metadata).map(|metadata| shown(&metadata)).unwrap_or_default();
    answer["client_id"] = json!(client.id);
    answer["client_id_issued_at"] = json!(client.created);
    answer["registration_client_uri"] = json!(site.registration_uri(&client.id));
    let mut response = Json(answer).into_response();
    no_store(response.headers_mut());
    Ok(response)
}

pub(crate) async fn remove(
    State(site): State<Arc<Site>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let client = site.own_registration(&id, &headers).await?;
    site.state.end_grants_of_client(&client.id, site.now()).await?;
    site.state.remove_client(&client.id).await?;
    site.tokens.clear();
    let mut response = StatusCode::NO_CONTENT.into_response();
    no_store(response.headers_mut());
    Ok(response)
}

impl Site {
    /// What is remembered of a new client, and what it is told. Only the answer holds the secrets.
    fn introduce(&self, metadata: &ClientMetadata) -> (Client, Value) {
        let id = new_id("qgc_", 16);
        let management = new_secret();
        let secret = metadata.token_endpoint_auth_method.has_secret().then(new_secret);
        let mut answer = shown(metadata);
        answer["client_id"] = json!(id);
        answer["client_id_issued_at"] = json!(self.now());
        if let Some(secret) = &secret {
            answer["client_secret"] = json!(secret.expose_secret());
            answer["client_secret_expires_at"] = json!(0);
        }
        answer["registration_client_uri"] = json!(self.registration_uri(&id));
        answer["registration_access_token"] = json!(management.expose_secret());
        let client = Client {
            id,
            metadata: serde_json::to_string(metadata).unwrap_or_default(),
            secret: secret.map(|secret| SecretHash::of(secret.expose_secret())),
            registration: Some(SecretHash::of(management.expose_secret())),
            created: self.now(),
            seen: None,
            used: None,
        };
        (client, answer)
    }

    fn registration_uri(&self, id: &str) -> String {
        self.url(&format!("/oauth/register/{id}"))
    }

    /// Registrations that nobody ever used make way, the oldest first.
    async fn make_room(&self) -> Result<(), Failure> {
        let Some(registration) = self.settings.registration else { return Ok(()) };
        if self.registrations.fetch_add(1, Ordering::Relaxed).is_multiple_of(TRIM_EVERY) {
            self.state.trim_clients(registration.most_unused, self.now()).await?;
        }
        Ok(())
    }

    async fn own_registration(&self, id: &str, headers: &HeaderMap) -> Result<Client, Failure> {
        let token = bearer_token(headers).ok().flatten().map(|token| SecretHash::of(token.expose_secret()));
        let client = self.state.find_client(id).await?;
        match (client, token) {
            (Some(client), Some(token)) if client.registration.as_ref().is_some_and(|own| same_hash(own, &token)) => Ok(client),
            _ => Err(Failure::NotTheClient),
        }
    }
}

/// What the client is told of itself; how we read it is our own business.
fn shown(metadata: &ClientMetadata) -> Value {
    let mut shown = serde_json::to_value(metadata).unwrap_or_default();
    shown.as_object_mut().map(|fields| fields.remove("also_none"));
    shown
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
        && !headers.contains_key(http::header::CONTENT_ENCODING)
        && headers.get_all(AUTHORIZATION).iter().count() <= 1
}

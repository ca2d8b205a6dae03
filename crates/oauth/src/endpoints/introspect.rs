//! Tells clients that the operator trusts what a token is worth (RFC 7662).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use quillgate_state::{SecretHash, TokenKind};
use serde_json::json;

use crate::failure::{Failure, no_store};
use crate::site::Site;
use crate::token_form::TokenForm;

pub(crate) async fn introspect(
    State(site): State<Arc<Site>>,
    TokenForm { headers, parameters: form }: TokenForm,
) -> Result<Response, Failure> {
    let client = site.authenticate(&headers, &form).await?;
    if !site.settings.clients.iter().any(|configured| configured.id == client.id && configured.introspects) {
        return Err(Failure::refused("unauthorized_client", "this client may not ask about tokens"));
    }
    let token = form.one("token")?.ok_or_else(|| Failure::invalid_request("token is missing"))?;
    let found = site.state.find_token(&SecretHash::of(token)).await?;
    let now = site.now();
    let active = found.filter(|(token, grant)| {
        let is_over = token.ended.is_some() || token.replaced.is_some() || grant.ended.is_some() || token.expires <= now;
        !is_over && grant.issuer == site.settings.issuer
    });
    let active = match active {
        Some((_, grant)) if !site.is_still(&grant.user, &grant.user_mark).await? => None,
        active => active,
    };
    let answer = match active {
        None => json!({"active": false}),
        Some((token, grant)) => json!({
            "active": true,
            "scope": token.scopes,
            "client_id": grant.client,
            "username": grant.user,
            "sub": grant.user,
            "aud": grant.resource,
            "iss": grant.issuer,
            "token_type": if token.kind == TokenKind::Access { "Bearer" } else { "refresh_token" },
            "iat": token.issued,
            "exp": token.expires,
        }),
    };
    let mut response = Json(answer).into_response();
    no_store(response.headers_mut());
    Ok(response)
}

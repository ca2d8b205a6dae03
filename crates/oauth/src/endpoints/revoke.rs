//! A client gives a token back (RFC 7009).

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use quillgate_state::{SecretHash, TokenKind};

use crate::failure::{Failure, no_store};
use crate::site::Site;
use crate::token_form::TokenForm;

/// Answers alike whether the token was known, was somebody else's, or had ended before.
pub(crate) async fn revoke(
    State(site): State<Arc<Site>>,
    TokenForm { headers, parameters: form }: TokenForm,
) -> Result<Response, Failure> {
    let client = site.authenticate(&headers, &form).await?;
    let token = form.one("token")?.ok_or_else(|| Failure::invalid_request("token is missing"))?;
    let hash = SecretHash::of(token);
    if let Some((token, grant)) = site.state.find_token(&hash).await?
        && grant.client == client.id
    {
        match token.kind {
            TokenKind::Refresh => site.end_grant(&grant.id).await?,
            TokenKind::Access => {
                site.state.end_token(&hash, site.now()).await?;
                site.tokens.forget_grant(&grant.id);
            }
        }
    }
    let mut response = StatusCode::OK.into_response();
    no_store(response.headers_mut());
    Ok(response)
}

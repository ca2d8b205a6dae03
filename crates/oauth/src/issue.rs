//! Making tokens.

use axum::Json;
use axum::response::{IntoResponse, Response};
use quillgate_state::{Grant, SecretHash, Token, TokenKind};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

use crate::failure::{Failure, no_store};
use crate::seal;
use crate::secret::new_secret;
use crate::settings::Login;
use crate::site::Site;

/// Contexts of sealed credentials: what is sealed for one use cannot be opened for another.
pub(crate) const SEAL_CODE: &str = "code";
pub(crate) const SEAL_TOKEN: &str = "token";

/// What a new pair of tokens is issued for.
pub(crate) struct Issue<'a> {
    pub(crate) grant: &'a Grant,
    pub(crate) scopes: &'a str,
    /// The refresh token that was exchanged for it.
    pub(crate) parent: Option<SecretHash>,
    pub(crate) credential: Option<SecretString>,
    pub(crate) with_refresh: bool,
}

impl Site {
    /// At another site's login we cannot know whether the user is still welcome there, so nothing is prolonged.
    pub(crate) fn gives_refresh_tokens(&self) -> bool {
        matches!(self.settings.login, Some(Login::Password { .. }))
    }

    pub(crate) async fn issue(&self, issue: Issue<'_>) -> Result<Response, Failure> {
        let now = self.now();
        let lifetimes = self.settings.lifetimes;
        let expires = |lifetime: i64| (now + lifetime).min(issue.grant.expires);
        let access = new_secret();
        let sealed = issue.credential.as_ref().map(|credential| seal::seal(&access, SEAL_TOKEN, credential));
        let token = |secret: &SecretString, kind, sealed, expires| Token {
            hash: SecretHash::of(secret.expose_secret()),
            kind,
            grant: issue.grant.id.clone(),
            scopes: issue.scopes.to_owned(),
            parent: issue.parent.clone(),
            sealed,
            issued: now,
            expires,
            last_used: None,
            replaced: None,
            reissued: 0,
            ended: None,
        };
        let access_expires = if self.gives_refresh_tokens() { expires(lifetimes.access) } else { issue.grant.expires };
        self.state.add_token(&token(&access, TokenKind::Access, sealed, access_expires)).await?;
        let mut answer = json!({
            "access_token": access.expose_secret(),
            "token_type": "Bearer",
            "expires_in": access_expires - now,
            "scope": issue.scopes,
        });
        if issue.with_refresh && self.gives_refresh_tokens() {
            let refresh = new_secret();
            self.state.add_token(&token(&refresh, TokenKind::Refresh, None, expires(lifetimes.refresh))).await?;
            answer["refresh_token"] = json!(refresh.expose_secret());
        }
        let mut response = Json(answer).into_response();
        no_store(response.headers_mut());
        Ok(response)
    }
}

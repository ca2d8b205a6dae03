//! Errors as programs read them: the JSON of OAuth, with its status.

use axum::http::header::{CACHE_CONTROL, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Json, http};
use quillgate_state::StateError;
use serde_json::json;

use crate::limit::TooMany;
use crate::parameters::Repeated;

/// An error of the token, registration, revocation or introspection endpoint.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{description}")]
    Refused { code: &'static str, description: String },
    /// `tried_basic` tells whether the client used the Authorization header.
    #[error("the client is not known here, or its credentials are wrong; register again")]
    InvalidClient { tried_basic: bool },
    #[error("the body is too large, or broke off")]
    Body(StatusCode),
    #[error("the body must be a form (application/x-www-form-urlencoded)")]
    NotAForm,
    #[error("the body must be JSON (application/json)")]
    NotJson,
    #[error("the registration access token is missing or wrong")]
    NotTheClient,
    #[error("too many requests; try again in {} s", .0.0)]
    TooMany(TooMany),
    #[error("the server cannot reach its database; try again in a moment")]
    State(#[from] StateError),
}

impl Failure {
    pub(crate) fn refused(code: &'static str, description: impl Into<String>) -> Failure {
        Failure::Refused { code, description: description.into() }
    }

    pub(crate) fn invalid_grant(description: &str) -> Failure {
        Failure::refused("invalid_grant", description)
    }

    pub(crate) fn invalid_request(description: &str) -> Failure {
        Failure::refused("invalid_request", description)
    }

    fn code(&self) -> (StatusCode, &'static str) {
        match self {
            Failure::Refused { code, .. } => (StatusCode::BAD_REQUEST, code),
            Failure::InvalidClient { .. } => (StatusCode::UNAUTHORIZED, "invalid_client"),
            Failure::Body(status) => (*status, "invalid_request"),
            Failure::NotAForm | Failure::NotJson => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "invalid_request"),
            Failure::NotTheClient => (StatusCode::UNAUTHORIZED, "invalid_token"),
            Failure::TooMany(_) => (StatusCode::TOO_MANY_REQUESTS, "temporarily_unavailable"),
            Failure::State(_) => (StatusCode::SERVICE_UNAVAILABLE, "temporarily_unavailable"),
        }
    }
}

impl From<TooMany> for Failure {
    fn from(wait: TooMany) -> Failure {
        Failure::TooMany(wait)
    }
}

impl From<Repeated> for Failure {
    fn from(repeated: Repeated) -> Failure {
        Failure::refused("invalid_request", repeated.to_string())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, code) = self.code();
        if let Failure::State(error) = &self {
            tracing::error!(%error, "the state does not answer");
        }
        let body = json!({"error": code, "error_description": self.to_string()});
        let mut response = (status, Json(body)).into_response();
        let headers = response.headers_mut();
        no_store(headers);
        match self {
            Failure::InvalidClient { tried_basic: true } => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"quillgate\""));
            }
            Failure::NotTheClient => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer error=\"invalid_token\""));
            }
            Failure::TooMany(TooMany(seconds)) => drop(headers.insert(RETRY_AFTER, HeaderValue::from(seconds))),
            Failure::State(_) => drop(headers.insert(RETRY_AFTER, HeaderValue::from(5))),
            _ => {}
        }
        response
    }
}

pub(crate) fn no_store(headers: &mut http::HeaderMap) {
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(http::header::PRAGMA, HeaderValue::from_static("no-cache"));
}

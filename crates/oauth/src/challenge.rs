//! What a client that was refused is told to do: the WWW-Authenticate header.

use axum::http::{HeaderValue, StatusCode};

use crate::bearer::Refusal;
use crate::scope::Scopes;
use crate::settings::Endpoint;
use crate::site::Site;

/// A status and the challenge that goes with it.
#[derive(Debug)]
pub struct Challenge {
    pub status: StatusCode,
    pub header: Option<HeaderValue>,
}

impl Site {
    /// For a request that was not recognised.
    pub fn challenge(&self, refusal: &Refusal, endpoint: &Endpoint) -> Challenge {
        let error = match refusal {
            Refusal::NoToken => None,
            Refusal::Invalid => Some("invalid_token"),
            Refusal::Malformed => Some("invalid_request"),
            Refusal::State(_) => return Challenge { status: StatusCode::SERVICE_UNAVAILABLE, header: None },
        };
        let status = if matches!(refusal, Refusal::Malformed) { StatusCode::BAD_REQUEST } else { StatusCode::UNAUTHORIZED };
        let offered: Vec<&str> = endpoint.scopes.iter().map(|scope| scope.name.as_str()).collect();
        let description = error.map(|_| refusal.to_string());
        Challenge { status, header: self.header(endpoint, error, description.as_deref(), &offered.join(" ")) }
    }

    /// For a request that needs more than the token allows: everything it needs at once, and what the token has already, so
    /// that the client does not lose that when it asks again.
    pub fn insufficient_scope(&self, endpoint: &Endpoint, needed: &[&str], has: &Scopes) -> Challenge {
        let description = format!("this needs {}", needed.join(" "));
        let mut scopes: Vec<&str> = has.iter().filter(|scope| !scope.starts_with("vault:")).collect();
        scopes.extend(needed.iter().filter(|scope| !has.contains(scope)));
        let header = self.header(endpoint, Some("insufficient_scope"), Some(&description), &scopes.join(" "));
        Challenge { status: StatusCode::FORBIDDEN, header }
    }

    fn header(&self, endpoint: &Endpoint, error: Option<&str>, description: Option<&str>, scopes: &str) -> Option<HeaderValue> {
        let mut parts = Vec::new();
        parts.extend(error.map(|error| format!("error=\"{error}\"")));
        parts.extend(description.map(|description| format!("error_description=\"{}\"", quotable(description))));
        if self.settings.login.is_some() || self.settings.jwt.is_some() {
            let document = self.url(&format!("/.well-known/oauth-protected-resource{}", endpoint.path));
            parts.push(format!("resource_metadata=\"{document}\""));
        }
        if !scopes.is_empty() {
            parts.push(format!("scope=\"{scopes}\""));
        }
        HeaderValue::try_from(format!("Bearer {}", parts.join(", "))).ok()
    }
}

fn quotable(text: &str) -> String {
    text.chars().filter(|letter| (' '..='~').contains(letter) && !matches!(letter, '"' | '\\')).collect()
}

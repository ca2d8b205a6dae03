//! How a client proves who it is at the token, revocation and introspection endpoints.

use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use quillgate_state::SecretHash;
use serde_json::Value;

use crate::client::{Authentication, KnownClient, SecretWay};
use crate::client_assertion::{ASSERTION_TYPE, read_claimed};
use crate::failure::Failure;
use crate::key_set::KeySet;
use crate::parameters::Parameters;
use crate::secret::same_hash;
use crate::site::Site;

/// What the client sent; each way excludes the others.
enum Proof<'a> {
    Basic { id: String, secret: String },
    Post { id: &'a str, secret: &'a str },
    Assertion { id: Option<&'a str>, assertion: &'a str },
    None { id: &'a str },
}

impl Site {
    pub(crate) async fn authenticate(&self, headers: &HeaderMap, form: &Parameters) -> Result<KnownClient, Failure> {
        let proof = read(headers, form)?;
        let tried_basic = matches!(proof, Proof::Basic { .. });
        let wrong = || Failure::InvalidClient { tried_basic };
        let id = match &proof {
            Proof::Basic { id, .. } => id.clone(),
            Proof::Post { id, .. } | Proof::None { id } => (*id).to_owned(),
            Proof::Assertion { id, assertion } => match id {
                Some(id) => (*id).to_owned(),
                None => read_claimed(assertion).ok_or_else(wrong)?.client,
            },
        };
        let client = self.find_client(&id).await?;
        let is_right = match (client.as_ref().map(|client| &client.authentication), &proof) {
            (Some(Authentication::None), Proof::None { .. }) => true,
            (Some(Authentication::PrivateKey { or_none: true, .. }), Proof::None { .. }) => true,
            (Some(Authentication::PrivateKey { jwks, jwks_uri, .. }), Proof::Assertion { assertion, .. }) => {
                self.check_assertion(&id, assertion, jwks.as_ref(), jwks_uri.as_deref()).await
            }
            (known, Proof::Basic { secret, .. }) => is_secret(known, SecretWay::Basic, secret),
            (known, Proof::Post { secret, .. }) => is_secret(known, SecretWay::Post, secret),
            _ => false,
        };
        client.filter(|_| is_right).ok_or_else(wrong)
    }
}

impl Site {
    async fn check_assertion(&self, client: &str, assertion: &str, jwks: Option<&Value>, jwks_uri: Option<&str>) -> bool {
        let wanted = read_claimed(assertion).and_then(|claimed| claimed.key);
        let keys = match (jwks, jwks_uri) {
            (Some(jwks), _) => KeySet::from_json(jwks).ok().map(Arc::new),
            (None, Some(address)) => self.documents.find_keys(address, wanted.as_deref(), self.now()).await.ok(),
            (None, None) => None,
        };
        let Some(keys) = keys else { return false };
        let checked = self.assertions.check(assertion, client, &keys, self.now());
        checked.inspect_err(|problem| tracing::info!(client, %problem, "a client's assertion was refused")).is_ok()
    }
}

/// Takes as long for a client that does not exist.
fn is_secret(known: Option<&Authentication>, sent: SecretWay, secret: &str) -> bool {
    let nobody = SecretHash::of("");
    let (hash, way) = match known {
        Some(Authentication::Secret { hash, way }) => (hash, Some(*way)),
        _ => (&nobody, None),
    };
    let is_same = same_hash(hash, &SecretHash::of(secret));
    is_same && way.is_some_and(|way| way == SecretWay::Either || way == sent)
}

fn read<'a>(headers: &HeaderMap, form: &'a Parameters) -> Result<Proof<'a>, Failure> {
    let id = form.one("client_id")?;
    let secret = form.one("client_secret")?;
    let assertion = form.one("client_assertion")?;
    let mut authorizations = headers.get_all(AUTHORIZATION).iter();
    let authorization = authorizations.next();
    let ways = usize::from(authorization.is_some()) + usize::from(secret.is_some()) + usize::from(assertion.is_some());
    if ways > 1 || authorizations.next().is_some() {
        return Err(Failure::invalid_request("give the client's credentials in one way only"));
    }
    if let Some(authorization) = authorization {
        let (basic, secret) = basic(authorization.as_bytes()).ok_or(Failure::InvalidClient { tried_basic: true })?;
        if id.is_some_and(|id| id != basic) {
            return Err(Failure::invalid_request("client_id differs from that of the Authorization header"));
        }
        return Ok(Proof::Basic { id: basic, secret });
    }
    if let Some(assertion) = assertion {
        if form.one("client_assertion_type")? != Some(ASSERTION_TYPE) {
            return Err(Failure::invalid_request("client_assertion_type must be that of a JWT bearer assertion"));
        }
        return Ok(Proof::Assertion { id, assertion });
    }
    match (id, secret) {
        (Some(id), Some(secret)) => Ok(Proof::Post { id, secret }),
        (Some(id), None) => Ok(Proof::None { id }),
        (None, _) => Err(Failure::InvalidClient { tried_basic: false }),
    }
}

/// Both parts are form-encoded before they are put together (RFC 6749, 2.3.1).
fn basic(header: &[u8]) -> Option<(String, String)> {
    let text = std::str::from_utf8(header).ok()?;
    let (scheme, encoded) = text.split_once(' ')?;
    let decoded = STANDARD.decode(encoded.trim()).ok().filter(|_| scheme.eq_ignore_ascii_case("basic"))?;
    let decoded = String::from_utf8(decoded).ok()?;
    let (id, secret) = decoded.split_once(':')?;
    Some((form_decoded(id)?, form_decoded(secret)?))
}

fn form_decoded(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().ok().map(|text| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_credentials_are_form_decoded() {
        let header = |text: &str| format!("Basic {}", STANDARD.encode(text));
        let read = |header: &str| basic(header.as_bytes());
        assert_eq!(read(&header("a%3Ab:s+p%2B")), Some(("a:b".to_owned(), "s p+".to_owned())));
        assert_eq!(read(&header("no colon")), None);
        assert_eq!(read("Basic !!!"), None);
        assert_eq!(read(&format!("Basic {}", STANDARD.encode([0xff, b':', 0xfe]))), None);
        assert_eq!(read("Bearer abc"), None);
    }
}

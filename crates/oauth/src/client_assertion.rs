//! Clients that show who they are by a signature (private_key_jwt, RFC 7523).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jsonwebtoken::Algorithm;

use crate::key_set::KeySet;
use crate::signed_token::{LEEWAY, SignedToken};

/// The value of `client_assertion_type`.
pub(crate) const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// For the metadata document.
pub(crate) const ALGORITHMS: [&str; 4] = ["RS256", "PS256", "ES256", "EdDSA"];

const LONGEST_LIFE: i64 = 5 * 60;
const LONGEST_ID: usize = 256;
const MOST_OF_ONE_CLIENT: usize = 1_000;
const MOST_CLIENTS: usize = 1_000;

/// Why an assertion is not accepted: for the log and for tests, outside all are `invalid_client`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AssertionProblem {
    #[error("it is too long or not a signed token that can be understood")]
    Form,
    #[error("it is signed in a way that is not allowed")]
    Algorithm,
    #[error("the client has no key that fits it")]
    Key,
    #[error("its signature is wrong")]
    Signature,
    #[error("its issuer and subject are not the client")]
    Client,
    #[error("it is not for this server alone")]
    Audience,
    #[error("it is expired, not valid yet, or valid for more than five minutes")]
    Time,
    #[error("it has no id of its own")]
    Id,
    #[error("it was used before")]
    Replayed,
    #[error("too many were used in the last minutes")]
    TooMany,
}

/// What an assertion says before anything is checked: whose keys, and which of them, it wants to be checked with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claimed {
    pub client: String,
    pub key: Option<String>,
}

pub(crate) fn read_claimed(assertion: &str) -> Option<Claimed> {
    let token = SignedToken::read(assertion)?;
    Some(Claimed { client: token.claim("sub")?.to_owned(), key: token.key.clone() })
}

/// Checks assertions, and remembers their ids while they could be used again.
#[derive(Debug)]
pub(crate) struct ClientAssertions {
    audience: [String; 2],
    used: Mutex<HashMap<String, HashMap<String, i64>>>,
}

impl ClientAssertions {
    pub(crate) fn new(issuer: &str, token_endpoint: &str) -> ClientAssertions {
        ClientAssertions { audience: [issuer.to_owned(), token_endpoint.to_owned()], used: Mutex::default() }
    }

    /// Is this client itself, and for the first time with this assertion? Times are in seconds.
    pub(crate) fn check(&self, assertion: &str, client: &str, keys: &KeySet, now: i64) -> Result<(), AssertionProblem> {
        let token = SignedToken::read(assertion).ok_or(AssertionProblem::Form)?;
        if !matches!(token.algorithm, Algorithm::RS256 | Algorithm::PS256 | Algorithm::ES256 | Algorithm::EdDSA) {
            return Err(AssertionProblem::Algorithm);
        }
        let key = keys.find(token.key.as_deref(), token.algorithm).ok_or(AssertionProblem::Key)?;
        if !token.is_signed_by(key) {
            return Err(AssertionProblem::Signature);
        }
        if token.kind.is_some() && !token.is_of_kind(&["jwt", "client-authentication+jwt"]) {
            return Err(AssertionProblem::Form);
        }
        if token.claim("iss") != Some(client) || token.claim("sub") != Some(client) {
            return Err(AssertionProblem::Client);
        }
        // One audience only: an assertion that is good elsewhere too could be carried here from there.
        match token.claim_values("aud").as_slice() {
            [one] if self.audience.iter().any(|ours| ours == one) => {}
            _ => return Err(AssertionProblem::Audience),
        }
        let expires = check_times(&token, now).ok_or(AssertionProblem::Time)?;
        let id = token.claim("jti").filter(|id| id.len() <= LONGEST_ID).ok_or(AssertionProblem::Id)?;
        self.spend(client, id, expires, now)
    }

    fn spend(&self, client: &str, id: &str, expires: i64, now: i64) -> Result<(), AssertionProblem> {
        let mut clients = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = |expires: &i64| *expires + LEEWAY <= now;
        if !clients.contains_key(client) && clients.len() >= MOST_CLIENTS {
            clients.retain(|_, ids| !ids.values().all(is_over));
            if clients.len() >= MOST_CLIENTS {
                return Err(AssertionProblem::TooMany);
            }
        }
        let ids = clients.entry(client.to_owned()).or_default();
        if ids.len() >= MOST_OF_ONE_CLIENT {
            ids.retain(|_, expires| !is_over(expires));
        }
        if ids.contains_key(id) {
            return Err(AssertionProblem::Replayed);
        }
        if ids.len() >= MOST_OF_ONE_CLIENT {
            return Err(AssertionProblem::TooMany);
        }
        ids.insert(id.to_owned(), expires);
        Ok(())
    }
}

/// When it expires, if that and its other times are in order.
fn check_times(token: &SignedToken, now: i64) -> Option<i64> {
    let expires = token.time("exp").ok()??;
    let starts = [token.time("nbf").ok()?, token.time("iat").ok()?];
    let has_begun = starts.into_iter().flatten().all(|start| start <= now + LEEWAY);
    (has_begun && now < expires + LEEWAY && expires <= now + LONGEST_LIFE + LEEWAY).then_some(expires)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::key_set::tests::Signer;

    const NOW: i64 = 1_800_000_000;
    const CLIENT: &str = "https://app.example/client.json";

    fn claims(id: &str) -> Value {
        json!({ "iss": CLIENT, "sub": CLIENT, "aud": "https://notes.example", "exp": NOW + 60, "jti": id })
    }

    fn assertions() -> ClientAssertions {
        ClientAssertions::new("https://notes.example", "https://notes.example/oauth/token")
    }

    fn keys(signer: &Signer) -> KeySet {
        KeySet::from_json(&json!({ "keys": [signer.public] })).unwrap()
    }

    #[test]
    fn a_client_that_signs_is_itself_once() {
        let assertions = assertions();
        for signer in [Signer::rsa("k", "RS256"), Signer::rsa("k", "PS256"), Signer::p256("k"), Signer::ed25519("k")] {
            let assertion = signer.token(json!({ "typ": "JWT" }), &claims(signer.algorithm));
            assert_eq!(read_claimed(&assertion), Some(Claimed { client: CLIENT.into(), key: Some("k".into()) }));
            assert_eq!(assertions.check(&assertion, CLIENT, &keys(&signer), NOW), Ok(()), "{}", signer.algorithm);
            assert_eq!(assertions.check(&assertion, CLIENT, &keys(&signer), NOW + 1), Err(AssertionProblem::Replayed));
            assert_eq!(assertions.check(&assertion, CLIENT, &keys(&signer), NOW + 90), Err(AssertionProblem::Time));
        }
    }

    #[test]
    fn everything_about_it_must_hold() {
        let (signer, stranger) = (Signer::ed25519("k"), Signer::ed25519("k"));
        let assertions = assertions();
        for (name, value, problem) in [
            ("iss", json!("https://evil.example"), AssertionProblem::Client),
            ("sub", json!("https://evil.example"), AssertionProblem::Client),
            ("sub", json!(null), AssertionProblem::Client),
            ("aud", json!("https://other.example"), AssertionProblem::Audience),
            ("aud", json!(["https://notes.example", "https://other.example"]), AssertionProblem::Audience),
            ("aud", json!(null), AssertionProblem::Audience),
            ("exp", json!(NOW - 30), AssertionProblem::Time),
            ("exp", json!(NOW + 331), AssertionProblem::Time),
            ("exp", json!("soon"), AssertionProblem::Time),
            ("exp", json!(null), AssertionProblem::Time),
            ("nbf", json!(NOW + 31), AssertionProblem::Time),
            ("iat", json!(NOW + 31), AssertionProblem::Time),
            ("iat", json!("now"), AssertionProblem::Time),
            ("jti", json!(null), AssertionProblem::Id),
            ("jti", json!(7), AssertionProblem::Id),
            ("jti", json!("x".repeat(257)), AssertionProblem::Id),
        ] {
            let mut claims = claims("a");
            claims[name] = value.clone();
            let assertion = signer.token(json!({}), &claims);
            assert_eq!(assertions.check(&assertion, CLIENT, &keys(&signer), NOW), Err(problem), "{name} {value}");
        }
        for (assertion, problem) in [
            (stranger.token(json!({}), &claims("a")), AssertionProblem::Signature),
            (signer.token(json!({ "kid": "other" }), &claims("a")), AssertionProblem::Key),
            (signer.token(json!({ "alg": "HS256" }), &claims("a")), AssertionProblem::Algorithm),
            (signer.token(json!({ "alg": "none" }), &claims("a")), AssertionProblem::Form),
            (signer.token(json!({ "typ": "at+jwt" }), &claims("a")), AssertionProblem::Form),
            ("x".into(), AssertionProblem::Form),
        ] {
            assert_eq!(assertions.check(&assertion, CLIENT, &keys(&signer), NOW), Err(problem));
        }
        let mut good = claims("a");
        good["aud"] = json!(["https://notes.example/oauth/token"]);
        assert_eq!(
            assertions.check(&signer.token(json!({}), &good), CLIENT, &keys(&signer), NOW),
            Ok(()),
            "nothing above was spent"
        );
    }

    #[test]
    fn what_is_remembered_is_bounded_and_forgotten() {
        let assertions = assertions();
        for number in 0..MOST_OF_ONE_CLIENT {
            assert_eq!(assertions.spend("a", &number.to_string(), NOW + 60, NOW), Ok(()));
        }
        assert_eq!(assertions.spend("a", "more", NOW + 60, NOW), Err(AssertionProblem::TooMany));
        assert_eq!(assertions.spend("a", "0", NOW + 60, NOW), Err(AssertionProblem::Replayed));
        assert_eq!(assertions.spend("b", "0", NOW + 60, NOW), Ok(()), "another client is not affected");
        assert_eq!(assertions.spend("a", "more", NOW + 200, NOW + 90), Ok(()), "the old ones are over");
        for number in 0..MOST_CLIENTS - 2 {
            assert_eq!(assertions.spend(&format!("client {number}"), "0", NOW + 200, NOW + 90), Ok(()));
        }
        assert_eq!(assertions.spend("c", "0", NOW + 200, NOW + 90), Ok(()), "b has nothing left to remember");
        assert_eq!(assertions.spend("d", "0", NOW + 200, NOW + 90), Err(AssertionProblem::TooMany));
    }
}

//! Who is asking, by the token in the Authorization header: one of ours, a static key, or a JWT of a trusted issuer.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use quillgate_state::{Grant, SecretHash, StateError, Token, TokenKind};
use secrecy::{ExposeSecret, SecretString};

use crate::issue::SEAL_TOKEN;
use crate::scope::Scopes;
use crate::seal;
use crate::settings::Endpoint;
use crate::site::Site;

/// How static keys begin, so that they are told from other tokens, also by programs that look for leaked secrets.
pub const KEY_PREFIX: &str = "qgk_";
/// For so long a token that was found good is not looked up again. What ends here is forgotten at once; what another process
/// ends counts after this.
const REMEMBERED_MS: i64 = 2000;
const MOST_REMEMBERED: usize = 10_000;
/// The longest token that is looked at.
const LONGEST_TOKEN: usize = 8192;
/// How often it is noted that a token is in use, in seconds.
const NOTED_EVERY: i64 = 60;

/// Who is asking, and what they may do.
#[derive(Clone)]
pub struct Principal {
    /// The same for all tokens of one user and client; sessions are bound to it.
    pub id: String,
    pub user: String,
    pub client: String,
    pub scopes: Scopes,
    /// The only vault that may be used.
    pub vault: Option<String>,
    pub grant: Option<String>,
    /// When the token stops being good, in seconds since 1970.
    pub expires: Option<i64>,
    /// The user's credential at another site.
    pub upstream: Option<SecretString>,
}

impl fmt::Debug for Principal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Principal").field("id", &self.id).field("scopes", &self.scopes).finish_non_exhaustive()
    }
}

/// Why nobody was recognised.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("this server needs a login; connect with OAuth, or send a token as Authorization: Bearer")]
    NoToken,
    #[error("the token is not valid, or not any more; log in again")]
    Invalid,
    #[error("the Authorization header cannot be read")]
    Malformed,
    #[error("the server cannot reach its database; try again in a moment")]
    State(#[from] StateError),
}

impl Site {
    pub async fn check(&self, headers: &HeaderMap, endpoint: &Endpoint) -> Result<Arc<Principal>, Refusal> {
        let token = bearer_token(headers)?.ok_or(Refusal::NoToken)?;
        let hash = SecretHash::of(token.expose_secret());
        if let Some(principal) = self.tokens.find(&hash, endpoint, self.clock.milliseconds()) {
            return Ok(principal);
        }
        let is_jwt = token.expose_secret().bytes().filter(|byte| *byte == b'.').count() == 2;
        let principal = if is_jwt {
            self.of_jwt(&token)?
        } else if token.expose_secret().starts_with(KEY_PREFIX) {
            self.of_key(&hash).await?
        } else {
            self.of_grant(&hash, &token, endpoint).await?
        };
        let principal = Arc::new(principal);
        // The clock of the issuer counts for JWTs, to the second; checking one again costs little.
        if !is_jwt {
            self.tokens.remember(hash, endpoint, principal.clone(), self.clock.milliseconds());
        }
        Ok(principal)
    }

    fn of_jwt(&self, token: &SecretString) -> Result<Principal, Refusal> {
        let jwt = self.settings.jwt.as_ref().ok_or(Refusal::Invalid)?;
        let claims = jwt.checker.check(token.expose_secret(), self.now()).map_err(|problem| {
            tracing::debug!(%problem, "a JWT was refused");
            Refusal::Invalid
        })?;
        let client = claims.client.unwrap_or_default();
        Ok(Principal {
            id: format!("jwt:{}/{client}", claims.subject),
            user: claims.subject,
            client,
            // Our own tokens are bound by a scope; of others that counts, too.
            vault: claims.vault.or_else(|| claims.scopes.vault().map(str::to_owned)),
            scopes: claims.scopes,
            grant: None,
            expires: Some(claims.expires),
            upstream: None,
        })
    }

    async fn of_key(&self, hash: &SecretHash) -> Result<Principal, Refusal> {
        let configured = self.settings.keys.as_ref().ok_or(Refusal::Invalid)?;
        let (name, scopes, vault, expires) = match configured.get(hash) {
            Some(key) => (key.name.clone(), key.scopes.clone(), key.vault.clone(), None),
            None => {
                let key = self.state.find_key(hash).await?.ok_or(Refusal::Invalid)?;
                if key.expires.is_some_and(|expires| expires <= self.now()) {
                    return Err(Refusal::Invalid);
                }
                if key.last_used.is_none_or(|last| self.now() - last >= NOTED_EVERY) {
                    self.state.mark_key_used(hash, self.now()).await?;
                }
                (key.name, Scopes::parse(&key.scopes).unwrap_or_default(), key.vault, key.expires)
            }
        };
        let vault = vault.or_else(|| scopes.vault().map(str::to_owned));
        let id = format!("key:{name}");
        Ok(Principal { user: id.clone(), id, client: name, scopes, vault, grant: None, expires, upstream: None })
    }

    async fn of_grant(&self, hash: &SecretHash, secret: &SecretString, endpoint: &Endpoint) -> Result<Principal, Refusal> {
        if self.settings.login.is_none() {
            return Err(Refusal::Invalid);
        }
        let (token, grant) = self.state.find_token(hash).await?.ok_or(Refusal::Invalid)?;
        if !self.is_good(&token, &grant, endpoint) || !self.is_still(&grant.user, &grant.user_mark).await? {
            return Err(Refusal::Invalid);
        }
        if token.last_used.is_none_or(|last| self.now() - last >= NOTED_EVERY) {
            self.state.mark_token_used(hash, self.now()).await?;
        }
        let upstream = token.sealed.as_deref().and_then(|sealed| seal::open(secret, SEAL_TOKEN, sealed));
        let scopes = Scopes::parse(&token.scopes).unwrap_or_default();
        Ok(Principal {
            id: format!("{}/{}", grant.user, grant.client),
            user: grant.user,
            client: grant.client,
            vault: scopes.vault().map(str::to_owned),
            scopes,
            grant: Some(grant.id),
            expires: Some(token.expires.min(grant.expires)),
            upstream,
        })
    }

    fn is_good(&self, token: &Token, grant: &Grant, endpoint: &Endpoint) -> bool {
        let now = self.now();
        let is_over = token.ended.is_some() || grant.ended.is_some() || token.expires <= now || grant.expires <= now;
        token.kind == TokenKind::Access && !is_over && grant.issuer == self.settings.issuer && self.is_for(grant, endpoint)
    }

    /// Whether the grant was given for this very endpoint: each address is a resource of its own.
    fn is_for(&self, grant: &Grant, endpoint: &Endpoint) -> bool {
        grant.resource.strip_prefix(&self.settings.issuer) == Some(&endpoint.path)
    }

    /// Ends everything that was issued under a grant, here at once and in other processes within seconds.
    pub async fn end_grant(&self, grant: &str) -> Result<(), StateError> {
        self.state.end_grant(grant, self.now()).await?;
        self.tokens.forget_grant(grant);
        Ok(())
    }
}

/// The token of a request that has exactly one. Tokens in the address or the body are not looked at.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Result<Option<SecretString>, Refusal> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(Refusal::Malformed);
    }
    let text = value.to_str().map_err(|_| Refusal::Invalid)?;
    let (scheme, token) = text.split_once(' ').unwrap_or((text, ""));
    let token = token.trim();
    if !scheme.eq_ignore_ascii_case("bearer") || token.is_empty() {
        return Ok(None);
    }
    if token.len() > LONGEST_TOKEN || token.contains(' ') {
        return Err(Refusal::Invalid);
    }
    Ok(Some(SecretString::from(token.to_owned())))
}

/// Tokens that were found good a moment ago.
#[derive(Default)]
pub(crate) struct TokenCache(Mutex<HashMap<SecretHash, Remembered>>);

struct Remembered {
    principal: Arc<Principal>,
    /// Where it was found good.
    path: String,
    since: i64,
    until: i64,
}

impl TokenCache {
    fn find(&self, hash: &SecretHash, endpoint: &Endpoint, now: i64) -> Option<Arc<Principal>> {
        let remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = remembered.get(hash).filter(|found| found.path == endpoint.path)?;
        // A clock that was set back must not prolong anything.
        let is_fresh = now < found.until && now >= found.since;
        is_fresh.then(|| found.principal.clone())
    }

    /// For a moment, and never longer than the token is good.
    fn remember(&self, hash: SecretHash, endpoint: &Endpoint, principal: Arc<Principal>, now: i64) {
        let until = principal.expires.map_or(i64::MAX, |expires| expires * 1000).min(now + REMEMBERED_MS);
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.len() >= MOST_REMEMBERED {
            remembered.retain(|_, entry| entry.until > now);
            if remembered.len() >= MOST_REMEMBERED {
                remembered.clear();
            }
        }
        remembered.insert(hash, Remembered { principal, path: endpoint.path.clone(), since: now, until });
    }

    pub(crate) fn forget_grant(&self, grant: &str) {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.retain(|_, entry| entry.principal.grant.as_deref() != Some(grant));
    }

    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

//! What the operator decides about one site.

use std::collections::HashMap;
use std::sync::Arc;

use futures::future::BoxFuture;
use quillgate_state::SecretHash;
use secrecy::SecretString;

use crate::client_metadata::GrantType;
use crate::guarded_fetch::FetchSettings;
use crate::jwt::JwtChecker;
use crate::password::PasswordHash;
use crate::redirect_uri::RedirectPolicy;
use crate::scope::Scopes;

/// Everything about one issuer and the endpoints that it protects.
pub struct Settings {
    /// The public URL without a trailing slash; every address in every document starts with it.
    pub issuer: String,
    /// Protected endpoints; the first is the default one.
    pub endpoints: Vec<Endpoint>,
    /// Vaults that can be reached here.
    pub vaults: Vec<Vault>,
    /// How people log in; without it there is no authorization server here.
    pub login: Option<Login>,
    pub jwt: Option<TrustedIssuer>,
    /// Static keys of the configuration; those of the state count too where keys are accepted at all.
    pub keys: Option<HashMap<SecretHash, ConfiguredKey>>,
    /// Clients that the operator knows.
    pub clients: Vec<ConfiguredClient>,
    pub lifetimes: Lifetimes,
    pub registration: Option<Registration>,
    pub documents: Option<ClientDocumentSettings>,
    pub redirects: RedirectPolicy,
    /// Redirect URIs that errors may be sent to before anybody has agreed to anything.
    pub trusted_redirects: Vec<String>,
    pub limits: PerMinute,
}

/// A protected endpoint with what its tools need.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// `/mcp` or `/mcp/<surface>`.
    pub path: String,
    pub scopes: Vec<OfferedScope>,
}

#[derive(Clone, Debug)]
pub struct OfferedScope {
    pub name: String,
    /// For the person who decides, such as `read notes`.
    pub about: String,
}

#[derive(Clone, Debug)]
pub struct Vault {
    pub id: String,
    pub name: String,
}

pub enum Login {
    /// A page of ours asks for a name and a password.
    Password { users: Vec<ConfiguredUser> },
    /// Another site knows the user by a cookie that the browser sends here too.
    Upstream(UpstreamLogin),
}

pub struct ConfiguredUser {
    pub name: String,
    pub password: PasswordHash,
    /// The most that clients of this user can be given.
    pub scopes: Option<Scopes>,
    pub vault: Option<String>,
}

pub struct UpstreamLogin {
    pub login_url: String,
    /// The parameter of the login page that takes the address to return to.
    pub return_parameter: String,
    pub cookie: String,
    pub check: CheckUpstream,
    /// No token outlives this, nor the upstream session.
    pub longest: i64,
}

/// Asks the other site whom a credential belongs to.
pub type CheckUpstream = Arc<dyn Fn(SecretString) -> BoxFuture<'static, Result<UpstreamAccount, UpstreamProblem>> + Send + Sync>;

#[derive(Clone, Debug)]
pub struct UpstreamAccount {
    pub name: String,
    /// When the session there ends, in seconds since 1970.
    pub expires: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpstreamProblem {
    /// The other site does not accept the credential.
    Rejected,
    /// It did not answer, or not as it should.
    Unavailable,
}

/// Tokens that somebody else issues.
pub struct TrustedIssuer {
    pub checker: JwtChecker,
    /// Where clients may get such tokens.
    pub authorization_servers: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct ConfiguredKey {
    pub name: String,
    pub scopes: Scopes,
    pub vault: Option<String>,
}

#[derive(Clone, Debug)]
pub struct ConfiguredClient {
    pub id: String,
    pub name: String,
    pub secret: Option<SecretHash>,
    pub redirect_uris: Vec<String>,
    pub grant_types: Vec<GrantType>,
    /// What a client that acts for itself may do.
    pub scopes: Scopes,
    /// Whether it may ask what a token is worth.
    pub introspects: bool,
    /// Public keys, for clients that sign their requests.
    pub jwks: Option<serde_json::Value>,
}

/// In seconds.
#[derive(Clone, Copy, Debug)]
pub struct Lifetimes {
    pub code: i64,
    pub access: i64,
    /// Since the last use.
    pub refresh: i64,
    /// Since the login.
    pub refresh_at_most: i64,
    /// How long a refresh token that was exchanged already may be exchanged again.
    pub reuse_grace: i64,
}

impl Default for Lifetimes {
    fn default() -> Lifetimes {
        let day = 24 * 60 * 60;
        Lifetimes { code: 300, access: day, refresh: 30 * day, refresh_at_most: 90 * day, reuse_grace: 60 }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Registration {
    /// Clients that registered and were never used, at most.
    pub most_unused: u64,
}

#[derive(Clone, Default)]
pub struct ClientDocumentSettings {
    /// Only documents of these hosts; empty means any.
    pub allowed_hosts: Vec<String>,
    /// How they are fetched.
    pub fetch: FetchSettings,
}

/// Requests per minute and address; 0 means no limit.
#[derive(Clone, Copy, Debug)]
pub struct PerMinute {
    pub discovery: u32,
    pub register: u32,
    /// All registrations together.
    pub register_everybody: u32,
    pub authorize: u32,
    pub token: u32,
    /// Passwords of one user, from one address.
    pub login: u32,
    /// Passwords of anybody, from one address.
    pub login_everybody: u32,
}

impl Default for PerMinute {
    fn default() -> PerMinute {
        PerMinute {
            discovery: 100,
            register: 5,
            register_everybody: 600,
            authorize: 10,
            token: 10,
            login: 10,
            login_everybody: 30,
        }
    }
}

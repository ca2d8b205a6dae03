//! Who may connect over HTTP, and how they prove it.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::Unused;

/// How callers over HTTP prove who they are.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthConfig {
    /// `none` (this machine and trusted networks only), `oauth` (a login page of ours), `upstream` (login at another site), `jwt`
    /// (tokens of another issuer), `keys` (static keys); or a list, such as `["oauth", "keys"]`. By default `oauth` if there are
    /// users, else `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Modes>,
    /// Who may log in on our page, beside those that `quillgate users add` remembers. Environment `AUTH_USERS` and flag
    /// `--auth-users` add more, as `name:hash,name:hash`.
    pub users: Vec<UserConfig>,
    /// Clients that the operator knows. Others register themselves or publish a document about themselves.
    pub clients: Vec<ClientConfig>,
    /// Static keys for agents without a browser, beside those that `quillgate keys add` remembers.
    pub keys: Vec<KeyConfig>,
    /// How long an access token is good, in seconds.
    pub token_ttl_seconds: i64,
    /// How long an authorization code is good, in seconds.
    pub code_ttl_seconds: i64,
    /// How long a refresh token is good after its last use, in seconds.
    pub refresh_ttl_seconds: i64,
    /// How long a login is good in all, in seconds.
    pub refresh_max_seconds: i64,
    /// For so many seconds a refresh token that was exchanged may be exchanged again, for clients with several processes; 0 is strict.
    pub reuse_grace_seconds: i64,
    /// Clients that register themselves.
    pub registration: RegistrationConfig,
    /// Clients whose id is the address of a document about them.
    pub client_metadata_documents: ClientDocumentsConfig,
    /// Schemes of applications that redirects may go to.
    pub redirect_schemes: Vec<String>,
    /// Redirect URIs that errors may be sent to before anybody has logged in.
    pub trusted_redirects: Vec<String>,
    /// Mode `jwt`: the secret for HS256, at least 32 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_secret: Option<Secret>,
    /// Mode `jwt`: public keys, as a JWK set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks: Option<Value>,
    /// Mode `jwt`: a file with public keys, as a JWK set. Read once, at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks_file: Option<PathBuf>,
    /// Mode `jwt`: signatures by public keys that are accepted.
    pub algorithms: Vec<String>,
    /// Mode `jwt`: who must have issued the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// Mode `jwt`: whom the token must be for; by default the server URL with `/mcp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// Mode `jwt`: servers where clients can get such tokens, as the resource document tells them.
    pub authorization_servers: Vec<String>,
    /// Mode `jwt`: refuse tokens whose type is not `at+jwt`.
    pub require_at_jwt: bool,
    /// Mode `upstream`: the other site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<UpstreamConfig>,
    /// The address in the resource document; it is made from `serverUrl`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<Unused>,
    /// The name in the resource document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_name: Option<Unused>,
    /// The scopes in the resource document; they are those of the tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes_supported: Option<Unused>,
}

impl Default for AuthConfig {
    fn default() -> AuthConfig {
        let lifetimes = quillgate_oauth::Lifetimes::default();
        AuthConfig {
            mode: None,
            users: Vec::new(),
            clients: Vec::new(),
            keys: Vec::new(),
            token_ttl_seconds: lifetimes.access,
            code_ttl_seconds: lifetimes.code,
            refresh_ttl_seconds: lifetimes.refresh,
            refresh_max_seconds: lifetimes.refresh_at_most,
            reuse_grace_seconds: lifetimes.reuse_grace,
            registration: RegistrationConfig::default(),
            client_metadata_documents: ClientDocumentsConfig::default(),
            redirect_schemes: ["cursor", "vscode", "vscode-insiders"].map(str::to_owned).to_vec(),
            trusted_redirects: Vec::new(),
            jwt_secret: None,
            jwks: None,
            jwks_file: None,
            algorithms: ["RS256", "ES256", "EdDSA"].map(str::to_owned).to_vec(),
            issuer: None,
            audience: None,
            authorization_servers: Vec::new(),
            require_at_jwt: false,
            upstream: None,
            resource: None,
            resource_name: None,
            scopes_supported: None,
        }
    }
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum Modes {
    One(AuthMode),
    Several(Vec<AuthMode>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuthMode {
    None,
    Oauth,
    Jwt,
    Upstream,
    Keys,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UserConfig {
    /// What to log in with; accents may be typed in either way, case matters.
    pub name: String,
    /// What `quillgate hash-password` printed: argon2id or bcrypt.
    pub password: Secret,
    /// The most that this user's clients can be allowed, such as `["read:notes"]`; everything by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// The only vault of this user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vault: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClientConfig {
    /// What the client calls itself in requests.
    pub client_id: String,
    /// What people are shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_name: Option<String>,
    /// The client's secret itself; better give its hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<Secret>,
    /// SHA-256 of the client's secret, in hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret_hash: Option<String>,
    /// Where answers may go.
    #[serde(default)]
    pub redirect_uris: Vec<String>,
    /// `authorization_code` and `refresh_token` by default; `client_credentials` lets a client with a secret or keys act for itself.
    #[serde(default = "usual_grant_types")]
    pub grant_types: Vec<String>,
    /// What a client that acts for itself may do, such as `["read:notes"]`.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Whether it may ask what tokens are worth.
    #[serde(default)]
    pub introspect: bool,
    /// Public keys with which the client signs its requests, as a JWK set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks: Option<Value>,
}

fn usual_grant_types() -> Vec<String> {
    ["authorization_code", "refresh_token"].map(str::to_owned).to_vec()
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeyConfig {
    /// For logs and lists.
    pub name: String,
    /// SHA-256 of the key, in hex. `quillgate keys new` makes a key and prints this line.
    pub hash: String,
    /// What it may do, such as `["read:notes", "write:*"]`.
    pub scopes: Vec<String>,
    /// The only vault it may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vault: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct RegistrationConfig {
    /// Whether clients may register themselves.
    pub enabled: bool,
    /// Registrations that were never used, at most; the oldest make way. Clients in use are never removed.
    pub max_clients: u64,
}

impl Default for RegistrationConfig {
    fn default() -> RegistrationConfig {
        RegistrationConfig { enabled: true, max_clients: 2000 }
    }
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ClientDocumentsConfig {
    /// Whether such clients are accepted. Their documents are fetched from public addresses only.
    pub enabled: bool,
    /// Only documents of these hosts; empty means any.
    pub allow_hosts: Vec<String>,
}

impl Default for ClientDocumentsConfig {
    fn default() -> ClientDocumentsConfig {
        ClientDocumentsConfig { enabled: true, allow_hosts: Vec::new() }
    }
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpstreamConfig {
    /// The other site's login page.
    pub login_url: String,
    /// The parameter of that page that takes the address to return to.
    #[serde(default = "redirect_parameter")]
    pub return_parameter: String,
    /// The cookie by which the other site knows its users; the browser must send it to this server too.
    #[serde(default = "auth_token")]
    pub cookie: String,
    /// Tells whose cookie it is: JSON, and 401 if it is nobody's.
    pub account_url: String,
    /// Where in that JSON the account's name stands, as a JSON pointer.
    #[serde(default = "name_pointer")]
    pub account_name: String,
    /// Where in that JSON the end of the session stands, in seconds since 1970, as a JSON pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account_expires: Option<String>,
    /// No token is good for longer, in seconds; at most seven days.
    #[serde(default = "seven_days")]
    pub max_ttl_seconds: i64,
}

impl Default for UpstreamConfig {
    fn default() -> UpstreamConfig {
        UpstreamConfig {
            login_url: String::new(),
            return_parameter: redirect_parameter(),
            cookie: auth_token(),
            account_url: String::new(),
            account_name: name_pointer(),
            account_expires: None,
            max_ttl_seconds: seven_days(),
        }
    }
}

fn redirect_parameter() -> String {
    "redirect".to_owned()
}

fn auth_token() -> String {
    "auth_token".to_owned()
}

fn name_pointer() -> String {
    "/name".to_owned()
}

pub(crate) fn seven_days() -> i64 {
    7 * 24 * 60 * 60
}

/// Requests per minute; 0 means no limit.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct RateLimitsConfig {
    /// Documents about the server, of one address.
    pub discovery: u32,
    /// Registrations of clients, of one address.
    pub register: u32,
    /// Registrations of clients, of all addresses together.
    pub register_everybody: u32,
    /// Logins begun, of one address.
    pub authorize: u32,
    /// Token requests, of one address.
    pub token: u32,
    /// Passwords tried for one user, from one address.
    pub login: u32,
    /// Passwords tried for anybody, from one address.
    pub login_everybody: u32,
    /// Calls on the `articles` surface, of one token.
    pub articles: u32,
}

impl Default for RateLimitsConfig {
    fn default() -> RateLimitsConfig {
        let limits = quillgate_oauth::PerMinute::default();
        RateLimitsConfig {
            discovery: limits.discovery,
            register: limits.register,
            register_everybody: limits.register_everybody,
            authorize: limits.authorize,
            token: limits.token,
            login: limits.login,
            login_everybody: limits.login_everybody,
            articles: 60,
        }
    }
}

/// Another address that this server answers under, with tools and a login of its own.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SiteConfig {
    /// The URL under which clients reach it; requests are told apart by its host.
    pub server_url: String,
    /// Surfaces to serve there; the first is the default one.
    #[serde(default)]
    pub surfaces: Vec<String>,
    /// Sources of the `articles` surface, by name; all by default.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Who may connect there.
    #[serde(default)]
    pub auth: AuthConfig,
}

/// Something that must not be shown: neither in logs nor when the configuration is printed.
#[derive(Clone)]
pub struct Secret(String);

/// `writeOnly` is the schema's word for what is not shown.
impl JsonSchema for Secret {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Secret".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "writeOnly": true})
    }
}

/// What is no text is refused without being quoted.
impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Secret, D::Error> {
        let text = String::deserialize(deserializer).map(Secret);
        text.map_err(|_| D::Error::custom("a secret is not a text; put it in quotes"))
    }
}

impl Secret {
    pub fn new(text: String) -> Secret {
        Secret(text)
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("(hidden)")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("(hidden)")
    }
}

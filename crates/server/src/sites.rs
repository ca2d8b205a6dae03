//! From the configuration to what is served: each site with its tools and its way to log in.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use quillgate_oauth::{
    ClientDocumentSettings, Clock, ConfiguredClient, ConfiguredKey, ConfiguredUser, Endpoint, FetchSettings, GrantType, Hashing,
    JwtChecker, JwtSettings, Lifetimes, Login, PasswordHash, PerMinute, RedirectPolicy, Registration, Scopes, Settings,
    TrustedIssuer, Vault, normal_name,
};
use quillgate_state::{Location, SecretHash, State};
use quillgate_tools::Surface;
use secrecy::SecretString;

use crate::config::{AuthConfig, AuthMode, ClientConfig, Config, KeyConfig, Modes, UserConfig};
use crate::data_folder;
use crate::http::{AllowedHosts, Site};
use crate::mount::Mount;
use crate::network::{TrustedPeers, check_exposure, public_origin};
use crate::pipeline::Pipeline;
use crate::scopes;

/// The name of the SQLite file in the data directory.
const STATE_FILE: &str = "state.db";

/// Everything that a site needs beside its own configuration.
pub(crate) struct Surroundings {
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) config: Arc<Config>,
    pub(crate) address: SocketAddr,
    pub(crate) state: Option<Arc<State>>,
    pub(crate) hashing: Hashing,
}

/// Whether anybody has to prove who they are.
pub(crate) fn modes(auth: &AuthConfig) -> anyhow::Result<Vec<AuthMode>> {
    let modes = match &auth.mode {
        Some(Modes::One(mode)) => vec![*mode],
        Some(Modes::Several(modes)) => modes.clone(),
        None if auth.users.is_empty() => vec![AuthMode::None],
        None => vec![AuthMode::Oauth],
    };
    let has = |mode| modes.contains(&mode);
    if modes.is_empty() || has(AuthMode::None) && modes.len() > 1 {
        bail!("auth.mode names none together with others; choose either none, or how callers prove who they are");
    }
    if has(AuthMode::Oauth) && has(AuthMode::Upstream) {
        bail!("auth.mode names both oauth and upstream; there can be one login page, so choose one of them");
    }
    if has(AuthMode::None) && !auth.users.is_empty() {
        bail!("there are users (auth.users or AUTH_USERS), but auth.mode is none; nobody would be asked to log in");
    }
    Ok(modes)
}

pub(crate) fn needs_state(config: &Config) -> anyhow::Result<bool> {
    let mut all = std::iter::once(&config.auth).chain(config.sites.iter().map(|site| &site.auth));
    all.try_fold(false, |needed, auth| Ok(needed || modes(auth)? != [AuthMode::None]))
}

pub(crate) fn location(config: &Config, data: &Path) -> anyhow::Result<Location> {
    match &config.state {
        Some(location) => Ok(Location::parse(location.expose())?),
        None => Ok(Location::Sqlite(data.join(STATE_FILE))),
    }
}

pub(crate) async fn open_state(config: &Config) -> anyhow::Result<Arc<State>> {
    let data = data_folder::path(config.data_dir.as_deref())?;
    let state = State::open(&location(config, &data)?).await.context("the state cannot be opened")?;
    Ok(Arc::new(state))
}

/// The site of the server's own URL, and after it the further ones.
pub(crate) fn all(
    around: &Surroundings,
    surfaces: &[&'static Surface],
    further: &[Vec<&'static Surface>],
) -> anyhow::Result<Vec<Site>> {
    let config = &around.config;
    let mut sites = vec![first(around, surfaces)?];
    for (site, surfaces) in config.sites.iter().zip(further) {
        let url = public_origin(&site.server_url)?;
        if modes(&site.auth)? == [AuthMode::None] {
            bail!("the site {url} has no login; set its auth.mode");
        }
        let hosts = AllowedHosts::only(&url);
        sites.push(protected(around, &site.auth, url, hosts, surfaces)?);
    }
    Ok(sites)
}

fn first(around: &Surroundings, surfaces: &[&'static Surface]) -> anyhow::Result<Site> {
    let (config, address) = (&around.config, around.address);
    if modes(&config.auth)? == [AuthMode::None] {
        let trusted = TrustedPeers::parse(&config.trusted_networks)?;
        check_exposure(address, config.server_url.as_deref(), &trusted)?;
        let mounts = mounts(surfaces, config);
        return Ok(Site::without_login(around.pipeline.clone(), mounts, config.clone(), trusted, address));
    }
    let url = match &config.server_url {
        Some(url) => public_origin(url)?,
        None if address.ip().is_loopback() => format!("http://{address}"),
        None => bail!("with a login, clients must know the server's public address: give --server-url https://…"),
    };
    let hosts = AllowedHosts::new(Some(&url), address, false);
    protected(around, &config.auth, url, hosts, surfaces)
}

fn mounts(surfaces: &[&'static Surface], config: &Config) -> Vec<Arc<Mount>> {
    surfaces.iter().map(|surface| Arc::new(Mount::new(surface, config))).collect()
}

fn protected(
    around: &Surroundings,
    auth: &AuthConfig,
    url: String,
    hosts: AllowedHosts,
    surfaces: &[&'static Surface],
) -> anyhow::Result<Site> {
    let mounts = mounts(surfaces, &around.config);
    let state = around.state.clone().context("a login needs the state")?;
    let settings = settings(around, auth, &url, &mounts)?;
    let login = quillgate_oauth::Site::new(settings, state, Clock::system(), around.hashing.clone())?;
    Ok(Site {
        pipeline: around.pipeline.clone(),
        mounts,
        config: around.config.clone(),
        trusted: TrustedPeers::default(),
        url,
        hosts: Arc::new(hosts),
        login: Some(login),
        address: around.address,
    })
}

fn settings(around: &Surroundings, auth: &AuthConfig, url: &str, mounts: &[Arc<Mount>]) -> anyhow::Result<Settings> {
    let modes = modes(auth)?;
    let has = |mode| modes.contains(&mode);
    let limits = &around.config.rate_limits;
    let login = match (has(AuthMode::Oauth), has(AuthMode::Upstream)) {
        (true, _) => Some(Login::Password { users: users(auth)? }),
        (_, true) => Some(Login::Upstream(crate::upstream::login(auth)?)),
        _ => None,
    };
    Ok(Settings {
        issuer: url.to_owned(),
        endpoints: endpoints(mounts),
        vaults: vaults(around, mounts),
        login,
        jwt: has(AuthMode::Jwt).then(|| jwt(auth, url)).transpose()?,
        keys: has(AuthMode::Keys).then(|| keys(auth)).transpose()?,
        clients: auth.clients.iter().map(client).collect::<anyhow::Result<_>>()?,
        lifetimes: lifetimes(auth),
        registration: auth.registration.enabled.then_some(Registration { most_unused: auth.registration.max_clients }),
        documents: auth.client_metadata_documents.enabled.then(|| ClientDocumentSettings {
            allowed_hosts: auth.client_metadata_documents.allow_hosts.clone(),
            fetch: FetchSettings::default(),
        }),
        redirects: RedirectPolicy { schemes: auth.redirect_schemes.clone() },
        trusted_redirects: auth.trusted_redirects.clone(),
        limits: PerMinute {
            discovery: limits.discovery,
            register: limits.register,
            register_everybody: limits.register_everybody,
            authorize: limits.authorize,
            token: limits.token,
            login: limits.login,
            login_everybody: limits.login_everybody,
        },
    })
}

/// The default mount has two addresses; the short one comes first.
fn endpoints(mounts: &[Arc<Mount>]) -> Vec<Endpoint> {
    let named =
        |mount: &Arc<Mount>| Endpoint { path: format!("/mcp/{}", mount.surface.name), scopes: scopes::offered(mount.surface) };
    let default = mounts.first().map(|mount| Endpoint { path: "/mcp".to_owned(), ..named(mount) });
    default.into_iter().chain(mounts.iter().map(named)).collect()
}

fn vaults(around: &Surroundings, mounts: &[Arc<Mount>]) -> Vec<Vault> {
    if !mounts.iter().any(|mount| mount.has_notes()) {
        return Vec::new();
    }
    let served = around.pipeline.vaults.all().iter();
    served.map(|vault| Vault { id: vault.id.clone(), name: vault.name.clone() }).collect()
}

/// Everything that keeps this login from working, each with its key.
pub(crate) fn problems(auth: &AuthConfig, at: &str) -> Vec<(String, String)> {
    let modes = match modes(auth) {
        Ok(modes) => modes,
        Err(error) => return vec![(format!("{at}.mode"), format!("{error:#}"))],
    };
    let mut found: Vec<(String, anyhow::Result<()>)> = Vec::new();
    let users = auth.users.iter().enumerate();
    found.extend(users.map(|(number, config)| (format!("{at}.users[{number}]"), user(config).map(drop))));
    let keys = auth.keys.iter().enumerate();
    found.extend(keys.map(|(number, config)| (format!("{at}.keys[{number}]"), key(config).map(drop))));
    let clients = auth.clients.iter().enumerate();
    found.extend(clients.map(|(number, config)| (format!("{at}.clients[{number}]"), client(config).map(drop))));
    if modes.contains(&AuthMode::Jwt) {
        found.push((at.to_owned(), jwt(auth, "https://localhost").map(drop)));
    }
    if modes.contains(&AuthMode::Upstream) {
        found.push((format!("{at}.upstream"), crate::upstream::login(auth).map(drop)));
    }
    found.into_iter().filter_map(|(key, outcome)| Some((key, format!("{:#}", outcome.err()?)))).collect()
}

fn users(auth: &AuthConfig) -> anyhow::Result<Vec<ConfiguredUser>> {
    let warned = |config: &UserConfig| {
        let user = user(config)?;
        if user.password.is_weak() {
            tracing::warn!(
                user = user.name,
                "the password hash of this user is cheap to guess; make a new one with hash-password"
            );
        }
        Ok(user)
    };
    auth.users.iter().map(warned).collect()
}

fn user(user: &UserConfig) -> anyhow::Result<ConfiguredUser> {
    let name = normal_name(&user.name);
    let password = PasswordHash::parse(user.password.expose()).with_context(|| format!("the password of user {name:?}"))?;
    let scopes = user.scopes.as_ref().map(|scopes| words(scopes)).transpose()?;
    Ok(ConfiguredUser { name, password, scopes, vault: user.vault.clone() })
}

fn words(scopes: &[String]) -> anyhow::Result<Scopes> {
    Scopes::parse(&scopes.join(" ")).context("the scopes cannot be read")
}

fn keys(auth: &AuthConfig) -> anyhow::Result<std::collections::HashMap<SecretHash, ConfiguredKey>> {
    auth.keys.iter().map(key).collect()
}

fn key(key: &KeyConfig) -> anyhow::Result<(SecretHash, ConfiguredKey)> {
    let hash = SecretHash::from_hex(&key.hash)
        .with_context(|| format!("the hash of the key {:?} is no SHA-256 in hex; `quillgate keys new` prints one", key.name))?;
    Ok((hash, ConfiguredKey { name: key.name.clone(), scopes: words(&key.scopes)?, vault: key.vault.clone() }))
}

fn client(config: &ClientConfig) -> anyhow::Result<ConfiguredClient> {
    let id = &config.client_id;
    let secret = match (&config.client_secret, &config.client_secret_hash) {
        (Some(secret), None) => Some(SecretHash::of(secret.expose())),
        (None, Some(hash)) => {
            Some(SecretHash::from_hex(hash).with_context(|| format!("clientSecretHash of {id:?} is no SHA-256 in hex"))?)
        }
        (None, None) => None,
        (Some(_), Some(_)) => bail!("the client {id:?} has both clientSecret and clientSecretHash; keep the hash"),
    };
    let grant_type =
        |name: &String| GrantType::find(name).with_context(|| format!("the client {id:?} has the unknown grant type {name:?}"));
    let grant_types: Vec<GrantType> = config.grant_types.iter().map(grant_type).collect::<anyhow::Result<_>>()?;
    if grant_types.contains(&GrantType::ClientCredentials) && secret.is_none() && config.jwks.is_none() {
        bail!("the client {id:?} may act for itself (client_credentials) but has neither a secret nor keys");
    }
    if grant_types.contains(&GrantType::ClientCredentials) && config.scopes.is_empty() {
        bail!("the client {id:?} may act for itself (client_credentials) but has no scopes; say what it may do");
    }
    Ok(ConfiguredClient {
        id: id.clone(),
        name: config.client_name.clone().unwrap_or_else(|| id.clone()),
        secret,
        redirect_uris: config.redirect_uris.clone(),
        grant_types,
        scopes: words(&config.scopes)?,
        introspects: config.introspect,
        jwks: config.jwks.clone(),
    })
}

fn lifetimes(auth: &AuthConfig) -> Lifetimes {
    Lifetimes {
        code: auth.code_ttl_seconds.clamp(1, 600),
        access: auth.token_ttl_seconds.max(1),
        refresh: auth.refresh_ttl_seconds.max(1),
        refresh_at_most: auth.refresh_max_seconds.max(1),
        reuse_grace: auth.reuse_grace_seconds.max(0),
    }
}

fn jwt(auth: &AuthConfig, url: &str) -> anyhow::Result<TrustedIssuer> {
    let jwks = match (&auth.jwks, &auth.jwks_file) {
        (Some(_), Some(_)) => bail!("auth.jwks and auth.jwksFile are both given; keep one"),
        (Some(jwks), None) => Some(jwks.clone()),
        (None, Some(file)) => Some(read_jwks(file)?),
        (None, None) => None,
    };
    let issuer = auth.issuer.clone().context("auth.mode jwt needs auth.issuer: who issues the tokens")?;
    let audience = auth.audience.clone().unwrap_or_else(|| format!("{url}/mcp"));
    let checker = JwtChecker::new(&JwtSettings {
        secret: auth.jwt_secret.as_ref().map(|secret| SecretString::from(secret.expose().to_owned())),
        keys: jwks.map(|jwks| jwks.to_string()),
        algorithms: algorithms(auth),
        issuer,
        audience: vec![audience],
        require_at_jwt: auth.require_at_jwt,
    })?;
    Ok(TrustedIssuer { checker, authorization_servers: auth.authorization_servers.clone() })
}

/// The list is about public keys; a shared secret has one algorithm, which comes with it.
fn algorithms(auth: &AuthConfig) -> Vec<String> {
    let of_secret = auth.jwt_secret.is_some().then(|| "HS256".to_owned());
    auth.algorithms.iter().cloned().chain(of_secret).collect()
}

fn read_jwks(file: &Path) -> anyhow::Result<serde_json::Value> {
    #[expect(clippy::disallowed_methods, reason = "the operator's own file, named in the configuration")]
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read auth.jwksFile {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("auth.jwksFile {} is not JSON", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Secret;

    #[test]
    fn a_shared_secret_brings_its_algorithm_along() {
        let public = AuthConfig::default();
        assert_eq!(algorithms(&public), ["RS256", "ES256", "EdDSA"]);
        let shared = AuthConfig { jwt_secret: Some(Secret::new("kX3v9Qw7Zr1Tn5Yb8Lp2Ms6Dc4Hf0JgA".to_owned())), ..public };
        assert_eq!(algorithms(&shared), ["RS256", "ES256", "EdDSA", "HS256"]);
        let only_public = AuthConfig { algorithms: vec!["EdDSA".to_owned()], ..shared };
        assert_eq!(algorithms(&only_public), ["EdDSA", "HS256"]);
    }
}

//! Serving over HTTP.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use quillgate_oauth::{Hashing, PasswordHash};
use quillgate_tools::Surface;
use tokio::net::TcpListener;

use super::{LAST_RECORDS, Shared, open_pipeline, say, start, surfaces, surfaces_of_sites, wait_for_calls};
use crate::config::{AuthMode, Config, Loaded, Origins, Secret, UserConfig};
use crate::environment::flag_or_variable;
use crate::mount::ARTICLES;
use crate::network::{DEFAULT_PORT, NOTES_PORT, TrustedPeers, check_exposure, parse_address};
use crate::pipeline::Pipeline;
use crate::sites::{self, Surroundings};
use crate::telemetry::{self, Readings, VaultReadings};
use crate::{environment, http, upkeep};

#[derive(Args, Default)]
pub(super) struct Serve {
    #[command(flatten)]
    pub(super) shared: Shared,
    /// Address and port; :PORT means all interfaces [environment: LISTEN_ADDR, or PORT alone] [default: 127.0.0.1:8090, or port
    /// 1065 for the notes surface; all interfaces with --trusted-network, or with a login and --server-url]
    #[arg(long, value_name = "ADDRESS")]
    listen_addr: Option<String>,
    /// URL under which clients reach this server [environment: SERVER_URL]
    #[arg(long, value_name = "URL")]
    server_url: Option<String>,
    /// Network whose members may connect without login, such as 192.168.1.0/24
    #[arg(long = "trusted-network", value_name = "CIDR")]
    trusted_networks: Vec<String>,
    /// Users for the login page, as name:hash,name:hash with hashes of hash-password [environment: AUTH_USERS]
    #[arg(long, value_name = "USERS")]
    auth_users: Option<String>,
}

impl Serve {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let config = self.configure()?;
        let surfaces = surfaces(&config)?;
        let address = address(&config, surfaces[0])?;
        let further = surfaces_of_sites(&config)?;
        run_server(config, &surfaces, &further, address, |endpoint| say(&format!("quillgate serves {endpoint}")))
    }

    fn configure(&self) -> anyhow::Result<Config> {
        start(self.load()?)
    }

    pub(super) fn load(&self) -> anyhow::Result<Loaded> {
        let mut loaded = self.shared.load()?;
        let Loaded { config, origins, .. } = &mut loaded;
        if let Some((users, by)) =
            flag_or_variable((&self.auth_users, "--auth-users"), &[environment::AUTH_USERS], environment::text)
        {
            for user in parse_users(&users)? {
                origins.set(&format!("auth.users[{}]", config.auth.users.len()), &by);
                config.auth.users.push(user);
            }
        }
        if !self.trusted_networks.is_empty() {
            config.trusted_networks.clone_from(&self.trusted_networks);
            origins.set("trustedNetworks", "flag --trusted-network");
        }
        let url = flag_or_variable((&self.server_url, "--server-url"), &[environment::SERVER_URL], environment::text);
        if let Some((url, by)) = url {
            config.server_url = Some(url);
            origins.set("serverUrl", by);
        }
        self.take_address(config, origins);
        if config.allowed_origins.is_empty() && !config.transports.http.allowed_origins.is_empty() {
            config.allowed_origins.clone_from(&config.transports.http.allowed_origins);
            origins.set("allowedOrigins", origins.of("transports.http.allowedOrigins"));
        }
        Ok(loaded)
    }

    /// Flag, `LISTEN_ADDR`, `PORT`, `listenAddr` or `transports.http`, whichever comes first.
    fn take_address(&self, config: &mut Config, origins: &mut Origins) {
        let given = flag_or_variable((&self.listen_addr, "--listen-addr"), &[environment::LISTEN_ADDR], environment::text);
        let of_port = || {
            let port = environment::text(environment::PORT)?;
            Some((format!("{}:{port}", usual_host(config)), format!("environment {}", environment::PORT)))
        };
        let of_transports = || {
            let http = &config.transports.http;
            let key = if http.host.is_some() { "transports.http.host" } else { "transports.http.port" };
            (config.listen_addr.is_none() && (http.host.is_some() || http.port.is_some()))
                .then(|| (address_of_transport(config), origins.of(key)))
        };
        if let Some((address, by)) = given.or_else(of_port).or_else(of_transports) {
            config.listen_addr = Some(address);
            origins.set("listenAddr", by);
        }
    }
}

fn address_of_transport(config: &Config) -> String {
    let http = &config.transports.http;
    let host = http.host.clone().unwrap_or_else(|| usual_host(config).to_string());
    let port = http.port.unwrap_or_else(|| usual_port(config.surfaces.first().map(String::as_str)));
    match host.parse::<Ipv6Addr>() {
        Ok(host) => format!("[{host}]:{port}"),
        Err(_) => format!("{host}:{port}"),
    }
}

/// Reads `name:hash,name:hash`. Hashes of argon2 have commas of their own, but no colons.
fn parse_users(text: &str) -> anyhow::Result<Vec<UserConfig>> {
    let mut users: Vec<(String, String)> = Vec::new();
    for piece in text.split(',').map(str::trim).filter(|piece| !piece.is_empty()) {
        match (piece.split_once(':'), users.last_mut()) {
            (Some((name, hash)), _) => users.push((name.to_owned(), hash.to_owned())),
            (None, Some((_, hash))) => hash.push_str(&format!(",{piece}")),
            (None, None) => bail!("AUTH_USERS cannot be read; write it as name:hash, with a hash of `quillgate hash-password`"),
        }
    }
    let user = |(name, hash)| UserConfig { name, password: Secret::new(hash), scopes: None, vault: None };
    Ok(users.into_iter().map(user).collect())
}

/// This machine alone, unless others are trusted or have to log in.
fn usual_host(config: &Config) -> Ipv4Addr {
    let has_login = sites::modes(&config.auth).is_ok_and(|modes| modes != [AuthMode::None]);
    let is_open = !config.trusted_networks.is_empty() || (has_login && config.server_url.is_some());
    if is_open { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST }
}

pub(super) fn address(config: &Config, first: &Surface) -> anyhow::Result<SocketAddr> {
    if let Some(address) = &config.listen_addr {
        return parse_address(address);
    }
    Ok(SocketAddr::from((usual_host(config), usual_port(Some(first.name)))))
}

fn usual_port(first_surface: Option<&str>) -> u16 {
    if first_surface == Some("notes") { NOTES_PORT } else { DEFAULT_PORT }
}

/// Whether the server may listen where it would.
pub(super) fn check_reach(config: &Config, first: &Surface) -> anyhow::Result<()> {
    check_login(config, address(config, first)?)
}

fn check_login(config: &Config, address: SocketAddr) -> anyhow::Result<()> {
    if sites::modes(&config.auth)? == [AuthMode::None] {
        check_exposure(address, config.server_url.as_deref(), &TrustedPeers::parse(&config.trusted_networks)?)?;
    }
    Ok(())
}

/// Serves until the process is told to stop. `ready` hears the endpoint once connections are taken.
pub(super) fn run_server(
    config: Config,
    surfaces: &[&'static Surface],
    further: &[Vec<&'static Surface>],
    address: SocketAddr,
    ready: impl FnOnce(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    // Before anything is opened: a server that must not be reached must not even start.
    check_login(&config, address)?;
    if config.default_vault().is_none() && surfaces.iter().any(|surface| surface.name != ARTICLES) {
        bail!("no vault is given; name its folder with --vault-path");
    }
    let pipeline = open_pipeline(config)?;
    let config = pipeline.config.clone();
    pipeline.telemetry.metrics().read_from(readings(&pipeline));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
        let address = listener.local_addr()?;
        let state = if sites::needs_state(&config)? { Some(pipeline.ledger.state().await?.clone()) } else { None };
        tokio::spawn(upkeep::keep_up(Arc::downgrade(&pipeline)));
        let around =
            Surroundings { pipeline: pipeline.clone(), config: config.clone(), address, state, hashing: hashing(&config) };
        let sites = sites::all(&around, surfaces, further)?;
        telemetry::start_listener(&config.observability.prometheus, pipeline.telemetry.metrics()).await?;
        ready(&format!("http://{address}/mcp"))?;
        let served = http::serve(listener, &sites, &config).await;
        wait_for_calls(&pipeline).await;
        pipeline.ledger.finish(LAST_RECORDS).await;
        served
    });
    runtime.shutdown_background();
    pipeline.telemetry.finish(LAST_RECORDS);
    served
}

/// What metrics say about the vaults and the audit.
fn readings(pipeline: &Arc<Pipeline>) -> impl Fn() -> Readings + use<> {
    let pipeline = Arc::downgrade(pipeline);
    move || {
        let Some(pipeline) = pipeline.upgrade() else { return Readings::default() };
        let (audit_queue, audit_dropped) = pipeline.ledger.audit_readings();
        let vaults = pipeline.vaults.all().iter().map(|served| {
            let workspace = served.view(|_| true).workspace;
            let history = workspace.vault.history().and_then(|history| history.size().ok()).map(|(_, bytes)| bytes);
            VaultReadings::of(served.id.as_str().into(), &workspace.index, history)
        });
        Readings { vaults: vaults.collect(), audit_queue: audit_queue as u64, audit_dropped }
    }
}

/// Passwords are checked on half of the cores, so that a crowd at the login page does not hold up those who are in. Unknown
/// users take as long as the first of the configuration.
fn hashing(config: &Config) -> Hashing {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let hashing = Hashing::new((cores / 2).max(1));
    let first = config.auth.users.first().and_then(|user| PasswordHash::parse(user.password.expose()).ok());
    match first {
        Some(hash) => hashing.resembling(&hash),
        None => hashing,
    }
}

#[cfg(test)]
mod tests {
    use quillgate_tools::find_surface;

    use super::*;

    #[test]
    fn the_first_surface_chooses_the_port_unless_one_is_given() {
        let listens_on = |surface: &str, listen_addr: Option<&str>, trusted: &[&str]| {
            let trusted_networks = trusted.iter().map(|network| (*network).to_owned()).collect();
            let config = Config { listen_addr: listen_addr.map(str::to_owned), trusted_networks, ..Config::default() };
            address(&config, find_surface(surface).expect("a surface")).map(|address| address.to_string())
        };
        let check = |surface, listen_addr, trusted, expected: &str| {
            assert_eq!(listens_on(surface, listen_addr, trusted).expect("an address"), expected);
        };
        check("essentials", None, &[], "127.0.0.1:8090");
        check("notes", None, &[], "127.0.0.1:1065");
        check("notes", None, &["192.168.1.0/24"], "0.0.0.0:1065");
        check("notes", Some("127.0.0.1:8"), &[], "127.0.0.1:8");
        check("vault", Some(":8"), &[], "0.0.0.0:8");
        assert!(listens_on("vault", Some("nowhere"), &[]).is_err());
    }
}

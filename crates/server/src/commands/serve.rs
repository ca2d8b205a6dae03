//! Serving over HTTP.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use quillgate_tools::Surface;
use tokio::net::TcpListener;

use super::{Shared, open_workspace, say, surfaces, wait_for_calls};
use crate::config::Config;
use crate::environment;
use crate::http::{self, Site};
use crate::network::{DEFAULT_PORT, NOTES_PORT, TrustedPeers, check_exposure, parse_address};
use crate::pipeline::{Mount, Pipeline};

#[derive(Args, Default)]
pub(super) struct Serve {
    #[command(flatten)]
    pub(super) shared: Shared,
    /// Address and port; :PORT means all interfaces [environment: LISTEN_ADDR, or PORT alone] [default: 127.0.0.1:8090, or port
    /// 1065 for the notes surface; all interfaces with --trusted-network]
    #[arg(long, value_name = "ADDRESS")]
    listen_addr: Option<String>,
    /// URL under which clients reach this server [environment: SERVER_URL]
    #[arg(long, value_name = "URL")]
    server_url: Option<String>,
    /// Network whose members may connect without login, such as 192.168.1.0/24
    #[arg(long = "trusted-network", value_name = "CIDR")]
    trusted_networks: Vec<String>,
    /// Users for the login page, as user:bcrypt_hash,… [environment: AUTH_USERS]
    #[arg(long, value_name = "USERS")]
    auth_users: Option<String>,
}

impl Serve {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let config = self.configure()?;
        let surfaces = surfaces(&config)?;
        let address = address(&config, surfaces[0])?;
        run_server(config, &surfaces, address, |endpoint| say(&format!("quillgate serves {endpoint}")))
    }

    fn configure(&self) -> anyhow::Result<Config> {
        // Silently serving without the login that was asked for would leave the vault open.
        if self.auth_users.clone().or_else(|| environment::text(environment::AUTH_USERS)).is_some_and(|users| !users.is_empty()) {
            bail!(
                "this version has no login page, so AUTH_USERS cannot protect the vault; unset it and listen on 127.0.0.1, or use --trusted-network"
            );
        }
        let mut config = self.shared.configure()?;
        if !self.trusted_networks.is_empty() {
            config.trusted_networks.clone_from(&self.trusted_networks);
        }
        config.listen_addr = self.listen_addr.clone().or_else(|| listen_variable(&config)).or(config.listen_addr);
        config.server_url = self.server_url.clone().or_else(|| environment::text(environment::SERVER_URL)).or(config.server_url);
        Ok(config)
    }
}

/// `LISTEN_ADDR`, or the usual address with the port that `PORT` names.
fn listen_variable(config: &Config) -> Option<String> {
    let port = || environment::text(environment::PORT).map(|port| format!("{}:{port}", usual_host(config)));
    environment::text(environment::LISTEN_ADDR).or_else(port)
}

/// This machine alone, unless others are trusted.
fn usual_host(config: &Config) -> Ipv4Addr {
    if config.trusted_networks.is_empty() { Ipv4Addr::LOCALHOST } else { Ipv4Addr::UNSPECIFIED }
}

fn address(config: &Config, first: &Surface) -> anyhow::Result<SocketAddr> {
    if let Some(address) = &config.listen_addr {
        return parse_address(address);
    }
    let port = if first.name == "notes" { NOTES_PORT } else { DEFAULT_PORT };
    Ok(SocketAddr::from((usual_host(config), port)))
}

/// Serves until the process is told to stop. `ready` hears the endpoint once connections are taken.
pub(super) fn run_server(
    config: Config,
    surfaces: &[&'static Surface],
    address: SocketAddr,
    ready: impl FnOnce(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let trusted = TrustedPeers::parse(&config.trusted_networks)?;
    check_exposure(address, config.server_url.as_deref(), &trusted)?;
    let workspace = Arc::new(open_workspace(&config)?);
    let config = Arc::new(config);
    let mounts = surfaces.iter().map(|surface| Arc::new(Mount::new(surface))).collect();
    let pipeline = Arc::new(Pipeline::new(workspace, config.clone()));
    let site = Site { pipeline: pipeline.clone(), mounts, config, trusted };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
        let endpoint = format!("http://{}/mcp", listener.local_addr()?);
        ready(&endpoint)?;
        let served = http::serve(listener, site).await;
        wait_for_calls(&pipeline).await;
        served
    });
    runtime.shutdown_background();
    served
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

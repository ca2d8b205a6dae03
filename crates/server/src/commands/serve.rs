//! Serving over HTTP.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use quillgate_tools::Surface;
use tokio::net::TcpListener;

use super::{Shared, open_workspace, say, surfaces, wait_for_calls};
use crate::config::Config;
use crate::http::{self, Site};
use crate::network::{DEFAULT_PORT, NOTES_PORT, TrustedPeers, check_exposure, parse_address};
use crate::pipeline::{Mount, Pipeline};

#[derive(Args, Default)]
pub(super) struct Serve {
    #[command(flatten)]
    pub(super) shared: Shared,
    /// Address and port; :PORT means all interfaces [default: 127.0.0.1:8090, or port 1065 for the notes surface]
    #[arg(long, env = "LISTEN_ADDR", value_name = "ADDRESS")]
    listen_addr: Option<String>,
    /// Port alone, when no address is given
    #[arg(long, env = "PORT", value_name = "PORT")]
    port: Option<u16>,
    /// URL under which clients reach this server
    #[arg(long, env = "SERVER_URL", value_name = "URL")]
    server_url: Option<String>,
    /// Network whose members may connect without login, such as 192.168.1.0/24
    #[arg(long = "trusted-network", value_name = "CIDR")]
    trusted_networks: Vec<String>,
    /// Users for the login page, as user:bcrypt_hash,…
    #[arg(long, env = "AUTH_USERS", value_name = "USERS", hide_env_values = true)]
    auth_users: Option<String>,
}

impl Serve {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let config = self.configure()?;
        let surfaces = surfaces(&config)?;
        let address = address(&config, self.port, surfaces[0])?;
        run_server(config, &surfaces, address, |endpoint| say(&format!("quillgate serves {endpoint}")))
    }

    fn configure(&self) -> anyhow::Result<Config> {
        // Silently serving without the login that was asked for would leave the vault open.
        if self.auth_users.as_deref().is_some_and(|users| !users.is_empty()) {
            bail!(
                "this version has no login page, so AUTH_USERS cannot protect the vault; unset it and listen on 127.0.0.1, or use --trusted-network"
            );
        }
        let mut config = self.shared.configure()?;
        config.listen_addr = self.listen_addr.clone().or(config.listen_addr);
        config.server_url = self.server_url.clone().or(config.server_url);
        if !self.trusted_networks.is_empty() {
            config.trusted_networks.clone_from(&self.trusted_networks);
        }
        Ok(config)
    }
}

fn address(config: &Config, port: Option<u16>, first: &Surface) -> anyhow::Result<SocketAddr> {
    if let Some(address) = &config.listen_addr {
        return parse_address(address);
    }
    let usual = if first.name == "notes" { NOTES_PORT } else { DEFAULT_PORT };
    Ok(SocketAddr::from(([127, 0, 0, 1], port.unwrap_or(usual))))
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
        let listens_on = |surface: &str, listen_addr: Option<&str>, port| {
            let config = Config { listen_addr: listen_addr.map(str::to_owned), ..Config::default() };
            address(&config, port, find_surface(surface).expect("a surface")).map(|address| address.to_string())
        };
        let check = |surface, listen_addr, port, expected: &str| {
            assert_eq!(listens_on(surface, listen_addr, port).expect("an address"), expected);
        };
        check("essentials", None, None, "127.0.0.1:8090");
        check("notes", None, None, "127.0.0.1:1065");
        check("notes", None, Some(7), "127.0.0.1:7");
        check("cli", None, Some(7), "127.0.0.1:7");
        check("notes", Some("127.0.0.1:8"), Some(7), "127.0.0.1:8");
        check("vault", Some(":8"), None, "0.0.0.0:8");
        assert!(listens_on("vault", Some("nowhere"), None).is_err());
    }
}

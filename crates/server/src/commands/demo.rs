//! Serving the example vault, for a first look.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};

use anyhow::Context;
use cap_std::fs::Dir;
use clap::Args;

use quillgate_example_upstream::{PASSWORD, USERNAME, Upstream};

use super::serve::run_server;
use super::{Shared, say, surfaces};
use crate::config::{AuthMode, Config, Modes, SourceConfig, UpstreamConfig};
use crate::mount::ARTICLES;
use crate::network::{DEFAULT_PORT, parse_address};
use crate::{data_folder, environment, snippets};

/// The files of examples/vault, with their paths.
const EXAMPLE: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/example_vault.rs"));

#[derive(Args)]
pub(super) struct Demo {
    #[command(flatten)]
    shared: Shared,
    /// Address and port [environment: LISTEN_ADDR] [default: 127.0.0.1:8090, or a free port if that is taken]
    #[arg(long, value_name = "ADDRESS")]
    listen_addr: Option<String>,
    /// Serve a made-up newspaper instead of a vault, with login there: what the articles surface is for
    #[arg(long)]
    articles: bool,
}

impl Demo {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let config = self.shared.configure()?;
        if self.articles {
            return self.serve_articles(config);
        }
        self.serve_vault(config)
    }

    fn address(&self) -> anyhow::Result<SocketAddr> {
        match self.listen_addr.clone().or_else(|| environment::text(environment::LISTEN_ADDR)) {
            Some(address) => parse_address(&address),
            None => Ok(free_address()),
        }
    }

    fn serve_vault(self, mut config: Config) -> anyhow::Result<()> {
        let data = data_folder::path(config.data_dir.as_deref())?;
        let vault = lay_out_example(&data)?;
        config.serve_only(vault.clone());
        let surfaces = surfaces(&config)?;
        let address = self.address()?;
        let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("quillgate"));
        run_server(config, &surfaces, &[], address, |endpoint| {
            let connect = snippets::for_clients(endpoint, &program, &vault, &data);
            say(&format!(
                "Quillgate serves the example vault ({} files) at\n\n    {endpoint}\n\nThe vault is a fresh copy in {}; change it as you like.\n\n{connect}\nThen ask, for example: \"What is in my vault?\"  Stop with Ctrl-C.",
                EXAMPLE.len(),
                vault.display()
            ))
        })
    }
}

impl Demo {
    /// The newspaper runs in this process too, on another port of this machine.
    fn serve_articles(self, mut config: Config) -> anyhow::Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let newspaper = runtime.block_on(Upstream::start_anywhere())?;
        config.surfaces = vec![ARTICLES.to_owned()];
        config.vault_path = None;
        config.vaults.clear();
        config.server_url = None;
        config.sources = vec![SourceConfig { name: "vk".to_owned(), base_url: Some(newspaper.articles_url()), search: None }];
        config.auth.mode = Some(Modes::One(AuthMode::Upstream));
        config.auth.upstream = Some(UpstreamConfig {
            login_url: newspaper.login_url(),
            account_url: newspaper.account_url(),
            account_expires: Some("/expires".to_owned()),
            ..UpstreamConfig::default()
        });
        let surfaces = surfaces(&config)?;
        run_server(config, &surfaces, &[], self.address()?, |endpoint| {
            say(&format!(
                "Quillgate serves searches of the Strandvik Courier, a made-up newspaper at {}, at\n\n    {endpoint}\n\n\
                 Connect with\n\n    claude mcp add --transport http courier {endpoint}\n\n\
                 and log in at the newspaper as {USERNAME} with the password {PASSWORD}.\n\
                 Then ask, for example: \"What does the Courier say about the harbour?\"  Stop with Ctrl-C.",
                newspaper.url(),
            ))
        })
    }
}

/// A fresh copy each time, outside the sources, so that agents may change it.
fn lay_out_example(data: &Path) -> anyhow::Result<PathBuf> {
    let folder = data.join("demo");
    let demo = data_folder::open(&folder).context("the data directory cannot be written; give another one with --data-dir")?;
    if demo.exists("vault") {
        demo.remove_dir_all("vault").context("cannot replace the last demo's vault")?;
    }
    demo.create_dir("vault")?;
    let vault = demo.open_dir("vault")?;
    for (path, bytes) in EXAMPLE {
        write_file(&vault, Path::new(path), bytes).with_context(|| format!("cannot write {path}"))?;
    }
    Ok(folder.join("vault"))
}

fn write_file(vault: &Dir, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        vault.create_dir_all(parent)?;
    }
    vault.write(path, bytes)
}

fn free_address() -> SocketAddr {
    let usual = SocketAddr::from(([127, 0, 0, 1], DEFAULT_PORT));
    let is_free = TcpListener::bind(usual).is_ok();
    if is_free { usual } else { SocketAddr::from(([127, 0, 0, 1], 0)) }
}

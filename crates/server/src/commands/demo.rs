//! Serving the example vault, for a first look.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};

use anyhow::Context;
use cap_std::fs::Dir;
use clap::Args;

use super::serve::run_server;
use super::{Shared, say, surfaces};
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
}

impl Demo {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let mut config = self.shared.configure()?;
        let data = data_folder::path(config.data_dir.as_deref())?;
        let vault = lay_out_example(&data)?;
        config.vault_path = Some(vault.clone());
        let surfaces = surfaces(&config)?;
        let address = match self.listen_addr.or_else(|| environment::text(environment::LISTEN_ADDR)) {
            Some(address) => parse_address(&address)?,
            None => free_address(),
        };
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

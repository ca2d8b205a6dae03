//! Serving one client on standard input and output.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use clap::Args;

use super::{LAST_RECORDS, Shared, open_pipeline, surfaces, wait_for_calls};
use crate::mcp;
use crate::mount::{ARTICLES, Mount};

#[derive(Args)]
pub(super) struct Stdio {
    /// Folder of the vault, as with --vault-path
    vault: Option<PathBuf>,
    #[command(flatten)]
    shared: Shared,
}

impl Stdio {
    pub(super) fn on_vault(vault: Option<PathBuf>, shared: Shared) -> Stdio {
        Stdio { vault, shared }
    }

    pub(super) fn run(mut self) -> anyhow::Result<()> {
        self.shared.vault_path = self.vault.or(self.shared.vault_path);
        let config = self.shared.configure()?;
        let surfaces = surfaces(&config)?;
        let [surface] = surfaces[..] else {
            bail!("one surface can be served on standard input; choose one of those given with --surface");
        };
        if config.default_vault().is_none() && surface.name != ARTICLES {
            bail!("no vault is given; name its folder, as in: quillgate ~/Notes");
        }
        let pipeline = open_pipeline(config)?;
        // One client: messages need no second thread, and a hop to one costs more than most calls. Slow calls have threads.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let served = runtime.block_on(async {
            let mount = Arc::new(Mount::new(surface, &pipeline.config));
            let served = mcp::serve_stdio(pipeline.clone(), mount, pipeline.config.limits.max_line_bytes).await;
            wait_for_calls(&pipeline).await;
            pipeline.ledger.finish(LAST_RECORDS).await;
            served
        });
        pipeline.telemetry.finish(LAST_RECORDS);
        // Threads that still read the vault must not hold up the exit.
        runtime.shutdown_background();
        served
    }
}

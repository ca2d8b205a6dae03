//! What a running tool has at hand.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jiff::Zoned;
use parking_lot::RwLockReadGuard;
use quillgate_index::{Catalogue, Index};
use quillgate_vault::Vault;
use secrecy::SecretString;

use crate::failure::Failure;

/// One vault, ready to work on.
pub struct Workspace {
    pub vault: Arc<Vault>,
    pub index: Index,
    pub settings: Settings,
    /// When this process began to serve it.
    pub started: Instant,
}

impl Workspace {
    pub fn new(vault: Arc<Vault>, index: Index, settings: Settings) -> Workspace {
        Workspace { vault, index, settings, started: Instant::now() }
    }
}

/// What the vault is called in arguments and addresses: the name of its folder, as an id.
pub fn vault_id(vault: &Vault) -> String {
    folder_id(vault.root_path())
}

/// The id of a vault in this folder that was given none.
pub fn folder_id(folder: &Path) -> String {
    let name = folder.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let id: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).take(64).collect();
    if id.is_empty() { "vault".to_owned() } else { id }
}

/// What the operator can set about tools.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Files longer than this are cut when read from the start without a limit.
    pub read_lines: usize,
    /// The most lines a search by regular expression returns.
    pub search_lines: usize,
    /// How long a search by regular expression may take once the vault is indexed.
    pub regex_limit: Duration,
    /// What `vault_sync` runs.
    pub sync: Option<SyncCommand>,
    /// The app's command line program.
    pub app_program: String,
}

#[derive(Clone, Debug)]
pub struct SyncCommand {
    pub command: Vec<String>,
    pub limit: Duration,
    /// Where it runs; the vault by default.
    pub folder: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            read_lines: 200,
            search_lines: 1000,
            regex_limit: Duration::from_secs(2),
            sync: None,
            app_program: "obsidian".to_owned(),
        }
    }
}

type Report = Arc<dyn Fn(f64, Option<f64>, &str) + Send + Sync>;

/// One call: whether it is still wanted, who hears of its progress, and what it may show at another site.
#[derive(Clone, Default)]
pub struct Call {
    cancelled: Arc<AtomicBool>,
    report: Option<Report>,
    credential: Option<SecretString>,
}

impl Call {
    pub fn reporting(report: impl Fn(f64, Option<f64>, &str) + Send + Sync + 'static) -> Call {
        Call { report: Some(Arc::new(report)), ..Call::default() }
    }

    /// With the caller's own credential at the site that sources ask.
    pub fn with_credential(self, credential: SecretString) -> Call {
        Call { credential: Some(credential), ..self }
    }

    pub(crate) fn credential(&self) -> Option<&SecretString> {
        self.credential.as_ref()
    }

    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// False once nobody waits for the answer.
    pub(crate) fn go_on(&self) -> bool {
        !self.cancelled.load(Ordering::Relaxed)
    }
}

pub struct Context<'a> {
    pub workspace: &'a Workspace,
    pub call: &'a Call,
}

impl Context<'_> {
    pub fn vault(&self) -> &Vault {
        &self.workspace.vault
    }

    pub fn vault_id(&self) -> String {
        vault_id(self.vault())
    }

    pub fn settings(&self) -> &Settings {
        &self.workspace.settings
    }

    /// The catalogue once it is complete; while it is not, the caller hears how far it is.
    pub fn catalogue(&self) -> Result<RwLockReadGuard<'_, Catalogue>, Failure> {
        Ok(self.index()?.catalogue())
    }

    /// The index once its catalogue is complete.
    pub fn index(&self) -> Result<&Index, Failure> {
        let wanted = self.workspace.index.wait(|files| {
            self.progress(files as f64, None, &format!("reading the vault: {files} files so far"));
            self.go_on()
        });
        if !wanted {
            return Err(Failure::Cancelled);
        }
        Ok(&self.workspace.index)
    }

    /// The index as far as it is: for searches, which read the files that it lacks.
    pub fn index_so_far(&self) -> &Index {
        &self.workspace.index
    }

    /// False once nobody waits for the answer.
    pub fn go_on(&self) -> bool {
        self.call.go_on()
    }

    pub fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        if let Some(report) = &self.call.report {
            report(done, total, message);
        }
    }

    pub fn now(&self) -> Zoned {
        Zoned::now()
    }
}

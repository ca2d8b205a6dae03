//! What a running tool has at hand.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::Zoned;
use parking_lot::RwLockReadGuard;
use quillgate_index::{Catalogue, Index};
use quillgate_vault::{Author, Vault};
use secrecy::SecretString;

use crate::failure::Failure;
use crate::server::Server;

/// One vault as one class of callers sees it: what they may not read is in neither the handle nor the index.
pub struct Workspace {
    /// What the vault is called in arguments and addresses.
    pub id: String,
    /// What people call it.
    pub name: String,
    pub vault: Arc<Vault>,
    pub index: Index,
    pub settings: Settings,
}

impl Workspace {
    /// A vault that is named by its folder.
    pub fn new(vault: Arc<Vault>, index: Index, settings: Settings) -> Workspace {
        let name = vault.root_path().file_name().map(|name| name.to_string_lossy().into_owned());
        Workspace { id: vault_id(&vault), name: name.unwrap_or_else(|| "vault".to_owned()), vault, index, settings }
    }
}

/// What the vault is called in arguments and addresses: the name of its folder, as an id.
pub(crate) fn vault_id(vault: &Vault) -> String {
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

/// One call: whether it is still wanted, who hears of its progress, what it may show at another site, and what a human has said
/// of it.
#[derive(Clone, Default)]
pub struct Call {
    cancelled: Arc<AtomicBool>,
    report: Option<Report>,
    credential: Option<SecretString>,
    pub(crate) author: Option<Author>,
    pub(crate) consent: Consent,
}

/// What a human has said of a call's change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Consent {
    /// Nothing; the tool's own rules say whether somebody must be asked.
    #[default]
    AskIfNeeded,
    /// Nothing, and somebody must be asked whatever the tool's own rules say.
    AskAlways,
    /// Yes, to the change of this digest.
    Given(String),
    /// Yes, to whatever this call changes.
    Standing,
}

impl Call {
    pub fn reporting(report: impl Fn(f64, Option<f64>, &str) + Send + Sync + 'static) -> Call {
        Call { report: Some(Arc::new(report)), ..Call::default() }
    }

    /// With the caller's own credential at the site that sources ask.
    pub fn with_credential(self, credential: SecretString) -> Call {
        Call { credential: Some(credential), ..self }
    }

    /// On behalf of somebody, whose name the history keeps.
    pub fn by(self, author: Author) -> Call {
        Call { author: Some(author), ..self }
    }

    pub fn with_consent(self, consent: Consent) -> Call {
        Call { consent, ..self }
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

/// What a tool about the server has at hand.
#[derive(Clone, Copy)]
pub struct ServerContext<'a> {
    pub call: &'a Call,
    pub server: &'a dyn Server,
}

/// What a tool on a vault has at hand.
pub struct Context<'a> {
    pub workspace: &'a Workspace,
    /// The handle of this call: changes made through it are the caller's.
    vault: Vault,
    pub call: &'a Call,
    pub server: &'a dyn Server,
}

impl<'a> Context<'a> {
    pub fn new(workspace: &'a Workspace, call: &'a Call, server: &'a dyn Server) -> Context<'a> {
        let vault = match &call.author {
            Some(author) => workspace.vault.by(author.clone()),
            None => Vault::clone(&workspace.vault),
        };
        Context { workspace, vault, call, server }
    }
}

impl Context<'_> {
    pub fn vault(&self) -> &Vault {
        &self.vault
    }

    pub fn vault_id(&self) -> &str {
        &self.workspace.id
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

//! Where everything of ours lives: outside every vault.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context, bail};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use etcetera::BaseStrategy;
use quillgate_vault::ContentHash;

/// The folders of one vault.
pub(crate) struct VaultFolders {
    /// What holds them all.
    pub(crate) root: Option<Dir>,
    pub(crate) locks: Option<Dir>,
    pub(crate) journal: Option<Dir>,
    pub(crate) history: Option<Dir>,
}

/// The data directory: as configured, else the platform's.
pub(crate) fn path(configured: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(path) = configured {
        return Ok(std::path::absolute(path)?);
    }
    let platform = etcetera::choose_base_strategy().context("there is no home directory; give --data-dir")?;
    Ok(platform.data_dir().join("quillgate"))
}

/// Opens, and makes, the folders for the vault at `vault`. A data directory that cannot be written costs speed and safety
/// among processes, not the service.
pub(crate) fn for_vault(data: &Path, vault: &Path) -> anyhow::Result<VaultFolders> {
    let vault = check_vault(vault)?;
    if lies_in(data, &vault) {
        bail!("the data directory {} lies inside the vault; give another one with --data-dir", data.display());
    }
    let name = ContentHash::of(vault.to_string_lossy().as_bytes()).to_string()[..16].to_owned();
    match open(&data.join("vaults").join(name)) {
        Ok(folder) => {
            keep_private(&folder);
            let [locks, journal, history] = ["locks", "journal", "history"].map(|name| subfolder(&folder, name));
            Ok(VaultFolders { root: Some(folder), locks, journal, history })
        }
        Err(error) => {
            tracing::warn!(%error, "the data directory cannot be written; every start reads the whole vault, a crash may leave some files changed and some not, and no change can be undone");
            Ok(VaultFolders { root: None, locks: None, journal: None, history: None })
        }
    }
}

/// Where the vault really is, if there is one.
#[expect(clippy::disallowed_methods, reason = "the vault's own path, to name its folder and to keep ours out of it")]
pub(crate) fn check_vault(vault: &Path) -> anyhow::Result<PathBuf> {
    let root = std::fs::canonicalize(vault);
    let root = root.ok().filter(|root| root.is_dir());
    root.with_context(|| format!("no vault at {}; give the path of an existing folder", vault.display()))
}

/// Whether a folder of ours would be among the notes of the vault at `root`.
pub(crate) fn lies_in(ours: &Path, root: &Path) -> bool {
    resolved(ours).starts_with(root)
}

/// The index has the words of the notes in it, which are for their owner alone.
#[cfg(unix)]
fn keep_private(folder: &Dir) {
    use cap_std::fs::PermissionsExt;
    if let Err(error) = folder.set_permissions(".", cap_std::fs::Permissions::from_mode(0o700)) {
        tracing::debug!(%error, "the data directory stays as open as it is");
    }
}

#[cfg(not(unix))]
fn keep_private(_: &Dir) {}

/// The path with links and `..` followed, as far as it exists already.
#[expect(clippy::disallowed_methods, reason = "the operator's own path, to keep it out of the vault")]
fn resolved(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(resolved.pop()),
            other => resolved.push(other),
        }
        resolved = std::fs::canonicalize(&resolved).unwrap_or(resolved);
    }
    resolved
}

pub(crate) fn open(path: &Path) -> anyhow::Result<Dir> {
    // Whatever is made on the way is for its owner alone; what is there already stays as it is.
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)?;
    Ok(Dir::open_ambient_dir(path, ambient_authority())?)
}

pub(crate) fn subfolder(folder: &Dir, name: &str) -> Option<Dir> {
    folder.create_dir_all(name).and_then(|()| folder.open_dir(name)).ok()
}

//! Files that stand beside their targets until they are swapped in.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::sync::Arc;

use cap_std::fs::{Dir, Metadata, OpenOptions};

use crate::core::{name_on_disk, unfollowed};
use crate::{Contents, Durability, Stat, fault};

/// A hidden file beside its target that removes itself unless it was renamed. The lock it holds tells a later start that
/// somebody still works on it.
pub(crate) struct Temporary {
    folder: Arc<Dir>,
    pub(crate) name: String,
    file: File,
    kept: bool,
}

const TEMPORARY_PREFIX: &str = ".quillgate-";
const TEMPORARY_SUFFIX: &str = ".tmp";

impl Temporary {
    pub(crate) fn write(
        folder: Arc<Dir>,
        name: String,
        bytes: &[u8],
        replaced: Option<&Contents>,
        durability: Durability,
    ) -> io::Result<Temporary> {
        let file = create(&folder, &name)?;
        let mut temporary = Temporary { folder, name, file, kept: false };
        fault::around("write", || temporary.file.write_all(bytes))?;
        if let Some(replaced) = replaced {
            fault::around("attributes", || keep_attributes(&temporary.folder, replaced, &temporary.file));
        }
        if durability == Durability::Full {
            fault::around("sync", || temporary.file.sync_all())?;
        }
        Ok(temporary)
    }

    pub(crate) fn stat(&self) -> Option<Stat> {
        Metadata::from_file(&self.file).ok().map(|metadata| Stat::of(&metadata))
    }

    pub(crate) fn keep(&mut self) {
        self.kept = true;
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.kept {
            let _ = fault::around("remove", || self.folder.remove_file(&self.name));
        }
    }
}

pub(crate) fn fresh_name() -> String {
    format!("{TEMPORARY_PREFIX}{:016x}{TEMPORARY_SUFFIX}", RandomState::new().hash_one(std::process::id()))
}

fn create(folder: &Dir, name: &str) -> io::Result<File> {
    loop {
        let options = &mut OpenOptions::new();
        let file = fault::around("create", || folder.open_with(name, options.write(true).create_new(true)))?.into_std();
        // A file system without locks still works; its leftovers are then taken for stale at any start.
        let _ = file.lock();
        // Before it was locked, the walk of another process may have taken it for a leftover.
        if folder.symlink_metadata(name).is_ok() {
            return Ok(file);
        }
    }
}

/// A replaced file keeps its permissions, its extended attributes (such as the Finder's tags) and, where we may, its owner.
#[cfg(unix)]
fn keep_attributes(folder: &Dir, replaced: &Contents, file: &File) {
    use std::os::unix::fs::MetadataExt;
    let name = name_on_disk(folder, replaced.path.name());
    let Ok(old) = folder.open_with(name, unfollowed(OpenOptions::new().read(true))).map(cap_std::fs::File::into_std) else {
        return;
    };
    if let Err(error) = copy_extended_attributes(&old, file) {
        tracing::debug!(%error, "the extended attributes of a replaced file could not be kept");
    }
    let (Ok(metadata), Ok(fresh)) = (old.metadata(), file.metadata()) else { return };
    // Mostly there is nothing to do, and a look costs less than a change.
    let owner_and_mode = |of: &std::fs::Metadata| (of.uid(), of.gid(), of.mode());
    if owner_and_mode(&metadata) == owner_and_mode(&fresh) {
        return;
    }
    let owner = rustix::fs::Uid::from_raw(metadata.uid());
    let group = rustix::fs::Gid::from_raw(metadata.gid());
    // A new owner clears some bits of the mode, so the mode comes last.
    if let Err(error) = rustix::fs::fchown(file, Some(owner), Some(group)) {
        tracing::debug!(%error, "the owner of a replaced file could not be kept");
    }
    if let Err(error) = rustix::fs::fchmod(file, rustix::fs::Mode::from_raw_mode(metadata.mode())) {
        tracing::debug!(%error, "the mode of a replaced file could not be kept");
    }
}

#[cfg(not(unix))]
fn keep_attributes(_folder: &Dir, _replaced: &Contents, _file: &File) {}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn copy_extended_attributes(old: &File, new: &File) -> rustix::io::Result<()> {
    use rustix::fs::{XattrFlags, fgetxattr, fgetxattr_query, flistxattr, flistxattr_query, fsetxattr};
    let length = flistxattr_query(old)?;
    if length == 0 {
        return Ok(());
    }
    let mut names = vec![0; length];
    let length = flistxattr(old, &mut names[..])?;
    for name in names[..length].split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        let mut value = vec![0; fgetxattr_query(old, name)?];
        let length = fgetxattr(old, name, &mut value[..])?;
        fsetxattr(new, name, &value[..length], XattrFlags::empty())?;
    }
    Ok(())
}

#[cfg(all(unix, not(any(target_os = "linux", target_vendor = "apple"))))]
fn copy_extended_attributes(_old: &File, _new: &File) -> rustix::io::Result<()> {
    Ok(())
}

pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with(TEMPORARY_PREFIX) && name.ends_with(TEMPORARY_SUFFIX)
}

/// Removes a temporary file that a crash left behind; one that is still being written is locked and stays, and so does one
/// that a journal may count on.
pub(crate) fn remove_if_stale(folder: &Dir, name: &str, is_counted_on: impl FnOnce() -> bool) {
    let Ok(file) = folder.open_with(name, unfollowed(OpenOptions::new().write(true))) else { return };
    let file = file.into_std();
    let is_stale = file.metadata().is_ok_and(|metadata| metadata.is_file()) && file.try_lock().is_ok();
    // Who staged it has ended, so a record of it is either there by now or never will be.
    if is_stale && !is_counted_on() && folder.remove_file(name).is_ok() {
        tracing::info!("removed a temporary file that a crash had left");
    }
}

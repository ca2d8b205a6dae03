//! Opening a file by its whole path in one call, where the kernel itself keeps the path inside the vault.

use std::fs::File;

use cap_std::fs::{Dir, Metadata};

use crate::stat::kind_of;
use crate::{EntryKind, NotePath, Stat};

/// What an opened file is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Read,
    /// Only to ask the file system about it.
    Look,
    /// To open, make and rename files in it.
    Folder,
}

/// A shortcut: `None` says nothing but that the way component by component has to be gone, which knows of names spelled
/// otherwise, of placeholders and of every reason to refuse.
pub(crate) fn open_beneath(root: &Dir, path: &NotePath, purpose: Purpose) -> Option<(File, EntryKind, Stat)> {
    let file = open(root, path.as_str(), purpose)?;
    let metadata = Metadata::from_file(&file).ok()?;
    Some((file, kind_of(&metadata), Stat::of(&metadata)))
}

/// The same shortcut to a folder other than the vault itself.
pub(crate) fn open_folder_beneath(root: &Dir, folder: &str) -> Option<Dir> {
    open(root, folder, Purpose::Folder).map(Dir::from_std_file)
}

#[cfg(target_os = "linux")]
fn open(root: &Dir, path: &str, purpose: Purpose) -> Option<File> {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    static IS_MISSING: AtomicBool = AtomicBool::new(false);
    if IS_MISSING.load(Ordering::Relaxed) {
        return None;
    }
    let wanted = match purpose {
        // A pipe must not block the caller before it is recognised.
        Purpose::Read => OFlags::RDONLY | OFlags::NONBLOCK,
        Purpose::Look => OFlags::PATH,
        Purpose::Folder => OFlags::PATH | OFlags::DIRECTORY,
    };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let opened = openat2(root, path, wanted | OFlags::CLOEXEC | OFlags::NOFOLLOW, Mode::empty(), resolve);
    if opened.as_ref().err() == Some(&Errno::NOSYS) {
        IS_MISSING.store(true, Ordering::Relaxed);
    }
    opened.ok().map(File::from)
}

#[cfg(not(target_os = "linux"))]
fn open(_root: &Dir, _path: &str, _purpose: Purpose) -> Option<File> {
    None
}

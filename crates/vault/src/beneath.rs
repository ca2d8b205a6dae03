//! Opening a file by its whole path in one call, where the kernel itself keeps the path inside the vault.

use std::fs::File;

use cap_std::fs::Dir;

use crate::{EntryKind, NotePath, Stat};

/// What an opened file is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    /// Only to ask the file system about it.
    Look,
}

/// A shortcut: `None` says nothing but that the way component by component has to be gone, which knows of names spelled
/// otherwise, of placeholders and of every reason to refuse.
#[cfg(target_os = "linux")]
pub(crate) fn open_beneath(root: &Dir, path: &NotePath, access: Access) -> Option<(File, EntryKind, Stat)> {
    use std::sync::atomic::{AtomicBool, Ordering};

    use cap_std::fs::Metadata;
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    use crate::stat::kind_of;

    static IS_MISSING: AtomicBool = AtomicBool::new(false);
    if IS_MISSING.load(Ordering::Relaxed) {
        return None;
    }
    let wanted = match access {
        // A pipe must not block the caller before it is recognised.
        Access::Read => OFlags::RDONLY | OFlags::NONBLOCK,
        Access::Look => OFlags::PATH,
    };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let opened = openat2(root, path.as_str(), wanted | OFlags::CLOEXEC | OFlags::NOFOLLOW, Mode::empty(), resolve);
    if opened.as_ref().err() == Some(&Errno::NOSYS) {
        IS_MISSING.store(true, Ordering::Relaxed);
    }
    let file = File::from(opened.ok()?);
    let metadata = Metadata::from_file(&file).ok()?;
    Some((file, kind_of(&metadata), Stat::of(&metadata)))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn open_beneath(_root: &Dir, _path: &NotePath, _access: Access) -> Option<(File, EntryKind, Stat)> {
    None
}

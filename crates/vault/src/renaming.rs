//! Renames that lose nothing, and making them durable.

use std::fs::File;
use std::io;
use std::path::Path;

use cap_std::fs::{Dir, OpenOptions};

use crate::core::unfollowed;
use crate::{Durability, Stat, fault};

/// Renames onto a name where nothing may be, without a moment in which another program's file could be lost.
pub(crate) fn rename_new(from: &Dir, name: impl AsRef<Path>, to: &Dir, new_name: impl AsRef<Path>) -> io::Result<()> {
    fault::around("rename", || rename_onto_nothing(from, name.as_ref(), to, new_name.as_ref()))
}

fn rename_onto_nothing(from: &Dir, name: &Path, to: &Dir, new_name: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    {
        use rustix::fs::{RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(from, name, to, new_name, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(()),
            // Not every file system can; and EXIST is also the answer to a mere change of case.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP | Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if let Ok(found) = to.symlink_metadata(new_name) {
        let moved = from.symlink_metadata(name)?;
        if Stat::of(&found).inode != Stat::of(&moved).inode || Stat::of(&moved).inode == 0 {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
    }
    from.rename(name, to, new_name)
}

/// How the old bytes of a replaced file were kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Under the name that the new bytes had.
    Exchanged,
    /// Under a third name.
    Aside,
}

/// Puts the staged file where `name` is. The old file stays on disk, so that the change can still be taken back.
pub(crate) fn swap_in(folder: &Dir, staged: &str, aside: &str, name: &Path) -> io::Result<Kept> {
    match exchange(folder, staged.as_ref(), name) {
        Ok(()) => return Ok(Kept::Exchanged),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
        Err(error) => return Err(error),
    }
    // What an earlier attempt, ended by a crash, has left.
    remove_if_there(folder, aside)?;
    keep_aside(folder, name, aside)?;
    fault::around("rename", || folder.rename(staged, folder, name))?;
    Ok(Kept::Aside)
}

/// Undoes `swap_in`.
pub(crate) fn swap_back(folder: &Dir, staged: &str, aside: &str, name: &Path) -> io::Result<()> {
    if folder.symlink_metadata(aside).is_ok() {
        return fault::around("rename", || folder.rename(aside, folder, name));
    }
    exchange(folder, staged.as_ref(), name)
}

fn exchange(folder: &Dir, one: &Path, other: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    if !fault::lacks_exchange() {
        use rustix::fs::{RenameFlags, renameat_with};
        use rustix::io::Errno;
        return match fault::around("exchange", || renameat_with(folder, one, folder, other, RenameFlags::EXCHANGE)) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Err(io::ErrorKind::Unsupported.into()),
            other => Ok(other?),
        };
    }
    let _ = (folder, one, other, fault::lacks_exchange());
    Err(io::ErrorKind::Unsupported.into())
}

/// A second name for the old file, or a copy where a file has but one name.
fn keep_aside(folder: &Dir, name: &Path, aside: &str) -> io::Result<()> {
    if fault::around("link", || folder.hard_link(name, folder, aside)).is_ok() {
        return Ok(());
    }
    let mut old = folder.open_with(name, unfollowed(OpenOptions::new().read(true)))?.into_std();
    let mut copy = folder.open_with(aside, OpenOptions::new().write(true).create_new(true))?.into_std();
    io::copy(&mut old, &mut copy)?;
    copy.set_permissions(old.metadata()?.permissions())?;
    copy.sync_all()
}

pub(crate) fn remove_if_there(folder: &Dir, name: &str) -> io::Result<()> {
    match fault::around("remove", || folder.remove_file(name)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes a rename durable. Some network file systems cannot sync a folder; the rename itself has happened.
pub(crate) fn sync_folder(folder: &Dir, durability: Durability) {
    if durability == Durability::Relaxed {
        return;
    }
    if let Err(error) = fault::around("sync folder", || open_to_sync(folder).and_then(|handle| handle.sync_all())) {
        tracing::debug!(%error, "a folder could not be synced");
    }
}

/// Our handles are good only for what lies in the folder (`O_PATH`): the folder itself has to be opened to be synced.
#[cfg(unix)]
fn open_to_sync(folder: &Dir) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, openat};
    Ok(openat(folder, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open_to_sync(folder: &Dir) -> io::Result<File> {
    folder.try_clone().map(Dir::into_std_file)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Dir) {
        let place = tempfile::tempdir().expect("a folder");
        let folder = Dir::open_ambient_dir(place.path(), cap_std::ambient_authority()).expect("a handle");
        (place, folder)
    }

    #[test]
    fn a_folder_can_be_synced() {
        let (_place, folder) = folder();
        open_to_sync(&folder).and_then(|handle| handle.sync_all()).expect("a folder on a local disk can be synced");
    }

    #[test]
    fn both_files_are_there_after_a_swap_and_a_swap_back_restores_the_old_one() {
        let (_place, folder) = folder();
        folder.write("note.md", "old").expect("written");
        folder.write("staged", "new").expect("written");
        let kept = swap_in(&folder, "staged", "aside", Path::new("note.md")).expect("swapped");
        let old = if kept == Kept::Exchanged { "staged" } else { "aside" };
        assert_eq!(
            (folder.read("note.md").expect("there"), folder.read(old).expect("there")),
            (b"new".to_vec(), b"old".to_vec())
        );
        swap_back(&folder, "staged", "aside", Path::new("note.md")).expect("swapped back");
        assert_eq!(folder.read("note.md").expect("there"), b"old");
    }

    #[test]
    fn a_file_is_kept_aside_with_its_bytes() {
        let (_place, folder) = folder();
        folder.write("note.md", "old").expect("written");
        keep_aside(&folder, Path::new("note.md"), "aside").expect("kept");
        assert_eq!(folder.read("aside").expect("there"), b"old");
    }
}

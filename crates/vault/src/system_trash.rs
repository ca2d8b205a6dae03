//! The trash of the desktop.
//!
//! On Linux and its relatives this is a folder with a fixed layout, filled here through directory handles: a folder on the
//! way that somebody swaps for a link cannot lead anywhere else. macOS and Windows have only calls that take a path.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use cap_std::fs::Dir;

/// Moves a file to the system's trash, to be called `called` there if nothing else is. An error means that nothing was moved.
#[cfg(all(unix, not(target_vendor = "apple")))]
pub(crate) fn move_to_system_trash(folder: &Dir, name: &OsStr, called: &str, original: &Path) -> io::Result<()> {
    use std::io::Write;

    use cap_std::ambient_authority;
    use cap_std::fs::OpenOptions;

    use crate::fault;
    use crate::renaming::rename_new;
    use crate::trash::{MOST_NAMESAKES, numbered};

    let home = home_trash().ok_or(io::ErrorKind::NotFound)?;
    let open = |part: &str| {
        Dir::create_ambient_dir_all(home.join(part), ambient_authority())?;
        Dir::open_ambient_dir(home.join(part), ambient_authority())
    };
    let (files, notes) = (open("files")?, open("info")?);
    for number in 0..MOST_NAMESAKES {
        let free = numbered(called, number);
        let note = format!("{free}.trashinfo");
        // The note about a file comes first: creating it claims the name.
        let options = &mut OpenOptions::new();
        let claimed = fault::around("create", || notes.open_with(&note, options.write(true).create_new(true)));
        let mut file = match claimed {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            other => other?,
        };
        let written = fault::around("write", || file.write_all(about(original).as_bytes()));
        let moved = written.and_then(|()| rename_new(folder, name, &files, &free));
        match moved {
            Ok(()) => return Ok(()),
            Err(error) => {
                let _ = notes.remove_file(&note);
                if error.kind() != io::ErrorKind::AlreadyExists {
                    return Err(error);
                }
            }
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(all(unix, not(target_vendor = "apple")))]
fn home_trash() -> Option<std::path::PathBuf> {
    use std::path::PathBuf;
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = set("XDG_DATA_HOME").or_else(|| Some(set("HOME")?.join(".local/share")))?;
    Some(data.join("Trash"))
}

#[cfg(all(unix, not(target_vendor = "apple")))]
fn about(original: &Path) -> String {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
    const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    let path = percent_encode(original.as_os_str().as_encoded_bytes(), ENCODED);
    let now = jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S").to_string();
    format!("[Trash Info]\nPath={path}\nDeletionDate={now}\n")
}

#[cfg(not(all(unix, not(target_vendor = "apple"))))]
pub(crate) fn move_to_system_trash(_folder: &Dir, _name: &OsStr, _called: &str, original: &Path) -> io::Result<()> {
    trash::delete(original).map_err(io::Error::other)
}

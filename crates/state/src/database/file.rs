//! The file of a SQLite state: nobody else may read it, and nothing else may stand in its place.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, OpenOptions};

use crate::{Location, StateError};

pub(crate) struct StateFile {
    folder: Dir,
    name: OsString,
    /// Without links, as SQLite is told to follow none.
    path: PathBuf,
}

impl StateFile {
    /// Makes the folder, for nobody but us, if there is none.
    pub(crate) fn find(path: &Path) -> Result<StateFile, StateError> {
        let (Some(name), Some(parent)) = (path.file_name(), path.parent()) else {
            return Err(problem(path, "that is no file; write sqlite:/path/to/state.db"));
        };
        let parent = if parent == Path::new("") { Path::new(".") } else { parent };
        make_folder(parent).map_err(|error| problem(path, &format!("its folder cannot be made: {error}")))?;
        let no_folder = |error: io::Error| problem(path, &format!("its folder cannot be opened: {error}"));
        let folder = Dir::open_ambient_dir(parent, ambient_authority()).map_err(no_folder)?;
        #[expect(clippy::disallowed_methods, reason = "the operator's own folder, which may be reached through links")]
        let parent = parent.canonicalize().map_err(no_folder)?;
        Ok(StateFile { folder, name: name.to_owned(), path: parent.join(name) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn problem(&self, problem_text: &str) -> StateError {
        problem(&self.path, problem_text)
    }

    /// Refuses whatever is there but cannot be a state, and takes the file from the eyes of others.
    pub(crate) fn exists(&self) -> Result<bool, StateError> {
        let metadata = match self.folder.symlink_metadata(&self.name) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // SQLite would mix the changes noted there into whatever is made in the file's place.
                return match self.folder.symlink_metadata(self.beside("-wal")) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
                    _ => Err(self.problem("the file is gone, but its -wal is there; restore the file, or move the -wal away")),
                };
            }
            Err(error) => return Err(self.problem(&error.to_string())),
        };
        if metadata.is_symlink() {
            return Err(self.problem("it is a symbolic link; name the file itself"));
        }
        if !metadata.is_file() {
            return Err(self.problem("it is not a file; name another one"));
        }
        if metadata.len() == 0 {
            return Err(self.problem("the file is empty; restore a backup, or remove it to start with an empty state"));
        }
        self.keep_private(&metadata)?;
        Ok(true)
    }

    #[cfg(unix)]
    fn keep_private(&self, metadata: &cap_std::fs::Metadata) -> Result<(), StateError> {
        use cap_std::fs::{MetadataExt, Permissions, PermissionsExt};
        if metadata.mode() & 0o077 == 0 {
            return Ok(());
        }
        tracing::warn!(file = %self.path.display(), "others could read the state; taking their permission away");
        let set = self.folder.set_permissions(&self.name, Permissions::from_mode(0o600));
        set.map_err(|error| self.problem(&format!("others can read it, and that cannot be changed: {error}")))
    }

    #[cfg(not(unix))]
    fn keep_private(&self, _: &cap_std::fs::Metadata) -> Result<(), StateError> {
        Ok(())
    }

    /// An empty file beside this one, to be put into its place.
    pub(crate) fn draft(&self) -> Result<StateFile, StateError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = self.beside(&format!(".{}-{}.new", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // Of a process that had this number and was killed.
        let _ = self.folder.remove_file(&name);
        let cannot = |error| self.problem(&format!("it cannot be made: {error}"));
        self.folder.open_with(&name, &options).map_err(cannot)?;
        let folder = self.folder.try_clone().map_err(cannot)?;
        Ok(StateFile { folder, path: self.path.with_file_name(&name), name })
    }

    /// Leaves alone what another process may have put there first.
    pub(crate) fn put_at(&self, place: &StateFile) -> Result<(), StateError> {
        let put = match self.folder.hard_link(&self.name, &place.folder, &place.name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            // Some file systems have no links.
            Err(_) => self.folder.rename(&self.name, &place.folder, &place.name),
            Ok(()) => Ok(()),
        };
        self.discard();
        put.and_then(|()| sync(&place.folder)).map_err(|error| place.problem(&format!("it cannot be made: {error}")))
    }

    pub(crate) fn discard(&self) {
        for ending in ["", "-wal", "-shm", "-journal"] {
            let _ = self.folder.remove_file(self.beside(ending));
        }
    }

    fn beside(&self, ending: &str) -> OsString {
        let mut name = self.name.clone();
        name.push(OsStr::new(ending));
        name
    }
}

fn problem(path: &Path, problem: &str) -> StateError {
    StateError::Open { location: Location::Sqlite(path.to_owned()).to_string(), problem: problem.to_owned() }
}

#[cfg(unix)]
fn sync(folder: &Dir) -> io::Result<()> {
    folder.open(".")?.sync_all()
}

#[cfg(not(unix))]
fn sync(_: &Dir) -> io::Result<()> {
    Ok(())
}

fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    cap_std::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let mut missing = Vec::new();
    for ancestor in path.ancestors() {
        let ancestor = if ancestor == Path::new("") { Path::new(".") } else { ancestor };
        match Dir::open_ambient_dir(ancestor, ambient_authority()) {
            Ok(folder) => {
                let missing: PathBuf = missing.iter().rev().collect();
                return if missing == Path::new("") { Ok(()) } else { folder.create_dir_with(missing, &builder) };
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing.extend(ancestor.file_name().map(OsStr::to_owned)),
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

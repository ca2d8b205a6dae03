//! Where tantivy keeps its files: one folder, reached through its handle.
//!
//! Nothing here waits for the disk. After a power cut a file may be anything, so check sums are compared at every start and
//! what does not hold is built again; a killed process loses nothing, since the kernel has its bytes.

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use cap_std::fs::{Dir, File, OpenOptions};
use tantivy::HasLen;

use crate::read_at::read_exact_at;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, INDEX_WRITER_LOCK, Lock, OwnedBytes, TerminatingWrite, WatchCallback,
    WatchHandle, WritePtr,
};

/// Small files and dictionaries are asked for in bits and pieces at every search: those are kept in memory.
const KEPT_IN_MEMORY: [&str; 4] = ["term", "fieldnorm", "fast", "del"];

#[derive(Clone)]
pub(crate) struct IndexFolder {
    folder: Arc<Dir>,
}

impl IndexFolder {
    pub(crate) fn new(folder: Dir) -> IndexFolder {
        IndexFolder { folder: Arc::new(folder) }
    }

    /// What all files take on disk.
    pub(crate) fn size(&self) -> u64 {
        let entries = self.folder.entries().into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
    }

    pub(crate) fn modified(&self, name: &str) -> Option<SystemTime> {
        Some(self.folder.metadata(name).ok()?.modified().ok()?.into_std())
    }

    /// Removes every file but the locks, which other processes may hold.
    pub(crate) fn clear(&self) {
        for entry in self.folder.entries().into_iter().flatten().flatten() {
            let name = entry.file_name();
            if Path::new(&name).extension().is_none_or(|extension| extension != "lock") {
                let _ = self.folder.remove_file(name);
            }
        }
    }

    /// Becomes the one process that writes, unless another is; ends with the file that is returned.
    pub(crate) fn try_lock(&self, name: &str) -> Option<std::fs::File> {
        let file = self.lock_file(Path::new(name)).ok()?;
        file.try_lock().is_ok().then_some(file)
    }

    fn lock_file(&self, name: &Path) -> io::Result<std::fs::File> {
        let options = OpenOptions::new().create(true).truncate(false).write(true).clone();
        self.folder.open_with(name, &options).map(File::into_std)
    }
}

impl fmt::Debug for IndexFolder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("IndexFolder")
    }
}

impl Directory for IndexFolder {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => OpenReadError::FileDoesNotExist(path.to_owned()),
            _ => OpenReadError::wrap_io_error(error, path.to_owned()),
        };
        let file = self.folder.open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let stored = StoredFile { file: file.into_std(), length: usize::try_from(length).unwrap_or(usize::MAX) };
        let is_kept = path.extension().is_some_and(|extension| KEPT_IN_MEMORY.iter().any(|kept| extension == *kept));
        if !is_kept {
            return Ok(Arc::new(stored));
        }
        Ok(Arc::new(stored.read_bytes(0..stored.length).map_err(failed)?))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.folder.remove_file(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => DeleteError::FileDoesNotExist(path.to_owned()),
            _ => DeleteError::IoError { io_error: Arc::new(error), filepath: path.to_owned() },
        })
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.folder.try_exists(path).map_err(|error| OpenReadError::wrap_io_error(error, path.to_owned()))
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = self.folder.open_with(path, OpenOptions::new().write(true).create_new(true));
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => OpenWriteError::FileAlreadyExists(path.to_owned()),
            _ => OpenWriteError::wrap_io_error(error, path.to_owned()),
        })?;
        Ok(BufWriter::with_capacity(1 << 16, Box::new(WrittenFile(file))))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.folder.read(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => OpenReadError::FileDoesNotExist(path.to_owned()),
            _ => OpenReadError::wrap_io_error(error, path.to_owned()),
        })
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let fresh = PathBuf::from(format!("{}.{}.new", path.display(), NUMBER.fetch_add(1, Ordering::Relaxed)));
        self.folder.write(&fresh, data)?;
        self.folder.rename(&fresh, &self.folder, path)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    /// Locks that end with their process, unlike tantivy's own, which a killed one leaves behind.
    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        // Who writes was decided before tantivy was asked to.
        if lock.filepath == INDEX_WRITER_LOCK.filepath {
            return Ok(DirectoryLock::from(Box::new(())));
        }
        let file = self.lock_file(&lock.filepath).map_err(LockError::wrap_io_error)?;
        match lock.is_blocking {
            true => file.lock().map_err(LockError::wrap_io_error)?,
            false => file.try_lock().map_err(|_| LockError::LockBusy)?,
        }
        Ok(DirectoryLock::from(Box::new(file)))
    }

    /// Readers are told when to look again.
    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

/// A file that is read where it is asked for; stays readable when it is removed.
#[derive(Debug)]
struct StoredFile {
    file: std::fs::File,
    length: usize,
}

impl HasLen for StoredFile {
    fn len(&self) -> usize {
        self.length
    }
}

impl FileHandle for StoredFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let mut bytes = vec![0; range.len()];
        read_exact_at(&self.file, &mut bytes, range.start as u64)?;
        Ok(OwnedBytes::new(bytes))
    }
}

struct WrittenFile(File);

impl Write for WrittenFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for WrittenFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.0.flush()
    }
}

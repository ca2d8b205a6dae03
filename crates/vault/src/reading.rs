//! Reading files whole, with as few calls as their size allows.

use std::fs::File;
use std::io::{self, Read};

use crate::beneath::{Purpose, open_beneath};
use crate::contents::BINARY_PROBE;
use crate::core::Core;
use crate::{Contents, EntryKind, NotePath, Operation, Stat, Vault, VaultError, is_binary};

/// Of a file larger than this the beginning is read first: most are pictures and films, whose rest is not wanted.
const PROBED_FIRST: u64 = 32 << 10;

impl Vault {
    pub fn read(&self, path: &NotePath) -> Result<Contents, VaultError> {
        self.permit(path, Operation::Read)?;
        self.core.read(path)
    }

    /// Reads a file that is expected to be text. Of a picture or a film only the beginning is read, which gives it away.
    pub fn read_text(&self, path: &NotePath) -> Result<Contents, VaultError> {
        let mut bytes = Vec::new();
        let stat = self.read_text_into(path, &mut bytes)?;
        Ok(Contents { path: path.clone(), bytes, stat })
    }

    /// Like `read_text`, but into a buffer that many reads can share. Whatever was in it is gone, also after an error.
    pub fn read_text_into(&self, path: &NotePath, bytes: &mut Vec<u8>) -> Result<Stat, VaultError> {
        bytes.clear();
        self.permit(path, Operation::Read)?;
        self.core.read_text_into(path, bytes)
    }
}

impl Core {
    pub(crate) fn read(&self, path: &NotePath) -> Result<Contents, VaultError> {
        let (file, stat) = self.open_to_read(path)?;
        let mut bytes = Vec::new();
        self.read_rest(&file, path, stat, &mut bytes)?;
        Ok(Contents { path: path.clone(), bytes, stat })
    }

    /// `bytes` is empty.
    fn read_text_into(&self, path: &NotePath, bytes: &mut Vec<u8>) -> Result<Stat, VaultError> {
        let (file, stat) = self.open_to_read(path)?;
        let is_text = |bytes: &[u8]| match is_binary(bytes) {
            true => Err(VaultError::NotText(path.clone(), "it is a binary file")),
            false => Ok(()),
        };
        if stat.size > PROBED_FIRST {
            let probed = (&file).take(BINARY_PROBE as u64).read_to_end(bytes);
            probed.map_err(|error| VaultError::from_io(path, error))?;
            is_text(bytes)?;
        }
        self.read_rest(&file, path, stat, bytes)?;
        is_text(bytes)?;
        Ok(stat)
    }

    fn open_to_read(&self, path: &NotePath) -> Result<(File, Stat), VaultError> {
        let (file, stat) = match open_beneath(&self.root, path, Purpose::Read) {
            Some((file, EntryKind::File, stat)) => (file, stat),
            _ => {
                let (folder, name) = self.open_parent(path)?;
                let (file, stat) = self.open_file(&folder, &name, path)?;
                (file.into_std(), stat)
            }
        };
        self.check_size(path, stat.size)?;
        Ok((file, stat))
    }

    pub(crate) fn read_rest(&self, file: &File, path: &NotePath, stat: Stat, bytes: &mut Vec<u8>) -> Result<(), VaultError> {
        // One byte more than expected: room that stays free is how a read tells that it met the end.
        bytes.reserve((usize::try_from(stat.size).unwrap_or(0) + 1).saturating_sub(bytes.len()));
        read_to_end(file, stat.size, self.limits.file_bytes, bytes).map_err(|error| VaultError::from_io(path, error))?;
        self.check_size(path, bytes.len() as u64)
    }
}

/// Reads to the end, or until there is more than `most`. The expected size spares the read that finds nothing but the end.
#[cfg(unix)]
fn read_to_end(file: &File, expected: u64, most: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    use rustix::buffer::spare_capacity;
    while bytes.len() as u64 <= most {
        if bytes.len() == bytes.capacity() {
            bytes.reserve(PROBED_FIRST as usize);
        }
        let room = bytes.capacity() - bytes.len();
        let count = rustix::io::retry_on_intr(|| rustix::io::read(file, spare_capacity(bytes)))?;
        let is_complete = count < room && bytes.len() as u64 == expected;
        if count == 0 || is_complete {
            break;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn read_to_end(file: &File, _expected: u64, most: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    let left = (most + 1).saturating_sub(bytes.len() as u64);
    file.take(left).read_to_end(bytes).map(drop)
}

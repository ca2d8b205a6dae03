//! A file that was read: its bytes, and its text if it has any.

use crate::{ContentHash, NotePath, Stat, VaultError};

/// How far into a file a NUL byte makes it binary; the same span as git looks at.
pub(crate) const BINARY_PROBE: usize = 8000;

#[derive(Debug)]
pub struct Contents {
    pub path: NotePath,
    pub bytes: Vec<u8>,
    pub stat: Stat,
}

impl Contents {
    pub fn hash(&self) -> ContentHash {
        ContentHash::of(&self.bytes)
    }

    pub fn text(&self) -> Result<&str, VaultError> {
        text_of(&self.path, &self.bytes)
    }

    pub fn into_text(self) -> Result<String, VaultError> {
        text_of(&self.path, &self.bytes)?;
        String::from_utf8(self.bytes).map_err(|_| VaultError::NotText(self.path, "its bytes are not UTF-8"))
    }
}

pub fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(BINARY_PROBE)].contains(&0)
}

fn text_of<'a>(path: &NotePath, bytes: &'a [u8]) -> Result<&'a str, VaultError> {
    if is_binary(bytes) {
        return Err(VaultError::NotText(path.clone(), "it is a binary file"));
    }
    std::str::from_utf8(bytes).map_err(|_| VaultError::NotText(path.clone(), "its bytes are not UTF-8"))
}

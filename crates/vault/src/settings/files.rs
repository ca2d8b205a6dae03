//! The settings files of the app and its plugins. They are only ever read here.

use std::io::{self, Read};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, OpenOptions};
use serde_json::{Map, Value};

use crate::VaultError;
use crate::core::unfollowed;

/// A plugin may keep lists of its own in its file.
const LONGEST_FILE: u64 = 16 << 20;

/// A JSON file below `.obsidian`; `None` if there is none. A file that is no JSON is an error that names it.
pub(crate) fn read_json(root: &Dir, path: &[&str]) -> Result<Option<Value>, VaultError> {
    let file = path.join("/");
    let malformed = |reason: String| VaultError::Settings { file: format!(".obsidian/{file}"), reason };
    let text = match read_text(root, path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(malformed(error.to_string())),
    };
    let text = text.trim_start_matches('\u{feff}').trim();
    // The app leaves an empty file where it was stopped while writing, and takes it for no file.
    if text.is_empty() {
        return Ok(None);
    }
    serde_json::from_str(text).map(Some).map_err(|error| malformed(error.to_string()))
}

/// The same of a file that must be an object.
pub(crate) fn read_object(root: &Dir, path: &[&str]) -> Result<Map<String, Value>, VaultError> {
    match read_json(root, path)? {
        None => Ok(Map::new()),
        Some(Value::Object(object)) => Ok(object),
        Some(_) => Err(wrong(path, "it is not an object")),
    }
}

pub(crate) fn wrong(path: &[&str], reason: &str) -> VaultError {
    VaultError::Settings { file: format!(".obsidian/{}", path.join("/")), reason: reason.to_owned() }
}

/// A text of the file that is there and not empty. What is no text is an error: a note must not land elsewhere because of it.
pub(crate) fn text(path: &[&str], object: &Map<String, Value>, key: &str) -> Result<Option<String>, VaultError> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
        Some(_) => Err(wrong(path, &format!("its {key:?} is not a text"))),
    }
}

fn read_text(root: &Dir, path: &[&str]) -> io::Result<String> {
    let mut folder = root.open_dir_nofollow(".obsidian")?;
    let (name, folders) = path.split_last().ok_or(io::ErrorKind::InvalidInput)?;
    for name in folders {
        folder = folder.open_dir_nofollow(name)?;
    }
    let file = folder.open_with(name, unfollowed(OpenOptions::new().read(true)))?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is not a file"));
    }
    let mut text = String::new();
    let read = file.take(LONGEST_FILE + 1).read_to_string(&mut text)?;
    if read as u64 > LONGEST_FILE {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is too long"));
    }
    Ok(text)
}

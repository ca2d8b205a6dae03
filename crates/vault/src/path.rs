//! Vault-relative paths, parsed once and safe from then on.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use quillgate_markdown::fold;
use serde::{Deserialize, Serialize};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::ControlFile;

/// The most characters a path may have.
const LONGEST_PATH: usize = 1024;
/// The most bytes one segment may have on the file systems people use.
const LONGEST_SEGMENT: usize = 255;

/// A file inside the vault: relative, `/` separated, NFC, no `..`, no hidden segment.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NotePath(Arc<str>);

/// A folder inside the vault; the empty path is the vault itself.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FolderPath(Option<NotePath>);

/// Why a path is refused; the text tells a model what to send instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    #[error("the path is empty; give a path relative to the vault, such as Folder/Note.md")]
    Empty,
    #[error("the path has {0} characters; at most {LONGEST_PATH} are allowed")]
    TooLong(usize),
    #[error("a name in the path has {0} bytes; at most {LONGEST_SEGMENT} are allowed")]
    SegmentTooLong(usize),
    #[error("the path is absolute; give it relative to the vault, without a leading slash or drive letter")]
    Absolute,
    #[error("the path contains \"{0}\"; give it relative to the vault, without . or .. segments")]
    Traversal(String),
    #[error("the path has an empty segment; write single slashes and none at the end")]
    EmptySegment,
    #[error("the path contains a backslash; separate folders with /")]
    Backslash,
    #[error("the path contains a control character (U+{0:04X}); leave it out")]
    Control(u32),
    #[error("\"{0}\" is hidden or reserved; hidden files and folders such as .obsidian are out of reach")]
    Hidden(String),
}

impl PathError {
    /// Whether the path is well formed but names something this server keeps away from.
    pub fn is_hidden(&self) -> bool {
        matches!(self, PathError::Hidden(_))
    }
}

impl NotePath {
    pub fn parse(text: &str) -> Result<NotePath, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        let length = text.chars().count();
        if length > LONGEST_PATH {
            return Err(PathError::TooLong(length));
        }
        if text.starts_with('/') || has_drive_letter(text) {
            return Err(PathError::Absolute);
        }
        if let Some(control) = text.chars().find(|c| c.is_control()) {
            return Err(PathError::Control(control as u32));
        }
        if text.contains('\\') {
            return Err(PathError::Backslash);
        }
        let path = nfc(text);
        for segment in path.split('/') {
            check_segment(segment)?;
        }
        Ok(NotePath(path))
    }

    /// The path of a file of the app, which no text parses to.
    pub(crate) fn of_control(file: ControlFile) -> NotePath {
        NotePath(file.as_str().into())
    }

    pub(crate) fn is_control(&self) -> bool {
        ControlFile::find(&self.0).is_some()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last segment: `Note.md` of `a/b/Note.md`.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The name without its last extension: `Note` of `a/b/Note.md`.
    pub fn basename(&self) -> &str {
        let name = self.name();
        match name.rfind('.') {
            Some(dot) if dot > 0 => &name[..dot],
            _ => name,
        }
    }

    /// The last extension without its dot, as written; empty when there is none.
    pub fn extension(&self) -> &str {
        let name = self.name();
        match name.rfind('.') {
            Some(dot) if dot > 0 => &name[dot + 1..],
            _ => "",
        }
    }

    pub fn is_note(&self) -> bool {
        let bytes = self.0.as_bytes();
        // Asked of every file by many questions: the end of the path says it, but for a file that has no name before the dot.
        bytes.len() > 3 && bytes[bytes.len() - 3..].eq_ignore_ascii_case(b".md") && bytes[bytes.len() - 4] != b'/'
    }

    /// The path as a wikilink writes it in full: without `.md`.
    pub fn without_md(&self) -> &str {
        if self.is_note() { &self.0[..self.0.len() - 3] } else { &self.0 }
    }

    pub fn parent(&self) -> FolderPath {
        let parent = self.0.rfind('/').map(|slash| NotePath(self.0[..slash].into()));
        FolderPath(parent)
    }

    pub(crate) fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }
}

impl FolderPath {
    pub const ROOT: FolderPath = FolderPath(None);

    /// Accepts the empty text and `/` for the vault itself, and one leading or trailing slash.
    pub fn parse(text: &str) -> Result<FolderPath, PathError> {
        if text.is_empty() || text == "/" {
            return Ok(FolderPath::ROOT);
        }
        let inner = text.strip_prefix('/').unwrap_or(text);
        let inner = inner.strip_suffix('/').unwrap_or(inner);
        Ok(FolderPath(Some(NotePath::parse(inner)?)))
    }

    pub fn as_str(&self) -> &str {
        self.0.as_ref().map_or("", NotePath::as_str)
    }

    pub fn is_root(&self) -> bool {
        self.0.is_none()
    }

    /// The path of something inside this folder.
    pub fn join(&self, name: &str) -> Result<NotePath, PathError> {
        match &self.0 {
            None => NotePath::parse(name),
            Some(folder) => NotePath::parse(&format!("{folder}/{name}")),
        }
    }

    /// Whether `path` lies in this folder, at any depth.
    pub fn contains(&self, path: &NotePath) -> bool {
        match &self.0 {
            None => true,
            Some(folder) => path.0.strip_prefix(&*folder.0).is_some_and(|rest| rest.starts_with('/')),
        }
    }

    pub(crate) fn parent(&self) -> Option<FolderPath> {
        self.0.as_ref().map(NotePath::parent)
    }

    /// The path of the folder as that of an entry; the vault itself has none.
    pub(crate) fn as_entry(&self) -> Option<&NotePath> {
        self.0.as_ref()
    }

    pub(crate) fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(NotePath::segments)
    }
}

impl From<NotePath> for FolderPath {
    fn from(path: NotePath) -> FolderPath {
        FolderPath(Some(path))
    }
}

/// A path that was stored is parsed again: whatever wrote it, it stays inside the vault. The journal and the history also
/// know the few files of the app that may be changed.
impl TryFrom<String> for NotePath {
    type Error = PathError;

    fn try_from(text: String) -> Result<NotePath, PathError> {
        match ControlFile::find(&text) {
            Some(file) => Ok(NotePath::of_control(file)),
            None => NotePath::parse(&text),
        }
    }
}

impl From<NotePath> for String {
    fn from(path: NotePath) -> String {
        path.as_str().to_owned()
    }
}

/// Paths compare and hash as their text does, so a map of them can be searched by text.
impl Borrow<str> for NotePath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NotePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for NotePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for FolderPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for FolderPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// The NFC form that paths are compared and shown in.
pub(crate) fn nfc(text: &str) -> Arc<str> {
    if text.is_ascii() {
        return text.into();
    }
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => text.into(),
        _ => text.nfc().collect::<String>().into(),
    }
}

fn has_drive_letter(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes.get(2), None | Some(b'/' | b'\\'))
}

fn check_segment(segment: &str) -> Result<(), PathError> {
    if segment.is_empty() {
        return Err(PathError::EmptySegment);
    }
    if segment == "." || segment == ".." {
        return Err(PathError::Traversal(segment.to_owned()));
    }
    if segment.len() > LONGEST_SEGMENT {
        return Err(PathError::SegmentTooLong(segment.len()));
    }
    if is_hidden(segment) {
        return Err(PathError::Hidden(segment.to_owned()));
    }
    Ok(())
}

/// A leading dot hides a name. Some file systems drop invisible code points when they compare names, so `.git` may also be
/// spelled with one of those in front.
pub(crate) fn is_hidden(name: &str) -> bool {
    name.trim_start_matches(is_ignorable).starts_with('.') || find_reserved(name).is_some()
}

/// The folder of the app, of git or of the vault's trash that some file system, or some eye, may take the name for: in any
/// case and width, with what cannot be seen in it, or as the short name that FAT and NTFS give it.
pub(crate) fn find_reserved(name: &str) -> Option<&'static str> {
    const RESERVED: [(&str, &str); 3] = [(".obsidian", "obsidi~"), (".git", "git~"), (".trash", "trash~")];
    let first = name.trim_start_matches(is_ignorable).chars().next()?;
    if !matches!(first, '.' | '\u{2024}' | '\u{fe52}' | '\u{ff0e}') && !name.contains(['~', '\u{ff5e}']) {
        return None;
    }
    let plain: String = name.nfkc().filter(|c| !is_ignorable(*c)).collect();
    let plain = fold(plain.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']));
    let is_numbered = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    let is_meant = |(long, short): &&(&str, &str)| plain == *long || plain.strip_prefix(short).is_some_and(is_numbered);
    RESERVED.iter().find(is_meant).map(|(long, _)| *long)
}

/// What Unicode calls default ignorable.
pub(crate) fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_path_keeps_its_spelling() {
        let path = NotePath::parse("Folder/Ünter/Note v1.2.md").expect("ordinary");
        assert_eq!(path.as_str(), "Folder/Ünter/Note v1.2.md");
        assert_eq!((path.name(), path.basename(), path.extension()), ("Note v1.2.md", "Note v1.2", "md"));
        assert_eq!(path.parent().as_str(), "Folder/Ünter");
        assert_eq!(path.without_md(), "Folder/Ünter/Note v1.2");
    }

    #[test]
    fn decomposed_names_become_composed() {
        assert_eq!(NotePath::parse("Cafe\u{301}.md"), NotePath::parse("Café.md"));
    }

    #[test]
    fn every_way_out_is_refused() {
        for hostile in [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../x",
            "a/../b",
            "a/./b",
            "a//b",
            "a/",
            "C:",
            "C:/x",
            "c:\\x",
            "\\\\host\\share",
            "a\\b",
            "a\0b",
            "a\nb",
            ".obsidian/app.json",
            ".OBSIDIAN/app.json",
            "a/.git/config",
            "a/.hidden",
            "\u{200b}.git/config",
            "\u{ff0e}ｇit/config",
            "\u{2024}Obs\u{200d}idian/app.json",
            "a/OBSIDI~1/app.json",
            "git~1/config",
            "...",
        ] {
            assert!(NotePath::parse(hostile).is_err(), "{hostile:?} must be refused");
        }
    }

    #[test]
    fn a_title_that_only_looks_a_little_like_a_hidden_name_is_none() {
        for title in ["… and more.md", "git.md", "obsidian/a.md", "a~1.md", "Git ~1.md", "trash~.md"] {
            assert!(NotePath::parse(title).is_ok(), "{title}");
        }
    }

    #[test]
    fn a_colon_in_a_name_is_not_a_drive() {
        assert!(NotePath::parse("a: b.md").is_ok());
        assert!(NotePath::parse("x/c:d.md").is_ok());
    }

    #[test]
    fn a_folder_contains_what_lies_below_it() {
        let folder = FolderPath::parse("/a/b/").expect("folder");
        assert!(folder.contains(&NotePath::parse("a/b/c/d.md").expect("path")));
        assert!(!folder.contains(&NotePath::parse("a/bc.md").expect("path")));
        assert!(FolderPath::parse("/").expect("root").contains(&NotePath::parse("x").expect("path")));
    }
}

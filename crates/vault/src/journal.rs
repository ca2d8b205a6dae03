//! The record of a change to several files, kept outside the vault until all of them are changed or none.
//!
//! One file per change, locked as long as its process lives, and only ever appended to: what is about to be staged, then
//! what is about to be swapped, then whether that is done or taken back. A line is its check sum and its JSON. A last line
//! without an end was being written when the process ended, and does not count.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{File, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};

use cap_std::fs::{Dir, OpenOptions};
use serde::{Deserialize, Serialize};

use crate::core::unfollowed;
use crate::path::nfc;
use crate::renaming::{remove_if_there, sync_folder};
use crate::{ChangeId, ContentHash, Durability, NotePath, Stat, TrashOption, fault};

const HEADER: &str = "quillgate journal 1\n";
const EXTENSION: &str = ".journal";
const SET_ASIDE: &str = ".set-aside";
/// A change of ten thousand files has about five megabytes.
const LONGEST_RECORD: u64 = 256 << 20;

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Entry {
    Intent(Intent),
    Ready(Vec<Planned>),
    Committed,
    Undone,
}

/// What staging leaves behind if it is interrupted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Intent {
    /// For each file that gets new bytes, the name under which they are staged in its folder.
    pub(crate) staged: Vec<(NotePath, HiddenName)>,
    /// Folders that are missing, outer ones first.
    pub(crate) folders: Vec<NotePath>,
    /// What the history calls the change.
    #[serde(default)]
    pub(crate) change: Option<ChangeId>,
}

/// A step of which everything is known that it takes to do it or to take it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Planned {
    /// The staged bytes become the file.
    Put { path: NotePath, staged: HiddenName, before: Option<Mark>, after: Mark },
    /// A file goes to a path where nothing is. It is moved as `moved`, which a `Put` may have made of what it was.
    Move { from: NotePath, spelled: Spelling, to: NotePath, before: Mark, moved: Mark },
    /// A file is put aside, and after the commit goes where deleted files go.
    Take { path: NotePath, spelled: Spelling, aside: HiddenName, before: Mark, option: Disposal },
}

impl Planned {
    pub(crate) fn paths(&self) -> impl Iterator<Item = &NotePath> {
        let (first, second) = match self {
            Planned::Put { path, .. } | Planned::Take { path, .. } => (path, None),
            Planned::Move { from, to, .. } => (from, Some(to)),
        };
        std::iter::once(first).chain(second)
    }
}

/// How a file is recognised: by its bytes, or, when it is too large to be read, by what the file system says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mark {
    pub(crate) size: u64,
    pub(crate) modified: i64,
    pub(crate) inode: u64,
    pub(crate) hash: Option<ContentHash>,
}

impl Mark {
    pub(crate) fn new(stat: &Stat, hash: Option<ContentHash>) -> Mark {
        Mark { size: stat.size, modified: stat.modified, inode: stat.inode, hash }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Disposal {
    System,
    Local,
    None,
}

impl From<TrashOption> for Disposal {
    fn from(option: TrashOption) -> Disposal {
        match option {
            TrashOption::System => Disposal::System,
            TrashOption::Local => Disposal::Local,
            TrashOption::None => Disposal::None,
        }
    }
}

/// How the last name of a path is spelled on disk, if not as in the path: macOS may have stored it decomposed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Spelling(Option<String>);

impl Spelling {
    pub(crate) fn new(path: &NotePath, on_disk: &OsStr) -> Spelling {
        Spelling(on_disk.to_str().filter(|name| *name != path.name()).map(str::to_owned))
    }

    /// Any other name than the path's own is ignored.
    pub(crate) fn of<'a>(&'a self, path: &'a NotePath) -> &'a str {
        self.0.as_deref().filter(|name| &*nfc(name) == path.name()).unwrap_or_else(|| path.name())
    }
}

/// The name of a hidden file of ours beside a file of the vault: staged bytes end in `.tmp`, what is kept in `.old`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct HiddenName(String);

impl HiddenName {
    pub(crate) fn fresh() -> HiddenName {
        HiddenName(fresh_digits())
    }

    pub(crate) fn staged(&self) -> String {
        format!(".quillgate-{}.tmp", self.0)
    }

    /// Not taken for a leftover by a walk: it may be the only copy of a file.
    pub(crate) fn aside(&self) -> String {
        format!(".quillgate-{}.old", self.0)
    }
}

impl TryFrom<String> for HiddenName {
    type Error = &'static str;

    fn try_from(digits: String) -> Result<HiddenName, Self::Error> {
        let is_ours = digits.len() == 16 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_ours { Ok(HiddenName(digits)) } else { Err("a hidden name is 16 hexadecimal digits") }
    }
}

impl From<HiddenName> for String {
    fn from(name: HiddenName) -> String {
        name.0
    }
}

/// A record that this process works on. Its lock tells others so, and ends with the process.
pub(crate) struct Record {
    folder: Dir,
    pub(crate) name: String,
    file: File,
    durability: Durability,
}

/// How far the change had come.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Nothing had been staged.
    Nothing,
    Staging(Intent),
    Swapping(Intent, Vec<Planned>),
    Committed(Intent, Vec<Planned>),
    Undone(Intent, Vec<Planned>),
}

/// Why a record is not acted upon.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Damaged(String);

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Record {
    pub(crate) fn begin(folder: &Dir, intent: &Intent, durability: Durability) -> io::Result<Record> {
        loop {
            let name = format!("{}{EXTENSION}", fresh_digits());
            let options = &mut OpenOptions::new();
            let options = options.read(true).append(true).create_new(true);
            let file = fault::around("create record", || folder.open_with(&name, options))?.into_std();
            let mut record = Record { folder: folder.try_clone()?, name, file, durability };
            // Without a lock nobody could tell a change under way from one that was interrupted.
            if let Err(error) = record.file.lock() {
                record.close();
                return Err(error);
            }
            // Before it was locked, another process that was starting may have removed it for being empty.
            if !record.is_there() {
                continue;
            }
            let written = record.file.write_all_around(format!("{HEADER}{}", line_of(&Entry::Intent(intent.clone()))).as_bytes());
            if let Err(error) = written {
                record.close();
                return Err(error);
            }
            return Ok(record);
        }
    }

    /// From here on a restart finishes the change or takes it back.
    pub(crate) fn ready(&mut self, steps: &[Planned]) -> io::Result<()> {
        self.append(&Entry::Ready(steps.to_vec()))?;
        sync_folder(&self.folder, self.durability);
        Ok(())
    }

    pub(crate) fn commit(&mut self) -> io::Result<()> {
        self.append(&Entry::Committed)
    }

    pub(crate) fn undone(&mut self) -> io::Result<()> {
        self.append(&Entry::Undone)
    }

    fn append(&mut self, entry: &Entry) -> io::Result<()> {
        self.file.write_all_around(line_of(entry).as_bytes())?;
        match self.durability {
            Durability::Full => fault::around("sync record", || self.file.sync_all()),
            Durability::Relaxed => Ok(()),
        }
    }

    /// The change is over. A record that comes back after a loss of power says so too.
    pub(crate) fn close(self) {
        if let Err(error) = remove_if_there(&self.folder, &self.name) {
            tracing::warn!(%error, journal = %self.name, "a journal record that is over could not be removed");
        }
    }

    /// Keeps a record that cannot be acted upon for a person to look at. Returns its new name.
    pub(crate) fn set_aside(self) -> io::Result<String> {
        let kept = format!("{}{SET_ASIDE}", self.name.trim_end_matches(EXTENSION));
        fault::around("set aside", || self.folder.rename(&self.name, &self.folder, &kept))?;
        Ok(kept)
    }

    /// Opens a record to act upon it. `None` if its process lives or somebody else was faster.
    pub(crate) fn claim(folder: &Dir, name: &str, durability: Durability) -> io::Result<Option<Record>> {
        let opened = folder.open_with(name, unfollowed(OpenOptions::new().read(true).append(true)));
        let file = match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?.into_std(),
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let record = Record { folder: folder.try_clone()?, name: name.to_owned(), file, durability };
        Ok(record.is_there().then_some(record))
    }

    fn is_there(&self) -> bool {
        let (Ok(named), Ok(opened)) = (self.folder.symlink_metadata(&self.name), cap_std::fs::Metadata::from_file(&self.file))
        else {
            return false;
        };
        Stat::of(&named).inode == Stat::of(&opened).inode
    }

    pub(crate) fn progress(&self) -> io::Result<Result<Progress, Damaged>> {
        let mut bytes = Vec::new();
        (&self.file).take(LONGEST_RECORD + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LONGEST_RECORD {
            return Ok(Err(Damaged("it is too long".into())));
        }
        let parsed = parse(&bytes);
        // A line that was added to one without an end would be lost with it.
        if parsed.is_ok()
            && let Some(end) = bytes.iter().rposition(|&byte| byte == b'\n')
            && end + 1 < bytes.len()
        {
            fault::around("cut record", || self.file.set_len(end as u64 + 1))?;
        }
        Ok(parsed)
    }
}

trait WriteAround {
    fn write_all_around(&mut self, bytes: &[u8]) -> io::Result<()>;
}

impl WriteAround for File {
    fn write_all_around(&mut self, bytes: &[u8]) -> io::Result<()> {
        fault::around("write record", || self.write_all(bytes))
    }
}

/// The records in the folder, oldest first.
pub(crate) fn records(folder: &Dir) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in folder.entries()? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.ends_with(EXTENSION) {
            let modified = folder.symlink_metadata(&name).map_or(0, |metadata| Stat::of(&metadata).modified);
            found.push((modified, name));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, name)| name).collect())
}

fn line_of(entry: &Entry) -> String {
    let json = serde_json::to_string(entry).expect("paths, numbers and names can always be written as JSON");
    format!("{} {json}\n", check_sum(&json))
}

fn check_sum(json: &str) -> String {
    let mut sum = ContentHash::of(json.as_bytes()).to_string();
    sum.truncate(16);
    sum
}

fn parse(bytes: &[u8]) -> Result<Progress, Damaged> {
    let damaged = |why: &str| Damaged(why.to_owned());
    if HEADER.as_bytes().starts_with(bytes) {
        return Ok(Progress::Nothing);
    }
    let Some(lines) = bytes.strip_prefix(HEADER.as_bytes()) else {
        return Err(damaged("it is of another version, or no journal of ours"));
    };
    let mut progress = Progress::Nothing;
    for line in lines.split_inclusive(|&byte| byte == b'\n') {
        let Some(line) = line.strip_suffix(b"\n") else { break };
        let line = std::str::from_utf8(line).map_err(|_| damaged("a line of it is not text"))?;
        let (sum, json) = line.split_once(' ').ok_or_else(|| damaged("a line of it has no check sum"))?;
        if sum != check_sum(json) {
            return Err(damaged("the check sum of a line does not fit"));
        }
        let entry: Entry =
            serde_json::from_str(json).map_err(|error| Damaged(format!("a line of it makes no sense: {error}")))?;
        progress = match (progress, entry) {
            (Progress::Nothing, Entry::Intent(intent)) => Progress::Staging(intent),
            (Progress::Staging(intent), Entry::Ready(steps)) => Progress::Swapping(intent, steps),
            (Progress::Swapping(intent, steps) | Progress::Committed(intent, steps), Entry::Committed) => {
                Progress::Committed(intent, steps)
            }
            (
                Progress::Swapping(intent, steps) | Progress::Committed(intent, steps) | Progress::Undone(intent, steps),
                Entry::Undone,
            ) => Progress::Undone(intent, steps),
            _ => return Err(damaged("its lines do not follow one another")),
        };
    }
    Ok(progress)
}

fn fresh_digits() -> String {
    format!("{:016x}", RandomState::new().hash_one(std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> NotePath {
        NotePath::parse(text).expect("a path")
    }

    fn mark(text: &str) -> Mark {
        Mark { size: text.len() as u64, modified: -1, inode: u64::MAX, hash: Some(ContentHash::of(text.as_bytes())) }
    }

    fn intent() -> Intent {
        Intent {
            staged: vec![(path("a/Über.md"), HiddenName::fresh())],
            folders: vec![path("a")],
            change: Some("0123456789abcdefghjk".parse().expect("a name")),
        }
    }

    fn steps() -> Vec<Planned> {
        let large = Mark { hash: None, ..mark("large") };
        vec![
            Planned::Put { path: path("a/Über.md"), staged: HiddenName::fresh(), before: None, after: mark("new") },
            Planned::Move { from: path("b.md"), spelled: Spelling::default(), to: path("c.md"), before: large, moved: large },
            Planned::Take {
                path: path("é.md"),
                spelled: Spelling::new(&path("é.md"), "e\u{301}.md".as_ref()),
                aside: HiddenName::fresh(),
                before: mark("d"),
                option: Disposal::Local,
            },
        ]
    }

    fn text(entries: &[Entry]) -> String {
        entries.iter().fold(HEADER.to_owned(), |text, entry| text + &line_of(entry))
    }

    #[test]
    fn a_record_says_how_far_the_change_had_come() {
        let (intent, steps) = (intent(), steps());
        let all = [Entry::Intent(intent.clone()), Entry::Ready(steps.clone()), Entry::Committed, Entry::Undone];
        let expected = [
            Progress::Nothing,
            Progress::Staging(intent.clone()),
            Progress::Swapping(intent.clone(), steps.clone()),
            Progress::Committed(intent.clone(), steps.clone()),
            Progress::Undone(intent, steps),
        ];
        for (count, expected) in expected.into_iter().enumerate() {
            assert_eq!(parse(text(&all[..count]).as_bytes()), Ok(expected));
        }
    }

    #[test]
    fn a_record_that_ends_anywhere_counts_up_to_its_last_whole_line() {
        let whole = text(&[Entry::Intent(intent()), Entry::Ready(steps()), Entry::Committed]);
        for end in 0..whole.len() {
            let lines = whole.as_bytes()[..end].iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
            assert_eq!(parse(&whole.as_bytes()[..end]), parse(&whole.as_bytes()[..lines]), "cut at {end}");
        }
    }

    #[test]
    fn a_flipped_bit_in_a_whole_line_is_noticed() {
        let whole = text(&[Entry::Intent(intent()), Entry::Ready(steps())]).into_bytes();
        for at in (0..whole.len()).filter(|&at| whole[at] != b'\n' && whole[at] ^ 1 != b'\n') {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            assert!(parse(&bytes).is_err(), "byte {at}");
        }
    }

    #[test]
    fn another_version_and_lines_out_of_order_are_no_record() {
        assert!(parse(b"quillgate journal 2\n").is_err());
        assert!(parse(b"something else").is_err());
        assert!(parse(text(&[Entry::Ready(steps())]).as_bytes()).is_err());
        assert!(parse(text(&[Entry::Intent(intent()), Entry::Committed]).as_bytes()).is_err());
    }

    #[test]
    fn no_path_and_no_name_of_a_record_leads_out_of_the_vault() {
        for hostile in ["../x.md", "/etc/passwd", ".obsidian/app.json", "a/../../x", ".trash/a.md"] {
            let json = format!(r#"{{"intent":{{"staged":[],"folders":["{hostile}"]}}}}"#);
            assert!(parse(format!("{HEADER}{} {json}\n", check_sum(&json)).as_bytes()).is_err(), "{hostile}");
        }
        for hostile in ["../../../../x", "0123456789abcde/", "", "0123456789ABCDEF"] {
            let json = format!(r#"{{"intent":{{"staged":[["a.md","{hostile}"]],"folders":[]}}}}"#);
            assert!(parse(format!("{HEADER}{} {json}\n", check_sum(&json)).as_bytes()).is_err(), "{hostile}");
        }
    }
}

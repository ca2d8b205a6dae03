//! Files of events: named after day and vault, appended to in whole lines, removed when they are old.

use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use anyhow::Context;
use cap_std::fs::{Dir, OpenOptions};
use jiff::ToSpan;
use jiff::civil::Date;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::data_folder;

const ENDING: &str = ".jsonl";
/// What may stand in a file name as it is, on any system.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_');
/// File systems take names of 255 bytes.
const LONGEST_VAULT: usize = 200;

pub(super) struct EventFiles {
    path: PathBuf,
    keep_days: Option<u32>,
    folder: Option<Dir>,
    /// The day whose old files have been removed.
    swept: Option<Date>,
}

impl EventFiles {
    pub(super) fn new(path: PathBuf, keep_days: Option<u32>) -> EventFiles {
        EventFiles { path, keep_days, folder: None, swept: None }
    }

    /// Several processes may do this with one file, one after the other.
    pub(super) fn append(&mut self, name: &str, lines: &[u8]) -> anyhow::Result<()> {
        let appended = self.open(name).and_then(|file| {
            let mut file = file.into_std();
            // Else a line that another process is writing would look torn. A file system without locks has to do without.
            let _ = file.lock();
            end_torn_line(&mut file)?;
            Ok(file.write_all(lines)?)
        });
        if appended.is_err() {
            // The folder may have been removed; the next attempt makes it anew.
            self.folder = None;
        }
        appended.with_context(|| format!("events cannot be written to {}", self.path.display()))
    }

    fn open(&mut self, name: &str) -> anyhow::Result<cap_std::fs::File> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(self.folder()?.open_with(name, &options)?)
    }

    fn folder(&mut self) -> anyhow::Result<&Dir> {
        let folder = match self.folder.take() {
            Some(folder) => folder,
            None => data_folder::open(&self.path)?,
        };
        Ok(self.folder.insert(folder))
    }

    /// Removes what is too old, once a day.
    pub(super) fn sweep(&mut self, today: Date) -> anyhow::Result<()> {
        let Some(keep_days) = self.keep_days else { return Ok(()) };
        if self.swept == Some(today) {
            return Ok(());
        }
        self.swept = Some(today);
        let Ok(oldest) = today.checked_sub(i64::from(keep_days).days()) else { return Ok(()) };
        let unreadable = format!("old events cannot be removed from {}", self.path.display());
        let folder = self.folder().context(unreadable.clone())?;
        for entry in folder.entries().context(unreadable.clone())? {
            let name = entry.context(unreadable.clone())?.file_name();
            let is_old = name.to_str().and_then(day_of).is_some_and(|day| day < oldest);
            if is_old {
                folder.remove_file(&name).context(unreadable.clone())?;
            }
        }
        Ok(())
    }
}

/// A line that a crash or a full disk has cut off must not take the next one with it.
fn end_torn_line(file: &mut std::fs::File) -> std::io::Result<()> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(());
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    if last == *b"\n" { Ok(()) } else { file.write_all(b"\n") }
}

/// `2026-07-10.jsonl` for what is about no vault, else `2026-07-10.<vault>.jsonl`.
pub(super) fn file_name(day: Date, vault: Option<&str>) -> String {
    let Some(vault) = vault else { return format!("{day}{ENDING}") };
    let mut written = utf8_percent_encode(vault, ESCAPED).to_string();
    if written.len() > LONGEST_VAULT {
        let hash = quillgate_vault::ContentHash::of(vault.as_bytes()).to_string();
        written.truncate(LONGEST_VAULT - 17);
        written = format!("{written}.{}", &hash[..16]);
    }
    format!("{day}.{written}{ENDING}")
}

/// The day of a file of ours; None for others, which are left alone.
fn day_of(name: &str) -> Option<Date> {
    let (day, rest) = name.strip_suffix(ENDING)?.split_at_checked(10)?;
    let is_ours = rest.is_empty() || rest.starts_with('.');
    let date: Date = day.parse().ok().filter(|_| is_ours)?;
    (date.to_string() == day).then_some(date)
}

//! Several files at once: all of them are changed or none, also when the process is killed in the middle.
//!
//! Everything is checked and staged first; then the journal says what is about to happen; then the files are swapped in,
//! and the old ones stay beside them under hidden names; then the journal says that it is done, and the old ones go.
//! Without a journal the same happens, but nobody takes up what a crash has interrupted.

use std::collections::HashMap;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use quillgate_markdown::fold;

use crate::core::{Core, open_subfolder};
use crate::history::{Announced, Recording, Seen};
use crate::journal::{HiddenName, Intent, Mark, Planned, Record, Spelling};
use crate::planned::{Handles, finish_all};
use crate::renaming::Kept;
use crate::temporary::Temporary;
use crate::transaction::{Step, check_before, check_unchanged};
use crate::{
    Change, Committed, ContentHash, Contents, Durability, Expect, Folders, NotePath, Stat, TrashOption, VaultError, Written,
};

/// A step whose preconditions hold.
struct Checked {
    step: Step,
    before: Option<(Contents, Mark)>,
    /// Of the bytes that are to be written.
    after: Option<ContentHash>,
    hidden: HiddenName,
}

/// A step that can be done: the new bytes are on disk.
struct Staged {
    checked: Checked,
    planned: Planned,
    temporary: Option<Temporary>,
    /// What the file system says right after the step; a later one may move the file on.
    after: Option<Stat>,
}

/// Carries out all steps, or none. The caller holds the locks of all paths.
pub(crate) fn commit_several(
    core: &Core,
    steps: Vec<Step>,
    folders: Folders,
    mut recording: Recording,
) -> Result<Committed, VaultError> {
    check_disjoint(&steps)?;
    let mut handles = Handles::new(core);
    let mut intent = Intent::default();
    let mut checked = steps
        .into_iter()
        .map(|step| check(&mut handles, step, folders, &mut intent, &mut recording))
        .collect::<Result<Vec<Checked>, VaultError>>()?;
    intent.change = recording.id();
    // What is put aside has no other name for a moment: as late as possible.
    checked.sort_by_key(|checked| matches!(checked.step, Step::Remove { .. }));
    let mut record = core.journal.as_ref().and_then(|journal| begin(journal, &intent, core.durability));
    let (mut staged, announced) = match stage_all(&mut handles, checked, &intent, record.as_mut(), recording) {
        Ok(staged) => staged,
        Err(error) => {
            intent.remove_folders(&mut handles);
            record.into_iter().for_each(Record::close);
            return Err(error);
        }
    };
    if let Err((error, done)) = swap_all(&mut handles, &mut staged, record.as_mut()) {
        take_back(&mut handles, &mut staged, done, &intent, record, announced);
        return Err(error);
    }
    // Before the journal forgets the change.
    let change = announced.settle(true);
    let mut trashed = Vec::new();
    close(finish_all(&mut handles, staged.iter().map(|staged| &staged.planned), &mut trashed), record);
    let written = staged.iter().filter_map(|staged| staged.tell(&mut handles)).collect();
    Ok(Committed { written, trashed, change })
}

/// A journal that cannot be written costs safety, not the service.
fn begin(journal: &Dir, intent: &Intent, durability: Durability) -> Option<Record> {
    match Record::begin(journal, intent, durability) {
        Ok(record) => Some(record),
        Err(error) => {
            tracing::warn!(%error, "the journal cannot be written; a crash now could leave some files changed and some not");
            None
        }
    }
}

/// Every path has one part in a change, except that a file may be written and then moved.
fn check_disjoint(steps: &[Step]) -> Result<(), VaultError> {
    #[derive(Clone, Copy, PartialEq)]
    enum Part {
        Written,
        Other,
    }
    let mut parts: HashMap<&NotePath, Part> = HashMap::new();
    for step in steps {
        match step {
            Step::Write { path, expect, .. } => match parts.insert(path, Part::Written) {
                Some(_) if *expect == Expect::Absent => return Err(VaultError::Exists(path.clone())),
                Some(_) => return Err(VaultError::Conflict(path.clone())),
                None => {}
            },
            Step::Rename { from, to } => {
                if parts.insert(from, Part::Other) == Some(Part::Other) {
                    return Err(VaultError::Conflict(from.clone()));
                }
                if from != to && parts.insert(to, Part::Other).is_some() {
                    return Err(VaultError::Exists(to.clone()));
                }
            }
            Step::Remove { path, .. } => {
                if parts.insert(path, Part::Other).is_some() {
                    return Err(VaultError::Conflict(path.clone()));
                }
            }
        }
    }
    Ok(())
}

fn check(
    handles: &mut Handles<'_>,
    step: Step,
    folders: Folders,
    intent: &mut Intent,
    recording: &mut Recording,
) -> Result<Checked, VaultError> {
    let core = handles.core;
    let hidden = HiddenName::fresh();
    let mut after = None;
    let before = match &step {
        Step::Write { path, bytes, expect } => {
            core.check_size(path, bytes.len() as u64)?;
            check_folders(handles, path, folders, intent)?;
            intent.staged.push((path.clone(), hidden.clone()));
            let before = check_before(path, *expect, core.read(path))?.map(known_by_bytes);
            let replaced = before.as_ref().map(|(contents, mark)| Seen::of(contents, mark.hash));
            let hash = *after.insert(ContentHash::of(bytes));
            recording.write(path, replaced, Seen::bytes(bytes, hash));
            before
        }
        Step::Rename { from, to } => {
            let before = known(handles, from)?;
            check_folders(handles, to, folders, intent)?;
            check_free(handles, from, to, &before.0.stat)?;
            recording.rename(from, to);
            Some(before)
        }
        Step::Remove { path, expect, option } => {
            let before = known(handles, path)?;
            let fits = match expect {
                Expect::Anything => true,
                Expect::Absent => return Err(VaultError::Exists(path.clone())),
                Expect::Hash(hash) => before.1.hash == Some(*hash),
            };
            if !fits {
                return Err(VaultError::Conflict(path.clone()));
            }
            check_trash(core, path, *option)?;
            recording.delete(path, Seen::of(&before.0, before.1.hash));
            Some(before)
        }
    };
    // The bytes of all files together may be more than fits.
    let before = before.map(|(contents, mark)| (Contents { bytes: Vec::new(), ..contents }, mark));
    Ok(Checked { step, before, after, hidden })
}

fn known_by_bytes(contents: Contents) -> (Contents, Mark) {
    let mark = Mark::new(&contents.stat, Some(contents.hash()));
    (contents, mark)
}

/// What a file is recognised by later. One too large to be read can be moved and deleted all the same.
fn known(handles: &mut Handles<'_>, path: &NotePath) -> Result<(Contents, Mark), VaultError> {
    let (folder, name) = handles.parent(path)?;
    let (_, stat) = handles.core.open_file(&folder, &name, path)?;
    if stat.size > handles.core.limits.file_bytes {
        return Ok((Contents { path: path.clone(), bytes: Vec::new(), stat }, Mark::new(&stat, None)));
    }
    handles.core.read(path).map(known_by_bytes)
}

/// Notes the folders on the way to `path` that have to be made.
fn check_folders(handles: &mut Handles<'_>, path: &NotePath, folders: Folders, intent: &mut Intent) -> Result<(), VaultError> {
    match handles.parent(path) {
        Err(VaultError::NotFound(_)) if folders == Folders::Create => {}
        Err(VaultError::NotFound(_)) => return Err(VaultError::FolderNotFound(path.parent())),
        other => return other.map(drop),
    }
    let from_io = |error| VaultError::from_io(path, error);
    let mut folder = Some(handles.core.root.try_clone().map_err(from_io)?);
    let mut reached = crate::FolderPath::ROOT;
    for segment in path.parent().segments() {
        let here = reached.join(segment)?;
        folder = match folder.map(|folder| open_subfolder(&folder, segment)).transpose() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Err(VaultError::NotFolder(path.parent())),
            other => other.map_err(from_io)?,
        };
        if folder.is_none() && !intent.folders.contains(&here) {
            intent.folders.push(here.clone());
        }
        reached = here.into();
    }
    Ok(())
}

/// Only another spelling of its own name may find the file itself at the new path.
pub(crate) fn check_free(handles: &mut Handles<'_>, from: &NotePath, to: &NotePath, stat: &Stat) -> Result<(), VaultError> {
    let Ok((target, name)) = handles.parent(to) else { return Ok(()) };
    let is_respelled = fold(from.as_str()) == fold(to.as_str());
    let found = target.symlink_metadata(&name);
    let occupied = found.is_ok_and(|found| !is_respelled || Stat::of(&found).inode != stat.inode);
    if occupied { Err(VaultError::Exists(to.clone())) } else { Ok(()) }
}

/// A trash that is a link or a file is noticed before anything is done.
fn check_trash(core: &Core, path: &NotePath, option: TrashOption) -> Result<(), VaultError> {
    if option != TrashOption::Local {
        return Ok(());
    }
    match core.root.open_dir_nofollow(".trash") {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(VaultError::from_io(path, error)),
        _ => Ok(()),
    }
}

fn stage_all(
    handles: &mut Handles<'_>,
    checked: Vec<Checked>,
    intent: &Intent,
    record: Option<&mut Record>,
    recording: Recording,
) -> Result<(Vec<Staged>, Announced), VaultError> {
    intent.make_folders(handles)?;
    let mut staged: Vec<Staged> = Vec::with_capacity(checked.len());
    let mut written = HashMap::new();
    for checked in checked {
        let next = stage(handles, checked, &written)?;
        if let Planned::Put { path, after, .. } = &next.planned {
            written.insert(path.clone(), *after);
        }
        staged.push(next);
    }
    // Before the journal is ready: what a restart finishes has to be in the history.
    let announced = recording.announce()?;
    if let Some(record) = record {
        // The names of the staged files must be on disk before the journal counts on them.
        handles.sync();
        let steps: Vec<Planned> = staged.iter().map(|staged| staged.planned.clone()).collect();
        record.ready(&steps).map_err(|error| VaultError::from_io(staged[0].checked.step.path(), error))?;
    }
    Ok((staged, announced))
}

fn stage(handles: &mut Handles<'_>, checked: Checked, written: &HashMap<NotePath, Mark>) -> Result<Staged, VaultError> {
    let before = checked.before.as_ref().map(|(_, mark)| *mark);
    let missing = || VaultError::NotFound(checked.step.path().clone());
    let mut temporary = None;
    let planned = match &checked.step {
        Step::Write { path, bytes, .. } => {
            let (folder, _) = handles.parent(path)?;
            let from_io = |error| VaultError::from_io(path, error);
            let replaced = checked.before.as_ref().map(|(contents, _)| contents);
            let new = Temporary::write(folder, checked.hidden.staged(), bytes, replaced, handles.core.durability);
            let new = temporary.insert(new.map_err(from_io)?);
            let stat = new.stat().ok_or_else(missing)?;
            let after = Mark::new(&stat, checked.after);
            Planned::Put { path: path.clone(), staged: checked.hidden.clone(), before, after }
        }
        Step::Rename { from, to } => {
            let before = before.ok_or_else(missing)?;
            let moved = written.get(from).copied().unwrap_or(before);
            let spelled = Spelling::new(from, &handles.parent(from)?.1);
            Planned::Move { from: from.clone(), spelled, to: to.clone(), before, moved }
        }
        Step::Remove { path, option, .. } => {
            let before = before.ok_or_else(missing)?;
            let spelled = Spelling::new(path, &handles.parent(path)?.1);
            Planned::Take { path: path.clone(), spelled, aside: checked.hidden.clone(), before, option: (*option).into() }
        }
    };
    Ok(Staged { checked, planned, temporary, after: None })
}

/// Does all steps and marks the change as done. An error comes with the number of steps that were done before it.
fn swap_all(handles: &mut Handles<'_>, staged: &mut [Staged], record: Option<&mut Record>) -> Result<(), (VaultError, usize)> {
    for (done, staged) in staged.iter_mut().enumerate() {
        staged.swap(handles).map_err(|error| (error, done))?;
    }
    handles.sync();
    let committed = record.map_or(Ok(()), Record::commit);
    committed.map_err(|error| (VaultError::from_io(staged[0].checked.step.path(), error), staged.len()))
}

impl Staged {
    fn swap(&mut self, handles: &mut Handles<'_>) -> Result<(), VaultError> {
        let path = self.checked.step.path().clone();
        let expected = match &self.planned {
            // As the `Put` before it left the file.
            Planned::Move { moved, before, .. } if moved != before => None,
            _ => Some(self.checked.before.as_ref().map(|(contents, _)| contents.stat)),
        };
        let (folder, name) = handles.parent(&path)?;
        if let Some(expected) = expected {
            check_unchanged(&folder, &name, &path, expected)?;
        }
        let kept = self.planned.forward(handles)?;
        match &self.planned {
            Planned::Put { staged, .. } => {
                if let Some(temporary) = &mut self.temporary {
                    temporary.keep();
                    // Of the bytes we wrote, even if somebody has replaced the file since.
                    self.after = temporary.stat();
                }
                if kept == Some(Kept::Exchanged) {
                    self.check_replaced(handles, &folder, &staged.staged())?;
                }
            }
            Planned::Move { to, .. } => {
                let (target, new_name) = handles.parent(to)?;
                self.after = target.symlink_metadata(&new_name).ok().map(|metadata| Stat::of(&metadata));
            }
            Planned::Take { .. } => {}
        }
        Ok(())
    }

    /// Whoever replaced the file in the instant before the exchange gets it back.
    fn check_replaced(&self, handles: &mut Handles<'_>, folder: &Dir, staged: &str) -> Result<(), VaultError> {
        let path = self.checked.step.path();
        let expected = self.checked.before.as_ref().map(|(contents, _)| contents.stat);
        let Err(error) = check_unchanged(folder, &staged.into(), path, expected) else { return Ok(()) };
        self.planned.back(handles)?;
        Err(error)
    }

    fn is_ours(&self, handles: &mut Handles<'_>) -> bool {
        let path = match &self.planned {
            Planned::Put { path, .. } => path,
            Planned::Move { to, .. } => to,
            Planned::Take { .. } => return true,
        };
        let Ok((folder, name)) = handles.parent(path) else { return false };
        let now = folder.symlink_metadata(&name).ok().map(|metadata| Stat::of(&metadata));
        matches!((self.after, now), (Some(after), Some(now)) if after.same_file_as(&now))
    }

    /// Tells the observers. A file that somebody removed right behind us is left for the watcher to notice.
    fn tell(&self, handles: &mut Handles<'_>) -> Option<Written> {
        let core = handles.core;
        match (&self.checked.step, &self.planned) {
            (Step::Write { path, bytes, .. }, Planned::Put { after, .. }) => {
                let (stat, hash) = (self.after?, after.hash?);
                core.tell(&Change::Written { path, bytes, hash, stat });
                Some(Written { path: path.clone(), created: self.checked.before.is_none(), hash, stat })
            }
            (Step::Rename { from, to }, _) => {
                core.tell(&Change::Renamed { from, to, stat: self.after? });
                None
            }
            (Step::Remove { path, .. }, _) => {
                let (folder, name) = handles.parent(path).ok()?;
                if folder.symlink_metadata(&name).is_err() {
                    core.tell(&Change::Removed { path });
                }
                None
            }
            (Step::Write { .. }, _) => None,
        }
    }
}

/// Puts the old state back after a step failed. What cannot be put back now is tried again at the next start.
fn take_back(
    handles: &mut Handles<'_>,
    staged: &mut [Staged],
    done: usize,
    intent: &Intent,
    record: Option<Record>,
    announced: Announced,
) {
    let mut all = true;
    for staged in staged[..done].iter().rev() {
        let path = staged.checked.step.path();
        if !staged.is_ours(handles) {
            tracing::warn!(%path, "not taken back, because somebody has changed it since");
        } else if let Err(error) = staged.planned.back(handles) {
            tracing::error!(%path, %error, "a change could not be taken back");
            all = false;
        }
    }
    staged.iter_mut().filter_map(|staged| staged.temporary.as_mut()).for_each(Temporary::keep);
    // The old bytes are beside the file still.
    if !all {
        announced.leave();
        return;
    }
    handles.sync();
    let mut record = record;
    if let Some(Err(error)) = record.as_mut().map(Record::undone) {
        tracing::warn!(%error, "the journal cannot be written");
    }
    announced.settle(false);
    let cleared = staged.iter().try_for_each(|staged| staged.planned.clear(handles));
    intent.remove_folders(handles);
    close(cleared, record);
}

/// A record of which something is left to tidy up stays for the next start.
fn close(tidied: Result<(), VaultError>, record: Option<Record>) {
    match tidied {
        Ok(()) => record.into_iter().for_each(Record::close),
        Err(error) => tracing::warn!(%error, "a hidden file could not be removed yet"),
    }
}

//! What an earlier process left unfinished is finished, or taken back, before anybody reads or writes.
//!
//! Files decide how far a change had come, by their bytes. A change is finished if every step of it can be; else it is
//! taken back. A file that is neither as before the change nor as after it belongs to somebody else and is left alone.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};

use cap_std::fs::Dir;
use sha2::{Digest, Sha256};

use crate::core::Core;
use crate::journal::{Intent, Mark, Planned, Progress, Record, records};
use crate::planned::{Handles, finish_all, found};
use crate::{ChangeId, ContentHash, NotePath, Stat, VaultError};

/// What was found in the journal when the vault was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Changes that were finished, and those that were taken back.
    pub finished: usize,
    pub undone: usize,
    /// Files that somebody else had changed meanwhile, which were left as they are.
    pub kept: Vec<NotePath>,
    /// Records that could not be read, under their new names in the journal's folder.
    pub set_aside: Vec<String>,
    /// Records of changes that are under way in another process, or that have to wait for another start.
    pub left: Vec<String>,
}

enum Outcome {
    Finished,
    Undone,
    /// Nothing had been done.
    Nothing,
    Damaged,
    Left,
}

/// What a step still needs in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Nothing,
    Do,
    Cannot,
}

/// What the files say about a step.
#[derive(Clone, Copy, Debug)]
struct Standing {
    forward: Way,
    back: Way,
    /// Somebody else has changed the file.
    is_foreign: bool,
}

impl Core {
    /// Also says of every change by its name in the history whether it was finished, if that is known.
    pub(crate) fn recover(&self) -> (Recovery, HashMap<ChangeId, Option<bool>>) {
        let (mut recovery, mut settled) = (Recovery::default(), HashMap::new());
        let Some(journal) = &self.journal else { return (recovery, settled) };
        let names = records(journal).unwrap_or_else(|error| {
            tracing::warn!(%error, "the journal cannot be read; a change that was interrupted stays so");
            Vec::new()
        });
        for name in names {
            match self.recover_record(journal, &name, &mut recovery, &mut settled) {
                Ok(Outcome::Finished) => recovery.finished += 1,
                Ok(Outcome::Undone) => recovery.undone += 1,
                Ok(Outcome::Nothing | Outcome::Damaged) => {}
                Ok(Outcome::Left) => recovery.left.push(name),
                Err(error) => {
                    tracing::warn!(%error, journal = %name, "an interrupted change cannot be recovered now; the next start tries again");
                    recovery.left.push(name);
                }
            }
        }
        (recovery, settled)
    }

    fn recover_record(
        &self,
        journal: &Dir,
        name: &str,
        recovery: &mut Recovery,
        settled: &mut HashMap<ChangeId, Option<bool>>,
    ) -> io::Result<Outcome> {
        let Some(mut record) = Record::claim(journal, name, self.durability)? else { return Ok(Outcome::Left) };
        let progress = match record.progress()? {
            Ok(progress) => progress,
            Err(damage) => {
                let kept = record.set_aside()?;
                tracing::warn!(journal = %kept, %damage, "a journal record cannot be used and was set aside; look at the files it names");
                recovery.set_aside.push(kept);
                return Ok(Outcome::Damaged);
            }
        };
        settled.extend(progress.change().map(|change| (change, None)));
        let paths = progress.paths();
        let _guards = self.locks.lock(&paths).map_err(io::Error::other)?;
        let mut handles = Handles::new(self);
        let outcome = match &progress {
            Progress::Nothing => Outcome::Nothing,
            Progress::Staging(intent) => {
                intent.clear(&mut handles).map_err(io::Error::other)?;
                Outcome::Nothing
            }
            Progress::Swapping(intent, steps) => {
                let outcome = resolve(&mut handles, intent, steps, &mut record, &mut recovery.kept);
                outcome.map_err(io::Error::other)?
            }
            Progress::Committed(_, steps) => {
                finish_all(&mut handles, steps, &mut Vec::new()).map_err(io::Error::other)?;
                Outcome::Finished
            }
            Progress::Undone(intent, steps) => {
                clear(&mut handles, intent, steps).map_err(io::Error::other)?;
                Outcome::Undone
            }
        };
        record.close();
        settled.extend(progress.change().map(|change| (change, Some(matches!(outcome, Outcome::Finished)))));
        Ok(outcome)
    }
}

impl Progress {
    fn plan(&self) -> Option<(&Intent, &[Planned])> {
        match self {
            Progress::Nothing => None,
            Progress::Staging(intent) => Some((intent, &[])),
            Progress::Swapping(intent, steps) | Progress::Committed(intent, steps) | Progress::Undone(intent, steps) => {
                Some((intent, steps))
            }
        }
    }

    fn change(&self) -> Option<ChangeId> {
        self.plan().and_then(|(intent, _)| intent.change)
    }

    /// The paths whose locks it takes.
    fn paths(&self) -> Vec<NotePath> {
        let Some((intent, steps)) = self.plan() else { return Vec::new() };
        let staged = intent.staged.iter().map(|(path, _)| path);
        staged.chain(steps.iter().flat_map(Planned::paths)).cloned().collect()
    }
}

fn resolve(
    handles: &mut Handles<'_>,
    intent: &Intent,
    steps: &[Planned],
    record: &mut Record,
    kept: &mut Vec<NotePath>,
) -> Result<Outcome, VaultError> {
    let standings = look_at_all(handles, steps)?;
    for (step, standing) in steps.iter().zip(&standings) {
        let path = step.paths().next().expect("every step has a path");
        if standing.is_foreign && !kept.contains(path) {
            tracing::warn!(%path, "somebody changed this file while a change of several files was interrupted; it is left as it is");
            kept.push(path.clone());
        }
    }
    let stuck = |way: fn(&Standing) -> Way| standings.iter().filter(|standing| way(standing) == Way::Cannot).count();
    let to_record = |error| VaultError::from_io(steps[0].paths().next().expect("every step has a path"), error);
    if stuck(|standing| standing.forward) <= stuck(|standing| standing.back) {
        for (step, _) in steps.iter().zip(&standings).filter(|(_, standing)| standing.forward == Way::Do) {
            step.forward(handles)?;
        }
        handles.sync();
        record.commit().map_err(to_record)?;
        finish_all(handles, steps, &mut Vec::new())?;
        tracing::info!(files = steps.len(), "finished a change that a crash had interrupted");
        return Ok(Outcome::Finished);
    }
    for (step, _) in steps.iter().zip(&standings).rev().filter(|(_, standing)| standing.back == Way::Do) {
        step.back(handles)?;
    }
    handles.sync();
    record.undone().map_err(to_record)?;
    clear(handles, intent, steps)?;
    tracing::info!(files = steps.len(), "took back a change that a crash had interrupted");
    Ok(Outcome::Undone)
}

fn clear(handles: &mut Handles<'_>, intent: &Intent, steps: &[Planned]) -> Result<(), VaultError> {
    steps.iter().try_for_each(|step| step.clear(handles))?;
    intent.remove_folders(handles);
    handles.sync();
    Ok(())
}

fn look_at_all(handles: &mut Handles<'_>, steps: &[Planned]) -> Result<Vec<Standing>, VaultError> {
    let moves: HashMap<&NotePath, &NotePath> = steps
        .iter()
        .filter_map(|step| match step {
            Planned::Move { from, to, .. } => Some((from, to)),
            _ => None,
        })
        .collect();
    steps
        .iter()
        .map(|step| match step {
            Planned::Put { path, before, after, .. } => {
                let moved_on = moves.get(path).copied();
                look_at_put(handles, step, path, before.as_ref(), after, moved_on)
            }
            Planned::Move { from, to, before, moved, .. } => look_at_move(handles, from, to, before, moved),
            Planned::Take { path, before, .. } => look_at_take(handles, step, path, before),
        })
        .collect()
}

const NOT_DONE: Standing = Standing { forward: Way::Do, back: Way::Nothing, is_foreign: false };
const DONE: Standing = Standing { forward: Way::Nothing, back: Way::Do, is_foreign: false };
const FOREIGN: Standing = Standing { forward: Way::Nothing, back: Way::Nothing, is_foreign: true };

fn look_at_put(
    handles: &mut Handles<'_>,
    step: &Planned,
    path: &NotePath,
    before: Option<&Mark>,
    after: &Mark,
    moved_on: Option<&NotePath>,
) -> Result<Standing, VaultError> {
    let Planned::Put { staged, .. } = step else { return Ok(FOREIGN) };
    let mut hidden = [Sight::beside(handles, path, &staged.staged())?, Sight::beside(handles, path, &staged.aside())?];
    let mut sight = Sight::of(handles, path)?;
    if matches!(sight, Sight::Nothing)
        && let Some(to) = moved_on
    {
        sight = Sight::of(handles, to)?;
    }
    if sight.is(after) {
        let is_strange = matches!(hidden[0], Sight::File { .. }) && !hidden[0].is(after);
        if is_strange && before.is_some_and(|before| !hidden[0].is(before)) {
            // Somebody wrote the file in the instant before it was exchanged, and gets it back.
            step.back(handles)?;
            return Ok(FOREIGN);
        }
        let can_go_back = match before {
            None => true,
            Some(before) => hidden[0].is(before) || hidden[1].is(before),
        };
        return Ok(Standing { back: if can_go_back { Way::Do } else { Way::Cannot }, ..DONE });
    }
    let is_as_before = match before {
        Some(before) => sight.is(before),
        None => matches!(sight, Sight::Nothing),
    };
    if !is_as_before {
        return Ok(FOREIGN);
    }
    Ok(Standing { forward: if hidden[0].is(after) { Way::Do } else { Way::Cannot }, ..NOT_DONE })
}

fn look_at_move(
    handles: &mut Handles<'_>,
    from: &NotePath,
    to: &NotePath,
    before: &Mark,
    moved: &Mark,
) -> Result<Standing, VaultError> {
    let (mut source, mut target) = (Sight::of(handles, from)?, Sight::of(handles, to)?);
    let is_source = source.is(before) || source.is(moved);
    if is_source && source.is_same_file_as(&target) {
        // Another spelling of one name: renaming it once more does no harm in either direction.
        return Ok(Standing { forward: Way::Do, back: Way::Do, is_foreign: false });
    }
    let is_target = target.is(moved);
    Ok(match (&source, &target) {
        (Sight::Nothing, Sight::Nothing) => FOREIGN,
        (Sight::Nothing, _) if is_target => DONE,
        (_, Sight::Nothing) if is_source => NOT_DONE,
        // It was moved, and has been changed since or has something new in its old place.
        (Sight::Nothing, _) => Standing { forward: Way::Nothing, back: Way::Cannot, is_foreign: true },
        _ if is_target && !is_source => Standing { forward: Way::Nothing, back: Way::Cannot, is_foreign: true },
        // It was changed before it could be moved, or its new place is taken.
        _ => Standing { forward: Way::Cannot, back: Way::Nothing, is_foreign: true },
    })
}

fn look_at_take(handles: &mut Handles<'_>, step: &Planned, path: &NotePath, before: &Mark) -> Result<Standing, VaultError> {
    let Planned::Take { aside, .. } = step else { return Ok(FOREIGN) };
    let mut sight = Sight::of(handles, path)?;
    let is_aside = Sight::beside(handles, path, &aside.aside())?.is(before);
    let is_there = sight.is(before);
    Ok(match sight {
        Sight::Nothing if is_aside => DONE,
        Sight::Nothing => Standing { back: Way::Cannot, ..DONE },
        _ if is_there => NOT_DONE,
        _ if is_aside => Standing { forward: Way::Nothing, back: Way::Cannot, is_foreign: true },
        _ => FOREIGN,
    })
}

/// What is at a place where a file is expected.
enum Sight {
    Nothing,
    File {
        file: File,
        stat: Stat,
        hash: Option<ContentHash>,
    },
    /// A folder, a link, or something else that is not opened.
    Other,
}

impl Sight {
    fn of(handles: &mut Handles<'_>, path: &NotePath) -> Result<Sight, VaultError> {
        match handles.parent(path) {
            Err(VaultError::Link(_)) => Ok(Sight::Other),
            parent => match found(parent)? {
                None => Ok(Sight::Nothing),
                Some((folder, name)) => Sight::from(handles.core.open_file(&folder, &name, path)),
            },
        }
    }

    fn beside(handles: &mut Handles<'_>, path: &NotePath, name: &str) -> Result<Sight, VaultError> {
        match handles.parent(path) {
            Err(VaultError::Link(_)) => Ok(Sight::Other),
            parent => match found(parent)? {
                None => Ok(Sight::Nothing),
                Some((folder, _)) => Sight::from(handles.core.open_file(&folder, name.as_ref(), path)),
            },
        }
    }

    fn from(opened: Result<(cap_std::fs::File, Stat), VaultError>) -> Result<Sight, VaultError> {
        match opened {
            Ok((file, stat)) => Ok(Sight::File { file: file.into_std(), stat, hash: None }),
            Err(VaultError::NotFound(_)) => Ok(Sight::Nothing),
            Err(VaultError::Link(_) | VaultError::IsFolder(_) | VaultError::NotRegular(_) | VaultError::Offline(_)) => {
                Ok(Sight::Other)
            }
            Err(error) => Err(error),
        }
    }

    fn is(&mut self, mark: &Mark) -> bool {
        let Sight::File { file, stat, hash } = self else { return false };
        if stat.size != mark.size {
            return false;
        }
        let Some(expected) = mark.hash else {
            return (stat.modified, stat.inode) == (mark.modified, mark.inode);
        };
        if hash.is_none() {
            // A file that cannot be read is not one that we know.
            *hash = hash_of(file).ok();
        }
        *hash == Some(expected)
    }

    fn is_same_file_as(&self, other: &Sight) -> bool {
        let inode = |sight: &Sight| match sight {
            Sight::File { stat, .. } => stat.inode,
            _ => 0,
        };
        inode(self) != 0 && inode(self) == inode(other)
    }
}

fn hash_of(mut file: &File) -> io::Result<ContentHash> {
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; 64 << 10]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(ContentHash(hasher.finalize().into())),
            count => hasher.update(&buffer[..count]),
        }
    }
}

//! A note that is changed: as it was when the change was planned, and what is said of it afterwards.

use quillgate_vault::{ContentHash, Expect, Folders, NotePath, Stat};

use crate::context::Context;
use crate::expected_hash::ExpectedHash;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::time;

/// A text file as it is now.
pub(crate) struct NoteEdit {
    pub(crate) path: NotePath,
    pub(crate) text: String,
    hash: ContentHash,
    stat: Stat,
}

/// What every answer says of a note that was changed.
pub(crate) struct Changed {
    pub(crate) path: String,
    pub(crate) content_hash: String,
    pub(crate) updated_at: String,
}

impl NoteEdit {
    pub(crate) fn read(context: &Context<'_>, path: NotePath, expected: &ExpectedHash) -> Result<NoteEdit, Failure> {
        let contents = context.vault().read(&path)?;
        let (hash, stat) = (contents.hash(), contents.stat);
        expected.check(&path, Some(hash))?;
        Ok(NoteEdit { path, text: contents.into_text()?, hash, stat })
    }

    /// Plans to give the file this text; the same text changes nothing.
    pub(crate) fn plan<'c, O>(
        self,
        context: &'c Context<'_>,
        after: String,
        answer: impl FnOnce(Changed) -> O + 'c,
    ) -> Plan<'c, O> {
        let content_hash = ContentHash::of(after.as_bytes()).to_string();
        let shown = self.path.to_string();
        let mut change = context.vault().transaction(Folders::MustExist);
        if after != self.text {
            change = change.write(self.path, after.into_bytes(), Expect::Hash(self.hash));
        }
        Plan::new(change, move |committed| {
            let written = committed.and_then(|committed| committed.written.first());
            let updated_at = time::shown(written.map_or(self.stat.modified, |written| written.stat.modified));
            Ok(answer(Changed { path: shown, content_hash, updated_at }))
        })
    }
}

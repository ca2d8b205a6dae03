//! Several changes as one.

use quillgate_index::Move;
use quillgate_markdown::{set_property, str_replace};
use quillgate_vault::{Compared, ContentHash, NotePath, Transaction, VaultError, unified_diff};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change::{Change, SentChange, read_all};
use crate::context::Context;
use crate::draft::{Draft, Drafted, DraftedOp};
use crate::expected_hash::ExpectedHash;
use crate::failure::{Failure, Issue};
use crate::new_text::with_properties;
use crate::note_text::{in_style_of, must_be_note, property_value};
use crate::plan::Plan;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Rate, Spec};

/// More are put before a human first.
const MOST_UNASKED: usize = 50;
const MOST_DIFF_BYTES: usize = 100_000;

/// Make up to 500 changes at once, all or nothing: create, edit, move and delete files, set properties. They take effect in their order, so later ones see what earlier ones did; moves rewrite every link that would break. One change in the history. With dry_run true it returns a diff and changes nothing.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Apply {
    /// The changes, in their order
    #[schemars(length(min = 1, max = 500))]
    changes: Vec<SentChange>,
    /// Only say what would change
    #[serde(default)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    /// Every file that is different now, by path; also those of which only links changed
    changed: Vec<Changed>,
    /// Links that moves have rewritten
    links_updated: usize,
    dry_run: bool,
    /// What would change, in a dry run
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Changed {
    path: String,
    /// create, edit, move or delete
    op: &'static str,
    /// Where a moved file was
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
}

impl ChangeTool for Apply {
    const SPEC: Spec = Spec::writing("apply", "Apply changes", Effect::Change, Idempotency::Keyed)
        .scopes(&["write:notes", "delete:notes", "bulk:notes"])
        .rate(Rate::Bulk)
        .confirm(Confirm::When(
            "if it deletes a file, replaces a whole file without expected_hash, or touches more than 50 files",
        ));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let mut work =
            Work { context, draft: Draft::new(context.vault()), links: 0, overwritten: Vec::new(), deleted: Vec::new() };
        work.take_all(read_all(&self.changes)?)?;
        let Work { draft, links, overwritten, deleted, .. } = work;
        let drafted = draft.drafted();
        let touched = drafted.len();
        let change = draft.into_change()?;
        let diff = self.dry_run.then(|| diff_of(&change)).transpose()?;
        let outcome =
            Outcome { changed: drafted.into_iter().map(shown).collect(), links_updated: links, dry_run: self.dry_run, diff };
        Ok(Plan::new(change, move |_| Ok(outcome))
            .ask_if(!deleted.is_empty(), format!("deletes {}", deleted.join(", ")))
            .ask_if(!overwritten.is_empty(), format!("replaces all of {}", overwritten.join(", ")))
            .ask_if(touched > MOST_UNASKED, format!("touches {touched} files"))
            .dry_run(self.dry_run))
    }
}

/// The changes as they are taken one after the other.
struct Work<'c> {
    context: &'c Context<'c>,
    draft: Draft<'c>,
    links: usize,
    overwritten: Vec<String>,
    deleted: Vec<String>,
}

impl Work<'_> {
    /// Moves that follow one another happen at once, so that files can take each other's places.
    fn take_all(&mut self, changes: Vec<Change>) -> Result<(), Failure> {
        let mut moves: Vec<Move> = Vec::new();
        for (at, change) in changes.into_iter().enumerate() {
            let Change::Move { from, to } = change else {
                self.take_moves(std::mem::take(&mut moves))?;
                self.take(change).map_err(|failure| at_change(at, failure))?;
                continue;
            };
            // One that can only mean what an earlier one has moved there comes after it.
            let is_moved = moves.iter().any(|(other, _)| *other == from);
            let comes = moves.iter().any(|(_, other)| *other == from);
            if is_moved || comes && !self.draft.is_there(&from)? {
                self.take_moves(std::mem::take(&mut moves))?;
            }
            moves.push((from, to));
        }
        self.take_moves(moves)
    }

    fn take_moves(&mut self, moves: Vec<Move>) -> Result<(), Failure> {
        for (from, to) in &moves {
            must_have_extension(to, || from.is_note())?;
            if !self.draft.is_there(from)? {
                return Err(VaultError::NotFound(from.clone()).into());
            }
        }
        if !moves.is_empty() {
            let catalogue = self.context.index()?.settled_catalogue();
            let (_, links) = self.draft.relink(&catalogue, &moves)?;
            self.links += links;
        }
        self.draft.rename_all(&moves)
    }

    fn take(&mut self, change: Change) -> Result<(), Failure> {
        match change {
            Change::Create { path, content, frontmatter } => {
                must_have_extension(&path, || true)?;
                if self.draft.is_there(&path)? {
                    return Err(VaultError::Exists(path).into());
                }
                let text = with_properties(&path, &content, frontmatter.as_ref())?;
                self.draft.write(&path, text.into_bytes())
            }
            Change::Replace { path, old, new, expected } => {
                let text = self.text(&path, &expected)?;
                let edit = str_replace(&text, &old, &new).map_err(|error| Failure::Edit(format!("{path}: {error}")))?;
                self.draft.write(&path, edit.apply(&text).into_bytes())
            }
            Change::Rewrite { path, content, expected } => self.rewrite(&path, &content, &expected),
            Change::Delete { path, expected } => {
                self.check(&path, &expected)?;
                self.deleted.push(path.to_string());
                self.draft.remove(&path, self.context.vault().app_settings().trash)
            }
            Change::SetProperty { path, key, value } => {
                must_be_note(&path)?;
                let text = self.text(&path, &ExpectedHash::default())?;
                let edits = set_property(&text, &key, &property_value(&value));
                let edits = edits.map_err(|error| Failure::Edit(format!("{path}: {error}")))?;
                self.draft.write(&path, edits.apply(&text).into_bytes())
            }
            Change::Move { from, to } => self.take_moves(vec![(from, to)]),
        }
    }

    fn rewrite(&mut self, path: &NotePath, content: &str, expected: &ExpectedHash) -> Result<(), Failure> {
        self.check(path, expected)?;
        let before = self.draft.bytes(path)?;
        if !expected.is_given() && !before.is_empty() && self.draft.is_old(path)? {
            self.overwritten.push(path.to_string());
        }
        let styled = str::from_utf8(&before).map_or_else(|_| content.to_owned(), |old| in_style_of(old, content));
        self.draft.write(path, styled.into_bytes())
    }

    fn text(&mut self, path: &NotePath, expected: &ExpectedHash) -> Result<String, Failure> {
        self.check(path, expected)?;
        let bytes = self.draft.bytes(path)?;
        let is_text = !quillgate_vault::is_binary(&bytes);
        let text = String::from_utf8(bytes).ok().filter(|_| is_text);
        text.ok_or_else(|| VaultError::NotText(path.clone(), "its bytes are not UTF-8").into())
    }

    /// What the caller has seen is the file on disk, whatever was done to it since in this call.
    fn check(&mut self, path: &NotePath, expected: &ExpectedHash) -> Result<(), Failure> {
        if !self.draft.is_there(path)? {
            return Err(VaultError::NotFound(path.clone()).into());
        }
        if !expected.is_given() {
            return Ok(());
        }
        let seen = self.draft.hash_before(path)?;
        expected.check(path, Some(seen))
    }
}

/// Texts that say nothing about the file get the number of their change.
fn at_change(at: usize, failure: Failure) -> Failure {
    match failure {
        Failure::Edit(problem) => Failure::Edit(format!("changes[{at}]: {problem}")),
        failure => failure,
    }
}

fn must_have_extension(path: &NotePath, is_note: impl FnOnce() -> bool) -> Result<(), Failure> {
    if path.extension().is_empty() && is_note() {
        let issue = Issue::new("changes", format!("name {path}, which has no extension; did you mean {path}.md?"));
        return Err(Failure::InvalidInput(vec![issue]));
    }
    Ok(())
}

fn shown(drafted: Drafted) -> Changed {
    let (op, from) = match drafted.op {
        DraftedOp::Create => ("create", None),
        DraftedOp::Edit => ("edit", None),
        DraftedOp::Move { from } => ("move", Some(from.to_string())),
        DraftedOp::Delete => ("delete", None),
    };
    let content_hash = drafted.hash.as_ref().map(ContentHash::to_string);
    Changed { path: drafted.path.to_string(), op, from, content_hash }
}

fn diff_of(change: &Transaction) -> Result<String, Failure> {
    let mut diff = String::new();
    for preview in change.preview()? {
        let room = MOST_DIFF_BYTES.saturating_sub(diff.len());
        if room == 0 {
            diff.push_str("… (cut)");
            break;
        }
        let (before, after) = (preview.before.as_deref(), preview.after.as_deref());
        diff.push_str(&unified_diff(&Compared { path: &preview.path, moved_to: preview.to.as_ref(), before, after }, room));
    }
    Ok(diff)
}

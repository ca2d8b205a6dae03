//! Writing a note whole.

use quillgate_markdown::set_property;
use quillgate_vault::{ContentHash, Contents, Expect, Folders, NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::Context;
use crate::expected_hash::ExpectedHash;
use crate::failure::{Failure, Issue};
use crate::note_text::{in_style_of, property_values};
use crate::plan::Plan;
use crate::time;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Spec};

/// Create a note, or replace its whole text. To change part of a note use patch_note or append_note, which cannot lose the rest; for properties alone use update_frontmatter.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteNote {
    /// Note, relative to the vault, with its extension (.md)
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// The complete Markdown text
    content: String,
    /// Properties to set in the frontmatter of content, which is made if it has none
    #[serde(default)]
    frontmatter: Option<Map<String, Value>>,
    /// create fails if the note exists, overwrite fails if it does not, upsert does either
    #[serde(default)]
    mode: Mode,
    /// Make missing folders
    #[serde(default = "yes")]
    create_dirs: bool,
    #[serde(default)]
    expected_hash: ExpectedHash,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[default]
    Create,
    Overwrite,
    Upsert,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    mode_used: Mode,
    content_hash: String,
    /// What the note was before
    #[serde(skip_serializing_if = "Option::is_none")]
    prev_hash: Option<String>,
    was_created: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
}

impl ChangeTool for WriteNote {
    const SPEC: Spec = Spec::writing("write_note", "Write a note", Effect::Change, Idempotency::Keyed)
        .confirm(Confirm::When("if it replaces a note that is not empty and expected_hash is not given"));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = NotePath::parse(&self.path)?;
        let before = self.before(context, &path)?;
        let after = self.text(&path, before.as_ref())?.into_bytes();
        let (content_hash, prev_hash) = (ContentHash::of(&after), before.as_ref().map(Contents::hash));
        let folders = if self.create_dirs { Folders::Create } else { Folders::MustExist };
        let mut change = context.vault().transaction(folders);
        if prev_hash != Some(content_hash) {
            change = change.write(path.clone(), after, prev_hash.map_or(Expect::Absent, Expect::Hash));
        }
        let replaced = before.as_ref().map_or(0, |before| before.bytes.len());
        let must_ask = replaced > 0 && !self.expected_hash.is_given();
        let reason = format!("it replaces all {replaced} bytes of {path}");
        let (mode_used, known) = (self.mode, before.map(|before| before.stat.modified));
        let finish = move |committed: Option<&quillgate_vault::Committed>| {
            let written = committed.and_then(|committed| committed.written.first());
            let at = written.map(|written| written.stat.modified).or(known).map(time::shown);
            let (created_at, updated_at) = if prev_hash.is_none() { (at, None) } else { (None, at) };
            Ok(Outcome {
                path: path.to_string(),
                mode_used,
                content_hash: content_hash.to_string(),
                prev_hash: prev_hash.map(|hash| hash.to_string()),
                was_created: prev_hash.is_none(),
                created_at,
                updated_at,
            })
        };
        Ok(Plan::new(change, finish).ask_if(must_ask, reason))
    }
}

impl WriteNote {
    /// The note as it is, if that fits what the caller expects.
    fn before(&self, context: &Context<'_>, path: &NotePath) -> Result<Option<Contents>, Failure> {
        let before = match context.vault().read(path) {
            Ok(contents) => Some(contents),
            Err(VaultError::NotFound(_)) => None,
            Err(error) => return Err(error.into()),
        };
        match (self.mode, &before) {
            (Mode::Create, Some(_)) => return Err(VaultError::Exists(path.clone()).into()),
            (Mode::Overwrite, None) => return Err(VaultError::NotFound(path.clone()).into()),
            (_, None) if path.extension().is_empty() => {
                let issue = Issue::new("path", format!("has no extension; did you mean {path}.md?"));
                return Err(Failure::InvalidInput(vec![issue]));
            }
            _ => {}
        }
        self.expected_hash.check(path, before.as_ref().map(Contents::hash))?;
        Ok(before)
    }

    fn text(&self, path: &NotePath, before: Option<&Contents>) -> Result<String, Failure> {
        let mut text = self.content.clone();
        if let Some(frontmatter) = &self.frontmatter {
            if !path.is_note() {
                let issue = Issue::new("frontmatter", "is for Markdown notes (.md) only; leave it out".to_owned());
                return Err(Failure::InvalidInput(vec![issue]));
            }
            for (key, value) in property_values("frontmatter", frontmatter)? {
                text = set_property(&text, &key, &value)?.apply(&text);
            }
        }
        let old = before.and_then(|before| before.text().ok());
        Ok(old.map_or_else(|| text.clone(), |old| in_style_of(old, &text)))
    }
}

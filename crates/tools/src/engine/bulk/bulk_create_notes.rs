//! Writing many notes.

use std::time::Instant;

use quillgate_vault::{ContentHash, Contents, Expect, Folders, NotePath, Transaction, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::each::{OnError, Tally, each};
use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::keyed::Keys;
use crate::new_text::with_properties;
use crate::note_text::in_style_of;
use crate::plan::agree;
use crate::surface::engine_error;
use crate::tool::{Confirm, Effect, Idempotency, Rate, Spec, Tool};

/// More are put before a human first.
const MOST_UNASKED: usize = 50;
/// How often a note is written anew because somebody else was faster.
const MOST_ATTEMPTS: usize = 20;

/// Create up to 200 notes in one call, each on its own: one that fails does not stop the others, and results says how each went. For changes that must land together use apply.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BulkCreateNotes {
    /// The notes
    #[schemars(length(min = 1, max = 200))]
    items: Vec<NewNote>,
    /// A name for the whole call that you choose: repeated with the same one, it is answered again and not done again
    #[serde(default)]
    #[schemars(length(min = 1, max = 128))]
    bulk_idempotency_key: Option<String>,
    /// Notes written at the same time
    #[serde(default = "four")]
    #[schemars(range(min = 1, max = 16))]
    max_concurrent: usize,
    /// Stop at the first note that cannot be written; what was written before stays
    #[serde(default)]
    stop_on_first_error: bool,
}

fn four() -> usize {
    4
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewNote {
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
    /// A name for this note that you choose: sent again with the same one, it is not written again
    #[serde(default)]
    #[schemars(length(min = 1, max = 128))]
    idempotency_key: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[default]
    Create,
    Overwrite,
    Upsert,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Outcome {
    processed: usize,
    succeeded: usize,
    failed: usize,
    results: Vec<Line>,
    duration_ms: u64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Line {
    path: String,
    ok: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode_used: Option<Mode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
    /// Code and message, when it failed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Map<String, Value>>,
}

impl Tool for BulkCreateNotes {
    const SPEC: Spec = Spec::writing("bulk_create_notes", "Create notes", Effect::Change, Idempotency::Repeats)
        .scopes(&["write:notes", "bulk:notes"])
        .rate(Rate::Bulk)
        .confirm(Confirm::When("if there are more than 50 notes"));
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let arguments: Vec<_> = self.items.iter().map(NewNote::wanted).collect();
        let key = self.bulk_idempotency_key.as_deref();
        let keys = self.items.iter().map(|item| item.idempotency_key.as_deref());
        let keys = Keys::open(context, keys.chain([key]))?;
        keys.once(Self::SPEC.name, key, &arguments, || self.create_all(context, &keys))
    }
}

impl BulkCreateNotes {
    fn create_all(&self, context: &Context<'_>, keys: &Keys<'_>) -> Result<Outcome, Failure> {
        let started = Instant::now();
        let is_many = self.items.len() > MOST_UNASKED;
        let reasons = is_many.then(|| format!("writes {} notes", self.items.len()));
        agree(&Self::SPEC, context, reasons.as_slice(), || self.change(context))?;
        let on_error = OnError::stop_if(self.stop_on_first_error);
        let create = |item: &NewNote| {
            keys.once("a note of bulk_create_notes", item.idempotency_key.as_deref(), &item.wanted(), || item.create(context))
        };
        let outcomes = each(context, &self.items, self.max_concurrent, on_error, create);
        let tally = Tally::of(&self.items, outcomes, on_error, |item, outcome| Line {
            path: item.path.clone(),
            ok: outcome.is_ok(),
            mode_used: outcome.is_ok().then_some(item.mode),
            content_hash: outcome.as_ref().ok().cloned(),
            error: outcome.as_ref().err().and_then(|failure| engine_error(failure).as_object().cloned()),
        })?;
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let Tally { lines: results, succeeded, failed } = tally;
        Ok(Outcome { processed: results.len(), succeeded, failed, results, duration_ms })
    }

    /// All of it as one change, for a human to look at.
    fn change(&self, context: &Context<'_>) -> Transaction {
        let change = context.vault().transaction(Folders::Create);
        let drafted = self.items.iter().filter_map(|item| item.draft(context).ok());
        drafted.fold(change, |change, (path, bytes, expect)| change.write(path, bytes, expect))
    }
}

impl NewNote {
    /// All but its key, which does not count when two are compared.
    fn wanted(&self) -> impl Serialize {
        (&self.path, &self.content, &self.frontmatter, self.mode)
    }

    /// The hash of what was written.
    fn create(&self, context: &Context<'_>) -> Result<String, Failure> {
        for _ in 1..MOST_ATTEMPTS {
            match self.write(context) {
                Err(Failure::Vault(VaultError::Conflict(_))) => {}
                outcome => return outcome,
            }
        }
        self.write(context)
    }

    fn write(&self, context: &Context<'_>) -> Result<String, Failure> {
        let (path, bytes, expect) = self.draft(context)?;
        let hash = ContentHash::of(&bytes);
        if expect != Expect::Hash(hash) {
            context.vault().write(&path, bytes, expect, Folders::Create).map_err(|error| match error {
                // Somebody has created it since; unless it was to be new, that makes no difference.
                VaultError::Exists(path) if self.mode != Mode::Create => VaultError::Conflict(path),
                error => error,
            })?;
        }
        Ok(hash.to_string())
    }

    /// What would be written where, in the style of what is there.
    fn draft(&self, context: &Context<'_>) -> Result<(NotePath, Vec<u8>, Expect), Failure> {
        let path = NotePath::parse(&self.path)?;
        let before = match context.vault().read(&path) {
            Ok(contents) => Some(contents),
            Err(VaultError::NotFound(_)) => None,
            Err(error) => return Err(error.into()),
        };
        match (self.mode, &before) {
            (Mode::Create, Some(_)) => return Err(VaultError::Exists(path).into()),
            (Mode::Overwrite, None) => return Err(VaultError::NotFound(path).into()),
            (_, None) if path.extension().is_empty() => {
                let issue = Issue::new("path", format!("has no extension; did you mean {path}.md?"));
                return Err(Failure::InvalidInput(vec![issue]));
            }
            _ => {}
        }
        let text = with_properties(&path, &self.content, self.frontmatter.as_ref())?;
        let old = before.as_ref().and_then(|before| before.text().ok());
        let text = old.map_or_else(|| text.clone(), |old| in_style_of(old, &text));
        Ok((path, text.into_bytes(), before.as_ref().map_or(Expect::Absent, |before| Expect::Hash(Contents::hash(before)))))
    }
}

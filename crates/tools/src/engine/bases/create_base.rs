//! Making a base.

use quillgate_markdown::to_yaml;
use quillgate_query::bases::Base;
use quillgate_vault::{ContentHash, Expect, Folders, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::base_file::base_path;
use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::note_text::property_values;
use crate::plan::Plan;
use crate::time;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Spec};

/// Create a base (.base): a table of files. base is {filters?, formulas?{name: expression}, properties?{id: {displayName}}, summaries?, views?[{type: table|cards|list, name, filters?, order? (ids), sort? (list of {property, direction}), groupBy?{property, direction}, limit?, summaries?{id: name}}]}. A filter is an expression such as file.hasTag("book") && price > 2, or {and|or|not: list of filters}. Ids: status, note.status, file.name, formula.total.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateBase {
    /// Base, relative to the vault, with its extension (.base)
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// What the base says; keys that are not known are kept
    base: Map<String, Value>,
    /// Replace a base that is there
    #[serde(default)]
    overwrite: bool,
    /// Make missing folders
    #[serde(default = "yes")]
    create_dirs: bool,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    created_at: String,
    content_hash: String,
}

impl ChangeTool for CreateBase {
    const SPEC: Spec = Spec::writing("create_base", "Create a base", Effect::Change, Idempotency::Keyed)
        .scopes(&["write:bases"])
        .confirm(Confirm::When("if it replaces a base"));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = base_path(&self.path)?;
        let text = to_yaml(&property_values("base", &self.base)?);
        let problem = Base::parse(&text).map_or_else(Some, |base| base.problems().into_iter().next());
        if let Some(error) = problem {
            let issue = Issue::new("base", format!("is no base: {}", error.message));
            return Err(Failure::InvalidInput(vec![issue]));
        }
        let before = match context.vault().read(&path) {
            Ok(_) if !self.overwrite => return Err(VaultError::Exists(path).into()),
            Ok(contents) => Some(contents),
            Err(VaultError::NotFound(_)) => None,
            Err(error) => return Err(error.into()),
        };
        let content_hash = ContentHash::of(text.as_bytes());
        let expect = before.as_ref().map_or(Expect::Absent, |before| Expect::Hash(before.hash()));
        let folders = if self.create_dirs { Folders::Create } else { Folders::MustExist };
        let mut change = context.vault().transaction(folders);
        if expect != Expect::Hash(content_hash) {
            change = change.write(path.clone(), text.into_bytes(), expect);
        }
        let reason = format!("it replaces all of {path}");
        let (known, is_replaced) = (before.as_ref().map(|before| before.stat.modified), before.is_some());
        let finish = move |committed: Option<&quillgate_vault::Committed>| {
            let written = committed.and_then(|committed| committed.written.first()).map(|written| written.stat.modified);
            Ok(Outcome {
                path: path.to_string(),
                created_at: written.or(known).map(time::shown).unwrap_or_default(),
                content_hash: content_hash.to_string(),
            })
        };
        Ok(Plan::new(change, finish).ask_if(is_replaced, reason))
    }
}

//! Making a note from a template.

use std::collections::BTreeMap;

use quillgate_markdown::Note;
use quillgate_query::template::merge_into;
use quillgate_vault::{Committed, ContentHash, Contents, Expect, Folders, NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::template::{Left, Target, Template};
use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::note_text::in_style_of;
use crate::plan::Plan;
use crate::time;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Spec};
use crate::validate::wrong_type;

/// Make a note from a template. Variables of the core plugins ({{title}}, {{date:FORMAT}}, {{time}}) are filled in, and Templater's date, file and frontmatter commands with literal arguments; no script is ever run, and what needs one stays as it is written and is listed in unexpanded.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExecuteTemplate {
    /// Template, as list_templates names it; .md and the folder of templates may be left out
    #[schemars(length(min = 1, max = 1024))]
    template: String,
    /// Note to make, relative to the vault, ending in .md
    #[schemars(length(min = 1, max = 1024))]
    target: String,
    /// Values for the template's own variables, by name
    #[serde(default)]
    args: BTreeMap<String, Value>,
    /// Replace the target if it exists. A note without text is filled in either way, and keeps its properties
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
    template: String,
    target: String,
    created_at: String,
    content_hash: String,
    /// Bytes of the note
    expanded_size: usize,
    source: Source,
    /// Commands that were left as they are written
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unexpanded: Vec<Left>,
}

/// Who filled the template in.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Source {
    Native,
}

impl ChangeTool for ExecuteTemplate {
    const SPEC: Spec = Spec::writing("execute_template", "Make a note from a template", Effect::Change, Idempotency::Keyed)
        .scopes(&["write:templater"])
        .confirm(Confirm::Always);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = NotePath::parse(&self.target)?;
        if !path.is_note() {
            let issue = Issue::new("target", format!("must end in .md; did you mean {path}.md?"));
            return Err(Failure::InvalidInput(vec![issue]));
        }
        let before = match context.vault().read(&path) {
            Ok(contents) => Some(contents),
            Err(VaultError::NotFound(_)) => None,
            Err(error) => return Err(error.into()),
        };
        let template = Template::find(context, &self.template)?;
        let old = before.as_ref().map(Contents::text).transpose()?;
        let is_bare = old.is_none_or(has_no_text);
        if !is_bare && !self.overwrite {
            return Err(VaultError::Exists(path).into());
        }
        let now = context.now();
        let values = values(&self.args)?;
        let target = Target {
            path: &path,
            text: old.filter(|_| is_bare),
            stat: before.as_ref().map(|before| &before.stat),
            date: &now,
            date_format: None,
            values: &values,
        };
        let filled = template.fill(context, &now, &target)?;
        let after = match old {
            Some(old) if is_bare => merge_into(old, &filled.text)?,
            Some(old) => in_style_of(old, &filled.text),
            None => filled.text,
        };
        let hash = ContentHash::of(after.as_bytes());
        let known = before.as_ref().map(Contents::hash);
        let (expanded_size, known_time) = (after.len(), before.as_ref().map(|before| before.stat.modified));
        let folders = if self.create_dirs { Folders::Create } else { Folders::MustExist };
        let mut change = context.vault().transaction(folders);
        if known != Some(hash) {
            change = change.write(path.clone(), after.into_bytes(), known.map_or(Expect::Absent, Expect::Hash));
        }
        let unexpanded = Left::of(filled.unexpanded);
        Ok(Plan::new(change, move |committed: Option<&Committed>| {
            let written = committed.and_then(|committed| committed.written.first()).map(|written| written.stat.modified);
            Ok(Outcome {
                template: template.path.to_string(),
                target: path.to_string(),
                created_at: time::shown(written.or(known_time).unwrap_or_default()),
                content_hash: hash.to_string(),
                expanded_size,
                source: Source::Native,
                unexpanded,
            })
        }))
    }
}

/// The arguments as texts.
fn values(args: &BTreeMap<String, Value>) -> Result<BTreeMap<String, String>, Failure> {
    let mut issues = Vec::new();
    let mut values = BTreeMap::new();
    for (name, value) in args {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            other => {
                issues.push(wrong_type(&format!("args.{name}"), &["string", "number", "boolean"], other));
                continue;
            }
        };
        values.insert(name.clone(), text);
    }
    if issues.is_empty() { Ok(values) } else { Err(Failure::InvalidInput(issues)) }
}

/// Nothing, or properties alone: there is nothing to lose.
fn has_no_text(text: &str) -> bool {
    text[Note::parse(text).body..].trim().is_empty()
}

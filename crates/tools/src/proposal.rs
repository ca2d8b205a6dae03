//! What a human sees of a change before agreeing to it.

use quillgate_vault::{Compared, ContentHash, Preview, PreviewKind, Transaction, unified_diff};
use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;
use crate::tool::Spec;

/// Files that are shown one by one; of the rest only the number.
const MOST_FILES: usize = 100;
const MOST_DIFF_BYTES: usize = 20_000;

#[derive(Clone, Debug, Serialize)]
pub struct Proposal {
    pub tool: &'static str,
    /// Why somebody has to agree, a line each.
    pub reasons: Vec<String>,
    pub files: Vec<ProposedFile>,
    /// Files beyond those shown.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_files: usize,
    /// The arguments, where they are all there is to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// What the agreement is bound to.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub args_hash: String,
    /// Says whether two proposals are the same change to the same bytes.
    #[serde(skip)]
    pub digest: String,
    /// Every path that the change touches.
    #[serde(skip)]
    pub paths: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ProposedFile {
    pub path: String,
    pub change: &'static str,
    /// Where a moved file goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diff: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Proposal {
    /// Of a change to files.
    pub(crate) fn of(spec: &Spec, reasons: &[String], change: &Transaction) -> Result<Proposal, Failure> {
        let previews = change.preview()?;
        let mut reasons = reasons.to_vec();
        if reasons.is_empty() {
            reasons.push(format!("{} needs a human's agreement here", spec.name));
        }
        let mut room = MOST_DIFF_BYTES;
        let files = previews.iter().take(MOST_FILES).map(|preview| shown(preview, &mut room)).collect();
        let paths = previews.iter().flat_map(|preview| [Some(&preview.path), preview.to.as_ref()]).flatten();
        Ok(Proposal {
            tool: spec.name,
            reasons,
            files,
            more_files: previews.len().saturating_sub(MOST_FILES),
            arguments: None,
            args_hash: String::new(),
            digest: digest(&previews),
            paths: paths.map(ToString::to_string).collect(),
        })
    }

    /// What an agent is told that may not do it yet.
    pub(crate) fn message(&self) -> String {
        format!(
            "a human must agree first ({}); ask the user to approve it (in the client, or with `quillgate approve`), then call again \
             with the same arguments",
            self.reasons.join("; ")
        )
    }

    /// Of a call that changes no files, or does not say which beforehand.
    pub fn of_call(spec: &Spec, arguments: &Value) -> Proposal {
        let digest = ContentHash::of(arguments.to_string().as_bytes()).to_string();
        let paths = ["path", "paths", "from", "to", "source", "destination"].iter().filter_map(|name| arguments.get(name));
        let paths = paths.flat_map(|value| match value {
            Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            Value::String(path) => vec![path.clone()],
            _ => Vec::new(),
        });
        Proposal {
            tool: spec.name,
            reasons: vec![format!("{} needs a human's agreement here", spec.name)],
            files: Vec::new(),
            more_files: 0,
            paths: paths.collect(),
            arguments: Some(arguments.clone()),
            args_hash: String::new(),
            digest,
        }
    }
}

fn shown(preview: &Preview, room: &mut usize) -> ProposedFile {
    let (before, after) = (preview.before.as_deref(), preview.after.as_deref());
    let compared = Compared { path: &preview.path, moved_to: preview.to.as_ref(), before, after };
    let diff = if *room > 0 { unified_diff(&compared, *room) } else { String::new() };
    *room = room.saturating_sub(diff.len());
    let change = match preview.kind {
        PreviewKind::Create => "create",
        PreviewKind::Edit => "edit",
        PreviewKind::Move => "move",
        PreviewKind::Delete => "delete",
    };
    ProposedFile { path: preview.path.to_string(), change, to: preview.to.as_ref().map(ToString::to_string), diff }
}

fn digest(previews: &[Preview]) -> String {
    let mut all = String::new();
    for preview in previews {
        let hash = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(|bytes| ContentHash::of(bytes).to_string()).unwrap_or_default();
        let to = preview.to.as_ref().map(ToString::to_string).unwrap_or_default();
        all.push_str(&format!("{}\0{to}\0{}\0{}\n", preview.path, hash(&preview.before), hash(&preview.after)));
    }
    ContentHash::of(all.as_bytes()).to_string()
}

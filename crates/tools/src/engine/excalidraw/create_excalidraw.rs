//! Making a drawing.

use std::collections::HashSet;

use quillgate_markdown::{compressed_scene, spread_json};
use quillgate_vault::{ContentHash, Expect, Folders, NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::drawing_file::{check_element, drawing_path, is_plain, is_shown, raw_text};
use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::plan::Plan;
use crate::time;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Spec};

/// Create an Excalidraw drawing: a note if path ends in .md (.excalidraw.md by custom), a plain file if it ends in .excalidraw. An element is {id, type, x, y, width?, height?, ...}, a text also has text and an id of 8 letters or digits; the app fills in the rest. To change a drawing use update_excalidraw.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateExcalidraw {
    /// Drawing, relative to the vault, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// blank has no elements; custom has those you give, as JSON one can read; compressed-json the same, packed as the plugin packs it
    #[serde(default)]
    template: Template,
    /// Elements as Excalidraw writes them, each with id and type
    #[serde(default)]
    #[schemars(length(max = 5000))]
    elements: Vec<Value>,
    /// Replace a file that is there
    #[serde(default)]
    overwrite: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Template {
    #[default]
    Blank,
    CompressedJson,
    Custom,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    created_at: String,
    content_hash: String,
    plugin_used: bool,
}

impl ChangeTool for CreateExcalidraw {
    const SPEC: Spec = Spec::writing("create_excalidraw", "Create a drawing", Effect::Change, Idempotency::Keyed)
        .scopes(&["write:excalidraw"])
        .confirm(Confirm::When("if it replaces a file"));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = drawing_path(&self.path)?;
        self.check(&path)?;
        let before = match context.vault().read(&path) {
            Ok(_) if !self.overwrite => return Err(VaultError::Exists(path).into()),
            Ok(contents) => Some(contents),
            Err(VaultError::NotFound(_)) => None,
            Err(error) => return Err(error.into()),
        };
        let text = self.text(&path).into_bytes();
        let content_hash = ContentHash::of(&text);
        let expect = before.as_ref().map_or(Expect::Absent, |before| Expect::Hash(before.hash()));
        let mut change = context.vault().transaction(Folders::Create);
        if expect != Expect::Hash(content_hash) {
            change = change.write(path.clone(), text, expect);
        }
        let reason = format!("it replaces all of {path}");
        let (known, is_replaced) = (before.as_ref().map(|before| before.stat.modified), before.is_some());
        let finish = move |committed: Option<&quillgate_vault::Committed>| {
            let written = committed.and_then(|committed| committed.written.first()).map(|written| written.stat.modified);
            Ok(Outcome {
                path: path.to_string(),
                created_at: written.or(known).map(time::shown).unwrap_or_default(),
                content_hash: content_hash.to_string(),
                plugin_used: false,
            })
        };
        Ok(Plan::new(change, finish).ask_if(is_replaced, reason))
    }
}

impl CreateExcalidraw {
    fn check(&self, path: &NotePath) -> Result<(), Failure> {
        let mut issues = Vec::new();
        if self.template == Template::Blank && !self.elements.is_empty() {
            issues.push(Issue::new("elements", "go with template custom or compressed-json".to_owned()));
        }
        if self.template == Template::CompressedJson && is_plain(path) {
            issues.push(Issue::new("template", "compressed-json is for notes (.excalidraw.md) only".to_owned()));
        }
        let mut ids = HashSet::new();
        for (place, element) in self.elements.iter().enumerate() {
            let at = format!("elements[{place}]");
            match element.as_object() {
                Some(element) => issues.extend(check_element(&at, element, &[], !is_plain(path), &mut ids)),
                None => issues.push(Issue::new(&at, "expected an object".to_owned())),
            }
        }
        if issues.is_empty() { Ok(()) } else { Err(Failure::InvalidInput(issues)) }
    }

    fn text(&self, path: &NotePath) -> String {
        let scene = json!({
            "type": "excalidraw",
            "version": 2,
            "source": "quillgate",
            "elements": self.elements,
            "appState": {"gridSize": null, "viewBackgroundColor": "#ffffff"},
            "files": {}
        });
        let scene = spread_json(&scene.to_string(), "\t");
        if is_plain(path) {
            return scene;
        }
        let (fence, scene) = match self.template {
            Template::CompressedJson => ("compressed-json", compressed_scene(&scene)),
            Template::Blank | Template::Custom => ("json", scene),
        };
        let shown: Vec<_> = self.elements.iter().filter_map(Value::as_object).filter(|element| is_shown(element)).collect();
        let id =
            |element: &serde_json::Map<String, Value>| element.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let texts = shown.iter().filter_map(|element| Some(format!("{} ^{}\n\n", raw_text(element)?, id(element))));
        let links = shown.iter().filter_map(|element| {
            Some(format!("{}: {}\n\n", id(element), element.get("link").and_then(Value::as_str).filter(|link| !link.is_empty())?))
        });
        let (texts, links): (String, String) = (texts.collect(), links.collect());
        let links = if links.is_empty() { links } else { format!("## Element Links\n{links}") };
        format!(
            "---\n\nexcalidraw-plugin: parsed\ntags: [excalidraw]\n\n---\n\n# Excalidraw Data\n\n## Text Elements\n{texts}{links}%%\n\
             ## Drawing\n```{fence}\n{scene}\n```\n%%"
        )
    }
}

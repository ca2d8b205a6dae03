//! Finding cards on canvases.

use quillgate_markdown::{JsonNode, fold};
use quillgate_vault::{NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::canvas_file::{Canvas, canvas_path, text_of};
use crate::context::Context;
use crate::failure::Failure;
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::root::Root;
use crate::tool::{Rate, Spec, Tool};

/// Characters of a card that an answer shows.
const SNIPPET: usize = 200;

/// Find cards on canvases by type, colour, the file they show, their text, or what they are connected to; all conditions must hold. In all canvases below root, or in those that paths names.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct QueryCanvas {
    /// What nodes must have; all that is given must hold
    filter: Filter,
    /// Only these canvases
    #[serde(default)]
    #[schemars(length(max = 1000))]
    paths: Vec<String>,
    #[serde(default)]
    root: Root,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Filter {
    /// text, file, link or group
    #[serde(default)]
    r#type: Option<String>,
    /// As the canvas has it: "1" to "6", or #rrggbb
    #[serde(default)]
    color: Option<String>,
    /// Part of the path of a file card
    #[serde(default)]
    file_path_contains: Option<String>,
    /// Part of the text of a card, the label of a group or the address of a link, in any case
    #[serde(default)]
    text_contains: Option<String>,
    /// Id of a node that an edge leads to
    #[serde(default)]
    has_edge_to: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Card {
    canvas_path: String,
    node_id: String,
    r#type: String,
    /// Its text around the match, its file, address or label
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    #[serde(flatten)]
    page: Page<Card>,
    /// Files that are no valid canvases and were left out
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<String>,
}

impl Tool for QueryCanvas {
    const SPEC: Spec = Spec::reading("query_canvas", "Find cards on canvases").scopes(&["read:canvas"]).rate(Rate::Bulk);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let folder = self.root.folder(context)?;
        let question = json!([folder.as_str(), self.paths, self.filter]);
        let pager = Pager::new(Self::SPEC.name, &question, self.limit, self.max_tokens);
        let after = pager.after::<(String, usize)>(&self.cursor)?;
        let mut paths: Vec<NotePath> = Vec::new();
        for path in &self.paths {
            let path = canvas_path("paths", path)?;
            context.vault().stat(&path)?;
            if folder.contains(&path) {
                paths.push(path);
            }
        }
        if self.paths.is_empty() {
            let catalogue = context.catalogue()?;
            let files = catalogue.files_below(&folder).filter(|entry| entry.path.extension().eq_ignore_ascii_case("canvas"));
            paths.extend(files.map(|entry| entry.path.clone()));
        }
        paths.sort();
        paths.dedup();
        let wanted = Wanted::of(&self.filter);
        let (mut found, mut unreadable) = (Vec::new(), Vec::new());
        for path in &paths {
            if !context.go_on() {
                return Err(Failure::Cancelled);
            }
            match cards(context, path, &wanted) {
                Ok(cards) => found.extend(cards),
                // Gone since it was listed.
                Err(Failure::Vault(VaultError::NotFound(_))) => {}
                Err(Failure::Edit(_) | Failure::Vault(VaultError::NotText(..))) => unreadable.push(path.to_string()),
                Err(failure) => return Err(failure),
            }
        }
        let page = pager.page_of_all(found, after, |(path, place, _)| (path.clone(), *place), |(_, _, card)| card);
        Ok(Outcome { page, unreadable })
    }
}

struct Wanted<'f> {
    filter: &'f Filter,
    file: Option<String>,
    text: Option<String>,
}

impl<'f> Wanted<'f> {
    fn of(filter: &'f Filter) -> Wanted<'f> {
        let folded = |text: &Option<String>| text.as_deref().map(fold);
        Wanted { filter, file: folded(&filter.file_path_contains), text: folded(&filter.text_contains) }
    }

    fn fits(&self, canvas: &Canvas<'_>, node: &JsonNode) -> bool {
        let is = |key: &str, wanted: &Option<String>| wanted.as_deref().is_none_or(|wanted| text_of(node, key) == Some(wanted));
        let contains = |keys: &[&str], wanted: &Option<String>| {
            wanted
                .as_deref()
                .is_none_or(|wanted| keys.iter().any(|key| text_of(node, key).is_some_and(|text| fold(text).contains(wanted))))
        };
        let leads_to = |wanted: &str| {
            let id = text_of(node, "id");
            id.is_some()
                && canvas.edges().iter().any(|edge| text_of(edge, "fromNode") == id && text_of(edge, "toNode") == Some(wanted))
        };
        node.is_object()
            && is("type", &self.filter.r#type)
            && is("color", &self.filter.color)
            && contains(&["file"], &self.file)
            && contains(&["text", "label", "url"], &self.text)
            && self.filter.has_edge_to.as_deref().is_none_or(leads_to)
    }

    fn snippet(&self, node: &JsonNode) -> Option<String> {
        let text = ["text", "file", "url", "label"].iter().find_map(|key| text_of(node, key))?;
        let line = |text: &str| text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned();
        let matching = |wanted: &str| text.lines().find(|line| fold(line).contains(wanted));
        let shown = self.text.as_deref().and_then(matching).map_or_else(|| line(text), |line| line.trim().to_owned());
        let cut: String = shown.chars().take(SNIPPET).collect();
        Some(if cut.len() < shown.len() { format!("{cut}…") } else { cut })
    }
}

type Found = (String, usize, Card);

fn cards(context: &Context<'_>, path: &NotePath, wanted: &Wanted<'_>) -> Result<Vec<Found>, Failure> {
    let contents = context.vault().read_text(path)?;
    let canvas = Canvas::parse(path, contents.text()?)?;
    let fitting = canvas.nodes().iter().enumerate().filter(|(_, node)| wanted.fits(&canvas, node));
    let shown = fitting.map(|(place, node)| {
        let card = Card {
            canvas_path: path.to_string(),
            node_id: text_of(node, "id").unwrap_or_default().to_owned(),
            r#type: text_of(node, "type").unwrap_or_default().to_owned(),
            snippet: wanted.snippet(node),
        };
        (path.to_string(), place, card)
    });
    Ok(shown.collect())
}

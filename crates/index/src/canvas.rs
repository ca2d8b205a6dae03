//! Links in JSON Canvas files: file nodes, and the Markdown of text cards.

use std::ops::Range;

use quillgate_markdown::{Edit, Note};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::card::{Card, CardLink, LinkPlace};

#[derive(Deserialize)]
struct Canvas<'a> {
    #[serde(borrow, default)]
    nodes: Vec<Node<'a>>,
}

#[derive(Deserialize)]
struct Node<'a> {
    #[serde(borrow)]
    file: Option<&'a RawValue>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    subpath: Option<String>,
}

/// A string of the canvas that can hold links, with the bytes it stands on.
pub(crate) enum CanvasText {
    File { path: String, subpath: String, span: Range<usize> },
    Markdown { text: String, span: Range<usize> },
}

/// An empty file is a valid empty canvas; a broken one has no links.
pub(crate) fn canvas_texts(json: &str) -> Result<Vec<CanvasText>, serde_json::Error> {
    if json.trim().is_empty() {
        return Ok(Vec::new());
    }
    let canvas: Canvas<'_> = serde_json::from_str(json)?;
    let mut texts = Vec::new();
    for node in canvas.nodes {
        if let Some((path, span)) = node.file.and_then(|raw| string_at(json, raw)) {
            texts.push(CanvasText::File { path, subpath: node.subpath.unwrap_or_default(), span });
        }
        if let Some((text, span)) = node.text.and_then(|raw| string_at(json, raw)) {
            texts.push(CanvasText::Markdown { text, span });
        }
    }
    Ok(texts)
}

pub(crate) fn canvas_card(json: &str) -> Card {
    let texts = match canvas_texts(json) {
        Ok(texts) => texts,
        Err(error) => return Card { problem: Some(format!("not a canvas: {error}")), ..Card::default() },
    };
    let links = texts.into_iter().flat_map(|text| match text {
        CanvasText::File { path, subpath, .. } => vec![canvas_link(path, subpath, true, false, LinkPlace::CanvasFile)],
        CanvasText::Markdown { text, .. } => Note::parse(&text)
            .links
            .into_iter()
            .map(|link| {
                let wikilink = matches!(link.kind, quillgate_markdown::LinkKind::Wikilink);
                canvas_link(link.path, link.subpath, link.embed, wikilink, LinkPlace::Canvas)
            })
            .collect(),
    });
    Card { links: links.collect(), ..Card::default() }
}

/// The edit that puts another string in the place of one of the canvas.
pub(crate) fn replace_string(span: Range<usize>, text: &str) -> Edit {
    Edit { range: span, text: serde_json::Value::from(text).to_string() }
}

fn canvas_link(path: String, subpath: String, embed: bool, wikilink: bool, place: LinkPlace) -> CardLink {
    CardLink { path, subpath, display: None, embed, wikilink, place, line: 1 }
}

/// The raw value borrows from `json`, so the distance of their addresses is its place.
fn string_at(json: &str, raw: &RawValue) -> Option<(String, Range<usize>)> {
    let text: String = serde_json::from_str(raw.get()).ok()?;
    let start = (raw.get().as_ptr() as usize).checked_sub(json.as_ptr() as usize)?;
    Some((text, start..start + raw.get().len()))
}

//! Where a note links to.

use quillgate_index::OutgoingLink;
use quillgate_markdown::{LinkKind, Note};
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// List the links of a note in the order they stand in it, frontmatter first, and the files they lead to.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetOutgoingLinks {
    /// Note, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Only these kinds; all by default
    #[serde(default)]
    #[schemars(length(max = 3))]
    kinds: Vec<Kind>,
    /// Also return links that name no file
    #[serde(default = "yes")]
    include_unresolved: bool,
}

fn yes() -> bool {
    true
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Wikilink,
    Markdown,
    Embed,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    path: String,
    links: Vec<Link>,
}

#[derive(Serialize, JsonSchema)]
struct Link {
    /// As written
    target: String,
    display_text: String,
    kind: Kind,
    resolved: bool,
    /// The file it means
    #[serde(skip_serializing_if = "Option::is_none")]
    target_path: Option<String>,
    /// From 1
    line: usize,
    /// Character of the line, from 1
    col: usize,
    /// Always false: what stands in code is no link
    in_codeblock: bool,
}

impl Tool for GetOutgoingLinks {
    const SPEC: Spec = Spec::reading("get_outgoing_links", "List links of a note").quick();
    type Output = Found;

    fn run(self, context: &Context<'_>) -> Result<Found, Failure> {
        let path = NotePath::parse(&self.path)?;
        let mut links = if path.is_note() { links_of_note(context, &path)? } else { links_of_canvas(context, &path)? };
        links.retain(|link| self.kinds.is_empty() || self.kinds.contains(&link.kind));
        links.retain(|link| self.include_unresolved || link.resolved);
        Ok(Found { path: path.to_string(), links })
    }
}

/// The file itself knows the columns, which the catalogue does not keep.
fn links_of_note(context: &Context<'_>, path: &NotePath) -> Result<Vec<Link>, Failure> {
    let contents = context.vault().read(path)?;
    let text = contents.text()?;
    let note = Note::parse(text);
    let catalogue = context.catalogue()?;
    let links = note.links.iter().map(|link| {
        let kind = kind(link.embed, matches!(link.kind, LinkKind::Wikilink));
        let target = format!("{}{}", link.path, link.subpath);
        let found = catalogue.resolve(path, &link.path);
        let line_start = text[..link.span.start].rfind('\n').map_or(0, |at| at + 1);
        let before = text[line_start..link.span.start].trim_start_matches('\u{feff}');
        let place = (link.line, before.chars().count() + 1);
        shown(target, link.display.clone(), kind, found, place)
    });
    Ok(links.collect())
}

fn links_of_canvas(context: &Context<'_>, path: &NotePath) -> Result<Vec<Link>, Failure> {
    context.vault().stat(path)?;
    let links = context.catalogue()?.outgoing(path).into_iter().map(|OutgoingLink { link, target: found }| {
        let target = format!("{}{}", link.path, link.subpath);
        shown(target, link.display, kind(link.embed, link.wikilink), found, (link.line as usize, 1))
    });
    Ok(links.collect())
}

fn kind(is_embed: bool, is_wikilink: bool) -> Kind {
    match (is_embed, is_wikilink) {
        (true, _) => Kind::Embed,
        (false, true) => Kind::Wikilink,
        (false, false) => Kind::Markdown,
    }
}

fn shown(target: String, display: Option<String>, kind: Kind, found: Option<NotePath>, (line, col): (usize, usize)) -> Link {
    Link {
        display_text: display.unwrap_or_else(|| target.clone()),
        target,
        kind,
        resolved: found.is_some(),
        target_path: found.map(|path| path.to_string()),
        line,
        col,
        in_codeblock: false,
    }
}

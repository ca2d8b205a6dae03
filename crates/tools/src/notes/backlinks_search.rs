//! Who links to a note.

use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// Find the notes that link to a note, with the lines the links stand on. Works for notes that do not exist yet, too.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BacklinksSearch {
    /// Note that is linked to, relative to the vault, with its extension
    path: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    path: String,
    total: usize,
    backlinks: Vec<Backlink>,
}

#[derive(Serialize, JsonSchema)]
struct Backlink {
    path: String,
    count: usize,
    lines: Vec<Line>,
}

#[derive(Serialize, JsonSchema)]
struct Line {
    line: u32,
    text: String,
}

impl Tool for BacklinksSearch {
    const SPEC: Spec = Spec::reading("backlinks_search", "Find backlinks");
    type Output = Found;

    fn run(self, context: &Context<'_>) -> Result<Found, Failure> {
        let path = NotePath::parse(&self.path)?;
        let catalogue = context.catalogue()?;
        // A name as a wikilink gives it, or in another case, means the note that such a link would mean.
        let named = if catalogue.find(&path).is_none() { catalogue.resolve(&path, path.as_str()) } else { None };
        let path = named.unwrap_or(path);
        let found = catalogue.backlinks(&path);
        drop(catalogue);
        let backlinks: Vec<Backlink> = found
            .into_iter()
            .map(|backlink| {
                let mut numbers: Vec<u32> = backlink.links.iter().map(|link| link.line).collect();
                numbers.dedup();
                Backlink {
                    path: backlink.source.to_string(),
                    count: backlink.links.len(),
                    lines: lines(context, &backlink.source, &numbers),
                }
            })
            .collect();
        Ok(Found { path: path.to_string(), total: backlinks.len(), backlinks })
    }
}

/// The lines as they are now; a source that has just gone has none.
fn lines(context: &Context<'_>, source: &NotePath, numbers: &[u32]) -> Vec<Line> {
    let Ok(contents) = context.vault().read(source) else { return Vec::new() };
    let Ok(text) = contents.text() else { return Vec::new() };
    let all: Vec<&str> = text.lines().collect();
    let shown = numbers.iter().filter_map(|&line| Some((line, all.get(line.checked_sub(1)? as usize)?)));
    shown.map(|(line, text)| Line { line, text: text.trim().to_owned() }).collect()
}

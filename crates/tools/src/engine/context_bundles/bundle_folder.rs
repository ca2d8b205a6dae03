//! A folder as one text.

use quillgate_vault::{NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bundle::{Bundle, Format};
use crate::context::Context;
use crate::failure::Failure;
use crate::root::Root;
use crate::tool::{Spec, Tool};

/// Put the notes of a folder, and of the folders in it, into one text, by path, to read or hand on as a whole. Stops when it is full and says so in truncated.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BundleFolder {
    /// Folder; empty for the whole vault
    #[schemars(length(max = 1024))]
    root: String,
    /// Most files to include
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 500))]
    max_files: usize,
    /// Most bytes of the text
    #[serde(default = "half_million")]
    #[schemars(range(min = 1))]
    max_bytes: usize,
    /// Only files with these extensions
    #[serde(default = "notes")]
    #[schemars(length(min = 1, max = 100))]
    extensions: Vec<String>,
    /// Include the properties of notes
    #[serde(default = "yes")]
    include_frontmatter: bool,
    /// markdown puts a heading with its path over each file, xml an element around it
    #[serde(default)]
    format: Format,
}

fn hundred() -> usize {
    100
}

fn half_million() -> usize {
    500_000
}

fn notes() -> Vec<String> {
    vec![".md".to_owned()]
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Bundled {
    root: String,
    bundle: String,
    file_count: usize,
    /// Of bundle
    total_bytes: usize,
    /// Whether files are missing or the last one is cut
    truncated: bool,
    files: Vec<BundledFile>,
}

#[derive(Serialize, JsonSchema)]
struct BundledFile {
    path: String,
    /// Of its text in bundle
    bytes: usize,
}

impl Tool for BundleFolder {
    const SPEC: Spec = Spec::reading("bundle_folder", "Bundle a folder").scopes(&["read:context"]);
    type Output = Bundled;

    fn run(self, context: &Context<'_>) -> Result<Bundled, Failure> {
        let folder = Root::of(&self.root).folder(context)?;
        let is_wanted = |path: &NotePath| {
            let mut wanted = self.extensions.iter().map(|extension| extension.trim_start_matches('.'));
            wanted.any(|wanted| path.extension().eq_ignore_ascii_case(wanted))
        };
        let paths: Vec<NotePath> = {
            let catalogue = context.catalogue()?;
            catalogue.files_below(&folder).map(|entry| &entry.path).filter(|path| is_wanted(path)).cloned().collect()
        };
        let mut bundle = Bundle::new(self.format, self.include_frontmatter, self.max_bytes);
        let mut files = Vec::new();
        for path in paths {
            if bundle.is_full() || !context.go_on() {
                break;
            }
            let contents = match context.vault().read_text(&path) {
                Ok(contents) => contents,
                // Gone since, elsewhere, or no text: not what a reader of texts looks for.
                Err(VaultError::NotFound(_) | VaultError::NotText(..) | VaultError::Offline(_) | VaultError::TooLarge { .. }) => {
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let Ok(text) = contents.text() else { continue };
            if files.len() == self.max_files {
                bundle.is_truncated = true;
                break;
            }
            files.extend(bundle.add(path.as_str(), text).map(|bytes| BundledFile { path: path.to_string(), bytes }));
        }
        let (file_count, truncated) = (bundle.files, bundle.is_truncated);
        let bundle = bundle.into_text();
        Ok(Bundled { root: folder.to_string(), file_count, total_bytes: bundle.len(), truncated, bundle, files })
    }
}

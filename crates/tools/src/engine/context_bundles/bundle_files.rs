//! Some notes as one text.

use quillgate_vault::{NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bundle::{Bundle, Format};
use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// Put up to 200 notes into one text, in the order given, to read or hand on as a whole. Files that do not exist are told in missing_paths. Stops when it is full and says so in truncated.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BundleFiles {
    /// Files, with their extensions
    #[schemars(length(min = 1, max = 200))]
    paths: Vec<String>,
    /// Most bytes of the text
    #[serde(default = "half_million")]
    #[schemars(range(min = 1))]
    max_bytes: usize,
    /// Include the properties of notes
    #[serde(default = "yes")]
    include_frontmatter: bool,
    /// markdown puts a heading with its path over each file, xml an element around it
    #[serde(default)]
    format: Format,
}

fn half_million() -> usize {
    500_000
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Bundled {
    bundle: String,
    file_count: usize,
    /// Of bundle
    total_bytes: usize,
    /// Whether files are left out for want of room or the last one is cut
    truncated: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_paths: Vec<String>,
}

impl Tool for BundleFiles {
    const SPEC: Spec = Spec::reading("bundle_files", "Bundle files").scopes(&["read:context"]);
    type Output = Bundled;

    fn run(self, context: &Context<'_>) -> Result<Bundled, Failure> {
        let paths = self.paths.iter().map(|path| NotePath::parse(path)).collect::<Result<Vec<NotePath>, _>>()?;
        let mut bundle = Bundle::new(self.format, self.include_frontmatter, self.max_bytes);
        let mut missing_paths = Vec::new();
        for path in paths {
            if !context.go_on() {
                return Err(Failure::Cancelled);
            }
            let contents = match context.vault().read_text(&path) {
                Ok(contents) => contents,
                Err(VaultError::NotFound(path)) => {
                    missing_paths.push(path.to_string());
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            if !bundle.is_full() {
                bundle.add(path.as_str(), contents.text()?);
            }
        }
        let (file_count, truncated) = (bundle.files, bundle.is_truncated);
        let bundle = bundle.into_text();
        Ok(Bundled { file_count, total_bytes: bundle.len(), truncated, bundle, missing_paths })
    }
}

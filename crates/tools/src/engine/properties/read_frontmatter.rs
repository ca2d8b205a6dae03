//! All properties of one note.

use quillgate_markdown::{Format, Frontmatter};
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::property_map;
use crate::tool::{Spec, Tool};

/// Read the properties (frontmatter) of a note, in their order. A note without any answers an empty object.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadFrontmatter {
    /// Note, relative to the vault, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    path: String,
    frontmatter: Map<String, Value>,
    /// How it is written; missing when there is none
    format: Written,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Written {
    Yaml,
    Json,
    Missing,
}

impl Tool for ReadFrontmatter {
    const SPEC: Spec = Spec::reading("read_frontmatter", "Read properties").quick();
    type Output = Answer;

    fn run(self, context: &Context<'_>) -> Result<Answer, Failure> {
        let path = NotePath::parse(&self.path)?;
        let block = find_block(context, &path)?;
        let format = match block.as_ref().map(|block| block.format) {
            Some(Format::Yaml) => Written::Yaml,
            Some(Format::Json) => Written::Json,
            None => Written::Missing,
        };
        let frontmatter = block.as_ref().and_then(|block| block.properties.as_ref().ok()).map(property_map);
        Ok(Answer { path: path.to_string(), frontmatter: frontmatter.unwrap_or_default(), format })
    }
}

/// The frontmatter of a note, which must be readable if there is one.
pub(super) fn find_block(context: &Context<'_>, path: &NotePath) -> Result<Option<Frontmatter>, Failure> {
    let contents = context.vault().read_text(path)?;
    let block = Frontmatter::find(contents.text()?).filter(|_| path.is_note());
    match block.as_ref().map(|block| &block.properties) {
        Some(Err(error)) => {
            let told = format!("the frontmatter of {path} is not valid YAML ({error}); correct it with patch_note");
            Err(Failure::Edit(told))
        }
        _ => Ok(block),
    }
}

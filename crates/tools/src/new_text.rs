//! The text of a note that is to be written.

use quillgate_markdown::set_property;
use quillgate_vault::NotePath;
use serde_json::{Map, Value};

use crate::failure::{Failure, Issue};
use crate::note_text::property_value;

/// The content with these properties in its frontmatter.
pub(crate) fn with_properties(
    path: &NotePath,
    content: &str,
    properties: Option<&Map<String, Value>>,
) -> Result<String, Failure> {
    let mut text = content.to_owned();
    for (key, value) in properties.into_iter().flatten() {
        if !path.is_note() {
            let issue = Issue::new("frontmatter", "is for Markdown notes (.md) only; leave it out".to_owned());
            return Err(Failure::InvalidInput(vec![issue]));
        }
        text = set_property(&text, key, &property_value(value))?.apply(&text);
    }
    Ok(text)
}

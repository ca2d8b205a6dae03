//! One property of one note.

use quillgate_markdown::find_value;
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::read_frontmatter::find_block;
use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::property_json;
use crate::tool::{Spec, Tool};

/// Read one property of a note. One that the note does not have answers present false.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadProperty {
    /// Note, relative to the vault, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Name of the property; case does not matter
    #[schemars(length(min = 1, max = 1000))]
    key: String,
    /// Read the dots in key as steps into maps and lists, as in author.name or authors.0
    #[serde(default)]
    nested: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    path: String,
    key: String,
    /// Null when it is empty or not there
    value: Value,
    present: bool,
}

impl Tool for ReadProperty {
    const SPEC: Spec = Spec::reading("read_property", "Read a property").quick();
    type Output = Answer;

    fn run(self, context: &Context<'_>) -> Result<Answer, Failure> {
        let path = NotePath::parse(&self.path)?;
        let block = find_block(context, &path)?;
        let properties = block.as_ref().and_then(|block| block.properties.as_ref().ok());
        let steps: Vec<&str> = if self.nested { self.key.split('.').collect() } else { vec![&self.key] };
        let (first, rest) = steps.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
        let found = properties.and_then(|properties| properties.find_property(first));
        let value = found.and_then(|property| find_value(&property.value, rest));
        Ok(Answer {
            present: value.is_some(),
            value: value.map_or(Value::Null, property_json),
            path: path.to_string(),
            key: self.key,
        })
    }
}

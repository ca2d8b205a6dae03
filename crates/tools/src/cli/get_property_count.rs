//! How many notes have a property.

use quillgate_markdown::fold;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list_properties::all_properties;
use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// Count the notes that have a property, whatever its value.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetPropertyCount {
    /// Property name; case does not matter
    #[schemars(length(min = 1))]
    name: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Count {
    name: String,
    count: usize,
}

impl Tool for GetPropertyCount {
    const SPEC: Spec = Spec::reading("obsidian_get_property_count", "Count a property");
    type Output = Count;

    fn run(self, context: &Context<'_>) -> Result<Count, Failure> {
        let all = all_properties(&*context.catalogue()?);
        let count = all.get(&fold(&self.name)).map_or(0, |property| property.count());
        Ok(Count { name: self.name, count })
    }
}

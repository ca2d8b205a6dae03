//! Finding notes by their properties.

use quillgate_index::{PropertyFilter, PropertyOperator};
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::root::Root;
use crate::tool::{Spec, Tool};

/// Find the notes whose frontmatter fits all of the filters, by path. Numbers and dates compare as such: {"key": "due", "op": "lt", "value": "2026-12-01"}. eq and in compare whole values; contains finds an item of a list or a part of a text.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindNotesByProperty {
    /// Conditions that must all hold
    #[schemars(length(min = 1, max = 20))]
    filter: Vec<Condition>,
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
struct Condition {
    /// Name of the property; case does not matter
    #[schemars(length(min = 1, max = 200))]
    key: String,
    /// How to compare; exists and absent take no value
    op: Operator,
    /// What to compare with: text, number, true or false, or null for an empty property; a list for in and nin
    #[serde(default, deserialize_with = "even_null", skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
}

/// Null is a value here, unlike a value that was left out.
fn even_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Operator {
    Eq,
    Neq,
    Gt,
    Gte,
    Lt,
    Lte,
    In,
    Nin,
    Contains,
    Exists,
    Absent,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Match {
    path: String,
    /// The note's values of the properties that were asked for
    matched_values: Map<String, Value>,
}

impl Tool for FindNotesByProperty {
    const SPEC: Spec = Spec::reading("find_notes_by_property", "Find notes by property");
    type Output = Page<Match>;

    fn run(self, context: &Context<'_>) -> Result<Page<Match>, Failure> {
        let folder = self.root.folder(context)?;
        let pager = Pager::new(Self::SPEC.name, &json!([self.filter, folder.as_str()]), self.limit, self.max_tokens);
        let after = pager.after::<String>(&self.cursor)?.map(|path| NotePath::parse(&path)).transpose()?;
        let filters = filters(self.filter)?;
        let catalogue = context.catalogue()?;
        let found = catalogue.find_by_properties(&filters, &folder, after.as_ref(), pager.limit());
        let items = found.notes.into_iter().map(|(entry, matched_values)| {
            let path = entry.path.to_string();
            (path.clone(), Match { path, matched_values })
        });
        Ok(pager.page(items.collect(), found.more, Some(found.total)))
    }
}

fn filters(conditions: Vec<Condition>) -> Result<Vec<PropertyFilter>, Failure> {
    let (mut filters, mut issues) = (Vec::new(), Vec::new());
    for (number, Condition { key, op, value }) in conditions.into_iter().enumerate() {
        match PropertyFilter::new(&key, op.into(), value) {
            Ok(filter) => filters.push(filter),
            Err(error) => issues.push(Issue::new(&format!("filter[{number}]"), format!("cannot be used: {error}"))),
        }
    }
    if issues.is_empty() { Ok(filters) } else { Err(Failure::InvalidInput(issues)) }
}

impl From<Operator> for PropertyOperator {
    fn from(operator: Operator) -> PropertyOperator {
        match operator {
            Operator::Eq => PropertyOperator::Eq,
            Operator::Neq => PropertyOperator::Neq,
            Operator::Gt => PropertyOperator::Gt,
            Operator::Gte => PropertyOperator::Gte,
            Operator::Lt => PropertyOperator::Lt,
            Operator::Lte => PropertyOperator::Lte,
            Operator::In => PropertyOperator::In,
            Operator::Nin => PropertyOperator::Nin,
            Operator::Contains => PropertyOperator::Contains,
            Operator::Exists => PropertyOperator::Exists,
            Operator::Absent => PropertyOperator::Absent,
        }
    }
}

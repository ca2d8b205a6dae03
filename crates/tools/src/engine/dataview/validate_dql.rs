//! Whether a query can be read.

use quillgate_query::SyntaxError;
use quillgate_query::dataview::{check, parse_query, query_tree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// Check a Dataview query (TABLE, LIST, TASK or CALENDAR) without running it. A valid one answers with its tree, a wrong one with the place and what to write instead.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ValidateDql {
    /// The query, such as: TABLE rating FROM #book WHERE rating > 3 SORT rating DESC
    #[schemars(length(min = 1, max = 20000))]
    dql: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    valid: bool,
    /// The tree of the query: header, source, operations in the order in which they run
    #[serde(skip_serializing_if = "Option::is_none")]
    ast: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Wrong>,
}

#[derive(Serialize, JsonSchema)]
struct Wrong {
    /// From 1
    line: usize,
    /// From 1, in characters
    col: usize,
    message: String,
}

impl Tool for ValidateDql {
    const SPEC: Spec = Spec::reading("validate_dql", "Check a Dataview query").scopes(&["read:dataview"]).quick();
    type Output = Answer;

    fn run(self, _: &Context<'_>) -> Result<Answer, Failure> {
        let read = parse_query(&self.dql).and_then(|query| check(&query, &self.dql).map(|()| query));
        Ok(match read {
            Ok(query) => Answer { valid: true, ast: Some(query_tree(&query)), error: None },
            Err(SyntaxError { line, column, message }) => {
                Answer { valid: false, ast: None, error: Some(Wrong { line, col: column, message }) }
            }
        })
    }
}

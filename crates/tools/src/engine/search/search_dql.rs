//! Answering a Dataview query.

use quillgate_query::dataview::{parse_query, run};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::Context;
use crate::dataview::answered;
use crate::failure::{Failure, Issue};
use crate::tool::{Spec, Tool};

/// Answer a Dataview query from the index, with the app closed: TABLE, LIST, TASK or CALENDAR with FROM, WHERE, SORT, GROUP BY, FLATTEN and LIMIT, in written order. Add LIMIT where many rows are possible. Example: TABLE rating, file.mtime FROM #book WHERE rating > 3 SORT rating DESC LIMIT 20.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchDql {
    /// The query, as in a dataview block
    #[schemars(length(min = 1, max = 20000))]
    dql: String,
    /// The kind of query that is expected; one of another kind is refused. Without it, any kind
    #[serde(default)]
    format: Option<Format>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    Table,
    List,
    Task,
    Calendar,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    /// What the values of each row are called; absent for a list
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<Vec<String>>,
    /// Dates and links are texts; a task is an object with its text, path, line, status, fields and children
    rows: Vec<Vec<Value>>,
    /// The notes behind the rows, each once
    note_paths: Vec<String>,
    /// Always native: the query was answered by this server
    source: &'static str,
}

impl Format {
    const fn name(self) -> &'static str {
        match self {
            Format::Table => "table",
            Format::List => "list",
            Format::Task => "task",
            Format::Calendar => "calendar",
        }
    }
}

impl Tool for SearchDql {
    const SPEC: Spec = Spec::reading("search_dql", "Answer a Dataview query").scopes(&["read:notes", "read:dataview"]);
    type Output = Answer;

    fn run(self, context: &Context<'_>) -> Result<Answer, Failure> {
        if let Some(format) = self.format {
            let kind = parse_query(&self.dql)
                .map_err(|error| Failure::from(quillgate_query::dataview::DqlError::Syntax(error)))?
                .header
                .kind();
            if kind != format.name() {
                let expected = format!(
                    "is {}, but the query is a {} query; leave format out or change the query",
                    format.name(),
                    kind.to_uppercase()
                );
                return Err(Failure::InvalidInput(vec![Issue::new("format", expected)]));
            }
        }
        answered(context, None, |asking, budget| {
            run(&self.dql, asking, budget).map(|answer| Answer {
                headers: answer.headers(),
                rows: answer.rows(),
                note_paths: answer.note_paths(),
                source: "native",
            })
        })
    }
}

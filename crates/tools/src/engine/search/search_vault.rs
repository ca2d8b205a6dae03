//! Searching in whichever way fits the query.

use std::time::Instant;

use quillgate_index::{Coverage, Explanation, Expression, Found, Ranked, search_ranked};
use quillgate_query::dataview::run;
use quillgate_query::obsidian_search::{self, find_files};
use quillgate_query::{Budget, Fault};
use quillgate_vault::{FolderPath, NotePath};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::search_jsonlogic::find_logic;
use crate::context::Context;
use crate::dataview::answered;
use crate::failure::{Failure, Issue};
use crate::page::{Cursor, IndexState, Limit, MaxTokens, Page, Pager};
use crate::root::Root;
use crate::searching::{Explained, Flags, find_expression, shown_score};
use crate::tool::{Spec, Tool};
use crate::validate::wrong_type;

/// Search the notes, best first. Words are ranked; "phrase", -word, OR, tag:name, path:folder, prop:key=value and modified:7d narrow the search. /pattern/flags is a regular expression, an object is JSONLogic, mode dql a Dataview query.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchVault {
    /// Text with operators, /pattern/flags, or an object with a JSONLogic expression
    #[schemars(extend("minLength" = 1, "maxLength" = 1000))]
    query: Value,
    /// How to read the query; auto decides by its form. obsidian is the app's own search language; dql is a Dataview query whose notes are the answer, in its order. semantic and hybrid are not available yet
    #[serde(default)]
    mode: Mode,
    #[serde(default)]
    root: Root,
    /// Also return _explain: how the query was understood and what it took
    #[serde(default)]
    explain: bool,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[default]
    Auto,
    Text,
    Regex,
    Dql,
    Jsonlogic,
    Obsidian,
    Semantic,
    Hybrid,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    items: Vec<Hit>,
    /// How the query was read
    mode_used: &'static str,
    /// Give it back to get the next page; absent on the last one
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// True when limit was larger than 1000 and has been cut to it
    #[serde(skip_serializing_if = "Option::is_none")]
    overflow: Option<bool>,
    /// Items on all pages, where that is known
    #[serde(skip_serializing_if = "Option::is_none")]
    total_count: Option<usize>,
    /// Present while the vault is being indexed; what waits was searched file by file, so the answer is complete
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<IndexState>,
    #[serde(rename = "_explain", skip_serializing_if = "Option::is_none")]
    explained: Option<Explained>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Hit {
    path: String,
    /// Higher is better; 1 where every match is as good as another
    score: f64,
    mode_used: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
    /// Where the snippet stands, from 1
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
}

/// The query, once its mode is known.
enum Query {
    Text(String),
    Regex { pattern: String, flags: Flags },
    Jsonlogic(Map<String, Value>),
    Obsidian(String),
    Dql(String),
}

impl Tool for SearchVault {
    const SPEC: Spec = Spec::reading("search_vault", "Search the vault");
    type Output = Answer;

    fn run(self, context: &Context<'_>) -> Result<Answer, Failure> {
        let started = Instant::now();
        let folder = self.root.folder(context)?;
        let question = json!([self.query, self.mode, folder.as_str()]);
        let pager = Pager::new(Self::SPEC.name, &question, self.limit, self.max_tokens);
        let search = Search { context, pager: &pager, cursor: &self.cursor, folder };
        let query = Query::of(self.query, self.mode)?;
        let mode_used = query.mode();
        let (page, explanation, coverage) = match query {
            Query::Text(query) => search.text(&query)?,
            Query::Regex { pattern, flags } => search.regex(&pattern, flags)?,
            Query::Jsonlogic(logic) => search.jsonlogic(logic)?,
            Query::Obsidian(query) => search.obsidian(&query)?,
            Query::Dql(query) => search.dql(&query)?,
        };
        Ok(Answer {
            items: page.items,
            mode_used,
            cursor: page.cursor,
            overflow: page.overflow,
            total_count: page.total_count,
            index: IndexState::unless_ready(coverage),
            explained: self.explain.then(|| Explained::new(mode_used, explanation, coverage, started)),
        })
    }
}

impl Query {
    fn of(query: Value, mode: Mode) -> Result<Query, Failure> {
        match (mode, query) {
            (Mode::Semantic | Mode::Hybrid, _) => Err(not_available()),
            (Mode::Dql, Value::String(query)) => Ok(Query::Dql(query)),
            (Mode::Auto | Mode::Jsonlogic, Value::Object(logic)) => Ok(Query::Jsonlogic(logic)),
            (Mode::Auto, Value::String(text)) => Ok(Query::between_slashes(&text).unwrap_or(Query::Text(text))),
            (Mode::Text, Value::String(text)) => Ok(Query::Text(text)),
            (Mode::Obsidian, Value::String(text)) => Ok(Query::Obsidian(text)),
            (Mode::Regex, Value::String(text)) => {
                let plain = |pattern| Query::Regex { pattern, flags: Flags { ignore_case: true, ..Flags::default() } };
                Ok(Query::between_slashes(&text).unwrap_or_else(|| plain(text)))
            }
            // Some clients send an object as its text where the schema names no type.
            (Mode::Jsonlogic, Value::String(text)) => match serde_json::from_str(&text) {
                Ok(Value::Object(logic)) => Ok(Query::Jsonlogic(logic)),
                _ => Err(unfit(wrong_type("query", &["object"], &Value::String(text)))),
            },
            (Mode::Text | Mode::Regex | Mode::Dql | Mode::Obsidian, other) => {
                Err(unfit(wrong_type("query", &["string"], &other)))
            }
            (Mode::Jsonlogic, other) => Err(unfit(wrong_type("query", &["object"], &other))),
            (Mode::Auto, other) => Err(unfit(wrong_type("query", &["string", "object"], &other))),
        }
    }

    /// `/pattern/flags`, as other languages write an expression. With other letters behind it, it is a path or a text.
    fn between_slashes(text: &str) -> Option<Query> {
        let (pattern, letters) = text.strip_prefix('/')?.rsplit_once('/')?;
        let flags = Flags::parse(letters)?;
        (!pattern.is_empty()).then(|| Query::Regex { pattern: pattern.replace("\\/", "/"), flags })
    }

    fn mode(&self) -> &'static str {
        match self {
            Query::Text(_) => "text",
            Query::Regex { .. } => "regex",
            Query::Jsonlogic(_) => "jsonlogic",
            Query::Obsidian(_) => "obsidian",
            Query::Dql(_) => "dql",
        }
    }
}

fn not_available() -> Failure {
    let needs = "semantic and hybrid need embeddings, which this server does not have yet";
    unfit(Issue::new("mode", format!("{needs}; use auto, text, regex, jsonlogic, obsidian or dql")))
}

fn unfit(issue: Issue) -> Failure {
    Failure::InvalidInput(vec![issue])
}

/// One search, whatever its mode.
struct Search<'a> {
    context: &'a Context<'a>,
    pager: &'a Pager,
    cursor: &'a Cursor,
    folder: FolderPath,
}

type Outcome = (Page<Hit>, Explanation, Coverage);

impl Search<'_> {
    fn text(self, query: &str) -> Result<Outcome, Failure> {
        let after = self.after::<(u32, String)>()?;
        let after = after.map(|(score, path)| Ok::<_, Failure>((f32::from_bits(score), NotePath::parse(&path)?))).transpose()?;
        let wanted = Ranked { query, folder: self.folder.clone(), limit: self.pager.limit(), after };
        let found = search_ranked(self.context.index()?, &wanted, &|| self.context.go_on())?;
        Ok(self.outcome(found, |note| {
            let path = note.path.to_string();
            let key = (note.score.to_bits(), path.clone());
            let line = Some(note.line as u64);
            (key, Hit { path, score: shown_score(note.score), mode_used: "text", snippet: Some(note.snippet), line })
        }))
    }

    fn regex(self, pattern: &str, flags: Flags) -> Result<Outcome, Failure> {
        let after = self.after::<(String, u64, usize)>()?;
        let after = after.map(|(path, line, col)| Ok::<_, Failure>((NotePath::parse(&path)?, line, col))).transpose()?;
        let wanted = Expression {
            pattern,
            ignore_case: flags.ignore_case,
            multi_line: flags.multi_line,
            dot_all: flags.dot_all,
            glob: None,
            folder: self.folder.clone(),
            per_file: usize::MAX,
            limit: self.pager.limit(),
            after,
        };
        let found = find_expression(self.context, &wanted)?;
        Ok(self.outcome(found, |found| {
            let path = found.path.to_string();
            let key = (path.clone(), found.line, found.column);
            (key, Hit { path, score: 1.0, mode_used: "regex", snippet: Some(found.snippet), line: Some(found.line) })
        }))
    }

    fn jsonlogic(self, logic: Map<String, Value>) -> Result<Outcome, Failure> {
        let after = self.after::<String>()?;
        let found = find_logic(self.context, &Value::Object(logic), self.folder.clone(), self.pager.limit(), after)?;
        Ok(self.outcome(found, |path| {
            let path = path.to_string();
            (path.clone(), Hit { path, score: 1.0, mode_used: "jsonlogic", snippet: None, line: None })
        }))
    }

    fn obsidian(self, query: &str) -> Result<Outcome, Failure> {
        let query = obsidian_search::Search::parse(query).map_err(|error| unfit(Issue::new("query", error.to_string())))?;
        let after = self.after::<String>()?.map(|path| NotePath::parse(&path)).transpose()?;
        let folder = self.folder.clone();
        let budget = Budget::new(Budget::STEPS, None);
        let limit = self.pager.limit();
        let found = find_files(self.context.index()?, &query, folder, after, limit, &budget, &|| self.context.go_on());
        let found = found.map_err(|fault| match fault {
            Fault::Spent(spent) => Failure::Budget(spent.to_string()),
            Fault::Wrong(message) => unfit(Issue::new("query", message.into())),
        })?;
        Ok(self.outcome(found, |file| {
            let path = file.path.to_string();
            let (line, snippet) = file.place.map(|place| (place.line as u64, place.text)).unzip();
            (path.clone(), Hit { path, score: 1.0, mode_used: "obsidian", snippet, line })
        }))
    }

    /// The notes behind the rows of a query, in the order of the rows.
    fn dql(self, query: &str) -> Result<Outcome, Failure> {
        let after = self.after::<(usize, String)>()?;
        let paths = answered(self.context, None, |asking, budget| run(query, asking, budget).map(|answer| answer.note_paths()))?;
        let root = self.folder.as_str();
        let is_below = |path: &String| root.is_empty() || path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'));
        let paths: Vec<String> = paths.into_iter().filter(is_below).collect();
        // Where a page goes on: behind the note it ended with, wherever that stands now.
        let start =
            after.map_or(0, |(at, path)| paths.iter().position(|known| *known == path).unwrap_or(at.saturating_sub(1)) + 1);
        let total = paths.len();
        let page = paths.into_iter().enumerate().skip(start).take(self.pager.limit() + 1);
        let hit = |path: String| Hit { path, score: 1.0, mode_used: "dql", snippet: None, line: None };
        let items = page.map(|(at, path)| ((at + 1, path.clone()), hit(path))).collect();
        let explanation = Explanation { understood: query.to_owned(), candidates: total, ..Explanation::default() };
        Ok((self.pager.page(items, false, Some(total)), explanation, self.context.index()?.coverage()))
    }

    fn after<K: DeserializeOwned>(&self) -> Result<Option<K>, Failure> {
        self.pager.after(self.cursor)
    }

    fn outcome<T, K: Serialize>(&self, found: Found<T>, show: impl Fn(T) -> (K, Hit)) -> Outcome {
        let items = found.items.into_iter().map(show).collect();
        (self.pager.page(items, found.more, found.total), found.explain, found.coverage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: Value, mode: Mode, expected: &str) {
        let understood = match Query::of(query, mode) {
            Ok(Query::Text(text)) => format!("text {text}"),
            Ok(Query::Regex { pattern, flags }) => format!("regex {pattern}{}", if flags.ignore_case { " i" } else { "" }),
            Ok(Query::Jsonlogic(logic)) => format!("jsonlogic {}", json!(logic)),
            Ok(Query::Obsidian(text)) => format!("obsidian {text}"),
            Ok(Query::Dql(query)) => format!("dql {query}"),
            Err(failure) => failure.to_string(),
        };
        assert_eq!(understood, expected);
    }

    #[test]
    fn the_form_of_a_query_decides_its_mode() {
        check(json!("two words"), Mode::Auto, "text two words");
        check(json!({"var": "path"}), Mode::Auto, "jsonlogic {\"var\":\"path\"}");
        check(json!("/a|b/"), Mode::Auto, "regex a|b");
        check(json!("/a\\/b/gi"), Mode::Auto, "regex a/b i");
    }

    #[test]
    fn a_path_is_no_expression() {
        for path in ["/usr/share", "/notes", "//", "/", "a/b/", "/a/xyz"] {
            check(json!(path), Mode::Auto, &format!("text {path}"));
        }
    }

    #[test]
    fn a_mode_that_was_asked_for_holds() {
        check(json!("/a/i"), Mode::Text, "text /a/i");
        check(json!("a.b"), Mode::Regex, "regex a.b i");
        check(json!("/a/ tag:b"), Mode::Obsidian, "obsidian /a/ tag:b");
        check(json!("/a.b/"), Mode::Regex, "regex a.b");
        check(json!("{\"var\":\"path\"}"), Mode::Jsonlogic, "jsonlogic {\"var\":\"path\"}");
        check(json!("LIST"), Mode::Dql, "dql LIST");
        check(json!({"var": "path"}), Mode::Dql, "query expected a string, got an object");
        check(json!("path"), Mode::Jsonlogic, "query expected an object, got a string");
        check(json!({"var": "path"}), Mode::Text, "query expected a string, got an object");
        check(json!(7), Mode::Auto, "query expected a string or an object, got a number");
    }
}

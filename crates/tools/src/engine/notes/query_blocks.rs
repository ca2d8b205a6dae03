//! The queries that stand in a note, answered in their places: what a person sees in the app.

use std::time::{Duration, Instant};

use quillgate_markdown::{Edit, Edits, Note, code};
use quillgate_query::Budget;
use quillgate_query::bases::{Request, render_base};
use quillgate_query::dataview::{render_block, render_inline};
use quillgate_query::obsidian_search::{Search, find_files};
use quillgate_query::tasks::{Day, Query as TasksQuery, QueryContext, QueryFile, render_markdown as render_tasks};
use quillgate_vault::{FolderPath, NotePath};
use schemars::JsonSchema;
use serde::Serialize;

use crate::base_settings::base_settings;
use crate::context::Context;
use crate::dataview::answered;
use crate::engine::bases::query_failure;
use crate::engine::tasks::{answer as answer_tasks, settings as task_settings};
use crate::failure::{Failure, Issue};
use crate::note_text::{line_at, property_map};

/// Rows of an answer that are shown; who wants more asks the query's own tool.
const MOST_ROWS: usize = 200;
/// For all queries of a note together.
const LONGEST: Duration = Duration::from_secs(20);

/// A query of a note.
#[derive(Serialize, JsonSchema)]
pub(crate) struct QueryBlock {
    /// Where it begins, from 1
    line: usize,
    /// dataview, tasks, base or query
    language: String,
    /// Why it has no answer
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// A part of a note with its queries answered. `first_line` is where the part begins in the note.
pub(super) fn answer_queries(
    context: &Context<'_>,
    path: &NotePath,
    note: &str,
    part: &str,
    first_line: usize,
) -> Result<(String, Vec<QueryBlock>), Failure> {
    let asker = Asker { context, path, note, until: Instant::now() + LONGEST };
    let (mut edits, mut queries) = (Vec::new(), Vec::new());
    let mut answer = |span: std::ops::Range<usize>, language: &str, answer: Result<String, Failure>, is_block: bool| {
        let error = answer.as_ref().err().map(ToString::to_string);
        let text = match answer {
            Ok(answer) => shortened(answer.trim_end()),
            Err(failure) if is_block => format!("> [!error] {language}: {}", failure.to_string().replace('\n', " ")),
            // In a line there is no room to say why.
            Err(_) => part[span.clone()].to_owned(),
        };
        let text = if is_block { indented(&text, line_prefix(part, span.start)) } else { text };
        queries.push(QueryBlock { line: first_line + line_at(part, span.start) - 1, language: language.to_owned(), error });
        edits.push(Edit::replace(span, text));
    };
    let (blocks, spans) = code(part);
    for block in blocks {
        if let Some(answered) = asker.block(&block.language, &block.code) {
            answer(block.span, &block.language, answered, true);
        }
    }
    for span in spans {
        if let Some(answered) = asker.inline(&span.code) {
            answer(span.span, "dataview", answered, false);
        }
    }
    for link in Note::parse(part).links.into_iter().filter(|link| link.embed) {
        if let Some(answered) = asker.embedded_base(&link.path, &link.subpath) {
            answer(link.span, "base", answered, true);
        }
    }
    queries.sort_by_key(|query| query.line);
    let edits = Edits::new(edits).map_err(|error| Failure::Internal(error.to_string()))?;
    Ok((edits.apply(part), queries))
}

struct Asker<'a> {
    context: &'a Context<'a>,
    path: &'a NotePath,
    note: &'a str,
    until: Instant,
}

impl Asker<'_> {
    /// The answer of a code block; nothing if it is no query.
    fn block(&self, language: &str, query: &str) -> Option<Result<String, Failure>> {
        match language {
            "dataview" | "dataviewjs" => Some(answered(self.context, Some(self.path), |asking, budget| {
                render_block(language, query, asking, budget).unwrap_or(Ok(String::new()))
            })),
            "tasks" => Some(self.tasks(query)),
            "base" => Some(self.base(query, None)),
            "query" => Some(self.search(query)),
            _ => None,
        }
    }

    fn inline(&self, code: &str) -> Option<Result<String, Failure>> {
        if !code.trim_start().starts_with(['=', '$']) {
            return None;
        }
        let found = answered(self.context, Some(self.path), |asking, budget| render_inline(code, asking, budget).transpose());
        found.transpose()
    }

    fn embedded_base(&self, link: &str, view: &str) -> Option<Result<String, Failure>> {
        if !link.to_ascii_lowercase().ends_with(".base") {
            return None;
        }
        let base = self.context.catalogue().map(|catalogue| catalogue.resolve(self.path, link)).transpose()?;
        let view = Some(view.trim_start_matches('#')).filter(|view| !view.is_empty());
        Some(base.and_then(|base| self.base(&self.context.vault().read(&base)?.into_text()?, view)))
    }

    fn base(&self, text: &str, view: Option<&str>) -> Result<String, Failure> {
        let (settings, _) = base_settings(self.context)?;
        let catalogue = self.context.catalogue()?;
        let request = Request { view, filters: None, this: catalogue.find_id(self.path) };
        render_base(text, &request, &catalogue, &settings, MOST_ROWS, &self.budget()).map_err(query_failure)
    }

    fn tasks(&self, text: &str) -> Result<String, Failure> {
        let settings = task_settings(self.context)?;
        let today = self.context.now().date();
        let frontmatter = quillgate_markdown::Frontmatter::find(self.note);
        let properties =
            frontmatter.and_then(|found| found.properties.ok()).map(|found| property_map(&found)).unwrap_or_default();
        let file = QueryFile { path: self.path.as_str(), properties: Some(&properties) };
        let asked = QueryContext { settings: &settings, today, file: Some(file) };
        let query = TasksQuery::read_whole(text, &asked).map_err(|error| unanswerable(error.to_string()))?;
        answer_tasks(self.context, &settings, &query, today, |answer| render_tasks(&query, &answer, &settings, Day::of(today)))
    }

    fn search(&self, text: &str) -> Result<String, Failure> {
        let search = Search::parse(text.trim()).map_err(|error| unanswerable(error.to_string()))?;
        let found = find_files(self.context.index()?, &search, FolderPath::ROOT, None, MOST_ROWS, &self.budget(), &|| {
            self.context.go_on() && Instant::now() < self.until
        });
        let found = found.map_err(|fault| unanswerable(fault.to_string()))?;
        let mut lines: Vec<String> = Vec::new();
        for file in found.items {
            lines.push(format!("- [[{}]]", file.path.as_str().trim_end_matches(".md")));
            lines.extend(file.place.map(|place| format!("\t- {}", place.text)));
        }
        if found.more {
            lines.push("- …".to_owned());
        }
        Ok(if lines.is_empty() { "No results".to_owned() } else { lines.join("\n") })
    }

    fn budget(&self) -> Budget {
        Budget::new(Budget::STEPS, Some(self.until))
    }
}

fn unanswerable(message: String) -> Failure {
    Failure::InvalidInput(vec![Issue::new("query", message)])
}

/// What stands before a block in its line, such as the mark of a quote.
fn line_prefix(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    &text[start..at]
}

/// The first line stands where the block began.
fn indented(answer: &str, prefix: &str) -> String {
    // A list item begins once; what follows stands below its text.
    let prefix: String = prefix.chars().map(|mark| if mark == '>' || mark.is_whitespace() { mark } else { ' ' }).collect();
    answer.replace('\n', &format!("\n{prefix}"))
}

fn shortened(answer: &str) -> String {
    let most = 3 * MOST_ROWS;
    match answer.match_indices('\n').nth(most) {
        None => answer.to_owned(),
        Some((end, _)) => {
            let more = answer[end + 1..].lines().count();
            format!("{}\n\n{more} more lines", &answer[..end])
        }
    }
}

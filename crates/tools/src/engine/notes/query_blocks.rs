//! The queries that stand in a note, answered in their places: what a person sees in the app.

use std::ops::Range;
use std::time::{Duration, Instant};

use quillgate_markdown::{Edit, Edits, Note, code};
use quillgate_query::Budget;
use quillgate_query::bases::{Request, render_base};
use quillgate_query::dataview::{Asking, DqlError, Settings, is_block, is_inline, render_block, render_inline};
use quillgate_query::obsidian_search::{Search, find_files};
use quillgate_query::tasks::{Day, Query as TasksQuery, QueryContext, QueryFile, render_markdown as render_tasks};
use quillgate_vault::{FolderPath, NotePath};
use schemars::JsonSchema;
use serde::Serialize;

use crate::base_settings::base_settings;
use crate::context::Context;
use crate::dataview::{answered_until, settings};
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

/// A part of a note with its queries answered. A query that begins in the part is answered as a whole.
pub(super) fn answer_queries(
    context: &Context<'_>,
    path: &NotePath,
    note: &str,
    part: Range<usize>,
) -> Result<(String, Vec<QueryBlock>), Failure> {
    let asker = Asker { context, path, note, settings: settings(context), until: Instant::now() + LONGEST };
    let (mut edits, mut queries) = (Vec::new(), Vec::new());
    let mut answer = |span: Range<usize>, language: &str, answer: Result<String, Failure>, place: Place| {
        let error = answer.as_ref().err().map(said);
        let text = match answer {
            Ok(answer) if answer.trim().is_empty() && place != Place::InLine => "No results".to_owned(),
            Ok(answer) => shortened(answer.trim_end()),
            Err(_) if place != Place::InLine => {
                format!("> [!error] {language}: {}", error.as_deref().unwrap_or_default().replace('\n', " "))
            }
            // In a line there is no room to say why.
            Err(_) => note[span.clone()].to_owned(),
        };
        let text = match place {
            Place::InLine => text,
            Place::OwnLines => indented(&text, &line_prefix(note, span.start)),
            Place::Embed => alone(&text, note, &span),
        };
        queries.push(QueryBlock { line: line_at(note, span.start), language: language.to_owned(), error });
        edits.push(Edit::replace(span.start - part.start..span.end.min(part.end) - part.start, text));
    };
    let (blocks, spans) = code(note);
    for block in blocks.into_iter().filter(|block| part.contains(&block.span.start)) {
        if let Some(answered) = asker.block(&block.language, &block.code) {
            answer(block.span, &block.language, answered, Place::OwnLines);
        }
    }
    let is_inside = |span: &Range<usize>| span.start >= part.start && span.end <= part.end;
    for span in spans.into_iter().filter(|span| is_inside(&span.span)) {
        if let Some(answered) = asker.inline(&span.code) {
            answer(span.span, "dataview", answered, Place::InLine);
        }
    }
    for link in Note::parse(note).links.into_iter().filter(|link| link.embed && is_inside(&link.span)) {
        if let Some(answered) = asker.embedded_base(&link.path, &link.subpath) {
            answer(link.span, "base", answered, Place::Embed);
        }
    }
    queries.sort_by_key(|query| query.line);
    let edits = Edits::new(edits).map_err(|error| Failure::Internal(error.to_string()))?;
    Ok((edits.apply(&note[part]), queries))
}

/// How an answer stands among the lines around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    InLine,
    OwnLines,
    /// In a line like a word, and shown in lines of its own.
    Embed,
}

/// Why a query has no answer, without the names of arguments that nobody gave.
fn said(failure: &Failure) -> String {
    match failure {
        Failure::InvalidInput(issues) => issues.iter().map(|issue| issue.expected.as_str()).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}

struct Asker<'a> {
    context: &'a Context<'a>,
    path: &'a NotePath,
    note: &'a str,
    settings: Settings,
    until: Instant,
}

impl Asker<'_> {
    /// The answer of a code block; nothing if it is no query.
    fn block(&self, language: &str, query: &str) -> Option<Result<String, Failure>> {
        match language {
            _ if is_block(language, &self.settings) => {
                Some(self.dataview(|asking, budget| render_block(language, query, asking, budget).unwrap_or(Ok(String::new()))))
            }
            "tasks" => Some(self.tasks(query)),
            "base" => Some(self.base(query, None)),
            "query" => Some(self.search(query)),
            _ => None,
        }
    }

    fn inline(&self, code: &str) -> Option<Result<String, Failure>> {
        if !is_inline(code, &self.settings) {
            return None;
        }
        self.dataview(|asking, budget| render_inline(code, asking, budget).transpose()).transpose()
    }

    fn dataview<T>(&self, work: impl FnOnce(&Asking<'_>, &Budget) -> Result<T, DqlError>) -> Result<T, Failure> {
        answered_until(self.context, Some(self.path), &self.settings, self.until, work)
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

/// What stands before a block in its line, such as the mark of a quote, as the lines below the first have it.
fn line_prefix(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    // A list item begins once; what follows stands below its text.
    text[start..at].chars().map(|mark| if mark == '>' || mark.is_whitespace() { mark } else { ' ' }).collect()
}

/// An answer that shares its line with words is put between them, with empty lines around it.
fn alone(answer: &str, note: &str, span: &Range<usize>) -> String {
    let start = note[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let before = &note[start..span.start];
    let marks = before.len() - before.trim_start_matches(|mark: char| mark.is_whitespace() || ">-*+".contains(mark)).len();
    let prefix = line_prefix(note, start + marks);
    let gap = format!("\n{}\n{prefix}", prefix.trim_end());
    let is_first = marks == before.len();
    let is_last = note[span.end..].lines().next().is_none_or(|rest| rest.trim().is_empty());
    format!("{}{}{}", if is_first { "" } else { &gap }, indented(answer, &prefix), if is_last { "" } else { &gap })
}

/// The first line stands where the block began.
fn indented(answer: &str, prefix: &str) -> String {
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

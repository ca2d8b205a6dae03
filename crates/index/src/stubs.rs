//! Stand-ins for searches that are being written elsewhere: plain scans with the agreed signatures. To be dropped.

use std::time::SystemTime;

use grep_matcher::Matcher;
use grep_regex::RegexMatcherBuilder;
use quillgate_vault::{FolderPath, NotePath};

use crate::fold_search::{FoldSearch, composed};
use crate::grep::{GrepError, PathFilter};
use crate::scan::scan;
use crate::search::{Coverage, Explanation, Found};
use crate::sync::Index;
use crate::text_search::{TextMatch, search_text};

pub struct Literal<'a> {
    pub query: &'a str,
    pub case_sensitive: bool,
    pub whole_word: bool,
    pub folder: FolderPath,
    pub limit: usize,
    pub after: Option<LiteralKey>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LiteralKey {
    pub rank: f32,
    pub path: NotePath,
    pub line: usize,
}

#[derive(Clone, Debug)]
pub struct LiteralLine {
    pub path: NotePath,
    pub line: usize,
    pub column: usize,
    pub snippet: String,
    pub rank: f32,
    pub score: f32,
}

fn paths(index: &Index, folder: &FolderPath) -> Vec<NotePath> {
    let catalogue = index.catalogue();
    catalogue.files_below(folder).filter(|entry| !entry.stat.offline).map(|entry| entry.path.clone()).collect()
}

fn found<T>(mut items: Vec<T>, total: usize, limit: usize, candidates: usize, understood: String) -> Found<T> {
    let more = items.len() > limit;
    items.truncate(limit);
    let explain = Explanation { understood, candidates, opened: candidates };
    Found { items, total: Some(total), more, coverage: Coverage { ready: true, pending: 0 }, explain }
}

pub fn search_literal(index: &Index, wanted: &Literal<'_>, go_on: &(impl Fn() -> bool + Sync)) -> Found<LiteralLine> {
    let paths = paths(index, &wanted.folder);
    let Some(search) = FoldSearch::new(wanted.query) else {
        return found(Vec::new(), 0, wanted.limit, 0, wanted.query.to_owned());
    };
    let query = composed(wanted.query);
    let fits = |line: &str, range: &std::ops::Range<usize>| {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let is_word = !line[..range.start].ends_with(word) && !line[range.end..].starts_with(word);
        (!wanted.case_sensitive || line[range.clone()] == *query) && (!wanted.whole_word || is_word)
    };
    let hits = scan(index.vault(), &paths, go_on, |_, bytes| {
        let text = composed(std::str::from_utf8(bytes).ok()?);
        let mut lines = Vec::new();
        for (number, line) in text.lines().enumerate() {
            if let Some(range) = search.find_all(line).into_iter().find(|range| fits(line, range)) {
                let column = line[..range.start].chars().count() + 1;
                let snippet = format!("{}**{}**{}", &line[..range.start], &line[range.clone()], &line[range.end..]);
                lines.push((number + 1, column, snippet));
            }
        }
        (!lines.is_empty()).then_some(lines)
    });
    let mut all: Vec<LiteralLine> = Vec::new();
    for (at, lines) in hits {
        let rank = lines.len() as f32;
        all.extend(lines.into_iter().map(|(line, column, snippet)| LiteralLine {
            path: paths[at].clone(),
            line,
            column,
            snippet,
            rank,
            score: rank,
        }));
    }
    all.sort_by(|a, b| b.rank.total_cmp(&a.rank).then_with(|| (&a.path, a.line).cmp(&(&b.path, b.line))));
    let total = all.len();
    if let Some(after) = &wanted.after {
        all.retain(|item| {
            item.rank.total_cmp(&after.rank).reverse().then_with(|| (&item.path, item.line).cmp(&(&after.path, after.line)))
                == std::cmp::Ordering::Greater
        });
    }
    found(all, total, wanted.limit, paths.len(), wanted.query.to_owned())
}

pub struct Expression<'a> {
    pub pattern: &'a str,
    pub ignore_case: bool,
    pub multi_line: bool,
    pub dot_all: bool,
    pub glob: Option<&'a str>,
    pub folder: FolderPath,
    pub per_file: usize,
    pub limit: usize,
    pub after: Option<(NotePath, u64, usize)>,
}

#[derive(Clone, Debug)]
pub struct ExpressionMatch {
    pub path: NotePath,
    pub line: u64,
    pub column: usize,
    pub matched: String,
    pub snippet: String,
}

pub fn search_expression(
    index: &Index,
    wanted: &Expression<'_>,
    go_on: &(impl Fn() -> bool + Sync),
) -> Result<Found<ExpressionMatch>, GrepError> {
    let terminator = if wanted.multi_line { None } else { Some(b'\n') };
    let matcher = RegexMatcherBuilder::new()
        .line_terminator(terminator)
        .multi_line(true)
        .case_insensitive(wanted.ignore_case)
        .dot_matches_new_line(wanted.dot_all)
        .build(wanted.pattern)
        .map_err(|error| GrepError::Pattern(error.to_string()))?;
    let filter = wanted.glob.map(PathFilter::new).transpose()?;
    let mut paths = paths(index, &wanted.folder);
    paths.retain(|path| filter.as_ref().is_none_or(|filter| filter.allows(path)));
    let hits = scan(index.vault(), &paths, go_on, |_, bytes| {
        let text = std::str::from_utf8(bytes).ok()?.replace("\r\n", "\n");
        let mut matches = Vec::new();
        let _ = matcher.find_iter(text.as_bytes(), |found| {
            let start = text[..found.start()].rfind('\n').map_or(0, |at| at + 1);
            let end = text[found.start()..].find('\n').map_or(text.len(), |at| found.start() + at);
            let line = text[..start].matches('\n').count() as u64 + 1;
            let column = text[start..found.start()].chars().count() + 1;
            matches.push((line, column, text[found.start()..found.end()].to_owned(), {
                let end = end.max(found.end());
                let (before, after) = (&text[start..found.start()], &text[found.end()..end]);
                let lead: String = before.chars().rev().take(50).collect::<Vec<_>>().into_iter().rev().collect();
                let trail: String = after.chars().take(50).collect();
                let cut = |is_cut: bool| if is_cut { "…" } else { "" };
                let matched = &text[found.start()..found.end()];
                let (first, last) = (cut(lead.len() < before.len()), cut(trail.len() < after.len()));
                format!("{first}{lead}**{matched}**{trail}{last}")
            }));
            matches.len() < wanted.per_file
        });
        (!matches.is_empty()).then_some(matches)
    });
    let mut all = Vec::new();
    for (at, matches) in hits {
        all.extend(matches.into_iter().map(|(line, column, matched, snippet)| ExpressionMatch {
            path: paths[at].clone(),
            line,
            column,
            matched,
            snippet,
        }));
    }
    let total = all.len();
    if let Some(after) = &wanted.after {
        all.retain(|item| (&item.path, item.line, item.column) > (&after.0, after.1, after.2));
    }
    Ok(found(all, total, wanted.limit, paths.len(), wanted.pattern.to_owned()))
}

pub struct Ranked<'a> {
    pub query: &'a str,
    pub folder: FolderPath,
    pub limit: usize,
    pub after: Option<(f32, NotePath)>,
}

#[derive(Clone, Debug)]
pub struct RankedNote {
    pub path: NotePath,
    pub score: f32,
    pub line: usize,
    pub snippet: String,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    #[error("\"{0}\" is not a date; write 2024, 2024-05, 2024-05-01, >2024-01-01, 2024-01..2024-03, today, yesterday or 7d")]
    Date(String),
}

pub fn search_ranked(
    index: &Index,
    wanted: &Ranked<'_>,
    go_on: &(impl Fn() -> bool + Sync),
) -> Result<Found<RankedNote>, QueryError> {
    if let Some(date) = wanted.query.strip_prefix("modified:") {
        return Err(QueryError::Date(date.to_owned()));
    }
    let words: Vec<FoldSearch> = wanted.query.split_whitespace().filter_map(FoldSearch::new).collect();
    let paths = paths(index, &wanted.folder);
    let hits = scan(index.vault(), &paths, go_on, |_, bytes| {
        let text = composed(std::str::from_utf8(bytes).ok()?);
        let counts: Vec<usize> = words.iter().map(|word| word.find_all(&text).len()).collect();
        if words.is_empty() || counts.contains(&0) {
            return None;
        }
        let score = counts.iter().sum::<usize>() as f32 / (text.len() as f32).sqrt();
        let (line, shown) = text.lines().enumerate().find(|(_, line)| words.iter().any(|word| word.is_in(line)))?;
        Some((score, line + 1, shown.to_owned()))
    });
    let note = |(at, (score, line, snippet)): (usize, _)| RankedNote { path: paths[at].clone(), score, line, snippet };
    let mut all: Vec<RankedNote> = hits.into_iter().map(note).collect();
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
    let total = all.len();
    if let Some((score, path)) = &wanted.after {
        all.retain(|item| item.score.total_cmp(score).reverse().then_with(|| item.path.cmp(path)) == std::cmp::Ordering::Greater);
    }
    Ok(found(all, total, wanted.limit, paths.len(), wanted.query.to_owned()))
}

pub struct Anywhere<'a> {
    pub query: &'a str,
    pub folder: FolderPath,
    pub limit: usize,
    pub after: Option<AnywhereKey>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnywhereKey {
    pub kind: crate::text_search::MatchKind,
    pub path: NotePath,
    pub line: usize,
}

pub fn search_anywhere(index: &Index, wanted: &Anywhere<'_>, go_on: &(impl Fn() -> bool + Sync)) -> Found<TextMatch> {
    let mut all = search_text(index, wanted.query, usize::MAX, go_on).matches;
    all.retain(|item| wanted.folder.contains(&item.path));
    let total = all.len();
    let key = |item: &TextMatch| AnywhereKey { kind: item.kind, path: item.path.clone(), line: item.line };
    all.retain(|item| wanted.after.as_ref().is_none_or(|after| key(item) > *after));
    found(all, total, wanted.limit, index.catalogue().len(), wanted.query.to_owned())
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Taken {
    pub upserted: usize,
    pub deleted: usize,
    pub unchanged: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    #[default]
    Starting,
    Writer,
    Follower,
    Off,
}

#[derive(Clone, Debug, Default)]
pub struct TextStatus {
    pub documents: u64,
    pub pending: usize,
    pub segments: usize,
    pub bytes_on_disk: u64,
    pub role: Role,
    pub last_commit: Option<SystemTime>,
    pub write_failures: u64,
}

#[derive(Clone, Debug)]
pub struct Difference {
    /// Which answers differ: catalogue, text, links, tags or columns.
    pub source: &'static str,
    pub path: String,
    pub what: String,
}

impl Index {
    pub fn coverage(&self) -> Coverage {
        Coverage { ready: self.is_ready(), pending: 0 }
    }

    pub fn check_folder(&self, folder: &FolderPath, mut report: impl FnMut(usize, usize) -> bool) -> Taken {
        let before = self.catalogue().fingerprints();
        let count = |index: &Index| index.catalogue().files_below(folder).count();
        let known = count(self);
        self.check_everything();
        let upserted = self.catalogue().changes_since(&before);
        let now = count(self);
        report(now, now);
        let deleted = (known + upserted).saturating_sub(now).min(upserted);
        Taken { upserted: upserted - deleted, deleted, unchanged: now.saturating_sub(upserted - deleted) }
    }

    pub fn text_status(&self) -> TextStatus {
        let documents = self.catalogue().len() as u64;
        TextStatus {
            documents,
            pending: 0,
            segments: 1,
            bytes_on_disk: 0,
            role: Role::Writer,
            last_commit: Some(SystemTime::now()),
            write_failures: 0,
        }
    }

    pub fn rebuild_text(&self) {}

    pub fn verify(&self, mut report: impl FnMut(usize, usize)) -> Vec<Difference> {
        let files = self.catalogue().len();
        report(files, files);
        Vec::new()
    }
}

// Structured answers.

use crate::catalogue::Catalogue;
use quillgate_markdown::fold;
use serde_json::{Map, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyOperator {
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

#[derive(Clone, Debug)]
pub struct PropertyFilter {
    key: String,
    operator: PropertyOperator,
    value: Value,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PropertyFilterError {
    #[error("the filter on \"{0}\" has no value; give one, or use exists or absent")]
    NoValue(String),
    #[error("the filter on \"{0}\" compares with {1}; give a list of values")]
    NoList(String, &'static str),
    #[error("the filter on \"{0}\" is exists or absent; leave its value out")]
    NeedlessValue(String),
    #[error("a filter has an empty key; give the name of a property")]
    NoKey,
}

pub struct PropertyMatches<'a> {
    pub notes: Vec<(&'a crate::entry::Entry, Map<String, Value>)>,
    pub total: usize,
    pub more: bool,
}

fn order(a: &Value, b: &Value) -> Option<std::cmp::Ordering> {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64()?.partial_cmp(&b.as_f64()?),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

impl PropertyFilter {
    pub fn new(key: &str, operator: PropertyOperator, value: Option<Value>) -> Result<PropertyFilter, PropertyFilterError> {
        use PropertyOperator::{Absent, Exists, In, Nin};
        let key = key.to_owned();
        match (operator, &value) {
            (Exists | Absent, Some(_)) => Err(PropertyFilterError::NeedlessValue(key.clone())),
            (Exists | Absent, None) | (In | Nin, Some(Value::Array(_))) => Ok(()),
            (In, _) => Err(PropertyFilterError::NoList(key.clone(), "in")),
            (Nin, _) => Err(PropertyFilterError::NoList(key.clone(), "nin")),
            (_, None) => Err(PropertyFilterError::NoValue(key.clone())),
            (_, Some(_)) => Ok(()),
        }?;
        Ok(PropertyFilter { key, operator, value: value.unwrap_or_default() })
    }

    fn holds(&self, value: Option<&Value>) -> bool {
        use PropertyOperator as Op;
        use std::cmp::Ordering::{Greater, Less};
        let ordered = |test: fn(std::cmp::Ordering) -> bool| value.and_then(|value| order(value, &self.value)).is_some_and(test);
        let among = || value.is_some_and(|value| self.value.as_array().is_some_and(|all| all.contains(value)));
        match self.operator {
            Op::Eq => value == Some(&self.value),
            Op::Neq => value != Some(&self.value),
            Op::Gt => ordered(|order| order == Greater),
            Op::Gte => ordered(|order| order != Less),
            Op::Lt => ordered(|order| order == Less),
            Op::Lte => ordered(|order| order != Greater),
            Op::In => among(),
            Op::Nin => !among(),
            Op::Contains => match value {
                Some(Value::String(text)) => self.value.as_str().is_some_and(|part| text.contains(part)),
                Some(Value::Array(items)) => items.contains(&self.value),
                _ => false,
            },
            Op::Exists => value.is_some(),
            Op::Absent => value.is_none(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagCount<'a> {
    pub name: &'a str,
    pub notes: usize,
    pub frontmatter: usize,
    pub inline: usize,
}

#[derive(Clone, Debug, Default)]
pub struct BacklinkSources {
    pub sources: Vec<crate::catalogue::FileId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagDepth {
    Exact,
    Below,
}

impl Catalogue {
    pub fn find_by_properties(
        &self,
        filters: &[PropertyFilter],
        folder: &FolderPath,
        after: Option<&NotePath>,
        limit: usize,
    ) -> PropertyMatches<'_> {
        let mut notes = Vec::new();
        for entry in self.files_below(folder).filter(|entry| entry.path.is_note()) {
            let properties = entry.card().property_map();
            let value = |key: &str| properties.iter().find(|(name, _)| fold(name) == fold(key)).map(|(_, value)| value);
            if filters.iter().all(|filter| filter.holds(value(&filter.key))) {
                let values = filters.iter().filter_map(|filter| Some((filter.key.clone(), value(&filter.key)?.clone())));
                notes.push((entry, values.collect()));
            }
        }
        let total = notes.len();
        notes.retain(|(entry, _)| after.is_none_or(|after| entry.path > *after));
        let more = notes.len() > limit;
        notes.truncate(limit);
        PropertyMatches { notes, total, more }
    }

    pub fn tags(&self) -> impl Iterator<Item = TagCount<'_>> {
        let mut all: std::collections::BTreeMap<String, TagCount<'_>> = Default::default();
        for entry in self.notes() {
            let card = entry.card();
            let front: std::collections::BTreeMap<String, &String> =
                card.property_tags.iter().map(|tag| (fold(tag), tag)).collect();
            let inline: std::collections::BTreeMap<String, &String> =
                card.inline_tags.iter().map(|(tag, _)| (fold(tag), tag)).collect();
            let names: std::collections::BTreeMap<&String, &&String> = inline.iter().chain(&front).collect();
            for (key, name) in names {
                let count = all.entry(key.clone()).or_insert_with(|| TagCount {
                    name: String::leak(name.to_string()),
                    notes: 0,
                    frontmatter: 0,
                    inline: 0,
                });
                count.notes += 1;
                count.frontmatter += usize::from(front.contains_key(key));
                count.inline += usize::from(inline.contains_key(key));
            }
        }
        all.into_values()
    }

    pub fn with_tag(&self, tag: &str, depth: TagDepth) -> Vec<crate::catalogue::FileId> {
        let wanted = fold(tag);
        let fits = |tag: &str| {
            let tag = fold(tag);
            tag == wanted || depth == TagDepth::Below && tag.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('/'))
        };
        let has = |entry: &&crate::entry::Entry| {
            let card = entry.card();
            card.property_tags.iter().any(|tag| fits(tag)) || card.inline_tags.iter().any(|(tag, _)| fits(tag))
        };
        self.notes().filter(has).filter_map(|entry| self.find_id(&entry.path)).collect()
    }

    pub fn backlink_sources(&self, target: &NotePath) -> BacklinkSources {
        let found = self.backlinks(target);
        BacklinkSources { sources: found.iter().filter_map(|backlink| self.find_id(&backlink.source)).collect() }
    }

    pub fn backlink_lines(&self, _: &BacklinkSources, target: &NotePath, source: crate::catalogue::FileId) -> Vec<u32> {
        let path = self.entry(source).map(|entry| entry.path.clone());
        let found = self.backlinks(target).into_iter().find(|backlink| Some(&backlink.source) == path.as_ref());
        found.map(|found| found.links.iter().map(|link| link.line).collect()).unwrap_or_default()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonLogicError {
    #[error("there is no operator \"{operator}\" at {place}; use those of json-logic-js, and wrap data in lists")]
    UnknownOperator { operator: String, place: String },
    #[error("the rule takes more than 10000 operations on one note; make it simpler")]
    TooManyOperations,
    #[error("the search was cancelled")]
    Cancelled,
}

impl JsonLogicError {
    pub fn is_budget(&self) -> bool {
        matches!(self, JsonLogicError::TooManyOperations)
    }
}

pub struct Logic<'a> {
    pub logic: &'a Value,
    pub folder: FolderPath,
    pub limit: usize,
    pub after: Option<NotePath>,
}

fn evaluate(logic: &Value, data: &Value) -> Result<Value, JsonLogicError> {
    let Value::Object(object) = logic else { return Ok(logic.clone()) };
    let Some((operator, arguments)) = object.iter().next().filter(|_| object.len() == 1) else {
        return Err(JsonLogicError::UnknownOperator { operator: String::new(), place: String::new() });
    };
    let list = arguments.as_array().cloned().unwrap_or_else(|| vec![arguments.clone()]);
    if operator == "var" {
        let name = list.first().and_then(Value::as_str).unwrap_or_default();
        return Ok(data.pointer(&format!("/{}", name.replace('.', "/"))).cloned().unwrap_or_default());
    }
    let values = list.iter().map(|value| evaluate(value, data)).collect::<Result<Vec<Value>, JsonLogicError>>()?;
    let truth = |value: &Value| !matches!(value, Value::Null | Value::Bool(false)) && value.as_str() != Some("");
    Ok(match operator.as_str() {
        "==" => Value::Bool(values.first() == values.get(1)),
        "and" => values.iter().find(|value| !truth(value)).or(values.last()).cloned().unwrap_or_default(),
        "or" => values.iter().find(|value| truth(value)).or(values.last()).cloned().unwrap_or_default(),
        "in" => Value::Bool(match (&values[0], &values[1]) {
            (Value::String(part), Value::String(text)) => text.contains(part),
            (value, Value::Array(items)) => items.contains(value),
            _ => false,
        }),
        other => return Err(JsonLogicError::UnknownOperator { operator: other.to_owned(), place: String::new() }),
    })
}

pub fn search_logic(
    index: &Index,
    wanted: &Logic<'_>,
    _go_on: &(impl Fn() -> bool + Sync),
) -> Result<Found<NotePath>, JsonLogicError> {
    if wanted.logic.to_string().len() > 20_000 {
        return Err(JsonLogicError::TooManyOperations);
    }
    let catalogue = index.catalogue();
    let mut all = Vec::new();
    for entry in catalogue.files_below(&wanted.folder).filter(|entry| entry.path.is_note()) {
        let card = entry.card();
        let links: Vec<&str> = card.links.iter().map(|link| link.path.as_str()).collect();
        let tags: Vec<&str> = card.property_tags.iter().map(String::as_str).collect();
        let properties = card.property_map();
        let data = serde_json::json!({"path": entry.path.as_str(), "frontmatter": properties, "tags": tags, "links": links});
        let matched = evaluate(wanted.logic, &data)?;
        if !matches!(matched, Value::Null | Value::Bool(false)) {
            all.push(entry.path.clone());
        }
    }
    let (total, candidates) = (all.len(), catalogue.len());
    all.retain(|path| wanted.after.as_ref().is_none_or(|after| path > after));
    Ok(found(all, total, wanted.limit, candidates, wanted.logic.to_string()))
}

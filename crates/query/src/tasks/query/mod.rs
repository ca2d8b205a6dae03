//! The query language of the plugin: one instruction per line.

mod boolean;
mod dates;
mod filter;
mod order;
mod read_filter;
pub(super) mod statements;

use std::collections::BTreeMap;
use std::fmt;

use jiff::civil::Date;

pub use dates::DayRange;
pub use filter::{DateKey, DateRelation, Filter, PriorityRelation, TextField, TextTest};
pub use order::{Element, ElementDate, Order, Property};
pub use statements::QueryFile;
use statements::{Statement, filled};

use super::settings::Settings;
use crate::SyntaxError;
use read_filter::{NO_FUNCTIONS, begins, read_filter};

/// Presets in presets.
const DEPTH: usize = 10;

/// Statements after presets are filled in.
const STATEMENTS: usize = 2_000;

#[derive(Debug, Default, PartialEq)]
pub struct Query {
    pub filters: Vec<Filter>,
    pub sorting: Vec<Order>,
    pub grouping: Vec<Order>,
    pub limit: Option<usize>,
    /// Of each group.
    pub group_limit: Option<usize>,
    /// Said to be shown or hidden; else as by default.
    pub elements: BTreeMap<Element, bool>,
    /// Said to be short or full.
    pub short: Option<bool>,
    pub explain: bool,
    pub ignore_global_query: bool,
}

/// What a query is read with.
#[derive(Clone, Copy, Debug)]
pub struct QueryContext<'a> {
    pub settings: &'a Settings,
    pub today: Date,
    pub file: Option<QueryFile<'a>>,
}

impl Query {
    /// The query alone.
    pub fn read(text: &str, context: &QueryContext<'_>) -> Result<Query, SyntaxError> {
        let mut query = Query::default();
        query.add_text(text, context)?;
        Ok(query)
    }

    /// The query as the app answers it: after the vault's global query, unless it says not to, and what the note's properties add.
    pub fn read_whole(text: &str, context: &QueryContext<'_>) -> Result<Query, SyntaxError> {
        let block = Query::read(text, context)?;
        let mut query = Query::default();
        if !block.ignore_global_query {
            query.add_text(&context.settings.global_query, context).map_err(|error| within("the vault's global query", error))?;
        }
        if let Some(file) = &context.file {
            let defaults = statements::defaults(file);
            query.add_text(&defaults, context).map_err(|error| within("the note's TQ_ properties", error))?;
        }
        query.append(block);
        Ok(query)
    }

    /// What a later query says, said after this one.
    pub fn append(&mut self, other: Query) {
        self.filters.extend(other.filters);
        self.sorting.extend(other.sorting);
        self.grouping.extend(other.grouping);
        self.limit = other.limit.or(self.limit);
        self.group_limit = other.group_limit.or(self.group_limit);
        self.elements.extend(other.elements);
        self.short = other.short.or(self.short);
        self.explain |= other.explain;
        self.ignore_global_query |= other.ignore_global_query;
    }

    pub fn shows(&self, element: Element) -> bool {
        self.elements.get(&element).copied().unwrap_or(element.is_shown_by_default())
    }

    fn add_text(&mut self, text: &str, context: &QueryContext<'_>) -> Result<(), SyntaxError> {
        let mut left = STATEMENTS;
        self.add_statements(text, context, 0, &mut left)
    }

    fn add_statements(
        &mut self,
        text: &str,
        context: &QueryContext<'_>,
        depth: usize,
        left: &mut usize,
    ) -> Result<(), SyntaxError> {
        for statement in statements::statements(text) {
            *left = left.checked_sub(1).ok_or_else(|| statement.error(0, "the query has too many lines"))?;
            if statement.text.starts_with('#') {
                continue;
            }
            let preset = |name: &str| context.settings.presets.get(name).cloned();
            let text = filled(&statement, context.file.as_ref(), &preset)?;
            // A preset in place of a line may be more than one line.
            if text != statement.text && (text.contains('\n') || text.contains("{{")) {
                if depth >= DEPTH {
                    return Err(statement.error(0, "presets contain one another"));
                }
                self.add_statements(&text, context, depth + 1, left).map_err(|error| at(&statement, error))?;
                continue;
            }
            let statement = Statement { text: text.trim().to_owned(), ..statement };
            if let Some(name) = begins(&statement.text, "preset ") {
                let name = name.trim();
                let Some(preset) = context.settings.presets.get(name) else {
                    let names: Vec<&str> = context.settings.presets.keys().map(String::as_str).collect();
                    return Err(statement.error(7, format!("there is no preset {name:?}; there are {}", names.join(", "))));
                };
                if depth >= DEPTH {
                    return Err(statement.error(0, "presets contain one another"));
                }
                self.add_statements(preset, context, depth + 1, left).map_err(|error| at(&statement, error))?;
                continue;
            }
            self.add(&statement, context.today)?;
        }
        Ok(())
    }

    fn add(&mut self, statement: &Statement, today: Date) -> Result<(), SyntaxError> {
        let line = statement.text.as_str();
        let words = line.to_lowercase();
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        match words.as_str() {
            "" => {}
            "short" | "short mode" => self.short = Some(true),
            "full" | "full mode" => self.short = Some(false),
            "explain" => self.explain = true,
            "ignore global query" => self.ignore_global_query = true,
            _ => {
                if let Some(rest) = begins(line, "limit ") {
                    self.add_limit(&words).map_err(|message| statement.error(line.len() - rest.len(), message))?;
                } else if let Some(rest) = begins(line, "sort by ") {
                    let order = function_or(rest, Order::read_sort);
                    self.sorting.push(order.map_err(|message| statement.error(line.len() - rest.len(), message))?);
                } else if let Some(rest) = begins(line, "group by ") {
                    let order = function_or(rest, Order::read_group);
                    self.grouping.push(order.map_err(|message| statement.error(line.len() - rest.len(), message))?);
                } else if let Some((rest, shown)) =
                    begins(line, "hide ").map(|rest| (rest, false)).or_else(|| begins(line, "show ").map(|rest| (rest, true)))
                {
                    let element = Element::read(rest).map_err(|message| statement.error(5, message))?;
                    self.elements.insert(element, shown);
                } else {
                    self.filters.push(filter_of(statement, today)?);
                }
            }
        }
        Ok(())
    }

    fn add_limit(&mut self, words: &str) -> Result<(), String> {
        let rest = words.strip_prefix("limit ").unwrap_or(words);
        let (groups, rest) = match rest.strip_prefix("groups ") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let rest = rest.strip_prefix("to ").unwrap_or(rest);
        let number = rest.strip_suffix(" tasks").or_else(|| rest.strip_suffix(" task")).unwrap_or(rest);
        let Ok(number) = number.parse::<u32>() else {
            return Err("write limit 10, limit to 10 tasks or limit groups to 3".into());
        };
        *(if groups { &mut self.group_limit } else { &mut self.limit }) = Some(number as usize);
        Ok(())
    }
}

fn filter_of(statement: &Statement, today: Date) -> Result<Filter, SyntaxError> {
    let line = statement.text.as_str();
    let single = read_filter(line, today);
    if let Some(Ok(filter)) = single {
        return Ok(filter);
    }
    let leaf = |text: &str| read_filter(text, today).unwrap_or_else(|| Err(format!("{text:?} is no filter; {FILTERS}")));
    if let Some(combined) = boolean::read(line, &leaf) {
        return combined.map_err(|(at, message)| statement.error(at, message));
    }
    match single {
        Some(Err(message)) => Err(statement.error(0, message)),
        _ => Err(statement.error(0, format!("{line:?} is no instruction; {FILTERS}"))),
    }
}

const FILTERS: &str = "there are not done, due before tomorrow, has due date, priority is high, tags include #x, path includes x, \
is recurring, (a) OR (b), sort by due, group by path, limit 10, hide due date and more";

fn function_or(rest: &str, read: fn(&str) -> Result<Order, String>) -> Result<Order, String> {
    if begins(rest.trim_start(), "function").is_some() { Err(NO_FUNCTIONS.into()) } else { read(rest) }
}

fn within(place: &str, error: SyntaxError) -> SyntaxError {
    SyntaxError { line: 1, column: 1, message: format!("in {place}, {error}") }
}

fn at(statement: &Statement, error: SyntaxError) -> SyntaxError {
    statement.error(0, format!("in a preset, {error}"))
}

impl fmt::Display for Query {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<String> = self.filters.iter().map(Filter::to_string).collect();
        lines.extend(self.sorting.iter().map(|order| order.write("sort")));
        lines.extend(self.grouping.iter().map(|order| order.write("group")));
        lines.extend(self.limit.map(|limit| format!("limit {limit}")));
        lines.extend(self.group_limit.map(|limit| format!("limit groups {limit}")));
        lines.extend(self.elements.iter().map(|(element, shown)| format!("{} {element}", if *shown { "show" } else { "hide" })));
        lines.extend(self.short.map(|short| if short { "short mode" } else { "full mode" }.to_owned()));
        lines.extend(self.explain.then(|| "explain".to_owned()));
        lines.extend(self.ignore_global_query.then(|| "ignore global query".to_owned()));
        // A lone backslash at the end of a line would join it with the next.
        lines.iter_mut().filter(|line| line.ends_with('\\')).for_each(|line| line.push('\\'));
        formatter.write_str(&lines.join("\n"))
    }
}

#[cfg(test)]
mod documentation;
#[cfg(test)]
mod tests;

//! Fills in templates: the variables of the core plugins, and of Templater what needs no script.
//!
//! Architecture invariant: no code of a template is ever run. What is not understood stays as it is written, and is reported.

mod arguments;
mod merge;
mod templater;
#[cfg(test)]
mod tests;
mod variables;

pub use merge::merge_into;
pub use variables::parameters;

use std::collections::BTreeMap;

use jiff::Zoned;
use quillgate_markdown::Properties;

use crate::moment::Locale;

/// What a template is filled in with.
#[derive(Debug)]
pub struct Scope<'a> {
    pub now: &'a Zoned,
    /// The day that the note is about, at the time of now.
    pub date: &'a Zoned,
    pub locale: &'static Locale,
    pub date_format: &'a str,
    pub time_format: &'a str,
    /// Of the new note, with its extension.
    pub path: &'a str,
    pub created: Option<&'a Zoned>,
    pub modified: Option<&'a Zoned>,
    pub tags: &'a [String],
    pub properties: Option<&'a Properties>,
    /// Values for variables of the template's own.
    pub values: &'a BTreeMap<String, String>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Filled {
    pub text: String,
    pub unexpanded: Vec<Unexpanded>,
}

/// A command that was left as it is written.
#[derive(Debug, PartialEq, Eq)]
pub struct Unexpanded {
    /// From 1.
    pub line: usize,
    pub command: String,
    pub reason: String,
}

impl Scope<'_> {
    /// The name of the note without its extension.
    pub(crate) fn title(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }
}

/// Fills a template in, once: what a value puts in is not looked at again.
pub fn fill(template: &str, scope: &Scope<'_>) -> Filled {
    let mut filled = Filled { text: String::with_capacity(template.len()), unexpanded: Vec::new() };
    let mut rest = template;
    // Where the last command can end: behind it nothing is looked for again and again.
    let last = template.rfind("%>").unwrap_or(0);
    let (mut line, mut counted) = (1, 0);
    while let Some(start) = rest.find(['{', '<']) {
        filled.text.push_str(&rest[..start]);
        rest = &rest[start..];
        let at = template.len() - rest.len();
        let (command, outcome) = if at < last
            && let Some(command) = templater::command(rest)
        {
            (command, templater::value(command, scope))
        } else if let Some(command) = variables::command(rest) {
            (command, variables::value(command, scope))
        } else {
            filled.text.push_str(&rest[..1]);
            rest = &rest[1..];
            continue;
        };
        rest = &rest[command.len()..];
        match outcome {
            Ok(value) => {
                let trim = templater::Trim::of(command);
                trim.before(&mut filled.text);
                filled.text.push_str(&value);
                rest = trim.after(rest);
            }
            Err(reason) => {
                line += template[counted..at].matches('\n').count();
                counted = at;
                filled.text.push_str(command);
                filled.unexpanded.push(Unexpanded { line, command: command.to_owned(), reason });
            }
        }
    }
    filled.text.push_str(rest);
    filled
}

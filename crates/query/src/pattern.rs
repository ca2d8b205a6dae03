//! Regular expressions as JavaScript reads them, with an end to their work.
//!
//! What can be matched in one pass is; only expressions that look around or back are tried and taken back, under a limit.

mod replacement;
mod translate;

use std::fmt;
use std::ops::Range;

use thiserror::Error;

use crate::budget::Steps;
use crate::fault::Fault;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the regular expression cannot be read: {0}")]
pub struct PatternError(pub String);

pub struct Pattern {
    engine: Engine,
    source: Box<str>,
    flags: Box<str>,
    names: Box<[(Box<str>, usize)]>,
}

enum Engine {
    /// Takes time in proportion to the text, whatever the expression.
    Linear(regex::Regex),
    /// Tries and takes back.
    Trying(fancy_regex::Regex),
}

/// Longer expressions are no one's.
const LONGEST: usize = 10_000;
/// Backtracking steps of one match.
const STEPS: usize = 200_000;
/// Bytes that a compiled expression may take: `(a{1000}){1000}` is short and large.
const LARGEST: usize = 1 << 20;
/// What a replacement may grow a text to.
const LONGEST_RESULT: usize = 1 << 24;
/// What one try of an engine that takes back is worth, so that the clock is looked at now and then.
const COST_OF_TRYING: u64 = 512;

impl Pattern {
    /// What stands between the slashes, and the flags behind them.
    pub fn new(source: &str, flags: &str) -> Result<Pattern, PatternError> {
        for (at, flag) in flags.char_indices() {
            if !"gimsuy".contains(flag) {
                return Err(PatternError(format!("there is no flag {flag:?}; there are g, i, m, s, u and y")));
            }
            if flags[..at].contains(flag) {
                return Err(PatternError(format!("the flag {flag:?} is given twice")));
            }
        }
        if source.len() > LONGEST {
            return Err(PatternError(format!("it is longer than {LONGEST} bytes")));
        }
        let translated = translate::translate(source, flags)?;
        let engine = if translated.is_hard {
            let mut builder = fancy_regex::RegexBuilder::new(&translated.text);
            let regex = builder.backtrack_limit(STEPS).delegate_size_limit(LARGEST).build();
            Engine::Trying(regex.map_err(|error| PatternError(reason(&error)))?)
        } else {
            let regex = regex::RegexBuilder::new(&translated.text).size_limit(LARGEST).build();
            Engine::Linear(regex.map_err(|error| PatternError(refused(&error)))?)
        };
        Ok(Pattern { engine, source: source.into(), flags: flags.into(), names: translated.names.into() })
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    pub fn flags(&self) -> &str {
        &self.flags
    }

    /// All matches rather than the first are replaced.
    pub fn is_global(&self) -> bool {
        self.flags.contains('g')
    }

    fn is_sticky(&self) -> bool {
        self.flags.contains('y')
    }

    pub fn is_match(&self, text: &str, steps: &Steps<'_>) -> Result<bool, Fault> {
        if self.is_sticky() {
            return self.find(text, 0, steps).map(|found| found.is_some());
        }
        self.pay(text.len(), steps)?;
        match &self.engine {
            Engine::Linear(regex) => Ok(regex.is_match(text)),
            Engine::Trying(regex) => regex.is_match(text).map_err(gave_up),
        }
    }

    /// The first match at or behind a byte of the text; at it where the flag `y` says so.
    pub fn find<'t>(&self, text: &'t str, from: usize, steps: &Steps<'_>) -> Result<Option<Captures<'t>>, Fault> {
        Ok(self.search(text, from, steps)?.filter(|found| !self.is_sticky() || found.range().start == from))
    }

    fn search<'t>(&self, text: &'t str, from: usize, steps: &Steps<'_>) -> Result<Option<Captures<'t>>, Fault> {
        if from > text.len() {
            return Ok(None);
        }
        self.pay(text.len() - from, steps)?;
        let groups: Option<Box<[Option<Range<usize>>]>> = match &self.engine {
            Engine::Linear(regex) => {
                let found = regex.captures_at(text, from);
                found.map(|found| found.iter().map(|group| group.map(|group| group.range())).collect())
            }
            Engine::Trying(regex) => {
                let found = regex.captures_from_pos(text, from).map_err(gave_up)?;
                found.map(|found| found.iter().map(|group| group.map(|group| group.range())).collect())
            }
        };
        Ok(groups.map(|groups| Captures { text, groups, names: self.names.clone() }))
    }

    /// Every match with the flag `g`, else the first.
    pub fn find_all<'t>(&self, text: &'t str, steps: &Steps<'_>) -> Result<Vec<Captures<'t>>, Fault> {
        let mut all = Vec::new();
        let mut from = 0;
        while let Some(found) = self.find(text, from, steps)? {
            let range = found.range();
            from = if range.is_empty() { range.end + width_at(text, range.end) } else { range.end };
            all.push(found);
            if !self.is_global() {
                break;
            }
        }
        Ok(all)
    }

    /// `$1`, `$&`, `$<name>` and `$$` in the replacement mean what they mean in JavaScript.
    pub fn replace(&self, text: &str, replacement: &str, steps: &Steps<'_>) -> Result<String, Fault> {
        let mut result = String::with_capacity(text.len());
        let mut copied = 0;
        for found in self.find_all(text, steps)? {
            let range = found.range();
            result.push_str(&text[copied..range.start]);
            replacement::expand(&mut result, replacement, &found);
            copied = range.end;
            if result.len() > LONGEST_RESULT {
                return Err(Fault::wrong("the replacement makes the text too long"));
            }
            steps.spend(result.len() as u64 / 4096)?;
        }
        result.push_str(&text[copied..]);
        Ok(result)
    }

    /// The pieces between matches, with what groups captured in between, at most `limit` of all.
    pub fn split(&self, text: &str, limit: Option<usize>, steps: &Steps<'_>) -> Result<Vec<String>, Fault> {
        let limit = limit.unwrap_or(usize::MAX);
        let mut pieces: Vec<String> = Vec::new();
        if text.is_empty() {
            let is_match = self.search(text, 0, steps)?.is_some();
            pieces.extend((!is_match && limit > 0).then(String::new));
            return Ok(pieces);
        }
        let (mut start, mut from) = (0, 0);
        while from < text.len() && pieces.len() < limit {
            let Some(found) = self.search(text, from, steps)? else { break };
            let range = found.range();
            if range.start >= text.len() {
                break;
            }
            if range.end == start {
                from += width_at(text, from);
                continue;
            }
            pieces.push(text[start..range.start].to_owned());
            pieces.extend((1..found.len()).map(|group| found.group(group).unwrap_or_default().to_owned()));
            start = range.end;
            from = start;
        }
        pieces.push(text[start..].to_owned());
        pieces.truncate(limit);
        Ok(pieces)
    }

    fn pay(&self, bytes: usize, steps: &Steps<'_>) -> Result<(), Fault> {
        let cost = match self.engine {
            Engine::Linear(_) => 1 + bytes as u64 / 64,
            Engine::Trying(_) => COST_OF_TRYING + bytes as u64,
        };
        Ok(steps.spend(cost)?)
    }
}

/// One match: the whole and its groups.
#[derive(Clone, Debug)]
pub struct Captures<'t> {
    text: &'t str,
    groups: Box<[Option<Range<usize>>]>,
    names: Box<[(Box<str>, usize)]>,
}

impl<'t> Captures<'t> {
    /// What was searched.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Bytes of the whole match.
    pub fn range(&self) -> Range<usize> {
        self.groups.first().cloned().flatten().unwrap_or(0..0)
    }

    /// Group 0 is the whole match.
    pub fn group(&self, group: usize) -> Option<&'t str> {
        self.groups.get(group).cloned().flatten().map(|range| &self.text[range])
    }

    pub fn named(&self, name: &str) -> Option<&'t str> {
        let (_, group) = self.names.iter().find(|(other, _)| **other == *name)?;
        self.group(*group)
    }

    /// Groups, with the whole match.
    #[expect(clippy::len_without_is_empty, reason = "there is always the whole match")]
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    fn has_names(&self) -> bool {
        !self.names.is_empty()
    }
}

/// An empty match is followed by the next character, not by itself.
fn width_at(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}

fn gave_up(_: fancy_regex::Error) -> Fault {
    Fault::wrong("the regular expression takes too many steps on this text; write it without nested repetition")
}

fn reason(error: &fancy_regex::Error) -> String {
    match error {
        fancy_regex::Error::CompileError(fancy_regex::CompileError::LookBehindNotConst) => {
            "what (?<=…) looks back at must have one length; write alternatives of one length each".into()
        }
        fancy_regex::Error::CompileError(fancy_regex::CompileError::InnerError(_)) => {
            "it is too large or names a property of characters that there is not".into()
        }
        other => other.to_string(),
    }
}

fn refused(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => "it is too large; repeat fewer times".into(),
        // The engine would show our translation of it, which nobody wrote.
        other => other.to_string().lines().next_back().unwrap_or_default().trim_start_matches("error: ").to_owned(),
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "/{}/{}", self.source, self.flags)
    }
}

#[cfg(test)]
mod tests;

//! What the searches of all surfaces share: the limits of expressions, and how an answer is explained.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use quillgate_index::{Coverage, Explanation, Expression, ExpressionMatch, Found, search_expression};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::page::IndexState;

/// How an answer was found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Explained {
    mode_used: &'static str,
    /// The query as it was understood
    understood: String,
    /// Files that the index could not rule out
    candidates: usize,
    /// Files that were opened
    opened: usize,
    index: IndexState,
    elapsed_ms: f64,
}

impl Explained {
    pub(crate) fn new(mode_used: &'static str, explanation: Explanation, coverage: Coverage, started: Instant) -> Explained {
        Explained {
            mode_used,
            understood: explanation.understood,
            candidates: explanation.candidates,
            opened: explanation.opened,
            index: IndexState::of(coverage),
            elapsed_ms: (started.elapsed().as_secs_f64() * 1e6).round() / 1e3,
        }
    }
}

/// A score as it is shown: more digits would only cost tokens.
pub(crate) fn shown_score(score: f32) -> f64 {
    (f64::from(score) * 1e4).round() / 1e4
}

/// How an expression is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) ignore_case: bool,
    /// A match may run over the end of a line.
    pub(crate) multi_line: bool,
    /// `.` takes line breaks too.
    pub(crate) dot_all: bool,
}

impl Flags {
    /// The letters that JavaScript knows; of these `g` and `u` say what holds here anyway.
    pub(crate) fn parse(letters: &str) -> Option<Flags> {
        let mut flags = Flags::default();
        for letter in letters.chars() {
            match letter {
                'i' => flags.ignore_case = true,
                'm' => flags.multi_line = true,
                's' => flags = Flags { multi_line: true, dot_all: true, ..flags },
                'g' | 'u' => {}
                _ => return None,
            }
        }
        Some(flags)
    }

    pub(crate) fn parse_argument(letters: &str) -> Result<Flags, Failure> {
        Flags::parse(letters).ok_or_else(|| {
            let expected = "expected letters of i (ignore case), m (matches may run over lines) and s (. takes line breaks)";
            Failure::InvalidInput(vec![Issue::new("flags", expected.to_owned())])
        })
    }
}

/// Searches by expression within the time that one may take. While the vault is being indexed it may take as long as any
/// call: that every file has to be read then is not the caller's fault.
pub(crate) fn find_expression(context: &Context<'_>, wanted: &Expression<'_>) -> Result<Found<ExpressionMatch>, Failure> {
    let index = context.index_so_far();
    let is_limited = index.coverage().ready;
    let limit = context.settings().regex_limit;
    let started = Instant::now();
    let is_late = AtomicBool::new(false);
    let go_on = || {
        if is_limited && started.elapsed() >= limit {
            is_late.store(true, Ordering::Relaxed);
        }
        context.go_on() && !is_late.load(Ordering::Relaxed)
    };
    let found = search_expression(index, wanted, &go_on)?;
    if is_late.into_inner() {
        let limit = limit.as_millis();
        let what_to_do = format!(
            "the expression took longer than {limit} ms; put a word of at least three letters into it, or name a folder as root"
        );
        return Err(Failure::Budget(what_to_do));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_shown_in_few_digits() {
        assert_eq!(serde_json::json!([shown_score(1.2), shown_score(0.123_456)]).to_string(), "[1.2,0.1235]");
    }

    #[test]
    fn flags_are_those_of_other_engines() {
        let flags = |letters| Flags::parse(letters).map(|flags| (flags.ignore_case, flags.multi_line, flags.dot_all));
        assert_eq!(flags(""), Some((false, false, false)));
        assert_eq!(flags("gi"), Some((true, false, false)));
        assert_eq!(flags("mu"), Some((false, true, false)));
        assert_eq!(flags("si"), Some((true, true, true)));
        assert_eq!(flags("iz"), None);
    }
}

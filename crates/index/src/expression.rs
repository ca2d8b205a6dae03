//! Finding what a regular expression matches, a page at a time.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use quillgate_vault::{FolderPath, NotePath};

use crate::candidates::Candidates;
use crate::grep::{GrepError, PathFilter, plain_newlines};
use crate::lines::snippet;
use crate::scan::scan_until;
use crate::search::{Explanation, Found};
use crate::sync::Index;
use crate::text::{Part, needed_by};

/// Longer matches are cut.
const LONGEST_MATCH: usize = 1000;

/// What to look for and where.
#[derive(Clone, Debug)]
pub struct Expression<'a> {
    pub pattern: &'a str,
    pub ignore_case: bool,
    /// Matches may reach across lines.
    pub multi_line: bool,
    /// `.` matches line breaks too.
    pub dot_all: bool,
    /// Paths must match it; with `!` in front they must not.
    pub glob: Option<&'a str>,
    pub folder: FolderPath,
    /// The most matches of one file.
    pub per_file: usize,
    pub limit: usize,
    /// Path, line and column of the last item of the page before.
    pub after: Option<(NotePath, u64, usize)>,
}

#[derive(Clone, Debug)]
pub struct ExpressionMatch {
    pub path: NotePath,
    pub line: u64,
    /// In characters, from 1.
    pub column: usize,
    pub matched: String,
    /// The match in `**bold**` with some text around it.
    pub snippet: String,
}

/// The matches by path and place. How many there are in all is known only when they fit on the first page.
pub fn search_expression(
    index: &Index,
    wanted: &Expression<'_>,
    go_on: &(impl Fn() -> bool + Sync),
) -> Result<Found<ExpressionMatch>, GrepError> {
    let matcher = RegexMatcherBuilder::new()
        .line_terminator((!wanted.multi_line).then_some(b'\n'))
        .multi_line(true)
        .case_insensitive(wanted.ignore_case)
        .dot_matches_new_line(wanted.dot_all)
        .build(wanted.pattern)
        .map_err(|error| GrepError::Pattern(error.to_string()))?;
    let filter = wanted.glob.map(PathFilter::new).transpose()?;
    let needed = needed_by(wanted.pattern, wanted.ignore_case);
    let Candidates { mut paths, coverage } = Candidates::find(index, &needed, Part::Text, &wanted.folder);
    paths.retain(|path| filter.as_ref().is_none_or(|filter| filter.allows(path)));
    let start = wanted.after.as_ref().map_or(0, |(after, ..)| paths.partition_point(|path| path < after));
    let rest = &paths[start..];
    let opened = AtomicUsize::new(0);
    let look = |path: &NotePath, bytes: &[u8]| {
        opened.fetch_add(1, Ordering::Relaxed);
        let mut places = matches_in(&matcher, bytes, wanted.per_file);
        places.retain(|place| wanted.after.as_ref().is_none_or(|after| place.is_after(path, after)));
        (!places.is_empty()).then_some(places)
    };
    let is_enough = |found: &[(usize, Vec<Place>)]| found.iter().map(|(_, places)| places.len()).sum::<usize>() > wanted.limit;
    let found = scan_until(index.vault(), rest, go_on, look, is_enough);
    let in_file = |(at, places): (usize, Vec<Place>)| places.into_iter().map(move |place| place.in_file(&rest[at]));
    let mut items: Vec<ExpressionMatch> = found.into_iter().flat_map(in_file).collect();
    let more = items.len() > wanted.limit;
    items.truncate(wanted.limit);
    let total = (!more && wanted.after.is_none()).then_some(items.len());
    let explain = Explanation { understood: matcher_text(wanted), candidates: paths.len(), opened: opened.into_inner() };
    Ok(Found { items, total, more, coverage, explain })
}

fn matcher_text(wanted: &Expression<'_>) -> String {
    let flag = |is_set: bool, name: &'static str| if is_set { name } else { "" };
    let flags = [flag(wanted.ignore_case, "i"), flag(wanted.multi_line, "m"), flag(wanted.dot_all, "s")].concat();
    format!("/{}/{flags}", wanted.pattern)
}

/// A match in a file that goes without saying.
struct Place {
    line: u64,
    column: usize,
    matched: String,
    snippet: String,
}

impl Place {
    fn is_after(&self, path: &NotePath, (last, line, column): &(NotePath, u64, usize)) -> bool {
        (path, self.line, self.column) > (last, *line, *column)
    }

    fn in_file(self, path: &NotePath) -> ExpressionMatch {
        let Place { line, column, matched, snippet } = self;
        ExpressionMatch { path: path.clone(), line, column, matched, snippet }
    }
}

fn matches_in(matcher: &RegexMatcher, bytes: &[u8], most: usize) -> Vec<Place> {
    let bytes = plain_newlines(bytes);
    let mut found: Vec<Range<usize>> = Vec::new();
    // Behind the last line break no line begins.
    let is_line = |at: usize| at < bytes.len() || bytes.last().is_some_and(|last| *last != b'\n');
    let _ = matcher.find_iter(&bytes, |place| {
        if is_line(place.start()) {
            found.push(place.start()..place.end());
        }
        found.len() < most
    });
    let (mut line, mut counted_to) = (1, 0);
    let described = found.into_iter().map(|place| {
        line += memchr::memchr_iter(b'\n', &bytes[counted_to..place.start]).count() as u64;
        counted_to = place.start;
        describe(&bytes, line, &place)
    });
    described.collect()
}

fn describe(bytes: &[u8], line: u64, place: &Range<usize>) -> Place {
    let line_start = memchr::memrchr(b'\n', &bytes[..place.start]).map_or(0, |at| at + 1);
    let line_end = memchr::memchr(b'\n', &bytes[place.end..]).map_or(bytes.len(), |at| place.end + at);
    let before = String::from_utf8_lossy(&bytes[line_start..place.start]);
    let mut matched = String::from_utf8_lossy(&bytes[place.clone()]).into_owned();
    if matched.len() > LONGEST_MATCH {
        matched.truncate(matched.floor_char_boundary(LONGEST_MATCH));
        matched.push('…');
    }
    let after = String::from_utf8_lossy(&bytes[place.end..line_end]);
    let shown = format!("{before}{matched}{after}");
    let snippet = snippet(&shown, &(before.len()..before.len() + matched.len()));
    Place { line, column: before.chars().count() + 1, matched, snippet }
}

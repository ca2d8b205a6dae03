//! Searching text by regular expression, with ripgrep's own engine and meaning.

use std::borrow::Cow;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::sinks::Lossy;
use grep_searcher::{BinaryDetection, SearcherBuilder};
use memchr::memmem;
use quillgate_vault::{FolderPath, NotePath};

use crate::scan::scan;
use crate::sync::Index;

/// Longer lines, such as pictures in base64, are cut around the match.
const LONGEST_LINE: usize = 1000;
/// Globs nest, and what reads them recurses.
const LONGEST_GLOB: usize = 500;

#[derive(Debug, thiserror::Error)]
pub enum GrepError {
    #[error("the regular expression is not valid: {0}")]
    Pattern(String),
    #[error("the glob {glob:?} is not valid: {reason}; write it like devlog/*.md")]
    Glob { glob: String, reason: String },
}

/// What to look for and where.
#[derive(Clone, Debug)]
pub struct Grep<'a> {
    pub pattern: &'a str,
    /// Paths must match it; with `!` in front they must not.
    pub glob: Option<&'a str>,
    pub folder: FolderPath,
    /// The most lines to return.
    pub most: usize,
}

#[derive(Clone, Debug)]
pub struct GrepLine {
    pub path: NotePath,
    pub line: u64,
    pub text: String,
}

#[derive(Debug, Default)]
pub struct GrepResult {
    pub lines: Vec<GrepLine>,
    /// Whether there were more lines than asked for.
    pub truncated: bool,
}

/// The matching lines, by path.
pub fn grep(index: &Index, wanted: &Grep<'_>, go_on: &(impl Fn() -> bool + Sync)) -> Result<GrepResult, GrepError> {
    let matcher = RegexMatcherBuilder::new()
        .line_terminator(Some(b'\n'))
        .build(wanted.pattern)
        .map_err(|error| GrepError::Pattern(error.to_string()))?;
    let paths = paths_to_search(index, wanted)?;
    let most = wanted.most;
    let look = |_: &NotePath, bytes: &[u8]| {
        let lines = matching_lines(&matcher, bytes, most.saturating_add(1));
        (!lines.is_empty()).then_some(lines)
    };
    let mut result = GrepResult::default();
    for (at, lines) in scan(index.vault(), &paths, go_on, look) {
        result.lines.extend(lines.into_iter().map(|(line, text)| GrepLine { path: paths[at].clone(), line, text }));
        if result.lines.len() > most {
            result.lines.truncate(most);
            result.truncated = true;
            break;
        }
    }
    Ok(result)
}

fn paths_to_search(index: &Index, wanted: &Grep<'_>) -> Result<Vec<NotePath>, GrepError> {
    let filter = wanted.glob.map(PathFilter::new).transpose()?;
    let catalogue = index.catalogue();
    let files = catalogue.files_below(&wanted.folder).filter(|entry| !entry.stat.offline).map(|entry| &entry.path);
    Ok(files.filter(|path| filter.as_ref().is_none_or(|filter| filter.allows(path))).cloned().collect())
}

fn matching_lines(matcher: &RegexMatcher, bytes: &[u8], most: usize) -> Vec<(u64, String)> {
    let mut lines = Vec::new();
    let mut searcher = SearcherBuilder::new().binary_detection(BinaryDetection::none()).line_number(true).build();
    let sink = Lossy(|line, text| {
        lines.push((line, shortened(matcher, text.trim_end_matches('\n'))));
        Ok(lines.len() < most)
    });
    // Reading from memory cannot fail, and the sink never does.
    let _ = searcher.search_slice(matcher, &plain_newlines(bytes), sink);
    lines
}

/// Of a line that is too long to show, the part around its first match.
fn shortened(matcher: &RegexMatcher, line: &str) -> String {
    if line.len() <= LONGEST_LINE {
        return line.to_owned();
    }
    let found = matcher.find(line.as_bytes()).ok().flatten().map_or(0, |found| found.start());
    let start = line.floor_char_boundary(found.saturating_sub(LONGEST_LINE / 2));
    let end = line.floor_char_boundary(start + LONGEST_LINE);
    let (lead, trail) = (if start > 0 { "…" } else { "" }, if end < line.len() { "…" } else { "" });
    format!("{lead}{}{trail}", &line[start..end])
}

/// `$` means the end of a line, whichever way the file ends its lines.
fn plain_newlines(bytes: &[u8]) -> Cow<'_, [u8]> {
    if memmem::find(bytes, b"\r\n").is_none() {
        return Cow::Borrowed(bytes);
    }
    let before_newline = |at: usize| bytes.get(at + 1) == Some(&b'\n');
    let kept = bytes.iter().enumerate().filter(|(at, byte)| **byte != b'\r' || !before_newline(*at));
    Cow::Owned(kept.map(|(_, byte)| *byte).collect())
}

/// A glob with the meaning of `rg --glob`: without a slash it matches at any depth, `!` in front leaves files out.
pub(crate) struct PathFilter {
    matcher: GlobSet,
    allow: bool,
}

impl PathFilter {
    pub(crate) fn new(text: &str) -> Result<PathFilter, GrepError> {
        let (allow, glob) = text.strip_prefix('!').map_or((true, text), |rest| (false, rest));
        let anchored = match glob.strip_prefix('/') {
            Some(rest) => rest.to_owned(),
            None if glob.trim_end_matches('/').contains('/') => glob.to_owned(),
            None => format!("**/{glob}"),
        };
        let anchored = anchored.strip_suffix('/').map_or(anchored.clone(), |folder| format!("{folder}/**"));
        let refused = |reason: String| GrepError::Glob { glob: text.chars().take(60).collect(), reason };
        if text.len() > LONGEST_GLOB {
            return Err(refused(format!("it is longer than {LONGEST_GLOB} characters")));
        }
        let glob =
            GlobBuilder::new(&anchored).literal_separator(true).build().map_err(|error| refused(error.kind().to_string()))?;
        // A set of one: unlike a single glob, building it can fail without a panic.
        let matcher = GlobSetBuilder::new().add(glob).build().map_err(|error| refused(error.kind().to_string()))?;
        Ok(PathFilter { matcher, allow })
    }

    pub(crate) fn allows(&self, path: &NotePath) -> bool {
        self.matcher.is_match(path.as_str()) == self.allow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(glob: &str, path: &str, expected: bool) {
        let filter = PathFilter::new(glob).expect("a glob");
        assert_eq!(filter.allows(&NotePath::parse(path).expect("a path")), expected, "{glob} on {path}");
    }

    #[test]
    fn a_glob_that_nests_too_deep_is_refused() {
        for depth in [100, 240, 50_000] {
            let glob = format!("{}a{}", "{".repeat(depth), "}".repeat(depth));
            assert_eq!(PathFilter::new(&glob).is_ok(), depth <= 240, "{depth}");
        }
    }

    #[test]
    fn globs_mean_what_they_mean_to_ripgrep() {
        check("*.md", "deep/er/a.md", true);
        check("devlog/*.md", "devlog/a.md", true);
        check("devlog/*.md", "devlog/sub/a.md", false);
        check("devlog/*.md", "x/devlog/a.md", false);
        check("/a.md", "a.md", true);
        check("/a.md", "x/a.md", false);
        check("devlog/**", "devlog/sub/a.md", true);
        check("devlog/", "x/devlog/sub/a.md", true);
        check("!*.md", "a.md", false);
        check("!*.md", "a.png", true);
        check("*.{md,txt}", "a.txt", true);
    }
}

//! Files that the app is told to leave out of searches and Bases; links still lead to them.

use std::sync::Arc;

use quillgate_markdown::fold;
use quillgate_vault::{NotePath, Stat};
use regex::{Regex, RegexBuilder};

use crate::entry::{is_settled, now};
use crate::sync::Index;

/// A filter is a line of a settings file and needs no more.
const LARGEST_EXPRESSION: usize = 1 << 20;

/// The vault's excluded files, as its settings name them: by how a path starts, or by an expression between slashes.
#[derive(Clone, Debug, Default)]
pub struct Excluded {
    /// Folded: the app minds no case here.
    starts: Vec<String>,
    expressions: Vec<Regex>,
}

/// What the settings file was like when it was read.
pub(crate) struct ExcludedAsOf {
    stat: Option<Stat>,
    read_at: i64,
    excluded: Arc<Excluded>,
}

impl Excluded {
    /// An expression that cannot be read excludes nothing.
    pub fn new<'a>(filters: impl IntoIterator<Item = &'a str>) -> Excluded {
        let mut excluded = Excluded::default();
        for filter in filters.into_iter().filter(|filter| !filter.is_empty()) {
            match filter.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|inner| !inner.is_empty()) {
                Some(expression) => match RegexBuilder::new(expression).size_limit(LARGEST_EXPRESSION).build() {
                    Ok(expression) => excluded.expressions.push(expression),
                    Err(_) => tracing::warn!(filter, "an expression for excluded files cannot be read and excludes nothing"),
                },
                None => excluded.starts.push(fold(filter)),
            }
        }
        excluded
    }

    pub fn is_empty(&self) -> bool {
        self.starts.is_empty() && self.expressions.is_empty()
    }

    pub fn contains(&self, path: &NotePath) -> bool {
        let is_start = || {
            let folded = fold(path.as_str());
            self.starts.iter().any(|start| folded.starts_with(start))
        };
        self.expressions.iter().any(|expression| expression.is_match(path.as_str())) || !self.starts.is_empty() && is_start()
    }
}

impl Index {
    /// The vault's excluded files. The settings are read again only when their file has changed.
    pub fn excluded(&self) -> Arc<Excluded> {
        let (vault, read_at) = (self.vault(), now());
        let stat = vault.app_settings_stat();
        let mut kept = self.excluded_files().lock();
        let is_same = |kept: &&ExcludedAsOf| kept.stat == stat && stat.is_none_or(|stat| is_settled(&stat, kept.read_at));
        if let Some(same) = kept.as_ref().filter(is_same) {
            return same.excluded.clone();
        }
        let settings = vault.app_settings();
        let excluded = Arc::new(Excluded::new(settings.excluded.iter().map(String::as_str)));
        *kept = Some(ExcludedAsOf { stat, read_at, excluded: excluded.clone() });
        excluded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_starts_of_paths_or_expressions() {
        let excluded = Excluded::new(["Archive/", "", "/", "/\\.excalidraw\\.md$/", "/(/", "ä"]);
        let is_in = |path: &str| excluded.contains(&NotePath::parse(path).unwrap());
        for path in ["Archive/a.md", "archive/b/c.png", "x/y.excalidraw.md", "Äpfel.md"] {
            assert!(is_in(path), "{path}");
        }
        for path in ["Archive.md", "x/Archive/a.md", "y.excalidraw.mdx"] {
            assert!(!is_in(path), "{path}");
        }
        assert!(Excluded::new([""]).is_empty() && !excluded.is_empty());
    }
}

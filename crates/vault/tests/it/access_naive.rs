//! The rules once more, in the plainest way, to compare with.

use std::sync::Arc;

use quillgate_vault::{Access, Rules, RulesSource};

/// Rules, and the scopes that somebody holds.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) source: RulesSource,
    pub(crate) held: Vec<String>,
}

impl Caller {
    pub(crate) fn access(&self) -> Arc<Access> {
        let rules = Arc::new(Rules::compile(&self.source, false).unwrap());
        Arc::new(Access::of(rules, |scope| self.held.iter().any(|held| held == scope)))
    }

    pub(crate) fn reads(&self, path: &str) -> bool {
        self.passes(path, &self.source.read_paths, self.source.strict_read_default)
    }

    pub(crate) fn writes(&self, path: &str) -> bool {
        !self.source.read_only && self.reads(path) && self.passes(path, &self.source.write_paths, false)
    }

    pub(crate) fn deletes(&self, path: &str) -> bool {
        !self.source.read_only && self.reads(path) && self.passes(path, &self.source.delete_paths, false)
    }

    fn passes(&self, path: &str, list: &Option<Vec<String>>, is_strict: bool) -> bool {
        let is_listed = match list {
            None => !is_strict,
            Some(globs) => globs.iter().any(|glob| covers(glob, path)),
        };
        let rule = self.source.rules.iter().rfind(|(glob, _)| covers(glob, path));
        let scopes = rule.map_or(&self.source.default_scopes, |(_, scopes)| scopes);
        is_listed && scopes.iter().all(|scope| self.held.contains(scope))
    }
}

/// Whether a glob without braces covers a path: itself, or through a folder that it lies in.
fn covers(glob: &str, path: &str) -> bool {
    let glob: Vec<&str> = glob.split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    let last = glob.last().unwrap();
    let covers_below = *last == "**" || !last.contains(['*', '?']);
    let own = |length: usize| matches(&glob, &path[..length]);
    own(path.len()) || covers_below && (1..path.len()).any(own)
}

fn matches(glob: &[&str], path: &[&str]) -> bool {
    match (glob, path) {
        ([], []) => true,
        (["**", rest @ ..], path) => (0..=path.len()).any(|skipped| matches(rest, &path[skipped..])),
        ([first, rest @ ..], [name, names @ ..]) => {
            name_matches(&first.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>()) && matches(rest, names)
        }
        _ => false,
    }
}

fn name_matches(glob: &[char], name: &[char]) -> bool {
    match (glob, name) {
        ([], []) => true,
        (['*', rest @ ..], name) => (0..=name.len()).any(|skipped| name_matches(rest, &name[skipped..])),
        (['?', rest @ ..], [_, name @ ..]) => name_matches(rest, name),
        ([one, rest @ ..], [other, name @ ..]) => one == other && name_matches(rest, name),
        _ => false,
    }
}

//! What scopes mean to the person who is asked to allow them.

use quillgate_oauth::OfferedScope;
use quillgate_tools::Surface;

const MEANINGS: &[(&str, &str)] = &[
    ("read:notes", "Read, list and search notes"),
    ("write:notes", "Create and change notes"),
    ("delete:notes", "Move notes, and put them into the trash"),
    ("write:sync", "Run the sync command of this server"),
    ("execute:app", "Open notes in the running app"),
    ("admin:vault", "Rebuild the search index"),
];

/// Everything that the tools of a surface need, in the order in which the tools stand.
pub(crate) fn offered(surface: &Surface) -> Vec<OfferedScope> {
    let mut offered: Vec<OfferedScope> = Vec::new();
    for scope in surface.tools.iter().flat_map(|tool| tool.spec.scopes) {
        if !offered.iter().any(|known| known.name == *scope) {
            offered.push(OfferedScope { name: (*scope).to_owned(), about: meaning(scope) });
        }
    }
    offered
}

fn meaning(scope: &str) -> String {
    let known = MEANINGS.iter().find(|(name, _)| *name == scope).map(|(_, meaning)| (*meaning).to_owned());
    known.unwrap_or_else(|| match scope.split_once(':') {
        Some((source, "search")) => format!("Search {source} in your name"),
        _ => format!("Use what {scope} stands for"),
    })
}

#[cfg(test)]
mod tests {
    use quillgate_tools::SURFACES;

    use super::*;

    #[test]
    fn every_scope_of_a_vault_has_a_meaning() {
        for scope in SURFACES.iter().flat_map(offered) {
            assert!(!scope.about.contains("stands for"), "{} has no meaning in MEANINGS", scope.name);
        }
    }
}

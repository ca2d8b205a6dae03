//! What scopes mean to the person who is asked to allow them.

use quillgate_oauth::OfferedScope;
use quillgate_tools::{CALL_CAPABILITY, Surface, catalogue};

const MEANINGS: &[(&str, &str)] = &[
    ("read:notes", "Read, list and search notes"),
    ("write:notes", "Create and change notes"),
    ("delete:notes", "Move notes, and put them into the trash"),
    ("write:sync", "Run the sync command of this server"),
    ("write:app", "Open notes in the running app"),
    ("bulk:notes", "Change many notes at once"),
    ("read:attachments", "See pictures and other attachments"),
    ("write:attachments", "Move attachments"),
    ("delete:attachments", "Put attachments into the trash"),
    ("read:periodic", "Read and list daily, weekly and other periodic notes"),
    ("write:periodic", "Create periodic notes, and add to them"),
    ("read:templater", "See which templates there are"),
    ("write:templater", "Make notes from templates"),
    ("read:bases", "Read and query bases"),
    ("write:bases", "Create and change bases"),
    ("read:dataview", "Answer Dataview queries over the notes"),
    ("read:tasks", "List and find tasks"),
    ("write:tasks", "Change tasks, and mark them as done"),
    ("read:context", "Read many notes at once"),
    ("read:capture", "See what waits in the capture queue"),
    ("write:capture", "Put things into the capture queue, and file them as notes"),
    ("read:canvas", "Read canvases and find cards on them"),
    ("write:canvas", "Create and change canvases"),
    ("read:excalidraw", "Read drawings"),
    ("write:excalidraw", "Create and change drawings"),
    ("read:workspaces", "See the saved workspaces of the app"),
    ("write:workspaces", "Save and open workspaces of the app"),
    ("read:bookmarks", "See the bookmarks of the app"),
    ("write:bookmarks", "Add bookmarks"),
    ("delete:bookmarks", "Remove bookmarks"),
    ("read:vault", "See which vaults there are"),
    ("admin:vault", "Rebuild the search index, reload the rules"),
    ("admin:config", "See the configuration of this server"),
    ("admin:acl", "Ask what the rules allow"),
    ("admin:metrics", "See how the server is used"),
];

/// Everything that the tools of a surface need, in the order in which the tools stand.
pub(crate) fn offered(surface: &Surface) -> Vec<OfferedScope> {
    let mut offered: Vec<OfferedScope> = Vec::new();
    let behind_facade = has_facade(surface).then(|| catalogue().tools()).into_iter().flatten();
    // What administers the server is offered where its tools stand, not through the back door.
    let behind_facade = behind_facade.flat_map(|tool| tool.spec.scopes).filter(|scope| !scope.starts_with("admin:"));
    for scope in surface.tools().flat_map(|tool| tool.spec.scopes).chain(behind_facade) {
        if !offered.iter().any(|known| known.name == *scope) {
            offered.push(OfferedScope { name: (*scope).to_owned(), about: meaning(scope) });
        }
    }
    offered
}

fn has_facade(surface: &Surface) -> bool {
    surface.find(CALL_CAPABILITY).is_some()
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

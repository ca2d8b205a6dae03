//! What a model is told before its first call: the surface's own words, and the conventions that the vault's owner wrote down.

use std::sync::Arc;

use quillgate_tools::Surface;
use quillgate_vault::{Access, NotePath};

use crate::vaults::Served;

/// Files at the root of a vault in which people tell agents how to work there; the first one counts.
const FILES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "VAULT.md"];
/// More than this would cost every conversation too much.
const LONGEST: usize = 4000;

pub(crate) fn of(surface: &Surface, vault: Option<&Arc<Served>>) -> String {
    match vault.and_then(|vault| conventions(vault)) {
        Some((file, text)) => {
            format!("{}\n\nThe owner of the vault wrote in {file} how to work in it:\n\n{text}", surface.instructions)
        }
        None => surface.instructions.to_owned(),
    }
}

/// As somebody without any scopes may read them: instructions are given before anybody is known.
fn conventions(vault: &Served) -> Option<(&'static str, String)> {
    let handle = vault.whole().with_access(Arc::new(Access::of(vault.rules(), |_| false)));
    let read = |file: &'static str| {
        let text = handle.read(&NotePath::parse(file).ok()?).ok()?.into_text().ok()?;
        let text = text.trim();
        (!text.is_empty()).then(|| (file, shortened(text)))
    };
    FILES.into_iter().find_map(read)
}

fn shortened(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let mut end = LONGEST;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // Whole lines, if there are any.
    let end = text[..end].rfind('\n').unwrap_or(end);
    format!("{}\n… (cut; read the file for the rest)", &text[..end])
}

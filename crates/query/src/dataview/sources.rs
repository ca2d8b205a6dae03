//! Which pages a source means.

use quillgate_index::{Catalogue, FileId, TagDepth};
use quillgate_markdown::fold;
use quillgate_vault::FolderPath;

use super::error::DqlError;
use super::syntax::Source;
use super::world::World;

/// Pages by their numbers.
type Pages = Box<[bool]>;

/// The pages of a source, by path.
pub(crate) fn pages_of(world: &World<'_>, source: &Source) -> Result<Vec<FileId>, DqlError> {
    if matches!(source, Source::Folder(path) if is_whole(path)) {
        return Ok(world.catalogue.numbered_notes().map(|(file, _)| file).collect());
    }
    let wanted = pages(world, source)?;
    Ok(world.catalogue.numbered_notes().map(|(file, _)| file).filter(|file| wanted[file.index()]).collect())
}

fn pages(world: &World<'_>, source: &Source) -> Result<Pages, DqlError> {
    let catalogue = world.catalogue;
    Ok(match source {
        Source::Folder(path) => in_folder(catalogue, path),
        Source::Tag(tag) => these(catalogue, catalogue.with_tag(tag.trim_start_matches('#'), TagDepth::Below)),
        Source::LinksTo(path) => match target(world, path)? {
            Some(file) => these(catalogue, catalogue.sources_of(file)),
            None => with_dead_link(catalogue, path),
        },
        Source::LinksFrom(path) => {
            let links = target(world, path)?.into_iter().flat_map(|file| catalogue.links_of(file));
            these(catalogue, links.filter_map(|link| link.target))
        }
        Source::Csv(path) => {
            let message =
                format!("csv(\"{path}\") cannot be read here: only the notes of the vault are indexed; use them as the source");
            return Err(DqlError::Unsupported(message));
        }
        Source::Not(inner) => {
            let without = pages(world, inner)?;
            let all = in_folder(catalogue, "");
            all.iter().zip(&without).map(|(one, other)| *one && !other).collect()
        }
        Source::And(left, right) => {
            let (left, right) = (pages(world, left)?, pages(world, right)?);
            left.iter().zip(&right).map(|(one, other)| *one && *other).collect()
        }
        Source::Or(left, right) => {
            let (left, right) = (pages(world, left)?, pages(world, right)?);
            left.iter().zip(&right).map(|(one, other)| *one || *other).collect()
        }
    })
}

fn these(catalogue: &Catalogue, files: impl IntoIterator<Item = FileId>) -> Pages {
    let mut pages = vec![false; catalogue.slots()].into_boxed_slice();
    files.into_iter().for_each(|file| pages[file.index()] = true);
    pages
}

/// Whether a folder is that of the vault.
fn is_whole(path: &str) -> bool {
    path.is_empty() || path == "/"
}

/// The pages below a folder, or the one page of that path.
fn in_folder(catalogue: &Catalogue, path: &str) -> Pages {
    if is_whole(path) {
        return these(catalogue, catalogue.numbered_notes().map(|(file, _)| file));
    }
    let Ok(folder) = FolderPath::parse(path) else { return these(catalogue, []) };
    let mut below = catalogue.numbered_below(&folder).peekable();
    if below.peek().is_some() {
        let notes = below.filter(|(_, entry)| entry.path.is_note());
        return these(catalogue, notes.map(|(file, _)| file));
    }
    let names = [path.to_owned(), format!("{path}.md")];
    let paths = names.iter().filter_map(|name| quillgate_vault::NotePath::parse(name).ok());
    these(catalogue, paths.filter_map(|path| catalogue.find_id(&path)).take(1))
}

fn target(world: &World<'_>, path: &str) -> Result<Option<FileId>, DqlError> {
    if path.is_empty() && world.origin.is_none() {
        return Err(DqlError::NoPage(
            "[[]] means the page that the query stands in, and this query stands in none; name the page",
        ));
    }
    Ok(world.target_of(path, None))
}

/// Pages with a link to a page that is not there.
fn with_dead_link(catalogue: &Catalogue, path: &str) -> Pages {
    let wanted = fold(path);
    let has_link = |file: FileId| catalogue.links_of(file).any(|link| link.target.is_none() && fold(link.path) == wanted);
    these(catalogue, catalogue.numbered_notes().map(|(file, _)| file).filter(|file| has_link(*file)))
}

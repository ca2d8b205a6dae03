//! The rules once more, in the plainest way, to compare with.

use quillgate_markdown::fold;

/// The file that a link path of `source` means: the rules as they are written down, over a plain list.
pub(crate) fn resolve(files: &[String], source: &str, link: &str) -> Option<String> {
    if link.is_empty() {
        return Some(source.to_owned());
    }
    let find_exact = |path: &str| files.iter().find(|file| fold(file) == fold(path)).cloned();
    let spellings = |path: &str| {
        let has_dot = path.rsplit('/').next().unwrap().contains('.');
        [has_dot.then(|| path.to_owned()), Some(format!("{path}.md"))].into_iter().flatten().collect::<Vec<_>>()
    };
    let folder = source.rsplit_once('/').map_or("", |(folder, _)| folder);
    if link.starts_with("./") || link.starts_with("../") {
        let mut path: Vec<&str> = folder.split('/').filter(|segment| !segment.is_empty()).collect();
        for segment in link.split('/') {
            match segment {
                "." => {}
                ".." => drop(path.pop()?),
                name => path.push(name),
            }
        }
        return spellings(&path.join("/")).iter().find_map(|path| find_exact(path));
    }
    if let Some(path) = link.strip_prefix('/') {
        return spellings(path).iter().find_map(|path| find_exact(path));
    }
    spellings(link).iter().find_map(|path| {
        let beside = if folder.is_empty() { path.clone() } else { format!("{folder}/{path}") };
        let ending = format!("/{}", fold(path));
        let elsewhere = files.iter().filter(|file| fold(file).ends_with(&ending));
        let shortest = elsewhere.min_by_key(|file| (file.chars().count(), (*file).clone())).cloned();
        find_exact(path).or_else(|| find_exact(&beside)).or(shortest)
    })
}

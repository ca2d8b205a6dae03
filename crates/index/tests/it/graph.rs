//! Questions about links, compared with a plain recomputation.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use quillgate_index::{Catalogue, FileId};
use quillgate_markdown::parse_links;
use quillgate_vault::NotePath;

use crate::naive;
use crate::place::{Place, note};
use crate::random_vault::vault;

/// Every link of the vault: source, path as written, target.
fn all_links(texts: &BTreeMap<String, String>) -> Vec<(String, String, Option<String>)> {
    let files: Vec<String> = texts.keys().cloned().collect();
    let links = texts.iter().flat_map(|(path, text)| parse_links(text).into_iter().map(move |link| (path, link.path)));
    links.map(|(path, link)| (path.clone(), link.clone(), naive::resolve(&files, path, &link))).collect()
}

/// Compares every answer about links with what the texts of the files say.
pub(crate) fn check_links(catalogue: &Catalogue, texts: &BTreeMap<String, String>) -> Result<(), TestCaseError> {
    let links = all_links(texts);
    let notes = || texts.keys().filter(|path| path.ends_with(".md"));
    let leads = |from: &str, to: &str| {
        from != to && links.iter().any(|(source, _, target)| source == from && target.as_deref() == Some(to))
    };
    for path in texts.keys() {
        let outgoing: Vec<Option<String>> =
            catalogue.outgoing(&note(path)).into_iter().map(|link| link.target.map(|target| target.to_string())).collect();
        let expected: Vec<Option<String>> =
            links.iter().filter(|(source, ..)| source == path).map(|(.., target)| target.clone()).collect();
        prop_assert_eq!(outgoing, expected, "outgoing links of {}", path);
    }
    // Also of files that do not exist.
    for path in texts.keys().chain([&"Note.md".to_owned(), &"a/B.md".to_owned()]) {
        let with_path: Vec<String> = texts.keys().cloned().chain((!texts.contains_key(path)).then(|| path.clone())).collect();
        let means = |(source, link, _): &&(String, String, Option<String>)| {
            source != path && naive::resolve(&with_path, source, link).as_ref() == Some(path)
        };
        let mut expected: BTreeMap<String, usize> = BTreeMap::new();
        for (source, ..) in links.iter().filter(means) {
            *expected.entry(source.clone()).or_default() += 1;
        }
        let backlinks = catalogue.backlinks(&note(path)).into_iter();
        let backlinks: Vec<(String, usize)> = backlinks.map(|found| (found.source.to_string(), found.links.len())).collect();
        prop_assert_eq!(&backlinks, &expected.into_iter().collect::<Vec<_>>(), "backlinks of {}", path);
        let found = catalogue.backlink_sources(&note(path));
        let lines = |&source: &FileId| catalogue.backlink_lines(&found, &note(path), source).len();
        let sources = found.sources.iter().map(|source| (catalogue.entry(*source).unwrap().path.to_string(), lines(source)));
        prop_assert_eq!(sources.collect::<Vec<_>>(), backlinks, "sources of {}", path);
    }
    let shown = |paths: Vec<NotePath>| paths.into_iter().map(|path| path.to_string()).collect::<Vec<_>>();
    let orphans: Vec<String> = notes().filter(|path| !texts.keys().any(|from| leads(from, path))).cloned().collect();
    prop_assert_eq!(shown(catalogue.orphans()), orphans);
    let dead_ends: Vec<String> = notes().filter(|path| !texts.keys().any(|to| leads(path, to))).cloned().collect();
    prop_assert_eq!(shown(catalogue.dead_ends()), dead_ends);
    let unresolved: BTreeMap<String, usize> =
        catalogue.unresolved().into_iter().map(|found| (found.target, found.sources.len())).collect();
    let mut expected: BTreeMap<String, usize> = BTreeMap::new();
    for (_, link, _) in links.iter().filter(|(.., target)| target.is_none()) {
        *expected.entry(link.clone()).or_default() += 1;
    }
    prop_assert_eq!(unresolved, expected);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn answers_equal_a_plain_recomputation(vault in vault()) {
        let place = Place::new(&vault.files.iter().collect::<Vec<_>>());
        let run = place.start_without_store();
        check_links(&run.index.catalogue(), &vault.files)?;
    }

    #[test]
    fn neighbours_are_all_within_reach_and_all_links_between_them(vault in vault(), depth in 1..4u32) {
        let place = Place::new(&vault.files.iter().collect::<Vec<_>>());
        let run = place.start_without_store();
        let start = vault.files.keys().next().unwrap();
        let edges: BTreeSet<(String, String)> = all_links(&vault.files)
            .into_iter()
            .filter_map(|(from, _, to)| to.filter(|to| *to != from).map(|to| (from, to)))
            .collect();
        let mut reached = BTreeMap::from([(start.clone(), 0)]);
        for distance in 1..=depth {
            for (from, to) in &edges {
                for (here, there) in [(from, to), (to, from)] {
                    if reached.get(here).is_some_and(|at| *at == distance - 1) && !reached.contains_key(there) {
                        reached.insert(there.clone(), distance);
                    }
                }
            }
        }
        for (to, hops) in &reached {
            let way = run.index.catalogue().shortest_path(&note(start), &note(to), depth).unwrap();
            prop_assert_eq!((way.len() - 1, way[0].as_str(), way[way.len() - 1].as_str()), (*hops as usize, &**start, &**to));
            for step in way.windows(2) {
                let step = (step[0].to_string(), step[1].to_string());
                prop_assert!(edges.contains(&step) || edges.contains(&(step.1.clone(), step.0.clone())), "no link: {:?}", step);
            }
        }
        for far in vault.files.keys().filter(|path| !reached.contains_key(*path)) {
            prop_assert_eq!(run.index.catalogue().shortest_path(&note(start), &note(far), depth), None);
        }
        let found = run.index.catalogue().neighbours(&note(start), depth, 100);
        let nodes: BTreeMap<String, u32> = found.nodes.iter().map(|(path, distance)| (path.to_string(), *distance)).collect();
        let between: BTreeSet<(String, String)> =
            edges.into_iter().filter(|(from, to)| reached.contains_key(from) && reached.contains_key(to)).collect();
        reached.remove(start);
        prop_assert_eq!(nodes, reached);
        let found: BTreeSet<(String, String)> = found.edges.iter().map(|(from, to)| (from.to_string(), to.to_string())).collect();
        prop_assert_eq!(found, between);
    }
}

#[test]
fn a_note_that_is_not_there_yet_has_backlinks() {
    let place = Place::new(&[("a.md", "[[Plan]]"), ("b.md", "[[x/Plan]] [[Plan]]")]);
    let run = place.start_without_store();
    let sources: Vec<String> =
        run.index.catalogue().backlinks(&note("Plan.md")).into_iter().map(|found| found.source.to_string()).collect();
    assert_eq!(sources, ["a.md", "b.md"]);
}

#[test]
fn neighbours_beyond_the_limit_are_said_to_be_missing() {
    let mut files = vec![("hub.md".to_owned(), (0..50).map(|number| format!("[[{number}]]\n")).collect::<String>())];
    files.extend((0..50).map(|number| (format!("{number}.md"), String::new())));
    let place = Place::new(&files);
    let run = place.start_without_store();
    let found = run.index.catalogue().neighbours(&note("hub.md"), 1, 10);
    assert_eq!((found.nodes.len(), found.edges.len(), found.truncated), (10, 10, true));
    assert!(!run.index.catalogue().neighbours(&note("hub.md"), 1, 50).truncated);
}

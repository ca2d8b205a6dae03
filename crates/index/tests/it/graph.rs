//! Questions about links, compared with a plain recomputation.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use quillgate_markdown::parse_links;

use crate::naive;
use crate::place::{Place, note};
use crate::random_vault::{RandomVault, vault};

/// Every link of the vault: source, path as written, target.
fn all_links(vault: &RandomVault) -> Vec<(String, String, Option<String>)> {
    let files: Vec<String> = vault.files.keys().cloned().collect();
    let links = vault.files.iter().flat_map(|(path, text)| parse_links(text).into_iter().map(move |link| (path, link.path)));
    links.map(|(path, link)| (path.clone(), link.clone(), naive::resolve(&files, path, &link))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn answers_equal_a_plain_recomputation(vault in vault()) {
        let place = Place::new(&vault.files.iter().collect::<Vec<_>>());
        let run = place.start_without_store();
        let catalogue = run.index.catalogue();
        let links = all_links(&vault);
        let notes = || vault.files.keys().filter(|path| path.ends_with(".md"));
        let leads = |from: &str, to: &str| links.iter().any(|(source, _, target)| source == from && target.as_deref() == Some(to) && from != to);
        for path in vault.files.keys() {
            let outgoing: Vec<Option<String>> =
                catalogue.outgoing(&note(path)).into_iter().map(|link| link.target.map(|target| target.to_string())).collect();
            let expected: Vec<Option<String>> = links.iter().filter(|(source, ..)| source == path).map(|(.., target)| target.clone()).collect();
            prop_assert_eq!(outgoing, expected, "outgoing links of {}", path);
            let backlinks: Vec<(String, usize)> =
                catalogue.backlinks(&note(path)).into_iter().map(|found| (found.source.to_string(), found.links.len())).collect();
            let mut expected: BTreeMap<String, usize> = BTreeMap::new();
            for (source, _, _) in links.iter().filter(|(source, _, target)| target.as_ref() == Some(path) && source != path) {
                *expected.entry(source.clone()).or_default() += 1;
            }
            prop_assert_eq!(backlinks, expected.into_iter().collect::<Vec<_>>(), "backlinks of {}", path);
        }
        let shown = |paths: Vec<quillgate_vault::NotePath>| paths.into_iter().map(|path| path.to_string()).collect::<Vec<_>>();
        let orphans: Vec<String> = notes().filter(|path| !vault.files.keys().any(|from| leads(from, path))).cloned().collect();
        prop_assert_eq!(shown(catalogue.orphans()), orphans);
        let dead_ends: Vec<String> = notes().filter(|path| !vault.files.keys().any(|to| leads(path, to))).cloned().collect();
        prop_assert_eq!(shown(catalogue.dead_ends()), dead_ends);
        let unresolved: BTreeMap<String, usize> = catalogue.unresolved().into_iter().map(|found| (found.target, found.sources.len())).collect();
        let mut expected: BTreeMap<String, usize> = BTreeMap::new();
        for (_, link, _) in links.iter().filter(|(.., target)| target.is_none()) {
            *expected.entry(link.clone()).or_default() += 1;
        }
        prop_assert_eq!(unresolved, expected);
    }

    #[test]
    fn neighbours_are_all_within_reach_and_all_links_between_them(vault in vault(), depth in 1..4u32) {
        let place = Place::new(&vault.files.iter().collect::<Vec<_>>());
        let run = place.start_without_store();
        let start = vault.files.keys().next().unwrap();
        let edges: BTreeSet<(String, String)> = all_links(&vault)
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

//! Links and tags after changes, compared with what the files say.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::{Index, select};
use quillgate_index::{Catalogue, TagDepth};
use quillgate_markdown::{Note, fold};
use quillgate_vault::{Folders, TrashOption};

use crate::graph::check_links;
use crate::place::{Place, Run, note};
use crate::random_vault::{path, vault};

#[derive(Clone, Debug)]
enum Change {
    /// The text of another note, with tags.
    Write(String, Index, &'static str),
    Move(Index, String),
    Remove(Index),
}

fn change() -> impl Strategy<Value = Change> {
    let tags = select(vec!["", "#one", "#One #two/x", "#two #TWO", "#two/x/y"]);
    prop_oneof![
        4 => (path(), any::<Index>(), tags).prop_map(|(path, text, tags)| Change::Write(path, text, tags)),
        2 => (any::<Index>(), path()).prop_map(|(from, to)| Change::Move(from, to)),
        2 => any::<Index>().prop_map(Change::Remove),
    ]
}

fn make(run: &Run, files: &mut BTreeMap<String, String>, change: &Change) {
    let nth = |files: &BTreeMap<String, String>, at: &Index| files.keys().nth(at.index(files.len())).unwrap().clone();
    // Some file systems do not tell names of different case apart.
    let is_taken = |files: &BTreeMap<String, String>, path: &str| files.keys().any(|other| fold(other) == fold(path));
    match change {
        Change::Write(path, text, tags) if path.ends_with(".md") && (files.contains_key(path) || !is_taken(files, path)) => {
            let properties = "---\ntags: [One, \"#two\"]\n---\n";
            let body = format!("{}\n{tags}\n", files.values().nth(text.index(files.len())).unwrap());
            let text = if tags.len() == 4 && !body.starts_with("---") { format!("{properties}{body}") } else { body };
            run.write(path, &text);
            files.insert(path.clone(), text);
        }
        Change::Move(from, to) if !is_taken(files, to) => {
            let from = nth(files, from);
            // A name of another kind makes other links of the same text.
            if from.ends_with(".md") == to.ends_with(".md") {
                run.vault.transaction(Folders::Create).rename(note(&from), note(to)).commit().unwrap();
                let text = files.remove(&from).unwrap();
                files.insert(to.clone(), text);
            }
        }
        Change::Remove(at) if files.len() > 1 => {
            let path = nth(files, at);
            run.vault.remove(&note(&path), TrashOption::None).unwrap();
            files.remove(&path);
        }
        _ => {}
    }
}

/// Name, notes, in frontmatter, in text.
type Counted = (String, BTreeSet<String>, usize, usize);

fn check_tags(catalogue: &Catalogue, files: &BTreeMap<String, String>) -> Result<(), TestCaseError> {
    let mut expected: BTreeMap<String, Counted> = BTreeMap::new();
    for (path, text) in files {
        let parsed = Note::parse(text);
        let (properties, inline) = (parsed.property_tags(), parsed.tags.iter().map(|tag| tag.name.clone()).collect::<Vec<_>>());
        for tag in properties.iter().chain(&inline) {
            let (_, notes, in_frontmatter, in_text) =
                expected.entry(fold(tag)).or_insert_with(|| (tag.clone(), BTreeSet::new(), 0, 0));
            if notes.insert(path.clone()) {
                *in_frontmatter += usize::from(properties.iter().any(|other| fold(other) == fold(tag)));
                *in_text += usize::from(inline.iter().any(|other| fold(other) == fold(tag)));
            }
        }
    }
    let found: Vec<(&str, usize, usize, usize)> =
        catalogue.tags().map(|tag| (tag.name, tag.notes, tag.frontmatter, tag.inline)).collect();
    let counted =
        expected.values().map(|(name, notes, in_frontmatter, in_text)| (&**name, notes.len(), *in_frontmatter, *in_text));
    prop_assert_eq!(found, counted.collect::<Vec<_>>());
    for wanted in ["one", "TWO", "two/x", "tw"] {
        let shown = |depth| -> Vec<String> {
            let ids = catalogue.with_tag(wanted, depth);
            ids.into_iter().map(|id| catalogue.entry(id).unwrap().path.to_string()).collect()
        };
        let has = |is_meant: &dyn Fn(&str) -> bool| -> Vec<String> {
            let notes = expected.iter().filter(|(tag, _)| is_meant(tag)).flat_map(|(_, (_, notes, ..))| notes.clone());
            notes.collect::<BTreeSet<String>>().into_iter().collect()
        };
        let (exact, below) = (fold(wanted), format!("{}/", fold(wanted)));
        prop_assert_eq!(shown(TagDepth::Exact), has(&|tag| tag == exact));
        prop_assert_eq!(shown(TagDepth::Below), has(&|tag| tag == exact || tag.starts_with(&below)));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn answers_keep_up_with_every_change(
        vault in vault(),
        changes in prop::collection::vec(change(), 1..12),
        is_stored in any::<bool>(),
    ) {
        let place = Place::new(&vault.files.iter().collect::<Vec<_>>());
        let run = if is_stored { place.start() } else { place.start_without_store() };
        let mut files = vault.files.clone();
        for change in &changes {
            make(&run, &mut files, change);
            check_links(&run.index.catalogue(), &files)?;
            check_tags(&run.index.catalogue(), &files)?;
        }
        if is_stored {
            place.stop(run);
            let again = place.start();
            check_links(&again.index.catalogue(), &files)?;
            check_tags(&again.index.catalogue(), &files)?;
        }
    }
}

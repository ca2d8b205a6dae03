//! Moving a file: every link keeps its meaning, and nothing else changes.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::Index;
use quillgate_index::{RelinkError, relinked_copy, relinked_move};
use quillgate_markdown::parse_links;

use crate::naive;
use crate::place::{Place, note};
use crate::random_vault::{RandomVault, path, vault};

/// What every link of a file means, and the text without the links.
fn meanings(files: &[String], path: &str, text: &str) -> (Vec<Option<String>>, Vec<String>, String) {
    let links = parse_links(text);
    let mut rest = String::new();
    let mut copied = 0;
    for link in &links {
        // An image in a link: the outer span holds the inner one.
        if link.span.start >= copied {
            rest.push_str(&text[copied..link.span.start]);
            copied = link.span.end;
        }
    }
    rest.push_str(&text[copied..]);
    let targets = links.iter().map(|link| naive::resolve(files, path, &link.path)).collect();
    (targets, links.iter().map(|link| text[link.span.clone()].to_owned()).collect(), rest)
}

fn check_move(vault: &RandomVault, from: &str, to: &str) -> Result<(), TestCaseError> {
    let place = Place::new(&vault.files.iter().collect::<Vec<_>>());
    place.put(".obsidian/app.json", format!("{{\"newLinkFormat\":\"{}\"}}", vault.format));
    let run = place.start_without_store();
    run.move_file(from, to);
    let renamed = |path: &String| if path == from { to.to_owned() } else { path.clone() };
    let before: Vec<String> = vault.files.keys().cloned().collect();
    let after: Vec<String> = before.iter().map(renamed).collect();
    for (path, old_text) in &vault.files {
        let new_text = place.text(&renamed(path));
        let (old_targets, old_links, old_rest) = meanings(&before, path, old_text);
        let (new_targets, new_links, new_rest) = meanings(&after, &renamed(path), &new_text);
        prop_assert_eq!(&old_rest, &new_rest, "around the links of {}", path);
        prop_assert_eq!(old_links.len(), new_links.len(), "{}: {} became {}", path, old_text, new_text);
        for at in 0..old_links.len() {
            match &old_targets[at] {
                Some(target) => prop_assert_eq!(
                    Some(renamed(target)),
                    new_targets[at].clone(),
                    "{}: {} became {}",
                    path,
                    old_links[at],
                    new_links[at]
                ),
                None => prop_assert_eq!(&old_links[at], &new_links[at], "an unresolved link of {} was touched", path),
            }
        }
    }
    let mut found = run.paths();
    let mut expected = after;
    found.sort();
    expected.sort();
    prop_assert_eq!(found, expected);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_global_rejects: 5000, ..ProptestConfig::default() })]

    #[test]
    fn every_link_keeps_its_meaning(vault in vault(), from in any::<Index>(), to in path()) {
        let from = vault.files.keys().nth(from.index(vault.files.len())).unwrap().clone();
        let folds = |path: &String| quillgate_markdown::fold(path) == quillgate_markdown::fold(&to);
        prop_assume!(!vault.files.keys().any(folds));
        check_move(&vault, &from, &to)?;
    }
}

#[test]
fn links_that_would_mean_a_new_namesake_are_made_exact() {
    let place = Place::new(&[("x/Note.md", ""), ("y/Other.md", ""), ("y/Src.md", "[[Note]] ![[Note#h|Note]]")]);
    let run = place.start_without_store();
    assert_eq!(run.move_file("y/Other.md", "y/Note.md"), 2);
    assert_eq!(place.text("y/Src.md"), "[[x/Note]] ![[x/Note#h|Note]]");
}

#[test]
fn relative_links_of_the_moved_note_follow() {
    let place = Place::new(&[("a/Note.md", "[[./x]] [[../y]] [z](./x.md) [[x]]"), ("a/x.md", ""), ("y.md", "")]);
    let run = place.start_without_store();
    run.move_file("a/Note.md", "b/c/Note.md");
    assert_eq!(place.text("b/c/Note.md"), "[[../../a/x]] [[../../y]] [z](../../a/x.md) [[x]]");
    run.move_file("b/c/Note.md", "a/Back.md");
    assert_eq!(place.text("a/Back.md"), "[[./x]] [[../y]] [z](./x.md) [[x]]");
}

#[test]
fn a_name_that_no_wikilink_can_write_is_refused() {
    let place = Place::new(&[("Old.md", ""), ("Src.md", "[[Old]]"), ("Md.md", "[x](Old.md)")]);
    let run = place.start_without_store();
    for to in ["C# notes.md", "a|b.md", "a]].md", "x/[[y.md"] {
        let failed = relinked_move(&run.vault, &run.index.catalogue(), &note("Old.md"), &note(to));
        assert!(matches!(&failed, Err(RelinkError::Unlinkable { .. })), "{to}: {failed:?}");
    }
    std::fs::remove_file(place.on_disk("Src.md")).unwrap();
    run.index.check_everything();
    run.move_file("Old.md", "C# (notes).md");
    assert_eq!(place.text("Md.md"), "[x](C%23%20(notes).md)");
}

#[test]
fn a_copy_means_what_the_original_means() {
    let text = "[[./x]] [[Note]] [[#h]] [[a/Note|me]] [[gone]]";
    let place = Place::new(&[("a/Note.md", text), ("a/x.md", ""), ("Other.md", "[[Note]]")]);
    let run = place.start_without_store();
    let copy = relinked_copy(&run.vault, &run.index.catalogue(), &note("a/Note.md"), &note("b/Copy.md")).unwrap().bytes;
    assert_eq!(String::from_utf8(copy).unwrap(), "[[../a/x]] [[Copy]] [[#h]] [[b/Copy|me]] [[gone]]");
    assert_eq!(place.text("a/Note.md"), text);
}

#[test]
fn a_move_edits_only_what_it_must() {
    let files: BTreeMap<&str, &str> =
        [("Old.md", "self [[Old]]"), ("Src.md", "\u{feff}[[old]]\r\n`[[Old]]` [[Old|Old]] $[[Old]]$"), ("x/Old.md", "")].into();
    let place = Place::new(&files.into_iter().collect::<Vec<_>>());
    let run = place.start_without_store();
    run.move_file("Old.md", "New.md");
    assert_eq!(place.text("Src.md"), "\u{feff}[[New]]\r\n`[[Old]]` [[New|New]] $[[Old]]$");
    assert_eq!(place.text("New.md"), "self [[New]]");
}

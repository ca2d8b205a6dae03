//! Moving many files at once, in chains and circles too: every link keeps its meaning, and nothing else changes.

use std::collections::BTreeMap;
use std::fs;

use proptest::prelude::*;
use proptest::sample::Index;
use quillgate_index::{Overlay, RelinkError, Relinked, relinked_moves};
use quillgate_markdown::{fold, parse_links};
use quillgate_vault::NotePath;
use serde_json::Value;

use crate::place::{Place, Run, note};
use crate::random_vault::{RandomVault, path, vault_with_boards};

fn notes(moves: &[(&str, &str)]) -> Vec<(NotePath, NotePath)> {
    moves.iter().map(|(from, to)| (note(from), note(to))).collect()
}

fn plan(run: &Run, moves: &[(NotePath, NotePath)]) -> Result<Vec<Relinked>, RelinkError> {
    relinked_moves(&run.vault, &run.index.catalogue(), moves)
}

/// Makes the changes as they are planned: first the edits, then all moves at once.
fn carry_out(place: &Place, run: &Run, moves: &[(NotePath, NotePath)]) -> Vec<Relinked> {
    let relinked = plan(run, moves).unwrap();
    for file in &relinked {
        assert_ne!(fs::read(place.on_disk(file.path.as_str())).unwrap(), file.bytes, "{} is written for nothing", file.path);
        fs::write(place.on_disk(file.path.as_str()), &file.bytes).unwrap();
    }
    let aside = |at: usize| place.folder.path().join(format!("aside-{at}"));
    for (at, (from, _)) in moves.iter().enumerate() {
        fs::rename(place.on_disk(from.as_str()), aside(at)).unwrap();
    }
    for (at, (_, to)) in moves.iter().enumerate() {
        let to = place.on_disk(to.as_str());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        assert!(!to.exists());
        fs::rename(aside(at), to).unwrap();
    }
    relinked
}

fn moved<'a>(moves: &'a [(NotePath, NotePath)], path: &'a NotePath) -> &'a NotePath {
    moves.iter().find(|(from, _)| from == path).map_or(path, |(_, to)| to)
}

/// What all links of a file mean, by the catalogue of the tree as it is.
fn targets(run: &Run, path: &NotePath) -> Vec<(String, Option<NotePath>)> {
    let outgoing = run.index.catalogue().outgoing(path);
    outgoing.into_iter().map(|found| (format!("{}{}", found.link.path, found.link.subpath), found.target)).collect()
}

/// A text without its links.
fn rest(text: &str) -> String {
    let (mut rest, mut copied) = (String::new(), 0);
    for link in &parse_links(text) {
        // An image in a link: the outer span holds the inner one.
        if link.span.start >= copied {
            rest.push_str(&text[copied..link.span.start]);
            copied = link.span.end;
        }
    }
    rest + &text[copied..]
}

/// A file without its links: of a canvas the nodes without their files.
fn around_links(path: &NotePath, text: &str) -> String {
    if path.extension() != "canvas" {
        return rest(text);
    }
    let mut board: Value = serde_json::from_str(text).unwrap();
    for node in board["nodes"].as_array_mut().unwrap() {
        match node["type"].as_str() {
            Some("file") => node["file"] = Value::Null,
            _ => node["text"] = rest(node["text"].as_str().unwrap()).into(),
        }
    }
    board.to_string()
}

/// Leaves out moves until no two files end up at the same place.
fn possible(vault: &RandomVault, wanted: BTreeMap<String, String>) -> Vec<(NotePath, NotePath)> {
    let mut moves = wanted;
    loop {
        let mut taken: BTreeMap<String, &String> = BTreeMap::new();
        let clash = vault.files.keys().find_map(|path| {
            let other = taken.insert(fold(moves.get(path).unwrap_or(path)), path)?;
            Some(if moves.contains_key(path) { path.clone() } else { other.clone() })
        });
        match clash {
            Some(path) => drop(moves.remove(&path)),
            None => return moves.iter().map(|(from, to)| (note(from), note(to))).collect(),
        }
    }
}

fn moves() -> impl Strategy<Value = Vec<(Index, Result<String, Index>)>> {
    let to = prop_oneof![path().prop_map(Ok), any::<Index>().prop_map(Err)];
    prop::collection::vec((any::<Index>(), to), 1..7)
}

fn check(vault: &RandomVault, moves: &[(NotePath, NotePath)]) -> Result<(), TestCaseError> {
    let place = Place::new(&vault.files.iter().collect::<Vec<_>>());
    place.put(".obsidian/app.json", format!("{{\"newLinkFormat\":\"{}\"}}", vault.format));
    let before = place.start_without_store();
    let old: Vec<_> = vault.files.keys().map(|path| (note(path), targets(&before, &note(path)))).collect();
    let relinked = carry_out(&place, &before, moves);
    drop(before);
    let after = place.start_without_store();
    let mut changed = 0;
    for (path, old_links) in old {
        let here = moved(moves, &path);
        let (old_text, new_text) = (&vault.files[path.as_str()], place.text(here.as_str()));
        prop_assert_eq!(around_links(&path, old_text), around_links(&path, &new_text), "around the links of {}", path);
        let new_links = targets(&after, here);
        prop_assert_eq!(old_links.len(), new_links.len(), "{}: {} became {}", path, old_text, new_text);
        for ((old_link, old_target), (new_link, new_target)) in old_links.iter().zip(&new_links) {
            match old_target {
                Some(target) => {
                    let wanted = moved(moves, target);
                    prop_assert_eq!(Some(wanted), new_target.as_ref(), "{}: {} became {}", path, old_link, new_link);
                }
                None => prop_assert_eq!(old_link, new_link, "an unresolved link of {} was touched", path),
            }
            changed += usize::from(old_link != new_link);
        }
    }
    prop_assert_eq!(relinked.iter().map(|file| file.links).sum::<usize>(), changed);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_global_rejects: 5000, ..ProptestConfig::default() })]

    #[test]
    fn every_link_keeps_its_meaning_when_many_files_move(vault in vault_with_boards(), moves in moves()) {
        let files: Vec<&String> = vault.files.keys().collect();
        let wanted = moves.into_iter().map(|(from, to)| {
            let from = from.get(&files);
            // What is read for links stays so, and nothing else becomes so.
            let kind = |path: &str| [".md", ".canvas"].into_iter().find(|end| path.ends_with(end));
            let to = to.unwrap_or_else(|to| to.get(&files).to_string());
            (from.to_string(), if kind(from) == kind(&to) { to } else { format!("moved/{}", from.replace('/', "-")) })
        });
        let moves = possible(&vault, wanted.collect());
        prop_assume!(moves.iter().any(|(from, to)| from != to));
        let moves: Vec<_> = moves.into_iter().filter(|(from, to)| from != to).collect();
        check(&vault, &moves)?;
    }
}

#[test]
fn links_follow_files_that_take_each_others_places() {
    let place = Place::new(&[
        ("a.md", "I am a: [[b]] [[c|c]]"),
        ("b.md", "I am b: [[a]] [[c]] [[b]]"),
        ("c.md", "I am c"),
        ("hub.md", "[[a]] [[b]] [[c]] [A](a.md#x) ![[b#^y]]"),
    ]);
    let run = place.start_without_store();
    let moves = notes(&[("a.md", "b.md"), ("b.md", "c.md"), ("c.md", "a.md")]);
    let relinked = carry_out(&place, &run, &moves);
    assert_eq!(place.text("hub.md"), "[[b]] [[c]] [[a]] [A](b.md#x) ![[c#^y]]");
    assert_eq!(place.text("b.md"), "I am a: [[c]] [[a|a]]");
    assert_eq!(place.text("c.md"), "I am b: [[b]] [[a]] [[c]]");
    let hub = relinked.iter().find(|file| file.path == note("hub.md")).unwrap();
    let counts = BTreeMap::from([(note("a.md"), 2), (note("b.md"), 2), (note("c.md"), 1)]);
    assert_eq!((hub.links, &hub.targets), (5, &counts));
    assert_eq!(relinked.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["a.md", "b.md", "hub.md"]);
}

#[test]
fn a_link_to_itself_says_nothing_about_its_neighbours() {
    let place = Place::new(&[("a.md", "[[a]]"), ("b.md", "[[a]]"), ("x/c.md", "")]);
    let run = place.start_without_store();
    carry_out(&place, &run, &notes(&[("a.md", "c.md"), ("x/c.md", "a.md")]));
    assert_eq!((place.text("c.md"), place.text("b.md")), ("[[c]]".to_owned(), "[[c]]".to_owned()));
}

#[test]
fn a_name_that_moves_make_ambiguous_or_free_is_written_as_long_as_it_must_be() {
    let place = Place::new(&[
        ("x/Note.md", ""),
        ("y/Other.md", ""),
        ("z/Twin.md", ""),
        ("Twin.md", ""),
        ("y/src.md", "[[Note]] [[Other]] [[z/Twin]]"),
    ]);
    let run = place.start_without_store();
    let moves = notes(&[("y/Other.md", "y/Note.md"), ("Twin.md", "Single.md"), ("z/Twin.md", "q/Twin.md")]);
    carry_out(&place, &run, &moves);
    assert_eq!(place.text("y/src.md"), "[[x/Note]] [[y/Note]] [[q/Twin]]");
}

#[test]
fn files_whose_links_stay_right_are_not_even_opened() {
    let place = Place::new(&[("a/Note.md", "[[Note]]"), ("src.md", "[[Note]] [[Note#h|x]]"), ("b/other.md", "[[a/Note]]")]);
    let run = place.start_without_store();
    fs::remove_file(place.on_disk("src.md")).unwrap();
    fs::create_dir(place.on_disk("src.md")).unwrap();
    let relinked = plan(&run, &notes(&[("a/Note.md", "c/Note.md")])).unwrap();
    let paths: Vec<&str> = relinked.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["b/other.md"]);
    assert_eq!(relinked[0].bytes, b"[[c/Note]]");
}

#[test]
fn changes_that_are_not_made_yet_count() {
    let place = Place::new(&[("a.md", ""), ("b.md", "[[a]]"), ("gone.md", "[[a]]"), ("old.md", "[[a]] and [[b]]")]);
    let run = place.start_without_store();
    let catalogue = run.index.catalogue();
    let mut overlay = Overlay::new(&run.vault, &catalogue);
    overlay.come(&note("new.md"), Some("[[a]] and [[x/a]]".to_owned()));
    overlay.come(&note("b.md"), Some("no link any more".to_owned()));
    overlay.come(&note("x/a.md"), Some(String::new()));
    overlay.go(&note("gone.md"));
    let relinked = overlay.relinked_moves(&notes(&[("a.md", "c.md"), ("old.md", "older.md")])).unwrap();
    let texts: Vec<(&str, &str)> =
        relinked.iter().map(|file| (file.path.as_str(), str::from_utf8(&file.bytes).unwrap())).collect();
    assert_eq!(texts, [("new.md", "[[c]] and [[x/a]]"), ("old.md", "[[c]] and [[b]]")]);
    // What came and went again leaves no trace.
    let mut overlay = Overlay::new(&run.vault, &catalogue);
    overlay.come(&note("x/b.md"), Some("[[a]]".to_owned()));
    overlay.go(&note("x/b.md"));
    overlay.go(&note("b.md"));
    overlay.come(&note("b.md"), None);
    assert_eq!(overlay.relinked_moves(&notes(&[("b.md", "y/b.md")])).unwrap().len(), 0);
}

#[test]
fn one_name_that_cannot_be_linked_stops_them_all() {
    let place = Place::new(&[("a.md", ""), ("b.md", ""), ("src.md", "[[a]] [[b]]")]);
    let run = place.start_without_store();
    let failed = plan(&run, &notes(&[("a.md", "x.md"), ("b.md", "C#.md")]));
    let Err(RelinkError::Unlinkable { source_path, target }) = failed else { panic!("{failed:?}") };
    assert_eq!((source_path.as_str(), target.as_str()), ("src.md", "C#.md"));
}

#[test]
fn a_thousand_moves_with_ten_thousand_links_are_one_plan() {
    let mut files: Vec<(String, String)> = (0..1000).map(|at| (format!("from/n{at:04}.md"), format!("note {at}"))).collect();
    for at in 0..500 {
        let links: Vec<String> = (0..20).map(|link| format!("[[from/n{:04}]]", (at * 7 + link * 53) % 1000)).collect();
        files.push((format!("src/s{at:03}.md"), links.join(" ")));
    }
    let place = Place::new(&files);
    let run = place.start_without_store();
    let moves: Vec<_> =
        (0..1000).map(|at| (note(&format!("from/n{at:04}.md")), note(&format!("to/m{:04}.md", 999 - at)))).collect();
    let relinked = plan(&run, &moves).unwrap();
    assert_eq!((relinked.len(), relinked.iter().map(|file| file.links).sum::<usize>()), (500, 10_000));
    let first = str::from_utf8(&relinked[0].bytes).unwrap();
    assert!(first.starts_with("[[to/m0999]] [[to/m0946]]"), "{first}");
}

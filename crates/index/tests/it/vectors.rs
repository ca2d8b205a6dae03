//! The shared vectors about links, each on a vault of its own.

use std::fs;

use quillgate_markdown::parse_links;
use serde_json::{Value, json};

use crate::place::{Place, note};

fn vectors(category: &str) -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../markdown/tests/vectors.json");
    let file: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let all = file["vectors"].as_array().unwrap().clone();
    all.into_iter().filter(|vector| vector["category"] == category).collect()
}

/// Files are a list of paths, or a map of paths and texts.
fn files(input: &Value) -> Vec<(String, String)> {
    match &input["files"] {
        Value::Array(paths) => paths.iter().map(|path| (path.as_str().unwrap().to_owned(), String::new())).collect(),
        Value::Object(texts) => texts.iter().map(|(path, text)| (path.clone(), text.as_str().unwrap().to_owned())).collect(),
        other => panic!("files: {other}"),
    }
}

#[test]
fn every_link_resolves_as_in_the_app() {
    let vectors = vectors("link_resolve");
    assert_eq!(vectors.len(), 16);
    for vector in vectors {
        let input = &vector["input"];
        let place = Place::new(&files(input));
        let source = input["source"].as_str().unwrap();
        place.put(source, input["link"].as_str().unwrap());
        let run = place.start();
        let outgoing = run.index.catalogue().outgoing(&note(source));
        assert_eq!(outgoing.len(), 1, "{}", vector["id"]);
        let expected = vector["expected"].as_str().map(note);
        assert_eq!(outgoing[0].target, expected, "{}: {}", vector["id"], vector["name"]);
        // The other direction must agree.
        for entry in run.index.catalogue().files().filter(|entry| entry.path != note(source)) {
            let links_here = !run.index.catalogue().backlinks(&entry.path).is_empty();
            assert_eq!(links_here, Some(&entry.path) == expected.as_ref(), "{}: backlinks of {}", vector["id"], entry.path);
        }
    }
}

#[test]
fn every_rename_rewrites_links_as_in_the_app() {
    let vectors = vectors("rename");
    assert_eq!(vectors.len(), 12);
    for vector in vectors {
        let input = &vector["input"];
        let place = Place::new(&files(input));
        let settings: Vec<&str> = vec!["newLinkFormat", "useMarkdownLinks"];
        let settings = settings.into_iter().filter_map(|key| Some((key.to_owned(), input.get(key)?.clone())));
        place.put(".obsidian/app.json", json!(settings.collect::<serde_json::Map<_, _>>()).to_string());
        let source = input["source"].as_str().unwrap_or("Src.md");
        place.put(source, input["text"].as_str().unwrap());
        let run = place.start();
        run.move_file(input["frm"].as_str().unwrap(), input["to"].as_str().unwrap());
        assert_eq!(place.text(source), vector["expected"].as_str().unwrap(), "{}: {}", vector["id"], vector["name"]);
        assert!(!parse_links(&place.text(source)).is_empty());
    }
}

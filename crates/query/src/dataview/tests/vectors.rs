use serde_json::{Value as Json, json};

use super::*;
use crate::dataview::tree::literal;

fn vectors() -> Vec<Json> {
    let all: Json = serde_json::from_str(include_str!("../../../../markdown/tests/vectors.json")).expect("JSON");
    let all = all["vectors"].as_array().expect("a list").clone();
    all.into_iter().filter(|vector| vector["category"] == "dataview").collect()
}

#[test]
fn every_vector_is_of_a_kind_that_is_tried_here() {
    for vector in vectors() {
        let input = vector["input"].as_object().expect("an object");
        assert!(["line", "expr", "tags", "query"].iter().any(|kind| input.contains_key(*kind)), "{vector}");
    }
}

#[test]
fn lines_of_fields_give_their_values() {
    let lines: Vec<Json> = vectors().into_iter().filter(|vector| vector["input"]["line"].is_string()).collect();
    assert!(lines.len() >= 7);
    for vector in lines {
        let vault = TestVault::new(&[("a.md", vector["input"]["line"].as_str().expect("a line"))]);
        for (key, expected) in vector["expected"].as_object().expect("fields") {
            let found = vault.ask(None, &format!("LIST WITHOUT ID row[\"{key}\"]"), |answer| answer.rows()[0][0].clone());
            let expected = match expected.as_str().and_then(|text| text.strip_prefix("date ")) {
                Some(date) => json!(date),
                None => expected.clone(),
            };
            assert_eq!(found, Ok(expected), "{vector}");
        }
    }
}

#[test]
fn expressions_have_their_values() {
    for vector in vectors().into_iter().filter(|vector| vector["input"]["expr"].is_string()) {
        assert_eq!(value_of(vector["input"]["expr"].as_str().expect("a text")).as_ref(), Ok(&vector["expected"]), "{vector}");
    }
    assert!(value_of("1 == 1").is_err_and(|error| error.contains("use `=`")));
}

#[test]
fn tags_are_expanded() {
    let tagged: Vec<Json> = vectors().into_iter().filter(|vector| vector["input"]["tags"].is_string()).collect();
    assert!(!tagged.is_empty());
    for vector in tagged {
        let vault = TestVault::new(&[("a.md", vector["input"]["tags"].as_str().expect("tags"))]);
        let expected = &vector["expected"];
        let rows = vault.rows("TABLE WITHOUT ID file.tags, file.etags");
        assert_eq!(rows, json!([[expected["file.tags"], expected["file.etags"]]]));
    }
}

#[test]
fn clauses_run_in_written_order() {
    let vault = TestVault::new(&[("a.md", "#a"), ("b.md", "#a"), ("f/c.md", "#a"), ("d.md", "#a"), ("e.md", "")]);
    let query = vectors().into_iter().find(|vector| vector["id"] == "dataview-15").expect("the vector");
    let query =
        query["input"]["query"].as_str().expect("a query").replace("LIMIT 5 SORT file.name", "LIMIT 2 SORT file.name DESC");
    assert_eq!(vault.rows(&query), json!([["[[b.md|b]]"], ["[[a.md|a]]"]]));
}

#[test]
fn groups_have_a_key_and_rows() {
    let vault = TestVault::new(&[("a.md", "#a\n\ngenre:: x"), ("b.md", "#a\n\ngenre:: y"), ("c.md", "#a\n\ngenre:: x")]);
    let vector = vectors().into_iter().find(|vector| vector["id"] == "dataview-16").expect("the vector");
    let rows = vault.rows(vector["input"]["query"].as_str().expect("a query"));
    assert_eq!(rows, json!([["x", ["[[a.md|a]]", "[[c.md|c]]"]], ["y", ["[[b.md|b]]"]]]));
}

#[test]
fn values_of_the_vectors_are_the_same_without_a_page() {
    for vector in vectors() {
        let (Some(line), Some(expected)) = (vector["input"]["line"].as_str(), vector["expected"].as_object()) else { continue };
        if let (Some((_, text)), Some(expected)) = (line.split_once("::"), expected.values().next())
            && !line.starts_with('[')
            && !expected.as_str().is_some_and(|text| text.starts_with("date "))
        {
            assert_eq!(&literal(&inline_value(text.trim())), expected, "{line}");
        }
    }
}

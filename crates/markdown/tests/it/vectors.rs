//! Runs every vector of the categories this crate answers for.

use quillgate_markdown::{
    Edits, JsonLayout, Link, Note, PropertyType, Value, change_members, compress_to_base64, decompress_from_base64, field_key,
    parse_json, parse_links, parse_yaml, to_yaml,
};
use serde_json::{Map, Value as Json, json};

const VECTORS: &str = include_str!("../vectors.json");

/// Moving files needs resolution, which belongs to the index: `rename` vectors run there.
const CATEGORIES: [&str; 5] = ["link_parse", "tag", "property", "property_write", "frontmatter"];

fn vectors(category: &str) -> Vec<Json> {
    let file: Json = serde_json::from_str(VECTORS).expect("the vectors are JSON");
    let all = file["vectors"].as_array().expect("a list of vectors").clone();
    all.into_iter().filter(|vector| vector["category"] == category).collect()
}

#[test]
fn every_vector_of_our_categories_holds() {
    for (category, expected_count) in CATEGORIES.into_iter().zip([7, 13, 6, 4, 5]) {
        let vectors = vectors(category);
        assert_eq!(vectors.len(), expected_count, "vectors in {category}");
        for vector in vectors {
            let (input, expected) = (&vector["input"], &vector["expected"]);
            match category {
                "link_parse" => check_link(&vector, text_of(input), expected),
                "tag" => check_tags(&vector, text_of(input), expected),
                "property" => check_property(&vector, input, expected),
                "property_write" => check_written(&vector, input, expected),
                _ => check_frontmatter(&vector, text_of(input), expected),
            }
        }
    }
}

#[test]
fn field_vectors_split_into_key_and_raw_value() {
    let mut ran = 0;
    for vector in vectors("dataview") {
        let id = vector["id"].as_str().unwrap_or_default();
        if !["dataview-01", "dataview-02", "dataview-04"].contains(&id) {
            continue;
        }
        let note = Note::parse(vector["input"]["line"].as_str().expect("a line"));
        let expected = vector["expected"].as_object().expect("fields");
        assert_eq!(note.fields.len(), expected.len(), "{id}");
        for field in &note.fields {
            let value = &expected[&field_key(&field.key)];
            let raw = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            assert_eq!(field.value, raw, "{id}");
        }
        ran += 1;
    }
    assert_eq!(ran, 3);
}

#[test]
fn task_vectors_are_recognised_as_lines() {
    let vectors = vectors("task");
    assert_eq!(vectors.len(), 6);
    for vector in vectors {
        let note = Note::parse(vector["input"]["line"].as_str().expect("a line"));
        let expected = &vector["expected"];
        assert_eq!(note.tasks.len(), usize::from(!expected.is_null()), "{}", vector["id"]);
        if let Some(status) = expected["status"].as_str() {
            assert_eq!(note.tasks[0].status.to_string(), status, "{}", vector["id"]);
        }
    }
}

#[test]
fn drawing_vectors_are_compressed_and_come_back() {
    let vectors = vectors("excalidraw");
    assert_eq!(vectors.len(), 2);
    for vector in vectors {
        let (text, letters) = (vector["input"]["json"].as_str().expect("a text"), vector["expected"].as_str().expect("letters"));
        assert_eq!(compress_to_base64(text), letters, "{}", vector["id"]);
        assert_eq!(decompress_from_base64(letters, 1000).as_deref(), Ok(text), "{}", vector["id"]);
    }
}

#[test]
fn what_a_canvas_holds_beside_an_edit_survives_it() {
    let vectors = vectors("canvas");
    assert_eq!(vectors.len(), 1);
    for vector in vectors {
        let text = vector["input"]["canvas"].to_string();
        let root = parse_json(&text).expect("JSON");
        let node = &root.get("nodes").expect("nodes").items()[0];
        let set = |value: &str| Edits::new(change_members(&text, node, &[("text", value.to_owned())], &[], JsonLayout::Line));
        assert_eq!(set("\"t\"").expect("apart").apply(&text), text, "{}", vector["id"]);
        assert_eq!(set("\"u\"").expect("apart").apply(&text), text.replace("\"t\"", "\"u\""), "{}", vector["id"]);
    }
}

fn text_of(input: &Json) -> &str {
    input["text"].as_str().expect("a text")
}

fn check_link(vector: &Json, text: &str, expected: &Json) {
    let links = parse_links(text);
    match expected {
        Json::Array(all) => {
            assert_eq!(links.len(), all.len(), "{}", vector["id"]);
            links.iter().zip(all).for_each(|(link, expected)| check_parts(vector, link, expected));
        }
        one => {
            assert_eq!(links.len(), 1, "{}", vector["id"]);
            check_parts(vector, &links[0], one);
        }
    }
}

fn check_parts(vector: &Json, link: &Link, expected: &Json) {
    for (part, expected) in expected.as_object().expect("parts of a link") {
        let found = match part.as_str() {
            "path" | "link" => json!(link.path),
            "subpath" => json!(link.subpath),
            "display" | "alt" => json!(link.display),
            "embed" => json!(link.embed),
            "width" => json!(link.size.map(|size| size.0)),
            "height" => json!(link.size.and_then(|size| size.1)),
            "key" => json!(link.property),
            other => panic!("{}: no part called {other}", vector["id"]),
        };
        assert_eq!(&found, expected, "{} {part}", vector["id"]);
    }
}

fn check_tags(vector: &Json, text: &str, expected: &Json) {
    assert_eq!(&json!(Note::parse(text).all_tags()), expected, "{}", vector["id"]);
}

fn check_property(vector: &Json, input: &Json, expected: &Json) {
    let entries = parse_yaml(input["yaml"].as_str().expect("YAML")).expect("valid YAML");
    let expected = expected.as_object().expect("properties");
    let value = &entries[0].value;
    assert_eq!(entries.len(), 1, "{}", vector["id"]);
    assert_eq!(to_json(value), expected[&entries[0].key], "{}", vector["id"]);
    if let Some(kind) = expected.get("type") {
        assert_eq!(PropertyType::inferred_type(value).name(), kind, "{}", vector["id"]);
    }
}

fn check_written(vector: &Json, input: &Json, expected: &Json) {
    let Value::Map(properties) = from_json(&input["value"]) else { panic!("a map of properties") };
    assert_eq!(to_yaml(&properties), expected.as_str().expect("YAML"), "{}", vector["id"]);
}

fn check_frontmatter(vector: &Json, text: &str, expected: &Json) {
    let found = match Note::parse(text).frontmatter {
        None => Json::Null,
        Some(block) => {
            let properties = block.properties.expect("valid YAML").0;
            let entries = properties.into_iter().map(|found| (found.key, to_json(&found.value)));
            Json::Object(entries.collect::<Map<_, _>>())
        }
    };
    assert_eq!(&found, expected, "{}", vector["id"]);
}

pub(crate) fn to_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Integer(value) => json!(value),
        Value::Float(value) => json!(value),
        Value::Text(value) => json!(value),
        Value::List(items) => items.iter().map(to_json).collect(),
        Value::Map(entries) => Json::Object(entries.iter().map(|(key, value)| (key.clone(), to_json(value))).collect()),
    }
}

fn from_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(value) => Value::number(value.as_f64().expect("a number")),
        Json::String(value) => Value::Text(value.clone()),
        Json::Array(items) => Value::List(items.iter().map(from_json).collect()),
        Json::Object(entries) => Value::Map(entries.iter().map(|(key, value)| (key.clone(), from_json(value))).collect()),
    }
}

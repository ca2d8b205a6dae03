//! Any value can be written and read back, and writing one property leaves the rest alone.

use proptest::prelude::*;
use quillgate_markdown::{
    EditError, Note, Value, add_to_list, find_value, parse_yaml, remove_from_list, remove_property, remove_property_at,
    set_property, set_property_at, to_yaml,
};

fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a", "b c", " ", "\n", "\n\n", ": ", ":", "#", " #", "- ", "-", "'", "\"", "\\", "[", "]", "{", "}", ",", "&", "*", "!",
        "|", ">", "%", "@", "`", "true", "null", "12", "0x1", "1.5", "---", "...", "?", "\t", "~", "é", "日本", "🚀", "\u{85}",
        "\u{2028}", "\0", "\x07", "\u{a0}", "\r", "\x7f", "\u{9f}", "[[L]]", "=", "<<",
    ]);
    prop_oneof![
        3 => prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Integer),
        any::<f64>().prop_map(Value::number),
        text().prop_map(Value::Text),
        text().prop_map(Value::Text),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::List),
            prop::collection::vec((text(), inner), 0..5).prop_map(|entries| Value::Map(unique(entries))),
        ]
    })
}

fn unique(entries: Vec<(String, Value)>) -> Vec<(String, Value)> {
    let mut seen = std::collections::HashSet::new();
    entries.into_iter().filter(|(key, _)| seen.insert(key.clone())).collect()
}

fn is_same(found: &[(String, Value)], expected: &[(String, Value)]) -> bool {
    Value::Map(found.to_vec()).is_same(&Value::Map(expected.to_vec()))
}

/// Blocks as people write them, with comments, odd spacing and every style of value.
fn note() -> impl Strategy<Value = String> {
    let entry = prop::sample::select(vec![
        ": 1",
        ": x # c",
        ":",
        ": # c",
        ":\n  - x\n  - y # c",
        ":\n- x\n-",
        ": [a,\n  b] # c",
        ": {k: v}",
        ": 'q''q'",
        ": \"d\\\"d\" # c",
        ": |\n  one\n\n  two\n",
        ": >-\n  one\n  two",
        ": a\n  b",
        ":\n  k: v\n  l:\n    - m",
        " : spaced",
        ":\n  # inside\n  - x",
        ": é # ü",
        ":\n\n  late",
    ]);
    let gap = prop::sample::select(vec!["", "", "\n", "# comment\n", "\n# é\n\n"]);
    let eol = prop::sample::select(vec!["\n", "\r\n"]);
    let keys = prop::sample::subsequence(vec!["a", "B", "\"c d\"", "é", "'e'", "tags"], 0..6);
    (keys, prop::collection::vec((entry, gap), 6), eol, "[a-z#\n-]{0,12}").prop_map(|(keys, entries, eol, body)| {
        let lines = keys.iter().zip(entries);
        let inner: String = lines.map(|(key, (entry, gap))| format!("{gap}{key}{entry}\n")).collect();
        format!("---\n{inner}---\n{body}").replace('\n', eol)
    })
}

fn properties_of(text: &str) -> Vec<(String, Value)> {
    let Some(block) = Note::parse(text).frontmatter else { return Vec::new() };
    let properties = block.properties.expect("valid YAML").0;
    properties.into_iter().map(|property| (property.key, property.value)).collect()
}

fn keeps_blank_lines(value: &Value) -> bool {
    let yaml = to_yaml(&[("a".to_owned(), value.clone())]);
    yaml.contains("|+\n") || yaml.contains("|2+\n")
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(entries in prop::collection::vec((text(), value()), 0..4)) {
        let entries = unique(entries);
        let yaml = to_yaml(&entries);
        let read = parse_yaml(&yaml).map_err(|error| TestCaseError::fail(format!("{error} in {yaml}")))?;
        let read: Vec<_> = read.into_iter().map(|entry| (entry.key, entry.value)).collect();
        prop_assert!(is_same(&read, &entries), "{yaml}\n{read:?}");
    }

    #[test]
    fn setting_gives_the_value_back_and_keeps_the_rest(
        note in note(),
        key in prop::sample::select(vec!["a", "b", "c d", "É", "e", "new", "true", "x: y"]),
        value in value(),
    ) {
        let edits = match set_property(&note, key, &value) {
            Ok(edits) => edits,
            // A text that ends in blank lines would take in those that follow the entry.
            Err(EditError::Unsafe { .. }) if keeps_blank_lines(&value) => return Ok(()),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        let after = edits.apply(&note);
        let found = Note::parse(&after);
        let property = found.find_property(key).expect("the property is there");
        prop_assert!(property.value.is_same(&value));
        let span = Note::parse(&note).find_property(key).map(|before| before.span.clone());
        for edit in edits.as_slice() {
            let inside = span.clone().is_none_or(|span| span.start <= edit.range.start && edit.range.end <= span.end);
            prop_assert!(inside, "the edit leaves its entry");
            prop_assert!(span.is_some() || edit.range.is_empty(), "a new entry only inserts");
        }
    }

    #[test]
    fn a_note_without_properties_gets_the_first_one(body in "[a-z#\n-]{0,12}", key in text(), value in value()) {
        prop_assume!(!key.is_empty() && Note::parse(&body).frontmatter.is_none());
        let after = match set_property(&body, &key, &value) {
            Ok(edits) => edits.apply(&body),
            Err(EditError::Unsafe { .. }) if keeps_blank_lines(&value) => return Ok(()),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        prop_assert!(is_same(&properties_of(&after), &[(key, value)]) && after.ends_with(&body));
    }

    #[test]
    fn removing_keeps_the_other_properties(note in note(), key in prop::sample::select(vec!["a", "b", "c d", "é", "e"])) {
        let before = properties_of(&note);
        let edits = match remove_property(&note, key) {
            Ok(edits) => edits,
            Err(EditError::NoProperty { .. }) => return Ok(()),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        let after = properties_of(&edits.apply(&note));
        let expected: Vec<_> = before.into_iter().filter(|(other, _)| other.to_lowercase() != key).collect();
        prop_assert!(is_same(&after, &expected));
    }

    #[test]
    fn a_value_inside_a_property_is_set_without_touching_what_is_beside_it(
        note in note(),
        key in prop::sample::select(vec!["a", "b", "é", "new"]),
        inside in prop::sample::select(vec!["k", "L", "l.0", "new", "0"]),
        value in value(),
    ) {
        let path: Vec<&str> = [key].into_iter().chain(inside.split('.')).collect();
        let before = Note::parse(&note);
        let outer = before.find_property(key);
        let edits = match set_property_at(&note, &path, &value) {
            Ok(edits) => edits,
            Err(EditError::NoPlace { .. }) => return Ok(()),
            Err(EditError::Unsafe { .. }) if keeps_blank_lines(&value) => return Ok(()),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        let after = Note::parse(&edits.apply(&note));
        let found = after.find_property(key).and_then(|property| find_value(&property.value, &path[1..]));
        prop_assert!(found.is_some_and(|found| found.is_same(&value)), "{:?}", edits);
        for edit in edits.as_slice() {
            let is_inside = outer.is_none_or(|outer| outer.span.start <= edit.range.start && edit.range.end <= outer.span.end);
            prop_assert!(is_inside, "the edit leaves its entry");
        }
        // Beside a map's entry that is set, the others keep their bytes.
        let sibling = outer.and_then(|outer| find_value(&outer.value, &["l", "0"])).is_some();
        if sibling && path[1..] == ["k"] {
            prop_assert!(edits.apply(&note).replace("\r\n", "\n").contains("  l:\n    - m\n"));
        }
    }

    #[test]
    fn what_is_set_inside_a_property_can_be_removed_again(note in note(), value in value()) {
        let path = ["a", "fresh"];
        let Ok(edits) = set_property_at(&note, &path, &value) else { return Ok(()) };
        let with = edits.apply(&note);
        let edits = match remove_property_at(&with, &path) {
            Err(EditError::Unsafe { .. }) if keeps_blank_lines(&value) => return Ok(()),
            other => other.map_err(|error| TestCaseError::fail(format!("{error} in {with}")))?,
        };
        let after = Note::parse(&edits.apply(&with));
        prop_assert!(after.find_property("a").is_some_and(|property| find_value(&property.value, &["fresh"]).is_none()));
    }

    #[test]
    fn an_item_that_was_added_can_be_removed_again(note in note(), item in text()) {
        let item = Value::Text(format!("x{item}"));
        let before = properties_of(&note);
        let with = match add_to_list(&note, "a", &item) {
            Ok(edits) => edits.apply(&note),
            Err(EditError::Unsafe { .. }) if keeps_blank_lines(&item) => return Ok(()),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        let listed = Note::parse(&with).find_property("a").map(|property| property.value.clone());
        let items = listed.as_ref().and_then(Value::as_list).expect("a list");
        prop_assert!(items.last().is_some_and(|last| last.is_same(&item)));
        let edits = match remove_from_list(&with, "a", |value| value.is_same(&item)) {
            Err(EditError::Unsafe { .. }) if keeps_blank_lines(&item) => return Ok(()),
            other => other.map_err(|error| TestCaseError::fail(format!("{error} in {with}")))?,
        };
        let after = properties_of(&edits.apply(&with));
        let others = |all: &[(String, Value)]| all.iter().filter(|(key, _)| key != "a").cloned().collect::<Vec<_>>();
        prop_assert!(is_same(&others(&after), &others(&before)));
    }
}

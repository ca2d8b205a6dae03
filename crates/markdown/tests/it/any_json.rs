//! Whatever JSON is edited, only what the edit names changes.

use std::collections::BTreeSet;

use proptest::prelude::*;
use quillgate_markdown::{Edits, JsonLayout, JsonNode, change_items, change_members, parse_json, spread_json};
use serde_json::{Value, json};

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[ -~äß\\n\"\\\\😀]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-e\"]{1,2}", inner), 0..4).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// The same value as different programs write it.
fn written(value: &Value, way: u8) -> String {
    let plain = value.to_string();
    match way % 4 {
        0 => plain,
        1 => spread_json(&plain, "\t"),
        2 => spread_json(&plain, "  ").replace('\n', "\r\n"),
        _ => format!("\u{feff} {} \n", spread_json(&plain, "    ")),
    }
}

fn reads_as(text: &str) -> Value {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn raw<'t>(text: &'t str, node: &JsonNode) -> &'t str {
    &text[node.span.clone()]
}

fn layout(is_line: bool) -> JsonLayout {
    if is_line { JsonLayout::Line } else { JsonLayout::Spread }
}

proptest! {
    #[test]
    fn no_text_panics(text in "[\\[\\]{}:,\"\\\\a-z0-9.eE+\\- \n\\u{feff}ä]{0,40}") {
        let ours = parse_json(&text).is_ok();
        let theirs = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')).is_ok();
        // Both know the same language, except that only one byte order mark is skipped and numbers may be of any size.
        prop_assert!(ours == theirs || text.matches('\u{feff}').count() > 1 || text.contains(['e', 'E']), "{text:?}");
    }

    #[test]
    fn laying_out_keeps_the_value(value in any_value(), way in any::<u8>()) {
        prop_assert_eq!(reads_as(&written(&value, way)), value.clone());
        prop_assert!(parse_json(&written(&value, way)).is_ok());
    }

    #[test]
    fn a_list_keeps_the_bytes_of_the_items_that_stay(
        items in prop::collection::vec(any_value(), 0..6),
        removed in prop::collection::btree_set(0usize..6, 0..4),
        added in prop::collection::vec(any_value(), 0..3),
        around in any::<(u8, bool)>(),
    ) {
        let before = written(&json!({"x": 1.50, "list": items, "y": []}), around.0);
        let root = parse_json(&before).expect("JSON");
        let list = root.get("list").expect("a list");
        let texts: Vec<String> = added.iter().map(Value::to_string).collect();
        let edits = Edits::new(change_items(&before, list, &removed, &texts, layout(around.1))).expect("apart");
        let after = edits.apply(&before);
        let kept: Vec<usize> = (0..items.len()).filter(|place| !removed.contains(place)).collect();
        let expected: Vec<Value> = kept.iter().map(|place| items[*place].clone()).chain(added).collect();
        prop_assert_eq!(reads_as(&after), json!({"x": 1.50, "list": expected, "y": []}));
        let changed = parse_json(&after).expect("JSON");
        for (now, place) in changed.get("list").expect("a list").items().iter().zip(&kept) {
            prop_assert_eq!(raw(&after, now), raw(&before, &list.items()[*place]));
        }
        prop_assert!(after.starts_with(&before[..list.span.start]) && after.ends_with(&before[list.span.end..]));
        if removed.is_empty() && texts.is_empty() {
            prop_assert_eq!(after, before);
        }
    }

    #[test]
    fn an_object_keeps_the_bytes_of_the_members_that_stay(
        members in prop::collection::vec(("[a-e]", any_value()), 0..5),
        set in prop::collection::btree_map("[a-g]", any_value(), 0..3),
        removed in prop::collection::btree_set("[a-g]", 0..3),
        around in any::<(u8, bool)>(),
    ) {
        let object: Value = members.into_iter().collect();
        let before = written(&json!([object, 2]), around.0);
        let root = parse_json(&before).expect("JSON");
        let node = &root.items()[0];
        let removed: BTreeSet<String> = removed.difference(&set.keys().cloned().collect()).cloned().collect();
        let gone: Vec<&str> = removed.iter().map(String::as_str).collect();
        let pairs: Vec<(&str, String)> = set.iter().map(|(key, value)| (key.as_str(), value.to_string())).collect();
        let edits = Edits::new(change_members(&before, node, &pairs, &gone, layout(around.1))).expect("apart");
        let after = edits.apply(&before);
        let mut expected = object.as_object().expect("an object").clone();
        gone.iter().for_each(|key| drop(expected.shift_remove(*key)));
        set.iter().for_each(|(key, value)| drop(expected.insert(key.clone(), value.clone())));
        let changed = parse_json(&after).expect("JSON");
        // In the same order too.
        prop_assert_eq!(reads_as(&after).to_string(), json!([expected, 2]).to_string());
        for member in node.members().iter().filter(|member| !set.contains_key(&member.key) && !removed.contains(&member.key)) {
            let now = changed.items()[0].get(&member.key).expect("still there");
            prop_assert_eq!(raw(&after, now), raw(&before, &member.value));
        }
    }
}

//! The YAML of a base.

use super::place::Place;
use crate::bases::{Base, QueryError};

/// Why it is no base, or the first thing that is wrong in it.
fn problem(text: &str) -> String {
    Base::parse(text).map_or_else(|error| error.to_string(), |base| base.problems().remove(0).to_string())
}

#[test]
fn errors_have_their_place_in_the_file() {
    for (text, message) in [
        ("filters:\n  and:\n    - a == 1\n    - b = 2\n", "line 4, column 9: '=' means nothing here; write == to compare"),
        ("formulas:\n  x: \"1 +\"\n", "line 2, column 10: a value is expected, and there is the end"),
        ("# c\nformulas:\n  long: |-\n    1 +\n    )\n", "line 5, column 1: a value is expected, and there is \")\""),
        (
            "filters:\n  and: []\n  or: []\n",
            "line 3, column 3: a filter has exactly one of and, or and not; this one has and, or",
        ),
        ("filters:\n  xor: []\n", "line 2, column 3: a filter has one of and, or and not, and no xor"),
        ("filters: [a, b]\n", "line 1, column 1: a list of filters stands under and:, or: or not:"),
        ("views: {}\n", "line 1, column 1: views is a list"),
        ("views:\n  - table\n", "line 1, column 1: a view is a map with type and name"),
        ("views:\n  - type: table\n    limit: many\n", "line 3, column 5: limit is a whole number"),
        ("views:\n  - sort:\n      - x\n", "line 2, column 5: sort names its property:, and direction: ASC or DESC"),
        ("views:\n  - sort:\n      - {property: x, direction: UP}\n", "line 3, column 23: direction is ASC or DESC"),
        ("formulas: 5\n", "line 1, column 1: formulas is a map of names, each with its own value"),
        ("formulas:\n  x: [1]\n", "line 2, column 3: an expression is expected, written as a text"),
        ("formulas:\n  sum: a + f\n  a: a + nosuch()\n  f: f(\n", "line 3, column 10: there is no function nosuch"),
        ("formulas:\n  x: 'true'\n  a: formula\n", "line 3, column 6: formula is followed by the name of one"),
        ("formulas:\n  y: '1 + 0x1'\n  x: 0x1x\n", "line 2, column 11: a name does not begin with a digit"),
        ("formulas:\n  x: formula.y\n", "line 2, column 6: there is no formula \"y\""),
        ("summaries:\n  s: values.total()\n", "line 2, column 6: there is no method total"),
        ("views:\n  - name: A\n  - name: B\n    filters: x.has()\n", "line 4, column 14: there is no method has"),
        ("a: b: c\n", "line 1, column 1: "),
        ("- a\n", "line 1, column 1: expected properties written as key: value"),
    ] {
        let error = problem(text);
        assert!(error.starts_with(message), "{text}\n{error}\n{message}");
    }
}

#[test]
fn names_that_are_none_have_their_place_in_the_file_too() {
    let place = Place::new(&[("a.md", "")]);
    let base = "views:\n  - type: table\n    filters:\n      or:\n        - \"true\"\n        - file.has_tag(\"x\")\n";
    let Err(QueryError::Syntax(error)) = place.ask(base, None, None) else { panic!("no error") };
    assert_eq!(error.to_string(), "line 6, column 11: there is no method has_tag; write hasTag");
}

#[test]
fn what_cannot_be_read_spoils_only_what_needs_it() {
    let place = Place::new(&[("a.md", "---\nprice: 5\n---\n")]);
    let base = "formulas:\n  good: price + 1\n  bad: price +\n  over: formula.bad\nsummaries:\n  odd: values.(\nviews:\n  - name: Good\n    order: [formula.good]\n  - name: Bad\n    order: [formula.over]\n  - name: Filtered\n    filters: a ==\n  - name: Summed\n    summaries: {price: odd}\n  - name: 2024\n";
    let answer = place.ask(base, None, None).unwrap();
    assert_eq!(answer["rows"], serde_json::json!([["a.md", [6]]]));
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("formula.bad, which this view does not use, cannot be read: line 3, column 15"), "{warnings}");
    for (view, place_of_error) in [("Bad", "line 3, column 15"), ("Filtered", "line 13, column 18"), ("Summed", "line 6")] {
        let error = place.ask(base, Some(view), None).unwrap_err().to_string();
        assert!(error.starts_with(place_of_error), "{view}: {error}");
    }
    assert_eq!(place.ask(base, Some("2024"), None).unwrap()["view"], "2024");
}

#[test]
fn early_spellings_are_reported_and_unknown_keys_are_not() {
    let base =
        Base::parse("display: {a: b}\nplugin: {x: 1}\nviews:\n  - type: map\n    name: M\n    group_by: x\n    cardSize: 5\n    sort: [{column: a, direction: ASC}, {column: b}]\n")
            .unwrap();
    assert_eq!(
        base.warnings,
        [
            "display: is of an early version and not read; use properties: with displayName",
            "group_by: of the view \"M\" is of an early version and not read; use groupBy:",
            "column: of the view \"M\" is of an early version and not read; use property:",
        ]
    );
    assert_eq!((&*base.views()[0].kind, &*base.views()[0].name), ("map", "M"));
}

#[test]
fn filters_within_filters_have_an_end() {
    let text = format!("{}a{}", "{and: [".repeat(40), "]}".repeat(40));
    assert!(problem(&format!("filters: {text}")).contains("nested too deeply"));
}

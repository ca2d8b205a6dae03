//! The YAML of a base.

use super::place::Place;
use crate::bases::{Base, QueryError};

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
        ("a: b: c\n", "line 1, column 1: "),
        ("- a\n", "line 1, column 1: expected properties written as key: value"),
    ] {
        let error = Base::parse(text).unwrap_err().to_string();
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
fn early_spellings_are_reported_and_unknown_keys_are_not() {
    let base =
        Base::parse("display: {a: b}\nplugin: {x: 1}\nviews:\n  - type: map\n    name: M\n    group_by: x\n    cardSize: 5\n")
            .unwrap();
    assert_eq!(
        base.warnings,
        [
            "display: is of an early version and not read; use properties: with displayName",
            "group_by: of the view \"M\" is of an early version and not read; use groupBy:",
        ]
    );
    assert_eq!((&*base.views()[0].kind, &*base.views()[0].name), ("map", "M"));
}

#[test]
fn filters_within_filters_have_an_end() {
    let text = format!("{}a{}", "{and: [".repeat(40), "]}".repeat(40));
    assert!(Base::parse(&format!("filters: {text}")).unwrap_err().message.contains("nested too deeply"));
}

//! Views: filters, order, groups, limits, summaries.

use serde_json::json;

use super::place::Place;
use crate::bases::QueryError;
use crate::{Budget, BudgetSpent};

fn books() -> Place {
    Place::new(&[
        (
            "Books/Dune.md",
            "---\ntype: book\nprice: 10\nstatus: read\nread: 2026-01-05\nowned: true\ngenres: [sf, classic]\n---\n",
        ),
        ("Books/Emma.md", "---\ntype: book\nprice: 4\nstatus: open\nread: 2025-12-01\nowned: false\ngenres: [classic]\n---\n"),
        ("Books/Note 10.md", "---\ntype: book\nprice: 7.5\n---\n"),
        ("Books/Note 2.md", "---\ntype: book\nstatus: read\nprice: much\nowned: true\ngenres: [classic]\n---\n"),
        ("Other/Pear.md", "---\ntype: fruit\nprice: 1\n---\n"),
        ("pic.png", "x"),
    ])
}

fn paths(answer: &serde_json::Value) -> Vec<&str> {
    answer["rows"].as_array().unwrap().iter().map(|row| row[0].as_str().unwrap()).collect()
}

#[test]
fn a_base_without_anything_shows_every_file() {
    let answer = books().ask("", None, None).unwrap();
    assert_eq!(answer["rows"].as_array().unwrap().len(), 6);
    assert_eq!(answer["rows"][5], json!(["pic.png", ["pic.png"]]));
    assert_eq!(answer["view"], "Table");
}

#[test]
fn excluded_files_are_not_there() {
    let place = books().excluding(&["Books/", "/\\.png$/", "/(/"]);
    assert_eq!(paths(&place.ask("", None, None).unwrap()), ["Other/Pear.md"]);
}

const BASE: &str = r#"
filters: type == "book"
formulas:
  taxed: price * 1.2
  shown: 'if(formula.taxed, formula.taxed.toFixed(1) + " €")'
  round: formula.trip
  trip: "[formula.round]"
properties:
  note.price: { displayName: Price }
summaries:
  spread: values.filter(value.isType("number")).max() - values.filter(value.isType("number")).min()
views:
  - type: table
    name: All
    order: [file.basename, price, formula.shown]
    sort:
      - { property: price, direction: DESC }
    summaries: { price: Average, note.price: spread, status: Unique, owned: Checked, read: Range, file.name: Filled }
  - type: table
    name: Grouped
    filters:
      and:
        - not: ['status == "open"']
        - or: [price > 1, owned]
    groupBy: { property: status, direction: DESC }
    order: [file.name]
    limit: 2
    summaries: { price: Sum }
  - type: list
    name: Genres
    groupBy: { property: genres }
    order: [file.basename, formula.round, formula.nope, file.nope]
"#;

#[test]
fn rows_are_filtered_sorted_and_summarised() {
    let answer = books().ask(BASE, None, None).unwrap();
    assert_eq!(answer["view"], "All");
    let error = json!({"error": "a string cannot be multiplied"});
    // Numbers before texts, whichever way; equal rows by path.
    assert_eq!(
        answer["rows"],
        json!([
            ["Books/Note 2.md", ["Note 2", "much", error]],
            ["Books/Dune.md", ["Dune", 10, "12.0 €"]],
            ["Books/Note 10.md", ["Note 10", 7.5, "9.0 €"]],
            ["Books/Emma.md", ["Emma", 4, "4.8 €"]],
        ])
    );
    assert_eq!(
        answer["summaries"],
        json!({
            "price": 21.5 / 3.0, "note.price": 6, "status": 2, "owned": 2, "read": "35 days", "file.name": 4,
        })
    );
}

#[test]
fn groups_come_in_their_order_with_their_own_summaries() {
    let place = books();
    let answer = place.ask(BASE, Some("Grouped"), None).unwrap();
    assert_eq!(paths(&answer), ["Books/Dune.md", "Books/Note 10.md"], "the limit comes before the groups");
    assert_eq!(answer["groups"], json!([["read", 1, {"price": 10}], ["None", 1, {"price": 7.5}]]));
    let answer = place.ask(BASE, Some("Genres"), None).unwrap();
    assert_eq!(answer["groups"], json!([["classic", 2, {}], ["sf, classic", 1, {}], ["None", 1, {}]]));
    assert_eq!(paths(&answer), ["Books/Emma.md", "Books/Note 2.md", "Books/Dune.md", "Books/Note 10.md"]);
    let circle = "the formula needs itself: formula.round → formula.trip → formula.round";
    assert_eq!(
        answer["rows"][0][1],
        json!([
            "Emma",
            {"error": circle},
            {"error": "there is no formula \"nope\"; there are taxed, shown, round, trip"},
            {"error": "a file has no field \"nope\""},
        ])
    );
}

#[test]
fn a_view_that_is_not_there_names_those_that_are() {
    let error = books().ask(BASE, Some("Nope"), None).unwrap_err();
    assert_eq!(error.to_string(), "the base has no view \"Nope\"; its views are All, Grouped, Genres");
}

#[test]
fn a_filter_without_an_answer_leaves_the_file_out_and_says_so() {
    let answer = books().ask("filters: price.round() > 3", None, None).unwrap();
    assert_eq!(paths(&answer), ["Books/Dune.md", "Books/Emma.md", "Books/Note 10.md"]);
    assert_eq!(
        answer["warnings"],
        json!(["the filter has no answer for 1 files, which are left out; Books/Note 2.md: a string has no round()"])
    );
}

#[test]
fn missing_values_stand_last_in_either_direction() {
    let place = books();
    for (direction, expected) in [("ASC", ["open", "read", "read"]), ("DESC", ["read", "read", "open"])] {
        let base = format!(
            "filters: type == 'book'\nviews:\n  - type: table\n    order: [status]\n    sort: [{{property: status, direction: {direction}}}]\n"
        );
        let answer = place.ask(&base, None, None).unwrap();
        let shown: Vec<_> = answer["rows"].as_array().unwrap().iter().map(|row| row[1][0].clone()).collect();
        assert_eq!(json!(shown[..3]), json!(expected));
        assert_eq!(shown[3], json!(null));
    }
}

#[test]
fn every_built_in_summary_has_its_value() {
    for (summary, property, expected) in [
        ("Average", "price", json!(5.625)),
        ("Min", "price", json!(1)),
        ("Max", "price", json!(10)),
        ("Sum", "price", json!(22.5)),
        ("Range", "price", json!(9)),
        ("Median", "price", json!(5.75)),
        ("Stddev", "price", json!(3.416_412_592_179_112)),
        ("Earliest", "read", json!("2025-12-01")),
        ("Latest", "read", json!("2026-01-05")),
        ("Range", "read", json!("35 days")),
        ("Checked", "owned", json!(2)),
        ("Unchecked", "owned", json!(1)),
        ("Empty", "status", json!(3)),
        ("Filled", "status", json!(3)),
        ("Unique", "status", json!(2)),
        ("Average", "status", json!(null)),
    ] {
        let base = format!("views:\n  - type: table\n    summaries: {{{property}: {summary}}}\n");
        assert_eq!(books().ask(&base, None, None).unwrap()["summaries"][property], expected, "{summary} {property}");
    }
}

#[test]
fn a_query_ends_when_its_budget_does() {
    let base = "filters: \"'x'.repeat(1000).split('').map(value + value).length > 0\"";
    let error = books().ask_within(base, None, None, &Budget::new(2_000, None)).unwrap_err();
    assert_eq!(error, QueryError::Spent(BudgetSpent::Steps));
}

#[test]
fn a_view_is_rendered_as_a_table() {
    let base = "filters: type == 'book'\nproperties: {price: {displayName: 'Pri|ce'}}\nviews:\n  - type: table\n    \
                order: [file.file, price, genres]\n    groupBy: {property: status}\n    summaries: {price: Max}\n";
    let expected = "**open** (1)\n\n| file.file | Pri\\|ce | genres |\n| --- | --- | --- |\n\
                    | [[Books/Emma\\|Emma]] | 4 | classic |\n\n**read** (2)\n\n| file.file | Pri\\|ce | genres |\n| --- | --- | --- |\n\
                    | [[Books/Dune\\|Dune]] | 10 | sf, classic |\n| [[Books/Note 2\\|Note 2]] | much | classic |\n\n\nprice: 10\n\n1 more rows\n";
    assert_eq!(books().markdown(base, 3), expected);
}

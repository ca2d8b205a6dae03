//! docs/queries.md names what there is.

use std::collections::BTreeSet;

use jiff::civil::date;

use super::order::{DATES, GROUPABLE, SORTABLE};
use super::{Element, Property, Query, QueryContext, QueryFile, TextField, read_filter};
use crate::documented::{assert_same, item, names, section};
use crate::tasks::Settings;

fn is_understood(line: &str) -> bool {
    let mut settings = Settings::default();
    settings.presets.insert("x".into(), "done".into());
    let file = Some(QueryFile { path: "a/b.md", properties: None });
    Query::read(line, &QueryContext { settings: &settings, today: date(2026, 5, 15), file }).is_ok()
}

/// What may stand around a name to make a line of it.
const AROUND: [(&str, &str); 17] = [
    ("", ""),
    ("", " includes x"),
    ("", " is TODO"),
    ("", " high"),
    ("", " before 2026-01-01"),
    ("due ", ""),
    ("due ", " tomorrow"),
    ("description ", " x"),
    ("description ", " /x/"),
    ("", " due"),
    ("", " due date"),
    ("", " 1"),
    ("", " x"),
    ("sort by due ", ""),
    ("has ", ""),
    ("(done) ", " (done)"),
    ("", " (done)"),
];

#[test]
fn what_the_page_names_is_understood() {
    for name in names(section("Tasks")) {
        if ["update_task", "sort by", "group by", "hide", "show"].contains(&name) {
            continue;
        }
        if name.starts_with("{{") {
            assert!(is_understood(&format!("path includes {name}")), "{name}");
            continue;
        }
        let written = name.replace('…', "due");
        let listed = SORTABLE.iter().chain(&GROUPABLE).any(|property| property.name() == name)
            || ["tag", "tags"].contains(&name)
            || Element::ALL.iter().any(|(element, _)| *element == name);
        assert!(listed || AROUND.iter().any(|(before, after)| is_understood(&format!("{before}{written}{after}"))), "{name}");
    }
}

#[test]
fn the_page_lists_what_can_be_asked_sorted_grouped_and_hidden() {
    let page = section("Tasks");
    let documented = names(page);
    let filters = TextField::ALL.into_iter().map(TextField::name).chain(read_filter::DATES.into_iter().map(|(name, _)| name));
    for name in filters {
        assert!(documented.contains(name), "docs/queries.md lacks the filter {name}");
    }
    let with_dates = |properties: &[Property], tag| -> BTreeSet<&str> {
        properties.iter().map(|property| property.name()).chain(DATES.map(|date| date.name())).chain([tag]).collect()
    };
    assert_same(&names(item(page, "Sorted by")), &with_dates(&SORTABLE, "tag"));
    assert_same(&names(item(page, "Grouped by")), &with_dates(&GROUPABLE, "tags"));
    assert_same(&names(item(page, "Hidden or shown")), &Element::ALL.iter().map(|(name, _)| *name).collect());
}

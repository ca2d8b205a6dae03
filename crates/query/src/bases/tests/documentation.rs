//! docs/queries.md names what there is.

use std::collections::BTreeSet;

use crate::bases::names::{FILE_FIELDS, FUNCTIONS, METHODS};
use crate::bases::summary::BUILT_IN;
use crate::documented::{assert_same, names, section};

/// Fields of values, which are no methods, and names inside `filter`, `map`, `reduce` and summaries.
const FIELDS: [&str; 17] = [
    "length",
    "year",
    "month",
    "day",
    "hour",
    "minute",
    "second",
    "millisecond",
    "days",
    "hours",
    "minutes",
    "seconds",
    "milliseconds",
    "value",
    "index",
    "acc",
    "values",
];

#[test]
fn the_page_lists_every_function_method_field_and_summary() {
    let items = section("Bases").lines().filter(|line| line.starts_with("- "));
    let documented: BTreeSet<&str> = items.flat_map(names).collect();
    let file_fields: Vec<String> = FILE_FIELDS.iter().map(|(name, _)| format!("file.{name}")).collect();
    let known = FUNCTIONS.iter().map(|(name, ..)| *name).chain(METHODS.iter().map(|(name, ..)| *name));
    let known = known.chain(BUILT_IN.iter().map(|(name, _)| *name)).chain(file_fields.iter().map(String::as_str)).chain(FIELDS);
    assert_same(&documented, &known.collect());
}

//! docs/queries.md names what there is.

use std::collections::BTreeSet;

use crate::dataview::{file_field, functions, item_field};
use crate::documented::{assert_same, item, names, section};

const FILES: &str = "Of a page, behind `file.`";
const ITEMS: &str = "Of items of lists and tasks";

#[test]
fn the_page_lists_every_function() {
    let lists = section("Dataview").lines().filter(|line| line.starts_with("- "));
    let functions = lists.filter(|line| !line[2..].starts_with(FILES) && !line[2..].starts_with(ITEMS));
    let documented: BTreeSet<&str> = functions.flat_map(names).collect();
    assert_same(&documented, &functions::FUNCTIONS.iter().map(|function| function.name).collect());
}

#[test]
fn the_page_lists_every_field() {
    let mut documented = names(item(section("Dataview"), FILES));
    documented.remove("file.");
    assert_same(&documented, &file_field::NAMES.iter().map(|(name, _)| *name).collect());
    let documented = names(item(section("Dataview"), ITEMS));
    assert_same(&documented, &item_field::NAMES.iter().map(|(name, _)| *name).collect());
}

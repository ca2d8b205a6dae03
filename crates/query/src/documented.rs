//! docs/queries.md, as tests look at it: which names it gives where.

use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../docs/queries.md");

/// The text below a heading.
pub(crate) fn section(heading: &str) -> &'static str {
    let start = PAGE.find(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no heading {heading}"));
    let text = &PAGE[start + 1..];
    text.find("\n## ").map_or(text, |end| &text[..end])
}

/// The list items whose text before the colon is this.
pub(crate) fn item(section: &'static str, label: &str) -> &'static str {
    let found = section.lines().find(|line| line.strip_prefix("- ").is_some_and(|line| line.starts_with(&format!("{label}:"))));
    found.unwrap_or_else(|| panic!("no list item {label}"))
}

/// What stands between backticks.
pub(crate) fn names(text: &'static str) -> BTreeSet<&'static str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Says what is missing where.
pub(crate) fn assert_same(documented: &BTreeSet<&str>, known: &BTreeSet<&str>) {
    let missing: Vec<_> = known.difference(documented).collect();
    let unknown: Vec<_> = documented.difference(known).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "docs/queries.md lacks {missing:?} and has too much: {unknown:?}");
}

//! Where in the text of a file each key and its value stand.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle};
use toml::de::{DeTable, DeValue};

use super::json_places;
use super::problem::{Place, Problem};
use crate::config::schema::join;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    /// For an item of a list, where its value begins.
    pub(super) key: Place,
    pub(super) value: Place,
    /// How a value without quotes is written in YAML: `id: 007` may be meant as a text.
    pub(super) written: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    spots: BTreeMap<String, Spot>,
    /// Keys that stand there twice.
    pub(super) twice: Vec<Problem>,
}

impl Places {
    pub(super) fn of_json(text: &str) -> Places {
        json_places::find(text)
    }

    pub(super) fn of_yaml(text: &str) -> Places {
        let mut places = Places::default();
        let mut open: Vec<Collection> = Vec::new();
        for event in Parser::new_from_str(text) {
            let Ok((event, span)) = event else { break };
            let place = place_of(span.start);
            match event {
                Event::MappingStart(..) => {
                    let path = places.yaml_value(&mut open, place, None);
                    open.push(Collection::Map { path, key: None });
                }
                Event::SequenceStart(..) => {
                    let path = places.yaml_value(&mut open, place, None);
                    open.push(Collection::List { path, items: 0 });
                }
                Event::MappingEnd | Event::SequenceEnd => drop(open.pop()),
                Event::Scalar(text, style, ..) => match open.last_mut() {
                    Some(Collection::Map { key: key @ None, .. }) => *key = Some((text.into_owned(), place)),
                    _ => {
                        let written = (style == ScalarStyle::Plain).then(|| text.into_owned());
                        places.yaml_value(&mut open, place, written);
                    }
                },
                Event::Alias(_) => drop(places.yaml_value(&mut open, place, None)),
                _ => {}
            }
        }
        places
    }

    /// Notes a value where it begins; returns the path of its key.
    fn yaml_value(&mut self, open: &mut [Collection], value: Place, written: Option<String>) -> String {
        match open.last_mut() {
            None => String::new(),
            Some(Collection::List { path, items }) => {
                let path = format!("{path}[{items}]");
                *items += 1;
                self.add(path.clone(), Spot { key: value, value, written });
                path
            }
            Some(Collection::Map { path, key }) => {
                let (name, at) = key.take().unwrap_or_default();
                let path = join(path, &name);
                self.add(path.clone(), Spot { key: at, value, written });
                path
            }
        }
    }

    pub(super) fn of_toml(text: &str) -> Places {
        let mut places = Places::default();
        if let Ok(table) = DeTable::parse(text) {
            places.toml_table(&Lines::of(text), table.get_ref(), "");
        }
        places
    }

    fn toml_table(&mut self, lines: &Lines, table: &DeTable<'_>, parent: &str) {
        for (name, value) in table {
            let path = join(parent, name.get_ref());
            let spot = Spot { key: lines.place(name.span().start), value: lines.place(value.span().start), written: None };
            self.add(path.clone(), spot);
            self.toml_value(lines, value.get_ref(), &path);
        }
    }

    fn toml_value(&mut self, lines: &Lines, value: &DeValue<'_>, path: &str) {
        match value {
            DeValue::Table(table) => self.toml_table(lines, table, path),
            DeValue::Array(items) => {
                for (number, item) in items.iter().enumerate() {
                    let (path, place) = (format!("{path}[{number}]"), lines.place(item.span().start));
                    self.add(path.clone(), Spot { key: place, value: place, written: None });
                    self.toml_value(lines, item.get_ref(), &path);
                }
            }
            _ => {}
        }
    }

    pub(super) fn add(&mut self, path: String, spot: Spot) {
        match self.spots.entry(path) {
            Entry::Vacant(vacant) => drop(vacant.insert(spot)),
            Entry::Occupied(first) => {
                let message = format!("is given twice, first in line {}; keep one", first.get().key.line);
                self.twice.push(Problem { place: Some(spot.key), ..Problem::new(first.key(), message) });
            }
        }
    }

    pub(super) fn find(&self, key: &str) -> Option<&Spot> {
        self.spots.get(key)
    }

    /// Where the key stands, else the nearest group around it that does.
    pub(super) fn around(&self, key: &str) -> Option<Place> {
        let mut key = key;
        loop {
            if let Some(spot) = self.find(key) {
                return Some(spot.value);
            }
            key = &key[..key.rfind(['.', '['])?];
        }
    }

    /// Knows a key, and those below it, by another name.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        let below = |path: &String| path.strip_prefix(from).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        let moved: Vec<String> = self.spots.keys().filter(|path| below(path)).cloned().collect();
        for path in moved {
            if let Some(spot) = self.spots.remove(&path) {
                self.spots.entry(format!("{to}{}", &path[from.len()..])).or_insert(spot);
            }
        }
    }
}

/// A list or map of YAML that is still open.
enum Collection {
    List { path: String, items: usize },
    Map { path: String, key: Option<(String, Place)> },
}

fn place_of(mark: Marker) -> Place {
    Place { line: mark.line(), column: mark.col() + 1 }
}

impl Default for Place {
    fn default() -> Place {
        Place { line: 1, column: 1 }
    }
}

/// Turns offsets into lines and columns.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Lines<'a> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(offset, _)| offset + 1)).collect();
        Lines { text, starts }
    }

    pub(super) fn place(&self, offset: usize) -> Place {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        let before = self.text.get(start..offset).unwrap_or_default();
        Place { line, column: before.chars().count() + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Line and column.
    type At = (usize, usize);

    #[track_caller]
    fn check(places: &Places, expected: &[(&str, At, At)]) {
        let at = |place: Place| (place.line, place.column);
        let found: Vec<_> = places.spots.iter().map(|(path, spot)| (path.as_str(), at(spot.key), at(spot.value))).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn keys_and_values_of_yaml_have_places() {
        let text = "# ü\nacl:\n  readPaths: [a, \"ü\", {b: c}]\nvaults:\n- id: x\n  path: 'y'\n- id: z\n";
        check(
            &Places::of_yaml(text),
            &[
                ("acl", (2, 1), (3, 3)),
                ("acl.readPaths", (3, 3), (3, 14)),
                ("acl.readPaths[0]", (3, 15), (3, 15)),
                ("acl.readPaths[1]", (3, 18), (3, 18)),
                ("acl.readPaths[2]", (3, 23), (3, 23)),
                ("acl.readPaths[2].b", (3, 24), (3, 27)),
                ("vaults", (4, 1), (5, 3)),
                ("vaults[0]", (5, 3), (5, 3)),
                ("vaults[0].id", (5, 3), (5, 7)),
                ("vaults[0].path", (6, 3), (6, 9)),
                ("vaults[1]", (7, 3), (7, 3)),
                ("vaults[1].id", (7, 3), (7, 7)),
            ],
        );
    }

    #[test]
    fn keys_and_values_of_toml_have_places() {
        let text = "dataDir = \"ü\"\nread.thresholdLines = 2\n[acl]\nreadPaths = [\"a\"]\n[[vaults]]\nid = 'x'\n";
        check(
            &Places::of_toml(text),
            &[
                ("acl", (3, 2), (3, 1)),
                ("acl.readPaths", (4, 1), (4, 13)),
                ("acl.readPaths[0]", (4, 14), (4, 14)),
                ("dataDir", (1, 1), (1, 11)),
                ("read", (2, 1), (2, 1)),
                ("read.thresholdLines", (2, 6), (2, 23)),
                ("vaults", (5, 3), (5, 1)),
                ("vaults[0]", (5, 1), (5, 1)),
                ("vaults[0].id", (6, 1), (6, 6)),
            ],
        );
    }

    #[test]
    fn keys_and_values_of_json_have_places() {
        let text = "{\n\t\"acl\": {\"readPaths\": [\"a\\\"]\", null, -1.5e3, true], \"rules\": []},\n\t\"ü\\u0041\" : { }\n}";
        check(
            &Places::of_json(text),
            &[
                ("acl", (2, 2), (2, 9)),
                ("acl.readPaths", (2, 10), (2, 23)),
                ("acl.readPaths[0]", (2, 24), (2, 24)),
                ("acl.readPaths[1]", (2, 32), (2, 32)),
                ("acl.readPaths[2]", (2, 38), (2, 38)),
                ("acl.readPaths[3]", (2, 46), (2, 46)),
                ("acl.rules", (2, 53), (2, 62)),
                ("üA", (3, 2), (3, 14)),
            ],
        );
    }

    /// JSON is YAML, so two readers that know nothing of each other must agree.
    #[test]
    fn json_has_the_same_places_as_json_and_as_yaml() {
        let without_quotes = |spot: &Spot| Spot { written: None, ..spot.clone() };
        for text in [include_str!("other_engine.json"), include_str!("../../../../../docs/configuration.schema.json")] {
            let (json, yaml) = (Places::of_json(text), Places::of_yaml(text));
            assert!(json.spots.len() > 100);
            let yaml: BTreeMap<String, Spot> =
                yaml.spots.iter().map(|(path, spot)| (path.clone(), without_quotes(spot))).collect();
            assert_eq!(json.spots, yaml);
        }
    }

    #[test]
    fn a_key_that_stands_there_twice_is_noticed() {
        for places in [Places::of_json("{\"a\": {\n\"b\": 1,\n\"b\": 2}}"), Places::of_yaml("a:\n  b: 1\n  b: 2\n")] {
            let [twice] = &places.twice[..] else { panic!("one") };
            assert_eq!(twice.key, "a.b");
            assert_eq!(twice.place.map(|place| place.line), Some(3));
        }
    }
}

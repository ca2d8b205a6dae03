//! One of several changes that land together: as a client sends it, and as it is meant.

use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::expected_hash::ExpectedHash;
use crate::failure::{Failure, Issue};

/// All fields of all kinds side by side, since some models do not understand alternatives in a schema.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SentChange {
    /// create takes path and content; edit takes path and either old_string and new_string or content; move takes from and to; delete takes path; set_property takes path, key and value
    op: Op,
    /// File, relative to the vault, with its extension; for all but move
    #[serde(default)]
    #[schemars(length(min = 1, max = 1024))]
    path: Option<String>,
    /// The complete text, for create, or for edit instead of old_string and new_string
    #[serde(default)]
    content: Option<String>,
    /// Properties to set in the frontmatter of content, for create
    #[serde(default)]
    frontmatter: Option<Map<String, Value>>,
    /// The passage to replace, which must stand in the file exactly once, for edit
    #[serde(default)]
    old_string: Option<String>,
    /// What stands there instead, for edit
    #[serde(default)]
    new_string: Option<String>,
    /// File to move, with its extension
    #[serde(default)]
    #[schemars(length(min = 1, max = 1024))]
    from: Option<String>,
    /// Its new path, with name and extension; missing folders are made
    #[serde(default)]
    #[schemars(length(min = 1, max = 1024))]
    to: Option<String>,
    /// Name of a property, for set_property
    #[serde(default)]
    #[schemars(length(min = 1, max = 256))]
    key: Option<String>,
    /// Its new value, for set_property: text, a number, true or false, null, a list, or an object
    #[serde(default, deserialize_with = "given")]
    value: Option<Value>,
    /// For edit and delete
    #[serde(default)]
    expected_hash: ExpectedHash,
}

/// Null is a value too.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Op {
    Create,
    Edit,
    Move,
    Delete,
    SetProperty,
}

impl Op {
    fn name(self) -> &'static str {
        match self {
            Op::Create => "create",
            Op::Edit => "edit",
            Op::Move => "move",
            Op::Delete => "delete",
            Op::SetProperty => "set_property",
        }
    }

    fn takes(self, field: &str) -> bool {
        let fields: &[&str] = match self {
            Op::Create => &["path", "content", "frontmatter"],
            Op::Edit => &["path", "content", "old_string", "new_string", "expected_hash"],
            Op::Move => &["from", "to"],
            Op::Delete => &["path", "expected_hash"],
            Op::SetProperty => &["path", "key", "value"],
        };
        fields.contains(&field)
    }
}

/// A change with all that its kind needs, and nothing else.
#[derive(Clone)]
pub(super) enum Change {
    Create { path: NotePath, content: String, frontmatter: Option<Map<String, Value>> },
    Replace { path: NotePath, old: String, new: String, expected: ExpectedHash },
    Rewrite { path: NotePath, content: String, expected: ExpectedHash },
    Move { from: NotePath, to: NotePath },
    Delete { path: NotePath, expected: ExpectedHash },
    SetProperty { path: NotePath, key: String, value: Value },
}

/// All changes as they are meant, or everything that is wrong with them.
pub(super) fn read_all(sent: &[SentChange]) -> Result<Vec<Change>, Failure> {
    let mut issues = Vec::new();
    let changes = sent.iter().enumerate().map(|(at, sent)| sent.read(at, &mut issues)).collect::<Result<Vec<_>, _>>();
    match issues.is_empty() {
        true => Ok(changes?.into_iter().flatten().collect()),
        false => Err(Failure::InvalidInput(issues)),
    }
}

impl SentChange {
    /// Nothing if it has issues.
    fn read(&self, at: usize, issues: &mut Vec<Issue>) -> Result<Option<Change>, Failure> {
        self.check_fields(at, issues);
        let sent = self.clone();
        let mut reader = Reader { op: self.op, at, issues };
        let expected = sent.expected_hash;
        Ok(match self.op {
            Op::Create => match (reader.path("path", sent.path)?, reader.needed("content", sent.content)) {
                (Some(path), Some(content)) => Some(Change::Create { path, content, frontmatter: sent.frontmatter }),
                _ => None,
            },
            Op::Edit => match (reader.path("path", sent.path)?, sent.content) {
                (Some(path), Some(content)) if sent.old_string.is_none() && sent.new_string.is_none() => {
                    Some(Change::Rewrite { path, content, expected })
                }
                (Some(path), None) => reader.passage(sent.old_string, sent.new_string).map(|(old, new)| Change::Replace {
                    path,
                    old,
                    new,
                    expected,
                }),
                (_, Some(_)) => {
                    reader.wrong("content", "goes without old_string and new_string; give either".to_owned());
                    None
                }
                (None, None) => None,
            },
            Op::Move => match (reader.path("from", sent.from)?, reader.path("to", sent.to)?) {
                (Some(from), Some(to)) => Some(Change::Move { from, to }),
                _ => None,
            },
            Op::Delete => reader.path("path", sent.path)?.map(|path| Change::Delete { path, expected }),
            Op::SetProperty => {
                let (key, value) = (reader.needed("key", sent.key), reader.needed("value", sent.value));
                match (reader.path("path", sent.path)?, key, value) {
                    (Some(path), Some(key), Some(value)) => Some(Change::SetProperty { path, key, value }),
                    _ => None,
                }
            }
        })
    }

    fn check_fields(&self, at: usize, issues: &mut Vec<Issue>) {
        let given = [
            ("path", self.path.is_some()),
            ("content", self.content.is_some()),
            ("frontmatter", self.frontmatter.is_some()),
            ("old_string", self.old_string.is_some()),
            ("new_string", self.new_string.is_some()),
            ("from", self.from.is_some()),
            ("to", self.to.is_some()),
            ("key", self.key.is_some()),
            ("value", self.value.is_some()),
            ("expected_hash", self.expected_hash.is_given()),
        ];
        for (field, _) in given.into_iter().filter(|(field, is_given)| *is_given && !self.op.takes(field)) {
            issues.push(Issue::new(
                &format!("changes[{at}].{field}"),
                format!("means nothing to {}; leave it out", self.op.name()),
            ));
        }
    }
}

struct Reader<'i> {
    op: Op,
    at: usize,
    issues: &'i mut Vec<Issue>,
}

impl Reader<'_> {
    fn wrong(&mut self, field: &str, expected: String) {
        self.issues.push(Issue::new(&format!("changes[{}].{field}", self.at), expected));
    }

    fn needed<T>(&mut self, field: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.wrong(field, format!("is required for {}", self.op.name()));
        }
        value
    }

    fn path(&mut self, field: &str, path: Option<String>) -> Result<Option<NotePath>, Failure> {
        Ok(self.needed(field, path).map(|path| NotePath::parse(&path)).transpose()?)
    }

    fn passage(&mut self, old: Option<String>, new: Option<String>) -> Option<(String, String)> {
        match (old, new) {
            (Some(old), Some(new)) => Some((old, new)),
            (None, None) => {
                self.wrong("old_string", "is required for edit, with new_string; or give content".to_owned());
                None
            }
            (old, new) => {
                self.needed("old_string", old);
                self.needed("new_string", new);
                None
            }
        }
    }
}

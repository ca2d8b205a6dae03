//! What an expression can be worth, in any of the languages.

use std::sync::Arc;

use quillgate_index::FileId;

use crate::date::{Date, Duration};
use crate::evaluate::AnyFunction;
use crate::pattern::Pattern;

/// Cheap to clone: everything large is shared.
#[derive(Clone, Debug)]
pub enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(Arc<str>),
    Date(Date),
    Duration(Arc<Duration>),
    Link(Arc<Link>),
    /// A file of the vault; its fields are looked up when asked for.
    File(FileId),
    /// With its `#`.
    Tag(Arc<str>),
    List(Arc<Vec<Value>>),
    Object(Arc<Object>),
    Pattern(Arc<Pattern>),
    Function(Arc<dyn AnyFunction>),
    /// Something to look at: markup, an icon, an image, an address.
    Rich(Arc<Rich>),
}

/// Keys in the order in which they were put in, as in JavaScript.
#[derive(Clone, Debug, Default)]
pub struct Object(pub Vec<(Arc<str>, Value)>);

impl Object {
    pub fn find(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| &**name == key).map(|(_, value)| value)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The path as written, without what follows `#`; the whole address of a link to a site.
    pub path: Arc<str>,
    /// What follows the first `#`, without it.
    pub subpath: Option<Arc<str>>,
    pub display: Option<Arc<str>>,
    pub embed: bool,
    pub kind: LinkKind,
    /// The note it stands in, which says where a path leads; the vault's root without one.
    pub source: Option<FileId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    File,
    Heading,
    Block,
    /// Out of the vault.
    External,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rich {
    pub kind: RichKind,
    pub text: Arc<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RichKind {
    Html,
    Icon,
    Image,
    Url,
}

impl Value {
    pub fn text(text: impl Into<Arc<str>>) -> Value {
        Value::Text(text.into())
    }

    pub fn list(items: Vec<Value>) -> Value {
        Value::List(Arc::new(items))
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) | Value::Tag(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Bool(truth)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Number(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::text(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::text(text)
    }
}

//! A note as a rule sees it, made as far as the rule looks.

use std::cell::OnceCell;

use quillgate_markdown::fold;
use serde_json::{Map, Value};

use super::evaluate::{Document, descend};
use super::rule::{Reads, Source};
use super::value::Js;

/// The values come from `make`, by number of the source, when they are first asked for.
pub(super) struct NoteDocument<'a, F> {
    reads: &'a Reads,
    make: F,
    values: Vec<OnceCell<Option<Value>>>,
    whole: OnceCell<Value>,
}

impl<'a, F: Fn(usize) -> Option<Value>> NoteDocument<'a, F> {
    pub(super) fn new(reads: &'a Reads, make: F) -> Self {
        NoteDocument { reads, make, values: vec![OnceCell::new(); reads.sources.len()], whole: OnceCell::new() }
    }

    fn value(&self, source: usize) -> Option<&Value> {
        self.values[source].get_or_init(|| (self.make)(source)).as_ref()
    }

    fn field(&self, source: &Source) -> Option<&Value> {
        let at = self.reads.sources.iter().position(|known| known == source)?;
        self.value(at)
    }

    /// A variable with a computed name.
    fn find_computed(&self, name: &str) -> Option<Js<'_>> {
        let mut steps = name.split('.');
        let source = match steps.next()? {
            "path" => Source::Path,
            "content" => Source::Content,
            "tags" => Source::Tags,
            "links" => Source::Links,
            "frontmatter" => Source::Frontmatter,
            _ => return None,
        };
        let field = self.field(&source)?;
        match (source, field) {
            (Source::Frontmatter, Value::Object(properties)) => match steps.next() {
                Some(key) => descend(Js::from(find_property(properties, key)?), steps),
                None => Some(Js::from(field)),
            },
            _ => descend(Js::from(field), steps),
        }
    }

    fn make_whole(&self) -> Value {
        let names = [
            ("path", Source::Path),
            ("content", Source::Content),
            ("frontmatter", Source::Frontmatter),
            ("tags", Source::Tags),
            ("links", Source::Links),
        ];
        let field = |(name, source): (&str, Source)| Some((name.to_owned(), self.field(&source)?.clone()));
        Value::Object(names.into_iter().filter_map(field).collect())
    }
}

impl<F: Fn(usize) -> Option<Value>> Document for NoteDocument<'_, F> {
    fn find(&self, name: &str) -> Option<Js<'_>> {
        let Some(variable) = self.reads.variables.iter().find(|variable| variable.name == name) else {
            return self.find_computed(name);
        };
        let value = self.value(variable.source?)?;
        descend(Js::from(value), variable.rest.iter().map(String::as_str))
    }

    fn whole(&self) -> Js<'_> {
        Js::from(self.whole.get_or_init(|| self.make_whole()))
    }
}

/// The first property of that name, whatever its case; the columns keep the same one.
fn find_property<'a>(properties: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    let folded = fold(key);
    properties.iter().find(|(name, _)| fold(name) == folded).map(|(_, value)| value)
}

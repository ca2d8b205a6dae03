//! Compares a file with the schema of the configuration, and finds all that does not fit.

use quillgate_tools::nearest;
use regex::Regex;
use serde_json::{Map, Value};

use super::places::Places;
use super::problem::Problem;
use crate::config::keys::nearest_keys;
use crate::config::schema::{SCHEMA, allows_null, bound, described, forms, has_type, is_unused, join, properties, types, words};

/// Longer values are not repeated in a message.
const LONGEST_QUOTE: usize = 60;

#[derive(Default)]
pub(super) struct Findings {
    pub(super) problems: Vec<Problem>,
    /// What is no problem, but worth knowing.
    pub(super) notes: Vec<Problem>,
}

/// Brings the values into the form that they are read in, as far as they mean the same.
pub(super) fn check(file: &mut Value, places: &Places) -> Findings {
    let mut check = Check { places, findings: Findings::default() };
    check.value(&SCHEMA, file, "");
    check.findings
}

struct Check<'a> {
    places: &'a Places,
    findings: Findings,
}

impl Check<'_> {
    fn value(&mut self, schema: &'static Value, value: &mut Value, at: &str) {
        if is_unused(schema) {
            return self.unused(schema, at);
        }
        let forms = forms(schema);
        if value.is_null() {
            return self.nothing(schema, &forms, value, at);
        }
        self.take_as_text(&forms, value, at);
        let Some(form) = forms.iter().find(|form| fits(form, value)) else {
            return self.problem(at, format!("expected {}, found {}", wanted(schema), found(&forms, value)));
        };
        match value {
            Value::Object(object) => self.object(form, object, at),
            Value::Array(items) => {
                let Some(of_items) = form.get("items") else { return };
                items.iter_mut().enumerate().for_each(|(number, item)| self.value(of_items, item, &format!("{at}[{number}]")));
            }
            _ => {}
        }
    }

    fn unused(&mut self, schema: &Value, at: &str) {
        let about = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let note = Problem::new(at, format!("accepted, not used by this version ({})", about.trim_end_matches('.')));
        self.findings.notes.push(self.placed(note));
    }

    /// A key without a value counts as left out. But an empty list of paths is not the same as none: there one has to say which.
    fn nothing(&mut self, schema: &'static Value, forms: &[&'static Value], value: &mut Value, at: &str) {
        if forms.iter().any(|form| has_type(form, "array")) {
            self.problem(at, "has no value; write [] for an empty list, or leave the key out");
        } else if forms.iter().any(|form| has_type(form, "object")) && !allows_null(schema) {
            *value = Value::Object(Map::new());
        } else if !allows_null(schema) {
            self.problem(at, format!("has no value; expected {}", wanted(schema)));
        }
    }

    /// In YAML, `id: 007` is a text where a text is expected.
    fn take_as_text(&self, forms: &[&Value], value: &mut Value, at: &str) {
        let is_scalar = value.is_number() || value.is_boolean();
        if is_scalar
            && !forms.iter().any(|form| fits(form, value))
            && forms.iter().any(|form| has_type(form, "string"))
            && let Some(written) = self.places.find(at).and_then(|spot| spot.written.clone())
        {
            *value = Value::String(written);
        }
    }

    fn object(&mut self, form: &'static Value, object: &mut Map<String, Value>, at: &str) {
        let Some(known) = properties(form) else {
            if let Some(values) = form.get("additionalProperties").filter(|values| values.is_object()) {
                object.iter_mut().for_each(|(name, value)| self.value(values, value, &join(at, name)));
            }
            return;
        };
        for (name, value) in object.iter_mut() {
            match known.get(name) {
                Some(property) => self.value(property, value, &join(at, name)),
                None => self.unknown(known, name, at),
            }
        }
        let required = form.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        for missing in required.filter(|name| object.get(*name).is_none_or(Value::is_null)) {
            self.problem(&join(at, missing), "is missing");
        }
    }

    fn unknown(&mut self, known: &Map<String, Value>, name: &str, at: &str) {
        let key = join(at, name);
        let meant = match nearest(name, known.keys()) {
            Some(near) => Some(near),
            None => nearest_keys(&key).first().map(|elsewhere| (*elsewhere).to_owned()),
        };
        let message = match meant {
            Some(meant) => format!("is not a known key; did you mean {meant}?"),
            None => "is not a known key; `quillgate config explain` lists all that there are".to_owned(),
        };
        let place = self.places.find(&key).map(|spot| spot.key);
        self.findings.problems.push(Problem { place, ..Problem::new(key, message) });
    }

    fn problem(&mut self, at: &str, message: impl Into<String>) {
        let problem = self.placed(Problem::new(at, message));
        self.findings.problems.push(problem);
    }

    fn placed(&self, problem: Problem) -> Problem {
        Problem { place: self.places.around(&problem.key), ..problem }
    }
}

fn fits(form: &Value, value: &Value) -> bool {
    let types = types(form);
    let has_type = |wanted: &&str| match *wanted {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    };
    let is_word = |text: &str| words(form).is_none_or(|words| words.contains(&text));
    (types.is_empty() || types.iter().any(has_type)) && value.as_str().is_none_or(is_word) && in_bounds(form, value)
}

fn in_bounds(form: &Value, value: &Value) -> bool {
    let is_in = |number: f64| {
        bound(form, "minimum").is_none_or(|least| number >= least) && bound(form, "maximum").is_none_or(|most| number <= most)
    };
    let is_like = |text: &str| {
        let pattern = form.get("pattern").and_then(Value::as_str).and_then(|pattern| Regex::new(pattern).ok());
        pattern.is_none_or(|pattern| pattern.is_match(text))
    };
    value.as_f64().is_none_or(is_in) && value.as_str().is_none_or(is_like)
}

/// `a list`, `true or false`, `text like ^[a-z]+$`.
fn wanted(schema: &'static Value) -> String {
    let pattern = forms(schema).into_iter().find_map(|form| form.get("pattern")?.as_str());
    let described = described(schema);
    match (pattern, described.split(' ').next()) {
        (Some(pattern), _) => format!("{described} like {pattern}"),
        (None, Some("text" | "true" | "anything")) => described,
        (None, _) if described.starts_with('`') => described,
        (None, Some("object")) => format!("an {described}"),
        _ => format!("a {described}"),
    }
}

/// The value itself only where a number or a certain word is expected: elsewhere it may be a secret in the wrong place.
fn found(forms: &[&'static Value], value: &Value) -> String {
    let quoted = match value {
        Value::String(_) | Value::Number(_) | Value::Bool(_) => value.to_string(),
        _ => String::new(),
    };
    let may_quote = !forms.is_empty() && forms.iter().all(|form| is_harmless(form)) && quoted.chars().count() <= LONGEST_QUOTE;
    let kind = match value {
        _ if may_quote && !quoted.is_empty() => return quoted,
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    kind.to_owned()
}

fn is_harmless(form: &'static Value) -> bool {
    if words(form).is_some() || form.get("pattern").is_some() {
        return true;
    }
    let of_items = form.get("items").map(forms).unwrap_or_default();
    let has_harmless_items = !of_items.is_empty() && of_items.into_iter().all(is_harmless);
    has_harmless_items || types(form).iter().all(|kind| !matches!(*kind, "string" | "array" | "object"))
}

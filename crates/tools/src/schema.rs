//! JSON Schemas of arguments and results, in the plain form that every client understands.

use schemars::generate::{Contract, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

/// Flat, one `type` each, no references: some models reject type lists, `$ref` and boolean schemas.
pub(crate) fn of<T: JsonSchema>() -> Map<String, Value> {
    plain::<T>(Contract::Deserialize)
}

/// The same for what is returned: a field that is left out when it says nothing is not required.
pub(crate) fn of_result<T: JsonSchema>() -> Map<String, Value> {
    plain::<T>(Contract::Serialize)
}

fn plain<T: JsonSchema>(contract: Contract) -> Map<String, Value> {
    let mut schema = generate::<T>(contract);
    schema.remove("description");
    schema.remove("title");
    // Some clients refuse an object schema that does not say so when it has no fields.
    schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    schema
}

/// The doc comment of the struct, as one paragraph a line.
pub(crate) fn description_of<T: JsonSchema>() -> String {
    let schema = generate::<T>(Contract::Deserialize);
    schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn generate<T: JsonSchema>(contract: Contract) -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
        settings.contract = contract;
    });
    let schema: Schema = settings.into_generator().into_root_schema_for::<T>();
    let mut value = Value::from(schema);
    simplify(&mut value);
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

fn simplify(value: &mut Value) {
    match value {
        Value::Object(object) => {
            simplify_object(object);
            object.iter_mut().for_each(|(keyword, value)| {
                simplify(value);
                // Below these stand names or schemas; a field that takes anything is `{}`, not `true`.
                if keyword == "items" {
                    from_boolean(value);
                }
                if let ("properties", Some(fields)) = (keyword.as_str(), value.as_object_mut()) {
                    fields.values_mut().for_each(from_boolean);
                }
            });
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        _ => {}
    }
}

fn from_boolean(schema: &mut Value) {
    if *schema == Value::Bool(true) {
        *schema = Value::Object(Map::new());
    }
}

/// An optional field may be left out; that it could also be null is nothing a model needs to know.
fn simplify_object(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get("type") {
        let single = types.iter().find(|name| *name != "null").cloned();
        if let Some(single) = single {
            object.insert("type".into(), single);
        }
    }
    if let Some(Value::Array(choices)) = object.get("anyOf") {
        let real: Vec<Value> = choices.iter().filter(|choice| choice.get("type") != Some(&"null".into())).cloned().collect();
        if let [Value::Object(only)] = &real[..] {
            let only = only.clone();
            object.remove("anyOf");
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    if object.get("additionalProperties").is_some_and(|extra| *extra == Value::Bool(true)) {
        object.remove("additionalProperties");
    }
    // The widths of numbers say nothing to a model.
    let is_width = |format: &str| ["int", "uint", "double", "float"].iter().any(|width| format.starts_with(width));
    if object.get("format").and_then(Value::as_str).is_some_and(is_width) {
        object.remove("format");
    }
}

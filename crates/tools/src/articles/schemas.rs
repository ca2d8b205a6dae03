//! The schemas of a source's tool, in the same plain form as those of the other tools.

use quillgate_remote::{Argument, ArgumentKind, Connector, Source};
use serde_json::{Map, Value, json};

pub(super) fn input(source: &Source) -> Map<String, Value> {
    let properties: Map<String, Value> =
        source.arguments.iter().map(|argument| (argument.name.clone(), Value::Object(property(argument)))).collect();
    let required: Vec<&str> =
        source.arguments.iter().filter(|argument| argument.is_required).map(|argument| argument.name.as_str()).collect();
    let mut schema = object(properties);
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    schema
}

fn property(argument: &Argument) -> Map<String, Value> {
    let (kind, default, least, most) = match &argument.kind {
        ArgumentKind::Text { default, minimum, maximum } => (
            "string",
            default.as_ref().map(|text| json!(text)),
            minimum.map(|minimum| ("minLength", json!(minimum))),
            maximum.map(|maximum| ("maxLength", json!(maximum))),
        ),
        ArgumentKind::Integer { default, minimum, maximum } => (
            "integer",
            default.map(|number| json!(number)),
            minimum.map(|minimum| ("minimum", json!(minimum))),
            maximum.map(|maximum| ("maximum", json!(maximum))),
        ),
    };
    let mut property = Map::new();
    property.insert("description".into(), json!(argument.description));
    property.insert("type".into(), json!(kind));
    let rest = default.map(|default| ("default", default)).into_iter().chain(least).chain(most);
    property.extend(rest.map(|(keyword, value)| (keyword.to_owned(), value)));
    property
}

pub(super) fn output(connector: &Connector) -> Map<String, Value> {
    let descriptions = connector.source().fields.iter().map(|field| field.description.as_str());
    let fields: Map<String, Value> = connector
        .fields()
        .zip(descriptions)
        .map(|((name, is_list), description)| {
            let mut field =
                if is_list { json!({"type": "array", "items": {"type": "string"}}) } else { json!({"type": "string"}) };
            if !description.is_empty() {
                field["description"] = json!(description);
            }
            (name.to_owned(), field)
        })
        .collect();
    let names: Vec<&String> = fields.keys().collect();
    let required = json!(names);
    let mut article = object(fields);
    article.insert("required".into(), required);
    let articles = json!({"type": "array", "items": article});
    let schema = json!({"type": "object", "properties": {"articles": articles}, "required": ["articles"]});
    schema.as_object().cloned().unwrap_or_default()
}

fn object(properties: Map<String, Value>) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".into(), json!("object"));
    schema.insert("properties".into(), Value::Object(properties));
    schema.insert("additionalProperties".into(), json!(false));
    schema
}

//! Puts a template into a note that is there: properties of both, then the texts of both.

use quillgate_markdown::{EditError, Frontmatter, Value, add_to_list, append, set_property};

/// Lists that have the items of both.
const JOINED: &[&str] = &["tags", "aliases", "cssclasses"];

/// The note with the template in it. What the note has stays: a property of the template is added only where the note has none or an empty
/// one, and the items of lists such as tags are joined.
pub fn merge_into(note: &str, template: &str) -> Result<String, EditError> {
    let Some(block) = Frontmatter::find(template) else { return Ok(with_body(note, template)) };
    let Ok(properties) = block.properties else { return Ok(with_body(note, template)) };
    let mut merged = note.to_owned();
    for property in &properties.0 {
        let block = Frontmatter::find(&merged);
        let present = block.as_ref().and_then(|block| block.properties.as_ref().ok()?.find_property(&property.key));
        let present = present.map(|present| present.value.clone()).filter(|value| *value != Value::Null);
        match (present, &property.value) {
            (None, value) => merged = set_property(&merged, &property.key, value)?.apply(&merged),
            (Some(present), Value::List(items)) if JOINED.iter().any(|key| property.key.eq_ignore_ascii_case(key)) => {
                let known = match &present {
                    Value::List(known) => known.clone(),
                    single => vec![single.clone()],
                };
                for item in items.iter().filter(|item| !known.iter().any(|known| known.is_same(item))) {
                    merged = add_to_list(&merged, &property.key, item)?.apply(&merged);
                }
            }
            (Some(_), _) => {}
        }
    }
    Ok(with_body(&merged, &template[block.block.end..]))
}

fn with_body(note: &str, body: &str) -> String {
    if body.trim().is_empty() {
        return note.to_owned();
    }
    match note.is_empty() {
        true => body.to_owned(),
        false => append(note, body.trim_start_matches(['\r', '\n'])).apply(note),
    }
}

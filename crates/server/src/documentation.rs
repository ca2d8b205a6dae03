//! Pages of docs/ that are made from the code, so that they cannot be wrong.

use std::fmt::Write as _;

use quillgate_remote::Source;
use quillgate_tools::{Effect, Registered, SURFACES, Surface, articles_surface};
use serde_json::{Map, Value};

use crate::config::{SCHEMA, SPELLINGS, keys};

const MADE: &str = "<!-- Made from the code; `QUILLGATE_BLESS=1 cargo nextest run -p quillgate docs` writes it anew. -->\n";

/// Every page with its path below docs/.
pub fn pages() -> Vec<(String, String)> {
    // Of the sources, the page shows the one that is built in.
    let articles = Source::built_in("vk", None).and_then(|vk| articles_surface(vec![vk]).ok());
    let surfaces = SURFACES.iter().chain(articles);
    let mut pages: Vec<(String, String)> =
        surfaces.map(|surface| (format!("surfaces/{}.md", surface.name), surface_page(surface))).collect();
    pages.push(("configuration.md".to_owned(), configuration_page()));
    pages.push(("configuration.schema.json".to_owned(), configuration_schema()));
    pages
}

fn surface_page(surface: &Surface) -> String {
    let mut page = format!("{MADE}\n# The `{}` surface\n\n{}.\n\n", surface.name, capitalised(surface.about));
    let _ = writeln!(page, "What a model is told about it:\n\n> {}\n", surface.instructions);
    page.push_str("| Tool | Does | Scopes |\n| --- | --- | --- |\n");
    for tool in surface.tools() {
        let scopes: Vec<String> = tool.spec.scopes.iter().map(|scope| format!("`{scope}`")).collect();
        let _ = writeln!(page, "| [`{0}`](#{0}) | {1} | {2} |", tool.spec.name, effect(tool), scopes.join(" "));
    }
    for tool in surface.tools() {
        tool_section(&mut page, surface, tool);
    }
    page
}

fn effect(tool: &Registered) -> &'static str {
    match tool.spec.effect {
        Effect::Read => "reads",
        Effect::Add => "adds",
        Effect::Change => "changes",
        Effect::Outside => "acts outside the vault",
        Effect::ReadOutside => "reads outside the vault",
    }
}

fn tool_section(page: &mut String, surface: &Surface, tool: &Registered) {
    let _ = writeln!(page, "\n## {}\n\n{}\n", tool.spec.name, (tool.description)());
    field_table(page, "Argument", &surface.input_schema(tool));
    let result = (tool.output_schema)();
    if surface.output_schema(tool).is_none() {
        page.push_str("Answers with one text block, `{\"success\":true,\"data\":{…}}`, where `data` has:\n\n");
    }
    field_table(page, "Result", &result);
}

fn field_table(page: &mut String, heading: &str, schema: &Map<String, Value>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object).filter(|properties| !properties.is_empty()) else {
        return;
    };
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let _ = writeln!(page, "| {heading} | Type | Meaning |\n| --- | --- | --- |");
    for (name, property) in properties {
        let optional = if required.contains(&name.as_str()) { "" } else { "?" };
        let description = property.get("description").and_then(Value::as_str).unwrap_or_default();
        let default = property.get("default").map(|value| format!(" (default `{value}`)")).unwrap_or_default();
        let _ = writeln!(page, "| `{name}{optional}` | {} | {}{default} |", type_of(property), description.replace('|', "\\|"));
    }
    page.push('\n');
}

fn type_of(schema: &Value) -> String {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        return choices.iter().map(|choice| format!("`{choice}`")).collect::<Vec<_>>().join(" or ");
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("array") => match schema.get("items").map(|items| (items, fields_of(items))) {
            Some((_, Some(fields))) => format!("list of {fields}"),
            Some((items, None)) => format!("list of {}", type_of(items)),
            None => "list".to_owned(),
        },
        Some("object") => fields_of(schema).unwrap_or_else(|| "object".to_owned()),
        Some(kind) => kind.to_owned(),
        None => "any".to_owned(),
    }
}

/// `{path, line}` for an object whose fields are known.
fn fields_of(schema: &Value) -> Option<String> {
    let properties = schema.get("properties")?.as_object().filter(|properties| !properties.is_empty())?;
    Some(format!("`{{{}}}`", properties.keys().map(String::as_str).collect::<Vec<_>>().join(", ")))
}

fn configuration_page() -> String {
    let mut page = format!(
        "{MADE}\n# Configuration\n\nGive a file with `--config` (or `QUILLGATE_CONFIG`): JSON, YAML or TOML by its extension. Every key is \
         optional, flags and environment variables win over the file, and an unknown key is an error. Paths in the file begin at its \
         folder, or with `~/` at the home directory. [`configuration.schema.json`](configuration.schema.json) describes the file to \
         editors; `quillgate config validate` names everything that is wrong, `quillgate config show --origins` tells what counts and \
         why, `quillgate config explain acl.readPaths` tells what is below for one key.\n\n"
    );
    page.push_str("| Key | Type | Default | Meaning |\n| --- | --- | --- | --- |\n");
    for key in keys().iter().filter(|key| !key.is_group && !key.is_unused) {
        let default = key.default.as_ref().map(|value| format!("`{value}`")).unwrap_or_default();
        let _ = writeln!(page, "| `{}` | {} | {default} | {} |", key.path, key.kind, key.about.replace('|', "\\|"));
    }
    other_servers(&mut page);
    page
}

fn other_servers(page: &mut String) {
    page.push_str(
        "\n## Files of other servers\n\nSome keys have a second name, so that a file written for another engine can be used as it is:\n\n\
         | In such a file | Here |\n| --- | --- |\n",
    );
    for (theirs, ours) in SPELLINGS {
        let _ = writeln!(page, "| `{theirs}` | `{ours}` |");
    }
    page.push_str("\nThese are accepted and not used by this version; `quillgate config validate` says where they stand:\n\n");
    for key in keys().iter().filter(|key| key.is_unused) {
        let _ = writeln!(page, "- `{}`: {}", key.path, key.about);
    }
}

fn configuration_schema() -> String {
    let mut text = serde_json::to_string_pretty(&*SCHEMA).unwrap_or_default();
    text.push('\n');
    text
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "files of the repository")]
    fn the_pages_in_docs_are_fresh() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let bless = std::env::var_os("QUILLGATE_BLESS").is_some();
        for (name, page) in pages() {
            let path = docs.join(&name);
            if bless {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(&path, &page).unwrap();
            }
            let written = std::fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(written, page, "docs/{name} is stale: QUILLGATE_BLESS=1 cargo nextest run -p quillgate docs");
        }
    }

    #[test]
    fn every_setting_is_explained() {
        for key in keys() {
            assert!(key.about.len() > 10, "{}", key.path);
        }
    }
}

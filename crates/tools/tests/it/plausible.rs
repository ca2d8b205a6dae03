//! Arguments that a model might send, for any tool, made from its schema.

use quillgate_tools::{Registered, Surface};
use serde_json::{Map, Value, json};

use crate::random::Random;

/// What there is to name.
pub(crate) struct World {
    pub(crate) files: Vec<String>,
    pub(crate) folders: Vec<String>,
}

const WORDS: &[&str] = &["lamp", "storm", "harbour", "secret", "Plan", "gull"];
const TAGS: &[&str] = &["project", "project/alpha", "hidden", "log"];
const KEYS: &[&str] = &["status", "due", "secret_key", "tags", "aliases"];
const QUERIES: &[&str] = &[
    "TABLE status, file.outlinks, file.inlinks FROM #project SORT file.name",
    "LIST rows.file.path GROUP BY file.folder",
    "TASK WHERE !completed",
    "LIST FROM [[Plan]] or outgoing([[Plan]])",
    "LIST WITHOUT ID file.tags FLATTEN file.tags",
];
const TIMES: &[&str] = &["2020-01-01T00:00:00Z", "2030-01-01", "2026-01-01T12:00:00Z"];

impl World {
    fn file(&self, random: &mut Random) -> String {
        match random.below(8) {
            0 => "missing/nowhere.md".to_owned(),
            _ => self.files[random.below(self.files.len())].clone(),
        }
    }

    fn folder(&self, random: &mut Random) -> String {
        self.folders[random.below(self.folders.len())].clone()
    }

    fn new_path(&self, random: &mut Random) -> String {
        let folder = self.folder(random);
        let name = format!("new {}.md", random.below(1000));
        if folder.is_empty() { name } else { format!("{folder}/{name}") }
    }

    /// All required fields, and some of the others.
    pub(crate) fn arguments(&self, surface: &Surface, tool: &Registered, random: &mut Random) -> Map<String, Value> {
        let schema = surface.input_schema(tool);
        let mut arguments = self.object(&schema, random);
        // A note is named in one of two ways, never both.
        if arguments.contains_key("file") && arguments.contains_key("path") && surface.name == "cli" {
            arguments.remove("file");
        }
        arguments
    }

    fn object(&self, schema: &Map<String, Value>, random: &mut Random) -> Map<String, Value> {
        let required: Vec<&str> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let mut made = Map::new();
        for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let is_call = ["vault", "elicit_token", "cursor", "limit", "max_tokens"].contains(&name.as_str());
            if required.contains(&name.as_str()) || (!is_call && random.below(3) == 0) {
                made.insert(name.clone(), self.value(name, field, random));
            }
        }
        made
    }

    fn value(&self, name: &str, schema: &Value, random: &mut Random) -> Value {
        if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
            return choices[random.below(choices.len())].clone();
        }
        match name {
            "path" | "from" | "source" | "target" | "template" => return json!(self.file(random)),
            "to" | "destination" | "target_path" => return json!(self.new_path(random)),
            "file" | "from_target" | "to_target" | "name" if schema["type"] == "string" => {
                let file = self.file(random);
                let base = file.rsplit('/').next().unwrap_or_default();
                return json!(base.strip_suffix(".md").unwrap_or(base));
            }
            "paths" | "exclude_paths" => return json!((0..=random.below(3)).map(|_| self.file(random)).collect::<Vec<_>>()),
            "root" | "folder" | "folder_path" => return json!(self.folder(random)),
            "query" | "pattern" | "old_string" | "old_text" | "search" | "proposal" => return json!(random.pick(WORDS)),
            "tag" => return json!(random.pick(TAGS)),
            "key" => return json!(random.pick(KEYS)),
            "value" => return json!(["a value", "2026-01-01", "7"][random.below(3)]),
            "dql" => return json!(random.pick(QUERIES)),
            "expression" => return json!("this.file.name + length(this.file.inlinks)"),
            "logic" => return json!({"in": [random.pick(WORDS), {"var": "content"}]}),
            "since" | "at" | "date" => return json!(random.pick(TIMES)),
            "change" => return json!("00000000000000000000"),
            "idempotency_key" => return json!(format!("key {}", random.next())),
            "expected_hash" => return json!("0".repeat(64)),
            "vault" => return json!("vault"),
            "scopes" => return json!(["read:notes"]),
            _ => {}
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("boolean") => json!(random.below(2) == 0),
            Some("integer" | "number") => json!(schema["minimum"].as_u64().unwrap_or(1).max(1) + random.below(3) as u64),
            Some("array") => {
                let count = schema["minItems"].as_u64().unwrap_or(0).max(1) as usize;
                (0..count).map(|_| self.value("item", &schema["items"], random)).collect()
            }
            Some("object") => match schema.as_object() {
                Some(schema) if schema.contains_key("properties") => Value::Object(self.object(schema, random)),
                _ => json!({"status": "open"}),
            },
            _ => json!(random.pick(WORDS)),
        }
    }
}

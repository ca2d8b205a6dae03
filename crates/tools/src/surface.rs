//! Surfaces: named sets of tools that clients already know, each with its own way to say that something failed.

use serde_json::{Map, Value, json};

use quillgate_remote::{ObsidianError, ProgramError};
use quillgate_vault::{PathError, VaultError};

use crate::failure::Failure;
use crate::tool::Registered;
use crate::{cli, engine, notes, vault};

pub struct Surface {
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    pub tools: &'static [Registered],
    pub errors: ErrorShape,
    /// What a model is told about all tools at once.
    pub instructions: &'static str,
}

/// Those of a vault; the default comes first. [`articles_surface`](crate::articles_surface) makes the one that needs none.
pub const SURFACES: &[Surface] = &[
    Surface {
        name: "essentials",
        about: "the few tools that everybody needs",
        tools: vault::ESSENTIALS,
        errors: ErrorShape::Vault,
        instructions: vault::INSTRUCTIONS,
    },
    Surface {
        name: "vault",
        about: "files of the vault, for remote assistants",
        tools: vault::TOOLS,
        errors: ErrorShape::Vault,
        instructions: vault::INSTRUCTIONS,
    },
    Surface {
        name: "notes",
        about: "append-only journals and links, for agents on a private network",
        tools: notes::TOOLS,
        errors: ErrorShape::Engine,
        instructions: notes::INSTRUCTIONS,
    },
    Surface {
        name: "cli",
        about: "the app's own commands with the app closed, for desktop clients",
        tools: cli::TOOLS,
        errors: ErrorShape::Cli,
        instructions: cli::INSTRUCTIONS,
    },
    Surface {
        name: "engine",
        about: "searches, tags, properties and links in pages, for autonomous agents",
        tools: engine::TOOLS,
        errors: ErrorShape::Engine,
        instructions: engine::INSTRUCTIONS,
    },
];

pub fn find_surface(name: &str) -> Option<&'static Surface> {
    SURFACES.iter().find(|surface| surface.name == name)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorShape {
    /// `{"error":{"code","message"}}` in a result flagged as error.
    Vault,
    /// `{code, message, details?}` in a result flagged as error.
    Engine,
    /// A JSON-RPC error, and successes wrapped in `{"success":true,"data":…}`.
    Cli,
}

/// What goes back to the client.
#[derive(Debug)]
pub enum Answer {
    /// A result; `structured` is left out where the surface speaks in text only.
    Result {
        text: String,
        structured: Option<Value>,
        is_error: bool,
    },
    Protocol(ProtocolError),
}

#[derive(Debug)]
pub struct ProtocolError {
    pub code: i32,
    pub message: String,
    pub data: Option<Value>,
}

impl Surface {
    pub fn find(&self, name: &str) -> Option<&'static Registered> {
        self.tools.iter().find(|tool| tool.spec.name == name)
    }

    pub fn answer(&self, outcome: Result<Value, Failure>) -> Answer {
        match (outcome, self.errors) {
            (Ok(value), ErrorShape::Cli) => {
                let text = json!({"success": true, "data": value}).to_string();
                Answer::Result { text, structured: None, is_error: false }
            }
            (Ok(value), _) => Answer::Result { text: value.to_string(), structured: Some(value), is_error: false },
            (Err(failure), shape) => shape.failed(&failure),
        }
    }

    /// The schema of structured results, where the surface has any. Some clients check failures against it too, so it
    /// requires no field.
    pub fn output_schema(&self, tool: &Registered) -> Option<Map<String, Value>> {
        if self.errors == ErrorShape::Cli {
            return None;
        }
        let mut schema = (tool.output_schema)();
        schema.remove("required");
        Some(schema)
    }
}

impl ErrorShape {
    fn failed(self, failure: &Failure) -> Answer {
        // An unknown tool is a mistake in the protocol, not in its use.
        if let (Failure::UnknownTool(_), ErrorShape::Vault | ErrorShape::Engine) = (failure, self) {
            return Answer::Protocol(ProtocolError { code: -32602, message: failure.to_string(), data: None });
        }
        let body = match self {
            ErrorShape::Cli => return Answer::Protocol(cli_error(failure)),
            ErrorShape::Vault => json!({"error": vault_error(failure)}),
            ErrorShape::Engine => engine_error(failure),
        };
        Answer::Result { text: body.to_string(), structured: Some(body), is_error: true }
    }
}

pub(crate) fn vault_error(failure: &Failure) -> Value {
    json!({"code": vault_code(failure), "message": failure.to_string()})
}

fn vault_code(failure: &Failure) -> &'static str {
    use VaultError as V;
    match failure {
        Failure::Vault(error) => match error {
            V::NotFound(_) | V::FolderNotFound(_) | V::Offline(_) | V::NoVault { .. } => "FILE_NOT_FOUND",
            V::Path(_) | V::Link(_) | V::IsFolder(_) | V::NotFolder(_) | V::NotRegular(_) | V::Denied(_) => "PATH_NOT_ALLOWED",
            V::Forbidden { .. } | V::HardLinked { .. } => "PATH_NOT_ALLOWED",
            V::Exists(_) | V::Conflict(_) | V::Busy => "CONFLICT",
            V::ReadOnly(_) | V::ReadOnlyMode => "READ_ONLY",
            V::NotText(..) => "NOT_TEXT",
            V::TooLarge { .. } => "TOO_LARGE",
            V::NoChange(_) | V::NoHistory | V::TooManyChanges(_) => "INVALID_INPUT",
            V::Io { .. } | V::History(_) | V::HistoryUnreadable(_) | V::NotKept(_) => "INTERNAL",
        },
        Failure::Forbidden { .. } | Failure::OtherVault(_) => "AUTH_REQUIRED",
        Failure::NoSuchNote(_) => "FILE_NOT_FOUND",
        Failure::TextNotFound | Failure::Edit(_) => "TEXT_NOT_FOUND",
        Failure::TextNotUnique(_) | Failure::Ambiguous { .. } => "TEXT_NOT_UNIQUE",
        Failure::InvalidRange(_) => "INVALID_RANGE",
        Failure::InvalidInput(_)
        | Failure::UnknownTool(_)
        | Failure::UnknownVault { .. }
        | Failure::Pattern(_)
        | Failure::Query(_)
        | Failure::Logic(_) => "INVALID_INPUT",
        Failure::Budget(_) | Failure::Timeout(_) | Failure::TimeoutWhileChanging(_) | Failure::StillReading(_) => "TIMEOUT",
        Failure::Cancelled => "CANCELLED",
        Failure::NotConfigured(_)
        | Failure::Outside(_)
        | Failure::App(_)
        | Failure::Program(_)
        | Failure::CredentialRejected(_)
        | Failure::Source(_)
        | Failure::Internal(_) => "INTERNAL",
    }
}

fn engine_error(failure: &Failure) -> Value {
    let mut body = json!({"code": engine_code(failure), "message": failure.to_string()});
    let details = match failure {
        Failure::InvalidInput(issues) => Some(json!({"issues": issues})),
        Failure::Ambiguous { candidates, .. } => Some(json!({"candidates": candidates})),
        Failure::Forbidden { required } => Some(json!({"required": required})),
        Failure::Vault(VaultError::Path(PathError::Hidden(segment))) => Some(json!({"path": segment, "op": "access"})),
        Failure::Vault(VaultError::Link(path) | VaultError::Denied(path)) => Some(json!({"path": path.as_str(), "op": "access"})),
        Failure::Vault(VaultError::Forbidden { path, operation } | VaultError::HardLinked { path, operation }) => {
            Some(json!({"path": path.as_str(), "op": operation.name()}))
        }
        Failure::Vault(VaultError::TooLarge { size, limit, .. }) => Some(json!({"bytes": size, "limit": limit})),
        _ => None,
    };
    if let (Some(details), Some(object)) = (details, body.as_object_mut()) {
        object.insert("details".into(), details);
    }
    body
}

fn engine_code(failure: &Failure) -> &'static str {
    use VaultError as V;
    match failure {
        Failure::Vault(error) => match error {
            V::NoVault { .. } => "vault_not_found",
            V::NotFound(_) | V::FolderNotFound(_) | V::Offline(_) => "note_not_found",
            V::Path(PathError::Hidden(_)) | V::Link(_) | V::Denied(_) => "acl_denied",
            V::Forbidden { .. } | V::HardLinked { .. } => "acl_denied",
            V::Path(_) | V::IsFolder(_) | V::NotFolder(_) | V::NotRegular(_) => "path_invalid",
            V::ReadOnly(_) | V::ReadOnlyMode => "read_only_mode",
            V::Exists(_) => "note_exists",
            V::Conflict(_) | V::Busy => "concurrent_modification",
            V::NotText(..) | V::NoChange(_) | V::NoHistory | V::TooManyChanges(_) => "invalid_input",
            V::TooLarge { .. } => "overflow",
            V::Io { .. } | V::History(_) | V::HistoryUnreadable(_) | V::NotKept(_) => "internal_error",
        },
        Failure::Forbidden { .. } | Failure::OtherVault(_) => "forbidden",
        Failure::NoSuchNote(_) => "note_not_found",
        Failure::UnknownVault { .. } => "vault_not_found",
        Failure::Logic(_) => "jsonlogic_error",
        Failure::Budget(_) => "compute_budget_exceeded",
        Failure::Ambiguous { .. } => "path_ambiguous",
        Failure::InvalidInput(_)
        | Failure::TextNotFound
        | Failure::TextNotUnique(_)
        | Failure::InvalidRange(_)
        | Failure::Edit(_)
        | Failure::Pattern(_)
        | Failure::Query(_)
        | Failure::NotConfigured(_) => "invalid_input",
        Failure::UnknownTool(_) => "not_found",
        Failure::CredentialRejected(_) => "unauthorized",
        Failure::App(_) => "plugin_unreachable",
        Failure::Program(ProgramError::Timeout { .. })
        | Failure::Timeout(_)
        | Failure::TimeoutWhileChanging(_)
        | Failure::StillReading(_)
        | Failure::Cancelled => "operation_timeout",
        Failure::Program(_) | Failure::Outside(_) | Failure::Source(_) | Failure::Internal(_) => "internal_error",
    }
}

fn cli_error(failure: &Failure) -> ProtocolError {
    use VaultError as V;
    let (code, name) = match failure {
        Failure::UnknownTool(_) => (-32601, "UNKNOWN_TOOL"),
        Failure::InvalidInput(_)
        | Failure::Pattern(_)
        | Failure::Query(_)
        | Failure::Logic(_)
        | Failure::UnknownVault { .. }
        | Failure::InvalidRange(_) => (-32602, "INVALID_PARAMS"),
        Failure::App(ObsidianError::NotRunning) => (-32001, "OBSIDIAN_NOT_RUNNING"),
        Failure::Vault(V::NoVault { .. }) => (-32002, "VAULT_NOT_FOUND"),
        Failure::Vault(V::NotFound(_) | V::FolderNotFound(_) | V::Offline(_)) | Failure::NoSuchNote(_) => {
            (-32003, "FILE_NOT_FOUND")
        }
        Failure::Ambiguous { .. } => (-32004, "AMBIGUOUS_NAME"),
        Failure::Vault(V::Path(PathError::Hidden(_)) | V::Link(_) | V::Denied(_) | V::ReadOnly(_))
        | Failure::Vault(V::Forbidden { .. } | V::HardLinked { .. } | V::ReadOnlyMode)
        | Failure::Forbidden { .. }
        | Failure::OtherVault(_) => (-32005, "PERMISSION_DENIED"),
        Failure::Vault(V::Path(_) | V::IsFolder(_) | V::NotFolder(_) | V::NotRegular(_)) => (-32602, "INVALID_PARAMS"),
        Failure::Budget(_)
        | Failure::Timeout(_)
        | Failure::TimeoutWhileChanging(_)
        | Failure::StillReading(_)
        | Failure::Program(ProgramError::Timeout { .. }) => (-32006, "TIMEOUT"),
        Failure::App(ObsidianError::Program(ProgramError::Timeout { .. })) => (-32006, "TIMEOUT"),
        Failure::Vault(V::Exists(_)) => (-32000, "FILE_EXISTS"),
        Failure::Vault(V::Conflict(_) | V::Busy) => (-32000, "CONFLICT"),
        Failure::Internal(_) => (-32603, "INTERNAL_ERROR"),
        _ => (-32000, "SERVER_ERROR"),
    };
    let mut data = json!({"errorCode": name});
    if let (Failure::Ambiguous { candidates, .. }, Some(object)) = (failure, data.as_object_mut()) {
        object.insert("candidates".into(), json!(candidates));
    }
    if let (Failure::InvalidInput(issues), Some(object)) = (failure, data.as_object_mut()) {
        object.insert("issues".into(), json!(issues));
    }
    ProtocolError { code, message: failure.to_string(), data: Some(data) }
}

#[cfg(test)]
mod tests {
    use quillgate_remote::Source;

    use super::*;

    /// Every keyword that validation understands or may pass over.
    const KEYWORDS: &[&str] = &[
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "pattern",
        "default",
        "description",
    ];

    /// Fields that take several types, or any: they have none in the schema, their tool checks them, their description says it.
    const UNTYPED: &[(&str, &str)] = &[("search_vault", "query"), ("find_notes_by_property", "value")];

    fn walk(schema: &Value, visit: &mut impl FnMut(&str, &Value)) {
        let Some(object) = schema.as_object() else { return };
        for (keyword, value) in object {
            visit(keyword, value);
            match keyword.as_str() {
                "properties" => value.as_object().into_iter().flatten().for_each(|(_, property)| walk(property, visit)),
                "items" => walk(value, visit),
                _ => {}
            }
        }
    }

    fn surfaces() -> impl Iterator<Item = &'static Surface> {
        let articles = crate::articles_surface(vec![Source::vk("https://news.example".to_owned())]).expect("a source");
        SURFACES.iter().chain([articles])
    }

    fn tools() -> impl Iterator<Item = (&'static Surface, &'static Registered)> {
        surfaces().flat_map(|surface| surface.tools.iter().map(move |tool| (surface, tool)))
    }

    #[test]
    fn what_the_rules_refuse_has_a_code_on_every_surface() {
        let path = quillgate_vault::NotePath::parse("Private/a.md").expect("a path");
        let operation = quillgate_vault::Operation::Write;
        let codes = |error| {
            let failure = Failure::Vault(error);
            (vault_code(&failure), engine_error(&failure), cli_error(&failure).code)
        };
        for error in
            [VaultError::Forbidden { path: path.clone(), operation }, VaultError::HardLinked { path: path.clone(), operation }]
        {
            let (vault, engine, cli) = codes(error);
            assert_eq!((vault, &engine["code"], cli), ("PATH_NOT_ALLOWED", &json!("acl_denied"), -32005));
            assert_eq!(engine["details"], json!({"path": "Private/a.md", "op": "write"}));
        }
        let (vault, engine, cli) = codes(VaultError::ReadOnlyMode);
        assert_eq!((vault, &engine["code"], cli), ("READ_ONLY", &json!("read_only_mode"), -32005));
    }

    #[test]
    fn no_two_tools_of_a_surface_share_a_name() {
        for surface in surfaces() {
            let mut names: Vec<&str> = surface.tools.iter().map(|tool| tool.spec.name).collect();
            names.sort_unstable();
            let count = names.len();
            names.dedup();
            assert_eq!(names.len(), count, "{}", surface.name);
        }
    }

    #[test]
    fn every_schema_is_plain_and_fully_validated() {
        for (_, tool) in tools() {
            let schema = Value::Object((tool.input_schema)());
            assert_eq!(schema["type"], "object", "{}", tool.spec.name);
            assert!(schema["properties"].is_object(), "{} does not list its fields", tool.spec.name);
            assert_eq!(schema["additionalProperties"], false, "{} takes unknown fields", tool.spec.name);
            walk(&schema, &mut |keyword, value| {
                assert!(KEYWORDS.contains(&keyword), "{}: {keyword} is not validated", tool.spec.name);
                assert!(keyword != "type" || value.is_string(), "{}: one type each", tool.spec.name);
                for (field, property) in value.as_object().filter(|_| keyword == "properties").into_iter().flatten() {
                    let is_untyped = UNTYPED.contains(&(tool.spec.name, field));
                    assert_eq!(property.get("type").is_none(), is_untyped, "{}.{field}: {property}", tool.spec.name);
                }
            });
        }
    }

    #[test]
    fn every_tool_and_field_is_described_for_a_model() {
        for (_, tool) in tools() {
            let description = (tool.description)();
            assert!((20..=500).contains(&description.len()), "{}: {description:?}", tool.spec.name);
            let schema = (tool.input_schema)();
            for (field, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
                assert!(property["description"].is_string(), "{}.{field} has no description", tool.spec.name);
            }
        }
    }

    #[test]
    fn effects_and_scopes_agree() {
        for (_, tool) in tools() {
            // What an administrator may do need not change a note.
            let looks = |scope: &&&str| scope.starts_with("read:") || scope.starts_with("admin:") || scope.ends_with(":search");
            let mutates = !tool.spec.scopes.iter().all(|scope| looks(&scope));
            assert_eq!(mutates, !tool.spec.effect.is_read_only(), "{}", tool.spec.name);
        }
    }
}

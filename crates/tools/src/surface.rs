//! Surfaces: named sets of tools that clients already know, each with its own way to say that something failed.

use serde_json::{Map, Value, json};

use quillgate_remote::{ObsidianError, ProgramError};
use quillgate_vault::{PathError, VaultError};

use crate::failure::Failure;
use crate::tool::{Confirm, Idempotency, Registered};
use crate::{cli, engine, facade, notes, vault};

pub struct Surface {
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    pub domains: &'static [Domain],
    pub errors: ErrorShape,
    /// Whether tools on a vault take its id.
    pub names_vaults: bool,
    /// What a model is told about all tools at once.
    pub instructions: &'static str,
}

/// Tools about one thing.
pub struct Domain {
    pub name: &'static str,
    /// One sentence for a model.
    pub about: &'static str,
    pub tools: &'static [Registered],
}

impl Domain {
    /// Where a surface has one domain only, nobody asks for its name.
    pub(crate) const fn only(tools: &'static [Registered]) -> Domain {
        Domain { name: "", about: "", tools }
    }
}

/// Those of a vault; the default comes first. [`articles_surface`](crate::articles_surface) makes the one that needs none.
pub const SURFACES: &[Surface] = &[
    Surface {
        name: "essentials",
        about: "the few tools that everybody needs",
        domains: &[Domain::only(vault::ESSENTIALS), facade::DOMAIN],
        errors: ErrorShape::Vault,
        names_vaults: false,
        instructions: vault::INSTRUCTIONS,
    },
    Surface {
        name: "vault",
        about: "files of the vault, for remote assistants",
        domains: &[Domain::only(vault::TOOLS)],
        errors: ErrorShape::Vault,
        names_vaults: false,
        instructions: vault::INSTRUCTIONS,
    },
    Surface {
        name: "notes",
        about: "append-only journals and links, for agents on a private network",
        domains: &[Domain::only(notes::TOOLS)],
        errors: ErrorShape::Engine,
        names_vaults: false,
        instructions: notes::INSTRUCTIONS,
    },
    Surface {
        name: "cli",
        about: "the app's own commands with the app closed, for desktop clients",
        domains: &[Domain::only(cli::TOOLS)],
        errors: ErrorShape::Cli,
        names_vaults: false,
        instructions: cli::INSTRUCTIONS,
    },
    Surface {
        name: "engine",
        about: "searches, tags, properties and links in pages, for autonomous agents",
        domains: engine::DOMAINS,
        errors: ErrorShape::Engine,
        names_vaults: true,
        instructions: engine::INSTRUCTIONS,
    },
];

/// Fields that belong to the call rather than to its tool.
pub const IDEMPOTENCY_KEY: &str = "idempotency_key";
pub const ELICIT_TOKEN: &str = "elicit_token";
pub const VAULT: &str = "vault";

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

impl Answer {
    /// How many bytes the client gets to read.
    pub fn text_length(&self) -> usize {
        match self {
            Answer::Result { text, .. } => text.len(),
            Answer::Protocol(error) => error.message.len(),
        }
    }
}

#[derive(Debug)]
pub struct ProtocolError {
    pub code: i32,
    pub message: String,
    pub data: Option<Value>,
}

impl Surface {
    pub fn tools(&self) -> impl Iterator<Item = &'static Registered> + use<> {
        let domains: &'static [Domain] = self.domains;
        domains.iter().flat_map(|domain| domain.tools)
    }

    pub fn find(&self, name: &str) -> Option<&'static Registered> {
        self.tools().find(|tool| tool.spec.name == name)
    }

    /// The schema of arguments: the tool's own fields, and those that all tools of its kind have.
    pub fn input_schema(&self, tool: &Registered) -> Map<String, Value> {
        let mut schema = (tool.input_schema)();
        let mut add = |name: &str, field: Value, required: bool| {
            if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
                fields.insert(name.to_owned(), field);
            }
            if let (true, Value::Array(names)) = (required, schema.entry("required").or_insert_with(|| json!([]))) {
                names.push(name.into());
            }
        };
        if tool.spec.idempotency.takes_key() {
            let required = tool.spec.idempotency == Idempotency::KeyRequired;
            let about =
                "A name for this call that you choose: repeated with the same one, it is answered again and not done again";
            add(IDEMPOTENCY_KEY, json!({"type": "string", "minLength": 1, "maxLength": 128, "description": about}), required);
        }
        if tool.spec.confirm != Confirm::Never {
            let about = "Token of the user's agreement, if they gave you one";
            add(ELICIT_TOKEN, json!({"type": "string", "maxLength": 64, "description": about}), false);
        }
        if self.names_vaults && tool.needs_vault() {
            let about = "Id of the vault, from list_vaults; the default vault if left out";
            add(VAULT, json!({"type": "string", "pattern": "^[a-z0-9_-]{1,64}$", "description": about}), false);
        }
        if schema.get("required").and_then(Value::as_array).is_some_and(Vec::is_empty) {
            schema.remove("required");
        }
        schema
    }

    /// A success with its text, which is the value as JSON.
    pub fn success(&self, value: Value, text: String) -> Answer {
        match self.errors {
            ErrorShape::Cli => {
                Answer::Result { text: format!("{{\"success\":true,\"data\":{text}}}"), structured: None, is_error: false }
            }
            ErrorShape::Vault | ErrorShape::Engine => Answer::Result { text, structured: Some(value), is_error: false },
        }
    }

    pub fn failed(&self, failure: &Failure) -> Answer {
        self.errors.failed(failure)
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
            let data = Some(json!({"code": "not_found"}));
            return Answer::Protocol(ProtocolError { code: -32602, message: failure.to_string(), data });
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
            V::Settings { .. } => "INVALID_INPUT",
            V::TooLarge { .. } | V::TooManyChanges(_) => "TOO_LARGE",
            V::NoChange(_) | V::NotKept(_) | V::NoHistory => "FILE_NOT_FOUND",
            V::Io { .. } | V::History(_) | V::HistoryUnreadable(_) => "INTERNAL",
        },
        Failure::Forbidden { .. } | Failure::OtherVault(_) | Failure::Declined => "AUTH_REQUIRED",
        Failure::ConfirmationNeeded(_) => "CONFIRMATION_REQUIRED",
        Failure::Throttled { .. } => "RATE_LIMITED",
        Failure::KeyMismatch | Failure::KeyInFlight | Failure::UndoConflict { .. } => "CONFLICT",
        Failure::TooLong { .. } => "TOO_LARGE",
        Failure::NoSuchNote(_) => "FILE_NOT_FOUND",
        Failure::TextNotFound | Failure::Edit(_) => "TEXT_NOT_FOUND",
        Failure::TextNotUnique(_) | Failure::Ambiguous { .. } => "TEXT_NOT_UNIQUE",
        Failure::InvalidRange(_) => "INVALID_RANGE",
        Failure::InvalidInput(_)
        | Failure::UnknownTool(_)
        | Failure::UnknownCapability(_)
        | Failure::UnknownVault { .. }
        | Failure::Pattern(_)
        | Failure::Query(_)
        | Failure::Logic(_)
        | Failure::Bases(_)
        | Failure::Dql { .. } => "INVALID_INPUT",
        Failure::Budget(_) | Failure::Timeout(_) | Failure::TimeoutWhileChanging(_) | Failure::StillReading(_) => "TIMEOUT",
        Failure::Cancelled => "CANCELLED",
        Failure::NotConfigured(_)
        | Failure::Outside(_)
        | Failure::App(_)
        | Failure::Program(_)
        | Failure::CredentialRejected(_)
        | Failure::Source(_)
        | Failure::Partial { .. }
        | Failure::Internal(_) => "INTERNAL",
    }
}

pub(crate) fn engine_error(failure: &Failure) -> Value {
    let mut body = json!({"code": engine_code(failure), "message": failure.to_string()});
    let details = match failure {
        Failure::InvalidInput(issues) => Some(json!({"issues": issues})),
        Failure::Ambiguous { candidates, .. } => Some(json!({"candidates": candidates})),
        Failure::Forbidden { required } => Some(json!({"required": required})),
        Failure::ConfirmationNeeded(proposal) => Some(json!({"args_hash": proposal.args_hash, "proposed_change": proposal})),
        Failure::Throttled { class, seconds } => Some(json!({"scope_class": class, "retry_after_seconds": seconds})),
        Failure::TooLong { bytes, limit, .. } => Some(json!({"bytes": bytes, "limit": limit})),
        Failure::Partial { results, .. } => Some(json!({"results": results})),
        Failure::UndoConflict { files, .. } => Some(json!({"files": files})),
        Failure::Bases(error) => Some(json!({"line": error.line, "col": error.column})),
        Failure::Dql { place: Some((line, col)), .. } => Some(json!({"line": line, "col": col})),
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
    if let (Failure::Throttled { seconds, .. }, Some(object)) = (failure, body.as_object_mut()) {
        object.insert("retry_after_ms".into(), json!(seconds * 1000));
    }
    body
}

/// The code that audit and metrics know a failure by, whatever the surface says.
pub fn engine_code(failure: &Failure) -> &'static str {
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
            V::NotText(..) | V::TooManyChanges(_) | V::Settings { .. } => "invalid_input",
            V::TooLarge { .. } => "overflow",
            V::NoChange(_) | V::NotKept(_) | V::NoHistory => "note_not_found",
            V::Io { .. } | V::History(_) | V::HistoryUnreadable(_) => "internal_error",
        },
        Failure::Forbidden { .. } | Failure::OtherVault(_) | Failure::Declined => "forbidden",
        Failure::ConfirmationNeeded(_) => "elicit_required",
        Failure::Throttled { .. } => "throttled",
        Failure::KeyMismatch => "idempotency_key_mismatch",
        Failure::KeyInFlight => "idempotency_in_flight",
        Failure::TooLong { .. } => "overflow",
        Failure::Partial { .. } => "bulk_partial",
        Failure::UndoConflict { .. } => "concurrent_modification",
        Failure::NoSuchNote(_) => "note_not_found",
        Failure::UnknownVault { .. } => "vault_not_found",
        Failure::Logic(_) => "jsonlogic_error",
        Failure::Bases(_) => "bases_syntax_error",
        Failure::Dql { .. } => "dql_error",
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
        Failure::UnknownTool(_) | Failure::UnknownCapability(_) => "not_found",
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
        | Failure::Bases(_)
        | Failure::Dql { .. }
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
        | Failure::Declined
        | Failure::OtherVault(_) => (-32005, "PERMISSION_DENIED"),
        Failure::ConfirmationNeeded(_) => (-32005, "CONFIRMATION_REQUIRED"),
        Failure::Throttled { .. } => (-32000, "RATE_LIMITED"),
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
    const UNTYPED: &[(&str, &str)] = &[
        ("search_vault", "query"),
        ("find_notes_by_property", "value"),
        ("bulk_set_property", "value"),
        ("apply", "value"),
        ("update_frontmatter", "value"),
        ("update_base", "filters"),
        ("query_base", "override_filters"),
    ];

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
        surfaces().flat_map(|surface| surface.tools().map(move |tool| (surface, tool)))
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
            let mut names: Vec<&str> = surface.tools().map(|tool| tool.spec.name).collect();
            names.sort_unstable();
            let count = names.len();
            names.dedup();
            assert_eq!(names.len(), count, "{}", surface.name);
        }
    }

    #[test]
    fn every_schema_is_plain_and_fully_validated() {
        for (surface, tool) in tools() {
            let schema = Value::Object(surface.input_schema(tool));
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
        for (surface, tool) in tools() {
            let description = (tool.description)();
            assert!((20..=500).contains(&description.len()), "{}: {description:?}", tool.spec.name);
            let schema = surface.input_schema(tool);
            for (field, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
                assert!(property["description"].is_string(), "{}.{field} has no description", tool.spec.name);
            }
        }
    }

    #[test]
    fn effects_and_scopes_agree() {
        for (_, tool) in tools() {
            // What the facade calls is checked for itself.
            if tool.spec.name == facade::CALL_CAPABILITY {
                continue;
            }
            // What an administrator does changes the server, if anything, and no note.
            if !tool.spec.scopes.is_empty() && tool.spec.scopes.iter().all(|scope| scope.starts_with("admin:")) {
                continue;
            }
            let looks = |scope: &&&str| scope.starts_with("read:") || scope.ends_with(":search");
            let mutates = !tool.spec.scopes.iter().all(|scope| looks(&scope));
            assert_eq!(mutates, !tool.spec.effect.is_read_only(), "{}", tool.spec.name);
        }
    }
}

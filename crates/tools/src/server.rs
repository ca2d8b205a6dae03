//! What tools may ask of the program around them.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::capabilities::Capability;
use crate::context::Workspace;
use crate::failure::Failure;
use crate::state_door::StateDoor;

/// The program around the tools, as one caller sees it.
pub trait Server: Send + Sync {
    /// The vaults that the caller may use, the default one first.
    fn vaults(&self) -> Vec<Arc<Workspace>>;

    /// How the server is set up, never a secret: `auth_mode`, and the objects `limits`, `observability` and `plugins_detected`.
    fn summary(&self) -> Map<String, Value>;

    /// The tools that the caller may use, whatever `tools/list` shows of them.
    fn capabilities(&self) -> Vec<Capability>;

    /// Whether somebody with these scopes may do this to a path, by the function that enforces it.
    fn decide(&self, question: &AccessQuestion<'_>) -> Result<AccessAnswer, Failure>;

    /// What callers may do in a vault, as its configuration says.
    fn rules(&self, vault: &str) -> Result<VaultRules, Failure>;

    /// Reads the configuration again and applies what can change while serving; returns the keys that changed.
    fn reload(&self, vault: &str) -> Result<Vec<String>, Failure>;

    /// Drops what can be made again; returns how much of each there was.
    fn reset(&self, vault: &str, parts: &ResetParts) -> Result<Map<String, Value>, Failure>;

    fn metrics(&self, vault: Option<&str>) -> Vec<Metric>;

    fn uptime_ms(&self) -> u64;

    /// What is remembered beside the vault.
    fn state(&self) -> Result<StateDoor, Failure>;
}

/// The rules of a vault: lists of globs, none where everything is allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VaultRules {
    pub read_only: bool,
    pub read_paths: Option<Vec<String>>,
    pub write_paths: Option<Vec<String>>,
    pub delete_paths: Option<Vec<String>>,
}

pub struct AccessQuestion<'a> {
    pub vault: &'a str,
    pub path: &'a str,
    pub operation: quillgate_vault::Operation,
    pub scopes: &'a [String],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessAnswer {
    pub allowed: bool,
    pub matched_rule: Option<String>,
    pub denied_by: Option<String>,
    pub kill_switch: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct ResetParts {
    pub chunks: bool,
    pub embeddings: bool,
    pub idempotency_keys: bool,
    pub event_log: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct Metric {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub value: f64,
    pub labels: Map<String, Value>,
}

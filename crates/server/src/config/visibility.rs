//! Which tools clients are shown, and which they can call at all.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolVisibilityConfig {
    /// The only tools that are listed. Others can still be called by name. Left out, all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Vec<String>>,
    /// Tools that are not listed, but can be called by name.
    pub hidden: Vec<String>,
    /// Tools that cannot be called, as if they did not exist.
    pub disabled: Vec<String>,
    /// Domains whose tools are not listed, but can be called by name.
    pub hidden_tags: Vec<String>,
    /// Domains whose tools cannot be called, as if they did not exist.
    pub disabled_tags: Vec<String>,
    /// List only tools that change nothing.
    pub require_read_only: bool,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolFacadeConfig {
    /// What the `engine` surface lists: `triad` three tools to find, describe and call all others, `domain` one tool per domain, `flat`
    /// all. Every tool can be called by name in each of them.
    pub mode: FacadeMode,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FacadeMode {
    #[default]
    Triad,
    Domain,
    Flat,
}

//! How large an answer may be, how long a search may take, and what needs a human's word.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct GovernorConfig {
    /// The largest result of a call, in bytes. Longer notes are cut, longer lists are refused with the limit that fits.
    #[schemars(range(min = 1))]
    pub max_response_bytes: usize,
    /// How long a search by regular expression may take, in milliseconds; `limits.regexTimeoutMs` if left out.
    #[schemars(range(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex_timeout_ms: Option<u64>,
}

impl Default for GovernorConfig {
    fn default() -> GovernorConfig {
        GovernorConfig { max_response_bytes: 1_000_000, regex_timeout_ms: None }
    }
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfirmConfig {
    /// Tools, such as `vault_write`, and scopes, such as `write:notes` or `write:*`, that need the word of a human every time, beside
    /// those that always do.
    pub always: Vec<String>,
}

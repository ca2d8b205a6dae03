//! What the server does by itself: sweeping, and remembering how files were.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct MaintenanceConfig {
    /// Whether what has expired is dropped, and what is kept is trimmed to `observability.retention`, from time to time.
    pub enabled: bool,
    /// Minutes from one time to the next.
    #[schemars(range(min = 1))]
    pub interval_minutes: u64,
}

impl Default for MaintenanceConfig {
    fn default() -> MaintenanceConfig {
        MaintenanceConfig { enabled: true, interval_minutes: 60 }
    }
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct HistoryConfig {
    /// Whether every change leaves the file as it was before in the data directory, so that it can be undone.
    pub enabled: bool,
}

impl Default for HistoryConfig {
    fn default() -> HistoryConfig {
        HistoryConfig { enabled: true }
    }
}

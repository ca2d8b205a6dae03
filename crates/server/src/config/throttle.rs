//! How often one caller may call.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ThrottleConfig {
    /// With `false`, nobody is held back.
    pub enabled: bool,
    /// Tools that look.
    #[serde(deserialize_with = "read")]
    #[schemars(with = "PartOfRate")]
    pub read: RateConfig,
    /// Tools that change a note.
    #[serde(deserialize_with = "write")]
    #[schemars(with = "PartOfRate")]
    pub write: RateConfig,
    /// Tools that delete.
    #[serde(deserialize_with = "delete")]
    #[schemars(with = "PartOfRate")]
    pub delete: RateConfig,
    /// Tools that change many notes at once.
    #[serde(deserialize_with = "bulk")]
    #[schemars(with = "PartOfRate")]
    pub bulk: RateConfig,
    /// Tools that run something.
    #[serde(deserialize_with = "execute")]
    #[schemars(with = "PartOfRate")]
    pub execute: RateConfig,
    /// Tools for the operator.
    #[serde(deserialize_with = "admin")]
    #[schemars(with = "PartOfRate")]
    pub admin: RateConfig,
    /// Calls that change something in one vault at the same time, of all callers together.
    #[schemars(range(min = 1))]
    pub max_concurrent_writes_per_vault: usize,
}

/// Calls of one caller, in one vault, with tools of one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RateConfig {
    pub per_minute: u32,
    pub burst: u32,
}

impl Default for ThrottleConfig {
    fn default() -> ThrottleConfig {
        let rate = |per_minute, burst| RateConfig { per_minute, burst };
        ThrottleConfig {
            enabled: true,
            read: rate(600, 100),
            write: rate(60, 20),
            delete: rate(30, 10),
            bulk: rate(10, 3),
            execute: rate(5, 1),
            admin: rate(30, 10),
            max_concurrent_writes_per_vault: 16,
        }
    }
}

/// What a file says about a class; the rest is that class's default.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct PartOfRate {
    /// Calls per minute of one caller in one vault, in the long run.
    #[schemars(range(min = 1))]
    per_minute: Option<u32>,
    /// Calls that may come at once.
    #[schemars(range(min = 1))]
    burst: Option<u32>,
}

macro_rules! completed_by_the_default {
    ($($class:ident),*) => {
        $(fn $class<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RateConfig, D::Error> {
            let given = PartOfRate::deserialize(deserializer)?;
            let default = ThrottleConfig::default().$class;
            Ok(RateConfig {
                per_minute: given.per_minute.unwrap_or(default.per_minute),
                burst: given.burst.unwrap_or(default.burst),
            })
        })*
    };
}

completed_by_the_default!(read, write, delete, bulk, execute, admin);

//! Where to listen, in the spelling of other servers' files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Unused;

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct TransportsConfig {
    /// The command chooses: `quillgate stdio`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdio: Option<Unused>,
    /// Serving over HTTP.
    pub http: HttpTransportConfig,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct HttpTransportConfig {
    /// The command chooses: `quillgate serve`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<Unused>,
    /// The address of `listenAddr`, if that is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The port of `listenAddr`, if that is left out.
    #[schemars(range(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// Must not be `false`: `Host` and `Origin` are always checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_dns_rebinding_protection: Option<bool>,
    /// `serverUrl` says under which host clients come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_hosts: Option<Unused>,
    /// The same as `allowedOrigins`, if that is left out.
    pub allowed_origins: Vec<String>,
}

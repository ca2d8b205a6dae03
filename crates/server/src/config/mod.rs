//! Everything that can be configured, declared once: the field docs are the user's documentation.

mod acl;
mod auth;
mod file;
mod governor;
mod keys;
mod observability;
mod paths;
mod schema;
mod sources;
mod throttle;
mod transports;
mod unused;
mod upkeep;
mod vaults;
mod visibility;

pub(crate) use auth::seven_days;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use quillgate_index::{IndexSettings, Language};
use quillgate_tools::{Settings, SyncCommand};
use quillgate_vault::{Durability, Limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use acl::{AclConfig, AclRule};
pub use auth::{
    AuthConfig, AuthMode, ClientConfig, KeyConfig, Modes, RateLimitsConfig, Secret, SiteConfig, UpstreamConfig, UserConfig,
};
pub(crate) use file::{Broken, Loaded, Origins, Problem, SPELLINGS};
pub use governor::{ConfirmConfig, GovernorConfig};
pub(crate) use keys::{Key, find_key, general, keys, nearest_keys};
pub use observability::{
    CloudEventsConfig, LogFormat, LogsConfig, ObservabilityConfig, OtelConfig, PrometheusConfig, RetentionConfig,
};
pub(crate) use schema::SCHEMA;
pub use sources::SourceConfig;
pub use throttle::{RateConfig, ThrottleConfig};
pub use transports::{HttpTransportConfig, TransportsConfig};
pub use unused::Unused;
pub use upkeep::{HistoryConfig, MaintenanceConfig};
pub use vaults::{VaultConfig, VaultEntry};
pub use visibility::{FacadeMode, ToolFacadeConfig, ToolVisibilityConfig};

/// Quillgate's configuration file, in JSON, YAML or TOML. Every key is optional; command-line flags and environment variables
/// win over the file.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Config {
    /// Where it was read from.
    #[serde(skip)]
    #[schemars(skip)]
    pub file: Option<PathBuf>,
    /// Folder of the vault, when there is one. Flag `--vault-path`, environment `VAULT_PATH`; either of them serves that vault alone,
    /// whatever `vaults` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vault_path: Option<PathBuf>,
    /// Several vaults, each with an id of its own; instead of `vaultPath`.
    pub vaults: Vec<VaultConfig>,
    /// Id of the vault that calls mean if they name none; the first by default. Environment `QUILLGATE_DEFAULT_VAULT` or
    /// `OBSIDIAN_TC_DEFAULT_VAULT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_vault: Option<String>,
    /// Folder for everything of ours: catalogue, locks, history. Never inside a vault. Flag `--data-dir`, environment
    /// `QUILLGATE_DATA_DIR`; by default the platform's data directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_dir: Option<PathBuf>,
    /// Address and port to serve HTTP on; `:8090` means all interfaces. Flag `--listen-addr`, environment `LISTEN_ADDR`;
    /// `127.0.0.1:8090` by default (port 1065 when `notes` is the first surface; all interfaces with trusted networks, or with a login and a
    /// server URL). The
    /// environment's `PORT` sets the port alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listen_addr: Option<String>,
    /// The URL under which clients reach this server, when it is not the listening address. Flag `--server-url`, environment
    /// `SERVER_URL`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_url: Option<String>,
    /// Surfaces to serve: `essentials`, `vault`, `notes`, `cli`, `engine`, `articles`. The first is the default one at `/mcp`, each is also at
    /// `/mcp/<name>`. Flag `--surface`, repeatable.
    pub surfaces: Vec<String>,
    /// Networks whose members may connect without login, such as `192.168.1.0/24` or `100.64.0.0/10`. With one, the server may
    /// listen on other addresses than loopback; everybody else is refused. Flag `--trusted-network`, repeatable.
    pub trusted_networks: Vec<String>,
    /// Proxies in front of this server, such as `127.0.0.1` or `10.0.0.0/8`. Only what they say about the address of a client
    /// (`X-Forwarded-For`) is believed.
    pub trusted_proxies: Vec<String>,
    /// Origins of web pages that may speak to this server, such as `https://app.example.com`, beside its own and this machine's.
    pub allowed_origins: Vec<String>,
    /// Where logins, clients and tokens are remembered: `sqlite:/path/to/file` or `postgres://user@host/database`. Environment
    /// `QUILLGATE_STATE`; by default a SQLite file in the data directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Secret>,
    /// Who may connect over HTTP.
    pub auth: AuthConfig,
    /// Requests per minute.
    pub rate_limits: RateLimitsConfig,
    /// Further addresses that this server answers under.
    pub sites: Vec<SiteConfig>,
    /// Which files may be read, written and deleted, and by whom: the rules of every vault that has none of its own.
    pub acl: AclConfig,
    /// How often one caller may call. Callers who logged in are always limited; the program that started `quillgate stdio`, or callers of
    /// a server without login, only if this is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttle: Option<ThrottleConfig>,
    /// How large an answer may be, and how long a search may take.
    pub governor: GovernorConfig,
    /// What needs the word of a human. This can only ask for more than the tools do.
    pub confirm: ConfirmConfig,
    /// How long a human may take to agree to a call, in seconds.
    #[schemars(range(min = 1))]
    pub elicit_ttl_seconds: u64,
    /// For how long a call that is repeated with its idempotency key gets the first answer, in seconds.
    #[schemars(range(min = 1))]
    pub idempotency_ttl_seconds: u64,
    /// After how many seconds a call with an idempotency key counts as crashed and may be made again. Longer than any call takes.
    #[schemars(range(min = 1))]
    pub idempotency_reclaim_seconds: u64,
    /// Which tools clients are shown, and which they can call at all.
    pub tool_visibility: ToolVisibilityConfig,
    /// How many tools the `engine` surface lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_facade: Option<ToolFacadeConfig>,
    /// Remembering how files were.
    pub history: HistoryConfig,
    /// Dropping what has expired.
    pub maintenance: MaintenanceConfig,
    /// How much is logged: `error`, `warn`, `info`, `debug`, `trace`, or a tracing filter. Flag `--log-level`, environment
    /// `LOG_LEVEL`; `info` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_level: Option<String>,
    /// Reading files.
    pub read: ReadConfig,
    /// Writing files.
    pub write: WriteConfig,
    /// How searches work.
    pub search: SearchConfig,
    /// The command behind `vault_sync`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync: Option<SyncConfig>,
    /// The running app.
    pub app: AppConfig,
    /// Other sites whose articles the `articles` surface searches, a tool each. `vk` is built in and needs only its name.
    pub sources: Vec<SourceConfig>,
    /// What the operator gets to see of the calls, and for how long it is kept.
    pub observability: ObservabilityConfig,
    /// Limits that keep one client from taking everything.
    pub limits: LimitsConfig,
    /// Where to listen, in the spelling of other servers' files.
    pub transports: TransportsConfig,
    /// A reader for other memories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plur: Option<Unused>,
    /// Vectors for search by meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embeddings: Option<Unused>,
    /// Work while nobody calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plane: Option<Unused>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            file: None,
            vault_path: None,
            vaults: Vec::new(),
            default_vault: None,
            data_dir: None,
            listen_addr: None,
            server_url: None,
            surfaces: Vec::new(),
            trusted_networks: Vec::new(),
            trusted_proxies: Vec::new(),
            allowed_origins: Vec::new(),
            state: None,
            auth: AuthConfig::default(),
            rate_limits: RateLimitsConfig::default(),
            sites: Vec::new(),
            acl: AclConfig::default(),
            throttle: None,
            governor: GovernorConfig::default(),
            confirm: ConfirmConfig::default(),
            elicit_ttl_seconds: 300,
            idempotency_ttl_seconds: 86_400,
            idempotency_reclaim_seconds: 60,
            tool_visibility: ToolVisibilityConfig::default(),
            tool_facade: None,
            history: HistoryConfig::default(),
            maintenance: MaintenanceConfig::default(),
            log_level: None,
            read: ReadConfig::default(),
            write: WriteConfig::default(),
            search: SearchConfig::default(),
            sync: None,
            app: AppConfig::default(),
            sources: Vec::new(),
            observability: ObservabilityConfig::default(),
            limits: LimitsConfig::default(),
            transports: TransportsConfig::default(),
            plur: None,
            embeddings: None,
            plane: None,
        }
    }
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadConfig {
    /// A file with more lines than this is cut when it is read from the start without a limit.
    pub threshold_lines: usize,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct WriteConfig {
    /// What a write survives once it is answered: `full` a loss of power, `relaxed` the end of this program, but faster.
    /// Either way a file has its old bytes or its new ones, never half of them.
    pub durability: DurabilityConfig,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DurabilityConfig {
    #[default]
    Full,
    Relaxed,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchConfig {
    /// The most lines that a search by regular expression returns.
    pub max_lines: usize,
    /// `on` keeps a text index, so that searches open only the files that can match; `off` reads all files for every search.
    pub index: TextIndexing,
    /// `english` finds `running` by `run` in ranked search; `none` takes words as they are. A change builds the index anew.
    pub stemming: Stemming,
    /// `ignore` finds `café` by `cafe` in ranked search; `keep` tells them apart. A change builds the index anew.
    pub diacritics: Diacritics,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TextIndexing {
    #[default]
    On,
    Off,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Stemming {
    #[default]
    English,
    None,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Diacritics {
    #[default]
    Ignore,
    Keep,
}

impl SearchConfig {
    pub fn index_settings(&self) -> IndexSettings {
        let stemming = match self.stemming {
            Stemming::English => quillgate_index::Stemming::English,
            Stemming::None => quillgate_index::Stemming::None,
        };
        let diacritics = match self.diacritics {
            Diacritics::Ignore => quillgate_index::Diacritics::Ignore,
            Diacritics::Keep => quillgate_index::Diacritics::Keep,
        };
        IndexSettings { without_text: self.index == TextIndexing::Off, language: Language { stemming, diacritics } }
    }
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SyncConfig {
    /// Program and arguments, such as `["rclone", "sync", "drive:Vault", "."]`. Never passed to a shell.
    pub command: Vec<String>,
    /// Stopped after this many seconds.
    #[serde(default = "ten_minutes")]
    pub timeout_seconds: u64,
    /// Where it runs; the vault by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct AppConfig {
    /// The app's command line program.
    pub command: String,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct LimitsConfig {
    /// The largest HTTP request body, in bytes.
    pub max_request_bytes: usize,
    /// The largest message on standard input, in bytes.
    pub max_line_bytes: usize,
    /// The largest file that is read or written, in bytes.
    pub max_file_bytes: u64,
    /// Sessions of older clients that may be open at once.
    pub max_sessions: usize,
    /// HTTP connections that may be open at once; more wait.
    pub max_connections: usize,
    /// Calls that run at once; more wait.
    pub max_concurrent_calls: usize,
    /// Seconds that a call may take.
    pub timeout_seconds: u64,
    /// Seconds for single tools, by name.
    pub tool_timeout_seconds: BTreeMap<String, u64>,
    /// Milliseconds that a search by regular expression may take once the vault is indexed.
    pub regex_timeout_ms: u64,
}

impl Default for ReadConfig {
    fn default() -> ReadConfig {
        ReadConfig { threshold_lines: Settings::default().read_lines }
    }
}

impl Default for SearchConfig {
    fn default() -> SearchConfig {
        SearchConfig {
            max_lines: Settings::default().search_lines,
            index: TextIndexing::default(),
            stemming: Stemming::default(),
            diacritics: Diacritics::default(),
        }
    }
}

impl Default for AppConfig {
    fn default() -> AppConfig {
        AppConfig { command: Settings::default().app_program }
    }
}

impl Default for LimitsConfig {
    fn default() -> LimitsConfig {
        LimitsConfig {
            max_request_bytes: 16 << 20,
            max_line_bytes: 32 << 20,
            max_file_bytes: Limits::default().file_bytes,
            max_sessions: 500,
            max_connections: 2000,
            max_concurrent_calls: 64,
            timeout_seconds: 30,
            tool_timeout_seconds: BTreeMap::new(),
            regex_timeout_ms: u64::try_from(Settings::default().regex_limit.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl From<DurabilityConfig> for Durability {
    fn from(config: DurabilityConfig) -> Durability {
        match config {
            DurabilityConfig::Full => Durability::Full,
            DurabilityConfig::Relaxed => Durability::Relaxed,
        }
    }
}

fn ten_minutes() -> u64 {
    600
}

impl Config {
    /// Reads a file by its extension; anything but `.toml` and `.json` is taken for YAML.
    pub fn read(path: &Path) -> anyhow::Result<Config> {
        Ok(Loaded::read(path)?.config)
    }

    pub fn tool_settings(&self) -> Settings {
        let sync = self.sync.as_ref().map(|sync| SyncCommand {
            command: sync.command.clone(),
            limit: Duration::from_secs(sync.timeout_seconds),
            folder: sync.folder.clone(),
        });
        Settings {
            read_lines: self.read.threshold_lines.max(1),
            search_lines: self.search.max_lines,
            regex_limit: Duration::from_millis(self.governor.regex_timeout_ms.unwrap_or(self.limits.regex_timeout_ms)),
            sync,
            app_program: self.app.command.clone(),
        }
    }

    /// How long one call of a tool may take. A sync has the time of its command.
    pub fn time_limit(&self, tool: &str) -> Duration {
        let own = self.limits.tool_timeout_seconds.get(tool).copied();
        let sync = self.sync.as_ref().filter(|_| tool == "vault_sync").map(|sync| sync.timeout_seconds + 60);
        Duration::from_secs(own.or(sync).unwrap_or(self.limits.timeout_seconds).max(1))
    }
}

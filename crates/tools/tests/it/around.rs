//! The program around the tools, as far as tools can tell: one vault, everything allowed, a state of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use quillgate_state::{Location, State};
use quillgate_tools::{
    AccessAnswer, AccessQuestion, Capability, Failure, Metric, ReplyTimes, ResetParts, Server, StateDoor, VaultRules, Workspace,
    catalogue,
};
use quillgate_vault::Operation;
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;

pub(crate) struct Around {
    workspace: Arc<Workspace>,
    folder: PathBuf,
}

impl Around {
    pub(crate) fn new(workspace: &Arc<Workspace>, folder: &Path) -> Around {
        Around { workspace: workspace.clone(), folder: folder.to_owned() }
    }
}

/// All tests of one process share it, since a state lives as long as its runtime.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().unwrap())
}

impl Server for Around {
    fn vaults(&self) -> Vec<Arc<Workspace>> {
        vec![self.workspace.clone()]
    }

    fn summary(&self) -> Map<String, Value> {
        let limits = json!({"max_response_bytes": 1_000_000});
        let summary = json!({"auth_mode": "none", "limits": limits, "observability": {"metrics": true}, "plugins_detected": {}});
        summary.as_object().unwrap().clone()
    }

    fn capabilities(&self) -> Vec<Capability> {
        let domains = catalogue().domains.iter();
        domains.flat_map(|domain| domain.tools.iter().map(|tool| Capability { tool, domain: domain.name })).collect()
    }

    /// Only those who may write secrets may do anything to them.
    fn decide(&self, question: &AccessQuestion<'_>) -> Result<AccessAnswer, Failure> {
        let is_secret = question.path.starts_with("secret/");
        let allowed = !is_secret || question.scopes.iter().any(|scope| scope == "write:secrets");
        let rule = is_secret.then(|| "secret/**".to_owned());
        let kill_switch = question.operation == Operation::Execute;
        let allowed = allowed && !kill_switch;
        Ok(AccessAnswer { allowed, denied_by: rule.clone().filter(|_| !allowed), matched_rule: rule, kill_switch })
    }

    fn rules(&self, _: &str) -> Result<VaultRules, Failure> {
        Ok(VaultRules { write_paths: Some(vec!["work/**".to_owned()]), ..VaultRules::default() })
    }

    fn reload(&self, vault: &str) -> Result<Vec<String>, Failure> {
        Ok(vec![format!("vaults.{vault}.acl")])
    }

    /// One row of each part that is to go.
    fn reset(&self, _: &str, parts: &ResetParts) -> Result<Map<String, Value>, Failure> {
        let ResetParts { chunks, embeddings, idempotency_keys, event_log } = *parts;
        let named =
            [("chunks", chunks), ("embeddings", embeddings), ("idempotency_keys", idempotency_keys), ("event_log", event_log)];
        Ok(named.into_iter().filter(|(_, goes)| *goes).map(|(name, _)| (name.to_owned(), json!(1))).collect())
    }

    fn metrics(&self, vault: Option<&str>) -> Vec<Metric> {
        let labels = vault.map(|vault| ("vault".to_owned(), json!(vault))).into_iter().collect();
        vec![Metric { name: "quillgate_tool_calls_total".to_owned(), kind: "counter", value: 2.0, labels }]
    }

    fn uptime_ms(&self) -> u64 {
        1
    }

    /// Opened once for each place, as a program does.
    fn state(&self) -> Result<StateDoor, Failure> {
        static STATES: Mutex<BTreeMap<PathBuf, Arc<State>>> = Mutex::new(BTreeMap::new());
        let mut states = STATES.lock().unwrap();
        let state = match states.get(&self.folder) {
            Some(state) => state.clone(),
            None => {
                let location = Location::Sqlite(self.folder.join("state.db"));
                let state = runtime().block_on(State::open(&location)).map_err(|error| Failure::Internal(error.to_string()))?;
                states.entry(self.folder.clone()).or_insert(Arc::new(state)).clone()
            }
        };
        let replies = ReplyTimes { kept: 86_400_000, crashed: 60_000 };
        Ok(StateDoor::new(state, runtime().handle().clone(), replies))
    }
}

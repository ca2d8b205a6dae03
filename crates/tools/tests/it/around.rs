//! The program around the tools, as far as tools can tell: one vault, everything allowed, a state of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use quillgate_state::{Location, State};
use quillgate_tools::{
    AccessAnswer, AccessQuestion, Capability, Failure, Metric, ResetParts, Server, StateDoor, Workspace, catalogue,
};
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
        json!({"version": "1"}).as_object().unwrap().clone()
    }

    fn capabilities(&self) -> Vec<Capability> {
        let domains = catalogue().domains.iter();
        domains.flat_map(|domain| domain.tools.iter().map(|tool| Capability { tool, domain: domain.name })).collect()
    }

    fn decide(&self, _: &AccessQuestion<'_>) -> Result<AccessAnswer, Failure> {
        Ok(AccessAnswer { allowed: true, matched_rule: None, denied_by: None, kill_switch: false })
    }

    fn reload(&self, _: &str) -> Result<Vec<String>, Failure> {
        Ok(Vec::new())
    }

    fn reset(&self, _: &str, _: &ResetParts) -> Result<Map<String, Value>, Failure> {
        Ok(Map::new())
    }

    fn metrics(&self, _: Option<&str>) -> Vec<Metric> {
        Vec::new()
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
        Ok(StateDoor::new(state, runtime().handle().clone()))
    }
}

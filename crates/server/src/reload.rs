//! Changing the rules while serving, and dropping what can be made again.

use std::sync::Arc;

use quillgate_tools::{Failure, ResetParts, StateDoor};
use quillgate_vault::Rules;
use serde_json::{Map, Value, json};

use crate::config::{Config, Loaded};
use crate::pipeline::Pipeline;
use crate::vaults::Served;

/// Keys whose values hold from the next call on; others need a restart.
const LIVE: [&str; 7] = ["acl", "vaults", "throttle", "governor", "toolVisibility", "confirm", "limits"];

/// Reads the configuration file again and applies what can change; a broken file changes nothing. Returns the keys that changed.
pub(crate) fn reload(pipeline: &Pipeline, vault: &str) -> Result<Vec<String>, Failure> {
    let Some(file) = &pipeline.config.file else {
        return Err(Failure::NotConfigured(
            "this server was started without a configuration file; there is nothing to reload".to_owned(),
        ));
    };
    let broken = |error: anyhow::Error| Failure::NotConfigured(format!("nothing was changed: {error:#}"));
    let mut fresh = Loaded::read(file).map_err(broken)?.config;
    // The command line's vault stays the only one.
    if let Some(path) = &pipeline.config.vault_path {
        fresh.serve_only(path.clone());
    }
    let mut rules = Vec::new();
    for served in pipeline.vaults.all() {
        let Some(entry) = fresh.vaults().into_iter().find(|entry| entry.id == served.id) else { continue };
        let compiled =
            Rules::compile(&entry.acl.rules(), served.whole().folds_case()).map_err(|problem| broken(problem.into()))?;
        rules.push((served.clone(), compiled));
    }
    if !fresh.vaults().iter().any(|entry| entry.id == vault) {
        return Err(Failure::NotConfigured(format!(
            "nothing was changed: the vault {vault:?} is not in the configuration any more"
        )));
    }
    let changed = pipeline.policy.replace(&fresh);
    // Last, since from here on nothing can fail.
    rules.into_iter().for_each(|(served, rules)| served.set_rules(rules));
    Ok(changed)
}

/// The keys in which two configurations differ, of those that can change while serving.
pub(crate) fn differing(before: &Config, after: &Config) -> Vec<String> {
    let [before, after] = [before, after].map(|config| serde_json::to_value(config).unwrap_or_default());
    LIVE.iter().filter(|key| before.get(**key) != after.get(**key)).map(|key| (*key).to_owned()).collect()
}

/// Drops the index, replies and records of a vault, as asked; all but the records are made again by themselves.
pub(crate) fn reset(served: &Arc<Served>, parts: &ResetParts, state: &StateDoor) -> Result<Map<String, Value>, Failure> {
    let mut dropped = Map::new();
    if parts.chunks {
        let index = &served.view(|_| true).workspace.index;
        dropped.insert("chunks".into(), json!(index.text_status().documents));
        index.rebuild();
    }
    if parts.embeddings {
        dropped.insert("embeddings".into(), json!(0));
    }
    if parts.idempotency_keys {
        let vault = served.id.clone();
        dropped.insert("idempotency_keys".into(), json!(state.wait(async |state| state.forget_replies(&vault).await)?));
    }
    if parts.event_log {
        return Err(Failure::NotConfigured(
            "the event log is a chain whose rows cannot be taken out; it is trimmed by age (observability.retention.auditDays)"
                .to_owned(),
        ));
    }
    Ok(dropped)
}

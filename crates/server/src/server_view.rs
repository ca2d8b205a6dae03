//! The server as one caller sees it: what tools about the server itself can ask.

use std::sync::Arc;

use quillgate_tools::{
    AccessAnswer, AccessQuestion, Capability, Failure, Metric, ResetParts, Server, StateDoor, VaultRules, Workspace,
};
use quillgate_vault::{Access, Operation};
use serde_json::{Map, Value};

use crate::caller::Caller;
use crate::mount::Mount;
use crate::pipeline::Pipeline;
use crate::{reload, summary, telemetry};

pub(crate) struct ServerView {
    pipeline: Arc<Pipeline>,
    mount: Arc<Mount>,
    caller: Caller,
}

impl ServerView {
    pub(crate) fn new(pipeline: Arc<Pipeline>, mount: Arc<Mount>, caller: Caller) -> ServerView {
        ServerView { pipeline, mount, caller }
    }

    fn holds(&self, scope: &str) -> bool {
        self.caller.holds(scope)
    }
}

impl Server for ServerView {
    fn vaults(&self) -> Vec<Arc<Workspace>> {
        let bound = self.caller.bound_vault();
        let usable = self.pipeline.vaults.all().iter().filter(|vault| bound.is_none_or(|bound| bound == vault.id));
        usable.map(|vault| vault.view(|scope| self.holds(scope)).workspace).collect()
    }

    fn summary(&self) -> Map<String, Value> {
        summary::of(&self.pipeline, &self.vaults())
    }

    fn capabilities(&self) -> Vec<Capability> {
        let policy = self.pipeline.policy.current();
        let usable = self.mount.behind_facade().filter(|known| {
            policy.shows(known.tool, known.domain) && known.tool.spec.scopes.iter().all(|scope| self.holds(scope))
        });
        usable.map(|known| Capability { tool: known.tool, domain: known.domain }).collect()
    }

    fn decide(&self, question: &AccessQuestion<'_>) -> Result<AccessAnswer, Failure> {
        let served = self.pipeline.choose_vault(Some(question.vault), &self.caller)?;
        let scopes = quillgate_oauth::Scopes::parse(&question.scopes.join(" "))
            .map_err(|problem| Failure::InvalidInput(vec![quillgate_tools::Issue::new("scopes", problem.to_string())]))?;
        let access = Access::of(served.rules(), |scope| scopes.covers(scope));
        let decision = access.decide(question.path, question.operation);
        Ok(AccessAnswer {
            allowed: decision.allowed,
            matched_rule: decision.matched_rule,
            denied_by: decision.denied_by,
            kill_switch: decision.kill_switch,
        })
    }

    fn rules(&self, vault: &str) -> Result<VaultRules, Failure> {
        let rules = self.pipeline.choose_vault(Some(vault), &self.caller)?.rules();
        Ok(VaultRules {
            read_only: rules.is_read_only(),
            read_paths: rules.globs(Operation::Read),
            write_paths: rules.globs(Operation::Write),
            delete_paths: rules.globs(Operation::Delete),
        })
    }

    fn reload(&self, vault: &str) -> Result<Vec<String>, Failure> {
        reload::reload(&self.pipeline, vault)
    }

    fn reset(&self, vault: &str, parts: &ResetParts) -> Result<Map<String, Value>, Failure> {
        let served = self.pipeline.choose_vault(Some(vault), &self.caller)?;
        reload::reset(served, parts, &self.state()?)
    }

    fn metrics(&self, vault: Option<&str>) -> Vec<Metric> {
        self.pipeline.telemetry.list(vault).into_iter().map(shown).collect()
    }

    fn uptime_ms(&self) -> u64 {
        u64::try_from(self.pipeline.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn state(&self) -> Result<StateDoor, Failure> {
        self.pipeline.ledger.door()
    }
}

/// A metric as tools show it.
fn shown(metric: telemetry::Metric) -> Metric {
    let labels = metric.labels.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect();
    Metric { name: metric.name, kind: metric.kind.as_str(), value: metric.value, labels }
}

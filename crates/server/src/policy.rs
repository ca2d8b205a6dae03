//! What the operator decides about calls, and may change while serving.

use std::sync::Arc;

use parking_lot::RwLock;
use quillgate_oauth::Scopes;
use quillgate_tools::{Rate, Registered};

use crate::config::{Config, ThrottleConfig, Tier, ToolVisibilityConfig};

/// Scopes so strong that a human is asked whatever the tool says.
const FLOORS: [&str; 3] = ["execute:*", "write:templater", "admin:auth"];

/// The policy of the moment; a call keeps to the one that it began with.
pub(crate) struct Policy(RwLock<Arc<Decisions>>);

pub(crate) struct Decisions {
    pub(crate) max_response_bytes: usize,
    /// What a caller may do who needs no token; empty means everything.
    pub(crate) local_scopes: Scopes,
    throttle: Option<ThrottleConfig>,
    visibility: ToolVisibilityConfig,
    /// Tools and scopes for which the operator wants a human to be asked.
    confirm: Vec<String>,
}

impl Policy {
    pub(crate) fn of(config: &Config) -> anyhow::Result<Policy> {
        Ok(Policy(RwLock::new(Arc::new(Decisions::of(config)?))))
    }

    pub(crate) fn current(&self) -> Arc<Decisions> {
        self.0.read().clone()
    }

    pub(crate) fn replace(&self, config: &Config) -> anyhow::Result<()> {
        *self.0.write() = Arc::new(Decisions::of(config)?);
        Ok(())
    }
}

impl Decisions {
    fn of(config: &Config) -> anyhow::Result<Decisions> {
        Ok(Decisions {
            max_response_bytes: config.governor.max_response_bytes,
            local_scopes: Scopes::parse(&config.acl.default_scopes.join(" "))?,
            throttle: config.throttle.clone(),
            visibility: config.tool_visibility.clone(),
            confirm: config.confirm.always.clone(),
        })
    }

    /// Whether a tool exists as far as callers are concerned.
    pub(crate) fn shows(&self, tool: &Registered, domain: &str) -> bool {
        self.visibility.shows(tool.spec.name, domain, tool.spec.effect.is_read_only())
    }

    /// Whether a human must be asked, whatever the tool's own rules say.
    pub(crate) fn demands_consent(&self, tool: &Registered) -> bool {
        let has_floor = |scope: &&str| FLOORS.iter().any(|floor| matches(floor, scope));
        let is_demanded = |name: &str| self.confirm.iter().any(|demanded| matches(demanded, name));
        tool.spec.scopes.iter().any(has_floor)
            || is_demanded(tool.spec.name)
            || tool.spec.scopes.iter().any(|scope| is_demanded(scope))
    }

    /// How often a class of calls may be made. Whoever needs no token is not counted unless the operator wants it.
    pub(crate) fn tier(&self, class: Rate, needs_token: bool) -> Option<Tier> {
        let throttle = match &self.throttle {
            Some(throttle) if !throttle.enabled => return None,
            Some(throttle) => throttle,
            None if needs_token => return Some(ThrottleConfig::default().tier(class)),
            None => return None,
        };
        Some(throttle.tier(class))
    }
}

fn matches(pattern: &str, word: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        None => pattern == word,
    }
}

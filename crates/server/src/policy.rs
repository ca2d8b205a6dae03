//! What the operator decides about calls, and may change while serving.

use std::sync::Arc;

use parking_lot::RwLock;
use quillgate_tools::{Rate, Registered};

use crate::config::{Config, RateConfig, ThrottleConfig, ToolVisibilityConfig};
use crate::reload::differing;

/// Scopes so strong that a human is asked whatever the tool says.
const FLOORS: [&str; 3] = ["execute:*", "write:templater", "admin:auth"];

/// The policy of the moment; a call keeps to the one that it began with.
pub(crate) struct Policy(RwLock<(Arc<Decisions>, Config)>);

pub(crate) struct Decisions {
    pub(crate) max_response_bytes: usize,
    throttle: Option<ThrottleConfig>,
    visibility: ToolVisibilityConfig,
    /// Tools and scopes for which the operator wants a human to be asked.
    confirm: Vec<String>,
}

impl Policy {
    pub(crate) fn of(config: &Config) -> Policy {
        Policy(RwLock::new((Arc::new(Decisions::of(config)), config.clone())))
    }

    pub(crate) fn current(&self) -> Arc<Decisions> {
        self.0.read().0.clone()
    }

    /// Decides by another configuration from now on; returns the keys that differ.
    pub(crate) fn replace(&self, config: &Config) -> Vec<String> {
        let decisions = Arc::new(Decisions::of(config));
        let mut current = self.0.write();
        let changed = differing(&current.1, config);
        *current = (decisions, config.clone());
        changed
    }
}

impl Decisions {
    fn of(config: &Config) -> Decisions {
        Decisions {
            max_response_bytes: config.governor.max_response_bytes,
            throttle: config.throttle.clone(),
            visibility: config.tool_visibility.clone(),
            confirm: config.confirm.always.clone(),
        }
    }

    /// Whether a tool exists as far as callers are concerned.
    pub(crate) fn shows(&self, tool: &Registered, domain: &str) -> bool {
        let ToolVisibilityConfig { allowed, hidden, disabled, hidden_tags, disabled_tags, require_read_only } = &self.visibility;
        let is_named = |names: &[String]| names.iter().any(|name| matches(name, tool.spec.name));
        let is_tagged = |tags: &[String]| tags.iter().any(|tag| tag == domain);
        allowed.as_deref().is_none_or(is_named)
            && !is_named(hidden)
            && !is_named(disabled)
            && !is_tagged(hidden_tags)
            && !is_tagged(disabled_tags)
            && (!require_read_only || tool.spec.effect.is_read_only() || domain == "facade")
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
    pub(crate) fn tier(&self, class: Rate, needs_token: bool) -> Option<RateConfig> {
        let throttle = match &self.throttle {
            Some(throttle) if !throttle.enabled => return None,
            Some(throttle) => throttle,
            None if needs_token => &ThrottleConfig::default(),
            None => return None,
        };
        Some(match class {
            Rate::Read => throttle.read,
            Rate::Write => throttle.write,
            Rate::Delete => throttle.delete,
            Rate::Bulk => throttle.bulk,
            Rate::Execute => throttle.execute,
            Rate::Admin => throttle.admin,
        })
    }
}

fn matches(pattern: &str, word: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        None => pattern == word,
    }
}

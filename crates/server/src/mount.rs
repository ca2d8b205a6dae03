//! A surface made ready: schemas are built once, and the facade knows what stands behind it.

use std::collections::HashMap;

use quillgate_tools::{CALL_CAPABILITY, Domain, Failure, Registered, Surface, catalogue, check_arguments, domain_schema};
use serde_json::{Map, Value};

use crate::config::{Config, FacadeMode};
use crate::policy::Decisions;

/// The surface of sources that are not vaults.
pub(crate) const ARTICLES: &str = "articles";
const FACADE: &str = "facade";

pub(crate) struct Mount {
    pub(crate) surface: &'static Surface,
    pub(crate) mode: FacadeMode,
    tools: HashMap<&'static str, Known>,
    /// What the facade leads to.
    behind: HashMap<&'static str, Known>,
}

/// A tool with its schema.
pub(crate) struct Known {
    pub(crate) tool: &'static Registered,
    pub(crate) domain: &'static str,
    pub(crate) schema: Map<String, Value>,
}

impl Mount {
    pub(crate) fn new(surface: &'static Surface, config: &Config) -> Mount {
        // The mode shapes the surface of many tools; the others are short enough to be shown as they are.
        let mode = config.tool_facade.as_ref().filter(|_| surface.name == catalogue().name).map(|facade| facade.mode);
        let mode = mode.unwrap_or(FacadeMode::Flat);
        let has_facade = surface.domains.iter().any(|domain| domain.name == FACADE);
        let behind = if has_facade { known(catalogue()) } else { HashMap::new() };
        Mount { surface, mode, tools: known(surface), behind }
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Known> {
        self.tools.get(name)
    }

    /// Takes a call out of the facade: which tool it is really for, and with what.
    pub(crate) fn unwrap(&self, name: &str, mut arguments: Map<String, Value>) -> Result<(&Known, Map<String, Value>), Failure> {
        let (schema, field) = match (self.find(name), self.domain(name)) {
            (Some(known), _) if known.tool.spec.name == CALL_CAPABILITY => (known.schema.clone(), "name"),
            (Some(known), _) => return Ok((known, arguments)),
            (None, Some(domain)) => (domain_schema(&operations(domain)), "operation"),
            (None, None) => return Err(Failure::UnknownTool(name.to_owned())),
        };
        let issues = check_arguments(&schema, &arguments);
        if !issues.is_empty() {
            return Err(Failure::InvalidInput(issues));
        }
        let inner = arguments.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let found = self.behind.get(inner.as_str()).filter(|known| known.tool.spec.name != CALL_CAPABILITY);
        let known = found.ok_or(Failure::UnknownCapability(inner))?;
        let inner = match arguments.remove("arguments") {
            Some(Value::Object(inner)) => inner,
            _ => Map::new(),
        };
        Ok((known, inner))
    }

    fn domain(&self, name: &str) -> Option<&'static Domain> {
        let domains = self.surface.domains.iter().filter(|_| self.mode == FacadeMode::Domain);
        domains.filter(|domain| domain.name != FACADE).find(|domain| domain.name == name)
    }

    /// Whether `tools/list` shows this tool, or this domain as a tool.
    pub(crate) fn lists(&self, name: &str, policy: &Decisions) -> bool {
        match (self.find(name), self.mode) {
            (Some(known), _) if !policy.shows(known.tool, known.domain) => false,
            (Some(_), FacadeMode::Flat) => true,
            (Some(known), FacadeMode::Triad | FacadeMode::Domain) => known.domain == FACADE,
            (None, _) => true,
        }
    }

    /// Domains that `tools/list` shows as one tool each.
    pub(crate) fn listed_domains(&self) -> impl Iterator<Item = &'static Domain> {
        let domains = self.surface.domains.iter().filter(|_| self.mode == FacadeMode::Domain);
        domains.filter(|domain| domain.name != FACADE)
    }

    /// Everything that the facade leads to.
    pub(crate) fn behind_facade(&self) -> impl Iterator<Item = &Known> {
        let tools = catalogue().tools().filter_map(|tool| self.behind.get(tool.spec.name));
        tools.filter(|known| known.domain != FACADE)
    }

    /// Whether the surface is about notes, which clients can then also read as resources.
    pub(crate) fn has_notes(&self) -> bool {
        self.surface.name != ARTICLES
    }

    /// What a call needs its caller to be allowed; `inner` is the tool that a call through the facade is for.
    pub(crate) fn scopes_of(&self, name: &str, inner: Option<&str>) -> Option<&'static [&'static str]> {
        let own = self.find(name).filter(|known| known.tool.spec.name != CALL_CAPABILITY);
        let known = own.or_else(|| self.behind.get(inner?))?;
        Some(known.tool.spec.scopes)
    }
}

pub(crate) fn operations(domain: &Domain) -> Vec<&'static str> {
    domain.tools.iter().map(|tool| tool.spec.name).collect()
}

fn known(surface: &'static Surface) -> HashMap<&'static str, Known> {
    let tools = surface.domains.iter().flat_map(|domain| domain.tools.iter().map(move |tool| (domain.name, tool)));
    tools.map(|(domain, tool)| (tool.spec.name, Known { tool, domain, schema: surface.input_schema(tool) })).collect()
}

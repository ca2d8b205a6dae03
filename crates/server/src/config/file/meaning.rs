//! What fits the schema and still cannot be meant: ids given twice, globs that are none, names that nobody has.

use std::collections::HashSet;
use std::path::Path;

use globset::GlobBuilder;
use quillgate_oauth::Scopes;
use quillgate_tools::{SURFACES, find_surface, nearest};
use url::Url;

use super::check::Findings;
use super::problem::Problem;
use crate::config::{AclConfig, Config};
use crate::mount::ARTICLES;
use crate::network::Networks;

/// Looks at the configuration alone, not at the machine.
pub(super) fn check(config: &Config) -> Findings {
    let mut findings = Findings::default();
    vaults(config, &mut findings.problems);
    acl(&config.acl, "acl", &mut findings.problems);
    for (number, vault) in config.vaults.iter().enumerate() {
        vault.acl.iter().for_each(|rules| acl(rules, &format!("vaults[{number}].acl"), &mut findings.problems));
    }
    confirm(config, &mut findings.problems);
    visibility(config, &mut findings.notes);
    listening(config, &mut findings.problems);
    observability(config, &mut findings);
    surfaces(config, &mut findings.problems);
    findings
}

fn vaults(config: &Config, problems: &mut Vec<Problem>) {
    if config.vault_path.is_some() && !config.vaults.is_empty() {
        problems.push(Problem::new("vaultPath", "vaults are given too; keep vaults, or vaultPath for a single one"));
    }
    let mut ids = HashSet::new();
    for (number, vault) in config.vaults.iter().enumerate() {
        if !ids.insert(&vault.id) {
            let message = format!("another vault has the id {:?} already; give each its own", vault.id);
            problems.push(Problem::new(format!("vaults[{number}].id"), message));
        }
        if vault.path.as_os_str().is_empty() {
            problems.push(Problem::new(format!("vaults[{number}].path"), "is empty; give the path of a folder"));
        }
    }
    if let Some(problem) = unknown_default(config) {
        problems.push(Problem::new("defaultVault", problem));
    }
}

/// Why the default vault cannot be the one that is named.
pub(super) fn unknown_default(config: &Config) -> Option<String> {
    let id = config.default_vault.as_ref()?;
    let known: Vec<String> = config.vaults().into_iter().map(|vault| vault.id).collect();
    (!known.contains(id)).then(|| match known.is_empty() {
        true => format!("no vault has the id {id:?}; there are none in vaults"),
        false => format!("no vault has the id {id:?}; there are {}", known.join(", ")),
    })
}

fn acl(acl: &AclConfig, at: &str, problems: &mut Vec<Problem>) {
    for (key, glob) in acl.globs() {
        if let Some(message) = bad_glob(glob) {
            problems.push(Problem::new(format!("{at}.{key}"), message));
        }
    }
    let rules = acl.rules.iter().enumerate().map(|(number, rule)| (format!("{at}.rules[{number}].scopes"), &rule.scopes));
    for (key, scopes) in rules.chain([(format!("{at}.defaultScopes"), &acl.default_scopes)]) {
        for (number, scope) in scopes.iter().enumerate() {
            let is_word = !scope.is_empty() && !scope.contains(' ') && Scopes::parse(scope).is_ok();
            if !is_word {
                problems.push(Problem::new(format!("{key}[{number}]"), "is no scope; write it like read:notes"));
            }
        }
    }
}

fn bad_glob(glob: &str) -> Option<String> {
    if glob.is_empty() {
        return Some("is empty; write a glob like projects/**".to_owned());
    }
    if glob.starts_with('/') {
        return Some(format!("begins with /, which no path in a vault does; write {:?}", glob.trim_start_matches('/')));
    }
    let wrong = GlobBuilder::new(glob).literal_separator(true).build().err()?;
    Some(format!("is not a glob: {}; write it like projects/**", wrong.kind()))
}

fn tool_names(config: &Config) -> Vec<String> {
    let built_in = SURFACES.iter().flat_map(|surface| surface.tools()).map(|tool| tool.spec.name.to_owned());
    let of_sources = config.sources.iter().filter_map(|source| Some(source.source().ok()?.tool));
    built_in.chain(of_sources).collect()
}

/// A name that nothing has would ask for no confirmation at all.
fn confirm(config: &Config, problems: &mut Vec<Problem>) {
    let known = tool_names(config);
    for (number, name) in config.confirm.always.iter().enumerate() {
        let is_scope = name.contains(':') && Scopes::parse(name).is_ok();
        if !is_scope && !known.contains(name) {
            problems.push(Problem::new(format!("confirm.always[{number}]"), no_tool(name, &known)));
        }
    }
}

/// A file may name tools of other servers or versions, which do no harm.
fn visibility(config: &Config, notes: &mut Vec<Problem>) {
    let known = tool_names(config);
    let visibility = &config.tool_visibility;
    let allowed = visibility.allowed.as_deref().unwrap_or_default();
    for (key, names) in [("allowed", allowed), ("hidden", &visibility.hidden), ("disabled", &visibility.disabled)] {
        for (number, name) in names.iter().enumerate().filter(|(_, name)| !known.contains(name)) {
            notes.push(Problem::new(format!("toolVisibility.{key}[{number}]"), no_tool(name, &known)));
        }
    }
}

fn no_tool(name: &str, known: &[String]) -> String {
    match nearest(name, known.iter()) {
        Some(near) => format!("no tool is called {name:?}; did you mean {near}?"),
        None => format!("no tool is called {name:?}; `quillgate tools` lists them"),
    }
}

fn listening(config: &Config, problems: &mut Vec<Problem>) {
    if config.transports.http.enable_dns_rebinding_protection == Some(false) {
        let message = "cannot be switched off: without it any page that somebody here looks at could use this server; name the host \
                       with serverUrl and the pages with allowedOrigins";
        problems.push(Problem::new("transports.http.enableDnsRebindingProtection", message));
    }
    for (key, networks) in [("trustedNetworks", &config.trusted_networks), ("trustedProxies", &config.trusted_proxies)] {
        for (number, network) in networks.iter().enumerate() {
            if let Err(wrong) = Networks::parse(std::slice::from_ref(network)) {
                problems.push(Problem::new(format!("{key}[{number}]"), wrong.to_string()));
            }
        }
    }
}

fn observability(config: &Config, findings: &mut Findings) {
    let otel = &config.observability.otel;
    let is_http = |url: &str| Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    match &otel.endpoint {
        Some(endpoint) if !is_http(endpoint) => {
            let message = "is no URL of a collector; write it like http://127.0.0.1:4318";
            findings.problems.push(Problem::new("observability.otel.endpoint", message));
        }
        None if otel.enabled == Some(true) => {
            let message = "there is no endpoint; say where the collector is, such as http://127.0.0.1:4318";
            findings.problems.push(Problem::new("observability.otel.enabled", message));
        }
        _ => {}
    }
    for name in otel.headers.keys().filter(|name| axum::http::HeaderName::try_from(name.as_str()).is_err()) {
        findings.problems.push(Problem::new(format!("observability.otel.headers.{name}"), "is no name of a header"));
    }
    let prometheus = &config.observability.prometheus;
    let is_here =
        prometheus.host == "localhost" || prometheus.host.parse().is_ok_and(|host: std::net::IpAddr| host.is_loopback());
    if prometheus.enabled && !is_here {
        let message = "can be reached from other machines, and /metrics has no login; protect the port";
        findings.notes.push(Problem::new("observability.prometheus.host", message));
    }
}

fn surfaces(config: &Config, problems: &mut Vec<Problem>) {
    let of_sites = config.sites.iter().enumerate().map(|(number, site)| (format!("sites[{number}].surfaces"), &site.surfaces));
    for (key, names) in of_sites.chain([("surfaces".to_owned(), &config.surfaces)]) {
        for (number, name) in names.iter().enumerate().filter(|(_, name)| *name != ARTICLES && find_surface(name).is_none()) {
            let known = SURFACES.iter().map(|surface| surface.name).chain([ARTICLES]).collect::<Vec<_>>().join(", ");
            let message = format!("no surface named {name:?}; there are {known}");
            problems.push(Problem::new(format!("{key}[{number}]"), message));
        }
    }
    for (number, source) in config.sources.iter().enumerate() {
        if let Err(wrong) = source.source() {
            problems.push(Problem::new(format!("sources[{number}]"), format!("{wrong:#}")));
        }
    }
}

/// The folder that paths in the file begin at.
pub(super) fn folder_of(file: &Path) -> std::path::PathBuf {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    file.parent().map(Path::to_owned).unwrap_or_default()
}

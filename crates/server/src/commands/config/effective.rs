//! The configuration as it counts, for people to look at: defaults filled in, secrets hidden.

use serde_json::{Map, Value, json};
use url::Url;

use crate::commands::serve::address;
use crate::commands::{USUAL_LOG_LEVEL, surfaces};
use crate::config::{Config, Loaded};
use crate::{data_folder, sites};

const HIDDEN: &str = "(hidden)";

/// Names of texts that are not shown, wherever they stand: constants of a source, for example, are not known to be secrets.
const SECRET_NAMES: [&str; 6] = ["secret", "password", "passwd", "token", "apikey", "api_key"];

/// Members of a JSON Web Key that are not public.
const PRIVATE_MEMBERS: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

pub(super) fn effective(loaded: &Loaded) -> Value {
    let mut shown = serde_json::to_value(&loaded.config).unwrap_or_default();
    if let Some(shown) = shown.as_object_mut() {
        fill_in(&loaded.config, shown);
    }
    hide(&mut shown);
    shown
}

/// What is decided when the server starts.
fn fill_in(config: &Config, shown: &mut Map<String, Value>) {
    let surfaces = surfaces(config).ok();
    if let Some(surfaces) = &surfaces {
        shown.insert("surfaces".to_owned(), surfaces.iter().map(|surface| surface.name).collect());
    }
    if let Some(address) = surfaces.and_then(|surfaces| address(config, surfaces[0]).ok()) {
        shown.insert("listenAddr".to_owned(), json!(address.to_string()));
    }
    if let Some(vault) = config.default_vault() {
        shown.insert("defaultVault".to_owned(), json!(vault.id));
    }
    if let Ok(data) = data_folder::path(config.data_dir.as_deref()) {
        shown.insert("dataDir".to_owned(), json!(data));
        let place = sites::location(config, &data).map_or_else(|_| HIDDEN.to_owned(), |location| location.to_string());
        shown.insert("state".to_owned(), json!(place));
    }
    shown.entry("logLevel").or_insert_with(|| json!(USUAL_LOG_LEVEL));
    if let Ok(modes) = sites::modes(&config.auth) {
        shown["auth"]["mode"] = json!(modes);
    }
}

fn hide(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(harmless) = without_credentials(text) {
                *text = harmless;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide),
        Value::Object(object) => {
            let is_key = object.contains_key("kty");
            for (name, value) in object.iter_mut() {
                let is_private = is_key && PRIVATE_MEMBERS.contains(&name.as_str());
                if is_private || value.is_string() && names_a_secret(name) {
                    *value = json!(HIDDEN);
                }
                hide(value);
            }
        }
        _ => {}
    }
}

fn names_a_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    name == "hash" || name == "key" || SECRET_NAMES.iter().any(|secret| name.contains(secret))
}

/// `https://user:password@host` without user and password.
fn without_credentials(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if !authority.contains('@') {
        return None;
    }
    let Ok(mut url) = Url::parse(text) else { return Some(format!("{scheme}://{HIDDEN}")) };
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some(url.as_str().replacen("://", &format!("://{HIDDEN}@"), 1))
}

/// Every value with its key, as `vaults[0].path`; lists of simple values are one.
pub(super) fn leaves(value: &Value) -> Vec<(String, &Value)> {
    let mut leaves = Vec::new();
    collect(value, "", &mut leaves);
    leaves
}

fn collect<'a>(value: &'a Value, at: &str, leaves: &mut Vec<(String, &'a Value)>) {
    match value {
        Value::Object(object) if !object.is_empty() => {
            for (name, value) in object {
                let key = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                collect(value, &key, leaves);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            items.iter().enumerate().for_each(|(number, item)| collect(item, &format!("{at}[{number}]"), leaves));
        }
        _ => leaves.push((at.to_owned(), value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_in_addresses_and_private_keys_are_hidden() {
        let mut value = json!({
            "url": "https://me:canary@example.com/a?b=c",
            "broken": "https://me:canary@exa mple.com",
            "plain": "https://example.com/@me",
            "constants": {"apiKey": "canary", "access_token": "canary", "format": "json"},
            "jwks": {"keys": [{"kty": "RSA", "n": "shown", "d": "canary"}, {"kty": "oct", "k": "canary"}]},
        });
        hide(&mut value);
        let shown = value.to_string();
        assert!(!shown.contains("canary"), "{shown}");
        assert_eq!(value["url"], "https://(hidden)@example.com/a?b=c");
        assert_eq!(value["plain"], "https://example.com/@me");
        assert_eq!((&value["constants"]["format"], &value["jwks"]["keys"][0]["n"]), (&json!("json"), &json!("shown")));
    }
}

//! Every key that there is, from the schema: for the documentation, for `config explain`, and for suggestions.

use std::sync::LazyLock;

use quillgate_tools::nearest;
use serde_json::Value;

use super::Config;
use super::schema::{SCHEMA, described, forms, is_secret, is_unused, join, properties};

/// Groups that stand in two places, and where their keys are explained.
const REPEATED: [(&str, &str); 2] = [("sites[].auth", "auth"), ("vaults[].acl", "acl")];

pub(crate) struct Key {
    /// Such as `vaults[].path`.
    pub(crate) path: String,
    /// What may stand there, in words.
    pub(crate) kind: String,
    pub(crate) default: Option<Value>,
    pub(crate) about: String,
    /// Whether it is nothing but the keys below it.
    pub(crate) is_group: bool,
    pub(crate) is_unused: bool,
    pub(crate) is_secret: bool,
}

/// In the order of the structs, each group before the keys in it.
pub(crate) fn keys() -> &'static [Key] {
    static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
        let defaults = serde_json::to_value(Config::default()).unwrap_or_default();
        let mut keys = Vec::new();
        collect(&SCHEMA, &defaults, "", &mut keys);
        keys
    });
    &KEYS
}

fn collect(schema: &'static Value, defaults: &Value, prefix: &str, keys: &mut Vec<Key>) {
    for (name, property) in properties(schema).into_iter().flatten() {
        let path = join(prefix, name);
        // What stands in a list, or is left out by default, has its own defaults in the schema.
        let default = defaults.get(name).or(property.get("default")).filter(|value| !value.is_null()).cloned();
        let nested = forms(property).into_iter().find(|form| properties(form).is_some());
        let items = forms(property).into_iter().find_map(|form| form.get("items"));
        let item = items.and_then(|items| forms(items).into_iter().find(|form| properties(form).is_some()));
        let same = REPEATED.iter().find(|(repeated, _)| *repeated == path).map(|(_, explained)| explained);
        let mut about = property.get("description").and_then(Value::as_str).unwrap_or_default().replace('\n', " ");
        if let Some(explained) = same {
            about.push_str(&format!(" The same keys as `{explained}`."));
        }
        keys.push(Key {
            kind: described(property),
            default: default.clone().filter(|_| nested.is_none()),
            about,
            is_group: nested.is_some() && same.is_none(),
            is_unused: is_unused(property),
            is_secret: is_secret(property),
            path: path.clone(),
        });
        match (nested, item) {
            _ if same.is_some() => {}
            (Some(group), _) => collect(group, &default.unwrap_or_default(), &path, keys),
            (None, Some(item)) => collect(item, &Value::Null, &format!("{path}[]"), keys),
            (None, None) => {}
        }
    }
}

/// The key that is meant, whatever number of a list it names.
pub(crate) fn find_key(path: &str) -> Option<&'static Key> {
    let wanted = general(path);
    let wanted = wanted.trim_end_matches("[]");
    keys().iter().find(|key| key.path == wanted).or_else(|| {
        let (from, to) = REPEATED.iter().find(|(repeated, _)| wanted.starts_with(&format!("{repeated}.")))?;
        let explained = format!("{to}{}", &wanted[from.len()..]);
        keys().iter().find(|key| key.path == explained)
    })
}

/// `vaults[0].path` is a `vaults[].path`.
pub(crate) fn general(path: &str) -> String {
    let mut general = String::new();
    let mut in_brackets = false;
    for letter in path.chars() {
        in_brackets = in_brackets && letter != ']';
        if !in_brackets {
            general.push(letter);
        }
        in_brackets = in_brackets || letter == '[';
    }
    general
}

/// What somebody may have meant who wrote this: keys of the same last name, else the nearest in spelling.
pub(crate) fn nearest_keys(path: &str) -> Vec<&'static str> {
    let last = |path: &str| path.rsplit('.').next().unwrap_or_default().to_lowercase();
    let wanted = last(path);
    let same: Vec<&str> = keys().iter().map(|key| key.path.as_str()).filter(|known| last(known) == wanted).take(5).collect();
    if !same.is_empty() {
        return same;
    }
    let paths: Vec<String> = keys().iter().map(|key| key.path.clone()).collect();
    let names: Vec<String> = keys().iter().map(|key| last(&key.path)).collect();
    let by_path = nearest(path, paths.iter());
    let by_name = nearest(&wanted, names.iter());
    let is_near = |known: &&str| Some(*known) == by_path.as_deref() || by_name.as_ref().is_some_and(|name| last(known) == *name);
    keys().iter().map(|key| key.path.as_str()).filter(is_near).take(5).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_by_any_number_of_its_list() {
        let check = |asked: &str, found: Option<&str>| assert_eq!(find_key(asked).map(|key| key.path.as_str()), found, "{asked}");
        check("vaults", Some("vaults"));
        check("vaults[]", Some("vaults"));
        check("vaults[3].path", Some("vaults[].path"));
        check("vaults[0].acl.readPaths", Some("acl.readPaths"));
        check("acl.rules[0].glob", Some("acl.rules[].glob"));
        check("throttle.read.perMinute", Some("throttle.read.perMinute"));
        check("throttle.read.perSecond", None);
    }

    #[test]
    fn who_misspells_a_key_is_told_what_there_is() {
        assert_eq!(nearest_keys("readPaths"), ["acl.readPaths"]);
        assert_eq!(nearest_keys("acl.readPath"), ["acl.readPaths"]);
        assert_eq!(nearest_keys("throtle.read.perMinute").len(), 5, "one of each class");
        assert!(nearest_keys("qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq").is_empty());
    }

    #[test]
    fn defaults_of_groups_that_are_left_out_are_known() {
        let default = |path: &str| find_key(path).and_then(|key| key.default.clone()).unwrap_or_default();
        assert_eq!(default("throttle.delete.perMinute"), 30);
        assert_eq!(default("throttle.enabled"), true);
        assert_eq!(default("toolFacade.mode"), "triad");
        assert_eq!(default("auth.users"), serde_json::json!([]));
        assert_eq!(default("sources[].search.maxArticles"), 50);
    }
}

//! Reading a configuration file: one road for JSON, YAML and TOML, on which every value keeps its place in the text.
//!
//! text → value and places → our spelling → schema → structs → meaning. Problems of one step are all reported before the next.

mod check;
mod json_places;
mod meaning;
mod origins;
mod places;
mod problem;
mod spellings;

use std::path::Path;

use anyhow::Context as _;
use serde_json::{Map, Value};

pub(crate) use origins::Origins;
pub(crate) use problem::{Broken, Problem};
pub(crate) use spellings::SPELLINGS;

use super::Config;
use places::{Lines, Places};
use problem::Place;

/// A configuration, and where everything in it comes from.
#[derive(Default)]
pub(crate) struct Loaded {
    pub(crate) config: Config,
    pub(crate) origins: Origins,
    /// What is no problem, but worth knowing.
    pub(crate) notes: Vec<Problem>,
}

#[derive(Clone, Copy)]
enum Format {
    Json,
    Toml,
    Yaml,
}

impl Loaded {
    pub(crate) fn read(path: &Path) -> anyhow::Result<Loaded> {
        #[expect(clippy::disallowed_methods, reason = "the operator's own file, named on the command line")]
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read the configuration {}", path.display()))?;
        let name = path.display().to_string();
        let (mut config, places, notes) = parse(&text, Format::of(path)).map_err(|problems| Broken::new(&name, problems))?;
        config.resolve_paths(&meaning::folder_of(path));
        config.file = Some(path.to_owned());
        Ok(Loaded { config, origins: Origins::of_file(name, places), notes })
    }

    /// Why the default vault cannot be the one that is named, now that flags and environment are known.
    pub(crate) fn check_default_vault(&self) -> anyhow::Result<()> {
        match meaning::unknown_default(&self.config) {
            Some(message) => anyhow::bail!("{} ({})", message, self.origins.of("defaultVault")),
            None => Ok(()),
        }
    }
}

impl Format {
    fn of(path: &Path) -> Format {
        match path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("toml") => Format::Toml,
            Some("json") => Format::Json,
            _ => Format::Yaml,
        }
    }
}

type Parsed = (Config, Places, Vec<Problem>);

fn parse(text: &str, format: Format) -> Result<Parsed, Vec<Problem>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut value, mut places) = read(text, format).map_err(|problem| vec![problem])?;
    if value.is_null() {
        value = Value::Object(Map::new());
    }
    let mut problems = std::mem::take(&mut places.twice);
    problems.extend(spellings::settle(&mut value, &mut places));
    let mut findings = check::check(&mut value, &places);
    problems.append(&mut findings.problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let config: Config = serde_path_to_error::deserialize(value).map_err(|error| {
        let key = error.path().to_string().trim_matches('.').to_owned();
        vec![Problem { place: places.around(&key), ..Problem::new(key, error.into_inner().to_string()) }]
    })?;
    let mut meant = meaning::check(&config);
    let place = |problem: &mut Problem| problem.place = places.around(&problem.key);
    meant.problems.iter_mut().chain(&mut meant.notes).for_each(place);
    if !meant.problems.is_empty() {
        return Err(meant.problems);
    }
    let mut notes = findings.notes;
    notes.append(&mut meant.notes);
    notes.sort_by_key(|note| note.place);
    Ok((config, places, notes))
}

/// Messages of the parsers quote nothing but what is no value: a text that is broken may be a secret.
fn read(text: &str, format: Format) -> Result<(Value, Places), Problem> {
    match format {
        Format::Json => match serde_json::from_str(text) {
            Ok(value) => Ok((value, Places::of_json(text))),
            Err(error) => Err(unreadable("JSON", &error.to_string(), Some((error.line(), error.column())))),
        },
        Format::Yaml => match serde_norway::from_str(text) {
            Ok(value) => Ok((value, Places::of_yaml(text))),
            Err(error) => {
                let place = error.location().map(|location| (location.line(), location.column()));
                Err(unreadable("YAML", &error.to_string(), place))
            }
        },
        Format::Toml => match toml::from_str(text) {
            Ok(value) => Ok((value, Places::of_toml(text))),
            Err(error) => {
                let place = error.span().map(|span| Lines::of(text).place(span.start));
                Err(unreadable("TOML", error.message(), place.map(|place| (place.line, place.column))))
            }
        },
    }
}

fn unreadable(language: &str, message: &str, place: Option<(usize, usize)>) -> Problem {
    let message = message.split_once(" at line ").map_or(message, |(message, _)| message);
    let place = place.map(|(line, column)| Place { line: line.max(1), column: column.max(1) });
    Problem { place, ..Problem::new("", format!("this is not {language}: {}", message.trim_end())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str, format: Format) -> Vec<String> {
        let problems = parse(text, format).err().unwrap_or_default();
        Broken::new("f", problems).lines().collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(problems(text, Format::Yaml), expected);
    }

    #[test]
    fn the_same_mistake_is_found_at_its_place_in_each_language() {
        let message = "throttle.read.perMinute: expected a positive whole number, found \"many\"";
        let json = "{\n  \"throttle\": {\"read\": {\"perMinute\": \"many\"}}\n}";
        assert_eq!(problems(json, Format::Json), [format!("f:2:38: {message}")]);
        let yaml = "throttle:\n  read:\n    perMinute: many\n";
        assert_eq!(problems(yaml, Format::Yaml), [format!("f:3:16: {message}")]);
        let toml = "[throttle.read]\nperMinute = \"many\"\n";
        assert_eq!(problems(toml, Format::Toml), [format!("f:2:13: {message}")]);
    }

    #[test]
    fn what_cannot_be_read_at_all_is_found_at_its_place() {
        let starts = |text: &str, format, expected: &str| {
            let found = problems(text, format);
            assert!(found.len() == 1 && found[0].starts_with(expected), "{found:?}");
        };
        starts("{\n  \"read\": {,}\n}", Format::Json, "f:2:12: this is not JSON: ");
        starts("read:\n  - a\n b: c\n", Format::Yaml, "f:3:2: this is not YAML: ");
        starts("read = [\nb = c\n", Format::Toml, "f:2:");
    }

    #[test]
    fn all_problems_are_named_at_once_in_the_order_of_the_file() {
        check(
            "limts: {}\nlimits: {maxSesions: 2, timeoutSeconds: soon}\nvaults:\n- {id: Work}\nsearch: {index: perhaps}\nauth: {mode: [oath]}\n",
            &[
                "f:1:1: limts: is not a known key; did you mean limits?",
                "f:2:10: limits.maxSesions: is not a known key; did you mean maxSessions?",
                "f:2:41: limits.timeoutSeconds: expected a whole number, 0 or more, found \"soon\"",
                "f:4:3: vaults[0].path: is missing",
                "f:4:8: vaults[0].id: expected text like ^[a-z0-9_-]{1,64}$, found \"Work\"",
                "f:5:17: search.index: expected `on` or `off`, found \"perhaps\"",
                "f:6:15: auth.mode[0]: expected `none`, `oauth`, `jwt`, `upstream` or `keys`, found \"oath\"",
            ],
        );
    }

    #[test]
    fn a_key_in_the_wrong_group_is_sent_to_the_right_one() {
        check("readPaths: []\n", &["f:1:1: readPaths: is not a known key; did you mean acl.readPaths?"]);
    }

    #[test]
    fn what_may_be_a_secret_is_not_repeated() {
        let text = "state: [canary]\nauth: {jwtSecret: {canary: 1}, users: canary, keys: [canary]}\nobservability: {otel: {headers: canary, endpoint: [canary]}}\n";
        let found = problems(text, Format::Yaml);
        assert_eq!(found.len(), 6, "{found:?}");
        assert!(!found.concat().contains("canary"), "{found:?}");
        let toml = problems("state = \"canary\nread = 1\n", Format::Toml).concat();
        assert!(toml.starts_with("f:1:") && !toml.contains("canary"), "{toml}");
    }

    #[test]
    fn numbers_and_words_are_texts_where_yaml_has_no_quotes() {
        let (config, ..) = parse("vaults: [{id: 007, path: 1.50}]\ndefaultVault: 007\n", Format::Yaml).expect("a configuration");
        assert_eq!((config.vaults[0].id.as_str(), config.default_vault.as_deref()), ("007", Some("007")));
        assert_eq!(config.vaults[0].path, Path::new("1.50"));
        assert_eq!(problems("{\"defaultVault\": 7}", Format::Json), ["f:1:18: defaultVault: expected text, found a number"]);
    }

    #[test]
    fn a_list_of_paths_without_value_is_not_taken_for_a_missing_one() {
        let message = "acl.readPaths: has no value; write [] for an empty list, or leave the key out";
        check("acl:\n  readPaths:\n", &[&format!("f:2:12: {message}")]);
        let (config, _, _) = parse("acl:\nthrottle:\nlogLevel:\n", Format::Yaml).expect("keys without a value are left out");
        assert!(config.throttle.is_none() && config.log_level.is_none() && !config.acl.read_only);
        assert!(parse("# nothing\n", Format::Yaml).is_ok());
    }

    #[test]
    fn what_cannot_be_meant_is_found() {
        let vaults = "vaults: [{id: a, path: x}, {id: a, path: '', acl: {rules: [{glob: 'a[', scopes: ['no scope']}]}}]\n";
        check(
            &format!("vaultPath: y\n{vaults}defaultVault: b\nacl: {{readPaths: [/x, '']}}\n"),
            &[
                "f:1:12: vaultPath: vaults are given too; keep vaults, or vaultPath for a single one",
                "f:2:33: vaults[1].id: another vault has the id \"a\" already; give each its own",
                "f:2:42: vaults[1].path: is empty; give the path of a folder",
                "f:2:67: vaults[1].acl.rules[0].glob: is not a glob: unclosed character class; missing ']'; write it like projects/**",
                "f:2:82: vaults[1].acl.rules[0].scopes[0]: is no scope; write it like read:notes",
                "f:3:15: defaultVault: no vault has the id \"b\"; there are y",
                "f:4:19: acl.readPaths[0]: begins with /, which no path in a vault does; write \"x\"",
                "f:4:23: acl.readPaths[1]: is empty; write a glob like projects/**",
            ],
        );
    }

    #[test]
    fn names_of_tools_must_exist_where_they_protect_something() {
        check(
            "confirm: {always: [vault_wrte, 'write:*', vault_write]}\n",
            &["f:1:20: confirm.always[0]: no tool is called \"vault_wrte\"; did you mean vault_write?"],
        );
        let (_, _, notes) =
            parse("toolVisibility: {disabled: [frobnicate_everything]}\n", Format::Yaml).expect("a configuration");
        assert_eq!(notes.len(), 1, "{notes:?}");
    }

    #[test]
    fn the_check_of_host_and_origin_cannot_be_switched_off() {
        let found = problems("transports: {http: {enableDnsRebindingProtection: false}}\n", Format::Yaml).concat();
        assert!(found.starts_with("f:1:51: transports.http.enableDnsRebindingProtection: cannot be switched off"), "{found}");
        assert!(parse("transports: {http: {enableDnsRebindingProtection: true}}\n", Format::Yaml).is_ok());
    }

    #[test]
    fn a_class_of_calls_keeps_what_is_not_said_about_it() {
        let (config, ..) = parse("throttle: {delete: {perMinute: 5}}\n", Format::Yaml).expect("a configuration");
        let throttle = config.throttle.expect("given");
        assert_eq!((throttle.delete.per_minute, throttle.delete.burst, throttle.read.per_minute), (5, 10, 600));
        assert!(Config::default().throttle.is_none());
    }

    /// A file as other engines have it, with every key.
    const THEIRS: &str = include_str!("other_engine.json");

    #[test]
    fn a_file_of_another_engine_is_read_as_it_is() {
        let (config, _, notes) = parse(THEIRS, Format::Json).unwrap_or_else(|problems| panic!("{problems:?}"));
        assert_eq!(config.data_dir.as_deref(), Some(Path::new(".cache")));
        assert_eq!(config.vaults().iter().map(|vault| vault.id.as_str()).collect::<Vec<_>>(), ["main", "archive"]);
        assert!(config.vaults()[1].acl.read_only);
        let throttle = config.throttle.expect("given");
        assert_eq!((throttle.delete.per_minute, throttle.delete.burst), (60, 20));
        assert!(config.observability.prometheus.enabled && config.observability.cloud_events.enabled);
        assert_eq!(config.observability.retention.audit_days, 30);
        let unused: Vec<&str> = notes.iter().map(|note| note.key.as_str()).collect();
        for key in ["plur", "embeddings", "plane", "vaults[0].restApiKey", "vaults[0].workspace", "transports.stdio"] {
            assert!(unused.contains(&key), "{key}: {unused:?}");
        }
        assert!(!format!("{notes:?}").contains("canary"));
    }
}

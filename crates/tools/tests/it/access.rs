//! What may not be read might as well not be there: every tool of every surface answers as on a vault without it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use quillgate_tools::{Answer, Call, Consent, SURFACES, Settings};
use quillgate_vault::{Access, NotePath, Operation, Rules, RulesSource};
use serde_json::Value;

use crate::place::Place;
use crate::plausible::World;
use crate::random::Random;

const FOLDERS: &[&str] = &["", "open", "open/deep", "closed", "closed/deep", "mixed"];
const NAMES: &[&str] = &["Plan", "Lamp", "Storm", "Index", "Log"];
const SNIPPETS: &[&str] = &[
    "the lamp in the harbour\n",
    "see [[Plan]] and [[Lamp|the lamp]]\n",
    "![[Storm]] and [storm](../open/Storm.md)\n",
    "#project and #project/alpha\n",
    "# Secret\n\na secret #hidden tag, [[Log]]\n",
    "- [ ] a task for the gull\n",
    "[[Nowhere]] [[closed/Plan]] [[open/deep/Index#Secret]]\n",
];
const PROPERTIES: &[&str] =
    &["---\nstatus: open\ntags: [project]\n---\n", "---\nsecret_key: 7\ndue: 2026-01-01\naliases: [Lantern]\n---\n", ""];
const RULES: &[&str] = &["open/**", "closed/**", "mixed/Plan.md", "**/Storm.md", "open/deep", "*.md", "**", "mixed/L*.md"];

/// Fields that say when or how long, which differ between any two runs.
const OF_THE_MOMENT: &[&str] = &[
    "mtime",
    "ctime",
    "modified",
    "created",
    "updated_at",
    "created_at",
    "moved_at",
    "deleted_at",
    "committed_at",
    "captured_at",
    "reloaded_at",
    "reset_at",
    "opened_at",
    "saved_at",
    "modified_at",
    "last_indexed_at",
    "at",
    "duration_ms",
    "uptime_ms",
    "capture_id",
    "change",
    "path_on_disk",
    "db_size_bytes",
    "index",
    "cache",
    "score",
    "undone",
    "chunk_count",
    "undoes",
    "elapsed_ms",
    "opened",
    "candidates",
];

fn random_vault(random: &mut Random) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for folder in FOLDERS {
        for name in NAMES.iter().filter(|_| random.below(3) > 0).collect::<Vec<_>>() {
            let mut text = random.pick(PROPERTIES).to_owned();
            (0..=random.below(4)).for_each(|_| text.push_str(random.pick(SNIPPETS)));
            let path = if folder.is_empty() { format!("{name}.md") } else { format!("{folder}/{name}.md") };
            files.insert(path, text);
        }
    }
    files
}

fn random_rules(random: &mut Random) -> RulesSource {
    let mut list = |chance: usize| -> Option<Vec<String>> {
        (random.below(chance) == 0).then(|| (0..=random.below(3)).map(|_| random.pick(RULES).to_owned()).collect())
    };
    let (read_paths, write_paths, delete_paths) = (list(2), list(4), list(4));
    let rules = (0..random.below(3)).map(|_| {
        let scopes = if random.below(2) == 0 { vec!["read:private".to_owned()] } else { Vec::new() };
        (random.pick(RULES).to_owned(), scopes)
    });
    let rules = rules.collect();
    RulesSource { read_paths, write_paths, delete_paths, rules, ..RulesSource::default() }
}

/// Without what differs between any two runs.
fn settled(mut value: Value) -> Value {
    match &mut value {
        Value::Object(object) => {
            object.retain(|name, _| !OF_THE_MOMENT.contains(&name.as_str()));
            object.iter_mut().for_each(|(_, value)| *value = settled(value.take()));
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|item| *item = settled(item.take()));
            // What ranks first depends on how far the index is.
            items.sort_by_key(Value::to_string);
        }
        _ => {}
    }
    value
}

fn told(place: &Place, surface: &'static quillgate_tools::Surface, tool: &str, arguments: Value) -> Value {
    let call = Call::default().with_consent(Consent::Standing);
    let tool = surface.find(tool).expect("a tool");
    let answer = match place.run(surface, tool, arguments, &call) {
        Ok(value) => surface.success(value.clone(), value.to_string()),
        Err(failure) => surface.failed(&failure),
    };
    match answer {
        // Where the vault lies is no secret of the vault.
        Answer::Result { text, .. } => {
            let text = text.replace(place.folder().to_str().expect("a path in UTF-8"), "");
            let told = settled(serde_json::from_str(&text).expect("JSON"));
            // The id of a bookmark is made of the moment in which it was added.
            if tool.spec.name.contains("bookmark") { without_ids(told) } else { told }
        }
        Answer::Protocol(error) => settled(serde_json::json!({"code": error.code, "message": error.message, "data": error.data})),
    }
}

fn without_ids(mut value: Value) -> Value {
    match &mut value {
        Value::Object(object) => {
            object.remove("id");
            object.iter_mut().for_each(|(_, value)| *value = without_ids(value.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = without_ids(item.take())),
        _ => {}
    }
    value
}

fn names_any(value: &Value, denied: &[String]) -> bool {
    match value {
        Value::String(text) => denied.iter().any(|path| {
            let base = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
            text == path || text == base || text.starts_with(&format!("{path}/")) || text.is_empty()
        }),
        Value::Array(items) => items.iter().any(|item| names_any(item, denied)),
        Value::Object(object) => object.values().any(|value| names_any(value, denied)),
        _ => false,
    }
}

/// The files that may be read, with their bytes.
fn tree(root: &Path, shows: &dyn Fn(&str) -> bool) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                let relative = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                found.insert(relative, fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(root, root, &mut found);
    found.retain(|path, _| !path.starts_with('.') && shows(path));
    found
}

#[test]
fn what_may_not_be_read_might_as_well_not_be_there() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let files = random_vault(&mut random);
        let source = random_rules(&mut random);
        let access = Access::of(Arc::new(Rules::compile(&source, false).unwrap()), |_| false);
        let may = |path: &str, operation| access.decide(path, operation).allowed;
        let (shown, denied): (Vec<_>, Vec<_>) = files.iter().partition(|(path, _)| may(path, Operation::Read));
        let denied: Vec<String> = denied.into_iter().map(|(path, _)| path.clone()).collect();
        let as_pairs = |files: &[(&String, &String)]| -> Vec<(String, String)> {
            files.iter().map(|(path, text)| ((*path).clone(), (*text).clone())).collect()
        };
        let all: Vec<(&String, &String)> = files.iter().collect();
        let restricted = Place::with_access(&as_pairs(&all), Settings::default(), &access);
        // The same rules about writing, and nothing there that they hide.
        let without = Place::with_access(&as_pairs(&shown), Settings::default(), &access);
        let world = World {
            files: files.keys().cloned().collect(),
            folders: FOLDERS.iter().map(|folder| (*folder).to_owned()).collect(),
        };
        for surface in SURFACES {
            for tool in surface.tools() {
                if tool.spec.name == quillgate_tools::CALL_CAPABILITY {
                    continue;
                }
                for _ in 0..2 {
                    let arguments = Value::Object(world.arguments(surface, tool, &mut random));
                    let answers = [&restricted, &without].map(|place| told(place, surface, tool.spec.name, arguments.clone()));
                    assert_eq!(
                        answers[0], answers[1],
                        "seed {seed}: {} {arguments} with {source:?}, denied {denied:?}",
                        tool.spec.name
                    );
                    // The queue says what callers have put into it.
                    if !names_any(&arguments, &denied) && tool.spec.name != "list_capture_queue" {
                        let text = answers[0].to_string();
                        let leaked = denied.iter().find(|path| text.contains(&format!("\"{path}\"")));
                        assert_eq!(leaked, None, "seed {seed}: {} {arguments}: {text}", tool.spec.name);
                    }
                }
            }
        }
        let shows = |path: &str| NotePath::parse(path).is_ok() && may(path, Operation::Read);
        assert_eq!(tree(&restricted.on_disk(""), &shows), tree(&without.on_disk(""), &shows), "seed {seed}");
        let hidden = tree(&restricted.on_disk(""), &|path| !shows(path));
        for path in &denied {
            assert_eq!(hidden.get(path).map(Vec::as_slice), Some(files[path].as_bytes()), "seed {seed}: {path} was touched");
        }
    }
}

#[test]
fn a_vault_that_is_only_read_stays_as_it_is_whatever_is_called() {
    let mut random = Random(7);
    let files = random_vault(&mut random);
    let source = RulesSource { read_only: true, ..RulesSource::default() };
    let access = Access::of(Arc::new(Rules::compile(&source, false).unwrap()), |_| true);
    let pairs: Vec<(String, String)> = files.clone().into_iter().collect();
    let place = Place::with_access(&pairs, Settings::default(), &access);
    let before = tree(&place.on_disk(""), &|_| true);
    let world =
        World { files: files.keys().cloned().collect(), folders: FOLDERS.iter().map(|folder| (*folder).to_owned()).collect() };
    let mut calls = 0;
    for surface in SURFACES {
        for tool in surface.tools() {
            for _ in 0..20 {
                let arguments = Value::Object(world.arguments(surface, tool, &mut random));
                told(&place, surface, tool.spec.name, arguments);
                calls += 1;
            }
        }
    }
    assert!(calls > 1000, "{calls} calls");
    assert_eq!(tree(&place.on_disk(""), &|_| true), before);
}

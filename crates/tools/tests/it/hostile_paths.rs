//! A million hostile paths, thrown at every argument of every tool that takes one.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use quillgate_tools::{Answer, Call, Consent, Registered, SURFACES, Surface};
use serde_json::{Map, Value, json};

use crate::place::Place;
use crate::random::Random;

const PATHS: usize = 1_000_000;
const THREADS: usize = 2;
/// Paths in one call, for arguments that take several.
const SEVERAL: usize = 20;
const ARGUMENTS: [&str; 19] = [
    "path",
    "paths",
    "source",
    "destination",
    "from",
    "to",
    "file",
    "name",
    "root",
    "folder",
    "exclude_paths",
    "folder_path",
    "from_target",
    "to_target",
    "target_path",
    "target_path_hint",
    "moves",
    "items",
    "changes",
];
/// Stands beside the word that searches look for, in files that no answer may show.
const SECRET: &str = "7f3a-the-secret-9c1e";

/// Any one of these makes a path refused, wherever it stands.
const REFUSED: &[&str] = &[
    "..",
    ".",
    "",
    "...",
    "..\u{0}",
    "\u{0}",
    "a\u{0}.md",
    "..\\..",
    "\\\\host\\share",
    "a\\b",
    ".obsidian",
    ".OBSIDIAN",
    ".Obsidian",
    ".obsidian ",
    ".obsidian.",
    ".obsidian::$DATA",
    ".obsi\u{200d}dian",
    "\u{200b}.obsidian",
    "\u{feff}.obsidian",
    "\u{200c}..",
    "\u{34f}.",
    ".git",
    ".trash",
    ".\u{200b}.",
    "..;",
    "..%2f",
    "..%5c..",
    "line\nbreak",
    "\u{7f}",
    "\u{85}",
    ".Note.md.icloud",
    ".quillgate-0.tmp",
    ".env",
];
/// In front of anything, these make it absolute or climb out.
const PREFIXES: &[&str] =
    &["/", "//", "///", "../", "../../../../../../", "C:/", "c:\\", "\\\\?\\C:\\", "./", "/proc/self/root/", "\u{0}/"];
const ORDINARY: &[&str] =
    &["real", "a.md", "Note", "etc", "passwd", "outside", "secret.md", "app.json", "vault", "..a", "%2e%2e", "é", "e\u{301}"];
/// Well formed, but they lead through links, to folders, or look like something else to another decoder.
const THROUGH_LINKS: &[&str] = &[
    "link/secret.md",
    "link/new.md",
    "link/new/deep.md",
    "link",
    "secret-link.md",
    "loop/outside/secret.md",
    "loop/vault/a.md",
    "settings/app.json",
    "settings/new.json",
    "settings",
    "dangling.md",
    "real",
    "real/link/secret.md",
    "a.md/b.md",
];
const LITERAL: &[&str] = &[
    "%2e%2e/%2e%2e/etc/passwd",
    "%2e%2e%2foutside%2fsecret.md",
    "\u{ff0e}\u{ff0e}/outside/secret.md",
    "\u{2024}\u{2024}/x.md",
    "OBSIDI~1/app.json",
    "con",
    "a.md:stream",
    "~/x.md",
    "$HOME/x.md",
    "file:x.md",
    "\u{202e}dm.a",
    "Cafe\u{301}.md",
    "real/a.md",
    "a.md",
    "Note",
    "b/Note.md",
    "..%2f",
];

/// Hostile paths, the same on every run.
trait Hostile {
    fn path(&mut self) -> String;
    fn refused(&mut self) -> String;
}

impl Hostile for Random {
    /// Nearly all are refused for what they are; some get as far as the files, which takes longer.
    fn path(&mut self) -> String {
        match self.below(1000) {
            0..2 => self.pick(LITERAL).to_owned(),
            2..22 => self.pick(THROUGH_LINKS).to_owned(),
            22..30 => self.pick(ORDINARY).repeat(300),
            _ => self.refused(),
        }
    }

    fn refused(&mut self) -> String {
        let count = 1 + self.below(6);
        let mut segments: Vec<&str> =
            (0..count).map(|_| if self.below(3) == 0 { self.pick(REFUSED) } else { self.pick(ORDINARY) }).collect();
        if self.below(3) == 0 {
            return format!("{}{}", self.pick(PREFIXES), segments.join("/"));
        }
        let at = self.below(count);
        segments[at] = self.pick(REFUSED);
        segments.join("/")
    }
}

/// One argument of one tool, and what else the tool needs.
struct Target {
    surface: &'static Surface,
    tool: &'static Registered,
    schema: Map<String, Value>,
    argument: String,
}

fn targets() -> Vec<Target> {
    let mut targets = Vec::new();
    for surface in SURFACES {
        for tool in surface.tools() {
            let schema = surface.input_schema(tool);
            let named = schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name.clone());
            for argument in named.filter(|name| ARGUMENTS.contains(&name.as_str())) {
                targets.push(Target { surface, tool, schema: schema.clone(), argument });
            }
        }
    }
    targets
}

impl Target {
    fn takes_several(&self) -> bool {
        self.schema["properties"][&self.argument]["type"] == "array"
    }

    /// The argument that these paths make: one of them, all, or things that have them in each place where a path can stand.
    fn hostile(&self, paths: &[String]) -> Value {
        let each = |make: fn(usize, &str) -> Value| paths.iter().enumerate().map(|(at, path)| make(at, path)).collect();
        match self.argument.as_str() {
            "moves" => each(|at, path| match at % 2 {
                0 => json!({"from": path, "to": format!("new/{at}.md")}),
                _ => json!({"from": "real/a.md", "to": path}),
            }),
            "items" => each(|_, path| json!({"path": path, "content": "plain text", "mode": "upsert"})),
            "changes" => each(|at, path| match at % 6 {
                0 => json!({"op": "create", "path": path, "content": "plain text"}),
                1 => json!({"op": "edit", "path": path, "content": "plain text"}),
                2 => json!({"op": "move", "from": path, "to": format!("new/{at}.md")}),
                3 => json!({"op": "move", "from": "real/a.md", "to": path}),
                4 => json!({"op": "delete", "path": path}),
                _ => json!({"op": "set_property", "path": path, "key": "k", "value": 1}),
            }),
            _ if self.takes_several() => json!(paths),
            _ => json!(paths[0]),
        }
    }

    fn arguments(&self, hostile: Value) -> Map<String, Value> {
        let mut arguments = Map::from_iter([(self.argument.clone(), hostile)]);
        // In earnest, where the default is to try without effect.
        if self.schema["properties"].get("dry_run").is_some() {
            arguments.insert("dry_run".into(), json!(false));
        }
        if self.argument == "folder_path" {
            arguments.insert("scope".into(), json!("folder"));
        }
        for required in self.schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            arguments.entry(required).or_insert_with(|| match required {
                "destination" | "to" => json!("new/place.md"),
                "query" | "old_text" | "pattern" => json!("needle"),
                "logic" => json!({"var": "path"}),
                "filter" => json!([{"key": "a", "op": "absent"}]),
                "policy" => json!({"kind": "keep_top_n", "n": 0}),
                "paths" => json!(["real/a.md"]),
                "scopes" => json!([]),
                "vault" => json!("vault"),
                "op" => json!("read"),
                "tag" => json!("t"),
                "path" | "source" | "from" => json!("real/a.md"),
                _ => json!("plain text"),
            });
        }
        // What a tool needs although its schema cannot say so.
        for (optional, value) in [("old_string", "needle"), ("new_string", "needle"), ("key", "k"), ("value", "v")] {
            if self.schema["properties"].get(optional).is_some() {
                arguments.entry(optional).or_insert_with(|| json!(value));
            }
        }
        // A note to work on, where naming one is optional.
        let names_note = self.schema["properties"].get("file").is_some();
        if names_note && !["file", "path"].contains(&self.argument.as_str()) {
            arguments.insert("path".into(), json!("real/a.md"));
        }
        arguments
    }

    /// Everything that a client would see of the call.
    fn throw(&self, place: &Place, hostile: Value) -> String {
        let arguments = self.arguments(hostile);
        let call = Call::default().with_consent(Consent::Standing);
        let answer = match place.run(self.surface, self.tool, Value::Object(arguments), &call) {
            Ok(value) => self.surface.success(value.clone(), value.to_string()),
            Err(failure) => self.surface.failed(&failure),
        };
        match answer {
            Answer::Result { text, structured, .. } => {
                format!("{text}{}", structured.map(|value| value.to_string()).unwrap_or_default())
            }
            Answer::Protocol(error) => format!("{}{:?}", error.message, error.data),
        }
    }
}

fn prepared() -> Place {
    let place = Place::new(&[("a.md", "needle [[Note]]\n"), ("real/a.md", "needle\n"), ("b/Note.md", "needle\n")]);
    let secret = format!("needle {SECRET}\n");
    let outside = place.folder().join("outside");
    fs::create_dir_all(outside.join("real")).unwrap();
    fs::write(outside.join("secret.md"), &secret).unwrap();
    fs::write(outside.join("real/a.md"), &secret).unwrap();
    for hidden in [".obsidian/secret.md", ".obsidian/plugins/x/data.json", ".git/config", ".env"] {
        fs::create_dir_all(place.on_disk(hidden).parent().unwrap()).unwrap();
        fs::write(place.on_disk(hidden), &secret).unwrap();
    }
    fs::write(place.on_disk(".obsidian/app.json"), json!({"trashOption": "local", "own": secret}).to_string()).unwrap();
    for (target, link) in [
        (outside.clone(), "link"),
        (outside.clone(), "real/link"),
        (outside.join("secret.md"), "secret-link.md"),
        (PathBuf::from(".."), "loop"),
        (PathBuf::from(".obsidian"), "settings"),
        (PathBuf::from("../outside/not-there.md"), "dangling.md"),
    ] {
        symlink(target, place.on_disk(link)).unwrap();
    }
    place
}

/// Every file below a folder, links not followed.
fn tree(root: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        // The state of the program and its history, which tools have to write.
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("state.db") || name == "history" {
            continue;
        }
        let kind = fs::symlink_metadata(&path).unwrap().file_type();
        if kind.is_dir() {
            tree(&path, found);
        }
        let bytes = if kind.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        found.insert(path, bytes);
    }
}

/// What must never change: all that lies outside the vault, and what is hidden inside it, but for its own trash.
fn guarded(place: &Place) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    tree(place.folder(), &mut all);
    let vault = place.on_disk("");
    all.retain(|path, _| {
        let inside = path.strip_prefix(&vault).ok().and_then(|path| path.iter().next()?.to_str());
        inside.is_none_or(|first| first.starts_with('.') && first != ".trash")
    });
    all
}

#[test]
fn a_million_hostile_paths_reach_nothing() {
    let place = prepared();
    let targets = targets();
    let before = guarded(&place);
    assert!(before.len() > 10 && targets.len() > 40, "{} files, {} targets", before.len(), targets.len());
    let thrown = AtomicUsize::new(0);
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (place, targets, thrown) = (&place, &targets, &thrown);
            scope.spawn(move || {
                let mut random = Random(number as u64);
                let mut count = 0;
                while count < PATHS / THREADS {
                    let target = &targets[random.below(targets.len())];
                    let size = if target.takes_several() { SEVERAL.min(PATHS / THREADS - count) } else { 1 };
                    let paths: Vec<String> = (0..size).map(|_| random.path()).collect();
                    let answer = target.throw(place, target.hostile(&paths));
                    let leaks = answer.contains(SECRET) || answer.contains("root:x:0");
                    assert!(!leaks, "{} {} {paths:?}: {answer}", target.tool.spec.name, target.argument);
                    count += size;
                }
                thrown.fetch_add(count, Ordering::Relaxed);
            });
        }
    });
    assert_eq!(thrown.into_inner(), PATHS);
    assert_eq!(guarded(&place), before);
}

//! The arrows between our crates, and who may name the protocol library.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Who may use whom; the server may use all.
const ARROWS: &[(&str, &[&str])] = &[
    ("quillgate-markdown", &[]),
    ("quillgate-remote", &[]),
    ("quillgate-vault", &["quillgate-markdown"]),
    ("quillgate-index", &["quillgate-markdown", "quillgate-vault"]),
    ("quillgate-query", &["quillgate-markdown", "quillgate-vault", "quillgate-index"]),
    (
        "quillgate-tools",
        &["quillgate-markdown", "quillgate-vault", "quillgate-index", "quillgate-query", "quillgate-remote", "quillgate-state"],
    ),
    ("quillgate-state", &[]),
    ("quillgate-oauth", &["quillgate-state"]),
    (EXAMPLE_SITE, &[]),
];
/// What tests of any crate may ask over loopback.
const EXAMPLE_SITE: &str = "quillgate-example-upstream";
const SERVER: &str = "quillgate";
const PROTOCOL_LIBRARY: &str = "rmcp";

fn packages() -> Vec<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

fn dependencies(package: &Value) -> impl Iterator<Item = &str> {
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    let is_example = |dependency: &&Value| dependency["kind"] == "dev" && dependency["name"] == EXAMPLE_SITE;
    dependencies.filter(move |dependency| !is_example(dependency)).filter_map(|dependency| dependency["name"].as_str())
}

#[test]
fn crates_depend_on_each_other_only_as_drawn() {
    let packages = packages();
    let names: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    for package in &packages {
        let name = package["name"].as_str().expect("a name");
        if name == SERVER {
            continue;
        }
        let (_, allowed) = ARROWS.iter().find(|(from, _)| *from == name).unwrap_or_else(|| panic!("{name} is not drawn"));
        for target in dependencies(package).filter(|target| names.contains(target)) {
            assert!(allowed.contains(&target), "{name} → {target} is not drawn");
        }
    }
}

#[test]
fn only_the_server_depends_on_the_protocol_library() {
    for package in packages() {
        let uses = dependencies(&package).any(|name| name.starts_with(PROTOCOL_LIBRARY));
        assert_eq!(uses, package["name"] == SERVER, "{}", package["name"]);
    }
}

#[test]
fn only_the_protocol_module_names_the_protocol_library() {
    let server = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = server.parent().expect("crates/");
    let named = [format!("{PROTOCOL_LIBRARY}::"), format!("extern crate {PROTOCOL_LIBRARY}"), format!("use {PROTOCOL_LIBRARY}")];
    let sources = fs::read_dir(crates).expect("crates/").map(|entry| entry.expect("a crate").path().join("src"));
    let mut namers = 0;
    for file in sources.filter(|folder| folder.is_dir()).flat_map(|folder| rust_files(&folder)) {
        let text = fs::read_to_string(&file).expect("a source file");
        let may = file == server.join("src/mcp.rs") || file.starts_with(server.join("src/mcp"));
        let names_it = named.iter().any(|name| text.contains(name.as_str()));
        assert!(may || !names_it, "{} names {PROTOCOL_LIBRARY}", file.display());
        namers += usize::from(names_it);
    }
    assert!(namers > 0, "the search finds what it looks for");
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let mut found: Vec<PathBuf> = files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs")).collect();
    found.extend(folders.iter().flat_map(|folder| rust_files(folder)));
    found
}

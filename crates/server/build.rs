//! Lists the files of examples/vault, so that the demo works from the binary alone.
#![allow(clippy::disallowed_methods, reason = "the build reads the sources, not a vault")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let vault = manifest.join("../../examples/vault");
    println!("cargo:rerun-if-changed={}", vault.display());
    let mut files = Vec::new();
    collect(&vault, &mut files)?;
    files.sort();
    let mut list = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(&vault).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        writeln!(list, "    ({name:?}, include_bytes!({:?})),", file.display().to_string()).map_err(io::Error::other)?;
    }
    list.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("example_vault.rs"), list)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => collect(&path, files)?,
            false if path.file_name().is_some_and(|name| name == ".gitattributes") => {}
            false => files.push(path),
        }
    }
    Ok(())
}

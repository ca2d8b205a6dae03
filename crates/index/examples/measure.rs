//! Starts the index on a vault and says how long that took and how much memory it holds.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::disallowed_methods, reason = "a measurement")]
use std::sync::Arc;
use std::time::Instant;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use quillgate_index::Index;
use quillgate_vault::{Limits, NotePath, Vault};

fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    status.lines().filter(|line| line.starts_with("VmRSS") || line.starts_with("VmHWM")).collect::<Vec<_>>().join(" ")
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    println!("before {}", memory());
    let started = Instant::now();
    let vault = Arc::new(Vault::open(arguments[1].as_ref(), None, Limits::default()).unwrap());
    println!("vault open {:?}", started.elapsed());
    let data = arguments.get(2).map(|path| Dir::open_ambient_dir(path, ambient_authority()).unwrap());
    let index = Index::start(vault, data);
    index.wait(|_| true);
    let status = index.status();
    println!(
        "ready {:?} walk {:?} files {} read {} {}",
        started.elapsed(),
        status.first_walk,
        status.files,
        status.files_read,
        memory()
    );
    if let Some(hub) = arguments.get(3) {
        for _ in 0..3 {
            let asked = Instant::now();
            let catalogue = index.catalogue();
            let backlinks = catalogue.backlinks(&NotePath::parse(hub).unwrap()).len();
            println!("backlinks {backlinks} {:?}", asked.elapsed());
            let asked = Instant::now();
            println!("orphans {} {:?}", catalogue.orphans().len(), asked.elapsed());
            let asked = Instant::now();
            println!("dead ends {} {:?}", catalogue.dead_ends().len(), asked.elapsed());
            let asked = Instant::now();
            println!("unresolved {} {:?}", catalogue.unresolved().len(), asked.elapsed());
        }
    }
    println!("{}", memory());
}

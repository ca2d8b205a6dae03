//! What the history adds to an atomic write: `cargo run --release -p quillgate-vault --example write_cost [folder] [writes]`.
#![allow(clippy::print_stdout, reason = "a program whose output is its purpose")]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "run by hand, in a folder of its own")]

use std::env;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use quillgate_vault::{Durability, Expect, Folders, HistorySettings, Limits, NotePath, Vault};

const NOTE_BYTES: usize = 4096;

/// What is written: a small edit of one note, or of notes that the history has not seen yet.
#[derive(Clone, Copy, Debug)]
enum Kind {
    OneNote,
    OtherNotes,
}

fn open(folder: &Path, has_history: bool, durability: Durability) -> Vault {
    let place = folder.join(format!("{has_history}-{durability:?}"));
    let [root, locks, history] = ["vault", "locks", "history"].map(|name| place.join(name));
    [&root, &locks, &history].iter().for_each(|folder| fs::create_dir_all(folder).unwrap());
    let [locks, history] = [locks, history].map(|folder| Dir::open_ambient_dir(folder, ambient_authority()).unwrap());
    let vault = Vault::open(&root, Some(locks), Limits::default()).unwrap().with_durability(durability);
    if has_history { vault.with_history(history, HistorySettings::default()) } else { vault }
}

fn text(seed: usize) -> Vec<u8> {
    let words = ["note", "vault", "history", "undo", "change", "link", "folder", "heading", "paragraph", "of", "the", "and"];
    let mut state = seed as u64 + 1;
    let mut text = String::new();
    while text.len() < NOTE_BYTES {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push_str(words[(state >> 33) as usize % words.len()]);
        text.push(if (state >> 40).is_multiple_of(11) { '\n' } else { ' ' });
    }
    text.truncate(NOTE_BYTES);
    text.into_bytes()
}

fn write(vault: &Vault, kind: Kind, number: usize) -> Duration {
    let (name, seed) = match kind {
        Kind::OneNote => ("One note.md".to_owned(), 0),
        Kind::OtherNotes => (format!("notes/{number}.md"), number),
    };
    let mut bytes = text(seed);
    let edit = format!("edit {number:08} ").into_bytes();
    bytes.splice(2000..2000 + edit.len(), edit);
    let path = NotePath::parse(&name).unwrap();
    let started = Instant::now();
    vault.write(&path, bytes, Expect::Anything, Folders::Create).unwrap();
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e6
}

fn main() {
    let folder = env::args().nth(1).map_or_else(env::temp_dir, Into::into).join("quillgate-write-cost");
    let writes: usize = env::args().nth(2).map_or(500, |writes| writes.parse().unwrap());
    for durability in [Durability::Full, Durability::Relaxed] {
        for kind in [Kind::OneNote, Kind::OtherNotes] {
            let vaults = [false, true].map(|has_history| open(&folder, has_history, durability));
            for vault in &vaults {
                for number in 0..writes {
                    let name = if matches!(kind, Kind::OneNote) { "One note.md".into() } else { format!("notes/{number}.md") };
                    let on_disk = vault.root_path().join(name);
                    fs::create_dir_all(on_disk.parent().unwrap()).unwrap();
                    fs::write(on_disk, text(if matches!(kind, Kind::OneNote) { 0 } else { number })).unwrap();
                }
            }
            // In turn, so that whatever else the disk does is shared.
            let mut times = [Vec::new(), Vec::new()];
            for number in 0..writes {
                for (vault, times) in vaults.iter().zip(&mut times) {
                    times.push(write(vault, kind, number));
                }
            }
            let [without, with] = times.map(median);
            println!(
                "{durability:?}, {kind:?}: {writes} writes of {NOTE_BYTES} bytes, p50 {without:.0} µs without, {with:.0} µs with, {:.2}x",
                with / without
            );
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

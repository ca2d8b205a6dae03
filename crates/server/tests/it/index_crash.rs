//! A process that is killed while it indexes leaves nothing that makes a later answer wrong.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::place::Place;
use crate::stdio_client::StdioClient;

const NOTES: usize = 1_200;
const KILLS: u64 = 12;

/// What the vault holds, note by note.
type Notes = BTreeMap<String, String>;

fn text(number: usize, round: u64) -> String {
    let body: Vec<String> = (0..60).map(|word| format!("common{} word{}x{round}", word % 7, number * 60 + word)).collect();
    format!("# Note {number}\n\n{}\n", body.join("\n"))
}

fn put(place: &Place, notes: &mut Notes, number: usize, round: u64) {
    let path = format!("folder {}/note {number}.md", number % 9);
    place.write(&path, &text(number, round));
    notes.insert(path, text(number, round));
}

/// The lines of all notes with the word in them.
fn lines_with(notes: &Notes, word: &str) -> usize {
    notes.values().flat_map(|text| text.lines()).filter(|line| line.contains(word)).count()
}

fn check(client: &mut StdioClient, notes: &Notes) {
    for word in ["common3", "word61x", "word7000x", "Note 17", "x11", "nowhere"] {
        let found = client.call("vault_search", json!({"query": word, "max_results": 1}));
        let names = notes.keys().filter(|path| path.to_lowercase().contains(&word.to_lowercase())).count();
        assert_eq!(found["structuredContent"]["total_matches"], lines_with(notes, word) + names, "{word}");
    }
}

#[test]
fn killed_while_it_indexes_the_next_process_answers_right() {
    let place = Place::new();
    let mut notes = Notes::new();
    (0..NOTES).for_each(|number| put(&place, &mut notes, number, 0));
    for round in 1..=KILLS {
        let mut client = StdioClient::legacy(&place, &["--log-level", "error"]);
        // Ever later: while the vault is read, while documents are added, while they are committed.
        let life = Duration::from_millis(40 * round);
        let started = Instant::now();
        for number in 0..8 {
            put(&place, &mut notes, (number * 131 + round as usize) % NOTES, round);
        }
        while client.next_within(life.saturating_sub(started.elapsed())).is_some() {}
        client.kill_and_drain();
    }
    let mut client = StdioClient::legacy(&place, &["--log-level", "error"]);
    check(&mut client, &notes);
    client.leave();
    let vault = place.vault();
    let verified = place.program(&["index", "verify", vault.to_str().expect("UTF-8")]).output().expect("the program runs");
    assert!(
        verified.status.success(),
        "{}{}",
        String::from_utf8_lossy(&verified.stdout),
        String::from_utf8_lossy(&verified.stderr)
    );
    let mut client = StdioClient::legacy(&place, &["--log-level", "error"]);
    check(&mut client, &notes);
    client.leave();
}

//! A process that is killed at any moment leaves whole files, and the next one tidies up.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::place::{Place, files_named};
use crate::stdio_client::StdioClient;

const WRITES: u64 = 10_000;
const TEMPORARY: &str = ".quillgate-";
/// Each has one write under way at any time.
const FILES: usize = 16;

/// What is known of one file: which write was answered last, and which was sent last.
#[derive(Clone, Copy, Default)]
struct Known {
    answered: u64,
    sent: u64,
}

/// A stream of numbers that a failure can be told with.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

fn path(file: usize) -> String {
    ["", "folder/", "folder/deeper/"][file % 3].to_owned() + &format!("note {file}.md")
}

fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A text that tells which write it is from and whether it is whole.
fn content(file: usize, number: u64, length: u64) -> String {
    let body = format!("{file}-{number} ").repeat(usize::try_from(length).expect("small"));
    format!("{file} {number} {} {}\n{body}", body.len(), checksum(&body))
}

/// The number of the write that the text is from; panics unless it is whole.
fn number_of(file: usize, text: &str) -> u64 {
    let (head, body) = text.split_once('\n').unwrap_or_else(|| panic!("{file}: cut off: {text:?}"));
    let numbers: Vec<u64> = head.split(' ').map(|number| number.parse().expect("a number")).collect();
    let [of, number, length, sum] = numbers[..] else { panic!("{file}: {head:?}") };
    assert_eq!((of, length, sum), (file as u64, body.len() as u64, checksum(body)), "{file}: {head:?}");
    number
}

fn start(place: &Place) -> StdioClient {
    let mut client = StdioClient::legacy(place, &["--log-level", "error"]);
    client.call("vault_list_all", json!({}));
    client
}

/// Every file holds the last write that was answered, or the one that was under way.
fn check(place: &Place, known: &mut BTreeMap<usize, Known>, seed: u64) {
    assert_eq!(files_named(&place.path(""), TEMPORARY), Vec::<std::path::PathBuf>::new(), "seed {seed}");
    for (&file, known) in known {
        let found = std::fs::read_to_string(place.vault().join(path(file)));
        let number = found.map_or(0, |text| number_of(file, &text));
        assert!((known.answered..=known.sent).contains(&number), "seed {seed}, {file}: {number}, answered {}", known.answered);
        *known = Known { answered: number, sent: known.sent };
    }
}

/// Writes until `life` is over and kills; returns how many writes were answered.
fn write_and_kill(client: &mut StdioClient, known: &mut BTreeMap<usize, Known>, dice: &mut Dice, life: Duration) -> u64 {
    let mut under_way: BTreeMap<u64, (usize, u64)> = BTreeMap::new();
    let mut written = 0;
    let mut answered = |message: &Value, known: &mut BTreeMap<usize, Known>, under_way: &mut BTreeMap<u64, (usize, u64)>| {
        let (file, number) = under_way.remove(&message["id"].as_u64().expect("an id")).expect("one of ours");
        assert!(message["result"]["structuredContent"]["size"].is_u64(), "{message}");
        known.entry(file).or_default().answered = number;
        written += 1;
        file
    };
    let mut write = |file: usize, client: &mut StdioClient, known: &mut BTreeMap<usize, Known>| {
        let state = known.entry(file).or_default();
        state.sent += 1;
        let arguments = json!({"path": path(file), "content": content(file, state.sent, dice.roll(400))});
        (client.ask("tools/call", json!({"name": "vault_write", "arguments": arguments})), (file, state.sent))
    };
    let started = Instant::now();
    for file in 0..FILES {
        under_way.extend([write(file, client, known)]);
    }
    while let Some(message) = client.next_within(life.saturating_sub(started.elapsed())) {
        let file = answered(&message, known, &mut under_way);
        under_way.extend([write(file, client, known)]);
    }
    for message in client.kill_and_drain() {
        answered(&message, known, &mut under_way);
    }
    written
}

#[test]
fn killed_at_any_moment_every_file_is_whole_and_no_temporary_stays() {
    let place = Place::new();
    let seed = RandomState::new().hash_one("crash") | 1;
    let mut dice = Dice(seed);
    let mut known = BTreeMap::new();
    let (mut writes, mut kills, mut leftovers) = (0, 0, 0);
    while writes < WRITES {
        let mut client = start(&place);
        check(&place, &mut known, seed);
        let life = Duration::from_millis(2 + dice.roll(400));
        writes += write_and_kill(&mut client, &mut known, &mut dice, life);
        kills += 1;
        leftovers += files_named(&place.vault(), TEMPORARY).len();
    }
    drop(start(&place));
    check(&place, &mut known, seed);
    assert!(writes >= WRITES && kills > 5 && leftovers > 0, "{writes} writes, {kills} kills, {leftovers} temporary files");
    println!("{writes} writes, {kills} kills, {leftovers} temporary files left and removed");
}

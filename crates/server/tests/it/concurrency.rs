//! Two clients of two processes, one on standard input and one over HTTP, change one file of one vault.

use std::sync::Barrier;
use std::thread;

use serde_json::{Value, json};

use crate::http_client::{HttpServer, Session};
use crate::place::Place;
use crate::stdio_client::StdioClient;

/// One side of the race.
trait Client: Send {
    fn edit(&mut self, old: &str, new: &str) -> Value;
}

impl Client for StdioClient {
    fn edit(&mut self, old: &str, new: &str) -> Value {
        self.call("vault_edit", json!({"path": "shared.md", "old_text": old, "new_text": new}))
    }
}

impl Client for Session {
    fn edit(&mut self, old: &str, new: &str) -> Value {
        self.call("vault_edit", json!({"path": "shared.md", "old_text": old, "new_text": new}))
    }
}

fn is_beaten(result: &Value) -> bool {
    let code = &result["structuredContent"]["error"]["code"];
    result["isError"] == true && (code == "TEXT_NOT_FOUND" || code == "CONFLICT")
}

/// Runs `side` for both at once.
fn both<T: Send>((one, two): (&mut dyn Client, &mut dyn Client), side: impl Fn(&str, &mut dyn Client) -> T + Sync) -> (T, T) {
    let start = Barrier::new(2);
    let run = |name: &'static str, client: &mut dyn Client| {
        start.wait();
        side(name, client)
    };
    thread::scope(|scope| {
        let one = scope.spawn(|| run("stdio", one));
        let two = scope.spawn(|| run("http", two));
        (one.join().expect("no panic"), two.join().expect("no panic"))
    })
}

#[test]
fn of_two_edits_of_one_passage_exactly_one_wins() {
    const ROUNDS: usize = 100;
    let rounds: String = (0..ROUNDS).map(|round| format!("<{round}> free\n")).collect();
    let place = Place::with(&[("shared.md", &rounds)]);
    let server = HttpServer::on(&place, &[]);
    let (mut one, mut two) = (StdioClient::legacy(&place, &[]), Session::open(&server, "/mcp"));
    let mut won = [0, 0];
    for round in 0..ROUNDS {
        let (first, second) =
            both((&mut one, &mut two), |name, client| client.edit(&format!("<{round}> free"), &format!("<{round}> {name}")));
        let winner = match (first["isError"] == true, second["isError"] == true) {
            (false, true) if is_beaten(&second) => 0,
            (true, false) if is_beaten(&first) => 1,
            _ => panic!("round {round}: {first} {second}"),
        };
        won[winner] += 1;
        let line = format!("<{round}> {}\n", ["stdio", "http"][winner]);
        assert!(place.read("shared.md").contains(&line), "round {round}: {line}");
    }
    assert_eq!(won[0] + won[1], ROUNDS);
    println!("stdio won {} times, HTTP {} times", won[0], won[1]);
}

#[test]
fn no_update_of_either_side_is_lost() {
    const EACH: usize = 150;
    let place = Place::with(&[("shared.md", "END\n")]);
    let server = HttpServer::on(&place, &[]);
    let (mut one, mut two) = (StdioClient::legacy(&place, &[]), Session::open(&server, "/mcp"));
    both((&mut one, &mut two), |name, client| {
        for number in 0..EACH {
            // Beaten to it is a fair answer; losing what was confirmed is not.
            while is_beaten(&client.edit("END", &format!("{name} {number}\nEND"))) {}
        }
    });
    let text = place.read("shared.md");
    for name in ["stdio", "http"] {
        let numbers: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix(name)).collect();
        let expected: Vec<String> = (0..EACH).map(|number| format!(" {number}")).collect();
        assert_eq!(numbers, expected, "{name}");
    }
    assert_eq!(text.lines().count(), 2 * EACH + 1);
}

#[test]
fn each_process_sees_at_once_what_the_other_wrote() {
    let place = Place::new();
    let server = HttpServer::on(&place, &[]);
    let (mut one, mut two) = (StdioClient::legacy(&place, &[]), Session::open(&server, "/mcp"));
    for round in 0..30 {
        let content = format!("round {round}");
        one.call("vault_write", json!({"path": "a.md", "content": content}));
        assert_eq!(two.call("vault_read", json!({"path": "a.md"}))["structuredContent"]["content"], content);
    }
}

//! A server that ends at any moment of a login, in order or not, and goes on where it was.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::http_client::Response;
use crate::login::{ANNA, Browser, Door, Exit, FORM, ISSUER, Tokens, VERIFIER, code_of, encode, with_users};

/// A PostgreSQL of its own, until this process ends.
fn postgres() -> String {
    let start = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/postgres/start");
    let owner = std::process::id().to_string();
    let output = Command::new(start).args([format!("/tmp/quillgate-logins-{owner}"), owner]).output().expect("a script");
    assert!(output.status.success(), "no PostgreSQL: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

fn on_postgres() -> Door {
    Door::with(with_users(), ISSUER, &[("QUILLGATE_STATE", postgres())])
}

const STEPS: usize = 9;

/// The whole way to a refreshed token, with an end of the server before the step `cut`.
fn walk(door: &mut Door, cut: usize, how: Exit) {
    let mut at = 0;
    let mut step = |door: &mut Door| {
        at += 1;
        if at == cut {
            door.restart(how);
        }
    };
    let client = door.client();
    step(door);
    let mut cookies = BTreeMap::new();
    let page = Browser::once(door, &mut cookies, |browser| browser.authorize(&client, &[]));
    step(door);
    let entered = Browser::once(door, &mut cookies, |browser| browser.enter(&page, &ANNA));
    step(door);
    let consent = Browser::once(door, &mut cookies, |browser| browser.follow(&entered));
    step(door);
    let decided = Browser::once(door, &mut cookies, |browser| browser.decide(&consent, "allow"));
    step(door);
    let code = code_of(&decided);
    let first = Tokens::of(&door.exchange(&client, &code));
    step(door);
    assert_eq!(door.status_with(&first.access), 200);
    step(door);
    let second = Tokens::of(&door.refresh(&client, &first.refresh));
    step(door);
    assert_eq!((door.status_with(&first.access), door.status_with(&second.access)), (200, 200));
    // An answer that was lost with the server is asked for again.
    let again = Tokens::of(&door.refresh(&client, &first.refresh));
    step(door);
    let third = Tokens::of(&door.refresh(&client, &again.refresh));
    assert_eq!(at, STEPS);
    // The client is still known, the form and the code are used up, and using the code again ends what it gave.
    let resent = Browser::once(door, &mut cookies, |browser| browser.decide(&consent, "allow"));
    assert_eq!((resent.status, resent.header("location")), (403, None));
    assert_eq!(door.exchange(&client, &code).status, 400);
    assert_eq!(door.status_with(&third.access), 401);
    assert_eq!(door.status_with(&door.log_in(&ANNA, &client).access), 200);
}

fn moments() -> impl Iterator<Item = (usize, Exit)> {
    (1..=STEPS).flat_map(|cut| [(cut, Exit::Killed), (cut, Exit::Asked)])
}

#[test]
fn a_login_goes_on_after_an_end_between_any_two_steps() {
    let mut door = Door::open(with_users());
    for (cut, how) in moments() {
        println!("{how:?} before step {cut}");
        walk(&mut door, cut, how);
    }
}

#[test]
fn a_login_goes_on_after_an_end_between_any_two_steps_with_postgres() {
    let mut door = on_postgres();
    for (cut, how) in moments() {
        println!("{how:?} before step {cut}");
        walk(&mut door, cut, how);
    }
}

/// Sends a form and kills the server at some moment of its work; the status, if there was an answer.
fn form_and_kill(door: &mut Door, fields: &[(&str, &str)], life: Duration) -> Option<u16> {
    let body = encode(fields);
    let host = door.host();
    let mut stream = TcpStream::connect(door.address()).expect("a connection");
    let head =
        format!("POST /oauth/token HTTP/1.1\r\nhost: {host}\r\ncontent-type: {FORM}\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).expect("it listens");
    let started = Instant::now();
    while started.elapsed() < life {
        std::thread::yield_now();
    }
    door.stop(Exit::Killed);
    // What it had sent before its end still arrives.
    let mut said = Vec::new();
    let _ = stream.read_to_end(&mut said);
    let said = String::from_utf8_lossy(&said).into_owned();
    door.restart(Exit::Killed);
    said.split(' ').nth(1)?.parse().ok()
}

fn error(answer: &Response) -> (u16, String) {
    (answer.status, answer.json()["error"].as_str().unwrap_or_default().to_owned())
}

/// Says how it went.
fn kill_at_work(mut door: Door, rounds: u64) -> String {
    let client = door.client();
    let refused = (400, "invalid_grant".to_owned());
    let (mut answered, mut repeated) = (0, 0);
    for round in 0..rounds {
        let life = Duration::from_micros(round * round * 120);
        let code = Browser::of(&door).code(&ANNA, &client, &[]);
        let fields = [("grant_type", "authorization_code"), ("client_id", &client), ("code", &code), ("code_verifier", VERIFIER)];
        let first = form_and_kill(&mut door, &fields, life);
        answered += usize::from(first == Some(200));
        let second = door.exchange(&client, &code);
        match (first, second.status) {
            (None, 200) => repeated += 1,
            // The code was used up, and its answer lost: the user logs in again, the client need not register.
            (None | Some(200), 400) => assert_eq!(error(&second), refused),
            other => panic!("{other:?} after {life:?}: {}", second.body),
        }
        assert_eq!(error(&door.exchange(&client, &code)), refused, "never twice");

        let tokens = door.log_in(&ANNA, &client);
        let fields = [("grant_type", "refresh_token"), ("client_id", &client), ("refresh_token", &tokens.refresh)];
        form_and_kill(&mut door, &fields, life);
        let again = Tokens::of(&door.refresh(&client, &tokens.refresh));
        let read = door.call(&again.access, "vault_read", json!({"path": "a.md"}));
        assert_eq!(read.status, 200, "{}", read.body);
    }
    format!("{rounds} rounds: {answered} exchanges were answered before the end, {repeated} had not begun")
}

#[test]
fn a_server_killed_at_work_uses_a_code_once_and_refreshes_again() {
    println!("{}", kill_at_work(Door::open(with_users()), 20));
}

#[test]
fn a_server_killed_at_work_uses_a_code_once_and_refreshes_again_with_postgres() {
    println!("{}", kill_at_work(on_postgres(), 12));
}

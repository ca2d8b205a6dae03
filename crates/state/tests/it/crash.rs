//! What was acknowledged is there after the power of `kill -9`.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use quillgate_state::{Location, State, TokenKind};

use crate::audit::call;
use crate::place::{NOW, Place, client, grant, hash, stories, token};

const WRITER: &str = "QUILLGATE_TEST_WRITER";

stories![what_was_acknowledged_survives_a_kill, two_processes_write_at_once];

fn start_writer(place: &Place, name: &str) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::the_process_that_writes", "--nocapture"])
        .env(WRITER, format!("{name} {}", place.text()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Is a process of its own when the stories start it, and nothing otherwise.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_process_that_writes() {
    let Ok(order) = std::env::var(WRITER) else { return };
    let (name, location) = order.split_once(' ').unwrap();
    let state = State::open(&Location::parse(location).unwrap()).await.unwrap();
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let (state, name) = (state.clone(), name.to_owned());
            tokio::spawn(async move {
                let mut head = state.start_audit(&format!("{name}-{writer}"), NOW).await.unwrap();
                for number in 0..100_000 {
                    let id = format!("{name}-{writer}-{number}");
                    state.add_client(&client(&id, NOW)).await.unwrap();
                    state.add_grant(&grant(&id, "anna", &id)).await.unwrap();
                    state.add_token(&token(&id, &id, TokenKind::Refresh)).await.unwrap();
                    state.replace_token(&hash(&id), NOW).await.unwrap();
                    state.append_audit(&mut head, &[call(number), call(number)]).await.unwrap();
                    println!("done {id}");
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
}

async fn what_was_acknowledged_survives_a_kill(place: Place) {
    for round in 0..3 {
        let mut writer = start_writer(&place, &round.to_string());
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut done: Vec<String> = lines.by_ref().filter(|line| line.starts_with("done ")).take(100 + 37 * round).collect();
        writer.kill().unwrap();
        // What it said before it died; the last line may be half of one.
        done.extend(lines.filter(|line| line.starts_with("done ")));
        done.pop();
        writer.wait().unwrap();

        let state = place.open().await;
        let audit = state.verify_audit().await.unwrap();
        assert_eq!(audit.problems, []);
        assert!(audit.rows >= 2 * done.len() as u64, "{} of {}", audit.rows, done.len());
        for line in done {
            let id = line.trim_start_matches("done ");
            let (token, grant) = state.find_token(&hash(id)).await.unwrap().unwrap_or_else(|| panic!("{id} was lost"));
            assert_eq!((token.replaced, grant.id.as_str()), (Some(NOW), id));
            assert!(state.find_client(id).await.unwrap().is_some());
        }
    }
}

/// As the server and `quillgate tokens revoke` do.
async fn two_processes_write_at_once(place: Place) {
    let state = place.open().await;
    let mut writers = ["a", "b"].map(|name| start_writer(&place, name));
    let mut lines = writers.each_mut().map(|writer| BufReader::new(writer.stdout.take().unwrap()).lines().map(Result::unwrap));
    for number in 0..200 {
        let done = lines[number % 2].by_ref().find(|line| line.starts_with("done ")).unwrap();
        let id = done.trim_start_matches("done ");
        assert!(state.end_grant(id, NOW + 1).await.unwrap(), "{id}");
        let (_, grant) = state.find_token(&hash(id)).await.unwrap().unwrap();
        assert_eq!(grant.ended, Some(NOW + 1));
    }
    for writer in &mut writers {
        writer.kill().unwrap();
        writer.wait().unwrap();
    }
}

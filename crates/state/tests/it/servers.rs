//! What can happen with a PostgreSQL server only.

use quillgate_state::{Location, State, StateError};
use tokio_postgres::NoTls;

use crate::place::{NOW, Place, client, user};

async fn run(place: &Place, sql: &str) {
    let (client, connection) = tokio_postgres::connect(&place.text(), NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_connections_are_made_again() {
    let place = Place::postgres().await;
    let state = place.open().await;
    state.put_user(&user("anna")).await.unwrap();
    for round in 0..5 {
        let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
        run(&place, cut).await;
        assert!(state.find_user("anna").await.unwrap().is_some(), "reading");
        state.add_client(&client(&round.to_string(), NOW)).await.unwrap();
    }
}

#[tokio::test]
async fn a_newer_version_is_refused() {
    let place = Place::postgres().await;
    place.open().await;
    run(&place, "UPDATE quillgate_version SET version = 99").await;
    let error = State::open(&place.location).await.unwrap_err();
    assert!(matches!(error, StateError::Newer { found: 99, .. }), "{error}");
}

#[tokio::test]
async fn the_tables_of_another_program_are_left_alone() {
    let place = Place::postgres().await;
    run(&place, "CREATE TABLE users (name TEXT)").await;
    let error = State::open(&place.location).await.unwrap_err().to_string();
    assert!(error.contains("relation \"users\" already exists"), "{error}");
    run(&place, "DROP TABLE users").await;
    place.open().await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_an_error_without_the_password() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let location = Location::Postgres(format!("postgres://me:canary@127.0.0.1:{port}/notes"));
    let error = State::open(&location).await.unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(shown.contains("PostgreSQL database notes on 127.0.0.1") && !shown.contains("canary"), "{shown}");
}

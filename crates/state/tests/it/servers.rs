//! What can happen with a PostgreSQL server only.

use quillgate_state::{Location, State, StateError};
use tokio_postgres::NoTls;

use crate::place::{NOW, Place, client, cluster, user};

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_connections_are_made_again() {
    let place = Place::postgres().await;
    let state = place.open().await;
    state.put_user(&user("anna")).await.unwrap();
    for round in 0..5 {
        let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
        place.run(cut).await;
        assert!(state.find_user("anna").await.unwrap().is_some(), "reading");
        state.add_client(&client(&round.to_string(), NOW)).await.unwrap();
    }
}

#[tokio::test]
async fn a_newer_version_is_refused() {
    let place = Place::postgres().await;
    place.open().await;
    place.run("UPDATE quillgate_version SET version = 99").await;
    let error = State::open(&place.location).await.unwrap_err();
    assert!(matches!(error, StateError::Newer { found: 99, .. }), "{error}");
}

#[tokio::test]
async fn the_tables_of_another_program_are_left_alone() {
    let place = Place::postgres().await;
    place.run("CREATE TABLE users (name TEXT)").await;
    let error = State::open(&place.location).await.unwrap_err().to_string();
    assert!(error.contains("relation \"users\" already exists"), "{error}");
    place.run("DROP TABLE users").await;
    place.open().await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_an_error_without_the_password() {
    let port = free_port();
    let location = Location::Postgres(format!("postgres://me:canary@127.0.0.1:{port}/notes"));
    let error = State::open(&location).await.unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(shown.contains("PostgreSQL database notes on 127.0.0.1") && !shown.contains("canary"), "{shown}");
}

#[tokio::test]
async fn tls_is_checked_by_the_authority_of_the_url() {
    let port = free_port();
    let folder = format!("/tmp/quillgate-tls-{}", std::process::id());
    let socket = tokio::task::spawn_blocking({
        let folder = folder.clone();
        move || cluster(&folder, std::process::id(), Some(port))
    });
    let (client, connection) = tokio_postgres::connect(&socket.await.unwrap(), NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("ALTER USER postgres PASSWORD 'canary'").await.unwrap();

    let open = async |host: &str, password: &str, query: &str| {
        let url = format!("postgres://postgres:{password}@{host}:{port}/postgres?{query}");
        let opened = State::open(&Location::parse(&url).unwrap()).await;
        opened.map_err(|error| format!("{error} {error:?}"))
    };
    let authority = format!("sslmode=verify-full&sslrootcert={folder}/certificate.pem");
    let state = open("localhost", "canary", &authority).await.unwrap();
    state.put_user(&user("anna")).await.unwrap();
    let row =
        client.query_one("SELECT COUNT(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl", &[]).await.unwrap();
    assert_eq!(row.get::<_, i64>(0), 1);

    for (host, password, query, words) in [
        ("localhost", "canary-2", authority.as_str(), "password authentication failed"),
        ("localhost", "canary", "sslmode=require", "invalid peer certificate"),
        ("127.0.0.1", "canary", authority.as_str(), "not valid for name"),
        ("localhost", "canary", "sslmode=require&sslrootcert=/nowhere.pem", "sslrootcert /nowhere.pem cannot be read"),
        ("localhost", "canary", "sslmode=disable", "no encryption"),
    ] {
        let error = open(host, password, query).await.unwrap_err();
        assert!(error.contains(words) && !error.contains("canary"), "{query}: {error}");
    }
}

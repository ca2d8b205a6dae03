//! A fresh database, and records to put into it.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use quillgate_state::{Client, Code, Consent, Grant, Key, Location, PendingRequest, SecretHash, State, Token, TokenKind, User};
use tempfile::TempDir;

pub(crate) const NOW: i64 = 1_800_000_000;

pub(crate) struct Place {
    pub(crate) location: Location,
    _folder: Option<TempDir>,
}

impl Place {
    pub(crate) async fn sqlite() -> Place {
        let folder = tempfile::tempdir().unwrap();
        Place { location: Location::Sqlite(folder.path().join("state.db")), _folder: Some(folder) }
    }

    pub(crate) async fn postgres() -> Place {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let database = format!("story_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let url = tokio::task::spawn_blocking(common_cluster).await.unwrap();
        connect_to_server(&url).await.batch_execute(&format!("CREATE DATABASE {database}")).await.unwrap();
        Place { location: Location::Postgres(url.replace("/postgres?", &format!("/{database}?"))), _folder: None }
    }

    pub(crate) async fn open(&self) -> State {
        State::open(&self.location).await.unwrap()
    }

    /// Runs SQL with other hands than ours.
    pub(crate) async fn run(&self, sql: &str) {
        match &self.location {
            Location::Sqlite(path) => connect(path).execute_batch(sql).unwrap(),
            Location::Postgres(url) => connect_to_server(url).await.batch_execute(sql).await.unwrap(),
        }
    }

    pub(crate) async fn number(&self, sql: &str) -> i64 {
        match &self.location {
            Location::Sqlite(path) => connect(path).query_row(sql, [], |row| row.get(0)).unwrap(),
            Location::Postgres(url) => connect_to_server(url).await.query_one(sql, &[]).await.unwrap().get(0),
        }
    }

    /// As [`Location::parse`] reads it.
    pub(crate) fn text(&self) -> String {
        match &self.location {
            Location::Sqlite(path) => format!("sqlite:{}", path.display()),
            Location::Postgres(url) => url.clone(),
        }
    }
}

pub(crate) fn connect(path: &Path) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
    connection
}

pub(crate) async fn connect_to_server(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// One cluster for all tests of a run. It ends with the process that runs them, which with nextest is our parent.
fn common_cluster() -> String {
    let owner = if std::env::var_os("NEXTEST").is_some() { std::os::unix::process::parent_id() } else { std::process::id() };
    cluster(&format!("/tmp/quillgate-postgres-{owner}"), owner, None)
}

pub(crate) fn cluster(folder: &str, owner: u32, tls_port: Option<u16>) -> String {
    let start = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/postgres/start");
    let mut start = Command::new(start);
    start.args([folder, &owner.to_string()]).envs(tls_port.map(|port| ("TLS_PORT", port.to_string())));
    let output = start.output().unwrap();
    assert!(output.status.success(), "no PostgreSQL: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Makes two tests of every story.
macro_rules! stories {
    ($($story:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                super::$story(crate::place::Place::sqlite().await).await;
            })*
        }

        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                super::$story(crate::place::Place::postgres().await).await;
            })*
        }
    };
}
pub(crate) use stories;

pub(crate) fn hash(secret: &str) -> SecretHash {
    SecretHash::of(secret)
}

pub(crate) fn client(id: &str, created: i64) -> Client {
    let metadata = r#"{"client_name":"A client ✓"}"#.into();
    Client {
        id: id.into(),
        metadata,
        secret: Some(hash(id)),
        registration: Some(hash("registration")),
        created,
        seen: None,
        used: None,
    }
}

pub(crate) fn request(id: &str, expires: i64) -> PendingRequest {
    PendingRequest { id: hash(id), browser: hash("cookie"), csrf: hash("form 1"), data: r#"{"state":"é"}"#.into(), expires }
}

pub(crate) fn consent(user: &str, client: &str, redirect_uri: &str) -> Consent {
    Consent {
        user: user.into(),
        client: client.into(),
        redirect_uri: redirect_uri.into(),
        scopes: "read:notes".into(),
        given: NOW,
    }
}

pub(crate) fn grant(id: &str, user: &str, client: &str) -> Grant {
    Grant {
        id: id.into(),
        issuer: "https://notes.example".into(),
        user: user.into(),
        client: client.into(),
        client_name: "A client".into(),
        scopes: "read:notes write:notes".into(),
        resource: "https://notes.example/mcp".into(),
        user_mark: "mark".into(),
        created: NOW,
        expires: NOW + 1000,
        ended: None,
    }
}

pub(crate) fn code(secret: &str, grant: &str) -> Code {
    Code {
        hash: hash(secret),
        grant: grant.into(),
        redirect_uri: "https://app.example/callback".into(),
        challenge: "challenge".into(),
        sealed: Some("sealed".into()),
        expires: NOW + 300,
        used: None,
        misses: 0,
    }
}

pub(crate) fn token(secret: &str, grant: &str, kind: TokenKind) -> Token {
    Token {
        hash: hash(secret),
        kind,
        grant: grant.into(),
        scopes: "read:notes".into(),
        parent: None,
        sealed: None,
        issued: NOW,
        expires: NOW + 600,
        last_used: None,
        replaced: None,
        reissued: 0,
        ended: None,
    }
}

pub(crate) fn user(name: &str) -> User {
    User { name: name.into(), password: "$argon2id$canary".into(), created: NOW }
}

pub(crate) fn key(secret: &str, name: &str) -> Key {
    Key {
        hash: hash(secret),
        name: name.into(),
        scopes: "read:notes".into(),
        vault: None,
        created: NOW,
        expires: None,
        last_used: None,
    }
}

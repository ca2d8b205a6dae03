//! PostgreSQL: a few connections, made when they are needed and made again when they are lost.

use std::collections::HashMap;
use std::error::Error as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, private::BytesMut, to_sql_checked};
use tokio_postgres::{Client, Error, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::target::Target;
use super::{Outcome, Row, Statement, Value, tls};
use crate::{Location, StateError, schema};

const CONNECTIONS: usize = 8;
/// For one statement, and for the wait for a connection.
const PATIENCE: Duration = Duration::from_secs(15);
/// A connection that was idle for longer is asked whether it is still there.
const IDLE: Duration = Duration::from_secs(5);
/// "QGst"; whoever holds this lock migrates.
const MIGRATION_LOCK: i64 = 0x5147_7374;

pub(crate) struct Postgres {
    target: Target,
    tls: Option<MakeRustlsConnect>,
    permits: Semaphore,
    idle: Mutex<Vec<Connection>>,
}

struct Connection {
    client: Client,
    prepared: HashMap<&'static str, tokio_postgres::Statement>,
    since: Instant,
}

impl Postgres {
    pub(crate) async fn open(url: &str) -> Result<Postgres, StateError> {
        let location = Location::Postgres(url.to_owned()).to_string();
        let target = Target::parse(url)?;
        let tls = if target.wants_tls() { Some(tls::connector(&target, &location)?) } else { None };
        let postgres = Postgres { target, tls, permits: Semaphore::new(CONNECTIONS), idle: Mutex::default() };
        let unusable = |error: &Error| StateError::Open { location: location.clone(), problem: describe(error) };
        let connection = postgres.connect().await.map_err(|error| unusable(&error))?;
        let version = connection.lock_version().await.map_err(|error| unusable(&error))?;
        let steps = schema::steps(version, &location)?;
        connection.migrate(version, &steps).await.map_err(|error| unusable(&error))?;
        postgres.put_back(connection);
        Ok(postgres)
    }

    /// Tries again what certainly was not done, or only reads.
    pub(crate) async fn run(&self, statements: Vec<Statement>) -> Result<Vec<Outcome>, StateError> {
        let no_answer =
            |_| StateError::Unavailable("PostgreSQL does not answer; see whether it runs and is not overloaded".into());
        let permit = timeout(PATIENCE, self.permits.acquire()).await.map_err(no_answer)?;
        let _permit = permit.expect("the semaphore is never closed");
        let only_reads = statements.iter().all(Statement::only_reads);
        let mut tries = 0;
        loop {
            tries += 1;
            let mut connection = self.connection().await.map_err(|error| StateError::Unavailable(describe(&error)))?;
            let error = match timeout(PATIENCE, connection.run(&statements)).await.map_err(no_answer)? {
                Ok(outcomes) => {
                    self.put_back(connection);
                    return Ok(outcomes);
                }
                Err(error) => error,
            };
            let fate = Fate::of(&error);
            if fate != Fate::Lost && fate != Fate::Stale {
                self.put_back(connection);
            }
            let may_retry = fate == Fate::RolledBack || fate == Fate::Stale || fate == Fate::Lost && only_reads;
            if !may_retry || tries > 3 {
                return Err(failure(&error));
            }
        }
    }

    async fn connection(&self) -> Result<Connection, Error> {
        loop {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(connection) = idle else { return self.connect().await };
            if connection.is_alive().await {
                return Ok(connection);
            }
        }
    }

    fn put_back(&self, mut connection: Connection) {
        if !connection.client.is_closed() {
            connection.since = Instant::now();
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
    }

    async fn connect(&self) -> Result<Connection, Error> {
        let client = match &self.tls {
            Some(tls) => {
                let (client, connection) = self.target.config.connect(tls.clone()).await?;
                tokio::spawn(connection);
                client
            }
            None => {
                let (client, connection) = self.target.config.connect(NoTls).await?;
                tokio::spawn(connection);
                client
            }
        };
        client.batch_execute(&format!("SET statement_timeout = {}", PATIENCE.as_millis())).await?;
        Ok(Connection { client, prepared: HashMap::new(), since: Instant::now() })
    }
}

impl Connection {
    async fn is_alive(&self) -> bool {
        if self.since.elapsed() < IDLE {
            return !self.client.is_closed();
        }
        matches!(timeout(Duration::from_secs(2), self.client.check_connection()).await, Ok(Ok(())))
    }

    /// Begins a transaction in which nobody else migrates, and says what version is there.
    async fn lock_version(&self) -> Result<i64, Error> {
        self.client.batch_execute("BEGIN; SET LOCAL statement_timeout = 0").await?;
        self.client.query_one("SELECT pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK]).await?;
        // Whoever may not create tables can still use a database that is up to date.
        let exists: bool = self.client.query_one("SELECT to_regclass('quillgate_version') IS NOT NULL", &[]).await?.get(0);
        if !exists {
            self.client.batch_execute(schema::CREATE_VERSION).await?;
        }
        let row = self.client.query_opt(schema::READ_VERSION, &[]).await?;
        Ok(row.map_or(0, |row| row.get(0)))
    }

    async fn migrate(&self, version: i64, steps: &[String]) -> Result<(), Error> {
        for step in steps {
            self.client.batch_execute(step).await?;
        }
        if version == 0 {
            // Counters are not worth a wait for the disk.
            self.client.batch_execute("ALTER TABLE limits SET UNLOGGED").await?;
        }
        self.client.batch_execute("COMMIT").await
    }

    async fn run(&mut self, statements: &[Statement]) -> Result<Vec<Outcome>, Error> {
        if let [statement] = statements {
            return Ok(vec![self.step(statement).await?]);
        }
        self.client.batch_execute("BEGIN").await?;
        let mut outcomes = Vec::with_capacity(statements.len());
        for statement in statements {
            match self.step(statement).await {
                Ok(outcome) => outcomes.push(outcome),
                Err(error) => {
                    self.client.batch_execute("ROLLBACK").await?;
                    return Err(error);
                }
            }
        }
        self.client.batch_execute("COMMIT").await?;
        Ok(outcomes)
    }

    async fn step(&mut self, statement: &Statement) -> Result<Outcome, Error> {
        let prepared = match self.prepared.get(statement.sql) {
            Some(prepared) => prepared.clone(),
            None => {
                let types: Vec<Type> = statement.values.iter().map(Value::kind).collect();
                let prepared = self.client.prepare_typed(statement.sql, &types).await?;
                self.prepared.insert(statement.sql, prepared.clone());
                prepared
            }
        };
        let values: Vec<&(dyn ToSql + Sync)> = statement.values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        if prepared.columns().is_empty() {
            return Ok(Outcome { rows: Vec::new(), changed: self.client.execute(&prepared, &values).await? });
        }
        let mut rows = Vec::new();
        for row in self.client.query(&prepared, &values).await? {
            rows.push(Row::new((0..row.len()).map(|column| row.try_get(column)).collect::<Result<_, Error>>()?));
        }
        Ok(Outcome { changed: rows.len() as u64, rows })
    }
}

/// What an error says about the statement and its connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Refused,
    /// It stood in the way of another one.
    RolledBack,
    /// Nothing was done, because what was prepared no longer fits the database.
    Stale,
    /// Nobody knows whether it was done.
    Lost,
}

impl Fate {
    fn of(error: &Error) -> Fate {
        let Some(code) = error.code() else { return Fate::Lost };
        match code {
            &SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED => Fate::RolledBack,
            &SqlState::INVALID_SQL_STATEMENT_NAME | &SqlState::FEATURE_NOT_SUPPORTED => Fate::Stale,
            &SqlState::ADMIN_SHUTDOWN | &SqlState::CRASH_SHUTDOWN | &SqlState::CANNOT_CONNECT_NOW => Fate::Lost,
            _ => Fate::Refused,
        }
    }
}

fn failure(error: &Error) -> StateError {
    match error.code() {
        Some(&SqlState::UNIQUE_VIOLATION) => StateError::Taken("one of that name"),
        Some(&SqlState::FOREIGN_KEY_VIOLATION) => StateError::NoGrant,
        _ if Fate::of(error) == Fate::Lost => StateError::Unavailable(describe(error)),
        _ => StateError::Failed(describe(error)),
    }
}

/// The server's main message only: its details quote rows.
fn describe(error: &Error) -> String {
    if let Some(error) = error.as_db_error() {
        return format!("{} (SQLSTATE {})", error.message(), error.code().code());
    }
    let Some(cause) = error.source() else { return error.to_string() };
    let advice = match error.to_string() {
        text if text.contains("TLS") => {
            "; name the authority's certificate with sslrootcert in the URL, or write sslmode=disable to go without TLS"
        }
        _ => "",
    };
    format!("{error}: {cause}{advice}")
}

impl Value {
    fn kind(&self) -> Type {
        match self {
            Value::Text(_) => Type::TEXT,
            Value::Integer(_) => Type::INT8,
        }
    }
}

/// The library wants values that can be printed; this prints none.
impl std::fmt::Debug for Value {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.kind().name())
    }
}

impl ToSql for Value {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Value::Text(text) => text.to_sql(kind, out),
            Value::Integer(number) => number.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        [Type::TEXT, Type::INT8].contains(kind)
    }

    to_sql_checked!();
}

impl<'row> FromSql<'row> for Value {
    fn from_sql(kind: &Type, raw: &'row [u8]) -> Result<Value, Box<dyn std::error::Error + Sync + Send>> {
        Value::from_sql_nullable(kind, Some(raw))
    }

    fn from_sql_null(kind: &Type) -> Result<Value, Box<dyn std::error::Error + Sync + Send>> {
        Value::from_sql_nullable(kind, None)
    }

    fn from_sql_nullable(kind: &Type, raw: Option<&'row [u8]>) -> Result<Value, Box<dyn std::error::Error + Sync + Send>> {
        if *kind == Type::INT8 {
            return Ok(Value::Integer(Option::<i64>::from_sql_nullable(kind, raw)?));
        }
        Ok(Value::Text(Option::<String>::from_sql_nullable(kind, raw)?))
    }

    fn accepts(kind: &Type) -> bool {
        [Type::TEXT, Type::INT8].contains(kind)
    }
}

//! SQLite: one thread that writes and one that reads, each with a connection of its own.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql, ffi};
use tokio::sync::oneshot;

use super::file::StateFile;
use super::{Outcome, Row, Statement, Value};
use crate::{Location, StateError, schema};

/// "QGst"; tells our files from those of other programs.
const APPLICATION: i64 = 0x5147_7374;
/// How many jobs may share one transaction, and so one wait for the disk.
const BATCH: usize = 64;

pub(crate) struct Sqlite {
    writer: mpsc::Sender<Job>,
    /// Reading does not wait for the disk that a change waits for.
    reader: mpsc::Sender<Job>,
}

struct Job {
    statements: Vec<Statement>,
    reply: oneshot::Sender<Result<Vec<Outcome>, StateError>>,
}

impl Sqlite {
    pub(crate) async fn open(path: PathBuf) -> Result<Sqlite, StateError> {
        let opened = tokio::task::spawn_blocking(move || {
            let file = StateFile::find(&path)?;
            if !file.exists()? {
                create(&file)?;
            }
            let writer = connect(&file)?;
            check(&writer, &file)?;
            migrate(&writer, &file)?;
            let reader = connect(&file)?;
            reader.execute_batch("PRAGMA query_only = ON").map_err(|error| unusable(&file, &error))?;
            Ok(Sqlite { writer: start(writer)?, reader: start(reader)? })
        });
        opened.await.map_err(|error| StateError::Failed(error.to_string()))?
    }

    pub(crate) async fn run(&self, statements: Vec<Statement>) -> Result<Vec<Outcome>, StateError> {
        let thread = if statements.iter().all(Statement::only_reads) { &self.reader } else { &self.writer };
        let (reply, answer) = oneshot::channel();
        let ended = || StateError::Failed("the thread of the database has ended; restart the server".into());
        thread.send(Job { statements, reply }).map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }
}

/// Made under another name and put into place when it is complete: an empty or half-made file is never one of ours.
fn create(file: &StateFile) -> Result<(), StateError> {
    let draft = file.draft()?;
    let made = (|| {
        let connection = connect(&draft)?;
        let settings =
            format!("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA application_id = {APPLICATION}");
        connection.execute_batch(&settings).map_err(|error| unusable(file, &error))?;
        migrate(&connection, &draft)?;
        connection.close().map_err(|(_, error)| unusable(file, &error))
    })();
    match made {
        Ok(()) => draft.put_at(file),
        Err(error) => {
            draft.discard();
            Err(error)
        }
    }
}

fn connect(file: &StateFile) -> Result<Connection, StateError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(file.path(), flags).map_err(|error| unusable(file, &error))?;
    connection.busy_timeout(Duration::from_secs(10)).map_err(|error| unusable(file, &error))?;
    // FULL, so that a token that somebody was given is still there after the power was cut.
    let settings = "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = 4194304;
        PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON";
    connection.execute_batch(settings).map_err(|error| unusable(file, &error))?;
    Ok(connection)
}

fn check(connection: &Connection, file: &StateFile) -> Result<(), StateError> {
    let ask = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, rusqlite::types::Value>(0));
    let application = ask("PRAGMA application_id").map_err(|error| unusable(file, &error))?;
    if application != rusqlite::types::Value::Integer(APPLICATION) {
        return Err(file.problem("it is the database of another program; give the state a file of its own"));
    }
    // All but the audit, which may be large and has a check of its own.
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'audit'";
    let tables = (|| connection.prepare(tables)?.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>())();
    for table in tables.map_err(|error| unusable(file, &error))? {
        let verdict = ask(&format!("PRAGMA quick_check(\"{}\")", table.replace('"', "\"\"")));
        if verdict.map_err(|error| unusable(file, &error))? != rusqlite::types::Value::Text("ok".into()) {
            return Err(file.problem(DAMAGED));
        }
    }
    Ok(())
}

const DAMAGED: &str = "it is damaged or no SQLite file; restore a backup, or move it away to start with an empty state, in which everybody has to log in again";

fn migrate(connection: &Connection, file: &StateFile) -> Result<(), StateError> {
    let failed = |error: rusqlite::Error| unusable(file, &error);
    let version = || -> Result<i64, rusqlite::Error> {
        connection.query_row(&format!("SELECT COALESCE(MAX(version), 0) FROM ({})", schema::READ_VERSION), [], |row| row.get(0))
    };
    // Also where nothing has to be done two processes may start at once, so look again once nobody else can write.
    connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
    connection.execute_batch(schema::CREATE_VERSION).map_err(failed)?;
    let steps = schema::steps(version().map_err(failed)?, &Location::Sqlite(file.path().to_owned()).to_string())?;
    for step in &steps {
        connection.execute_batch(step).map_err(failed)?;
    }
    connection.execute_batch("COMMIT").map_err(failed)
}

fn unusable(file: &StateFile, error: &rusqlite::Error) -> StateError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => file.problem(DAMAGED),
        _ => file.problem(&error.to_string()),
    }
}

fn start(connection: Connection) -> Result<mpsc::Sender<Job>, StateError> {
    let (sender, jobs) = mpsc::channel();
    let thread = thread::Builder::new().name("state".into()).spawn(move || work(&connection, &jobs));
    thread.map_err(|error| StateError::Failed(format!("no thread for the database: {error}")))?;
    Ok(sender)
}

/// Ends when the last handle is gone.
fn work(connection: &Connection, jobs: &mpsc::Receiver<Job>) {
    let mut worker = Worker { connection, prepared: HashMap::new() };
    while let Ok(first) = jobs.recv() {
        let mut batch = vec![first];
        batch.extend(jobs.try_iter().take(BATCH - 1));
        worker.answer(batch);
    }
}

struct Worker<'connection> {
    connection: &'connection Connection,
    prepared: HashMap<&'static str, rusqlite::Statement<'connection>>,
}

impl Worker<'_> {
    /// Changes that wait together are committed together. If that fails, each is tried alone, so that none pays for another.
    fn answer(&mut self, batch: Vec<Job>) {
        let reads = batch.iter().all(|job| job.statements.iter().all(Statement::only_reads));
        if !reads
            && batch.len() > 1
            && let Ok(results) = self.together(&batch)
        {
            for (job, result) in batch.into_iter().zip(results) {
                let _ = job.reply.send(result);
            }
            return;
        }
        for job in batch {
            let result = match job.statements.as_slice() {
                [statement] => self.step(statement).map(|outcome| vec![outcome]),
                statements => self.in_transaction(|worker| worker.steps(statements)),
            };
            let _ = job.reply.send(result.map_err(|error| failure(&error)));
        }
    }

    fn together(&mut self, batch: &[Job]) -> rusqlite::Result<Vec<Result<Vec<Outcome>, StateError>>> {
        self.in_transaction(|worker| {
            let mut results = Vec::with_capacity(batch.len());
            for job in batch {
                worker.connection.execute_batch("SAVEPOINT job")?;
                let result = worker.steps(&job.statements);
                if result.is_err() {
                    // Fails if the error has ended the whole transaction.
                    worker.connection.execute_batch("ROLLBACK TO job")?;
                }
                worker.connection.execute_batch("RELEASE job")?;
                results.push(result.map_err(|error| failure(&error)));
            }
            Ok(results)
        })
    }

    fn in_transaction<T>(&mut self, run: impl FnOnce(&mut Self) -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        let result = run(self).and_then(|value| self.connection.execute_batch("COMMIT").map(|()| value));
        if result.is_err() && !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK")?;
        }
        result
    }

    fn steps(&mut self, statements: &[Statement]) -> rusqlite::Result<Vec<Outcome>> {
        statements.iter().map(|statement| self.step(statement)).collect()
    }

    fn step(&mut self, statement: &Statement) -> rusqlite::Result<Outcome> {
        let prepared = match self.prepared.entry(statement.sql) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(self.connection.prepare(&statement.sql.replace('$', "?"))?),
        };
        let columns = prepared.column_count();
        let mut rows = prepared.query(rusqlite::params_from_iter(&statement.values))?;
        let mut read = Vec::new();
        while let Some(row) = rows.next()? {
            read.push(Row::new((0..columns).map(|column| value(row.get_ref(column)?)).collect::<rusqlite::Result<_>>()?));
        }
        drop(rows);
        let changed = if columns == 0 { self.connection.changes() } else { read.len() as u64 };
        Ok(Outcome { rows: read, changed })
    }
}

fn value(value: ValueRef<'_>) -> rusqlite::Result<Value> {
    match value {
        ValueRef::Null => Ok(Value::Text(None)),
        ValueRef::Integer(number) => Ok(Value::Integer(Some(number))),
        value => Ok(Value::Text(Some(value.as_str()?.to_owned()))),
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Value::Text(text) => text.to_sql(),
            Value::Integer(number) => number.to_sql(),
        }
    }
}

fn failure(error: &rusqlite::Error) -> StateError {
    let Some(sqlite) = error.sqlite_error() else { return StateError::Failed(error.to_string()) };
    match (sqlite.code, sqlite.extended_code) {
        (_, ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_UNIQUE) => StateError::Taken("one of that name"),
        (_, ffi::SQLITE_CONSTRAINT_FOREIGNKEY) => StateError::NoGrant,
        (ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked, _) => {
            StateError::Unavailable("another program has locked it for too long; end that program and try again".into())
        }
        (ErrorCode::DiskFull, _) => StateError::Unavailable("the disk is full; make room".into()),
        // The plain description: messages of SQLite itself may quote what was given.
        _ => StateError::Failed(sqlite.to_string()),
    }
}

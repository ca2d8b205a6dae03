//! One small face for both databases: a statement with its values in, rows or a number of changes out.

pub(crate) mod file;
pub(crate) mod postgres;
pub(crate) mod sqlite;
pub(crate) mod target;
mod tls;

use std::vec;

use crate::{Location, SecretHash, StateError};

/// All that is ever stored.
#[derive(Clone)]
pub(crate) enum Value {
    Text(Option<String>),
    Integer(Option<i64>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(Some(text.to_owned()))
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Value {
        Value::Text(Some(text.clone()))
    }
}

impl From<&Option<String>> for Value {
    fn from(text: &Option<String>) -> Value {
        Value::Text(text.clone())
    }
}

impl From<&SecretHash> for Value {
    fn from(hash: &SecretHash) -> Value {
        hash.as_str().into()
    }
}

impl From<&Option<SecretHash>> for Value {
    fn from(hash: &Option<SecretHash>) -> Value {
        Value::Text(hash.as_ref().map(|hash| hash.as_str().to_owned()))
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Integer(Some(number))
    }
}

impl From<Option<i64>> for Value {
    fn from(number: Option<i64>) -> Value {
        Value::Integer(number)
    }
}

/// The values of a statement, in the order of `$1`, `$2`, ….
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::database::Value::from($value)),*] };
}
pub(crate) use values;

/// A statement whose parameters are `$1`, `$2`, …. Its text is part of the program, so it can be prepared once.
#[derive(Clone)]
pub(crate) struct Statement {
    pub(crate) sql: &'static str,
    pub(crate) values: Vec<Value>,
}

impl Statement {
    fn only_reads(&self) -> bool {
        self.sql.starts_with("SELECT")
    }

    /// PostgreSQL's text cannot hold a zero byte. So none is ever stored in either database, and none can be found.
    fn has_zero_byte(&self) -> bool {
        self.values.iter().any(|value| matches!(value, Value::Text(Some(text)) if text.contains('\0')))
    }
}

/// The values of one row, taken from left to right.
pub(crate) struct Row(vec::IntoIter<Value>);

impl Row {
    pub(crate) fn new(values: Vec<Value>) -> Row {
        Row(values.into_iter())
    }

    pub(crate) fn optional_text(&mut self) -> Result<Option<String>, StateError> {
        match self.0.next() {
            Some(Value::Text(text)) => Ok(text),
            Some(Value::Integer(None)) => Ok(None),
            _ => Err(StateError::Damaged("text")),
        }
    }

    pub(crate) fn text(&mut self) -> Result<String, StateError> {
        self.optional_text()?.ok_or(StateError::Damaged("text"))
    }

    pub(crate) fn optional_integer(&mut self) -> Result<Option<i64>, StateError> {
        match self.0.next() {
            Some(Value::Integer(number)) => Ok(number),
            Some(Value::Text(None)) => Ok(None),
            _ => Err(StateError::Damaged("number")),
        }
    }

    pub(crate) fn integer(&mut self) -> Result<i64, StateError> {
        self.optional_integer()?.ok_or(StateError::Damaged("number"))
    }

    pub(crate) fn optional_hash(&mut self) -> Result<Option<SecretHash>, StateError> {
        let Some(hex) = self.optional_text()? else { return Ok(None) };
        SecretHash::from_hex(&hex).map(Some).ok_or(StateError::Damaged("hash"))
    }

    pub(crate) fn hash(&mut self) -> Result<SecretHash, StateError> {
        self.optional_hash()?.ok_or(StateError::Damaged("hash"))
    }
}

/// What a statement did: the rows that it gave, and how many rows it changed.
pub(crate) struct Outcome {
    pub(crate) rows: Vec<Row>,
    pub(crate) changed: u64,
}

pub(crate) enum Database {
    Sqlite(sqlite::Sqlite),
    Postgres(Box<postgres::Postgres>),
}

impl Database {
    pub(crate) async fn open(location: &Location) -> Result<Database, StateError> {
        match location {
            Location::Sqlite(path) => Ok(Database::Sqlite(sqlite::Sqlite::open(path.clone()).await?)),
            Location::Postgres(url) => Ok(Database::Postgres(Box::new(postgres::Postgres::open(url).await?))),
        }
    }

    pub(crate) async fn run(&self, sql: &'static str, values: Vec<Value>) -> Result<Outcome, StateError> {
        let mut outcomes = self.run_all(vec![Statement { sql, values }]).await?;
        Ok(outcomes.pop().expect("one outcome for each statement"))
    }

    /// All of them or none.
    pub(crate) async fn run_all(&self, statements: Vec<Statement>) -> Result<Vec<Outcome>, StateError> {
        if statements.iter().any(Statement::has_zero_byte) {
            if statements.iter().any(|statement| statement.sql.starts_with("INSERT")) {
                return Err(StateError::Failed("text with a zero byte cannot be stored; leave it out".into()));
            }
            return Ok(statements.iter().map(|_| Outcome { rows: Vec::new(), changed: 0 }).collect());
        }
        match self {
            Database::Sqlite(sqlite) => sqlite.run(statements).await,
            Database::Postgres(postgres) => postgres.run(statements).await,
        }
    }

    /// How many rows were changed.
    pub(crate) async fn change(&self, sql: &'static str, values: Vec<Value>) -> Result<u64, StateError> {
        Ok(self.run(sql, values).await?.changed)
    }

    pub(crate) async fn find<T>(
        &self,
        sql: &'static str,
        values: Vec<Value>,
        read: impl Fn(&mut Row) -> Result<T, StateError>,
    ) -> Result<Option<T>, StateError> {
        self.run(sql, values).await?.rows.first_mut().map(read).transpose()
    }

    pub(crate) async fn list<T>(
        &self,
        sql: &'static str,
        values: Vec<Value>,
        read: impl Fn(&mut Row) -> Result<T, StateError>,
    ) -> Result<Vec<T>, StateError> {
        self.run(sql, values).await?.rows.iter_mut().map(read).collect()
    }

    /// Gives space that is free for long back to the disk.
    pub(crate) async fn shrink(&self) -> Result<(), StateError> {
        // PostgreSQL does this by itself.
        let Database::Sqlite(_) = self else { return Ok(()) };
        let free = self.find("PRAGMA freelist_count", vec![], Row::integer).await?;
        if free.unwrap_or_default() > 256 {
            self.run("PRAGMA incremental_vacuum(4096)", vec![]).await?;
        }
        Ok(())
    }
}

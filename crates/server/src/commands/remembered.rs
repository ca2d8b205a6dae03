//! What the commands that look after logins share: the state of the configured server, and tables.

use std::future::Future;

use quillgate_state::State;

use super::{Shared, say};
use crate::sites;

/// Opens the state that the server of this configuration uses, and does something with it.
pub(super) fn with_state<T, F>(shared: &Shared, work: impl FnOnce(std::sync::Arc<State>) -> F) -> anyhow::Result<T>
where
    F: Future<Output = anyhow::Result<T>>,
{
    let config = shared.configure()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async { work(sites::open_state(&config).await?).await })
}

pub(super) fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// Columns as wide as their widest cell.
pub(super) fn table(headings: &[&str], rows: &[Vec<String>]) -> anyhow::Result<()> {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain(headings.get(column).map(|heading| heading.len())).max().unwrap_or_default()
    };
    let line = |cells: &[String]| {
        let padded = cells.iter().enumerate().map(|(column, cell)| format!("{cell:<width$}", width = width(column)));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    say(&line(&headings.iter().map(|heading| (*heading).to_owned()).collect::<Vec<_>>()))?;
    rows.iter().try_for_each(|row| say(&line(row)))
}

/// A time for people, to the minute.
pub(super) fn time(seconds: Option<i64>) -> String {
    let time = seconds.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    time.map_or_else(|| "never".to_owned(), |time| time.strftime("%Y-%m-%d %H:%M").to_string())
}

/// Names that clients chose may hold anything; a terminal shows only what is harmless.
pub(super) fn harmless(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(60).collect()
}

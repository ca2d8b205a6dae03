//! The way of every call's record into the state: queued, then written in batches by one task.
//!
//! A call never waits for it. What finds the queue full, or a state that cannot be written, is counted, and the count is
//! written into the chain in its place.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, UNIX_EPOCH};

use quillgate_state::{AuditRow, AuditStatus, ChainHead};
use tokio::sync::{Notify, mpsc, oneshot};

use crate::ledger::{Ledger, now_ms};
use crate::random;
use crate::telemetry::{CallRecord, Status};

const LONGEST_QUEUE: usize = 8192;
const BATCH: usize = 256;
/// How long a record may wait for others to be written with.
const GATHER: Duration = Duration::from_millis(200);

#[derive(Default)]
pub(crate) struct AuditQueue {
    sender: OnceLock<mpsc::Sender<Message>>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    dropped: AtomicU64,
    /// Somebody waits for all that is queued.
    hurry: Notify,
}

enum Message {
    Row(Box<AuditRow>),
    Flush(oneshot::Sender<()>),
}

impl AuditQueue {
    /// The first record starts the task that writes.
    pub(crate) fn push(&self, ledger: &Arc<Ledger>, record: CallRecord, session: Option<String>) {
        let sender = self.sender.get_or_init(|| {
            let (sender, receiver) = mpsc::channel(LONGEST_QUEUE);
            tokio::spawn(write(Arc::downgrade(ledger), receiver, self.shared.clone()));
            sender
        });
        if sender.try_send(Message::Row(Box::new(row(record, session)))).is_err() {
            self.shared.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) async fn finish(&self, patience: Duration) {
        let Some(sender) = self.sender.get() else { return };
        let (done, flushed) = oneshot::channel();
        let flush = async {
            self.shared.hurry.notify_one();
            if sender.send(Message::Flush(done)).await.is_ok() {
                let _ = flushed.await;
            }
        };
        let _ = tokio::time::timeout(patience, flush).await;
    }

    /// Records that wait, and records that were lost.
    pub(crate) fn readings(&self) -> (usize, u64) {
        let waiting = self.sender.get().map_or(0, |sender| LONGEST_QUEUE - sender.capacity());
        (waiting, self.shared.dropped.load(Ordering::Relaxed))
    }
}

fn row(record: CallRecord, session: Option<String>) -> AuditRow {
    let at = record.started.duration_since(UNIX_EPOCH).unwrap_or_default();
    AuditRow {
        at_ms: i64::try_from(at.as_millis()).unwrap_or(i64::MAX),
        vault: record.vault.map(|vault| vault.to_string()),
        surface: record.surface.to_owned(),
        tool: record.tool.into_owned(),
        caller: record.caller.to_string(),
        client: None,
        session,
        args_hash: record.args_hash,
        status: if record.status == Status::Ok { AuditStatus::Ok } else { AuditStatus::Error },
        code: record.code.map(str::to_owned),
        confirmed: record.confirmed.map(str::to_owned),
        bytes_out: i64::try_from(record.bytes).unwrap_or(i64::MAX),
        duration_us: i64::try_from(record.duration.as_micros()).unwrap_or(i64::MAX),
        dropped: 0,
    }
}

async fn write(ledger: std::sync::Weak<Ledger>, mut queue: mpsc::Receiver<Message>, shared: Arc<Shared>) {
    let mut head: Option<ChainHead> = None;
    while let Some(first) = queue.recv().await {
        let (mut rows, mut flushes) = (Vec::new(), Vec::new());
        sort(first, &mut rows, &mut flushes);
        if flushes.is_empty() && rows.len() < BATCH {
            tokio::select! {
                () = tokio::time::sleep(GATHER) => {}
                () = shared.hurry.notified() => {}
            }
        }
        while rows.len() < BATCH
            && let Ok(message) = queue.try_recv()
        {
            sort(message, &mut rows, &mut flushes);
        }
        let Some(ledger) = ledger.upgrade() else { return };
        let lost = shared.dropped.swap(0, Ordering::Relaxed);
        if lost > 0 {
            rows.push(AuditRow::gap(now_ms(), i64::try_from(lost).unwrap_or(i64::MAX)));
        }
        if let Err(error) = append(&ledger, &mut head, &rows).await {
            tracing::error!(%error, rows = rows.len(), "calls could not be written to the audit");
            let calls = rows.iter().filter(|row| row.status != AuditStatus::Gap).count() as u64;
            shared.dropped.fetch_add(lost + calls, Ordering::Relaxed);
        }
        for flushed in flushes {
            // Whoever waited may have given up.
            let _ = flushed.send(());
        }
    }
}

fn sort(message: Message, rows: &mut Vec<AuditRow>, flushes: &mut Vec<oneshot::Sender<()>>) {
    match message {
        Message::Row(row) => rows.push(*row),
        Message::Flush(flushed) => flushes.push(flushed),
    }
}

async fn append(ledger: &Ledger, head: &mut Option<ChainHead>, rows: &[AuditRow]) -> Result<(), String> {
    if rows.is_empty() {
        return Ok(());
    }
    let state = ledger.state().await.map_err(|failure| failure.to_string())?;
    if head.is_none() {
        *head = Some(state.start_audit(&random::hex(8), now_ms()).await.map_err(|error| error.to_string())?);
    }
    match head {
        Some(head) => state.append_audit(head, rows).await.map_err(|error| error.to_string()),
        None => Ok(()),
    }
}

//! Records on their way to an exporter: as many as fit, the rest are counted and forgotten.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::CallRecord;
use super::metrics::ExporterCounts;

/// How records are taken from a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// The most that wait.
    pub(super) queue: usize,
    /// The most that are taken at once.
    pub(super) batch: usize,
    /// How long the first one waits for others.
    pub(super) delay: Duration,
}

pub(super) struct Queue {
    pace: Pace,
    counts: Arc<ExporterCounts>,
    line: Mutex<Line>,
    /// There is work, or an end.
    changed: Condvar,
    ended: Condvar,
}

#[derive(Default)]
struct Line {
    records: VecDeque<Arc<CallRecord>>,
    is_closed: bool,
    is_ended: bool,
}

impl Queue {
    pub(super) fn new(pace: Pace, counts: Arc<ExporterCounts>) -> Queue {
        let pace = Pace { batch: pace.batch.clamp(1, pace.queue.max(1)), queue: pace.queue.max(1), ..pace };
        Queue { pace, counts, line: Mutex::default(), changed: Condvar::new(), ended: Condvar::new() }
    }

    pub(super) fn counts(&self) -> &ExporterCounts {
        &self.counts
    }

    /// The lock is held for a few instructions only, here and by the exporter.
    pub(super) fn push(&self, record: Arc<CallRecord>) {
        let mut line = self.line.lock();
        if line.is_closed || line.records.len() >= self.pace.queue {
            self.counts.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        line.records.push_back(record);
        let waiting = line.records.len();
        drop(line);
        self.counts.queued.store(waiting, Ordering::Relaxed);
        // Waking a thread costs more than all the rest, so it is done twice a batch and not for every record.
        if waiting == 1 || waiting == self.pace.batch {
            self.changed.notify_one();
        }
    }

    /// Waits until there is a batch, its delay is over, or it is `until`; then the batch may be empty. None at the end.
    pub(super) fn take(&self, until: Option<Instant>) -> Option<Vec<Arc<CallRecord>>> {
        let mut line = self.line.lock();
        while line.records.is_empty() && !line.is_closed {
            match until {
                None => self.changed.wait(&mut line),
                Some(until) if self.changed.wait_until(&mut line, until).timed_out() => return Some(Vec::new()),
                Some(_) => {}
            }
        }
        let enough = Instant::now() + self.pace.delay;
        while line.records.len() < self.pace.batch && !line.is_closed {
            if self.changed.wait_until(&mut line, enough).timed_out() {
                break;
            }
        }
        if line.records.is_empty() && line.is_closed {
            return None;
        }
        let count = line.records.len().min(self.pace.batch);
        let batch = line.records.drain(..count).collect();
        self.counts.queued.store(line.records.len(), Ordering::Relaxed);
        Some(batch)
    }

    /// Sleeps before a repetition; whether there is still time for one.
    pub(super) fn pause(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        let mut line = self.line.lock();
        while !line.is_closed {
            if self.changed.wait_until(&mut line, until).timed_out() {
                return true;
            }
        }
        false
    }

    pub(super) fn close(&self) {
        self.line.lock().is_closed = true;
        self.changed.notify_all();
    }

    fn end(&self) {
        let mut line = self.line.lock();
        line.is_closed = true;
        line.is_ended = true;
        self.counts.dropped.fetch_add(line.records.len() as u64, Ordering::Relaxed);
        line.records.clear();
        self.ended.notify_all();
    }

    pub(super) fn wait_until_ended(&self, until: Instant) {
        let mut line = self.line.lock();
        while !line.is_ended {
            if self.ended.wait_until(&mut line, until).timed_out() {
                return;
            }
        }
    }
}

/// Lives as long as the thread that empties the queue, whichever way that ends.
pub(super) struct Emptier(pub(super) Arc<Queue>);

impl Drop for Emptier {
    fn drop(&mut self) {
        self.0.end();
    }
}

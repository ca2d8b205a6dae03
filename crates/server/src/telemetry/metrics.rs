//! Counters, gauges and histograms in memory: one look-up and a few additions a call, and never more series than fit.
//!
//! Written by hand: `prometheus-client` speaks OpenMetrics only, whose counters are named otherwise in the text format 0.0.4,
//! `prometheus` looks every counter up under a lock of its own, and neither bounds its labels.

mod families;

use std::borrow::Cow;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime};

use hashbrown::{Equivalent, HashMap};
use parking_lot::{Mutex, RwLock};
use quillgate_index::Index;

use super::{CallRecord, Status};
pub(super) use families::{Family, Point, Value};
pub(crate) use families::{Kind, Metric};

/// Upper ends of the buckets of durations, in seconds: from a look-up in memory to the longest time limit.
pub(super) const BOUNDS: [f64; 17] =
    [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];
/// Pairs of a vault and a tool that have their own counters.
const MOST_CALLS: usize = 10_000;
const MOST_TOOLS: usize = 1_000;
/// Values of a label that only the program itself makes up.
const MOST_WORDS: usize = 200;
/// What stands for all values beyond those bounds.
const OTHER: &str = "other";

pub(crate) struct Metrics {
    known: RwLock<Known>,
    errors: Words,
    confirmations: Words,
    replays: AtomicU64,
    in_flight: AtomicI64,
    exporters: Mutex<Vec<Arc<ExporterCounts>>>,
    readings: OnceLock<Box<dyn Fn() -> Readings + Send + Sync>>,
    started: Instant,
    started_at: SystemTime,
}

#[derive(Default)]
struct Known {
    calls: HashMap<CallKey, Calls>,
    tools: HashMap<Cow<'static, str>, Arc<Tool>>,
}

/// What is counted for one tool in one vault.
struct Calls {
    ok: AtomicU64,
    error: AtomicU64,
    tool: Arc<Tool>,
}

/// What is counted for one tool in all vaults.
#[derive(Default)]
struct Tool {
    durations: [AtomicU64; BOUNDS.len() + 1],
    nanoseconds: AtomicU64,
    bytes: AtomicU64,
}

/// The vault's name is empty for calls without one, which is Prometheus' word for a label that is not there.
#[derive(PartialEq, Eq, Hash)]
struct CallKey {
    vault: Arc<str>,
    tool: Cow<'static, str>,
}

/// Hashes as its key does.
#[derive(Hash)]
struct AskedCall<'a> {
    vault: &'a str,
    tool: &'a str,
}

impl Equivalent<CallKey> for AskedCall<'_> {
    fn equivalent(&self, key: &CallKey) -> bool {
        self.vault == &*key.vault && self.tool == key.tool
    }
}

/// What others count or know; asked for when somebody looks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readings {
    pub(crate) vaults: Vec<VaultReadings>,
    pub(crate) audit_queue: u64,
    pub(crate) audit_dropped: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct VaultReadings {
    pub(crate) vault: Arc<str>,
    pub(crate) notes: u64,
    /// Files that the text index has not taken in yet.
    pub(crate) pending: u64,
    pub(crate) is_ready: bool,
    /// None without a history.
    pub(crate) history_bytes: Option<u64>,
}

impl VaultReadings {
    pub(crate) fn of(vault: Arc<str>, index: &Index, history_bytes: Option<u64>) -> VaultReadings {
        let coverage = index.coverage();
        VaultReadings {
            vault,
            notes: index.note_count() as u64,
            pending: coverage.pending as u64,
            is_ready: index.is_ready() && coverage.ready,
            history_bytes,
        }
    }
}

/// What becomes of records that an exporter was given.
pub(super) struct ExporterCounts {
    pub(super) name: &'static str,
    pub(super) queued: AtomicUsize,
    pub(super) sent: AtomicU64,
    /// Attempts that failed.
    pub(super) failures: AtomicU64,
    /// Records that were given up.
    pub(super) dropped: AtomicU64,
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics {
            known: RwLock::default(),
            errors: Words::default(),
            confirmations: Words::default(),
            replays: AtomicU64::new(0),
            in_flight: AtomicI64::new(0),
            exporters: Mutex::default(),
            readings: OnceLock::new(),
            started: Instant::now(),
            started_at: SystemTime::now(),
        }
    }
}

impl Metrics {
    pub(super) fn record(&self, record: &CallRecord) {
        let vault = record.vault.as_deref().unwrap_or_default();
        let asked = AskedCall { vault, tool: &record.tool };
        let known = self.known.read();
        if let Some(calls) = known.calls.get(&asked) {
            calls.add(record);
        } else {
            drop(known);
            self.known.write().calls_of(record).add(record);
        }
        if let Some(code) = record.code {
            self.errors.add(code);
        }
        if let Some(way) = record.confirmed {
            self.confirmations.add(way);
        }
        if record.replayed {
            self.replays.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Where the numbers of index, history and audit come from. The first one given stays.
    pub(crate) fn read_from(&self, readings: impl Fn() -> Readings + Send + Sync + 'static) {
        let _ = self.readings.set(Box::new(readings));
    }

    /// A snapshot of everything, without the buckets of histograms: for whoever asks in words.
    pub(crate) fn list(&self) -> Vec<Metric> {
        self.families().iter().flat_map(Family::list).collect()
    }

    pub(super) fn exporter(&self, name: &'static str) -> Arc<ExporterCounts> {
        let counts = ExporterCounts {
            name,
            queued: AtomicUsize::new(0),
            sent: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
        };
        let counts = Arc::new(counts);
        self.exporters.lock().push(counts.clone());
        counts
    }

    pub(super) fn started_at(&self) -> SystemTime {
        self.started_at
    }
}

impl Known {
    /// Makes the counters of a call that is the first of its kind.
    fn calls_of(&mut self, record: &CallRecord) -> &Calls {
        let is_known = self.tools.contains_key(&*record.tool) || self.tools.len() < MOST_TOOLS;
        let tool = if is_known { record.tool.clone() } else { Cow::Borrowed(OTHER) };
        let vault = match &record.vault {
            _ if self.calls.len() >= MOST_CALLS => OTHER.into(),
            Some(vault) => vault.clone(),
            None => "".into(),
        };
        let counts = self.tools.entry(tool.clone()).or_default().clone();
        self.calls.entry(CallKey { vault, tool }).or_insert_with(|| Calls {
            ok: AtomicU64::new(0),
            error: AtomicU64::new(0),
            tool: counts,
        })
    }
}

impl Calls {
    fn add(&self, record: &CallRecord) {
        let count = match record.status {
            Status::Ok => &self.ok,
            Status::Error => &self.error,
        };
        count.fetch_add(1, Ordering::Relaxed);
        let seconds = record.duration.as_secs_f64();
        let bucket = BOUNDS.partition_point(|bound| *bound < seconds);
        self.tool.durations[bucket].fetch_add(1, Ordering::Relaxed);
        let nanoseconds = u64::try_from(record.duration.as_nanos()).unwrap_or(u64::MAX);
        self.tool.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        self.tool.bytes.fetch_add(record.bytes as u64, Ordering::Relaxed);
    }
}

/// A counter for each of a few words.
#[derive(Default)]
struct Words(RwLock<HashMap<&'static str, AtomicU64>>);

impl Words {
    fn add(&self, word: &'static str) {
        if let Some(count) = self.0.read().get(word) {
            count.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let mut known = self.0.write();
        let word = if known.len() < MOST_WORDS { word } else { OTHER };
        known.entry(word).or_default().fetch_add(1, Ordering::Relaxed);
    }

    fn count(&self, word: &str) -> u64 {
        self.0.read().get(word).map_or(0, |count| count.load(Ordering::Relaxed))
    }

    /// In the order of the words.
    fn all(&self) -> Vec<(&'static str, u64)> {
        let mut all: Vec<_> = self.0.read().iter().map(|(word, count)| (*word, count.load(Ordering::Relaxed))).collect();
        all.sort_unstable();
        all
    }
}

/// A call that has begun and is not over.
pub(crate) struct InFlight(Arc<Metrics>);

impl InFlight {
    pub(super) fn new(metrics: Arc<Metrics>) -> InFlight {
        metrics.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight(metrics)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

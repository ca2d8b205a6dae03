//! Records go in at one end, and real receivers look at what comes out at the others.

mod canary;
mod collector;
mod event_lines;
mod flood;
mod scraping;
mod spans;

use std::io::{self, Write};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant, UNIX_EPOCH};

use tracing_subscriber::filter::LevelFilter;

use super::*;

/// How long anything may take on a busy machine before it counts as stuck.
const PATIENCE: Duration = Duration::from_secs(20);

fn record() -> CallRecord {
    CallRecord {
        started: UNIX_EPOCH + Duration::new(1_783_684_799, 250_000_000),
        duration: Duration::from_micros(1500),
        vault: Some("main".into()),
        surface: "engine",
        tool: "read_note".into(),
        caller: "c0ffee".into(),
        status: Status::Ok,
        code: None,
        confirmed: None,
        replayed: false,
        bytes: 2048,
        args_hash: "0123456789abcdef0123456789abcdef".to_owned(),
        parent: None,
    }
}

fn refused(code: &'static str) -> CallRecord {
    CallRecord { status: Status::Error, code: Some(code), ..record() }
}

fn in_vault(vault: &str) -> CallRecord {
    CallRecord { vault: Some(vault.into()), ..record() }
}

/// The sum of all numbers of this name whose labels have these values.
fn total(telemetry: &Telemetry, name: &str, labels: &[(&str, &str)]) -> f64 {
    let has =
        |metric: &Metric| labels.iter().all(|(name, value)| metric.labels.iter().any(|(known, is)| known == name && is == value));
    telemetry.metrics().list().iter().filter(|metric| metric.name == name && has(metric)).map(|metric| metric.value).sum()
}

/// Looks again and again until it is so.
fn eventually(what: &str, mut look: impl FnMut() -> bool) {
    let started = Instant::now();
    while !look() {
        assert!(started.elapsed() < PATIENCE, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Everything that is logged in this process, by whomever and at whichever level.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn start() -> Log {
        static LOG: OnceLock<Log> = OnceLock::new();
        let log = LOG.get_or_init(|| {
            let log = Log::default();
            let writer = log.clone();
            let subscriber = tracing_subscriber::fmt().with_max_level(LevelFilter::TRACE).with_ansi(false);
            tracing::subscriber::set_global_default(subscriber.with_writer(move || writer.clone()).finish())
                .expect("nobody else logs here");
            log
        });
        log.clone()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().expect("no test panicked while writing")).into_owned()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no test panicked while writing").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

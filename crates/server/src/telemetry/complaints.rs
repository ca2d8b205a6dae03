//! Warnings about an exporter that fails: one a minute, however often it does.

use std::time::{Duration, Instant};

const BETWEEN: Duration = Duration::from_secs(60);

pub(super) struct Complaints {
    exporter: &'static str,
    last: Option<Instant>,
    unsaid: u64,
}

impl Complaints {
    pub(super) fn about(exporter: &'static str) -> Complaints {
        Complaints { exporter, last: None, unsaid: 0 }
    }

    /// `dropped` is how many records were lost so far.
    pub(super) fn warn(&mut self, now: Instant, cause: &str, dropped: u64) {
        if self.last.is_some_and(|last| now.duration_since(last) < BETWEEN) {
            self.unsaid += 1;
            return;
        }
        let (exporter, unsaid) = (self.exporter, self.unsaid);
        tracing::warn!(exporter, cause, dropped, unsaid, "calls go on, but what is known of them cannot be exported");
        self.last = Some(now);
        self.unsaid = 0;
    }
}

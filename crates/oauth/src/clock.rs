//! The time, as a parameter.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time in milliseconds since 1970.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> i64 + Send + Sync>);

impl Clock {
    pub fn system() -> Clock {
        Clock::telling(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        })
    }

    pub fn telling(time: impl Fn() -> i64 + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(time))
    }

    pub fn milliseconds(&self) -> i64 {
        (self.0)()
    }

    pub fn seconds(&self) -> i64 {
        self.milliseconds().div_euclid(1000)
    }
}

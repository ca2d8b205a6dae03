//! Places at which a test ends the process: before and after every call that changes something on disk.
//!
//! Only debug builds have them; in release builds `around` is the call and nothing else.

#[cfg(debug_assertions)]
use std::sync::OnceLock;
#[cfg(debug_assertions)]
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(debug_assertions)]
type Observer = Box<dyn Fn(&'static str) + Send + Sync>;

#[cfg(debug_assertions)]
static OBSERVER: OnceLock<Observer> = OnceLock::new();

#[cfg(debug_assertions)]
static LACKS_EXCHANGE: AtomicBool = AtomicBool::new(false);

/// Calls `observer` at every point that this process passes from now on. The first observer stays.
#[cfg(debug_assertions)]
pub fn observe(observer: impl Fn(&'static str) + Send + Sync + 'static) {
    let _ = OBSERVER.set(Box::new(observer));
}

/// From now on this process behaves as on a file system that cannot exchange two files.
#[cfg(debug_assertions)]
pub fn forget_exchange() {
    LACKS_EXCHANGE.store(true, Ordering::Relaxed);
}

/// Ends this process as `kill -9` does: nothing is dropped, written or released on the way.
#[cfg(all(debug_assertions, unix))]
pub fn kill_process() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
}

#[cfg(debug_assertions)]
pub(crate) fn lacks_exchange() -> bool {
    LACKS_EXCHANGE.load(Ordering::Relaxed)
}

#[cfg(not(debug_assertions))]
pub(crate) fn lacks_exchange() -> bool {
    false
}

/// Makes a call that changes something, with a point before it and one after it.
#[inline]
pub(crate) fn around<T>(name: &'static str, call: impl FnOnce() -> T) -> T {
    point(name);
    let returned = call();
    point(name);
    returned
}

#[inline]
fn point(_name: &'static str) {
    #[cfg(debug_assertions)]
    if let Some(observer) = OBSERVER.get() {
        observer(_name);
    }
}

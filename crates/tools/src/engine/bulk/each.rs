//! The same done to many notes, each on its own.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;
use serde::Serialize;

use crate::context::Context;
use crate::failure::Failure;

/// What to do when one of them fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnError {
    GoOn,
    Stop,
}

impl OnError {
    pub(super) fn stop_if(stop: bool) -> OnError {
        if stop { OnError::Stop } else { OnError::GoOn }
    }
}

/// Does it to each, several at once, and returns what came of it in the order of the items. Whoever stops at the first failure does
/// one after the other, so that nothing behind it is touched; the results end with it.
pub(super) fn each<I: Sync, O: Send>(
    context: &Context<'_>,
    items: &[I],
    most_at_once: usize,
    on_error: OnError,
    run: impl Fn(&I) -> Result<O, Failure> + Sync,
) -> Vec<Result<O, Failure>> {
    let workers = if on_error == OnError::Stop { 1 } else { most_at_once.clamp(1, items.len().max(1)) };
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results: Mutex<Vec<(usize, Result<O, Failure>)>> = Mutex::new(Vec::with_capacity(items.len()));
    let work = || {
        while !is_over.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return };
            let outcome = if context.go_on() { run(item) } else { Err(Failure::Cancelled) };
            if outcome.is_err() && on_error == OnError::Stop {
                is_over.store(true, Ordering::Relaxed);
            }
            let mut results = results.lock();
            results.push((at, outcome));
            context.progress(results.len() as f64, Some(items.len() as f64), "working through the notes");
        }
    };
    thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(work);
        }
        work();
    });
    let mut results = results.into_inner();
    results.sort_unstable_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, outcome)| outcome).collect()
}

/// How it went as a whole, once the lines say how it went with each.
pub(super) struct Tally<L> {
    pub(super) lines: Vec<L>,
    pub(super) succeeded: usize,
    pub(super) failed: usize,
}

impl<L: Serialize> Tally<L> {
    /// `line` makes the line of one item.
    pub(super) fn of<I, O>(
        items: &[I],
        outcomes: Vec<Result<O, Failure>>,
        on_error: OnError,
        line: impl Fn(&I, &Result<O, Failure>) -> L,
    ) -> Result<Tally<L>, Failure> {
        let lines: Vec<L> = items.iter().zip(&outcomes).map(|(item, outcome)| line(item, outcome)).collect();
        let succeeded = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        let failed = outcomes.len() - succeeded;
        match outcomes.into_iter().find_map(Result::err).filter(|_| on_error == OnError::Stop) {
            None => Ok(Tally { lines, succeeded, failed }),
            // Nothing was done, so there is nothing to tell but why.
            Some(failure) if succeeded == 0 => Err(failure),
            Some(failure) => {
                let left = items.len() - lines.len();
                let message = format!("stopped at the first failure ({failure}): {succeeded} done before it, {left} not tried");
                Err(Failure::Partial { message, results: serde_json::to_value(lines).unwrap_or_default() })
            }
        }
    }
}

//! How much work a query may do. A query is somebody's text: it must end, whatever it says.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use thiserror::Error;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BudgetSpent {
    #[error("the query takes too many steps; ask for fewer files or a simpler expression")]
    Steps,
    #[error("the query took too long; ask for fewer files or a simpler expression")]
    Time,
}

/// Shared by all threads that work on a query.
#[derive(Debug)]
pub struct Budget {
    steps: AtomicU64,
    deadline: Option<Instant>,
    stopped: AtomicBool,
}

/// Steps are handed to threads in portions, and the clock is looked at with each.
const PORTION: u64 = 4096;

impl Budget {
    /// About what a hundred thousand notes and a page of formulas need, ten times over.
    pub const STEPS: u64 = 500_000_000;

    pub fn new(steps: u64, deadline: Option<Instant>) -> Budget {
        Budget { steps: AtomicU64::new(steps), deadline, stopped: AtomicBool::new(false) }
    }

    /// Ends the query from outside, such as when its caller went away.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Steps for one thread.
    pub fn steps(&self) -> Steps<'_> {
        Steps { budget: self, left: Cell::new(0) }
    }

    fn take(&self, wanted: u64) -> Result<u64, BudgetSpent> {
        if self.stopped.load(Ordering::Relaxed) || self.deadline.is_some_and(|deadline| Instant::now() > deadline) {
            return Err(BudgetSpent::Time);
        }
        let portion = wanted.max(PORTION);
        let taken = self
            .steps
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| (left >= wanted).then(|| left - portion.min(left)));
        taken.map(|left| portion.min(left)).map_err(|_| BudgetSpent::Steps)
    }
}

/// One thread's part of a [`Budget`].
#[derive(Debug)]
pub struct Steps<'a> {
    budget: &'a Budget,
    left: Cell<u64>,
}

impl Steps<'_> {
    /// To be called before the work; what makes `n` things, such as a repeated text, spends `n`.
    #[inline]
    pub fn spend(&self, steps: u64) -> Result<(), BudgetSpent> {
        let left = self.left.get();
        if let Some(rest) = left.checked_sub(steps) {
            self.left.set(rest);
            return Ok(());
        }
        let more = self.budget.take(steps - left)?;
        self.left.set(left + more - steps);
        Ok(())
    }
}

impl Drop for Steps<'_> {
    /// What a thread did not need is there for others.
    fn drop(&mut self) {
        self.budget.steps.fetch_add(self.left.get(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn exactly_the_steps_there_are_can_be_spent() {
        let budget = Budget::new(10_000, None);
        let (one, other) = (budget.steps(), budget.steps());
        assert_eq!(one.spend(5_000), Ok(()));
        assert_eq!(other.spend(5_000), Ok(()));
        assert_eq!(one.spend(1), Err(BudgetSpent::Steps));
        assert_eq!(budget.steps().spend(u64::MAX), Err(BudgetSpent::Steps));
    }

    #[test]
    fn what_one_does_not_need_others_can_spend() {
        let budget = Budget::new(10_000, None);
        (0..9_000).for_each(|_| assert_eq!(budget.steps().spend(1), Ok(())));
        assert_eq!(budget.steps().spend(1_000), Ok(()));
        assert_eq!(budget.steps().spend(1), Err(BudgetSpent::Steps));
    }

    #[test]
    fn time_runs_out_and_can_be_called() {
        let past = Instant::now().checked_sub(Duration::from_secs(1));
        assert_eq!(Budget::new(10, past).steps().spend(1), Err(BudgetSpent::Time));
        let budget = Budget::new(10, None);
        budget.stop();
        assert_eq!(budget.steps().spend(1), Err(BudgetSpent::Time));
    }
}

//! A change before it is made: shown to a human, tried without effect, or carried out.

use parking_lot::Mutex;
use quillgate_vault::{Committed, Transaction, VaultError};

use crate::context::{Consent, Context};
use crate::failure::Failure;
use crate::proposal::Proposal;
use crate::tool::{Confirm, Spec};

/// How often a change is planned anew because somebody else was faster.
const MOST_ATTEMPTS: usize = 20;

/// Calls that lost a race wait for each other here, so that each has to win against newcomers only.
static LOSERS: Mutex<()> = Mutex::new(());

type Finish<'v, O> = Box<dyn FnOnce(Option<&Committed>) -> Result<O, Failure> + 'v>;

/// What a call would change, and what it would answer.
pub(crate) struct Plan<'v, O> {
    change: Transaction,
    reasons: Vec<String>,
    dry_run: bool,
    finish: Finish<'v, O>,
}

impl<'v, O> Plan<'v, O> {
    /// `finish` makes the answer out of what was committed, or out of nothing after a dry run.
    pub(crate) fn new(change: Transaction, finish: impl FnOnce(Option<&Committed>) -> Result<O, Failure> + 'v) -> Plan<'v, O> {
        Plan { change, reasons: Vec::new(), dry_run: false, finish: Box::new(finish) }
    }

    /// A human must agree first if this holds; the reason is what they read.
    pub(crate) fn ask_if(mut self, is_needed: bool, reason: impl Into<String>) -> Plan<'v, O> {
        if is_needed {
            self.reasons.push(reason.into());
        }
        self
    }

    /// Says what would change and changes nothing.
    pub(crate) fn dry_run(self, dry_run: bool) -> Plan<'v, O> {
        Plan { dry_run, ..self }
    }

    fn commit(self, spec: &Spec, context: &Context<'_>) -> Result<O, Failure> {
        if self.dry_run {
            return (self.finish)(None);
        }
        if !context.go_on() {
            return Err(Failure::Cancelled);
        }
        let must_ask = match &context.call.consent {
            Consent::Standing => false,
            Consent::AskAlways => true,
            Consent::AskIfNeeded | Consent::Given(_) => spec.confirm == Confirm::Always || !self.reasons.is_empty(),
        };
        let must_ask = must_ask && !self.change.is_empty();
        if must_ask || matches!(context.call.consent, Consent::Given(_)) {
            let proposal = Proposal::of(spec, &self.reasons, &self.change)?;
            if context.call.consent != Consent::Given(proposal.digest.clone()) {
                return Err(Failure::ConfirmationNeeded(Box::new(proposal)));
            }
        }
        let committed = self.change.commit()?;
        (self.finish)(Some(&committed))
    }
}

/// Plans and commits. A file that somebody else changed in between is planned for again: what the caller expects of it has been
/// checked while planning, so this is a race and no conflict.
pub(crate) fn carry_out<'c, O>(
    spec: &Spec,
    context: &'c Context<'_>,
    mut plan: impl FnMut() -> Result<Plan<'c, O>, Failure>,
) -> Result<O, Failure> {
    match plan()?.commit(spec, context) {
        // A file that came into being since: the next plan knows of it.
        Err(Failure::Vault(VaultError::Conflict(_) | VaultError::Exists(_))) => {}
        outcome => return outcome,
    }
    let _one_at_a_time = LOSERS.lock();
    for _ in 2..MOST_ATTEMPTS {
        match plan()?.commit(spec, context) {
            Err(Failure::Vault(VaultError::Conflict(_))) => {}
            outcome => return outcome,
        }
    }
    plan()?.commit(spec, context)
}

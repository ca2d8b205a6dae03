//! A change before it is made: shown to a human, tried without effect, or carried out.

use std::borrow::Borrow;

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
        // What the rules refuse, nobody needs to be asked about.
        self.change.permit()?;
        agree(spec, context, &self.reasons, || &self.change)?;
        let committed = self.change.commit()?;
        (self.finish)(Some(&committed))
    }
}

/// Stops here unless a human has agreed to the change, or need not.
pub(crate) fn agree<C: Borrow<Transaction>>(
    spec: &Spec,
    context: &Context<'_>,
    reasons: &[String],
    change: impl FnOnce() -> C,
) -> Result<(), Failure> {
    let consent = &context.call.consent;
    let must_ask = match consent {
        Consent::Standing => false,
        Consent::AskAlways => true,
        Consent::AskIfNeeded => spec.confirm == Confirm::Always || !reasons.is_empty(),
        // The change must still be the one that was agreed to.
        Consent::Given(_) => true,
    };
    if !must_ask {
        return Ok(());
    }
    let change = change();
    if change.borrow().is_empty() && !matches!(consent, Consent::Given(_)) {
        return Ok(());
    }
    let proposal = Proposal::of(spec, reasons, change.borrow())?;
    if *consent != Consent::Given(proposal.digest.clone()) {
        return Err(Failure::ConfirmationNeeded(Box::new(proposal)));
    }
    Ok(())
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

//! What every call goes through, on every surface and transport.
//!
//! [`Pipeline::govern`] is the road, read from top to bottom. Whatever happens on it, [`Pipeline::call`] tells the observers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use quillgate_tools::{
    Answer, Call, Confirm, Consent, ELICIT_TOKEN, Effect, Failure, Grant, IDEMPOTENCY_KEY, Proposal, Registered, VAULT,
    check_arguments, engine_code, whole_numbers,
};
use quillgate_vault::Author;
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use crate::answer::shaped;
use crate::caller::Caller;
use crate::config::Config;
use crate::confirm::{Human, Question, Stop, agree};
use crate::fingerprint::args_hash;
use crate::ledger::{Bond, Ledger, Replay};
use crate::mount::{Known, Mount};
use crate::policy::{Decisions, Policy};
use crate::random;
use crate::server_view::ServerView;
use crate::telemetry::{CallRecord, Status, Telemetry, TraceParent};
use crate::vaults::{Served, Vaults, View};

/// A quick call that takes longer shows a slow disk or network mount.
const SLOW: Duration = Duration::from_millis(10);
/// How long a slow disk is remembered.
const SLOW_DISK_MS: u64 = 60_000;
/// The code under which a call is recorded that made the client ask its user.
const ASKED: &str = "elicit_required";
/// How often a human is asked because the files changed under the proposal.
const MOST_ROUNDS: usize = 3;

pub(crate) struct Pipeline {
    pub(crate) vaults: Vaults,
    pub(crate) config: Arc<Config>,
    pub(crate) policy: Policy,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) telemetry: Arc<Telemetry>,
    /// Calls run on threads; this many at once.
    slots: Arc<Semaphore>,
    pub(crate) started: Instant,
    /// Until then, in milliseconds since the start, even quick calls run on threads.
    threads_until: AtomicU64,
}

/// One `tools/call`.
pub(crate) struct Request<'r> {
    pub(crate) mount: &'r Arc<Mount>,
    pub(crate) caller: &'r Caller,
    pub(crate) name: &'r str,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) call: Call,
    pub(crate) human: Human<'r>,
    /// What belongs together in the history.
    pub(crate) session: Option<String>,
    /// The client's own span.
    pub(crate) parent: Option<TraceParent>,
}

pub(crate) enum Reply {
    Answer(Answer),
    /// The client is to put this to its user and call again.
    Ask(Question),
}

/// A call whose tool is known.
struct Found<'m> {
    known: &'m Known,
    arguments: Map<String, Value>,
    args_hash: String,
    vault: Option<String>,
    elicit_token: Option<String>,
    idempotency_key: Option<String>,
}

/// A call that may be made: the key to its tool, and the vault that it is about.
struct Permitted {
    grant: Arc<Grant>,
    served: Option<Arc<Served>>,
}

impl Permitted {
    fn vault_id(&self) -> &str {
        self.served.as_ref().map_or("", |served| &served.id)
    }
}

/// What observers learn of a call on its way.
#[derive(Default)]
struct Seen {
    tool: Option<&'static str>,
    vault: Option<Arc<str>>,
    args_hash: String,
    confirmed: Option<&'static str>,
    replayed: bool,
}

impl Pipeline {
    pub(crate) fn new(vaults: Vaults, config: Arc<Config>, ledger: Arc<Ledger>, telemetry: Arc<Telemetry>) -> Pipeline {
        let slots = Arc::new(Semaphore::new(config.limits.max_concurrent_calls.max(1)));
        // A mount that can stall must never hold up the thread that answers everybody.
        let can_stall = vaults.all().iter().any(|vault| vault.whole().is_remote());
        let threads_until = AtomicU64::new(if can_stall { u64::MAX } else { 0 });
        let policy = Policy::of(&config);
        Pipeline { vaults, config, policy, ledger, telemetry, slots, started: Instant::now(), threads_until }
    }

    pub(crate) async fn call(self: &Arc<Self>, request: Request<'_>) -> Reply {
        let (at, started) = (SystemTime::now(), Instant::now());
        let (mount, caller, parent, session) = (request.mount, request.caller, request.parent, request.session.clone());
        let _running = self.telemetry.begin();
        let policy = self.policy.current();
        let mut seen = Seen::default();
        let outcome = self.govern(request, &policy, &mut seen).await;
        let (reply, code, bytes) = match outcome {
            Err(Stop::Ask(question)) => (Reply::Ask(question), Some(ASKED), 0),
            Err(Stop::Failed(failure)) => self.answer(mount, caller, Err(failure), &policy),
            Ok(value) => self.answer(mount, caller, Ok(value), &policy),
        };
        let record = CallRecord {
            started: at,
            duration: started.elapsed(),
            vault: seen.vault,
            surface: mount.surface.name,
            tool: seen.tool.unwrap_or("unknown").into(),
            caller: caller.hash().into(),
            status: if code.is_none() { Status::Ok } else { Status::Error },
            code,
            confirmed: seen.confirmed,
            replayed: seen.replayed,
            bytes,
            args_hash: seen.args_hash,
            parent,
        };
        // Never the arguments and never the answer: those are the user's notes.
        self.telemetry.record(&record);
        self.ledger.note(record, session);
        reply
    }

    /// The answer in the surface's words, the code of its failure, and its length.
    fn answer(
        &self,
        mount: &Mount,
        caller: &Caller,
        outcome: Result<Value, Failure>,
        policy: &Decisions,
    ) -> (Reply, Option<&'static str>, usize) {
        if let (Err(Failure::CredentialRejected(_)), Caller::Known(_, over)) = (&outcome, caller) {
            over.set();
        }
        if let Err(Failure::Internal(what)) = &outcome {
            tracing::error!(what, "a call failed for a reason of ours");
        }
        let (answer, failure) = shaped(mount.surface, outcome, policy.max_response_bytes);
        let bytes = answer.text_length();
        (Reply::Answer(answer), failure.as_ref().map(engine_code), bytes)
    }

    /// The road of every call.
    async fn govern(self: &Arc<Self>, mut request: Request<'_>, policy: &Decisions, seen: &mut Seen) -> Result<Value, Stop> {
        let arguments = std::mem::take(&mut request.arguments);
        let found = find(request.mount, policy, request.name, arguments)?;
        seen.tool = Some(found.known.tool.spec.name);
        seen.args_hash.clone_from(&found.args_hash);
        let found = found.validate()?;
        let permitted = self.authorise(&found, request.caller)?;
        seen.vault = permitted.served.as_ref().map(|served| served.id.as_str().into());
        check_rules(&permitted)?;
        let claim = match self.replay(&found, &permitted, request.caller).await? {
            Replay::Answered(answer) => {
                seen.replayed = true;
                return Ok(answer);
            }
            Replay::Run(claim) => claim,
        };
        let outcome = self.run_once(&found, &permitted, request, policy, seen).await;
        self.ledger.settle(claim, &outcome).await;
        outcome
    }

    /// What a call that was answered before is spared: its rate, asking and running.
    async fn run_once(
        self: &Arc<Self>,
        found: &Found<'_>,
        permitted: &Permitted,
        request: Request<'_>,
        policy: &Decisions,
        seen: &mut Seen,
    ) -> Result<Value, Stop> {
        self.spend(permitted, request.caller, policy).await?;
        let tool = found.known.tool;
        let call = authored(&request, tool);
        let arguments = Arc::new(whole_numbers(Value::Object(found.arguments.clone())));
        let mut consent = if policy.demands_consent(tool) { Consent::AskAlways } else { Consent::AskIfNeeded };
        let mut unanswered = None;
        for _ in 0..MOST_ROUNDS {
            let outcome = match asks_first(tool, &consent, &arguments) {
                Some(proposal) => Err(Failure::ConfirmationNeeded(Box::new(proposal))),
                None => self.run(permitted, &request, arguments.clone(), call.clone().with_consent(consent.clone())).await,
            };
            let mut proposal = match outcome {
                Err(Failure::ConfirmationNeeded(proposal)) => proposal,
                outcome => return Ok(outcome?),
            };
            proposal.args_hash.clone_from(&found.args_hash);
            let bond = Bond {
                vault: permitted.vault_id(),
                tool: tool.spec.name,
                caller: request.caller,
                args_hash: &found.args_hash,
                digest: &proposal.digest.clone(),
            };
            unanswered = Some(proposal.clone());
            let agreement = agree(&self.ledger, &bond, found.elicit_token.as_deref(), &request.human, proposal).await?;
            seen.confirmed = Some(agreement.how);
            consent = agreement.consent;
        }
        Err(unanswered.map_or(Failure::Cancelled, Failure::ConfirmationNeeded).into())
    }

    /// What the caller holds against what the tool needs, and the vault as the caller may see it. A token may be bound to one.
    fn authorise(&self, found: &Found<'_>, caller: &Caller) -> Result<Permitted, Failure> {
        let holds = |scope: &str| caller.holds(scope);
        let tool = found.known.tool;
        let mut served = None;
        let grant = Grant::authorise(tool, holds, || {
            if !tool.needs_vault() {
                return Ok(None);
            }
            let vault = self.choose_vault(found.vault.as_deref(), caller)?;
            served = Some(vault.clone());
            Ok(Some(vault.view(holds).workspace))
        })?;
        Ok(Permitted { grant: Arc::new(grant), served })
    }

    /// The vault that a call names, or the one that it means by naming none.
    pub(crate) fn choose_vault(&self, named: Option<&str>, caller: &Caller) -> Result<&Arc<Served>, Failure> {
        let wanted = match (named, caller.bound_vault()) {
            (Some(named), Some(bound)) if named != bound => return Err(Failure::OtherVault(bound.to_owned())),
            (named, bound) => named.or(bound),
        };
        self.vaults.find(wanted).ok_or_else(|| match (wanted, self.vaults.is_empty()) {
            (Some(id), false) if caller.bound_vault().is_some() => Failure::OtherVault(id.to_owned()),
            (Some(id), false) => Failure::UnknownVault {
                id: id.to_owned(),
                known: self.vaults.all().iter().map(|vault| vault.id.clone()).collect(),
            },
            _ => Failure::NotConfigured("this server has no vault; its operator can name one".to_owned()),
        })
    }

    /// The vaults as a caller may read them; none for whoever may not read notes.
    pub(crate) fn views_for_reading(&self, caller: &Caller) -> Vec<View> {
        let holds = |scope: &str| caller.holds(scope);
        if !holds("read:notes") {
            return Vec::new();
        }
        let bound = caller.bound_vault();
        let usable = self.vaults.all().iter().filter(|vault| bound.is_none_or(|bound| bound == vault.id));
        usable.map(|vault| vault.view(holds)).collect()
    }

    /// A call with a key is run once; its twin gets the same answer.
    async fn replay(&self, found: &Found<'_>, permitted: &Permitted, caller: &Caller) -> Result<Replay, Failure> {
        match &found.idempotency_key {
            Some(key) => self.ledger.claim(caller, permitted.vault_id(), key, &found.args_hash).await,
            None => Ok(Replay::Run(None)),
        }
    }

    /// One more call of its class, if the caller may make one.
    async fn spend(&self, permitted: &Permitted, caller: &Caller, policy: &Decisions) -> Result<(), Failure> {
        let class = permitted.grant.tool().spec.rate;
        let needs_token = matches!(caller, Caller::Known(..));
        match policy.tier(class, needs_token) {
            Some(tier) => self.ledger.spend(caller, class, permitted.vault_id(), tier).await,
            None => Ok(()),
        }
    }

    /// Runs the tool within its time, here if it is quick and on a thread if not.
    async fn run(
        self: &Arc<Self>,
        permitted: &Permitted,
        request: &Request<'_>,
        arguments: Arc<Value>,
        call: Call,
    ) -> Result<Value, Failure> {
        let tool = permitted.grant.tool();
        let view = ServerView::new(self.clone(), request.mount.clone(), request.caller.clone());
        let job = Job { grant: permitted.grant.clone(), arguments, call: call.clone(), view };
        if tool.spec.cost.is_quick(&job.arguments) && self.may_run_here(permitted) {
            return self.run_here(&job);
        }
        let limit = self.config.time_limit(tool.spec.name);
        let mut stop = StopUnlessDone(Some(call));
        let running = async {
            let _writer = match &permitted.served {
                Some(served) if !tool.spec.effect.is_read_only() => served.writers.acquire().await.ok(),
                _ => None,
            };
            self.run_on_thread(job).await
        };
        let Ok(outcome) = tokio::time::timeout(limit, running).await else { return Err(too_late(permitted, limit)) };
        stop.0 = None;
        outcome
    }

    /// Waits until no call runs on a thread any more, not even one that nobody waits for.
    pub(crate) async fn idle(&self) {
        let all = u32::try_from(self.config.limits.max_concurrent_calls.max(1)).unwrap_or(u32::MAX);
        drop(self.slots.acquire_many(all).await);
    }

    /// A hop to another thread and back costs more than reading a note. It is saved as long as the disk keeps up and no call
    /// has to wait for the catalogue.
    fn may_run_here(&self, permitted: &Permitted) -> bool {
        let is_ready = permitted.grant.workspace().is_none_or(|workspace| workspace.index.is_ready());
        is_ready && self.since_start() >= self.threads_until.load(Ordering::Relaxed)
    }

    fn run_here(&self, job: &Job) -> Result<Value, Failure> {
        let started = Instant::now();
        let outcome = job.run_contained();
        if started.elapsed() > SLOW {
            self.threads_until.store(self.since_start() + SLOW_DISK_MS, Ordering::Relaxed);
        }
        outcome
    }

    fn since_start(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    async fn run_on_thread(&self, job: Job) -> Result<Value, Failure> {
        let slot = self.slots.clone().acquire_owned().await.map_err(|_| Failure::Cancelled)?;
        let work = move || {
            let _slot = slot;
            job.run_contained()
        };
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(Failure::Cancelled))
    }
}

/// The tool that a call is for. Unknown, disabled and hidden tools are the same to a caller.
fn find<'m>(mount: &'m Mount, policy: &Decisions, name: &str, arguments: Map<String, Value>) -> Result<Found<'m>, Failure> {
    let unknown = || Failure::UnknownTool(name.to_owned());
    if mount.find(name).is_some_and(|known| !policy.shows(known.tool, known.domain)) {
        return Err(unknown());
    }
    let (known, mut arguments) = mount.unwrap(name, arguments)?;
    if !policy.shows(known.tool, known.domain) {
        return Err(Failure::UnknownCapability(known.tool.spec.name.to_owned()));
    }
    // An optional argument given as null is one that was left out.
    arguments.retain(|_, value| !value.is_null());
    let args_hash = args_hash(known.tool.spec.name, &arguments);
    let elicit_token = take_text(&mut arguments, ELICIT_TOKEN);
    Ok(Found { known, arguments, args_hash, elicit_token, vault: None, idempotency_key: None })
}

/// Takes a text out of the arguments; anything else stays, for validation to name.
fn take_text(arguments: &mut Map<String, Value>, field: &str) -> Option<String> {
    arguments.get(field)?.as_str()?;
    match arguments.remove(field) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

impl Found<'_> {
    /// Checks the arguments against the schema, then takes out what belongs to the call rather than to the tool.
    fn validate(mut self) -> Result<Self, Failure> {
        let issues = check_arguments(&self.known.schema, &self.arguments);
        if !issues.is_empty() {
            return Err(Failure::InvalidInput(issues));
        }
        let tool = self.known.tool;
        if tool.spec.idempotency.takes_key() {
            self.idempotency_key = take_text(&mut self.arguments, IDEMPOTENCY_KEY);
        }
        if tool.needs_vault() {
            self.vault = take_text(&mut self.arguments, VAULT);
        }
        Ok(self)
    }
}

/// A vault that is only read refuses every tool that changes anything, before it is asked what it would change.
fn check_rules(permitted: &Permitted) -> Result<(), Failure> {
    let is_read_only = permitted.served.as_ref().is_some_and(|served| served.rules().is_read_only());
    if is_read_only && !permitted.grant.tool().spec.effect.is_read_only() {
        return Err(quillgate_vault::VaultError::ReadOnlyMode.into());
    }
    Ok(())
}

/// Changes are put down to whoever calls; reading leaves nothing to put down.
fn authored(request: &Request<'_>, tool: &Registered) -> Call {
    if tool.spec.effect.is_read_only() {
        return request.call.clone();
    }
    request.call.clone().by(Author {
        caller: request.caller.name().into(),
        session: request.session.as_deref().map(Into::into),
        tool: tool.spec.name.into(),
        surface: request.mount.surface.name.into(),
        call: random::hex(8).into(),
    })
}

/// A tool that says nothing of its change beforehand is asked about by its arguments.
fn asks_first(tool: &Registered, consent: &Consent, arguments: &Value) -> Option<Proposal> {
    let must_ask = match consent {
        Consent::AskAlways => true,
        Consent::AskIfNeeded => tool.spec.confirm == Confirm::Always,
        Consent::Given(_) | Consent::Standing => false,
    };
    (must_ask && !tool.plans()).then(|| Proposal::of_call(&tool.spec, arguments))
}

/// Most often it is the first reading of a large vault that takes long, and waiting helps more than asking for less.
fn too_late(permitted: &Permitted, limit: Duration) -> Failure {
    let index = permitted.grant.workspace().map(|workspace| &workspace.index);
    match (permitted.grant.tool().spec.effect, index) {
        (Effect::ReadOutside, _) => Failure::Timeout(limit.as_secs()),
        (_, Some(index)) if !index.is_ready() => Failure::StillReading(index.status().files),
        (Effect::Read, _) => Failure::Timeout(limit.as_secs()),
        (Effect::Add | Effect::Change | Effect::Outside, _) => Failure::TimeoutWhileChanging(limit.as_secs()),
    }
}

/// Everything that a thread needs to run a tool.
struct Job {
    grant: Arc<Grant>,
    arguments: Arc<Value>,
    call: Call,
    view: ServerView,
}

impl Job {
    /// A panic is one failed call. What it said is in the log, where the panic hook has put it.
    fn run_contained(&self) -> Result<Value, Failure> {
        let outcome = catch_unwind(AssertUnwindSafe(|| self.grant.run(&self.arguments, &self.call, &self.view)));
        outcome.unwrap_or_else(|_| Err(Failure::Internal("the tool panicked".to_owned())))
    }
}

/// Tells the tool to stop once nobody waits for its answer: out of time, cancelled, or the connection is gone.
struct StopUnlessDone(Option<Call>);

impl Drop for StopUnlessDone {
    fn drop(&mut self) {
        if let Some(call) = &self.0 {
            call.cancel();
        }
    }
}

#[cfg(test)]
mod tests;

//! What calls leave behind: replies to keyed calls, requests for a human's agreement, limits, and the record of every call.
//!
//! The state is opened when it is first needed, so that a start does not wait for it.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use quillgate_state::{
    Claim, ConfirmedCall, Consumed as Decided, KeyedCall, Pending, ReplyClaim, SecretHash, Spend, State, StateError,
};
use quillgate_tools::{Failure, Proposal, Rate, ReplyTimes, StateDoor};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::OnceCell;

use crate::audit::AuditQueue;
use crate::caller::Caller;
use crate::config::{Config, RateConfig};
use crate::confirm::Stop;
use crate::random;
use crate::sites;
use crate::telemetry::CallRecord;

/// Who agrees when the client's own user does.
const BY_CLIENT: &str = "the client's user";

pub(crate) struct Ledger {
    config: Arc<Config>,
    state: OnceCell<Arc<State>>,
    secret: OnceCell<String>,
    audit: AuditQueue,
}

/// What an agreement is good for, and nothing else.
pub(crate) struct Bond<'b> {
    pub(crate) vault: &'b str,
    pub(crate) tool: &'static str,
    pub(crate) caller: &'b Caller,
    pub(crate) args_hash: &'b str,
    /// Of the change to these very bytes.
    pub(crate) digest: &'b str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consumed {
    Yes,
    No,
    Denied,
}

pub(crate) enum Replay {
    /// The call ran before, with this answer.
    Answered(Value),
    /// It has to run; a keyed one has claimed its reply.
    Run(Option<ReplyClaim>),
}

impl Ledger {
    pub(crate) fn new(config: Arc<Config>) -> Arc<Ledger> {
        Arc::new(Ledger { config, state: OnceCell::new(), secret: OnceCell::new(), audit: AuditQueue::default() })
    }

    /// The state, opened on first use.
    pub(crate) async fn state(&self) -> Result<&Arc<State>, Failure> {
        let open = || sites::open_state(&self.config);
        self.state.get_or_try_init(open).await.map_err(|error| Failure::Internal(format!("{error:#}")))
    }

    /// What seals the state that clients carry between calls: the same for all who share the database.
    pub(crate) async fn request_secret(&self) -> Result<&str, Failure> {
        let make = || async { self.state().await?.shared_secret("request state", &random::hex(32)).await.map_err(internal) };
        self.secret.get_or_try_init(make).await.map(String::as_str)
    }

    /// For tools, which run on threads.
    pub(crate) fn door(&self) -> Result<StateDoor, Failure> {
        let runtime = Handle::current();
        let state = runtime.block_on(self.state())?.clone();
        Ok(StateDoor::new(state, runtime, self.reply_times()))
    }

    fn reply_times(&self) -> ReplyTimes {
        ReplyTimes {
            kept: milliseconds(self.config.idempotency_ttl_seconds),
            crashed: milliseconds(self.config.idempotency_reclaim_seconds),
        }
    }

    pub(crate) async fn claim(&self, caller: &Caller, vault: &str, key: &str, args_hash: &str) -> Result<Replay, Failure> {
        let call = KeyedCall { caller: caller.key(), vault, key, fingerprint: args_hash };
        let times = self.reply_times();
        let claimed = self.state().await?.claim_reply(call, now_ms(), times.crashed, times.kept).await;
        match claimed.map_err(internal)? {
            Claim::Run(claim) => Ok(Replay::Run(Some(claim))),
            Claim::Finished { result } => {
                serde_json::from_str(&result).map(Replay::Answered).map_err(|error| Failure::Internal(error.to_string()))
            }
            Claim::InFlight => Err(Failure::KeyInFlight),
            Claim::Mismatch => Err(Failure::KeyMismatch),
        }
    }

    /// Keeps the answer for twins of the call, or lets the key be used again if nothing was done.
    pub(crate) async fn settle(&self, claim: Option<ReplyClaim>, outcome: &Result<Value, Stop>) {
        let Some(claim) = claim else { return };
        let Ok(state) = self.state().await else { return };
        let settled = match outcome {
            Ok(answer) => state.finish_reply(&claim, &answer.to_string()).await,
            // It may still be carried out: its twin must not begin before that is clear.
            Err(Stop::Failed(Failure::TimeoutWhileChanging(_))) => return,
            Err(_) => state.release_reply(&claim).await,
        };
        if let Err(error) = settled {
            tracing::error!(%error, "the answer of a keyed call could not be kept; a repeated call may run again");
        }
    }

    /// Counts one more call of a class. Reading is counted in this process alone: it must not wait for a database.
    pub(crate) async fn spend(&self, caller: &Caller, class: Rate, vault: &str, tier: RateConfig) -> Result<(), Failure> {
        let key = format!("call {} {} {vault}", caller.key(), class.name());
        let state = self.state().await?;
        let spent = match class {
            Rate::Read => state.spend_here(&key, tier.per_minute, tier.burst, now_ms()),
            _ => state.spend(&key, tier.per_minute, tier.burst, now_ms()).await.map_err(internal)?,
        };
        match spent {
            Spend::Allowed => Ok(()),
            Spend::Wait(seconds) => Err(Failure::Throttled { class: class.name(), seconds }),
        }
    }

    /// Whether somebody has allowed this tool in a folder of these paths for a while.
    pub(crate) async fn is_allowed(&self, bond: &Bond<'_>, paths: &[String]) -> Result<bool, Failure> {
        let found = self.state().await?.find_allowance(bond.vault, bond.tool, bond.caller.key(), paths, now()).await;
        Ok(found.map_err(internal)?.is_some())
    }

    /// Uses an agreement up: by its token, or by having been given for this very call.
    pub(crate) async fn consume(&self, bond: &Bond<'_>, token: Option<&str>) -> Result<Consumed, Failure> {
        let token = token.map(SecretHash::of);
        match self.state().await?.consume_confirmation(bond.call(), token.as_ref(), now()).await.map_err(internal)? {
            Decided::Yes { .. } => Ok(Consumed::Yes),
            Decided::No => Ok(Consumed::No),
            Decided::Denied { .. } => Ok(Consumed::Denied),
        }
    }

    /// Puts a request before whoever looks; the same request again has the same id.
    pub(crate) async fn request_confirmation(&self, bond: &Bond<'_>, proposal: &Proposal) -> Result<String, Failure> {
        let pending = Pending {
            id: random::hex(16),
            vault: bond.vault.to_owned(),
            tool: bond.tool.to_owned(),
            caller: bond.caller.key().to_owned(),
            args_hash: bond.args_hash.to_owned(),
            proposal_hash: bond.digest.to_owned(),
            proposal: serde_json::to_string(proposal).unwrap_or_default(),
            paths: proposal.paths.clone(),
            created: now(),
            expires: now() + seconds(self.config.elicit_ttl_seconds),
        };
        self.state().await?.request_confirmation(&pending).await.map_err(internal)
    }

    /// The client's user has agreed. False if that was used already, or the request is over.
    pub(crate) async fn approve_and_consume(&self, request: &str, bond: &Bond<'_>) -> Result<bool, Failure> {
        let state = self.state().await?;
        let token = SecretHash::of(&random::hex(16));
        let until = now() + seconds(self.config.elicit_ttl_seconds);
        if !state.approve(request, bond.digest, &token, BY_CLIENT, now(), until).await.map_err(internal)? {
            return Ok(false);
        }
        let consumed = state.consume_confirmation(bond.call(), Some(&token), now()).await.map_err(internal)?;
        Ok(matches!(consumed, Decided::Yes { .. }))
    }

    pub(crate) async fn deny(&self, request: &str) -> Result<(), Failure> {
        self.state().await?.deny(request, BY_CLIENT, now()).await.map(drop).map_err(internal)
    }

    /// Writes a call down, later and elsewhere.
    pub(crate) fn note(self: &Arc<Self>, record: CallRecord, session: Option<String>) {
        self.audit.push(self, record, session);
    }

    /// Records that wait to be written, and records that were lost.
    pub(crate) fn audit_readings(&self) -> (usize, u64) {
        self.audit.readings()
    }

    /// Waits until everything noted is written, for so long.
    pub(crate) async fn finish(&self, patience: Duration) {
        self.audit.finish(patience).await;
    }
}

impl Bond<'_> {
    fn call(&self) -> ConfirmedCall<'_> {
        ConfirmedCall {
            vault: self.vault,
            tool: self.tool,
            caller: self.caller.key(),
            args_hash: self.args_hash,
            proposal_hash: self.digest,
        }
    }
}

fn internal(error: StateError) -> Failure {
    Failure::Internal(error.to_string())
}

pub(crate) fn now() -> i64 {
    Timestamp::now().as_second()
}

pub(crate) fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

fn seconds(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX / 2)
}

fn milliseconds(number: u64) -> i64 {
    seconds(number).saturating_mul(1000)
}

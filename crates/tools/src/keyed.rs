//! Things that are done once however often they are asked for under the same key, within a call that has many of them.

use quillgate_state::{Claim, KeyedCall};
use quillgate_vault::ContentHash;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::context::Context;
use crate::failure::Failure;

/// How long an answer is kept.
const KEPT_MS: i64 = 24 * 60 * 60 * 1000;
/// After this long a claim that was neither finished nor given up is a crashed one.
const CRASHED_MS: i64 = 60 * 1000;

/// Runs it, unless the same was run under this key before: then its answer is given again. `what` says which tool takes the key.
pub(crate) fn once<T: Serialize + DeserializeOwned>(
    context: &Context<'_>,
    what: &str,
    key: Option<&str>,
    arguments: &impl Serialize,
    run: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let Some(key) = key else { return run() };
    let state = context.server.state()?;
    let fingerprint = ContentHash::of(serde_json::to_string(arguments).unwrap_or_default().as_bytes()).to_string();
    let caller = context.call.author.as_ref().map_or("local", |author| &author.caller);
    // Kept apart from the keys of whole calls.
    let key = format!("{what}: {key}");
    let now = context.now().timestamp().as_millisecond();
    let claim = state.wait(async |state| {
        let call = KeyedCall { caller, vault: context.vault_id(), key: &key, fingerprint: &fingerprint };
        state.claim_reply(call, now, CRASHED_MS, KEPT_MS).await
    })?;
    let claim = match claim {
        Claim::Run(claim) => claim,
        Claim::Finished { result } => {
            return serde_json::from_str(&result).map_err(|error| Failure::Internal(error.to_string()));
        }
        Claim::InFlight => return Err(Failure::KeyInFlight),
        Claim::Mismatch => return Err(Failure::KeyMismatch),
    };
    match run() {
        Ok(answer) => {
            let kept = serde_json::to_string(&answer).map_err(|error| Failure::Internal(error.to_string()))?;
            state.wait(async |state| state.finish_reply(&claim, &kept).await)?;
            Ok(answer)
        }
        Err(failure) => {
            state.wait(async |state| state.release_reply(&claim).await)?;
            Err(failure)
        }
    }
}

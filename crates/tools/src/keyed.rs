//! Things that are done once however often they are asked for under the same key, within a call that has many of them.

use quillgate_state::{Claim, KeyedCall};
use quillgate_vault::ContentHash;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::context::Context;
use crate::failure::Failure;
use crate::state_door::StateDoor;

/// The keys of one caller and vault.
pub(crate) struct Keys<'c> {
    context: &'c Context<'c>,
    /// Opened beforehand, by the thread of the call.
    state: Option<StateDoor>,
}

impl<'c> Keys<'c> {
    /// For these keys. Where there are none, nothing is remembered.
    pub(crate) fn open<'k>(
        context: &'c Context<'c>,
        keys: impl IntoIterator<Item = Option<&'k str>>,
    ) -> Result<Keys<'c>, Failure> {
        let is_needed = keys.into_iter().flatten().next().is_some();
        let state = is_needed.then(|| context.server.state()).transpose()?;
        Ok(Keys { context, state })
    }

    /// Runs it, unless the same was run under this key before: then its answer is given again. `what` says which tool takes the
    /// key.
    pub(crate) fn once<T: Serialize + DeserializeOwned>(
        &self,
        what: &str,
        key: Option<&str>,
        arguments: &impl Serialize,
        run: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let (Some(key), Some(state)) = (key, &self.state) else { return run() };
        let fingerprint = ContentHash::of(serde_json::to_string(arguments).unwrap_or_default().as_bytes()).to_string();
        let caller = self.context.call.author.as_ref().map_or("local", |author| &author.caller);
        // Kept apart from the keys of whole calls.
        let key = format!("{what}: {key}");
        let now = self.context.now().timestamp().as_millisecond();
        let times = state.replies;
        let claim = state.wait(async |state| {
            let call = KeyedCall { caller, vault: self.context.vault_id(), key: &key, fingerprint: &fingerprint };
            state.claim_reply(call, now, times.crashed, times.kept).await
        })?;
        let claim = match claim {
            Claim::Run(claim) => claim,
            Claim::Finished { result } => {
                return serde_json::from_str(&result).map_err(|error| Failure::Internal(error.to_string()));
            }
            Claim::InFlight => return Err(Failure::KeyInFlight),
            Claim::Mismatch => return Err(Failure::KeyMismatch),
        };
        let outcome = run();
        let kept = outcome.as_ref().ok().map(|answer| serde_json::to_string(answer).unwrap_or_default());
        state.wait(async |state| match &kept {
            Some(answer) => state.finish_reply(&claim, answer).await,
            None => state.release_reply(&claim).await,
        })?;
        outcome
    }
}

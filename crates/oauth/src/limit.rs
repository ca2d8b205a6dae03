//! Requests per minute, by endpoint and address.

use quillgate_state::Spend;

use crate::address::ClientAddress;
use crate::site::Site;

/// Too many requests; in this many seconds there will be room again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany(pub u64);

impl Site {
    /// Counts a request of `what` from `address`.
    pub(crate) async fn count(&self, what: &str, address: ClientAddress, per_minute: u32) -> Result<(), TooMany> {
        self.spend(&format!("{what} {} {}", self.settings.issuer, address.bucket()), per_minute).await
    }

    /// Takes one from the minute's supply of `key`. A state that does not answer must not lock everybody out.
    pub async fn spend(&self, key: &str, per_minute: u32) -> Result<(), TooMany> {
        if per_minute == 0 {
            return Ok(());
        }
        match self.state.spend(key, per_minute, per_minute, self.clock.milliseconds()).await {
            Ok(Spend::Allowed) => Ok(()),
            Ok(Spend::Wait(seconds)) => Err(TooMany(seconds)),
            Err(error) => {
                tracing::error!(%error, "requests cannot be counted");
                Ok(())
            }
        }
    }
}

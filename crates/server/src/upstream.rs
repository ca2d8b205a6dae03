//! Login at another site, put together from the configuration.

use std::sync::Arc;

use anyhow::Context;
use futures::FutureExt;
use quillgate_oauth::{UpstreamAccount, UpstreamLogin, UpstreamProblem};
use quillgate_remote::{AccountSettings, UpstreamError};
use secrecy::SecretString;

use crate::config::{AuthConfig, seven_days};

pub(crate) fn login(auth: &AuthConfig) -> anyhow::Result<UpstreamLogin> {
    let config = auth.upstream.as_ref().context("auth.mode upstream needs auth.upstream: the other site's addresses")?;
    let account = quillgate_remote::UpstreamAccount::new(AccountSettings {
        url: config.account_url.clone(),
        cookie: config.cookie.clone(),
        name: config.account_name.clone(),
        expires: config.account_expires.clone(),
        limits: quillgate_remote::GetLimits::default(),
    })?;
    let account = Arc::new(account);
    let check = move |credential: SecretString| {
        let account = account.clone();
        async move {
            let found = account.check(&credential).await;
            found.map(|found| UpstreamAccount { name: found.name, expires: found.expires }).map_err(|error| match error {
                UpstreamError::Rejected => UpstreamProblem::Rejected,
                UpstreamError::Unavailable(cause) => {
                    tracing::warn!(cause, "the other site could not be asked about an account");
                    UpstreamProblem::Unavailable
                }
            })
        }
        .boxed()
    };
    Ok(UpstreamLogin {
        login_url: config.login_url.clone(),
        return_parameter: config.return_parameter.clone(),
        cookie: config.cookie.clone(),
        check: Arc::new(check),
        longest: config.max_ttl_seconds.clamp(60, seven_days()),
    })
}

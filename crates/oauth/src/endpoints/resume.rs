//! Login at another site: the browser is sent there, and comes back with a cookie of that site.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use quillgate_state::SecretHash;
use secrecy::{ExposeSecret, SecretString};

use super::authorize::consent_path;
use crate::cookie;
use crate::login::{Asked, Login, Person, Stage, UpstreamSession};
use crate::page::{PageFailure, see_other};
use crate::parameters::Parameters;
use crate::seal;
use crate::settings::{self, UpstreamAccount, UpstreamLogin, UpstreamProblem};
use crate::site::Site;

/// How often a browser is sent to the other site before it is told that this leads nowhere.
const MOST_ROUNDS: u32 = 2;
/// The longest credential that is taken from a browser.
const LONGEST_CREDENTIAL: usize = 4096;
pub(crate) const SEAL_LOGIN: &str = "login";

/// The browser returns from the other site's login page.
pub(crate) async fn resume(
    State(site): State<Arc<Site>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, PageFailure> {
    let parameters = Parameters::parse(query.unwrap_or_default().as_bytes());
    let id = parameters.one("rid")?.unwrap_or_default();
    let Some(settings::Login::Upstream(upstream)) = &site.settings.login else { return Err(PageFailure::Stale) };
    // A name that was tampered with looks like another browser's: neither is told apart.
    let login = Login::find(&site, id, &headers).await.map_err(|failure| match failure {
        PageFailure::OtherBrowser | PageFailure::Stale => {
            PageFailure::Upstream("this login is over, or belongs to another browser")
        }
        other => other,
    })?;
    let Stage::Upstream { rounds } = login.asked.stage else { return Err(PageFailure::Stale) };
    match credential(upstream, &headers)? {
        Some(credential) => site.ask_consent(upstream, login, credential).await,
        None if rounds >= MOST_ROUNDS => {
            Err(PageFailure::Upstream("the other site did not log you in, or its cookies are not sent to this site"))
        }
        None => site.send_there(upstream, login, rounds + 1).await,
    }
}

impl Site {
    /// The first step: whoever is logged in at the other site goes on, others are sent to its login page.
    pub(crate) async fn send_upstream(
        &self,
        upstream: &UpstreamLogin,
        asked: Asked,
        headers: &HeaderMap,
    ) -> Result<Response, PageFailure> {
        let credential = credential(upstream, headers)?;
        let login = Login::begin(self, Asked { stage: Stage::Upstream { rounds: 0 }, ..asked }).await?;
        match credential {
            Some(credential) => self.ask_consent(upstream, login, credential).await,
            None => self.send_there(upstream, login, 1).await,
        }
    }

    /// The way back is ours alone; nothing of what the client asked is in it.
    async fn send_there(&self, upstream: &UpstreamLogin, login: Login, rounds: u32) -> Result<Response, PageFailure> {
        let login = login.advance(self, |_| Stage::Upstream { rounds }).await?;
        let back = self.url(&format!("/oauth/resume?rid={}", login.id.expose_secret()));
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair(&upstream.return_parameter, &back);
        let separator = if upstream.login_url.contains('?') { '&' } else { '?' };
        let address = format!("{}{separator}{}", upstream.login_url, query.finish());
        Ok(see_other(&address, [login.cookie(self)]))
    }

    /// The other site says whose credential it is, before anybody is asked anything.
    async fn ask_consent(
        &self,
        upstream: &UpstreamLogin,
        login: Login,
        credential: SecretString,
    ) -> Result<Response, PageFailure> {
        let is_over = |account: &UpstreamAccount| account.expires.is_some_and(|expires| expires <= self.now());
        let account = match (upstream.check)(credential.clone()).await {
            Ok(account) if !is_over(&account) => account,
            Err(UpstreamProblem::Unavailable) => return Err(PageFailure::UpstreamUnavailable),
            Ok(_) | Err(UpstreamProblem::Rejected) => {
                let Stage::Upstream { rounds } = login.asked.stage else { return Err(PageFailure::Stale) };
                if rounds >= MOST_ROUNDS {
                    return Err(PageFailure::Upstream("the other site does not accept your session; log in there again"));
                }
                return self.send_there(upstream, login, rounds + 1).await;
            }
        };
        let consent = |browser: &SecretString| {
            let session = UpstreamSession {
                sealed: seal::seal(browser, SEAL_LOGIN, &credential),
                hash: SecretHash::of(credential.expose_secret()).as_str().to_owned(),
                expires: account.expires,
            };
            Stage::Consent(Person { user: account.name.clone(), mark: String::new(), upstream: Some(session) })
        };
        let login = login.advance(self, consent).await?;
        Ok(see_other(&consent_path(&login), [login.cookie(self)]))
    }
}

/// The other site's cookie. Two of them mean that somebody on a sibling domain has planted one.
pub(crate) fn credential(upstream: &UpstreamLogin, headers: &HeaderMap) -> Result<Option<SecretString>, PageFailure> {
    match &cookie::all(headers, &upstream.cookie)[..] {
        [] => Ok(None),
        [only] if only.is_empty() => Ok(None),
        [only] if is_clean(only) => Ok(Some(SecretString::from(only.clone()))),
        [_] => Err(PageFailure::Upstream("the other site's cookie cannot be used; log in there again")),
        _ => {
            Err(PageFailure::Upstream("the browser sends more than one login of the other site; clear its cookies and try again"))
        }
    }
}

/// What RFC 6265 allows in a cookie.
fn is_clean(value: &str) -> bool {
    value.len() <= LONGEST_CREDENTIAL
        && value.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b',' | b';' | b'\\'))
}

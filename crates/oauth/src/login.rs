//! A login under way: what was asked, how far it is, and the two secrets that tie its forms to one browser.

use aws_lc_rs::hmac;
use axum::http::header::ORIGIN;
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use quillgate_state::{PendingRequest, SecretHash};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use crate::cookie::{self, LOGIN_SECONDS};
use crate::page::PageFailure;
use crate::page_form::PageForm;
use crate::secret::{new_secret, same_hash};
use crate::site::Site;

/// Kept on the server: nothing of it can be changed through a form.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Asked {
    pub(crate) client: String,
    pub(crate) redirect_uri: String,
    pub(crate) scopes: String,
    pub(crate) resource: String,
    pub(crate) state: Option<String>,
    pub(crate) challenge: String,
    pub(crate) stage: Stage,
    /// Counts the forms, so that each has a token of its own.
    pub(crate) step: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Stage {
    /// Waits for a name and a password.
    Password,
    /// Waits for the browser to come back from the other site's login page.
    Upstream { rounds: u32 },
    /// Waits for a decision.
    Consent(Person),
}

/// Who logged in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Person {
    pub(crate) user: String,
    /// Changes with the password.
    pub(crate) mark: String,
    pub(crate) upstream: Option<UpstreamSession>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct UpstreamSession {
    /// The credential, sealed with a key that only this browser's cookie gives.
    pub(crate) sealed: String,
    /// To notice that the browser has another one by now.
    pub(crate) hash: String,
    pub(crate) expires: Option<i64>,
}

/// A login as one browser sees it.
pub(crate) struct Login {
    /// The name of the login in forms and addresses.
    pub(crate) id: SecretString,
    pub(crate) browser: SecretString,
    pub(crate) asked: Asked,
    expires: i64,
}

impl Login {
    /// Starts one and remembers it.
    pub(crate) async fn begin(site: &Site, asked: Asked) -> Result<Login, PageFailure> {
        let login = Login { id: new_secret(), browser: new_secret(), asked, expires: site.now() + LOGIN_SECONDS };
        site.state.add_request(&login.record()).await?;
        Ok(login)
    }

    /// The login of this id, if it belongs to the browser that asks.
    pub(crate) async fn find(site: &Site, id: &str, headers: &HeaderMap) -> Result<Login, PageFailure> {
        let Some(record) = site.state.find_request(&SecretHash::of(id), site.now()).await? else {
            return Err(PageFailure::Stale);
        };
        let Some(browser) = cookie::bound(site, id, headers) else { return Err(PageFailure::OtherBrowser) };
        if !same_hash(&record.browser, &SecretHash::of(browser.expose_secret())) {
            return Err(PageFailure::OtherBrowser);
        }
        let Ok(asked) = serde_json::from_str(&record.data) else { return Err(PageFailure::Stale) };
        Ok(Login { id: SecretString::from(id.to_owned()), browser, asked, expires: record.expires })
    }

    /// The same for a form that was sent: it must also carry the token that stood in the form.
    pub(crate) async fn of_form(site: &Site, form: &PageForm) -> Result<Login, PageFailure> {
        check_origin(site, &form.headers)?;
        let login = Login::find(site, form.field("request")?, &form.headers).await?;
        if !same_hash(&SecretHash::of(form.field("csrf")?), &login.token_hash()) {
            return Err(PageFailure::Forged);
        }
        Ok(login)
    }

    /// Goes on to another stage, with another secret in the browser, which the stage may be sealed with. Of two answers to one
    /// form only one can do that.
    pub(crate) async fn advance(self, site: &Site, stage: impl FnOnce(&SecretString) -> Stage) -> Result<Login, PageFailure> {
        let browser = new_secret();
        let asked = self.asked.clone().at(stage(&browser));
        let next = Login { browser, asked, id: self.id.clone(), expires: self.expires };
        self.replace_by(site, next).await
    }

    /// Shows the form again: with another token, in the same browser.
    pub(crate) async fn again(self, site: &Site) -> Result<Login, PageFailure> {
        let asked = self.asked.clone().at(self.asked.stage.clone());
        let next = Login { browser: self.browser.clone(), asked, id: self.id.clone(), expires: self.expires };
        self.replace_by(site, next).await
    }

    async fn replace_by(self, site: &Site, next: Login) -> Result<Login, PageFailure> {
        let replaced = site.state.advance_request(&self.hash(), &self.token_hash(), &next.record(), site.now()).await?;
        if replaced { Ok(next) } else { Err(PageFailure::Forged) }
    }

    /// Ends it. Of two answers to one form only one can do that.
    pub(crate) async fn finish(&self, site: &Site) -> Result<(), PageFailure> {
        let taken = site.state.take_request(&self.hash(), &self.token_hash(), site.now()).await?;
        taken.map(|_| ()).ok_or(PageFailure::Forged)
    }

    pub(crate) fn cookie(&self, site: &Site) -> Option<HeaderValue> {
        cookie::binding(site, self.id.expose_secret(), &self.browser)
    }

    /// What the form of this step must carry. Made of the browser's secret, so no other browser can know it.
    pub(crate) fn form_token(&self) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.browser.expose_secret().as_bytes());
        let text = format!("form {} of {}", self.asked.step, self.id.expose_secret());
        URL_SAFE_NO_PAD.encode(hmac::sign(&key, text.as_bytes()))
    }

    fn token_hash(&self) -> SecretHash {
        SecretHash::of(&self.form_token())
    }

    fn hash(&self) -> SecretHash {
        SecretHash::of(self.id.expose_secret())
    }

    fn record(&self) -> PendingRequest {
        PendingRequest {
            id: self.hash(),
            browser: SecretHash::of(self.browser.expose_secret()),
            csrf: self.token_hash(),
            data: serde_json::to_string(&self.asked).expect("plain data is JSON"),
            expires: self.expires,
        }
    }
}

impl Asked {
    fn at(self, stage: Stage) -> Asked {
        Asked { stage, step: self.step + 1, ..self }
    }
}

/// A form of ours is sent by a page of ours. Since our pages send no referrer, browsers call their origin `null`, and say in
/// another header that it is the same.
fn check_origin(site: &Site, headers: &HeaderMap) -> Result<(), PageFailure> {
    let site_says = headers.get("sec-fetch-site").map(|value| value.as_bytes());
    let is_ours = match headers.get(ORIGIN).map(|value| value.as_bytes()) {
        None | Some(b"null") => true,
        Some(origin) => origin == site.settings.issuer.as_bytes(),
    };
    let is_same_site = site_says.is_none_or(|said| said == b"same-origin" || said == b"none");
    if is_ours && is_same_site { Ok(()) } else { Err(PageFailure::Forged) }
}

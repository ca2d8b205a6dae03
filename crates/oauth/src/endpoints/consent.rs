//! Asks the person who logged in, and carries the answer back to the client.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use quillgate_state::{Code, Consent, Grant, SecretHash};
use secrecy::ExposeSecret;

use super::authorize::asking;
use super::resume::{SEAL_LOGIN, credential};
use crate::client::KnownClient;
use crate::client_metadata::clean_name;
use crate::cookie;
use crate::issue::SEAL_CODE;
use crate::login::{Asked, Login, Person, Stage};
use crate::page::{ConsentPage, PageFailure, ScopeLine, VaultLine, render, see_other, with_cookie};
use crate::page_form::PageForm;
use crate::parameters::Parameters;
use crate::redirect_uri::shown_host;
use crate::scope::Scopes;
use crate::seal;
use crate::secret::{new_id, new_secret};
use crate::settings;
use crate::site::Site;

/// Shows who asks, where the answer goes, and what would be allowed.
pub(crate) async fn ask(
    State(site): State<Arc<Site>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, PageFailure> {
    let parameters = Parameters::parse(query.unwrap_or_default().as_bytes());
    let login = Login::find(&site, parameters.one("request")?.unwrap_or_default(), &headers).await?;
    consent_page(&site, StatusCode::OK, &login, None).await
}

async fn consent_page(site: &Site, status: StatusCode, login: &Login, message: Option<&str>) -> Result<Response, PageFailure> {
    let Stage::Consent(person) = &login.asked.stage else { return Err(PageFailure::Stale) };
    let client = site.client_of(&login.asked).await?;
    let host = shown_host(&login.asked.redirect_uri);
    let before = site.state.find_consent(&person.user, &client.id, &login.asked.redirect_uri).await?;
    let known = before.as_ref().and_then(|consent| Scopes::parse(&consent.scopes).ok());
    let token = login.form_token();
    // Another site's names may hold anything.
    let user = clean_name(&person.user).unwrap_or_default();
    let page = ConsentPage {
        client: asking(&client, &login.asked.redirect_uri, &host),
        user: &user,
        request: login.id.expose_secret(),
        token: &token,
        scopes: site.scope_lines(&login.asked, person, known.as_ref()),
        vaults: site.vault_lines(person),
        before: before.map(|consent| day(consent.given)),
        lifetime: days(site.longest_access(person)),
        message,
    };
    Ok(with_cookie(render(status, &page), login.cookie(site)))
}

/// Takes the decision.
pub(crate) async fn answer(State(site): State<Arc<Site>>, form: PageForm) -> Result<Response, PageFailure> {
    let login = Login::of_form(&site, &form).await?;
    let Stage::Consent(person) = login.asked.stage.clone() else { return Err(PageFailure::Stale) };
    let client = site.client_of(&login.asked).await?;
    site.check_same_session(&person, &form.headers)?;
    let asked = &login.asked;
    let allowed = match form.field("decision")? {
        "allow" if form.parameters.all("scope").next().is_none() => {
            let message = "Nothing is ticked. Tick what it may do, or deny.";
            return consent_page(&site, StatusCode::BAD_REQUEST, &login, Some(message)).await;
        }
        "allow" => Some(site.chosen_scopes(asked, &person, &form.parameters)?),
        "deny" => None,
        _ => return Err(PageFailure::BadRequest("choose to allow or to deny".to_owned())),
    };
    login.finish(&site).await?;
    let code;
    let mut answer = match allowed {
        None => vec![("error", "access_denied"), ("error_description", "the user did not allow it")],
        Some(scopes) => {
            code = site.grant_code(&client, &login, &person, &scopes).await?;
            vec![("code", code.as_str())]
        }
    };
    answer.extend(asked.state.as_deref().map(|state| ("state", state)));
    let location = site.answer_to(&asked.redirect_uri, &answer);
    Ok(see_other(&location, [cookie::forget(&site, login.id.expose_secret())]))
}

impl Site {
    fn scope_lines(&self, asked: &Asked, person: &Person, known: Option<&Scopes>) -> Vec<ScopeLine> {
        let wanted = self.most_for(asked, person);
        let endpoint = self.endpoint_of(&asked.resource).unwrap_or_else(|| self.default_endpoint());
        let offered = endpoint.scopes.iter().filter(|scope| wanted.contains(&scope.name));
        let line = |scope: &settings::OfferedScope| ScopeLine {
            name: scope.name.clone(),
            about: scope.about.clone(),
            is_new: known.is_some_and(|known| !known.contains(&scope.name)),
        };
        offered.map(line).collect()
    }

    /// What was asked, within what this user can give.
    fn most_for(&self, asked: &Asked, person: &Person) -> Scopes {
        let wanted = Scopes::parse(&asked.scopes).unwrap_or_default();
        match self.limit_of(&person.user).0 {
            Some(limit) => wanted.intersection(limit),
            None => wanted,
        }
    }

    fn vault_lines(&self, person: &Person) -> Vec<VaultLine> {
        let only = self.limit_of(&person.user).1;
        let allowed = self.settings.vaults.iter().filter(|vault| only.is_none_or(|only| only == vault.id));
        allowed.map(|vault| VaultLine { id: vault.id.clone(), name: vault.name.clone() }).collect()
    }

    /// The boxes that are still ticked, and the vault.
    fn chosen_scopes(&self, asked: &Asked, person: &Person, form: &Parameters) -> Result<Scopes, PageFailure> {
        let ticked: Scopes = form.all("scope").collect();
        let chosen = ticked.intersection(&self.most_for(asked, person));
        if chosen.is_empty() {
            return Err(PageFailure::BadRequest("nothing was ticked, so there is nothing to allow".to_owned()));
        }
        let vaults = self.vault_lines(person);
        let wanted = form.one("vault")?;
        let vault = match (wanted, &vaults[..]) {
            (_, []) => None,
            (None, [only]) => Some(only),
            (Some(id), all) => all.iter().find(|vault| vault.id == id),
            (None, _) => return Err(PageFailure::BadRequest("choose a vault".to_owned())),
        };
        match vault {
            Some(vault) => Ok(chosen.with_vault(&vault.id)),
            None if wanted.is_some() => Err(PageFailure::BadRequest("there is no such vault".to_owned())),
            None => Ok(chosen),
        }
    }

    /// The code that the client exchanges, with everything it is bound to.
    async fn grant_code(
        &self,
        client: &KnownClient,
        login: &Login,
        person: &Person,
        scopes: &Scopes,
    ) -> Result<String, PageFailure> {
        let (asked, now) = (&login.asked, self.now());
        let grant = Grant {
            id: new_id("qgg_", 16),
            issuer: self.settings.issuer.clone(),
            user: person.user.clone(),
            client: client.id.clone(),
            client_name: client.name.clone(),
            scopes: scopes.to_string(),
            resource: asked.resource.clone(),
            user_mark: person.mark.clone(),
            created: now,
            expires: now + self.longest_access(person),
            ended: None,
        };
        let code = new_secret();
        let sealed = person.upstream.as_ref().and_then(|session| {
            let credential = seal::open(&login.browser, SEAL_LOGIN, &session.sealed)?;
            Some(seal::seal(&code, SEAL_CODE, &credential))
        });
        if person.upstream.is_some() && sealed.is_none() {
            return Err(PageFailure::Stale);
        }
        self.state.add_grant(&grant).await?;
        self.state
            .add_code(&Code {
                hash: SecretHash::of(code.expose_secret()),
                grant: grant.id,
                redirect_uri: asked.redirect_uri.clone(),
                challenge: asked.challenge.clone(),
                sealed,
                expires: now + self.settings.lifetimes.code,
                used: None,
                misses: 0,
            })
            .await?;
        let consent = Consent {
            user: person.user.clone(),
            client: client.id.clone(),
            redirect_uri: asked.redirect_uri.clone(),
            scopes: scopes.to_string(),
            given: now,
        };
        self.state.remember_consent(&consent).await?;
        tracing::info!(client = client.id, scopes = %scopes, "access was allowed");
        Ok(code.expose_secret().to_owned())
    }

    /// How long the client can go on without asking again, in seconds.
    fn longest_access(&self, person: &Person) -> i64 {
        let lifetimes = self.settings.lifetimes;
        match (&self.settings.login, &person.upstream) {
            (Some(settings::Login::Upstream(upstream)), Some(session)) => {
                let left = session.expires.map_or(i64::MAX, |expires| expires - self.now());
                upstream.longest.min(left).max(0)
            }
            _ => lifetimes.refresh_at_most.max(lifetimes.access),
        }
    }

    /// The browser may have been logged in as somebody else meanwhile; what was shown must be what is granted.
    fn check_same_session(&self, person: &Person, headers: &HeaderMap) -> Result<(), PageFailure> {
        let (Some(settings::Login::Upstream(upstream)), Some(session)) = (&self.settings.login, &person.upstream) else {
            return Ok(());
        };
        let now = credential(upstream, headers)?.map(|credential| SecretHash::of(credential.expose_secret()));
        if now.is_some_and(|now| now.as_str() == session.hash) {
            return Ok(());
        }
        Err(PageFailure::Upstream("your login at the other site has changed since this page was shown; connect again"))
    }
}

fn days(seconds: i64) -> String {
    match seconds {
        0..7200 => format!("{} minutes", seconds / 60),
        7200..172_800 => format!("{} hours", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// A date for people, in UTC.
fn day(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).map(|time| time.strftime("%Y-%m-%d").to_string()).unwrap_or_default()
}

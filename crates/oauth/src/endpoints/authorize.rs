//! Where a client sends its user: checks what is asked, then finds out who the user is.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use secrecy::{ExposeSecret, SecretString};

use crate::address::ClientAddress;
use crate::client::{KnownClient, Origin};
use crate::client_metadata::GrantType;
use crate::limit::TooMany;
use crate::login::{Asked, Login, Person, Stage};
use crate::page::{Asking, LoginPage, PageFailure, render, see_other, with_cookie};
use crate::page_form::PageForm;
use crate::parameters::Parameters;
use crate::pkce::is_challenge;
use crate::redirect_uri::{is_loopback, shown_host};
use crate::scope::Scopes;
use crate::settings;
use crate::site::Site;

/// The longest `state` that is handed back.
const LONGEST_STATE: usize = 4096;
const LONGEST_NAME: usize = 200;
const WRONG: &str = "The name or the password is wrong.";

/// Parameters that may stand once. `resource` may be repeated.
const ONCE: [&str; 10] = [
    "response_type",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
    "prompt",
    "request",
    "request_uri",
    "response_mode",
    "nonce",
];

/// Begins a login.
pub(crate) async fn begin(
    State(site): State<Arc<Site>>,
    address: ClientAddress,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, PageFailure> {
    site.count("authorize", address, site.settings.limits.authorize).await?;
    let parameters = Parameters::parse(query.unwrap_or_default().as_bytes());
    let client = site.client_that_asks(&parameters).await?;
    let redirect_uri = redirect_of(&client, &parameters)?;
    let asked = match site.read_request(&client, &redirect_uri, &parameters) {
        Ok(asked) => asked,
        Err(problem) => return site.refuse(&client, &redirect_uri, &parameters, problem).await,
    };
    if client.origin == Origin::Registered {
        site.state.mark_client_seen(&client.id, site.now()).await?;
    }
    match &site.settings.login {
        Some(settings::Login::Upstream(upstream)) => site.send_upstream(upstream, asked, &headers).await,
        _ => {
            let login = Login::begin(&site, asked).await?;
            Ok(login_page(&site, StatusCode::OK, &client, &login, "", None))
        }
    }
}

/// Takes name and password.
pub(crate) async fn log_in(
    State(site): State<Arc<Site>>,
    address: ClientAddress,
    form: PageForm,
) -> Result<Response, PageFailure> {
    let (name, password) = (form.field("username")?, SecretString::from(form.field("password")?.to_owned()));
    let login = Login::of_form(&site, &form).await?;
    if !matches!(login.asked.stage, Stage::Password) {
        return Err(PageFailure::Stale);
    }
    let client = site.client_of(&login.asked).await?;
    if name.len() > LONGEST_NAME || password.expose_secret().len() > crate::password::LONGEST {
        let login = login.again(&site).await?;
        let message = "Names have at most 200 and passwords at most 1024 characters.";
        return Ok(login_page(&site, StatusCode::BAD_REQUEST, &client, &login, "", Some(message)));
    }
    let name = crate::user::normal_name(name);
    // Counted before the form is used up, and per address: nobody can lock somebody else out.
    site.count("login", address, site.settings.limits.login_everybody).await?;
    site.count(&format!("login of {name}"), address, site.settings.limits.login).await?;
    let Some(_place) = site.hashing.line_up() else { return Err(PageFailure::TooMany(TooMany(10))) };
    match site.check_password(&name, password).await? {
        Some(mark) => {
            let person = Person { user: name, mark, upstream: None };
            let login = login.advance(&site, |_| Stage::Consent(person)).await?;
            Ok(see_other(&consent_path(&login), [login.cookie(&site)]))
        }
        None => {
            tracing::info!(address = address.bucket(), "a login failed");
            let login = login.again(&site).await?;
            Ok(login_page(&site, StatusCode::BAD_REQUEST, &client, &login, &name, Some(WRONG)))
        }
    }
}

pub(crate) fn consent_path(login: &Login) -> String {
    format!("/oauth/consent?request={}", login.id.expose_secret())
}

/// An error that the client is told, if its address can be trusted.
struct Problem {
    code: &'static str,
    description: String,
}

fn problem<T>(code: &'static str, description: impl Into<String>) -> Result<T, Problem> {
    Err(Problem { code, description: description.into() })
}

/// Where the answer goes. Until this is known good, nothing is sent anywhere.
fn redirect_of(client: &KnownClient, parameters: &Parameters) -> Result<String, PageFailure> {
    let asked = match (parameters.one("redirect_uri")?, &client.redirect_uris[..]) {
        (Some(asked), _) => asked,
        (None, [only]) => only,
        (None, _) => return Err(PageFailure::BadRequest("the application did not say where to return to (redirect_uri)".into())),
    };
    if !client.knows_redirect(asked) {
        let text = "the application asks to return to an address that it did not register (redirect_uri)";
        return Err(PageFailure::BadRequest(text.to_owned()));
    }
    Ok(asked.to_owned())
}

impl Site {
    async fn client_that_asks(&self, parameters: &Parameters) -> Result<KnownClient, PageFailure> {
        let Some(id) = parameters.one("client_id")? else {
            return Err(PageFailure::BadRequest("the application did not say who it is (client_id)".to_owned()));
        };
        let unknown = || PageFailure::BadRequest("this application is not known here (client_id)".to_owned());
        let client = self.find_client(id).await?.ok_or_else(unknown)?;
        if client.may(GrantType::AuthorizationCode) { Ok(client) } else { Err(unknown()) }
    }

    pub(crate) async fn client_of(&self, asked: &Asked) -> Result<KnownClient, PageFailure> {
        let client = self.find_client(&asked.client).await?;
        let client = client.filter(|client| client.knows_redirect(&asked.redirect_uri));
        client.ok_or_else(|| PageFailure::BadRequest("this application is not known here any more".to_owned()))
    }

    fn read_request(&self, client: &KnownClient, redirect_uri: &str, parameters: &Parameters) -> Result<Asked, Problem> {
        if let Some(repeated) = parameters.repeated(&ONCE) {
            return problem("invalid_request", repeated.to_string());
        }
        let one = |name| parameters.one(name).unwrap_or_default();
        match one("response_type") {
            None => return problem("invalid_request", "response_type is missing; give code"),
            Some("code") => {}
            Some(_) => return problem("unsupported_response_type", "only response_type=code is supported"),
        }
        if one("request").is_some() {
            return problem("request_not_supported", "give the parameters themselves, not a request object");
        }
        if one("request_uri").is_some() {
            return problem("request_uri_not_supported", "give the parameters themselves, not a request object");
        }
        if one("response_mode").is_some_and(|mode| mode != "query") {
            return problem("invalid_request", "only response_mode=query is supported");
        }
        if one("state").is_some_and(|state| state.len() > LONGEST_STATE) {
            return problem("invalid_request", "state is longer than 4096 bytes");
        }
        let Some(challenge) = one("code_challenge").filter(|challenge| is_challenge(challenge)) else {
            return problem("invalid_request", "code_challenge must be the 43 characters of a base64url SHA-256");
        };
        if one("code_challenge_method") != Some("S256") {
            return problem("invalid_request", "code_challenge_method must be S256");
        }
        let Ok(resource) = self.resources.resolve(&parameters.all("resource").collect::<Vec<_>>()) else {
            return problem("invalid_target", format!("resource must be {}", self.url("/mcp")));
        };
        let Ok(requested) = Scopes::parse(one("scope").unwrap_or_default()) else {
            return problem("invalid_scope", "at most 100 scopes and 4 KB");
        };
        if one("prompt").is_some_and(|prompt| prompt.split(' ').any(|word| word == "none")) {
            return problem("login_required", "nobody is asked without a page here");
        }
        Ok(Asked {
            client: client.id.clone(),
            redirect_uri: redirect_uri.to_owned(),
            scopes: self.granted_scopes(&resource, &requested).to_string(),
            resource,
            state: one("state").map(str::to_owned),
            challenge: challenge.to_owned(),
            stage: Stage::Password,
            step: 0,
        })
    }

    /// What is offered of what was asked for; everything, if nothing of that is.
    fn granted_scopes(&self, resource: &str, requested: &Scopes) -> Scopes {
        let endpoint = self.endpoint_of(resource).unwrap_or_else(|| self.default_endpoint());
        let offered: Scopes = endpoint.scopes.iter().map(|scope| scope.name.as_str()).collect();
        requested.granted(&offered, &offered)
    }

    /// Tells the client by redirect if its address is trusted; anybody can register one, and a redirect to it that nobody
    /// agreed to would make this server a sender to anywhere.
    async fn refuse(
        &self,
        client: &KnownClient,
        redirect_uri: &str,
        parameters: &Parameters,
        problem: Problem,
    ) -> Result<Response, PageFailure> {
        let state = parameters.one("state").ok().flatten().filter(|state| state.len() <= LONGEST_STATE);
        let mut answer = vec![("error", problem.code), ("error_description", problem.description.as_str())];
        answer.extend(state.map(|state| ("state", state)));
        let link = self.answer_to(redirect_uri, &answer);
        if self.is_trusted(client, redirect_uri).await? {
            return Ok(see_other(&link, []));
        }
        let message = format!("{} ({})", problem.description, problem.code);
        Err(PageFailure::BadRequestWithLink { message, link, host: shown_host(redirect_uri) })
    }

    async fn is_trusted(&self, client: &KnownClient, redirect_uri: &str) -> Result<bool, PageFailure> {
        let by_operator = || self.settings.trusted_redirects.iter().any(|trusted| trusted == redirect_uri);
        if is_loopback(redirect_uri) || by_operator() || client.origin == Origin::Configured {
            return Ok(true);
        }
        Ok(self.state.has_consent(&client.id, redirect_uri).await?)
    }

    /// The redirect URI with an answer and our name added, so that a client of several servers knows whose answer it is.
    pub(crate) fn answer_to(&self, redirect_uri: &str, answer: &[(&str, &str)]) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(answer).append_pair("iss", &self.settings.issuer);
        let separator = match redirect_uri.split_once('?') {
            None => "?",
            Some((_, "")) => "",
            Some((_, rest)) if rest.ends_with('&') => "",
            Some(_) => "&",
        };
        format!("{redirect_uri}{separator}{}", query.finish())
    }
}

fn login_page(
    site: &Site,
    status: StatusCode,
    client: &KnownClient,
    login: &Login,
    name: &str,
    message: Option<&str>,
) -> Response {
    let host = shown_host(&login.asked.redirect_uri);
    let token = login.form_token();
    let page = LoginPage {
        client: asking(client, &login.asked.redirect_uri, &host),
        request: login.id.expose_secret(),
        token: &token,
        name,
        message,
    };
    with_cookie(render(status, &page), login.cookie(site)).into_response()
}

pub(crate) fn asking<'a>(client: &'a KnownClient, redirect_uri: &str, host: &'a str) -> Asking<'a> {
    let vouched_by = match &client.origin {
        Origin::Document { host } => Some(host.as_str()),
        Origin::Configured | Origin::Registered => None,
    };
    Asking {
        name: &client.name,
        vouched_by,
        is_configured: client.origin == Origin::Configured,
        answer_goes_to: host,
        is_local: is_loopback(redirect_uri),
    }
}

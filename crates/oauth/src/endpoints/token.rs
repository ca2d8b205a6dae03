//! Exchanges codes, refresh tokens and configured clients' credentials for tokens.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use quillgate_state::{Code, Grant, SecretHash, Token, TokenKind};
use secrecy::SecretString;

use crate::client::{Authentication, KnownClient, Origin};
use crate::client_metadata::GrantType;
use crate::failure::Failure;
use crate::issue::{Issue, SEAL_CODE};
use crate::parameters::Parameters;
use crate::pkce;
use crate::scope::Scopes;
use crate::seal;
use crate::secret::new_id;
use crate::site::Site;
use crate::token_form::TokenForm;

/// After so many wrong verifiers a code is dead.
const MOST_MISSES: i64 = 5;
/// How often one refresh token is exchanged again within the grace.
const MOST_REISSUES: i64 = 5;

const ONCE: [&str; 9] = [
    "grant_type",
    "code",
    "redirect_uri",
    "code_verifier",
    "refresh_token",
    "scope",
    "client_id",
    "client_secret",
    "client_assertion",
];

pub(crate) async fn exchange(
    State(site): State<Arc<Site>>,
    TokenForm { headers, parameters: form }: TokenForm,
) -> Result<Response, Failure> {
    if let Some(repeated) = form.repeated(&ONCE) {
        return Err(repeated.into());
    }
    let grant_type = form.one("grant_type")?.ok_or_else(|| Failure::invalid_request("grant_type is missing"))?;
    let grant_type = match grant_type {
        "authorization_code" => GrantType::AuthorizationCode,
        "refresh_token" => GrantType::RefreshToken,
        "client_credentials" => GrantType::ClientCredentials,
        _ => return Err(Failure::refused("unsupported_grant_type", "use authorization_code or refresh_token")),
    };
    let client = site.authenticate(&headers, &form).await?;
    if !client.may(grant_type) {
        return Err(Failure::refused("unauthorized_client", "this client may not use this grant type"));
    }
    match grant_type {
        GrantType::AuthorizationCode => site.exchange_code(&client, &form).await,
        GrantType::RefreshToken => site.exchange_refresh_token(&client, &form).await,
        GrantType::ClientCredentials => site.act_for_itself(&client, &form).await,
    }
}

impl Site {
    /// Everything is checked before the code is used up, so that a mistake of one client costs nobody else's code.
    async fn exchange_code(&self, client: &KnownClient, form: &Parameters) -> Result<Response, Failure> {
        let code = form.one("code")?.ok_or_else(|| Failure::invalid_request("code is missing"))?;
        let verifier = form.one("code_verifier")?.ok_or_else(|| Failure::invalid_request("code_verifier is missing"))?;
        let hash = SecretHash::of(code);
        let unknown = || Failure::invalid_grant("the code is not valid; it is good for one exchange and five minutes");
        let found = self.state.find_code(&hash).await?.ok_or_else(unknown)?;
        let grant = self.state.find_grant(&found.grant).await?.ok_or_else(unknown)?;
        if grant.client != client.id || grant.issuer != self.settings.issuer || grant.ended.is_some() {
            return Err(unknown());
        }
        if found.used.is_some() {
            self.end_grant(&grant.id).await?;
            return Err(unknown());
        }
        if form.one("redirect_uri")?.is_some_and(|redirect_uri| redirect_uri != found.redirect_uri) {
            return Err(Failure::invalid_grant("redirect_uri differs from that of the authorization request"));
        }
        self.check_resource(form, &grant)?;
        if !pkce::verify(&found.challenge, verifier) {
            self.count_miss(&hash, &grant).await?;
            return Err(Failure::invalid_grant("code_verifier does not fit the code_challenge"));
        }
        if !self.is_still(&grant.user, &grant.user_mark).await? {
            return Err(unknown());
        }
        let Some(Code { sealed, .. }) = self.state.use_code(&hash, self.now()).await? else {
            // Expired, or used by somebody else at this very moment.
            self.end_grant(&grant.id).await?;
            return Err(unknown());
        };
        if client.origin == Origin::Registered {
            self.state.mark_client_used(&client.id, self.now()).await?;
        }
        let secret = SecretString::from(code.to_owned());
        let credential = sealed.and_then(|sealed| seal::open(&secret, SEAL_CODE, &sealed));
        let with_refresh = client.may(GrantType::RefreshToken);
        self.issue(Issue { grant: &grant, scopes: &grant.scopes, parent: None, credential, with_refresh }).await
    }

    async fn count_miss(&self, hash: &SecretHash, grant: &Grant) -> Result<(), Failure> {
        if self.state.miss_code(hash).await? >= MOST_MISSES {
            self.end_grant(&grant.id).await?;
        }
        Ok(())
    }

    async fn exchange_refresh_token(&self, client: &KnownClient, form: &Parameters) -> Result<Response, Failure> {
        let refresh = form.one("refresh_token")?.ok_or_else(|| Failure::invalid_request("refresh_token is missing"))?;
        let hash = SecretHash::of(refresh);
        let over = || Failure::invalid_grant("the refresh token is not valid any more; log in again");
        let (token, grant) = self.state.find_token(&hash).await?.ok_or_else(over)?;
        let is_ours = token.kind == TokenKind::Refresh && grant.client == client.id && grant.issuer == self.settings.issuer;
        let now = self.now();
        if !is_ours || grant.ended.is_some() || token.ended.is_some() || token.expires <= now || grant.expires <= now {
            return Err(over());
        }
        self.check_resource(form, &grant)?;
        let scopes = narrowed(form, &token)?;
        if !self.is_still(&grant.user, &grant.user_mark).await? {
            self.end_grant(&grant.id).await?;
            return Err(over());
        }
        if !self.state.replace_token(&hash, now).await? && !self.may_reissue(&hash).await? {
            tracing::warn!(client = client.id, "a refresh token was used again; everything issued with it has ended");
            self.end_grant(&grant.id).await?;
            return Err(over());
        }
        self.issue(Issue { grant: &grant, scopes: &scopes, parent: Some(hash), credential: None, with_refresh: true }).await
    }

    /// Clients with several processes refresh at the same moment, and answers get lost: shortly after its exchange a refresh
    /// token is good for another one, unless its successor has been exchanged, too.
    async fn may_reissue(&self, hash: &SecretHash) -> Result<bool, Failure> {
        let Some((token, _)) = self.state.find_token(hash).await? else { return Ok(false) };
        let is_fresh = token.replaced.is_some_and(|at| self.now() - at < self.settings.lifetimes.reuse_grace);
        Ok(is_fresh && !self.state.has_replaced_child(hash).await? && self.state.reissue_token(hash, MOST_REISSUES).await?)
    }

    /// A client of the configuration without any user behind it.
    async fn act_for_itself(&self, client: &KnownClient, form: &Parameters) -> Result<Response, Failure> {
        let configured = self.settings.clients.iter().find(|configured| configured.id == client.id);
        let (Some(configured), false) = (configured, matches!(client.authentication, Authentication::None)) else {
            return Err(Failure::refused("unauthorized_client", "only clients of the configuration may act for themselves"));
        };
        let resource = self.resources.resolve(&form.all("resource").collect::<Vec<_>>()).map_err(|_| self.invalid_target())?;
        let asked = Scopes::parse(form.one("scope")?.unwrap_or_default())
            .map_err(|_| Failure::refused("invalid_scope", "at most 100 scopes and 4 KB"))?;
        let scopes = asked.granted(&configured.scopes, &configured.scopes);
        let grant = Grant {
            id: new_id("qgg_", 16),
            issuer: self.settings.issuer.clone(),
            user: format!("client:{}", client.id),
            client: client.id.clone(),
            client_name: client.name.clone(),
            scopes: scopes.to_string(),
            resource,
            user_mark: String::new(),
            created: self.now(),
            expires: self.now() + self.settings.lifetimes.access,
            ended: None,
        };
        self.state.add_grant(&grant).await?;
        self.issue(Issue { grant: &grant, scopes: &grant.scopes, parent: None, credential: None, with_refresh: false }).await
    }

    fn check_resource(&self, form: &Parameters, grant: &Grant) -> Result<(), Failure> {
        if form.all("resource").next().is_none() {
            return Ok(());
        }
        match self.resources.resolve(&form.all("resource").collect::<Vec<_>>()) {
            Ok(resource) if resource == grant.resource => Ok(()),
            _ => Err(self.invalid_target()),
        }
    }

    fn invalid_target(&self) -> Failure {
        Failure::refused("invalid_target", format!("resource must be {}", self.url("/mcp")))
    }
}

/// A refresh may ask for less, never for more. The vault stays.
fn narrowed(form: &Parameters, token: &Token) -> Result<String, Failure> {
    let has = Scopes::parse(&token.scopes).unwrap_or_default();
    let Some(asked) = form.one("scope")? else { return Ok(token.scopes.clone()) };
    let asked = Scopes::parse(asked).map_err(|_| Failure::refused("invalid_scope", "at most 100 scopes and 4 KB"))?;
    let asked: Scopes = asked.iter().filter(|scope| *scope != "offline_access").collect();
    if !asked.iter().all(|scope| has.contains(scope)) {
        return Err(Failure::refused("invalid_scope", format!("this login allows {has}; ask the user again for more")));
    }
    if asked.is_empty() {
        return Ok(token.scopes.clone());
    }
    let narrowed = match has.vault() {
        Some(vault) => asked.with_vault(vault),
        None => asked,
    };
    Ok(narrowed.to_string())
}

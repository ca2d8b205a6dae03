//! The way of a remote client, step by step: where it stops is what is wrong.

use anyhow::{Context, bail, ensure};
use quillgate_oauth::{code_challenge, new_secret};
use reqwest::{Method, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};

use super::report;
use super::web::{Answer, Web};

const CALLBACK: &str = "http://127.0.0.1:1/callback";

pub(super) struct LoginCheck {
    web: Web,
    url: String,
    account: Option<(String, SecretString)>,
}

struct Registered {
    id: String,
    manage: Option<(String, String)>,
}

impl LoginCheck {
    pub(super) fn new(url: &str, account: Option<(String, SecretString)>) -> anyhow::Result<LoginCheck> {
        Ok(LoginCheck { web: Web::new()?, url: url.to_owned(), account })
    }

    pub(super) async fn run(mut self) -> anyhow::Result<()> {
        self.health().await?;
        let resource = self.challenge().await?;
        let issuer = self.resource_document(&resource).await?;
        let server = self.server_document(&issuer).await?;
        let client = self.register(&server).await?;
        let outcome = self.with_client(&server, &client).await;
        let cleared = self.deregister(&client).await;
        outcome.and(cleared)
    }

    async fn with_client(&mut self, server: &Value, client: &Registered) -> anyhow::Result<()> {
        let verifier = new_secret();
        let page = self.login_page(server, client, &verifier).await?;
        let Some((name, password)) = self.account.clone() else {
            return report("the rest", "needs a login; give --user NAME to go on");
        };
        let code = self.log_in(&page, &name, &password).await?;
        let tokens = self.exchange(server, client, &code, &verifier).await?;
        self.call(&tokens).await?;
        let tokens = self.refresh(server, client, &tokens).await?;
        self.revoke(server, client, &tokens).await
    }

    async fn health(&mut self) -> anyhow::Result<()> {
        let answer = self.web.get(&format!("{}/health", self.url)).await?;
        ensure!(answer.status == StatusCode::OK, "/health answers {}; does the proxy lead to this server?", answer.status);
        let version = answer.json()?["version"].as_str().unwrap_or_default().to_owned();
        report("server is reached", &format!("version {version}"))
    }

    async fn challenge(&mut self) -> anyhow::Result<String> {
        let hello =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "doctor", "version": "1"}});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}).to_string();
        let answer = self.post_mcp(None, message).await?;
        match answer.status {
            StatusCode::UNAUTHORIZED => {}
            StatusCode::OK => bail!("/mcp answers without a token: there is no login; set AUTH_USERS or auth.mode"),
            StatusCode::FORBIDDEN => {
                bail!("/mcp answers 403: the host is not served; start the server with --server-url {}", self.url)
            }
            other => bail!("/mcp answers {other} to a request without a token; 401 was expected"),
        }
        let challenge =
            answer.header("www-authenticate").context("the 401 has no WWW-Authenticate header; does the proxy drop it?")?;
        let document = challenge.split("resource_metadata=\"").nth(1).and_then(|rest| rest.split('"').next());
        let document = document.context("the challenge names no resource document")?.to_owned();
        ensure!(
            document.starts_with(&self.url),
            "the challenge leads to {document}, not to {}; start the server with --server-url {}",
            self.url,
            self.url
        );
        report("a request without a token", "401 with a challenge")?;
        Ok(document)
    }

    async fn resource_document(&mut self, document: &str) -> anyhow::Result<String> {
        let answer = self.web.get(document).await?;
        ensure!(answer.status == StatusCode::OK, "{document} answers {}; the proxy must pass /.well-known on", answer.status);
        let described = answer.json()?;
        let wanted = format!("{}/mcp", self.url);
        ensure!(described["resource"] == wanted, "the resource is {}, clients expect {wanted}", described["resource"]);
        let issuer = described["authorization_servers"][0].as_str().context("the document names no authorization server")?;
        report("resource document", &wanted)?;
        Ok(issuer.to_owned())
    }

    async fn server_document(&mut self, issuer: &str) -> anyhow::Result<Value> {
        let document = format!("{issuer}/.well-known/oauth-authorization-server");
        let answer = self.web.get(&document).await?;
        ensure!(answer.status == StatusCode::OK, "{document} answers {}", answer.status);
        let described = answer.json()?;
        ensure!(described["issuer"] == issuer, "the issuer calls itself {}, not {issuer}", described["issuer"]);
        ensure!(described["code_challenge_methods_supported"] == json!(["S256"]), "S256 is not offered");
        report("authorization server document", issuer)?;
        Ok(described)
    }

    async fn register(&mut self, server: &Value) -> anyhow::Result<Registered> {
        let endpoint = endpoint(server, "registration_endpoint").context("clients cannot register; auth.registration is off")?;
        let body = json!({"client_name": "quillgate doctor", "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"});
        let headers = [("content-type", "application/json")];
        let answer = self.web.send(Method::POST, &endpoint, &headers, body.to_string()).await?;
        ensure!(answer.status == StatusCode::CREATED, "registration answers {}: {}", answer.status, answer.body);
        let client = answer.json()?;
        let id = client["client_id"].as_str().context("the registration has no client_id")?.to_owned();
        let text = |name: &str| client[name].as_str().map(str::to_owned);
        report("registration", &id)?;
        Ok(Registered { id, manage: text("registration_client_uri").zip(text("registration_access_token")) })
    }

    async fn login_page(&mut self, server: &Value, client: &Registered, verifier: &SecretString) -> anyhow::Result<Answer> {
        let endpoint = endpoint(server, "authorization_endpoint")?;
        let challenge = code_challenge(verifier.expose_secret());
        let resource = format!("{}/mcp", self.url);
        let query = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs([
                ("response_type", "code"),
                ("client_id", &client.id),
                ("redirect_uri", CALLBACK),
                ("code_challenge", &challenge),
                ("code_challenge_method", "S256"),
                ("state", "doctor"),
                ("resource", &resource),
            ])
            .finish();
        let answer = self.web.get(&format!("{endpoint}?{query}")).await?;
        if let Some(elsewhere) = answer.location().filter(|_| answer.status.is_redirection()) {
            bail!(
                "people log in at another site ({elsewhere}), which the doctor cannot do for them; everything before it is well"
            );
        }
        ensure!(answer.status == StatusCode::OK, "the login page answers {}", answer.status);
        ensure!(answer.header("set-cookie").is_some(), "the login page sets no cookie; does the proxy drop it?");
        report("login page", "shown")?;
        Ok(answer)
    }

    async fn log_in(&mut self, page: &Answer, name: &str, password: &SecretString) -> anyhow::Result<String> {
        let mut fields = page.form_fields();
        fields.retain(|(field, _)| field != "username" && field != "password");
        fields.push(("username".to_owned(), name.to_owned()));
        fields.push(("password".to_owned(), password.expose_secret().to_owned()));
        let answer = self.web.post_form(&format!("{}/oauth/authorize", self.url), &fields).await?;
        let consent = match (answer.status, answer.location()) {
            (StatusCode::SEE_OTHER, Some(location)) => format!("{}{location}", self.url),
            (StatusCode::BAD_REQUEST, _) => bail!("the name or the password is wrong"),
            (status, _) => bail!("the login answers {status}; 403 means that the proxy changes Host, Origin or cookies"),
        };
        report("login", name)?;
        let page = self.web.get(&consent).await?;
        ensure!(page.status == StatusCode::OK, "the consent page answers {}", page.status);
        let mut fields = page.form_fields();
        fields.push(("decision".to_owned(), "allow".to_owned()));
        let answer = self.web.post_form(&format!("{}/oauth/consent", self.url), &fields).await?;
        let location = answer.location().with_context(|| format!("the consent answers {}", answer.status))?;
        let returned: Vec<(String, String)> = url::Url::parse(location)?.query_pairs().into_owned().collect();
        let value = |name: &str| returned.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
        ensure!(value("iss") == Some(&self.url), "the answer is signed by {:?}, not by {}", value("iss"), self.url);
        let code = value("code").context("the answer has no code")?.to_owned();
        report("consent", "a code came back")?;
        Ok(code)
    }

    async fn exchange(
        &mut self,
        server: &Value,
        client: &Registered,
        code: &str,
        verifier: &SecretString,
    ) -> anyhow::Result<Value> {
        let fields = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("code_verifier", verifier.expose_secret()),
            ("redirect_uri", CALLBACK),
            ("client_id", &client.id),
        ];
        let tokens = self.tokens(server, &fields).await?;
        report("tokens", &format!("good for {} s, {}", tokens["expires_in"], tokens["scope"].as_str().unwrap_or_default()))?;
        Ok(tokens)
    }

    async fn refresh(&mut self, server: &Value, client: &Registered, tokens: &Value) -> anyhow::Result<Value> {
        let Some(refresh) = tokens["refresh_token"].as_str() else {
            report("refresh", "not offered here")?;
            return Ok(tokens.clone());
        };
        let fields = [("grant_type", "refresh_token"), ("refresh_token", refresh), ("client_id", &client.id)];
        let tokens = self.tokens(server, &fields).await?;
        report("refresh", "new tokens")?;
        Ok(tokens)
    }

    async fn tokens(&mut self, server: &Value, fields: &[(&str, &str)]) -> anyhow::Result<Value> {
        let answer = self.web.post_form(&endpoint(server, "token_endpoint")?, &owned(fields)).await?;
        ensure!(answer.status == StatusCode::OK, "the token endpoint answers {}: {}", answer.status, answer.body);
        answer.json()
    }

    async fn call(&mut self, tokens: &Value) -> anyhow::Result<()> {
        let revision = "2026-07-28";
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientInfo": {"name": "quillgate doctor", "version": env!("CARGO_PKG_VERSION")},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}).to_string();
        let token = tokens["access_token"].as_str().context("there is no access token")?;
        let answer = self.post_mcp(Some((token, revision)), message).await?;
        ensure!(answer.status == StatusCode::OK, "tools/list with the token answers {}: {}", answer.status, answer.body);
        let tools = answer.json()?["result"]["tools"].as_array().map_or(0, Vec::len);
        report("tools/list", &format!("{tools} tools"))
    }

    async fn revoke(&mut self, server: &Value, client: &Registered, tokens: &Value) -> anyhow::Result<()> {
        let token = tokens["refresh_token"].as_str().or(tokens["access_token"].as_str()).unwrap_or_default();
        let fields = owned(&[("token", token), ("client_id", &client.id)]);
        let answer = self.web.post_form(&endpoint(server, "revocation_endpoint")?, &fields).await?;
        ensure!(answer.status == StatusCode::OK, "revocation answers {}", answer.status);
        let access = tokens["access_token"].as_str().unwrap_or_default();
        let answer = self.post_mcp(Some((access, "2026-07-28")), "{}".to_owned()).await?;
        ensure!(answer.status == StatusCode::UNAUTHORIZED, "a revoked token is still good ({})", answer.status);
        report("revocation", "the token is dead")
    }

    async fn deregister(&mut self, client: &Registered) -> anyhow::Result<()> {
        let Some((address, token)) = &client.manage else { return Ok(()) };
        let bearer = format!("Bearer {token}");
        let answer = self.web.send(Method::DELETE, address, &[("authorization", &bearer)], String::new()).await?;
        ensure!(
            answer.status == StatusCode::NO_CONTENT,
            "the doctor's own registration could not be removed ({})",
            answer.status
        );
        report("registration removed", "")
    }

    async fn post_mcp(&mut self, token: Option<(&str, &str)>, message: String) -> anyhow::Result<Answer> {
        let bearer = token.map(|(token, _)| format!("Bearer {token}"));
        let mut headers = vec![("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        if let (Some(bearer), Some((_, revision))) = (&bearer, token) {
            headers.extend([
                ("authorization", bearer.as_str()),
                ("mcp-protocol-version", revision),
                ("mcp-method", "tools/list"),
            ]);
        }
        self.web.send(Method::POST, &format!("{}/mcp", self.url), &headers, message).await
    }
}

fn endpoint(server: &Value, name: &str) -> anyhow::Result<String> {
    server[name].as_str().map(str::to_owned).with_context(|| format!("the server's document has no {name}"))
}

fn owned(fields: &[(&str, &str)]) -> Vec<(String, String)> {
    fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

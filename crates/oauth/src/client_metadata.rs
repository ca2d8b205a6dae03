//! What a client says about itself: in a registration (RFC 7591) or in a document behind its id.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::redirect_uri::{self, RedirectPolicy};
use crate::scope::Scopes;

/// A registration or document may not be longer.
pub(crate) const LONGEST: usize = 64 * 1024;

const MOST_REDIRECT_URIS: usize = 50;
const MOST_KEYS: usize = 20;
const LONGEST_NAME: usize = 100;
const DEEPEST: usize = 16;

/// Members of a JSON Web Key that only its owner may have.
const PRIVATE_MEMBERS: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MetadataProblem {
    #[error("{0}")]
    RedirectUri(String),
    #[error("{0}")]
    Metadata(String),
}

impl MetadataProblem {
    /// The error code of RFC 7591.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            MetadataProblem::RedirectUri(_) => "invalid_redirect_uri",
            MetadataProblem::Metadata(_) => "invalid_client_metadata",
        }
    }
}

/// How a client shows at the token endpoint that it is itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AuthMethod {
    None,
    ClientSecretBasic,
    ClientSecretPost,
    PrivateKeyJwt,
}

impl AuthMethod {
    pub(crate) const ALL: [AuthMethod; 4] =
        [AuthMethod::None, AuthMethod::ClientSecretBasic, AuthMethod::ClientSecretPost, AuthMethod::PrivateKeyJwt];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            AuthMethod::None => "none",
            AuthMethod::ClientSecretBasic => "client_secret_basic",
            AuthMethod::ClientSecretPost => "client_secret_post",
            AuthMethod::PrivateKeyJwt => "private_key_jwt",
        }
    }

    pub(crate) fn has_secret(self) -> bool {
        matches!(self, AuthMethod::ClientSecretBasic | AuthMethod::ClientSecretPost)
    }

    fn find(name: &str) -> Option<AuthMethod> {
        AuthMethod::ALL.into_iter().find(|method| method.as_str() == name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantType {
    AuthorizationCode,
    RefreshToken,
    /// Only for clients of the configuration.
    ClientCredentials,
}

impl GrantType {
    pub fn find(name: &str) -> Option<GrantType> {
        serde_json::from_value(Value::String(name.to_owned())).ok()
    }
}

/// What is kept of it; as JSON both the stored form and the answer to a registration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClientMetadata {
    pub redirect_uris: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_name: Option<String>,
    pub token_endpoint_auth_method: AuthMethod,
    pub grant_types: Vec<GrantType>,
    pub response_types: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scopes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_uri: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo_uri: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tos_uri: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_uri: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks_uri: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application_type: Option<String>,
    /// The client has keys and says that it can also do without (`token_endpoint_auth_methods_supported` has `none`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub also_none: bool,
}

impl ClientMetadata {
    /// Reads the body of a registration.
    pub(crate) fn from_registration(body: &[u8], policy: &RedirectPolicy) -> Result<ClientMetadata, MetadataProblem> {
        let fields = Fields::read(body)?;
        let method = match fields.text("token_endpoint_auth_method")? {
            None => AuthMethod::ClientSecretBasic,
            Some(name) => AuthMethod::find(name).ok_or_else(|| {
                wrong("token_endpoint_auth_method is none of none, client_secret_basic, client_secret_post, private_key_jwt")
            })?,
        };
        let grant_types = fields.texts("grant_types")?.unwrap_or_default();
        if let Some(grant) = grant_types.iter().find(|grant| ["client_credentials", "implicit", "password"].contains(grant)) {
            return Err(wrong(&format!("the grant type {grant} is not offered; use authorization_code and refresh_token")));
        }
        if fields.texts("response_types")?.unwrap_or_default().iter().any(|kind| *kind != "code") {
            return Err(wrong("response_types has more than code; use code"));
        }
        ClientMetadata::from_fields(&fields, policy, method)
    }

    /// Reads the document behind a client id, which must name that id byte for byte.
    pub(crate) fn from_document(id: &str, body: &[u8], policy: &RedirectPolicy) -> Result<ClientMetadata, MetadataProblem> {
        check_document_id(id)?;
        let fields = Fields::read(body)?;
        if fields.text("client_id")? != Some(id) {
            return Err(wrong("client_id of the document is not the address of the document"));
        }
        if fields.get("client_secret").is_some() || fields.get("client_secret_expires_at").is_some() {
            return Err(wrong("the document holds a client_secret; a public document has no secrets"));
        }
        // A document that says nothing cannot mean the default of RFC 7591, which is a shared secret.
        let method = match fields.text("token_endpoint_auth_method")? {
            None | Some("none") => AuthMethod::None,
            Some("private_key_jwt") => AuthMethod::PrivateKeyJwt,
            Some(_) => return Err(wrong("token_endpoint_auth_method of a document is none or private_key_jwt")),
        };
        let metadata = ClientMetadata::from_fields(&fields, policy, method)?;
        if metadata.client_name.is_none() {
            return Err(wrong("client_name is missing"));
        }
        Ok(metadata)
    }

    fn from_fields(fields: &Fields, policy: &RedirectPolicy, method: AuthMethod) -> Result<ClientMetadata, MetadataProblem> {
        let metadata = ClientMetadata {
            redirect_uris: redirect_uris(fields, policy)?,
            client_name: fields.text("client_name")?.and_then(clean_name),
            token_endpoint_auth_method: method,
            grant_types: grant_types(fields)?,
            response_types: response_types(fields)?,
            // Scopes of other servers are asked for by real clients; what cannot be read is as good as not asked.
            scope: fields.text("scope")?.and_then(|text| Scopes::parse(text).ok()).filter(|scopes| !scopes.is_empty()),
            client_uri: fields.web_address("client_uri")?,
            logo_uri: fields.web_address("logo_uri")?,
            tos_uri: fields.web_address("tos_uri")?,
            policy_uri: fields.web_address("policy_uri")?,
            jwks_uri: fields.web_address("jwks_uri")?,
            jwks: fields.get("jwks").map(public_keys).transpose()?,
            application_type: application_type(fields)?,
            also_none: method == AuthMethod::PrivateKeyJwt
                && fields.texts("token_endpoint_auth_methods_supported")?.is_some_and(|methods| methods.contains(&"none")),
        };
        metadata.check_keys()?;
        Ok(metadata)
    }

    fn check_keys(&self) -> Result<(), MetadataProblem> {
        if self.jwks.is_some() && self.jwks_uri.is_some() {
            return Err(wrong("jwks and jwks_uri are both given; give one"));
        }
        if self.jwks_uri.as_ref().is_some_and(|address| redirect_uri::check_https(address).is_err()) {
            return Err(wrong("jwks_uri is not an https address"));
        }
        let has_keys = self.jwks.is_some() || self.jwks_uri.is_some();
        if self.token_endpoint_auth_method == AuthMethod::PrivateKeyJwt && !has_keys && !self.also_none {
            return Err(wrong("private_key_jwt needs jwks or jwks_uri"));
        }
        Ok(())
    }
}

/// Can this client id be the address of a document? Nothing is fetched for one that cannot.
pub(crate) fn check_document_id(id: &str) -> Result<(), MetadataProblem> {
    redirect_uri::check_https(id).map_err(|problem| wrong(&format!("client_id {problem}")))?;
    let path = id.splitn(4, '/').nth(3).unwrap_or_default();
    if path.is_empty() || path.starts_with('?') || id["https://".len()..].split('/').next().is_some_and(|host| host.contains('?'))
    {
        return Err(wrong("client_id has no path"));
    }
    Ok(())
}

/// Is it meant as the address of a document, rather than as the id of a registration?
pub(crate) fn is_document_id(id: &str) -> bool {
    id.starts_with("https://")
}

fn wrong(text: &str) -> MetadataProblem {
    MetadataProblem::Metadata(text.to_owned())
}

fn redirect_uris(fields: &Fields, policy: &RedirectPolicy) -> Result<Vec<String>, MetadataProblem> {
    let problem = |text: String| Err(MetadataProblem::RedirectUri(text));
    let asked = fields.texts("redirect_uris")?.unwrap_or_default();
    if asked.is_empty() || asked.len() > MOST_REDIRECT_URIS {
        return problem(format!("redirect_uris has {} entries; give 1 to {MOST_REDIRECT_URIS}", asked.len()));
    }
    let mut good: Vec<String> = Vec::new();
    let mut first_problem = None;
    for uri in asked {
        match policy.check(uri) {
            Ok(()) if !good.iter().any(|known| known == uri) => good.push(uri.to_owned()),
            Ok(()) => {}
            Err(problem) => first_problem = first_problem.or(Some(problem)),
        }
    }
    match first_problem {
        Some(reason) if good.is_empty() => problem(format!("a redirect URI {reason}")),
        _ => Ok(good),
    }
}

fn grant_types(fields: &Fields) -> Result<Vec<GrantType>, MetadataProblem> {
    let Some(asked) = fields.texts("grant_types")?.filter(|asked| !asked.is_empty()) else {
        return Ok(vec![GrantType::AuthorizationCode, GrantType::RefreshToken]);
    };
    if !asked.contains(&"authorization_code") {
        return Err(wrong("grant_types lacks authorization_code"));
    }
    let refresh = asked.contains(&"refresh_token").then_some(GrantType::RefreshToken);
    Ok(std::iter::once(GrantType::AuthorizationCode).chain(refresh).collect())
}

fn response_types(fields: &Fields) -> Result<Vec<String>, MetadataProblem> {
    let asked = fields.texts("response_types")?.unwrap_or_default();
    if !asked.is_empty() && !asked.contains(&"code") {
        return Err(wrong("response_types lacks code"));
    }
    Ok(vec!["code".to_owned()])
}

fn application_type(fields: &Fields) -> Result<Option<String>, MetadataProblem> {
    Ok(fields.text("application_type")?.filter(|kind| matches!(*kind, "web" | "native")).map(str::to_owned))
}

/// Without what changes how the text around it reads, and no longer than a line.
pub(crate) fn clean_name(name: &str) -> Option<String> {
    let is_invisible = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{61c}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
            || matches!(letter, '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
    };
    let visible: String = name.chars().filter(|letter| !is_invisible(*letter)).collect();
    let cut: String = visible.trim().chars().take(LONGEST_NAME).collect();
    (!cut.is_empty()).then(|| cut.trim_end().to_owned())
}

/// A key set with public keys only.
pub(crate) fn public_keys(set: &Value) -> Result<Value, MetadataProblem> {
    let keys = set.get("keys").and_then(Value::as_array).ok_or_else(|| wrong("a key set is an object with an array of keys"))?;
    if keys.is_empty() || keys.len() > MOST_KEYS {
        return Err(wrong("a key set has 1 to 20 keys"));
    }
    for key in keys {
        let key = key.as_object().ok_or_else(|| wrong("a key is an object"))?;
        let is_symmetric = key.get("kty").and_then(Value::as_str) == Some("oct");
        if is_symmetric || PRIVATE_MEMBERS.iter().any(|member| key.contains_key(*member)) {
            return Err(wrong("a key set has a private or symmetric key; publish public keys only"));
        }
    }
    Ok(serde_json::json!({ "keys": keys }))
}

struct Fields(Map<String, Value>);

impl Fields {
    fn read(body: &[u8]) -> Result<Fields, MetadataProblem> {
        if body.len() > LONGEST {
            return Err(wrong("longer than 64 KB"));
        }
        match serde_json::from_slice(body) {
            Ok(Value::Object(fields)) if fields.values().all(|value| !is_deeper(value, DEEPEST)) => Ok(Fields(fields)),
            Ok(Value::Object(_)) => Err(wrong("nested too deep")),
            _ => Err(wrong("not a JSON object")),
        }
    }

    /// Null is as good as absent.
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn text(&self, name: &str) -> Result<Option<&str>, MetadataProblem> {
        self.get(name).map(|value| value.as_str().ok_or_else(|| wrong(&format!("{name} is not a string")))).transpose()
    }

    fn texts(&self, name: &str) -> Result<Option<Vec<&str>>, MetadataProblem> {
        let problem = || wrong(&format!("{name} is not an array of strings"));
        let Some(value) = self.get(name) else { return Ok(None) };
        let values = value.as_array().ok_or_else(problem)?;
        values.iter().map(|value| value.as_str().ok_or_else(problem)).collect::<Result<_, _>>().map(Some)
    }

    fn web_address(&self, name: &str) -> Result<Option<String>, MetadataProblem> {
        let Some(address) = self.text(name)?.filter(|address| !address.is_empty()) else { return Ok(None) };
        redirect_uri::check_web(address).map_err(|problem| wrong(&format!("{name} {problem}")))?;
        Ok(Some(address.to_owned()))
    }
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(|item| is_deeper(item, levels - 1)),
        Value::Object(fields) => levels == 0 || fields.values().any(|field| is_deeper(field, levels - 1)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ID: &str = "https://app.example/oauth/client.json";

    fn register(body: Value) -> Result<ClientMetadata, MetadataProblem> {
        ClientMetadata::from_registration(body.to_string().as_bytes(), &RedirectPolicy::default())
    }

    fn document(changes: Value) -> Result<ClientMetadata, MetadataProblem> {
        let mut body = json!({ "client_id": ID, "client_name": "App", "redirect_uris": ["http://localhost/callback"] });
        for (name, value) in changes.as_object().unwrap() {
            body[name] = value.clone();
        }
        ClientMetadata::from_document(ID, body.to_string().as_bytes(), &RedirectPolicy::default())
    }

    fn code(result: Result<ClientMetadata, MetadataProblem>) -> &'static str {
        result.unwrap_err().code()
    }

    #[test]
    fn the_answer_has_defaults_filled_in_and_no_nulls() {
        let metadata = register(json!({ "redirect_uris": ["https://a.example/cb"], "client_name": null })).unwrap();
        assert_eq!(
            serde_json::to_value(&metadata).unwrap(),
            json!({
                "redirect_uris": ["https://a.example/cb"],
                "token_endpoint_auth_method": "client_secret_basic",
                "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"],
            })
        );
        let stored = serde_json::to_string(&metadata).unwrap();
        assert_eq!(serde_json::from_str::<ClientMetadata>(&stored).unwrap(), metadata);
    }

    #[test]
    fn cursors_three_addresses_are_all_registered() {
        let uris = [
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "https://www.cursor.com/agents/mcp/oauth/callback",
            "http://localhost:8787/callback",
        ];
        let body = json!({ "redirect_uris": uris, "token_endpoint_auth_method": "none", "application_type": "web",
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"], "scope": "claudeai", "foo": [1] });
        let metadata = register(body).unwrap();
        assert_eq!(metadata.redirect_uris, uris);
        assert_eq!(metadata.token_endpoint_auth_method, AuthMethod::None);
    }

    #[test]
    fn a_bad_address_is_dropped_only_beside_a_good_one() {
        let metadata = register(json!({ "redirect_uris": ["other://a/cb", "https://a.example/cb"] })).unwrap();
        assert_eq!(metadata.redirect_uris, ["https://a.example/cb"]);
        let long = format!("https://a.example/{}", "a".repeat(2048));
        let many: Vec<String> = (0..51).map(|number| format!("https://a.example/{number}")).collect();
        for uris in [json!([]), json!(["javascript:alert(1)"]), json!(["http://a.example/cb"]), json!([long]), json!(many)] {
            assert_eq!(code(register(json!({ "redirect_uris": uris }))), "invalid_redirect_uri");
        }
        assert_eq!(code(register(json!({}))), "invalid_redirect_uri");
        assert!(register(json!({ "redirect_uris": many[..50] })).is_ok());
    }

    #[test]
    fn what_is_not_offered_or_not_well_formed_is_refused() {
        for (field, value) in [
            ("grant_types", json!(["client_credentials"])),
            ("grant_types", json!(["authorization_code", "implicit"])),
            ("grant_types", json!(["authorization_code", "password"])),
            ("grant_types", json!(["refresh_token"])),
            ("grant_types", json!("authorization_code")),
            ("response_types", json!(["token"])),
            ("response_types", json!(["code", "token"])),
            ("token_endpoint_auth_method", json!("tls_client_auth")),
            ("token_endpoint_auth_method", json!("private_key_jwt")),
            ("client_uri", json!("javascript:alert(1)")),
            ("logo_uri", json!("data:image/png;base64,AAAA")),
            ("tos_uri", json!("ftp://a.example")),
            ("policy_uri", json!("https://user@a.example")),
            ("jwks_uri", json!("file:///etc/passwd")),
            ("jwks_uri", json!("http://a.example/jwks.json")),
            ("client_name", json!(7)),
            ("scope", json!(["a"])),
            ("redirect_uris", json!("https://a.example/cb")),
            ("redirect_uris", json!([1])),
            ("jwks", json!({ "keys": [] })),
            ("jwks", json!({ "keys": [{ "kty": "oct", "k": "c2VjcmV0" }] })),
            ("jwks", json!({ "keys": [{ "kty": "EC", "crv": "P-256", "x": "a", "y": "b", "d": "c" }] })),
            ("jwks", json!([])),
        ] {
            let mut body = json!({ "redirect_uris": ["https://a.example/cb"] });
            body[field] = value.clone();
            assert_eq!(code(register(body)), "invalid_client_metadata", "{field} {value}");
        }
    }

    #[test]
    fn unknown_fields_grants_of_others_and_chosen_credentials_are_ignored() {
        let metadata = register(json!({
            "redirect_uris": ["https://a.example/cb"], "client_id": "mine", "client_secret": "mine", "software_statement": "x",
            "grant_types": ["authorization_code", "urn:ietf:params:oauth:grant-type:jwt-bearer"], "scope": "a\u{7}b",
            "client_uri": "", "application_type": "desktop",
        }))
        .unwrap();
        let answer = serde_json::to_string(&metadata).unwrap();
        assert!(!answer.contains("mine") && !answer.contains("statement") && !answer.contains("desktop"), "{answer}");
        assert_eq!(metadata.grant_types, [GrantType::AuthorizationCode]);
        assert_eq!(metadata.scope, None);
    }

    #[test]
    fn names_lose_what_changes_how_they_read() {
        let long = "x".repeat(10_000);
        for (given, kept) in [
            ("Claude Code (notes)", "Claude Code (notes)"),
            ("<script>alert(1)</script>", "<script>alert(1)</script>"),
            ("Cla\u{202e}ude\u{0}\n\u{200b}\u{2066}", "Claude"),
            ("  \u{feff} Notizbücher ", "Notizbücher"),
            (&long, &"x".repeat(100)),
        ] {
            let metadata = register(json!({ "redirect_uris": ["https://a.example/cb"], "client_name": given })).unwrap();
            assert_eq!(metadata.client_name.as_deref(), Some(kept));
        }
        let metadata = register(json!({ "redirect_uris": ["https://a.example/cb"], "client_name": "\u{202e}" })).unwrap();
        assert_eq!(metadata.client_name, None);
    }

    #[test]
    fn size_and_depth_are_bounded() {
        let policy = RedirectPolicy::default();
        let big = json!({ "redirect_uris": ["https://a.example/cb"], "x": "a".repeat(LONGEST) }).to_string();
        let deep = format!(r#"{{"redirect_uris":["https://a.example/cb"],"x":{}{}}}"#, "[".repeat(100), "]".repeat(100));
        let deepest = format!(r#"{{"x":{}"#, "[".repeat(60_000));
        for body in [big.as_str(), &deep, &deepest, "[]", "null", "", "{", "\u{feff}{}"] {
            let result = ClientMetadata::from_registration(body.as_bytes(), &policy);
            assert_eq!(code(result), "invalid_client_metadata", "{}", &body[..body.len().min(40)]);
        }
        assert_eq!(code(ClientMetadata::from_registration(b"{\"a\":\"\xff\"}", &policy)), "invalid_client_metadata");
    }

    #[test]
    fn the_documents_of_real_clients_are_accepted() {
        let metadata = document(json!({ "redirect_uris": ["http://localhost/callback", "http://127.0.0.1/callback"],
            "grant_types": ["authorization_code", "refresh_token", "client_credentials"], "token_endpoint_auth_method": "none" }))
        .unwrap();
        assert!(!metadata.grant_types.contains(&GrantType::ClientCredentials));
        let metadata =
            document(json!({ "token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "https://app.example/jwks.json",
            "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"] }))
            .unwrap();
        assert_eq!((metadata.token_endpoint_auth_method, metadata.also_none), (AuthMethod::PrivateKeyJwt, true));
        let metadata = document(json!({ "token_endpoint_auth_method": "private_key_jwt",
            "token_endpoint_auth_methods_supported": ["none"] }));
        assert!(metadata.unwrap().also_none);
        assert_eq!(document(json!({})).unwrap().token_endpoint_auth_method, AuthMethod::None);
    }

    #[test]
    fn documents_with_secrets_or_another_id_are_refused() {
        for changes in [
            json!({ "client_id": "https://app.example/oauth/client.json/" }),
            json!({ "client_id": "https://APP.example/oauth/client.json" }),
            json!({ "client_id": "https://app.example:443/oauth/client.json" }),
            json!({ "client_id": null }),
            json!({ "client_name": null }),
            json!({ "client_name": "\u{202e}" }),
            json!({ "client_secret": "x" }),
            json!({ "client_secret_expires_at": 0 }),
            json!({ "token_endpoint_auth_method": "client_secret_post" }),
            json!({ "token_endpoint_auth_method": "client_secret_jwt" }),
            json!({ "token_endpoint_auth_method": "private_key_jwt" }),
            json!({ "jwks": { "keys": [{ "kty": "RSA", "n": "a", "e": "b", "p": "c" }] } }),
        ] {
            assert_eq!(code(document(changes.clone())), "invalid_client_metadata", "{changes}");
        }
        assert_eq!(code(document(json!({ "redirect_uris": null }))), "invalid_redirect_uri");
    }

    #[test]
    fn the_id_of_a_document_is_an_https_address_with_a_path() {
        for good in [ID, "https://app.example:8443/c", "https://app.example/c?v=1"] {
            assert!(check_document_id(good).is_ok(), "{good}");
        }
        for bad in [
            "http://app.example/c",
            "https://app.example",
            "https://app.example/",
            "https://app.example?x/y",
            "https://app.example/?x",
            "https://app.example/c#x",
            "https://user@app.example/c",
            "https://app.example/a/../c",
            "https://app.example/a/%2e%2e/c",
            "https://APP.example/c",
            "https://0x7f.1/c",
            "https:/app.example/c",
            "qgc_abc",
        ] {
            assert!(check_document_id(bad).is_err(), "{bad}");
        }
    }
}

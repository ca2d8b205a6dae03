//! Tokens that somebody else signed (`auth.mode` jwt): checked by a shared secret or by local keys.

use jsonwebtoken::{Algorithm, DecodingKey};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use crate::key_set::{KeySet, KeySetProblem};
use crate::scope::Scopes;
use crate::signed_token::{LEEWAY, SignedToken};

const SHORTEST_SECRET: usize = 32;

/// What people leave in examples.
const PLACEHOLDERS: [&str; 14] = [
    "changeme",
    "change-me",
    "change_me",
    "replaceme",
    "replace-me",
    "replace_me",
    "placeholder",
    "yoursecret",
    "your-secret",
    "your_secret",
    "supersecret",
    "super-secret",
    "super_secret",
    "password",
];

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JwtSettingsProblem {
    #[error("auth.jwtSecret is shorter than 32 bytes; make one of 32 random bytes")]
    ShortSecret,
    #[error("auth.jwtSecret is a placeholder or repeats itself; make one of 32 random bytes")]
    GuessableSecret,
    #[error("the key set {0}")]
    Keys(#[from] KeySetProblem),
    #[error("auth.algorithms has {0}; use HS256, RS256, PS256, ES256 or EdDSA")]
    Algorithm(String),
    #[error("no key for auth.mode jwt; set auth.jwtSecret, auth.jwks or auth.jwksFile")]
    NoKey,
    #[error("auth.issuer is missing; name who signs the tokens")]
    NoIssuer,
    #[error("auth.audience is missing; name what the tokens are for")]
    NoAudience,
}

/// Why a token is not accepted: for the log and for tests, outside all are `invalid_token`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JwtProblem {
    #[error("it is too long or not a signed token that can be understood")]
    Form,
    #[error("it is signed in a way that is not allowed")]
    Algorithm,
    #[error("no key fits it")]
    Key,
    #[error("its signature is wrong")]
    Signature,
    #[error("it is not an access token")]
    Kind,
    #[error("it has no expiry or is expired")]
    Expired,
    #[error("it is not valid yet")]
    NotYet,
    #[error("it is of another issuer")]
    Issuer,
    #[error("it is for something else")]
    Audience,
    #[error("it does not say for whom it is")]
    Subject,
    #[error("its scopes or vault cannot be read")]
    Scopes,
}

#[derive(Clone, Debug, Default)]
pub struct JwtSettings {
    pub secret: Option<SecretString>,
    /// A key set, as text.
    pub keys: Option<String>,
    /// Empty means all that the keys allow.
    pub algorithms: Vec<String>,
    pub issuer: String,
    /// Any of these.
    pub audience: Vec<String>,
    pub require_at_jwt: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JwtClaims {
    pub subject: String,
    pub client: Option<String>,
    pub scopes: Scopes,
    pub vault: Option<String>,
    /// In seconds, without leeway.
    pub expires: i64,
}

/// Debug shows no secret: the crate hides its keys.
#[derive(Clone, Debug)]
pub struct JwtChecker {
    secret: Option<DecodingKey>,
    keys: Option<KeySet>,
    algorithms: Vec<Algorithm>,
    issuer: String,
    audience: Vec<String>,
    require_at_jwt: bool,
}

impl JwtChecker {
    pub fn new(settings: &JwtSettings) -> Result<JwtChecker, JwtSettingsProblem> {
        if let Some(secret) = &settings.secret {
            check_secret(secret)?;
        }
        let keys = settings.keys.as_ref().map(|text| KeySet::parse(text.as_bytes())).transpose()?;
        if settings.secret.is_none() && keys.is_none() {
            return Err(JwtSettingsProblem::NoKey);
        }
        if settings.issuer.is_empty() {
            return Err(JwtSettingsProblem::NoIssuer);
        }
        if settings.audience.is_empty() || settings.audience.iter().any(String::is_empty) {
            return Err(JwtSettingsProblem::NoAudience);
        }
        Ok(JwtChecker {
            secret: settings.secret.as_ref().map(|secret| DecodingKey::from_secret(secret.expose_secret().as_bytes())),
            keys,
            algorithms: algorithms(&settings.algorithms)?,
            issuer: settings.issuer.clone(),
            audience: settings.audience.clone(),
            require_at_jwt: settings.require_at_jwt,
        })
    }

    /// What the token says, if everything about it holds at this time (in seconds).
    pub fn check(&self, token: &str, now: i64) -> Result<JwtClaims, JwtProblem> {
        let token = SignedToken::read(token).ok_or(JwtProblem::Form)?;
        if !token.is_signed_by(self.key(&token)?) {
            return Err(JwtProblem::Signature);
        }
        let is_access = match token.kind {
            _ if self.require_at_jwt => token.is_of_kind(&["at+jwt"]),
            None => true,
            Some(_) => token.is_of_kind(&["at+jwt", "jwt"]),
        };
        if !is_access {
            return Err(JwtProblem::Kind);
        }
        let expires = token.time("exp").ok().flatten().filter(|expires| now < expires + LEEWAY).ok_or(JwtProblem::Expired)?;
        if token.time("nbf").map_err(|_| JwtProblem::NotYet)?.is_some_and(|start| now + LEEWAY < start) {
            return Err(JwtProblem::NotYet);
        }
        if token.claim("iss") != Some(&self.issuer) {
            return Err(JwtProblem::Issuer);
        }
        if !token.claim_values("aud").iter().any(|value| self.audience.iter().any(|ours| ours == value)) {
            return Err(JwtProblem::Audience);
        }
        let client = token.claim("client_id").or_else(|| token.claim("azp")).map(str::to_owned);
        let subject = token.claim("sub").map(str::to_owned).or_else(|| client.clone()).ok_or(JwtProblem::Subject)?;
        Ok(JwtClaims { subject, client, scopes: scopes(&token)?, vault: vault(&token)?, expires })
    }

    /// The algorithm chooses the keys, and shared secrets and public keys are never tried for one another.
    fn key(&self, token: &SignedToken) -> Result<&DecodingKey, JwtProblem> {
        if !self.algorithms.contains(&token.algorithm) {
            return Err(JwtProblem::Algorithm);
        }
        let key = match token.algorithm {
            Algorithm::HS256 => self.secret.as_ref(),
            algorithm => self.keys.as_ref().and_then(|keys| keys.find(token.key.as_deref(), algorithm)),
        };
        key.ok_or(JwtProblem::Key)
    }
}

fn algorithms(names: &[String]) -> Result<Vec<Algorithm>, JwtSettingsProblem> {
    if names.is_empty() {
        return Ok(vec![Algorithm::HS256, Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA]);
    }
    let read = |name: &String| match name.as_str() {
        "HS256" | "RS256" | "PS256" | "ES256" | "EdDSA" => name.parse().ok(),
        _ => None,
    };
    names.iter().map(|name| read(name).ok_or_else(|| JwtSettingsProblem::Algorithm(name.clone()))).collect()
}

fn check_secret(secret: &SecretString) -> Result<(), JwtSettingsProblem> {
    let secret = secret.expose_secret();
    let bytes = secret.as_bytes();
    if bytes.len() < SHORTEST_SECRET {
        return Err(JwtSettingsProblem::ShortSecret);
    }
    let mut distinct = bytes.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let repeats = (1..=bytes.len() / 2).any(|period| bytes[period..] == bytes[..bytes.len() - period]);
    let lower = secret.to_ascii_lowercase();
    if distinct.len() < 8 || repeats || PLACEHOLDERS.iter().any(|placeholder| lower.contains(placeholder)) {
        return Err(JwtSettingsProblem::GuessableSecret);
    }
    Ok(())
}

/// `scope` as a string, or `scp` as some issuers have it; a token without either has none.
fn scopes(token: &SignedToken) -> Result<Scopes, JwtProblem> {
    let Some(name) = ["scope", "scp"].into_iter().find(|name| token.claims.contains_key(*name)) else {
        return Ok(Scopes::default());
    };
    let text = match &token.claims[name] {
        Value::String(text) => text.clone(),
        Value::Array(words) if words.iter().all(Value::is_string) => token.claim_values(name).join(" "),
        _ => return Err(JwtProblem::Scopes),
    };
    Scopes::parse(&text).map_err(|_| JwtProblem::Scopes)
}

fn vault(token: &SignedToken) -> Result<Option<String>, JwtProblem> {
    match token.claims.get("vault") {
        None => Ok(None),
        Some(_) => token.claim("vault").map(|id| Some(id.to_owned())).ok_or(JwtProblem::Scopes),
    }
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::hmac;
    use serde_json::json;

    use super::*;
    use crate::key_set::tests::Signer;
    use crate::signed_token::tests::assemble;

    const NOW: i64 = 1_800_000_000;
    const SECRET: &str = "kX3v9Qw7Zr1Tn5Yb8Lp2Ms6Dc4Hf0Jg+";

    fn claims() -> Value {
        json!({ "iss": "https://id.example", "aud": "https://notes.example/mcp", "sub": "ada", "exp": NOW + 60, "client_id": "app",
            "scope": "read:notes write:notes" })
    }

    fn with(name: &str, value: Value) -> Value {
        let mut claims = claims();
        claims[name] = value;
        claims
    }

    fn without(name: &str) -> Value {
        let mut claims = claims();
        claims.as_object_mut().unwrap().remove(name);
        claims
    }

    fn settings(keys: &[&Signer]) -> JwtSettings {
        let keys: Vec<&Value> = keys.iter().map(|signer| &signer.public).collect();
        JwtSettings {
            keys: (!keys.is_empty()).then(|| json!({ "keys": keys }).to_string()),
            issuer: "https://id.example".into(),
            audience: vec!["https://notes.example/mcp".into(), "https://notes.example".into()],
            ..JwtSettings::default()
        }
    }

    fn hmac_token(header: &Value, claims: &Value, secret: &[u8]) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        assemble(header, claims, |message| hmac::sign(&key, message).as_ref().to_vec())
    }

    #[test]
    fn every_kind_of_key_is_accepted_for_its_own_algorithm() {
        let signers = [Signer::rsa("r", "RS256"), Signer::p256("e"), Signer::ed25519("o")];
        let all = JwtSettings { secret: Some(SECRET.into()), ..settings(&signers.iter().collect::<Vec<_>>()) };
        let checker = JwtChecker::new(&all).unwrap();
        let mut tokens: Vec<String> = signers.iter().map(|signer| signer.token(json!({}), &claims())).collect();
        tokens.push(hmac_token(&json!({ "alg": "HS256" }), &claims(), SECRET.as_bytes()));
        for token in tokens {
            let expected = JwtClaims {
                subject: "ada".into(),
                client: Some("app".into()),
                scopes: Scopes::parse("read:notes write:notes").unwrap(),
                vault: None,
                expires: NOW + 60,
            };
            assert_eq!(checker.check(&token, NOW), Ok(expected));
        }
    }

    #[test]
    fn algorithms_are_not_confused() {
        let (rsa, pss) = (Signer::rsa("r", "RS256"), Signer::rsa("p", "PS256"));
        let checker = JwtChecker::new(&settings(&[&rsa, &pss])).unwrap();
        let both = JwtChecker::new(&JwtSettings { secret: Some(SECRET.into()), ..settings(&[&rsa, &pss]) }).unwrap();
        for key_as_secret in [rsa.public.to_string(), rsa.public["n"].as_str().unwrap().to_owned(), String::new()] {
            let forged = hmac_token(&json!({ "alg": "HS256", "kid": "r" }), &claims(), key_as_secret.as_bytes());
            assert_eq!(checker.check(&forged, NOW), Err(JwtProblem::Key));
            assert_eq!(both.check(&forged, NOW), Err(JwtProblem::Signature));
        }
        assert_eq!(checker.check(&pss.token(json!({}), &claims()), NOW), Err(JwtProblem::Algorithm), "PS256 is not in the list");
        let token = hmac_token(&json!({ "alg": "HS512" }), &claims(), SECRET.as_bytes());
        assert_eq!(both.check(&token, NOW), Err(JwtProblem::Algorithm));
        let only = JwtSettings { algorithms: vec!["ES256".into()], ..settings(&[&rsa]) };
        assert_eq!(JwtChecker::new(&only).unwrap().check(&rsa.token(json!({}), &claims()), NOW), Err(JwtProblem::Algorithm));
        for algorithm in ["none", "None", "nOnE", "RS1", ""] {
            let token = assemble(&json!({ "alg": algorithm }), &claims(), |_| b"x".to_vec());
            assert_eq!(both.check(&token, NOW), Err(JwtProblem::Form), "{algorithm}");
        }
        let token = rsa.token(json!({}), &claims());
        let (message, _) = token.rsplit_once('.').unwrap();
        assert_eq!(checker.check(&format!("{message}."), NOW), Err(JwtProblem::Form));
        let changed = token.replacen("eyJpc3Mi", "eyJpc3Nj", 1);
        assert!(changed != token && checker.check(&changed, NOW).is_err());
    }

    #[test]
    fn the_id_of_a_key_is_a_name_and_nothing_else() {
        let (one, two, stranger) = (Signer::ed25519("one"), Signer::ed25519("two"), Signer::ed25519("one"));
        let checker = JwtChecker::new(&settings(&[&one, &two])).unwrap();
        let long = "k".repeat(5000);
        for id in [json!("../../x"), json!("' OR 1"), json!(""), json!("three"), json!(long), Value::Null] {
            assert_eq!(checker.check(&one.token(json!({ "kid": id }), &claims()), NOW), Err(JwtProblem::Key), "{id}");
        }
        assert_eq!(checker.check(&one.token(json!({ "kid": 1 }), &claims()), NOW), Err(JwtProblem::Form));
        assert_eq!(checker.check(&one.token(json!({ "kid": "two" }), &claims()), NOW), Err(JwtProblem::Signature));
        let lone = JwtChecker::new(&settings(&[&one])).unwrap();
        assert!(lone.check(&one.token(json!({ "kid": null }), &claims()), NOW).is_ok());
        let brought = json!({ "jwk": stranger.public, "jku": "https://evil.example", "x5u": "https://evil.example" });
        assert_eq!(checker.check(&stranger.token(brought.clone(), &claims()), NOW), Err(JwtProblem::Signature));
        assert!(checker.check(&one.token(brought, &claims()), NOW).is_ok(), "ignored, not believed");
        assert_eq!(checker.check(&one.token(json!({ "crit": ["exp"] }), &claims()), NOW), Err(JwtProblem::Form));
        let same = JwtChecker::new(&settings(&[&one, &stranger]));
        assert_eq!(same.unwrap_err(), JwtSettingsProblem::Keys(KeySetProblem::SameId("one".into())));
    }

    #[test]
    fn times_audience_and_issuer_must_hold() {
        let signer = Signer::ed25519("a");
        let checker = JwtChecker::new(&settings(&[&signer])).unwrap();
        for (claims, expected) in [
            (without("exp"), Err(JwtProblem::Expired)),
            (with("exp", json!((NOW + 60).to_string())), Err(JwtProblem::Expired)),
            (with("exp", json!(1e300)), Err(JwtProblem::Expired)),
            (with("exp", json!(-1)), Err(JwtProblem::Expired)),
            (with("exp", json!(null)), Err(JwtProblem::Expired)),
            (with("exp", json!(NOW - 30)), Err(JwtProblem::Expired)),
            (with("exp", json!(NOW - 29)), Ok(())),
            (with("exp", json!(NOW as f64 + 0.5)), Ok(())),
            (with("nbf", json!(NOW + 31)), Err(JwtProblem::NotYet)),
            (with("nbf", json!("soon")), Err(JwtProblem::NotYet)),
            (with("nbf", json!(NOW + 30)), Ok(())),
            (without("aud"), Err(JwtProblem::Audience)),
            (with("aud", json!("https://other.example")), Err(JwtProblem::Audience)),
            (with("aud", json!("https://notes.example/mcp/")), Err(JwtProblem::Audience)),
            (with("aud", json!([])), Err(JwtProblem::Audience)),
            (with("aud", json!(["https://notes.example/mcp", 7])), Err(JwtProblem::Audience)),
            (with("aud", json!({ "https://notes.example/mcp": 1 })), Err(JwtProblem::Audience)),
            (with("aud", json!(["https://other.example", "https://notes.example/mcp"])), Ok(())),
            (with("aud", json!("https://notes.example")), Ok(())),
            (without("iss"), Err(JwtProblem::Issuer)),
            (with("iss", json!("https://id.example/")), Err(JwtProblem::Issuer)),
            (with("iss", json!(["https://id.example"])), Err(JwtProblem::Issuer)),
            (with("sub", json!(7)), Ok(())),
        ] {
            let result = checker.check(&signer.token(json!({}), &claims), NOW).map(drop);
            assert_eq!(result, expected, "{claims}");
        }
        let nobody = json!({ "iss": "https://id.example", "aud": "https://notes.example", "exp": NOW + 1, "sub": "" });
        assert_eq!(checker.check(&signer.token(json!({}), &nobody), NOW), Err(JwtProblem::Subject));
    }

    #[test]
    fn other_kinds_of_tokens_are_not_access_tokens() {
        let signer = Signer::ed25519("a");
        let lax = JwtChecker::new(&settings(&[&signer])).unwrap();
        let strict = JwtChecker::new(&JwtSettings { require_at_jwt: true, ..settings(&[&signer]) }).unwrap();
        for (kind, in_lax, in_strict) in [
            (json!("at+jwt"), true, true),
            (json!("application/AT+JWT"), true, true),
            (json!("JWT"), true, false),
            (Value::Null, true, false),
            (json!("logout+jwt"), false, false),
            (json!("dpop+jwt"), false, false),
        ] {
            let token = signer.token(json!({ "typ": kind }), &claims());
            assert_eq!((lax.check(&token, NOW).is_ok(), strict.check(&token, NOW).is_ok()), (in_lax, in_strict), "{kind}");
        }
    }

    #[test]
    fn scopes_and_vault_are_read_from_where_issuers_put_them() {
        let signer = Signer::ed25519("a");
        let checker = JwtChecker::new(&settings(&[&signer])).unwrap();
        let check = |claims: &Value| checker.check(&signer.token(json!({}), claims), NOW);
        let bare = without("scope");
        assert!(check(&bare).unwrap().scopes.is_empty());
        for (value, expected) in [
            (json!(["a", "b"]), Some("a b")),
            (json!("a b"), Some("a b")),
            (json!(7), None),
            (json!(["a", 7]), None),
            (json!({}), None),
            (json!("a\nb"), None),
        ] {
            let mut claims = bare.clone();
            claims["scp"] = value.clone();
            assert_eq!(check(&claims).map(|claims| claims.scopes.to_string()).ok().as_deref(), expected, "{value}");
        }
        assert_eq!(check(&with("vault", json!("work"))).unwrap().vault.as_deref(), Some("work"));
        for vault in [json!(7), json!(""), json!(["work"]), json!(null)] {
            assert_eq!(check(&with("vault", vault.clone())), Err(JwtProblem::Scopes), "{vault}");
        }
    }

    #[test]
    fn long_tokens_are_refused_unread() {
        let signer = Signer::ed25519("a");
        let checker = JwtChecker::new(&settings(&[&signer])).unwrap();
        let long = signer.token(json!({}), &with("padding", json!("x".repeat(16 * 1024))));
        for token in [&long, &".".repeat(1_000_000)] {
            assert_eq!(checker.check(token, NOW), Err(JwtProblem::Form));
        }
    }

    #[test]
    fn settings_that_anybody_could_guess_or_misread_are_refused() {
        let signer = Signer::ed25519("a");
        let with_secret = |secret: &str| JwtSettings { secret: Some(secret.into()), ..settings(&[]) };
        for (settings, problem) in [
            (with_secret("kX3v9Qw7Zr1Tn5Yb8Lp2Ms6Dc4Hf0Jg"), JwtSettingsProblem::ShortSecret),
            (with_secret(&"a".repeat(64)), JwtSettingsProblem::GuessableSecret),
            (with_secret("0123456789abcdef0123456789abcdef"), JwtSettingsProblem::GuessableSecret),
            (with_secret("changeme-kX3v9Qw7Zr1Tn5Yb8Lp2Ms6D"), JwtSettingsProblem::GuessableSecret),
            (with_secret("Your-Secret-Key-Goes-Here-1234567"), JwtSettingsProblem::GuessableSecret),
            (with_secret("abcabdabeabcaababdabeabdcabeabdab"), JwtSettingsProblem::GuessableSecret),
            (settings(&[]), JwtSettingsProblem::NoKey),
            (JwtSettings { issuer: String::new(), ..settings(&[&signer]) }, JwtSettingsProblem::NoIssuer),
            (JwtSettings { audience: vec![], ..settings(&[&signer]) }, JwtSettingsProblem::NoAudience),
            (JwtSettings { audience: vec![String::new()], ..settings(&[&signer]) }, JwtSettingsProblem::NoAudience),
            (
                JwtSettings { algorithms: vec!["none".into()], ..settings(&[&signer]) },
                JwtSettingsProblem::Algorithm("none".into()),
            ),
            (JwtSettings { keys: Some("{}".into()), ..settings(&[]) }, JwtSettingsProblem::Keys(KeySetProblem::Form)),
        ] {
            assert_eq!(JwtChecker::new(&settings).unwrap_err(), problem);
        }
        let checker = JwtChecker::new(&with_secret(SECRET)).unwrap();
        assert!(!format!("{checker:?}").contains(SECRET));
    }
}

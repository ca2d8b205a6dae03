//! The parts of a signed token (JWS in compact form), read with nothing believed yet.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey, crypto};
use serde_json::{Map, Value};

/// Longer ones are not even split.
pub(crate) const LONGEST: usize = 8 * 1024;

/// How far clocks may differ, in seconds.
pub(crate) const LEEWAY: i64 = 30;

/// The year 9999; later times are mistakes or attacks.
const LATEST: f64 = 253_402_300_799.0;

pub(crate) struct SignedToken<'a> {
    pub(crate) algorithm: Algorithm,
    pub(crate) key: Option<String>,
    pub(crate) kind: Option<String>,
    pub(crate) claims: Map<String, Value>,
    message: &'a str,
    signature: &'a str,
}

impl<'a> SignedToken<'a> {
    /// None for what is too long, is no token, has an unknown algorithm (`none` among them) or demands something critical.
    /// Keys that the header brings along or points to are not looked at.
    pub(crate) fn read(token: &'a str) -> Option<SignedToken<'a>> {
        if token.len() > LONGEST {
            return None;
        }
        let (message, signature) = token.rsplit_once('.')?;
        let (header, claims) = message.split_once('.')?;
        if claims.contains('.') || signature.is_empty() {
            return None;
        }
        let header = object(header)?;
        if header.contains_key("crit") || header.contains_key("b64") || header.contains_key("zip") {
            return None;
        }
        Some(SignedToken {
            algorithm: header.get("alg")?.as_str()?.parse().ok()?,
            key: text(&header, "kid")?,
            kind: text(&header, "typ")?,
            claims: object(claims)?,
            message,
            signature,
        })
    }

    pub(crate) fn is_signed_by(&self, key: &DecodingKey) -> bool {
        crypto::verify(self.signature, self.message.as_bytes(), key, self.algorithm).unwrap_or(false)
    }

    /// Does the header say that it is of one of these kinds?
    pub(crate) fn is_of_kind(&self, kinds: &[&str]) -> bool {
        let Some(kind) = &self.kind else { return false };
        let kind = kind.to_ascii_lowercase();
        kinds.contains(&kind.strip_prefix("application/").unwrap_or(&kind))
    }

    pub(crate) fn claim(&self, name: &str) -> Option<&str> {
        self.claims.get(name)?.as_str().filter(|text| !text.is_empty())
    }

    /// The values of a claim that is a string or an array of strings; none if it is anything else.
    pub(crate) fn claim_values(&self, name: &str) -> Vec<&str> {
        match self.claims.get(name) {
            Some(Value::String(text)) => vec![text],
            Some(Value::Array(items)) => items.iter().map(Value::as_str).collect::<Option<_>>().unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    /// A time in seconds: absent, or a number that can be one.
    pub(crate) fn time(&self, name: &str) -> Result<Option<i64>, NotATime> {
        match self.claims.get(name) {
            None => Ok(None),
            Some(value) => {
                let seconds = value.as_f64().filter(|seconds| (0.0..=LATEST).contains(seconds)).ok_or(NotATime)?;
                Ok(Some(seconds as i64))
            }
        }
    }
}

#[derive(Debug)]
pub(crate) struct NotATime;

fn object(part: &str) -> Option<Map<String, Value>> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

/// Absent is fine, anything but a string is not.
fn text(header: &Map<String, Value>, name: &str) -> Option<Option<String>> {
    match header.get(name) {
        None => Some(None),
        Some(value) => value.as_str().map(|text| Some(text.to_owned())),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A token of these parts, signed by whatever.
    pub(crate) fn assemble(header: &Value, claims: &Value, sign: impl Fn(&[u8]) -> Vec<u8>) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(header), part(claims));
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(sign(message.as_bytes())))
    }

    #[test]
    fn odd_tokens_are_not_read() {
        let with = |header: Value| assemble(&header, &serde_json::json!({}), |_| b"x".to_vec());
        assert!(
            SignedToken::read(&with(serde_json::json!({ "alg": "RS256", "jku": 7, "jwk": { "kty": 1 }, "x5u": [] }))).is_some()
        );
        for header in [
            serde_json::json!({ "alg": "none" }),
            serde_json::json!({ "alg": "None" }),
            serde_json::json!({ "alg": "nOnE" }),
            serde_json::json!({ "alg": "" }),
            serde_json::json!({ "alg": ["RS256"] }),
            serde_json::json!({}),
            serde_json::json!([]),
            serde_json::json!({ "alg": "RS256", "crit": ["exp"] }),
            serde_json::json!({ "alg": "RS256", "crit": [] }),
            serde_json::json!({ "alg": "RS256", "b64": false }),
            serde_json::json!({ "alg": "RS256", "kid": 7 }),
            serde_json::json!({ "alg": "RS256", "typ": 7 }),
        ] {
            assert!(SignedToken::read(&with(header.clone())).is_none(), "{header}");
        }
        let good = with(serde_json::json!({ "alg": "RS256" }));
        let unsigned = good.rsplit_once('.').unwrap().0.to_owned() + ".";
        let deep =
            format!("{}.{}.eA", good.split('.').next().unwrap(), URL_SAFE_NO_PAD.encode(format!("{{\"a\":{}", "[".repeat(4000))));
        for token in [
            "",
            ".",
            "..",
            "...",
            "a.b.c",
            &unsigned,
            &format!("{good}.x"),
            &".".repeat(8000),
            &deep,
            &format!("{good}{}", "a".repeat(LONGEST)),
        ] {
            assert!(SignedToken::read(token).is_none(), "{}", &token[..token.len().min(60)]);
        }
    }

    proptest! {
        #[test]
        fn anything_may_come_as_a_token(token in "[A-Za-z0-9._=-]{0,80}") {
            let _ = SignedToken::read(&token);
        }
    }
}

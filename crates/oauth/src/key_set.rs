//! Public keys (RFC 7517) that signatures are checked with.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::{Map, Value};

use crate::client_metadata::public_keys;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeySetProblem {
    #[error("is not a key set; give an object with an array of keys")]
    Form,
    #[error("has a private or symmetric key, or none at all, or more than 20; give public keys only")]
    NotPublic,
    #[error("has an RSA key that is not of 2048 to 8192 bits")]
    RsaSize,
    #[error("has two keys with the id {0}; give each its own")]
    SameId(String),
    #[error("has no key for signatures by RSA, P-256 or Ed25519")]
    NoUsableKey,
}

/// What a key can be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Rsa,
    P256,
    Ed25519,
}

impl Kind {
    fn signs(self, algorithm: Algorithm) -> bool {
        match self {
            Kind::Rsa => matches!(
                algorithm,
                Algorithm::RS256 | Algorithm::RS384 | Algorithm::RS512 | Algorithm::PS256 | Algorithm::PS384 | Algorithm::PS512
            ),
            Kind::P256 => algorithm == Algorithm::ES256,
            Kind::Ed25519 => algorithm == Algorithm::EdDSA,
        }
    }
}

#[derive(Clone, Debug)]
struct PublicKey {
    id: Option<String>,
    kind: Kind,
    /// The only one it may be used with, if it says so.
    algorithm: Option<String>,
    key: DecodingKey,
}

#[derive(Clone, Debug)]
pub(crate) struct KeySet(Vec<PublicKey>);

impl KeySet {
    pub(crate) fn parse(text: &[u8]) -> Result<KeySet, KeySetProblem> {
        KeySet::from_json(&serde_json::from_slice(text).map_err(|_| KeySetProblem::Form)?)
    }

    pub(crate) fn from_json(set: &Value) -> Result<KeySet, KeySetProblem> {
        if !set.get("keys").is_some_and(Value::is_array) {
            return Err(KeySetProblem::Form);
        }
        let set = public_keys(set).map_err(|_| KeySetProblem::NotPublic)?;
        let mut keys: Vec<PublicKey> = Vec::new();
        for key in set["keys"].as_array().into_iter().flatten().filter_map(Value::as_object) {
            let Some(key) = read_key(key)? else { continue };
            if let Some(id) = key.id.as_ref().filter(|id| keys.iter().any(|known| known.id.as_ref() == Some(id))) {
                return Err(KeySetProblem::SameId(id.clone()));
            }
            keys.push(key);
        }
        if keys.is_empty() { Err(KeySetProblem::NoUsableKey) } else { Ok(KeySet(keys)) }
    }

    /// The key of this id, if it may be used so; without id, the only key there is.
    pub(crate) fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<&DecodingKey> {
        let key = match (id, self.0.as_slice()) {
            (Some(id), keys) => keys.iter().find(|key| key.id.as_deref() == Some(id))?,
            (None, [only]) => only,
            (None, _) => return None,
        };
        let fits = key.algorithm.as_ref().is_none_or(|name| name.parse() == Ok(algorithm));
        (fits && key.kind.signs(algorithm)).then_some(&key.key)
    }

    pub(crate) fn contains(&self, id: &str) -> bool {
        self.0.iter().any(|key| key.id.as_deref() == Some(id))
    }
}

/// None for keys of kinds or uses that are not ours.
fn read_key(key: &Map<String, Value>) -> Result<Option<PublicKey>, KeySetProblem> {
    let text = |name: &str| key.get(name).and_then(Value::as_str);
    let bytes = |name: &str| text(name).and_then(|text| URL_SAFE_NO_PAD.decode(text).ok()).ok_or(KeySetProblem::Form);
    if text("use").is_some_and(|usage| usage != "sig") {
        return Ok(None);
    }
    let operations = key.get("key_ops").and_then(Value::as_array);
    if operations.is_some_and(|operations| !operations.iter().any(|operation| operation == "verify")) {
        return Ok(None);
    }
    let (kind, decoding) = match (text("kty"), text("crv")) {
        (Some("RSA"), _) => {
            let (modulus, exponent) = (bytes("n")?, bytes("e")?);
            if !(2048..=8192).contains(&bits(&modulus)) || exponent.len() > 4 || exponent.last().is_none_or(|last| last % 2 == 0)
            {
                return Err(KeySetProblem::RsaSize);
            }
            (Kind::Rsa, DecodingKey::from_rsa_raw_components(&modulus, &exponent))
        }
        (Some("EC"), Some("P-256")) if bytes("x")?.len() == 32 && bytes("y")?.len() == 32 => {
            let (x, y) = (text("x").unwrap_or_default(), text("y").unwrap_or_default());
            (Kind::P256, DecodingKey::from_ec_components(x, y).map_err(|_| KeySetProblem::Form)?)
        }
        (Some("OKP"), Some("Ed25519")) if bytes("x")?.len() == 32 => {
            let x = text("x").unwrap_or_default();
            (Kind::Ed25519, DecodingKey::from_ed_components(x).map_err(|_| KeySetProblem::Form)?)
        }
        (Some("EC"), Some("P-256")) | (Some("OKP"), Some("Ed25519")) | (None, _) => return Err(KeySetProblem::Form),
        _ => return Ok(None),
    };
    Ok(Some(PublicKey { id: text("kid").map(str::to_owned), kind, algorithm: text("alg").map(str::to_owned), key: decoding }))
}

fn bits(modulus: &[u8]) -> usize {
    let significant = modulus.iter().position(|byte| *byte != 0).map_or(&[][..], |start| &modulus[start..]);
    significant.first().map_or(0, |first| significant.len() * 8 - first.leading_zeros() as usize)
}

#[cfg(test)]
pub(crate) mod tests {
    use aws_lc_rs::rand::SystemRandom;
    use aws_lc_rs::rsa::{KeySize, PublicKeyComponents};
    use aws_lc_rs::signature::{self, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RsaKeyPair};
    use serde_json::json;

    use super::*;

    type Sign = Box<dyn Fn(&[u8]) -> Vec<u8> + Send + Sync>;

    /// A private key that signs, and its public half.
    pub(crate) struct Signer {
        pub(crate) algorithm: &'static str,
        pub(crate) public: Value,
        sign: Sign,
    }

    impl Signer {
        pub(crate) fn ed25519(id: &str) -> Signer {
            let pair = Ed25519KeyPair::generate().unwrap();
            let public = json!({ "kty": "OKP", "crv": "Ed25519", "kid": id, "x": URL_SAFE_NO_PAD.encode(pair.public_key()) });
            Signer { algorithm: "EdDSA", public, sign: Box::new(move |message| pair.sign(message).as_ref().to_vec()) }
        }

        pub(crate) fn p256(id: &str) -> Signer {
            let pair = EcdsaKeyPair::generate(&signature::ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
            let point = pair.public_key().as_ref();
            let (x, y) = (URL_SAFE_NO_PAD.encode(&point[1..33]), URL_SAFE_NO_PAD.encode(&point[33..]));
            let public = json!({ "kty": "EC", "crv": "P-256", "kid": id, "x": x, "y": y });
            let sign = move |message: &[u8]| pair.sign(&SystemRandom::new(), message).unwrap().as_ref().to_vec();
            Signer { algorithm: "ES256", public, sign: Box::new(sign) }
        }

        pub(crate) fn rsa(id: &str, algorithm: &'static str) -> Signer {
            let pair = RsaKeyPair::generate(KeySize::Rsa2048).unwrap();
            let components = PublicKeyComponents::<Vec<u8>>::from(pair.public_key());
            let (n, e) = (URL_SAFE_NO_PAD.encode(components.n), URL_SAFE_NO_PAD.encode(components.e));
            let public = json!({ "kty": "RSA", "kid": id, "n": n, "e": e });
            let sign = move |message: &[u8]| {
                let padding: &dyn signature::RsaEncoding =
                    if algorithm == "PS256" { &signature::RSA_PSS_SHA256 } else { &signature::RSA_PKCS1_SHA256 };
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(padding, &SystemRandom::new(), message, &mut signature).unwrap();
                signature
            };
            Signer { algorithm, public, sign: Box::new(sign) }
        }

        pub(crate) fn token(&self, header: Value, claims: &Value) -> String {
            let mut full = json!({ "alg": self.algorithm, "kid": self.public["kid"] });
            for (name, value) in header.as_object().unwrap() {
                full[name] = value.clone();
            }
            full.as_object_mut().unwrap().retain(|_, value| !value.is_null());
            crate::signed_token::tests::assemble(&full, claims, &self.sign)
        }
    }

    fn set(keys: &[Value]) -> Result<KeySet, KeySetProblem> {
        KeySet::from_json(&json!({ "keys": keys }))
    }

    #[test]
    fn a_key_is_found_by_id_and_used_for_its_own_kind_only() {
        let (ed, ec, rsa) = (Signer::ed25519("a"), Signer::p256("b"), Signer::rsa("c", "RS256"));
        let keys = set(&[ed.public.clone(), ec.public.clone(), rsa.public.clone()]).unwrap();
        assert!(keys.find(Some("a"), Algorithm::EdDSA).is_some() && keys.find(Some("b"), Algorithm::ES256).is_some());
        assert!(keys.find(Some("c"), Algorithm::RS256).is_some() && keys.find(Some("c"), Algorithm::PS256).is_some());
        for (id, algorithm) in
            [("a", Algorithm::ES256), ("b", Algorithm::ES384), ("c", Algorithm::HS256), ("d", Algorithm::RS256)]
        {
            assert!(keys.find(Some(id), algorithm).is_none(), "{id} {algorithm:?}");
        }
        assert!(keys.find(None, Algorithm::EdDSA).is_none(), "several keys and no id");
        assert!(set(&[ed.public]).unwrap().find(None, Algorithm::EdDSA).is_some());
        let mut bound = rsa.public;
        bound["alg"] = json!("RS256");
        let keys = set(&[bound]).unwrap();
        assert!(keys.find(Some("c"), Algorithm::RS256).is_some() && keys.find(Some("c"), Algorithm::PS256).is_none());
    }

    #[test]
    fn sets_that_are_not_public_and_strong_are_refused() {
        let ed = Signer::ed25519("a").public;
        let weak = json!({ "kty": "RSA", "n": URL_SAFE_NO_PAD.encode([0xff; 128]), "e": "AQAB" });
        let padded = json!({ "kty": "RSA", "n": URL_SAFE_NO_PAD.encode([&[0; 200][..], &[0xff; 100]].concat()), "e": "AQAB" });
        let huge = json!({ "kty": "RSA", "n": URL_SAFE_NO_PAD.encode([0xff; 2048]), "e": "AQAB" });
        let private = json!({ "kty": "OKP", "crv": "Ed25519", "x": ed["x"], "d": ed["x"] });
        for (keys, problem) in [
            (vec![], KeySetProblem::NotPublic),
            (vec![ed.clone(), json!({ "kty": "oct", "k": "AAAA" })], KeySetProblem::NotPublic),
            (vec![ed.clone(), private], KeySetProblem::NotPublic),
            (vec![weak], KeySetProblem::RsaSize),
            (vec![padded], KeySetProblem::RsaSize),
            (vec![huge], KeySetProblem::RsaSize),
            (vec![ed.clone(), ed.clone()], KeySetProblem::SameId("a".into())),
            (vec![json!({ "kty": "OKP", "crv": "Ed25519", "x": "AAAA" })], KeySetProblem::Form),
            (vec![json!({ "kty": "EC", "crv": "P-256", "x": "!" })], KeySetProblem::Form),
            (vec![json!({})], KeySetProblem::Form),
            (vec![json!({ "kty": "EC", "crv": "P-521" })], KeySetProblem::NoUsableKey),
        ] {
            assert_eq!(set(&keys).unwrap_err(), problem, "{keys:?}");
        }
        assert_eq!(KeySet::parse(b"{\"keys\":{}}").unwrap_err(), KeySetProblem::Form);
        assert_eq!(KeySet::parse(b"x").unwrap_err(), KeySetProblem::Form);
    }

    #[test]
    fn keys_for_other_uses_are_passed_over() {
        let (mut encryption, mut wrapping) = (Signer::p256("a").public, Signer::p256("b").public);
        encryption["use"] = json!("enc");
        wrapping["key_ops"] = json!(["wrapKey"]);
        let keys = set(&[encryption, wrapping, Signer::p256("c").public]).unwrap();
        assert!(keys.contains("c") && keys.0.len() == 1);
    }
}

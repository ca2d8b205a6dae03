//! Somebody else who issues tokens: keys, and tokens of any shape signed with them.

use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeySize, PublicKeyComponents};
use aws_lc_rs::signature::{self, Ed25519KeyPair, KeyPair, RsaKeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

type Sign = Box<dyn Fn(&[u8]) -> Vec<u8>>;

/// A private key that signs, and its public half.
pub(crate) struct Signer {
    algorithm: &'static str,
    pub(crate) public: Value,
    sign: Sign,
}

impl Signer {
    pub(crate) fn ed25519(id: &str) -> Signer {
        let pair = Ed25519KeyPair::generate().unwrap();
        let public = json!({"kty": "OKP", "crv": "Ed25519", "kid": id, "x": URL_SAFE_NO_PAD.encode(pair.public_key())});
        Signer { algorithm: "EdDSA", public, sign: Box::new(move |message| pair.sign(message).as_ref().to_vec()) }
    }

    /// `RS256`, or `PS256` with the same kind of key.
    pub(crate) fn rsa(id: &str, algorithm: &'static str) -> Signer {
        let pair = RsaKeyPair::generate(KeySize::Rsa2048).unwrap();
        let components = PublicKeyComponents::<Vec<u8>>::from(pair.public_key());
        let (modulus, exponent) = (URL_SAFE_NO_PAD.encode(components.n), URL_SAFE_NO_PAD.encode(components.e));
        let public = json!({"kty": "RSA", "kid": id, "n": modulus, "e": exponent});
        let sign = move |message: &[u8]| {
            let padding: &dyn signature::RsaEncoding =
                if algorithm == "PS256" { &signature::RSA_PSS_SHA256 } else { &signature::RSA_PKCS1_SHA256 };
            let mut signature = vec![0; pair.public_modulus_len()];
            pair.sign(padding, &SystemRandom::new(), message, &mut signature).unwrap();
            signature
        };
        Signer { algorithm, public, sign: Box::new(sign) }
    }

    pub(crate) fn secret(secret: &[u8]) -> Signer {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        Signer {
            algorithm: "HS256",
            public: Value::Null,
            sign: Box::new(move |message| hmac::sign(&key, message).as_ref().to_vec()),
        }
    }

    /// A token with these members of the header beside, or instead of, the usual ones; null leaves one out.
    pub(crate) fn token(&self, header: Value, claims: &Value) -> String {
        self.sign_text(header, &claims.to_string())
    }

    /// The same with claims that are any text.
    pub(crate) fn sign_text(&self, header: Value, claims: &str) -> String {
        let mut full = json!({"alg": self.algorithm, "kid": self.public["kid"]});
        for (name, value) in header.as_object().expect("an object") {
            full[name] = value.clone();
        }
        full.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
        let message = format!("{}.{}", URL_SAFE_NO_PAD.encode(full.to_string()), URL_SAFE_NO_PAD.encode(claims));
        format!("{message}.{}", URL_SAFE_NO_PAD.encode((self.sign)(message.as_bytes())))
    }
}

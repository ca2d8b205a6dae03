//! Seals what the state must hold but not understand: the key comes from a secret that is never stored.

use aws_lc_rs::aead::{AES_256_GCM, Aad, Nonce, RandomizedNonceKey};
use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use secrecy::zeroize::Zeroize;
use secrecy::{ExposeSecret, SecretString};

const NONCE: usize = 12;
const KEY: usize = 32;

/// Encrypts for whoever has the secret (a code, a token, a browser's cookie); the context says what for.
pub(crate) fn seal(secret: &SecretString, context: &str, plaintext: &SecretString) -> String {
    let mut sealed = plaintext.expose_secret().as_bytes().to_vec();
    let nonce = key(secret, context)
        .seal_in_place_append_tag(Aad::from(context.as_bytes()), &mut sealed)
        .expect("what is sealed is far shorter than the cipher allows");
    URL_SAFE_NO_PAD.encode([nonce.as_ref().as_slice(), &sealed].concat())
}

/// What was sealed, if secret and context are those of the sealing and nothing was changed.
pub(crate) fn open(secret: &SecretString, context: &str, sealed: &str) -> Option<SecretString> {
    let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let (nonce, body) = bytes.split_at_checked(NONCE)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
    let mut body = body.to_vec();
    let plaintext = key(secret, context).open_in_place(nonce, Aad::from(context.as_bytes()), &mut body).ok()?;
    let opened = std::str::from_utf8(plaintext).ok().map(SecretString::from);
    body.zeroize();
    opened
}

struct KeyLength;

impl KeyType for KeyLength {
    fn len(&self) -> usize {
        KEY
    }
}

fn key(secret: &SecretString, context: &str) -> RandomizedNonceKey {
    let extracted = Salt::new(HKDF_SHA256, b"quillgate seal 1").extract(secret.expose_secret().as_bytes());
    let mut bytes = [0; KEY];
    extracted
        .expand(&[context.as_bytes()], KeyLength)
        .and_then(|derived| derived.fill(&mut bytes))
        .expect("32 bytes are within what HKDF gives");
    let key = RandomizedNonceKey::new(&AES_256_GCM, &bytes).expect("the key has the length of the cipher");
    bytes.zeroize();
    key
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::secret::new_secret;

    #[test]
    fn only_secret_and_context_of_the_sealing_open_it() {
        let (secret, cookie) = (new_secret(), SecretString::from("upstream session"));
        let sealed = seal(&secret, "token", &cookie);
        assert!(!sealed.contains("upstream"));
        assert_eq!(open(&secret, "token", &sealed).unwrap().expose_secret(), "upstream session");
        assert!(open(&new_secret(), "token", &sealed).is_none());
        assert!(open(&secret, "code", &sealed).is_none());
    }

    #[test]
    fn the_same_text_is_never_sealed_the_same() {
        let (secret, cookie) = (new_secret(), SecretString::from("x"));
        assert_ne!(seal(&secret, "token", &cookie), seal(&secret, "token", &cookie));
    }

    proptest! {
        #[test]
        fn every_text_comes_back_and_no_change_goes_unseen(text in ".{0,200}", place in any::<prop::sample::Index>(), flip in 1u8..=255) {
            let secret = new_secret();
            let sealed = seal(&secret, "token", &SecretString::from(text.as_str()));
            let opened = open(&secret, "token", &sealed).unwrap();
            prop_assert_eq!(opened.expose_secret(), text.as_str());
            let mut bytes = URL_SAFE_NO_PAD.decode(&sealed).unwrap();
            let place = place.index(bytes.len());
            bytes[place] ^= flip;
            prop_assert!(open(&secret, "token", &URL_SAFE_NO_PAD.encode(&bytes)).is_none());
            prop_assert!(open(&secret, "token", &URL_SAFE_NO_PAD.encode(&bytes[..place])).is_none());
        }

        #[test]
        fn anything_may_be_given_to_be_opened(text in ".{0,60}") {
            prop_assert!(open(&new_secret(), "token", &text).is_none());
        }
    }
}

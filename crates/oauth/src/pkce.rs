//! Proof Key for Code Exchange (RFC 7636), S256 only.

use aws_lc_rs::digest;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq;

/// Is this the form of a SHA-256 in base64url?
pub(crate) fn is_challenge(text: &str) -> bool {
    text.len() == 43 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

pub(crate) fn is_verifier(text: &str) -> bool {
    (43..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
}

pub fn challenge_of(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, verifier.as_bytes()))
}

/// Did whoever sends the verifier also send the challenge?
pub(crate) fn verify(challenge: &str, verifier: &str) -> bool {
    is_challenge(challenge) && is_verifier(verifier) && challenge_of(verifier).as_bytes().ct_eq(challenge.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn the_example_of_the_rfc_holds() {
        assert_eq!(challenge_of(VERIFIER), CHALLENGE);
        assert!(verify(CHALLENGE, VERIFIER));
        assert!(!verify(CHALLENGE, &VERIFIER.replace('d', "e")));
        assert!(!verify(VERIFIER, VERIFIER), "plain is not S256");
    }

    #[test]
    fn challenges_are_43_characters_of_base64url() {
        assert!(is_challenge(CHALLENGE));
        let (short, long) = (&CHALLENGE[..42], format!("{CHALLENGE}a"));
        let padded = format!("{}=", &CHALLENGE[..42]);
        let plus = CHALLENGE.replace('-', "+");
        for bad in ["", short, &long, &padded, &plus, &"é".repeat(43)] {
            assert!(!is_challenge(bad), "{bad}");
        }
    }

    #[test]
    fn verifiers_are_43_to_128_of_the_unreserved_characters() {
        let longest = "a".repeat(128);
        for good in [VERIFIER, &longest, &"-._~".repeat(11)] {
            assert!(is_verifier(good), "{good}");
        }
        for bad in ["", &VERIFIER[..42], &"a".repeat(129), &VERIFIER.replace('-', "+"), &"é".repeat(30), &format!("{VERIFIER}=")]
        {
            assert!(!is_verifier(bad), "{bad}");
            assert!(!verify(&challenge_of(bad), bad), "{bad}");
        }
    }
}

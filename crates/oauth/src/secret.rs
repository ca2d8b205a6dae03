//! Random secrets and ids, and comparing them without telling how far they agree.

use aws_lc_rs::rand;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use quillgate_state::SecretHash;
use secrecy::SecretString;
use subtle::ConstantTimeEq;

/// 32 random bytes, as 43 characters.
pub fn new_secret() -> SecretString {
    SecretString::from(random_text(32))
}

/// A static key for an agent.
pub fn new_key() -> SecretString {
    SecretString::from(format!("{}{}", crate::bearer::KEY_PREFIX, random_text(32)))
}

/// A public name that nobody can guess: the prefix and so many random bytes.
pub(crate) fn new_id(prefix: &str, bytes: usize) -> String {
    format!("{prefix}{}", random_text(bytes))
}

/// Are these hashes of the same secret?
pub(crate) fn same_hash(one: &SecretHash, other: &SecretHash) -> bool {
    one.as_str().as_bytes().ct_eq(other.as_str().as_bytes()).into()
}

fn random_text(bytes: usize) -> String {
    let mut buffer = vec![0; bytes];
    rand::fill(&mut buffer).expect("the operating system gives random bytes");
    URL_SAFE_NO_PAD.encode(buffer)
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    #[test]
    fn secrets_are_43_characters_and_all_different() {
        let secrets: std::collections::HashSet<String> = (0..100).map(|_| new_secret().expose_secret().to_owned()).collect();
        assert_eq!(secrets.len(), 100);
        assert!(secrets.iter().all(|secret| secret.len() == 43 && !secret.contains(['+', '/', '='])));
    }

    #[test]
    fn ids_begin_with_their_prefix() {
        let id = new_id("qgc_", 16);
        assert!(id.starts_with("qgc_") && id.len() == 4 + 22);
        assert_ne!(id, new_id("qgc_", 16));
    }

    #[test]
    fn hashes_are_the_same_when_their_secrets_are() {
        let hash = SecretHash::of("a");
        assert!(same_hash(&hash, &SecretHash::of("a")));
        assert!(!same_hash(&hash, &SecretHash::of("b")));
    }

    #[test]
    fn secrets_do_not_show_in_debug_output() {
        let secret = new_secret();
        assert!(!format!("{secret:?}").contains(secret.expose_secret()));
    }
}

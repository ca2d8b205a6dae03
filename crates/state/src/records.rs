//! What is remembered of logins; other records stand in the file of their kind. Times are seconds since 1970.
//!
//! `Debug` leaves out what is sealed, what people wrote into forms and how passwords are stored, and shortens hashes.

use std::fmt;

use sha2::{Digest, Sha256};

/// SHA-256 of a secret, in hex: all that is ever stored of codes, tokens, keys and client secrets.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SecretHash(String);

impl SecretHash {
    pub fn of(secret: &str) -> SecretHash {
        SecretHash(hex_of(&Sha256::digest(secret.as_bytes())))
    }

    /// One short key for several texts, different for different texts.
    pub(crate) fn of_all(parts: &[&str]) -> SecretHash {
        SecretHash::of(&parts.iter().map(|part| format!("{}:{part}", part.len())).collect::<String>())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// For hashes read from configuration or the database.
    pub fn from_hex(hex: &str) -> Option<SecretHash> {
        let is_hash = hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then(|| SecretHash(hex.to_ascii_lowercase()))
    }
}

pub(crate) fn hex_of(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// A client that registered itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    pub id: String,
    /// What it said about itself, as JSON in the form that the owner of this record chose.
    pub metadata: String,
    pub secret: Option<SecretHash>,
    /// For the client's own management of its registration (RFC 7592).
    pub registration: Option<SecretHash>,
    pub created: i64,
    /// When it last sent somebody to log in.
    pub seen: Option<i64>,
    /// When a grant was last completed for it. Such clients are never evicted.
    pub used: Option<i64>,
}

/// A login that is under way in somebody's browser.
#[derive(Clone, PartialEq, Eq)]
pub struct PendingRequest {
    pub id: SecretHash,
    /// Of the cookie that binds it to one browser.
    pub browser: SecretHash,
    /// Of the form that may be sent next; each form is good for one answer.
    pub csrf: SecretHash,
    /// What was asked and how far it is, as JSON in the form that the owner of this record chose.
    pub data: String,
    pub expires: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consent {
    pub user: String,
    pub client: String,
    pub redirect_uri: String,
    /// Separated by spaces.
    pub scopes: String,
    pub given: i64,
}

/// What a user allowed a client to do. Everything issued under it ends with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    pub id: String,
    /// The address (issuer) under which it was given; grants of one site mean nothing on another.
    pub issuer: String,
    pub user: String,
    pub client: String,
    /// A name for people: of the client.
    pub client_name: String,
    pub scopes: String,
    pub resource: String,
    /// Changes when the user's password does, which ends the grant.
    pub user_mark: String,
    pub created: i64,
    /// No token lives longer.
    pub expires: i64,
    pub ended: Option<i64>,
}

/// An authorization code, good for one exchange.
#[derive(Clone, PartialEq, Eq)]
pub struct Code {
    pub hash: SecretHash,
    pub grant: String,
    pub redirect_uri: String,
    pub challenge: String,
    /// The upstream credential, sealed with a key that only the code gives.
    pub sealed: Option<String>,
    pub expires: i64,
    pub used: Option<i64>,
    /// Wrong verifiers so far.
    pub misses: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Access,
    Refresh,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    pub hash: SecretHash,
    pub kind: TokenKind,
    pub grant: String,
    /// May be fewer than the grant's.
    pub scopes: String,
    /// The refresh token that it was issued for.
    pub parent: Option<SecretHash>,
    /// The upstream credential, sealed with a key that only the token gives.
    pub sealed: Option<String>,
    pub issued: i64,
    pub expires: i64,
    pub last_used: Option<i64>,
    /// When a refresh token was exchanged for its successor.
    pub replaced: Option<i64>,
    /// How often it was exchanged again within the grace.
    pub reissued: i64,
    pub ended: Option<i64>,
}

/// Somebody who may log in, beside those of the configuration.
#[derive(Clone, PartialEq, Eq)]
pub struct User {
    pub name: String,
    /// argon2id or bcrypt, in PHC or crypt form.
    pub password: String,
    pub created: i64,
}

/// A static key for an agent without a browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    pub hash: SecretHash,
    pub name: String,
    pub scopes: String,
    pub vault: Option<String>,
    pub created: i64,
    pub expires: Option<i64>,
    pub last_used: Option<i64>,
}

/// Enough to find it in the database.
impl fmt::Debug for SecretHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SecretHash({}…)", &self.0[..8])
    }
}

impl fmt::Debug for PendingRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PendingRequest").field("id", &self.id).field("expires", &self.expires).finish_non_exhaustive()
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut code = formatter.debug_struct("Code");
        code.field("hash", &self.hash).field("grant", &self.grant).field("expires", &self.expires);
        code.field("used", &self.used).field("misses", &self.misses).finish_non_exhaustive()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut token = formatter.debug_struct("Token");
        token.field("hash", &self.hash).field("kind", &self.kind).field("grant", &self.grant).field("scopes", &self.scopes);
        token.field("parent", &self.parent).field("issued", &self.issued).field("expires", &self.expires);
        token.field("last_used", &self.last_used).field("replaced", &self.replaced).field("reissued", &self.reissued);
        token.field("ended", &self.ended).finish_non_exhaustive()
    }
}

impl fmt::Debug for User {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("User").field("name", &self.name).field("created", &self.created).finish_non_exhaustive()
    }
}

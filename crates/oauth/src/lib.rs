//! Issues and checks tokens by the OAuth 2.1 and MCP rules.
//!
//! Architecture invariant: nothing here knows tools or vaults; scopes are words, and a vault is a name.

mod address;
mod bearer;
mod challenge;
mod client;
mod client_assertion;
mod client_authentication;
mod client_documents;
mod client_metadata;
mod clock;
mod cookie;
mod cors;
mod endpoints;
mod failure;
mod guarded_fetch;
mod issue;
mod jwt;
mod key_set;
mod limit;
mod login;
mod page;
mod page_form;
mod parameters;
mod password;
mod pkce;
mod redirect_uri;
mod resource;
mod scope;
mod seal;
mod secret;
mod settings;
mod signed_token;
mod site;
mod special_addresses;
#[cfg(test)]
mod tls_fixture;
mod token_form;
mod user;

pub use address::ClientAddress;
pub use bearer::{KEY_PREFIX, Principal, Refusal};
pub use challenge::Challenge;
pub use client_metadata::GrantType;
pub use clock::Clock;
pub use cors::open_to_pages;
pub use guarded_fetch::FetchSettings;
pub use jwt::{JwtChecker, JwtSettings};
pub use limit::TooMany;
pub use page::{STYLE, render};
pub use password::{Hashing, PasswordHash, hash as hash_password};
pub use pkce::challenge_of as code_challenge;
pub use redirect_uri::RedirectPolicy;
pub use scope::Scopes;
pub use secret::{new_key, new_secret};
pub use settings::*;
pub use site::Site;
pub use user::normal_name;

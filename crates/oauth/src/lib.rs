//! Issues and checks tokens by the OAuth 2.1 and MCP rules.
//!
//! Architecture invariant: nothing here knows tools or vaults; scopes are words, and a vault is a name.

pub mod client_assertion;
pub mod client_documents;
pub mod client_metadata;
pub mod guarded_fetch;
pub mod jwt;
pub mod key_set;
pub mod password;
pub mod pkce;
pub mod redirect_uri;
pub mod resource;
pub mod scope;
pub mod seal;
pub mod secret;
mod signed_token;
pub mod special_addresses;
#[cfg(test)]
mod tls_fixture;

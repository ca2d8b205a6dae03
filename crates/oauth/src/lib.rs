//! Issues and checks tokens by the OAuth 2.1 and MCP rules.
//!
//! Architecture invariant: nothing here knows tools or vaults; scopes are words, and a vault is a name.

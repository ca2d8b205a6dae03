//! Who makes a call.

use std::sync::Arc;

use quillgate_oauth::Principal;
use quillgate_vault::ContentHash;

use crate::identity::LoginIsOver;

#[derive(Clone, Debug)]
pub(crate) enum Caller {
    /// The process that started us, or anybody where there is no login: every scope is held.
    Trusted,
    /// Somebody with a token.
    Known(Arc<Principal>, LoginIsOver),
}

impl Caller {
    pub(crate) fn holds(&self, scope: &str) -> bool {
        match self {
            Caller::Trusted => true,
            Caller::Known(principal, _) => principal.scopes.covers(scope),
        }
    }

    /// The only vault that the caller may use.
    pub(crate) fn bound_vault(&self) -> Option<&str> {
        match self {
            Caller::Trusted => None,
            Caller::Known(principal, _) => principal.vault.as_deref(),
        }
    }

    /// What the history and people call them.
    pub(crate) fn name(&self) -> String {
        match self {
            Caller::Trusted => "local".to_owned(),
            Caller::Known(principal, _) if principal.client.is_empty() => principal.user.clone(),
            Caller::Known(principal, _) => format!("{} via {}", principal.user, principal.client),
        }
    }

    /// The same for all tokens of one user and client: what limits, replies and confirmations belong to.
    pub(crate) fn key(&self) -> &str {
        match self {
            Caller::Trusted => "local",
            Caller::Known(principal, _) => &principal.id,
        }
    }

    /// What logs and metrics may say of them.
    pub(crate) fn hash(&self) -> String {
        let mut hash = ContentHash::of(self.key().as_bytes()).to_string();
        hash.truncate(16);
        hash
    }
}

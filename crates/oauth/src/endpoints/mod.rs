//! One file per endpoint.

pub(crate) mod authorize;
pub(crate) mod consent;
pub(crate) mod introspect;
pub(crate) mod metadata;
pub(crate) mod register;
pub(crate) mod resume;
pub(crate) mod revoke;
pub(crate) mod token;

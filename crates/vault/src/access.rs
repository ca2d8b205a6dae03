//! What may be done through a handle.

/// What may be done through a handle.
#[derive(Clone, Debug, Default)]
pub struct Access {}

impl Access {
    /// Everything in the vault may be read, written and deleted.
    pub fn unrestricted() -> Access {
        Access::default()
    }
}

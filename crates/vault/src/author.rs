//! On whose behalf a change is made.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What the history remembers of a change beside the change itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Author {
    /// Who, as the audit names them.
    pub caller: Arc<str>,
    pub session: Option<Arc<str>>,
    pub tool: Arc<str>,
    pub surface: Arc<str>,
    /// The one call that all of it belongs to.
    pub call: Arc<str>,
}

//! The way from a tool, which runs on a thread, to the state, which is asynchronous.

use std::sync::Arc;

use quillgate_state::{State, StateError};
use tokio::runtime::Handle;

use crate::failure::{Failure, Issue};

#[derive(Clone)]
pub struct StateDoor {
    state: Arc<State>,
    runtime: Handle,
    pub(crate) replies: ReplyTimes,
}

/// How long replies to keyed calls count, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct ReplyTimes {
    /// An answer is given again for this long.
    pub kept: i64,
    /// After this long a call that neither ended nor failed has crashed.
    pub crashed: i64,
}

impl StateDoor {
    pub fn new(state: Arc<State>, runtime: Handle, replies: ReplyTimes) -> StateDoor {
        StateDoor { state, runtime, replies }
    }

    /// Waits for an answer of the state. Only for tools that run on threads of their own.
    pub fn wait<T>(&self, ask: impl AsyncFnOnce(&State) -> Result<T, StateError>) -> Result<T, Failure> {
        self.runtime.block_on(ask(&self.state)).map_err(|error| match error {
            StateError::TooLarge { .. } | StateError::QueueFull { .. } => {
                Failure::InvalidInput(vec![Issue::other(error.to_string())])
            }
            error => Failure::Internal(error.to_string()),
        })
    }
}

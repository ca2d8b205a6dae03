//! The permission to run one tool: the only way to run any.

use std::sync::Arc;

use serde_json::Value;

use crate::context::{Call, Context, ServerContext, Workspace};
use crate::failure::Failure;
use crate::server::Server;
use crate::tool::{Registered, Runner};

/// Nothing but `authorise` makes one, and nothing runs without one.
pub struct Grant {
    tool: &'static Registered,
    workspace: Option<Arc<Workspace>>,
}

impl Grant {
    /// What the caller holds against what the tool needs. `workspace` chooses the caller's own view of the vault.
    pub fn authorise(
        tool: &'static Registered,
        holds: impl Fn(&str) -> bool,
        workspace: impl FnOnce() -> Result<Option<Arc<Workspace>>, Failure>,
    ) -> Result<Grant, Failure> {
        let needed = tool.spec.scopes;
        if !needed.iter().all(|scope| holds(scope)) {
            return Err(Failure::Forbidden { required: needed.iter().map(|scope| (*scope).to_owned()).collect() });
        }
        Ok(Grant { tool, workspace: workspace()? })
    }

    pub fn tool(&self) -> &'static Registered {
        self.tool
    }

    pub fn workspace(&self) -> Option<&Arc<Workspace>> {
        self.workspace.as_ref()
    }

    /// Runs the tool on arguments that fit its schema.
    pub fn run(&self, arguments: &Value, call: &Call, server: &dyn Server) -> Result<Value, Failure> {
        match (self.tool.runner, &self.workspace) {
            (Runner::OnVault(run), Some(workspace)) => run(arguments, &Context::new(workspace, call, server)),
            (Runner::OnVault(_), None) => {
                Err(Failure::NotConfigured("this server has no vault; its operator can name one".to_owned()))
            }
            (Runner::OnServer(run), _) => run(arguments, &ServerContext { call, server }),
            (Runner::Outside(run), _) => run(arguments, call),
        }
    }
}

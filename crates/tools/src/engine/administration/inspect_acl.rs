//! Why something is allowed or not.

use quillgate_vault::Operation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::ServerContext;
use crate::failure::Failure;
use crate::server::AccessQuestion;
use crate::tool::{Rate, ServerTool, Spec};

/// Say whether somebody with these scopes may do something to a path, and which rule decides. The answer comes from the code that enforces the rules.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InspectAcl {
    /// Id of the vault, from list_vaults
    #[schemars(regex(pattern = "^[a-z0-9_-]{1,64}$"))]
    vault: String,
    /// Path, relative to the vault; it need not exist
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// What would be done
    op: Op,
    /// Scopes that the caller would hold
    #[schemars(length(max = 100))]
    scopes: Vec<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Op {
    Read,
    Write,
    Delete,
    Execute,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    allowed: bool,
    /// The glob that counted
    #[serde(skip_serializing_if = "Option::is_none")]
    matched_rule: Option<String>,
    /// What refuses it
    #[serde(skip_serializing_if = "Option::is_none")]
    denied_by: Option<String>,
    /// True where the whole vault is read-only
    #[serde(skip_serializing_if = "Option::is_none")]
    kill_switch: Option<bool>,
}

impl ServerTool for InspectAcl {
    const SPEC: Spec = Spec::reading("inspect_acl", "Explain a rule").scopes(&["admin:acl"]).rate(Rate::Admin).quick();
    type Output = Answer;

    fn run(self, context: &ServerContext<'_>) -> Result<Answer, Failure> {
        let known: Vec<String> = context.server.vaults().iter().map(|vault| vault.id.clone()).collect();
        if !known.contains(&self.vault) {
            return Err(Failure::UnknownVault { id: self.vault, known });
        }
        let operation = match self.op {
            Op::Read => Operation::Read,
            Op::Write => Operation::Write,
            Op::Delete => Operation::Delete,
            Op::Execute => Operation::Execute,
        };
        let question = AccessQuestion { vault: &self.vault, path: &self.path, operation, scopes: &self.scopes };
        let answer = context.server.decide(&question)?;
        Ok(Answer {
            allowed: answer.allowed,
            matched_rule: answer.matched_rule,
            denied_by: answer.denied_by,
            kill_switch: answer.kill_switch.then_some(true),
        })
    }
}

//! The decisions that bear on a proposal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::decision_note::{Decision, find_decisions};
use crate::context::Context;
use crate::failure::Failure;
use crate::page::room_of;
use crate::root::Root;
use crate::tool::{Spec, Tool};

/// What stands around the findings.
const FRAME_BYTES: usize = 100;

/// Find the decisions recorded in the vault (ADRs, notes with a decision or its status) that bear on a proposal, with the lines that say so. Ask before you change course; read the sources and judge for yourself unless available says that the server judges them.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnowledgeChallenge {
    /// What is proposed, in a few sentences
    #[schemars(length(min = 1, max = 20_000))]
    proposal: String,
    #[serde(default)]
    root: Root,
    /// Most decisions to return
    #[serde(default = "twelve")]
    #[schemars(range(min = 1, max = 100))]
    k: usize,
    /// Return fewer decisions so that the answer takes about this many tokens
    #[serde(default)]
    #[schemars(range(min = 1))]
    max_tokens: Option<u64>,
}

fn twelve() -> usize {
    12
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    /// Whether the server also judges the decisions; it needs an inference gateway for that
    available: bool,
    /// Best first
    findings: Vec<Finding>,
    /// Notes that the findings are from
    sources: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Finding {
    /// decision, proposed_decision, rejected_decision or superseded_decision
    kind: &'static str,
    evidence: Vec<Evidence>,
}

#[derive(Serialize, JsonSchema)]
struct Evidence {
    path: String,
    /// From 1
    line: usize,
    quote: String,
}

impl Tool for KnowledgeChallenge {
    const SPEC: Spec = Spec::reading("knowledge_challenge", "Challenge a proposal");
    type Output = Answer;

    fn run(self, context: &Context<'_>) -> Result<Answer, Failure> {
        let folder = self.root.folder(context)?;
        let mut answer = Answer { available: false, findings: Vec::new(), sources: Vec::new() };
        let mut room = room_of(self.max_tokens).saturating_sub(FRAME_BYTES);
        for decision in find_decisions(context, &folder, &self.proposal)?.into_iter().take(self.k) {
            let source = decision.path.to_string();
            let finding = Finding::of(decision);
            let bytes = serde_json::to_vec(&finding).map_or(0, |json| json.len()) + source.len() + 4;
            if bytes > room && !answer.findings.is_empty() {
                break;
            }
            room = room.saturating_sub(bytes);
            answer.findings.push(finding);
            answer.sources.push(source);
        }
        Ok(answer)
    }
}

impl Finding {
    fn of(decision: Decision) -> Finding {
        let path = decision.path.to_string();
        let evidence = decision.quotes.into_iter().map(|(line, quote)| Evidence { path: path.clone(), line, quote });
        Finding { kind: decision.status.name(), evidence: evidence.collect() }
    }
}

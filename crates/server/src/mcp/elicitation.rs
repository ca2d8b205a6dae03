//! Asking the client's user whether a change may be made, in both eras: by a request to the client, or by a result that asks for
//! another call.

use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use quillgate_tools::Proposal;
use rmcp::Peer;
use rmcp::model::{
    CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitationAction, InputRequest,
    InputRequiredResult, ProtocolVersion, RequestStateCodec, SealOptions, ServerRequest,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use crate::confirm::{Answered, AskPeer, Human, Question, Spoken, visible};

/// What the question is called among the inputs that a result asks for.
const QUESTION: &str = "agreement";
/// The one field of the form.
const AGREES: &str = "agree";
/// A question longer than this is not read by anybody.
const LONGEST: usize = 6000;

/// How the client's user can be asked.
pub(super) enum Era {
    /// The client declares no way.
    None,
    Request(PeerAsker),
    Result,
}

pub(super) struct PeerAsker {
    peer: Peer<RoleServer>,
    patience: Duration,
}

impl Era {
    pub(super) fn of(context: &RequestContext<RoleServer>, patience: Duration) -> Era {
        let declares = context.client_capabilities().is_some_and(|client| {
            // A client that names no mode means the form.
            client.elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
        });
        let is_newer = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        match (declares, is_newer) {
            (false, _) => Era::None,
            (true, true) => Era::Result,
            (true, false) => Era::Request(PeerAsker { peer: context.peer.clone(), patience }),
        }
    }

    pub(super) fn human(&self, answered: Option<Answered>) -> Human<'_> {
        match self {
            Era::None => Human::Absent,
            Era::Request(asker) => Human::Peer(asker),
            Era::Result => Human::ByResult(answered),
        }
    }
}

impl AskPeer for PeerAsker {
    fn ask<'a>(&'a self, proposal: &'a Proposal) -> BoxFuture<'a, Spoken> {
        async move {
            let request = ServerRequest::ElicitRequest(ElicitRequest::new(form(proposal)));
            match tokio::time::timeout(self.patience, self.peer.send_request(request)).await {
                Ok(Ok(ClientResult::ElicitResult(answer))) => spoken(&answer.action, answer.content.as_ref()),
                _ => Spoken::Nothing,
            }
        }
        .boxed()
    }
}

/// The result that makes a newer client ask and call again. The state says which request was asked about and which change was
/// shown, and is bound to whoever called for what.
pub(super) fn ask_again(codec: &RequestStateCodec, bound_to: &str, question: &Question, ttl: Duration) -> InputRequiredResult {
    let options = SealOptions::new().associated_data(bound_to.as_bytes()).ttl(ttl);
    let asked_about = format!("{} {}", question.request, question.proposal.digest);
    let state = codec.seal_with(asked_about.as_bytes(), &options);
    let asked = InputRequest::Elicitation(ElicitRequest::new(form(&question.proposal)));
    InputRequiredResult::new(Some([(QUESTION.to_owned(), asked)].into()), Some(state))
}

/// What came back with a call that was made again; nothing if it is not ours, too old, or somebody else's.
pub(super) fn answered(codec: &RequestStateCodec, bound_to: &str, request: &CallToolRequestParams) -> Option<Answered> {
    let opened = codec.open_with(request.request_state.as_deref()?, bound_to.as_bytes()).ok()?;
    let opened = String::from_utf8(opened).ok()?;
    let (asked, shown) = opened.split_once(' ')?;
    let answer = request.input_responses.as_ref()?.get(QUESTION)?;
    let action: ElicitationAction = serde_json::from_value(answer.get("action")?.clone()).ok()?;
    let spoken = spoken(&action, answer.get("content"));
    Some(Answered { request: asked.to_owned(), digest: shown.to_owned(), spoken })
}

fn spoken(action: &ElicitationAction, content: Option<&Value>) -> Spoken {
    match action {
        ElicitationAction::Accept => match content.and_then(|content| content.get(AGREES)) {
            // Accepting the form is the agreement, unless its one box was left empty.
            Some(Value::Bool(false)) => Spoken::Declined,
            _ => Spoken::Agreed,
        },
        ElicitationAction::Decline => Spoken::Declined,
        _ => Spoken::Nothing,
    }
}

fn form(proposal: &Proposal) -> ElicitRequestParams {
    let field = json!({"type": "boolean", "title": "Make this change", "default": true});
    let schema = json!({"type": "object", "properties": {AGREES: field}, "required": [AGREES]});
    serde_json::from_value(json!({"mode": "form", "message": message(proposal), "requestedSchema": schema}))
        .expect("a form with one box is a form")
}

/// What the user reads: why they are asked, and what would change.
fn message(proposal: &Proposal) -> String {
    let mut text = format!("{} wants to make a change ({}).\n", proposal.tool, proposal.reasons.join("; "));
    for file in &proposal.files {
        let to = file.to.as_ref().map(|to| format!(" to {to}")).unwrap_or_default();
        text.push_str(&format!("\n{} {}{to}\n", file.change, file.path));
        text.push_str(&file.diff);
    }
    if proposal.more_files > 0 {
        text.push_str(&format!("\n… and {} more files\n", proposal.more_files));
    }
    if let Some(arguments) = &proposal.arguments {
        text.push_str(&format!("\n{arguments:#}\n"));
    }
    let mut text = visible(&text);
    if text.len() > LONGEST {
        let mut end = LONGEST;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str("\n… (cut; `quillgate approve` shows all of it)");
    }
    text
}

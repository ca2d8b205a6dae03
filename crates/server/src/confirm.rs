//! Asking a human, in whichever way one can be reached.

use std::time::Duration;

use futures::future::BoxFuture;
use quillgate_tools::{Consent, Failure, Proposal};

use crate::ledger::{Bond, Consumed, Ledger};

/// How often it is looked whether somebody has approved elsewhere, while the client's own user is being asked.
const LOOK_ELSEWHERE: Duration = Duration::from_millis(500);

/// How the human behind a call can be asked.
pub(crate) enum Human<'r> {
    /// Only elsewhere: in the console, or with `quillgate approve`.
    Absent,
    /// By a request to their client.
    Peer(&'r dyn AskPeer),
    /// By the result: the client asks, and calls again with the answer.
    ByResult(Option<Answered>),
}

/// What came back with a call that was made again.
pub(crate) struct Answered {
    /// The request for confirmation that it answers.
    pub(crate) request: String,
    pub(crate) agreed: bool,
}

pub(crate) trait AskPeer: Send + Sync {
    fn ask<'a>(&'a self, proposal: &'a Proposal) -> BoxFuture<'a, Spoken>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spoken {
    Agreed,
    Declined,
    /// The question was put away, or never seen.
    Nothing,
}

/// A human's agreement, and how it was given.
pub(crate) struct Agreement {
    pub(crate) consent: Consent,
    pub(crate) how: &'static str,
}

/// Why a call stops here.
pub(crate) enum Stop {
    Failed(Failure),
    /// The client is to put this to its user and call again, naming the request.
    Ask(Question),
}

pub(crate) struct Question {
    pub(crate) proposal: Box<Proposal>,
    pub(crate) request: String,
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failed(failure)
    }
}

/// Gets a human's agreement to the proposal, or says why there is none.
pub(crate) async fn agree(
    ledger: &Ledger,
    bond: &Bond<'_>,
    token: Option<&str>,
    human: &Human<'_>,
    proposal: Box<Proposal>,
) -> Result<Agreement, Stop> {
    let agreed = |how| Ok(Agreement { consent: Consent::Given(proposal.digest.clone()), how });
    if ledger.is_allowed(bond, &proposal.paths).await? {
        return agreed("allowance");
    }
    match ledger.consume(bond, token).await? {
        Consumed::Yes => return agreed(if token.is_some() { "token" } else { "approved" }),
        Consumed::Denied => return Err(Failure::Declined.into()),
        Consumed::No => {}
    }
    let request = ledger.request_confirmation(bond, &proposal).await?;
    let spoken = match human {
        Human::Absent => Spoken::Nothing,
        Human::Peer(peer) => match ask_or_notice(ledger, bond, *peer, &proposal).await? {
            Heard::Client(spoken) => spoken,
            Heard::Elsewhere => return agreed("approved"),
        },
        Human::ByResult(Some(answered)) if answered.request == request => {
            if answered.agreed {
                Spoken::Agreed
            } else {
                Spoken::Declined
            }
        }
        Human::ByResult(_) => return Err(Stop::Ask(Question { proposal, request })),
    };
    match spoken {
        Spoken::Agreed if ledger.approve_and_consume(&request, bond).await? => agreed("elicitation"),
        Spoken::Declined => {
            ledger.deny(&request).await?;
            Err(Failure::Declined.into())
        }
        Spoken::Agreed | Spoken::Nothing => Err(Failure::ConfirmationNeeded(proposal).into()),
    }
}

enum Heard {
    Client(Spoken),
    Elsewhere,
}

/// Whichever comes first: the client's user, or somebody at the console.
async fn ask_or_notice(ledger: &Ledger, bond: &Bond<'_>, peer: &dyn AskPeer, proposal: &Proposal) -> Result<Heard, Stop> {
    let mut asking = peer.ask(proposal);
    loop {
        tokio::select! {
            spoken = &mut asking => return Ok(Heard::Client(spoken)),
            () = tokio::time::sleep(LOOK_ELSEWHERE) => match ledger.consume(bond, None).await? {
                Consumed::Yes => return Ok(Heard::Elsewhere),
                Consumed::Denied => return Err(Failure::Declined.into()),
                Consumed::No => {}
            },
        }
    }
}

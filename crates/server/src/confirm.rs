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
    /// Of the change that was shown.
    pub(crate) digest: String,
    pub(crate) spoken: Spoken,
}

impl Answered {
    /// An agreement is to what was shown; anything else is to whatever the call proposes.
    fn is_about(&self, request: &str, digest: &str) -> bool {
        self.request == request && (self.digest == digest || self.spoken != Spoken::Agreed)
    }
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
        Human::ByResult(Some(answered)) if answered.is_about(&request, bond.digest) => answered.spoken,
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

/// Text of notes that a human decides by: what would move a cursor, erase or reorder what they see is spelled out.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let ends_line = letter == '\r' && letters.peek() == Some(&'\n');
        let reorders = matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if matches!(letter, '\n' | '\t') || ends_line || !(letter.is_control() || reorders) {
            shown.push(letter);
        } else {
            shown.extend(letter.escape_unicode());
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_hide_text_is_spelled_out() {
        assert_eq!(visible("-rope\u{1b}[2K\rnothing\u{202e}\n"), "-rope\\u{1b}[2K\\u{d}nothing\\u{202e}\n");
        let harmless = "a\tb\r\nÅ 灯 \u{5d0}\n";
        assert_eq!(visible(harmless), harmless);
    }

    #[test]
    fn an_agreement_is_to_what_was_shown_and_a_refusal_to_anything() {
        let said = |spoken| Answered { request: "r".to_owned(), digest: "shown".to_owned(), spoken };
        assert!(said(Spoken::Agreed).is_about("r", "shown"));
        assert!(!said(Spoken::Agreed).is_about("r", "changed"));
        assert!(said(Spoken::Declined).is_about("r", "changed"));
        assert!(said(Spoken::Nothing).is_about("r", "changed"));
        assert!(!said(Spoken::Declined).is_about("another", "shown"));
    }
}

//! Moving a card on a board.

use quillgate_markdown::{CardPlace, Edits, move_card};
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board_note::{Position, board_of, card_on, card_saying, lane_named};
use crate::context::Context;
use crate::expected_hash::ExpectedHash;
use crate::failure::{Failure, Issue};
use crate::note_edit::NoteEdit;
use crate::plan::Plan;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};

/// Move a card of a Kanban board to another lane, or to another place in its lane, with all its lines. A card that comes to a lane of finished cards is checked, one that leaves it is unchecked. Name the card by line (from read_kanban_board) or by text.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveKanbanCard {
    /// Board, relative to the vault, with its extension (.md)
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Line on which the card begins
    #[serde(default)]
    #[schemars(range(min = 1))]
    line: Option<usize>,
    /// The card's text, or a part that no other card has, in any case
    #[serde(default)]
    text: Option<String>,
    /// Title of the lane it goes to
    to_lane: String,
    /// By default the bottom
    #[serde(default)]
    position: Option<Position>,
    #[serde(default)]
    expected_hash: ExpectedHash,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    card: String,
    from_lane: String,
    to_lane: String,
    updated_at: String,
    content_hash: String,
}

impl ChangeTool for MoveKanbanCard {
    const SPEC: Spec = Spec::writing("move_kanban_card", "Move a Kanban card", Effect::Change, Idempotency::Repeats);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let file = NoteEdit::read(context, NotePath::parse(&self.path)?, &self.expected_hash)?;
        let board = board_of(&file.path, &file.text)?;
        let from = match (self.line, &self.text) {
            (Some(line), None) => card_on(&board, line)?,
            (None, Some(text)) if !text.trim().is_empty() => card_saying(&board, text)?,
            (Some(_), Some(_)) => return Err(refused("text", "excludes line; give one of them")),
            _ => return Err(refused("line", "is required, or text")),
        };
        let to = lane_named(&board, "to_lane", &self.to_lane)?;
        let place = self.position.as_ref().map_or(CardPlace::Bottom, Position::place);
        let edits = move_card(&file.text, &board, from, to, place)
            .ok_or_else(|| Failure::Internal("the card is not on the board".to_owned()))?;
        let after = Edits::new(edits)?.apply(&file.text);
        let card = board.lanes[from.0].cards[from.1].text.clone();
        let (from_lane, to_lane) = (board.lanes[from.0].title.clone(), board.lanes[to].title.clone());
        Ok(file.plan(context, after, move |changed| Outcome {
            path: changed.path,
            card,
            from_lane,
            to_lane,
            updated_at: changed.updated_at,
            content_hash: changed.content_hash,
        }))
    }
}

fn refused(field: &str, expected: &str) -> Failure {
    Failure::InvalidInput(vec![Issue::new(field, expected.to_owned())])
}

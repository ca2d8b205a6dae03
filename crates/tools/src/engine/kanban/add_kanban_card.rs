//! Adding a card to a board.

use quillgate_markdown::{CardPlace, Edits, add_card, parse_board};
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::board_note::{Position, board_of, lane_named, settings_of};
use crate::context::Context;
use crate::expected_hash::ExpectedHash;
use crate::failure::{Failure, Issue};
use crate::note_edit::NoteEdit;
use crate::plan::Plan;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};

/// Add a card to a lane of a Kanban board. In a lane of finished cards it is checked. The rest of the note stays as it is.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddKanbanCard {
    /// Board, relative to the vault, with its extension (.md)
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Title of the lane
    lane: String,
    /// What the card says, in Markdown; further lines continue it. A date is @{2024-01-05}, a time @@{10:00}
    #[schemars(length(min = 1, max = 10000))]
    text: String,
    /// By default where the board puts new cards, which is the bottom unless it says otherwise
    #[serde(default)]
    position: Option<Position>,
    #[serde(default)]
    expected_hash: ExpectedHash,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    lane: String,
    /// The line on which the card begins now
    line: usize,
    updated_at: String,
    content_hash: String,
}

impl ChangeTool for AddKanbanCard {
    const SPEC: Spec = Spec::writing("add_kanban_card", "Add a Kanban card", Effect::Add, Idempotency::Keyed);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        if self.text.trim().is_empty() {
            return Err(Failure::InvalidInput(vec![Issue::new("text", "is empty; say what the card is about".to_owned())]));
        }
        let file = NoteEdit::read(context, NotePath::parse(&self.path)?, &self.expected_hash)?;
        let board = board_of(&file.path, &file.text)?;
        let lane = lane_named(&board, "lane", &self.lane)?;
        let usual = settings_of(&board, &file.text).get("new-card-insertion-method").and_then(Value::as_str).map(str::to_owned);
        let place = match (&self.position, usual.as_deref()) {
            (Some(position), _) => position.place(),
            (None, Some("prepend" | "prepend-compact")) => CardPlace::Top,
            (None, _) => CardPlace::Bottom,
        };
        let edit = add_card(&file.text, &board, lane, place, self.text.trim())
            .ok_or_else(|| Failure::Internal("the lane is not on the board".to_owned()))?;
        let (at, title) = (edit.range.start, board.lanes[lane].title.clone());
        let after = Edits::from(edit).apply(&file.text);
        let cards = parse_board(&after).lanes.into_iter().flat_map(|lane| lane.cards);
        let line = cards.into_iter().find(|card| card.span.start >= at).map_or(0, |card| card.line);
        Ok(file.plan(context, after, move |changed| Outcome {
            path: changed.path,
            lane: title,
            line,
            updated_at: changed.updated_at,
            content_hash: changed.content_hash,
        }))
    }
}

//! Reading a board.

use quillgate_markdown::{Card, Lane, Note};
use quillgate_vault::NotePath;
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::board_note::{board_of, settings_of};
use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// Read a Kanban board: its lanes with their cards, what was archived, and the board's settings.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadKanbanBoard {
    /// Board, relative to the vault, with its extension (.md)
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Also return the cards of the archive
    #[serde(default)]
    include_archive: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    lanes: Vec<ShownLane>,
    archive_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    archive: Option<Vec<ShownCard>>,
    settings: Map<String, Value>,
    content_hash: String,
}

#[derive(Serialize, JsonSchema)]
struct ShownLane {
    title: String,
    /// How many cards it should have at most
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<usize>,
    /// Cards that are moved here get checked
    is_complete: bool,
    line: usize,
    cards: Vec<ShownCard>,
}

#[derive(Serialize, JsonSchema)]
struct ShownCard {
    /// All its lines, without check box and block id
    text: String,
    checked: bool,
    /// What stands in the check box, if it is neither empty nor x
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dates: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    times: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    block_id: Option<String>,
    line: usize,
}

impl Tool for ReadKanbanBoard {
    const SPEC: Spec = Spec::reading("read_kanban_board", "Read a Kanban board").quick();
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let path = NotePath::parse(&self.path)?;
        let contents = context.vault().read(&path)?;
        let content_hash = contents.hash().to_string();
        let text = contents.text()?;
        let board = board_of(&path, text)?;
        let settings = settings_of(&board, text);
        let moments = Moments::of(&settings);
        let cards = |cards: &[Card]| cards.iter().map(|card| moments.shown(card)).collect::<Vec<_>>();
        let lane = |lane: &Lane| ShownLane {
            title: lane.title.clone(),
            max: lane.max,
            is_complete: lane.is_complete,
            line: lane.line,
            cards: cards(&lane.cards),
        };
        Ok(Outcome {
            path: path.to_string(),
            lanes: board.lanes.iter().map(lane).collect(),
            archive_count: board.archive.len(),
            archive: self.include_archive.then(|| cards(&board.archive)),
            settings,
            content_hash,
        })
    }
}

/// How the board marks dates and times.
struct Moments {
    date: Option<Regex>,
    time: Option<Regex>,
}

impl Moments {
    fn of(settings: &Map<String, Value>) -> Moments {
        let trigger = |key: &str, usual: &str| settings.get(key).and_then(Value::as_str).unwrap_or(usual).to_owned();
        let pattern = |trigger: &str| {
            let trigger = regex::escape(trigger);
            Regex::new(&format!(r"(?:^|\s){trigger}(?:\{{([^}}]+)\}}|\[\[([^\]]+)\]\]|\[([^\]]+)\]\([^)]*\))")).ok()
        };
        Moments { date: pattern(&trigger("date-trigger", "@")), time: pattern(&trigger("time-trigger", "@@")) }
    }

    fn shown(&self, card: &Card) -> ShownCard {
        let found = |pattern: &Option<Regex>| -> Vec<String> {
            let pieces = pattern.iter().flat_map(|pattern| pattern.captures_iter(&card.text));
            pieces.filter_map(|found| (1..=3).find_map(|group| found.get(group)).map(|text| text.as_str().to_owned())).collect()
        };
        ShownCard {
            text: card.text.clone(),
            checked: card.is_checked(),
            mark: card.mark.filter(|mark| !matches!(mark, ' ' | 'x' | 'X')).map(String::from),
            dates: found(&self.date),
            times: found(&self.time),
            tags: Note::parse(&card.text).tags.iter().map(|tag| tag.name.clone()).collect(),
            block_id: card.block_id.clone(),
            line: card.line,
        }
    }
}

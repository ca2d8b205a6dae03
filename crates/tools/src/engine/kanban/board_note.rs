//! A note that is a board, and what is said of its lanes and cards.

use quillgate_markdown::{Board, CardPlace, Lane, Note, fold, parse_board};
use quillgate_vault::NotePath;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::failure::{Failure, Issue};

pub(super) const MARK: &str = "kanban-plugin";
/// Names and cards that a message shows.
const MOST_SHOWN: usize = 20;

/// Reads a note that must be a board.
pub(super) fn board_of(path: &NotePath, text: &str) -> Result<Board, Failure> {
    if path.is_note() && Note::parse(text).find_property(MARK).is_some() {
        return Ok(parse_board(text));
    }
    Err(Failure::Edit(format!("{path} is no Kanban board: it has no property {MARK}; list_kanban_boards names those there are")))
}

/// What the board itself says of how it is kept. Nothing that cannot be read counts.
pub(super) fn settings_of(board: &Board, text: &str) -> Map<String, Value> {
    board.settings.clone().and_then(|span| serde_json::from_str(&text[span]).ok()).unwrap_or_default()
}

/// Where a card goes: top, bottom, or a number from 1
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Position(#[schemars(regex(pattern = "^(top|bottom|[1-9][0-9]{0,5})$"))] pub(super) String);

impl Position {
    pub(super) fn place(&self) -> CardPlace {
        match self.0.as_str() {
            "top" => CardPlace::Top,
            "bottom" => CardPlace::Bottom,
            number => CardPlace::At(number.parse::<usize>().map_or(usize::MAX, |number| number.saturating_sub(1))),
        }
    }
}

/// The lane of this title, in any case.
pub(super) fn lane_named(board: &Board, field: &str, title: &str) -> Result<usize, Failure> {
    let exact = |lane: &&Lane| lane.title == title;
    let places: Vec<usize> = match board.lanes.iter().filter(exact).count() {
        0 => {
            board.lanes.iter().enumerate().filter(|(_, lane)| fold(&lane.title) == fold(title)).map(|(place, _)| place).collect()
        }
        _ => board.lanes.iter().enumerate().filter(|(_, lane)| lane.title == title).map(|(place, _)| place).collect(),
    };
    let expected = match places.as_slice() {
        [place] => return Ok(*place),
        [] if board.lanes.is_empty() => format!("is {title:?}, and the board has no lanes"),
        [] => format!("is {title:?}, and there is no such lane; there are {}", lanes_text(board)),
        _ => format!("is {title:?}, and {} lanes are called so; rename one first", places.len()),
    };
    Err(Failure::InvalidInput(vec![Issue::new(field, expected)]))
}

fn lanes_text(board: &Board) -> String {
    let titles: Vec<&str> = board.lanes.iter().take(MOST_SHOWN).map(|lane| lane.title.as_str()).collect();
    titles.join(", ")
}

/// The card on this line.
pub(super) fn card_on(board: &Board, line: usize) -> Result<(usize, usize), Failure> {
    let found = all_cards(board).find(|(place, _)| board.lanes[place.0].cards[place.1].line == line);
    found.map(|(place, _)| place).ok_or_else(|| {
        let expected = format!("is {line}, and no card begins there; there are {}", cards_text(board));
        Failure::InvalidInput(vec![Issue::new("line", expected)])
    })
}

/// The one card whose text is this, or begins or goes on with it.
pub(super) fn card_saying(board: &Board, text: &str) -> Result<(usize, usize), Failure> {
    let wanted = fold(text.trim());
    let ways: [fn(&str, &str) -> bool; 3] =
        [|card, wanted| card == wanted, |card, wanted| card.lines().next() == Some(wanted), |card, wanted| card.contains(wanted)];
    for way in ways {
        let found: Vec<(usize, usize)> =
            all_cards(board).filter(|(_, card)| way(&fold(card), &wanted)).map(|(place, _)| place).collect();
        match found.as_slice() {
            [] => {}
            [place] => return Ok(*place),
            several => {
                let lines: Vec<String> =
                    several.iter().map(|place| board.lanes[place.0].cards[place.1].line.to_string()).collect();
                let expected = format!("fits the cards on the lines {}; give one of these as line", lines.join(", "));
                return Err(Failure::InvalidInput(vec![Issue::new("text", expected)]));
            }
        }
    }
    let expected = format!("is in no card; there are {}", cards_text(board));
    Err(Failure::InvalidInput(vec![Issue::new("text", expected)]))
}

fn all_cards(board: &Board) -> impl Iterator<Item = ((usize, usize), &str)> {
    board
        .lanes
        .iter()
        .enumerate()
        .flat_map(|(lane, found)| found.cards.iter().enumerate().map(move |(place, card)| ((lane, place), card.text.as_str())))
}

fn cards_text(board: &Board) -> String {
    let cards: Vec<String> = board
        .lanes
        .iter()
        .flat_map(|lane| &lane.cards)
        .map(|card| format!("{:?} (line {})", card.text.lines().next().unwrap_or_default(), card.line))
        .collect();
    match cards.len() {
        0 => "no cards".to_owned(),
        count if count > MOST_SHOWN => format!("{} and {} more", cards[..MOST_SHOWN].join(", "), count - MOST_SHOWN),
        _ => cards.join(", "),
    }
}

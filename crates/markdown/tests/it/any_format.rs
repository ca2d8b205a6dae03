//! Boards, tables and drawings of any text: nothing panics, and an edit changes what it names.

use proptest::prelude::*;
use quillgate_markdown::{
    Board, CardPlace, DrawingChange, Edits, SortAs, add_card, compress_to_base64, decompress_from_base64, find_drawing,
    find_tables, move_card, parse_board,
};

fn any_text(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(pieces), 0..24).prop_map(|pieces| pieces.concat())
}

const BOARD: &[&str] = &[
    "## Lane (2)\n",
    "## Other\n",
    "\n",
    "\n",
    "**Complete**\n",
    "- [ ] card\n",
    "- [x] done ^id\n",
    "- plain\n",
    "\tmore\n",
    "    more\n",
    "***\n\n## Archive\n\n",
    "%% kanban:settings\n",
    "```\n{}\n```\n%%\n",
    "text\n",
    "- [ ] 灯 @{2024-01-01}\r\n",
    "- [ ]",
    "- [",
];
const TABLE: &[&str] = &[
    "| a | b |\n",
    "|-|-|\n",
    "|:--|--:|\n",
    "|",
    "\\|",
    "\\",
    "`x|y`",
    "[[a\\|b]]",
    "\n",
    "\n\n",
    "> ",
    "灯台",
    "👩‍👩‍👧",
    " 10 ",
    "2024-01-05",
    "| 1 | 2 |\n",
    "a | b\n",
    "```\n",
    "- ",
    "\r\n",
    "\t",
    "# H\n",
];
const DRAWING: &[&str] = &[
    "# Excalidraw Data\n",
    "## Text Elements\n",
    "## Element Links\n",
    "## Embedded Files\n",
    "%%\n",
    "## Drawing\n",
    "```json\n",
    "```compressed-json\n",
    "```\n",
    "{\"a\":1}\n",
    "N4IghiBcCMC+Q===\n",
    "text ^aaaaaaaa\n",
    "^bbbbbbbb\n",
    "\n",
    "aaaaaaaa: [[x]]\n",
    "two ^cc\n",
    "\r\n",
    "ä ^ääääääää\n",
];

/// Every card with its lane.
fn cards(board: &Board) -> Vec<(String, String)> {
    let mut cards: Vec<(String, String)> =
        board.lanes.iter().flat_map(|lane| lane.cards.iter().map(|card| (lane.title.clone(), card.text.clone()))).collect();
    cards.sort();
    cards
}

proptest! {
    #[test]
    fn cards_neither_come_nor_go_when_one_is_moved(text in any_text(BOARD), from in any::<(u8, u8)>(), to in any::<(u8, u8)>()) {
        let board = parse_board(&text);
        prop_assume!(!board.lanes.is_empty());
        let (lane, target) = (from.0 as usize % board.lanes.len(), to.0 as usize % board.lanes.len());
        prop_assume!(!board.lanes[lane].cards.is_empty());
        let card = from.1 as usize % board.lanes[lane].cards.len();
        let place = [CardPlace::Top, CardPlace::Bottom, CardPlace::At(to.1 as usize % 4)][to.1 as usize % 3];
        let edits = move_card(&text, &board, (lane, card), target, place).expect("a card");
        let after = Edits::new(edits).expect("apart").apply(&text);
        let texts = |board: &Board| { let mut all: Vec<String> = cards(board).into_iter().map(|(_, card)| card).collect(); all.sort(); all };
        prop_assert_eq!(texts(&parse_board(&after)).len(), texts(&board).len(), "{:?} -> {:?}", text, after);
        prop_assert_eq!(parse_board(&after).archive.len(), board.archive.len());
    }

    #[test]
    fn a_card_that_is_added_is_one_more(text in any_text(BOARD), lane in any::<u8>(), place in 0usize..5) {
        let board = parse_board(&text);
        prop_assume!(!board.lanes.is_empty());
        let lane = lane as usize % board.lanes.len();
        let edit = add_card(&text, &board, lane, CardPlace::At(place), "new card\nsecond").expect("a lane");
        prop_assert!(edit.range.is_empty());
        let after = Edits::from(edit).apply(&text);
        let now = parse_board(&after);
        prop_assert_eq!(now.lanes[lane].cards.len(), board.lanes[lane].cards.len() + 1, "{:?} -> {:?}", text, after);
        prop_assert!(now.lanes[lane].cards.iter().any(|card| card.text.starts_with("new card\nsecond")));
    }

    #[test]
    fn a_table_keeps_its_cells_whatever_is_done_to_it(text in any_text(TABLE), at in 0usize..4) {
        for table in find_tables(&text) {
            let formatted = Edits::from(table.format(&text)).apply(&text);
            let again = find_tables(&formatted).into_iter().find(|found| found.line == table.line).expect("still a table");
            prop_assert_eq!((&again.header, &again.rows), (&table.header, &table.rows), "{:?} -> {:?}", text, formatted);
            prop_assert_eq!(Edits::from(again.format(&formatted)).apply(&formatted), formatted.clone());
            let sorted = table.sort(&text, 0, SortAs::Auto, at % 2 == 0).map(|edits| Edits::new(edits).expect("apart").apply(&text));
            let sorted = sorted.expect("sorted as text if need be");
            let now = find_tables(&sorted).into_iter().find(|found| found.line == table.line).expect("still a table");
            let in_order = |rows: &[Vec<String>]| { let mut rows = rows.to_vec(); rows.sort(); rows };
            prop_assert_eq!(in_order(&now.rows), in_order(&table.rows));
            let longer = Edits::from(table.insert_row(&text, at, &["a|b\\".to_owned()])).apply(&text);
            let now = find_tables(&longer).into_iter().find(|found| found.line == table.line).expect("still a table");
            prop_assert_eq!(now.rows.len(), table.rows.len() + 1, "{:?} -> {:?}", text, longer);
        }
    }

    #[test]
    fn a_drawing_without_a_change_stays_as_it_is(text in any_text(DRAWING)) {
        if let Some(drawing) = find_drawing(&text) {
            let _ = drawing.scene(&text, 1000);
            prop_assert_eq!(Edits::new(drawing.edits(&text, &DrawingChange::default())).expect("apart").apply(&text), text.clone());
            let change = DrawingChange { texts: vec![("dddddddd".to_owned(), Some("new".to_owned()))], ..DrawingChange::default() };
            let after = Edits::new(drawing.edits(&text, &change)).expect("apart").apply(&text);
            let now = find_drawing(&after).expect("still a drawing");
            prop_assert!(now.texts.iter().any(|entry| entry.id == "dddddddd"), "{:?} -> {:?}", text, after);
        }
    }

    #[test]
    fn what_was_compressed_comes_back(text in any::<String>(), part in "[ab]{0,200}") {
        for text in [text, part] {
            prop_assert_eq!(decompress_from_base64(&compress_to_base64(&text), 1000), Ok(text));
        }
    }

    #[test]
    fn no_letters_are_too_much(letters in "[A-Za-z0-9+/=]{0,80}") {
        if let Ok(text) = decompress_from_base64(&letters, 500) {
            prop_assert!(text.encode_utf16().count() <= 500);
        }
    }
}
